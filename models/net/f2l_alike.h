/* Letters of a layer that do the same to its state: all their weights are equal, number by number, in every head. What the
 * decoder says after them may differ. */
#ifndef F2L_ALIKE_H
#define F2L_ALIKE_H

#include "f2l_net.h"
#include "f2l_task.h"

/* A network with one letter for all that are alike, the first of them, in every layer: to be stepped by what it lists, never
 * decoded by letter. */
typedef struct f2l_alike {
    f2l_net net; /* borrows the weights and the codes; without decoders */
    bool whole;  /* it is the caller's network as it is */
    uint32_t *
        *class_of; /* [layers][letters of the layer] the letter of `net`, numbered by the first of them */
} f2l_alike;

/* `net` is valid, and stays as it is while *out lives. Where some head has a field or a form, every letter is its own class:
 * such heads are rounded through another view. Counts its work in the task. */
f2l_status f2l_alike_init(f2l_alike *out, const f2l_net *net, const f2l_task *task, f2l_error *err);
void f2l_alike_clear(f2l_alike *alike); /* one that is zero, too */

#endif
