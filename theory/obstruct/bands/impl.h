/* Private to theory/obstruct/bands. */
#ifndef F2L_THEORY_OBSTRUCT_BANDS_IMPL_H
#define F2L_THEORY_OBSTRUCT_BANDS_IMPL_H

#include "theory/obstruct/bands/bands.h"
#include "theory/obstruct/pairs/pairs.h"

/* Lists the maps that words make, and compares efe with fe for the idempotents among their powers,
 * until a pattern is found or the task's limit is reached; all maps without a pattern decide that
 * there is none. Sets what f2l_band_search sets. */
f2l_status f2l_band_list_maps(f2l_band *out, const f2l_fsa *minimal, const f2l_task *task,
                              f2l_error *err);

/* Sets the pattern to the fork. */
f2l_status f2l_band_take_fork(f2l_band *out, const f2l_fork *fork, f2l_error *err);

/* Searches the patterns of FK.17 that are not forks, where `forkless` tells that there are none of
 * those: only then no pattern is an answer. */
f2l_status f2l_band_search_graph(f2l_band *out, const f2l_pair_graph *graph, bool forkless,
                                 const f2l_task *task, f2l_error *err);

#endif
