/* Operation schedules: in which order and with which roundings a layer's step is computed. Data beside the
 * format; a finite-precision claim always names both.
 *
 * Weights in a format: key k = u/|u| and value v = c/|u|, every coordinate correctly rounded from the exact
 * value; beta, gate and H_0 correctly rounded.
 *
 * `every`: each operation rounds into the format. Per letter: if gate != 1, S_ij <- S_ij * gate for all i, j.
 * Then for each factor in order and each value column j on its own, over the coordinates i_1 < i_2 < .. where
 * the rounded key is not zero:
 *
 *     r = k_{i1} S_{i1 j};  r = r + (k_{i2} S_{i2 j}) ...   products rounded, then sums, left to right
 *     r = r - v_j  if v_j != 0;   r = beta r
 *     S_{ij} <- S_{ij} - (k_i r)                            product rounded, then difference
 *
 * Coordinates where the key is zero are not touched: there the exact update is zero. */
#ifndef F2L_SCHEDULE_H
#define F2L_SCHEDULE_H

#include "f2l_format.h"
#include "f2l_net.h"

typedef struct f2l_float_net f2l_float_net;

typedef struct f2l_schedule {
    const char *name; /* "every" */
    /* state is dense [n][d], row-major, of one head. */
    void (*step_head)(const f2l_float_net *net, size_t layer, size_t head, size_t letter, double *state);
} f2l_schedule;

/* NULL-name terminated: `every`. */
extern const f2l_schedule f2l_schedules[];
const f2l_schedule *f2l_schedule_find(const char *name);

/* A network with its weights rounded into a format, sparse, ready to step. Borrows `net`, which must be valid
 * (F2L_EDOMAIN otherwise). Of heads with a field or a form the rounded view is used (f2l_net_orthonormal.h), for
 * weights, initial states and codes: correctly rounded from the exact algebraic numbers, in an orthonormal
 * basis. */
f2l_status f2l_float_net_new(f2l_float_net **out, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err);
void f2l_float_net_free(f2l_float_net *net);

/* Numbers in one layer's local state: sum of n * d over its heads; heads follow each other. */
size_t f2l_float_layer_size(const f2l_float_net *net, size_t layer);
/* Numbers in the joint state: all layers after each other. */
size_t f2l_float_size(const f2l_float_net *net);
void f2l_float_start(const f2l_float_net *net, double *joint);

/* Steps all layers in place; where a layer gives no symbol the layers above stay as they were. Decoding is
 * exact: the nearest code in Euclidean distance (theory.md R7), the distances compared as rationals. *label
 * is F2L_NO_SYMBOL when some layer's state is NaN, infinite, has two nearest codes with different symbols, or
 * no symbol. */
f2l_status f2l_float_step(const f2l_float_net *net, double *joint, size_t letter, uint32_t *label,
                          f2l_error *err);

/* Steps one layer in place, by a letter of that layer. */
void f2l_float_step_layer(const f2l_float_net *net, size_t layer, size_t letter, double *state);
/* The nearest code of a layer's state; F2L_NO_INDEX when it is NaN, infinite or has two. */
size_t f2l_float_code(const f2l_float_net *net, size_t layer, const double *state);

#endif
