/* D1 networks of families and texts, for the tests of the construction, its closures and
 * certificates. */
#ifndef D1_CASES_H
#define D1_CASES_H

#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SEED 20261201

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
    f2l_d1_report report;
} fixture;

void d1_build(fixture *f, f2l_label label, size_t householders);

void d1_open_family(fixture *f, const char *kind, uint64_t n, bool generators, size_t householders);

void d1_open_text(fixture *f, const char *text, f2l_label label, size_t householders);

void d1_done(fixture *f);

void check_verified(const fixture *f, const char *what);

#endif
