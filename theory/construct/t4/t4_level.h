/* The parts of T4 that its files and other cascades share. */
#ifndef F2L_T4_IMPL_H
#define F2L_T4_IMPL_H

#include "theory/construct/keys/keys.h"
#include "theory/construct/t4/t4.h"

/* One level and how it is held. The cascade is borrowed. */
typedef struct f2l_t4_plan {
    const f2l_cascade *cascade;
    const f2l_level *level;
    size_t l;   /* its number, from 1 */
    bool edges; /* the labels are outputs of transitions: the last level needs the old coordinate */
    const f2l_task *task;
    f2l_t4_form form;
    bool saves, delays, gated;
    size_t m, n, d;
    /* Factors per token of the register and of the delay, when both are possible; otherwise 0. */
    size_t register_factors, delay_factors;
    long *weight; /* roots: [m][n] integer coordinates of every point's code */
    /* Local states of the layer that holds the coordinate: number[cur * second + other] is the
     * code's number plus 1, 0 for a state that is not reached; state[code] is the inverse. `other`
     * is the saved coordinate (second = m) or the side (second = 2); otherwise second = 1. */
    size_t second;
    uint32_t *number, *state;
    size_t codes;
} f2l_t4_plan;

/* Returns whether the next context depends on the old coordinate. */
static inline bool f2l_t4_reads(const f2l_t4_plan *plan, const f2l_context *x)
{
    return plan->cascade->lambda[x->from] == plan->l;
}

/* Returns whether in addition the new coordinate does not determine the old one: a register or a
 * delay is needed, except on the last level. */
static inline bool f2l_t4_loses(const f2l_t4_plan *plan, const f2l_context *x)
{
    return x->action == F2L_ACTION_RESET && f2l_t4_reads(plan, x);
}

/* Returns the coordinate after context x. */
static inline uint32_t f2l_t4_moved(const f2l_t4_plan *plan, const f2l_context *x, uint32_t old)
{
    return x->action == F2L_ACTION_PERMUTATION ? plan->level->image[x->permutation + old]
           : x->action == F2L_ACTION_RESET     ? x->target
                                               : old;
}

/* Chooses how level `l` is held, and initialises *plan; `edges` as there. */
f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool edges,
                            bool gated, const f2l_task *task, f2l_error *err);
void f2l_t4_plan_clear(f2l_t4_plan *plan);

/* Returns the number of factors of a context on the coordinate's head. */
size_t f2l_t4_factors(const f2l_t4_plan *plan, const f2l_context *x);

/* Writes these factors and the gate. */
f2l_status f2l_t4_transition(f2l_transition *out, const f2l_t4_plan *plan, const f2l_context *x,
                             f2l_error *err);

/* Appends the state of the coordinate's head to the empty vector out; `saved` matters only on
 * levels with a register. */
f2l_status f2l_t4_code(f2l_qvec *out, const f2l_t4_plan *plan, uint32_t cur, uint32_t saved,
                       f2l_error *err);

/* Finds the local states that the letters reach from `start`, with 0 saved or on side 0. */
f2l_status f2l_t4_close(f2l_t4_plan *plan, uint32_t start, f2l_error *err);

/* Returns the steps for the transitions of all contexts on the coordinate's head. */
/* Returns the steps for a vector of the form; most vectors have few entries. */
uint64_t f2l_t4_vector_steps(const f2l_t4_plan *plan);
f2l_status f2l_t4_add_factors(f2l_head *head, const f2l_t4_plan *plan, f2l_error *err);

/* Adds the labels of reached states to net->labels, by first appearance, and sets net->start.
 * label_of[states] becomes the label's index, F2L_NO_SYMBOL for states that are not reached. */
f2l_status f2l_t4_add_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa, f2l_error *err);

/* Builds the one layer of a network for one state, which has nothing to remember; the letters must
 * be there. */
f2l_status f2l_t4_build_still(f2l_net *net, f2l_error *err);

/* Finds the most factors of a letter: raises *householders to the most on one head, and sets
 * *together to the most over all heads. */
void f2l_t4_measure(size_t *householders, size_t *together, const f2l_layer *layer);

/* A letter of a delay's upper layer: the lower one's context and, unless it is idle, coordinate and
 * side after it. */
typedef struct f2l_t4_slot_letter {
    uint32_t context, cur, side;
    uint32_t next; /* context of the next level; F2L_NO_SYMBOL where it depends on the old
                      coordinate */
} f2l_t4_slot_letter;

/* Builds the upper layer alone; of the plan it reads the cascade, the level, m, and gated: without
 * gates an idle letter leaves the slots unchanged. */
f2l_status f2l_t4_delay_upper(f2l_layer *layer, const f2l_t4_plan *plan, f2l_t4_slot_letter *letter,
                              size_t letters, uint32_t start, size_t symbols, f2l_error *err);

/* Builds the two layers of a level with a delay, after f2l_t4_close; `symbols` is the number of
 * contexts that follow. */
f2l_status f2l_t4_delay_build(f2l_layer layer[2], const f2l_t4_plan *plan, uint32_t start,
                              size_t symbols, f2l_error *err);

#endif
