/* Launchers of the selective recurrence; its kernels are in cuda/op/cuda_select.cuh and
 * cuda/op/cuda_select_back.cuh.
 * CPU reference: forward_diagonal, backward_diagonal in
 * models/learn/seq/diagonal/seq_diagonal_pass.c. */
#include "cuda/op/cuda_columns.cuh"
#include "cuda/op/cuda_select_back.cuh"
extern "C" {
#include "numeric/base/mem.h"
}

/* Adds the blocks' sums of dB and dC, in order. */
template <typename T>
static __global__ void __launch_bounds__(256)
    add_blocks(T *dwrite, T *dread, const float *partial, unsigned states, unsigned blocks,
               size_t stride, size_t count)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x, row = i / (2 * states);
    const unsigned n = (unsigned)(i % (2 * states));
    if (i >= count) return;
    float total = 0;
    for (unsigned k = 0; k < blocks; k++) total += partial[(row * blocks + k) * 2 * states + n];
    put_one((n < states ? dwrite : dread) + row * stride + n % states, total);
}

static size_t channels_of(const f2l_cuda_select_shape *s)
{
    return s->states <= 16   ? layout<8, 2>::CHANNELS
           : s->states <= 32 ? layout<8, 4>::CHANNELS
                             : layout<8, 8>::CHANNELS;
}

static size_t select_blocks(const f2l_cuda_select_shape *s)
{
    return (s->channels + channels_of(s) - 1) / channels_of(s);
}

/* Places in a chunk of rows, or of partial sums, are 32-bit numbers. */
constexpr size_t MOST_COLUMNS = 1 << 23;

static f2l_status check_select_shape(const f2l_cuda_select_shape *s, f2l_error *err)
{
    size_t rows, numbers;
    if (s->states >= 1 && s->states <= F2L_CUDA_SELECT_STATES && s->channels >= 1 &&
        s->channels <= MOST_COLUMNS && s->stride <= MOST_COLUMNS &&
        s->gate_stride <= MOST_COLUMNS && s->tokens <= INT32_MAX - CHUNK &&
        f2l_mul_size(&rows, s->batch, s->tokens) && rows <= INT32_MAX &&
        f2l_mul_size(&numbers, rows * s->states, s->channels) && numbers <= SIZE_MAX / 64 &&
        s->batch * select_blocks(s) <= INT32_MAX)
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "no kernel takes %zu sequences of %zu letters, %zu channels of %zu states",
                    s->batch, s->tokens, s->channels, s->states);
}

f2l_status f2l_cuda_select_bytes(size_t *kept, size_t *work, const f2l_cuda_select_shape *shape,
                                 f2l_error *err)
{
    const f2l_cuda_select_shape *s = shape;
    const f2l_status status = check_select_shape(s, err);
    if (status != F2L_OK) return status;
    *kept = s->batch * ((s->tokens + CHUNK - 1) / CHUNK) * s->channels * s->states * sizeof(float);
    *work = (s->batch * s->tokens * select_blocks(s) * 2 * s->states +
             s->batch * s->channels * (s->states + 2)) *
            sizeof(float);
    return F2L_OK;
}

#define LAYOUT_OF(LAUNCH) \
    if (shape->states <= 4) { \
        LAUNCH(4, 1); \
    } else if (shape->states <= 8) { \
        LAUNCH(8, 1); \
    } else if (shape->states <= 16) { \
        LAUNCH(8, 2); \
    } else if (shape->states <= 32) { \
        LAUNCH(8, 4); \
    } else { \
        LAUNCH(8, 8); \
    }

template <typename T>
static void launch_select_forward(T *out, float *kept, const f2l_cuda_select_in *in,
                                  const f2l_cuda_select_shape *shape, void *stream)
{
    const unsigned blocks = (unsigned)select_blocks(shape), grid = blocks * (unsigned)shape->batch;
    const bool wide = shape->states % 4 == 0 && aligned(kept);
#define LAUNCH(PER, LANES) \
    const auto kernel = shape->first ? forward<T, layout<PER, LANES>, true> \
                                     : forward<T, layout<PER, LANES>, false>; \
    kernel<<<grid, layout<PER, LANES>::THREADS, 0, on(stream)>>>(out, kept, *in, *shape, blocks, \
                                                                 wide)
    LAYOUT_OF(LAUNCH)
#undef LAUNCH
}

f2l_status f2l_cuda_select_forward(void *out, void *kept, const f2l_cuda_select_in *in,
                                   const f2l_cuda_select_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check_select_shape(shape, err);
    if (status != F2L_OK || shape->batch == 0 || shape->tokens == 0) return status;
    if (shape->type == F2L_CUDA_F32)
        launch_select_forward((float *)out, (float *)kept, in, shape, stream);
    else
        launch_select_forward((bf16 *)out, (float *)kept, in, shape, stream);
    return launched("a selective recurrence", err);
}

template <typename T>
static void launch_select_backward(const f2l_cuda_select_grad *grad, const partials &part,
                                   const T *dout, const float *kept, const f2l_cuda_select_in *in,
                                   const f2l_cuda_select_shape *shape, void *stream)
{
    const unsigned blocks = (unsigned)select_blocks(shape), grid = blocks * (unsigned)shape->batch;
    const size_t rows = shape->first ? shape->rows : shape->batch * shape->tokens,
                 count = rows * 2 * shape->states;
    const bool wide = shape->states % 4 == 0 && aligned(kept) && aligned(part.state_log);
#define LAUNCH(PER, LANES) \
    const auto kernel = shape->first ? backward<T, layout<PER, LANES>, true> \
                                     : backward<T, layout<PER, LANES>, false>; \
    kernel<<<grid, layout<PER, LANES>::THREADS, 0, on(stream)>>>(*grad, part, dout, kept, *in, \
                                                                 *shape, blocks, wide)
    LAYOUT_OF(LAUNCH)
#undef LAUNCH
    add_blocks<<<(unsigned)((count - 1) / 256 + 1), 256, 0, on(stream)>>>(
        (T *)grad->dwrite, (T *)grad->dread, part.write_read, (unsigned)shape->states, blocks,
        shape->stride, count);
}

f2l_status f2l_cuda_select_backward(const f2l_cuda_select_grad *grad, const void *dout,
                                    const void *kept, void *work, const f2l_cuda_select_in *in,
                                    const f2l_cuda_select_shape *shape, void *stream,
                                    f2l_error *err)
{
    const f2l_cuda_select_shape *s = shape;
    f2l_status status = check_select_shape(s, err);
    if (status != F2L_OK || s->batch == 0 || s->tokens == 0) return status;
    partials part;
    part.write_read = (float *)work;
    part.state_log = part.write_read + s->batch * s->tokens * select_blocks(s) * 2 * s->states;
    part.bias = part.state_log + s->batch * s->channels * s->states;
    part.skip = part.bias + s->batch * s->channels;
    if (s->type == F2L_CUDA_F32)
        launch_select_backward(grad, part, (const float *)dout, (const float *)kept, in, s, stream);
    else
        launch_select_backward(grad, part, (const bf16 *)dout, (const float *)kept, in, s, stream);
    status = launched("a selective recurrence's gradient", err);
    if (status == F2L_OK)
        status = add_columns(grad->dstate_log, part.state_log, s->batch, s->channels * s->states,
                             stream, err);
    if (status == F2L_OK)
        status = add_columns(grad->dbias, part.bias, s->batch, s->channels, stream, err);
    return status == F2L_OK
               ? add_columns(grad->dskip, part.skip, s->batch, s->channels, stream, err)
               : status;
}
