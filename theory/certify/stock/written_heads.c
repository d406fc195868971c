/* Whether anything rounds in the heads on words (EB.26). */
#include "theory/certify/stock/impl.h"
#include "theory/certify/unrounded/unrounded.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the outputs of chunk64: EB.26 --- */

/* What the bound on the outputs of a head needs: the lowest bits and largest sizes of the queries
 * and of their products with keys. */
typedef struct outputs {
    f2l_written_rows query;
    f2l_written_sum queries, products; /* of absolute values: only `low` and `any` are used */
    double length, product;            /* the largest sum |q_i|, and |q k| */
} outputs;

static f2l_status take_queries(outputs *o, const f2l_written_stage *g, size_t h, f2l_error *err)
{
    const f2l_written_head *head = &g->head[h];
    f2l_status status = F2L_OK;
    uint32_t id;
    o->query.length = head->rows;
    for (uint32_t i = 0; status == F2L_OK && i < g->letter.index.count; i++) {
        const double *q = f2l_written_row(&g->letter, i) + head->query;
        double length = 0;
        if (!f2l_written_letter_used(g, i)) continue;
        status = f2l_written_rows_add(&id, &o->query, q, NULL, err);
        for (size_t r = 0; r < head->rows; r++) {
            length += fabs(q[r]);
            f2l_written_add(&o->queries, q[r]);
        }
        if (length > o->length) o->length = length;
    }
    return status;
}

/* Takes the products of all queries with a key; they are stored in the format. */
static bool take_key(outputs *o, const double *key, size_t rows, const f2l_format *format)
{
    for (uint32_t i = 0; i < o->query.index.count; i++) {
        const double *q = f2l_written_row(&o->query, i);
        f2l_written_sum sum = {0};
        for (size_t r = 0; r < rows; r++) f2l_written_add(&sum, q[r] * key[r]);
        if (!f2l_written_fits(&sum, 24) || f2l_format_round_nearest(format, sum.value) != sum.value)
            return false;
        f2l_written_add(&o->products, sum.value);
        if (fabs(sum.value) > o->product) o->product = fabs(sum.value);
    }
    return true;
}

static bool take_keys(outputs *o, const f2l_written_stage *g, size_t h, const f2l_format *format)
{
    bool right = true;
    for (uint32_t i = 0; i < g->letter.index.count; i++)
        for (size_t f = 0; f2l_written_letter_used(g, i) && f < g->model->factors && right; f++)
            right = take_key(o, f2l_written_factor_of(g, f2l_written_row(&g->letter, i), h, f) + 1,
                             g->head[h].rows, format);
    return right;
}

static const f2l_unrounded_bound *find_head_bound(const f2l_unrounded *u, size_t l, size_t h,
                                                  const char *what)
{
    for (size_t i = 0; i < u->bounds; i++)
        if (u->bound[i].layer == l && u->bound[i].head == h && strcmp(u->bound[i].what, what) == 0)
            return &u->bound[i];
    return NULL;
}

/* Adds a * factor to the sum. */
static void add_scaled_number(mpq_t sum, const mpq_t a, double factor)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_d(x, factor);
    mpq_mul(x, x, a);
    mpq_add(sum, sum, x);
    mpq_clear(x);
}

/* Returns whether q^T S + sum of (q k) R is exact in fp32 in any order. */
static bool sums_fit(const outputs *o, const f2l_unrounded_bound *state,
                     const f2l_unrounded_bound *new, size_t rows)
{
    long places = 0;
    mpq_t most;
    mpq_init(most);
    if (o->queries.any) places = state->places - o->queries.low;
    if (o->products.any && new->places - o->products.low > places)
        places = new->places - o->products.low;
    add_scaled_number(most, state->most, o->length);
    add_scaled_number(most, new->most, (double)rows * o->product);
    bool fit = places <= 100 && mpq_cmp_ui(most, 1ul << 60, 1) < 0;
    if (fit && places > 0) mpq_mul_2exp(most, most, (mp_bitcnt_t)places);
    fit = fit && mpq_cmp_ui(most, 1ul << 24, 1) <= 0;
    mpq_clear(most);
    return fit;
}

static f2l_status check_head_outputs(bool *fit, const f2l_written_search *s, size_t l, size_t h,
                                     const f2l_unrounded *u, const f2l_format *format,
                                     f2l_error *err)
{
    outputs o = {0};
    const f2l_unrounded_bound *state = find_head_bound(u, l, h, "state"),
                              *new = find_head_bound(u, l, h, "new");
    f2l_status status = take_queries(&o, &s->stage[l], h, err);
    *fit = status == F2L_OK && state && new &&take_keys(&o, &s->stage[l], h, format) &&
           sums_fit(&o, state, new, F2L_WRITTEN_CHUNK * s->model->factors);
    f2l_written_rows_clear(&o.query);
    return status;
}

/* --- a path --- */

/* Returns whether all keys and queries, of words and of the prefix, are exact on the path. */
static bool keys_exact(const f2l_written_search *s, bool wide)
{
    bool exact = true;
    for (size_t l = 0; l < s->model->layers; l++) {
        const f2l_written_stage *g = &s->stage[l];
        for (uint32_t i = 0; i < g->letter.index.count; i++)
            exact = exact && f2l_written_row(&g->letter, i)[g->letter.length - (wide ? 1 : 2)] != 0;
    }
    return exact;
}

static f2l_status check_all_outputs(f2l_stock_path_verdict *out, const f2l_written_search *s,
                                    const f2l_unrounded *u, const f2l_format *format,
                                    f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool fit = true;
    for (size_t l = 0; l < s->model->layers; l++)
        for (size_t h = 0; status == F2L_OK && fit && h < s->model->heads; h++) {
            status = check_head_outputs(&fit, s, l, h, u, format, err);
            if (status == F2L_OK && !fit)
                snprintf(out->reason, sizeof out->reason,
                         "layer %zu, head %zu: the sums of an output may round", l + 1, h + 1);
        }
    if (!fit) out->verdict = F2L_UNKNOWN;
    return status;
}

f2l_status f2l_written_heads(f2l_stock_path_verdict *out, const f2l_written_search *s,
                             const f2l_net *net, const f2l_written_path *path, const f2l_task *task,
                             f2l_error *err)
{
    const f2l_format *format = path->wide ? f2l_format_find("fp32") : s->model->format;
    f2l_unrounded u;
    if (!keys_exact(s, path->wide_keys)) {
        snprintf(out->reason, sizeof out->reason,
                 "a key or query is rounded when it is normalised in %s",
                 path->wide_keys ? "fp32" : format->name);
        return F2L_OK;
    }
    if (!net) {
        out->verdict = F2L_OK;
        return F2L_OK;
    }
    f2l_unrounded_init(&u);
    f2l_status status =
        f2l_unrounded_find(&u, net, format, f2l_schedule_find(path->schedule), task, err);
    out->verdict = u.verdict;
    snprintf(out->reason, sizeof out->reason, "%s", u.reason);
    if (status == F2L_OK && u.verdict == F2L_OK && f2l_schedule_find(path->schedule)->chunk)
        status = check_all_outputs(out, s, &u, format, err);
    f2l_unrounded_clear(&u);
    return status;
}
