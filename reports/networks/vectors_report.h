/* The report of `vectors`: the files of an operator, and what is proved of each. */
#ifndef F2L_VECTORS_REPORT_H
#define F2L_VECTORS_REPORT_H

#include "models/doors/vectors/vectors.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_vectors_file {
    const f2l_vector_case *about;
    bool written; /* false: only listed, and the next members are not set */
    f2l_hashed_file hash;
    bool claim[F2L_CLAIMS];
    size_t tries;
} f2l_vectors_file;

typedef struct f2l_vectors_report {
    const f2l_vector_op *op;
    const char *out; /* the folder; NULL: nothing is written */
    const char *version, *commit;
    const f2l_vectors_file *file; /* [files] */
    size_t files;
} f2l_vectors_report;

extern const f2l_report_kind f2l_vectors_report_kind;

#endif
