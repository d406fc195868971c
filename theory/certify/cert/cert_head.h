/* The parts that certificates share. */
#ifndef F2L_CERT_IMPL_H
#define F2L_CERT_IMPL_H

#include "theory/certify/cert/cert.h"

/* The values of the first lines, up to the figures of the network. Borrows its texts. */
typedef struct f2l_cert_head {
    const char *fsa_sha256, *network_sha256, *claim;
    const f2l_format *format; /* of the claim; NULL: exact arithmetic, without a schedule either */
    const f2l_schedule *schedule;
    size_t layers, heads, householders, key_dim, value_dim;
} f2l_cert_head;

/* Returns the head of the certificate of a network, in exact arithmetic. */
f2l_cert_head f2l_cert_head_of(const f2l_net *net, const char *network_sha256, const char *claim);

void f2l_cert_write_head(f2l_buf *out, const f2l_cert_head *head);

/* Append `text`, and a number; a blank and the number from 1 for each index; a blank and each
 * binary number X (theory/certify/cert/float_cert.h). */
void f2l_cert_number(f2l_buf *out, const char *text, size_t number);
void f2l_cert_indices(f2l_buf *out, const char *text, const uint32_t *index, size_t count);
void f2l_cert_binaries(f2l_buf *out, const char *text, const double *x, size_t count);

/* Returns F2L_EDOMAIN where lrnn-check-float cannot follow steps of the network: schedules that it
 * does not know, wires, boxes, heads with a field or a form. */
f2l_status f2l_cert_float_refuse(const f2l_net *net, const f2l_schedule *schedule, f2l_error *err);
/* The same of a run along a word, and of schedules that keep more than a state. */
f2l_status f2l_cert_refuted_refuse(const f2l_net *net, const f2l_schedule *schedule,
                                   f2l_error *err);

/* Writes the last line: the hash of what was written from `begin` on. Returns the status of the
 * whole certificate. */
f2l_status f2l_cert_seal(f2l_buf *out, size_t begin, f2l_error *err);

#endif
