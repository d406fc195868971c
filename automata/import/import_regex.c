/* A regular expression as an automaton. */
#include "automata/import/impl.h"
#include <string.h>

static f2l_status add_alphabet_letter(f2l_names *letters, const char *text, size_t size,
                                      f2l_error *err)
{
    size_t before = letters->count, index;
    f2l_status status = f2l_names_add(letters, text, size, &index, err);
    if (status != F2L_OK || index == before) return status;
    return f2l_fail(err, F2L_EFORMAT, "the alphabet has \"%.*s\" twice", (int)size, text);
}

/* Returns the end of the letter that begins at `at`: of a character, or of a name. */
static size_t end_of_letter(const char *alphabet, size_t at, bool tokens)
{
    size_t end = at + 1;
    if (tokens) return at + strcspn(alphabet + at, " \t\r\n");
    while (((unsigned char)alphabet[end] & 0xc0) == 0x80) end++;
    return end;
}

/* Makes every character, or every name, of the alphabet a letter. */
static f2l_status read_regex_alphabet(f2l_names *letters, const char *alphabet, bool tokens,
                                      f2l_error *err)
{
    static const char blanks[] = " \t\r\n";
    size_t size = strlen(alphabet), bad, at = tokens ? strspn(alphabet, blanks) : 0;
    if (at == size) return f2l_fail(err, F2L_EFORMAT, "the alphabet is empty");
    if (!f2l_utf8_valid(alphabet, size, &bad))
        return f2l_fail(err, F2L_EFORMAT, "the alphabet is not UTF-8");
    while (at < size) {
        const size_t end = end_of_letter(alphabet, at, tokens);
        f2l_status status = add_alphabet_letter(letters, alphabet + at, end - at, err);
        if (status != F2L_OK) return status;
        at = end + (tokens ? strspn(alphabet + end, blanks) : 0);
    }
    if (letters->count <= F2L_REGEX_MAX_LETTERS) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "the alphabet has more than %d %s", F2L_REGEX_MAX_LETTERS,
                    tokens ? "letters" : "characters");
}

f2l_status f2l_import_regex(f2l_nfa *out, const char *regex, const char *alphabet, bool tokens,
                            f2l_error *err)
{
    const f2l_regex_source source = {.text = regex,
                                     .size = strlen(regex),
                                     .line = 1,
                                     .column = 1,
                                     .tokens = tokens,
                                     .fixed = alphabet != NULL};
    f2l_regex_rule rule = {.name = NULL};
    f2l_names letters;
    f2l_names_init(&letters);
    f2l_buf_init(&rule.normal);
    f2l_status status =
        alphabet == NULL ? F2L_OK : read_regex_alphabet(&letters, alphabet, tokens, err);
    if (status == F2L_OK) status = f2l_regex_parse(&rule.normal, &letters, &source, err);
    if (status == F2L_OK && letters.count == 0)
        status = f2l_fail(err, F2L_EFORMAT,
                          "the regular expression mentions no letter; expected some, or an "
                          "alphabet");
    if (status == F2L_OK) status = f2l_regex_compile(out, &rule, 1, &letters, err);
    f2l_import_source(out, "regex");
    f2l_buf_clear(&rule.normal);
    f2l_names_clear(&letters);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
