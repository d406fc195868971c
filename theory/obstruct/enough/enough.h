/* Whether two layers with finitely many states are enough for the labels of an automaton, or three
 * (theory/pages/two-layers.md, LL.2). */
#ifndef F2L_ENOUGH_H
#define F2L_ENOUGH_H

#include "theory/construct/stack/devices.h"
#include "theory/construct/stack/stack.h"

typedef struct f2l_enough {
    f2l_stack stack;    /* a good device, or a good quotient that two layers track; vertices 0: none
                           was found, so that it stays open. Without networks */
    uint32_t *class_of; /* [states of the caller's automaton] state of the minimal one, whose states
                           the layers track; UINT32_MAX where unreachable */
} f2l_enough;

void f2l_enough_init(f2l_enough *enough);
void f2l_enough_clear(f2l_enough *enough);

/* Seeks a first layer for `fsa`, which must be deterministic and total and have the labels, unless
 * more than two layers are known to be needed, and then a quotient. Returns F2L_OK also when a
 * limit ended the search. *out must be initialised; `lists` keeps the devices that were listed, and
 * may be NULL. */
f2l_status f2l_enough_find(f2l_enough *out, f2l_stack_lists *lists, const f2l_fsa *fsa,
                           f2l_label label, size_t least, const f2l_task *task, f2l_error *err);

/* Returns how many layers are enough: 2 or 3; 0: not known. */
static inline size_t f2l_enough_layers(const f2l_enough *enough)
{
    return enough->stack.vertices == 0 ? 0 : enough->stack.lower ? 3 : 2;
}

/* Returns whether there are groups as well, and so a certificate; otherwise that these layers are
 * enough rests on a theorem that is only cited (Ash's). */
static inline bool f2l_enough_covered(const f2l_enough *enough)
{
    const f2l_stack *s = &enough->stack;
    return s->cover.image && (!s->lower || s->lower->cover.image);
}

/* Appends the certificate (man page stack-check(1)), which `stack-check` verifies. */
f2l_status f2l_enough_certificate(f2l_buf *out, const f2l_enough *enough, const f2l_fsa *fsa,
                                  f2l_label label, f2l_error *err);

#endif
