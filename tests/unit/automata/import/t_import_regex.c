/* Regular expressions through libfa, compared with the C library's matcher. */
#include "numeric/base/rng.h"
#include "tests/support/automata/import_support.h"
#include <regex.h>
#include <stdio.h>

static f2l_status compile(f2l_fsa *out, const char *regex, const char *alphabet, f2l_error *err)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import_regex(&nfa, regex, alphabet, false, err);
    if (status == F2L_EDOMAIN && err != NULL && strstr(err->text, "libfa") != NULL) {
        f2l_nfa_clear(&nfa);
        cr_skip_test("built without libfa");
    }
    f2l_total_report report;
    f2l_total_options total = {.sink = false};
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &total, NULL, err);
    if (status == F2L_OK)
        cr_assert(!report.determinised && report.sink_edges == 0 && report.dropped == 0);
    f2l_nfa_clear(&nfa);
    return status;
}

static void refuses(const char *regex, const char *alphabet, f2l_status status, size_t column,
                    const char *message)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_status got = compile(&fsa, regex, alphabet, &err);
    cr_assert_eq(got, status, "%s: %s %s", regex, f2l_status_name(got), err.text);
    cr_assert_eq(err.column, column, "%s: column %zu, %s", regex, err.column, err.text);
    cr_assert_not_null(strstr(err.text, message), "%s: %s", regex, err.text);
    f2l_fsa_clear(&fsa);
}

Test(import_regex, even_length_over_one_letter)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    cr_assert_eq(compile(&fsa, "(11)*", NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(fsa.states.count, 2);
    cr_assert_eq(fsa.letters.count, 1);
    char word[32] = "";
    for (size_t length = 0; length < 30; length++) {
        cr_assert_eq(accepts(&fsa, word), length % 2 == 0, "length %zu", length);
        word[length] = '1';
        word[length + 1] = '\0';
    }
    f2l_fsa_clear(&fsa);
}

Test(import_regex, dead_state_and_letter_order)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, "ba*", NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.states.count, 3);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "b");
    cr_assert_str_eq(f2l_names_get(&fsa.states, run_word(&fsa, "a")), "dead");
    cr_assert_str_eq(f2l_names_get(&fsa.states, run_word(&fsa, "bab")), "dead");
    f2l_fsa_clear(&fsa);
    cr_assert_eq(compile(&fsa, "ba*", "acb", NULL), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "c");
    cr_assert_str_eq(f2l_names_get(&fsa.states, run_word(&fsa, "bc")), "dead");
    f2l_fsa_clear(&fsa);
    /* The empty language is one dead state. */
    cr_assert_eq(compile(&fsa, "a[^ab]", "ab", NULL), F2L_OK);
    cr_assert_eq(fsa.states.count, 1);
    cr_assert(!accepts(&fsa, "") && !accepts(&fsa, "ab"));
    f2l_fsa_clear(&fsa);
}

Test(import_regex, classes_dots_escapes_and_unicode)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(compile(&fsa, "[[:digit:]]+\\.[]x-]", NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 14);
    cr_assert(accepts(&fsa, "09.]") && accepts(&fsa, "7.x") && accepts(&fsa, "7.-") &&
              !accepts(&fsa, "7x"));
    f2l_fsa_clear(&fsa);
    cr_assert_eq(compile(&fsa, ".[^a].", "ab", NULL), F2L_OK);
    cr_assert(accepts(&fsa, "aba") && !accepts(&fsa, "aaa") && !accepts(&fsa, "ab"));
    f2l_fsa_clear(&fsa);
    cr_assert_eq(compile(&fsa, "[\xce\xb1-\xce\xb3]\xe2\x82\xac{2}|\\*", NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 5);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 2), "\xce\xb3");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 3), "\xe2\x82\xac");
    cr_assert(accepts(&fsa, "*") && !accepts(&fsa, "**"));
    f2l_fsa_clear(&fsa);
    /* Two operators in a row, which libfa alone would misread. */
    cr_assert_eq(compile(&fsa, "((ab){2})+", NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "abababab") && !accepts(&fsa, "ababab") && !accepts(&fsa, ""));
    f2l_fsa_clear(&fsa);
    cr_assert_eq(compile(&fsa, "(?:a|[\\\\])*?b", NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "a\\b") && accepts(&fsa, "b") && !accepts(&fsa, "a"));
    f2l_fsa_clear(&fsa);
    /* More letters than there are letters and digits. */
    cr_assert_eq(compile(&fsa, "[!-~\xc2\xa1-\xc3\xbf]*z", NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 189);
    cr_assert(accepts(&fsa, "!~z") && accepts(&fsa, "z") && !accepts(&fsa, "z_"));
    f2l_fsa_clear(&fsa);
}

Test(import_regex, refuses)
{
    refuses("", NULL, F2L_EFORMAT, 0, "mentions no letter");
    refuses("a+?", NULL, F2L_EFORMAT, 3, "lazy or possessive");
    refuses("a?+", NULL, F2L_EFORMAT, 3, "lazy or possessive");
    refuses("(ab){2}+", NULL, F2L_EFORMAT, 8, "lazy or possessive");
    refuses("(ab){2}?", NULL, F2L_EFORMAT, 8, "lazy or possessive");
    refuses("(?=a)", NULL, F2L_EFORMAT, 1, "look around");
    refuses("x(?P<n>a)", NULL, F2L_EFORMAT, 2, "names of groups");
    refuses("[\\d]", NULL, F2L_EFORMAT, 2, "in brackets");
    refuses("[!-\\]", NULL, F2L_EFORMAT, 4, "in brackets");
    refuses("a|\xce\xb5", NULL, F2L_EFORMAT, 3, "the empty word");
    refuses("a", "", F2L_EFORMAT, 0, "alphabet is empty");
    refuses("a", "aa", F2L_EFORMAT, 0, "twice");
    refuses("ab", "a", F2L_EFORMAT, 2, "outside the alphabet");
    refuses("[b]", "a", F2L_EFORMAT, 2, "outside the alphabet");
    refuses("a.", NULL, F2L_EFORMAT, 2, "needs the alphabet");
    refuses("[^a]", NULL, F2L_EFORMAT, 1, "needs the alphabet");
    refuses("*a", NULL, F2L_EFORMAT, 1, "nothing to repeat");
    refuses("a|+", NULL, F2L_EFORMAT, 3, "nothing to repeat");
    refuses("^a", NULL, F2L_EFORMAT, 1, "anchors");
    refuses("a$", NULL, F2L_EFORMAT, 2, "anchors");
    refuses("(a", NULL, F2L_EFORMAT, 1, "without its )");
    refuses("a)b", NULL, F2L_EFORMAT, 2, "without its (");
    refuses("[a", NULL, F2L_EFORMAT, 1, "without its ]");
    refuses("[z-a]", NULL, F2L_EFORMAT, 2, "before its beginning");
    refuses("[[:nope:]]", NULL, F2L_EFORMAT, 2, "expected [:alnum:]");
    refuses("[[.a.]]", NULL, F2L_EFORMAT, 2, "collating");
    refuses("a{", NULL, F2L_EFORMAT, 3, "expected {COUNT}");
    refuses("a{2,1}", NULL, F2L_EFORMAT, 2, "wrong order");
    refuses("a{2", NULL, F2L_EFORMAT, 2, "expected {COUNT}");
    refuses("a\\d", NULL, F2L_EFORMAT, 2, "punctuation");
    refuses("a\\", NULL, F2L_EFORMAT, 2, "at the end");
    refuses("a\xff", NULL, F2L_EFORMAT, 2, "UTF-8");
    refuses("[\xc4\x80-\xc7\x80]", NULL, F2L_EFORMAT, 2, "more than 190");
    refuses("(a{100}){100}", NULL, F2L_UNKNOWN, 0, "more than 2000 letters");
    refuses("(a|b)*a(a|b){30}", NULL, F2L_UNKNOWN, 0, "too large");
    char deep[300];
    memset(deep, '(', 200);
    deep[200] = '\0';
    refuses(deep, NULL, F2L_EFORMAT, 101, "too deeply");
}

/* Draws an expression over a and b in which no branch is empty (POSIX leaves empty branches
 * open). */
static void draw(f2l_buf *out, f2l_rng *rng, int depth)
{
    switch (depth == 0 ? f2l_rng_below(rng, 3) : f2l_rng_below(rng, 9)) {
    case 0:
        f2l_buf_text(out, "a");
        break;
    case 1:
        f2l_buf_text(out, "b");
        break;
    case 2:
        f2l_buf_text(out, "[ab]");
        break;
    case 3:
    case 4:
        draw(out, rng, depth - 1);
        draw(out, rng, depth - 1);
        break;
    case 5:
        f2l_buf_text(out, "(");
        draw(out, rng, depth - 1);
        f2l_buf_text(out, "|");
        draw(out, rng, depth - 1);
        f2l_buf_text(out, ")");
        break;
    default:
        f2l_buf_text(out, "(");
        draw(out, rng, depth - 1);
        f2l_buf_text(out, ")");
        f2l_buf_text(out, (const char *const[]){"*", "+", "?", "{2}", "{1,3}", "{2,}",
                                                "{0}"}[f2l_rng_below(rng, 7)]);
    }
}

Test(import_regex, agrees_with_the_c_library)
{
    const uint64_t seed = 11;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int round = 0; round < 400; round++) {
        f2l_buf text, anchored;
        f2l_buf_init(&text);
        f2l_buf_init(&anchored);
        draw(&text, &rng, 4);
        f2l_buf_printf(&anchored, "^(%s)$", text.data);
        regex_t reference;
        cr_assert_eq(regcomp(&reference, anchored.data, REG_EXTENDED | REG_NOSUB), 0);
        f2l_fsa fsa;
        f2l_fsa_init(&fsa);
        f2l_error err = {0};
        cr_assert_eq(compile(&fsa, text.data, "ab", &err), F2L_OK, "%s: %s", text.data, err.text);
        for (size_t length = 0; length <= 7; length++)
            for (size_t bits = 0; bits >> length == 0; bits++) {
                char word[8] = "";
                for (size_t i = 0; i < length; i++) word[i] = bits >> i & 1 ? 'b' : 'a';
                cr_assert_eq(accepts(&fsa, word), regexec(&reference, word, 0, NULL, 0) == 0,
                             "seed %llu, %s on \"%s\"", (unsigned long long)seed, text.data, word);
            }
        regfree(&reference);
        f2l_fsa_clear(&fsa);
        f2l_buf_clear(&text);
        f2l_buf_clear(&anchored);
    }
}

Test(import_regex, memory_failures)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        f2l_mem_fail_after(n, true);
        f2l_status status = f2l_import_regex(&nfa, "(a|[bc])*c{2}", NULL, false, NULL);
        f2l_mem_fail_after(0, false);
        f2l_nfa_clear(&nfa);
        if (status == F2L_OK || status == F2L_EDOMAIN) {
            cr_assert_gt(n, 5);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
#else
    cr_skip_test("needs a flavour with allocation failures");
#endif
}
