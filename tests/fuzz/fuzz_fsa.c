/* `.fsa` text: read, made deterministic and total, and written; the written text must read back to
 * the same bytes. */
#include "automata/fsa/nfa.h"
#include <stdlib.h>
#include <string.h>

static const f2l_task task = {.memory = 1 << 22};

static f2l_status total_of(f2l_fsa *fsa, const char *bytes, size_t size)
{
    const f2l_total_options options = {.sink = true, .max_states = 500};
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_fsa_init(fsa);
    f2l_status status = f2l_fsa_read(&nfa, bytes, size, options.max_states, &task, &err);
    if (status == F2L_EFORMAT && (err.line == 0 || err.text[0] == '\0')) abort();
    f2l_total_report report;
    if (status == F2L_OK) status = f2l_nfa_total(fsa, &report, &nfa, &options, &task, &err);
    f2l_nfa_clear(&nfa);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_fsa fsa, again;
    if (total_of(&fsa, (const char *)data, size) != F2L_OK) return 0;
    f2l_buf text, copy;
    f2l_buf_init(&text);
    f2l_buf_init(&copy);
    if (f2l_fsa_write(&text, &fsa, NULL) != F2L_OK) abort();
    if (total_of(&again, text.data, text.size) == F2L_OK) {
        if (f2l_fsa_write(&copy, &again, NULL) != F2L_OK) abort();
        if (copy.size != text.size || memcmp(copy.data, text.data, text.size) != 0) abort();
    } else {
        abort();
    }
    f2l_fsa_clear(&again);
    f2l_fsa_clear(&fsa);
    f2l_buf_clear(&text);
    f2l_buf_clear(&copy);
    return 0;
}
