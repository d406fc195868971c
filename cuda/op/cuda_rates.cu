/* Launchers of cuda/op/cuda_rates.h; the kernels are in cuda/op/cuda_rates.cuh.
 * CPU reference: f2l_rates_forward, f2l_rates_backward in models/learn/op/op_rates.c. */
#include "cuda/op/cuda_columns.cuh"
#include "cuda/op/cuda_rates.cuh"

/* Stripes of few rows, so that there are enough warps, but never more stripes than sums of columns
 * take well. */
static stripes stripes_of(const f2l_cuda_rates_shape *s)
{
    const size_t least = 8;
    size_t rows = (s->rows + MOST_PARTS - 1) / MOST_PARTS;
    if (rows < least) rows = least;
    return {(unsigned)((s->rows + rows - 1) / rows), (unsigned)rows};
}

static f2l_status check_rates_shape(const f2l_cuda_rates_shape *s, f2l_error *err)
{
    if (s->key >= 1 && s->key <= 128 && s->heads >= 1 && s->rows <= INT32_MAX &&
        s->heads <= INT32_MAX / (MOST_PARTS + 1))
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "no kernel takes gates of %zu rows, %zu heads of %zu keys",
                    s->rows, s->heads, s->key);
}

size_t f2l_cuda_rates_work(const f2l_cuda_rates_shape *s)
{
    return (size_t)stripes_of(s).count * s->heads * s->key * PARAMETERS * sizeof(float);
}

#define PER_OF(LAUNCH) \
    if (shape->key <= 32) { \
        LAUNCH(1); \
    } else if (shape->key <= 64) { \
        LAUNCH(2); \
    } else { \
        LAUNCH(4); \
    }

template <typename T, bool WITH_REMOVAL>
static void launch_rates_forward(const f2l_cuda_rates_out *out, const f2l_cuda_rates_in *in,
                                 const f2l_cuda_rates_shape *shape, void *stream)
{
    const stripes parts = stripes_of(shape);
    const unsigned grid = (parts.count * (unsigned)shape->heads + RATES_WARPS - 1) / RATES_WARPS;
#define LAUNCH(PER) \
    rates_forward<T, PER, WITH_REMOVAL> \
        <<<grid, 32 * RATES_WARPS, 0, on(stream)>>>(*out, *in, *shape, parts)
    PER_OF(LAUNCH)
#undef LAUNCH
}

f2l_status f2l_cuda_rates_forward(const f2l_cuda_rates_out *out, const f2l_cuda_rates_in *in,
                                  const f2l_cuda_rates_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check_rates_shape(shape, err);
    if (status != F2L_OK || shape->rows == 0) return status;
    if (shape->type == F2L_CUDA_F32 && shape->removal)
        launch_rates_forward<float, true>(out, in, shape, stream);
    else if (shape->type == F2L_CUDA_F32)
        launch_rates_forward<float, false>(out, in, shape, stream);
    else if (shape->removal)
        launch_rates_forward<bf16, true>(out, in, shape, stream);
    else
        launch_rates_forward<bf16, false>(out, in, shape, stream);
    return launched("the gates of a recurrence", err);
}

template <typename T, bool WITH_REMOVAL>
static void launch_rates_backward(const f2l_cuda_rates_grad *grad, float *partial,
                                  const f2l_cuda_rates_in *in, const f2l_cuda_rates_shape *shape,
                                  void *stream)
{
    const stripes parts = stripes_of(shape);
    const unsigned grid = (parts.count * (unsigned)shape->heads + RATES_WARPS - 1) / RATES_WARPS;
#define LAUNCH(PER) \
    rates_backward<T, PER, WITH_REMOVAL> \
        <<<grid, 32 * RATES_WARPS, 0, on(stream)>>>(*grad, partial, *in, *shape, parts)
    PER_OF(LAUNCH)
#undef LAUNCH
}

f2l_status f2l_cuda_rates_backward(const f2l_cuda_rates_grad *grad, void *work,
                                   const f2l_cuda_rates_in *in, const f2l_cuda_rates_shape *shape,
                                   void *stream, f2l_error *err)
{
    f2l_status status = check_rates_shape(shape, err);
    if (status != F2L_OK || shape->rows == 0) return status;
    float *partial = (float *)work;
    if (shape->type == F2L_CUDA_F32 && shape->removal)
        launch_rates_backward<float, true>(grad, partial, in, shape, stream);
    else if (shape->type == F2L_CUDA_F32)
        launch_rates_backward<float, false>(grad, partial, in, shape, stream);
    else if (shape->removal)
        launch_rates_backward<bf16, true>(grad, partial, in, shape, stream);
    else
        launch_rates_backward<bf16, false>(grad, partial, in, shape, stream);
    status = launched("the gradient of the gates of a recurrence", err);
    float *const sum[PARAMETERS] = {grad->dgate_bias, grad->drate_bias, grad->dremoval,
                                    grad->dreplacement};
    const size_t count = stripes_of(shape).count, keys = shape->heads * shape->key;
    for (int n = 0; status == F2L_OK && n < (shape->removal ? PARAMETERS : 1); n++)
        status = add_columns(sum[n], partial + n * count * keys, count, keys, stream, err);
    return status;
}
