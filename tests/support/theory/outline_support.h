/* Networks with their certificates, for tests of reading certificates. */
#ifndef OUTLINE_SUPPORT_H
#define OUTLINE_SUPPORT_H

#include "numeric/base/sha256.h"
#include "tests/support/theory/compile_support.h"
#include "theory/certify/round/outline.h"

#define NETWORK_SHA256 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* A job of the compiler, what it built, and its certificate. */
typedef struct outline_fixture {
    fixture job;
    f2l_net model;
    f2l_buf text;
    f2l_outline outline;
} outline_fixture;

/* Compiles x->job, which has its automaton and its options. */
void outline_compile(outline_fixture *x);

void outline_done(outline_fixture *x);

f2l_status outline_read(outline_fixture *x, const f2l_fsa *fsa, const char *text, size_t size);

/* Sets the last line to the right hash of the lines before it. */
void outline_seal(f2l_buf *text);

/* The number of certificates: one of every claim; the cascades by their parts, by cells, and of a
 * quotient with an unreachable state. */
enum { OUTLINES = 6 };
void outline_open(outline_fixture *x, size_t which);

const char *outline_expected_claim(size_t which);

#endif
