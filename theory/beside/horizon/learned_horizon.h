/* The certified horizon of a learned network of one layer (theory/pages/learned.md).
 *
 * States after a word lie in balls around a centre for each state of the automaton and length, in
 * norms |R E| of each head; the horizon is the greatest length up to which the read-out of every
 * ball is right. The proof is the certificate, which horizon-check verifies: what is computed here
 * is in doubles, without bounds of roundings. */
#ifndef F2L_LEARNED_HORIZON_H
#define F2L_LEARNED_HORIZON_H

#include "automata/fsa/fsa.h"
#include "models/learn/seq/seq.h"

/* Dimensions of keys and values, and heads; the checker has the same limits. */
enum { F2L_LEARNED_MAX_DIM = 64, F2L_LEARNED_MAX_HEADS = 64 };

/* What the claim is about: the stored weights and all functions as real numbers, or a number format
 * in which every sum may be added in any order (LH.8). */
typedef struct f2l_learned_scope {
    const char *name;   /* in the certificate */
    const char *format; /* NULL: exact */
    double unit;        /* above the relative error of an operation; 0: exact */
    double most;        /* length of a tensor, so that nothing overflows */
} f2l_learned_scope;

/* Returns a scope, 0 being exact; NULL behind the last one. */
const f2l_learned_scope *f2l_learned_scope_at(size_t index);

/* What is asked for. */
typedef struct f2l_learned_ask {
    const f2l_learned_scope *scope;
    size_t most;             /* lengths above this one are not tried; >= 1 */
    const uint32_t *letters; /* rising numbers of the letters of the words; NULL: all */
    size_t letter_count;     /* unused where letters is NULL */
    size_t prefix;           /* F2L_LEARNED_BY_TIME, or the prefix's length */
    double seconds;          /* of the longest prefix by time, about */
} f2l_learned_ask;

#define F2L_LEARNED_BY_TIME SIZE_MAX
#define F2L_LEARNED_MOST_PREFIX 64 /* as in the checker */

typedef struct f2l_learned_horizon {
    const f2l_learned_scope *scope;
    size_t horizon; /* 0: not even one letter */
    size_t prefix;  /* the balls begin after each word of this length (LH.3) */
    size_t letters, states, heads, key;
    size_t group;     /* letters of the words */
    uint32_t *letter; /* [group] */
    double kappa;     /* of the norms (LH.4) */
    double *form;     /* [heads][key][key] R, upper triangular, multiples of 2^-20 */
    double *norm;     /* [letters][heads] of |R A R^-1|, rounded up to multiples of 2^-20 */
    /* What limits the horizon; `limited` is false when `most` was reached. After horizon + 1
     * letters, for this state before the last letter, the centre's logits differ by `difference`
     * (up to a positive factor), but the ball's may differ by `spread` from these. */
    bool limited;
    size_t wrong; /* length of a word that is answered wrongly, as far as doubles tell; 0: none */
    uint32_t word[F2L_LEARNED_MOST_PREFIX + 2]; /* this word, where word_length is its length */
    size_t word_length;
    size_t state, letter_at, other;
    double difference, spread;
    double *last; /* [heads] the radii of that ball */
} f2l_learned_horizon;

void f2l_learned_horizon_init(f2l_learned_horizon *out);
void f2l_learned_horizon_clear(f2l_learned_horizon *out);

/* Returns F2L_EDOMAIN with the reason where a network has no such certificate. */
f2l_status f2l_learned_horizon_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                       f2l_error *err);

/* Builds *out, which is initialised empty, and empty again after a failure, from the double values
 * of the parameters. The labels are the states; `begin`: the last letter of the network comes
 * before every word. F2L_EDOMAIN as above, or numbers that are not finite or too large for the
 * scope, or letters that are not there; F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_learned_horizon_build(f2l_learned_horizon *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool begin,
                                     const f2l_learned_ask *ask, const f2l_task *task,
                                     f2l_error *err);

/* Returns the number of words that the horizon is about, of 1 to `horizon` letters. */
double f2l_learned_words(const f2l_learned_horizon *horizon);

/* The SHA-256 of the three files that the certificate is about, in hexadecimal. */
typedef struct f2l_learned_files {
    char fsa[65], config[65], weights[65];
} f2l_learned_files;

/* Appends the certificate. F2L_EDOMAIN: the horizon is 0. */
f2l_status f2l_learned_horizon_write(f2l_buf *out, const f2l_learned_horizon *horizon,
                                     const f2l_learned_files *files, f2l_error *err);

#endif
