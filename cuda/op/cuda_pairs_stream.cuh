/* Words in pieces, with the states of models/learn/op carried on.
 * CPU reference: f2l_attention_forward, f2l_attention_backward in models/learn/op/op_attention.c;
 * f2l_mlstm_forward, f2l_mlstm_backward in models/learn/op/op_mlstm.c. */
#ifndef F2L_CUDA_PAIRS_STREAM_CUH
#define F2L_CUDA_PAIRS_STREAM_CUH

#include "cuda/op/cuda_pairs.cuh"

constexpr unsigned STREAM_THREADS = 128;

/* Computes attention of one letter and head in a block. Rows before 0 are the state's, oldest
 * first; a key is turned back by its distance from the letter. */
template <typename T>
static __global__ void __launch_bounds__(STREAM_THREADS)
    attend(T *out, const float *state, const float *cosine, const float *sine, f2l_cuda_pairs_in in,
           f2l_cuda_pairs_shape s)
{
    __shared__ float weight[F2L_CUDA_PAIRS_WINDOW], query[F2L_CUDA_PAIRS_DIM], part[STREAM_THREADS];
    const unsigned h = blockIdx.x % (unsigned)s.heads, row = blockIdx.x / (unsigned)s.heads,
                   t = row % (unsigned)s.tokens, b = row / (unsigned)s.tokens;
    const unsigned key = (unsigned)s.key, value = (unsigned)s.value, half = key / 2;
    const size_t kept = s.window - 1;
    const float *mine = state + b * (1 + kept * s.heads * (key + value)), *keys = mine + 1,
                *values = keys + kept * s.heads * key;
    const size_t before = (size_t)mine[0] + t; /* letters before this one */
    const unsigned count = (unsigned)(before < kept ? before : kept) + 1;
    const float scale = 1 / sqrtf((float)key);
    const T *q = (const T *)in.q + (size_t)row * s.key_stride + h * key;
    for (unsigned i = threadIdx.x; i < key; i += STREAM_THREADS) query[i] = one(q + i);
    __syncthreads();
    float most = -INFINITY;
    for (unsigned apart = threadIdx.x; apart < count; apart += STREAM_THREADS) {
        const float *c = cosine + (size_t)apart * half, *n = sine + (size_t)apart * half;
        const bool is_new = apart <= t; /* one arithmetic for both, so that bits do not depend on
                                         * where a word is cut */
        const T *now =
            (const T *)in.k + (size_t)(row - (is_new ? apart : 0)) * s.key_stride + h * key;
        const float *old = is_new ? keys : keys + ((kept + t - apart) * s.heads + h) * key;
        float x = 0;
        for (unsigned i = 0; i < half; i++) {
            const float low = is_new ? one(now + i) : old[i],
                        high = is_new ? one(now + i + half) : old[i + half];
            x += (query[i] * low + query[i + half] * high) * c[i] +
                 (query[i] * high - query[i + half] * low) * n[i];
        }
        weight[apart] = scale * x;
        most = fmaxf(most, scale * x);
    }
    part[threadIdx.x] = most;
    __syncthreads();
    for (unsigned i = 0; i < STREAM_THREADS; i++) most = fmaxf(most, part[i]);
    __syncthreads();
    float total = 0;
    for (unsigned apart = threadIdx.x; apart < count; apart += STREAM_THREADS)
        total += weight[apart] = expf(weight[apart] - most);
    part[threadIdx.x] = total;
    __syncthreads();
    total = 0;
    for (unsigned i = 0; i < STREAM_THREADS; i++) total += part[i];
    for (unsigned c = threadIdx.x; c < value; c += STREAM_THREADS) {
        float sum = 0;
        for (unsigned apart = 0; apart < count; apart++)
            sum +=
                weight[apart] *
                (apart <= t
                     ? one((const T *)in.v + (size_t)(row - apart) * s.value_stride + h * value + c)
                     : values[((kept + t - apart) * s.heads + h) * value + c]);
        put_one(out + ((size_t)row * s.heads + h) * value + c, sum / total);
    }
}

/* Moves the letters of the state on: a thread has one column of one sequence, of keys and then
 * values, and the first thread also the number of letters. */
template <typename T>
static __global__ void __launch_bounds__(STREAM_THREADS)
    remember(float *state, f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s)
{
    const size_t keys = s.heads * s.key, values = s.heads * s.value, kept = s.window - 1,
                 i = (size_t)blockIdx.x * STREAM_THREADS + threadIdx.x, b = i / (keys + values),
                 c = i % (keys + values);
    if (b >= s.batch) return;
    const bool is_key = c < keys;
    const size_t width = is_key ? keys : values, stride = is_key ? s.key_stride : s.value_stride;
    float *mine = state + b * (1 + kept * (keys + values)),
          *to = is_key ? mine + 1 + c : mine + 1 + kept * keys + (c - keys);
    const T *from =
        (is_key ? (const T *)in.k + c : (const T *)in.v + (c - keys)) + b * s.tokens * stride;
    for (size_t j = 0; j < kept; j++) {
        const size_t at = s.tokens + j; /* counted from the first letter kept before */
        to[j * width] = at < kept ? to[at * width] : one(from + (at - kept) * stride);
    }
    if (c == 0) {
        const size_t all = (size_t)mine[0] + s.tokens;
        mine[0] = (float)(all < kept ? all : kept);
    }
}

/* Steps the mLSTM of one head in a block: a thread has columns of C, and the last column is n. */
template <typename T>
static __global__ void __launch_bounds__(STREAM_THREADS)
    step_letters(T *out, float *state, f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s)
{
    __shared__ float q[F2L_CUDA_PAIRS_DIM], k[F2L_CUDA_PAIRS_DIM], sum[F2L_CUDA_PAIRS_DIM + 1];
    const unsigned h = blockIdx.x % (unsigned)s.heads, b = blockIdx.x / (unsigned)s.heads;
    const unsigned key = (unsigned)s.key, value = (unsigned)s.value, width = value + 1;
    const float scale = 1 / sqrtf((float)key), in_bias = in.in_bias[h],
                forget_bias = in.forget_bias[h];
    float *C = state + (size_t)blockIdx.x * (key * width + 1), m = C[key * width];
    for (size_t t = 0; t < s.tokens; t++) {
        const size_t row = b * s.tokens + t;
        const float now = one((const T *)in.in + row * s.gate_stride + h) + in_bias,
                    past = m + log_sigmoid(one((const T *)in.forget + row * s.gate_stride + h) +
                                           forget_bias);
        m = fmaxf(past, now);
        const float old_share = expf(past - m), new_share = expf(now - m);
        for (unsigned i = threadIdx.x; i < key; i += STREAM_THREADS) {
            q[i] = scale * one((const T *)in.q + row * s.key_stride + h * key + i);
            k[i] = new_share * one((const T *)in.k + row * s.key_stride + h * key + i);
        }
        __syncthreads();
        for (unsigned c = threadIdx.x; c < width; c += STREAM_THREADS) {
            const float v =
                c < value ? one((const T *)in.v + row * s.value_stride + h * value + c) : 1;
            float x = 0;
            for (unsigned i = 0; i < key; i++) {
                const float next = old_share * C[i * width + c] + k[i] * v;
                C[i * width + c] = next;
                x += q[i] * next;
            }
            sum[c] = x;
        }
        __syncthreads();
        const float divisor = divisor_of(sum[value], m);
        for (unsigned c = threadIdx.x; c < value; c += STREAM_THREADS)
            put_one(out + (row * s.heads + h) * value + c, sum[c] / divisor);
        __syncthreads();
    }
    if (threadIdx.x == 0) C[key * width] = m;
}

#endif
