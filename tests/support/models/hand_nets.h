/* Small networks written down by hand, for tests that must not depend on a construction. */
#ifndef TESTS_HAND_NETS_H
#define TESTS_HAND_NETS_H

#include "models/network/net/net.h"
#include "tests/support/automata/fsa_text.h"

/* Initialises a network for the automaton with its letters, its labels in state order and its
 * start; layers are empty. */
void hand_net(f2l_net *net, const f2l_fsa *fsa, f2l_label label, size_t layers);

/* Sets *out to the non-zero entries of a dense integer vector. */
void hand_vector(f2l_qvec *out, const long *dense, size_t n);

/* Gives layer `l` one head with an n-dimensional column as its state, and returns the head. */
f2l_head *hand_head(f2l_net *net, size_t l, size_t letters, size_t n, const long *initial);

/* Gives the letter one factor (beta, u, c). */
void hand_factor(f2l_head *head, size_t letter, long beta, const long *u, long c);

/* Sets code i of layer l to row i of `dense`, and its symbol to i. */
void hand_codes(f2l_net *net, size_t l, size_t codes, const long *dense);

static const char hand_parity_text[] = "start even\naccept odd\n"
                                       "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";

/* Makes parity: letters 0 and 1 with A = 1 and A = -1 in one dimension, and the codes 1 and -1. */
void hand_parity(f2l_net *net, const f2l_fsa *fsa, f2l_label label);

void hand_two_swaps(f2l_head *head);

static const char hand_swaps_text[] = "points 3\n"
                                      "track points 1\n"
                                      "permute a (1 2)\n"
                                      "permute b (2 3)\n";

/* Makes the network of the letters a = (1 2), b = (2 3) on three points with the textbook keys e_i
 * - e_j; the tracked point is a unit vector. */
void hand_swaps(f2l_net *net, const f2l_fsa *fsa);

static const char hand_elements_text[] = "points 3\n"
                                         "track elements\n"
                                         "permute a (1 2)\n"
                                         "permute b (2 3)\n";

/* Makes the network with the same letters and keys whose codes are the six group elements, as the
 * images of (1, 2, 3), in the automaton's order. */
void hand_elements(f2l_net *net, const f2l_fsa *fsa);

#endif
