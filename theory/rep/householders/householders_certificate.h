/* A text that proves the fewest factors of a group (theory/rep/householders/householders.h) to
 * somebody who trusts none of the code that found it: theory/check/rep-check.c reads nothing
 * else. R1.15 of theory/pages/rep.md proves that what it checks suffices.
 *
 * Single blanks, lines ended by LF, numbers in decimal without leading zeros, cycles as
 * f2l_perm_write writes them; indices count from 1. Elements are numbered breadth-first from the
 * identity, x after x, then generator after generator, by the products x g (first x, then g);
 * classes by their first elements.
 *
 *     householders 2|3                        3: with the line `least`
 *     fsa SHA256                              of the automaton's canonical text
 *     degree N
 *     generators K
 *     generator NAME CYCLES                   K times: the automaton's letters, as .fsa files
 *                                             spell them, and what they do to the points where
 *                                             it tracks elements, else to the states that words
 *                                             lead to, numbered in their order
 *     letters generators|elements             which elements are letters
 *     order N
 *     exponent E
 *     classes R
 *     class c element CYCLES size S order O inverse I square Q
 *                                             R times: the first element of the class, and the
 *                                             classes of its inverse and its square
 *     prime P                                 1 modulo E, P^2 > 4 N, P < 2^32
 *     separate c ..                           classes, increasing, by whose values no two
 *                                             characters agree
 *     character s degree D indicator F conjugate T values V ..
 *                                             R times, increasing by degree, then by values; V =
 *                                             size * chi / D modulo P, for each class (central
 *                                             character)
 *     irreps M
 *     irrep i character s dimension D most B  M times: chi or chi + conjugate or 2 chi, of two
 *                                             conjugates the first, in order; B the largest
 *                                             rank(rho(w) - I) of a letter w
 *     minimum H                               the claim
 *     hidden c                                unless H = 0: a class, not the first, in the
 *                                             kernel of all irreps with B < H
 *     faithful i ..                           irreps, increasing, with B <= H, without a common
 *                                             kernel
 *     least D                                 only if no such set has a smaller sum of
 *                                             dimensions, which is D > 0
 *     end R */
#ifndef F2L_HOUSEHOLDERS_CERTIFICATE_H
#define F2L_HOUSEHOLDERS_CERTIFICATE_H

#include "automata/fsa/fsa.h"
#include "automata/group/group.h"
#include "numeric/base/text.h"
#include "theory/rep/householders/householders.h"
#include <stdbool.h>

/* Appends the certificate. The group's generators must be the automaton's letters. `all_letters`: h
 * was built with letter == NULL; otherwise with the group's generators as letters (F2L_EDOMAIN when
 * h->letter does not agree). */
f2l_status f2l_householders_certificate(f2l_buf *out, const f2l_fsa *fsa, const f2l_group *group,
                                        const f2l_classes *classes, const f2l_characters *t,
                                        const f2l_householders *h, bool all_letters,
                                        const f2l_task *task, f2l_error *err);

#endif
