/* What the files about the structure of listed groups share. */
#ifndef F2L_STRUCTURE_IMPL_H
#define F2L_STRUCTURE_IMPL_H

#include "automata/group/structure.h"
#include "automata/group/subgroup_impl.h"

/* The composition factors of g into out. */
f2l_status f2l_structure_factors(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_task *task, f2l_error *err);

/* The non-abelian simple group of this order below 10^6 into name[size], unless there is none. `six`: the group has an
 * element of order 6; matters for 20160 only. */
bool f2l_simple_name(char *name, size_t size, size_t order, bool six);

bool f2l_is_prime(size_t n);
/* The exponent k >= 1 with n = base^k, or 0; base > 1. */
size_t f2l_exact_log(size_t n, size_t base);
/* The prime of which n > 1 is a power, or 0. */
size_t f2l_prime_of_power(size_t n);

#endif
