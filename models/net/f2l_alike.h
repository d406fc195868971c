/* Letters of a layer that do the same to its state: all their weights are equal, number by number, in every head. What the
 * decoder says after them may differ. */
#ifndef F2L_ALIKE_H
#define F2L_ALIKE_H

#include "f2l_net.h"

/* class_of [letters of the layer]: numbers below *classes, in the order of the classes' first letters. */
f2l_status f2l_layer_alike(uint32_t *class_of, size_t *classes, const f2l_layer *layer, f2l_error *err);

#endif
