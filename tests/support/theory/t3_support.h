/* Networks of permutation automata by theorem T3, and their runs in dense matrices. */
#ifndef T3_SUPPORT_H
#define T3_SUPPORT_H

#include "automata/family/family.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/random_permutation.h"
#include "tests/support/models/dense.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/t3/t3.h"

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
    f2l_t3_report report;
} fixture;

void t3_build(fixture *f, f2l_label label, f2l_t3_keys keys);

void represent(fixture *f);

void t3_open_text(fixture *f, const char *text);

void t3_open_family(fixture *f, const char *kind, uint64_t n, bool generators);

void t3_done(fixture *f);

/* Sets a to A = (I - beta_F uu^T/u^Tu) .. (I - beta_1 uu^T/u^Tu) of the letter, multiplied out. */
void letter_matrix(dense *a, const f2l_transition *letter);

/* Runs random words through dense rational matrices: after every letter the state is exactly one
 * code, and this code has the automaton's label. */
void t3_check_words(const fixture *f, uint64_t seed);

void check_exact(const fixture *f);

f2l_status verdict_in(const fixture *f, const char *format, size_t *rows);

static const f2l_t3_keys all_keys[] = {F2L_T3_EXACT, F2L_T3_DOUBLED, F2L_T3_NAIVE};

#endif
