/* The record from which both report.json and the printed summary are made, so that they agree. All
 * pointers are borrowed. */
#ifndef F2L_REPORT_H
#define F2L_REPORT_H

#include "automata/fsa/nfa.h"
#include "models/network/weights/weights.h"
#include "reports/model/shared_facts.h"
#include "theory/compile/compile.h"
#include "theory/obstruct/layers/layers.h"

typedef struct f2l_report {
    const char *version, *commit; /* version and commit of the program */
    const char *grammar; /* the user's name; reports show the base name, and hold no paths */
    const char *syntax;  /* f2l_nfa.source */
    const f2l_fsa *fsa;
    char fsa_sha256[65];
    f2l_label label;
    const f2l_compile_options *options; /* the request; for lists only */
    f2l_total_report total;
    const f2l_compile_result *compiled;
    f2l_weights_report weights;
    f2l_hashed_file file[8];
    size_t files;
    const f2l_layers *layers; /* lower bounds; NULL: not computed */
    const char *out;          /* OUT as given */
    bool page;                /* report.html is drawn there, after this is printed */
    double read_seconds, total_seconds;
} f2l_report;

/* report.json; docs/json.md lists the facts. f2l_report_summary is the text. */
extern const f2l_report_kind f2l_compile_report_kind;

/* The list of the constructions that were considered, with `compiled` made by the option `all`. The
 * text has three parts, so that a row can be shown as soon as it is proved: the head, which needs
 * the fields up to `options`; a row, which is empty for a construction that was not built; and the
 * comparison of the rows, with the constructions that are missing and the reasons, which is the
 * text of the kind. The kind reads the fields up to `compiled`, and `out`, NULL where nothing was
 * written. */
f2l_status f2l_report_list_head(f2l_buf *out, const f2l_report *report, f2l_error *err);
f2l_status f2l_report_list_row(f2l_buf *out, const f2l_compile_entry *entry, f2l_error *err);
extern const f2l_report_kind f2l_compile_list_kind;

/* Appends the readable summary (stdout of the main job). Long label and letter lists are cut, with
 * a count. */
f2l_status f2l_report_summary(f2l_buf *out, const f2l_report *report, f2l_error *err);

#endif
