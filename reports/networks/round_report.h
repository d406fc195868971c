/* What a network does in number formats: a table of verdicts with certified horizons and first
 * failures seen, as text or JSON, and the errors against the length as CSV. */
#ifndef F2L_ROUND_REPORT_H
#define F2L_ROUND_REPORT_H

#include "numeric/base/text.h"
#include "theory/certify/round/round.h"

typedef struct f2l_round_report {
    const char *network; /* the name the user gave; only what follows the last slash is shown */
    const f2l_model *model;
    const f2l_fsa *fsa;
    const f2l_round_exact *exact;
    size_t count;
    const f2l_rounded *rounded; /* [count], format and schedule set */
    size_t decided;    /* so many were looked at; the others are UNKNOWN, with the reason */
    const char *ended; /* what ended the work: "interrupted", "time limit", "memory limit"; NULL:
                          nothing did */
} f2l_round_report;

/* As text in three parts, so that a row can be shown as soon as it is decided: the head with the
 * exact verdict; a row; and after the rows what they do not say. */
f2l_status f2l_round_report_head(f2l_buf *out, const f2l_round_report *report, f2l_error *err);
f2l_status f2l_round_report_row(f2l_buf *out, const f2l_round_report *report,
                                const f2l_rounded *row, f2l_error *err);
f2l_status f2l_round_report_close(f2l_buf *out, const f2l_round_report *report, f2l_error *err);

/* `schema` 1. Equal input gives equal bytes apart from `timing`. A shortest wrong word is an array
 * of letters; the word of an observed failure is described, since it may have millions. */
f2l_status f2l_round_report_json(f2l_buf *out, const f2l_round_report *report, f2l_error *err);

/* format,schedule,kind,length,error: kind `bound` is certified, the kinds of words are seen; errors
 * are Euclidean distances of the state to the exact one. The head line comes always. */
f2l_status f2l_round_report_csv(f2l_buf *out, const f2l_round_report *report, f2l_error *err);

#endif
