/* Files of any syntax with what a user says about their labels: the first line is the value of
 * --read-as. */
#include "tests/support/automata/import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(text, '\n', size);
    char how[200];
    if (line == NULL || (size_t)(line - text) >= sizeof how) return 0;
    memcpy(how, text, (size_t)(line - text));
    how[line - text] = '\0';
    f2l_read_as as = {0};
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_read_as_parse(&as, how, &err);
    if (status != F2L_OK && err.column > strlen(how) + 1) abort();
    const f2l_import_options options = {.as = &as, .max_states = 1000};
    const size_t left = size - (size_t)(line + 1 - text);
    if (status == F2L_OK) status = f2l_import(&nfa, line + 1, left, &options, NULL, &err);
    check_import(status, &nfa, &err);
    f2l_read_as_clear(&as);
    return 0;
}
