/* The report on what a trained network learned (models/inspect/inspect.h), as text and JSON. All
 * pointers are borrowed. */
#ifndef F2L_INSPECT_REPORT_H
#define F2L_INSPECT_REPORT_H

#include "reports/networks/inspect_characters.h"

typedef struct f2l_inspect_report {
    const char *weights; /* path of the file; the report shows the base name */
    bool unfinished;     /* the weights are from a checkpoint: the run has not ended */
    const char *source; /* "automaton.fsa"; NULL, like data, when there is no run beside the weights
                         */
    const f2l_data *data;
    const f2l_seq *model;
    const f2l_inspect *inspect;
    const f2l_inspect_relations *relations;
    const f2l_inspect_characters *characters; /* NULL: there are none */
    const char *why_no_characters;            /* the reason, when there are relations */
    size_t rows; /* number of letters that the text shows for each head */
} f2l_inspect_report;

f2l_status f2l_inspect_report_text(f2l_buf *out, const f2l_inspect_report *report, f2l_error *err);

/* One line. {"schema":1,"weights","unfinished","source" or null,"model" (as in
 * config.json),"parameters","layer":1, "repeats" (how often each letter was read: more than 1 with
 * a convolution),"letters":[{"name","used"}], and for the delta mixer "eigenvalues_equal_to_gate"
 * (how many more there are of each letter), "heads":[{
 *   "betas":SPREAD,"factors":[SPREAD],"letters_all_low","letters_all_high",
 *   "keys":{"keys" (how
 * many),"singular_values","share","enough","three","effective_rank","components":[[..]]} (the first
 *   `enough`, at least 3), "acting_keys" (the same of keys with a beta of at least half the range),
 *   "distance":{"worst","letter"},
 *   "letters":[{"betas","keys":[[..]],"gate","angles","eigenvalues":[[re,im]],"singular_values",
 *   "distance"}]
 * in the order of the list above}], for the diagonal mixer
 * "decays":{"all":SPREAD,"letters":[{"spread":SPREAD,"values":[[..]]}] by channel and state},
 * "relations":{"reason"} where it does not apply, or
 * {"threshold","order","pairs","pairs_there","heads":[{"span","moving",
 *   "singular_values","leaves","median","worst","worst_pair":["w","u"] or
 * null,"traces","deviations","multiplicities"}],
 *   "classes":[{"representative","size","order"}],"characters":[{"degree","indicator",
 *   "values":[[re,im]]}]}
 * (the last two, and the last three of a head, are null without characters, and "reason" says why).
 * SPREAD: {"low","high","count","bins":[20],"outside","near_low","near_high","quantiles":[0, 5, 25,
 * 50, 75, 95, 100 %]}. Equal input gives equal bytes. */
f2l_status f2l_inspect_report_json(f2l_buf *out, const f2l_inspect_report *report, f2l_error *err);

#endif
