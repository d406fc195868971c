#include "kernels/base/kernels_number.h"
#include "tests/support/kernels/kernels_problem.h"
#include <stdio.h>
#include <string.h>

enum { GUARD = 256, ROOM = 2, PADDING = 1 };

static void *need(void *memory)
{
    if (!memory) exit(2);
    return memory;
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

static placed place_array(int i, const f2l_problem *a, const fsa2lrnn_delta_product *p,
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
static int64_t state_of(int64_t i, const f2l_problem *a)
{
    return !a->c.pool ? i : i == PADDING ? -1 : a->sequences + ROOM - 1 - i;
}

/* Moves the numbers of an array between its place and the dense form. */
static void move_numbers(placed *x, int i, bool to_place, f2l_problem *a,
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
static bool untouched(placed *x, int i, f2l_problem *a, const fsa2lrnn_delta_product *p)
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

void f2l_problem_check(int status, const fsa2lrnn_kernels_error *err, const char *what)
{
    if (!status) return;
    printf("FAIL %s: %s\n", what, err->text);
    exit(1);
}

static void launch_call(void *what, void *stream)
{
    call *m = what;
    fsa2lrnn_kernels_error err;
    f2l_problem_check(
        fsa2lrnn_delta_product_forward(&m->out, m->kept, m->work[0], &m->in, &m->p, stream, &err),
        &err, "forward");
    if (m->p.state_indices) return;
    f2l_problem_check(
        fsa2lrnn_delta_product_backward(&m->grad, m->kept, m->work[1], &m->in, &m->p, stream, &err),
        &err, "backward");
}
static void launch_step(void *what, void *stream)
{
    call *m = what;
    fsa2lrnn_kernels_error err;
    f2l_problem_check(
        fsa2lrnn_delta_product_step(&m->out, m->out.final, &m->in, &m->p, stream, &err), &err,
        "step");
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

static void fill_shape(call *m, f2l_problem *a, const f2l_cases_device *d)
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

static void begin_call(call *m, f2l_problem *a, const f2l_cases_device *d)
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
    f2l_problem_check(
        fsa2lrnn_delta_product_bytes(&m->bytes[0], &m->bytes[1], &m->bytes[2], &m->p, &err), &err,
        "bytes");
    if (!a->c.pool) m->kept = guarded(m->bytes[0], d), m->work[1] = guarded(m->bytes[2], d);
    m->work[0] = guarded(m->bytes[1], d);
}

/* Reads the outputs to a->x; returns whether nothing else has been written. */
static bool end_call(call *m, f2l_problem *a, const f2l_cases_device *d)
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

bool f2l_problem_run(f2l_problem *a, int round, const f2l_cases_device *d)
{
    call m;
    begin_call(&m, a, d);
    if (d)
        d->run(launch_call, &m, round);
    else
        launch_call(&m, NULL);
    return end_call(&m, a, d);
}

bool f2l_problem_step(f2l_problem *a, int round, const f2l_cases_device *d)
{
    call m;
    begin_call(&m, a, d);
    move_numbers(&m.x[FINAL], INITIAL, true, a, &m.p);
    d->up(m.x[FINAL].device, m.x[FINAL].host, m.x[FINAL].bytes);
    d->run(launch_step, &m, round);
    return end_call(&m, a, d);
}
