/* certificate.cert: the closed table of an exact closure, as text that lrnn-check verifies alone
 * (grammar in docs/man/lrnn-cert.5). The table is only a hint: the checker
 * recomputes every edge and label. */
#ifndef F2L_CERT_H
#define F2L_CERT_H

#include "theory/certify/closure/closure.h"

/* Writes the certificate. `closure` must be an exact closure of net and fsa with verdict F2L_OK;
 * network_sha256 is the hash of the network file's bytes. */
f2l_status f2l_cert_write(f2l_buf *out, const f2l_net *net, const f2l_closure *closure,
                          const char network_sha256[65], f2l_error *err);

#endif
