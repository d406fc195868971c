/* Products of small automata, and their wired networks. */
#ifndef TESTS_WIRED_PRODUCT_SUPPORT_H
#define TESTS_WIRED_PRODUCT_SUPPORT_H

#include "automata/fsa/subdirect.h"
#include "numeric/base/rng.h"
#include "theory/certify/forms/product.h"
#include "theory/compile/compile.h"
#include "theory/construct/product/wired_part.h"
#include "theory/construct/product/wired_product.h"

#define SIDE_MOST 8 /* parts of a product */

/* An automaton that is a part of a product, and its wired network. */
typedef struct side_case {
    f2l_fsa fsa;
    f2l_subdirect subdirect;
    f2l_fsa quotient[SIDE_MOST];
    f2l_compile_result built[SIDE_MOST];
    f2l_wired_part part[SIDE_MOST];
    f2l_net net;
    f2l_division division;
    f2l_error err;
} side_case;

/* Makes the reachable part of a product of random automata of 2 .. `most` states; each letter acts
 * on some of them only. */
void side_random(f2l_fsa *fsa, size_t factors, size_t most, size_t letters, f2l_rng *rng);

/* Takes the automaton s->fsa apart; with `compile` the parts get compiled networks, else only
 * cascades by rule. Returns false where it has no factors, or more than SIDE_MOST. */
bool side_take_apart(side_case *s, bool compile);

/* Builds the network of the parts, and sets the hash of its automaton. */
f2l_status side_build(side_case *s, f2l_label label, const f2l_task *task);

/* Returns the verdict on the network; with a format also there. */
f2l_status side_verify(side_case *s, const char *format);

void side_clear(side_case *s);

#endif
