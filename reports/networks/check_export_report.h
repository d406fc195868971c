/* The report of `check-export`. */
#ifndef F2L_CHECK_EXPORT_REPORT_H
#define F2L_CHECK_EXPORT_REPORT_H

#include "theory/certify/stock/stock.h"

typedef struct f2l_check_export_report {
    const f2l_stock_verdict *verdict;
    const f2l_fsa *fsa;   /* whose letters the word has */
    const char *fsa_path; /* its file */
} f2l_check_export_report;

f2l_status f2l_check_export_text(f2l_buf *out, const f2l_check_export_report *report,
                                 f2l_error *err);
f2l_status f2l_check_export_json(f2l_buf *out, const f2l_check_export_report *report,
                                 f2l_error *err);

#endif
