/* Random numbers of a position, shared by the files of f2l_data. */
#ifndef F2L_MODELS_DATA_IMPL_H
#define F2L_MODELS_DATA_IMPL_H

#include "models/learn/data/data_evaluate.h"
#include "numeric/base/rng.h"

/* The operators; a frame may also be a bracket around one digit. */
enum { F2L_DATA_PLUS, F2L_DATA_MINUS, F2L_DATA_TIMES, F2L_DATA_WRAP };

typedef struct f2l_data_draw {
    uint64_t x, y;
} f2l_data_draw;

static inline f2l_data_draw f2l_data_block(const f2l_data *data, uint64_t step, uint32_t sequence,
                                           uint32_t position)
{
    const uint32_t key[2] = {data->options.seed, data->options.stream};
    const uint32_t counter[4] = {position, sequence, (uint32_t)step, (uint32_t)(step >> 32)};
    uint32_t b[4];
    f2l_philox(b, counter, key);
    return (f2l_data_draw){b[0] | (uint64_t)b[1] << 32, b[2] | (uint64_t)b[3] << 32};
}

/* Returns floor(n x / 2^64) for n < 2^32, without a wider type: n x = n x1 2^32 + n x0, and adding
 * floor(n x0 / 2^32) in place of n x0 / 2^32 leaves the final floor unchanged. */
static inline uint32_t f2l_data_below(uint64_t x, uint32_t n)
{
    const uint64_t high = (x >> 32) * n, low = (x & UINT32_MAX) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

/* Returns the first letter whose threshold exceeds x; the last threshold always does. */
static inline uint32_t f2l_data_weighted(const uint64_t *threshold, size_t letters, uint64_t x)
{
    size_t low = 0, high = letters - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x < threshold[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static inline size_t f2l_data_tokens(const f2l_data *data)
{
    return data->options.tokens > 1 ? data->options.tokens : 1;
}

static inline uint32_t f2l_data_operators(const f2l_data *data)
{
    return data->options.times ? 3 : 2;
}

/* Returns a op b modulo m; a, b < m < 2^16. */
static inline uint32_t f2l_data_apply(uint32_t m, uint32_t a, uint32_t op, uint32_t b)
{
    return op == F2L_DATA_PLUS ? (a + b) % m : op == F2L_DATA_MINUS ? (a + m - b) % m : a * b % m;
}

/* Returns a letter of the automaton by its weight. */
static inline uint32_t f2l_data_any_letter(const f2l_data *data, uint64_t x)
{
    const size_t letters = data->fsa->letters.count;
    return data->threshold ? f2l_data_weighted(data->threshold, letters, x >> 11)
                           : f2l_data_below(x, (uint32_t)letters);
}

/* --- live and periodic words (models/learn/data/data_walk.c) --- */

/* Computes `stays`, and checks the shares. */
f2l_status f2l_data_build_walks(f2l_data *out, f2l_error *err);

/* Sets whether a stream that was started is a live or a periodic word, and of which cycle. */
void f2l_data_begin_walk(f2l_data_stream *s);

/* Returns a letter, by the weights among those after which `rest` - 1 letters more can be read
 * without a sink; any letter where there is none. */
uint32_t f2l_data_live_letter(const f2l_data *data, size_t state, uint32_t rest, uint64_t x);

/* --- words (models/learn/data/data_words.c) --- */

f2l_status f2l_data_build_words(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa,
                                f2l_error *err);
void f2l_data_part_free(f2l_data_part *part);
/* As f2l_data_fit and f2l_data_after. */
size_t f2l_data_words_fit(const f2l_data_part *part, size_t length);
size_t f2l_data_words_after(const f2l_data_part *part, size_t length);

/* The word of a sequence, and how many of its letters are read. */
typedef struct f2l_data_picked {
    uint32_t word;
    size_t length;
} f2l_data_picked;

/* Sets *out to the word of a sequence; false: no word is in the range. */
bool f2l_data_pick(f2l_data_picked *out, const f2l_data *data, f2l_data_range range, uint64_t step,
                   uint32_t sequence);
void f2l_data_next_word(f2l_data_stream *s, f2l_data_item *item);

/* Returns whether a range of lengths cuts words. */
bool f2l_data_words_cut(const f2l_data *data);
/* Sets *group to the words of `length` .. `next` - 1 letters (next 0: and more), and returns their
 * number. */
size_t f2l_data_words_group(f2l_data_range *group, const f2l_data *data, size_t length,
                            size_t next);
/* Sets the word of a stream that was started to number `sequence` of a group, cut to `length`. */
void f2l_data_words_start(f2l_data_stream *s, const f2l_data *data, f2l_data_range group,
                          uint32_t sequence, size_t length);

/* As f2l_data_evaluate, with the words alone that the options say. */
f2l_status f2l_data_evaluate_own(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                 const f2l_data *data, const f2l_data_reader *reader,
                                 const f2l_data_plan *plan, const f2l_task *task, f2l_error *err);

/* A batch made in two parts, so that several threads may make the rows. f2l_data_batch_begin sets
 * room and lengths; f2l_data_batch_rows makes rows `from` .. `to` - 1, with a separate stream for
 * each thread, and adds the answers that count in them to *counted; `counted` of the batch is left
 * at 0. */
f2l_status f2l_data_batch_begin(f2l_data_batch *batch, const f2l_data *data, f2l_data_range range,
                                uint64_t step, size_t first, size_t sequences, f2l_error *err);
f2l_status f2l_data_batch_rows(f2l_data_batch *batch, size_t *counted, f2l_data_stream *stream,
                               const f2l_data *data, uint64_t step, size_t first, size_t from,
                               size_t to, f2l_error *err);

/* --- recall (models/learn/data/data_recall.c) --- */

f2l_status f2l_data_build_recall(f2l_data *out, const f2l_data_options *options, f2l_error *err);
/* Draws the pairs of a sequence. */
f2l_status f2l_data_start_recall(f2l_data_stream *s, f2l_error *err);
void f2l_data_next_recall(f2l_data_stream *s, f2l_data_item *item, uint64_t x);

#endif
