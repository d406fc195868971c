/* Regular expressions over characters and over names, and lexers. Text that begins with `rules` is
 * a lexer; else the first line is the expression, and a second line, if present, is the alphabet.
 * Every expression is parsed; expressions that stay small with their repetitions written out are
 * also compiled, because large ones are slow in the arithmetic on sets, not in parsing. */
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
static bool worth_compiling(const char *regex, bool tokens)
{
    const f2l_regex_source source = {
        .text = regex, .size = strlen(regex), .line = 1, .column = 1, .tokens = tokens};
    f2l_names letters;
    f2l_buf normal;
    f2l_names_init(&letters);
    f2l_buf_init(&normal);
    bool worth = f2l_regex_parse(&normal, &letters, &source, NULL) != F2L_OK || is_small(&normal);
    f2l_names_clear(&letters);
    f2l_buf_clear(&normal);
    return worth;
}

static void check_lexer(const uint8_t *data, size_t size)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    if (size < 150 && memchr(data, '{', size) == NULL)
        check_import(f2l_import_rules(&nfa, (const char *)data, size, &err), &nfa, &err);
}

static void check_regex(const char *regex, const char *alphabet)
{
    for (int tokens = 0; tokens < 2; tokens++) {
        f2l_error err = {0};
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        if (worth_compiling(regex, tokens))
            check_import(f2l_import_regex(&nfa, regex, alphabet, tokens, &err), &nfa, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 5 && memcmp(data, "rules", 5) == 0) {
        check_lexer(data, size);
        return 0;
    }
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *line = strchr(text, '\n');
    if (line != NULL) *line = '\0';
    check_regex(text, line == NULL ? NULL : line + 1);
    free(text);
    return 0;
}
