/* What the files of T4 share. */
#ifndef F2L_T4_IMPL_H
#define F2L_T4_IMPL_H

#include "f2l_keys.h"
#include "f2l_t4.h"

/* One level and how it is held. */
typedef struct f2l_t4_plan {
    const f2l_cascade *cascade;
    const f2l_level *level;
    size_t l; /* its number, from 1 */
    const f2l_task *task;
    f2l_t4_form form;
    bool saves, gated;
    size_t m, n, d;
    long *weight; /* roots: [m][n] integer coordinates of every point's code */
    /* Local states: number[cur], or number[cur * m + saved], is the code's number plus 1, 0 for one that is
     * not reached; state[code] the inverse. */
    uint32_t *number, *state;
    size_t codes;
} f2l_t4_plan;

/* The old coordinate is read by the next level and lost by the reset. */
static inline bool f2l_t4_reads(const f2l_t4_plan *plan, const f2l_context *x)
{
    return plan->cascade->lambda[x->from] == plan->l;
}

/* Chooses the form of level `l`. */
f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool gated,
                            const f2l_task *task, f2l_error *err);
void f2l_t4_plan_clear(f2l_t4_plan *plan);

/* The factors, and the gate, of a context. */
f2l_status f2l_t4_transition(f2l_transition *out, const f2l_t4_plan *plan, const f2l_context *x,
                             f2l_error *err);

/* out (empty) = the local state with these coordinates; `saved` counts only on levels with a register. */
f2l_status f2l_t4_code(f2l_qvec *out, const f2l_t4_plan *plan, uint32_t cur, uint32_t saved, f2l_error *err);

/* Finds the local states that the letters reach from `start` with 0 saved. */
f2l_status f2l_t4_close(f2l_t4_plan *plan, uint32_t start, f2l_error *err);

#endif
