/* What the files of this folder share; private to it. */
#ifndef F2L_THEORY_CONSTRUCT_PRODUCT_IMPL_H
#define F2L_THEORY_CONSTRUCT_PRODUCT_IMPL_H

#include "models/network/net/net.h"

/* Copies gate, factors and bias. */
f2l_status f2l_product_copy_transition(f2l_transition *out, const f2l_transition *from,
                                       f2l_error *err);

/* Adds the labels of the states to `labels` and sets label_of[states]. */
f2l_status f2l_product_name_labels(f2l_names *labels, uint32_t *label_of, const f2l_fsa *fsa,
                                   f2l_label label, f2l_error *err);

#endif
