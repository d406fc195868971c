/* Lower bounds for all networks of one layer without gates whose decoder reads the letter and the
 * layer's state after it (theory/pages/least.md, LD.2, LD.3), each with the word that proves it. */
#ifndef F2L_LEAST_H
#define F2L_LEAST_H

#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"

typedef enum f2l_least_kind {
    F2L_LEAST_HEADS,     /* n_h of a layer with any number of heads (LD.2) */
    F2L_LEAST_ONE,       /* n_h of a layer with one head (LD.2) */
    F2L_LEAST_DIMENSION, /* sum of the heads' key dimensions (LD.3) */
    F2L_LEAST_KINDS
} f2l_least_kind;

/* A bound and its word w. The states q, qw, .., qw^index are different and only the last of them is
 * on a cycle of w, for q = state, and q is not hidden (LD.0) where the index is 1; `on_cycle` is on
 * a cycle of w of `period` states. Owns the letters. */
typedef struct f2l_least_word {
    size_t bound;
    uint32_t *letter;
    size_t length; /* 0: no word proves more than the bound 0 */
    size_t state, index, on_cycle, period;
} f2l_least_word;

typedef struct f2l_least {
    f2l_least_word word[F2L_LEAST_KINDS];
    size_t longest; /* all words up to this length were tried */
} f2l_least;

void f2l_least_init(f2l_least *least);
void f2l_least_clear(f2l_least *least);

/* Tries all letters, and longer words by length, while all words of a length take at most 2,000,000
 * steps; words of one length in the order of the letters. The first word with the largest bound is
 * kept. Counts no effort. The states must be reachable and have different labels after some word,
 * pair by pair;
 * `label` is the kind of these labels.
 * Returns F2L_UNKNOWN only when the task says stop; *out is cleared on failure. */
f2l_status f2l_least_build(f2l_least *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err);

/* Replays the word, and returns whether it acts as claimed and proves the bound. */
bool f2l_least_holds(const f2l_fsa *fsa, f2l_label label, f2l_least_kind kind,
                     const f2l_least_word *word);

#endif
