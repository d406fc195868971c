#include "tests/support/cuda/kernels_cases.h"
#include "kernels/base/kernels_number.h"
#include "numeric/base/rng.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    Q,
    K,
    V,
    BETA,
    G,
    DOUT,
    INITIAL,
    DFINAL,
    INPUTS,
    OUT = INPUTS,
    FINAL,
    DQ,
    DK,
    DV,
    DBETA,
    DG,
    DINITIAL,
    ARRAYS
};
enum { GUARD = 256, ROOM = 2, PADDING = 1 };

static const char *const names[ARRAYS] = {"q",       "k",      "v",  "beta", "g",  "dout",
                                          "initial", "dfinal", "o",  "S",    "dq", "dk",
                                          "dv",      "dbeta",  "dg", "dS"};

/* A case's numbers, dense: rows of all sequences one after the other. */
typedef struct problem {
    f2l_kernels_case c;
    int64_t sequences, rows, *lengths; /* [sequences + 1], sums of lengths */
    double *x[ARRAYS];
} problem;

static void *need(void *memory)
{
    if (!memory) exit(2);
    return memory;
}

static double uniform(f2l_rng *rng)
{
    return ldexp((double)(f2l_rng_u64(rng) >> 11), -52) - 1;
}

static bool is_state(int i)
{
    return i == INITIAL || i == DFINAL || i == FINAL || i == DINITIAL;
}
static bool has_factors(int i)
{
    return i == K || i == V || i == BETA || i == DK || i == DV || i == DBETA;
}
static bool present(int i, const f2l_kernels_case *c)
{
    if (c->pool && (i > FINAL || (i >= DOUT && i < INPUTS))) return false;
    if (i == V || i == DV) return c->additive;
    if (i == G || i == DG) return c->p.gate;
    if (i == INITIAL || i == DINITIAL) return c->initial;
    return i == DFINAL ? c->dfinal : true;
}
static int64_t heads_of(int i, const fsa2lrnn_delta_product *p)
{
    return i == Q || i == K || i == DQ || i == DK ? p->key_heads : p->heads;
}
static int64_t width_of(int i, const fsa2lrnn_delta_product *p)
{
    if (is_state(i)) return p->key * p->value;
    if (i == BETA || i == DBETA) return 1;
    if (i == G || i == DG) return p->gate == FSA2LRNN_KERNELS_GATE_KEY ? p->key : 1;
    return i == V || i == DV || i == OUT || i == DOUT ? p->value : p->key;
}
static int type_of(int i, const fsa2lrnn_delta_product *p)
{
    if (p->type == FSA2LRNN_KERNELS_F64) return FSA2LRNN_KERNELS_F64;
    if (i == DFINAL) return FSA2LRNN_KERNELS_F32;
    if (is_state(i)) return p->state_type;
    return i == BETA || i == DBETA || i == G || i == DG ? p->beta_type : p->type;
}
static int64_t rows_of(int i, int64_t rows, int64_t sequences, const fsa2lrnn_delta_product *p)
{
    return is_state(i) ? sequences : has_factors(i) ? rows * p->factors : rows;
}
static size_t count_of(int i, const problem *a)
{
    return (size_t)(rows_of(i, a->rows, a->sequences, &a->c.p) * heads_of(i, &a->c.p) *
                    width_of(i, &a->c.p));
}

/* Draws an array, rounded to its type: keys have length 1, gates are logarithms. */
static void draw_array(problem *a, int i, f2l_rng *rng)
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
                   : i == G                  ? -0.3 * (u + 1)
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

static void draw_problem(problem *a, const f2l_kernels_case *c, uint64_t seed)
{
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    *a = (problem){.c = *c, .sequences = c->p.batch};
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
static void free_problem(problem *a)
{
    for (int i = 0; i < ARRAYS; i++) free(a->x[i]);
    free(a->lengths);
}

/* An array of a call: its numbers are in memory with strides, between numbers that must not
 * change. */
typedef struct placed {
    fsa2lrnn_kernels_array array;
    int64_t size[3], width;
    size_t bytes;
    unsigned char *host, *device;
} placed;

static int64_t offset_of(const placed *a, int64_t i, int64_t j, int64_t k)
{
    return i * a->array.stride[0] + j * a->array.stride[1] + k * a->array.stride[2];
}

static placed place_array(int i, const problem *a, const fsa2lrnn_delta_product *p,
                          const f2l_cases_device *d)
{
    const int64_t width = width_of(i, p);
    placed x = {.size = {p->batch, rows_of(i, p->tokens, 1, p), heads_of(i, p)}, .width = width};
    const bool numbers = i == BETA || i == DBETA || ((i == G || i == DG) && width == 1);
    const int64_t gap = a->c.layout == F2L_CASE_WIDE ? 16 : a->c.layout == F2L_CASE_ODD ? 3 : 0;
    if (is_state(i)) {
        x.size[0] = a->sequences + (a->c.pool ? ROOM : 0), x.size[1] = 1;
        x.array.stride[2] = width, x.array.stride[1] = 0, x.array.stride[0] = x.size[2] * width;
    } else if (a->c.layout == F2L_CASE_HEADS_FIRST && !numbers) {
        x.array.stride[1] = width, x.array.stride[2] = width * x.size[1];
        x.array.stride[0] = x.array.stride[2] * x.size[2];
    } else {
        x.array.stride[2] = numbers ? 1 : width + gap;
        x.array.stride[1] = x.size[2] * x.array.stride[2] + gap;
        x.array.stride[0] = x.array.stride[1] * x.size[1] + 2 * gap;
    }
    int64_t last = width + GUARD;
    for (int n = 0; n < 3; n++) last += (x.size[n] > 0 ? x.size[n] - 1 : 0) * x.array.stride[n];
    x.bytes = (size_t)last * f2l_kernels_bytes_of(type_of(i, p));
    x.host = need(malloc(x.bytes));
    memset(x.host, 0xff, x.bytes);
    x.device = d ? d->alloc(x.bytes) : x.host;
    x.array.data = x.device;
    return x;
}

/* Returns the number of the state of sequence i, -1 for padding. */
static int64_t state_of(int64_t i, const problem *a)
{
    return !a->c.pool ? i : i == PADDING ? -1 : a->sequences + ROOM - 1 - i;
}

/* Moves the numbers of an array between its place and the dense form. */
static void move_numbers(placed *x, int i, bool to_place, problem *a,
                         const fsa2lrnn_delta_product *p)
{
    double *dense = a->x[i];
    const bool turned = is_state(i) && p->state_order == FSA2LRNN_KERNELS_STATE_VK;
    const int64_t sequences = is_state(i) ? a->sequences : x->size[0];
    for (int64_t b = 0; b < sequences; b++)
        for (int64_t t = 0; t < x->size[1]; t++)
            for (int64_t h = 0; h < x->size[2]; h++)
                for (int64_t w = 0; w < x->width; w++, dense++) {
                    const int64_t s = is_state(i) ? state_of(b, a) : b,
                                  n = turned ? w % p->value * p->key + w / p->value : w;
                    if (s < 0) continue;
                    const int64_t at = offset_of(x, s, t, h) + n;
                    if (to_place)
                        f2l_kernels_store(x->host, at, dense, 1, type_of(i, p));
                    else
                        f2l_kernels_load(dense, x->host, at, 1, type_of(i, p));
                }
}

/* Returns whether all bytes that are no numbers of the array are as they were. */
static bool untouched(placed *x, int i, problem *a, const fsa2lrnn_delta_product *p)
{
    const size_t bytes = f2l_kernels_bytes_of(type_of(i, p));
    unsigned char *mine = need(calloc(x->bytes, 1));
    bool good = true;
    for (int64_t b = 0; b < (is_state(i) ? a->sequences : x->size[0]); b++)
        for (int64_t t = 0; t < x->size[1]; t++)
            for (int64_t h = 0; h < x->size[2]; h++) {
                const int64_t s = is_state(i) ? state_of(b, a) : b;
                if (s >= 0)
                    memset(mine + (size_t)offset_of(x, s, t, h) * bytes, 1,
                           (size_t)x->width * bytes);
            }
    for (size_t n = 0; n < x->bytes; n++) good = good && (mine[n] || x->host[n] == 0xff);
    free(mine);
    return good;
}

/* One call on a device, or, without one, on the CPU. */
typedef struct call {
    fsa2lrnn_delta_product p;
    fsa2lrnn_delta_product_in in;
    fsa2lrnn_delta_product_out out;
    fsa2lrnn_delta_product_grad grad;
    placed x[ARRAYS], lengths, indices;
    void *kept, *work[2];
    size_t bytes[3];
} call;

static void check_status(int status, const fsa2lrnn_kernels_error *err, const char *what)
{
    if (!status) return;
    printf("FAIL %s: %s\n", what, err->text);
    exit(1);
}

static void launch_call(void *what, void *stream)
{
    call *m = what;
    fsa2lrnn_kernels_error err;
    check_status(
        fsa2lrnn_delta_product_forward(&m->out, m->kept, m->work[0], &m->in, &m->p, stream, &err),
        &err, "forward");
    if (m->p.state_indices) return;
    check_status(
        fsa2lrnn_delta_product_backward(&m->grad, m->kept, m->work[1], &m->in, &m->p, stream, &err),
        &err, "backward");
}
static void launch_step(void *what, void *stream)
{
    call *m = what;
    fsa2lrnn_kernels_error err;
    check_status(fsa2lrnn_delta_product_step(&m->out, m->out.final, &m->in, &m->p, stream, &err),
                 &err, "step");
}

static placed place_indices(const int64_t *from, int64_t n, int bits, const f2l_cases_device *d)
{
    placed x = {.bytes = (size_t)n * (size_t)bits / 8};
    x.host = need(malloc(x.bytes + 1));
    for (int64_t i = 0; i < n; i++) {
        if (bits == 64)
            ((int64_t *)x.host)[i] = from[i];
        else
            ((int32_t *)x.host)[i] = (int32_t)from[i];
    }
    x.device = d ? d->alloc(x.bytes + 1) : x.host;
    if (d) d->up(x.device, x.host, x.bytes);
    return x;
}

static void fill_shape(call *m, problem *a, const f2l_cases_device *d)
{
    m->p = a->c.p;
    m->p.device = d ? FSA2LRNN_KERNELS_CUDA : FSA2LRNN_KERNELS_CPU;
    if (!d) {
        m->p.type = m->p.beta_type = m->p.state_type = FSA2LRNN_KERNELS_F64;
        m->p.path = FSA2LRNN_KERNELS_AUTO;
    }
    if (!m->p.index_bits) m->p.index_bits = 32;
    if (a->c.packed) {
        m->p.batch = 1, m->p.tokens = a->rows, m->p.sequences = a->sequences;
        m->lengths = place_indices(a->lengths, a->sequences + 1, m->p.index_bits, d);
        m->p.cu_seqlens = m->lengths.device;
    }
    if (a->c.pool) {
        int64_t index[64];
        for (int64_t i = 0; i < a->sequences; i++) index[i] = state_of(i, a);
        m->p.states = a->sequences + ROOM;
        m->indices = place_indices(index, a->sequences, m->p.index_bits, d);
        m->p.state_indices = m->indices.device;
    }
}

static unsigned char *guarded(size_t bytes, const f2l_cases_device *d)
{
    unsigned char *fill = need(malloc(bytes + GUARD)), *to = d->alloc(bytes + GUARD);
    memset(fill, 0xff, bytes + GUARD);
    d->up(to, fill, bytes + GUARD);
    free(fill);
    return to;
}
static bool guard_good(const unsigned char *from, size_t bytes, const f2l_cases_device *d)
{
    unsigned char got[GUARD];
    bool good = true;
    d->down(got, from + bytes, GUARD);
    for (int i = 0; i < GUARD; i++) good = good && got[i] == 0xff;
    return good;
}

static void begin_call(call *m, problem *a, const f2l_cases_device *d)
{
    *m = (call){.in.size = sizeof m->in, .out.size = sizeof m->out, .grad.size = sizeof m->grad};
    fill_shape(m, a, d);
    for (int i = 0; i < ARRAYS; i++) {
        if (!present(i, &a->c)) continue;
        m->x[i] = place_array(i, a, &m->p, d);
        if (i < INPUTS || (i == FINAL && a->c.pool))
            move_numbers(&m->x[i], i == FINAL ? INITIAL : i, true, a, &m->p);
        if (d) d->up(m->x[i].device, m->x[i].host, m->x[i].bytes);
    }
    m->in.q = m->x[Q].array, m->in.k = m->x[K].array, m->in.v = m->x[V].array;
    m->in.beta = m->x[BETA].array, m->in.g = m->x[G].array;
    m->out.out = m->x[OUT].array, m->out.final = m->x[FINAL].array.data;
    m->in.initial = a->c.pool ? m->out.final : m->x[INITIAL].array.data;
    m->grad.dout = m->x[DOUT].array, m->grad.dfinal = m->x[DFINAL].array.data;
    m->grad.dq = m->x[DQ].array, m->grad.dk = m->x[DK].array, m->grad.dv = m->x[DV].array;
    m->grad.dbeta = m->x[DBETA].array, m->grad.dg = m->x[DG].array;
    m->grad.dinitial = m->x[DINITIAL].array.data;
    if (!d) return;
    fsa2lrnn_kernels_error err;
    check_status(
        fsa2lrnn_delta_product_bytes(&m->bytes[0], &m->bytes[1], &m->bytes[2], &m->p, &err), &err,
        "bytes");
    if (!a->c.pool) m->kept = guarded(m->bytes[0], d), m->work[1] = guarded(m->bytes[2], d);
    m->work[0] = guarded(m->bytes[1], d);
}

/* Reads the outputs to a->x; returns whether nothing else has been written. */
static bool end_call(call *m, problem *a, const f2l_cases_device *d)
{
    bool good = true;
    for (int i = 0; i < ARRAYS; i++) {
        placed *x = &m->x[i];
        if (!present(i, &a->c)) continue;
        if (d) d->down(x->host, x->device, x->bytes);
        if (i >= INPUTS) {
            good = untouched(x, i, a, &m->p) && good;
            move_numbers(x, i, false, a, &m->p);
        }
        if (d) d->free(x->device);
        free(x->host);
    }
    if (d && m->kept)
        good =
            guard_good(m->kept, m->bytes[0], d) && guard_good(m->work[1], m->bytes[2], d) && good;
    if (d) {
        good = guard_good(m->work[0], m->bytes[1], d) && good;
        d->free(m->kept), d->free(m->work[0]), d->free(m->work[1]);
        d->free(m->lengths.device), d->free(m->indices.device);
    }
    free(m->lengths.host), free(m->indices.host);
    return good;
}

static bool run_call(problem *a, int round, const f2l_cases_device *d)
{
    call m;
    begin_call(&m, a, d);
    if (d)
        d->run(launch_call, &m, round);
    else
        launch_call(&m, NULL);
    return end_call(&m, a, d);
}

/* Copies a problem, or sequence `only` of it (-1: all), without outputs. */
static void copy_problem(problem *to, const problem *a, int64_t only)
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

/* Returns whether all outputs of sequence `only` of a (-1: all) are those of b. */
static bool same_outputs(const problem *a, const problem *b, int64_t only)
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

/* Returns the error that output i may have relative to its size. */
static double allowed(int i, bool tensor, const fsa2lrnn_delta_product *p)
{
    const int type = type_of(i, p);
    const double rounding = type == FSA2LRNN_KERNELS_BF16  ? 0.004
                            : type == FSA2LRNN_KERNELS_F16 ? 0.0006
                                                           : 3e-5;
    if (!tensor) return rounding;
    /* a single dbeta may be small by cancellation */
    return rounding + (p->type == FSA2LRNN_KERNELS_BF16 ? 1 : 0.2) * (i < DQ       ? 0.012
                                                                      : i == DBETA ? 0.04
                                                                                   : 0.02);
}

static void print_case(const char *verdict, const f2l_kernels_case *c, const char *path)
{
    const fsa2lrnn_delta_product *p = &c->p;
    static const char *const types[] = {"f32", "bf16", "f16", "f64"};
    static const char *const layouts[] = {"dense", "wide", "odd", "heads-first"};
    printf("%s %s %s B %" PRId64 " T %" PRId64 " H %" PRId64 "/%" PRId64 " n %" PRId64 " K %" PRId64
           " V %" PRId64 " beta %d %s gate %d norm %d scale %g S %s %d %s%s%s%s%s%s:",
           verdict, path, types[p->type], p->batch, p->tokens, p->key_heads, p->heads, p->factors,
           p->key, p->value, p->beta, types[p->beta_type], p->gate, p->norm, (double)p->scale,
           types[p->state_type], p->state_order, layouts[c->layout], c->packed ? " packed" : "",
           c->additive ? "" : " B=0", c->initial ? " initial" : "", c->dfinal ? " dfinal" : "",
           c->pool ? " pool" : "");
}

static bool path_is_tensor(const problem *a)
{
    char text[256];
    fsa2lrnn_kernels_error err;
    fsa2lrnn_delta_product p = a->c.p;
    check_status(fsa2lrnn_delta_product_path(text, sizeof text, &p, &err), &err, "path");
    return strncmp(text, "tensor", 6) == 0;
}

bool f2l_kernels_case_fails(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d)
{
    problem a, want, again, other;
    draw_problem(&a, c, seed);
    copy_problem(&want, &a, -1);
    copy_problem(&again, &a, -1);
    const bool tensor = path_is_tensor(&a);
    run_call(&want, 0, NULL);
    bool good = run_call(&a, 0, d);
    const bool inside = good;
    good = run_call(&again, 1, d) && good;
    const bool repeats = same_outputs(&a, &again, -1);
    const int64_t only = a.sequences - 1;
    bool alone = true, packs = true;
    if (a.sequences > 1 && !c->pool) {
        copy_problem(&other, &a, only);
        good = run_call(&other, 0, d) && good;
        alone = same_outputs(&a, &other, only);
        free_problem(&other);
        copy_problem(&other, &a, -1);
        other.c.packed = true, other.c.layout = (c->layout + 1) % 4;
        good = run_call(&other, 0, d) && good;
        packs = same_outputs(&a, &other, -1);
        free_problem(&other);
    }
    double e[ARRAYS] = {0};
    good = good && repeats && alone && packs;
    for (int i = INPUTS; i < ARRAYS; i++) {
        if (!present(i, c)) continue;
        e[i] = error_of(a.x[i], want.x[i], count_of(i, &a));
        good = good && e[i] <= allowed(i, tensor, &a.c.p);
    }
    print_case(good ? "ok  " : "FAIL", &a.c, tensor ? "tensor" : "recurrent");
    for (int i = INPUTS; i < ARRAYS; i++)
        if (present(i, c)) printf(" %s %.1e", names[i], e[i]);
    printf("%s%s%s%s\n", inside ? "" : " WROTE OUTSIDE", repeats ? "" : " NOT REPEATABLE",
           alone ? "" : " DEPENDS ON THE BATCH", packs ? "" : " DEPENDS ON PACKING OR STRIDES");
    free_problem(&a), free_problem(&want), free_problem(&again);
    return !good;
}

/* Cuts tokens from .. from + tokens - 1 out of every sequence. */
static void cut_problem(problem *to, const problem *a, int64_t from, int64_t tokens)
{
    copy_problem(to, a, -1);
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

/* Compares tokens from .. of a's o with those of `piece`. */
static bool same_tokens(const problem *a, const problem *piece, int64_t from)
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
    problem a, first, rest;
    draw_problem(&a, c, seed);
    const int64_t tokens = a.c.p.tokens;
    cut_problem(&first, &a, 0, prefix);
    cut_problem(&rest, &a, prefix, tokens - prefix);
    run_call(&a, 0, d);
    run_call(&first, 0, d);
    memcpy(rest.x[INITIAL], first.x[FINAL], count_of(FINAL, &a) * sizeof(double));
    rest.c.initial = true;
    run_call(&rest, 0, d);
    const bool good = same_tokens(&a, &first, 0) && same_tokens(&a, &rest, prefix) &&
                      !memcmp(a.x[FINAL], rest.x[FINAL], count_of(FINAL, &a) * sizeof(double));
    print_case(good ? "ok  " : "FAIL", &a.c, path_is_tensor(&a) ? "tensor" : "recurrent");
    printf(" %" PRId64 " tokens and the rest as the whole\n", prefix);
    free_problem(&a), free_problem(&first), free_problem(&rest);
    return !good;
}

bool f2l_kernels_steps_fail(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d)
{
    problem a, token;
    draw_problem(&a, c, seed);
    run_call(&a, 0, d);
    bool good = true;
    double *state = need(calloc(count_of(FINAL, &a) + 1, sizeof(double)));
    if (c->initial) memcpy(state, a.x[INITIAL], count_of(FINAL, &a) * sizeof(double));
    for (int64_t t = 0; t < a.c.p.tokens; t++) {
        call m;
        cut_problem(&token, &a, t, 1);
        memcpy(token.x[INITIAL], state, count_of(FINAL, &a) * sizeof(double));
        begin_call(&m, &token, d);
        move_numbers(&m.x[FINAL], INITIAL, true, &token, &m.p);
        d->up(m.x[FINAL].device, m.x[FINAL].host, m.x[FINAL].bytes);
        d->run(launch_step, &m, (int)t);
        for (int i = DQ; i < ARRAYS; i++) {
            if (!present(i, &token.c)) continue;
            d->down(m.x[i].host, m.x[i].device, m.x[i].bytes); /* a step has no gradients */
        }
        good = end_call(&m, &token, d) && good;
        memcpy(state, token.x[FINAL], count_of(FINAL, &a) * sizeof(double));
        good = same_tokens(&a, &token, t) && good;
        free_problem(&token);
    }
    good = good && !memcmp(a.x[FINAL], state, count_of(FINAL, &a) * sizeof(double));
    print_case(good ? "ok  " : "FAIL", &a.c, "steps");
    printf(" as forward\n");
    free(state);
    free_problem(&a);
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
    p->path = tensor ? FSA2LRNN_KERNELS_TENSOR : FSA2LRNN_KERNELS_RECURRENT;
    p->batch = 3 + (int64_t)f2l_rng_below(rng, 3);
    p->tokens = 2 + (int64_t)f2l_rng_below(rng, 70);
    p->key_heads = 1 + (int64_t)f2l_rng_below(rng, 2);
    p->heads = p->key_heads * (1 + (int64_t)f2l_rng_below(rng, 3));
    p->factors = 1 + (int64_t)f2l_rng_below(rng, 8);
    p->key = pick(rng, sizes, 12), p->value = pick(rng, sizes, 12);
    if (tensor && p->key > 128) p->key = 128;
    p->gate = tensor ? 0 : (int)f2l_rng_below(rng, 3);
    p->beta = (int)f2l_rng_below(rng, 3), p->norm = (int)f2l_rng_below(rng, 3);
    p->norm_eps = 1e-6f, p->scale = toss(rng) ? 0.0f : toss(rng) ? 1.0f : 0.3f;
    c.layout = (int)f2l_rng_below(rng, 4), c.range = 2;
    c.packed = toss(rng), c.additive = f2l_rng_below(rng, 4), c.initial = toss(rng);
    c.dfinal = toss(rng), c.pool = f2l_rng_below(rng, 6) == 0;
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
        p->tokens = 2 + p->tokens % 10;
    }
    return c;
}
