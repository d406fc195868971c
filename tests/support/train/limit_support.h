/* The states of a trained network after words, and what answers read of them, one letter at a
 * time. */
#ifndef TESTS_LIMIT_SUPPORT_H
#define TESTS_LIMIT_SUPPORT_H

#include "theory/beside/horizon/limit.h"

/* Applies a word to the states [heads][key][value]. */
void limit_walk(const f2l_learned_net *net, double *state, const f2l_settle_word *word);
/* Sets the states after a word. */
void limit_state_after(double *state, const f2l_learned_net *net, const f2l_settle_word *word);
/* Computes o [heads][value] after the letter that led to the states. */
void limit_read_states(double *o, const f2l_learned_net *net, const double *state, size_t letter);

#endif
