/* Runs one word beside the automaton; private to this folder, for
 * theory/certify/round/observe.h. */
#ifndef F2L_THEORY_CERTIFY_ROUND_IMPL_H
#define F2L_THEORY_CERTIFY_ROUND_IMPL_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/chunk.h"
#include "numeric/base/rng.h"
#include "numeric/format/choices.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/round/observe.h"

#define F2L_OBSERVE_POINTS 64

/* The exact states of the layers along the word. */
typedef struct f2l_trail {
    f2l_exact *exact; /* NULL: not followed (no layers, too large, or the exact network leaves
                         its codes) */
    size_t layers;
    size_t *joint, *start, *spare; /* [layers] codes, in one allocation */
    /* [layers] numbers of a local state, and their offset; one allocation */
    size_t *size, *offset;
    double **code; /* [layers][codes][size] */
} f2l_trail;

typedef struct f2l_observer {
    const f2l_fsa *fsa;
    const f2l_task *task;
    uint32_t *expected; /* as f2l_face_expect_any gives it */
    bool edges;         /* the labels are outputs of transitions */
    f2l_format format;  /* the caller's format, with its own choices when it is stochastic */
    f2l_choices choices;
    f2l_rng chance;
    const f2l_schedule *schedule;
    f2l_float_net *net;
    f2l_chunk *chunk;
    size_t numbers;
    double *joint, *spare, *best, *anchor; /* [numbers] in one allocation; of chunk64 none */
    f2l_trail trail;
    size_t state;                    /* state of the automaton */
    uint32_t owed;                   /* the label after the last letter */
    uint64_t cost;                   /* steps of the effort per letter */
    bool stopped;                    /* stopped by the task, or its effort is used up */
    double seen[F2L_OBSERVE_POINTS]; /* of the present word: largest error up to length 2^i */
    size_t points;                   /* number of entries in seen */
    double largest;
} f2l_observer;

/* A source of the letters of a word. */
typedef struct f2l_word_source {
    f2l_rng *random;      /* NULL: periodic */
    const size_t *letter; /* [period] */
    size_t period, letters;
} f2l_word_source;

f2l_status f2l_observer_init(f2l_observer *o, const f2l_net *model, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule, uint64_t seed,
                             const f2l_task *task, f2l_error *err);
void f2l_observer_clear(f2l_observer *o);

/* Returns to the empty word. */
void f2l_observer_start(f2l_observer *o);

/* Steps the network in `joint`. */
f2l_status f2l_observer_step(f2l_observer *o, uint32_t *label, double *joint, size_t letter,
                             f2l_error *err);
/* Replaces `codes` by the exact codes after the letter; returns false, and ends the comparison,
 * when there is none. */
bool f2l_observer_follow(f2l_observer *o, size_t *codes, size_t letter);
/* Returns the largest distance of a layer's state to its code. */
double f2l_observer_distance(const f2l_observer *o, const double *joint, const size_t *codes);
/* Records the present error at that length. */
void f2l_observer_note(f2l_observer *o, uint64_t length, double error);

/* Runs a word of at most `most` letters from the start. Sets out->letters to the number of letters
 * read; failed, label and expected at the first wrong label; cyclic for a periodic word whose state
 * recurred. The rest of *out is unchanged. */
f2l_status f2l_observer_run(f2l_observer *o, f2l_observed *out, const f2l_word_source *source,
                            uint64_t most, f2l_error *err);
f2l_status f2l_observer_run_chunks(f2l_observer *o, f2l_observed *out,
                                   const f2l_word_source *source, uint64_t most, f2l_error *err);
f2l_status f2l_observer_run_greedy(f2l_observer *o, f2l_observed *out, uint64_t most,
                                   f2l_error *err);

/* Returns the label that the network must give after the letter. */
static inline uint32_t f2l_observer_owed(const f2l_observer *o, size_t letter)
{
    const size_t edge = o->state * o->fsa->letters.count + letter;
    return o->expected[o->edges ? edge : o->fsa->next[edge]];
}

/* Moves the automaton by the letter. */
static inline void f2l_observer_move(f2l_observer *o, size_t letter)
{
    o->owed = f2l_observer_owed(o, letter);
    o->state = o->fsa->next[o->state * o->fsa->letters.count + letter];
}

/* Returns whether the label is the automaton's after its last letter; otherwise *out describes the
 * failure at that length. */
static inline bool f2l_observer_right(const f2l_observer *o, f2l_observed *out, uint32_t label,
                                      uint64_t length)
{
    const uint32_t expected = o->owed;
    if (label == expected && label != F2L_NO_SYMBOL) return true;
    out->failed = length;
    out->label = label == F2L_NO_SYMBOL ? F2L_NO_INDEX : label;
    out->expected = expected == F2L_NO_SYMBOL ? F2L_NO_INDEX : expected;
    return false;
}

/* Is called before every few thousand letters and returns true when the task says stop; counts that
 * many steps of the network. */
bool f2l_observer_stopped(f2l_observer *o, uint64_t steps, uint64_t done, uint64_t total);

#endif
