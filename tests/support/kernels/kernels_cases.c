#include "tests/support/kernels/kernels_cases.h"
#include "tests/support/kernels/kernels_problem.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[ARRAYS] = {"q",       "k",      "v",  "beta", "g",  "dout",
                                          "initial", "dfinal", "o",  "S",    "dq", "dk",
                                          "dv",      "dbeta",  "dg", "dS"};

/* Returns whether all outputs of sequence `only` of a (-1: all) are those of b. */
static bool same_outputs(const f2l_problem *a, const f2l_problem *b, int64_t only)
{
    const int64_t first = only < 0 ? 0 : only;
    bool same = true;
    for (int i = INPUTS; i < ARRAYS; i++) {
        const size_t at = (size_t)(rows_of(i, a->lengths[first], first, &a->c.p) *
                                   heads_of(i, &a->c.p) * width_of(i, &a->c.p));
        if (present(i, &a->c))
            same = same && !memcmp(a->x[i] + at, b->x[i], count_of(i, b) * sizeof(double));
    }
    return same;
}

static double error_of(const double *got, const double *want, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (got[i] - want[i]) * (got[i] - want[i]);
        size += want[i] * want[i];
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

static double largest_difference(const double *got, const double *want, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(got[i] - want[i]));
    return largest;
}

/* Returns the error that output i may have relative to its size. */
static double allowed(int i, bool tensor, const fsa2lrnn_delta_product *p)
{
    const int type = type_of(i, p);
    const double rounding = type == FSA2LRNN_KERNELS_BF16  ? 0.004
                            : type == FSA2LRNN_KERNELS_F16 ? 0.0006
                                                           : 3e-5;
    if (!tensor) return rounding;
    /* a single dbeta or dg may be small by cancellation */
    return rounding + (p->type == FSA2LRNN_KERNELS_BF16 ? 1 : 0.2) * (i < DQ ? 0.012
                                                                      : i == DBETA || i == DG
                                                                          ? 0.04
                                                                          : 0.02);
}

static void print_case(const char *verdict, const f2l_kernels_case *c, const char *path)
{
    const fsa2lrnn_delta_product *p = &c->p;
    static const char *const types[] = {"f32", "bf16", "f16", "f64"};
    static const char *const layouts[] = {"dense", "wide", "odd", "heads-first"};
    printf("%s %s %s B %" PRId64 " T %" PRId64 " H %" PRId64 "/%" PRId64 " n %" PRId64 " K %" PRId64
           " V %" PRId64 " beta %d %s gate %d norm %d scale %g S %s %d %s%s%s%s%s%s%s%s:",
           verdict, path, types[p->type], p->batch, p->tokens, p->key_heads, p->heads, p->factors,
           p->key, p->value, p->beta, types[p->beta_type], p->gate, p->norm, (double)p->scale,
           types[p->state_type], p->state_order, layouts[c->layout], c->packed ? " packed" : "",
           c->additive ? "" : " B=0", c->initial ? " initial" : "", c->dfinal ? " dfinal" : "",
           c->pool ? " pool" : "", c->shut ? " shut" : "", c->faint ? " faint" : "");
}

static bool path_is_tensor(const f2l_problem *a)
{
    char text[256];
    fsa2lrnn_kernels_error err;
    fsa2lrnn_delta_product p = a->c.p;
    f2l_problem_check(fsa2lrnn_delta_product_path(text, sizeof text, &p, &err), &err, "path");
    return strncmp(text, "tensor", 6) == 0;
}

bool f2l_kernels_case_fails(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d)
{
    f2l_problem a, want, again, other;
    f2l_problem_draw(&a, c, seed);
    f2l_problem_copy(&want, &a, -1);
    f2l_problem_copy(&again, &a, -1);
    const bool tensor = path_is_tensor(&a);
    f2l_problem_run(&want, 0, NULL);
    bool good = f2l_problem_run(&a, 0, d);
    const bool inside = good;
    good = f2l_problem_run(&again, 1, d) && good;
    const bool repeats = same_outputs(&a, &again, -1);
    const int64_t only = a.sequences - 1;
    bool alone = true, packs = true;
    if (a.sequences > 1 && !c->pool) {
        f2l_problem_copy(&other, &a, only);
        good = f2l_problem_run(&other, 0, d) && good;
        alone = same_outputs(&a, &other, only);
        f2l_problem_free(&other);
        f2l_problem_copy(&other, &a, -1);
        other.c.packed = true, other.c.layout = (c->layout + 1) % 4;
        good = f2l_problem_run(&other, 0, d) && good;
        packs = same_outputs(&a, &other, -1);
        f2l_problem_free(&other);
    }
    double e[ARRAYS] = {0};
    good = good && repeats && alone && packs;
    for (int i = INPUTS; i < ARRAYS; i++) {
        if (!present(i, c)) continue;
        const bool vanishes = c->faint && (i == DG || i == DINITIAL);
        e[i] = vanishes ? largest_difference(a.x[i], want.x[i], count_of(i, &a))
                        : error_of(a.x[i], want.x[i], count_of(i, &a));
        good = good && e[i] <= (vanishes ? 1e-6 : allowed(i, tensor, &a.c.p));
    }
    print_case(good ? "ok  " : "FAIL", &a.c, tensor ? "tensor" : "recurrent");
    for (int i = INPUTS; i < ARRAYS; i++)
        if (present(i, c)) printf(" %s %.1e", names[i], e[i]);
    printf("%s%s%s%s\n", inside ? "" : " WROTE OUTSIDE", repeats ? "" : " NOT REPEATABLE",
           alone ? "" : " DEPENDS ON THE BATCH", packs ? "" : " DEPENDS ON PACKING OR STRIDES");
    f2l_problem_free(&a), f2l_problem_free(&want), f2l_problem_free(&again);
    return !good;
}

/* Compares tokens from .. of a's o with those of `piece`. */
static bool same_tokens(const f2l_problem *a, const f2l_problem *piece, int64_t from)
{
    const size_t row = (size_t)(a->c.p.heads * a->c.p.value);
    bool same = true;
    for (int64_t s = 0; s < a->sequences; s++)
        same = same && !memcmp(a->x[OUT] + (size_t)(s * a->c.p.tokens + from) * row,
                               piece->x[OUT] + (size_t)(s * piece->c.p.tokens) * row,
                               (size_t)piece->c.p.tokens * row * sizeof(double));
    return same;
}

bool f2l_kernels_prefix_fails(const f2l_kernels_case *c, int64_t prefix, uint64_t seed,
                              const f2l_cases_device *d)
{
    f2l_problem a, first, rest;
    f2l_problem_draw(&a, c, seed);
    const int64_t tokens = a.c.p.tokens;
    f2l_problem_cut(&first, &a, 0, prefix);
    f2l_problem_cut(&rest, &a, prefix, tokens - prefix);
    f2l_problem_run(&a, 0, d);
    f2l_problem_run(&first, 0, d);
    memcpy(rest.x[INITIAL], first.x[FINAL], count_of(FINAL, &a) * sizeof(double));
    rest.c.initial = true;
    f2l_problem_run(&rest, 0, d);
    const bool good = same_tokens(&a, &first, 0) && same_tokens(&a, &rest, prefix) &&
                      !memcmp(a.x[FINAL], rest.x[FINAL], count_of(FINAL, &a) * sizeof(double));
    print_case(good ? "ok  " : "FAIL", &a.c, path_is_tensor(&a) ? "tensor" : "recurrent");
    printf(" %" PRId64 " tokens and the rest as the whole\n", prefix);
    f2l_problem_free(&a), f2l_problem_free(&first), f2l_problem_free(&rest);
    return !good;
}

bool f2l_kernels_steps_fail(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d)
{
    f2l_problem a, token;
    f2l_problem_draw(&a, c, seed);
    f2l_problem_run(&a, 0, d);
    bool good = true;
    double *state = calloc(count_of(FINAL, &a) + 1, sizeof(double));
    if (!state) exit(2);
    if (c->initial) memcpy(state, a.x[INITIAL], count_of(FINAL, &a) * sizeof(double));
    for (int64_t t = 0; t < a.c.p.tokens; t++) {
        f2l_problem_cut(&token, &a, t, 1);
        memcpy(token.x[INITIAL], state, count_of(FINAL, &a) * sizeof(double));
        good = f2l_problem_step(&token, (int)t, d) && good;
        memcpy(state, token.x[FINAL], count_of(FINAL, &a) * sizeof(double));
        good = same_tokens(&a, &token, t) && good;
        f2l_problem_free(&token);
    }
    good = good && !memcmp(a.x[FINAL], state, count_of(FINAL, &a) * sizeof(double));
    print_case(good ? "ok  " : "FAIL", &a.c, "steps");
    printf(" as forward\n");
    free(state);
    f2l_problem_free(&a);
    return !good;
}

static int64_t pick(f2l_rng *rng, const int64_t *from, uint64_t n)
{
    return from[f2l_rng_below(rng, n)];
}
static bool toss(f2l_rng *rng)
{
    return f2l_rng_below(rng, 2);
}

f2l_kernels_case f2l_kernels_draw_case(f2l_rng *rng, bool tensor, bool small)
{
    static const int64_t sizes[] = {32, 64, 128, 256, 1, 17, 40, 96, 100, 129, 8, 72};
    f2l_kernels_case c = {0};
    fsa2lrnn_delta_product *p = &c.p;
    p->type = tensor ? (toss(rng) ? FSA2LRNN_KERNELS_BF16 : FSA2LRNN_KERNELS_F16)
                     : (int)f2l_rng_below(rng, 3);
    p->beta_type = (int)f2l_rng_below(rng, 3);
    p->state_type = toss(rng) ? FSA2LRNN_KERNELS_F32 : FSA2LRNN_KERNELS_BF16;
    p->state_order = toss(rng), p->index_bits = toss(rng) ? 64 : 32;
    p->path = !tensor     ? FSA2LRNN_KERNELS_RECURRENT
              : toss(rng) ? FSA2LRNN_KERNELS_TENSOR
                          : FSA2LRNN_KERNELS_TENSOR_STATES;
    p->batch = 3 + (int64_t)f2l_rng_below(rng, 3);
    p->tokens = 2 + (int64_t)f2l_rng_below(rng, 70);
    p->key_heads = 1 + (int64_t)f2l_rng_below(rng, 2);
    p->heads = p->key_heads * (1 + (int64_t)f2l_rng_below(rng, 3));
    p->factors = 1 + (int64_t)f2l_rng_below(rng, 8);
    p->key = pick(rng, sizes, 12), p->value = pick(rng, sizes, 12);
    p->gate = (int)f2l_rng_below(rng, tensor ? 2 : 3);
    p->beta = (int)f2l_rng_below(rng, 3), p->norm = (int)f2l_rng_below(rng, 3);
    p->norm_eps = 1e-6f, p->scale = toss(rng) ? 0.0f : toss(rng) ? 1.0f : 0.3f;
    c.layout = (int)f2l_rng_below(rng, 4), c.range = 2;
    c.packed = toss(rng), c.additive = f2l_rng_below(rng, 4), c.initial = toss(rng);
    c.dfinal = toss(rng), c.pool = f2l_rng_below(rng, 6) == 0;
    c.shut = p->gate && f2l_rng_below(rng, 4) == 0;
    c.faint = c.additive && p->gate == FSA2LRNN_KERNELS_GATE_HEAD && f2l_rng_below(rng, 8) == 0;
    if (small) {
        p->batch = 3, p->tokens = 1 + p->tokens % 20;
        p->key_heads = 1, p->heads = p->heads < 3 ? p->heads : 2;
        p->key = (p->key + 1) / 2, p->value = (p->value + 1) / 2;
    }
    /* the reference takes its time */
    const int64_t work = p->batch * p->heads * p->factors * p->key * p->value;
    if (p->tokens > 20000000 / work) p->tokens = 20000000 / work;
    if (p->key == 1) p->norm = 0; /* gradients would be 0 */
    /* with rows of a few numbers a state hardly shrinks, or vanishes: roundings add up */
    if (p->key < 17) {
        c.range = 1, c.additive = true, p->beta = FSA2LRNN_KERNELS_BETA;
        if (p->key < 8) c.range = 0.5, p->factors = 1 + p->factors % 2;
        p->tokens = 2 + p->tokens % 10 / p->factors;
    }
    return c;
}
