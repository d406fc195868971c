#include "cuda/cuda_kernels.h"
#include "cuda/delta/cuda_delta.h"
#include "cuda/delta/cuda_recurrent.h"

/* Returns whether the kernels of the tensor cores support the shape; the recurrent kernels do all
 * other shapes. */
static bool through_tensor_cores(const f2l_cuda_mixer_in *in)
{
    const f2l_delta_shape *s = &in->shape;
    return in->type == F2L_CUDA_BF16 && in->gate == NULL && s->key == s->value &&
           (s->key == 32 || s->key == 64 || s->key == 128);
}

/* Returns the bytes that their forward keeps: S after the last token, then G. */
static size_t state_bytes(const f2l_delta_shape *s)
{
    return (s->batch * s->heads * s->key * s->value * sizeof(float) + 255) / 256 * 256;
}

static f2l_recurrent_in recurrent_in(const f2l_cuda_mixer_in *in)
{
    return (f2l_recurrent_in){.bf16 = in->type == F2L_CUDA_BF16,
                              .q = in->q,
                              .k = in->k,
                              .v = in->v,
                              .beta = in->beta,
                              .gate = in->gate,
                              .h0 = in->h0,
                              .letter = in->letter,
                              .first = in->first};
}

static f2l_delta_mma_in delta_in(const f2l_cuda_mixer_in *in)
{
    return (f2l_delta_mma_in){.q = in->q,
                              .k = in->k,
                              .v = in->v,
                              .beta = in->beta,
                              .h0 = in->h0,
                              .letter = in->letter,
                              .first = in->first};
}

f2l_status f2l_cuda_mixer_bytes(size_t *kept, size_t *work, const f2l_cuda_mixer_in *in,
                                f2l_error *err)
{
    const f2l_delta_shape *s = &in->shape;
    if (through_tensor_cores(in)) {
        *kept = f2l_cuda_delta_kept(s);
        *work = f2l_cuda_delta_work(s, in->h0 != NULL);
    } else {
        *kept = f2l_cuda_recurrent_kept(s);
        *work = f2l_cuda_recurrent_work(s, in->gate != NULL, in->h0 != NULL);
    }
    if (*kept == SIZE_MAX || *work == SIZE_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "no kernel takes %zu sequences of %zu letters, %zu heads, %zu factors, %zu "
                        "x %zu",
                        s->batch, s->tokens, s->heads, s->householders, s->key, s->value);
    if (through_tensor_cores(in)) *kept += state_bytes(s);
    return F2L_OK;
}

f2l_status f2l_cuda_mixer_forward(void *out, void *kept, void *work, const f2l_cuda_mixer_in *in,
                                  void *stream, f2l_error *err)
{
    (void)work;
    if (through_tensor_cores(in)) {
        const f2l_delta_mma_in inputs = delta_in(in);
        return f2l_cuda_delta_forward(out, kept,
                                      (uint16_t *)(void *)((char *)kept + state_bytes(&in->shape)),
                                      false, &inputs, &in->shape, stream, err);
    }
    const f2l_recurrent_in inputs = recurrent_in(in);
    return f2l_cuda_recurrent_forward(out, NULL, kept, &inputs, &in->shape, stream, err);
}

f2l_status f2l_cuda_mixer_backward(const f2l_cuda_mixer_grad *grad, const void *dout, void *kept,
                                   void *work, const f2l_cuda_mixer_in *in, void *stream,
                                   f2l_error *err)
{
    if (through_tensor_cores(in)) {
        const f2l_delta_mma_in inputs = delta_in(in);
        const f2l_delta_mma_grad to = {grad->dq, grad->dk, grad->dv, grad->dbeta, grad->dh0};
        return f2l_cuda_delta_backward(
            &to, dout,
            (const uint16_t *)(const void *)((const char *)kept + state_bytes(&in->shape)), kept,
            work, &inputs, &in->shape, stream, err);
    }
    const f2l_recurrent_in inputs = recurrent_in(in);
    const f2l_recurrent_grad to = {grad->dq,    grad->dk,    grad->dv,
                                   grad->dbeta, grad->dgate, grad->dh0};
    return f2l_cuda_recurrent_backward(&to, dout, kept, work, &inputs, &in->shape, stream, err);
}

#define KERNEL(name) .name = f2l_cuda_##name
const f2l_cuda_kernels f2l_cuda_kernels_device = {KERNEL(alloc),
                                                  KERNEL(free),
                                                  KERNEL(alloc_host),
                                                  KERNEL(free_host),
                                                  KERNEL(to_device),
                                                  KERNEL(to_host),
                                                  KERNEL(fill),
                                                  KERNEL(stream_new),
                                                  KERNEL(stream_free),
                                                  KERNEL(wait),
                                                  KERNEL(graph_begin),
                                                  KERNEL(graph_end),
                                                  KERNEL(graph_run),
                                                  KERNEL(graph_free),
                                                  KERNEL(cast),
                                                  KERNEL(swiglu_forward),
                                                  KERNEL(swiglu_backward),
                                                  KERNEL(sigmoid_forward),
                                                  KERNEL(sigmoid_backward),
                                                  KERNEL(decay_work),
                                                  KERNEL(decay_forward),
                                                  KERNEL(decay_backward),
                                                  KERNEL(rmsnorm_forward),
                                                  KERNEL(rmsnorm_work),
                                                  KERNEL(rmsnorm_backward),
                                                  KERNEL(unit_forward),
                                                  KERNEL(unit_backward),
                                                  KERNEL(letters_bytes),
                                                  KERNEL(letters_index),
                                                  KERNEL(letters_work),
                                                  KERNEL(letters_sum),
                                                  KERNEL(loss_work),
                                                  KERNEL(loss),
                                                  KERNEL(adamw_work),
                                                  KERNEL(adamw),
                                                  KERNEL(blas_new),
                                                  KERNEL(blas_free),
                                                  KERNEL(product_new),
                                                  KERNEL(product_free),
                                                  KERNEL(product_run),
                                                  KERNEL(mixer_bytes),
                                                  KERNEL(mixer_forward),
                                                  KERNEL(mixer_backward),
                                                  KERNEL(embed_forward),
                                                  KERNEL(conv_forward),
                                                  KERNEL(conv_work),
                                                  KERNEL(conv_backward),
                                                  KERNEL(select_bytes),
                                                  KERNEL(select_forward),
                                                  KERNEL(select_backward),
                                                  KERNEL(rates_work),
                                                  KERNEL(rates_forward),
                                                  KERNEL(rates_backward),
                                                  KERNEL(dplr_bytes),
                                                  KERNEL(dplr_forward),
                                                  KERNEL(dplr_backward),
                                                  KERNEL(pairs_bytes),
                                                  KERNEL(pairs_forward),
                                                  KERNEL(pairs_backward),
                                                  KERNEL(gate_forward),
                                                  KERNEL(gate_backward)};
#undef KERNEL
