/* What the files of R1 share. */
#ifndef F2L_THEORY_CONSTRUCT_R1_IMPL_H
#define F2L_THEORY_CONSTRUCT_R1_IMPL_H

#include "theory/construct/r1/r1.h"
#include "theory/rep/irrep/irrep.h"

#define F2L_R1_MAX_ORDER 10080

/* The representation of one head. */
typedef struct f2l_r1_module {
    f2l_irrep rep; /* of a signed permutation only the letters that generate the group have matrices
                    */
    int32_t *image; /* [letters][rep.dimension] a signed permutation as in
                       theory/rep/dyadic/dyadic.h; NULL: matrices */
    size_t key_dim;
    uint64_t *trace; /* [classes of the acting group] modulo its characters' prime */
} f2l_r1_module;

/* The acting group's elements along a breadth-first tree, and where each takes the automaton's
 * start. */
typedef struct f2l_r1_tree {
    uint32_t *queue;  /* [order] parents before children, the identity first */
    uint32_t *parent; /* [order] */
    uint32_t *letter; /* [order] x = parent[x], then this letter */
    uint32_t *state;  /* [order] position among the reached states */
} f2l_r1_tree;

typedef struct f2l_r1_plan {
    const f2l_r1 *r1;
    const f2l_r1_tables *tables; /* of the acting group */
    const f2l_task *task;
    f2l_label label;
    size_t modules;
    f2l_r1_module *module;
    f2l_r1_tree tree;
} f2l_r1_plan;

/* The acting group from the images of all letters. */
f2l_status f2l_r1_tables_build(f2l_r1_tables *out, const uint32_t *image, size_t letters,
                               size_t degree, size_t max_order, const f2l_task *task,
                               f2l_error *err);
void f2l_r1_tables_clear(f2l_r1_tables *t);

f2l_status f2l_r1_tree_init(f2l_r1_tree *tree, const f2l_r1_tables *t, const f2l_r1 *r1,
                            f2l_error *err);
void f2l_r1_tree_clear(f2l_r1_tree *tree);

/* plan->module becomes `count` modules whose reps are initialised. */
f2l_status f2l_r1_modules_new(f2l_r1_plan *plan, size_t count, f2l_error *err);
void f2l_r1_modules_free(f2l_r1_plan *plan);

/* The heads that f2l_householders_build chose; where matrices for them are not found, others, with
 * more factors if need be. *least: they are the chosen ones, and those are proved to have the least
 * dimension. */
f2l_status f2l_r1_irreducible(f2l_r1_plan *plan, bool *least, f2l_error *err);

/* A real irrep's character at a class, modulo the prime. */
uint64_t f2l_r1_psi(const f2l_r1_tables *t, size_t irrep, size_t class_number);

/* Irreps with at most k factors, none of them unavailable, whose only common kernel is the
 * identity: chosen[0 .. *count), room for all and one more; *count is 0 where there are none. Cheap
 * ones are preferred, by dimension, then by degree[], and none is superfluous. */
f2l_status f2l_r1_choose(uint32_t *chosen, size_t *count, const f2l_householders *h, size_t k,
                         const uint8_t *unavailable, const size_t *degree, f2l_error *err);

/* degree[irrep] of the field that the character of each real irrep generates
 * (theory/construct/r1/r1_degrees.c; not proved). */
f2l_status f2l_r1_field_degrees(size_t *degree, const f2l_r1_tables *t, f2l_error *err);

/* The heads of theory/rep/dyadic/dyadic.h, with its bounds in the report. */
f2l_status f2l_r1_signed(f2l_r1_plan *plan, f2l_r1_report *report, size_t work, f2l_error *err);
/* The factors of a signed permutation (O.5), and where they act: x[points] as coordinates,
 * vector[key dimension]. */
f2l_status f2l_r1_signed_factors(f2l_transition *out, const int32_t *image, size_t points,
                                 f2l_error *err);
size_t f2l_r1_signed_dimension(size_t points);
/* `half`: divided by 2. */
void f2l_r1_signed_vector(f2l_number *vector, const f2l_number *x, size_t points, bool half);

/* *out and the report's fields of covers, where there is one with fewer factors. */
f2l_status f2l_r1_cover(f2l_r1_tables *out, f2l_r1_report *report, const f2l_r1 *r1,
                        const f2l_cover_options *options, const f2l_task *task, f2l_error *err);

/* The fields, forms, and factors of all heads. */
f2l_status f2l_r1_transitions(f2l_layer *layer, const f2l_r1_plan *plan, f2l_error *err);

/* Elements that fix the start, as many as the heads allow H_0 to be fixed by (O.3): member[0 ..
 * *members), a subgroup. */
f2l_status f2l_r1_stabiliser(uint32_t *member, size_t *members, const f2l_r1_plan *plan,
                             f2l_error *err);

/* H_0, labels and the codes of the network's layer, whose heads are there. */
f2l_status f2l_r1_decoder(f2l_net *net, const f2l_r1_plan *plan, f2l_error *err);

/* The report of a network that was built; of what was searched f2l_r1_describe alone. */
f2l_status f2l_r1_fill_report(f2l_r1_report *report, const f2l_r1_plan *plan,
                              const f2l_layer *layer, f2l_error *err);
void f2l_r1_describe(f2l_r1_report *report, const f2l_cover_options *options);

#endif
