/* What the files of the report share. */
#ifndef F2L_REPORTS_CHOOSE_IMPL_H
#define F2L_REPORTS_CHOOSE_IMPL_H

#include "reports/choose/choose_report.h"

/* The facts of the report. */
f2l_report_describe f2l_choose_report_describe;

#endif
