/* Backward of the operators that weigh pairs of letters: one kernel with the queries' gradients, in
 * which a block has a tile of letters t and walks through s <= t, and one with the gradients of
 * keys and values, in which it has a tile of letters s and walks through t >= s. No sum is shared
 * by blocks.
 * CPU reference: f2l_attention_backward in models/learn/op/op_attention.c; f2l_mlstm_backward in
 * models/learn/op/op_mlstm.c. */
#ifndef F2L_CUDA_PAIRS_BACK_CUH
#define F2L_CUDA_PAIRS_BACK_CUH

#include "cuda/op/cuda_pairs.cuh"

/* The numbers of letter t. */
struct letter_numbers {
    double row;
    float bound, toward, share; /* share: 1 / divisor of the mLSTM */
};

template <class L>
static __device__ __forceinline__ letter_numbers numbers_of(unsigned t, const place &p,
                                                            const kept_numbers &kept, float toward)
{
    letter_numbers n = {0, 0, toward, 0};
    if (t >= p.tokens) return n;
    n.bound = kept.bound[p.numbers + t];
    if constexpr (L::MLSTM) {
        n.row = kept.row[p.numbers + t];
        n.share = 1 / divisor_of(kept.size[p.numbers + t], n.bound);
    }
    return n;
}

/* Computes, for a pair with scaled product x of query and key, and product y of dout and value: the
 * weight of dout in dv, the weight of q in dk and of k in dq; returns the gradient at log e. */
template <typename T, class L>
static __device__ __forceinline__ float weigh_back(float &to_value, float &to_key, float x, float y,
                                                   float scale, const letter_numbers &n,
                                                   double column)
{
    if constexpr (L::MLSTM) {
        const float e = exp_down<T>(fminf((float)(n.row + column), 0)),
                    slope = n.share * (y + n.toward);
        to_value = n.share * x * e;
        to_key = scale * e * slope;
        return slope * x * e;
    } else {
        const float w = exp_down<T>(x - n.bound);
        to_value = w;
        to_key = scale * w * (y - n.toward);
        return 0;
    }
}

/* Computes dq, toward and the sums `rows`. */
template <typename T, class L>
static __global__ void __launch_bounds__(L::THREADS)
    queries_back(T *dq, work_numbers work, const T *dout, const T *out, kept_numbers kept,
                 f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s, unsigned tiles)
{
    __shared__ tile<L> q, d, k, v;
    __shared__ square<L> weight;
    const place p = place_of<L>(s, tiles);
    if (p.first >= p.tokens) return;
    const unsigned t = p.first + p.letter, key = (unsigned)s.key, value = (unsigned)s.value;
    const unsigned window = (unsigned)s.window,
                   from = p.first + 1 > window ? (p.first + 1 - window) / L::N * L::N : 0;
    const size_t dense = s.heads * s.value;
    const float scale = 1 / sqrtf((float)s.key);
    float sum[L::COLUMNS] = {}, toward = 0, change = 0;
    load<L, L::TURNS>(q, head_of((const T *)in.q, p, s.key_stride, key), s.key_stride, p.first, key,
                      p, kept);
    load<L, false>(d, head_of(dout, p, dense, value), dense, p.first, value, p, kept);
    __syncthreads();
    if (t < p.tokens)
        for (unsigned c = p.lane; c < value; c += L::LANES)
            toward += d.x[p.letter][c] * one(head_of(out, p, dense, value) + (size_t)t * dense + c);
    toward = sum_lanes<L::LANES>(toward);
    if constexpr (L::MLSTM)
        if (t < p.tokens) {
            const float size = kept.size[p.numbers + t], m = kept.bound[p.numbers + t];
            const bool counts = fabsf(size) > expf(-fminf(m, 80.0f));
            toward = counts ? (size < 0 ? toward : -toward) : 0;
        }
    if (p.lane == 0 && t < p.tokens) work.toward[p.numbers + t] = toward;
    const letter_numbers n = numbers_of<L>(t, p, kept, toward);
    for (unsigned start = from; start <= p.first; start += L::N) {
        float x[L::PER], y[L::PER];
        __syncthreads();
        load<L, L::TURNS>(k, head_of((const T *)in.k, p, s.key_stride, key), s.key_stride, start,
                          key, p, kept);
        load<L, false>(v, head_of((const T *)in.v, p, s.value_stride, value), s.value_stride, start,
                       value, p, kept);
        __syncthreads();
        products<L>(x, q, k, p);
        products<L>(y, d, v, p);
#pragma unroll
        for (int j = 0; j < L::PER; j++) {
            const unsigned other = start + p.lane + L::LANES * j;
            float to_value, to_key = 0;
            if (sees(t, other, p.tokens, s))
                change += weigh_back<T, L>(to_value, to_key, scale * x[j], y[j], scale, n,
                                           L::MLSTM ? kept.column[p.numbers + other] : 0);
            weight.x[p.letter][p.lane + L::LANES * j] = to_key;
        }
        __syncwarp();
        add_rows<L>(sum, weight, k, p);
    }
    if constexpr (L::MLSTM) {
        change = sum_lanes<L::LANES>(change);
        if (p.lane == 0 && t < p.tokens) work.rows[p.numbers + t] = change;
    }
    __syncthreads();
    store<L, L::TURNS>(head_of(dq, p, s.key_stride, key), s.key_stride, key, q, sum, p, kept);
}

/* Computes dk, dv and the sums `columns`. */
template <typename T, class L>
static __global__ void __launch_bounds__(L::THREADS)
    keys_back(T *dk, T *dv, work_numbers work, const T *dout, kept_numbers kept,
              f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s, unsigned tiles)
{
    __shared__ tile<L> k, v, q, d;
    __shared__ square<L> to_value, to_key;
    const place p = place_of<L>(s, tiles);
    if (p.first >= p.tokens) return;
    const unsigned mine = p.first + p.letter, key = (unsigned)s.key, value = (unsigned)s.value;
    const size_t dense = s.heads * s.value, last = p.first + L::N - 1 + s.window - 1;
    const float scale = 1 / sqrtf((float)s.key);
    const double column = L::MLSTM && mine < p.tokens ? kept.column[p.numbers + mine] : 0;
    float sum_k[L::COLUMNS] = {}, sum_v[L::COLUMNS] = {}, change = 0;
    load<L, L::TURNS>(k, head_of((const T *)in.k, p, s.key_stride, key), s.key_stride, p.first, key,
                      p, kept);
    load<L, false>(v, head_of((const T *)in.v, p, s.value_stride, value), s.value_stride, p.first,
                   value, p, kept);
    for (unsigned start = p.first; start < p.tokens && start <= last; start += L::N) {
        float x[L::PER], y[L::PER];
        __syncthreads();
        load<L, L::TURNS>(q, head_of((const T *)in.q, p, s.key_stride, key), s.key_stride, start,
                          key, p, kept);
        load<L, false>(d, head_of(dout, p, dense, value), dense, start, value, p, kept);
        __syncthreads();
        products<L>(x, k, q, p);
        products<L>(y, v, d, p);
#pragma unroll
        for (int j = 0; j < L::PER; j++) {
            const unsigned column_of = p.lane + L::LANES * j, t = start + column_of;
            float a = 0, b = 0;
            if (sees(t, mine, p.tokens, s))
                change +=
                    weigh_back<T, L>(a, b, scale * x[j], y[j], scale,
                                     numbers_of<L>(t, p, kept, work.toward[p.numbers + t]), column);
            to_value.x[p.letter][column_of] = a;
            to_key.x[p.letter][column_of] = b;
        }
        __syncwarp();
        add_rows<L>(sum_v, to_value, d, p);
        add_rows<L>(sum_k, to_key, q, p);
    }
    if constexpr (L::MLSTM) {
        change = sum_lanes<L::LANES>(change);
        if (p.lane == 0 && mine < p.tokens) work.columns[p.numbers + mine] = change;
    }
    __syncthreads();
    store<L, L::TURNS>(head_of(dk, p, s.key_stride, key), s.key_stride, key, k, sum_k, p, kept);
    store<L, false>(head_of(dv, p, s.value_stride, value), s.value_stride, value, v, sum_v, p,
                    kept);
}

/* Computes the gradients of the mLSTM's gates; a thread has one head of one sequence. log f_u is in
 * the weights of all pairs s < u <= t: the sum of rows t >= u less the columns s >= u. */
template <typename T>
static __global__ void __launch_bounds__(128)
    gates_back(T *din, T *dforget, work_numbers work, f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s)
{
    const size_t which = (size_t)blockIdx.x * 128 + threadIdx.x;
    if (which >= s.batch * s.heads) return;
    const size_t b = which / s.heads, h = which % s.heads;
    const float bias = in.forget_bias[h];
    double since = 0;
    float sum_in = 0, sum_forget = 0;
    const word_rows word = rows_of_any_word(s.first, (unsigned)b, (unsigned)s.tokens);
    for (size_t t = word.count; t-- > 0;) {
        const size_t at = (word.first + t) * s.gate_stride + h, from = which * s.tokens + t;
        const float change = work.columns[from];
        float value, slope;
        since += (double)work.rows[from] - (double)change;
        sigmoid<float>(value, slope, -(one((const T *)in.forget + at) + bias));
        const float to_forget = (float)since * value;
        put_one(din + at, change);
        put_one(dforget + at, to_forget);
        sum_in += change;
        sum_forget += to_forget;
    }
    work.part[0][which] = sum_in;
    work.part[1][which] = sum_forget;
}

#endif
