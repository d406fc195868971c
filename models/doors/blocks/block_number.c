/* Numbers before an activation. */
#include "models/doors/blocks/impl.h"
#include <math.h>

static double apply_silu(double x)
{
    return x / (1 + exp(-x));
}

static double beta(double x)
{
    return 2 / (1 + exp(-x));
}

/* Returns the half of the distance from y to the next value of the format towards 0, less a tenth:
 * what the last bits of exp may move. */
static double tolerance(const f2l_format *format, double y)
{
    int exponent;
    const bool power = fabs(frexp(y, &exponent)) == 0.5;
    const int last = exponent - format->precision;
    const int least = format->emin - format->precision + 1;
    return 0.45 * ldexp(1, (last - power) < least ? least : last - power);
}

/* Returns the value of the format near x that f takes nearest to y; NaN if that does not round to
 * y. */
static double near(const f2l_format *format, double (*f)(double), double x, double y)
{
    const double middle = f2l_format_round_nearest(format, x);
    const double step = 2 * tolerance(format, middle == 0 ? 1 : middle);
    double best = middle;
    for (int i = -2; i <= 2; i++) {
        const double candidate = f2l_format_round_nearest(format, middle + i * step);
        if (fabs(f(candidate) - y) < fabs(f(best) - y)) best = candidate;
    }
    return fabs(f(best) - y) <= tolerance(format, y) ? best : NAN;
}

/* Solves silu(x) = y on the branch where silu grows, by halving. */
static double solve_silu(double y)
{
    double low = -1.27, high = y < 0 ? 0 : y + 1;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (apply_silu(middle) < y)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double f2l_block_before_silu(const f2l_format *format, double y)
{
    if (y == 0) return 0;
    if (!(y > -0.278)) return NAN;
    return near(format, apply_silu, solve_silu(y), y);
}

double f2l_block_before_beta(const f2l_format *format, double y)
{
    /* exp(128) is more than fp32 holds, so the sigmoid is 0; 1 - exp(-32) rounds to 1 in fp32. */
    if (y == 0) return -128;
    if (y == 2) return 32;
    return y > 0 && y < 2 ? near(format, beta, log(y / (2 - y)), y) : NAN;
}

double f2l_block_key_before(const f2l_blocks *blocks, const f2l_qvec *u, size_t i, double raw)
{
    mpq_t x, most;
    double y = NAN;
    mpq_inits(x, most, NULL);
    for (size_t j = 0; j < u->count; j++) {
        mpq_abs(x, u->value[j]);
        if (mpq_cmp(x, most) > 0) mpq_set(most, x);
    }
    mpq_set_d(x, raw);
    mpq_mul(x, x, u->value[i]);
    mpq_div(x, x, most);
    if (f2l_format_holds(blocks->format, x)) y = mpq_get_d(x);
    mpq_clears(x, most, NULL);
    if (isnan(y) || !blocks->class->silu_keys) return y;
    if (blocks->positive_keys && !(y >= 16)) return NAN;
    return f2l_block_before_silu(blocks->format, y);
}

double f2l_block_value(const f2l_factor *factor, const mpq_t c)
{
    mpq_t norm;
    mpq_init(norm);
    f2l_qvec_norm2(norm, &factor->u);
    const double value = mpq_get_d(c) / sqrt(mpq_get_d(norm));
    mpq_clear(norm);
    return value;
}

/* --- numbers of columns --- */

const mpq_t *f2l_block_entry(const f2l_qvec *v, size_t index)
{
    size_t low = 0, high = v->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (v->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->count && v->index[low] == index ? (const mpq_t *)&v->value[low] : NULL;
}

/* Adds the entries of the vector at `first` plus the numbers of the column's columns. */
static void add_entries(mpq_t out, const f2l_block_column *column, const f2l_qvec *v, size_t first)
{
    for (size_t i = 0; i < column->count; i++) {
        const mpq_t *x = f2l_block_entry(v, first + column->of[i]);
        if (x) mpq_add(out, out, *x);
    }
}

void f2l_block_number(mpq_t out, const f2l_block_column *column, const f2l_qvec *state, size_t d,
                      size_t row)
{
    mpq_set_ui(out, 0, 1);
    add_entries(out, column, state, row * d);
    mpq_mul(out, out, column->factor);
    mpq_add(out, out, column->shift);
}

void f2l_block_sum(mpq_t out, const f2l_layer *layer, const f2l_block_head *head, size_t view,
                   size_t column, size_t code)
{
    const f2l_block_read *read = &head->read[view];
    const f2l_qvec *state = &layer->code[code * layer->heads + head->from];
    mpq_t x;
    mpq_init(x);
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < read->rows; i++) {
        f2l_block_number(x, &head->column[column], state, layer->head[head->from].d, read->row[i]);
        mpq_add(out, out, x);
    }
    mpq_clear(x);
}

bool f2l_block_is_on(const f2l_layer *layer, const f2l_block_head *head, size_t view, size_t column,
                     size_t code)
{
    mpq_t sum;
    mpq_init(sum);
    f2l_block_sum(sum, layer, head, view, column, code);
    const bool on = mpq_cmp(sum, head->threshold) > 0;
    mpq_clear(sum);
    return on;
}

void f2l_block_written(mpq_t out, const f2l_block_column *column, const f2l_factor *factor)
{
    mpq_set_ui(out, 0, 1);
    add_entries(out, column, &factor->c, 0);
    mpq_mul(out, out, column->factor);
    if (mpq_sgn(column->shift) == 0) return;
    mpq_t shift;
    mpq_init(shift);
    for (size_t i = 0; i < factor->u.count; i++) mpq_add(shift, shift, factor->u.value[i]);
    mpq_mul(shift, shift, column->shift);
    mpq_add(out, out, shift);
    mpq_clear(shift);
}
