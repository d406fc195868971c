/* Private to theory/construct/stack. */
#ifndef F2L_STACK_IMPL_H
#define F2L_STACK_IMPL_H

#include "theory/construct/stack/stack.h"

/* Lists list->component for list->letters. */
f2l_status f2l_stack_components(f2l_stack_list *list, f2l_error *err);

/* Sets the contents `to` of a component after a letter. */
void f2l_stack_step(uint8_t *to, const uint8_t *from, const f2l_stack_component *c, size_t letter);

/* Sets states and next of a component, states in the order of a search from its initial contents.
 */
void f2l_stack_find_contents(f2l_stack_component *c, size_t letters);

/* What is sought: the first good device, one with a cover, or a network, for the last above devices
 * with few vertices. */
typedef enum f2l_stack_aim {
    F2L_STACK_AIM_DEVICE,
    F2L_STACK_AIM_COVER,
    F2L_STACK_AIM_NETWORK,
    F2L_STACK_AIM_SOON
} f2l_stack_aim;

/* Seeks two layers; the lists are not NULL here and below. */
f2l_status f2l_stack_seek(f2l_stack *out, f2l_stack_aim aim, f2l_stack_lists *lists,
                          const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);

/* Closes a layer that tells the state of the graph after each letter so that it tells the edge,
 * with registers where it needs them; *initial are its contents at first, owned by the caller. */
f2l_status f2l_stack_tell_edges(bool *registers, f2l_orbits *layer, f2l_orbits_graph graph,
                                uint8_t **initial, const f2l_task *task, f2l_error *err);

/* Seeks three layers: a quotient of the automaton that has two and is good, or with `aim` only
 * that. *out is cleared first. F2L_EDOMAIN: there is no such quotient; F2L_UNKNOWN: no slots were
 * found. */
f2l_status f2l_stack_seek_deeper(f2l_stack *out, f2l_stack_aim aim, f2l_stack_lists *lists,
                                 const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);

#endif
