/* Private to theory/obstruct/fork. */
#ifndef F2L_THEORY_OBSTRUCT_FORK_IMPL_H
#define F2L_THEORY_OBSTRUCT_FORK_IMPL_H

#include "theory/obstruct/fork/fork.h"

/* Searches forks with the pairs of all components, small ones first; sets out->unsearched to the
 * number of those that it leaves open, and out->reason where the limit of one search does. */
f2l_status f2l_fork_search(f2l_fork *out, const f2l_pair_graph *graph, const f2l_task *task,
                           f2l_error *err);

/* Makes u and v shorter where shorter ones are soon found: for few states with the best s. */
f2l_status f2l_fork_shorten(f2l_fork *out, const f2l_fsa *minimal, f2l_error *err);

/* Finds the other words of the fork whose s, p, q, u, v are set. */
f2l_status f2l_fork_words(f2l_fork *out, const f2l_fsa *minimal, f2l_label label,
                          const f2l_task *task, f2l_error *err);

#endif
