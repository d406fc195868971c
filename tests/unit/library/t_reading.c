/* Grammars through the public interface: the options of reading, and regular expressions. */
#include "include/fsa2lrnn.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* AT&T text with the numbers of a symbol table: even and odd numbers of the letter 2. */
static const char att[] = "0\t0\t1\n0\t1\t2\n1\t1\t1\n1\t0\t2\n0\n";
static const char symbols[] = "<eps> 0\nnought 1\none 2\n";

static fsa2lrnn_automaton *read_with(const char *text, const fsa2lrnn_reading *how)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), how, NULL, &err) == FSA2LRNN_OK, "%s",
              err.text);
    return a;
}

static fsa2lrnn_status refused_with(const char *text, const fsa2lrnn_reading *how)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err = {.status = FSA2LRNN_OK};
    const fsa2lrnn_status status = fsa2lrnn_automaton_read(&a, text, strlen(text), how, NULL, &err);
    cr_assert(status != FSA2LRNN_OK && err.status == status && err.text[0] && a == NULL);
    return status;
}

Test(reading, symbols_and_numbers)
{
    const fsa2lrnn_reading table = {.symbols = symbols, .symbols_size = sizeof symbols - 1};
    const fsa2lrnn_reading numbers = {.numeric = 1};
    const fsa2lrnn_reading damaged = {.symbols = "one\n", .symbols_size = 4};
    fsa2lrnn_automaton *a = read_with(att, &table), *b = read_with(att, &numbers);
    cr_assert(strstr(fsa2lrnn_automaton_text(a), "nought one"), "%s", fsa2lrnn_automaton_text(a));
    cr_assert(strstr(fsa2lrnn_automaton_text(b), "1 2"), "%s", fsa2lrnn_automaton_text(b));
    cr_assert(fsa2lrnn_automaton_states(a) == 2 && fsa2lrnn_automaton_letters(b) == 2);
    (void)refused_with(att, &damaged);
    fsa2lrnn_automaton_free(a);
    fsa2lrnn_automaton_free(b);
}

/* The text names the added state, and the SHA-256 of the bytes that were read, as the program's
 * does; the text itself reads as it is. */
Test(reading, added_state)
{
    static const char text[] = "start p\naccept p\np a p\np b q\nq a p\n";
    const fsa2lrnn_reading sink = {.sink = 1};
    fsa2lrnn_automaton *a = read_with(text, &sink), *b = NULL;
    const char *line = strstr(fsa2lrnn_automaton_text(a), "\nfsa added sink source ");
    cr_assert_not_null(line);
    cr_assert_eq(strncmp(line + 23,
                         "5aba52f959b6ba913e61e66f575561506ce7cf3d017d511b19d0d037c93ca2fd\n", 65),
                 0, "%s", line);
    b = read_with(fsa2lrnn_automaton_text(a), NULL);
    cr_assert_str_eq(fsa2lrnn_automaton_text(a), fsa2lrnn_automaton_text(b));
    fsa2lrnn_automaton_free(a);
    fsa2lrnn_automaton_free(b);
}

/* What the caller says about labels is obeyed or refused; strict refuses what would be a note. */
Test(reading, labels)
{
    static const char set[] = "0\t0\t[a-c]\n0\n",
                      hoa[] = "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY--\n"
                              "State: 0 {0} [t] 0\n--END--\n";
    const fsa2lrnn_reading sets = {.read_as = "labels=sets"}, guards = {.read_as = "labels=guards"},
                           bad = {.read_as = "labels"}, strict = {.strict = 1},
                           finite = {.finite = 1, .strict = 1};
    fsa2lrnn_automaton *a = read_with(set, NULL), *b = read_with(set, &sets);
    cr_assert(fsa2lrnn_automaton_letters(a) == 1 && fsa2lrnn_automaton_letters(b) == 3);
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "line 1, column 5: `[a-c]` was read as one"));
    fsa2lrnn_automaton_free(a);
    fsa2lrnn_automaton_free(b);
    cr_assert_eq(refused_with(set, &guards), FSA2LRNN_EDOMAIN);
    cr_assert_eq(refused_with(set, &bad), FSA2LRNN_EFORMAT);
    cr_assert_eq(refused_with(set, &strict), FSA2LRNN_EFORMAT);
    cr_assert_eq(refused_with(hoa, &strict), FSA2LRNN_EFORMAT);
    a = read_with(hoa, &finite);
    cr_assert_eq(fsa2lrnn_automaton_letters(a), 2);
    fsa2lrnn_automaton_free(a);
    cr_assert_eq(fsa2lrnn_automaton_regex(&a, "a", NULL, &sets, NULL, NULL), FSA2LRNN_EFORMAT);
}

/* The states of the subset construction: 2^3 of the words with a 1 three letters before the end. */
Test(reading, states_are_limited)
{
    static const char third[] = "start a\naccept d\na 0 a\na 1 a\na 1 b\nb 0 c\nb 1 c\n"
                                "c 0 d\nc 1 d\n";
    const fsa2lrnn_reading few = {.sink = 1, .max_states = 7},
                           enough = {.sink = 1, .max_states = 8};
    cr_assert(refused_with(third, &few) == FSA2LRNN_UNKNOWN);
    fsa2lrnn_automaton *a = read_with(third, &enough);
    cr_assert(fsa2lrnn_automaton_states(a) == 8);
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "made deterministic"));
    fsa2lrnn_automaton_free(a);
}

Test(reading, expressions)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_regex(NULL, "a", NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_automaton_regex(&a, NULL, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    const fsa2lrnn_status status = fsa2lrnn_automaton_regex(&a, "(ab)*", NULL, NULL, NULL, &err);
    if (status == FSA2LRNN_EDOMAIN) cr_skip_test("without libfa");
    cr_assert(status == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_automaton_letters(a) == 2 && fsa2lrnn_automaton_states(a) == 3);
    fsa2lrnn_automaton_free(a);
    a = NULL;
    cr_assert(fsa2lrnn_automaton_regex(&a, "a.", "abc", NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_automaton_letters(a) == 3);
    fsa2lrnn_automaton_free(a);
    a = NULL;
    cr_assert(fsa2lrnn_automaton_regex(&a, "a(", NULL, NULL, NULL, &err) == FSA2LRNN_EFORMAT);
    cr_assert(a == NULL && err.column > 0);
}

Test(reading, reports_have_the_name)
{
    static const char *const file[] = {"automaton.fsa", "network.lrnn", "certificate.cert",
                                       "weights.safetensors", "report.json"};
    char base[] = "/tmp/f2l-reading-XXXXXX", out[64], path[96], report[65536] = "";
    const fsa2lrnn_reading how = {.name = "my parity"};
    fsa2lrnn_automaton *a = read_with("start e\ne 0 e\ne 1 o\no 0 o\no 1 e\n", &how);
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    cr_assert(mkdtemp(base) != NULL);
    snprintf(out, sizeof out, "%s/out", base);
    cr_assert(fsa2lrnn_compile(&n, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_save(n, out, 0, &err) == FSA2LRNN_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        snprintf(path, sizeof path, "%s/%s", out, file[i]);
        FILE *f = fopen(path, "r");
        cr_assert(f != NULL && fread(report, 1, sizeof report - 1, f) > 0 && fclose(f) == 0);
        unlink(path);
    }
    cr_assert(strstr(report, "my parity") != NULL, "%s", report);
    rmdir(out);
    rmdir(base);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}
