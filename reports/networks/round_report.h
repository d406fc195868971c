/* The report on a network in number formats: a table of verdicts with certified horizons and the
 * first failures observed, as text or JSON, and the errors by length as CSV. All pointers are
 * borrowed. */
#ifndef F2L_ROUND_REPORT_H
#define F2L_ROUND_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/certify/round/round.h"

typedef struct f2l_round_report {
    const char *network; /* the user's name; the report shows the base name */
    const f2l_net *model;
    const f2l_fsa *fsa;
    size_t letters; /* of the automaton, before letters of a class were merged */
    const f2l_round_exact *exact;
    const char *engine, *engine_source, *engine_equals; /* --engine: its name with the state, where
                                                           it is, and the presets with the same row,
                                                           "" for none; or all NULL */
    size_t count;
    const f2l_rounded *rounded; /* [count] results, with format and schedule set */
    size_t decided;    /* number of decided rows; the other rows are UNKNOWN, with the reason */
    const char *ended; /* what ended the work early: "interrupted", "time limit", "memory limit"; or
                          NULL */
} f2l_round_report;

/* Put the object `exact` into `in`, and the facts of a row, for reports that tell the same. They
 * read the fields up to `exact`, but not `network` and `letters`. */
void f2l_round_report_say_exact(f2l_fact in, const f2l_round_report *report);
void f2l_round_report_say_row(f2l_fact in, const f2l_round_report *report, const f2l_rounded *row);

/* Append the first parts of the text, so that a row can be shown as soon as it is decided: the head
 * with the exact verdict; and a row. */
f2l_status f2l_round_report_head(f2l_buf *out, const f2l_round_report *report, f2l_error *err);
f2l_status f2l_round_report_row(f2l_buf *out, const f2l_round_report *report,
                                const f2l_rounded *row, f2l_error *err);
/* The text is the remarks after the rows. In JSON a shortest wrong word is an array of letters; the
 * word of an observed failure, which may have millions of letters, is described. */
extern const f2l_report_kind f2l_round_report_kind;

/* Appends the CSV with columns format,schedule,kind,length,error: kind `bound` is certified, the
 * kinds of words are observations; errors are Euclidean distances of the state from the exact
 * state. The head line is always written. */
f2l_status f2l_round_report_csv(f2l_buf *out, const f2l_round_report *report, f2l_error *err);

#endif
