/* The parts that certificates of both kinds of networks share. */
#ifndef F2L_CERT_IMPL_H
#define F2L_CERT_IMPL_H

#include "theory/certify/cert/cert.h"

/* The values of the first lines, up to the claim and the figures of the network. Borrows its
 * texts. */
typedef struct f2l_cert_head {
    const char *fsa_sha256, *network_sha256, *claim;
    size_t layers, heads, householders, key_dim, value_dim;
} f2l_cert_head;

void f2l_cert_write_head(f2l_buf *out, const f2l_cert_head *head);

/* Writes the last line: the hash of what was written from `begin` on. Returns the status of the
 * whole certificate. */
f2l_status f2l_cert_seal(f2l_buf *out, size_t begin, f2l_error *err);

/* Writes a whole certificate of `claim exact`. */
f2l_status f2l_cert_write_exact(f2l_buf *out, const f2l_cert_head *head, const f2l_closure *closure,
                                f2l_error *err);

#endif
