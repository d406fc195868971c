/* Declarations shared by the search for wrong limits (learned_settle.c), what is read at a limit
 * (settle_answers.c) and the claims that are made of wrong ones (settle_claims.c); private to this
 * folder. */
#ifndef F2L_SETTLE_IMPL_H
#define F2L_SETTLE_IMPL_H

#include "theory/beside/horizon/learned_settle.h"
#include "theory/beside/horizon/limit.h"
#include "theory/beside/horizon/suffixes.h"

/* Words that are run to find a wrong answer: as many wrong limits are kept. */
enum { F2L_SETTLE_RUNS = 256 };

/* A word, what the network's state after it is, and the automaton's. */
typedef struct f2l_settle_place {
    f2l_settle_word word;
    size_t state;
    double *at, *off; /* [heads][key][value], [heads]; borrowed */
} f2l_settle_place;

/* A wrong limit. score: about how long the first wrong word is. */
typedef struct f2l_settle_claim {
    size_t prefix, answer, suffix;
    f2l_settle_word period;
    double score;
} f2l_settle_claim;

typedef struct f2l_settle_search {
    f2l_learned_net net;
    f2l_limit limit;
    const f2l_fsa *fsa;
    const f2l_settle_ask *ask;
    f2l_settle *out;
    size_t size;              /* numbers of a state */
    f2l_settle_place *prefix; /* [out->prefixes] */
    char *seen;               /* [out->prefixes] what the limits of the period are */
    f2l_suffixes suffix;
    size_t with_suffix;                           /* prefixes that get suffixes */
    double *state;                                /* [F2L_LEARNED_LANES][size] limits */
    double *memory;                               /* of their numbers */
    f2l_settle_claim claims[F2L_SETTLE_RUNS + 1]; /* by their scores */
    size_t count;
    size_t spent; /* letters of words that were run */
    /* of the period: the state after it, the least state of the cycle that this ends in, or NONE
     * where the state is in no cycle, and the cycle's size */
    size_t *image, *cycle, *cycle_size;
    double *o, *radius, *logit, rate; /* rate 0: unknown */
    double end;                       /* of the time */
    /* of o: the answer, how much its logit is larger, and the sizes of what logits are sums of */
    size_t answer;
    double gap, sizes;
    const f2l_task *task;
    f2l_error *err;
} f2l_settle_search;

/* Sets the logits, up to a positive factor, for s->o after a letter; returns the size of what they
 * are sums of. */
double f2l_settle_logits(f2l_settle_search *s, size_t letter);
/* Returns the largest logit's label; sets *gap to how much larger it is than all others. */
size_t f2l_settle_largest(double *gap, const f2l_settle_search *s);
/* Sets where the period leads states, and its cycles. */
void f2l_settle_cycles(f2l_settle_search *s, const f2l_settle_word *u);
/* Returns the last letter of z u^t w. */
size_t f2l_settle_last(const f2l_settle_search *s, const f2l_settle_word *u, size_t w);
/* Returns how many states of a cycle, which this one is of, the suffix leads to another state than
 * the answer. */
size_t f2l_settle_count_wrong(const f2l_settle_search *s, size_t state, size_t w, size_t answer);

/* Keeps a claim by its score, at most two of a period. */
void f2l_settle_keep(f2l_settle_search *s, const f2l_settle_claim *c);
/* Runs the words of the claims that are kept, and the best period with all prefixes, to find a
 * short wrong word: with a share of the letters, or with the rest. Longer periods crowd out claims
 * of shorter ones, whose words need not be longer. */
f2l_status f2l_settle_run(f2l_settle_search *s, bool last);
/* Makes the best of the claims the result, and runs their words. */
f2l_status f2l_settle_try(f2l_settle_search *s);

#endif
