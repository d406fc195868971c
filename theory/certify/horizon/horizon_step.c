/* The roundings of one step, followed through the operations of the schedule with enclosures (H2,
 * H3). */
#include "theory/certify/horizon/impl.h"
#include <string.h>

double f2l_factor_norm(f2l_step_bounds *b, const f2l_used_factor *f, size_t n)
{
    if (f->keys == 0) return 1;
    arb_zero(b->sum);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_addmul(b->sum, b->scratch, b->scratch, F2L_BALL_BITS);
    }
    arb_set_d(b->scratch, f->beta);
    arb_mul(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
    arb_sub_ui(b->sum, b->sum, 1, F2L_BALL_BITS);
    const double along = f2l_ball_above(b->sum);
    return n > 1 && along < 1 ? 1 : along;
}

/* Rounds what t encloses; returns an upper bound of the rounding error. */
static double round_term(const f2l_format *format, f2l_term *t)
{
    const double low = f2l_ball_below(t->x), high = f2l_ball_above(t->x);
    const double error = f2l_ball_rounding(format, low, high, t->grid, t->bits);
    if (high == 0) {
        t->grid = F2L_BALL_GRID;
        t->bits = 0;
    }
    if (t->bits > format->precision) t->bits = format->precision;
    if (error == 0) return 0;
    f2l_ball_widen(t->x, error);
    const long spacing = f2l_ball_spacing(format, f2l_ball_below(t->x));
    if (spacing > t->grid) t->grid = spacing;
    return error;
}

/* Sets out = k s, exactly. */
static void multiply_term(f2l_step_bounds *b, f2l_term *out, double k, const f2l_term *s)
{
    const int bits = f2l_ball_significant(k);
    arb_set_d(b->scratch, k);
    arb_mul(out->x, s->x, b->scratch, F2L_BALL_BITS);
    out->grid = s->grid + f2l_ball_grid(k);
    out->bits = bits == 1 ? s->bits : s->bits + bits;
}

/* Adds sign t to out, exactly; sign = 1 or -1. */
static void add_term_to(f2l_term *out, const f2l_term *t, int sign)
{
    if (sign > 0)
        arb_add(out->x, out->x, t->x, F2L_BALL_BITS);
    else
        arb_sub(out->x, out->x, t->x, F2L_BALL_BITS);
    if (t->grid < out->grid) out->grid = t->grid;
    out->bits = F2L_BALL_ANY;
}

static void add_number(f2l_step_bounds *b, f2l_term *out, double v)
{
    arb_set_d(b->scratch, v);
    arb_add(out->x, out->x, b->scratch, F2L_BALL_BITS);
    if (f2l_ball_grid(v) < out->grid) out->grid = f2l_ball_grid(v);
    out->bits = F2L_BALL_ANY;
}

/* Sets out to entry i of the computed state. */
static void take_entry(f2l_step_bounds *b, f2l_term *out, size_t i)
{
    arb_set(out->x, b->entry[i].x);
    f2l_ball_widen(out->x, b->spread);
    out->grid = b->entry[i].grid;
    out->bits = b->entry[i].bits;
}

/* Stores the number as entry i, and adds the square of the error of its operations to the
 * squares. */
static void put_step_entry(f2l_step_bounds *b, size_t i, const f2l_term *t, double error,
                           double *squares)
{
    b->entry[i].grid = t->grid;
    b->entry[i].bits = t->bits;
    b->touched[i] = true;
    *squares = f2l_add_up(*squares, f2l_mul_up(error, error));
}

/* Updates the bounds after an operation of norm `norm` on the state whose own roundings are at most
 * sqrt(squares). */
static void carry(f2l_step_bounds *b, double norm, double squares)
{
    const double error = f2l_root_up(squares);
    if (!isfinite(error)) b->overflow = true;
    b->spread = f2l_add_up(f2l_mul_up(b->spread, norm), error);
    b->local = f2l_add_up(f2l_mul_up(b->local, norm), error);
}

/* Moves the exact column: S <- S - beta k (k^T S - v). */
static void move_column(f2l_step_bounds *b, const f2l_used_factor *f, size_t j, double v)
{
    arb_set_d(b->sum, -v);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_addmul(b->sum, b->scratch, b->entry[f->row[i] + j].x, F2L_BALL_BITS);
    }
    arb_set_d(b->scratch, f->beta);
    arb_mul(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
    for (size_t i = 0; i < f->keys; i++) {
        arb_set_d(b->scratch, f->key[i]);
        arb_submul(b->entry[f->row[i] + j].x, b->scratch, b->sum, F2L_BALL_BITS);
    }
}

static void bound_gate(f2l_step_bounds *b, double gate, size_t size)
{
    double squares = 0;
    for (size_t i = 0; gate != 1 && i < size; i++) {
        take_entry(b, &b->t, i);
        multiply_term(b, &b->t, gate, &b->t);
        const double off = round_term(b->arithmetic, &b->t);
        put_step_entry(b, i, &b->t, off, &squares);
        arb_set_d(b->scratch, gate);
        arb_mul(b->entry[i].x, b->entry[i].x, b->scratch, F2L_BALL_BITS);
    }
    carry(b, gate, squares);
}

static void bound_bias(f2l_step_bounds *b, const f2l_qvec *bias)
{
    double squares = 0;
    for (size_t i = 0; i < bias->count; i++) {
        const double v = f2l_format_round_q(&b->nearest, bias->value[i]);
        const size_t at = bias->index[i];
        if (v == 0) continue;
        take_entry(b, &b->t, at);
        add_number(b, &b->t, v);
        const double off = round_term(b->arithmetic, &b->t);
        put_step_entry(b, at, &b->t, off, &squares);
        arb_set_d(b->scratch, v);
        arb_add(b->entry[at].x, b->entry[at].x, b->scratch, F2L_BALL_BITS);
    }
    carry(b, 1, squares);
}

/* One letter in one head. `error` bounds the error of reg[0], `off` of an update. */
typedef struct walk_machine {
    f2l_step_bounds *b;
    const f2l_step_head *head;
    size_t h, letter;
    f2l_used_factor factor; /* if `entered` */
    bool entered;
    size_t j, write; /* the column, and the next entry of the factor's value */
    double v;        /* the value in the column */
    double error, off;
    double squares; /* of the errors of the factor's operations */
} walk_machine;

#include "models/network/schedule/walk.inc"

/* Returns whether the factor writes to the column; then *write is the next entry. */
static double value_in_column(const f2l_used_factor *f, size_t *write, size_t j)
{
    const bool writes = *write < f->values && f->column[*write] == j;
    return writes ? f->value[(*write)++] : 0;
}

WALK bool walk_goes_on(const walk_machine *m)
{
    (void)m;
    return true;
}

WALK void walk_gate(walk_machine *m, size_t letter)
{
    bound_gate(m->b, f2l_used_gate(m->b->net, m->b->at, m->h, letter), m->head->n * m->head->d);
}

/* Moves the exact state by the factor whose columns are bounded, if there is one. */
static void leave_factor(walk_machine *m)
{
    size_t write = 0;
    if (!m->entered) return;
    for (size_t j = 0; j < m->head->d; j++)
        move_column(m->b, &m->factor, j, value_in_column(&m->factor, &write, j));
    carry(m->b, f2l_factor_norm(m->b, &m->factor, m->head->n), m->squares);
}

WALK void walk_bias(walk_machine *m, size_t letter)
{
    leave_factor(m);
    bound_bias(m->b, &m->b->layer->head[m->h].letter[letter].bias);
}

WALK walk_range walk_factors(const walk_machine *m, size_t letter)
{
    return (walk_range){0, f2l_used_factors(m->b->net, m->b->at, m->h, letter)};
}

WALK walk_range walk_columns(const walk_machine *m)
{
    return (walk_range){0, m->head->d};
}

WALK bool walk_column(walk_machine *m, size_t factor, size_t column)
{
    if (column == 0) {
        leave_factor(m);
        m->entered = true;
        m->factor = f2l_used_factor_at(m->b->net, m->b->at, m->h, m->letter, factor);
        m->write = 0;
        m->squares = 0;
    }
    m->j = column;
    m->v = value_in_column(&m->factor, &m->write, column);
    m->error = 0;
    return true;
}

WALK walk_range walk_keys(const walk_machine *m, size_t factor)
{
    (void)factor;
    return (walk_range){0, m->factor.keys};
}

WALK unsigned walk_sums(const walk_machine *m, size_t q)
{
    return m->factor.sums[q];
}

/* Adds the error of rounding the number to *error. */
static void add_rounding(double *error, f2l_step_bounds *b, f2l_term *t)
{
    *error = f2l_add_up(*error, round_term(b->arithmetic, t));
}

/* Sets *out = k_q S_q, exactly but for rounding S_q as an operand, whose error it adds. */
static void exact_product(walk_machine *m, bool narrow, f2l_term *out, size_t q)
{
    take_entry(m->b, out, m->factor.row[q] + m->j);
    if (narrow) {
        const double off = round_term(m->b->operands, out);
        m->error = f2l_add_up(m->error, f2l_mul_up(fabs(m->factor.key[q]), off));
    }
    multiply_term(m->b, out, m->factor.key[q], out);
}

WALK void walk_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    f2l_term *reg = &m->b->product[to];
    exact_product(m, narrow, reg, q);
    add_rounding(&m->error, m->b, reg);
}

WALK void walk_add_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    f2l_term *reg = &m->b->product[to];
    exact_product(m, narrow, &m->b->t, q);
    add_term_to(reg, &m->b->t, 1);
    add_rounding(&m->error, m->b, reg);
}

WALK void walk_add(walk_machine *m, size_t to, size_t q)
{
    f2l_term *reg = m->b->product;
    (void)q;
    add_term_to(&reg[to], &reg[to + 1], 1);
    add_rounding(&m->error, m->b, &reg[to]);
}

WALK void walk_subtract_value(walk_machine *m, size_t factor)
{
    (void)factor;
    if (m->v == 0) return;
    add_number(m->b, &m->b->product[0], -m->v);
    add_rounding(&m->error, m->b, &m->b->product[0]);
}

WALK void walk_scale(walk_machine *m, bool narrow, size_t factor)
{
    f2l_term *r = &m->b->product[0];
    (void)factor;
    multiply_term(m->b, r, m->factor.beta, r);
    m->error = f2l_mul_up(fabs(m->factor.beta), m->error);
    add_rounding(&m->error, m->b, r);
    if (narrow) m->error = f2l_add_up(m->error, round_term(m->b->operands, r));
}

/* Sets reg[1] = k_q reg[0], exactly, and the error that reg[0] brings. */
static void exact_product_back(walk_machine *m, size_t q)
{
    m->off = f2l_mul_up(fabs(m->factor.key[q]), m->error);
    multiply_term(m->b, &m->b->product[1], m->factor.key[q], &m->b->product[0]);
}

WALK void walk_product_back(walk_machine *m, size_t q)
{
    exact_product_back(m, q);
    add_rounding(&m->off, m->b, &m->b->product[1]);
}

WALK void walk_subtract(walk_machine *m, size_t q)
{
    const size_t at = m->factor.row[q] + m->j;
    take_entry(m->b, &m->b->t, at);
    add_term_to(&m->b->t, &m->b->product[1], -1);
    add_rounding(&m->off, m->b, &m->b->t);
    put_step_entry(m->b, at, &m->b->t, m->off, &m->squares);
}

WALK void walk_subtract_product(walk_machine *m, size_t q)
{
    exact_product_back(m, q);
    walk_subtract(m, q);
}

/* --- the store, and cast --- */

/* Bounds storing the results of operations in the format of the state. */
static void bound_store(f2l_step_bounds *b, size_t size)
{
    double squares = 0;
    for (size_t i = 0; i < size; i++) {
        if (!b->touched[i]) continue;
        take_entry(b, &b->t, i);
        const double off = round_term(&b->store.format, &b->t);
        put_step_entry(b, i, &b->t, off, &squares);
    }
    carry(b, 1, squares);
}

/* Bounds a store with scales: all numbers of a block are stored, touched or not. */
static void bound_scaled_store(f2l_step_bounds *b, size_t n, size_t d)
{
    double squares = 0;
    for (size_t i = 0; i < n * d; i++) {
        take_entry(b, &b->t, i);
        b->reach[i] = f2l_ball_above(b->t.x);
    }
    f2l_scaled_errors(&b->store, b->reach, n, d);
    for (size_t i = 0; i < n * d; i++) {
        b->entry[i].grid = f2l_ball_spacing(&b->wide, 0);
        b->entry[i].bits = b->wide.precision;
        squares = f2l_add_up(squares, f2l_mul_up(b->reach[i], b->reach[i]));
    }
    carry(b, 1, squares);
}

/* Bounds the decoded numbers, which are entries of the state, cast. */
static void bound_reading(f2l_step_bounds *b, size_t size)
{
    const f2l_format output = f2l_schedule_output_format(b->schedule, b->format);
    double squares = 0;
    for (size_t i = 0; i < size; i++) {
        take_entry(b, &b->t, i);
        const double off = round_term(&output, &b->t);
        squares = f2l_add_up(squares, f2l_mul_up(off, off));
    }
    const double error = f2l_root_up(squares);
    if (!isfinite(error)) b->overflow = true;
    b->reading = f2l_add_up(b->local, error);
}

/* Bounds S <- f(A S + B): the new centres first, in `product`, column by column. */
static void bound_cast(f2l_step_bounds *b, const f2l_step_head *head, size_t letter)
{
    const size_t n = head->n, d = head->d;
    const double *a = head->a + letter * n * n, *add_b = head->b + letter * n * d;
    double squares = 0;
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < n; i++) {
            f2l_term *out = &b->product[i];
            size_t terms = 0;
            arb_zero(out->x);
            out->grid = F2L_BALL_GRID;
            out->bits = 0;
            arb_set_d(b->sum, 0);
            for (size_t k = 0; k < n; k++) {
                if (a[i * n + k] == 0) continue;
                take_entry(b, &b->t, k * d + j);
                multiply_term(b, &b->t, a[i * n + k], &b->t);
                const int bits = b->t.bits;
                add_term_to(out, &b->t, 1);
                if (terms++ == 0) out->bits = bits;
                arb_set_d(b->scratch, a[i * n + k]);
                arb_addmul(b->sum, b->scratch, b->entry[k * d + j].x, F2L_BALL_BITS);
            }
            if (add_b[i * d + j] != 0) {
                add_number(b, out, add_b[i * d + j]);
                arb_set_d(b->scratch, add_b[i * d + j]);
                arb_add(b->sum, b->sum, b->scratch, F2L_BALL_BITS);
            }
            const double off = round_term(b->format, out);
            squares = f2l_add_up(squares, f2l_mul_up(off, off));
            arb_set(out->x, b->sum);
        }
        for (size_t i = 0; i < n; i++) arb_set(b->entry[i * d + j].x, b->product[i].x);
    }
    carry(b, head->norm[letter], squares);
}

/* Sets entry i. A number that is stored is a value of the format; with e = 0 it is the number of
 * the code. */
static void set_entry(f2l_step_bounds *b, size_t i)
{
    f2l_term *entry = &b->entry[i];
    take_entry(b, &b->t, i);
    entry->grid = f2l_ball_spacing(b->state_format, f2l_ball_below(b->t.x));
    entry->bits = b->state_format->precision;
    if (!arb_is_exact(b->t.x) || arf_bits(arb_midref(b->t.x)) > 53) return;
    const double x = arf_get_d(arb_midref(b->t.x), ARF_RND_NEAR);
    entry->grid = f2l_ball_grid(x);
    entry->bits = f2l_ball_significant(x);
}

void f2l_step_head_bound(f2l_step_bounds *b, size_t h, size_t letter, double e)
{
    const f2l_step_head *head = &b->head[h];
    const size_t n = head->n, d = head->d, size = n * d;
    b->spread = e;
    b->local = b->reading = 0;
    b->overflow = false;
    memset(b->touched, 0, size * sizeof *b->touched);
    for (size_t i = 0; i < size; i++) set_entry(b, i);
    if (b->schedule->exact_matrices) {
        bound_cast(b, head, letter);
        return;
    }
    walk_machine m = {.b = b, .head = head, .h = h, .letter = letter};
    walk_letter(b->schedule->order, b->operands != NULL, &m, letter);
    if (b->casts && b->schedule->read_unstored) bound_reading(b, size);
    if (b->schedule->store.scale != F2L_SCALE_NONE)
        bound_scaled_store(b, n, d);
    else if (f2l_schedule_stores(b->schedule))
        bound_store(b, size);
    if (b->casts && !b->schedule->read_unstored) bound_reading(b, size);
}
