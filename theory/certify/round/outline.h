/* The outline of a proof: what a certificate beside a network says of its structure, and the proof
 * that this module makes of it, exactly and in number formats, as the main job does for a network
 * that it has just built. A cascade is closed level by level (theory/certify/local/local.h); a
 * wired network is compared with the form of a theorem (theory/certify/forms/zeiger_verify.h,
 * theory/certify/forms/d1_verify.h). A certificate that says something wrong proves nothing, and
 * that is all it can do. */
#ifndef F2L_OUTLINE_H
#define F2L_OUTLINE_H

#include "models/wired/model.h"
#include "theory/certify/cert/cert_read.h"
#include "theory/certify/forms/d1_verify.h"
#include "theory/certify/forms/zeiger_verify.h"
#include "theory/certify/local/local.h"

/* What an outline proves in exact arithmetic, or in one format and schedule. */
typedef struct f2l_outlined {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    size_t pairs; /* F2L_OK: closed level by level, with so many pairs; 0: by the form of a theorem
                   */
    const char *rule; /* then its statement: "theory/pages/zeiger.md, Z.6" */
    char reason[256]; /* F2L_UNKNOWN */
} f2l_outlined;

typedef struct f2l_outline {
    f2l_cert cert;
    const f2l_model *model; /* borrowed, as is the automaton */
    const f2l_fsa *fsa;
    f2l_fsa quotient; /* by the classes of a wired form */
    f2l_outlined exact;
    f2l_local local; /* F2L_CERT_CASCADE, once exact */
    f2l_zeiger_verdict zeiger;
    f2l_d1_verdict d1;
} f2l_outline;

void f2l_outline_init(f2l_outline *outline);
void f2l_outline_clear(f2l_outline *outline);

/* `out` is initialised; what it held is released. Reads the certificate (f2l_cert_read), whose
 * claim must be one of this kind of network. After a failure there is no outline. */
f2l_status f2l_outline_read(f2l_outline *out, const f2l_model *model, const f2l_fsa *fsa,
                            const char *bytes, size_t size, const char *network_sha256,
                            const f2l_task *task, f2l_error *err);

/* False of the claim exact, which joint states prove: then there is nothing to do here but to count
 * them. */
bool f2l_outline_has_structure(const f2l_outline *outline);

/* "exact", "cascade", "zeiger", "d1". */
const char *f2l_outline_claim(const f2l_outline *outline);

/* Sets outline->exact. Statuses as in theory/certify/local/local.h. max_pairs 0: its default. */
f2l_status f2l_outline_exact(f2l_outline *outline, size_t max_pairs, const f2l_task *task,
                             f2l_error *err);

/* In a format and a schedule that steps, without stochastic rounding. */
f2l_status f2l_outline_float(f2l_outlined *out, const f2l_outline *outline,
                             const f2l_format *format, const f2l_schedule *schedule,
                             size_t max_pairs, const f2l_task *task, f2l_error *err);

/* The certificate of an exact verdict F2L_OK. */
f2l_status f2l_outline_certificate(f2l_buf *out, const f2l_outline *outline,
                                   const char network_sha256[65], f2l_error *err);

#endif
