/* Private to theory/construct/stack. */
#ifndef F2L_STACK_IMPL_H
#define F2L_STACK_IMPL_H

#include "theory/construct/stack/devices.h"

/* Lists list->component for list->letters. */
f2l_status f2l_stack_components(f2l_stack_list *list, f2l_error *err);

/* Sets the contents `to` of a component after a letter. */
void f2l_stack_step(uint8_t *to, const uint8_t *from, const f2l_stack_component *c, size_t letter);

/* Sets states and next of a component, states in the order of a search from its initial contents.
 */
void f2l_stack_find_contents(f2l_stack_component *c, size_t letters);

#endif
