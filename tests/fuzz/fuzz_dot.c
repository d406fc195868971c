/* Graphviz DOT, by the rules and in one of the ways of --read-as, which the size chooses. */
#include "tests/support/automata/import_fuzz.h"

static void read_graph(const uint8_t *data, size_t size, const f2l_read_as *as)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    const f2l_import_options options = {.as = as, .finite = size % 2};
    check_import(f2l_import_dot(&nfa, (const char *)data, size, &options, &err), &nfa, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const f2l_read_as as = {.labels = (f2l_labels_as)(1 + size % 4)};
    read_graph(data, size, NULL);
    read_graph(data, size, &as);
    return 0;
}
