/* AT&T text. The first line selects the mode: 0 plain, 1 numbers as names, 2 a symbol table up to a
 * line "=", then the text. */
#include "tests/support/automata/import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(text, '\n', size);
    f2l_import_options options = {0};
    if (line == NULL) return 0;
    options.numeric = text[0] == '1';
    const char *rest = line + 1;
    size_t left = size - (size_t)(rest - text);
    for (size_t i = 0; text[0] == '2' && i + 3 <= left; i++) {
        if (memcmp(rest + i, "\n=\n", 3) != 0) continue;
        options.symbols = rest;
        options.symbols_size = i;
        rest += i + 3;
        left -= i + 3;
        break;
    }
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    check_import(f2l_import_att(&nfa, rest, left, &options, &err), &nfa, &err);
    return 0;
}
