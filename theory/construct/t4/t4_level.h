/* What the files of T4 share. */
#ifndef F2L_T4_IMPL_H
#define F2L_T4_IMPL_H

#include "theory/construct/keys/keys.h"
#include "theory/construct/t4/t4.h"

/* One level and how it is held. */
typedef struct f2l_t4_plan {
    const f2l_cascade *cascade;
    const f2l_level *level;
    size_t l; /* its number, from 1 */
    const f2l_task *task;
    f2l_t4_form form;
    bool saves, delays, gated;
    size_t m, n, d;
    /* Factors per token of the two ways to keep an old coordinate, when both are open; else 0. */
    size_t register_factors, delay_factors;
    long *weight; /* roots: [m][n] integer coordinates of every point's code */
    /* Local states of the layer that holds the coordinate: number[cur * second + other] is the
     * code's number plus 1, 0 for one that is not reached; state[code] the inverse. `other` is the
     * saved coordinate (second = m) or the side (second = 2); else second = 1. */
    size_t second;
    uint32_t *number, *state;
    size_t codes;
} f2l_t4_plan;

/* The next context depends on the old coordinate. */
static inline bool f2l_t4_reads(const f2l_t4_plan *plan, const f2l_context *x)
{
    return plan->cascade->lambda[x->from] == plan->l;
}

/* And the new coordinate does not tell it: a register or a delay is needed, but on the last level.
 */
static inline bool f2l_t4_loses(const f2l_t4_plan *plan, const f2l_context *x)
{
    return x->action == F2L_ACTION_RESET && f2l_t4_reads(plan, x);
}

/* The coordinate after context x. */
static inline uint32_t f2l_t4_moved(const f2l_t4_plan *plan, const f2l_context *x, uint32_t old)
{
    return x->action == F2L_ACTION_PERMUTATION ? plan->level->image[x->permutation + old]
           : x->action == F2L_ACTION_RESET     ? x->target
                                               : old;
}

/* Chooses how level `l` is held. */
f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool gated,
                            const f2l_task *task, f2l_error *err);
void f2l_t4_plan_clear(f2l_t4_plan *plan);

/* How many factors a context takes on the coordinate's head. */
size_t f2l_t4_factors(const f2l_t4_plan *plan, const f2l_context *x);

/* These factors, and the gate. */
f2l_status f2l_t4_transition(f2l_transition *out, const f2l_t4_plan *plan, const f2l_context *x,
                             f2l_error *err);

/* out (empty) = the state of the coordinate's head; `saved` counts only on levels with a register.
 */
f2l_status f2l_t4_code(f2l_qvec *out, const f2l_t4_plan *plan, uint32_t cur, uint32_t saved,
                       f2l_error *err);

/* Finds the local states that the letters reach from `start`, with 0 saved or on side 0. */
f2l_status f2l_t4_close(f2l_t4_plan *plan, uint32_t start, f2l_error *err);

/* The transitions of all contexts on the coordinate's head. */
/* Of a vector of the form: most hold a few entries. */
uint64_t f2l_t4_vector_steps(const f2l_t4_plan *plan);
f2l_status f2l_t4_add_factors(f2l_head *head, const f2l_t4_plan *plan, f2l_error *err);

/* Adds the labels of reached states to net->labels, by first appearance, and sets net->start.
 * label_of[states]: the label's index, F2L_NO_SYMBOL where the start does not lead. */
f2l_status f2l_t4_add_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa, f2l_error *err);

/* The one layer of a network for one state, which has nothing to remember; the letters are there.
 */
f2l_status f2l_t4_build_still(f2l_net *net, f2l_error *err);

/* Most factors of a letter: raises *householders to those on one head, and sets *together to those
 * over all heads. */
void f2l_t4_measure(size_t *householders, size_t *together, const f2l_layer *layer);

/* A letter of a delay's upper layer: the lower one's context and, unless it is idle, coordinate and
 * side after it. */
typedef struct f2l_t4_slot_letter {
    uint32_t context, cur, side;
    uint32_t next; /* context of the next level; F2L_NO_SYMBOL where the old coordinate decides */
} f2l_t4_slot_letter;

/* The upper layer alone; of the plan it reads the cascade, the level, m, and gated: without gates
 * an idle letter leaves the slots as they are. */
f2l_status f2l_t4_delay_upper(f2l_layer *layer, const f2l_t4_plan *plan, f2l_t4_slot_letter *letter,
                              size_t letters, uint32_t start, size_t symbols, f2l_error *err);

/* The two layers of a level with a delay, after f2l_t4_close; `symbols` contexts follow. */
f2l_status f2l_t4_delay_build(f2l_layer layer[2], const f2l_t4_plan *plan, uint32_t start,
                              size_t symbols, f2l_error *err);

#endif
