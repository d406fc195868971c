/* Training and test data: sequences of letters, the answers that a network should give, and a mask
 * of the answers that count.
 *
 * Nothing is stored and nothing has a state: the letter at a position is a pure function of (seed,
 * stream, step, sequence, position), so it does not depend on how a batch is split, on the order of
 * the work or on the backend. Exactly, for other backends: the block of a position is Philox4x32-10
 * (numeric/base/rng.h) with key = (seed, stream) and counter = (position, sequence, step mod 2^32,
 * floor(step / 2^32)), read as two numbers x = b0 + 2^32 b1 and y = b2 + 2^32 b3. A choice among n
 * by x is floor(n x / 2^64); each of the n has a probability within 2^-64 of 1/n. A weighted letter
 * is the first a with floor(x / 2^11) < threshold[a]. The position F2L_DATA_HEADER serves the
 * sequence's length. Streams are >= 1: key (seed, 0) is f2l_rng's.
 *
 * Tasks:
 * - automaton: any deterministic total automaton. Letters are independent, uniform or weighted; the
 *   answer is the label of the state reached. With `tokens` = k > 1 every letter is followed by
 *   k - 1 padding letters (one more letter, the last of the alphabet), and the answer is wanted
 *   after the last of the k. With the shares `live` and `periodic` the kind of a sequence is drawn
 *   by y of its header, and its letters as models/learn/data/data_walk.h says. Group word problems,
 * parity and the like are automata (automata/family/family.h); "only swaps" and limited cycles are
 * weights, below.
 * - arithmetic: d op d op .. d with uniform digits 0..m-1 and uniform operators, `*` before + and
 *   -. The answer is the value modulo m, after every digit or after the last letter.
 * - brackets: expressions of exactly the wanted length n. n = 1: d, 2: -d, 3: (d), 4: (-d); for
 *   n >= 5 (L op R) where |L| is uniform in 1..n-4 and |R| = n - 3 - |L|. The language is
 *   context-free; the answer is wanted after the last letter only. The operator is uniform.
 * - words: a finite list (models/learn/data/word_list.h). Sequence i of step s is word number
 *   s * batch + i of the list, which is shuffled anew each time that all words were read: every
 *   word comes once in every epoch. Where every letter has a label that counts, a range of lengths
 *   cuts words that are longer; otherwise it chooses words of these lengths, and an epoch has only
 *   these.
 * - recall: associative recall of several pairs (MQAR; Arora et al., Zoology, 2023). The letters
 * are `keys` keys k0, k1, .. and as many values v0, v1, ..; a sequence begins with `pairs` pairs of
 * a key and a value, keys all different, values independent and uniform. At `pairs` of the letters
 *   that follow, uniform among all choices, the keys come again, each once, and there alone the
 *   answer counts: the value of the key. All other letters are uniform among keys and values. The
 *   beginning of a sequence is none of a shorter length, since its keys come later.
 *
 * The letters of arithmetic and brackets are the digits, then + - * ( ) and =, each if it occurs.
 *
 * With `begin` every sequence begins with one more letter, the last of the alphabet, which is never
 * drawn; its answer is a label of its own, the last one, and counts, as the token [BOS] does in the
 * released code of Siems et al. 2025. What follows is the same with and without it.
 *
 * A length counts all letters, with padding letters and a final `=`, but not the begin letter. */
#ifndef F2L_DATA_H
#define F2L_DATA_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/word_list.h"

typedef enum f2l_data_kind {
    F2L_DATA_AUTOMATON,
    F2L_DATA_ARITHMETIC,
    F2L_DATA_BRACKETS,
    F2L_DATA_WORDS,
    F2L_DATA_RECALL
} f2l_data_kind;
typedef enum f2l_data_when {
    F2L_DATA_EVERY,
    F2L_DATA_LAST
} f2l_data_when; /* the answers that count */

/* Streams by purpose; any other number >= 1 may be used as well. */
enum { F2L_DATA_TRAIN = 1, F2L_DATA_TEST = 2 };
#define F2L_DATA_HEADER UINT32_MAX
/* Most letters of z and of u in a periodic word z u u u ... */
enum { F2L_DATA_BEFORE = 4, F2L_DATA_AROUND = 4 };
enum { F2L_DATA_MOST_KEYS = 4096 };

typedef struct f2l_data_options {
    f2l_data_kind kind;
    f2l_data_when when;
    /* for F2L_DATA_AUTOMATON */
    f2l_label label;
    const double *weight;  /* [letters] >= 0 and finite; a letter of weight 0 is never drawn; NULL:
                            * uniform */
    size_t tokens;         /* letters per transition; 0 counts as 1 */
    double live, periodic; /* shares of the words that stay out of sinks, and of periodic words
                            * (models/learn/data/data_walk.h), in [0, 1], together at most 1 */
    /* for arithmetic and brackets */
    size_t modulus; /* 2..1000 */
    bool times;     /* whether the operator * occurs */
    bool equals;    /* whether every sequence ends in one letter =, after which the answer is
                     * wanted */
    /* for recall */
    size_t pairs, keys; /* 1..keys and 1..F2L_DATA_MOST_KEYS */
    /* for words */
    const f2l_word_list *words; /* borrowed */
    const f2l_word_list *test; /* words of the test stream, with the same names; borrowed; NULL: the
                                * words that are held out, or with held_out = 0 all of them */
    double held_out; /* part of the words that only the test stream has, in [0, 1); without `test`
                      */
    size_t batch;    /* sequences of a step */
    /* for all tasks */
    bool begin; /* whether every sequence begins with one letter of its own, which has a label */
    uint32_t seed, stream;
} f2l_data_options;

typedef struct f2l_data_part f2l_data_part;

typedef struct f2l_data {
    f2l_data_options options; /* without `weight` */
    f2l_names letters;        /* the network's alphabet */
    f2l_names labels;         /* the network's answers */
    size_t least, stride;     /* possible lengths: least, least + stride, .. below 2^32 - 1, in
                               * letters */
    const f2l_fsa *fsa;       /* borrowed; NULL: not an automaton */
    size_t others_to;         /* f2l_data_evaluate tests live and periodic words, too, of lengths up
                               * to this one; 0, as it is built: only what the options say */
    uint32_t *answer; /* [states] indices of labels, owned; NULL with labels of transitions */
    uint32_t *stays;  /* [states] 0: a sink; else 1 more than the letters that can be read without
                       * entering one, UINT32_MAX: any number; owned; NULL: not drawn by an
                       * automaton */
    /* private, owned */
    uint64_t *threshold; /* [letters of the automaton] cumulative probabilities in units of 2^-53;
                            NULL: uniform */
    f2l_data_part *part; /* NULL: no words */
} f2l_data;

void f2l_data_init(f2l_data *data);
void f2l_data_clear(f2l_data *data);

/* Builds *out, which must be initialised empty. `fsa` is for F2L_DATA_AUTOMATON and must outlive
 * *out; for F2L_DATA_WORDS it may be the automaton that gives the labels of the words; else NULL.
 * The weights are copied. Answers are numbered like the automaton's states or
 * outputs; with F2L_LABEL_ACCEPT 0 is reject and 1 accept. F2L_EDOMAIN: no letters, labels that the
 * automaton does not have, bad weights, a modulus out of range, stream 0, or answers after every
 * letter of bracketed expressions. */
f2l_status f2l_data_build(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa,
                          f2l_error *err);

/* Returns the greatest possible length <= length, or 0 when there is none. */
size_t f2l_data_fit(const f2l_data *data, size_t length);

/* Returns the least possible length > length; the greatest one where there is none. */
size_t f2l_data_after(const f2l_data *data, size_t length);

/* Returns whether the beginning of a sequence is a sequence of that length with the same answers,
 * so that one reading tests several lengths. */
bool f2l_data_has_prefixes(const f2l_data *data);

/* Returns the number of words of the stream; 0: the data are not words. */
size_t f2l_data_words_count(const f2l_data *data);

/* Returns whether the letter has a positive probability: false for weight 0, and for weights under
 * about 2^-53 of the sum. */
bool f2l_data_draws(const f2l_data *data, size_t letter);

/* Returns the number of letters that a reader reads of a sequence of this length: one more with
 * `begin`. */
size_t f2l_data_read_length(const f2l_data *data, size_t length);

/* Returns the begin letter; only with `begin`. */
uint32_t f2l_data_begin_letter(const f2l_data *data);

/* Returns the accuracy of blind guessing among the labels, 1 / labels without the label of the
 * begin letter; 0 for a single label, so that accuracies can be scaled by it
 * (f2l_train_scaled_accuracy). */
double f2l_data_chance(const f2l_data *data);

/* Sets weight[letters] to 1 for the letters of a group form that are one cycle of 2..longest points
 * (2: only swaps), and for the identity if `identity`; to 0 for all others. F2L_EDOMAIN: the
 * automaton is not in group form, or no letter is left. */
f2l_status f2l_data_cycle_weights(double *weight, const f2l_fsa *fsa, size_t longest, bool identity,
                                  f2l_error *err);

/* A range of lengths; lengths are uniform among the possible ones in shortest..longest;
 * of words see the head of this file. */
typedef struct f2l_data_range {
    size_t shortest, longest;
} f2l_data_range;

/* --- one sequence, letter by letter --- */

typedef struct f2l_data_item {
    uint32_t letter;
    uint32_t label; /* 0 where it does not count */
    bool counts;
} f2l_data_item;

/* An open bracket: the part after its left half, and the value of the left half. */
typedef struct f2l_data_frame {
    uint32_t right; /* length of the right half; 0: a bracket around one digit, or the right half
                       was read */
    uint32_t left;  /* value of the left half */
    uint8_t op;     /* F2L_DATA_WRAP for a bracket around one digit */
} f2l_data_frame;

/* A pair of recall, and the place where its key comes again. */
typedef struct f2l_data_pair {
    uint32_t key, value, place;
} f2l_data_pair;

/* One sequence being drawn. Memory does not depend on the length, except for one frame per open
 * bracket (about the logarithm of the length; never more than a quarter of it). `data` is
 * borrowed. */
typedef struct f2l_data_stream {
    const f2l_data *data;
    uint64_t step;
    uint32_t sequence, position, length;
    uint32_t word;          /* words: its number */
    uint32_t state;         /* automaton: state; arithmetic: sum of the products before this one */
    bool live;              /* automaton: the word stays out of sinks */
    uint8_t before, around; /* letters of z and of u of a periodic word; around 0: it is none */
    uint32_t cycle[F2L_DATA_BEFORE + F2L_DATA_AROUND]; /* z and u */
    uint32_t product, op;   /* arithmetic: last product, with its sign, and the operator before the
                             * next digit */
    uint32_t wanted, value; /* brackets: length of the next expression (0: one was completed and has
                             * this value) */
    bool negative, began;   /* began: the begin letter was read, or there is none */
    f2l_data_frame *frame;
    size_t frames, frame_room;
    f2l_data_pair *pair; /* recall: [pairs] as the sequence begins, and [pairs] by their places */
    size_t pair_room, asked;
} f2l_data_stream;

void f2l_data_stream_init(f2l_data_stream *s);
void f2l_data_stream_clear(f2l_data_stream *s);

/* Puts *s (initialised; it may have been used) before the first letter. F2L_EDOMAIN if the length
 * is not possible. */
f2l_status f2l_data_stream_start(f2l_data_stream *s, const f2l_data *data, uint64_t step,
                                 uint32_t sequence, size_t length, f2l_error *err);

/* The same with the length of the sequence, which is drawn from the range. */
f2l_status f2l_data_stream_begin(f2l_data_stream *s, const f2l_data *data, uint64_t step,
                                 uint32_t sequence, f2l_data_range range, f2l_error *err);

/* Sets *item to the next letter; at most f2l_data_read_length calls after a start. Fails only for
 * memory (brackets). */
f2l_status f2l_data_stream_next(f2l_data_stream *s, f2l_data_item *item, f2l_error *err);

/* --- a batch --- */

/* Returns the length of a sequence, or 0 when no length in the range is possible. */
size_t f2l_data_length(const f2l_data *data, f2l_data_range range, uint64_t step,
                       uint32_t sequence);

/* A batch. Rows are padded at the end with letter 0, label 0, mask 0, which does not affect a
 * network that reads from left to right. Lengths count the begin letter here. */
typedef struct f2l_data_batch {
    size_t sequences, length; /* B, and T: the longest sequence of these */
    uint32_t *letter;         /* [B][T] */
    uint32_t *label;          /* [B][T] */
    uint8_t *mask;            /* [B][T] 1 where the answer counts */
    uint32_t *lengths;        /* [B] */
    size_t counted;           /* ones in mask */
    /* private */
    f2l_data_range range;
    size_t cells, rows;
    f2l_data_stream stream;
} f2l_data_batch;

void f2l_data_batch_init(f2l_data_batch *batch);
void f2l_data_batch_clear(f2l_data_batch *batch);

/* Fills *batch (initialised; memory of earlier uses is reused) with the sequences first .. first +
 * sequences - 1 of the step. F2L_EDOMAIN: no possible length in the range, no sequences, or
 * sequence numbers from 2^32 on. */
f2l_status f2l_data_batch_fill(f2l_data_batch *batch, const f2l_data *data, f2l_data_range range,
                               uint64_t step, size_t first, size_t sequences, f2l_error *err);

#endif
