/* Whole runs of the compiler, and checks of their networks and certificates. */
#ifndef COMPILE_SUPPORT_H
#define COMPILE_SUPPORT_H

#include "automata/family/family.h"
#include "models/network/exact/run_exact.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/compile/compile.h"
#include "theory/compile/constructions.h"
#include "theory/construct/t3/t3.h"
#include "theory/construct/t4/t4_construction.h"

typedef struct fixture {
    f2l_fsa fsa;
    f2l_compile_options options;
    f2l_compile_result result;
    f2l_error err;
} fixture;

void set_up(fixture *f);

/* Returns the report of a network by T3; NULL for other networks. */
const f2l_t3_report *t3_of(const f2l_compile_result *r);

void open_family(fixture *f, const char *kind, uint64_t number, bool generators);

void open_text(fixture *f, const char *text);

f2l_status compile(fixture *f, const f2l_task *task);

void compile_done(fixture *f);

/* Checks random words through the network, label by label, against the automaton. */
void check_words(const fixture *f, uint64_t seed);

void check_theorem(fixture *f, const char *theorem);

/* Checks that the certificate is by the local closure, which every format has too. */
void check_cascade(fixture *f);

#endif
