/* One recommendation (theory/choose/choose.h) as text or JSON. */
#ifndef F2L_CHOOSE_REPORT_H
#define F2L_CHOOSE_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/choose/choose.h"

typedef struct f2l_choose_report {
    const char *grammar; /* the user's name; the report shows the base name */
    const f2l_fsa *fsa;
    f2l_label label;
    const f2l_choose *choose;
    const char *config; /* folder into which configurations were written; NULL: none were */
} f2l_choose_report;

extern const f2l_report_kind f2l_choose_report_kind;

#endif
