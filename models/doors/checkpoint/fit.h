/* Codes for the recurrence of a trained model: the means of the states that words of an automaton
 * reach.
 *
 * Random words are read in double precision. For every state of the automaton the network's states
 * after the words that lead to it are put into clusters (Lloyd's algorithm, begun at states far
 * from each other), and the mean of a cluster, rounded to a float, becomes a code with the label of
 * the automaton's state. As many clusters are taken for each state as give the fewest wrong labels
 * on other words by the nearest code, at most F2L_FIT_CLUSTERS. The start of the network is a code,
 * too.
 *
 * This read-out is not the trained one, and it is fitted to words of F2L_FIT_LENGTH letters. */
#ifndef F2L_FIT_H
#define F2L_FIT_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"

#define F2L_FIT_CLUSTERS ((size_t)8)
#define F2L_FIT_LENGTH ((size_t)64)

typedef struct f2l_fit {
    size_t codes, clusters; /* the most clusters of one state */
    size_t answers, wrong;  /* by the nearest code, on words that nothing was fitted to */
} f2l_fit;

/* Sets codes, letters, labels, start, the kind of labels and `fitted` of a network of one layer
 * with heads and letters. `label_of` [states of the automaton] are indices of `labels`.
 * F2L_EDOMAIN: some state was reached by no word, or a number is not finite; F2L_UNKNOWN: the task
 * stopped it. */
f2l_status f2l_fit_codes(f2l_net *net, f2l_fit *fit, const f2l_fsa *fsa, f2l_label label,
                         const f2l_names *labels, const uint32_t *label_of, uint64_t seed,
                         const f2l_task *task, f2l_error *err);

#endif
