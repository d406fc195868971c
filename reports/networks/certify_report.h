/* report.json of a network that was proved as it was given (fsa2lrnn_certify, fsa2lrnn_verify): the
 * verdicts, and what the certificate proves. All pointers are borrowed. */
#ifndef F2L_CERTIFY_REPORT_H
#define F2L_CERTIFY_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/certify/round/round.h"

typedef struct f2l_certify_report {
    const char *version, *commit; /* of the program */
    const f2l_fsa *fsa;           /* as in the file */
    const char *fsa_sha256;
    const f2l_net *model; /* letters of a class are one letter, as in `judges` */
    const f2l_fsa *judges;
    const f2l_round_exact *exact;
    size_t rows;
    const f2l_rounded *const *row; /* [rows] verdicts in formats */
    const char *claim; /* what the certificate proves, and in which arithmetic; NULL: there is none,
                        * it is exact */
    const char *claim_format, *claim_schedule;
    bool renamed; /* the line `fsa` of the network was changed */
    size_t files;
    const f2l_hashed_file *file; /* [files] */
} f2l_certify_report;

/* report.json, which has no text. */
extern const f2l_report_kind f2l_certify_report_kind;

#endif
