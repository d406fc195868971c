/* The shortest wrong word that is known of a trained network: the one figure that evaluate,
 * compare, horizon and reproduce print. */
#ifndef F2L_SHORTEST_H
#define F2L_SHORTEST_H

#include "models/doors/checkpoint/checkpoint.h"
#include "models/learn/experiment/experiment.h"
#include "reports/training/settle_report.h"
#include "theory/beside/compare/failing.h"

/* What the weights are of; borrowed. */
typedef struct f2l_shortest_ask {
    const f2l_experiment *run; /* of the weights; NULL: none is known, or the data are of another */
    const f2l_checkpoint *trained;
    const f2l_data *data;
    const f2l_data_wrong *seen; /* as of f2l_failing_known */
    uint64_t search;            /* letters, as of f2l_failing_find; 0: no search of either kind */
} f2l_shortest_ask;

/* F2L_EDOMAIN with the reason where the run's task is another one than the state after every letter
 * of any word; NULL: there is no run. */
f2l_status f2l_run_tracks(const f2l_experiment *run, f2l_error *err);

/* Looks for words whose limit is wrong; F2L_EDOMAIN where the run or the network is not of the
 * class, and failures of f2l_settle_find. */
f2l_status f2l_run_settle(f2l_settle *out, const f2l_experiment *run, const f2l_checkpoint *trained,
                          const f2l_settle_ask *ask, const f2l_task *task, f2l_error *err);

/* Looks first for short words z u^t w whose limit is wrong, into *settle, for which failures are
 * reasons why there is no such search, and then for the shortest wrong word of any kind, into *out;
 * the word that the first search met by running is one of those that the second one reads.
 * Ownership and failures as of f2l_failing_find. */
f2l_status f2l_shortest_find(f2l_failing *out, f2l_settle_report *settle,
                             const f2l_shortest_ask *ask, const f2l_task *task, f2l_error *err);

#endif
