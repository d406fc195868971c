#include "automata/fsa/nfa.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static f2l_status read_text(f2l_nfa *nfa, const char *text, f2l_error *err)
{
    f2l_nfa_init(nfa);
    *err = (f2l_error){0};
    return f2l_fsa_read(nfa, text, strlen(text), 0, NULL, err);
}

static void read_good(f2l_nfa *nfa, const char *text)
{
    f2l_error err;
    cr_assert(read_text(nfa, text, &err) == F2L_OK, "%zu:%zu: %s", err.line, err.column, err.text);
}

static const char *state(const f2l_nfa *nfa, size_t i)
{
    return f2l_names_get(&nfa->states, i);
}

Test(fsa_read, edges)
{
    f2l_nfa nfa;
    read_good(&nfa, "start even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n");
    cr_assert(nfa.states.count == 2 && nfa.letters.count == 2 && nfa.edges == 4 && !nfa.is_group);
    cr_assert_str_eq(state(&nfa, 0), "even");
    cr_assert_str_eq(state(&nfa, 1), "odd");
    cr_assert_str_eq(nfa.source, "fsa");
    cr_assert(nfa.is_start[0] && !nfa.is_start[1] && nfa.has_accept && !nfa.accept[0] &&
              nfa.accept[1]);
    cr_assert(nfa.edge[1].from == 0 && nfa.edge[1].letter == 1 && nfa.edge[1].to == 1);
    f2l_nfa_clear(&nfa);
    f2l_nfa_clear(&nfa);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LINE "fsa added q source " HASH "\n"

static void refuses_at(const char *text, size_t line, size_t column, const char *part)
{
    f2l_nfa nfa;
    f2l_error err;
    cr_assert_eq(read_text(&nfa, text, &err), F2L_EFORMAT, "%s", text);
    cr_assert(err.line == line && err.column == column, "%s: %zu:%zu", text, err.line, err.column);
    cr_assert_not_null(strstr(err.text, part), "%s: %s", text, err.text);
}

Test(fsa_read, added_state)
{
    f2l_nfa nfa;
    read_good(&nfa, "start p\n" LINE "p a q\nq a q\n");
    cr_assert(nfa.has_added && nfa.added == 1);
    cr_assert_str_eq(nfa.added_source, HASH);
    f2l_nfa_clear(&nfa);
    read_good(&nfa, "start p\np added q\np source q\np fsa q\nadded added source\n");
    cr_assert(!nfa.has_added && nfa.letters.count == 3);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, added_state_is_refused)
{
    static const char usage[] = "expected `fsa added STATE source SHA256`";
    static const char none[] = "expected a rejecting one that no letter leaves";
    refuses_at("start p\nfsa added q\np a q\n", 2, 1, usage);
    refuses_at("start p\nfsa added q from " HASH "\np a q\n", 2, 5, usage);
    refuses_at("start p\nfsa added q source " HASH " x\np a q\n", 2, 85, "the end of the line");
    refuses_at("start p\nfsa added q source abc\np a q\n", 2, 20, "expected a SHA-256");
    refuses_at("start p\nfsa added q source \"" HASH "\"\np a q\n", 2, 20, "a SHA-256");
    refuses_at("start p\n" LINE LINE "p a q\nq a q\n", 3, 1, "expected one `fsa` line");
    refuses_at("start p\np a q\n" LINE, 3, 1, "come before the first edge");
    refuses_at("start p\nfsa added r source " HASH "\np a q\n", 2, 11, "unknown state `r`");
    refuses_at("start p q\n" LINE "p a q\nq a q\n", 2, 1, "`q` is a start");
    refuses_at("start p\n" LINE "accept q\np a q\nq a q\n", 2, 1, "`q` is accepting");
    refuses_at("start p\n" LINE "p a q\nq a p\n", 2, 1, none);
    refuses_at("start p\n" LINE "output p x\noutput q x\np a q\nq a q\n", 2, 1, none);
    refuses_at("start p\n" LINE "p a q x\np b p x\nq a q x\nq b q x\n", 2, 1, none);
    refuses_at("start p\n" LINE "p a q x\np b p z\nq a q x\nq b q y\n", 2, 1, none);
    refuses_at("points 2\ntrack points 1\nfsa added 1 source " HASH "\npermute a ()\n", 3, 1,
               "does not belong to the group form");
}

Test(fsa_read, numbers_by_first_appearance_over_the_whole_file)
{
    f2l_nfa nfa;
    read_good(&nfa, "# comment\n"
                    "fsa 1\n"
                    "accept c b\n"
                    "start b\n"
                    "output a X\n"
                    "a 1 d\n"
                    "b 0 c # another\n"
                    "d 1 a\n");
    const char *const expected[] = {"c", "b", "a", "d"};
    cr_assert(nfa.states.count == 4);
    for (size_t i = 0; i < 4; i++) cr_assert_str_eq(state(&nfa, i), expected[i]);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 0), "1");
    cr_assert(nfa.output[2] == 0 && nfa.output[0] == UINT32_MAX);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, declarations_number_first)
{
    f2l_nfa nfa;
    read_good(&nfa, "start b\nstates c b a\nletters y x\naccept\na x b\nb y c\n");
    cr_assert(nfa.states.count == 3 && nfa.is_start[1] && nfa.has_accept);
    cr_assert(nfa.edge[0].from == 2 && nfa.edge[0].letter == 1 && nfa.edge[0].to == 1);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, epsilon_quotes_and_words)
{
    f2l_nfa nfa;
    read_good(&nfa, "start start \"a \\\"b\"\r\n"
                    "\"start\" eps \"a \\\"b\"\r\n"
                    "\"a \\\"b\" \"eps\" eps\r\n"
                    "eps letters \"\"\r\n"
                    "\"start\" eps \"start\"\r\n");
    cr_assert(nfa.states.count == 4 && nfa.letters.count == 2);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, one_name_quoted_or_not)
{
    f2l_nfa nfa;
    read_good(&nfa, "start \"p\"\np \"a\" \"p\"\n\"p\" a q\n\"q\" \"eps\" q\nq eps p\n");
    cr_assert(nfa.states.count == 2 && nfa.letters.count == 2);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 1), "eps");
    cr_assert(nfa.edge[3].letter == F2L_EPSILON);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, one_name_however_escaped)
{
    f2l_nfa nfa;
    read_good(&nfa, "start p\np \"\\u000a\" \"\\u0070\"\np \"\\u001A\" q\nq \"\\n\" \"\\u0071\"\n"
                    "q \"\\u001a\" p\n");
    cr_assert(nfa.states.count == 2 && nfa.letters.count == 2);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 0), "\n");
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, group_forms)
{
    f2l_nfa nfa;
    read_good(&nfa, "track elements\n"
                    "points 3\n"
                    "accept \"()\" \"(1 2 3)\"\n"
                    "permute a (1 2)\n"
                    "permute b (1 2)(3)\n"
                    "permute c () \n"
                    "permute d (1 2 3)\n");
    cr_assert(nfa.is_group && nfa.states.count == 0 && nfa.group.states.count == 6 &&
              nfa.group.letters.count == 4);
    /* Breadth-first with letters in order: (), a = b, d, then a d = (1 2)(1 2 3): 1 -> 2 -> 3, 2 ->
     * 1 -> 2. */
    cr_assert_str_eq(f2l_names_get(&nfa.group.states, 1), "(1 2)");
    cr_assert_str_eq(f2l_names_get(&nfa.group.states, 2), "(1 2 3)");
    cr_assert_str_eq(f2l_names_get(&nfa.group.states, 3), "(1 3)");
    cr_assert(nfa.group.accept[0] && nfa.group.accept[2] && !nfa.group.accept[1] &&
              nfa.group.start == 0);
    f2l_nfa_clear(&nfa);
    read_good(&nfa, "points 3\n"
                    "track points 2\n"
                    "output 2 B\n"
                    "output 1 A\n"
                    "output 3 B\n"
                    "permute a (1 2)\n");
    cr_assert(nfa.group.states.count == 3 && nfa.group.start == 1 && !nfa.group.has_accept);
    cr_assert_str_eq(f2l_fsa_label(&nfa.group, F2L_LABEL_OUTPUTS, 0), "A");
    cr_assert_str_eq(f2l_fsa_label(&nfa.group, F2L_LABEL_OUTPUTS, 2), "B");
    cr_assert_str_eq(f2l_names_get(&nfa.group.outputs, 0), "A");
    f2l_nfa_clear(&nfa);
}

static const struct {
    const char *text;
    size_t line, column;
    const char *says;
} bad[] = {
    {"", 1, 1, "empty"},
    {"# nothing\n\n", 1, 1, "empty"},
    {"fsa 1\n", 2, 1, "no start state"},
    {"fsa 2\nstart a\n", 1, 1, "fsa 1"},
    {"fsa\n", 1, 1, "fsa 1"},
    {"fsa 1 1\n", 1, 1, "fsa 1"},
    {"start a\nfsa 1\n", 2, 1, "first line"},
    {"a x b\n", 1, 1, "no start state"},
    {"accept b\n  a x b\n", 2, 3, "no start state"},
    {"start a\n", 2, 1, "no letters"},
    {"start a\na eps a\n", 2, 1, "no letters"},
    {"states a\nstart a\n", 3, 1, "no letters"},
    {"start q\na x b\n", 1, 7, "unknown state `q`: it occurs in no edge"},
    {"start a\naccept a q\na x a\n", 2, 10, "unknown state `q`"},
    {"start a\noutput q Y\na x a\n", 2, 8, "unknown state `q`"},
    {"states a b\nstart q\na x b\n", 2, 7, "unknown state `q`"},
    {"states a b\nstart a\na x c\n", 3, 5, "unknown state `c`: expected one that line 1 declares"},
    {"start a\n"
     "letters x\n"
     "a x a\n"
     "a y a\n",
     4, 3,
     "unknown letter `y`: expected one that line 2 "
     "declares"},
    {"states a b a\n", 1, 12, "state `a` is declared twice"},
    {"letters x y x\n", 1, 13, "letter `x` is declared twice"},
    {"start a a\na x a\n", 1, 9, "distinct states"},
    {"start a\naccept a a\na x a\n", 2, 10, "distinct states"},
    {"start a\nstart b\na x b\n", 2, 1, "the first is line 1"},
    {"accept a\naccept a\n", 2, 1, "the first is line 1"},
    {"letters a\nletters b\n", 2, 1, "the first is line 1"},
    {"states a\nstates b\n", 2, 1, "the first is line 1"},
    {"points 3\npoints 3\n", 2, 1, "the first is line 1"},
    {"track elements\ntrack elements\n", 2, 1, "the first is line 1"},
    {"start a\noutput a X\noutput a X\na x a\n", 3, 8, "one output for a state"},
    {"start a\noutput a X\noutput a Y\na x a\n", 3, 8, "one output for a state"},
    {"letters\n", 1, 1, "letters NAME"},
    {"states\n", 1, 1, "states NAME"},
    {"start\n", 1, 1, "start STATE"},
    {"output a\n", 1, 1, "output STATE LABEL"},
    {"output a b c\n", 1, 12, "end of the line"},
    {"points\n", 1, 1, "points NUMBER"},
    {"points 3 4\n", 1, 10, "end of the line"},
    {"points x\n", 1, 8, ""},
    {"points 0\n", 1, 8, "at least 1"},
    {"points 16000001\n", 1, 8, ""},
    {"points 1000000000\n", 1, 8, ""},
    {"points 99999999999999999999999\n", 1, 8, ""},
    {"points 16000000\n", 2, 1, "track"},
    {"points 16000000\ntrack elements\n", 3, 1, "no letters"},
    {"track\n", 1, 1, "track elements"},
    {"track somewhere\n", 1, 7, "track elements"},
    {"track points\n", 1, 7, "track points START"},
    {"track elements 3\n", 1, 7, "track points START"},
    {"track points 3 4\n", 1, 16, "end of the line"},
    {"track points x\n", 1, 14, ""},
    {"points 3\ntrack points 4\npermute a ()\n", 2, 14, "1..3"},
    {"points 3\ntrack points 0\npermute a ()\n", 2, 14, "1..3"},
    {"points 3\npermute a ()\n", 2, 1, "track"},
    {"track elements\npermute a ()\n", 2, 1, "points NUMBER"},
    {"permute a ()\n", 1, 1, "points NUMBER"},
    {"points 3\ntrack elements\n letters a\npermute a ()\n", 3, 2, "does not belong"},
    {"points 3\ntrack elements\nstates a\npermute a ()\n", 3, 1, "does not belong"},
    {"points 3\ntrack elements\nstart a\npermute a ()\n", 3, 1, "does not belong"},
    {"points 3\nstart a\na x a\n", 3, 1, "permute LETTER CYCLES"},
    {"track elements\nstart a\na x a\n", 3, 1, "permute LETTER CYCLES"},
    {"points 3\ntrack elements\npermute a ()\na x a\n", 4, 1, "permute LETTER CYCLES"},
    {"start a\na x a\npermute a ()\n", 3, 1, "expected an edge"},
    {"start a\na x a\naccept a\n", 3, 1, "come before"},
    {"points 3\ntrack elements\npermute a ()\naccept \"()\"\n", 4, 1, "come before"},
    {"start a\na x\n", 2, 1, "STATE LETTER STATE"},
    {"strat a\n", 1, 1, "a directive or an edge"},
    {"start a\na x a\na x a b\n", 3, 7, "end of the line"},
    {"start a\n(1 2) x a\n", 2, 1, "in quotes"},
    {"start a\na (1 2) a\n", 2, 3, "in quotes"},
    {"start (1 2)\n", 1, 7, "in quotes"},
    {"letters (1 2)\n", 1, 9, "in quotes"},
    {"points 3\ntrack elements\naccept ()\npermute a ()\n", 3, 8, "in quotes"},
    {"points 3\ntrack elements\npermute (1 2) ()\n", 3, 9, "in quotes"},
    {"points 3\ntrack elements\npermute a\n", 3, 1, "permute LETTER CYCLES"},
    {"points 3\ntrack elements\npermute a 1 2\n", 3, 11, "expected a cycle"},
    {"points 3\ntrack elements\npermute a (1 2) x\n", 3, 17, "expected a cycle"},
    {"points 3\ntrack elements\npermute a (1 4)\n", 3, 14, "1..3"},
    {"points 3\ntrack elements\npermute a (1 2) (2 3)\n", 3, 18, "point 2 is in the cycles twice"},
    {"points 3\ntrack elements\npermute a (1 2)(3 3)\n", 3, 19, "point 3 is in the cycles twice"},
    {"points 3\ntrack elements\npermute a (1 2)\npermute a (2 3)\n", 4, 9, "a second for `a`"},
    {"points 3\n"
     "track elements\n"
     "accept \"(2 3)\"\n"
     "permute a (1 2)\n",
     3, 8, "named by their cycles"},
    {"start p\n"
     "p a p x\n"
     "p b p\n",
     3, 5,
     "expected an output, `STATE LETTER STATE OUTPUT`, as line "
     "2 has one"},
    {"start p\np a p\np b p x\n", 3, 7, "line 2 has no output"},
    {"start p\np a p x y\n", 2, 9, "expected the end of the line after STATE LETTER STATE OUTPUT"},
    {"start p\np a p (1)\n", 2, 7, "expected an output"},
    {"points 3\ntrack points 1\naccept 4\npermute a (1 2)\n", 3, 8, "named by their numbers"},
    {"points 3\ntrack points 1\noutput 1 A\npermute a (1 2)\n", 3, 1, "`2` has none"},
};

Test(fsa_read, refuses_with_line_and_column)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_nfa nfa;
        f2l_error err;
        const f2l_status status = read_text(&nfa, bad[i].text, &err);
        cr_assert(status == F2L_EFORMAT && err.status == F2L_EFORMAT, "%s", bad[i].text);
        cr_assert(err.line == bad[i].line && err.column == bad[i].column, "%s: %zu:%zu: %s",
                  bad[i].text, err.line, err.column, err.text);
        cr_assert(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
        cr_assert(nfa.states.count == 0 && nfa.edge == NULL && nfa.group.perm == NULL);
        f2l_nfa_clear(&nfa);
    }
}

Test(fsa_read, refuses_binary)
{
    static const struct {
        const char *bytes;
        size_t size, line;
    } binary[] = {{"start a\n\0\1\2", 11, 2},
                  {"\x7f"
                   "ELF\2\1\1\0",
                   8, 1},
                  {"start \xff\n", 8, 1}};
    for (size_t i = 0; i < 3; i++) {
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        f2l_error err = {0};
        cr_assert(f2l_fsa_read(&nfa, binary[i].bytes, binary[i].size, 0, NULL, &err) ==
                  F2L_EFORMAT);
        cr_assert(err.line == binary[i].line && err.column > 0, "%zu:%zu %s", err.line, err.column,
                  err.text);
        f2l_nfa_clear(&nfa);
    }
}

Test(fsa_read, control_characters_do_not_reach_the_error_text)
{
    f2l_nfa nfa;
    f2l_error err;
    cr_assert(read_text(&nfa, "states a\nstart \"x\\ny\"\na x a\n", &err) == F2L_EFORMAT);
    cr_assert(strstr(err.text, "`x?y`"), "%s", err.text);
    /* 100 two-byte characters: cut between two of them. */
    char text[400] = "states a\nstart ";
    for (int i = 0; i < 100; i++) strcat(text, "\xc3\xa9");
    strcat(text, "\na x a\n");
    cr_assert(read_text(&nfa, text, &err) == F2L_EFORMAT);
    cr_assert(f2l_utf8_valid(err.text, strlen(err.text), &(size_t){0}) && strstr(err.text, "...`"),
              "%s", err.text);
}

Test(fsa_read, limits_are_not_format_errors)
{
    const char *text = "points 7\ntrack elements\npermute a (1 2)\npermute b (1 2 3 4 5 6 7)\n";
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_error err = {0};
    cr_assert(f2l_fsa_read(&nfa, text, strlen(text), 5039, NULL, &err) == F2L_UNKNOWN);
    cr_assert(strstr(err.text, "5039"), "%s", err.text);
    cr_assert(f2l_fsa_read(&nfa, text, strlen(text), 5040, NULL, &err) == F2L_OK);
    cr_assert(nfa.group.states.count == 5040);
    f2l_nfa_clear(&nfa);
    const char *large = "points 2000000\ntrack points 1\npermute a (1 2)\n";
    cr_assert(f2l_fsa_read(&nfa, large, strlen(large), 0, NULL, &err) == F2L_UNKNOWN);
    const f2l_task task = {.memory = 1 << 20};
    cr_assert(f2l_fsa_read(&nfa, large, strlen(large), 3000000, &task, &err) == F2L_UNKNOWN);
    f2l_nfa_clear(&nfa);
}

Test(fsa_read, stops_when_cancelled)
{
    const volatile sig_atomic_t cancel = 2;
    const f2l_task task = {.cancel = &cancel};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    const char *text = "start a\na x a\n";
    cr_assert(f2l_fsa_read(&nfa, text, strlen(text), 0, &task, NULL) == F2L_UNKNOWN);
    f2l_nfa_clear(&nfa);
}

#ifdef F2L_MEM_FAILURES
Test(fsa_read, every_allocation_may_fail)
{
    static const char *const text[] = {
        "letters x y\n"
        "states \"a b\" c\n"
        "start c\n"
        "accept c\n"
        "output c X\n"
        "\"a b\" x c\n"
        "c eps \"a b\"\n",
        "start c\naccept c a\noutput c X\noutput a \"Y\\n\"\na x c\nc y d\n",
        "points 4\ntrack elements\naccept \"()\"\npermute a (1 2)\npermute b (1 2 3 4)\n",
        "points 3\ntrack points 2\noutput 2 B\noutput 1 A\noutput 3 B\npermute a (1 2)\n",
        "states a\nstart b\na x b\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int forever = 0; forever < 2; forever++) {
            size_t n = 1;
            for (;; n++) {
                f2l_nfa nfa;
                f2l_error err;
                f2l_mem_fail_after(n, forever);
                const f2l_status status = read_text(&nfa, text[i], &err);
                f2l_mem_fail_after(0, false);
                f2l_nfa_clear(&nfa);
                if (status != F2L_ENOMEM) {
                    cr_assert(status == (i < 4 ? F2L_OK : F2L_EFORMAT));
                    break;
                }
            }
            cr_assert(n > 3);
        }
}
#endif
