/* The errors of one layer's steps: operator norms of the rounded matrices, and what a step adds (H2
 * - H4). */
#include "numeric/base/mem.h"
#include "theory/certify/horizon/impl.h"
#include <string.h>

/* Limits on the rows, and on the multiplications for all letters: up to them the norm of the
 * product is computed; beyond, the norm is bounded by the product of the factors' norms. */
#define NORM_ROWS 32
#define NORM_WORK ((size_t)1 << 19)
#define CAST_NUMBERS ((size_t)1 << 22)

static void term_init(f2l_term *t)
{
    arb_init(t->x);
}

static void clear_step_head(f2l_step_head *head)
{
    f2l_free(head->norm);
    f2l_free(head->a);
    f2l_free(head->b);
}

static size_t product_room(size_t rows)
{
    return rows > F2L_STEP_REGISTERS ? rows : F2L_STEP_REGISTERS;
}

void f2l_step_bounds_clear(f2l_step_bounds *b)
{
    for (size_t h = 0; b->head && h < b->layer->heads; h++) clear_step_head(&b->head[h]);
    for (size_t i = 0; b->entry && i < b->room; i++) arb_clear(b->entry[i].x);
    for (size_t i = 0; b->product && i < product_room(b->rows); i++) arb_clear(b->product[i].x);
    if (b->entry) {
        arb_clear(b->t.x);
        arb_clear(b->sum);
        arb_clear(b->scratch);
    }
    f2l_free(b->head);
    f2l_free(b->growth);
    f2l_free(b->state);
    f2l_free(b->read);
    f2l_free(b->reach);
    f2l_free(b->entry);
    f2l_free(b->touched);
    f2l_free(b->product);
    *b = (f2l_step_bounds){0};
}

static f2l_status allocate_step_bounds(f2l_step_bounds *b, f2l_error *err)
{
    const f2l_layer *layer = b->layer;
    b->head = f2l_calloc(layer->heads, sizeof *b->head);
    b->growth = f2l_calloc(layer->letters, sizeof *b->growth);
    for (size_t h = 0; h < layer->heads; h++) {
        const size_t numbers = layer->head[h].n * layer->head[h].d;
        b->size += numbers;
        if (numbers > b->room) b->room = numbers;
        if (layer->head[h].n > b->rows) b->rows = layer->head[h].n;
    }
    b->state = f2l_calloc(b->size, sizeof *b->state);
    b->read = f2l_calloc(b->size, sizeof *b->read);
    b->reach = f2l_calloc(b->room, sizeof *b->reach);
    b->touched = f2l_calloc(b->room, sizeof *b->touched);
    f2l_term *entry = f2l_calloc(b->room, sizeof *entry);
    f2l_term *product = f2l_calloc(product_room(b->rows), sizeof *product);
    const bool numbers = b->state && b->read && b->reach;
    if (!b->head || !b->growth || !numbers || !b->touched || !entry || !product) {
        f2l_free(entry);
        f2l_free(product);
        return f2l_fail_memory(err);
    }
    b->entry = entry;
    b->product = product;
    for (size_t i = 0; i < b->room; i++) term_init(&entry[i]);
    for (size_t i = 0; i < product_room(b->rows); i++) term_init(&product[i]);
    term_init(&b->t);
    arb_init(b->sum);
    arb_init(b->scratch);
    return F2L_OK;
}

/* Computes A or B of a letter exactly and dense: the factors step each column j of `m`, n x width;
 * `writes`: the columns are columns of B, so values count. */
static void step_columns(mpq_t *m, size_t n, size_t width, const f2l_head *head,
                         const f2l_transition *x, bool writes)
{
    mpq_t scale, norm2, r, p;
    mpq_inits(scale, norm2, r, p, (mpq_ptr)NULL);
    for (size_t i = 0; i < n * width; i++) mpq_mul(m[i], m[i], x->gate);
    for (size_t f = 0; f < x->factors; f++) {
        const f2l_factor *factor = &x->factor[f];
        f2l_qvec_norm2(norm2, &factor->u);
        if (head->raw || head->unit) mpq_set_ui(norm2, 1, 1);
        mpq_div(scale, factor->beta, norm2);
        for (size_t j = 0, write = 0; j < width; j++) {
            mpq_set_ui(r, 0, 1);
            for (size_t i = 0; i < factor->u.count; i++) {
                mpq_mul(p, factor->u.value[i], m[factor->u.index[i] * width + j]);
                mpq_add(r, r, p);
            }
            if (writes && write < factor->c.count && factor->c.index[write] == j)
                mpq_sub(r, r, factor->c.value[write++]);
            mpq_mul(r, r, scale);
            for (size_t i = 0; i < factor->u.count; i++) {
                mpq_t *to = &m[factor->u.index[i] * width + j];
                mpq_mul(p, factor->u.value[i], r);
                mpq_sub(*to, *to, p);
            }
        }
    }
    for (size_t i = 0; writes && i < x->bias.count; i++)
        mpq_add(m[x->bias.index[i]], m[x->bias.index[i]], x->bias.value[i]);
    mpq_clears(scale, norm2, r, p, (mpq_ptr)NULL);
}

static f2l_status round_matrix(double *out, const f2l_format *nearest, size_t n, size_t width,
                               const f2l_head *head, const f2l_transition *x, bool writes,
                               f2l_error *err)
{
    mpq_t *m = f2l_calloc(n * width, sizeof *m);
    if (!m) return f2l_fail_memory(err);
    for (size_t i = 0; i < n * width; i++) {
        mpq_init(m[i]);
        if (!writes && i % (width + 1) == 0) mpq_set_ui(m[i], 1, 1);
    }
    step_columns(m, n, width, head, x, writes);
    for (size_t i = 0; i < n * width; i++) {
        out[i] = f2l_format_round_q(nearest, m[i]);
        mpq_clear(m[i]);
    }
    f2l_free(m);
    return F2L_OK;
}

static f2l_status make_cast(f2l_step_bounds *b, f2l_step_head *to, const f2l_head *head,
                            f2l_error *err)
{
    const size_t n = head->n, d = head->d, letters = b->layer->letters;
    if (n > CAST_NUMBERS / letters / n || d > CAST_NUMBERS / letters / n)
        return f2l_fail(err, F2L_UNKNOWN,
                        "the matrices of the schedule cast are too large for a bound");
    to->a = f2l_calloc(letters * n * n, sizeof *to->a);
    to->b = f2l_calloc(letters * n * d, sizeof *to->b);
    f2l_status status = to->a && to->b ? F2L_OK : f2l_fail_memory(err);
    for (size_t x = 0; x < letters && status == F2L_OK; x++) {
        status =
            round_matrix(to->a + x * n * n, &b->nearest, n, n, head, &head->letter[x], false, err);
        if (status == F2L_OK)
            status = round_matrix(to->b + x * n * d, &b->nearest, n, d, head, &head->letter[x],
                                  true, err);
    }
    return status;
}

/* Turns m[n][n], the identity before, into the product of the rounded factors and the gate; returns
 * the product of their norms. */
static double multiply_factors(f2l_step_bounds *b, arb_ptr m, size_t h, size_t letter)
{
    const size_t n = b->head[h].n, d = b->head[h].d;
    const double gate = f2l_used_gate(b->net, b->at, h, letter);
    double bound = gate;
    for (size_t f = 0; f < f2l_used_factors(b->net, b->at, h, letter); f++) {
        const f2l_used_factor factor = f2l_used_factor_at(b->net, b->at, h, letter, f);
        bound = f2l_mul_up(bound, f2l_factor_norm(b, &factor, n));
        for (size_t j = 0; m && j < n; j++) {
            arb_zero(b->sum);
            for (size_t i = 0; i < factor.keys; i++) {
                arb_set_d(b->scratch, factor.key[i]);
                arb_addmul(b->sum, b->scratch, m + factor.row[i] / d * n + j, F2L_BALL_BITS);
            }
            arb_set_d(b->scratch, factor.beta);
            arb_mul(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
            for (size_t i = 0; i < factor.keys; i++) {
                arb_set_d(b->scratch, factor.key[i]);
                arb_submul(m + factor.row[i] / d * n + j, b->scratch, b->sum, F2L_BALL_BITS);
            }
        }
    }
    arb_set_d(b->scratch, gate);
    for (size_t i = 0; m && i < n * n; i++) arb_mul(m + i, m + i, b->scratch, F2L_BALL_BITS);
    return bound;
}

/* Sets m to A, and returns an upper bound of its Frobenius norm, which bounds the norm. */
static double cast_matrix(arb_ptr m, const double *a, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n * n; i++) {
        arb_set_d(m + i, a[i]);
        squares = f2l_add_up(squares, f2l_mul_up(fabs(a[i]), fabs(a[i])));
    }
    return f2l_root_up(squares);
}

static f2l_status make_norms(f2l_step_bounds *b, size_t h, const f2l_task *task, f2l_error *err)
{
    f2l_step_head *head = &b->head[h];
    const size_t n = head->n, letters = b->layer->letters;
    const bool cast = b->schedule->exact_matrices;
    const bool small = n <= NORM_ROWS && n * n * n <= NORM_WORK / letters;
    head->norm = f2l_calloc(letters, sizeof *head->norm);
    if (!head->norm) return f2l_fail_memory(err);
    arb_ptr m = small || cast ? _arb_vec_init((slong)(n * n)) : NULL;
    f2l_status status = F2L_OK;
    for (size_t x = 0; x < letters && status == F2L_OK; x++) {
        double bound;
        const uint64_t cubed = m ? n * n * n : 0, factors = f2l_used_factors(b->net, b->at, h, x);
        status = f2l_task_spend(task, "bounding the rounded matrices",
                                100 + 20 * cubed + 200 * factors + (m ? 10 * factors * n : 0), err);
        if (status != F2L_OK) break;
        if (cast) {
            bound = cast_matrix(m, head->a + x * n * n, n);
        } else {
            for (size_t i = 0; m && i < n * n; i++) arb_set_ui(m + i, i % (n + 1) == 0);
            bound = multiply_factors(b, m, h, x);
        }
        /* A matrix that fixes a vector has a norm of at least 1, and most products do. */
        if (small && bound != 1) bound = f2l_ball_operator_norm(m, (slong)n, bound);
        head->norm[x] = bound;
        if (bound > b->growth[x]) b->growth[x] = bound;
        status =
            f2l_task_poll(task, "bounding the rounded matrices", (double)x, (double)letters, err);
    }
    if (m) _arb_vec_clear(m, (slong)(n * n));
    return status;
}

f2l_status f2l_step_bounds_init(f2l_step_bounds *out, const f2l_float_net *net, size_t layer,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_task *task, f2l_error *err)
{
    *out = (f2l_step_bounds){.net = net, .at = layer, .schedule = schedule, .format = format};
    const f2l_format *fp32 = f2l_format_find("fp32");
    out->layer = &f2l_used_view(net)->layer[layer];
    out->state_format = f2l_schedule_kept_format(schedule, format);
    out->casts = schedule->read_unstored || schedule->output != NULL;
    out->wide = *fp32;
    out->wide.rounding = F2L_ROUND_NEAREST_EVEN;
    if (schedule->operands) out->operands = f2l_store_format(schedule->operands);
    f2l_store_init(&out->store, schedule, format);
    out->arithmetic = schedule->work == F2L_WIDTH_FP32 ? &out->wide : format;
    out->nearest = *format;
    out->nearest.rounding = F2L_ROUND_NEAREST_EVEN;
    f2l_status status = allocate_step_bounds(out, err);
    size_t offset = 0;
    for (size_t h = 0; h < out->layer->heads && status == F2L_OK; h++) {
        const f2l_head *head = &out->layer->head[h];
        out->head[h].n = head->n;
        out->head[h].d = head->d;
        out->head[h].offset = offset;
        offset += head->n * head->d;
        if (schedule->exact_matrices) status = make_cast(out, &out->head[h], head, err);
        if (status == F2L_OK) status = make_norms(out, h, task, err);
    }
    if (status != F2L_OK) f2l_step_bounds_clear(out);
    return status;
}

/* Adds |entry - code|^2 of a head to b->sum; the numbers in `entry` are overwritten. */
static void add_code_distance(f2l_step_bounds *b, size_t code, size_t h)
{
    const f2l_qvec *c = &b->layer->code[code * b->layer->heads + h];
    const size_t size = b->head[h].n * b->head[h].d;
    for (size_t i = 0; i < c->count; i++) {
        f2l_ball_set_q(b->scratch, c->value[i]);
        arb_sub(b->entry[c->index[i]].x, b->entry[c->index[i]].x, b->scratch, F2L_BALL_BITS);
    }
    arb_zero(b->sum);
    for (size_t i = 0; i < size; i++)
        arb_addmul(b->sum, b->entry[i].x, b->entry[i].x, F2L_BALL_BITS);
}

/* Returns the square root of the upper end of b->sum. */
static double root_above(f2l_step_bounds *b)
{
    if (arb_is_zero(b->sum)) return 0;
    return nextafter(sqrt(f2l_ball_above(b->sum)), INFINITY);
}

double f2l_step_distance(f2l_step_bounds *b, size_t code, const double *state)
{
    double squares = 0;
    for (size_t i = 0; i < b->size; i++)
        if (!isfinite(state[i])) return INFINITY;
    for (size_t h = 0; h < b->layer->heads; h++) {
        const f2l_step_head *head = &b->head[h];
        for (size_t i = 0; i < head->n * head->d; i++)
            arb_set_d(b->entry[i].x, state[head->offset + i]);
        add_code_distance(b, code, h);
        squares = f2l_add_up(squares, f2l_ball_above(b->sum));
    }
    return f2l_root_up(squares);
}

/* Sets b->state to the code; returns false when it is not a value of the format. */
static bool load_code(f2l_step_bounds *b, size_t code)
{
    memset(b->state, 0, b->size * sizeof *b->state);
    for (size_t h = 0; h < b->layer->heads; h++) {
        const f2l_qvec *c = &b->layer->code[code * b->layer->heads + h];
        for (size_t i = 0; i < c->count; i++) {
            if (!f2l_format_holds(b->state_format, c->value[i])) return false;
            b->state[b->head[h].offset + c->index[i]] = mpq_get_d(c->value[i]);
        }
    }
    return true;
}

double f2l_step_bound(f2l_step_bounds *b, const f2l_code_edge *edge, double e, double *read)
{
    double squares = 0, of_read = 0;
    const bool drawn = f2l_schedule_draws(b->schedule, b->format);
    *read = 0;
    if (e == 0 && !drawn && load_code(b, edge->from)) {
        const double *decoded =
            f2l_float_step_layer(b->net, b->at, edge->letter, b->state, b->read);
        if (b->casts) *read = f2l_step_distance(b, edge->to, decoded);
        return f2l_step_distance(b, edge->to, b->state);
    }
    for (size_t h = 0; h < b->layer->heads; h++) {
        const f2l_step_head *head = &b->head[h];
        const f2l_qvec *c = &b->layer->code[edge->from * b->layer->heads + h];
        for (size_t i = 0; i < head->n * head->d; i++) arb_zero(b->entry[i].x);
        for (size_t i = 0; i < c->count; i++) f2l_ball_set_q(b->entry[c->index[i]].x, c->value[i]);
        f2l_step_head_bound(b, h, edge->letter, e);
        if (b->overflow) return INFINITY;
        add_code_distance(b, edge->to, h);
        const double drift = root_above(b), off = f2l_add_up(drift, b->local);
        squares = f2l_add_up(squares, f2l_mul_up(off, off));
        const double cast = f2l_add_up(drift, b->reading);
        if (b->casts) of_read = f2l_add_up(of_read, f2l_mul_up(cast, cast));
    }
    *read = f2l_root_up(of_read);
    return f2l_root_up(squares);
}
