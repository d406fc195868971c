/* Training and test data: sequences of letters, what a network should answer after them, and which
 * answers count.
 *
 * Nothing is stored and nothing has a state: what stands at a position is a pure function of (seed,
 * stream, step, sequence, position), so that it does not depend on how a batch is split, on the
 * order of the work or on the backend. For other backends, exactly: the block of a position is
 * Philox4x32-10 (numeric/base/rng.h) with key = (seed, stream),  counter = (position, sequence,
 * step mod 2^32, floor(step / 2^32)), read as two numbers x = b0 + 2^32 b1 and y = b2 + 2^32 b3. A
 * choice among n by x is floor(n x / 2^64); every one of the n has a probability within 2^-64 of
 * 1/n. A weighted letter is the first a with floor(x / 2^11) < threshold[a]. The position
 * F2L_DATA_HEADER serves the sequence's length. Streams are >= 1: key (seed, 0) is f2l_rng's.
 *
 * Tasks:
 * automaton   any deterministic total automaton; letters are independent, uniform or weighted; the
 * answer is the label of the state reached. With `tokens` = k > 1 a letter is followed by k - 1
 * padding letters (one more letter, the last of the alphabet) and the answer is wanted after the
 * last of the k. Group word problems, parity and the like are automata (automata/family/family.h);
 * "only swaps" and limited cycles are weights, below. arithmetic  d op d op .. d, digits 0..m-1 and
 * operators uniform, `*` before + and -; the answer is the value modulo m, after every digit or
 * after the last letter. brackets    expressions that have exactly the wanted length n: n = 1: d,
 * 2: -d, 3: (d), 4: (-d); for n >= 5 (L op R) where |L| is uniform in 1..n-4 and |R| = n - 3 - |L|.
 * Context-free; the answer is wanted after the last letter only. The operator is uniform. Letters
 * of the last two: the digits, then + - * ( ) and =, each as far as it occurs.
 *
 * A length counts letters: padding letters and a final `=` too. */
#ifndef F2L_DATA_H
#define F2L_DATA_H

#include "automata/fsa/fsa.h"

typedef enum f2l_data_kind {
    F2L_DATA_AUTOMATON,
    F2L_DATA_ARITHMETIC,
    F2L_DATA_BRACKETS
} f2l_data_kind;
typedef enum f2l_data_when {
    F2L_DATA_EVERY,
    F2L_DATA_LAST
} f2l_data_when; /* which answers count */

/* Streams by purpose; any other number >= 1 may be used as well. */
enum { F2L_DATA_TRAIN = 1, F2L_DATA_TEST = 2 };
#define F2L_DATA_HEADER UINT32_MAX

typedef struct f2l_data_options {
    f2l_data_kind kind;
    f2l_data_when when;
    /* automaton */
    f2l_label label;
    const double *weight; /* [letters] >= 0 and finite; a letter of weight 0 never comes; NULL:
                             uniform */
    size_t tokens;        /* letters per transition; 0 counts as 1 */
    /* arithmetic and brackets */
    size_t modulus; /* 2..1000 */
    bool times;     /* with the operator * */
    bool equals;    /* every sequence ends in one letter = (and the answer is wanted after it) */
    /* all */
    uint32_t seed, stream;
} f2l_data_options;

typedef struct f2l_data {
    f2l_data_options options; /* without `weight` */
    f2l_names letters;        /* the network's alphabet, .. */
    f2l_names labels;         /* .. and its answers */
    size_t least, stride;     /* possible lengths: least, least + stride, .. below 2^32 - 1 */
    /* private */
    const f2l_fsa *fsa;
    uint32_t *answer;    /* [states] */
    uint64_t *threshold; /* [letters of the automaton] cumulative probabilities in units of 2^-53;
                            NULL: uniform */
} f2l_data;

void f2l_data_init(f2l_data *data);
void f2l_data_clear(f2l_data *data);

/* *out must be initialised empty. `fsa` is for F2L_DATA_AUTOMATON (else NULL) and must outlive
 * *out; the weights are copied. Answers are numbered as states or outputs are; with
 * F2L_LABEL_ACCEPT 0 is reject and 1 accept. F2L_EDOMAIN: no letters, labels that the automaton
 * does not have, bad weights, a modulus out of range, stream 0, or answers after every letter of
 * bracketed expressions. */
f2l_status f2l_data_build(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa,
                          f2l_error *err);

/* The greatest possible length <= length; 0 when there is none. */
size_t f2l_data_fit(const f2l_data *data, size_t length);

/* Whether the letter has a positive probability. False for weight 0, and for weights under about
 * 2^-53 of the sum. */
bool f2l_data_draws(const f2l_data *data, size_t letter);

/* The accuracy of blind guessing among the labels, 1 / labels; 0 for a single label, so that
 * accuracies can be scaled by it (f2l_train_scaled_accuracy). */
double f2l_data_chance(const f2l_data *data);

/* One line that determines the data apart from the automaton's table: for run directories and to
 * refuse a checkpoint of other data. The automaton is named by the SHA-256 of its canonical text,
 * the weights by that of the thresholds. */
f2l_status f2l_data_describe(f2l_buf *out, const f2l_data *data, f2l_error *err);

/* Weights 1 for the letters of a group form that are one cycle of 2..longest points (2: only
 * swaps), and for the identity where `identity` says so; 0 for all others. weight[letters].
 * F2L_EDOMAIN: not in group form, or no letter is left. */
f2l_status f2l_data_cycle_weights(double *weight, const f2l_fsa *fsa, size_t longest, bool identity,
                                  f2l_error *err);

/* --- one sequence, letter by letter --- */

typedef struct f2l_data_item {
    uint32_t letter;
    uint32_t label; /* 0 where it does not count */
    bool counts;
} f2l_data_item;

/* A bracket that is open: what comes after its left half, and that half's value. */
typedef struct f2l_data_frame {
    uint32_t right; /* length of the right half; 0: a bracket around one digit, or the right half
                       was read */
    uint32_t left;  /* value of the left half */
    uint8_t op;     /* F2L_DATA_WRAP for a bracket around one digit */
} f2l_data_frame;

/* Memory does not depend on the length, but for one frame per bracket that is open (about the
 * logarithm of the length; never more than a quarter of it). */
typedef struct f2l_data_stream {
    const f2l_data *data;
    uint64_t step;
    uint32_t sequence, position, length;
    uint32_t state;         /* automaton: state; arithmetic: sum of the products before this one */
    uint32_t product, op;   /* arithmetic: last product, with its sign, and the operator that waits
                               for a digit */
    uint32_t wanted, value; /* brackets: length of the expression to come (0: one was completed,
                               with this value) */
    bool negative;
    f2l_data_frame *frame;
    size_t frames, frame_room;
} f2l_data_stream;

void f2l_data_stream_init(f2l_data_stream *s);
void f2l_data_stream_clear(f2l_data_stream *s);

/* Puts *s (initialised; it may have been used) before the first letter. F2L_EDOMAIN unless the
 * length is possible. */
f2l_status f2l_data_stream_start(f2l_data_stream *s, const f2l_data *data, uint64_t step,
                                 uint32_t sequence, size_t length, f2l_error *err);

/* The next letter; at most `length` calls after a start. Fails only for memory (brackets). */
f2l_status f2l_data_stream_next(f2l_data_stream *s, f2l_data_item *item, f2l_error *err);

/* --- a batch --- */

/* Lengths are uniform among the possible ones in shortest..longest. */
typedef struct f2l_data_range {
    size_t shortest, longest;
} f2l_data_range;

/* The length of a sequence; 0 when none in the range is possible. */
size_t f2l_data_length(const f2l_data *data, f2l_data_range range, uint64_t step,
                       uint32_t sequence);

/* Rows are padded at the end with letter 0, label 0, mask 0: a network that reads from left to
 * right is not affected. */
typedef struct f2l_data_batch {
    size_t sequences, length; /* B, and T: the longest sequence of these */
    uint32_t *letter;         /* [B][T] */
    uint32_t *label;          /* [B][T] */
    uint8_t *mask;            /* [B][T] 1 where the answer counts */
    uint32_t *lengths;        /* [B] */
    size_t counted;           /* ones in mask */
    /* private */
    size_t cells, rows;
    f2l_data_stream stream;
} f2l_data_batch;

void f2l_data_batch_init(f2l_data_batch *batch);
void f2l_data_batch_clear(f2l_data_batch *batch);

/* Fills *batch (initialised; memory of earlier uses is used again) with the sequences first ..
 * first + sequences - 1 of the step. F2L_EDOMAIN: no possible length in the range, no sequences or
 * numbers from 2^32 on. */
f2l_status f2l_data_batch_fill(f2l_data_batch *batch, const f2l_data *data, f2l_data_range range,
                               uint64_t step, size_t first, size_t sequences, f2l_error *err);

#endif
