/* The delta product of the C interface on a GPU.
 * CPU reference: kernels/delta_host.c and kernels/delta_host_back.c. */
#include "cuda/kernels/kernels_arrays.cuh"
#include "cuda/kernels/kernels_walk_back.cuh"
extern "C" {
#include "cuda/delta/delta_plan.h"
#include "cuda/kernels/kernels_cuda.h"
#include "cuda/kernels/kernels_tensor.h"
}

enum { OK = FSA2LRNN_KERNELS_OK };

/* Chooses and checks; `work` is missing where bytes are needed: EINVAL. */
static int begin(delta_pass *s, void *work, bool back, const fsa2lrnn_delta_product *p,
                 void *stream, fsa2lrnn_kernels_error *err)
{
    *s = {};
    s->p = p, s->work = static_cast<unsigned char *>(work), s->stream = stream, s->err = err;
    int status = f2l_kernels_choose(&s->c, p, err);
    if (status == OK) status = f2l_kernels_place(&s->at, &s->c, p, err);
    if (status == OK && !work && (back ? s->at.backward : s->at.forward))
        return f2l_kernels_fail(
            err, FSA2LRNN_KERNELS_EINVAL, "work is NULL, and %s needs %zu bytes of it",
            back ? "backward" : "forward", back ? s->at.backward : s->at.forward);
    return status;
}

/* ---- tensor cores ---- */

/* Refuses an array whose rows are farther apart than 32 bits count. */
static int check_step(const fsa2lrnn_kernels_array &a, const char *name, const delta_pass &s)
{
    if (!a.data || a.stride[1] <= static_cast<int64_t>(UINT32_MAX)) return OK;
    return f2l_kernels_fail(s.err, FSA2LRNN_KERNELS_EDOMAIN,
                            "%s has %lld numbers from row to row, too many for the tensor cores",
                            name, static_cast<long long>(a.stride[1]));
}

static delta_numbers numbers_of(const any_array &a)
{
    return {static_cast<float *>(a.data), a.stride[0], 1, 0, static_cast<uint32_t>(a.stride[1])};
}

/* Fills the arguments that forward and backward share, and launches what is before both. */
static int tensor_arguments(delta_args *a, unsigned char *kept, const fsa2lrnn_delta_product_in *in,
                            const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    delta_call &c = a->call;
    any_array q = array_of(in->q, p->type), k = array_of(in->k, p->type),
              beta = array_of_heads(in->beta, p->beta_type),
              g = array_of_heads(in->g, p->beta_type);
    int status = check_step(in->q, "q", s);
    if (status == OK) status = check_step(in->k, "k", s);
    if (status == OK) status = check_step(in->v, "v", s);
    if (status == OK) status = check_step(in->beta, "beta", s);
    if (status == OK) status = check_step(in->g, "g", s);
    if (status == OK && s.c.round_rows) status = prepare(&q, in->q, s.at.q, false, s);
    if (status == OK && s.c.round_rows) status = prepare(&k, in->k, s.at.k, true, s);
    if (status == OK && s.c.round_betas)
        status = prepare_numbers(&beta, in->beta, s.at.beta, true, s);
    if (status == OK && s.c.round_gates) status = prepare_numbers(&g, in->g, s.at.g, false, s);
    a->words = static_cast<uint32_t>(p->sequences * p->heads) * s.c.blocks;
    a->tokens = static_cast<uint32_t>(p->tokens), a->heads = static_cast<uint32_t>(p->heads);
    a->factors = static_cast<uint32_t>(p->factors);
    a->chunk = static_cast<uint32_t>(f2l_delta_chunk(static_cast<size_t>(p->factors)));
    a->inverse = (256 + a->factors - 1) / a->factors;
    a->state = kept ? reinterpret_cast<float *>(kept + s.at.end) : nullptr;
    c.q = rows_of(q, p->key, 0, p, p->key_heads), c.k = rows_of(k, p->key, 0, p, p->key_heads);
    c.v = rows_of(array_of(in->v, p->type), p->value, s.c.value, p, p->heads);
    const int64_t whole = (p->value + 7) / 8 * 8;
    c.kept = rows_of(array_in(kept ? kept + s.at.products : nullptr, s.batch_rows(true), a->heads,
                              static_cast<size_t>(whole), p->type),
                     whole, s.c.value, p, p->heads);
    c.beta = numbers_of(beta), c.g = numbers_of(g);
    c.before = kept && s.c.keep_states ? kept + s.at.before : nullptr;
    c.lengths = p->cu_seqlens, c.indices = p->state_indices, c.wide_index = p->index_bits == 64;
    c.group = static_cast<uint32_t>(p->heads / p->key_heads), c.blocks = s.c.blocks;
    c.key = static_cast<uint32_t>(p->key), c.value = static_cast<uint32_t>(p->value);
    c.states = p->states, c.scale = p->scale;
    return status;
}

static int launch_tensor_kernel(const delta_args &a, bool back, const delta_pass &s)
{
    const bool bf16 = s.p->type == FSA2LRNN_KERNELS_BF16;
    if (s.c.key > 128)
        return (bf16 ? f2l_kernels_wide_bf16 : f2l_kernels_wide_f16)(&a, back, s.p->gate, s.stream,
                                                                     s.err);
    return (s.p->gate ? bf16 ? f2l_kernels_gated_bf16 : f2l_kernels_gated_f16
            : bf16    ? f2l_kernels_tensor_bf16
                      : f2l_kernels_tensor_f16)(&a, back, &s.c, s.stream, s.err);
}

static int tensor_forward(const fsa2lrnn_delta_product_out *out, void *kept,
                          const fsa2lrnn_delta_product_in *in, const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    const bool bf16 = p->state_type == FSA2LRNN_KERNELS_BF16;
    delta_args a = {};
    int status = check_step(out->out, "out", s);
    if (status == OK) status = tensor_arguments(&a, static_cast<unsigned char *>(kept), in, s);
    a.call.out = rows_of(array_of(out->out, p->type), p->value, s.c.value, p, p->heads);
    a.call.initial = states_of(in->initial, bf16, p);
    a.call.final = states_of(out->final, bf16, p);
    return status != OK ? status : launch_tensor_kernel(a, false, s);
}

/* Where dq or dk goes: parts in the workspace, or the gradient itself. */
static delta_rows gradient_rows(const fsa2lrnn_kernels_array &to, size_t offset, bool factors,
                                const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    if (!s.c.sum_rows || !to.data) return rows_of(array_of(to, p->type), p->key, 0, p, p->heads);
    const size_t whole = static_cast<size_t>((p->key + 7) / 8 * 8),
                 heads = static_cast<size_t>(p->heads);
    delta_rows r = rows_of(array_in(s.work + offset, s.batch_rows(factors), heads, whole, p->type),
                           static_cast<int64_t>(whole), 0, p, p->heads);
    r.block = s.rows(factors) * heads * whole;
    return r;
}

/* Where dbeta or dg goes, likewise. */
static delta_numbers gradient_numbers(const fsa2lrnn_kernels_array &to, bool sums, size_t offset,
                                      bool factors, const delta_pass &s)
{
    const size_t heads = static_cast<size_t>(s.p->heads);
    if (!sums || !to.data) return numbers_of(array_of_heads(to, FSA2LRNN_KERNELS_F32));
    return {reinterpret_cast<float *>(s.work + offset), s.batch_rows(factors) * heads, 1,
            s.rows(factors) * heads, static_cast<uint32_t>(heads)};
}

static int tensor_back(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                       const fsa2lrnn_delta_product_in *in, const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    delta_args a = {};
    int status = check_step(grad->dout, "dout", s);
    if (status == OK) status = check_step(grad->dv, "dv", s);
    if (status == OK) status = check_step(grad->dq, "dq", s);
    if (status == OK) status = check_step(grad->dk, "dk", s);
    if (status == OK) status = check_step(grad->dbeta, "dbeta", s);
    if (status == OK) status = check_step(grad->dg, "dg", s);
    if (status == OK)
        status =
            tensor_arguments(&a, static_cast<unsigned char *>(const_cast<void *>(kept)), in, s);
    delta_call &c = a.call;
    c.dout = rows_of(array_of(grad->dout, p->type), p->value, s.c.value, p, p->heads);
    c.dv = rows_of(array_of(grad->dv, p->type), p->value, s.c.value, p, p->heads);
    c.dq = gradient_rows(grad->dq, s.at.dq, false, s);
    c.dk = gradient_rows(grad->dk, s.at.dk, true, s);
    c.dbeta = gradient_numbers(grad->dbeta, s.c.sum_betas, s.at.dbeta, true, s);
    c.dg = gradient_numbers(grad->dg, s.c.sum_gates, s.at.dg, false, s);
    c.dfinal = states_of(grad->dfinal, false, p);
    c.dinitial = states_of(grad->dinitial, p->state_type == FSA2LRNN_KERNELS_BF16, p);
    if (status == OK) status = launch_tensor_kernel(a, true, s);
    const uint32_t whole = (c.key + 7) / 8 * 8;
    if (status == OK && s.c.sum_rows)
        status = finish(grad->dq, in->q, s.at.dq, p->type, s.c.blocks, whole, false, s);
    if (status == OK && s.c.sum_rows)
        status = finish(grad->dk, in->k, s.at.dk, p->type, s.c.blocks, whole, true, s);
    if (status == OK && s.c.sum_betas)
        status = finish_numbers(grad->dbeta, &in->beta, s.at.dbeta, s.c.blocks, true, s);
    if (status == OK && s.c.sum_gates)
        status = finish_numbers(grad->dg, nullptr, s.at.dg, s.c.blocks, false, s);
    return status;
}

/* ---- the recurrence ---- */

static walk_args walk_arguments(const fsa2lrnn_delta_product_in *in, const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    walk_args a = {};
    a.q = array_of(in->q, p->type), a.k = array_of(in->k, p->type);
    a.v = array_of(in->v, p->type), a.beta = array_of_heads(in->beta, p->beta_type);
    a.g = p->gate == FSA2LRNN_KERNELS_GATE_KEY ? array_of(in->g, p->beta_type)
                                               : array_of_heads(in->g, p->beta_type);
    a.lengths = p->cu_seqlens, a.indices = p->state_indices, a.wide_index = p->index_bits == 64;
    a.items = static_cast<uint32_t>(p->sequences * p->heads) * s.c.strips, a.walks = s.c.walks;
    a.tokens = static_cast<uint32_t>(p->tokens), a.heads = static_cast<uint32_t>(p->heads);
    a.group = static_cast<uint32_t>(p->heads / p->key_heads);
    a.factors = static_cast<uint32_t>(p->factors);
    a.key = static_cast<uint32_t>(p->key), a.value = static_cast<uint32_t>(p->value);
    a.chunk = WALK_STAGE / a.factors, a.columns = s.c.columns, a.strips = s.c.strips;
    a.states = p->states, a.gate = p->gate, a.norm = p->norm, a.form = p->beta;
    a.eps = p->norm_eps, a.scale = p->scale;
    return a;
}

static int launch_walk(const walk_args &a, bool back, const delta_pass &s)
{
    const uint32_t lanes = s.c.lanes, blocks = back ? a.walks : a.items,
                   bytes = walk_places_of(a, lanes, s.c.threads / 32, back).bytes;
    void (*const ahead)(walk_args) = lanes == 1   ? walk_forward<1>
                                     : lanes == 2 ? walk_forward<2>
                                     : lanes == 4 ? walk_forward<4>
                                                  : walk_forward<8>;
    void (*const backward)(walk_args) = lanes == 1   ? walk_back<1>
                                        : lanes == 2 ? walk_back<2>
                                        : lanes == 4 ? walk_back<4>
                                                     : walk_back<8>;
    return launch_kernel<walk_args>(back ? backward : ahead, blocks, s.c.threads, bytes, false, a,
                                    s.stream, "the recurrent delta product", s.err);
}

static int walk_forwards(const fsa2lrnn_delta_product_out *out, void *kept,
                         const fsa2lrnn_delta_product_in *in, const delta_pass &s)
{
    const bool bf16 = s.p->state_type == FSA2LRNN_KERNELS_BF16;
    walk_args a = walk_arguments(in, s);
    a.out = array_of(out->out, s.p->type), a.kept = static_cast<float *>(kept);
    a.initial = states_of(in->initial, bf16, s.p), a.final = states_of(out->final, bf16, s.p);
    return launch_walk(a, false, s);
}

static float *part_of(const fsa2lrnn_kernels_array &to, size_t offset, const delta_pass &s)
{
    return to.data ? reinterpret_cast<float *>(s.work + offset) : nullptr;
}

static int walk_backwards(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                          const fsa2lrnn_delta_product_in *in, const delta_pass &s)
{
    const fsa2lrnn_delta_product *p = s.p;
    const bool per_key = p->gate == FSA2LRNN_KERNELS_GATE_KEY;
    walk_args a = walk_arguments(in, s);
    a.dout = array_of(grad->dout, p->type), a.dv = array_of(grad->dv, p->type);
    a.kept = static_cast<float *>(const_cast<void *>(kept));
    a.anchors = reinterpret_cast<float *>(s.work + s.at.anchors);
    a.errors = reinterpret_cast<float *>(s.work + s.at.errors);
    a.dq = part_of(grad->dq, s.at.dq, s), a.dk = part_of(grad->dk, s.at.dk, s);
    a.dbeta = part_of(grad->dbeta, s.at.dbeta, s), a.dg = part_of(grad->dg, s.at.dg, s);
    a.q_part = static_cast<size_t>(s.rows(false)) * a.heads * a.key;
    a.k_part = static_cast<size_t>(s.rows(true)) * a.heads * a.key;
    a.beta_part = static_cast<size_t>(s.rows(true)) * a.heads;
    a.g_part = static_cast<size_t>(s.rows(false)) * a.heads * (per_key ? a.key : 1);
    a.dfinal = states_of(grad->dfinal, false, p);
    a.dinitial = states_of(grad->dinitial, p->state_type == FSA2LRNN_KERNELS_BF16, p);
    int status = launch_walk(a, true, s);
    const int f32 = FSA2LRNN_KERNELS_F32;
    if (status == OK) status = finish(grad->dq, in->q, s.at.dq, f32, a.strips, a.key, false, s);
    if (status == OK) status = finish(grad->dk, in->k, s.at.dk, f32, a.strips, a.key, true, s);
    if (status == OK)
        status = finish_numbers(grad->dbeta, &in->beta, s.at.dbeta, a.strips, true, s);
    if (status != OK || !p->gate) return status;
    return per_key ? finish_gates(grad->dg, s.at.dg, a.strips, s)
                   : finish_numbers(grad->dg, nullptr, s.at.dg, a.strips, false, s);
}

int f2l_kernels_cuda_delta_forward(const fsa2lrnn_delta_product_out *out, void *kept, void *work,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, void *stream,
                                   fsa2lrnn_kernels_error *err)
{
    delta_pass s;
    const int status = begin(&s, work, false, p, stream, err);
    if (status != OK || !p->sequences) return status;
    return s.c.tensor ? tensor_forward(out, kept, in, s) : walk_forwards(out, kept, in, s);
}

int f2l_kernels_cuda_delta_backward(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                                    void *work, const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, void *stream,
                                    fsa2lrnn_kernels_error *err)
{
    delta_pass s;
    const int status = begin(&s, work, true, p, stream, err);
    if (status != OK || !p->sequences) return status;
    if (!kept && s.at.kept)
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                "kept is NULL, and backward needs what forward kept");
    return s.c.tensor ? tensor_back(grad, kept, in, s) : walk_backwards(grad, kept, in, s);
}

int f2l_kernels_cuda_delta_step(const fsa2lrnn_delta_product_out *out, void *states,
                                const fsa2lrnn_delta_product_in *in,
                                const fsa2lrnn_delta_product *p, void *stream,
                                fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product recurrent = *p;
    fsa2lrnn_delta_product_in from = *in;
    fsa2lrnn_delta_product_out to = *out;
    recurrent.path = FSA2LRNN_KERNELS_RECURRENT;
    from.initial = to.final = states;
    return f2l_kernels_cuda_delta_forward(&to, nullptr, nullptr, &from, &recurrent, stream, err);
}
