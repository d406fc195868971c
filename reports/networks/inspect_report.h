/* The report on what a trained network learned (models/inspect/inspect.h), as text and JSON. All
 * pointers are borrowed. */
#ifndef F2L_INSPECT_REPORT_H
#define F2L_INSPECT_REPORT_H

#include "reports/networks/inspect_characters.h"

typedef struct f2l_inspect_report {
    const char *weights; /* path of the file; the report shows the base name */
    bool unfinished;     /* the weights are from a checkpoint: the run has not ended */
    const char *source;  /* "automaton.fsa"; NULL, like data, if no run is beside the weights */
    const f2l_data *data;
    const f2l_seq *model;
    const f2l_inspect *inspect;
    const f2l_inspect_relations *relations;
    const f2l_inspect_characters *characters; /* NULL: there are none */
    const char *why_no_characters;            /* the reason, when there are relations */
    size_t rows; /* number of letters that the text shows for each head */
} f2l_inspect_report;

f2l_status f2l_inspect_report_text(f2l_buf *out, const f2l_inspect_report *report, f2l_error *err);

/* Appends the report as one line. Equal input gives equal bytes.
 *   {"schema":1,"weights","unfinished","source"|null,"model","parameters","layer":1,"repeats",
 *    "letters":[{"name","used"}],
 *    "eigenvalues_equal_to_gate","heads":[                         with the delta mixer
 *      {"distance":{"worst","letter"},"betas":SPREAD,"factors":[SPREAD],
 *       "letters_all_low","letters_all_high","keys":KEYS,"acting_keys":KEYS,
 *       "letters":[{"betas","keys":[[..]],"gate","angles","eigenvalues":[[re,im]],
 *                   "singular_values","distance"}]}],
 *    "decays":{"letters":[{"spread":SPREAD,"values":[[..]]}],"all":SPREAD},  diagonal mixer
 *    "relations":{"reason"} or
 *      {"threshold","order","pairs","pairs_there",
 *       "heads":[{"span","moving","singular_values","leaves","median","worst",
 *                 "worst_pair":["w","u"]|null,"traces","deviations","multiplicities"}],
 *       "classes":[{"representative","size","order"}],
 *       "characters":[{"degree","indicator","values":[[re,im]]}]}}
 *   KEYS: {"keys","singular_values","share","enough","three","effective_rank","components":[[..]]}
 *   SPREAD: {"low","high","count","bins":[20],"outside","near_low","near_high",
 *            "quantiles":[0, 5, 25, 50, 75, 95, 100 %]}
 * "model" is the content of config.json, and "repeats" the number of times that each letter was
 * read, more than 1 with a convolution. "eigenvalues_equal_to_gate" is the number of further
 * eigenvalues of each letter. "keys" of KEYS is the number of keys, and the components are the
 * first `enough`, at least 3; acting keys have a beta of at least half the range. Decays are by
 * channel and state. Relations have only a reason where they do not apply; without characters
 * "classes", "characters" and the last three members of a head are null, and "reason" says why. */
f2l_status f2l_inspect_report_json(f2l_buf *out, const f2l_inspect_report *report, f2l_error *err);

#endif
