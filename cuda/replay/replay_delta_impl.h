/* One chunk of one (sequence, head) in floats, common to forward and backward of the replay. */
#ifndef F2L_REPLAY_DELTA_IMPL_H
#define F2L_REPLAY_DELTA_IMPL_H

#include "cuda/replay/replay_delta.h"

enum { ROWS = F2L_DELTA_ROWS, DIM = 128 };

typedef float f2l_tile[ROWS][DIM]; /* rows or tokens of a chunk */
typedef float f2l_square[ROWS][ROWS];

typedef struct f2l_replay_chunk {
    const f2l_delta_shape *shape;
    size_t sequence, head, token; /* its first token */
    size_t tokens, rows;          /* that it has */
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

/* c [m][n] with rows `stride` apart: c += sign * a b, inner dimension `inner`, 16 terms at a time. */
void f2l_replay_mma(float *c, size_t stride, float sign, size_t m, size_t n, size_t inner, f2l_view a,
                    f2l_view b);
void f2l_replay_round_all(float *x, size_t n);

f2l_status f2l_replay_delta_check(const f2l_delta_shape *shape, f2l_error *err);
/* Index of the token / of row r of the chunk in arrays by position or by letter. */
size_t f2l_replay_token(const f2l_replay_chunk *c, const uint32_t *letter, size_t t);
size_t f2l_replay_row(const f2l_replay_chunk *c, const uint32_t *letter, size_t r);
/* Fills the chunk that starts at `token`; v from `kept` at positions when given, else from in->v. */
void f2l_replay_take(f2l_replay_chunk *c, const f2l_delta_mma_in *in, const uint16_t *kept, size_t token);
/* T of the plan, rounded; L_ij = scale_i M_ij mask_j. */
void f2l_replay_solve(f2l_square T, const f2l_replay_chunk *c, const float *scale, const float *mask);
/* A of the plan, [token][row], rounded. */
void f2l_replay_attend(f2l_square A, const f2l_replay_chunk *c);
void f2l_replay_mask(f2l_square A, const f2l_replay_chunk *c);

#endif
