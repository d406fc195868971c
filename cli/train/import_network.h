/* The network that `import` makes of a trained model of one layer. */
#ifndef F2L_IMPORT_NETWORK_H
#define F2L_IMPORT_NETWORK_H

#include "models/doors/checkpoint/checkpoint.h"
#include "models/doors/checkpoint/fit.h"
#include "models/doors/checkpoint/recurrence.h"
#include "models/learn/data/data.h"

typedef struct f2l_import_network {
    f2l_recurrence recurrence;
    f2l_fit fit;
    char why_none[512]; /* why there is no network; empty: there is one */
} f2l_import_network;

void f2l_import_network_init(f2l_import_network *out);
void f2l_import_network_clear(f2l_import_network *out);

/* Builds the recurrence, and codes for the automaton of the data (NULL: there is none). A model
 * that has no network is no failure: *out says why. F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_import_network_build(f2l_import_network *out, const f2l_checkpoint *trained,
                                    const f2l_data *data, const f2l_task *task, f2l_error *err);

#endif
