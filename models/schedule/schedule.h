/* Operation schedules: the order and the roundings in which a layer's step is computed. A schedule
 * is data beside the format; a finite-precision claim always names both.
 *
 * Weights in a format: key k = u/|u| (u in a raw head) and value v = c/|u| (c), every coordinate
 * correctly rounded from the exact value; beta, gate, bias and H_0 correctly rounded; all to
 * nearest even, whatever the rounding of operations. With a key normalisation (eps >= 0) keys are
 * computed instead, as the libraries do it, from raw keys: x = u scaled so that its largest
 * coordinate is `raw` in absolute value, rounded into the format; then in fp32, to nearest, each
 * operation rounded, s = sum of x_i x_i from left to right, s = s + g(eps), r = 1 / sqrt(s) (the
 * root is rounded, and then the quotient), k_i = x_i r; and k_i rounded into the format, except in
 * `recurrent`, which normalises inside its kernel and keeps k_i in fp32. Values are c/|u| as
 * before. F2L_EDOMAIN where x becomes zero or infinite or s infinite. The key normalisation is not
 * for raw heads, whose keys are used as stored in every schedule, not for `cast`, and not for
 * formats with values that fp32 does not have.
 *
 * In all schedules: if gate != 1, S_ij <- S_ij * gate for all i, j comes first, and
 * S_ij <- S_ij + bias_ij, where the bias is not 0, comes last. Coordinates where the key is zero
 * are not touched, columns where v is zero are not written: there the exact update is zero
 * (theory/pages/formats.md, F5). Below, for every factor in order and every value column j
 * separately, i_1 < i_2 < .. are the coordinates where the key is not zero. f(x) is x rounded into
 * the format, in the format's rounding; g(x) is x rounded into fp32, always to nearest even.
 *
 * every: each operation rounds into the format.
 *     r = f(k_{i1} S_{i1 j});  r = f(r + f(k_{i2} S_{i2 j})) ...    left to right
 *     r = f(r - v_j)  if v_j != 0;   r = f(beta r)
 *     S_{ij} <- f(S_{ij} - f(k_i r));          gate: f(S_ij gate);  bias: f(S_ij + bias_ij)
 *
 * fma: the same, with products fused into sums.
 *     r = f(k_{i1} S_{i1 j});  r = f(k_{i2} S_{i2 j} + r) ...
 *     r = f(r - v_j)  if v_j != 0;   r = f(beta r)
 *     S_{ij} <- f(S_{ij} - k_i r)
 *
 * acc32: `every` with g instead of f, and after the letter (after its last factor and bias)
 * S_ij <- f(S_ij): inputs and the stored state are in the format, products and sums in fp32. In a
 * wired network, whose heads do several slots in a step, S is rounded after the last slot.
 *
 * recurrent: the arithmetic of a recurrent kernel: fp32 for the state and all operations, weights
 * in the format. All coordinates take part, zero ones too, which changes only the order of the sum
 * (theory/pages/formats.md, F11).
 *     p_i = g(k_i S_ij) for all i < n, and p_i = 0 for n <= i < N, N the least power of two >= n
 *     summed by halves: for h = N/2, N/4 .. 1: p_i = g(p_i + p_{i+h}), i < h
 *     r = g(v_j - p_0);  r = g(beta r);  S_ij <- g(k_i r + S_ij)     fused
 *     gate and bias as in `every`, with g
 *
 * cast: the papers' convention ([U] section 3): the matrices are products of the exact factors
 * (gate and bias included), each entry of A(x) and B(x) rounded into the format; S <- f(A S + B)
 * with the sums exact and one rounding for each entry. Entries of A that are 0 take no part. In a
 * head with a field or a form A and B belong to the rounded view (models/net/net_orthonormal.h). In
 * a wired network a slot acts as a letter: it has its own A and B, and is rounded. cast is for
 * heads with n <= 4096, and at most 2^26 numbers in their matrices (F2L_EDOMAIN otherwise); in a
 * rounding other than to nearest, for formats of at most 51 bits.
 *
 * chunk64: 64 letters at a time (models/schedule/chunk.h).
 *
 * acc32, recurrent and chunk64 are for formats whose values fp32 has; F2L_EDOMAIN otherwise. A
 * state that is infinite or NaN has no label; the later course of such a state is not specified. */
#ifndef F2L_SCHEDULE_H
#define F2L_SCHEDULE_H

#include "models/net/same_letters.h"
#include "numeric/format/format.h"

typedef struct f2l_float_net f2l_float_net;

typedef enum f2l_schedule_kind {
    F2L_SCHEDULE_EVERY,
    F2L_SCHEDULE_FMA,
    F2L_SCHEDULE_ACC32,
    F2L_SCHEDULE_RECURRENT,
    F2L_SCHEDULE_CAST,
    F2L_SCHEDULE_CHUNK64
} f2l_schedule_kind;

typedef struct f2l_schedule {
    const char *name; /* "every" */
    f2l_schedule_kind kind;
    const char *what; /* one line for --help */
    /* Does everything of a letter except end_letter. state is dense [n][d], row-major, of one head.
     * NULL: chunk64, which has no step for a letter. */
    void (*step_head)(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                      double *state);
    double eps; /* of the key normalisation; < 0: none, keys are correctly rounded unit vectors */
    double raw; /* largest coordinate of a raw key, when eps >= 0 */
    /* Does the work that comes once after a letter, or after all slots of a wired head, in the same
     * state; NULL: nothing. */
    void (*end_letter)(const f2l_float_net *net, size_t layer, size_t head, double *state);
} f2l_schedule;

/* All schedules, NULL-name terminated: every, fma, acc32, recurrent, cast, chunk64, without key
 * normalisation. */
extern const f2l_schedule f2l_schedules[];
const f2l_schedule *f2l_schedule_find(const char *name);

/* Reads a schedule from text: a name, and then "eps=E" and "raw=R" in any order, separated by
 * commas ("recurrent,eps=1e-6,raw=16"; raw alone is refused, eps alone has raw 1): decimal numbers
 * that are finite in fp32, raw not 0 in fp32. `name`, owned by the caller, gets the canonical
 * spelling, which reads back as the same schedule ("every", or "every,eps=1e-06,raw=1"), and
 * out->name points to it. F2L_EFORMAT with the column. */
#define F2L_SCHEDULE_NAME 96
f2l_status f2l_schedule_parse(f2l_schedule *out, char name[F2L_SCHEDULE_NAME], const char *text,
                              f2l_error *err);

/* Returns the format of the state between letters: fp32 for recurrent and chunk64, else
 * `format`. */
const f2l_format *f2l_schedule_state_format(const f2l_schedule *schedule, const f2l_format *format);
/* Fails with F2L_EDOMAIN when the schedule, with its key normalisation, is not for the format. */
f2l_status f2l_schedule_check(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err);

/* Creates a network with its weights rounded into a format, sparse, ready to step. Borrows `net`,
 * which must be valid (F2L_EDOMAIN otherwise, or when the schedule is not for the format or for
 * some head), `format` and `schedule`. For heads with a field or a form the rounded view is used
 * (models/net/net_orthonormal.h), for weights, initial states and codes: correctly rounded from the
 * exact algebraic numbers, in an orthonormal basis. */
f2l_status f2l_float_net_new(f2l_float_net **out, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err);
/* Creates it within a task. */
f2l_status f2l_float_net_new_within(f2l_float_net **out, const f2l_net *net,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_task *task, f2l_error *err);
void f2l_float_net_free(f2l_float_net *net);

/* Returns the numbers in one layer's local state: sum of n * d over its heads; heads follow each
 * other. */
size_t f2l_float_layer_size(const f2l_float_net *net, size_t layer);
/* Returns the classes of equal letters of a layer, which are rounded once; owned by the network. */
const f2l_same_letters *f2l_float_same_letters(const f2l_float_net *net, size_t layer);
/* Returns the numbers in the joint state: all layers after each other. */
size_t f2l_float_size(const f2l_float_net *net);
void f2l_float_start(const f2l_float_net *net, double *joint);

/* Steps all layers in place; if a layer gives no symbol the layers above keep their states.
 * Decoding is exact: the nearest code in Euclidean distance (theory/pages/formats.md, F6), the
 * distances compared as rationals. *label is F2L_NO_SYMBOL when some layer's state is NaN,
 * infinite, has two nearest codes with different symbols, or no symbol. F2L_EDOMAIN for chunk64.
 * With stochastic rounding the format's choices fix the outcome. Only reads `net`, so several
 * threads may step with one network (with stochastic rounding each needs its own). */
f2l_status f2l_float_step(const f2l_float_net *net, double *joint, size_t letter, uint32_t *label,
                          f2l_error *err);

/* Steps one layer in place, by a letter of that layer. F2L_SCHEDULE_CHUNK64 is not allowed. */
void f2l_float_step_layer(const f2l_float_net *net, size_t layer, size_t letter, double *state);
/* Returns the nearest code of a layer's state; F2L_NO_INDEX when the state is NaN, infinite or has
 * two nearest codes. */
size_t f2l_float_code(const f2l_float_net *net, size_t layer, const double *state);

#endif
