/* Labels that stand for several letters. */
#include "automata/fsa/letter.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

/* Reads a set and joins its letters with blanks. */
static void expect_set(const char *text, const char *letters, const char *error)
{
    f2l_names set;
    f2l_buf joined;
    f2l_error err = {0};
    f2l_names_init(&set);
    f2l_buf_init(&joined);
    cr_assert(f2l_letter_set_is(text, strlen(text)), "%s", text);
    const f2l_status status = f2l_letter_set_read(&set, text, strlen(text), &err);
    cr_assert_eq(status, error ? F2L_EFORMAT : F2L_OK, "%s: %s", text, err.text);
    cr_assert(!error || strstr(err.text, error), "%s: %s", text, err.text);
    for (size_t i = 0; i < set.count; i++)
        f2l_buf_printf(&joined, i ? " %s" : "%s", f2l_names_get(&set, i));
    if (!error) cr_assert_str_eq(joined.data, letters, "%s", text);
    f2l_buf_clear(&joined);
    f2l_names_clear(&set);
}

Test(letter_set, brackets)
{
    expect_set("[abc]", "a b c", NULL);
    expect_set("[a-d]", "a b c d", NULL);
    expect_set("[0-2x-z_]", "0 1 2 x y z _", NULL);
    expect_set("[-+]", "- +", NULL);
    expect_set("[+-]", "+ -", NULL);
    expect_set("[α-γ]", "α β γ", NULL);
    expect_set("[[(]", "[ (", NULL);
    expect_set("[\xed\x9f\xbf-\xee\x80\x80]", "\xed\x9f\xbf \xee\x80\x80", NULL); /* no surrogates
                                                                                   */
    expect_set("[z-a]", NULL, "runs backwards");
    expect_set("[a-cb]", NULL, "`b` is twice");
    expect_set("[aa]", NULL, "`a` is twice");
    expect_set("[\x01-\xf4\x8f\xbf\xbf]", NULL, "more than 65536");
}

Test(letter_set, what_is_none)
{
    static const char *const none[] = {"", "[", "]", "[]", "[a]", "[ä]", "ab", "[ab", "ab]", "a-z"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_assert(!f2l_letter_set_is(none[i], strlen(none[i])), "%s", none[i]);
}

Test(letter_set, lists)
{
    static const struct {
        const char *text;
        size_t parts;
    } list[] = {{"a,b", 2},  {"a | b|c", 3}, {" a , b ", 2}, {"a", 0},        {"a,", 0},   {",", 0},
                {"a,,b", 0}, {"a,a", 0},     {"", 0},        {"10|20,30", 3}, {"a b,c", 2}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        f2l_names out;
        f2l_names_init(&out);
        cr_assert(f2l_letter_list_read(&out, list[i].text, strlen(list[i].text), NULL) == F2L_OK);
        cr_assert_eq(out.count, list[i].parts, "`%s`: %zu", list[i].text, out.count);
        f2l_names_clear(&out);
    }
}

static void expect_fsa(const char *text, size_t edges, size_t letters, size_t sets,
                       const char *error)
{
    f2l_nfa nfa;
    f2l_error err = {0};
    f2l_nfa_init(&nfa);
    const f2l_status status = f2l_fsa_read(&nfa, text, strlen(text), 0, NULL, &err);
    cr_assert(error ? status == F2L_EFORMAT && strstr(err.text, error) : status == F2L_OK,
              "%s\n%zu:%zu: %s", text, err.line, err.column, err.text);
    if (!error) {
        cr_assert_eq(nfa.edges, edges, "%s: %zu edges", text, nfa.edges);
        cr_assert_eq(nfa.letters.count, letters, "%s: %zu letters", text, nfa.letters.count);
        cr_assert_eq(f2l_notes_places(&nfa.notes, F2L_NOTE_SET), sets, "%s", text);
    }
    f2l_nfa_clear(&nfa);
}

Test(letter_set, in_fsa)
{
    expect_fsa("start p\np [0-9] p\n", 10, 10, 1, NULL);
    expect_fsa("start p\np \"[0-9]\" p\n", 1, 1, 0, NULL);
    expect_fsa("letters [0-9] a\nstart p\np [0-9] p\np a p\n", 2, 2, 0, NULL);
    expect_fsa("letters a b\nstart p\np a,b p\n", 2, 2, 1, NULL);
    expect_fsa("letters a b a,b\nstart p\np a,b p\n", 1, 3, 0, NULL);
    expect_fsa("start p\np a,b p\np a p\n", 2, 2, 0, NULL); /* without declarations a name */
    expect_fsa("letters a b\nstart p\np a,c p\n", 0, 0, 0, "unknown letter `a,c`");
    expect_fsa("letters a b\nstart p\np [a-c] p\n", 0, 0, 0, "unknown letter `c` in a set");
    expect_fsa("start p\np [a-c] p\np b q\n", 0, 0, 0, "sets of letters overlap: `b`");
    expect_fsa("start p\np [a-c] p\np b p\n", 4, 3, 1, NULL);
    expect_fsa("start p\np a p\np a q\nq [ab] q\n", 4, 2, 1, NULL); /* no set is in the way */
    expect_fsa("start p\np [ab] p x\nq a p y\nq b q x\n", 4, 2, 1, NULL);
}

#ifdef F2L_MEM_FAILURES
Test(letter_set, out_of_memory)
{
    static const char text[] = "letters 0 1 2 a\nstart p\np [0-2] p\np a q\nq 0,a q\nq 1|2 p\n";
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_fsa_read(&nfa, text, sizeof text - 1, 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (status == F2L_OK && nfa.edges == 8));
        f2l_nfa_clear(&nfa);
    }
    cr_assert(n > 8);
}
#endif
