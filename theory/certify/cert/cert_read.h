/* Reads a certificate to learn how the network was proved: the sets, contexts and levels of a
 * cascade, the classes of a wired form, or the parts of a product. Nothing in it is trusted: what
 * is read is in range, so that a verifier can use it safely, and the verifier decides. */
#ifndef F2L_CERT_READ_H
#define F2L_CERT_READ_H

#include "automata/cascade/cascade.h"
#include "models/network/net/net.h"
#include "theory/certify/cert/division.h"

typedef struct f2l_cert_children f2l_cert_children; /* of a level: the child of each pair */

typedef struct f2l_cert {
    f2l_cert_claim claim;
    /* F2L_CERT_EXACT, F2L_CERT_SWAPS: number of joint states; F2L_CERT_POINTS: of rows */
    size_t rows;
    /* F2L_CERT_CASCADE: cascade of the given automaton. Sets, levels and covers, and contexts
     * without their actions. */
    f2l_cascade cascade;
    size_t *layers;              /* [cascade.levels] layers of the network */
    f2l_cert_children *children; /* [cascade.levels] */
    /* [cascade.levels][contexts] the letter that a context reads; NULL: the letter with its number.
     * letter[0] is NULL. It is f2l_local_reading.letter (theory/certify/local/local.h). */
    uint32_t **letter;
    bool reads; /* pairs name their children: f2l_cert_coordinate gives the coordinate */
    /* F2L_CERT_ZEIGER, F2L_CERT_D1, F2L_CERT_BLOCKS */
    uint32_t *classes; /* [states of the automaton] class; UINT32_MAX: none */
    size_t class_count;
    f2l_division division; /* F2L_CERT_PRODUCT */
} f2l_cert;

/* The SHA-256 of the files that a certificate must name. */
typedef struct f2l_cert_files {
    const char *fsa_sha256, *network_sha256;
} f2l_cert_files;

void f2l_cert_init(f2l_cert *cert);
void f2l_cert_clear(f2l_cert *cert);

/* Reads a certificate of one of these claims for `fsa`, which is borrowed, into *out (initialised;
 * replaced). Returns F2L_EFORMAT with line and column where the bytes are no certificate, belong to
 * other files, or are damaged. Lines that a verifier computes for itself are only counted and
 * sealed. */
f2l_status f2l_cert_read(f2l_cert *out, const char *bytes, size_t size, const f2l_fsa *fsa,
                         const f2l_cert_files *files, const f2l_task *task, f2l_error *err);

/* Returns F2L_EFORMAT where the claim is none of a network of this kind: claims name levels of
 * layers, or forms of stages. */
f2l_status f2l_cert_check_claim(const f2l_cert *cert, const f2l_net *net, f2l_error *err);

/* Sets the coordinate that a pair of level l (from 0) with this set and these codes names; returns
 * false when there is none. The context is an f2l_cert. It is an f2l_local_reading
 * (theory/certify/local/local.h). */
bool f2l_cert_coordinate(const void *context, size_t l, uint32_t set, const size_t *code,
                         uint32_t *coordinate);

/* Returns whether the bytes begin as a certificate and end in a line with the hash of everything
 * before it. */
bool f2l_cert_is_sealed(const char *bytes, size_t size);

/* Bytes of this last line. */
#define F2L_CERT_SEAL_SIZE (sizeof "sha256 " - 1 + 64 + 1)

#endif
