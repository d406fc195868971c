/* Every channel of a sequence has LANES neighbouring lanes with PER states each, which walk through the tokens together.
 * B and C are the same for all channels; they come from the cache. */
#include "f2l_cuda_columns.cuh"
extern "C" {
#include "f2l_cuda_select.h"
#include "f2l_mem.h"
}

constexpr int PER = 4, CHUNK = F2L_CUDA_SELECT_CHUNK;
/* Tokens that backward goes through at once, with h before each of them in registers: with all of a chunk there would be room for
 * one block on a multiprocessor only. */
constexpr int PART = 8;

/* With many states sums over warps take more shared memory: smaller blocks. */
template <int LANES> constexpr unsigned THREADS = LANES > 8 ? 128 : 256;

template <typename T> static __device__ __forceinline__ float one(const T *p)
{
    float x[1];
    take(x, p);
    return x[0];
}
template <typename T> static __device__ __forceinline__ void put_one(T *p, float x)
{
    const float out[1] = {x};
    put(p, out);
}

/* What a thread works on. Threads behind the last channel do the work of channel 0, and store nothing. */
struct place {
    unsigned batch, block, channel, group; /* block: of channels */
    bool here;
};

template <int LANES>
static __device__ __forceinline__ place place_of(const f2l_cuda_select_shape &s, unsigned blocks)
{
    place p;
    p.batch = blockIdx.x / blocks;
    p.block = blockIdx.x % blocks;
    p.group = threadIdx.x % LANES;
    const unsigned channel = p.block * (THREADS<LANES> / LANES) + threadIdx.x / LANES;
    p.here = channel < s.channels;
    p.channel = p.here ? channel : 0;
    return p;
}

/* Numbers of this lane's states; 0 behind the last. */
template <typename T>
static __device__ __forceinline__ void states_of(float (&x)[PER], const T *row, const place &p,
                                                 const f2l_cuda_select_shape &s)
{
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const unsigned n = p.group * PER + i;
        x[i] = n < s.states ? one(row + n) : 0;
    }
}

static __device__ __forceinline__ float softplus(float x)
{
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

template <typename T> static __device__ __forceinline__ float decay(float dt, float rate, float low)
{
    return low + (1 - low) * exp_down<T>(-dt * rate);
}

static __device__ __forceinline__ float *kept_at(float *kept, const place &p, unsigned t,
                                                 const f2l_cuda_select_shape &s)
{
    const size_t chunks = (s.tokens + CHUNK - 1) / CHUNK;
    return kept + ((p.batch * chunks + t / CHUNK) * s.channels + p.channel) * s.states;
}

template <typename T, int LANES>
static __global__ void __launch_bounds__(THREADS<LANES>)
    forward(T *out, float *kept, f2l_cuda_select_in in, f2l_cuda_select_shape s, unsigned blocks)
{
    const place p = place_of<LANES>(s, blocks);
    const float bias = in.bias[p.channel], skip = in.skip[p.channel];
    float rate[PER], h[PER] = {}, B[PER], C[PER], z, slope;
    states_of(rate, in.state_log + (size_t)p.channel * s.states, p, s);
#pragma unroll
    for (int i = 0; i < PER; i++) rate[i] = expf(rate[i]);
    for (unsigned t = 0; t < s.tokens; t++) {
        const size_t row = (size_t)p.batch * s.tokens + t, at = row * s.channels + p.channel;
        if (kept && t % CHUNK == 0 && p.here) {
            float *to = kept_at(kept, p, t, s);
#pragma unroll
            for (int i = 0; i < PER; i++)
                if (p.group * PER + i < s.states) to[p.group * PER + i] = h[i];
        }
        const float u = one((const T *)in.u + at), dt = softplus(one((const T *)in.step + at) + bias);
        const float gate = one((const T *)in.gate + row * s.gate_stride + p.channel);
        states_of(B, (const T *)in.write + row * s.stride, p, s);
        states_of(C, (const T *)in.read + row * s.stride, p, s);
        float y = 0;
#pragma unroll
        for (int i = 0; i < PER; i++) {
            h[i] = decay<T>(dt, rate[i], s.low) * h[i] + dt * u * B[i];
            y += C[i] * h[i];
        }
        y = sum_lanes<LANES>(y) + skip * u;
        sigmoid<T>(z, slope, gate);
        if (p.here && p.group == 0) put_one(out + at, y * gate * z);
    }
}

/* Where sums over tokens or channels go: by sequence, or by row and block of channels. */
struct partials {
    float *write_read;  /* [rows][blocks][2][states] */
    float *state_log;   /* [batch][channels][states] */
    float *bias, *skip; /* [batch][channels] */
};

/* Sum over the channels of a warp: lanes LANES apart; the same bits in all. */
template <int LANES> static __device__ __forceinline__ float sum_channels(float x)
{
#pragma unroll
    for (int step = LANES; step < 32; step *= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* h after token t. */
template <typename T>
static __device__ __forceinline__ void advance(float (&h)[PER], const float (&rate)[PER], float bias,
                                               const place &p, unsigned t, const f2l_cuda_select_in &in,
                                               const f2l_cuda_select_shape &s)
{
    const size_t row = (size_t)p.batch * s.tokens + t, at = row * s.channels + p.channel;
    const float dt = softplus(one((const T *)in.step + at) + bias), u = one((const T *)in.u + at);
    float B[PER];
    states_of(B, (const T *)in.write + row * s.stride, p, s);
#pragma unroll
    for (int i = 0; i < PER; i++) h[i] = decay<T>(dt, rate[i], s.low) * h[i] + dt * u * B[i];
}

/* Parts in reverse; in each, h before every token is computed again first, from what forward kept. g is the gradient that comes from the next token. */
template <typename T, int LANES>
static __global__ void __launch_bounds__(THREADS<LANES>, LANES > 8 ? 4 : 2)
    backward(f2l_cuda_select_grad grad, partials part, const T *dout, const float *kept,
             f2l_cuda_select_in in, f2l_cuda_select_shape s, unsigned blocks)
{
    constexpr int WARPS = THREADS<LANES> / 32;
    __shared__ float sums[WARPS][PART][2][LANES * PER];
    const place p = place_of<LANES>(s, blocks);
    const unsigned warp = threadIdx.x / 32, tokens = (unsigned)s.tokens;
    const float bias = in.bias[p.channel], skip = in.skip[p.channel];
    float rate[PER], g[PER] = {}, B[PER], C[PER], drate[PER] = {}, dbias = 0, dskip = 0;
    states_of(rate, in.state_log + (size_t)p.channel * s.states, p, s);
#pragma unroll
    for (int i = 0; i < PER; i++) rate[i] = expf(rate[i]);
    for (unsigned start = (tokens - 1) / PART * PART;; start -= PART) {
        float before[PART][PER], h[PER];
        states_of(h, kept_at((float *)kept, p, start, s), p, s);
#pragma unroll 1
        for (unsigned t = start / CHUNK * CHUNK; t < start; t++) advance<T>(h, rate, bias, p, t, in, s);
#pragma unroll
        for (int j = 0; j < PART; j++) {
#pragma unroll
            for (int i = 0; i < PER; i++) before[j][i] = h[i];
            if (start + j < tokens) advance<T>(h, rate, bias, p, start + j, in, s);
        }
#pragma unroll
        for (int j = PART - 1; j >= 0; j--) {
            if (start + j >= tokens) continue;
            const size_t row = (size_t)p.batch * tokens + start + j, at = row * s.channels + p.channel;
            const float pre = one((const T *)in.step + at) + bias, dt = softplus(pre),
                        u = one((const T *)in.u + at), from = p.here ? one(dout + at) : 0,
                        gate = one((const T *)in.gate + row * s.gate_stride + p.channel);
            float y = 0, dstep = 0, din = 0, z, slope, a[PER];
            states_of(B, (const T *)in.write + row * s.stride, p, s);
            states_of(C, (const T *)in.read + row * s.stride, p, s);
#pragma unroll
            for (int i = 0; i < PER; i++) {
                a[i] = decay<T>(dt, rate[i], s.low);
                h[i] = a[i] * before[j][i] + dt * u * B[i];
                y += C[i] * h[i];
            }
            y = sum_lanes<LANES>(y) + skip * u;
            sigmoid<T>(z, slope, gate);
            const float dy = from * gate * z;
#pragma unroll
            for (int i = 0; i < PER; i++) {
                const float dh = dy * C[i] + g[i];
                /* d a / d(dt rate) = -(1 - low) exp(-dt rate) = low - a */
                const float fall = dh * before[j][i] * (s.low - a[i]) * rate[i];
                const float dread = sum_channels<LANES>(dy * h[i]), dwrite = sum_channels<LANES>(dh * dt * u);
                dstep += fall;
                drate[i] += fall * dt;
                din += dh * B[i];
                g[i] = a[i] * dh;
                if (threadIdx.x % 32 < LANES) {
                    sums[warp][j][0][p.group * PER + i] = dwrite;
                    sums[warp][j][1][p.group * PER + i] = dread;
                }
            }
            dstep = sum_lanes<LANES>(dstep);
            din = sum_lanes<LANES>(din);
            const float dgate = from * y * (z + gate * slope);
            sigmoid<float>(z, slope, pre);
            dstep = (dstep + din * u) * z;
            dbias += dstep;
            dskip += dy * u;
            if (p.here && p.group == 0) {
                put_one((T *)grad.du + at, dy * skip + din * dt);
                put_one((T *)grad.dstep + at, dstep);
                put_one((T *)grad.dgate + row * s.gate_stride + p.channel, dgate);
            }
        }
        __syncthreads();
        const unsigned states = (unsigned)s.states;
        for (unsigned i = threadIdx.x; i < PART * 2 * states; i += THREADS<LANES>) {
            const unsigned j = i / (2 * states), n = i % (2 * states);
            if (start + j >= tokens) break;
            float total = 0;
            for (int w = 0; w < WARPS; w++) total += sums[w][j][n / states][n % states];
            part.write_read[(((size_t)p.batch * tokens + start + j) * blocks + p.block) * 2 * states + n] =
                total;
        }
        __syncthreads();
        if (start == 0) break;
    }
    if (!p.here) return;
    const size_t at = (size_t)p.batch * s.channels + p.channel;
#pragma unroll
    for (int i = 0; i < PER; i++)
        if (p.group * PER + i < s.states) part.state_log[at * s.states + p.group * PER + i] = drate[i];
    if (p.group == 0) part.bias[at] = dbias, part.skip[at] = dskip;
}

/* The blocks' sums of dB and dC, in order. */
template <typename T>
static __global__ void __launch_bounds__(256)
    add_blocks(T *dwrite, T *dread, const float *partial, unsigned states, unsigned blocks, size_t stride,
               size_t count)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x, row = i / (2 * states);
    const unsigned n = (unsigned)(i % (2 * states));
    if (i >= count) return;
    float total = 0;
    for (unsigned k = 0; k < blocks; k++) total += partial[(row * blocks + k) * 2 * states + n];
    put_one((n < states ? dwrite : dread) + row * stride + n % states, total);
}

static unsigned lanes_of(const f2l_cuda_select_shape *s)
{
    unsigned lanes = 1;
    while (lanes * PER < s->states) lanes *= 2;
    return lanes;
}

static size_t blocks_of(const f2l_cuda_select_shape *s)
{
    const size_t lanes = lanes_of(s), channels = (lanes > 8 ? 128 : 256) / lanes;
    return (s->channels + channels - 1) / channels;
}

static f2l_status check(const f2l_cuda_select_shape *s, f2l_error *err)
{
    size_t rows, numbers;
    if (s->states >= 1 && s->states <= F2L_CUDA_SELECT_STATES && s->channels >= 1 &&
        s->channels <= INT32_MAX && s->tokens <= INT32_MAX - CHUNK &&
        f2l_mul_size(&rows, s->batch, s->tokens) && rows <= INT32_MAX &&
        f2l_mul_size(&numbers, rows * s->states, s->channels) && numbers <= SIZE_MAX / 64 &&
        s->batch * blocks_of(s) <= INT32_MAX)
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "no kernel takes %zu sequences of %zu letters, %zu channels of %zu states", s->batch,
                    s->tokens, s->channels, s->states);
}

f2l_status f2l_cuda_select_bytes(size_t *kept, size_t *work, const f2l_cuda_select_shape *shape,
                                 f2l_error *err)
{
    const f2l_cuda_select_shape *s = shape;
    const f2l_status status = check(s, err);
    if (status != F2L_OK) return status;
    *kept = s->batch * ((s->tokens + CHUNK - 1) / CHUNK) * s->channels * s->states * sizeof(float);
    *work = (s->batch * s->tokens * blocks_of(s) * 2 * s->states + s->batch * s->channels * (s->states + 2)) *
            sizeof(float);
    return F2L_OK;
}

#define LANES_OF(LAUNCH)                                                                                     \
    switch (lanes_of(shape)) {                                                                               \
    case 1:                                                                                                  \
        LAUNCH(1);                                                                                           \
        break;                                                                                               \
    case 2:                                                                                                  \
        LAUNCH(2);                                                                                           \
        break;                                                                                               \
    case 4:                                                                                                  \
        LAUNCH(4);                                                                                           \
        break;                                                                                               \
    case 8:                                                                                                  \
        LAUNCH(8);                                                                                           \
        break;                                                                                               \
    default:                                                                                                 \
        LAUNCH(16);                                                                                          \
        break;                                                                                               \
    }

template <typename T>
static void launch_forward(T *out, float *kept, const f2l_cuda_select_in *in,
                           const f2l_cuda_select_shape *shape, void *stream)
{
    const unsigned blocks = (unsigned)blocks_of(shape), grid = blocks * (unsigned)shape->batch;
#define LAUNCH(LANES)                                                                                        \
    forward<T, LANES><<<grid, THREADS<LANES>, 0, on(stream)>>>(out, kept, *in, *shape, blocks)
    LANES_OF(LAUNCH)
#undef LAUNCH
}

f2l_status f2l_cuda_select_forward(void *out, void *kept, const f2l_cuda_select_in *in,
                                   const f2l_cuda_select_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check(shape, err);
    if (status != F2L_OK || shape->batch == 0 || shape->tokens == 0) return status;
    if (shape->type == F2L_CUDA_F32)
        launch_forward((float *)out, (float *)kept, in, shape, stream);
    else
        launch_forward((bf16 *)out, (float *)kept, in, shape, stream);
    return launched("a selective recurrence", err);
}

template <typename T>
static void launch_backward(const f2l_cuda_select_grad *grad, const partials &part, const T *dout,
                            const float *kept, const f2l_cuda_select_in *in,
                            const f2l_cuda_select_shape *shape, void *stream)
{
    const unsigned blocks = (unsigned)blocks_of(shape), grid = blocks * (unsigned)shape->batch;
    const size_t count = shape->batch * shape->tokens * 2 * shape->states;
#define LAUNCH(LANES)                                                                                        \
    backward<T, LANES><<<grid, THREADS<LANES>, 0, on(stream)>>>(*grad, part, dout, kept, *in, *shape, blocks)
    LANES_OF(LAUNCH)
#undef LAUNCH
    add_blocks<<<(unsigned)((count - 1) / 256 + 1), 256, 0, on(stream)>>>(
        (T *)grad->dwrite, (T *)grad->dread, part.write_read, (unsigned)shape->states, blocks, shape->stride,
        count);
}

f2l_status f2l_cuda_select_backward(const f2l_cuda_select_grad *grad, const void *dout, const void *kept,
                                    void *work, const f2l_cuda_select_in *in,
                                    const f2l_cuda_select_shape *shape, void *stream, f2l_error *err)
{
    const f2l_cuda_select_shape *s = shape;
    f2l_status status = check(s, err);
    if (status != F2L_OK || s->batch == 0 || s->tokens == 0) return status;
    partials part;
    part.write_read = (float *)work;
    part.state_log = part.write_read + s->batch * s->tokens * blocks_of(s) * 2 * s->states;
    part.bias = part.state_log + s->batch * s->channels * s->states;
    part.skip = part.bias + s->batch * s->channels;
    if (s->type == F2L_CUDA_F32)
        launch_backward(grad, part, (const float *)dout, (const float *)kept, in, s, stream);
    else
        launch_backward(grad, part, (const bf16 *)dout, (const float *)kept, in, s, stream);
    status = launched("a selective recurrence's gradient", err);
    if (status == F2L_OK)
        status =
            add_columns(grad->dstate_log, part.state_log, s->batch, s->channels * s->states, stream, err);
    if (status == F2L_OK) status = add_columns(grad->dbias, part.bias, s->batch, s->channels, stream, err);
    return status == F2L_OK ? add_columns(grad->dskip, part.skip, s->batch, s->channels, stream, err)
                            : status;
}
