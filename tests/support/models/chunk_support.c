#include "tests/support/models/chunk_support.h"

f2l_float_net *rounded_for(const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule)
{
    f2l_float_net *out;
    f2l_error err = {0};
    cr_assert_eq(f2l_float_net_new(&out, net, format, schedule, &err), F2L_OK, "%s", err.text);
    return out;
}

f2l_float_net *chunk_rounded(const f2l_net *net, const f2l_format *format)
{
    return rounded_for(net, format, f2l_schedule_find("chunk64"));
}

f2l_chunk *started(const f2l_float_net *net)
{
    f2l_chunk *out;
    f2l_error err = {0};
    cr_assert_eq(f2l_chunk_new(&out, net, &err), F2L_OK, "%s", err.text);
    return out;
}

void feed(f2l_chunk *run, uint32_t *label, const uint32_t *letter, size_t count)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_chunk_feed(run, label, letter, count, &err), F2L_OK, "%s", err.text);
}

const f2l_format *fp32(void)
{
    return f2l_format_find("fp32");
}

double fma32(double a, double b, double c)
{
    return f2l_format_fma_mpfr(fp32(), a, b, c);
}

double op32(f2l_operation operation, double a, double b)
{
    return f2l_format_op_mpfr(fp32(), operation, a, b);
}

void chunk_dot(double *c, size_t wc, const double *a, size_t wa, const double *b, size_t wb,
               size_t rows, size_t inner, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            for (size_t l = 0; l < inner; l++)
                c[i * wc + j] = fma32(a[i * wa + l], b[l * wb + j], c[i * wc + j]);
}

void negate_block(double *to, const double *from)
{
    for (size_t i = 0; i < BLOCK; i++)
        for (size_t j = 0; j < BLOCK; j++) to[i * CHUNK + j] = -from[i * BLOCK + j];
}

void slow_inverse(double *T, const double *A)
{
    memset(T, 0, CHUNK * CHUNK * sizeof *T);
    for (size_t b = 0; b < CHUNK; b += BLOCK) {
        double N[BLOCK][BLOCK];
        for (size_t i = 0; i < BLOCK; i++)
            for (size_t j = 0; j < BLOCK; j++) N[i][j] = j < i ? -A[(b + i) * CHUNK + b + j] : 0;
        for (size_t i = 2; i < BLOCK; i++) {
            double a[BLOCK];
            memcpy(a, N[i], sizeof a);
            for (size_t c = 0; c < BLOCK; c++) {
                double sum = 0;
                for (size_t l = 0; l < BLOCK; l++)
                    sum = op32(F2L_ADD, sum, op32(F2L_MUL, a[l], l < i ? N[l][c] : 0));
                N[i][c] = op32(F2L_ADD, a[c], sum);
            }
        }
        for (size_t i = 0; i < BLOCK; i++)
            for (size_t j = 0; j < BLOCK; j++) T[(b + i) * CHUNK + b + j] = i == j ? 1 : N[i][j];
    }
    const size_t at[7][2] = {{1, 0}, {2, 1}, {3, 2}, {2, 0}, {3, 1}, {3, 0}};
    for (size_t m = 0; m < 6; m++) {
        const size_t I = at[m][0] * BLOCK, J = at[m][1] * BLOCK;
        double X[BLOCK * BLOCK] = {0}, Y[BLOCK * BLOCK] = {0};
        if (m < 3) {
            chunk_dot(X, BLOCK, T + I * CHUNK + I, CHUNK, A + I * CHUNK + J, CHUNK, BLOCK, BLOCK,
                      BLOCK);
            chunk_dot(Y, BLOCK, X, BLOCK, T + J * CHUNK + J, CHUNK, BLOCK, BLOCK, BLOCK);
        } else {
            chunk_dot(X, BLOCK, A + I * CHUNK + J, CHUNK, T + J * CHUNK + J, CHUNK, BLOCK, I - J,
                      BLOCK);
            chunk_dot(Y, BLOCK, T + I * CHUNK + I, CHUNK, X, BLOCK, BLOCK, BLOCK, BLOCK);
        }
        negate_block(T + I * CHUNK + J, Y);
    }
}

double put(const slow_head *s, double x)
{
    return f2l_format_round(s->format, x);
}

void slow_rows(slow_head *s, const f2l_head *head, const uint32_t *letter, size_t count)
{
    const size_t rows = CHUNK * s->factors;
    memset(s->k, 0, rows * s->n * sizeof *s->k);
    memset(s->b, 0, rows * sizeof *s->b);
    memset(s->v, 0, rows * s->d * sizeof *s->v);
    for (size_t t = 0; t < count; t++) {
        for (size_t f = 0; f < head->letter[letter[t]].factors; f++) {
            const f2l_factor *factor = &head->letter[letter[t]].factor[f];
            const size_t r = t * s->factors + f;
            s->b[r] = f2l_format_round_q(s->format, factor->beta);
            for (size_t i = 0; i < factor->u.count; i++)
                s->k[r * s->n + factor->u.index[i]] =
                    naive_weight(factor->u.value[i], &factor->u, s->format);
            for (size_t j = 0; j < factor->c.count; j++)
                s->v[r * s->d + factor->c.index[j]] =
                    naive_weight(factor->c.value[j], &factor->u, s->format);
        }
    }
}

void slow_wy(slow_head *s, const double *k, const double *b, double *v)
{
    const size_t n = s->n, d = s->d;
    double *A = calloc(CHUNK * CHUNK, sizeof *A), *T = calloc(CHUNK * CHUNK, sizeof *T);
    double *kb = calloc(CHUNK * n, sizeof *kb), *vb = calloc(CHUNK * d, sizeof *vb);
    double *w = calloc(CHUNK * n, sizeof *w), *u = calloc(CHUNK * d, sizeof *u);
    double *wh = calloc(CHUNK * d, sizeof *wh), *hf = calloc(n * d, sizeof *hf);
    double *kt = calloc(CHUNK * n, sizeof *kt);
    for (size_t i = 0; i < CHUNK; i++)
        for (size_t x = 0; x < n; x++) kt[x * CHUNK + i] = k[i * n + x];
    chunk_dot(A, CHUNK, k, n, kt, CHUNK, CHUNK, n, CHUNK);
    for (size_t i = 0; i < CHUNK; i++)
        for (size_t j = 0; j < CHUNK; j++)
            A[i * CHUNK + j] = j < i ? op32(F2L_MUL, A[i * CHUNK + j], b[i]) : 0;
    slow_inverse(T, A);
    for (size_t i = 0; i < CHUNK * CHUNK; i++) T[i] = put(s, T[i]);
    for (size_t i = 0; i < CHUNK * n; i++)
        kb[i] = f2l_format_op_mpfr(s->format, F2L_MUL, k[i], b[i / n]);
    for (size_t i = 0; i < CHUNK * d; i++)
        vb[i] = f2l_format_op_mpfr(s->format, F2L_MUL, v[i], b[i / d]);
    chunk_dot(w, n, T, CHUNK, kb, n, CHUNK, CHUNK, n);
    chunk_dot(u, d, T, CHUNK, vb, d, CHUNK, CHUNK, d);
    for (size_t i = 0; i < CHUNK * n; i++) w[i] = put(s, w[i]);
    for (size_t i = 0; i < CHUNK * d; i++) u[i] = put(s, u[i]);
    for (size_t i = 0; i < n * d; i++) hf[i] = put(s, s->h[i]);
    chunk_dot(wh, d, w, n, hf, d, CHUNK, n, d);
    for (size_t i = 0; i < CHUNK * d; i++) v[i] = put(s, op32(F2L_SUB, u[i], wh[i]));
    chunk_dot(s->h, d, kt, CHUNK, v, d, n, CHUNK, d);
    double *const all[] = {A, T, kb, vb, w, u, wh, hf, kt};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

void slow_chunk(slow_head *s, double *reading)
{
    const size_t n = s->n, d = s->d, F = s->factors;
    double *h = calloc(n * d, sizeof *h);
    for (size_t i = 0; i < n * d; i++) h[i] = put(s, s->h[i]);
    for (size_t c = 0; c < F; c++)
        slow_wy(s, s->k + c * CHUNK * n, s->b + c * CHUNK, s->v + c * CHUNK * d);
    for (size_t t = 0; t < CHUNK; t++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < d; j++) {
                double o = 0;
                for (size_t x = 0; x < n; x++) o = fma32(x == i, h[x * d + j], o);
                for (size_t f = 0; f < F; f++)
                    for (size_t r = f; r < CHUNK * F; r += F)
                        o = fma32(s->k[r * n + i] * (r / F <= t), s->v[r * d + j], o);
                reading[(t * n + i) * d + j] = put(s, o);
            }
    free(h);
}

void slow_init(slow_head *s, const f2l_head *head, size_t letters, const f2l_format *format)
{
    *s = (slow_head){.n = head->n, .d = head->d, .factors = 1, .format = format};
    for (size_t x = 0; x < letters; x++)
        if (head->letter[x].factors > s->factors) s->factors = head->letter[x].factors;
    s->h = calloc(s->n * s->d, sizeof *s->h);
    s->k = calloc(CHUNK * s->factors * s->n, sizeof *s->k);
    s->b = calloc(CHUNK * s->factors, sizeof *s->b);
    s->v = calloc(CHUNK * s->factors * s->d, sizeof *s->v);
    for (size_t i = 0; i < head->initial.count; i++)
        s->h[head->initial.index[i]] = f2l_format_round_q(format, head->initial.value[i]);
}

void slow_clear(slow_head *s)
{
    free(s->h);
    free(s->k);
    free(s->b);
    free(s->v);
}

bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

void compare(const f2l_net *net, const f2l_format *format, size_t length, f2l_rng *rng)
{
    slow_head slow;
    f2l_float_net *fast = chunk_rounded(net, format);
    f2l_chunk *run = started(fast);
    slow_init(&slow, &net->layer[0].head[0], net->layer[0].letters, format);
    const size_t size = slow.n * slow.d;
    double *reading = calloc(CHUNK * size, sizeof *reading);
    for (size_t at = 0; at < length; at += CHUNK) {
        const size_t count = length - at < CHUNK ? length - at : CHUNK;
        uint32_t letter[CHUNK], label[CHUNK];
        for (size_t t = 0; t < count; t++)
            letter[t] = (uint32_t)f2l_rng_below(rng, net->layer[0].letters);
        slow_rows(&slow, &net->layer[0].head[0], letter, count);
        slow_chunk(&slow, reading);
        feed(run, label, letter, count);
        for (size_t t = 0; t < count; t++)
            for (size_t i = 0; i < size; i++)
                cr_assert(same(f2l_chunk_reading(run, 0, t)[i], reading[t * size + i]),
                          "%s, letter %zu, number %zu: %a, not %a", format->name, at + t, i,
                          f2l_chunk_reading(run, 0, t)[i], reading[t * size + i]);
    }
    free(reading);
    slow_clear(&slow);
    f2l_chunk_free(run);
    f2l_float_net_free(fast);
}

void inner(mpq_t out, mpq_t *a, mpq_t *b, size_t n)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < n; i++) {
        mpq_mul(t, a[i], b[i]);
        mpq_add(out, out, t);
    }
    mpq_clear(t);
}
