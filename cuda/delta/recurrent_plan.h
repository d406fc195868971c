/* The plan shared by the recurrent kernels of the delta product (cuda/delta/cuda_recurrent.h) and
 * their replay on the CPU: inputs and outputs, the distribution of a state over the lanes of warps,
 * and the places where it is kept for backward.
 *
 * One block of threads owns one (sequence, head). Its state S, filled up with zeros to `key` rows
 * and `value` columns, is cut into strips of `width` columns, one for each warp. Lane l of a warp
 * has row group l / column_lanes and column group l % column_lanes: four columns, and `rows` rows,
 * the i-th of which is row f2l_recurrent_row(). Sums over the key run over a lane's rows in this
 * order and then over row groups, sums over the value over a lane's four columns, then over column
 * groups, then over warps; groups are added as a binary tree of neighbours, warps one after the
 * other.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_RECURRENT_PLAN_H
#define F2L_RECURRENT_PLAN_H

#include "models/learn/op/op_delta.h"

/* Bounds of a shape: factors per token, key and value dimension. Lower bounds are 1. */
enum { F2L_RECURRENT_FACTORS = 8, F2L_RECURRENT_DIM = 128 };

/* Inputs, arrays as in models/learn/op/op_delta.h. q, k, v are bf16 (as uint16_t) or float; beta,
 * gate and h0 are float. v, gate, h0 may be NULL. With `letter` [batch][tokens], q, k, v, beta and
 * gate are tables by letter (q [letters][heads][key], k [letters][N][heads][key], ...), as in a
 * first layer without convolution. */
typedef struct f2l_recurrent_in {
    bool bf16;
    const void *q, *k, *v;
    const float *beta, *gate, *h0;
    const uint32_t *letter;
    const uint32_t *first; /* NULL, or [batch + 1], ascending: sequence b has the rows first[b] ..
                            * first[b + 1] - 1, at least one and at most `tokens` of them */
} f2l_recurrent_in;

/* Gradients as in f2l_delta_grad: =, but dh0 +=; each may be NULL. dq, dk, dv have the type of q,
 * k, v. They are per position also with `letter`: dq [batch][tokens][heads][key], .... */
typedef struct f2l_recurrent_grad {
    void *dq, *dk, *dv;
    float *dbeta, *dgate, *dh0;
} f2l_recurrent_grad;

typedef struct f2l_recurrent_plan {
    size_t key;                           /* 16, 32, 64, 128 */
    size_t row_lanes, rows, column_lanes; /* row_lanes rows = key, row_lanes column_lanes = 32 */
    size_t width, warps, value;           /* width = 4 column_lanes, value = warps * width */
    /* Forward keeps S before every segment-th token, and backward, within a segment, before every
     * anchor-th one; backward undoes the factors between two anchors: S = S' - k (beta e)^T, at
     * most F2L_RECURRENT_FACTORS of them. A gate is never undone: with gates every token has its
     * anchor. */
    size_t segment, segments, anchor;
} f2l_recurrent_plan;

enum { F2L_RECURRENT_SEGMENT = 16 };

/* Sequences per group: dh0 is summed over the sequences of a group, then over the groups, in
 * order. */
enum { F2L_RECURRENT_GROUP = 32 };

/* Computes the plan. F2L_EDOMAIN for a shape outside the bounds. */
f2l_status f2l_recurrent_plan_of(f2l_recurrent_plan *plan, const f2l_delta_shape *shape, bool gated,
                                 f2l_error *err);

/* Returns row i of row group `group`: neighbouring groups have neighbouring quadruples of rows, so
 * that reading them together does not hit a bank of shared memory twice. */
static inline size_t f2l_recurrent_row(const f2l_recurrent_plan *plan, size_t group, size_t i)
{
    return (i / 4 * plan->row_lanes + group) * 4 + i % 4;
}

#endif
