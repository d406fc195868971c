/* What the tensor-core delta product does through the strides and options of delta_call: copies of
 * rows that may be narrower than a tile, or not aligned, and states in any layout.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_CALL_CUH
#define F2L_CUDA_DELTA_CALL_CUH

#include "cuda/delta/cuda_delta_tile.cuh"

namespace {

/* Returns where the rows of a head and block begin. `fresh` keeps this out of registers between
 * calls: a kernel has nine such arrays. */
static __device__ __forceinline__ uint16_t *rows_from(const delta_rows &a, const delta_place &place,
                                                      uint32_t head)
{
    return a.data + fresh(place.sequence) * a.sequence + fresh(head) * a.head +
           fresh(place.block) * a.block;
}
static __device__ __forceinline__ float *number_at(const delta_numbers &a, const delta_place &place,
                                                   uint32_t row)
{
    return a.data + fresh(place.sequence) * a.sequence + wide_product(row, a.row) +
           fresh(place.value_head) * a.head + fresh(place.block) * a.block;
}

/* Returns the numbers of a row in this block of columns. */
static __device__ __forceinline__ uint32_t width_of(const delta_rows &a, const delta_place &place)
{
    return a.width - fresh(place.block) * a.block_width;
}

/* Copies 8 numbers from `at` on of a row that is not made of aligned pieces, and zeros for those
 * that the row does not have. */
static __device__ __forceinline__ void fetch_piece(uint32_t to, const uint16_t *row, uint32_t at,
                                                   uint32_t width, bool real)
{
    uint32_t x[4] = {0, 0, 0, 0};
#pragma unroll
    for (uint32_t i = 0; i < 8; i++)
        if (real && at + i < width) x[i / 2] |= static_cast<uint32_t>(row[at + i]) << i % 2 * 16;
    sts128u(to, x[0], x[1], x[2], x[3]);
}
static __device__ __forceinline__ void give_piece(uint16_t *row, uint32_t at, uint32_t width,
                                                  uint4 x, bool real, bool whole)
{
    if (whole) {
        store16(row + at, x, real && at < width);
        return;
    }
    const uint32_t word[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (uint32_t i = 0; i < 8; i++)
        if (real && at + i < width) row[at + i] = static_cast<uint16_t>(word[i / 2] >> i % 2 * 16);
}

/* The slots of a tile of factors and of a tile of tokens. */
struct factor_slots {
    static constexpr uint32_t count = 32;
    static __device__ __forceinline__ delta_slot of(const delta_place &at, uint32_t t0,
                                                    uint32_t slot)
    {
        return factor_slot(at, t0, slot);
    }
};
template <int TOKENS> struct token_slots {
    static constexpr uint32_t count = 2 * TOKENS;
    static __device__ __forceinline__ delta_slot of(const delta_place &at, uint32_t t0,
                                                    uint32_t slot)
    {
        return token_slot<TOKENS>(at, t0, slot);
    }
};

/* Copies the rows of a tile of width D by THREADS threads. The loop over rows that are not whole is
 * short code, so that the other one is near what comes before and after it. */
template <int D, int THREADS, typename Slots>
static __device__ __forceinline__ void fetch_rows(uint32_t to, const delta_rows &a, uint32_t head,
                                                  const delta_place &place, uint32_t t0,
                                                  uint32_t thread)
{
    const uint16_t *rows = rows_from(a, place, head);
    const uint32_t width = width_of(a, place), piece = thread % (D / 8);
    if (a.whole) {
        const uint16_t *from = rows + piece * 8;
        const bool inside = piece * 8 < width;
#pragma unroll
        for (uint32_t j = 0; j < (Slots::count * (D / 8) + THREADS - 1) / THREADS; j++) {
            const uint32_t slot = (j * THREADS + thread) / (D / 8);
            if (Slots::count * (D / 8) % THREADS && slot >= Slots::count) break;
            const delta_slot s = Slots::of(place, t0, slot);
            copy16(to + in_tile<D>(slot, piece), from + wide_product(s.row, a.row),
                   s.real && inside);
        }
        return;
    }
#pragma unroll 1
    for (uint32_t slot = thread / (D / 8); slot < Slots::count; slot += THREADS / (D / 8)) {
        const delta_slot s = Slots::of(place, t0, slot);
        fetch_piece(to + in_tile<D>(slot, piece), rows + wide_product(s.row, a.row), piece * 8,
                    width, s.real);
    }
}

/* Returns 8 numbers times `by`. */
static __device__ __forceinline__ uint4 scale_piece(uint4 x, float by)
{
    if (by == 1) return x;
    return {pack(by * low_of(x.x), by * high_of(x.x)), pack(by * low_of(x.y), by * high_of(x.y)),
            pack(by * low_of(x.z), by * high_of(x.z)), pack(by * low_of(x.w), by * high_of(x.w))};
}

/* Stores them, times `by`. */
template <int D, int THREADS, typename Slots>
static __device__ __forceinline__ void store_rows(const delta_rows &a, uint32_t from, uint32_t head,
                                                  float by, const delta_place &place, uint32_t t0,
                                                  uint32_t thread)
{
    uint16_t *rows = rows_from(a, place, head);
    const uint32_t width = width_of(a, place), piece = thread % (D / 8);
    if (a.whole) {
        uint16_t *to = rows + piece * 8;
        const bool inside = piece * 8 < width;
#pragma unroll
        for (uint32_t j = 0; j < (Slots::count * (D / 8) + THREADS - 1) / THREADS; j++) {
            const uint32_t slot = (j * THREADS + thread) / (D / 8);
            if (Slots::count * (D / 8) % THREADS && slot >= Slots::count) break;
            const delta_slot s = Slots::of(place, t0, slot);
            store16(to + wide_product(s.row, a.row),
                    scale_piece(lds128u(from + in_tile<D>(slot, piece)), by), s.real && inside);
        }
        return;
    }
#pragma unroll 1
    for (uint32_t slot = thread / (D / 8); slot < Slots::count; slot += THREADS / (D / 8)) {
        const delta_slot s = Slots::of(place, t0, slot);
        give_piece(rows + wide_product(s.row, a.row), piece * 8, width,
                   scale_piece(lds128u(from + in_tile<D>(slot, piece)), by), s.real, false);
    }
}

static __device__ __forceinline__ void fetch_betas(uint32_t betas, const delta_numbers &beta,
                                                   const delta_place &place, uint32_t t0,
                                                   uint32_t thread)
{
    if (thread >= 32) return;
    const delta_slot s = factor_slot(place, t0, thread);
    copy4(betas + thread * 4, number_at(beta, place, s.row), s.real);
}

/* Moves N [value][key], the columns of a warp from `from` on, from a state, or to it, times `by`.
 * Keys and values that the state does not have are zeros. */
template <int K, int M, bool LOAD>
static __device__ __forceinline__ void
move_columns(float (&N)[M][K / 8][4], const delta_states &to, float by, uint32_t from,
             const delta_call &c, const delta_place &place, const delta_lane<K> &at)
{
    const size_t state = place.state * to.state;
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < K / 8; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t key = 8 * k + 2 * at.pair + i % 2,
                               value = from + 16 * m + at.row + i / 2 * 8;
                const bool real = key < c.key && value < c.value;
                const size_t x = state + key * to.key + value * to.value;
                if (LOAD)
                    N[m][k][i] = !real     ? 0
                                 : to.bf16 ? by * from_bf16(static_cast<uint16_t *>(to.data)[x])
                                           : by * static_cast<float *>(to.data)[x];
                else if (real && to.bf16)
                    static_cast<uint16_t *>(to.data)[x] = to_bf16(by * N[m][k][i]);
                else if (real)
                    static_cast<float *>(to.data)[x] = by * N[m][k][i];
            }
}

/* Writes zeros to the outputs of a word without a state. */
template <int V, int THREADS>
static __device__ __forceinline__ void clear_outputs(const delta_rows &out,
                                                     const delta_place &place, uint32_t thread)
{
    for (uint32_t t = 0; t < place.tokens; t++)
        for (uint32_t i = thread; i < V / 8; i += THREADS)
            give_piece(rows_from(out, place, place.value_head) +
                           wide_product(place.first + t, out.row),
                       i * 8, width_of(out, place), {0, 0, 0, 0}, true, out.whole);
}

} // namespace

#endif
