/* The walk behind both local closures. What a local state is and how a letter changes it is the machine's
 * business. */
#ifndef F2L_LOCAL_IMPL_H
#define F2L_LOCAL_IMPL_H

#include "f2l_local.h"
#include "f2l_pairs_impl.h"

/* Codes are F2L_NO_INDEX where a state has none. Local states are those of a level: the states of its layers
 * one after the other. */
typedef struct f2l_local_machine {
    void *context;
    /* Turns to the level of the layers `first`, .., `first` + count - 1; *width bytes hold a local state
     * there, and equal states have equal bytes. */
    f2l_status (*enter)(void *context, size_t first, size_t count, size_t *width, f2l_error *err);
    /* The level's initial state. */
    f2l_status (*start)(void *context, unsigned char *state, f2l_error *err);
    /* Loads a state of the level and gives its codes [count]. */
    void (*load)(void *context, const unsigned char *state, size_t *code);
    /* The state of layer `first` + i after `letter` from the one last loaded, which stays loaded: its part of
     * `state`, and its code; without one these bytes need not be written. */
    f2l_status (*step)(void *context, size_t i, size_t letter, unsigned char *state, size_t *code,
                       f2l_error *err);
} f2l_local_machine;

/* reading.coordinate may be NULL: part 1 of the first layer's code. Sets the verdict and, when it is F2L_OK and `keep`, the tables. */
f2l_status f2l_local_run(f2l_local *out, const f2l_local_machine *machine, const f2l_net *net,
                         const f2l_cascade *cascade, const size_t *layers, f2l_local_reading reading,
                         const f2l_fsa *fsa, bool keep, size_t max_pairs, const f2l_task *task,
                         const char *phase, f2l_error *err);

#endif
