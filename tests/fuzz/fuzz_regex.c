/* Regular expressions: the first line is the expression; a second line, if present, is the
 * alphabet. Every expression is parsed; expressions that stay small with their repetitions written
 * out are also compiled, because large ones are slow in the arithmetic on sets, not in parsing. */
#include "automata/import/impl.h"
#include "tests/support/automata/import_fuzz.h"

static bool is_small(const f2l_buf *normal)
{
    size_t digits = 0, braces = 0;
    for (size_t i = 0; i < normal->size; i++) {
        bool count = braces > 0 && normal->data[i] >= '0' && normal->data[i] <= '9';
        digits = count ? digits + 1 : 0;
        braces += normal->data[i] == '{';
        if (digits > 1 || braces > 3) return false;
    }
    return normal->size < 100;
}

/* True when the expression is refused too, so that the refusal itself is checked. */
static bool worth_compiling(const char *regex)
{
    f2l_names letters;
    f2l_buf normal;
    f2l_names_init(&letters);
    f2l_buf_init(&normal);
    bool worth = f2l_regex_parse(&normal, &letters, regex, NULL) != F2L_OK || is_small(&normal);
    f2l_names_clear(&letters);
    f2l_buf_clear(&normal);
    return worth;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *line = strchr(text, '\n');
    if (line != NULL) *line = '\0';
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    if (worth_compiling(text))
        check_import(f2l_import_regex(&nfa, text, line == NULL ? NULL : line + 1, &err), &nfa,
                     &err);
    free(text);
    return 0;
}
