/* What the files of automata/group share; private to this folder. */
#ifndef F2L_AUTOMATA_GROUP_IMPL_H
#define F2L_AUTOMATA_GROUP_IMPL_H

#include "automata/group/classes.h"
#include "automata/group/group.h"
#include "automata/group/group_name.h"
#include "automata/group/structure.h"

#include <stdbool.h>

/* Numbers of elements from the images of the base points, for loops over many products. */

/* Every basic orbit has two points or more, and numbers have 32 bits. */
#define F2L_GROUP_LEVELS 32

/* Tables of a listed group may take so much. */
#define F2L_GROUP_BYTES ((size_t)2 << 30)

static inline const uint32_t *f2l_group_row(const f2l_group *g, uint32_t a)
{
    return g->element + (size_t)a * g->degree;
}

/* The number of the member that takes base point j to x[j]; x is used up. */
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

/* a^-1 x a, given the image arrays of a^-1 and a. */
static inline uint32_t f2l_group_conjugate_by(const f2l_group *g, uint32_t x,
                                              const uint32_t *inverse, const uint32_t *a)
{
    uint32_t image[F2L_GROUP_LEVELS];
    const uint32_t *row = f2l_group_row(g, x);
    for (size_t l = 0; l < g->levels; l++) image[l] = a[row[inverse[g->level[l].base]]];
    return f2l_group_number(g, image);
}

/* b > 0. */
static inline size_t f2l_group_gcd(size_t a, size_t b)
{
    while (a % b != 0) {
        const size_t r = a % b;
        a = b;
        b = r;
    }
    return b;
}

/* Subgroups of a listed group, as lists of element numbers that grow one generator at a time
 * (Dimino's algorithm: whole cosets are added, so that every member costs one product). */

/* More than the longest chain of subgroups of a group of order below 2^32. */
#define F2L_SUBGROUP_GENERATORS 32

typedef struct f2l_subgroup {
    const f2l_group *g;
    const f2l_task *task;
    uint8_t *has;     /* [order of g] */
    uint32_t *member; /* [order] in a room for all of g; member 0 is the identity */
    size_t order;
    uint32_t generator[F2L_SUBGROUP_GENERATORS];
    size_t generators;
    uint32_t letter[F2L_SUBGROUP_GENERATORS]; /* [g->needed] elements that generate g */
    uint64_t work, polled;                    /* products so far, and at the last poll */
} f2l_subgroup;

/* The trivial subgroup. */
f2l_status f2l_subgroup_init(f2l_subgroup *h, const f2l_group *g, const f2l_task *task,
                             f2l_error *err);
void f2l_subgroup_clear(f2l_subgroup *h);
void f2l_subgroup_reset(f2l_subgroup *h);

/* The subgroup that h and x generate. F2L_UNKNOWN when the task says stop. */
f2l_status f2l_subgroup_add(f2l_subgroup *h, uint32_t x, f2l_error *err);

/* The normal closure of h in g. */
f2l_status f2l_subgroup_close(f2l_subgroup *h, f2l_error *err);

/* The subgroup that `generators` elements of g generate, once reset. */
f2l_status f2l_subgroup_generate(f2l_subgroup *h, const uint32_t *generator, size_t generators,
                                 f2l_error *err);

/* h becomes the normal closure of all commutators of a's elements with b's: of <a> with <b> when
 * both are normal. */
f2l_status f2l_subgroup_commutators(f2l_subgroup *h, const uint32_t *a, size_t as,
                                    const uint32_t *b, size_t bs, f2l_error *err);

/* holds[class] for a normal subgroup. */
void f2l_subgroup_classes(uint8_t *holds, const f2l_subgroup *h, const f2l_classes *c);

/* x y = y x. */
bool f2l_subgroup_commute(const f2l_group *g, uint32_t x, uint32_t y);

/* What the files about the structure of listed groups share. */

/* The composition factors of g into out. */
f2l_status f2l_structure_factors(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_task *task, f2l_error *err);

/* The non-abelian simple group of this order below 10^6 into name[size], unless there is none.
 * `six`: the group has an element of order 6; matters for 20160 only. */
bool f2l_simple_name(char *name, size_t size, size_t order, bool six);

/* The exponent k >= 1 with n = base^k, or 0; base > 1. */
size_t f2l_exact_log(size_t n, size_t base);
/* The prime of which n > 1 is a power, or 0. */
size_t f2l_prime_of_power(size_t n);

/* The steps of naming a group. Each appends a name and sets *done, or leaves both alone. */

/* A listed group with what is known about it. */
typedef struct f2l_group_view {
    const f2l_group *g;
    const f2l_classes *c;
    const f2l_structure *s;
    bool indecomposable; /* known to be no direct product */
} f2l_group_view;

/* Without listing: the trivial group, giants, abelian groups, S_n, A_n, Z_p:Z_d on an orbit, some
 * dihedral ones. */
f2l_status f2l_group_name_quick(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                                const f2l_task *task, f2l_error *err);

/* An abelian group by its invariant factors: "Z_12", "Z_2^2xZ_4". */
f2l_status f2l_group_name_abelian(f2l_buf *out, const f2l_schreier *g, const mpz_t order,
                                  const f2l_task *task, f2l_error *err);

/* The same for the product of cyclic groups of prime power orders; `powers` is not 0. */
f2l_status f2l_group_name_prime_powers(f2l_buf *out, const size_t *power, size_t powers,
                                       f2l_error *err);

/* All of it for a listed group: the quick tests, and those of the two functions below. */
f2l_status f2l_group_name_view(f2l_buf *out, bool *done, const f2l_group_view *view,
                               const f2l_task *task, f2l_error *err);

/* Groups that are not abelian and no product by construction: simple, almost simple, affine, with a
 * cyclic half. */
f2l_status f2l_group_name_known(f2l_buf *out, bool *done, const f2l_group_view *view,
                                const f2l_task *task, f2l_error *err);

/* Direct products of two or more groups with names. */
f2l_status f2l_group_name_product(f2l_buf *out, bool *done, const f2l_group_view *view,
                                  const f2l_task *task, f2l_error *err);

#endif
