/* Permutation automata in one layer with the fewest factors per letter that representations allow
 * (R1 and R2 of theory/pages/rep.md, explicit matrices by theory/pages/irreps.md, decoders by
 * theory/pages/r1.md).
 *
 * The transition group of the automaton is listed once; then a network can be built from any of
 *  - the group itself: real irreducible representations, one head for each over its own field with
 *    its form;
 *  - a cover: a larger group that maps onto it and needs fewer factors;
 *  - signed permutations: rational heads whose keys are dyadic unit vectors.
 * Every letter is a product of reflections in every head, as many as the rank of its matrix minus
 * the identity, and nothing is written. A decoder has one code for each joint state of the heads.
 * None of this is trusted: a network is verified by closure (C1) like any other. */
#ifndef F2L_R1_H
#define F2L_R1_H

#include "automata/gset/gset.h"
#include "models/network/net/net.h"
#include "theory/rep/cover/cover.h"
#include "theory/rep/dyadic/dyadic.h"
#include "theory/rep/householders/householders.h"

/* A listed group that its letters generate, and its representations. */
typedef struct f2l_r1_tables {
    f2l_group group;  /* generator i is letter i */
    uint32_t *letter; /* [group.generators] generators as elements */
    f2l_classes classes;
    f2l_characters characters;
    f2l_householders householders; /* for these generators */
} f2l_r1_tables;

/* An automaton with its transition group. Borrows the automaton, owns the rest. */
typedef struct f2l_r1 {
    const f2l_fsa *fsa; /* the caller's; borrowed */
    f2l_reach reach;
    f2l_r1_tables tables;
} f2l_r1;

void f2l_r1_init(f2l_r1 *r1);
void f2l_r1_clear(f2l_r1 *r1);

/* Lists the transition group. `fsa` must be a permutation automaton on the states its start reaches
 * (after minimising when the labels are outputs or accept), and must not change while *out lives;
 * otherwise F2L_EDOMAIN names a letter and the states it merges. Returns F2L_UNKNOWN when the group
 * has more than max_order elements (0: 10,080), or time or memory stopped the work. The fewest
 * factors over the group itself are out->tables.householders.minimum. */
f2l_status f2l_r1_analyse(f2l_r1 *out, const f2l_fsa *fsa, size_t max_order, const f2l_task *task,
                          f2l_error *err);

/* Lists a group of pairs (g, s), g in the transition group of r1 and s a sign for each of `signs`
 * kinds: the group that the pairs (letter, its signs) generate; minus[signs][letters] says where a
 * sign is -1. A network of representations of this group tracks the same automaton (O.8 of
 * theory/pages/r1.md), so that f2l_r1_build takes *out like any other; `order` and `lower` of its
 * report are then this group's. If sign i is a character of the rest, the order is the same as
 * without it. Otherwise like f2l_r1_analyse. */
f2l_status f2l_r1_lift(f2l_r1 *out, const f2l_r1 *r1, const bool *minus, size_t signs,
                       size_t max_order, const f2l_task *task, f2l_error *err);

typedef enum f2l_r1_variant {
    F2L_R1_GROUP, /* irreducible representations of the transition group (R1) */
    F2L_R1_COVER, /* of a cover (R2) */
    F2L_R1_DYADIC /* signed permutations with exactly dyadic keys (R1.11 - R1.14, O.5) */
} f2l_r1_variant;

/* Heads to build, in place of those that are least. Everything is borrowed. */
typedef struct f2l_r1_choice {
    size_t heads;
    const uint32_t *irrep; /* [heads] numbers in the householders of the group; an irrep may come
                            * more than once */
    const double *const *near; /* [heads] wished starts, as f2l_initial_near takes them; NULL: none
                                */
} f2l_r1_choice;

typedef struct f2l_r1_options {
    const f2l_r1_choice *choice; /* F2L_R1_GROUP; NULL: the heads that need the fewest factors */
    f2l_cover_options cover;     /* F2L_R1_COVER; zeros: the defaults of theory/rep/cover/cover.h */
    size_t dyadic_work;          /* F2L_R1_DYADIC; 0: the default of theory/rep/dyadic/dyadic.h */
} f2l_r1_options;

typedef struct f2l_r1_head {
    size_t dimension;    /* dimension of the representation; for a signed permutation its points */
    size_t key_dim;      /* n of the network's head */
    size_t field_degree; /* degree of its field over Q */
    bool orthonormal;    /* its form is the identity */
    bool permutes;       /* a signed permutation; `character` and `indicator` are then 0 */
    size_t character;    /* number of its character in the acting group's table */
    int indicator;       /* Frobenius-Schur indicator */
    size_t most;         /* the largest rank */
    uint32_t *rank;      /* [letters] rank of the letter's matrix minus the identity: its number of
                            factors */
} f2l_r1_head;

typedef struct f2l_r1_report {
    f2l_r1_variant variant;
    size_t order, classes; /* of the transition group */
    size_t acting; /* order of the group that the transitions generate: the cover's order, or the
                      same as `order` */
    size_t lower;  /* lower bound, proved for all networks that `scope` names */
    size_t householders; /* factors of this network: at least `lower` */
    bool minimal;        /* householders == lower */
    bool complete; /* cover, dyadic: the search did not stop at a limit; group: the total dimension
                      is the least of all jointly faithful sets of equally few factors */
    size_t extensions, kernel; /* cover: how many were examined, and the order of the kernel;
                                  otherwise 0 and 1 */
    size_t heads, letters;
    f2l_r1_head *head;    /* [heads] */
    size_t dimension;     /* total dimension of the representations */
    size_t states, codes; /* reached states; joint states of the heads, a multiple of the reached
                             states */
    char scope[480];      /* the range of the minimum, and what is proved, in words */
} f2l_r1_report;

void f2l_r1_report_init(f2l_r1_report *report);
void f2l_r1_report_clear(f2l_r1_report *report);

/* Returns whether these irreps of the group have no common kernel but the identity, so that their
 * matrices determine the element. */
bool f2l_r1_faithful(const f2l_r1 *r1, const uint32_t *irrep, size_t count);

/* Builds the network for labels of kind `label` into *out; *report and *out are initialised and
 * replaced. `options` may be NULL. A group of one element gets a head that never moves. fsa_sha256
 * of the network is left empty: the caller sets it. When no network can be built, *out is empty,
 * and only order, classes, lower, complete and scope of the report are set. Returns F2L_EDOMAIN if
 * the labels do not exist, or no cover that was searched has fewer factors than the group;
 * F2L_UNKNOWN if a limit or the task stopped the search for covers, explicit matrices or an initial
 * state. */
f2l_status f2l_r1_build(f2l_net *out, f2l_r1_report *report, const f2l_r1 *r1, f2l_label label,
                        f2l_r1_variant variant, const f2l_r1_options *options, const f2l_task *task,
                        f2l_error *err);

#endif
