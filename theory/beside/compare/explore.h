/* The table of transitions between clusters; private to this folder. */
#ifndef F2L_LEARNED_EXPLORE_H
#define F2L_LEARNED_EXPLORE_H

#include "theory/beside/compare/gaps.h"

typedef struct f2l_explored {
    size_t states;           /* state 0 is the start */
    bool closed;             /* false: more states than the limit were met */
    uint32_t *next, *answer; /* [states][used letters] */
    uint32_t *number;        /* [sample states] state of the sample's state; UINT32_MAX: it was
                              * not met */
} f2l_explored;

/* Builds *out; cleared by f2l_explored_clear, also after a failure. F2L_UNKNOWN: the task stopped
 * it. */
f2l_status f2l_explore(f2l_explored *out, f2l_learned_reader *reader,
                       const f2l_learned_sample *sample, const f2l_learned_view *view,
                       const f2l_principal *principal, const f2l_gap *gap, const f2l_task *task,
                       f2l_error *err);
void f2l_explored_clear(f2l_explored *explored);

#endif
