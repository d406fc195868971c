/* Proofs by form: a wired network that has the form of a theorem for an automaton is right on words
 * of every length, so that no closure is needed. Nothing is taken from the construction: the
 * meaning of the tables, the heads and their states is computed from the network's numbers. */
#ifndef F2L_FORM_H
#define F2L_FORM_H

#include "automata/fsa/fsa.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/wired.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/task.h"

typedef struct f2l_form_verdict {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    size_t clock_layers, block, elements, pairs; /* D1, F2L_OK: C, B, G, and the pairs of D1.8 */
    char reason[256]; /* F2L_UNKNOWN: the condition that fails, or the limit that was reached */
} f2l_form_verdict;

typedef struct f2l_form {
    /* the statements on exact arithmetic and on formats: "theory/pages/zeiger.md, Z.6" */
    const char *exact, *format;
    /* Decides whether the network has the form; `fsa` is the automaton whose states the network
     * tracks: the quotient where there is one. In exact arithmetic with `format` NULL; else in the
     * format and schedule, too: on all words the run is then, number for number, the exact run.
     * Returns F2L_OK whenever there is a verdict; F2L_EDOMAIN when the network is not valid, the
     * automaton has other letters or lacks labels of the network's kind. */
    f2l_status (*verify)(f2l_form_verdict *out, const f2l_net *net, const f2l_fsa *fsa,
                         const f2l_format *format, const f2l_schedule *schedule,
                         const f2l_task *task, f2l_error *err);
    /* Writes the certificate of an exact verdict F2L_OK for net and `fsa`. `classes` [states of
     * original] must map automaton.fsa, `original`, onto `fsa` as in f2l_local_check_classes, which
     * this function calls: NULL is the identity. network_sha256 is the hash of the network file's
     * bytes. Returns F2L_EDOMAIN otherwise. */
    f2l_status (*certify)(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                          const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                          const char network_sha256[65], f2l_error *err);
} f2l_form;

/* The form of theory/pages/zeiger.md, for any order and sharing of the tables and any multiples of
 * the keys; every state of `fsa` must be a class. Grammar of the certificate:
 * theory/certify/forms/wired_cert.c. */
extern const f2l_form f2l_form_zeiger;

/* Returns the most factors of a token at this level (from 1) of the Zeiger form of n states (Z.7);
 * level 1 has the most. */
size_t f2l_zeiger_factors(size_t n, size_t level);

/* The form of theory/pages/d1.md; neither points nor permutations of points are used. `fsa` numbers
 * the states that its start reaches in increasing order, as the network does. Grammar of the
 * certificate: theory/certify/forms/d1_cert.c. */
extern const f2l_form f2l_form_d1;

/* The form of theory/pages/blocks.md, as for D1. Grammar of the certificate:
 * theory/certify/forms/blocks_cert.c. */
extern const f2l_form f2l_form_blocks;
/* The point form of theory/pages/d1.md, D1.12. In the verdict `elements` are its points and `pairs`
 * its rows. Grammar of the certificate: theory/certify/forms/points_cert.c. */
extern const f2l_form f2l_form_points;

#endif
