/* The Hanoi Omega-Automata format, with marks as accepting states of finite words and without. */
#include "tests/support/automata/import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int finite = 0; finite < 2; finite++) {
        const f2l_import_options options = {.finite = finite};
        f2l_error err = {0};
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        check_import(f2l_import_hoa(&nfa, (const char *)data, size, &options, &err), &nfa, &err);
    }
    return 0;
}
