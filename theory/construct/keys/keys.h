/* Key systems: how the permutations of m points become products of reflections
 * (theory/pages/keys.md, R3).
 *
 * A key system of m points in dimension n gives, for every transposition (i j), a vector u_ij whose
 * reflection swaps the weights w_i and w_j and fixes the others: w : {points} -> Q^n is
 * equivariant. Adjacent keys u_{i,i+1} determine all: u_ij is their sum, and w_i - w_j is a
 * positive multiple of u_ij. */
#ifndef F2L_KEYS_H
#define F2L_KEYS_H

#include "numeric/exact/qvec.h"

typedef enum f2l_key_kind {
    F2L_KEYS_NAIVE,   /* u = e_i - e_j in dimension m; |u|^2 = 2, so k is not a binary number */
    F2L_KEYS_DOUBLED, /* u = e_i - e_j + e_{i+m} - e_{j+m} in dimension 2m; k = u/2 exactly */
    F2L_KEYS_ROOTS /* unit dyadic roots: m = 2 sign (dimension 1), 3..4 D_4, 5..6 D_6, 7..8 E_7, 9
                      E_8 */
} f2l_key_kind;

/* Returns whether the kind exists for m points; *n is its dimension. m >= 2, except that one point
 * (no keys, weight 1) has a naive system of dimension 1. */
bool f2l_keys_dimension(f2l_key_kind kind, size_t m, size_t *n);

/* Sets out (initialised by the caller) to the key of the transposition (i j), i < j < m, with its
 * coordinates shifted by `offset`. */
f2l_status f2l_keys_transposition(f2l_qvec *out, f2l_key_kind kind, size_t m, size_t i, size_t j,
                                  uint32_t offset, f2l_error *err);

/* Sets twice_w[n] to twice the dense weight vector of point i, whose entries are integers or
 * half-integers. */
void f2l_keys_weight(long *twice_w, f2l_key_kind kind, size_t m, size_t i);

/* Returns a text for reports such as "E8 roots (dimension 8)"; systems that exist for every m are
 * described without their dimension. */
const char *f2l_keys_describe(f2l_key_kind kind, size_t m);

/* Returns the greatest common divisor, >= 0, by which weights are divided; gcd(0, b) = |b|. */
long f2l_keys_gcd(long a, long b);

#endif
