/* Lexers: several regular expressions, the first of which that matches is the output; and regular
 * expressions over names. */
#include "tests/support/automata/import_support.h"

static const char *const lexer = "\xef\xbb\xbf# a small lexer\n"
                                 "  rules \r\n"
                                 "alphabet [a-f0-2.]\n"
                                 "\n"
                                 "keyword = if|abc\n"
                                 "  # names come later\n"
                                 "name = [a-f][a-f0-2]*  \n"
                                 "keyword= fed\n"
                                 "integer =[0-2]+\n"
                                 "\xcf\x80 = \\.[0-2]+|[0-2]+\\.[0-2]*";

/* The same without a letter outside the alphabet. */
static char *good(void)
{
    char *text = strdup(lexer);
    cr_assert_not_null(text);
    memcpy(strstr(text, "if|"), "ff|", 3);
    return text;
}

static f2l_status compile(f2l_fsa *out, const char *text, f2l_error *err)
{
    f2l_status status = read_any(out, text, NULL, err);
    if (status == F2L_EDOMAIN && err != NULL && strstr(err->text, "libfa") != NULL)
        cr_skip_test("built without libfa");
    return status;
}

static const char *output(const f2l_fsa *fsa, const char *word)
{
    return f2l_fsa_label(fsa, F2L_LABEL_OUTPUTS, run_word(fsa, word));
}

Test(import_rules, the_first_rule_wins)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    char *text = good();
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, text, &err), F2L_OK, "%zu:%zu %s", err.line, err.column, err.text);
    cr_assert_eq(fsa.letters.count, 10);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 9), ".");
    static const char *const cases[][2] = {
        {"", "none"},     {"f", "name"},      {"ff", "keyword"}, {"ffa", "name"},
        {"ab", "name"},   {"abc", "keyword"}, {"abc0", "name"},  {"fed", "name"},
        {"0", "integer"}, {"012", "integer"}, {"0a", "none"},    {"0.", "\xcf\x80"},
        {".", "none"},    {".1", "\xcf\x80"}, {".1.", "none"},   {"1.a", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_str_eq(output(&fsa, cases[i][0]), cases[i][1], "%s: %s", cases[i][0],
                         output(&fsa, cases[i][0]));
        cr_assert_eq(accepts(&fsa, cases[i][0]), strcmp(cases[i][1], "none") != 0);
    }
    f2l_fsa_clear(&fsa);
    free(text);
}

Test(import_rules, letters_of_all_rules)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, "rules\nx = a=b\ntokens = c\nrules = d\nalphabet==e", NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 6);
    cr_assert_str_eq(output(&fsa, "a=b"), "x");
    cr_assert_str_eq(output(&fsa, "c"), "tokens");
    cr_assert_str_eq(output(&fsa, "d"), "rules");
    cr_assert_str_eq(output(&fsa, "=e"), "alphabet");
    f2l_fsa_clear(&fsa);
}

/* Rules that match nothing, the empty word, or all words. */
Test(import_rules, extremes)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, "rules\nalphabet ab\nnever = [^ab]\nempty = ()\nall = .*", NULL),
                 F2L_OK);
    cr_assert_eq(fsa.states.count, 2);
    cr_assert_eq(fsa.outputs.count, 2, "no word has the output `never` or `none`");
    cr_assert_str_eq(output(&fsa, ""), "empty");
    cr_assert_str_eq(output(&fsa, "ba"), "all");
    f2l_fsa_clear(&fsa);
}

/* Runs a word of names with one blank after each. */
static const char *output_of_names(const f2l_fsa *fsa, const char *word)
{
    size_t state = fsa->start;
    for (const char *at = word, *end; *at != '\0'; at = end + 1) {
        end = strchr(at, ' ');
        cr_assert_not_null(end);
        const size_t letter = f2l_names_find(&fsa->letters, at, (size_t)(end - at));
        cr_assert_neq(letter, F2L_NO_INDEX, "%s", at);
        state = fsa->next[state * fsa->letters.count + letter];
    }
    return f2l_fsa_label(fsa, F2L_LABEL_OUTPUTS, state);
}

Test(import_rules, tokens)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa,
                         "rules\ntokens\nalphabet open read close re\\.open\n"
                         "done = (open\tread* close )+\n"
                         "twice =  [ open re\\.open ] {2}\n"
                         "other = [^read].\n",
                         &err),
                 F2L_OK, "%zu:%zu %s", err.line, err.column, err.text);
    cr_assert_eq(fsa.letters.count, 4);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 3), "re.open");
    cr_assert_str_eq(output_of_names(&fsa, "open close open read read close "), "done");
    cr_assert_str_eq(output_of_names(&fsa, "open re.open "), "twice");
    cr_assert_str_eq(output_of_names(&fsa, "close re.open "), "other");
    cr_assert_str_eq(output_of_names(&fsa, "read open "), "none");
    f2l_fsa_clear(&fsa);
}

static f2l_status names(f2l_fsa *out, const char *regex, const char *alphabet, f2l_error *err)
{
    f2l_nfa nfa;
    f2l_total_report report;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import_regex(&nfa, regex, alphabet, true, err);
    if (status == F2L_EDOMAIN && strstr(err->text, "libfa") != NULL) {
        f2l_nfa_clear(&nfa);
        cr_skip_test("built without libfa");
    }
    if (status == F2L_OK)
        status = f2l_nfa_total(out, &report, &nfa, &(f2l_total_options){0}, NULL, err);
    f2l_nfa_clear(&nfa);
    return status;
}

static void refuses_names(const char *regex, const char *alphabet, size_t column,
                          const char *message)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(names(&fsa, regex, alphabet, &err), F2L_EFORMAT, "%s", regex);
    cr_assert_eq(err.column, column, "%s: column %zu, %s", regex, err.column, err.text);
    cr_assert_not_null(strstr(err.text, message), "%s: %s", regex, err.text);
    f2l_fsa_clear(&fsa);
}

Test(import_rules, regex_over_names)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(names(&fsa, "aa (b|\\*) *", " b  aa\n* ", &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "b");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "aa");
    cr_assert_eq(fsa.letters.count, 3);
    const uint32_t one = fsa.next[fsa.start * 3 + 1];
    cr_assert(!fsa.accept[fsa.start] && fsa.accept[one] && fsa.next[one * 3 + 2] == one);
    f2l_fsa_clear(&fsa);
    refuses_names("a b ]", NULL, 5, "expected the name of a letter");
    refuses_names("a [b", NULL, 3, "without its ]");
    refuses_names("a []", NULL, 4, "expected the name of a letter");
    refuses_names("a [b [c]]", NULL, 6, "expected the name of a letter");
    refuses_names("a [^b]", NULL, 3, "[^..] needs the alphabet (--alphabet");
    refuses_names("a b c", "a c", 3, "a letter outside the alphabet");
    refuses_names("a b\\", NULL, 4, "\\ at the end");
    refuses_names("a b\\c", NULL, 4, "punctuation");
    refuses_names("* a", NULL, 1, "nothing to repeat");
    refuses_names("a", "b a b", 0, "has \"b\" twice");
    refuses_names("a", " ", 0, "alphabet is empty");
    refuses_names(" ", NULL, 0, "mentions no letter");
}

#define RULES "rules\nalphabet [a-c]\n"

Test(import_rules, refuses)
{
    refused(lexer, 5, 11, "regular expression: a character outside the alphabet");
    refused("rules\n", 1, 0, "expected a rule, NAME = EXPRESSION");
    refused("rules\n# no\n\n", 3, 0, "expected a rule");
    refused("rules\nx", 2, 2, "expected = and an expression after the name `x`");
    refused("rules\n  x y = a", 2, 5, "after the name `x`");
    refused("rules\nx =", 2, 4, "expected a regular expression");
    refused("rules\n\t= a", 2, 2, "expected the name of a rule");
    refused("rules\nnone = a", 2, 1, "`none` is the output");
    refused("rules\nx = (a", 2, 5, "( without its )");
    refused("rules\n  x = a(b", 2, 8, "( without its )");
    refused("rules\nx = ()", 2, 0, "no rule mentions a letter");
    refused("rules\nx = a.", 2, 6, ". needs the alphabet (a line `alphabet`)");
    refused("rules\nalphabet", 2, 9, "expected a regular expression");
    refused("rules\nalphabet ()", 2, 10, "the alphabet has no letter");
    refused(RULES "alphabet a", 3, 1, "each of the two once");
    refused(RULES "tokens", 3, 1, "each of the two once");
    refused("rules\ntokens\ntokens", 3, 1, "each of the two once");
    refused("rules\ntokens a b", 2, 8, "expected the end of the line after `tokens`");
    refused("rules\nx = a\nalphabet a", 3, 1, "then rules");
    refused("rules\nx = \xff", 2, 5, "UTF-8");
    /* Without a line of its own the word is no lexer's. */
    refused("rules x\ny = a", 1, 1, "");
}

Test(import_rules, too_large)
{
    static char text[65536];
    strcpy(text, RULES "big = (a|b)*a(a|b){30}\n");
    refused_with(text, NULL, F2L_UNKNOWN, 0, 0, "too large: gave up at");
    strcpy(text, RULES);
    for (int i = 0; i < 60; i++) strcat(text, "x = [abc]{600}\n");
    refused_with(text, NULL, F2L_UNKNOWN, 0, 0, "expressions are too large: ");
}

Test(import_rules, memory_failures)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, "rules\nx = a", &err), F2L_OK);
    f2l_fsa_clear(&fsa);
    survives_memory_failures("rules\nalphabet [abc]\nx = a[^a]*\ny = bc*\nx = b\n");
    survives_memory_failures("rules\ntokens\nx = go on\ny = [go on]+");
}
