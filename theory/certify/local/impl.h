/* The walk behind both local closures. The machine defines the local states and how a letter
 * changes them. */
#ifndef F2L_THEORY_CERTIFY_LOCAL_IMPL_H
#define F2L_THEORY_CERTIFY_LOCAL_IMPL_H

#include "models/network/net/same_letters.h"
#include "theory/certify/closure/pairs.h"
#include "theory/certify/local/local.h"

/* A machine. The code of a state without a code is F2L_NO_INDEX; the bytes of such a state need not
 * be written. */
typedef struct f2l_local_machine {
    void *context;
    /* Enters a layer: *width bytes hold a local state of the layer, and equal states have equal
     * bytes. *same: classes of letters that lead equal states to equal states; NULL where a
     * letter's action may vary. */
    f2l_status (*enter)(void *context, size_t layer, size_t *width, const f2l_same_letters **same,
                        f2l_error *err);
    /* Writes the layer's initial state. */
    f2l_status (*start)(void *context, size_t layer, unsigned char *state, size_t *code,
                        f2l_error *err);
    /* Writes the state after `letter` from the state `from`. */
    f2l_status (*step)(void *context, size_t layer, size_t letter, const unsigned char *from,
                       unsigned char *state, size_t *code, f2l_error *err);
} f2l_local_machine;

/* A step that was made; `kind` is the class + 1, so that an empty entry is zero. */
typedef struct f2l_local_step {
    uint32_t from, kind, to;
} f2l_local_step;

/* The local states of one layer that were found, numbered; letters of one class are stepped once
 * from each. Steps are remembered as far as there is room, the latest first, so the table has a
 * fixed size. */
typedef struct f2l_local_states {
    const f2l_local_machine *machine;
    size_t layer;
    const f2l_same_letters *same;
    f2l_pairs found;
    uint32_t *code; /* [found.count] */
    size_t codes;   /* capacity of `code` */
    f2l_local_step *step;
    size_t steps; /* a power of two; 0: steps are not remembered */
    unsigned char *state;
    uint64_t cost; /* steps of the effort for one step of the machine */
} f2l_local_states;

/* Initialises *out, which is zero before and which the caller clears in every case. `again`: a
 * letter may be applied to a state more than once. */
f2l_status f2l_local_states_init(f2l_local_states *out, const f2l_local_machine *machine,
                                 const f2l_net *net, size_t layer, bool again, f2l_error *err);
void f2l_local_states_clear(f2l_local_states *states);
size_t f2l_local_states_bytes(const f2l_local_states *states);

/* Returns the slot for the step of `letter` from state number `from`. */
static inline f2l_local_step *f2l_local_states_slot(const f2l_local_states *states, size_t letter,
                                                    uint32_t from)
{
    const size_t at = (size_t)from * states->same->count + states->same->of[letter];
    return &states->step[at & (states->steps - 1)];
}

/* Sets *id to the state after `letter` from state number `from`; returns false if it is not
 * remembered. */
static inline bool f2l_local_states_know(const f2l_local_states *states, size_t letter,
                                         uint32_t from, size_t *id)
{
    if (states->steps == 0) return false;
    const f2l_local_step *step = f2l_local_states_slot(states, letter, from);
    *id = step->to;
    return step->kind == states->same->of[letter] + 1 && step->from == from;
}

/* Sets *id likewise by a step of the machine; F2L_NO_INDEX: the state has no code.
 * states->found.other_bytes must be the bytes that the caller holds outside states->found. */
f2l_status f2l_local_states_step(f2l_local_states *states, size_t letter, uint32_t from, size_t *id,
                                 const f2l_task *task, const char *phase, f2l_error *err);
/* Sets *id to the number of the initial state, likewise. */
f2l_status f2l_local_states_start(f2l_local_states *states, size_t *id, const f2l_task *task,
                                  const char *phase, f2l_error *err);

/* Returns F2L_UNKNOWN unless the network has the cascade's shape: layers with part decoders, and
 * the first layer of every level has the letters that its contexts read. */
f2l_status f2l_local_check_shape(const f2l_net *net, const f2l_cascade *cascade,
                                 const size_t *layers, const f2l_local_reading *reading,
                                 const f2l_fsa *fsa, f2l_error *err);

/* Returns the status of a local closure that ended with `status`: F2L_UNKNOWN becomes the verdict,
 * with `why` as its reason, and is no failure. */
f2l_status f2l_local_conclude(f2l_local *out, f2l_status status, const f2l_error *why,
                              f2l_error *err);

/* Runs the closure. reading.coordinate may be NULL: part 1 of the first layer's code is then the
 * coordinate. Sets the verdict and, when it is F2L_OK and `keep` is set, the tables. */
f2l_status f2l_local_run(f2l_local *out, const f2l_local_machine *machine, const f2l_net *net,
                         const f2l_cascade *cascade, const size_t *layers,
                         f2l_local_reading reading, const f2l_fsa *fsa, bool keep, size_t max_pairs,
                         const f2l_task *task, const char *phase, f2l_error *err);

#endif
