/* The parts of R1; private to this folder. */
#ifndef F2L_THEORY_CONSTRUCT_R1_IMPL_H
#define F2L_THEORY_CONSTRUCT_R1_IMPL_H

#include "theory/construct/r1/r1.h"
#include "theory/rep/irrep/irrep.h"

#define F2L_R1_MAX_ORDER 10080

/* The representation of one head. */
typedef struct f2l_r1_module {
    f2l_irrep rep;  /* for a signed permutation only the letters that generate the group have
                       matrices */
    int32_t *image; /* [letters][rep.dimension] a signed permutation as in
                       theory/rep/dyadic/dyadic.h; NULL: matrices */
    size_t key_dim;
    uint64_t *trace; /* [classes of the acting group] traces modulo the prime of the group's
                        characters */
} f2l_r1_module;

/* The acting group's elements along a breadth-first tree, and the state to which each takes the
 * automaton's start. */
typedef struct f2l_r1_tree {
    uint32_t *queue;  /* [order] parents before children, the identity first */
    uint32_t *parent; /* [order] */
    uint32_t *letter; /* [order] x is parent[x] followed by this letter */
    uint32_t *state;  /* [order] position among the reached states */
} f2l_r1_tree;

typedef struct f2l_r1_plan {
    const f2l_r1 *r1;
    const f2l_r1_tables *tables; /* of the acting group; borrowed */
    const f2l_task *task;
    f2l_label label;
    const f2l_r1_choice *choice; /* NULL: the least heads */
    size_t modules;
    f2l_r1_module *module;
    f2l_r1_tree tree;
} f2l_r1_plan;

/* Builds the acting group from the images of all letters. */
f2l_status f2l_r1_tables_build(f2l_r1_tables *out, const uint32_t *image, size_t letters,
                               size_t degree, size_t max_order, const f2l_task *task,
                               f2l_error *err);
void f2l_r1_tables_clear(f2l_r1_tables *t);

f2l_status f2l_r1_tree_init(f2l_r1_tree *tree, const f2l_r1_tables *t, const f2l_r1 *r1,
                            f2l_error *err);
void f2l_r1_tree_clear(f2l_r1_tree *tree);

/* Sets plan->module to `count` modules whose reps are initialised. */
f2l_status f2l_r1_modules_new(f2l_r1_plan *plan, size_t count, f2l_error *err);
void f2l_r1_modules_free(f2l_r1_plan *plan);

/* Builds the heads that f2l_householders_build chose, or, where their matrices are not found,
 * others, with more factors if need be. *least: the heads are the chosen ones, which are proved to
 * have the least dimension. */
f2l_status f2l_r1_irreducible(f2l_r1_plan *plan, bool *least, f2l_error *err);

/* Returns a real irrep's character at a class, modulo the prime. */
uint64_t f2l_r1_psi(const f2l_r1_tables *t, size_t irrep, size_t class_number);

/* Chooses irreps with at most k factors, none of them unavailable, whose only common kernel is the
 * identity: chosen[0 .. *count), with room for all and one more; *count is 0 where there are none.
 * Irreps of smaller dimension, then of smaller degree[], are preferred, and none is superfluous. */
f2l_status f2l_r1_choose(uint32_t *chosen, size_t *count, const f2l_householders *h, size_t k,
                         const uint8_t *unavailable, const size_t *degree, f2l_error *err);

/* Sets degree[irrep] to the degree of the field that the character of each real irrep generates
 * (theory/construct/r1/r1_degrees.c; not proved). */
f2l_status f2l_r1_field_degrees(size_t *degree, const f2l_r1_tables *t, f2l_error *err);

/* Builds the heads of theory/rep/dyadic/dyadic.h and writes its bounds to the report. */
f2l_status f2l_r1_signed(f2l_r1_plan *plan, f2l_r1_report *report, size_t work, f2l_error *err);
/* Writes the factors of a signed permutation (O.5); they act on the coordinates of
 * f2l_r1_signed_vector. */
f2l_status f2l_r1_signed_factors(f2l_transition *out, const int32_t *image, size_t points,
                                 f2l_error *err);
size_t f2l_r1_signed_dimension(size_t points);
/* Sets vector[key dimension] from the coordinates x[points]; `half`: divided by 2. */
void f2l_r1_signed_vector(f2l_number *vector, const f2l_number *x, size_t points, bool half);

/* Builds *out from a cover with fewer factors, if there is one, and fills the report's fields on
 * covers. */
f2l_status f2l_r1_cover(f2l_r1_tables *out, f2l_r1_report *report, const f2l_r1 *r1,
                        const f2l_cover_options *options, const f2l_task *task, f2l_error *err);

/* Writes the fields, forms, and factors of all heads. */
f2l_status f2l_r1_transitions(f2l_layer *layer, const f2l_r1_plan *plan, f2l_error *err);

/* Finds elements that fix the start, as many as the heads allow to fix H_0 (O.3): member[0 ..
 * *members), a subgroup. */
f2l_status f2l_r1_stabiliser(uint32_t *member, size_t *members, const f2l_r1_plan *plan,
                             f2l_error *err);

/* Writes H_0, labels and the codes of the network's layer; the heads must be complete. */
f2l_status f2l_r1_decoder(f2l_net *net, const f2l_r1_plan *plan, f2l_error *err);

/* f2l_r1_fill_report reports on a network that was built; f2l_r1_describe reports only what was
 * searched. */
f2l_status f2l_r1_fill_report(f2l_r1_report *report, const f2l_r1_plan *plan,
                              const f2l_layer *layer, f2l_error *err);
void f2l_r1_describe(f2l_r1_report *report, const f2l_cover_options *options);

#endif
