/* The heads' recurrence as a network, and whether anything rounds in it (EB.25, EB.26). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include "theory/certify/unrounded/unrounded.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the network --- */

static bool used(const bool *flags, size_t room, size_t i)
{
    return i < room && flags[i];
}

static bool letter_used(const f2l_written_stage *g, size_t letter)
{
    return used(g->letter_in_words, g->letter_words_room, letter);
}

static bool code_used(const f2l_written_stage *g, size_t code)
{
    return used(g->code_in_words, g->codes_room, code);
}

static size_t count_letters(const f2l_written_stage *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->letter.index.count; i++) count += letter_used(g, i);
    return count;
}

static size_t count_codes(const f2l_written_stage *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->code.index.count; i++) count += code_used(g, i);
    return count;
}

static f2l_status push_all(f2l_qvec *out, const double *x, size_t n, f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; status == F2L_OK && i < n; i++) {
        mpq_set_d(value, x[i]);
        status = f2l_qvec_push(out, (uint32_t)i, value, err);
    }
    mpq_clear(value);
    return status;
}

static bool all_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

static const double *factor_of(const f2l_written_stage *g, const double *letter, size_t head,
                               size_t factor)
{
    return letter + g->head[head].factor + factor * g->factor_size;
}

/* Sets the factors of a head's letter, without factors with a key of 0. */
static f2l_status fill_letter(f2l_transition *out, const f2l_written_stage *g, const double *letter,
                              size_t h, f2l_error *err)
{
    const f2l_written_head *head = &g->head[h];
    size_t count = 0, at = 0;
    for (size_t f = 0; f < g->model->factors; f++) {
        const double *x = factor_of(g, letter, h, f);
        const bool keyless = all_zero(x + 1, head->rows);
        if (keyless && x[0] != 0 && !all_zero(x + 1 + head->rows, head->columns))
            return f2l_fail(err, F2L_UNKNOWN, "head %zu: a value is written with a key of 0",
                            h + 1);
        count += !keyless;
    }
    f2l_status status = f2l_transition_set_factors(out, count, err);
    for (size_t f = 0; status == F2L_OK && f < g->model->factors; f++) {
        const double *x = factor_of(g, letter, h, f);
        if (all_zero(x + 1, head->rows)) continue;
        f2l_factor *to = &out->factor[at++];
        mpq_set_d(to->beta, x[0]);
        status = push_all(&to->u, x + 1, head->rows, err);
        if (status == F2L_OK) status = push_all(&to->c, x + 1 + head->rows, head->columns, err);
    }
    return status;
}

static f2l_status fill_head(f2l_head *out, const f2l_written_stage *g, size_t h, uint32_t start,
                            f2l_error *err)
{
    const f2l_written_head *head = &g->head[h];
    size_t at = 0;
    out->n = head->rows ? head->rows : 1;
    out->d = head->columns ? head->columns : 1;
    f2l_status status = push_all(&out->initial, f2l_written_row(&g->code, start) + head->state,
                                 head->rows * head->columns, err);
    for (uint32_t i = 0; status == F2L_OK && i < g->letter.index.count; i++)
        if (letter_used(g, i))
            status = fill_letter(&out->letter[at++], g, f2l_written_row(&g->letter, i), h, err);
    return status;
}

static f2l_status fill_layer(f2l_layer *out, const f2l_written_search *s, size_t l, size_t symbols,
                             f2l_error *err)
{
    const f2l_written_stage *g = &s->stage[l];
    const size_t heads = s->model->heads;
    size_t at = 0;
    f2l_status status = f2l_layer_set_heads(out, count_letters(g), heads, err);
    for (size_t h = 0; status == F2L_OK && h < heads; h++)
        status = fill_head(&out->head[h], g, h, s->start[l], err);
    if (status == F2L_OK) status = f2l_layer_set_codes(out, count_codes(g), symbols, false, err);
    for (uint32_t c = 0; status == F2L_OK && c < g->code.index.count; c++) {
        if (!code_used(g, c)) continue;
        for (size_t h = 0; status == F2L_OK && h < heads; h++)
            status = push_all(&out->code[at * heads + h],
                              f2l_written_row(&g->code, c) + g->head[h].state,
                              g->head[h].rows * g->head[h].columns, err);
        out->symbol[at++] = 0;
    }
    return status;
}

/* Names a letter of layer 1 by the automaton's first letter that gives it. */
static f2l_status add_letter_name(f2l_net *out, const f2l_written_search *s, uint32_t letter,
                                  f2l_error *err)
{
    const f2l_written_stage *g = &s->stage[0];
    size_t index;
    for (size_t a = 0; a < s->fsa->letters.count; a++)
        if (g->letter_of[s->token[a]] == letter + 1) {
            const char *name = f2l_names_get(&s->fsa->letters, a);
            return f2l_names_add(&out->letters, name, strlen(name), &index, err);
        }
    return F2L_OK;
}

f2l_status f2l_written_net(f2l_net *out, const f2l_written_search *s, f2l_error *err)
{
    const size_t layers = s->model->layers;
    size_t index;
    f2l_status status = f2l_net_set_layers(out, layers, err);
    out->label = s->about->label;
    out->start = out->label == F2L_LABEL_EDGES ? F2L_NO_INDEX : 0;
    if (status == F2L_OK) status = f2l_names_add(&out->labels, "label", 5, &index, err);
    for (uint32_t i = 0; status == F2L_OK && i < s->stage[0].letter.index.count; i++)
        if (letter_used(&s->stage[0], i)) status = add_letter_name(out, s, i, err);
    for (size_t l = 0; status == F2L_OK && l < layers; l++) {
        const size_t symbols = l + 1 < layers ? count_letters(&s->stage[l + 1]) : 1;
        status = fill_layer(&out->layer[l], s, l, symbols, err);
    }
    return status;
}

/* --- the prefix: EB.25 --- */

/* Returns the row of a key e_i, SIZE_MAX for another key. */
static size_t unit_row(const double *key, size_t rows)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < rows; i++) {
        if (key[i] == 0) continue;
        if (key[i] != 1 || found != SIZE_MAX) return SIZE_MAX;
        found = i;
    }
    return found;
}

/* Looks at one factor of a token of the prefix. */
static const char *prefix_factor(unsigned char *written, const f2l_written_head *head,
                                 const double *x, const f2l_format *format)
{
    const double *value = x + 1 + head->rows;
    if (all_zero(x + 1, head->rows))
        return x[0] == 0 || all_zero(value, head->columns) ? NULL : "it writes with a key of 0";
    if (x[0] == 0) return "a key that is not 0 has a beta of 0";
    const size_t row = unit_row(x + 1, head->rows);
    if (row == SIZE_MAX) return "a key is no unit vector";
    for (size_t j = 0; j < head->columns; j++)
        if (!isfinite(f2l_format_round_nearest(format, 2 * value[j])))
            return "twice a value is too large";
    if (written[row] == 0 && x[0] == 1) {
        written[row] = 1;
        return NULL;
    }
    if (written[row] == 1 && x[0] == 2 && all_zero(value, head->columns)) {
        written[row] = 2;
        return NULL;
    }
    return "it does more than to write rows and to change their signs";
}

/* Looks whether the outputs in the prefix are sums that fp32 holds. */
static const char *prefix_output(const f2l_written_search *s, size_t l,
                                 const f2l_written_head *head, const double *letter)
{
    const double *state = f2l_written_row(&s->stage[l].code, s->start[l]) + head->state;
    for (size_t j = 0; j < head->columns; j++) {
        f2l_written_sum sum = {0};
        for (size_t i = 0; i < head->rows; i++)
            f2l_written_add(&sum, letter[head->query + i] * state[i * head->columns + j]);
        sum.size *= 4;
        if (!f2l_written_fits(&sum, 24)) return "its outputs may round";
    }
    return NULL;
}

static const char *prefix_head(const f2l_written_search *s, size_t l, size_t h,
                               unsigned char *written)
{
    const f2l_written_stage *g = &s->stage[l];
    const char *fault = NULL;
    for (size_t i = 0; i < s->about->tokens && !fault; i++) {
        const double *letter =
            f2l_written_row(&g->letter, s->prefix_letter[l * s->about->tokens + i]);
        for (size_t f = 0; f < s->model->factors && !fault; f++)
            fault =
                prefix_factor(written, &g->head[h], factor_of(g, letter, h, f), s->model->format);
        if (!fault) fault = prefix_output(s, l, &g->head[h], letter);
    }
    return fault;
}

const char *f2l_written_prefix_fault(char room[200], const f2l_written_search *s)
{
    for (size_t l = 0; l < s->model->layers; l++)
        for (size_t h = 0; h < s->model->heads; h++) {
            unsigned char written[256] = {0}; /* a head has at most 256 rows */
            const char *fault = prefix_head(s, l, h, written);
            if (!fault) continue;
            snprintf(room, 200, "the prefix, layer %zu, head %zu: %s", l + 1, h + 1, fault);
            return room;
        }
    return NULL;
}

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
        if (!letter_used(g, i)) continue;
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
        for (size_t f = 0; letter_used(g, i) && f < g->model->factors && right; f++)
            right = take_key(o, factor_of(g, f2l_written_row(&g->letter, i), h, f) + 1,
                             g->head[h].rows, format);
    return right;
}

static const f2l_unrounded_bound *bound_of(const f2l_unrounded *u, size_t l, size_t h,
                                           const char *what)
{
    for (size_t i = 0; i < u->bounds; i++)
        if (u->bound[i].layer == l && u->bound[i].head == h && strcmp(u->bound[i].what, what) == 0)
            return &u->bound[i];
    return NULL;
}

/* Adds a * factor to the sum. */
static void add_product(mpq_t sum, const mpq_t a, double factor)
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
    add_product(most, state->most, o->length);
    add_product(most, new->most, (double)rows * o->product);
    bool fit = places <= 100 && mpq_cmp_ui(most, 1ul << 60, 1) < 0;
    if (fit && places > 0) mpq_mul_2exp(most, most, (mp_bitcnt_t)places);
    fit = fit && mpq_cmp_ui(most, 1ul << 24, 1) <= 0;
    mpq_clear(most);
    return fit;
}

static f2l_status check_outputs(bool *fit, const f2l_written_search *s, size_t l, size_t h,
                                const f2l_unrounded *u, const f2l_format *format, f2l_error *err)
{
    outputs o = {0};
    const f2l_unrounded_bound *state = bound_of(u, l, h, "state"), *new = bound_of(u, l, h, "new");
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
            status = check_outputs(&fit, s, l, h, u, format, err);
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
    const f2l_model model = {.net = *net};
    f2l_unrounded_init(&u);
    f2l_status status =
        f2l_unrounded_find(&u, &model, format, f2l_schedule_find(path->schedule), task, err);
    out->verdict = u.verdict;
    snprintf(out->reason, sizeof out->reason, "%s", u.reason);
    if (status == F2L_OK && u.verdict == F2L_OK && f2l_schedule_find(path->schedule)->chunk)
        status = check_all_outputs(out, s, &u, format, err);
    f2l_unrounded_clear(&u);
    return status;
}
