/* What a network cannot do: eigenvalues, the theorems that they make apply, and runs of a word
 * until they recur, as text or JSON. */
#ifndef F2L_OBSTRUCT_REPORT_H
#define F2L_OBSTRUCT_REPORT_H

#include "numeric/base/text.h"
#include "theory/obstruct/obstruct.h"
#include "theory/obstruct/spectrum/spectra.h"

typedef struct f2l_obstruct_report {
    const char *network; /* the name the user gave; only what follows the last slash is shown */
    const f2l_names *letters; /* of the first layer; NULL: they have no names */
    const f2l_fsa *fsa;       /* NULL: spectra and theorems only, for the reason `without` */
    const char *without;
    const f2l_spectra *spectra;
    const f2l_theorem *t1, *t2;
    const f2l_witness *word; /* length 0: there is none, because `no_word`, or no word is a cycle
                                when that is empty */
    const char *no_word;
    const f2l_period *period; /* on that word */
    size_t runs;
    const f2l_failure *run; /* [runs] of that word */
    const double *seconds;  /* [runs] */
} f2l_obstruct_report;

/* The theorem excludes exact networks like this one on the word: its labels have a period that the
 * right ones have not. */
bool f2l_obstruct_forbidden(const f2l_obstruct_report *report);
/* Of a run: an exact one is REFUTED also by the theorem. */
f2l_status f2l_obstruct_verdict(const f2l_obstruct_report *report, size_t run);

f2l_status f2l_obstruct_report_text(f2l_buf *out, const f2l_obstruct_report *report,
                                    f2l_error *err);

/* `schema` 1. Equal input gives equal bytes apart from `timing`. Intervals are [low, high]. */
f2l_status f2l_obstruct_report_json(f2l_buf *out, const f2l_obstruct_report *report,
                                    f2l_error *err);

#endif
