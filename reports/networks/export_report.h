/* The report of `export`: what was written, and what is claimed of it. */
#ifndef F2L_EXPORT_REPORT_H
#define F2L_EXPORT_REPORT_H

#include "models/doors/export/export.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_export_report {
    const char *network, *out; /* paths of the network and of the folder */
    const char *version, *commit;
    const f2l_export_target *target;
    const f2l_export_job *job;
    const f2l_exported *exported;
} f2l_export_report;

/* Put the names as a list; automaton, letters and labels of what was exported; what is claimed. */
void f2l_say_names(f2l_fact in, const char *name, const f2l_names *names);
void f2l_say_exported(f2l_fact in, const f2l_export_job *job);
void f2l_say_claims(f2l_fact in, const f2l_exported *exported);

extern const f2l_report_kind f2l_export_report_kind;

#endif
