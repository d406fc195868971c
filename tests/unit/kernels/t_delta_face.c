/* What the door of the delta product refuses, and structures of earlier and later callers. */
#include "include/fsa2lrnn_kernels.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct call {
    float q[24], k[48], v[48], beta[24], out[24], state[64];
    fsa2lrnn_delta_product p;
    fsa2lrnn_delta_product_in in;
    fsa2lrnn_delta_product_out to;
} call;

/* A good call: 2 sequences of 3 tokens, 2 heads, 2 factors, key 2, value 2. */
static void call_init(call *c)
{
    memset(c, 0, sizeof *c);
    c->p = (fsa2lrnn_delta_product){.size = sizeof c->p,
                                    .device = FSA2LRNN_KERNELS_CPU,
                                    .batch = 2,
                                    .tokens = 3,
                                    .heads = 2,
                                    .factors = 2,
                                    .key = 2,
                                    .value = 2};
    c->in = (fsa2lrnn_delta_product_in){.size = sizeof c->in,
                                        .q = {c->q, {12, 4, 2}},
                                        .k = {c->k, {24, 4, 2}},
                                        .v = {c->v, {24, 4, 2}},
                                        .beta = {c->beta, {12, 2, 0}}};
    c->to = (fsa2lrnn_delta_product_out){sizeof c->to, {c->out, {12, 4, 2}}, c->state};
}

static int forward(call *c, fsa2lrnn_kernels_error *err)
{
    return fsa2lrnn_delta_product_forward(&c->to, NULL, NULL, &c->in, &c->p, NULL, err);
}

static void refused(call *c, int status, const char *text)
{
    fsa2lrnn_kernels_error err = {0};
    cr_assert_eq(forward(c, &err), status, "%s: %s", text, err.text);
    cr_assert_eq(err.status, status);
    cr_assert(strstr(err.text, text), "'%s' is not in '%s'", text, err.text);
}

#define REFUSED(change, status, text) \
    do { \
        call c; \
        call_init(&c); \
        change; \
        refused(&c, FSA2LRNN_KERNELS_##status, text); \
    } while (0)

Test(delta_face, takes_a_good_call)
{
    call c;
    fsa2lrnn_kernels_error err;
    char text[80];
    call_init(&c);
    cr_assert_eq(forward(&c, &err), 0, "%s", err.text);
    cr_assert_eq(fsa2lrnn_delta_product_path(text, sizeof text, &c.p, &err), 0);
    cr_assert(strncmp(text, "recurrent", 9) == 0);
    cr_assert_eq(strcmp(fsa2lrnn_kernels_version(), FSA2LRNN_KERNELS_VERSION), 0);
}

Test(delta_face, refuses_shapes)
{
    REFUSED(c.p.factors = 9, EDOMAIN, "factors is 9");
    REFUSED(c.p.factors = 0, EDOMAIN, "factors is 0");
    REFUSED(c.p.key = 257, EDOMAIN, "key is 257");
    REFUSED(c.p.value = 0, EDOMAIN, "value is 0");
    REFUSED(c.p.batch = -1, EINVAL, "batch is -1");
    REFUSED(c.p.key_heads = 3, EINVAL, "key_heads is 3");
    REFUSED((c.p.heads = 3, c.p.key_heads = 2), EINVAL, "does not divide heads, 3");
    REFUSED(c.p.device = 2, EINVAL, "device is 2");
    REFUSED(c.p.type = 4, EINVAL, "type is 4");
    REFUSED(c.p.type = FSA2LRNN_KERNELS_F64, EINVAL, "f64 goes with f64");
    REFUSED(c.p.state_type = FSA2LRNN_KERNELS_F16, EDOMAIN, "state_type");
    REFUSED(c.p.norm_eps = -1, EINVAL, "norm_eps is -1");
    REFUSED(c.p.scale = INFINITY, EINVAL, "scale is inf");
    REFUSED((c.p.tokens = INT32_MAX, c.p.batch = INT32_MAX), EDOMAIN, "too many");
    REFUSED((c.p.device = FSA2LRNN_KERNELS_CUDA,
             c.p.type = c.p.beta_type = c.p.state_type = FSA2LRNN_KERNELS_F64),
            EDOMAIN, "CPU only");
}

Test(delta_face, refuses_arrays)
{
    REFUSED(c.in.k.data = NULL, EINVAL, "k [2][6][2][2] is NULL");
    REFUSED(c.in.beta.data = NULL, EINVAL, "beta [2][6][2] is NULL");
    REFUSED(c.in.q.data = (char *)c.q + 2, EINVAL, "q [2][3][2][2] is not aligned");
    REFUSED(c.in.q.stride[1] = -4, EINVAL, "q.stride[1] is -4");
    REFUSED(c.to.out.stride[2] = 1, EINVAL, "out.stride[2] is 1");
    REFUSED(c.to.out.stride[0] = 0, EINVAL, "out.stride[0] is 0");
    REFUSED(c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, EINVAL, "g is NULL");
    REFUSED(c.in.g = c.in.beta, EINVAL, "g is given");
    REFUSED(c.to.final = (char *)c.state + 1, EINVAL, "final is not aligned");
}

Test(delta_face, refuses_indices)
{
    int32_t falls[] = {0, 2, 1, 3}, late[] = {1, 2, 3, 3}, ends[] = {0, 1, 2, 4}, pool[] = {0, 2};
#define PACKED(x) (c.p.batch = 1, c.p.sequences = 3, c.p.cu_seqlens = (x))
    REFUSED(PACKED(falls), EINVAL, "cu_seqlens[2] is 1");
    REFUSED(PACKED(late), EINVAL, "cu_seqlens[0] is 1");
    REFUSED(PACKED(ends), EINVAL, "cu_seqlens[3] is 4");
    REFUSED((PACKED(falls), c.p.batch = 2), EINVAL, "batch is 2 with cu_seqlens");
    REFUSED((c.p.state_indices = pool, c.p.states = 2), EINVAL, "state_indices[1] is 2");
    REFUSED((c.p.state_indices = pool, c.p.index_bits = 16), EINVAL, "index_bits is 16");
}

Test(delta_face, sizes_of_structures)
{
    REFUSED(c.p.size = 0, EINVAL, "p->size is 0");
    REFUSED(c.in.size = 1 << 20, EINVAL, "in->size is 1048576");
    /* An earlier caller: what it does not know is 0. */
    call c;
    call_init(&c);
    c.p.size = offsetof(fsa2lrnn_delta_product, scale), c.p.scale = INFINITY;
    cr_assert_eq(forward(&c, NULL), 0);
    /* A later one: only zeros beyond what is known. */
    struct {
        fsa2lrnn_delta_product p;
        int64_t more;
    } later = {c.p, 0};
    fsa2lrnn_kernels_error err;
    later.p.size = sizeof later, later.p.scale = 0;
    cr_assert_eq(fsa2lrnn_delta_product_bytes(NULL, NULL, NULL, &later.p, &err), 0);
    later.more = 1;
    cr_assert_eq(fsa2lrnn_delta_product_bytes(NULL, NULL, NULL, &later.p, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "a later one is needed"), "%s", err.text);
    cr_assert_eq(fsa2lrnn_delta_product_bytes(NULL, NULL, NULL, NULL, NULL),
                 FSA2LRNN_KERNELS_EINVAL);
}

Test(delta_face, empty_calls)
{
    call c;
    call_init(&c);
    c.p.batch = 0;
    memset(&c.in.q, 0, 4 * sizeof c.in.q), memset(&c.to.out, 0, sizeof c.to.out);
    cr_assert_eq(forward(&c, NULL), 0);
    /* No token: the final state is the initial one. */
    c.p.batch = 2, c.p.tokens = 0;
    float start[16], end[16];
    for (int i = 0; i < 16; i++) start[i] = (float)i;
    c.in.initial = start, c.to.final = end;
    cr_assert_eq(forward(&c, NULL), 0);
    cr_assert_eq(memcmp(start, end, sizeof end), 0);
}

Test(delta_face, refuses_gradients)
{
    call c;
    fsa2lrnn_kernels_error err;
    int32_t pool[] = {0, 1};
    call_init(&c);
    fsa2lrnn_delta_product_grad grad = {.size = sizeof grad, .dout = c.to.out, .dv = c.in.v};
    c.in.v.data = NULL;
    cr_assert_eq(fsa2lrnn_delta_product_backward(&grad, NULL, NULL, &c.in, &c.p, NULL, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "dv is wanted"), "%s", err.text);
    grad.dv.data = NULL, c.p.state_indices = pool, c.p.states = 2;
    cr_assert_eq(fsa2lrnn_delta_product_backward(&grad, NULL, NULL, &c.in, &c.p, NULL, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "inference"), "%s", err.text);
}

Test(delta_face, refuses_steps)
{
    call c;
    fsa2lrnn_kernels_error err;
    call_init(&c);
    cr_assert_eq(fsa2lrnn_delta_product_step(&c.to, c.state, &c.in, &c.p, NULL, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "one token"), "%s", err.text);
    c.p.tokens = 1;
    cr_assert_eq(fsa2lrnn_delta_product_step(&c.to, NULL, &c.in, &c.p, NULL, &err),
                 FSA2LRNN_KERNELS_EINVAL);
    cr_assert(strstr(err.text, "states is NULL"), "%s", err.text);
    cr_assert_eq(fsa2lrnn_delta_product_step(&c.to, c.state, &c.in, &c.p, NULL, &err), 0);
}
