#include "cuda/step/cuda_need.h"
#include "cuda/step/impl.h"
#include "numeric/base/mem.h"

/* The address of all memory: nothing reads or writes it, since nothing is launched. */
static char nowhere;

static f2l_status promise(void **out, size_t bytes, f2l_error *err)
{
    (void)bytes, (void)err;
    *out = &nowhere;
    return F2L_OK;
}
static void take_back(void *memory)
{
    (void)memory;
}
static f2l_status promise_stream(void **stream, f2l_error *err)
{
    return promise(stream, 0, err);
}
static f2l_status promise_wait(void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    return F2L_OK;
}
static f2l_status promise_fill(void *to, int byte, size_t bytes, void *stream, f2l_error *err)
{
    (void)to, (void)byte, (void)bytes, (void)stream, (void)err;
    return F2L_OK;
}
static f2l_status promise_blas(f2l_cuda_blas **out, f2l_error *err)
{
    (void)err;
    *out = NULL;
    return F2L_OK;
}
static void take_back_blas(f2l_cuda_blas *blas)
{
    (void)blas;
}

/* Returns operators with the same sizes, on a device that is never used. */
static f2l_cuda_kernels sizes_of(const f2l_cuda_kernels *kernels)
{
    f2l_cuda_kernels k = *kernels;
    k.alloc = k.alloc_host = promise;
    k.free = k.free_host = k.stream_free = k.graph_free = take_back;
    k.stream_new = promise_stream;
    k.wait = promise_wait;
    k.fill = promise_fill;
    k.blas_new = promise_blas;
    k.blas_free = take_back_blas;
    return k;
}

f2l_status f2l_cuda_step_need(size_t *bytes, const f2l_cuda_step_shape *shape, f2l_cuda_type type,
                              size_t sequences, size_t length, const f2l_cuda_kernels *kernels,
                              f2l_error *err)
{
    const f2l_cuda_kernels sizes = sizes_of(kernels);
    f2l_cuda_step *step;
    size_t rows, planned;
    f2l_status status = f2l_cuda_step_new(&step, shape, type, &sizes, err);
    if (status != F2L_OK) return status;
    *bytes = f2l_cuda_step_bytes(step);
    step->sequences = sequences;
    step->length =
        (length + F2L_CUDA_STEP_LETTERS - 1) / F2L_CUDA_STEP_LETTERS * F2L_CUDA_STEP_LETTERS;
    if (!f2l_mul_size(&rows, sequences, step->length) || rows > INT32_MAX / step->columns.parts)
        status = f2l_fail(err, F2L_EDOMAIN, "a batch of %zu sequences of %zu letters is too large",
                          sequences, length);
    if (status == F2L_OK) status = f2l_step_place(&planned, step, NULL, err);
    if (status == F2L_OK && !f2l_add_size(bytes, *bytes, planned))
        status = f2l_fail(err, F2L_EDOMAIN, "a step needs more memory than can be counted");
    f2l_cuda_step_free(step);
    return status;
}

f2l_status f2l_cuda_answer_need(size_t *bytes, const f2l_cuda_step_shape *shape, f2l_cuda_type type,
                                size_t sequences, size_t positions,
                                const f2l_cuda_answer_kernels *kernels, f2l_error *err)
{
    const f2l_cuda_kernels sizes = sizes_of(kernels->step);
    f2l_cuda_answer_kernels k = *kernels;
    f2l_cuda_answer *answer;
    k.step = &sizes;
    const f2l_status status =
        f2l_cuda_answer_new(&answer, shape, type, sequences, positions, &k, err);
    if (status != F2L_OK) return status;
    *bytes = f2l_cuda_answer_bytes(answer);
    f2l_cuda_answer_free(answer);
    return F2L_OK;
}
