/* Is a learned network of one layer right on all words, of every length? (theory/pages/
 * all-lengths.md, AL.7 - AL.9, AL.12, AL.13.)
 *
 * For every state of the automaton, head and column of the network's states after the words that
 * lead there lie in a polygon, or an interval where keys have one number; these sets are closed
 * under letters. A finite tree of suffixes says that what a word's last letters make of these sets
 * is read rightly. Both are the certificate, which horizon-check verifies: what is computed here is
 * in doubles.
 *
 * Of a network with clamped betas and exact keys the certificate says which heads have finitely
 * many states, and how many these and the automaton have together. */
#ifndef F2L_LEARNED_FOREVER_H
#define F2L_LEARNED_FOREVER_H

#include "theory/beside/horizon/learned_horizon.h"

/* The checker has the same limits. */
enum { F2L_FOREVER_KEY = 2, F2L_FOREVER_DIRECTIONS = 64, F2L_FOREVER_DEPTH = 65535 };

/* Why nothing is proved. */
typedef enum f2l_forever_end {
    F2L_FOREVER_PROVED,
    F2L_FOREVER_NORM,  /* a letter does not shorten what a head remembers: `letter`, `head`, `norm`
                        */
    F2L_FOREVER_LARGE, /* the sets of `head` grow above what a format can hold */
    F2L_FOREVER_WRONG, /* `word` is answered wrongly, as far as doubles tell */
    F2L_FOREVER_OPEN,  /* the answer after the suffix `word` is not decided: of its depth */
    F2L_FOREVER_LATE,  /* the time was over at the suffix `word`, or, if it is empty, before */
    /* of a network with clamped betas and exact keys */
    F2L_FOREVER_INEXACT, /* a factor of `letter` is not exactly rational in `head` */
    F2L_FOREVER_ROUNDED, /* `letter` rounds the state of `head` in the scope */
    F2L_FOREVER_ENDLESS  /* the states of `head` are more than are tried */
} f2l_forever_end;

typedef struct f2l_learned_forever {
    const f2l_learned_scope *scope;
    f2l_forever_end end;
    size_t states, heads, key, value;
    /* [heads] directions; [heads][F2L_FOREVER_DIRECTIONS][key]: the axes 1, -1, 1 for the second
     * number, -1, then others; multiples of 2^-40 */
    size_t *many;
    double *direction;
    bool *met;     /* [states] */
    double *set;   /* [states][heads][value][F2L_FOREVER_DIRECTIONS] multiples of 2^-40 */
    uint8_t *tree; /* [nodes] by letters, words from their last letter: F2L_FOREVER_INNER, or how
                    * often the box of a leaf is halved */
    size_t nodes, leaves, depth, capacity;
    bool finite;    /* the network has clamped betas and exact keys; then only these are set: */
    bool *followed; /* [heads] whose states are finitely many */
    size_t joint;   /* states of these heads and the automaton together */
    uint64_t denominator;
    size_t letter, head; /* of `end` */
    double norm;         /* the largest of all letters and heads, of this letter and head; INFINITY
                          * where the network is `finite` */
    uint32_t *word;      /* [word_length] */
    size_t word_length;
} f2l_learned_forever;

#define F2L_FOREVER_INNER UINT8_MAX

void f2l_learned_forever_init(f2l_learned_forever *out);
void f2l_learned_forever_clear(f2l_learned_forever *out);

/* Builds *out, which is initialised empty, and empty again after a failure, from the double values
 * of the parameters, as f2l_learned_horizon_build does; stops after about that time.
 * F2L_EDOMAIN: as there, or keys of more than two numbers, or clamped betas without exact keys, or
 * exact keys of several numbers that are not ternary; F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_learned_forever_build(f2l_learned_forever *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool begin,
                                     const f2l_learned_scope *scope, double seconds,
                                     const f2l_task *task, f2l_error *err);

/* Appends the certificate. F2L_EDOMAIN: nothing is proved. */
f2l_status f2l_learned_forever_write(f2l_buf *out, const f2l_learned_forever *proof,
                                     const f2l_learned_files *files, f2l_error *err);

#endif
