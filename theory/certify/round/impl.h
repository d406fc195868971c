/* Running one word beside the automaton; shared by the files of theory/certify/round/observe.h. */
#ifndef F2L_THEORY_CERTIFY_ROUND_IMPL_H
#define F2L_THEORY_CERTIFY_ROUND_IMPL_H

#include "models/exact/run_exact.h"
#include "models/schedule/chunk.h"
#include "models/wired/wired_run.h"
#include "numeric/base/rng.h"
#include "numeric/format/choices.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/round/observe.h"

#define F2L_OBSERVE_POINTS 64

/* The exact states of an ordinary network along the word. */
typedef struct f2l_trail {
    f2l_exact *exact; /* NULL: not followed (wired, too large, or the exact network leaves its
                         codes) */
    size_t layers;
    size_t *joint, *start, *spare; /* [layers] codes, in one allocation */
    size_t *size, *offset;         /* [layers] numbers of a local state, and where it begins, in one
                                      allocation */
    double **code;                 /* [layers][codes][size] */
} f2l_trail;

typedef struct f2l_observer {
    const f2l_fsa *fsa;
    const f2l_task *task;
    uint32_t *expected; /* [states] */
    f2l_format format;  /* the caller's, with choices of its own when it is stochastic */
    f2l_choices choices;
    f2l_rng chance;
    const f2l_schedule *schedule;
    f2l_float_net *net; /* one of the two; net for chunk64 too */
    f2l_wired_float *wired;
    f2l_chunk *chunk;
    size_t numbers;
    double *joint, *spare, *best, *anchor; /* [numbers] in one allocation; of chunk64 none */
    f2l_trail trail;
    size_t state;                    /* of the automaton */
    uint64_t cost;                   /* steps of the effort for a letter */
    bool stopped;                    /* by the task, or its effort is spent */
    double seen[F2L_OBSERVE_POINTS]; /* of the present word: largest error up to length 2^i */
    size_t points;                   /* of them */
    double largest;
} f2l_observer;

/* Where the letters of a word come from. */
typedef struct f2l_word_source {
    f2l_rng *random;      /* NULL: periodic */
    const size_t *letter; /* [period] */
    size_t period, letters;
} f2l_word_source;

f2l_status f2l_observer_init(f2l_observer *o, const f2l_model *model, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule, uint64_t seed,
                             const f2l_task *task, f2l_error *err);
void f2l_observer_clear(f2l_observer *o);

/* Back to the empty word. */
void f2l_observer_start(f2l_observer *o);

/* Steps the network in `joint`; the label. */
uint32_t f2l_observer_step(f2l_observer *o, double *joint, size_t letter);
/* The exact codes in `codes`, in place; false, and nothing is followed any more, when there is
 * none. */
bool f2l_observer_follow(f2l_observer *o, size_t *codes, size_t letter);
/* Largest distance of a layer's state to its code. */
double f2l_observer_distance(const f2l_observer *o, const double *joint, const size_t *codes);
/* Notes the present error at that length. */
void f2l_observer_note(f2l_observer *o, uint64_t length, double error);

/* A word of at most `most` letters from the start. out->letters: how many were read; failed, label
 * and expected at the first wrong one; cyclic for a periodic word whose state recurred. The rest of
 * *out stays. */
f2l_status f2l_observer_run(f2l_observer *o, f2l_observed *out, const f2l_word_source *source,
                            uint64_t most, f2l_error *err);
f2l_status f2l_observer_run_chunks(f2l_observer *o, f2l_observed *out,
                                   const f2l_word_source *source, uint64_t most, f2l_error *err);
f2l_status f2l_observer_run_greedy(f2l_observer *o, f2l_observed *out, uint64_t most,
                                   f2l_error *err);

/* True when the label is the automaton's in its present state; else out says what is wrong at that
 * length. */
static inline bool f2l_observer_right(const f2l_observer *o, f2l_observed *out, uint32_t label,
                                      uint64_t length)
{
    const uint32_t expected = o->expected[o->state];
    if (label == expected && label != F2L_NO_SYMBOL) return true;
    out->failed = length;
    out->label = label == F2L_NO_SYMBOL ? F2L_NO_INDEX : label;
    out->expected = expected == F2L_NO_SYMBOL ? F2L_NO_INDEX : expected;
    return false;
}

/* Before every few thousand letters, and so many steps of the network: true when the task says
 * stop. */
bool f2l_observer_stopped(f2l_observer *o, uint64_t steps, uint64_t done, uint64_t total);

#endif
