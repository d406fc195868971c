/* Backward of the recurrent delta product of the C interface. With D the gradient at S, e = v - S^T
 * k and S' = S + beta k e^T:
 *
 *     r = D'^T k;  dv = beta r;  dbeta = r . e;  dk = beta (D' e - S r);  D = D' - beta k r^T;
 *
 * at a token first dq = scale S do, D += scale q do^T, and last dg = exp(g) <D, S> (a sum over a
 * row, or over all), D = exp(g) D. A segment is run again from what forward kept, with its e and
 * the S before every token in the workspace; then backwards, with S undone within a token. CPU
 * reference: kernels/delta_host_back.c. */
#ifndef F2L_KERNELS_WALK_BACK_CUH
#define F2L_KERNELS_WALK_BACK_CUH

#include "cuda/kernels/kernels_walk.cuh"

namespace {

/* Sums a thread's rows over the columns of its warp. At each step half of the rows goes to the
 * partner: x[0 .. LANES - 1] become the sums of the thread's rows first .., and `first` is
 * returned. */
template <int LANES>
static __device__ __forceinline__ uint32_t sum_columns(float (&x)[WALK_ROWS], uint32_t lane)
{
    uint32_t first = 0;
    int count = WALK_ROWS;
#pragma unroll
    for (uint32_t step = LANES; step < 32; step *= 2) {
        const bool upper = lane & step;
        count /= 2;
#pragma unroll
        for (int j = 0; j < WALK_ROWS / 2; j++) {
            if (j >= count) break;
            const float mine = upper ? x[j + count] : x[j], other = upper ? x[j] : x[j + count];
            x[j] = mine + __shfl_xor_sync(0xffffffffu, other, step);
        }
        if (upper) first += count;
    }
    return first;
}

/* Where a warp's sums of a token go: row n of N rows dk, dq, dg, and number n of N dbeta, dg. */
template <int LANES> struct walk_sums {
    uint32_t row_bytes, rows, numbers;

    __device__ walk_sums(const walk_places &s, const walk_args &a, uint32_t warp)
        : row_bytes(s.row), rows(shared_base() + s.sums + warp * s.per_warp),
          numbers(rows + (a.factors + 2) * s.row)
    {
    }
    __device__ void row(float (&x)[WALK_ROWS], uint32_t n, float by, const walk_at<LANES> &at) const
    {
        const uint32_t first = sum_columns<LANES>(x, at.lane);
#pragma unroll
        for (uint32_t j = 0; j < LANES; j++)
            sts32(rows + n * row_bytes + at.row(first + j) * 4, by * x[j]);
    }
    __device__ void number(float x, uint32_t n, const walk_at<LANES> &at) const
    {
        if (at.lane == 0) sts32(numbers + n * 4, x);
    }
};

/* Steps S' back to S and D' back to D through factor j of token i. */
template <int LANES>
static __device__ __forceinline__ void
back_factor(float (&D)[WALK_ROWS], float (&S)[WALK_ROWS], const walk_places &s, uint32_t i,
            uint32_t t, uint32_t j, float e, const walk_args &a, const walk_at<LANES> &at,
            const walk_sums<LANES> &sums)
{
    float k[WALK_ROWS], x[WALK_ROWS];
    const uint32_t base = shared_base(), n = i * a.factors + j;
    const float beta = lds32(base + s.betas + n * 4);
    take_row<LANES>(k, base + s.keys + n * s.row, at.part);
#pragma unroll
    for (int r = 0; r < WALK_ROWS; r++) S[r] = fmaf(-k[r], beta * e, S[r]);
    const float r = column_product<LANES>(D, k);
    sums.number(add_lanes<LANES, 32>(r * e), j, at);
#pragma unroll
    for (int m = 0; m < WALK_ROWS; m++) x[m] = fmaf(D[m], e, -S[m] * r);
    sums.row(x, j, beta, at);
    if (a.dv.data && at.part == 0 && at.value < a.value)
        store_number(a.dv.data,
                     place_in(a.dv, at.sequence, (at.first + t) * a.factors + j, at.head) +
                         at.value,
                     beta * r, a.dv.type);
#pragma unroll
    for (int m = 0; m < WALK_ROWS; m++) D[m] = fmaf(-k[m], beta * r, D[m]);
}

/* Steps D back through the gate of token i; S is the state before it. */
template <int LANES>
static __device__ __forceinline__ void
back_gate(float (&D)[WALK_ROWS], const float (&S)[WALK_ROWS], const walk_places &s, uint32_t i,
          const walk_args &a, const walk_at<LANES> &at, const walk_sums<LANES> &sums)
{
    float x[WALK_ROWS], sum = 0;
    decay<LANES>(D, s, i, a, at.part);
#pragma unroll
    for (int r = 0; r < WALK_ROWS; r++) x[r] = D[r] * S[r], sum += x[r];
    if (a.gate == FSA2LRNN_KERNELS_GATE_KEY)
        sums.row(x, a.factors + 1, 1, at);
    else
        sums.number(add_lanes<1, 32>(sum), a.factors, at);
}

/* Adds up the sums of all warps for token t. */
template <int LANES>
static __device__ void add_warps(const walk_places &s, uint32_t t, const walk_args &a,
                                 const walk_at<LANES> &at)
{
    const uint32_t base = shared_base() + s.sums, N = a.factors, warps = blockDim.x / 32,
                   row = s.row / 4, rows = N + (a.gate == FSA2LRNN_KERNELS_GATE_KEY ? 2 : 1),
                   numbers = N + (a.gate == FSA2LRNN_KERNELS_GATE_HEAD);
    const size_t token = at.token(a, t);
    for (uint32_t i = threadIdx.x; i < rows * row + numbers; i += blockDim.x) {
        const bool in_row = i < rows * row;
        const uint32_t n = in_row ? i / row : i - rows * row, m = in_row ? i % row : 0;
        if (m >= a.key) continue;
        const uint32_t from = base + (in_row ? i : (N + 2) * row + n) * 4;
        float sum = lds32(from);
        for (uint32_t w = 1; w < warps; w++) sum += lds32(from + w * s.per_warp);
        const size_t factor = (token * N + n) * a.heads + at.head, here = token * a.heads + at.head;
        if (in_row && n < N && a.dk)
            a.dk[at.strip * a.k_part + factor * a.key + m] = sum;
        else if (in_row && n == N && a.dq)
            a.dq[at.strip * a.q_part + here * a.key + m] = sum;
        else if (in_row && n > N && a.dg)
            a.dg[at.strip * a.g_part + here * a.key + m] = sum;
        else if (!in_row && n < N && a.dbeta)
            a.dbeta[at.strip * a.beta_part + factor] = sum;
        else if (!in_row && n == N && a.dg)
            a.dg[at.strip * a.g_part + here] = sum;
    }
}

/* Goes back through token t, the i-th in shared memory. */
template <int LANES>
static __device__ __forceinline__ void back_token(float (&D)[WALK_ROWS], float (&S)[WALK_ROWS],
                                                  const walk_places &s, uint32_t i, uint32_t t,
                                                  const float *errors, uint64_t anchor,
                                                  const walk_args &a, const walk_at<LANES> &at)
{
    const walk_sums<LANES> sums(s, a, at.warp);
    const float g = a.scale * lds32(shared_base() + s.douts + (i * a.columns + at.column) * 4);
    float x[WALK_ROWS];
    take_row<LANES>(x, shared_base() + s.queries + i * s.row, at.part);
#pragma unroll
    for (int r = 0; r < WALK_ROWS; r++) D[r] = fmaf(x[r], g, D[r]), x[r] = S[r] * g;
    sums.row(x, a.factors, 1, at);
    for (uint32_t j = a.factors; j-- > 0;)
        back_factor<LANES>(D, S, s, i, t, j, errors[j * a.columns + at.column], a, at, sums);
    recall_rows(S, a.anchors, anchor);
    if (a.gate) back_gate<LANES>(D, S, s, i, a, at, sums);
    __syncthreads();
    add_warps<LANES>(s, t, a, at);
    __syncthreads();
}

/* Goes through the segment of `count` tokens from t0 on, forwards, then backwards. */
template <int LANES>
static __device__ __forceinline__ void back_segment(float (&D)[WALK_ROWS], const walk_places &s,
                                                    uint32_t t0, uint32_t count, const walk_args &a,
                                                    const walk_at<LANES> &at)
{
    float S[WALK_ROWS];
    const uint64_t anchors = static_cast<uint64_t>(blockIdx.x) * F2L_WALK_SEGMENT;
    float *errors = a.errors + anchors * a.factors * a.columns;
    recall_rows(S, a.kept, segment_at<LANES>(a, at, t0));
    for (uint32_t i0 = 0; i0 < count; i0 += a.chunk) {
        const uint32_t left = count - i0, some = left < a.chunk ? left : a.chunk;
        __syncthreads();
        stage_tokens<LANES>(s, t0 + i0, some, a, at, true);
        __syncthreads();
        for (uint32_t i = 0; i < some; i++) {
            keep_rows(a.anchors, anchors + i0 + i, S);
            apply_token<LANES>(S, s, i, errors + (i0 + i) * a.factors * a.columns, a, at);
        }
    }
    for (uint32_t end = count; end > 0;) {
        const uint32_t i0 = (end - 1) / a.chunk * a.chunk;
        __syncthreads();
        stage_tokens<LANES>(s, t0 + i0, end - i0, a, at, true);
        __syncthreads();
        for (uint32_t i = end - i0; i-- > 0;)
            back_token<LANES>(D, S, s, i, t0 + i0 + i, errors + (i0 + i) * a.factors * a.columns,
                              anchors + i0 + i, a, at);
        end = i0;
    }
}

template <int LANES>
__global__ void __launch_bounds__(F2L_WALK_THREADS) walk_back(const __grid_constant__ walk_args a)
{
    const walk_places s = walk_places_of(a, LANES, blockDim.x / 32, true);
    for (uint32_t item = blockIdx.x; item < a.items; item += a.walks) {
        const walk_at<LANES> at(a, item);
        float D[WALK_ROWS];
        move_rows<LANES, true>(D, a.dfinal, a, at);
        for (uint32_t end = at.tokens; end > 0;) {
            const uint32_t t0 = (end - 1) / F2L_WALK_SEGMENT * F2L_WALK_SEGMENT;
            back_segment<LANES>(D, s, t0, end - t0, a, at);
            end = t0;
        }
        move_rows<LANES, false>(D, a.dinitial, a, at);
    }
}

} // namespace

#endif
