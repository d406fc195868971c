/* Whether a layer's step commutes with powers of two, and how far its numbers spread
 * (theory/pages/engines.md, EN.10). */
#include "models/network/schedule/float_net.h"
#include <math.h>

/* Bits of a letter's step are counted up to this number, so that sums of them stay small. */
#define MOST_BITS 4096

/* Returns the k >= 0 for which x is a multiple of 2^-k: the least one. */
static int bits_below_one(double x)
{
    int exponent, bits = 53;
    if (x == 0) return 0;
    const double fraction = frexp(x, &exponent);
    while (bits > 0 && ldexp(fraction, bits - 1) == floor(ldexp(fraction, bits - 1))) bits--;
    return bits > exponent ? bits - exponent : 0;
}

/* Returns a bound on log2(x) for x >= 1. */
static int bits_above_one(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent;
}

/* Adds the bits of a factor. A number of the sum is at most sum |k| times the state's largest, and
 * then there are beta, k and the difference; the last two bits are for a rounding by at most
 * 1 + 2^-8 at each of the operations. */
static void add_factor(f2l_float_span *span, const f2l_float_head *head, size_t factor)
{
    int key_bits = 0;
    double sum = 0, most = 0;
    const size_t first = head->key_first[factor], end = head->key_first[factor + 1];
    for (size_t q = first; q < end; q++) {
        const int bits = bits_below_one(head->key[q]);
        const double size = fabs(head->key[q]);
        if (bits > key_bits) key_bits = bits;
        if (size > most) most = size;
        sum += size;
    }
    const double beta = head->beta[factor];
    span->down += 2 * key_bits + bits_below_one(beta);
    span->up += bits_above_one((1 + sum) * (1 + fabs(beta)) * (1 + most)) + 1 +
                (int)((end - first + 8) / 64);
}

static f2l_float_span span_of_letter(const f2l_float_head *head, size_t letter)
{
    const double gate = head->gate[letter];
    f2l_float_span span = {bits_below_one(gate), bits_above_one(1 + fabs(gate))};
    for (size_t f = head->first[letter]; f < head->first[letter + 1]; f++)
        if (span.down < MOST_BITS && span.up < MOST_BITS) add_factor(&span, head, f);
    return span;
}

static const char *reason_of_head(const f2l_float_head *head, size_t letters)
{
    const size_t factors = head->first[letters];
    if (head->value_first[factors] > 0) return "a letter writes a value";
    return head->bias_first[letters] > 0 ? "a letter adds a bias" : NULL;
}

/* Returns whether a number's size decides nothing in the format but at its ends, the same as in
 * fp32. */
static bool has_wide_range(const f2l_format *format)
{
    return format->emin == -126 && format->emax == 127 && format->precision >= 8 &&
           format->subnormals && format->overflow == F2L_OVERFLOW_INFINITY;
}

static const char *reason_of_row(const f2l_float_net *net)
{
    const f2l_schedule *s = net->schedule;
    const f2l_schedule_store *store = &s->store;
    if (s->exact_matrices || s->chunk) return "its schedule has no sums of two numbers";
    if (f2l_schedule_draws(s, net->format)) return "it rounds stochastically";
    if (store->residual != F2L_RESIDUAL_NONE || store->letters > 1)
        return "its store has residuals or waits for several letters";
    if (f2l_schedule_unknown(s, F2L_KNOWS_POWERS))
        return "its row has a field that EN.10 does not treat";
    if (!has_wide_range(net->format) || (net->operands && !has_wide_range(net->operands)))
        return "it is for formats with the exponents of fp32";
    if (net->format->rounding != F2L_ROUND_NEAREST_EVEN) return "it is for rounding to nearest";
    if (store->scale == F2L_SCALE_NONE)
        return has_wide_range(f2l_schedule_state_format(s, net->format))
                   ? NULL
                   : "the state's format has few exponents and no scale";
    if (store->scale == F2L_SCALE_STATIC) return "a static scale has a unit";
    if (!has_wide_range(&net->store.scale)) return "the scale's format has few exponents";
    return net->store.format.largest > 65536 ? "it is for scaled formats up to 65,536" : NULL;
}

bool f2l_float_commutes(const f2l_float_net *net, size_t layer, f2l_float_span *span,
                        const char **why)
{
    const f2l_float_layer *l = &net->layer[layer];
    *span = (f2l_float_span){0, 0};
    *why = reason_of_row(net);
    const size_t letters = l->same.count;
    for (size_t h = 0; !*why && h < l->heads; h++) {
        *why = reason_of_head(&l->head[h], letters);
        for (size_t x = 0; x < letters; x++) {
            const f2l_float_span one = span_of_letter(&l->head[h], x);
            if (one.down > span->down) span->down = one.down;
            if (one.up > span->up) span->up = one.up;
        }
    }
    return !*why;
}
