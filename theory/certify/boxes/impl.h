/* The parts of the search for boxes. Private to theory/certify/boxes. */
#ifndef F2L_BOXES_IMPL_H
#define F2L_BOXES_IMPL_H

#include "models/network/exact/affine.h"
#include "theory/certify/boxes/boxes.h"

/* Steps (numeric/base/task.h) after which boxes are not looked for, or given up. */
#define F2L_BOXES_STEPS ((uint64_t)20000 * F2L_STEPS)

/* The steps of one layer from code to code. */
typedef struct f2l_code_edges {
    size_t codes, classes; /* of letters that act alike */
    uint32_t *next;        /* [codes][classes] F2L_NO_SYMBOL: not met */
} f2l_code_edges;

/* Sets the boxes of a layer of the run's network, with low and high as in f2l_layer, to the least
 * ones that hold the codes and the initial state, which has the code `start`, and are closed under
 * the edges. F2L_UNKNOWN, with the reason, where they are not found. */
f2l_status f2l_hull_find(f2l_layer *boxed, f2l_exact *run, size_t layer,
                         const f2l_code_edges *edges, size_t start, const f2l_task *task,
                         f2l_error *err);

#endif
