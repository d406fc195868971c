/* What factors of a network with clamped betas and exact keys do to vectors that none shortens, and
 * their keys modulo primes (theory/pages/all-lengths.md, AL.17). */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/roots_impl.h"
#include <math.h>
#include <stdlib.h>

static const double *tensor_of(const f2l_roots_factors *f, size_t index)
{
    return f->parameters + f->model->tensor[index].offset;
}

static const double *key_rows(const f2l_roots_factors *f, size_t row)
{
    const f2l_seq_config *c = &f->model->config;
    return tensor_of(f, f->model->layer[0].mixer[F2L_DELTA_KEY]) + row * c->key_dim * c->width;
}

/* Rounds a key to -1, 0 and 1; returns false where that is not certain. net->x has the letter's
 * norm. */
static bool round_key(signed char *t, f2l_learned_net *net, const double *key)
{
    const size_t K = net->c->key_dim, n = net->c->width;
    double y[F2L_LEARNED_MAX_DIM], most = 0, off;
    f2l_learned_bound_projection(&off, net, key, K, net->c->silu_keys);
    for (size_t i = 0; i < K; i++) {
        y[i] = f2l_learned_dot(key + i * n, net->x, n);
        if (net->c->silu_keys) y[i] /= 1 + exp(-y[i]);
        most = fmax(most, fabs(y[i]));
    }
    for (size_t i = 0; i < K; i++) {
        const double twice = 2 * fabs(y[i]);
        if (fabs(twice - most) < 3.1 * off) return false;
        t[i] = (signed char)(twice < most ? 0 : y[i] > 0 ? 1 : -1);
    }
    return most - off > F2L_LEARNED_SHORTEST;
}

/* Returns what a factor does; `t`: NULL, or where its rounded key goes. */
static f2l_roots_deed read_factor(signed char *t, const f2l_roots_factors *f, f2l_learned_net *net,
                                  size_t row)
{
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, size = c->key_dim * n;
    const double *key = key_rows(f, row),
                 *beta = tensor_of(f, f->model->layer[0].mixer[F2L_DELTA_BETA]);
    double off;
    size_t zero = 0;
    while (zero < size && (key[zero] == 0 || net->x[zero % n] == 0)) zero++;
    if (zero == size) return F2L_ROOTS_NOTHING;
    const double z = c->slope * f2l_learned_dot(beta + row * n, net->x, n);
    f2l_learned_bound_projection(&off, net, beta + row * n, 1, false);
    off = 1.01 * c->slope * off + f2l_learned_slack(net, 0) * fabs(z);
    const bool above = z - off > -2;
    const bool below = !c->negative || z + off < 2;
    if (!above) return below ? F2L_ROOTS_NOTHING : F2L_ROOTS_UNKNOWN;
    const bool known = t ? round_key(t, net, key) : c->key_dim == 1 || !c->silu_keys;
    if (below) return known ? F2L_ROOTS_ORTHOGONAL : F2L_ROOTS_NOTHING;
    return known ? F2L_ROOTS_REFLECTS : F2L_ROOTS_UNKNOWN;
}

f2l_status f2l_roots_factors_read(f2l_roots_factors *f, f2l_learned_net *net, const f2l_seq *model,
                                  const double *parameters, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    const size_t H = c->heads, N = c->householders, K = c->key_dim, count = c->letters * H * N;
    const bool ternary = c->ternary_keys && K > 1;
    *f = (f2l_roots_factors){.model = model, .parameters = parameters};
    f->deed = f2l_calloc(count, sizeof *f->deed);
    if (ternary) f->ternary = f2l_calloc(count, K);
    if (!f->deed || (ternary && !f->ternary)) return f2l_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const size_t letter = i / (H * N), h = i / N % H;
        if (i % (H * N) == 0)
            f2l_learned_normed(net->x, net, letter, tensor_of(f, model->layer[0].mixer_norm));
        f->deed[i] = read_factor(ternary ? f->ternary + i * K : NULL, f, net, i % N * H + h);
    }
    return F2L_OK;
}

void f2l_roots_factors_clear(f2l_roots_factors *f)
{
    f2l_free(f->deed);
    f2l_free(f->ternary);
    *f = (f2l_roots_factors){0};
}

/* Returns the residue of a float32 number. */
static unsigned residue(double value, unsigned prime)
{
    int exponent;
    const uint64_t number = (uint64_t)ldexp(frexp(fabs(value), &exponent), 24);
    uint64_t power = exponent < 24 ? (prime + 1) / 2 : 2, scaled = number % prime;
    for (unsigned e = (unsigned)abs(exponent - 24); e > 0; e /= 2) {
        if (e % 2 > 0) scaled = scaled * power % prime;
        power = power * power % prime;
    }
    return (unsigned)(value < 0 ? (prime - scaled) % prime : scaled);
}

/* Sets a key of any direction: the letter's norm without its length, times the rows of W. */
static void exact_key(unsigned *key, const f2l_roots_factors *f, size_t letter, size_t row,
                      unsigned prime)
{
    const f2l_seq_config *c = &f->model->config;
    const double *e = tensor_of(f, f->model->embedding) + letter * c->width, *w = key_rows(f, row);
    const double *norm = tensor_of(f, f->model->layer[0].mixer_norm);
    for (size_t k = 0; k < c->key_dim; k++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < c->width; j++) {
            const uint64_t x = (uint64_t)residue(e[j], prime) * residue(norm[j], prime) % prime;
            sum = (sum + x * residue(w[k * c->width + j], prime)) % prime;
        }
        key[k] = (unsigned)sum;
    }
}

void f2l_roots_factors_keys(unsigned *key, const f2l_roots_factors *f, unsigned prime)
{
    const f2l_seq_config *c = &f->model->config;
    const size_t H = c->heads, N = c->householders, K = c->key_dim;
    for (size_t i = 0; i < c->letters * H * N; i++) {
        if (f->deed[i] == F2L_ROOTS_NOTHING || f->deed[i] == F2L_ROOTS_UNKNOWN) continue;
        if (!f->ternary) exact_key(key + i * K, f, i / (H * N), i % N * H + i / N % H, prime);
        for (size_t k = 0; f->ternary && k < K; k++)
            key[i * K + k] =
                f->ternary[i * K + k] < 0 ? prime - 1 : (unsigned)f->ternary[i * K + k];
    }
}
