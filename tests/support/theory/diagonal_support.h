/* Cascades in diagonal layers, built and proved, for tests. */
#ifndef TESTS_DIAGONAL_SUPPORT_H
#define TESTS_DIAGONAL_SUPPORT_H

#include "automata/family/family.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/certify/local/local.h"
#include "theory/construct/diagonal/diagonal.h"

typedef struct diagonal_fixture {
    f2l_fsa fsa;
    f2l_cascade cascade;
    f2l_components groups;
    f2l_net net;
    f2l_diagonal how;
    f2l_t4_report report;
    f2l_local local;
    f2l_error err;
} diagonal_fixture;

/* Makes the holonomy cascade and its groups from f->fsa, which the caller has set. */
void diagonal_open(diagonal_fixture *f);

void diagonal_family(diagonal_fixture *f, const char *kind, size_t numbers, uint64_t a, uint64_t b);

f2l_status diagonal_build(diagonal_fixture *f, f2l_diagonal_target target);

void diagonal_close(diagonal_fixture *f);

void diagonal_clear(diagonal_fixture *f);

#endif
