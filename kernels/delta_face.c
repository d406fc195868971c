/* The door of the delta product: every call is checked here, and goes to a device. */
#include "kernels/base/kernels_fail.h"
#include "kernels/delta.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#ifdef F2L_HAVE_CUDA
#include "cuda/kernels/kernels_cuda.h"
#else
#define f2l_kernels_cuda_delta_bytes(kept, forward, backward, p, err) f2l_kernels_refuse_cuda(err)
#define f2l_kernels_cuda_delta_forward(out, kept, work, in, p, stream, err) \
    f2l_kernels_refuse_cuda(err)
#define f2l_kernels_cuda_delta_backward(grad, kept, work, in, p, stream, err) \
    f2l_kernels_refuse_cuda(err)
#define f2l_kernels_cuda_delta_step(out, states, in, p, stream, err) f2l_kernels_refuse_cuda(err)
#define f2l_kernels_cuda_delta_path(text, size, p, err) f2l_kernels_refuse_cuda(err)
#endif

enum { OK = FSA2LRNN_KERNELS_OK, INVALID = FSA2LRNN_KERNELS_EINVAL };

static bool on_cpu(const fsa2lrnn_delta_product *p)
{
    return p->device == FSA2LRNN_KERNELS_CPU;
}

int fsa2lrnn_delta_product_bytes(size_t *kept, size_t *forward_work, size_t *backward_work,
                                 const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product mine;
    size_t bytes[3] = {0, 0, 0};
    int status = f2l_kernels_delta_plan(&mine, p, err);
    if (!status && !on_cpu(&mine))
        status = f2l_kernels_cuda_delta_bytes(&bytes[0], &bytes[1], &bytes[2], &mine, err);
    if (kept) *kept = bytes[0];
    if (forward_work) *forward_work = bytes[1];
    if (backward_work) *backward_work = bytes[2];
    return status;
}

static int check_workspace(const void *kept, const void *work, fsa2lrnn_kernels_error *err)
{
    if ((uintptr_t)kept % 256 || (uintptr_t)work % 256)
        return f2l_kernels_fail(err, INVALID, "%s is not aligned to 256 bytes",
                                (uintptr_t)kept % 256 ? "kept" : "work");
    return OK;
}

int fsa2lrnn_delta_product_forward(const fsa2lrnn_delta_product_out *out, void *kept, void *work,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, void *stream,
                                   fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product mine;
    fsa2lrnn_delta_product_in mine_in;
    fsa2lrnn_delta_product_out mine_out;
    (void)stream;
    int status = f2l_kernels_delta_plan(&mine, p, err);
    if (!status) status = f2l_kernels_delta_in(&mine_in, in, &mine, err);
    if (!status) status = f2l_kernels_delta_out(&mine_out, out, &mine, err);
    if (!status) status = check_workspace(kept, work, err);
    if (status) return status;
    if (on_cpu(&mine)) return f2l_kernels_host_delta_forward(&mine_out, &mine_in, &mine, err);
    return f2l_kernels_cuda_delta_forward(&mine_out, kept, work, &mine_in, &mine, stream, err);
}

int fsa2lrnn_delta_product_backward(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                                    void *work, const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, void *stream,
                                    fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product mine;
    fsa2lrnn_delta_product_in mine_in;
    fsa2lrnn_delta_product_grad mine_grad;
    (void)stream;
    int status = f2l_kernels_delta_plan(&mine, p, err);
    if (!status) status = f2l_kernels_delta_in(&mine_in, in, &mine, err);
    if (!status) status = f2l_kernels_delta_grad(&mine_grad, grad, &mine_in, &mine, err);
    if (!status) status = check_workspace(kept, work, err);
    if (status) return status;
    if (on_cpu(&mine)) return f2l_kernels_host_delta_backward(&mine_grad, &mine_in, &mine, err);
    return f2l_kernels_cuda_delta_backward(&mine_grad, kept, work, &mine_in, &mine, stream, err);
}

int fsa2lrnn_delta_product_step(const fsa2lrnn_delta_product_out *out, void *states,
                                const fsa2lrnn_delta_product_in *in,
                                const fsa2lrnn_delta_product *p, void *stream,
                                fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product mine;
    fsa2lrnn_delta_product_in mine_in;
    fsa2lrnn_delta_product_out mine_out;
    (void)stream;
    int status = f2l_kernels_delta_plan(&mine, p, err);
    if (!status && (mine.tokens != 1 || mine.cu_seqlens))
        status = f2l_kernels_fail(err, INVALID,
                                  "a step takes one token of each of `batch` "
                                  "sequences: tokens is 1 and cu_seqlens NULL");
    if (!status) status = f2l_kernels_delta_in(&mine_in, in, &mine, err);
    if (!status) status = f2l_kernels_delta_out(&mine_out, out, &mine, err);
    if (!status && !states && mine.sequences)
        status = f2l_kernels_fail(err, INVALID, "states is NULL");
    if (status) return status;
    mine_in.initial = mine_out.final = states;
    if (on_cpu(&mine)) return f2l_kernels_host_delta_forward(&mine_out, &mine_in, &mine, err);
    return f2l_kernels_cuda_delta_step(&mine_out, states, &mine_in, &mine, stream, err);
}

int fsa2lrnn_delta_product_path(char *text, size_t size, const fsa2lrnn_delta_product *p,
                                fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_delta_product mine;
    const int status = f2l_kernels_delta_plan(&mine, p, err);
    if (status) return status;
    if (!text || !size) return f2l_kernels_fail(err, INVALID, "text is NULL or has no place");
    if (!on_cpu(&mine)) return f2l_kernels_cuda_delta_path(text, size, &mine, err);
    snprintf(text, size, "recurrent: on the CPU there is no other path");
    return OK;
}
