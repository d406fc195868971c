/* certificate.cert of a wired network: a closed table (grammar in theory/certify/cert/cert.c), or
 * the claim that the network is the Zeiger form of the automaton (grammar in
 * theory/certify/forms/wired_cert.c; theory/pages/zeiger.md). */
#ifndef F2L_WIRED_CERT_H
#define F2L_WIRED_CERT_H

#include "models/wired/wired.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/zeiger_verify.h"

/* Writes a closed table. `closure` must be F2L_OK of f2l_wired_closure_exact; network_sha256 is the
 * hash of the network file's bytes. */
f2l_status f2l_wired_cert_exact(f2l_buf *out, const f2l_wired *net, const f2l_closure *closure,
                                const char network_sha256[65], f2l_error *err);

/* Writes the claim of a Zeiger form. `verdict` must be F2L_OK of f2l_zeiger_verify for net and
 * `fsa`, and `classes` [states of original] must map automaton.fsa, `original`, onto `fsa` as in
 * f2l_local_check_classes, which this function calls: NULL is the identity, UINT32_MAX the class of
 * states that the start does not reach. Returns F2L_EDOMAIN otherwise, and when a state of `fsa` is
 * no class. */
f2l_status f2l_wired_cert_zeiger(f2l_buf *out, const f2l_wired *net,
                                 const f2l_zeiger_verdict *verdict, const f2l_fsa *fsa,
                                 const f2l_fsa *original, const uint32_t *classes,
                                 const char network_sha256[65], f2l_error *err);

#endif
