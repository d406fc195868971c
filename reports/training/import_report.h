/* The report of `import`: what a model of another program, or of a run, is, and what was written.
 */
#ifndef F2L_IMPORT_REPORT_H
#define F2L_IMPORT_REPORT_H

#include "models/doors/checkpoint/fit.h"
#include "models/doors/checkpoint/recurrence.h"
#include "models/learn/seq/seq.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_import_report {
    const char *weights; /* path of the model; the report shows the base name */
    const char *class;   /* of flash-linear-attention; "": our own layout */
    const f2l_seq *model;
    size_t vocabulary;
    const char *source;     /* name of the automaton; NULL: none */
    const f2l_fsa *fsa;     /* NULL: none */
    const char *no_network; /* why there is no network.lrnn; NULL: there is one */
    const f2l_fit *fit;
    const f2l_recurrence *recurrence;
    const char *out; /* the folder; NULL: nothing was written */
} f2l_import_report;

extern const f2l_report_kind f2l_import_report_kind;

#endif
