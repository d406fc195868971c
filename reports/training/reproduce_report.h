/* Outcomes of reproduced experiments beside the published numbers, by preset and model, each with
 * its setting, scale, seeds, steps, time, device and commit. */
#ifndef F2L_REPRODUCE_REPORT_H
#define F2L_REPRODUCE_REPORT_H

#include "reports/training/outcome.h"

typedef struct f2l_reproduce_report {
    const f2l_preset *only;       /* NULL: all presets */
    bool all;                     /* show presets and models without an outcome, too */
    const f2l_outcomes *outcomes; /* in the order of the report; borrowed */
} f2l_reproduce_report;

f2l_status f2l_reproduce_report_text(f2l_buf *out, const f2l_reproduce_report *report,
                                     f2l_error *err);

/* {"schema":1,"presets":[{"preset","text","source","measure":"scaled_accuracy"|"sequence_accuracy",
 *   "models":[{"model","text",
 *     "published":[{"length":N|null,"value":X|null,"deviation":X|null,"what","source",
 *                   "paper":true|false}],
 *     "outcomes":[{"row":{reports/training/outcome.h},"rates":N,"best_rate":R|null,
 *                  "mean":{"median","least","greatest"}|null,
 *                  "by_length":[{"length","median","least","greatest"}]}]}],
 *   "others":[{"model","published":[..]}],
 *   "remarks":[{"setting","remark"}]}],
 *  "time":[{"device","unit":"GPU"|"CPU","runs":N,"device_seconds":X}]}
 * "rates" is the number of rows that differ in nothing but the rate, and "best_rate" the best of
 * several (f2l_outcomes_rates). "mean" is over the lengths 40 to 256, for presets whose measure is
 * the scaled accuracy. "others" are published networks that are no models here, "remarks" belong to
 * the settings of the outcomes, and "time" is the sum over all outcomes that are shown. */
f2l_status f2l_reproduce_report_json(f2l_buf *out, const f2l_reproduce_report *report,
                                     f2l_error *err);

#endif
