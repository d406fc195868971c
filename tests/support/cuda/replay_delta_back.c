/* Backward of a chunk, with D the gradient at the state after it and dO that at its outputs:
 *
 *     S = S_end - K^T W;  dW = A^T dO + K D;  Z = T^T dW with L_ij = beta_i M_ij;  U = diag(beta) Z
 *     dV = U;  dbeta_i = z_i . g_i / s_i;  dA = dO W^T masked as A;  P = strict lower part of U W^T
 *     dQ = dO S^T + dA K;  dK = W D^T - U S^T + dA^T Q - (P + P^T) K;  D <- D + Q^T dO - K^T U
 *
 * dQ, dK, dbeta and with them dA and P are sums over columns of S: each slice of columns has its
 * own. */
#include "numeric/base/mem.h"
#include "tests/support/cuda/replay_parts.h"
#include <string.h>

typedef struct back_work {
    f2l_replay_chunk c;
    float S[DIM][DIM], D[DIM][DIM], sr[DIM][DIM], dr[DIM][DIM]; /* sr, dr: rounded */
    f2l_square T, A, dA, P;
    f2l_tile w, dout, dw, u, dq, dk, part;
    float dbeta[ROWS];
} back_work;

static f2l_view of(f2l_tile x)
{
    return (f2l_view){x[0], DIM, 1};
}
static f2l_view transposed(f2l_view x)
{
    return (f2l_view){x.p, x.col, x.row};
}
static f2l_view columns(f2l_view x, size_t from)
{
    return (f2l_view){x.p + from * x.col, x.row, x.col};
}

static void add(f2l_tile to, f2l_tile from)
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < DIM; j++) to[i][j] += from[i][j];
}

/* Computes dW, Z, dbeta and U, by whole rows: columns mix only in dbeta. */
static void solve_back(back_work *w)
{
    const f2l_replay_chunk *c = &w->c;
    const size_t D = c->shape->key, slice = f2l_delta_slice(D);
    memset(w->dw, 0, sizeof w->dw);
    f2l_replay_mma(w->dw[0], DIM, 1, ROWS, D, D, (f2l_view){c->k[0], DIM, 1},
                   (f2l_view){w->dr[0], DIM, 1});
    f2l_replay_mma(w->dw[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->A[0], 1, ROWS}, of(w->dout));
    f2l_replay_round_all(w->dw[0], ROWS * DIM);
    memset(w->u, 0, sizeof w->u);
    f2l_replay_mma(w->u[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->T[0], 1, ROWS}, of(w->dw));
    for (size_t r = 0; r < ROWS; r++) {
        w->dbeta[r] = 0;
        for (size_t from = 0; from < D; from += slice) {
            float sum = 0;
            for (size_t j = from; j < from + slice; j++) sum += w->u[r][j] * c->v[r][j];
            w->dbeta[r] += sum / c->s[r];
        }
        for (size_t j = 0; j < D; j++) w->u[r][j] = f2l_replay_rounded(c->beta[r] * w->u[r][j]);
    }
}

/* Adds the terms of columns from .. from + width - 1 to dQ and dK. */
static void slice_back(back_work *w, size_t from, size_t width)
{
    const f2l_replay_chunk *c = &w->c;
    const size_t D = c->shape->key;
    const f2l_view q = {c->q[0], DIM, 1}, k = {c->k[0], DIM, 1}, S = {w->sr[0], DIM, 1},
                   dS = {w->dr[0], DIM, 1};
    const f2l_view dout = columns(of(w->dout), from), u = columns(of(w->u), from),
                   W = columns(of(w->w), from);
    const f2l_view ST = transposed(columns(S, from)), dST = transposed(columns(dS, from));
    memset(w->dA, 0, sizeof w->dA);
    f2l_replay_mma(w->dA[0], ROWS, 1, ROWS, ROWS, width, dout, transposed(W));
    f2l_replay_mask(w->dA, c);
    memset(w->P, 0, sizeof w->P);
    f2l_replay_mma(w->P[0], ROWS, 1, ROWS, ROWS, width, u, transposed(W));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j <= i; j++)
            w->P[j][i] = w->P[i][j] = i == j ? 0 : f2l_replay_rounded(w->P[i][j]);
    memset(w->part, 0, sizeof w->part);
    f2l_replay_mma(w->part[0], DIM, 1, ROWS, D, width, dout, ST);
    f2l_replay_mma(w->part[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->dA[0], ROWS, 1}, k);
    add(w->dq, w->part);
    memset(w->part, 0, sizeof w->part);
    f2l_replay_mma(w->part[0], DIM, -1, ROWS, D, ROWS, (f2l_view){w->P[0], ROWS, 1}, k);
    f2l_replay_mma(w->part[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->dA[0], 1, ROWS}, q);
    f2l_replay_mma(w->part[0], DIM, -1, ROWS, D, width, u, ST);
    f2l_replay_mma(w->part[0], DIM, 1, ROWS, D, width, W, dST);
    add(w->dk, w->part);
}

static void take_outputs(back_work *w, const uint16_t *dout)
{
    const size_t D = w->c.shape->key;
    memset(w->dout, 0, sizeof w->dout);
    for (size_t t = 0; t < w->c.tokens; t++)
        for (size_t j = 0; j < D; j++)
            w->dout[t][j] = f2l_replay_widen(dout[f2l_replay_token(&w->c, NULL, t) * D + j]);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t j = 0; j < D; j++) w->w[r][j] = w->c.v[r][j] * w->c.z[r];
}

static void put(uint16_t *to, const float *from, size_t n)
{
    for (size_t i = 0; to && i < n; i++) to[i] = f2l_replay_round(from[i]);
}

static void give(const f2l_delta_mma_grad *grad, const back_work *w)
{
    const size_t D = w->c.shape->key;
    for (size_t t = 0; t < w->c.tokens; t++)
        put(grad->dq + f2l_replay_token(&w->c, NULL, t) * D, w->dq[t], D);
    for (size_t r = 0; r < w->c.rows; r++) {
        const size_t row = f2l_replay_row(&w->c, NULL, r);
        put(grad->dk + row * D, w->dk[r], D);
        put(grad->dv ? grad->dv + row * D : NULL, w->u[r], D);
        grad->dbeta[row] = w->dbeta[r];
    }
}

static void back_chunk(back_work *w)
{
    static const float ones[ROWS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const f2l_replay_chunk *c = &w->c;
    const size_t D = c->shape->key, slice = f2l_delta_slice(D);
    const f2l_view KT = {c->k[0], 1, DIM}, QT = {c->q[0], 1, DIM};
    f2l_replay_mma(w->S[0], DIM, -1, D, D, ROWS, KT, of(w->w));
    memcpy(w->sr, w->S, sizeof w->S);
    memcpy(w->dr, w->D, sizeof w->D);
    f2l_replay_round_all(w->sr[0], DIM * DIM);
    f2l_replay_round_all(w->dr[0], DIM * DIM);
    f2l_replay_solve(w->T, c, c->beta, ones);
    f2l_replay_attend(w->A, c);
    solve_back(w);
    memset(w->dq, 0, sizeof w->dq);
    memset(w->dk, 0, sizeof w->dk);
    for (size_t from = 0; from < D; from += slice) slice_back(w, from, slice);
    f2l_replay_mma(w->D[0], DIM, 1, D, D, ROWS, QT, of(w->dout));
    f2l_replay_mma(w->D[0], DIM, -1, D, D, ROWS, KT, of(w->u));
}

/* Computes dh0 += the sum of `state` over sequences, part by part. */
static void add_start(float *dh0, const float *state, const f2l_delta_shape *s)
{
    const size_t numbers = s->heads * s->key * s->value, parts = f2l_delta_parts(s->batch);
    for (size_t i = 0; i < numbers; i++) {
        float sum = 0;
        for (size_t part = 0; part < parts; part++) {
            float mine = 0;
            for (size_t b = part * s->batch / parts; b < (part + 1) * s->batch / parts; b++)
                mine += state[b * numbers + i];
            sum += mine;
        }
        dh0[i] += sum;
    }
}

f2l_status f2l_replay_delta_backward(const f2l_delta_mma_grad *grad, const uint16_t *dout,
                                     const uint16_t *kept, float *state, const f2l_delta_mma_in *in,
                                     const f2l_delta_shape *s, f2l_error *err)
{
    const f2l_status taken = f2l_replay_delta_check(s, err);
    if (taken != F2L_OK) return taken;
    const size_t D = s->key, step = f2l_delta_chunk(s->householders);
    back_work *w = f2l_calloc(1, sizeof *w);
    if (!w) return f2l_fail_memory(err);
    w->c.shape = s;
    for (size_t word = 0; word < s->batch * s->heads; word++) {
        w->c.sequence = word / s->heads;
        w->c.head = word % s->heads;
        memset(w->D, 0, sizeof w->D);
        for (size_t i = 0; i < D; i++)
            memcpy(w->S[i], state + (word * D + i) * D, D * sizeof *state);
        for (size_t chunk = (s->tokens + step - 1) / step; chunk-- > 0;) {
            f2l_replay_take(&w->c, in, kept, chunk * step);
            take_outputs(w, dout);
            back_chunk(w);
            give(grad, w);
        }
        for (size_t i = 0; i < D; i++)
            memcpy(state + (word * D + i) * D, w->D[i], D * sizeof *state);
    }
    if (grad->dh0) add_start(grad->dh0, state, s);
    f2l_free(w);
    return F2L_OK;
}
