/* Arguments of the kernels of the tensor-core delta product, and the places of a word's rows.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_ARGS_CUH
#define F2L_CUDA_DELTA_ARGS_CUH

#include "cuda/delta/delta_plan.h"
#include "cuda/device/cuda_words.cuh"

namespace {

/* How inputs are found: by position or by letter in arrays without gaps, by position of packed
 * words, or through the strides and options of delta_call. */
enum delta_mode { BY_POSITION, BY_LETTER, PACKED, BY_CALL };

/* An array of rows of 16-bit numbers. The row of a token or factor `row`, of dimension 0
 * `sequence`, of a head, and of a block of columns is at the sum of their products with the
 * strides. A stride of rows has 32 bits: its product costs one instruction. */
struct delta_rows {
    uint16_t *data;               /* NULL: there is none */
    size_t sequence, head, block; /* strides in numbers */
    uint32_t row;
    uint32_t width;       /* numbers of a row, of all blocks together */
    uint32_t block_width; /* columns of a block, or 0: every block has whole rows */
    bool whole;           /* rows are made of aligned pieces of 16 bytes */
};

struct delta_numbers {
    float *data;
    size_t sequence, head, block;
    uint32_t row;
};
static __device__ __forceinline__ size_t wide_product(uint32_t a, uint32_t b)
{
    return static_cast<uint64_t>(a) * b;
}

/* States of type fp32 or bf16, [key][value] with the strides. */
struct delta_states {
    void *data;
    size_t state, key, value; /* strides */
    bool bf16;
};

/* What BY_CALL has instead of the pointers of delta_args. */
struct delta_call {
    delta_rows q, k, v, dout, out, kept, dq, dk, dv;
    delta_numbers beta, dbeta, g, dg; /* g, dg: rows are tokens */
    void *before; /* S before every pair of chunks where there are gates, see cuda_delta_gate.cuh;
                     else after it, or NULL. Where it is given, dS has between pairs the bits that
                     it has as dinitial and dfinal of a cut */
    delta_states initial, final, dfinal, dinitial;
    const void *lengths, *indices; /* cu_seqlens and state_indices, of 32 or 64 bits, or NULL */
    uint32_t wide_index;
    uint32_t group;  /* value heads per key head */
    uint32_t blocks; /* of columns of S, each with a group of warps */
    uint32_t key, value;
    int64_t states;
    float scale;
};

/* Arguments of both kernels. */
struct delta_args {
    const uint16_t *q, *k, *v, *dout;
    const float *beta, *start;
    const uint32_t *letter, *first; /* first: PACKED, [sequences + 1] */
    uint16_t *out, *kept, *dq, *dk, *dv;
    float *dbeta, *state;
    uint32_t words, tokens, heads, factors, chunk, inverse; /* inverse: r / factors = r * inverse /
                                                               256 for r < 16 */
    uint32_t starts; /* start has one state per head (0) or per word (1) */
    delta_call call;
};

/* The places of a word's rows in global memory: factors in their order, tokens, and by letter. With
 * BY_CALL `heads` is 1 and `head` 0, so that rows are counted along dimension 1. */
struct delta_place {
    const uint32_t *letter;
    uint32_t first, head, tokens, heads, factors, chunk, inverse;
    uint32_t sequence, value_head, key_head, block; /* BY_CALL */
    uint32_t segment;                               /* BY_CALL: the first pair of chunks */
    size_t state;                                   /* BY_CALL: its number */
    bool idle;                                      /* BY_CALL: there is no state */
};

struct delta_slot {
    bool real;
    uint32_t row; /* in arrays by position */
};

static __device__ __forceinline__ int64_t index_at(const void *from, uint32_t wide, uint32_t i)
{
    return wide ? static_cast<const int64_t *>(from)[i] : static_cast<const int32_t *>(from)[i];
}

/* Sets the first token and the number of tokens of a sequence; lengths that are wrong never lead
 * outside the arrays. */
static __device__ __forceinline__ void find_tokens(uint32_t &first, uint32_t &tokens,
                                                   const void *lengths, uint32_t wide,
                                                   uint32_t sequence, uint32_t all)
{
    const int64_t from = index_at(lengths, wide, sequence),
                  to = index_at(lengths, wide, sequence + 1);
    const bool good = 0 <= from && from <= to && to <= static_cast<int64_t>(all);
    first = good ? static_cast<uint32_t>(from) : 0;
    tokens = good ? static_cast<uint32_t>(to - from) : 0;
}

/* Returns the tokens of a word; where all words have the same number it is an argument. */
template <delta_mode MODE>
static __device__ __forceinline__ uint32_t tokens_of(const delta_args &p, const delta_place &place)
{
    return MODE == BY_CALL || MODE == PACKED ? place.tokens : p.tokens;
}

template <delta_mode MODE>
static __device__ __forceinline__ delta_place place_of(const delta_args &p, uint32_t index)
{
    if constexpr (MODE != BY_CALL) {
        const word_rows word = rows_of_word<MODE == PACKED>(p.first, index / p.heads, p.tokens);
        return {p.letter,   word.first, index % p.heads,
                word.count, p.heads,    p.factors,
                p.chunk,    p.inverse,  0,
                0,          0,          0,
                0,          0,          false};
    } else {
        const delta_call &c = p.call;
        const uint32_t word = index / c.blocks, sequence = word / p.heads, head = word % p.heads;
        delta_place at = {nullptr,
                          0,
                          0,
                          p.tokens,
                          1,
                          p.factors,
                          p.chunk,
                          p.inverse,
                          sequence,
                          head,
                          head / c.group,
                          index % c.blocks,
                          0,
                          0,
                          false};
        const uint32_t step = 2 * p.chunk;
        at.segment = sequence * ((p.tokens + step - 1) / step);
        if (c.lengths) {
            find_tokens(at.first, at.tokens, c.lengths, c.wide_index, sequence, p.tokens);
            at.segment = at.first / step + sequence;
            at.sequence = 0;
        }
        const int64_t state = c.indices ? index_at(c.indices, c.wide_index, sequence) : sequence;
        at.idle = c.indices && (state < 0 || state >= c.states);
        at.state = static_cast<size_t>(state) * p.heads + head;
        return at;
    }
}

} // namespace

#endif
