/* Automata with their cascades, networks and local closures, for tests. */
#ifndef TESTS_LOCAL_SUPPORT_H
#define TESTS_LOCAL_SUPPORT_H

#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/local/local.h"
#include "theory/construct/t4/t4.h"

typedef struct local_fixture {
    f2l_fsa fsa;
    f2l_cascade cascade;
    f2l_net net;
    f2l_t4_report report;
    f2l_local local;
    f2l_error err;
} local_fixture;

/* Makes the cascade, the network and the closure of f->fsa, which the caller has set. */
void local_build(local_fixture *f, f2l_cascade_kind kind, f2l_label label, bool gated);

/* Makes the automaton of family `kind` with up to three numbers. */
void local_family(f2l_fsa *fsa, const char *kind, size_t numbers, uint64_t a, uint64_t b,
                  uint64_t c);

f2l_status local_exact_within(local_fixture *f, size_t max_pairs, const f2l_task *task);

f2l_status local_exact(local_fixture *f);

/* Closes the network with every operation rounded in the format. */
f2l_status local_in(local_fixture *f, const char *format);

void local_clear(local_fixture *f);

/* Returns the context (letter, from, to) of a level, or F2L_NO_SYMBOL. */
uint32_t local_context(const f2l_level *level, uint32_t letter, uint32_t from, uint32_t to);

#endif
