/* The report of `inject`: what was written, and what is claimed of it. */
#ifndef F2L_INJECT_REPORT_H
#define F2L_INJECT_REPORT_H

#include "models/inject/inject.h"

typedef struct f2l_inject_report {
    const char *network, *model, *out; /* paths */
    const char *version, *commit;
    const f2l_inject *inject;
} f2l_inject_report;

f2l_status f2l_inject_report_text(f2l_buf *out, const f2l_inject_report *report, f2l_error *err);
f2l_status f2l_inject_report_json(f2l_buf *out, const f2l_inject_report *report, f2l_error *err);

#endif
