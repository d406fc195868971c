/* The weights of one head in a format and for a schedule (models/network/schedule/schedule.h,
 * "Weights in a format"). */
#include "models/network/net/head.h"
#include "models/network/schedule/float_net.h"
#include "models/network/schedule/key_norm.h"
#include "models/network/schedule/sum_plan.h"
#include "numeric/base/mem.h"

void f2l_float_head_clear(f2l_float_head *head)
{
    f2l_free(head->gate);
    f2l_free(head->first);
    f2l_free(head->beta);
    f2l_free(head->key_first);
    f2l_free(head->row);
    f2l_free(head->key);
    f2l_free(head->sums);
    f2l_free(head->value_first);
    f2l_free(head->column);
    f2l_free(head->value);
    f2l_free(head->bias_first);
    f2l_free(head->bias_index);
    f2l_free(head->bias);
    f2l_float_cast_clear(&head->cast);
}

static bool allocate_head(f2l_float_head *out, const f2l_head *head, size_t letters)
{
    size_t factors = 0, keys = 0, values = 0, biases = 0;
    for (size_t x = 0; x < letters; x++) {
        factors += head->letter[x].factors;
        biases += head->letter[x].bias.count;
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            keys += head->letter[x].factor[i].u.count;
            values += head->letter[x].factor[i].c.count;
        }
    }
    out->gate = f2l_calloc(letters, sizeof *out->gate);
    out->first = f2l_calloc(letters + 1, sizeof *out->first);
    out->beta = f2l_calloc(factors, sizeof *out->beta);
    out->key_first = f2l_calloc(factors + 1, sizeof *out->key_first);
    out->row = f2l_calloc(keys, sizeof *out->row);
    out->key = f2l_calloc(keys, sizeof *out->key);
    out->value_first = f2l_calloc(factors + 1, sizeof *out->value_first);
    out->column = f2l_calloc(values, sizeof *out->column);
    out->value = f2l_calloc(values, sizeof *out->value);
    out->bias_first = f2l_calloc(letters + 1, sizeof *out->bias_first);
    out->bias_index = f2l_calloc(biases, sizeof *out->bias_index);
    out->bias = f2l_calloc(biases, sizeof *out->bias);
    return out->gate != NULL && out->first != NULL && out->beta != NULL && out->key_first != NULL &&
           out->row != NULL && out->key != NULL && out->value_first != NULL &&
           out->column != NULL && out->value != NULL && out->bias_first != NULL &&
           out->bias_index != NULL && out->bias != NULL;
}

/* Computes out = raw / max |u_i|. */
static void raw_scale(mpq_t out, const f2l_qvec *u, double raw)
{
    mpq_t largest, a;
    mpq_inits(largest, a, (mpq_ptr)NULL);
    for (size_t i = 0; i < u->count; i++) {
        mpq_abs(a, u->value[i]);
        if (mpq_cmp(a, largest) > 0) mpq_set(largest, a);
    }
    mpq_set_d(out, raw);
    mpq_div(out, out, largest);
    mpq_clears(largest, a, (mpq_ptr)NULL);
}

static double round_double(const f2l_format *format, double x)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, x);
    x = f2l_format_round_q(format, q);
    mpq_clear(q);
    return x;
}

/* Sets key[] to the normalised raw key. F2L_EDOMAIN when a raw key leaves the format or becomes
 * zero, or its length leaves fp32. */
static f2l_status normalise_raw_key(double *key, const f2l_qvec *u, size_t n,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    f2l_error *err)
{
    mpq_t scale, x;
    mpq_inits(scale, x, (mpq_ptr)NULL);
    raw_scale(scale, u, schedule->raw);
    for (size_t i = 0; i < u->count; i++) {
        mpq_mul(x, u->value[i], scale);
        key[i] = f2l_format_round_q(format, x);
    }
    mpq_clears(scale, x, (mpq_ptr)NULL);
    f2l_status status = f2l_normalise_key(key, u->index, u->count, n, schedule, format,
                                          (double)(float)schedule->eps, err);
    for (size_t i = 0; i < u->count && status == F2L_OK && !schedule->wide_keys; i++)
        key[i] = round_double(format, key[i]);
    return status;
}

static f2l_status round_keys(double *key, const f2l_head *head, const f2l_factor *factor,
                             const mpq_t norm2, const f2l_float_net *net, f2l_error *err)
{
    if (net->schedule->eps < 0 || head->raw) {
        for (size_t i = 0; i < factor->u.count; i++)
            key[i] = f2l_format_round_over_sqrt(net->format, factor->u.value[i], norm2);
        return F2L_OK;
    }
    const f2l_status status =
        normalise_raw_key(key, &factor->u, head->n, net->format, net->schedule, err);
    if (status != F2L_EDOMAIN) return status;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%s cannot normalise a key in %s: it becomes zero, or too large",
                    net->schedule->name, net->format->name);
}

/* Fills the rounded factor number f; its entries begin where the entries of the factor before end.
 * Coordinates that round to zero are left out, as the schedules leave out zero coordinates. */
static f2l_status round_factor(f2l_float_head *out, size_t f, const f2l_head *head,
                               const f2l_factor *factor, const f2l_float_net *net, f2l_error *err)
{
    mpq_t norm2;
    mpq_init(norm2);
    f2l_key_norm2(norm2, head, factor);
    f2l_status status =
        f2l_schedule_beta(&out->beta[f], net->schedule, net->format, factor->beta, err);
    size_t key = out->key_first[f], value = out->value_first[f];
    if (status == F2L_OK) status = round_keys(out->key + key, head, factor, norm2, net, err);
    for (size_t i = 0; net->operands && i < factor->u.count; i++)
        out->key[key + i] = f2l_format_round(net->operands, out->key[key + i]);
    const double *from = out->key + key;
    for (size_t i = 0; i < factor->u.count; i++) {
        out->row[key] = (uint32_t)(factor->u.index[i] * out->d);
        out->key[key] = from[i]; /* key <= the index of from[i] */
        if (out->key[key] != 0) key++;
    }
    for (size_t j = 0; j < factor->c.count; j++) {
        out->column[value] = factor->c.index[j];
        out->value[value] = f2l_format_round_over_sqrt(net->format, factor->c.value[j], norm2);
        if (out->value[value] != 0) value++;
    }
    out->key_first[f + 1] = key;
    out->value_first[f + 1] = value;
    mpq_clear(norm2);
    return status;
}

static void round_bias(f2l_float_head *out, size_t letter, const f2l_qvec *bias,
                       const f2l_format *format)
{
    size_t at = out->bias_first[letter];
    for (size_t i = 0; i < bias->count; i++) {
        out->bias_index[at] = bias->index[i];
        out->bias[at] = f2l_format_round_q(format, bias->value[i]);
        if (out->bias[at] != 0) at++;
    }
    out->bias_first[letter + 1] = at;
}

/* Scratch for a factor of the most keys. */
typedef struct reordering {
    uint64_t *scratch;
    uint32_t *order, *index;
    double *key;
} reordering;

static bool reordering_init(reordering *r, size_t keys)
{
    r->scratch = f2l_calloc(keys, sizeof *r->scratch);
    r->order = f2l_calloc(keys, sizeof *r->order);
    r->index = f2l_calloc(keys, sizeof *r->index);
    r->key = f2l_calloc(keys, sizeof *r->key);
    return r->scratch && r->order && r->index && r->key;
}

static void reordering_clear(reordering *r)
{
    f2l_free(r->scratch);
    f2l_free(r->order);
    f2l_free(r->index);
    f2l_free(r->key);
}

/* Puts the keys of factor f into the order of the sum. */
static void order_factor_keys(f2l_float_head *head, size_t f, const f2l_schedule_order *how,
                              reordering *r)
{
    const size_t first = head->key_first[f], count = head->key_first[f + 1] - first;
    for (size_t i = 0; i < count; i++) {
        r->index[i] = (uint32_t)(head->row[first + i] / head->d);
        r->key[i] = head->key[first + i];
    }
    f2l_sum_plan(r->order, head->sums + first, r->index, count, head->n, how, r->scratch);
    for (size_t i = 0; i < count; i++) {
        head->row[first + i] = (uint32_t)(r->index[r->order[i]] * head->d);
        head->key[first + i] = r->key[r->order[i]];
    }
}

static f2l_status order_keys(f2l_float_head *head, size_t letters, const f2l_schedule_order *how,
                             f2l_error *err)
{
    const size_t factors = head->first[letters];
    size_t most = 0;
    for (size_t f = 0; f < factors; f++) {
        const size_t count = head->key_first[f + 1] - head->key_first[f];
        if (count > most) most = count;
    }
    reordering r;
    const bool made = reordering_init(&r, most);
    head->sums = f2l_calloc(head->key_first[factors], sizeof *head->sums);
    const bool good = made && head->sums != NULL;
    for (size_t f = 0; good && f < factors; f++) order_factor_keys(head, f, how, &r);
    reordering_clear(&r);
    return good ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_float_head_init(f2l_float_head *out, const f2l_head *head, size_t letters,
                               const f2l_float_net *net, const f2l_task *task, f2l_error *err)
{
    if (!allocate_head(out, head, letters)) return f2l_fail_memory(err);
    out->n = head->n;
    out->d = head->d;
    f2l_status status = F2L_OK;
    size_t done = 0;
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *letter = &head->letter[x];
        if (f2l_net_poll_due(&done, 1 + head->letter[x].factors))
            status = f2l_task_poll(task, "rounding a network", (double)x, (double)letters, err);
        out->gate[x] =
            f2l_format_round_q(f2l_schedule_gate_format(net->schedule, net->format), letter->gate);
        out->first[x + 1] = out->first[x] + letter->factors;
        for (size_t i = 0; i < letter->factors && status == F2L_OK; i++)
            status = round_factor(out, out->first[x] + i, head, &letter->factor[i], net, err);
        if (status != F2L_OK) return status;
        round_bias(out, x, &letter->bias, net->format);
    }
    if (net->schedule->exact_matrices)
        return f2l_float_cast_init(&out->cast, head, letters, net->format, err);
    if (net->schedule->order.sum != F2L_SUM_LEFT)
        return order_keys(out, letters, &net->schedule->order, err);
    return F2L_OK;
}
