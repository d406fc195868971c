/* The report of `check-export`. */
#ifndef F2L_CHECK_EXPORT_REPORT_H
#define F2L_CHECK_EXPORT_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/certify/stock/stock.h"

typedef struct f2l_check_export_report {
    const f2l_stock_verdict *verdict;
    const f2l_fsa *fsa;   /* whose letters the word has */
    const char *fsa_path; /* its file */
} f2l_check_export_report;

extern const f2l_report_kind f2l_check_export_kind;

#endif
