/* Launchers of the recurrence with a diagonal and a rank-one term; its kernels are in
 * cuda/op/cuda_dplr.cuh and cuda/op/cuda_dplr_back.cuh.
 * CPU reference: f2l_dplr_forward, f2l_dplr_backward in models/learn/op/op_dplr.c. */
#include "cuda/op/cuda_dplr_back.cuh"
extern "C" {
#include "numeric/base/mem.h"
}

/* Warps of backward that run at once on a device of 132 multiprocessors: more blocks would only
 * need a larger workspace. */
constexpr size_t SLOTS = 2112;

static size_t key_of(const f2l_cuda_dplr_shape *s)
{
    return s->key <= 16 ? 16 : s->key <= 32 ? 32 : s->key <= 64 ? 64 : 128;
}

static size_t warps_of(const f2l_cuda_dplr_shape *s)
{
    const size_t width = s->key <= 32 ? tile<32>::WIDTH : tile<64>::WIDTH;
    static_assert(tile<16>::WIDTH == tile<32>::WIDTH && tile<64>::WIDTH == tile<128>::WIDTH, "");
    return (s->value + width - 1) / width;
}

/* Returns the numbers of a kept state. */
static size_t numbers_of(const f2l_cuda_dplr_shape *s)
{
    return key_of(s) * warps_of(s) * (s->key <= 32 ? tile<32>::WIDTH : tile<64>::WIDTH);
}

static size_t dplr_blocks(const f2l_cuda_dplr_shape *s)
{
    const size_t most = SLOTS / warps_of(s), pairs = s->batch * s->heads;
    return pairs < most ? pairs : most;
}

static f2l_status check_dplr_shape(const f2l_cuda_dplr_shape *s, f2l_error *err)
{
    const size_t most = F2L_CUDA_DPLR_DIM;
    size_t pairs, rows, numbers;
    if (s->key >= 1 && s->key <= most && s->value >= 1 && s->value <= most &&
        s->tokens <= INT32_MAX && f2l_mul_size(&pairs, s->batch, s->heads) && pairs <= INT32_MAX &&
        s->batch * s->tokens <= UINT32_MAX && f2l_mul_size(&rows, pairs, s->tokens) &&
        f2l_mul_size(&numbers, rows + pairs, most * most * sizeof(float)))
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "no kernel takes %zu sequences of %zu letters, %zu heads of %zu x %zu",
                    s->batch, s->tokens, s->heads, s->key, s->value);
}

f2l_status f2l_cuda_dplr_bytes(size_t *kept, size_t *work, const f2l_cuda_dplr_shape *shape,
                               f2l_error *err)
{
    const f2l_cuda_dplr_shape *s = shape;
    const f2l_status status = check_dplr_shape(s, err);
    if (status != F2L_OK) return status;
    const size_t segments = (s->tokens + F2L_CUDA_DPLR_SEGMENT - 1) / F2L_CUDA_DPLR_SEGMENT;
    *kept = segments * s->batch * s->heads * numbers_of(s) * sizeof(float);
    *work = dplr_blocks(s) * (F2L_CUDA_DPLR_SEGMENT - 1) * numbers_of(s) * sizeof(float);
    return F2L_OK;
}

#define KEY_OF(LAUNCH) \
    switch (key_of(shape)) { \
    case 16: \
        LAUNCH(16); \
        break; \
    case 32: \
        LAUNCH(32); \
        break; \
    case 64: \
        LAUNCH(64); \
        break; \
    default: \
        LAUNCH(128); \
    }

template <typename T, bool RANKED>
static void launch_dplr_forward(void *out, float *state, void *kept, const f2l_cuda_dplr_in *in,
                                const f2l_cuda_dplr_shape *shape, void *stream)
{
    const unsigned grid = (unsigned)(shape->batch * shape->heads),
                   threads = 32 * (unsigned)warps_of(shape);
#define LAUNCH(KEY) \
    forward<T, KEY, RANKED> \
        <<<grid, threads, 0, on(stream)>>>((T *)out, state, (float *)kept, *in, *shape)
    KEY_OF(LAUNCH)
#undef LAUNCH
}

template <typename T, bool RANKED>
static void launch_dplr_backward(const f2l_cuda_dplr_grad *grad, const void *dout, const void *kept,
                                 void *work, const f2l_cuda_dplr_in *in,
                                 const f2l_cuda_dplr_shape *shape, void *stream)
{
    const unsigned grid = (unsigned)dplr_blocks(shape), threads = 32 * (unsigned)warps_of(shape);
#define LAUNCH(KEY) \
    backward<T, KEY, RANKED><<<grid, threads, 0, on(stream)>>>( \
        *grad, (const T *)dout, (const float *)kept, (float *)work, *in, *shape, grid)
    KEY_OF(LAUNCH)
#undef LAUNCH
}

f2l_status f2l_cuda_dplr_forward(void *out, float *state, void *kept, const f2l_cuda_dplr_in *in,
                                 const f2l_cuda_dplr_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check_dplr_shape(shape, err);
    if (status != F2L_OK || shape->batch * shape->heads * shape->tokens == 0) return status;
    if (shape->type == F2L_CUDA_F32 && shape->ranked)
        launch_dplr_forward<float, true>(out, state, kept, in, shape, stream);
    else if (shape->type == F2L_CUDA_F32)
        launch_dplr_forward<float, false>(out, state, kept, in, shape, stream);
    else if (shape->ranked)
        launch_dplr_forward<bf16, true>(out, state, kept, in, shape, stream);
    else
        launch_dplr_forward<bf16, false>(out, state, kept, in, shape, stream);
    return launched("a recurrence with a gate for each key", err);
}

f2l_status f2l_cuda_dplr_backward(const f2l_cuda_dplr_grad *grad, const void *dout,
                                  const void *kept, void *work, const f2l_cuda_dplr_in *in,
                                  const f2l_cuda_dplr_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check_dplr_shape(shape, err);
    if (status != F2L_OK || shape->batch * shape->heads * shape->tokens == 0) return status;
    if (shape->type == F2L_CUDA_F32 && shape->ranked)
        launch_dplr_backward<float, true>(grad, dout, kept, work, in, shape, stream);
    else if (shape->type == F2L_CUDA_F32)
        launch_dplr_backward<float, false>(grad, dout, kept, work, in, shape, stream);
    else if (shape->ranked)
        launch_dplr_backward<bf16, true>(grad, dout, kept, work, in, shape, stream);
    else
        launch_dplr_backward<bf16, false>(grad, dout, kept, work, in, shape, stream);
    return launched("the gradient of a recurrence with a gate for each key", err);
}
