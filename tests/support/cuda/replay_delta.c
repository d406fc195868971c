#include "numeric/base/mem.h"
#include "tests/support/cuda/replay_parts.h"
#include <math.h>
#include <string.h>

void f2l_replay_mma(float *c, size_t stride, float sign, size_t m, size_t n, size_t inner,
                    f2l_view a, f2l_view b)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t from = 0; from < inner; from += 16) {
                double sum = 0;
                const size_t to = inner < from + 16 ? inner : from + 16;
                for (size_t l = from; l < to; l++)
                    sum += (double)a.p[i * a.row + l * a.col] * (double)b.p[l * b.row + j * b.col];
                c[i * stride + j] = (float)((double)c[i * stride + j] + (double)sign * sum);
            }
}

void f2l_replay_round_all(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = f2l_replay_rounded(x[i]);
}

f2l_status f2l_replay_delta_check(const f2l_delta_shape *s, f2l_error *err)
{
    if (s->key != s->value || (s->key != 32 && s->key != 64 && s->key != 128))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor-core delta product needs key = value = 32, "
                        "64 or 128");
    if (s->householders < 1 || s->householders > 8)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor-core delta product needs 1 to 8 factors per token");
    return F2L_OK;
}

size_t f2l_replay_token(const f2l_replay_chunk *c, const uint32_t *letter, size_t t)
{
    const size_t at = c->sequence * c->shape->tokens + c->token + t;
    return (letter ? letter[at] : at) * c->shape->heads + c->head;
}

size_t f2l_replay_row(const f2l_replay_chunk *c, const uint32_t *letter, size_t r)
{
    const size_t n = c->shape->householders, at = c->sequence * c->shape->tokens + c->token + r / n;
    return ((letter ? letter[at] : at) * n + r % n) * c->shape->heads + c->head;
}

static void take_row(float *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = f2l_replay_widen(from[i]);
}

void f2l_replay_take(f2l_replay_chunk *c, const f2l_delta_mma_in *in, const uint16_t *kept,
                     size_t token)
{
    const f2l_delta_shape *s = c->shape;
    const size_t most = f2l_delta_chunk(s->householders), left = s->tokens - token, D = s->key;
    c->token = token;
    c->tokens = left < most ? left : most;
    c->rows = c->tokens * s->householders;
    memset(c->q, 0, sizeof c->q);
    memset(c->k, 0, sizeof c->k);
    memset(c->v, 0, sizeof c->v);
    for (size_t t = 0; t < c->tokens; t++)
        take_row(c->q[t], in->q + f2l_replay_token(c, in->letter, t) * D, D);
    for (size_t r = 0; r < ROWS; r++) {
        c->beta[r] = 0;
        if (r < c->rows) {
            const size_t row = f2l_replay_row(c, in->letter, r);
            take_row(c->k[r], in->k + row * D, D);
            if (kept)
                take_row(c->v[r], kept + f2l_replay_row(c, NULL, r) * D, D);
            else if (in->v)
                take_row(c->v[r], in->v + row * D, D);
            c->beta[r] = in->beta[row];
        }
        c->z[r] = fabsf(c->beta[r]) < 0x1p-100f ? 0 : 1;
        c->s[r] = c->z[r] > 0 ? c->beta[r] : 1;
    }
}

void f2l_replay_solve(f2l_square T, const f2l_replay_chunk *c, const float *scale,
                      const float *mask)
{
    f2l_square M = {{0}}, L = {{0}};
    f2l_replay_mma(M[0], ROWS, 1, ROWS, ROWS, c->shape->key, (f2l_view){c->k[0], DIM, 1},
                   (f2l_view){c->k[0], 1, DIM});
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < i; j++) L[i][j] = -(scale[i] * M[i][j]) * mask[j];
    for (size_t column = 0; column < ROWS; column++) {
        float t[ROWS];
        for (size_t i = 0; i < ROWS; i++) t[i] = i == column;
        for (size_t j = 0; j < ROWS; j++)
            for (size_t i = j + 1; i < ROWS; i++) t[i] = fmaf(L[i][j], t[j], t[i]);
        for (size_t i = 0; i < ROWS; i++) T[i][column] = f2l_replay_rounded(t[i]);
    }
}

void f2l_replay_mask(f2l_square A, const f2l_replay_chunk *c)
{
    for (size_t t = 0; t < ROWS; t++)
        for (size_t r = 0; r < ROWS; r++)
            A[t][r] = r < c->shape->householders * (t + 1) ? f2l_replay_rounded(A[t][r]) : 0;
}

void f2l_replay_attend(f2l_square A, const f2l_replay_chunk *c)
{
    memset(A, 0, sizeof(f2l_square));
    f2l_replay_mma(A[0], ROWS, 1, ROWS, ROWS, c->shape->key, (f2l_view){c->q[0], DIM, 1},
                   (f2l_view){c->k[0], 1, DIM});
    f2l_replay_mask(A, c);
}

typedef struct forward_work {
    f2l_replay_chunk c;
    float S[DIM][DIM], rounded[DIM][DIM];
    f2l_square T, A;
    f2l_tile y, w, o;
} forward_work;

/* Computes G into w->w, rounded. */
static void factors(forward_work *w)
{
    const size_t D = w->c.shape->key;
    memcpy(w->y, w->c.v, sizeof w->y);
    f2l_replay_mma(w->y[0], DIM, -1, ROWS, D, D, (f2l_view){w->c.k[0], DIM, 1},
                   (f2l_view){w->rounded[0], DIM, 1});
    for (size_t r = 0; r < ROWS; r++)
        for (size_t j = 0; j < D; j++) w->y[r][j] = f2l_replay_rounded(w->y[r][j] * w->c.s[r]);
    memset(w->w, 0, sizeof w->w);
    f2l_replay_mma(w->w[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->T[0], ROWS, 1},
                   (f2l_view){w->y[0], DIM, 1});
    f2l_replay_round_all(w->w[0], ROWS * DIM);
}

static void put_row(uint16_t *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = f2l_replay_round(from[i]);
}

static void forward_chunk(uint16_t *out, uint16_t *kept, forward_work *w)
{
    const size_t D = w->c.shape->key;
    const f2l_replay_chunk *c = &w->c;
    memcpy(w->rounded, w->S, sizeof w->S);
    f2l_replay_round_all(w->rounded[0], DIM * DIM);
    f2l_replay_solve(w->T, c, c->s, c->z);
    f2l_replay_attend(w->A, c);
    factors(w);
    for (size_t r = 0; r < c->rows; r++) {
        if (kept) put_row(kept + f2l_replay_row(c, NULL, r) * D, w->w[r], D);
        for (size_t j = 0; j < D; j++) w->w[r][j] *= c->z[r];
    }
    memset(w->o, 0, sizeof w->o);
    f2l_replay_mma(w->o[0], DIM, 1, ROWS, D, D, (f2l_view){c->q[0], DIM, 1},
                   (f2l_view){w->rounded[0], DIM, 1});
    f2l_replay_mma(w->o[0], DIM, 1, ROWS, D, ROWS, (f2l_view){w->A[0], ROWS, 1},
                   (f2l_view){w->w[0], DIM, 1});
    for (size_t t = 0; t < c->tokens; t++)
        put_row(out + f2l_replay_token(c, NULL, t) * D, w->o[t], D);
    f2l_replay_mma(w->S[0], DIM, 1, D, D, ROWS, (f2l_view){c->k[0], 1, DIM},
                   (f2l_view){w->w[0], DIM, 1});
}

f2l_status f2l_replay_delta_forward(uint16_t *out, float *state, uint16_t *kept, bool go_on,
                                    const f2l_delta_mma_in *in, const f2l_delta_shape *s,
                                    f2l_error *err)
{
    const f2l_status taken = f2l_replay_delta_check(s, err);
    if (taken != F2L_OK) return taken;
    const size_t D = s->key;
    forward_work *w = f2l_calloc(1, sizeof *w);
    if (!w) return f2l_fail_memory(err);
    w->c.shape = s;
    for (size_t word = 0; word < s->batch * s->heads; word++) {
        w->c.sequence = word / s->heads;
        w->c.head = word % s->heads;
        float *mine = state ? state + word * D * D : NULL;
        const float *start = go_on ? mine : in->h0 ? in->h0 + w->c.head * D * D : NULL;
        memset(w->S, 0, sizeof w->S);
        for (size_t i = 0; start && i < D; i++) memcpy(w->S[i], start + i * D, D * sizeof *start);
        for (size_t t = 0; t < s->tokens; t += f2l_delta_chunk(s->householders)) {
            f2l_replay_take(&w->c, in, NULL, t);
            forward_chunk(out, kept, w);
        }
        for (size_t i = 0; mine && i < D; i++) memcpy(mine + i * D, w->S[i], D * sizeof *mine);
    }
    f2l_free(w);
    return F2L_OK;
}
