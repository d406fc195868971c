/* The rows of a word in arrays of positions: every word has the same number of rows, or `first`
 * [words + 1] (on the device, ascending) has the first row of each word, and packed words follow
 * each other without gaps. */
#ifndef F2L_CUDA_WORDS_CUH
#define F2L_CUDA_WORDS_CUH

#include <stdint.h>

struct word_rows {
    unsigned first, count;
};

/* Returns them; PACKED: from `first`, else every word has `tokens`. */
template <bool PACKED>
static __device__ __forceinline__ word_rows rows_of_word(const uint32_t *first, unsigned word,
                                                         unsigned tokens)
{
    if constexpr (PACKED)
        return {first[word], first[word + 1] - first[word]};
    else
        return {word * tokens, tokens};
}

/* Returns them, from `first` where it is not NULL. */
static __device__ __forceinline__ word_rows rows_of_any_word(const uint32_t *first, unsigned word,
                                                             unsigned tokens)
{
    return first ? rows_of_word<true>(first, word, tokens)
                 : rows_of_word<false>(first, word, tokens);
}

#endif
