/* Kernels of cuda/op/cuda_loss.h. CPU reference: f2l_loss_forward, f2l_loss_backward in
 * models/learn/op/op_loss.c. */
#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/op/cuda_loss.h"
}
#include "cuda/device/cuda_words.cuh"

constexpr unsigned THREADS = 256, WARPS = THREADS / 32, MOST_BLOCKS = 1056,
                   HELD = 8 /* classes that a lane keeps in registers */;
#define NO_CLASS UINT32_MAX

/* The score of one block. */
typedef struct share {
    double loss;
    uint32_t a, b, c; /* supervised, right; or sequences, right_ones, right_last */
} share;

/* Keeps the larger logit, on a tie the smaller class. NaN is larger than all numbers and has no
 * class. */
static __device__ __forceinline__ void take_larger(float &best, uint32_t &of, float value,
                                                   uint32_t other)
{
    const bool nan = isnan(best),
               better =
                   isnan(value) ? !nan : !nan && (value > best || (value == best && other < of));
    if (better) {
        best = value;
        of = other;
    }
}

static __device__ __forceinline__ void largest(float &best, uint32_t &of)
{
    if (isnan(best)) of = NO_CLASS;
#pragma unroll
    for (int step = 16; step; step /= 2)
        take_larger(best, of, __shfl_xor_sync(0xffffffffu, best, step),
                    __shfl_xor_sync(0xffffffffu, of, step));
}

/* Calls `each` for the classes of lane l: l, l + 32, ...; the logits of HELD of them stay in
 * registers, the others are read again. */
template <typename Each>
static __device__ __forceinline__ void over(const float (&held)[HELD], const float *row,
                                            unsigned lane, unsigned classes, Each each)
{
#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (lane + 32 * i < classes) each(lane + 32 * i, held[i]);
    for (unsigned c = lane + 32 * HELD; c < classes; c += 32) each(c, row[c]);
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    loss_rows(share *shares, uint8_t *right, T *dlogits, const float *logits, const uint32_t *label,
              const uint8_t *mask, const float *weight, f2l_cuda_loss_shape s, unsigned rows)
{
    __shared__ share warp[WARPS];
    const unsigned lane = threadIdx.x % 32, classes = (unsigned)s.classes;
    share mine = {0, 0, 0, 0};
    for (unsigned r = blockIdx.x * WARPS + threadIdx.x / 32; r < rows; r += gridDim.x * WARPS) {
        const float *row = logits + r * s.logits_stride;
        T *to = dlogits ? dlogits + r * s.dlogits_stride : NULL;
        if (mask && !mask[r]) {
            for (unsigned c = lane; to && c < s.dlogits_stride; c += 32) to[c] = T(0.0f);
            if (lane == 0) right[r] = 0;
            continue;
        }
        float held[HELD], best = -INFINITY;
        uint32_t of = NO_CLASS;
#pragma unroll
        for (int i = 0; i < HELD; i++) held[i] = lane + 32 * i < classes ? row[lane + 32 * i] : 0;
        over(held, row, lane, classes, [&](unsigned c, float x) { take_larger(best, of, x, c); });
        largest(best, of);
        if (isinf(best)) of = NO_CLASS;
        float total = 0, wanted = 0;
        const uint32_t answer = label[r];
        over(held, row, lane, classes, [&](unsigned c, float x) {
            total += expf(x - best);
            if (c == answer) wanted = x; /* one lane has the class; the others add 0 */
        });
        total = sum_lanes<32>(total);
        wanted = sum_lanes<32>(wanted);
        if (lane == 0) {
            mine.loss += (double)(logf(total) + (best - wanted));
            mine.a++;
            mine.b += of == answer;
            right[r] = of == answer;
        }
        if (!to) continue;
        const float scale = *weight;
        over(held, row, lane, classes, [&](unsigned c, float x) {
            to[c] = T(scale * (expf(x - best) / total - (c == answer ? 1.0f : 0.0f)));
        });
        for (unsigned c = classes + lane; c < s.dlogits_stride; c += 32) to[c] = T(0.0f);
    }
    if (lane == 0) warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < WARPS; w++) {
        mine.loss += warp[w].loss;
        mine.a += warp[w].a;
        mine.b += warp[w].b;
    }
    shares[blockIdx.x] = mine;
}

/* Counts sequences, one warp per sequence. */
static __global__ void __launch_bounds__(THREADS)
    loss_sequences(share *shares, const uint8_t *right, const uint8_t *mask, const uint32_t *first,
                   unsigned sequences, unsigned length)
{
    __shared__ share warp[WARPS];
    const unsigned lane = threadIdx.x % 32;
    share mine = {0, 0, 0, 0};
    for (unsigned q = blockIdx.x * WARPS + threadIdx.x / 32; q < sequences;
         q += gridDim.x * WARPS) {
        bool any = false, all = true, last = false;
        const word_rows word = rows_of_any_word(first, q, length);
        for (unsigned from = 0; from < word.count; from += 32) {
            const size_t at = (size_t)word.first + from + lane;
            const bool in = from + lane < word.count;
            const unsigned counts = __ballot_sync(0xffffffffu, in && (!mask || mask[at]));
            const unsigned good = __ballot_sync(0xffffffffu, in && right[at]);
            any = any || counts;
            all = all && (good & counts) == counts;
            if (counts) last = good >> (31 - __clz((int)counts)) & 1;
        }
        mine.a += any;
        mine.b += any && all;
        mine.c += last;
    }
    if (lane == 0) warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < WARPS; w++) {
        mine.a += warp[w].a;
        mine.b += warp[w].b;
        mine.c += warp[w].c;
    }
    shares[blockIdx.x] = mine;
}

/* Adds up the shares in one warp: each lane adds every 32nd share, then the lanes are added. */
static __global__ void finish_score(f2l_cuda_score *score, const share *rows, unsigned row_blocks,
                                    const share *sequences, unsigned sequence_blocks)
{
    f2l_cuda_score s = {0, 0, 0, 0, 0, 0};
    for (unsigned i = threadIdx.x; i < row_blocks; i += 32) {
        s.loss += rows[i].loss;
        s.supervised += rows[i].a;
        s.right += rows[i].b;
    }
    for (unsigned i = threadIdx.x; i < sequence_blocks; i += 32) {
        s.sequences += sequences[i].a;
        s.right_ones += sequences[i].b;
        s.right_last += sequences[i].c;
    }
    s.loss = sum_lanes<32>(s.loss);
    s.supervised = sum_lanes<32>(s.supervised);
    s.right = sum_lanes<32>(s.right);
    s.sequences = sum_lanes<32>(s.sequences);
    s.right_ones = sum_lanes<32>(s.right_ones);
    s.right_last = sum_lanes<32>(s.right_last);
    if (threadIdx.x == 0) *score = s;
}

static unsigned loss_blocks(size_t warps)
{
    const size_t blocks = (warps + WARPS - 1) / WARPS;
    return (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

size_t f2l_cuda_loss_work(const f2l_cuda_loss_shape *shape)
{
    return ((size_t)loss_blocks(f2l_cuda_loss_rows(shape)) + loss_blocks(shape->sequences)) *
           sizeof(share);
}

f2l_status f2l_cuda_loss(f2l_cuda_score *score, uint8_t *right, void *dlogits, const float *logits,
                         const uint32_t *label, const uint8_t *mask, const float *weight,
                         void *work, const f2l_cuda_loss_shape *shape, void *stream, f2l_error *err)
{
    const size_t rows = f2l_cuda_loss_rows(shape);
    if (rows > INT32_MAX || shape->classes == 0 || shape->classes > INT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "a loss of %zu rows of %zu classes is not possible", rows,
                        shape->classes);
    const unsigned row_blocks = loss_blocks(rows), sequence_blocks = loss_blocks(shape->sequences);
    share *of_rows = (share *)work, *of_sequences = of_rows + row_blocks;
    if (row_blocks && shape->type == F2L_CUDA_F32)
        loss_rows<<<row_blocks, THREADS, 0, on(stream)>>>(
            of_rows, right, (float *)dlogits, logits, label, mask, weight, *shape, (unsigned)rows);
    else if (row_blocks)
        loss_rows<<<row_blocks, THREADS, 0, on(stream)>>>(
            of_rows, right, (bf16 *)dlogits, logits, label, mask, weight, *shape, (unsigned)rows);
    if (sequence_blocks)
        loss_sequences<<<sequence_blocks, THREADS, 0, on(stream)>>>(
            of_sequences, right, mask, shape->first, (unsigned)shape->sequences,
            (unsigned)shape->length);
    finish_score<<<1, 32, 0, on(stream)>>>(score, of_rows, row_blocks, of_sequences,
                                           sequence_blocks);
    return launched("the loss", err);
}

static __global__ void __launch_bounds__(THREADS)
    answer_rows(uint32_t *answer, const float *logits, size_t stride, unsigned rows,
                unsigned classes)
{
    const unsigned lane = threadIdx.x % 32, r = blockIdx.x * WARPS + threadIdx.x / 32;
    if (r >= rows) return;
    float best = -INFINITY;
    uint32_t of = NO_CLASS;
    for (unsigned c = lane; c < classes; c += 32) take_larger(best, of, logits[r * stride + c], c);
    largest(best, of);
    if (lane == 0) answer[r] = of;
}

f2l_status f2l_cuda_answers(uint32_t *answer, const float *logits, size_t stride, size_t rows,
                            size_t classes, void *stream, f2l_error *err)
{
    if (rows > INT32_MAX || classes == 0 || classes > INT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "answers of %zu rows of %zu classes are not "
                        "possible",
                        rows, classes);
    if (rows == 0) return F2L_OK;
    answer_rows<<<(unsigned)((rows + WARPS - 1) / WARPS), THREADS, 0, on(stream)>>>(
        answer, logits, stride, (unsigned)rows, (unsigned)classes);
    return launched("answers", err);
}
