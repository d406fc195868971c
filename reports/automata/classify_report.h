/* The ladder of an automaton (theory/obstruct/classify/classify.h), as text for people or JSON:
 * what each class of models can and cannot do, by which statement of theory/pages/ladder.md, with
 * witnesses, and with what the compiler built where that was asked. */
#ifndef F2L_CLASSIFY_REPORT_H
#define F2L_CLASSIFY_REPORT_H

#include "theory/compile/compile.h"
#include "theory/obstruct/classify/classify.h"

/* What the compiler made of one row. */
typedef struct f2l_classify_built {
    bool tried;
    f2l_status status; /* F2L_OK: there is a network; F2L_EDOMAIN: the compiler has none;
                          F2L_UNKNOWN: a limit */
    const char *theorem, *variant; /* F2L_OK */
    f2l_compile_figures figures;   /* F2L_OK */
    f2l_status exact;              /* F2L_OK: the verdict in exact arithmetic */
    char reason[512];              /* otherwise */
} f2l_classify_built;

typedef struct f2l_classify_report {
    const char *grammar; /* the name the user gave; only what follows the last slash is shown */
    const f2l_classify *classify;
    size_t states; /* of the grammar; more than classify->fsa has where it was minimised */
    f2l_label label;
    const f2l_classify_built *built; /* [F2L_LADDER_CLASSES], or NULL: not asked for */
    const char *ended; /* what ended the work: "interrupted", "time limit", "memory limit"; NULL:
                          nothing did */
} f2l_classify_report;

f2l_status f2l_classify_report_text(f2l_buf *out, const f2l_classify_report *report,
                                    f2l_error *err);

/* `schema` 1. Letters and states by name. */
f2l_status f2l_classify_report_json(f2l_buf *out, const f2l_classify_report *report,
                                    f2l_error *err);

#endif
