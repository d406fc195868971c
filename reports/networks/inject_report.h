/* The report of `inject`: what was written, and what is claimed of it. */
#ifndef F2L_INJECT_REPORT_H
#define F2L_INJECT_REPORT_H

#include "models/doors/inject/inject.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_inject_report {
    const char *network, *model, *out; /* paths */
    const char *version, *commit;
    const f2l_inject *inject;
} f2l_inject_report;

extern const f2l_report_kind f2l_inject_report_kind;

#endif
