/* Outcomes of reproduced experiments beside the published numbers, by preset and model, each with
 * its setting, scale, seeds, steps, time, device and commit; the average over four tasks; the runs
 * that were not made. */
#ifndef F2L_REPRODUCE_REPORT_H
#define F2L_REPRODUCE_REPORT_H

#include "reports/model/shared_facts.h"
#include "reports/training/outcome.h"
#include <jansson.h>

typedef struct f2l_reproduce_report {
    const f2l_preset *only;       /* NULL: all presets */
    bool all;                     /* show presets and models without an outcome, too */
    const f2l_outcomes *outcomes; /* in the order of the report; borrowed */
    bool not_run;                 /* list the models and settings without an outcome, too */
    bool trained; /* these runs were just made: their values are shown where seeds are missing */
    json_t *left; /* lines of plans whose runs have no outcome, each with "begun"; NULL: none */
} f2l_reproduce_report;

extern const f2l_report_kind f2l_reproduce_report_kind;

#endif
