/* certificate.cert of a D1 form: the claim that the network is a D1 form of the automaton
 * (theory/pages/d1.md, D1.8; grammar in theory/certify/forms/d1_cert.c). */
#ifndef F2L_D1_CERT_H
#define F2L_D1_CERT_H

#include "theory/certify/forms/d1_verify.h"

/* Writes the certificate. `verdict` must be F2L_OK of f2l_d1_verify for net and `fsa`, and
 * `classes` [states of original] must map automaton.fsa, `original`, onto `fsa` as in
 * f2l_local_check_classes, which this function calls: NULL is the identity. Returns F2L_EDOMAIN
 * otherwise. network_sha256 is the hash of the network file's bytes. */
f2l_status f2l_d1_cert_write(f2l_buf *out, const f2l_wired *net, const f2l_d1_verdict *verdict,
                             const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                             const char network_sha256[65], f2l_error *err);

#endif
