/* Declarations shared by the search for missing roots of unity (learned_roots.c), what factors do
 * (roots_factors.c) and orders modulo primes (roots_orders.c); private to this folder. */
#ifndef F2L_ROOTS_IMPL_H
#define F2L_ROOTS_IMPL_H

#include "theory/beside/horizon/impl.h"
#include "theory/beside/horizon/learned_roots.h"

/* What a factor does to vectors that no factor shortens (AL.17). */
typedef enum f2l_roots_deed {
    F2L_ROOTS_NOTHING,
    F2L_ROOTS_REFLECTS,
    F2L_ROOTS_ORTHOGONAL, /* it shortens all but what is orthogonal to its key */
    F2L_ROOTS_UNKNOWN     /* it may reflect, in a key that is not known to be rational, or not */
} f2l_roots_deed;

/* [letters][heads][householders] factors. */
typedef struct f2l_roots_factors {
    const f2l_seq *model;
    const double *parameters;
    f2l_roots_deed *deed;
    signed char *ternary; /* [..][key_dim] rounded keys; NULL where keys have any direction */
} f2l_roots_factors;

/* Sets the factors; on failure, too, they are to be cleared. */
f2l_status f2l_roots_factors_read(f2l_roots_factors *f, f2l_learned_net *net, const f2l_seq *model,
                                  const double *parameters, f2l_error *err);
void f2l_roots_factors_clear(f2l_roots_factors *f);
/* Sets key [letters][heads][householders][key_dim] to the keys, up to their lengths, modulo an odd
 * prime below 2^31. */
void f2l_roots_factors_keys(unsigned *key, const f2l_roots_factors *f, unsigned prime);

/* Returns whether no product of eigenvalues of modulus 1 of the word has the order, a power of
 * `base`, as far as this prime tells. key: as above. */
bool f2l_roots_lacks(const f2l_roots_factors *f, const unsigned *key, unsigned prime,
                     const f2l_settle_word *word, size_t order, size_t base);

#endif
