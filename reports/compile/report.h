/* report.json and the printed summary: both are made from this one record, so that they say the
 * same. */
#ifndef F2L_REPORT_H
#define F2L_REPORT_H

#include "automata/fsa/nfa.h"
#include "models/weights/weights.h"
#include "theory/compile/compile.h"

typedef struct f2l_report_file {
    const char *name; /* "network.lrnn" */
    size_t bytes;
    char sha256[65];
} f2l_report_file;

typedef struct f2l_report {
    const char *version, *commit; /* of the tool */
    const char *grammar; /* the name the user gave; base name only, so that reports do not hold
                            paths */
    const char *syntax;  /* f2l_nfa.source */
    const f2l_fsa *fsa;
    char fsa_sha256[65];
    f2l_label label;
    const f2l_compile_options *options; /* what was asked for; lists only */
    f2l_total_report total;
    const f2l_compile_result *compiled;
    f2l_weights_report weights;
    f2l_report_file file[8];
    size_t files;
    const char *out; /* OUT as given */
    double read_seconds, total_seconds;
} f2l_report;

/* `schema` 1, keys as in docs/formats.md. Equal input gives equal bytes apart from the object
 * `timing`. */
f2l_status f2l_report_json(f2l_buf *out, const f2l_report *report, f2l_error *err);

/* The constructions that were considered, with `compiled` made by the option `all`. As text in
 * three parts, so that a row can be shown as soon as it is proved: the head, which needs the fields
 * up to `options`; a row, which is nothing for what was not built; and what the rows are to each
 * other, with what is not among them and why. */
f2l_status f2l_report_list_head(f2l_buf *out, const f2l_report *report, f2l_error *err);
f2l_status f2l_report_list_row(f2l_buf *out, const f2l_compile_entry *entry, f2l_error *err);
f2l_status f2l_report_list_close(f2l_buf *out, const f2l_report *report, f2l_error *err);

/* As data, `schema` 1, equal input giving equal bytes apart from `timing`. Of the record the fields
 * up to `compiled` count, and `out`, NULL where nothing was written. */
f2l_status f2l_report_list_json(f2l_buf *out, const f2l_report *report, f2l_error *err);

/* The readable summary (stdout of the main job). Long label and letter lists are cut with a count.
 */
f2l_status f2l_report_summary(f2l_buf *out, const f2l_report *report, f2l_error *err);

#endif
