/* SCXML. */
#include "automata/import/charts/charts.h"
#include "tests/support/automata/import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    check_import(f2l_import_scxml(&nfa, (const char *)data, size, NULL, &err), &nfa, &err);
    return 0;
}
