/* Declarations shared by the files replay_*.c; private to them. */
#ifndef TESTS_REPLAY_PARTS_H
#define TESTS_REPLAY_PARTS_H

#include "numeric/base/mem.h"
#include "tests/support/cuda/replay_bf16.h"
#include "tests/support/cuda/replay_delta.h"
#include "tests/support/cuda/replay_recurrent.h"

#include <math.h>
#include <string.h>

/* One chunk of one (sequence, head) in floats, for forward and backward of the replay. */

enum { ROWS = F2L_DELTA_ROWS, DIM = 128 };

typedef float f2l_tile[ROWS][DIM]; /* rows or tokens of a chunk, by dimension */
typedef float f2l_square[ROWS][ROWS];

typedef struct f2l_replay_chunk {
    const f2l_delta_shape *shape;
    size_t sequence, head, token; /* first token of the chunk */
    size_t tokens, rows;          /* number of tokens and rows in the chunk */
    f2l_tile q, k, v;             /* v: values in forward, G in backward */
    float beta[ROWS], s[ROWS], z[ROWS];
} f2l_replay_chunk;

/* A matrix in memory: element (i, j) is p[i row + j col]. */
typedef struct f2l_view {
    const float *p;
    size_t row, col;
} f2l_view;

static inline float f2l_replay_rounded(float x)
{
    return f2l_replay_widen(f2l_replay_round(x));
}

/* Computes c [m][n], rows `stride` apart: c += sign * a b, inner dimension `inner`, 16 terms at a
 * time. */
void f2l_replay_mma(float *c, size_t stride, float sign, size_t m, size_t n, size_t inner,
                    f2l_view a, f2l_view b);
void f2l_replay_round_all(float *x, size_t n);

f2l_status f2l_replay_delta_check(const f2l_delta_shape *shape, f2l_error *err);
/* Return the index of the token, or of row r of the chunk, in arrays by position or by letter. */
size_t f2l_replay_token(const f2l_replay_chunk *c, const uint32_t *letter, size_t t);
size_t f2l_replay_row(const f2l_replay_chunk *c, const uint32_t *letter, size_t r);
/* Fills the chunk that starts at `token`; v comes from `kept` at positions if given, else from
 * in->v. */
void f2l_replay_take(f2l_replay_chunk *c, const f2l_delta_mma_in *in, const uint16_t *kept,
                     size_t token);
/* Computes T of the plan, rounded; L_ij = scale_i M_ij mask_j. */
void f2l_replay_solve(f2l_square T, const f2l_replay_chunk *c, const float *scale,
                      const float *mask);
/* Computes A of the plan, [token][row], rounded. */
void f2l_replay_attend(f2l_square A, const f2l_replay_chunk *c);
void f2l_replay_mask(f2l_square A, const f2l_replay_chunk *c);

/* Code shared by the replays of forward and backward: numbers in memory, sums in the order of the
 * lanes. */

/* One (sequence, head); matrices are [plan.key][plan.value], rows and columns behind the ends are
 * 0. */
typedef struct f2l_replay_pair {
    f2l_recurrent_plan plan;
    const f2l_delta_shape *s;
    const f2l_recurrent_in *in;
    size_t sequence, head;
} f2l_replay_pair;

static inline size_t f2l_replay_matrix(const f2l_replay_pair *p)
{
    return p->plan.key * p->plan.value;
}

static inline size_t f2l_replay_position(const f2l_replay_pair *p, size_t t)
{
    return p->sequence * p->s->tokens + t;
}

/* Returns the row in the letter tables, or in the arrays by position. */
static inline size_t f2l_replay_pair_row(const f2l_replay_pair *p, size_t t)
{
    const size_t position = f2l_replay_position(p, t);
    return p->in->letter ? p->in->letter[position] : position;
}

/* Sets to [room] to `length` numbers from `at` on, then zeros; from NULL: zeros. */
static inline void f2l_replay_pair_take(float *to, size_t room, const void *from, size_t at,
                                        size_t length, bool bf16)
{
    for (size_t i = 0; i < room; i++)
        to[i] = from && i < length ? f2l_replay_get(from, at + i, bf16) : 0;
}

static inline void f2l_replay_key(float *k, const f2l_replay_pair *p, size_t t, size_t n)
{
    const f2l_delta_shape *s = p->s;
    const size_t row = (f2l_replay_pair_row(p, t) * s->householders + n) * s->heads + p->head;
    f2l_replay_pair_take(k, p->plan.key, p->in->k, row * s->key, s->key, p->in->bf16);
}

static inline void f2l_replay_query(float *q, const f2l_replay_pair *p, size_t t)
{
    const size_t row = f2l_replay_pair_row(p, t) * p->s->heads + p->head;
    f2l_replay_pair_take(q, p->plan.key, p->in->q, row * p->s->key, p->s->key, p->in->bf16);
}

static inline float f2l_replay_beta(const f2l_replay_pair *p, size_t t, size_t n)
{
    return p->in
        ->beta[(f2l_replay_pair_row(p, t) * p->s->householders + n) * p->s->heads + p->head];
}

static inline float f2l_replay_gate(const f2l_replay_pair *p, size_t t)
{
    return p->in->gate[f2l_replay_pair_row(p, t) * p->s->heads + p->head];
}

/* Returns the sum of n = 2^m numbers as a tree of neighbours; x is overwritten. */
static inline float f2l_replay_tree(float *x, size_t n)
{
    for (; n > 1; n /= 2)
        for (size_t i = 0; i < n / 2; i++) x[i] = x[2 * i] + x[2 * i + 1];
    return x[0];
}

/* Computes w [value] = S^T k. */
static inline void f2l_replay_columns(float *w, const float *S, const float *k,
                                      const f2l_recurrent_plan *plan)
{
    for (size_t c = 0; c < plan->value; c++) {
        float group[32] = {0};
        for (size_t g = 0; g < plan->row_lanes; g++)
            for (size_t i = 0; i < plan->rows; i++) {
                const size_t row = f2l_recurrent_row(plan, g, i);
                const float x = S[row * plan->value + c];
                group[g] = i ? fmaf(x, k[row], group[g]) : x * k[row];
            }
        w[c] = f2l_replay_tree(group, plan->row_lanes);
    }
}

/* Computes S += sign k u^T. */
static inline void f2l_replay_outer(float *S, const float *k, float sign, const float *u,
                                    const f2l_recurrent_plan *plan)
{
    for (size_t i = 0; i < plan->key; i++)
        for (size_t c = 0; c < plan->value; c++)
            S[i * plan->value + c] = fmaf(sign * k[i], u[c], S[i * plan->value + c]);
}

static inline void f2l_replay_scale(float *S, float by, const f2l_recurrent_plan *plan)
{
    for (size_t i = 0; i < plan->key * plan->value; i++) S[i] = by * S[i];
}

/* Steps one token without its output; e [householders][value], when not NULL, receives v - S^T k of
 * every factor. */
void f2l_replay_recurrent_token(float *S, float *e, const f2l_replay_pair *p, size_t t);

#endif
