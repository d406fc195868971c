/* What the files of automata/group share; private to this folder. */
#ifndef F2L_AUTOMATA_GROUP_IMPL_H
#define F2L_AUTOMATA_GROUP_IMPL_H

#include "automata/group/classes.h"
#include "automata/group/group.h"
#include "automata/group/group_name.h"
#include "automata/group/structure.h"

#include <stdbool.h>

/* Numbers of elements from the images of the base points, for loops over many products. */

/* Most levels: every basic orbit has two points or more, and element numbers have 32 bits. */
#define F2L_GROUP_LEVELS 32

/* Limit on the tables of a listed group, in bytes. */
#define F2L_GROUP_BYTES ((size_t)2 << 30)

/* Returns the image array of element a, borrowed. */
static inline const uint32_t *f2l_group_row(const f2l_group *g, uint32_t a)
{
    return g->element + (size_t)a * g->degree;
}

/* Returns the number of the element that takes base point j to x[j]; overwrites x. */
static inline uint32_t f2l_group_number(const f2l_group *g, uint32_t *x)
{
    size_t number = 0;
    for (size_t l = 0; l < g->levels; l++) {
        const f2l_group_level *v = &g->level[l];
        const size_t position = v->at[x[l]] - 1;
        if (position == 0) continue;
        number += position * v->stride;
        if (!v->back) continue;
        const uint32_t *back = v->back + position * g->degree;
        for (size_t j = l + 1; j < g->levels; j++) x[j] = back[x[j]];
    }
    return (uint32_t)number;
}

/* Returns a^-1 x a, given the image arrays of a^-1 and a. */
static inline uint32_t f2l_group_conjugate_by(const f2l_group *g, uint32_t x,
                                              const uint32_t *inverse, const uint32_t *a)
{
    uint32_t image[F2L_GROUP_LEVELS];
    const uint32_t *row = f2l_group_row(g, x);
    for (size_t l = 0; l < g->levels; l++) image[l] = a[row[inverse[g->level[l].base]]];
    return f2l_group_number(g, image);
}

/* Subgroups of a listed group, as lists of element numbers that grow one generator at a time
 * (Dimino's algorithm: whole cosets are added, so that every member costs one product). */

/* More than the longest chain of subgroups of a group of order below 2^32. */
#define F2L_SUBGROUP_GENERATORS 32

typedef struct f2l_subgroup {
    const f2l_group *g;
    const f2l_task *task;
    uint8_t *has;     /* [order of g] */
    uint32_t *member; /* [order] elements, with room for all of g; member 0 is the identity */
    size_t order;
    uint32_t generator[F2L_SUBGROUP_GENERATORS];
    size_t generators;
    uint32_t letter[F2L_SUBGROUP_GENERATORS]; /* [g->needed] elements that generate g */
    uint64_t work, polled;                    /* number of products so far, and at the last poll */
} f2l_subgroup;

/* Initialises h as the trivial subgroup of g, which is borrowed. */
f2l_status f2l_subgroup_init(f2l_subgroup *h, const f2l_group *g, const f2l_task *task,
                             f2l_error *err);
void f2l_subgroup_clear(f2l_subgroup *h);
void f2l_subgroup_reset(f2l_subgroup *h);

/* Replaces h by the subgroup that h and x generate. F2L_UNKNOWN when the task is stopped. */
f2l_status f2l_subgroup_add(f2l_subgroup *h, uint32_t x, f2l_error *err);

/* Replaces h by its normal closure in g. */
f2l_status f2l_subgroup_close(f2l_subgroup *h, f2l_error *err);

/* Resets h and replaces it by the subgroup that `generators` elements of g generate. */
f2l_status f2l_subgroup_generate(f2l_subgroup *h, const uint32_t *generator, size_t generators,
                                 f2l_error *err);

/* Replaces h by the normal closure of all commutators [x, y], x in a, y in b; this is [<a>, <b>]
 * when both subgroups are normal. */
f2l_status f2l_subgroup_commutators(f2l_subgroup *h, const uint32_t *a, size_t as,
                                    const uint32_t *b, size_t bs, f2l_error *err);

/* Sets holds[class] to whether the normal subgroup h contains the class. */
void f2l_subgroup_classes(uint8_t *holds, const f2l_subgroup *h, const f2l_classes *c);

/* Returns true when x y = y x. */
bool f2l_subgroup_commute(const f2l_group *g, uint32_t x, uint32_t y);

/* What the files about the structure of listed groups share. */

/* Stores the composition factors of g in out. */
f2l_status f2l_structure_factors(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_task *task, f2l_error *err);

/* Writes the name of the non-abelian simple group of this order below 10^6 into name[size]; returns
 * false when there is none. `six`, whether the group has an element of order 6, is used for order
 * 20160 only. */
bool f2l_simple_name(char *name, size_t size, size_t order, bool six);

/* Returns the exponent k >= 1 with n = base^k, or 0; base > 1. */
size_t f2l_exact_log(size_t n, size_t base);
/* Returns the prime of which n > 1 is a power, or 0. */
size_t f2l_prime_of_power(size_t n);

/* The steps of naming a group. Each appends a name and sets *done, or leaves both alone. */

/* A listed group with its classes and invariants; all borrowed. */
typedef struct f2l_group_view {
    const f2l_group *g;
    const f2l_classes *c;
    const f2l_structure *s;
    bool indecomposable; /* the group is known not to be a direct product */
} f2l_group_view;

/* Names a group without listing it: the trivial group, giants, abelian groups, S_n, A_n, Z_p:Z_d on
 * an orbit, some dihedral groups. */
f2l_status f2l_group_name_quick(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                                const f2l_task *task, f2l_error *err);

/* Names an abelian group by its invariant factors: "Z_12", "Z_2^2xZ_4". */
f2l_status f2l_group_name_abelian(f2l_buf *out, const f2l_schreier *g, const mpz_t order,
                                  const f2l_task *task, f2l_error *err);

/* Names the product of cyclic groups of prime power orders by its invariant factors; `powers` is
 * not 0. */
f2l_status f2l_group_name_prime_powers(f2l_buf *out, const size_t *power, size_t powers,
                                       f2l_error *err);

/* Names a listed group by all tests: the quick tests, and the tests of the two functions below. */
f2l_status f2l_group_name_view(f2l_buf *out, bool *done, const f2l_group_view *view,
                               const f2l_task *task, f2l_error *err);

/* Names a group that is neither abelian nor a product: simple, almost simple, affine, or with a
 * cyclic subgroup of index 2. */
f2l_status f2l_group_name_known(f2l_buf *out, bool *done, const f2l_group_view *view,
                                const f2l_task *task, f2l_error *err);

/* Names a direct product of two or more groups with names. */
f2l_status f2l_group_name_product(f2l_buf *out, bool *done, const f2l_group_view *view,
                                  const f2l_task *task, f2l_error *err);

#endif
