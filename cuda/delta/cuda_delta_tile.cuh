/* Code shared by forward and backward of the tensor-core delta product: the division of the work,
 * the places of tiles in shared memory, copies from and to global memory, and T. The algorithm is
 * in cuda/delta/delta_plan.h.
 *
 * One (sequence, head) belongs to a group: one warp for K = V = 32, else V / 16 warps with 16
 * columns of S each. The group goes through the word in pairs of chunks; while it works on one
 * pair, the tiles of the next pair arrive. A tile has a row of D = K or V bf16 per slot, its
 * 16-byte pieces permuted so that eight rows of a matrix are in different banks. Outputs replace
 * inputs in the tile and leave in 16-byte pieces too. CPU reference: f2l_delta_forward in
 * models/learn/op/op_delta.c; f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_TILE_CUH
#define F2L_CUDA_DELTA_TILE_CUH

#include "cuda/delta/cuda_delta_args.cuh"
#include "cuda/delta/cuda_delta_gate.cuh"

namespace {

constexpr uint32_t minus = 0x80008000u; /* changes both signs of a fragment */
constexpr uint32_t solve_bytes = 2048;  /* L of two chunks, then T */
constexpr uint32_t square_bytes = 768;  /* T of one chunk: rows of 32 bytes, 48 apart to avoid bank
                                         * conflicts */

/* Constants of a kernel; TT: tokens of a chunk in eights. */
template <int K, int V, int TT> struct geometry {
    static constexpr int warps = K == 32 && V == 32 ? 1 : V / 16;
    static constexpr int slice = V / warps;
    static constexpr int groups = warps > 1 ? 1 : 4; /* groups of a block; groups do not synchronise
                                                      * with each other */
    static constexpr int group_threads = 32 * warps, threads = group_threads * groups;
    static constexpr int key_row = 2 * K, value_row = 2 * V;
    static constexpr int key_pieces = K / 8;
    static constexpr int tokens = 8 * TT;
    static constexpr uint32_t key_tile = 32 * key_row, value_tile = 32 * value_row,
                              query_tile = 2 * tokens * key_row, out_tile = 2 * tokens * value_row;
    static constexpr uint32_t row = K > V ? key_row : value_row, beta_tile = row < 128 ? 128 : row,
                              gate_tile = 512; /* betas and gates */
};

/* Returns slot 16 c + r of the pair that starts at token t0: row r of its chunk c. */
static __device__ __forceinline__ delta_slot factor_slot(const delta_place &at, uint32_t t0,
                                                         uint32_t slot)
{
    const uint32_t rows = at.chunk * at.factors, f = t0 * at.factors + slot / 16 * rows + slot % 16;
    return {slot % 16 < rows && f < at.tokens * at.factors,
            (at.first * at.factors + f) * at.heads + at.head};
}
template <int TOKENS>
static __device__ __forceinline__ delta_slot token_slot(const delta_place &at, uint32_t t0,
                                                        uint32_t slot)
{
    const uint32_t t = t0 + slot / TOKENS * at.chunk + slot % TOKENS;
    return {slot % TOKENS < at.chunk && t < at.tokens, (at.first + t) * at.heads + at.head};
}
/* Returns the same slot in arrays by letter. */
static __device__ __forceinline__ uint32_t factor_letter(const delta_place &at, bool real,
                                                         uint32_t t0, uint32_t slot)
{
    const uint32_t r = slot % 16, token = r * at.inverse / 256;
    const uint32_t letter = real ? at.letter[at.first + t0 + slot / 16 * at.chunk + token] : 0;
    return (letter * at.factors + r - token * at.factors) * at.heads + at.head;
}
template <int TOKENS>
static __device__ __forceinline__ uint32_t token_letter(const delta_place &at, bool real,
                                                        uint32_t t0, uint32_t slot)
{
    const uint32_t letter =
        real ? at.letter[at.first + t0 + slot / TOKENS * at.chunk + slot % TOKENS] : 0;
    return letter * at.heads + at.head;
}

/* Returns the byte of piece `piece` of row r in a tile. */
template <int D> static __device__ __forceinline__ uint32_t in_tile(uint32_t r, uint32_t piece)
{
    return r * (2 * D) + ((piece ^ (D == 32 ? r / 2 % 4 : r % 8)) << 4);
}

/* The parts of addresses of matrices that each lane contributes: add the tile (and 16 rows per
 * chunk), then exclusive-or 32 bytes per 16 columns. across: {rows 0-7, rows 8-15} of columns 0-7,
 * then of columns 8-15; along: {columns 0-7, 8-15} of rows 0-7, then of rows 8-15; eight: rows 0-7
 * of columns 0-7, 8-15, 16-23, 24-31. */
template <int D> struct delta_lane {
    uint32_t row, pair; /* l / 4, l % 4 */
    uint32_t across, along, eight, square_across, square_along;
    __device__ __forceinline__ explicit delta_lane(uint32_t l)
        : row(l / 4), pair(l % 4), across(in_tile<D>(l % 16, l / 16)),
          along(in_tile<D>(l % 8 + l / 16 * 8, l / 8 % 2)), eight(in_tile<D>(l % 8, l / 8)),
          square_across(l % 16 * 48 + l / 16 * 16),
          square_along((l % 8 + l / 16 * 8) * 48 + l / 8 % 2 * 16)
    {
    }
};

template <int WARPS> static __device__ __forceinline__ void group_sync(void)
{
    if constexpr (WARPS == 1)
        __syncwarp();
    else
        __syncthreads();
}

/* Copies one tile of factor rows (keys, and values or G, which is always by position) and beta;
 * slots without a row become zeros. */
template <int D, int TT, bool LETTERS, bool KEPT>
static __device__ __forceinline__ void
fetch_factors(uint32_t keys, uint32_t values, uint32_t betas, const uint16_t *k, const uint16_t *v,
              const float *beta, const delta_place &at, uint32_t t0, uint32_t thread)
{
    using G = geometry<D, D, TT>;
    constexpr int pass = G::group_threads / G::key_pieces; /* rows that a group moves at once */
    const uint32_t piece = thread % G::key_pieces;
#pragma unroll
    for (int i = 0; i < 32 / pass; i++) {
        const uint32_t slot = i * pass + thread / G::key_pieces, to = in_tile<D>(slot, piece);
        const delta_slot s = factor_slot(at, t0, slot);
        const uint32_t row = LETTERS ? factor_letter(at, s.real, t0, slot) : s.row;
        copy16(keys + to, k + static_cast<size_t>(row) * D + piece * 8, s.real);
        if (KEPT || v)
            copy16(values + to, v + static_cast<size_t>(KEPT ? s.row : row) * D + piece * 8,
                   s.real);
    }
    if (thread < 32) {
        const delta_slot s = factor_slot(at, t0, thread);
        copy4(betas + thread * 4, beta + (LETTERS ? factor_letter(at, s.real, t0, thread) : s.row),
              s.real);
    }
}

template <int D, int TT, bool LETTERS>
static __device__ __forceinline__ void
fetch_tokens(uint32_t to, const uint16_t *from, const delta_place &at, uint32_t t0, uint32_t thread)
{
    using G = geometry<D, D, TT>;
    constexpr int pass = G::group_threads / G::key_pieces; /* rows that a group moves at once */
    const uint32_t piece = thread % G::key_pieces;
#pragma unroll
    for (int i = 0; i < 2 * G::tokens / pass; i++) {
        const uint32_t slot = i * pass + thread / G::key_pieces;
        const delta_slot s = token_slot<G::tokens>(at, t0, slot);
        const uint32_t row = LETTERS ? token_letter<G::tokens>(at, s.real, t0, slot) : s.row;
        copy16(to + in_tile<D>(slot, piece), from + static_cast<size_t>(row) * D + piece * 8,
               s.real);
    }
}

static __device__ __forceinline__ void put_piece(uint16_t *to, const delta_slot &s, uint32_t width,
                                                 uint32_t piece, uint4 x)
{
    store16(to + static_cast<size_t>(s.row) * width + piece * 8, x, s.real);
}

/* Stores a tile; signs is exclusive-or-ed to every word. */
template <int D, int TT>
static __device__ __forceinline__ void store_factors(uint16_t *to, uint32_t from, uint32_t signs,
                                                     const delta_place &at, uint32_t t0,
                                                     uint32_t thread)
{
    using G = geometry<D, D, TT>;
    constexpr int pass = G::group_threads / G::key_pieces; /* rows that a group moves at once */
    const uint32_t piece = thread % G::key_pieces;
#pragma unroll
    for (int i = 0; i < 32 / pass; i++) {
        const uint32_t slot = i * pass + thread / G::key_pieces;
        const delta_slot s = factor_slot(at, t0, slot);
        uint4 x = lds128u(from + in_tile<D>(slot, piece));
        x.x ^= signs, x.y ^= signs, x.z ^= signs, x.w ^= signs;
        put_piece(to, s, D, piece, x);
    }
}

template <int D, int TT>
static __device__ __forceinline__ void
store_tokens(uint16_t *to, uint32_t from, const delta_place &at, uint32_t t0, uint32_t thread)
{
    using G = geometry<D, D, TT>;
    constexpr int pass = G::group_threads / G::key_pieces; /* rows that a group moves at once */
    const uint32_t piece = thread % G::key_pieces;
#pragma unroll
    for (int i = 0; i < 2 * G::tokens / pass; i++) {
        const uint32_t slot = i * pass + thread / G::key_pieces;
        const delta_slot s = token_slot<G::tokens>(at, t0, slot);
        const uint4 x = lds128u(from + in_tile<D>(slot, piece));
        put_piece(to, s, D, piece, x);
    }
}

/* Returns whether s is beta and z is 1 in the plan; otherwise s is 1 and z is 0. */
static __device__ __forceinline__ bool acts(float beta)
{
    return fabsf(beta) >= 0x1p-100f;
}
static __device__ __forceinline__ float scale_of(float beta)
{
    return acts(beta) ? beta : 1.0f;
}
static __device__ __forceinline__ uint32_t mask_of(float low, float high)
{
    return (acts(low) ? 0xffffu : 0u) | (acts(high) ? 0xffff0000u : 0u);
}

/* Computes T of both chunks of a pair, by one warp: row j of the result (768 bytes a chunk) is
 * column j of T. -L^T goes through shared memory; then lane 16 c + j solves for column j of chunk
 * c. M is symmetric, so rows of its accumulators serve as columns; entries on and under the
 * diagonal of L^T are never read. */
template <int D, bool FORWARD, bool GATED>
static __device__ __forceinline__ void solve_pair(uint32_t keys, uint32_t betas, uint32_t work,
                                                  const delta_lane<D> &at, uint32_t lane)
{
    __syncwarp(); /* T of the previous pair is no longer read */
    if constexpr (GATED) sum_gates(betas + gates_after_betas, lane);
#pragma unroll
    for (int c = 0; c < 2; c++) {
        float low[4] = {0, 0, 0, 0}, high[4] = {0, 0, 0, 0};
#pragma unroll
        for (int s = 0; s < D / 16; s++) {
            uint32_t k[4];
            ldsm4(k, (keys + c * 32 * D + at.across) ^ (s << 5));
            mma16(low, k, k[0], k[2]);
            mma16(high, k, k[1], k[3]);
        }
        const uint32_t beta = betas + c * 64;
        const float2 b0 = lds64(beta + at.pair * 8), b8 = lds64(beta + 32 + at.pair * 8);
        float s00 = -b0.x, s01 = -b0.y, s80 = -b8.x, s81 = -b8.y;
        if (FORWARD) {
            s00 = -scale_of(b0.x), s01 = -scale_of(b0.y), s80 = -scale_of(b8.x),
            s81 = -scale_of(b8.y);
            const float z0 = acts(lds32(beta + at.row * 4)),
                        z8 = acts(lds32(beta + 32 + at.row * 4));
            low[0] *= z0, low[1] *= z0, high[0] *= z0, high[1] *= z0, high[2] *= z8, high[3] *= z8;
        }
        if constexpr (GATED) decay_products(low, high, chunk_gates(beta), at.row, at.pair);
        /* row j, 16-byte piece i / 4, moved by 2 pieces in every second pair of rows against bank
         * conflicts */
        const uint32_t flip = at.row / 2 % 2 * 2,
                       to = work + c * 1024 + at.row * 64 + at.pair % 2 * 8;
        const uint32_t left = ((at.pair / 2) ^ flip) << 4, right = ((at.pair / 2 + 2) ^ flip) << 4;
        sts64(to + left, s00 * low[0], s01 * low[1]);
        sts64(to + right, s80 * high[0], s81 * high[1]);
        sts64(to + 512 + right, s80 * high[2], s81 * high[3]);
    }
    __syncwarp();
    const uint32_t mine = work + lane / 16 * 1024, column = lane % 16;
    float t[16];
#pragma unroll
    for (uint32_t i = 0; i < 16; i++) t[i] = i == column ? 1.0f : 0.0f;
#pragma unroll
    for (int j = 0; j < 15; j++)
#pragma unroll
        for (int piece = (j + 1) / 4; piece < 4; piece++) {
            const float4 x = lds128(mine + j * 64 + ((piece ^ (j / 2 % 2 * 2)) << 4));
            if (4 * piece + 0 > j) t[4 * piece + 0] = fmaf(x.x, t[j], t[4 * piece + 0]);
            if (4 * piece + 1 > j) t[4 * piece + 1] = fmaf(x.y, t[j], t[4 * piece + 1]);
            if (4 * piece + 2 > j) t[4 * piece + 2] = fmaf(x.z, t[j], t[4 * piece + 2]);
            if (4 * piece + 3 > j) t[4 * piece + 3] = fmaf(x.w, t[j], t[4 * piece + 3]);
        }
    __syncwarp();
    const uint32_t to = work + lane / 16 * square_bytes + column * 48;
    sts128u(to, pack(t[0], t[1]), pack(t[2], t[3]), pack(t[4], t[5]), pack(t[6], t[7]));
    sts128u(to + 16, pack(t[8], t[9]), pack(t[10], t[11]), pack(t[12], t[13]), pack(t[14], t[15]));
    __syncwarp();
}

/* Loads rows of tokens as the operand with columns = tokens: x[e][s] for tokens 8 e .., inner 16 s
 * ... */
template <int D, int TT, int STEPS>
static __device__ __forceinline__ void load_tokens(uint32_t (&x)[TT][STEPS][2], uint32_t tile,
                                                   const delta_lane<D> &at, uint32_t column)
{
    if constexpr (TT == 2) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            uint32_t r[4];
            ldsm4(r, (tile + at.across) ^ (column + (s << 5)));
            x[0][s][0] = r[0], x[1][s][0] = r[1], x[0][s][1] = r[2], x[1][s][1] = r[3];
        }
    } else if constexpr (STEPS == 1) {
        ldsm2(x[0][0][0], x[0][0][1], (tile + at.eight) ^ column);
    } else {
#pragma unroll
        for (int s = 0; s < STEPS; s += 2) {
            uint32_t r[4];
            ldsm4(r, (tile + at.eight) ^ (column + (s << 5)));
            x[0][s][0] = r[0], x[0][s][1] = r[1], x[0][s + 1][0] = r[2], x[0][s + 1][1] = r[3];
        }
    }
}

/* Loads the same rows transposed, as the operand whose inner dimension is tokens: x[s] = {columns
 * 16 s + 0-7, + 8-15} of tokens 0-7, then of tokens 8-15. */
template <int D, int TT, int STEPS>
static __device__ __forceinline__ void load_tokens_t(uint32_t (&x)[STEPS][2 * TT], uint32_t tile,
                                                     const delta_lane<D> &at, uint32_t column)
{
    if constexpr (TT == 2) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) ldsm4_t(x[s], (tile + at.along) ^ (column + (s << 5)));
    } else if constexpr (STEPS == 1) {
        ldsm2_t(x[0][0], x[0][1], (tile + at.eight) ^ column);
    } else {
#pragma unroll
        for (int s = 0; s < STEPS; s += 2) {
            uint32_t r[4];
            ldsm4_t(r, (tile + at.eight) ^ (column + (s << 5)));
            x[s][0] = r[0], x[s][1] = r[1], x[s + 1][0] = r[2], x[s + 1][1] = r[3];
        }
    }
}

/* Rounds accumulators x[s][e] of {16 columns of the tile} x {8 tokens} and writes them to rows of
 * tokens. */
template <int D, int TT, int STEPS>
static __device__ __forceinline__ void put_tokens(uint32_t tile, const float (&x)[STEPS][TT][4],
                                                  float sign, const delta_lane<D> &at,
                                                  uint32_t column)
{
    uint32_t r[STEPS][TT][2];
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int e = 0; e < TT; e++) {
            r[s][e][0] = pack(sign * x[s][e][0], sign * x[s][e][1]);
            r[s][e][1] = pack(sign * x[s][e][2], sign * x[s][e][3]);
        }
    if constexpr (TT == 2) {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            stsm4_t((tile + at.along) ^ (column + (s << 5)), r[s][0][0], r[s][0][1], r[s][1][0],
                    r[s][1][1]);
    } else if constexpr (STEPS == 1) {
        stsm2_t((tile + at.eight) ^ column, r[0][0][0], r[0][0][1]);
    } else {
#pragma unroll
        for (int s = 0; s < STEPS; s += 2)
            stsm4_t((tile + at.eight) ^ (column + (s << 5)), r[s][0][0], r[s][0][1], r[s + 1][0][0],
                    r[s + 1][0][1]);
    }
}

} // namespace

#endif
