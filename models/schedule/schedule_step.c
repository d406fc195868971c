/* The schedules every, fma, acc32 and recurrent (models/schedule/schedule.h): one letter in one
 * head.
 *
 * Decisions that depend on the format are made once for a letter: each step is written once, for
 * an arithmetic that is a constant at the call, and the compiler makes one copy for every
 * arithmetic. */
#include "models/schedule/float_net.h"
#include <assert.h>
#include <float.h>

static_assert(FLT_EVAL_METHOD == 0, "float and double operations must round to their own types");

#define INLINE static inline __attribute__((always_inline))

/* Rounds a double into the format, to nearest: only values near the ends of the format's range take
 * the slow path. */
INLINE double quick_round(const f2l_float_net *net, double x)
{
    const f2l_quick *quick = &net->quick;
    uint64_t bits;
    if (x == 0) return 0;
    memcpy(&bits, &x, sizeof bits);
    if (((unsigned)(bits >> 52) & 0x7ff) - quick->least >= quick->binades)
        return f2l_format_round(net->format, x);
    bits = (bits + quick->half + (bits >> quick->drop & 1)) & quick->mask;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE double operate(f2l_arithmetic in, const f2l_float_net *net, f2l_operation operation,
                      double a, double b)
{
    if (in == F2L_ARITHMETIC_DOUBLE) return f2l_format_double_op(operation, a, b);
    if (in == F2L_ARITHMETIC_NARROW) return quick_round(net, f2l_format_double_op(operation, a, b));
    if (in == F2L_ARITHMETIC_ANY) return f2l_format_op(net->format, operation, a, b);
    const float x = (float)a, y = (float)b;
    return operation == F2L_ADD   ? (double)(x + y)
           : operation == F2L_SUB ? (double)(x - y)
                                  : (double)(x * y); /* no schedule divides */
}

/* Returns a b + c, rounded once. */
INLINE double fuse(f2l_arithmetic in, const f2l_float_net *net, double a, double b, double c)
{
    if (in == F2L_ARITHMETIC_DOUBLE) return fma(a, b, c);
    if (in == F2L_ARITHMETIC_FLOAT) return (double)fmaf((float)a, (float)b, (float)c);
    return f2l_format_fma(net->format, a, b, c);
}

/* Returns x with -0 replaced by +0: a state has only the zero +0, but float and double operations
 * may give -0. */
INLINE double stored(f2l_arithmetic in, double x)
{
    return in == F2L_ARITHMETIC_FLOAT || in == F2L_ARITHMETIC_DOUBLE ? x + 0.0 : x;
}

/* Returns whether v and all S that the key touches are zero: then every operation gives zero and
 * nothing changes. */
INLINE bool nothing_to_do(const f2l_float_head *head, size_t begin, size_t end, double v,
                          const double *S)
{
    bool zero = v == 0;
    for (size_t i = begin; zero && i < end; i++) zero = S[head->row[i]] == 0;
    return zero;
}

/* Applies a factor to one value column S: stride d between rows; v is the column's coordinate of
 * the value. */
INLINE void step_column(f2l_arithmetic in, bool fused, const f2l_float_net *net,
                        const f2l_float_head *head, size_t factor, double v, double *S)
{
    const size_t begin = head->key_first[factor], end = head->key_first[factor + 1];
    if (nothing_to_do(head, begin, end, v, S)) return;
    double r = 0;
    for (size_t i = begin; i < end; i++) {
        const double s = S[head->row[i]];
        if (i == begin)
            r = operate(in, net, F2L_MUL, head->key[i], s);
        else if (fused)
            r = fuse(in, net, head->key[i], s, r);
        else
            r = operate(in, net, F2L_ADD, r, operate(in, net, F2L_MUL, head->key[i], s));
    }
    if (v != 0) r = operate(in, net, F2L_SUB, r, v);
    r = operate(in, net, F2L_MUL, head->beta[factor], r);
    for (size_t i = begin; i < end; i++) {
        double *entry = &S[head->row[i]];
        const double next =
            fused ? fuse(in, net, -head->key[i], r, *entry)
                  : operate(in, net, F2L_SUB, *entry, operate(in, net, F2L_MUL, head->key[i], r));
        *entry = stored(in, next);
    }
}

/* Applies a factor in `recurrent`; the order of the sum comes from models/schedule/float_head.c. */
INLINE void recur_column(const f2l_float_head *head, size_t factor, double v, double *S)
{
    const size_t begin = head->key_first[factor], end = head->key_first[factor + 1];
    if (nothing_to_do(head, begin, end, v, S)) return;
    float sum[32] = {0}; /* a stack: at most log2 of n's limit, plus one, high */
    size_t top = 0;
    for (size_t i = begin; i < end; i++) {
        sum[top++] = (float)head->key[i] * (float)S[head->row[i]];
        for (unsigned char k = head->sums[i]; k > 0; k--) {
            top--;
            sum[top - 1] = sum[top - 1] + sum[top];
        }
    }
    float r = (float)v - sum[0];
    r = (float)head->beta[factor] * r;
    for (size_t i = begin; i < end; i++) {
        double *entry = &S[head->row[i]];
        *entry = stored(F2L_ARITHMETIC_FLOAT, (double)fmaf((float)head->key[i], r, (float)*entry));
    }
}

typedef enum way { EVERY, FUSED, RECURRENT } way;

INLINE void step_letter(f2l_arithmetic in, way how, const f2l_float_net *net,
                        const f2l_float_head *head, size_t letter, double *state)
{
    const double gate = head->gate[letter];
    for (size_t i = 0; gate != 1 && i < head->n * head->d; i++)
        state[i] = stored(in, operate(in, net, F2L_MUL, state[i], gate));
    for (size_t f = head->first[letter]; f < head->first[letter + 1]; f++) {
        size_t write = head->value_first[f];
        for (size_t j = 0; j < head->d; j++) {
            const bool writes = write < head->value_first[f + 1] && head->column[write] == j;
            const double v = writes ? head->value[write++] : 0;
            if (how == RECURRENT)
                recur_column(head, f, v, state + j);
            else
                step_column(in, how == FUSED, net, head, f, v, state + j);
        }
    }
    for (size_t i = head->bias_first[letter]; i < head->bias_first[letter + 1]; i++) {
        double *entry = &state[head->bias_index[i]];
        *entry = stored(in, operate(in, net, F2L_ADD, *entry, head->bias[i]));
    }
}

INLINE void step_as(way how, const f2l_float_net *net, size_t layer, size_t h, size_t letter,
                    double *state)
{
    const f2l_float_head *head = &net->layer[layer].head[h];
    letter = f2l_float_letter(&net->layer[layer], letter);
    switch (net->arithmetic) {
    case F2L_ARITHMETIC_NARROW:
        step_letter(F2L_ARITHMETIC_NARROW, how, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_FLOAT:
        step_letter(F2L_ARITHMETIC_FLOAT, how, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_DOUBLE:
        step_letter(F2L_ARITHMETIC_DOUBLE, how, net, head, letter, state);
        break;
    case F2L_ARITHMETIC_ANY:
        step_letter(F2L_ARITHMETIC_ANY, how, net, head, letter, state);
        break;
    }
}

void f2l_step_every(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                    double *state)
{
    step_as(EVERY, net, layer, head, letter, state);
}

void f2l_step_fma(const f2l_float_net *net, size_t layer, size_t head, size_t letter, double *state)
{
    step_as(FUSED, net, layer, head, letter, state);
}

void f2l_step_acc32(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                    double *state)
{
    const f2l_float_layer *of = &net->layer[layer];
    step_letter(F2L_ARITHMETIC_FLOAT, EVERY, net, &of->head[head], f2l_float_letter(of, letter),
                state);
}

void f2l_end_acc32(const f2l_float_net *net, size_t layer, size_t h, double *state)
{
    const f2l_float_head *head = &net->layer[layer].head[h];
    if (net->arithmetic == F2L_ARITHMETIC_FLOAT) return;
    if (net->arithmetic == F2L_ARITHMETIC_NARROW) {
        for (size_t i = 0; i < head->n * head->d; i++) state[i] = quick_round(net, state[i]);
        return;
    }
    for (size_t i = 0; i < head->n * head->d; i++)
        state[i] = f2l_format_round(net->format, state[i]);
}

void f2l_step_recurrent(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                        double *state)
{
    const f2l_float_layer *of = &net->layer[layer];
    step_letter(F2L_ARITHMETIC_FLOAT, RECURRENT, net, &of->head[head], f2l_float_letter(of, letter),
                state);
}
