#ifndef F2L_VERSION_H
#define F2L_VERSION_H

#include "reports/model/shared_facts.h"

/* Appends the lines of --version. */
void f2l_version_text(f2l_buf *out);
/* Puts the facts of --version. */
f2l_report_describe f2l_version_describe;

#endif
