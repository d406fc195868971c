/* The walk behind both local closures. What a local state is and how a letter changes it is the
 * machine's business. */
#ifndef F2L_THEORY_CERTIFY_LOCAL_IMPL_H
#define F2L_THEORY_CERTIFY_LOCAL_IMPL_H

#include "models/net/same_letters.h"
#include "theory/certify/closure/pairs.h"
#include "theory/certify/local/local.h"

/* Codes are F2L_NO_INDEX where a state has none, and then its bytes need not be written. */
typedef struct f2l_local_machine {
    void *context;
    /* *width bytes hold a local state of the layer, and equal states have equal bytes. *same:
     * letters that lead equal states to equal states; NULL where what a letter does may change. */
    f2l_status (*enter)(void *context, size_t layer, size_t *width, const f2l_same_letters **same,
                        f2l_error *err);
    /* The layer's initial state. */
    f2l_status (*start)(void *context, size_t layer, unsigned char *state, size_t *code,
                        f2l_error *err);
    /* The state after `letter` from the state `from`. */
    f2l_status (*step)(void *context, size_t layer, size_t letter, const unsigned char *from,
                       unsigned char *state, size_t *code, f2l_error *err);
} f2l_local_machine;

/* A step that was made; class + 1, so that an empty one is zero. */
typedef struct f2l_local_step {
    uint32_t from, kind, to;
} f2l_local_step;

/* The local states of one layer that were met, numbered; letters that do the same are stepped once
 * from each. Steps are remembered where there is room, the last ones first, so the table has a
 * fixed size. */
typedef struct f2l_local_states {
    const f2l_local_machine *machine;
    size_t layer;
    const f2l_same_letters *same;
    f2l_pairs found;
    uint32_t *code; /* [found.count] */
    size_t codes;   /* room in `code` */
    f2l_local_step *step;
    size_t steps; /* a power of two; 0: steps are not remembered */
    unsigned char *state;
    uint64_t cost; /* of a step by the machine, in those of the effort */
} f2l_local_states;

/* `again`: a letter may come to a state more than once. *out is zero before, and cleared by the
 * caller whatever happens. */
f2l_status f2l_local_states_init(f2l_local_states *out, const f2l_local_machine *machine,
                                 const f2l_net *net, size_t layer, bool again, f2l_error *err);
void f2l_local_states_clear(f2l_local_states *states);
size_t f2l_local_states_bytes(const f2l_local_states *states);

/* Where the step of `letter` from state number `from` is remembered. */
static inline f2l_local_step *f2l_local_states_slot(const f2l_local_states *states, size_t letter,
                                                    uint32_t from)
{
    const size_t at = (size_t)from * states->same->count + states->same->of[letter];
    return &states->step[at & (states->steps - 1)];
}

/* *id <- the state after `letter` from state number `from`; false: it is not remembered. */
static inline bool f2l_local_states_know(const f2l_local_states *states, size_t letter,
                                         uint32_t from, size_t *id)
{
    if (states->steps == 0) return false;
    const f2l_local_step *step = f2l_local_states_slot(states, letter, from);
    *id = step->to;
    return step->kind == states->same->of[letter] + 1 && step->from == from;
}

/* The same by the machine; F2L_NO_INDEX: that state has no code. states->found.other_bytes is what
 * the caller holds and states->found does not. */
f2l_status f2l_local_states_step(f2l_local_states *states, size_t letter, uint32_t from, size_t *id,
                                 const f2l_task *task, const char *phase, f2l_error *err);
/* The same of the initial state. */
f2l_status f2l_local_states_start(f2l_local_states *states, size_t *id, const f2l_task *task,
                                  const char *phase, f2l_error *err);

/* F2L_UNKNOWN unless the network has the cascade's shape: layers with part decoders, the first one
 * of every level with its contexts as letters. */
f2l_status f2l_local_check_shape(const f2l_net *net, const f2l_cascade *cascade,
                                 const size_t *layers, const f2l_fsa *fsa, f2l_error *err);

/* The status of a local closure that ended so: F2L_UNKNOWN is its verdict, with `why` as the
 * reason, and no failure. */
f2l_status f2l_local_conclude(f2l_local *out, f2l_status status, const f2l_error *why,
                              f2l_error *err);

/* reading.coordinate may be NULL: part 1 of the first layer's code. Sets the verdict and, when it
 * is F2L_OK and `keep`, the tables. */
f2l_status f2l_local_run(f2l_local *out, const f2l_local_machine *machine, const f2l_net *net,
                         const f2l_cascade *cascade, const size_t *layers,
                         f2l_local_reading reading, const f2l_fsa *fsa, bool keep, size_t max_pairs,
                         const f2l_task *task, const char *phase, f2l_error *err);

#endif
