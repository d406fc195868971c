/* Kernels and launches of the forward pass of the recurrent delta product. CPU reference:
 * f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#include "cuda/delta/cuda_recurrent.cuh"

extern "C" {
#include "numeric/base/mem.h"
}

/* Tokens in the ring: one is in use, the others are being copied. */
enum { AHEAD = 3 };

template <typename T> struct forward_call {
    letters<T> word;
    T *out;
    float *state;
    float4 *kept;
    const float *h0;
    unsigned segment;
    bool whole_out;
};

/* Applies one factor; e = v - S^T k. `values` NULL: v = 0. */
template <int KEY, typename T>
static __device__ __forceinline__ void apply_factor(part<KEY> &S, const float (&k)[tile<KEY>::ROWS],
                                                    const T *values, float beta,
                                                    const place<KEY> &me)
{
    float v[4] = {0, 0, 0, 0}, w[4];
    if (values) take4(v, values + me.column);
    columns_of<KEY>(w, S, k);
#pragma unroll
    for (int c = 0; c < 4; c++) w[c] = __fmul_rn(beta, __fsub_rn(v[c], w[c]));
    add_outer<KEY, 1>(S, k, w);
}

/* Applies all factors of the token in `slot`, then computes its output. The next row is read before
 * this row's sums between lanes are waited for; q follows the last key. */
template <int KEY, typename T>
static __device__ __forceinline__ void apply_token(float (&o)[4], part<KEY> &S,
                                                   const unsigned char *slot, const letters<T> &a,
                                                   const place<KEY> &me)
{
    const T *keys = reinterpret_cast<const T *>(slot), *values = a.v ? a.values(slot) : nullptr;
    const float *rates = a.rates(slot);
    float k[tile<KEY>::ROWS], next[tile<KEY>::ROWS];
    if (a.gate) scale<KEY>(S, rates[a.factors]);
    take_rows<KEY>(k, keys, me);
    for (unsigned n = 0; n < a.factors; n++) {
        keys += KEY;
        take_rows<KEY>(next, keys, me);
        apply_factor<KEY>(S, k, values, rates[n], me);
        if (values) values += a.columns;
#pragma unroll
        for (int i = 0; i < tile<KEY>::ROWS; i++) k[i] = next[i];
    }
    columns_of<KEY>(o, S, k);
}

template <typename T, int KEY, bool PACKED>
static __global__ void __launch_bounds__(tile<KEY>::THREADS, 24 / tile<KEY>::WARPS)
    recurrent_forward(const forward_call<T> call)
{
    extern __shared__ __align__(16) unsigned char ring[];
    const letters<T> &a = call.word;
    const place<KEY> me;
    const size_t pair = blockIdx.x, sequence = pair / a.heads,
                 first = a.template begin<PACKED>(sequence),
                 tokens = a.template count<PACKED>(sequence);
    const unsigned head = (unsigned)(pair % a.heads), numbers = a.key * a.value;
    const piece mine = piece_of<KEY>(a);
    part<KEY> S;
    clear_ring(ring, AHEAD * a.slot);
    read_matrix<KEY>(S,
                     call.state ? call.state + pair * numbers
                     : call.h0  ? call.h0 + (size_t)head * numbers
                                : nullptr,
                     a.key, a.value, me);
    for (unsigned d = 0; d + 1 < AHEAD; d++) {
        if (d < tokens)
            stage<FORWARD, KEY>(ring + d * a.slot, a, a.row(first + d), first + d, head, mine);
        commit();
    }
    size_t ahead = AHEAD - 1 < tokens ? a.row(first + AHEAD - 1) : 0; /* a letter, read one token
                                                                         before it is used */
    unsigned now = 0, spare = AHEAD - 1, until_kept = 0;
    for (size_t t = 0; t < tokens; t++) {
        wait_for_all_but<AHEAD - 2>();
        __syncthreads(); /* token t has arrived for all threads, and no thread needs the slot of
                          * t - 1 */
        if (t + AHEAD - 1 < tokens)
            stage<FORWARD, KEY>(ring + spare * a.slot, a, ahead, first + t + AHEAD - 1, head, mine);
        commit();
        if (t + AHEAD < tokens) ahead = a.row(first + t + AHEAD);
        if (call.kept) {
            if (!until_kept) {
                keep<KEY>(call.kept +
                              (t / call.segment * a.pairs + pair) * tile<KEY>::ROWS * blockDim.x,
                          S);
                until_kept = call.segment;
            }
            until_kept--;
        }
        float o[4];
        apply_token<KEY>(o, S, ring + now * a.slot, a, me);
        if (me.row_group == 0)
            give_columns(call.out + ((first + t) * a.heads + head) * a.value, o, me.column, a.value,
                         call.whole_out);
        spare = now, now = now + 1 == AHEAD ? 0 : now + 1;
    }
    if (call.state) write_matrix<KEY>(call.state + pair * numbers, S, a.key, a.value, me);
}

size_t f2l_cuda_recurrent_kept(const f2l_delta_shape *s)
{
    f2l_recurrent_plan plan;
    size_t bytes = sizeof(float);
    if (f2l_recurrent_plan_of(&plan, s, false, nullptr) != F2L_OK) return SIZE_MAX;
    const size_t factor[] = {plan.segments, s->batch, s->heads, plan.key, plan.value};
    for (size_t f : factor)
        if (!f2l_mul_size(&bytes, bytes, f)) return SIZE_MAX;
    return bytes;
}

template <typename T, int KEY, bool PACKED>
static f2l_status launch_recurrent_rows(const forward_call<T> *call, const f2l_recurrent_plan *plan,
                                        void *stream, f2l_error *err)
{
    const unsigned bytes = AHEAD * call->word.slot;
    if (bytes > 48 << 10)
        cudaFuncSetAttribute(recurrent_forward<T, KEY, PACKED>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    recurrent_forward<T, KEY, PACKED>
        <<<(unsigned)call->word.pairs, (unsigned)(32 * plan->warps), bytes, on(stream)>>>(*call);
    return launched("the recurrent delta product", err);
}

template <typename T, int KEY>
static f2l_status launch_recurrent(const forward_call<T> *call, const f2l_recurrent_plan *plan,
                                   void *stream, f2l_error *err)
{
    return call->word.first ? launch_recurrent_rows<T, KEY, true>(call, plan, stream, err)
                            : launch_recurrent_rows<T, KEY, false>(call, plan, stream, err);
}

template <typename T>
static f2l_status choose_recurrent_kernel(void *out, float *state, void *kept,
                                          const f2l_recurrent_in *in, const f2l_delta_shape *s,
                                          const f2l_recurrent_plan *plan, void *stream,
                                          f2l_error *err)
{
    forward_call<T> call = {};
    call.word = letters_of<T>(in, nullptr, s, plan);
    call.out = static_cast<T *>(out), call.state = state, call.kept = static_cast<float4 *>(kept);
    call.h0 = in->h0, call.segment = (unsigned)plan->segment;
    call.whole_out = s->value % 4 == 0 && aligned(out);
    switch (plan->key) {
    case 16:
        return launch_recurrent<T, 16>(&call, plan, stream, err);
    case 32:
        return launch_recurrent<T, 32>(&call, plan, stream, err);
    case 64:
        return launch_recurrent<T, 64>(&call, plan, stream, err);
    default:
        return launch_recurrent<T, 128>(&call, plan, stream, err);
    }
}

f2l_status f2l_cuda_recurrent_forward(void *out, float *state, void *kept,
                                      const f2l_recurrent_in *in, const f2l_delta_shape *s,
                                      void *stream, f2l_error *err)
{
    f2l_recurrent_plan plan;
    const f2l_status status = f2l_recurrent_plan_of(&plan, s, in->gate, err);
    if (status != F2L_OK) return status;
    if (!s->batch || !s->heads || !s->tokens) return F2L_OK;
    if (s->batch > INT32_MAX / s->heads)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences of %zu heads are too many for one launch",
                        s->batch, s->heads);
    return in->bf16 ? choose_recurrent_kernel<bf16>(out, state, kept, in, s, &plan, stream, err)
                    : choose_recurrent_kernel<float>(out, state, kept, in, s, &plan, stream, err);
}
