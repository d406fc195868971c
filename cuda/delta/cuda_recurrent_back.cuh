/* Backward of the recurrent delta product. With D the gradient at S, e = v - S^T k and S' = S +
 * beta k e^T:
 *
 *     r = D'^T k;  dv = beta r;  dbeta = r . e;  dk = beta (D' e - S r);  D = D' - beta k r^T;
 *
 * at a token first dq = S do, D += q do^T, and last dgate = <D, S>, D = gate D. A segment is run
 * again from what forward kept, with its e in shared memory and an S every `anchor` tokens in the
 * workspace; then backwards, S undone factor by factor.
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_RECURRENT_BACK_CUH
#define F2L_CUDA_RECURRENT_BACK_CUH

#include "cuda/delta/cuda_recurrent.cuh"

enum {
    AHEAD = 2,    /* tokens in the ring */
    SLOTS = 2112, /* warps that run at once on a device of 132 multiprocessors: more warps would
                   * only need a larger workspace */
    SUM_THREADS = 128
};

template <typename T> struct backward_call {
    letters<T> word;
    T *dq, *dk, *dv;
    float *dbeta, *dgate;
    const float4 *kept;
    float4 *anchors; /* [blocks][segment / anchor][matrix] */
    float *last;     /* [pairs][key][value], D before the first token, or NULL */
    unsigned segment, segments, anchor;
    unsigned errors_at, sums_at; /* bytes of shared memory */
    bool whole_dv;
};

/* Sums a lane's rows over the columns of a warp: x[0 .. LEFT - 1] become the sums of rows first ..
 * first + LEFT - 1, and `first` is returned. At each step half of the rows goes to the partner
 * lane, so that all lanes have work. */
template <int KEY> static __device__ __forceinline__ unsigned rows_of(float (&x)[tile<KEY>::ROWS])
{
    unsigned first = 0;
    int count = tile<KEY>::ROWS;
#pragma unroll
    for (unsigned step = 1; step < tile<KEY>::COLUMN_LANES; step *= 2) {
        if (count == 1) {
            x[0] = __fadd_rn(x[0], __shfl_xor_sync(0xffffffffu, x[0], step));
            continue;
        }
        const bool upper = threadIdx.x & step;
        count /= 2;
#pragma unroll
        for (int j = 0; j < tile<KEY>::ROWS / 2; j++) {
            if (j >= count) break;
            const float mine = upper ? x[j + count] : x[j], other = upper ? x[j] : x[j + count];
            x[j] = __fadd_rn(mine, __shfl_xor_sync(0xffffffffu, other, step));
        }
        if (upper) first += count;
    }
    return first;
}

template <int LANES> static __device__ __forceinline__ float lanes_of(float x)
{
#pragma unroll
    for (unsigned step = 1; step < LANES; step *= 2)
        x = __fadd_rn(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}

/* Gradients of one token that are sums over the value, in one warp or, in shared memory, for all
 * warps: N rows dk (without their beta) and dq of KEY, N dbeta, dgate. */
template <int KEY, typename T> struct token_sums {
    const backward_call<T> &call;
    const place<KEY> &me;
    float *shared; /* of this warp; NULL: there is one warp, and gradients go to memory directly */
    size_t position;
    unsigned head;

    /* Offsets inside a token fit 32 bits. */
    __device__ T *dk(unsigned n) const
    {
        const unsigned step = call.word.heads * call.word.key;
        return call.dk + position * (call.word.factors * step) + (n * step + head * call.word.key);
    }
    __device__ T *dv(unsigned n) const
    {
        const unsigned step = call.word.heads * call.word.value;
        return call.dv + position * (call.word.factors * step) +
               (n * step + head * call.word.value);
    }
    __device__ T *dq() const
    {
        return call.dq + (position * call.word.heads + head) * call.word.key;
    }
    __device__ float *dbeta(unsigned n) const
    {
        const unsigned step = call.word.heads;
        return call.dbeta + position * (call.word.factors * step) + (n * step + head);
    }
    /* Puts row n into shared memory, or, times `by`, into `memory`. */
    __device__ void rows(float (&x)[tile<KEY>::ROWS], unsigned n, T *memory, float by) const
    {
        const unsigned first = rows_of<KEY>(x);
        if (me.column_group >= tile<KEY>::HOLDERS) return;
#pragma unroll
        for (unsigned j = 0; j < tile<KEY>::LEFT; j++) {
            const unsigned row = me.row(first + j);
            if (shared)
                shared[n * KEY + row] = x[j];
            else if (row < call.word.key)
                give(memory + row, __fmul_rn(by, x[j]));
        }
    }
    /* Puts a number of lane 0. */
    __device__ void number(float x, unsigned n, float *memory) const
    {
        if (threadIdx.x % 32) return;
        if (shared)
            shared[(call.word.factors + 1) * KEY + n] = x;
        else
            *memory = x;
    }
};

/* Computes x_i = sum over the lane's columns of D e, less S r. */
template <int KEY>
static __device__ __forceinline__ void key_terms(float (&x)[tile<KEY>::ROWS], const part<KEY> &D,
                                                 const part<KEY> &S, const float (&e)[4],
                                                 const float (&r)[4])
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++) {
        x[i] = __fmul_rn(D.x[i][0], e[0]);
#pragma unroll
        for (int c = 1; c < 4; c++) x[i] = __fmaf_rn(D.x[i][c], e[c], x[i]);
#pragma unroll
        for (int c = 0; c < 4; c++) x[i] = __fmaf_rn(-S.x[i][c], r[c], x[i]);
    }
}

template <int KEY, typename T>
static __device__ __forceinline__ void back_output(part<KEY> &D, const part<KEY> &S,
                                                   const unsigned char *slot,
                                                   const token_sums<KEY, T> &sums)
{
    const letters<T> &a = sums.call.word;
    float q[tile<KEY>::ROWS], x[tile<KEY>::ROWS], g[4];
    take_rows<KEY>(q, reinterpret_cast<const T *>(slot) + a.factors * KEY, sums.me);
    take4(g, a.values(slot) + sums.me.column);
    add_outer<KEY, 1>(D, q, g);
    if (!sums.call.dq) return;
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++) {
        x[i] = __fmul_rn(S.x[i][0], g[0]);
#pragma unroll
        for (int c = 1; c < 4; c++) x[i] = __fmaf_rn(S.x[i][c], g[c], x[i]);
    }
    sums.rows(x, a.factors, sums.dq(), 1.0f);
}

/* Steps S' back to S and D' back to D. */
template <int KEY, typename T>
static __device__ __forceinline__ void back_factor(part<KEY> &D, part<KEY> &S, const T *key,
                                                   float beta, const float *errors, unsigned n,
                                                   const token_sums<KEY, T> &sums)
{
    const backward_call<T> &call = sums.call;
    const place<KEY> &me = sums.me;
    float k[tile<KEY>::ROWS], x[tile<KEY>::ROWS], e[4], r[4], u[4];
    take_rows<KEY>(k, key, me);
    take4(e, errors + me.column);
#pragma unroll
    for (int c = 0; c < 4; c++) u[c] = __fmul_rn(beta, e[c]);
    add_outer<KEY, -1>(S, k, u);
    columns_of<KEY>(r, D, k);
    if (call.dbeta) {
        float y = __fmul_rn(r[0], e[0]);
#pragma unroll
        for (int c = 1; c < 4; c++) y = __fmaf_rn(r[c], e[c], y);
        sums.number(lanes_of<tile<KEY>::COLUMN_LANES>(y), n, sums.dbeta(n));
    }
    if (call.dk) {
        key_terms<KEY>(x, D, S, e, r);
        sums.rows(x, n, sums.dk(n), beta);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) u[c] = __fmul_rn(beta, r[c]);
    if (call.dv && me.row_group == 0)
        give_columns(sums.dv(n), u, me.column, call.word.value, call.whole_dv);
    add_outer<KEY, -1>(D, k, u);
}

/* Steps D back through the gate; S is the state before the gate. */
template <int KEY, typename T>
static __device__ __forceinline__ void back_gate(part<KEY> &D, const part<KEY> &S, float gate,
                                                 const token_sums<KEY, T> &sums)
{
    const letters<T> &a = sums.call.word;
    if (sums.call.dgate) {
        float y = 0;
#pragma unroll
        for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
            for (int c = 0; c < 4; c++) y = __fmaf_rn(D.x[i][c], S.x[i][c], y);
        sums.number(lanes_of<32>(y), a.factors,
                    sums.call.dgate + sums.position * a.heads + sums.head);
    }
    scale<KEY>(D, gate);
}

/* Adds up the sums of all warps in shared memory, one after the other. */
template <int KEY, typename T>
static __device__ void add_warps(const float *shared, unsigned per_warp, const float *rates,
                                 const token_sums<KEY, T> &sums)
{
    const backward_call<T> &call = sums.call;
    const letters<T> &a = call.word;
    const unsigned N = a.factors, warps = blockDim.x / 32;
    for (unsigned i = threadIdx.x; i <= (N + 1) * KEY + N; i += blockDim.x) {
        const bool in_rows = i < (N + 1) * KEY;
        const unsigned n = in_rows ? i / KEY : i - (N + 1) * KEY, row = in_rows ? i % KEY : 0;
        if (row >= a.key) continue;
        if (in_rows ? (n < N ? !call.dk : !call.dq) : (n < N ? !call.dbeta : !call.dgate)) continue;
        float x = shared[i];
        for (unsigned w = 1; w < warps; w++) x = __fadd_rn(x, shared[w * per_warp + i]);
        if (in_rows)
            give((n < N ? sums.dk(n) : sums.dq()) + row, n < N ? __fmul_rn(rates[n], x) : x);
        else
            *(n < N ? sums.dbeta(n) : call.dgate + sums.position * a.heads + sums.head) = x;
    }
}

/* One segment of a (sequence, head). */
template <int KEY, typename T> struct stretch {
    const backward_call<T> &call;
    const place<KEY> &me;
    const piece &mine;
    unsigned char *ring;
    size_t first; /* position of its first token */
    unsigned count, head;

    static constexpr unsigned MATRIX = tile<KEY>::ROWS; /* float4s of a thread */
    __device__ float *errors(unsigned i) const
    {
        return reinterpret_cast<float *>(ring + call.errors_at) +
               i * call.word.factors * call.word.columns;
    }
    __device__ float4 *anchor(unsigned i) const
    {
        return call.anchors +
               ((size_t)blockIdx.x * (call.segment / call.anchor) + i) * MATRIX * blockDim.x;
    }

    __device__ void replay_token(part<KEY> &S, const unsigned char *slot, float *error) const
    {
        const letters<T> &a = call.word;
        const float *rates = a.rates(slot);
        if (a.gate) scale<KEY>(S, rates[a.factors]);
        for (unsigned n = 0; n < a.factors; n++, error += a.columns) {
            float k[tile<KEY>::ROWS], v[4] = {0, 0, 0, 0}, e[4];
            take_rows<KEY>(k, reinterpret_cast<const T *>(slot) + n * KEY, me);
            if (a.v) take4(v, a.values(slot) + n * a.columns + me.column);
            columns_of<KEY>(e, S, k);
#pragma unroll
            for (int c = 0; c < 4; c++) e[c] = __fsub_rn(v[c], e[c]);
            if (me.row_group == 0) give4(error + me.column, e);
#pragma unroll
            for (int c = 0; c < 4; c++) e[c] = __fmul_rn(rates[n], e[c]);
            add_outer<KEY, 1>(S, k, e);
        }
    }

    /* Steps S from before the first token to after the last. */
    __device__ void replay(part<KEY> &S) const
    {
        const letters<T> &a = call.word;
        __syncthreads(); /* the ring may be reused */
        stage<REPLAY, KEY>(ring, a, a.row(first), first, head, mine);
        commit();
        size_t ahead = 1 < count ? a.row(first + 1) : 0;
        unsigned until = call.anchor, index = 1;
        for (unsigned i = 0; i < count; i++) {
            wait_for_all_but<AHEAD - 2>();
            __syncthreads();
            if (i + 1 < count)
                stage<REPLAY, KEY>(ring + ((i + 1) & 1) * a.slot, a, ahead, first + i + 1, head,
                                   mine);
            commit();
            if (i + 2 < count) ahead = a.row(first + i + 2);
            if (i == until) {
                keep<KEY>(anchor(index), S);
                index++, until += call.anchor;
            }
            replay_token(S, ring + (i & 1) * a.slot, errors(i));
        }
    }

    /* Goes through the segment backwards; `kept` is S before the first token. */
    __device__ void reverse(part<KEY> &D, part<KEY> &S, const float4 *kept) const
    {
        const letters<T> &a = call.word;
        const unsigned per_warp = (a.factors + 1) * (KEY + 1);
        float *shared = reinterpret_cast<float *>(ring + call.sums_at);
        const bool alone = blockDim.x == 32;
        __syncthreads();
        stage<REVERSE, KEY>(ring + ((count - 1) & 1) * a.slot, a, a.row(first + count - 1),
                            first + count - 1, head, mine);
        commit();
        size_t ahead = 1 < count ? a.row(first + count - 2) : 0;
        unsigned index = (count - 1) / call.anchor;
        for (unsigned i = count; i-- > 0;) {
            wait_for_all_but<AHEAD - 2>();
            __syncthreads();
            if (i)
                stage<REVERSE, KEY>(ring + ((i - 1) & 1) * a.slot, a, ahead, first + i - 1, head,
                                    mine);
            commit();
            if (i > 1) ahead = a.row(first + i - 2);
            const unsigned char *slot = ring + (i & 1) * a.slot;
            const float *rates = a.rates(slot);
            const token_sums<KEY, T> sums = {
                call, me, alone ? nullptr : shared + me.warp * per_warp, first + i, head};
            back_output<KEY>(D, S, slot, sums);
            for (unsigned n = a.factors; n-- > 0;)
                back_factor<KEY>(D, S, reinterpret_cast<const T *>(slot) + n * KEY, rates[n],
                                 errors(i) + n * a.columns, n, sums);
            if (i == index * call.anchor) {
                if (i)
                    recall<KEY>(S, anchor(index));
                else if (a.gate)
                    recall<KEY>(S, kept);
                index--;
            }
            if (a.gate) back_gate<KEY>(D, S, rates[a.factors], sums);
            if (alone) continue;
            __syncthreads();
            add_warps<KEY>(shared, per_warp, rates, sums);
        }
    }
};

#endif
