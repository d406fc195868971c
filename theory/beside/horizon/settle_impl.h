/* Declarations shared by the search for wrong limits (learned_settle.c), what is read at a limit
 * (settle_answers.c) and the claims that are made of wrong ones (settle_claims.c); private to this
 * folder. */
#ifndef F2L_SETTLE_IMPL_H
#define F2L_SETTLE_IMPL_H

#include "theory/beside/horizon/learned_settle.h"
#include "theory/beside/horizon/limit.h"
#include "theory/beside/horizon/limit_span.h"
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

/* The letters of a period, rising, and its last one where answers depend on it. */
typedef struct f2l_settle_key {
    f2l_settle_word set;
    size_t last;
} f2l_settle_key;

/* Answers by keys. */
typedef struct f2l_settle_store {
    size_t entries, slots;
    f2l_settle_key *key;        /* [slots] */
    f2l_learned_largest *known; /* [slots][entries] */
} f2l_settle_store;

/* Answers at the limits of a period, where these are not one for all prefixes (settle_reads.c). */
typedef struct f2l_settle_reads {
    f2l_span span;
    bool apply;                    /* to this period */
    size_t last;                   /* its last letter */
    double rate;                   /* its f2l_span_rate; below 0: not asked for */
    f2l_settle_store store[2];     /* without, with suffixes */
    f2l_learned_largest *known[2]; /* of this period */
    size_t *root;                  /* [out->prefixes] the prefix whose limits it has */
    double *row, *query;           /* [suffixes] and one, what is read of states */
    char *ready;                   /* [suffixes] whether it is known */
    size_t waiting;                /* questions, and where their answers go */
    f2l_learned_question question[F2L_LEARNED_LANES];
    f2l_learned_largest *to[F2L_LEARNED_LANES];
    double *o, *radius; /* of questions */
} f2l_settle_reads;

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
    double *o, *radius, *logit, rate;   /* rate 0: unknown */
    double bar;                         /* of scores that f2l_settle_keep keeps of this period */
    bool exact;                         /* s->limit is set for this period */
    size_t state_of[F2L_LEARNED_LANES]; /* the prefixes whose limits s->state has */
    f2l_settle_reads reads;
    double end; /* of the time */
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

/* Allocates s->reads, when all else of the search is there. */
f2l_status f2l_settle_reads_init(f2l_settle_search *s);
void f2l_settle_reads_clear(f2l_settle_reads *r);
/* Begins with another period: sets s->reads.span and apply; the rest is only for periods to which
 * it applies. */
void f2l_settle_reads_set(f2l_settle_search *s, const f2l_settle_word *u);
/* Asks for an answer if it is not known; returns whether all that was asked for was read now. */
bool f2l_settle_reads_ask(f2l_settle_search *s, size_t prefix, size_t w);
/* Reads what was asked for. */
void f2l_settle_reads_end(f2l_settle_search *s);
/* Returns the answer, as f2l_settle_logits gives it; NULL: it was not asked for, or others are
 * too near. */
const f2l_learned_largest *f2l_settle_reads_known(const f2l_settle_search *s, size_t prefix,
                                                  size_t w);
/* Returns f2l_span_rate. */
double f2l_settle_reads_rate(f2l_settle_search *s);

/* Returns the score from which on f2l_settle_keep changes nothing for claims of a period. */
double f2l_settle_bar(const f2l_settle_search *s, const f2l_settle_word *period);
/* Keeps a claim by its score, at most two of a period. */
void f2l_settle_keep(f2l_settle_search *s, const f2l_settle_claim *c);
/* Runs the words of the claims that are kept, and the best period with all prefixes, to find a
 * short wrong word: with a share of the letters, or with the rest. Longer periods crowd out claims
 * of shorter ones, whose words need not be longer. */
f2l_status f2l_settle_run(f2l_settle_search *s, bool last);
/* Makes the best of the claims the result, and runs their words. */
f2l_status f2l_settle_try(f2l_settle_search *s);

#endif
