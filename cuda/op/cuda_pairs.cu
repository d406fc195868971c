/* Launchers of the operators that weigh pairs of letters; their kernels are in
 * cuda/op/cuda_pairs.cuh, cuda/op/cuda_pairs_back.cuh and cuda/op/cuda_pairs_stream.cuh.
 * CPU reference: f2l_attention_forward, f2l_attention_backward in models/learn/op/op_attention.c;
 * f2l_mlstm_forward, f2l_mlstm_backward in models/learn/op/op_mlstm.c. */
#include "cuda/op/cuda_columns.cuh"
#include "cuda/op/cuda_pairs_back.cuh"
#include "cuda/op/cuda_pairs_stream.cuh"
extern "C" {
#include "numeric/base/mem.h"
}

static size_t larger_dim(const f2l_cuda_pairs_shape *s)
{
    return s->key > s->value ? s->key : s->value;
}

static size_t tiles_of(const f2l_cuda_pairs_shape *s)
{
    const size_t letters = larger_dim(s) > 64 ? 16 : 32;
    return (s->tokens + letters - 1) / letters;
}

static f2l_status refuse(const f2l_cuda_pairs_shape *s, f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN,
                    "no kernel takes %zu sequences of %zu letters, %zu heads of %zu x %zu%s",
                    s->batch, s->tokens, s->heads, s->key, s->value,
                    s->key % 2 ? ", an odd number of pairs" : "");
}

/* Letters and windows are 32-bit numbers; strides are limited so that places in a row are, too. */
static f2l_status check_pairs_shape(const f2l_cuda_pairs_shape *s, f2l_error *err)
{
    const size_t most = 1 << 23;
    size_t heads, numbers;
    if (s->key >= 1 && s->value >= 1 && larger_dim(s) <= F2L_CUDA_PAIRS_DIM && s->heads >= 1 &&
        (s->mlstm || s->key % 2 == 0) && s->window >= 1 && s->window <= INT32_MAX / 2 &&
        s->tokens <= INT32_MAX / 4 && s->key_stride <= most && s->value_stride <= most &&
        s->gate_stride <= most && s->heads <= most && f2l_mul_size(&heads, s->batch, s->heads) &&
        f2l_mul_size(&numbers, heads, s->tokens) && numbers <= INT32_MAX)
        return F2L_OK;
    return refuse(s, err);
}

/* Sets the places in `from` (NULL: sizes only), and returns the bytes. */
static size_t place_kept(kept_numbers *kept, void *from, const f2l_cuda_pairs_shape *s)
{
    const size_t letters = s->batch * s->heads * s->tokens, half = s->tokens * (s->key / 2);
    double *row = (double *)from;
    float *single = (float *)(row + (s->mlstm ? 2 * letters : 0));
    kept->row = row;
    kept->column = row + letters;
    kept->bound = single;
    kept->size = single + letters;
    kept->cosine = single + letters;
    kept->sine = kept->cosine + half;
    return s->mlstm ? letters * (2 * sizeof(double) + 2 * sizeof(float))
                    : (letters + 2 * half) * sizeof(float);
}
static size_t place_work(work_numbers *work, void *from, const f2l_cuda_pairs_shape *s)
{
    const size_t heads = s->batch * s->heads, letters = heads * s->tokens;
    work->toward = (float *)from;
    work->rows = work->toward + letters;
    work->columns = work->rows + letters;
    work->part[0] = work->columns + letters;
    work->part[1] = work->part[0] + heads;
    return (s->mlstm ? 3 * letters + 2 * heads : letters) * sizeof(float);
}

/* mLSTM has no window. */
static f2l_cuda_pairs_shape seen_of(const f2l_cuda_pairs_shape *shape)
{
    f2l_cuda_pairs_shape s = *shape;
    if (s.mlstm) s.window = s.tokens > 0 ? s.tokens : 1;
    return s;
}

f2l_status f2l_cuda_pairs_bytes(size_t *kept, size_t *work, const f2l_cuda_pairs_shape *shape,
                                f2l_error *err)
{
    const f2l_cuda_pairs_shape s = seen_of(shape);
    kept_numbers k;
    work_numbers w;
    const f2l_status status = check_pairs_shape(&s, err);
    if (status != F2L_OK) return status;
    *kept = place_kept(&k, NULL, &s);
    *work = place_work(&w, NULL, &s);
    return F2L_OK;
}

#define LAYOUT_OF(LAUNCH, MLSTM) \
    if (larger_dim(&s) <= 32) { \
        LAUNCH(32, MLSTM); \
    } else if (larger_dim(&s) <= 64) { \
        LAUNCH(64, MLSTM); \
    } else { \
        LAUNCH(128, MLSTM); \
    }

template <typename T>
static void launch_pairs_forward(T *out, const kept_numbers &kept, const f2l_cuda_pairs_in *in,
                                 const f2l_cuda_pairs_shape &s, void *stream)
{
    const unsigned tiles = (unsigned)tiles_of(&s), heads = (unsigned)(s.batch * s.heads),
                   grid = heads * tiles, half = (unsigned)(s.key / 2);
    const size_t angles = s.tokens * half;
#define LAUNCH(D, MLSTM) \
    forward<T, pairs<D, MLSTM>> \
        <<<grid, pairs<D, MLSTM>::THREADS, 0, on(stream)>>>(out, kept, *in, s, tiles)
    if (s.mlstm) {
        gates<T><<<(heads + 127) / 128, 128, 0, on(stream)>>>(kept, *in, s);
        LAYOUT_OF(LAUNCH, true)
    } else {
        turns<<<(unsigned)((angles + 255) / 256), 256, 0, on(stream)>>>(kept.cosine, kept.sine,
                                                                        half, angles);
        LAYOUT_OF(LAUNCH, false)
    }
#undef LAUNCH
}

f2l_status f2l_cuda_pairs_forward(void *out, void *kept, const f2l_cuda_pairs_in *in,
                                  const f2l_cuda_pairs_shape *shape, void *stream, f2l_error *err)
{
    const f2l_cuda_pairs_shape s = seen_of(shape);
    const f2l_status status = check_pairs_shape(&s, err);
    kept_numbers k;
    if (status != F2L_OK || s.batch == 0 || s.tokens == 0) return status;
    (void)place_kept(&k, kept, &s);
    if (s.type == F2L_CUDA_F32)
        launch_pairs_forward((float *)out, k, in, s, stream);
    else
        launch_pairs_forward((bf16 *)out, k, in, s, stream);
    return launched("a pass over pairs of letters", err);
}

template <typename T>
static void launch_pairs_backward(const f2l_cuda_pairs_grad *grad, const T *dout, const T *out,
                                  const kept_numbers &kept, const work_numbers &work,
                                  const f2l_cuda_pairs_in *in, const f2l_cuda_pairs_shape &s,
                                  void *stream)
{
    const unsigned tiles = (unsigned)tiles_of(&s), heads = (unsigned)(s.batch * s.heads),
                   grid = heads * tiles;
#define LAUNCH(D, MLSTM) \
    queries_back<T, pairs<D, MLSTM>><<<grid, pairs<D, MLSTM>::THREADS, 0, on(stream)>>>( \
        (T *)grad->dq, work, dout, out, kept, *in, s, tiles); \
    keys_back<T, pairs<D, MLSTM>><<<grid, pairs<D, MLSTM>::THREADS, 0, on(stream)>>>( \
        (T *)grad->dk, (T *)grad->dv, work, dout, kept, *in, s, tiles)
    if (s.mlstm) {
        LAYOUT_OF(LAUNCH, true)
        gates_back<T><<<(heads + 127) / 128, 128, 0, on(stream)>>>(
            (T *)grad->din, (T *)grad->dforget, work, *in, s);
    } else {
        LAYOUT_OF(LAUNCH, false)
    }
#undef LAUNCH
}

f2l_status f2l_cuda_pairs_backward(const f2l_cuda_pairs_grad *grad, const void *dout,
                                   const void *out, const void *kept, void *work,
                                   const f2l_cuda_pairs_in *in, const f2l_cuda_pairs_shape *shape,
                                   void *stream, f2l_error *err)
{
    const f2l_cuda_pairs_shape s = seen_of(shape);
    f2l_status status = check_pairs_shape(&s, err);
    kept_numbers k;
    work_numbers w;
    if (status != F2L_OK || s.batch == 0 || s.tokens == 0) return status;
    (void)place_kept(&k, (void *)kept, &s);
    (void)place_work(&w, work, &s);
    if (s.type == F2L_CUDA_F32)
        launch_pairs_backward(grad, (const float *)dout, (const float *)out, k, w, in, s, stream);
    else
        launch_pairs_backward(grad, (const bf16 *)dout, (const bf16 *)out, k, w, in, s, stream);
    status = launched("the gradient of a pass over pairs of letters", err);
    if (status != F2L_OK || !s.mlstm) return status;
    status = add_columns(grad->din_bias, w.part[0], s.batch, s.heads, stream, err);
    return status == F2L_OK
               ? add_columns(grad->dforget_bias, w.part[1], s.batch, s.heads, stream, err)
               : status;
}

template <typename T>
static void launch_stream(T *out, float *state, float *angles, const f2l_cuda_pairs_in *in,
                          const f2l_cuda_pairs_shape &s, void *stream)
{
    const size_t half = s.key / 2, count = s.window * half,
                 columns = s.batch * s.heads * (s.key + s.value);
    const unsigned heads = (unsigned)(s.batch * s.heads);
    if (s.mlstm) {
        step_letters<T><<<heads, STREAM_THREADS, 0, on(stream)>>>(out, state, *in, s);
        return;
    }
    turns<<<(unsigned)((count + 255) / 256), 256, 0, on(stream)>>>(angles, angles + count,
                                                                   (unsigned)half, count);
    attend<T><<<heads *(unsigned)s.tokens, STREAM_THREADS, 0, on(stream)>>>(out, state, angles,
                                                                            angles + count, *in, s);
    remember<T><<<(unsigned)((columns + STREAM_THREADS - 1) / STREAM_THREADS), STREAM_THREADS, 0,
                  on(stream)>>>(state, *in, s);
}

f2l_status f2l_cuda_pairs_stream(void *out, float *state, void *work, const f2l_cuda_pairs_in *in,
                                 const f2l_cuda_pairs_shape *shape, void *stream, f2l_error *err)
{
    const f2l_cuda_pairs_shape s = seen_of(shape);
    const f2l_status status = check_pairs_shape(&s, err);
    if (status != F2L_OK || s.batch == 0 || s.tokens == 0) return status;
    if (!s.mlstm && s.window > F2L_CUDA_PAIRS_WINDOW) return refuse(&s, err);
    if (s.type == F2L_CUDA_F32)
        launch_stream((float *)out, state, (float *)work, in, s, stream);
    else
        launch_stream((bf16 *)out, state, (float *)work, in, s, stream);
    return launched("a pass over pairs of letters", err);
}

/* --- output gates --- */

template <typename T>
static __global__ void __launch_bounds__(256)
    gate_forward(T *y, const T *x, const T *gate, f2l_cuda_gate s)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float value, slope;
    if (i >= s.rows * s.width) return;
    sigmoid<T>(value, slope, one(gate + i / s.width * s.stride + i % s.width));
    put_one(y + i, one(x + i) * value);
}

template <typename T>
static __global__ void __launch_bounds__(256)
    gate_backward(T *dx, T *dgate, const T *dy, const T *x, const T *gate, f2l_cuda_gate s)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x,
                 at = i / s.width * s.stride + i % s.width;
    float value, slope;
    if (i >= s.rows * s.width) return;
    sigmoid<T>(value, slope, one(gate + at));
    const float from = one(dy + i);
    put_one(dgate + at, from * one(x + i) * slope);
    put_one(dx + i, from * value);
}

static f2l_status check_gate(size_t *blocks, const f2l_cuda_gate *s, f2l_error *err)
{
    size_t count;
    if (!f2l_mul_size(&count, s->rows, s->width) || count > SIZE_MAX / 8 ||
        (*blocks = (count + 255) / 256) > INT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "no kernel takes %zu rows of %zu gates", s->rows,
                        s->width);
    return F2L_OK;
}

f2l_status f2l_cuda_gate_forward(void *y, const void *x, const void *gate,
                                 const f2l_cuda_gate *shape, void *stream, f2l_error *err)
{
    size_t blocks = 0;
    const f2l_status status = check_gate(&blocks, shape, err);
    if (status != F2L_OK || blocks == 0) return status;
    if (shape->type == F2L_CUDA_F32)
        gate_forward<<<(unsigned)blocks, 256, 0, on(stream)>>>((float *)y, (const float *)x,
                                                               (const float *)gate, *shape);
    else
        gate_forward<<<(unsigned)blocks, 256, 0, on(stream)>>>((bf16 *)y, (const bf16 *)x,
                                                               (const bf16 *)gate, *shape);
    return launched("output gates", err);
}

f2l_status f2l_cuda_gate_backward(void *dx, void *dgate, const void *dy, const void *x,
                                  const void *gate, const f2l_cuda_gate *shape, void *stream,
                                  f2l_error *err)
{
    size_t blocks = 0;
    const f2l_status status = check_gate(&blocks, shape, err);
    if (status != F2L_OK || blocks == 0) return status;
    if (shape->type == F2L_CUDA_F32)
        gate_backward<<<(unsigned)blocks, 256, 0, on(stream)>>>((float *)dx, (float *)dgate,
                                                                (const float *)dy, (const float *)x,
                                                                (const float *)gate, *shape);
    else
        gate_backward<<<(unsigned)blocks, 256, 0, on(stream)>>>((bf16 *)dx, (bf16 *)dgate,
                                                                (const bf16 *)dy, (const bf16 *)x,
                                                                (const bf16 *)gate, *shape);
    return launched("the gradient of output gates", err);
}
