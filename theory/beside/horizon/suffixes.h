/* Words w behind z u^t, and what an answer after them reads of the limit before them: K^-1/2 (A_w^T
 * q)^T S + K^-1/2 B_w^T q; private to this folder. */
#ifndef F2L_LEARNED_SUFFIXES_H
#define F2L_LEARNED_SUFFIXES_H

#include "automata/fsa/fsa.h"
#include "theory/beside/horizon/impl.h"
#include "theory/beside/horizon/learned_settle.h"

/* Word 0 is empty, and nothing is read for it. */
typedef struct f2l_suffixes {
    const f2l_learned_net *net;
    size_t count;
    f2l_settle_word *word; /* [count], shortest first */
    size_t *state;         /* [count][states] where a word leads a state; owned, as is read */
    double *read;          /* [count][heads][key + value] K^-1/2 A_w^T q and K^-1/2 B_w^T q */
} f2l_suffixes;

/* Lists the `count` shortest words; the network must stay. */
f2l_status f2l_suffixes_init(f2l_suffixes *out, const f2l_learned_net *net, const f2l_fsa *fsa,
                             size_t count, f2l_error *err);
void f2l_suffixes_clear(f2l_suffixes *x);
/* Computes o [heads][value] after word i, i > 0, behind the states [heads][key][value]. */
void f2l_suffixes_read(double *o, const f2l_suffixes *x, size_t i, const double *state);

#endif
