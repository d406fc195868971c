/* A certificate beside a network, read for what it says of the way to prove the network: the sets,
 * contexts and levels of a cascade, or the classes of a wired form. Nothing of it is believed: what
 * is read is in range, so that a verifier may work through it, and the verifier decides. */
#ifndef F2L_CERT_READ_H
#define F2L_CERT_READ_H

#include "automata/cascade/cascade.h"

typedef enum f2l_cert_claim {
    F2L_CERT_EXACT,
    F2L_CERT_CASCADE,
    F2L_CERT_ZEIGER,
    F2L_CERT_D1
} f2l_cert_claim;

typedef struct f2l_cert_children f2l_cert_children; /* of a level: which pairs have which child */

typedef struct f2l_cert {
    f2l_cert_claim claim;
    size_t rows; /* F2L_CERT_EXACT: joint states */
    /* F2L_CERT_CASCADE: of the automaton that was given. Sets, levels and covers, and contexts
     * without their actions. */
    f2l_cascade cascade;
    size_t *layers;              /* [cascade.levels] of the network */
    f2l_cert_children *children; /* [cascade.levels] */
    bool reads; /* pairs name their children: f2l_cert_coordinate says the coordinate */
    /* F2L_CERT_ZEIGER, F2L_CERT_D1 */
    uint32_t *classes; /* [states of the automaton] UINT32_MAX: none */
    size_t class_count;
} f2l_cert;

/* SHA-256 of the files that a certificate must name. */
typedef struct f2l_cert_files {
    const char *fsa_sha256, *network_sha256;
} f2l_cert_files;

void f2l_cert_init(f2l_cert *cert);
void f2l_cert_clear(f2l_cert *cert);

/* `out` is initialised; what it held is released. Reads a certificate of one of these claims for
 * `fsa`, which is borrowed. F2L_EFORMAT with line and column where it is none, where it is of other
 * files, and where it is damaged. The lines that a verifier computes for itself are only counted
 * and sealed. */
f2l_status f2l_cert_read(f2l_cert *out, const char *bytes, size_t size, const f2l_fsa *fsa,
                         const f2l_cert_files *files, const f2l_task *task, f2l_error *err);

/* The coordinate that a pair of level l (from 0) with this set and these codes names; false when
 * there is none. The context is a f2l_cert. A f2l_local_reading (theory/certify/local/local.h). */
bool f2l_cert_coordinate(const void *context, size_t l, uint32_t set, const size_t *code,
                         uint32_t *coordinate);

/* The bytes are those of a certificate: it begins as one, and its last line is the hash of what
 * stands before. */
bool f2l_cert_is_sealed(const char *bytes, size_t size);

/* Bytes of that last line. */
#define F2L_CERT_SEAL_SIZE (sizeof "sha256 " - 1 + 64 + 1)

#endif
