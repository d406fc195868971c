/* The report on the exact network beside a trained one (theory/beside/snap/snap.h), as text and
 * JSON. All pointers are borrowed. */
#ifndef F2L_SNAP_REPORT_H
#define F2L_SNAP_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/beside/snap/snap.h"

typedef struct f2l_snap_report {
    const char *weights; /* path of the file; the report shows the base name */
    const char *version, *commit;
    const f2l_data *data; /* NULL: not known */
    const f2l_seq *model;
    const f2l_inspect *inspect;
    const f2l_snap *snap;
    const f2l_snap_put *put; /* NULL: nothing was put back */
    const char *why_no_put;  /* the reason; NULL or empty: it was not asked for */
    const char *out;         /* the output folder; NULL: nothing was written */
    size_t files;
    const f2l_hashed_file *file; /* [files] */
    size_t rows;                 /* letters that the text shows for each part */
} f2l_snap_report;

extern const f2l_report_kind f2l_snap_report_kind;

#endif
