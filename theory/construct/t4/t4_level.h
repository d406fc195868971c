/* The parts of T4 that its files and other cascades share. */
#ifndef F2L_T4_IMPL_H
#define F2L_T4_IMPL_H

#include "automata/fsa/rowset.h"
#include "automata/fsa/subdirect.h"
#include "theory/construct/keys/keys.h"
#include "theory/construct/t4/t4.h"

/* Bits of f2l_t4_plan.resets. */
enum { F2L_T4_KEEPS = 1, F2L_T4_LOSES = 2 };

/* A head that holds the coordinate of a level, or the class of the coordinate in a congruence of
 * the level's machine (T4.13). */
typedef struct f2l_t4_head {
    f2l_t4_form form;
    size_t m; /* number of coordinates, or of classes */
    size_t n, d;
    bool permuted;      /* some context moves the coordinates, or the classes, by a permutation */
    long *weight;       /* roots: [m][n] integer coordinates of every point's code */
    uint32_t *class_of; /* [coordinates]; NULL: the head holds the coordinate itself */
    uint32_t *image;    /* [acts][m] image of every class; NULL with class_of */
} f2l_t4_head;

/* One level and how it is held. The cascade is borrowed. */
typedef struct f2l_t4_plan {
    const f2l_cascade *cascade;
    const f2l_level *level; /* the cascade's, or `own` */
    f2l_level *own; /* where contexts that leave the level reset it (T4.15): a copy, whose contexts
                       are its own as well; else NULL */
    size_t l;       /* its number, from 1 */
    bool edges; /* the labels are outputs of transitions: the last level needs the old coordinate */
    const f2l_task *task;
    bool saves, delays, gated;
    size_t m;          /* number of coordinates */
    size_t heads;      /* heads that hold the coordinate */
    f2l_t4_head *head; /* [heads] */
    /* The permutations of all m coordinates that contexts make, each once, and the number of this
     * act for every context that permutes; empty where the level cannot have several heads. */
    f2l_rowset acts;
    uint32_t *act_of; /* [contexts] */
    uint8_t *resets;  /* [m] F2L_T4_KEEPS and F2L_T4_LOSES: some context resets to the coordinate
                         and keeps, or loses, the old one */
    /* Factors per token of the register and of the delay, when both are possible; otherwise 0. */
    size_t register_factors, delay_factors;
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
    return f2l_level_moved(plan->level, x, old);
}

/* Chooses how level `l` is held, and initialises *plan; `edges` as there; `whole`: by one head. */
f2l_status f2l_t4_plan_init(f2l_t4_plan *plan, const f2l_cascade *cascade, size_t l, bool edges,
                            bool gated, bool whole, const f2l_task *task, f2l_error *err);
void f2l_t4_plan_clear(f2l_t4_plan *plan);

/* Builds the network of f2l_t4_build with one head for the coordinate of every level. */
f2l_status f2l_t4_build_whole(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                              const f2l_fsa *fsa, f2l_label label, bool gated, const f2l_task *task,
                              f2l_error *err);

/* What the heads of a level cost. */
typedef struct f2l_t4_cost {
    size_t factors;      /* per token, with the factors of a delay */
    size_t householders; /* the most factors of a context on one head */
    size_t numbers;      /* of the states of the heads that hold the coordinate */
    size_t key_dim;
} f2l_t4_cost;

f2l_t4_cost f2l_t4_weigh(const f2l_t4_plan *plan);

/* Chooses the form of a head whose m, permuted, class_of and image are set. */
f2l_status f2l_t4_settle(f2l_t4_head *head, const f2l_t4_plan *plan, f2l_error *err);
/* Frees an array of heads. */
void f2l_t4_heads_clear(f2l_t4_head *head, size_t heads);

/* Families of congruences of the machine that the acts of a level make. The congruences of a family
 * together separate the coordinates. */
#define F2L_T4_FAMILIES 3
typedef struct f2l_t4_families {
    size_t count;
    f2l_subdirect family[F2L_T4_FAMILIES];
} f2l_t4_families;

/* Finds the acts of a level and families; there are none where the level is not permuted, is too
 * wide or has too many acts, or where no congruences separate the coordinates. *out is to be
 * cleared in every case. */
f2l_status f2l_t4_find_families(f2l_t4_families *out, f2l_t4_plan *plan, f2l_error *err);
void f2l_t4_families_clear(f2l_t4_families *families);

/* Replaces the one head of the plan by several, one for each of the congruences of a family or for
 * some of them together, where that is better in the compiler's order of figures, and neither the
 * factors on a head nor the key dimension grow. Without families it does nothing. */
f2l_status f2l_t4_split(f2l_t4_plan *plan, const f2l_t4_families *families, f2l_error *err);

/* Return the number of factors of a context on a head, of a permutation of its first points, and of
 * a reset to a coordinate. */
size_t f2l_t4_factors(const f2l_t4_plan *plan, const f2l_t4_head *head, const f2l_context *x);
size_t f2l_t4_permutation_factors(const f2l_t4_head *head, const uint32_t *image, size_t points);
size_t f2l_t4_reset_factors(const f2l_t4_plan *plan, const f2l_t4_head *head, uint32_t target,
                            bool save);

/* Writes sizes, initial states, factors and gates of the first plan->heads heads of a layer. */
f2l_status f2l_t4_fill_heads(f2l_layer *layer, const f2l_t4_plan *plan, uint32_t start,
                             f2l_error *err);

/* Appends the state of a head to the empty vector out; `kept` is the saved coordinate, which
 * matters only on levels with a register. */
f2l_status f2l_t4_code(f2l_qvec *out, const f2l_t4_head *head, uint32_t coordinate, uint32_t kept,
                       f2l_error *err);

/* Returns the steps for a vector of the form; most vectors have few entries. */
uint64_t f2l_t4_vector_steps(const f2l_t4_head *head);

/* Finds the local states that the letters reach from `start`, with 0 saved or on side 0. */
f2l_status f2l_t4_close(f2l_t4_plan *plan, uint32_t start, f2l_error *err);

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
