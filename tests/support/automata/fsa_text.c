#include "tests/support/automata/fsa_text.h"
#include "automata/family/family.h"

void nfa_from_text(f2l_nfa *nfa, const char *text)
{
    f2l_error err = {0};
    f2l_nfa_init(nfa);
    const f2l_status status = f2l_fsa_read(nfa, text, strlen(text), 0, NULL, &err);
    cr_assert(status == F2L_OK, "read: %zu:%zu: %s", err.line, err.column, err.text);
}

void fsa_from_text(f2l_fsa *out, const char *text)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    nfa_from_text(&nfa, text);
    f2l_fsa_init(out);
    f2l_total_report report;
    const f2l_total_options options = {0};
    cr_assert(f2l_nfa_total(out, &report, &nfa, &options, NULL, &err) == F2L_OK, "total: %s",
              err.text);
    f2l_nfa_clear(&nfa);
}

void random_trimmed(f2l_fsa *fsa, uint64_t states, uint64_t letters, uint64_t seed)
{
    const uint64_t number[] = {states, letters, seed};
    size_t dropped;
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, "random", number, 3, false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, &err), F2L_OK);
}
