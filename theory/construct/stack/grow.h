/* The order of the last edges of a clock (OL.8) as a first layer: where no device of a list is
 * good. It has a component for each pair of edges; counterexamples choose those that are needed. */
#ifndef F2L_STACK_GROW_H
#define F2L_STACK_GROW_H

#include "theory/construct/orbits/orbits.h"
#include "theory/construct/stack/devices.h"

#define F2L_STACK_GROWN_VERTICES 2048 /* most vertices of a grown device */

/* Grows a device that is good for the graph, whose own device is not read. Clocks of 2, 3, ..
 * places are tried that some letters move; none of their devices is good where *out stays without
 * vertices and no limit was met. *out is zero at first. */
f2l_status f2l_stack_grow(f2l_stack_grown *out, const f2l_orbits_graph *graph,
                          const f2l_orbits_maps *maps, const f2l_task *task, f2l_error *err);

/* Seeks a component of the list with which a device, *out, has codes (codes.h), and makes it part
 * of the device: the one that gives the fewest vertices. *above, which is zero at first, is their
 * layer, and stays zero where no component has. */
f2l_status f2l_stack_refine(f2l_stack_grown *out, f2l_orbits *above, const f2l_orbits_graph *graph,
                            const f2l_stack_list *list, const f2l_task *task, f2l_error *err);

/* Does f2l_stack_grow, unless `lists` has what it found for the same automaton. The steps are spent
 * in any case. */
f2l_status f2l_stack_grow_once(f2l_stack_grown *out, f2l_stack_lists *lists,
                               const f2l_orbits_graph *graph, const f2l_orbits_maps *maps,
                               const f2l_task *task, f2l_error *err);

#endif
