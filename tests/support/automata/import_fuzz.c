#include "tests/support/automata/import_fuzz.h"

void check_import(f2l_status status, f2l_nfa *nfa, const f2l_error *err)
{
    if (status != F2L_OK) {
        if (err->status != status || err->text[0] == '\0') abort();
        if (nfa->states.count != 0 || nfa->letters.count != 0 || nfa->edge != NULL || nfa->is_group)
            abort();
        return;
    }
    static const f2l_task task = {.memory = 1 << 22};
    const f2l_total_options options = {.sink = true, .max_states = 500};
    f2l_total_report report;
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    status = f2l_nfa_total(&fsa, &report, nfa, &options, &task, NULL);
    f2l_nfa_clear(nfa);
    if (status == F2L_OK) {
        f2l_buf text;
        f2l_buf_init(&text);
        if (f2l_fsa_write(&text, &fsa, NULL) != F2L_OK) abort();
        if (f2l_fsa_read(nfa, text.data, text.size, 0, NULL, NULL) != F2L_OK) abort();
        const f2l_names *states = nfa->is_group ? &nfa->group.states : &nfa->states;
        if (states->count != fsa.states.count) abort();
        f2l_buf_clear(&text);
        f2l_nfa_clear(nfa);
    }
    f2l_fsa_clear(&fsa);
}
