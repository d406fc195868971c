#ifndef F2L_VERSION_H
#define F2L_VERSION_H

#include "reports/model/shared_facts.h"

/* The report of --version; it is of nothing (NULL). */
extern const f2l_report_kind f2l_version_kind;

#endif
