/* Transformations and permutations of GAP; the number of group elements is kept small, because it
 * does not affect parsing. */
#include "automata/import/gap/gap.h"
#include "tests/support/automata/import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const f2l_task task = {.memory = 1 << 22};
    static const f2l_import_options few = {.max_states = 6};
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    check_import(f2l_import_gap(&nfa, (const char *)data, size, &few, &task, &err), &nfa, &err);
    return 0;
}
