/* The selective scan and the convolution on the CPU: gradients against finite differences, the
 * convolution against the trainer's, pieces, and what is refused. */
#include "include/fsa2lrnn_kernels.h"
#include "models/learn/op/op_conv.h"
#include "tests/support/models/op_support.h"

enum { U, STEP, GATE, WRITE, READ, BIAS, STATE_LOG, SKIP, ARRAYS };

typedef struct sample {
    fsa2lrnn_selective_scan p;
    size_t n[ARRAYS], out;
    double *x[ARRAYS], *y, *weight;
} sample;

static void sample_init(sample *s, float low, uint64_t seed)
{
    *s = (sample){.p = {.size = sizeof s->p,
                        .device = FSA2LRNN_KERNELS_CPU,
                        .type = FSA2LRNN_KERNELS_F64,
                        .batch = 2,
                        .tokens = 5,
                        .channels = 3,
                        .states = 2,
                        .row = 4,
                        .gate_row = 5,
                        .low = low}};
    const size_t n[] = {30, 30, 50, 40, 40, 3, 6, 3};
    memcpy(s->n, n, sizeof n);
    for (int i = 0; i < ARRAYS; i++) s->x[i] = noise(n[i], seed + (uint64_t)i);
    s->out = 30, s->y = filled(30, NAN), s->weight = noise(30, seed + 50);
}

static fsa2lrnn_selective_scan_in inputs(const sample *s)
{
    return (fsa2lrnn_selective_scan_in){sizeof(fsa2lrnn_selective_scan_in),
                                        s->x[U],
                                        s->x[STEP],
                                        s->x[GATE],
                                        s->x[WRITE],
                                        s->x[READ],
                                        s->x[BIAS],
                                        s->x[STATE_LOG],
                                        s->x[SKIP]};
}

static double loss(void *context)
{
    sample *s = context;
    fsa2lrnn_kernels_error err;
    const fsa2lrnn_selective_scan_in in = inputs(s);
    cr_assert_eq(fsa2lrnn_selective_scan_forward(s->y, NULL, &in, &s->p, NULL, &err), 0, "%s",
                 err.text);
    return dot(s->y, s->weight, s->out);
}

Test(scan_host, gradients_are_finite_differences)
{
    static const char *const names[] = {"u", "step", "gate", "B", "C", "bias", "state_log", "skip"};
    for (int low = -1; low <= 0; low++) {
        sample s;
        double *d[ARRAYS];
        fsa2lrnn_kernels_error err;
        sample_init(&s, (float)low, 10);
        for (int i = 0; i < ARRAYS; i++) d[i] = filled(s.n[i], 0);
        const fsa2lrnn_selective_scan_in in = inputs(&s);
        const fsa2lrnn_selective_scan_grad grad = {sizeof grad,  s.weight, d[U],    d[STEP],
                                                   d[GATE],      d[WRITE], d[READ], d[BIAS],
                                                   d[STATE_LOG], d[SKIP]};
        cr_assert_eq(fsa2lrnn_selective_scan_backward(&grad, NULL, NULL, &in, &s.p, NULL, &err), 0,
                     "%s", err.text);
        for (int i = 0; i < ARRAYS; i++) check_gradient(names[i], d[i], s.x[i], s.n[i], loss, &s);
        for (int i = 0; i < ARRAYS; i++) free(d[i]), free(s.x[i]);
        free(s.y), free(s.weight);
    }
}

Test(scan_host, refusals)
{
    sample s;
    fsa2lrnn_kernels_error err;
    sample_init(&s, 0, 1);
    fsa2lrnn_selective_scan_in in = inputs(&s);
    s.p.low = -0.5f;
    cr_assert_eq(fsa2lrnn_selective_scan_bytes(NULL, NULL, &s.p, &err), FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "low is -0.5"), "%s", err.text);
    s.p.low = 0, s.p.states = 65;
    cr_assert_eq(fsa2lrnn_selective_scan_bytes(NULL, NULL, &s.p, &err), FSA2LRNN_KERNELS_EDOMAIN);
    s.p.states = 2, in.read = NULL;
    cr_assert_eq(fsa2lrnn_selective_scan_forward(s.y, NULL, &in, &s.p, NULL, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "read [10][2] is NULL"), "%s", err.text);
    in = inputs(&s), s.p.device = FSA2LRNN_KERNELS_CUDA;
    cr_assert_eq(fsa2lrnn_selective_scan_forward(s.y, NULL, &in, &s.p, NULL, &err),
                 FSA2LRNN_KERNELS_EDOMAIN);
    cr_assert(strstr(err.text, "on a GPU"), "%s", err.text);
    for (int i = 0; i < ARRAYS; i++) free(s.x[i]);
    free(s.y), free(s.weight);
}

static fsa2lrnn_causal_conv1d conv_shape(int64_t tokens)
{
    return (fsa2lrnn_causal_conv1d){.size = sizeof(fsa2lrnn_causal_conv1d),
                                    .device = FSA2LRNN_KERNELS_CPU,
                                    .type = FSA2LRNN_KERNELS_F64,
                                    .batch = 2,
                                    .tokens = tokens,
                                    .width = 3,
                                    .taps = 4};
}

Test(conv_host, agrees_with_the_operator_of_the_trainer)
{
    enum { N = 2 * 7 * 3, NW = 3 * 4 };
    double *x = noise(N, 1), *w = noise(NW, 2), *bias = noise(3, 3), *dy = noise(N, 4),
           *y = filled(N, NAN), *want = filled(N, NAN), *dx = filled(N, NAN), *dx0 = filled(N, NAN),
           *dw = filled(NW, 1), *dw0 = filled(NW, 1), *db = filled(3, 1), *db0 = filled(3, 1);
    const fsa2lrnn_causal_conv1d p = conv_shape(7);
    const fsa2lrnn_causal_conv1d_in in = {sizeof in, x, w, bias, NULL};
    const fsa2lrnn_causal_conv1d_grad grad = {sizeof grad, dy, dx, dw, db};
    const f2l_conv_shape old = {2, 7, 3, 4};
    cr_assert_eq(fsa2lrnn_causal_conv1d_forward(y, NULL, &in, &p, NULL, NULL), 0);
    cr_assert_eq(fsa2lrnn_causal_conv1d_backward(&grad, NULL, &in, &p, NULL, NULL), 0);
    f2l_conv_forward_f64(want, NULL, x, w, bias, &old);
    f2l_conv_backward_f64(dx0, dw0, db0, dy, x, w, &old);
    near("y", y, want, N, 1e-12), near("dx", dx, dx0, N, 1e-12);
    near("dw", dw, dw0, NW, 1e-12), near("dbias", db, db0, 3, 1e-12);
    double *all[] = {x, w, bias, dy, y, want, dx, dx0, dw, dw0, db, db0};
    for (int i = 0; i < 12; i++) free(all[i]);
}

/* A sequence in pieces, with the past, gives the bits of the whole. */
Test(conv_host, pieces)
{
    enum { T = 7, D = 3 };
    double *x = noise(2 * T * D, 1), *w = noise(12, 2), whole[2 * T * D], piece[2 * T * D];
    double past[2][2 * 3 * D] = {{0}};
    fsa2lrnn_causal_conv1d p = conv_shape(T);
    fsa2lrnn_causal_conv1d_in in = {sizeof in, x, w, NULL, NULL};
    cr_assert_eq(fsa2lrnn_causal_conv1d_forward(whole, NULL, &in, &p, NULL, NULL), 0);
    p.batch = 1;
    for (int b = 0; b < 2; b++) {
        memset(past, 0, sizeof past);
        for (int t = 0, i = 0; t < T; t += 2, i ^= 1) {
            p.tokens = t + 2 > T ? 1 : 2;
            in.x = x + (b * T + t) * D, in.past = past[i];
            cr_assert_eq(fsa2lrnn_causal_conv1d_forward(piece + (b * T + t) * D, past[1 - i], &in,
                                                        &p, NULL, NULL),
                         0);
        }
    }
    same_bits("y", piece, whole, sizeof whole);
    free(x), free(w);
}
