/* The step of letter 1, implemented separately and only for these networks, so that a search can
 * take millions of steps without building networks; f2l_psd_search verifies what it finds with the
 * library's schedules. The orders of operations are the orders of
 * models/network/schedule/schedule.h. */
#include "theory/obstruct/parity/impl.h"
#include <assert.h>

/* Operations in one format that record numbers below the least normal one, and the one factor on
 * which they work. */
typedef struct walk_machine {
    const f2l_format *format;
    double least;
    bool small;
    const f2l_psd_weights *w;
    double *state;
    bool halves;
    double reg[F2L_PSD_KEY + 1];
} walk_machine;

#include "models/network/schedule/walk.inc"

static double note_small_number(walk_machine *a, double x, bool vanishes)
{
    if ((x != 0 && fabs(x) < a->least) || (x == 0 && vanishes)) a->small = true;
    return x;
}

static double multiply_noted(walk_machine *a, double x, double y)
{
    return note_small_number(a, f2l_format_op(a->format, F2L_MUL, x, y), x != 0 && y != 0);
}

static double add_noted(walk_machine *a, double x, double y)
{
    return note_small_number(a, f2l_format_op(a->format, F2L_ADD, x, y), false);
}

static double fused(walk_machine *a, double x, double y, double z)
{
    return note_small_number(a, f2l_format_fma(a->format, x, y, z), false);
}

/* --- the walk: one factor, one column, no gate and no value --- */

/* Returns key coordinate q in the order of the sum: by halves, the third of three is added to the
 * first. */
static size_t coordinate(const walk_machine *m, size_t q)
{
    return m->halves && m->w->n == 3 && q > 0 ? 3 - q : q;
}

WALK bool walk_goes_on(const walk_machine *m)
{
    (void)m;
    return true;
}

WALK void walk_gate(walk_machine *m, size_t letter)
{
    (void)m, (void)letter;
}

WALK void walk_bias(walk_machine *m, size_t letter)
{
    (void)letter;
    assert(m->w->n <= F2L_PSD_KEY);
    for (size_t i = 0; i < m->w->n; i++)
        if (m->w->bias[i] != 0) m->state[i] = add_noted(m, m->state[i], m->w->bias[i]);
}

WALK walk_range walk_factors(const walk_machine *m, size_t letter)
{
    (void)m, (void)letter;
    return (walk_range){0, 1};
}

WALK walk_range walk_columns(const walk_machine *m)
{
    (void)m;
    return (walk_range){0, 1};
}

WALK bool walk_column(walk_machine *m, size_t factor, size_t column)
{
    (void)m, (void)factor, (void)column;
    return true;
}

WALK walk_range walk_keys(const walk_machine *m, size_t factor)
{
    (void)factor;
    return (walk_range){0, m->w->n};
}

/* After the first product of a sum by halves every product completes a sum. */
WALK unsigned walk_sums(const walk_machine *m, size_t q)
{
    (void)m;
    return q > 0;
}

WALK void walk_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    (void)narrow; /* operands are not rounded here */
    const size_t i = coordinate(m, q);
    m->reg[to] = multiply_noted(m, m->w->u[i], m->state[i]);
}

WALK void walk_add_product(walk_machine *m, bool narrow, size_t to, size_t q)
{
    (void)narrow, (void)to;
    const size_t i = coordinate(m, q);
    m->reg[0] = fused(m, m->w->u[i], m->state[i], m->reg[0]);
}

WALK void walk_add(walk_machine *m, size_t to, size_t q)
{
    (void)q;
    m->reg[to] = add_noted(m, m->reg[to], m->reg[to + 1]);
}

WALK void walk_subtract_value(walk_machine *m, size_t factor)
{
    (void)m, (void)factor;
}

WALK void walk_scale(walk_machine *m, bool narrow, size_t factor)
{
    (void)narrow, (void)factor;
    m->reg[0] = multiply_noted(m, m->w->beta, m->reg[0]);
}

WALK void walk_subtract_product(walk_machine *m, size_t q)
{
    const size_t i = coordinate(m, q);
    m->state[i] = fused(m, -m->w->u[i], m->reg[0], m->state[i]);
}

WALK void walk_product_back(walk_machine *m, size_t q)
{
    m->reg[1] = multiply_noted(m, m->w->u[coordinate(m, q)], m->reg[0]);
}

WALK void walk_subtract(walk_machine *m, size_t q)
{
    const size_t i = coordinate(m, q);
    m->state[i] = add_noted(m, m->state[i], -m->reg[1]);
}

/* --- cast --- */

/* Adds x to *sum; returns false when a double cannot hold the sum. */
static bool add_exactly(double *sum, double x)
{
    return f2l_two_sum(sum, *sum, x) == 0;
}

/* Returns whether x y is exact: it has at most 48 bits, so far from the ends of binary64 it is. */
static bool multiplies_exactly(double x)
{
    return x == 0 || (fabs(x) > 0x1p-160 && fabs(x) < 0x1p160);
}

static double entry_by_gmp(const f2l_psd_weights *w, size_t i, size_t j, const f2l_format *format)
{
    mpq_t x, y;
    mpq_inits(x, y, (mpq_ptr)NULL);
    mpq_set_d(x, w->u[i]);
    mpq_set_d(y, w->u[j]);
    mpq_mul(x, x, y);
    mpq_set_d(y, w->beta);
    mpq_mul(x, x, y);
    mpq_set_ui(y, i == j, 1);
    mpq_sub(x, y, x);
    const double out = f2l_format_round_q(format, x);
    mpq_clears(x, y, (mpq_ptr)NULL);
    return out;
}

/* Returns entry (i, j) of I - beta u u^T, rounded into the format. */
static double psd_matrix_entry(const f2l_psd_weights *w, size_t i, size_t j,
                               const f2l_format *format)
{
    double sum = i == j;
    const bool plain = format->precision <= 17 && multiplies_exactly(w->beta) &&
                       multiplies_exactly(w->u[i]) && multiplies_exactly(w->u[j]);
    if (plain && add_exactly(&sum, -(w->beta * w->u[i] * w->u[j])))
        return f2l_format_round(format, sum);
    return entry_by_gmp(w, i, j, format);
}

/* Sums A_ij S_j over j, plus the bias; returns false when doubles do not suffice. */
static bool row_in_doubles(double *sum, const f2l_psd_weights *w, size_t i, const double *state,
                           const f2l_format *format)
{
    *sum = w->bias[i];
    bool exact = true;
    for (size_t j = 0; j < w->n && exact; j++) {
        const double a = psd_matrix_entry(w, i, j, format);
        exact =
            multiplies_exactly(a) && multiplies_exactly(state[j]) && add_exactly(sum, a * state[j]);
    }
    return exact;
}

/* Steps as cast: exact products and sums, one rounding. */
static void casted(double *state, const f2l_psd_weights *w, walk_machine *a)
{
    double next[F2L_PSD_KEY] = {0};
    if (w->n == 1) {
        state[0] = fused(a, psd_matrix_entry(w, 0, 0, a->format), state[0], w->bias[0]);
        return;
    }
    mpq_t sum, x, y;
    mpq_inits(sum, x, y, (mpq_ptr)NULL);
    for (size_t i = 0; i < w->n; i++) {
        if (row_in_doubles(&next[i], w, i, state, a->format)) {
            next[i] = note_small_number(a, f2l_format_round(a->format, next[i]), false);
            continue;
        }
        mpq_set_d(sum, w->bias[i]);
        for (size_t j = 0; j < w->n; j++) {
            mpq_set_d(x, psd_matrix_entry(w, i, j, a->format));
            mpq_set_d(y, state[j]);
            mpq_mul(x, x, y);
            mpq_add(sum, sum, x);
        }
        next[i] = note_small_number(a, f2l_format_round_q(a->format, sum), false);
    }
    mpq_clears(sum, x, y, (mpq_ptr)NULL);
    for (size_t i = 0; i < w->n; i++) state[i] = next[i];
}

bool f2l_psd_step(double *state, const f2l_psd_weights *weights, const f2l_format *format,
                  const f2l_schedule *schedule, bool *subnormal)
{
    walk_machine a = {.format = f2l_schedule_work_format(schedule, format),
                      .w = weights,
                      .state = state,
                      .halves = schedule->order.sum == F2L_SUM_HALVES};
    a.least = ldexp(1, a.format->emin);
    if (schedule->exact_matrices)
        casted(state, weights, &a);
    else
        walk_letter(schedule->order, false, &a, 1);
    bool finite = true;
    for (size_t i = 0; i < weights->n; i++) {
        if (f2l_schedule_stores(schedule)) state[i] = f2l_format_round(format, state[i]);
        if (state[i] != 0 && fabs(state[i]) < ldexp(1, format->emin)) a.small = true;
        finite = finite && isfinite(state[i]);
    }
    if (subnormal && a.small) *subnormal = true;
    return finite;
}

static bool numbers_are_equal(const double *a, const double *b, size_t n)
{
    bool equal = true;
    for (size_t i = 0; i < n; i++) equal = equal && a[i] == b[i];
    return equal;
}

bool f2l_psd_orbit(f2l_psd_weights *weights, const double *start, const f2l_format *format,
                   const f2l_schedule *schedule)
{
    weights->states = 0;
    weights->subnormal = false;
    for (size_t i = 0; i < weights->n; i++) {
        weights->state[0][i] = start[i];
        if (start[i] != 0 && fabs(start[i]) < ldexp(1, format->emin)) weights->subnormal = true;
    }
    for (size_t t = 1; t <= F2L_PSD_ORBIT; t++) {
        double next[F2L_PSD_KEY] = {0};
        for (size_t i = 0; i < weights->n; i++) next[i] = weights->state[t - 1][i];
        if (!f2l_psd_step(next, weights, format, schedule, &weights->subnormal)) return false;
        for (size_t s = t; s-- > 0;) {
            if (!numbers_are_equal(next, weights->state[s], weights->n)) continue;
            weights->states = t;
            weights->tail = s;
            return (t - s) % 2 == 0;
        }
        for (size_t i = 0; t < F2L_PSD_ORBIT && i < weights->n; i++) weights->state[t][i] = next[i];
    }
    return false;
}

unsigned f2l_psd_odd_bits(double x)
{
    int exponent;
    if (x == 0) return 0;
    double m = frexp(fabs(x), &exponent);
    unsigned bits = 0;
    for (; m != 0; bits++) m = 2 * m - floor(2 * m);
    return bits;
}

unsigned f2l_psd_bits(const f2l_psd_weights *weights)
{
    unsigned bits = f2l_psd_odd_bits(weights->beta);
    for (size_t i = 0; i < weights->n; i++)
        bits += f2l_psd_odd_bits(weights->u[i]) + f2l_psd_odd_bits(weights->bias[i]);
    return bits;
}

bool f2l_psd_in_class(const f2l_psd_weights *weights)
{
    mpq_t sum, x;
    mpq_inits(sum, x, (mpq_ptr)NULL);
    for (size_t i = 0; i < weights->n; i++) {
        mpq_set_d(x, weights->u[i]);
        mpq_mul(x, x, x);
        mpq_add(sum, sum, x);
    }
    mpq_set_d(x, weights->beta);
    mpq_mul(sum, sum, x);
    const bool in_class = weights->beta > 0 && mpq_sgn(sum) > 0 && mpq_cmp_ui(sum, 1, 1) <= 0;
    mpq_clears(sum, x, (mpq_ptr)NULL);
    return in_class;
}
