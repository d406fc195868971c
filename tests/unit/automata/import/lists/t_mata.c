/* .mata files of libmata. */
#include "tests/support/automata/import_support.h"

#define TYPE "@NFA-explicit\n"

static const char *const plain = TYPE "%Alphabet-auto\n%Initial q0\n%Final q1\n"
                                      "q0 a q1\nq1 b q0\nq0 b q0\n";

Test(import_mata, reads)
{
    accepts_one(plain, "bba", "ab");
    accepts_one(TYPE "%Initial p q\n%Final p | q\n# words\np a r # more\nr a p\nq b r\n", "ba",
                "a");
    accepts_one(TYPE "%States-enum q p\n%Alphabet-enum b a\n%Initial p\n%Final p\n"
                     "p a \\\n  q\nq b p\n",
                "ab", "b");
    accepts_one(TYPE "%Initial \"(r,s)\"\n%Final \"the end\"\n\"(r,s)\" a \"the end\"\n"
                     "\"the end\" b \"(r,s)\"\n",
                "a", "ab");
    accepts_one(TYPE "%Initial p\n%Final p\n%Final q\np a r\nr a q\n", "aa", "a");
    accepts_one(TYPE "%Initial p\n%Final r\n%Epsilon e none\np e q\nq a r\n", "a", "");
    accepts_one(TYPE "%Initial p\n%Final q\np a q\np \"(\" q\n", "(", "");
    accepts_one("# regex: (.*=\\+).*\n@NFA\n%Alphabet 1 0\n%Initial 0\n%Final 1\n0 0 1\n1 1 0\n",
                "010", "01");
    accepts_one("\n# comment\n" TYPE "%Initial p\r\n%Final q\r\np a q\r\nq a q\r\n", "aa", "");
}

Test(import_mata, the_user_decides_about_empty_words)
{
    f2l_nfa nfa;
    f2l_read_as as = {.names_epsilon = true};
    const f2l_import_options options = {.as = &as};
    const char *text = TYPE "%Initial p\n%Final q\n%Epsilon e\np e q\np eps q\n";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 1, "eps is a letter");
    cr_assert_eq(nfa.notes.count, 1, "and this is noted");
    f2l_nfa_clear(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), &options, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 2, "no name is the empty word");
    cr_assert_eq(nfa.notes.count, 0);
    f2l_nfa_clear(&nfa);
    as.labels = F2L_LABELS_GUARDS;
    refused_with(plain, &options, F2L_EDOMAIN, 0, 0, "says nothing about .mata");
}

Test(import_mata, refuses)
{
    refused("@NFA-bits\n%Initial p\np (a1 & !a2) p\n", 1, 1, "is not read");
    refused("@AFA-explicit\n", 1, 1, "is not read");
    refused("@NFA\n%Alphabet 1 2\n%Initial 0\n0 3 0\n", 4, 3, "is no letter of");
    refused("@NFA 1 * 0\n0 a 1\n", 1, 1, "FAdo");
    refused(TYPE "%Final q\nq a q\n", 0, 0, "no start state");
    refused(TYPE TYPE, 2, 1, "second automaton");
    refused(TYPE "%Initial p\np a\n", 3, 1, "expected a transition");
    refused(TYPE "%Initial p\np [a-z] p\n", 3, 3, "is an interval");
    refused(TYPE "%Initial p\np (a&b) p\n", 3, 3, "formula");
    refused(TYPE "%Initial !p\n", 2, 10, "part of a formula");
    refused(TYPE "%Initial p & q\n", 2, 12, "part of a formula");
    refused(TYPE "%Initial p\n%Nodes-enum n\n", 3, 1, "is not read here");
    refused(TYPE "%States-enum p\n%Initial q\n", 3, 10, "is no state of");
    refused(TYPE "%Alphabet-enum a\n%Initial q\nq b q\n", 4, 3, "is no letter of");
    refused(TYPE "%Initial p\n%States-enum p\n", 3, 1, "comes behind");
    refused(TYPE "%Initial \"p\n", 2, 10, "closing quotation mark");
    refused(TYPE "%Initial p\np a q\n%Epsilon a\n", 4, 1, "is not read here");
}

Test(import_mata, memory_failures)
{
    survives_memory_failures(plain);
}
