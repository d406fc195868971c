/* Boxes for a network of layers whose exact states are infinitely many, or are no codes
 * (R8.4 of theory/pages/decay.md). The nearest codes of states that represent the codes give a
 * machine over codes, which is closed beside the automaton. Then every code gets the least box that
 * holds it and the images, under the letters, of the boxes that lead to it. They are found by
 * policy iteration: each end of an interval is an affine function of other ends, the best that is
 * known, all of which are solved together; until no letter leads out of a box. What is found is
 * proved by the closure over boxes, as lrnn-check does. */
#ifndef F2L_BOXES_H
#define F2L_BOXES_H

#include "theory/certify/closure/closure.h"

/* A network with the boxes of another one that has none. */
typedef struct f2l_boxes {
    f2l_net net; /* everything but the array of layers and their boxes is borrowed */
} f2l_boxes;

void f2l_boxes_clear(f2l_boxes *boxes); /* a zeroed one is allowed */
static inline bool f2l_boxes_are_found(const f2l_boxes *boxes)
{
    return boxes->net.layers > 0;
}

/* Returns whether boxes may be looked for: the network has layers over Q without forms or boxes,
 * and nothing else. */
bool f2l_boxes_apply(const f2l_net *net);

/* Looks for boxes of a valid network that they apply to. Sets *out (initialised; replaced) to the
 * verdict: F2L_OK: *boxes (zeroed before) has boxes that are closed, and all labels are right; the
 * closure has the table of f2l_closure_exact on boxes->net; F2L_REFUTED: the nearest code gives a
 * wrong label after the word; F2L_UNKNOWN, with a reason: no boxes were found, though the nearest
 * codes were right where they were looked at. In the last two cases *boxes is empty. max_rows and
 * statuses as for f2l_closure_exact. */
f2l_status f2l_boxes_close(f2l_closure *out, f2l_boxes *boxes, const f2l_net *net,
                           const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                           f2l_error *err);

/* Copies the boxes into the layers of the network that they were found for. */
f2l_status f2l_boxes_give(f2l_net *net, const f2l_boxes *boxes, f2l_error *err);

#endif
