/* The outline of a proof: the structure that a certificate beside a network describes, and the
 * proof that this module makes from it, exactly and in number formats, as f2l_compile does for a
 * network that it has just built. A cascade is closed level by level
 * (theory/certify/local/local.h); a wired network is compared with the form of a theorem
 * (theory/certify/forms/form.h). A certificate with
 * wrong content proves nothing, and has no other effect. */
#ifndef F2L_OUTLINE_H
#define F2L_OUTLINE_H

#include "models/network/wired/network_text.h"
#include "theory/certify/cert/cert_read.h"
#include "theory/certify/forms/form.h"
#include "theory/certify/local/local.h"

/* The verdict that an outline proves in exact arithmetic, or in one format and schedule. */
typedef struct f2l_outlined {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    size_t pairs;       /* F2L_OK: closed level by level, with this many pairs; 0: by the form of a
                           theorem */
    const char *rule;   /* the statement, if by a form: "theory/pages/zeiger.md, Z.6" */
    char reason[256];   /* why F2L_UNKNOWN */
} f2l_outlined;

typedef struct f2l_outline {
    f2l_cert cert;
    const f2l_net *model; /* borrowed, like the automaton */
    const f2l_fsa *fsa;
    f2l_fsa quotient; /* quotient by the classes of a wired form */
    f2l_outlined exact;
    f2l_local local;         /* F2L_CERT_CASCADE: set once exact */
    f2l_form_verdict formed; /* exact verdict on the form, if the claim is one */
} f2l_outline;

void f2l_outline_init(f2l_outline *outline);
void f2l_outline_clear(f2l_outline *outline);

/* Reads the certificate (f2l_cert_read) into *out (initialised; replaced); the claim must be one of
 * this kind of network. After a failure there is no outline. */
f2l_status f2l_outline_read(f2l_outline *out, const f2l_net *model, const f2l_fsa *fsa,
                            const char *bytes, size_t size, const char *network_sha256,
                            const f2l_task *task, f2l_error *err);

/* Finds a form that a wired network without a certificate has: sets *out (initialised; replaced) to
 * the outline of the first of the claims points, zeiger, d1 and blocks that is proved for the
 * automaton's minimal quotient, with its states numbered by first members, and *found to whether
 * there is one. What the task's limits end is not found. */
f2l_status f2l_outline_find(f2l_outline *out, bool *found, const f2l_net *model, const f2l_fsa *fsa,
                            const f2l_task *task, f2l_error *err);

/* Returns false for the claims exact and swaps, which joint states prove: the outline then only
 * gives their number. */
bool f2l_outline_has_structure(const f2l_outline *outline);

/* Returns "exact", "cascade", "zeiger", "d1", "blocks", "product", "swaps" or "points". */
const char *f2l_outline_claim(const f2l_outline *outline);

/* Sets outline->exact. Statuses as in theory/certify/local/local.h. max_pairs 0: the default of
 * theory/certify/local/local.h. */
f2l_status f2l_outline_exact(f2l_outline *outline, size_t max_pairs, const f2l_task *task,
                             f2l_error *err);

/* Sets *out in a format and a schedule with single steps, without stochastic rounding. */
f2l_status f2l_outline_float(f2l_outlined *out, const f2l_outline *outline,
                             const f2l_format *format, const f2l_schedule *schedule,
                             size_t max_pairs, const f2l_task *task, f2l_error *err);

/* Writes the certificate of an exact verdict F2L_OK. */
f2l_status f2l_outline_certificate(f2l_buf *out, const f2l_outline *outline,
                                   const char network_sha256[65], f2l_error *err);

#endif
