/* The parts that the files of the character table share. */
#ifndef F2L_CHARACTERS_IMPL_H
#define F2L_CHARACTERS_IMPL_H

#include "automata/group/classes.h"
#include "automata/group/group.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "theory/rep/characters/characters.h"
#include <stdint.h>

/* Returns a b modulo p; residues are below 2^32, so the product fits. */
static inline uint64_t f2l_mod_multiply(uint64_t a, uint64_t b, uint64_t p)
{
    return a * b % p;
}

uint64_t f2l_mod_inverse(uint64_t a, uint64_t p); /* p prime; 0 for 0 */

/* Returns the number of the character with these values, which must be in the table. */
size_t f2l_characters_find(const f2l_characters *t, const uint64_t *value);

/* The cosets of the derived subgroup. Owns its arrays. */
typedef struct f2l_abelianisation {
    size_t cosets;
    uint32_t *coset;          /* [order] coset of each element; coset 0 is the derived subgroup */
    uint32_t *representative; /* [cosets] an element of each */
} f2l_abelianisation;

f2l_status f2l_abelianisation_build(f2l_abelianisation *out, const f2l_group *group,
                                    const f2l_task *task, f2l_error *err);
void f2l_abelianisation_clear(f2l_abelianisation *a);

/* Fills the first rows of t->value with all linear characters, *count of them. */
f2l_status f2l_characters_linear(f2l_characters *t, size_t *count, const f2l_group *group,
                                 const f2l_classes *classes, const f2l_abelianisation *a,
                                 f2l_error *err);

/* Fills rows `first`, first + 1, .. of t->value with the other irreducible characters divided by
 * their degrees (R1.2). */
f2l_status f2l_characters_split(f2l_characters *t, size_t first, const f2l_group *group,
                                const f2l_classes *classes, const f2l_abelianisation *a,
                                const f2l_task *task, f2l_error *err);

#endif
