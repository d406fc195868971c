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

enum { F2L_LEARNED_MAX_DIM = 64 }; /* of keys and values; the checker has the same limit */

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

typedef struct f2l_learned_horizon {
    const f2l_learned_scope *scope;
    size_t horizon;           /* 0: not even one letter */
    size_t prefix;            /* the balls begin after each word of this length (LH.3) */
    size_t prefixes, lengths; /* letters^prefix; lengths that radius and margin have, at least
                               * horizon - prefix */
    size_t letters, states, heads, key;
    double kappa;   /* of the norms (LH.4) */
    double *form;   /* [heads][key][key] R, upper triangular, multiples of 2^-20 */
    double *norm;   /* [letters][heads] of |R A R^-1|, rounded up to multiples of 2^-20 */
    double *radius; /* [prefixes][lengths][heads] before the last letter, rounded up in the same
                     * way */
    double *margin; /* [prefixes][lengths][states], rounded down */
    /* What limits the horizon; `limited` is false when `most` was reached. After horizon + 1
     * letters, for this state before the last letter, the centre's logits differ by `difference`
     * (up to a positive factor), but the ball's may differ by `spread` from these. */
    bool limited;
    size_t state, letter, other;
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
 * before every word. Lengths above `most` >= 1 are not tried. F2L_EDOMAIN as above, or numbers that
 * are not finite or too large for the scope; F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_learned_horizon_build(f2l_learned_horizon *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool begin,
                                     const f2l_learned_scope *scope, size_t most,
                                     const f2l_task *task, f2l_error *err);

/* The SHA-256 of the three files that the certificate is about, in hexadecimal. */
typedef struct f2l_learned_files {
    char fsa[65], config[65], weights[65];
} f2l_learned_files;

/* Appends the certificate. F2L_EDOMAIN: the horizon is 0. */
f2l_status f2l_learned_horizon_write(f2l_buf *out, const f2l_learned_horizon *horizon,
                                     const f2l_learned_files *files, f2l_error *err);

#endif
