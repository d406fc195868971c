#include "tests/support/kernels/kernels_problem.h"
#include "kernels/base/kernels_number.h"
#include "numeric/base/rng.h"
#include <math.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory) exit(2);
    return memory;
}

static double uniform(f2l_rng *rng)
{
    return ldexp((double)(f2l_rng_u64(rng) >> 11), -52) - 1;
}

/* Returns the logarithm of a gate; u: -1 to 1. */
static double gate_of(const f2l_kernels_case *c, double u)
{
    return c->shut && u > 0.7 ? -INFINITY : c->faint ? 19 * u - 50 : -0.3 * (u + 1);
}

/* Draws an array, rounded to its type: keys have length 1, gates are logarithms. */
static void draw_array(f2l_problem *a, int i, f2l_rng *rng)
{
    const size_t n = count_of(i, a), width = (size_t)width_of(i, &a->c.p);
    const int type = type_of(i, &a->c.p);
    double *x = a->x[i], word;
    for (size_t from = 0; from < n; from += width) {
        double size = 0;
        for (size_t j = from; j < from + width; j++) {
            const double u = uniform(rng), range = a->c.range > 0 ? a->c.range : 2;
            x[j] = i == BETA && !a->c.p.beta ? range / 2 * (u + 1)
                   : i == BETA               ? 3 * u
                   : i == G                  ? gate_of(&a->c, u)
                                             : u;
            size += x[j] * x[j];
        }
        for (size_t j = from; j < from + width; j++) {
            if (i == K && !a->c.p.norm) x[j] /= sqrt(size);
            f2l_kernels_store(&word, 0, &x[j], 1, type);
            f2l_kernels_load(&x[j], &word, 0, 1, type);
        }
    }
}

void f2l_problem_draw(f2l_problem *a, const f2l_kernels_case *c, uint64_t seed)
{
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    *a = (f2l_problem){.c = *c, .sequences = c->p.batch};
    fsa2lrnn_delta_product *p = &a->c.p;
    p->size = sizeof *p;
    if (!p->key_heads) p->key_heads = p->heads;
    a->lengths = need(calloc((size_t)a->sequences + 1, sizeof *a->lengths));
    for (int64_t i = 0; i < a->sequences; i++) {
        const int64_t most = p->tokens, drawn = (int64_t)f2l_rng_below(&rng, (uint64_t)most + 1);
        a->lengths[i + 1] = a->lengths[i] + (!c->packed ? most : i == 1 ? 0 : i == 2 ? 1 : drawn);
    }
    a->rows = a->lengths[a->sequences];
    for (int i = 0; i < ARRAYS; i++) {
        a->x[i] = need(calloc(count_of(i, a) + 1, sizeof(double)));
        if (i < INPUTS) draw_array(a, i, &rng);
    }
}
void f2l_problem_free(f2l_problem *a)
{
    for (int i = 0; i < ARRAYS; i++) free(a->x[i]);
    free(a->lengths);
}

/* Copies a problem, or sequence `only` of it (-1: all), without outputs. */
void f2l_problem_copy(f2l_problem *to, const f2l_problem *a, int64_t only)
{
    *to = *a;
    to->c.p.batch = to->sequences = only < 0 ? a->sequences : 1;
    to->lengths = need(calloc((size_t)to->sequences + 1, sizeof *to->lengths));
    const int64_t first = only < 0 ? 0 : only, from = a->lengths[first];
    for (int64_t i = 0; i <= to->sequences; i++) to->lengths[i] = a->lengths[first + i] - from;
    to->rows = to->lengths[to->sequences];
    if (only >= 0 && !a->c.packed) to->c.p.tokens = to->rows;
    for (int i = 0; i < ARRAYS; i++) {
        const size_t n = count_of(i, to),
                     at = (size_t)(rows_of(i, from, first, &a->c.p) * heads_of(i, &a->c.p) *
                                   width_of(i, &a->c.p));
        to->x[i] = need(calloc(n + 1, sizeof(double)));
        if (i < INPUTS) memcpy(to->x[i], a->x[i] + at, n * sizeof(double));
    }
}

/* Cuts tokens from .. from + tokens - 1 out of every sequence. */
void f2l_problem_cut(f2l_problem *to, const f2l_problem *a, int64_t from, int64_t tokens)
{
    f2l_problem_copy(to, a, -1);
    to->c.p.tokens = tokens, to->rows = tokens * to->sequences;
    for (int64_t s = 0; s <= to->sequences; s++) to->lengths[s] = s * tokens;
    for (int i = 0; i < INPUTS; i++) {
        const size_t row = (size_t)(heads_of(i, &a->c.p) * width_of(i, &a->c.p)) *
                           (has_factors(i) ? (size_t)a->c.p.factors : 1);
        if (is_state(i)) continue;
        for (int64_t s = 0; s < a->sequences; s++)
            memcpy(to->x[i] + (size_t)(s * tokens) * row,
                   a->x[i] + (size_t)(s * a->c.p.tokens + from) * row,
                   (size_t)tokens * row * sizeof(double));
    }
}
