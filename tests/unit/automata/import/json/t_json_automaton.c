/* Automata in JSON, in the spellings of several programs. */
#include "tests/support/automata/import_support.h"

static const char *const dfa =
    "{\"states\": [\"q0\", \"q1\"], \"input_symbols\": [\"a\", \"b\"],\n"
    " \"transitions\": {\"q0\": {\"a\": \"q1\"}, \"q1\": {\"a\": \"q0\", \"b\": \"q1\"}},\n"
    " \"initial_state\": \"q0\", \"final_states\": [\"q1\"], \"allow_partial\": true}\n";

Test(import_json, dfa)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, dfa, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(fsa.states.count, 3, "the sink is the third state");
    cr_assert(accepts(&fsa, "a") && accepts(&fsa, "abb") && accepts(&fsa, "aaa"));
    cr_assert(!accepts(&fsa, "") && !accepts(&fsa, "b") && !accepts(&fsa, "ba"));
    f2l_fsa_clear(&fsa);
}

Test(import_json, nfa_with_numbers)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "{\"states\": [0, 1, -2], \"input_symbols\": [\"x\", 7],"
                          "\"transitions\": {\"0\": {\"x\": [0, 1], \"\": [-2]},"
                          "\"-2\": {\"7\": [1]}}, \"initial_state\": 0, \"final_states\": [1]}",
                          NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert(accepts(&fsa, "x") && accepts(&fsa, "7") && accepts(&fsa, "xx7"));
    cr_assert(!accepts(&fsa, "") && !accepts(&fsa, "77"));
    f2l_fsa_clear(&fsa);
}

#define REST "\"initial_state\": \"p\", \"final_states\": []}"

/* The beginning of a document whose states are p and q, and whose letters are a and b. */
#define PQ "{\"states\": [\"p\", \"q\"], \"alphabet\": [\"a\", \"b\"], "
/* The end: the start is p, and q accepts. */
#define END ", \"start\": \"p\", \"accept\": [\"q\"]}"

Test(import_json, usual_spellings)
{
    accepts_one(
        "{\"states\":[\"q0\",\"q1\"],\"alphabet\":[\"0\",\"1\"],\"transitions\":{\"q0\":"
        "{\"0\":\"q1\",\"1\":\"q0\"},\"q1\":{\"0\":\"q0\",\"1\":\"q1\"}},\"start_state\":\"q0\","
        "\"accept_states\":[\"q1\"]}",
        "10", "00");
    accepts_one(
        "{\"alphabet\":[\"a\",\"b\"],\"states\":[\"s\",\"t\"],\"initial_state\":\"s\","
        "\"accepting_states\":[\"s\"],\"transitions\":[[\"s\",\"a\",\"t\"],[\"t\",\"b\",\"s\"]]}",
        "ab", "a");
    accepts_one("{\"alphabet\":[\"a\"],\"states\":[\"s\",\"t\"],\"initial_states\":[\"s\",\"t\"],"
                "\"accepting_states\":[\"t\"],\"transitions\":[[\"t\",\"a\",\"s\"]]}",
                "", "a");
    accepts_one("{\"Q\":[\"p\",\"q\"],\"\\u03a3\":[\"a\"],\"\\u03b4\":{\"p\":{\"a\":\"q\"}},"
                "\"q0\":\"p\",\"F\":[\"q\"]}",
                "a", "aa");
    accepts_one("{\"type\":\"DFA\",\"name\":\"x\",\"States\":[1,2],\"Sigma\":[\"a\"],\"delta\":"
                "[[[1,\"a\"],2]],\"Initial State\":1,\"Final-States\":2}",
                "a", "");
    accepts_one("{\"states\":[1,2],\"symbols\":[\"a\"],\"transitionFunction\":[{\"from\":1,"
                "\"symbol\":\"a\",\"to\":[1,2]}],\"starts\":[1],\"finals\":[2]}",
                "aa", "");
}

Test(import_json, forms_of_transitions)
{
    accepts_one(PQ "\"transitions\": {\"p,a\": \"q\", \"(q, b)\": [\"p\", \"q\"]}" END, "ab", "b");
    accepts_one(PQ "\"transitions\": [{\"source\": \"p\", \"label\": [\"a\", \"b\"], "
                   "\"target\": \"q\"}]" END,
                "b", "ab");
    accepts_one(PQ "\"transitions\": {\"p\": [{\"input\": \"a\", \"next\": \"q\"}], "
                   "\"q\": {\"a\": null}}" END,
                "a", "aa");
    accepts_one(PQ "\"transitions\": {\"p\": {\"a,b\": \"q\"}}" END, "b", "");
    accepts_one(PQ "\"transitions\": {\"p\": {\"[ab]\": \"q\"}}" END, "a", "");
    accepts_one(PQ "\"transitions\": {\"p\": {\"\": \"q\"}}" END, "", "a");
    accepts_one("{\"states\": [\"p\", \"q\"], \"transitions\": [[\"p\", \"a\", \"q\"]]" END, "a",
                "");
    /* A letter that is in the alphabet is one, whatever it looks like. */
    accepts_one("{\"states\": [\"p,\", \"q\"], \"alphabet\": [\"a\", \",\"], \"transitions\": "
                "{\"p,,a\": \"q\", \"q\": {\",\": \"q\"}}, \"start\": \"p,\", \"accept\": \"q\"}",
                "a,", ",");
}

Test(import_json, the_empty_word)
{
    f2l_nfa nfa;
    f2l_read_as as = {.names_epsilon = true};
    const f2l_import_options options = {.as = &as};
    const char *eps = PQ "\"transitions\": {\"p\": {\"\\u03b5\": \"q\"}}" END,
               *declared = "{\"states\": [\"p\"], \"alphabet\": [\"eps\"], \"transitions\": "
                           "[[\"p\", \"eps\", \"p\"]], \"start\": \"p\", \"accept\": \"p\"}",
               *lib = "{\"states\": [\"p\"], \"input_symbols\": [\"eps\"], \"transitions\": "
                      "{\"p\": {\"eps\": \"p\"}}, \"initial_state\": \"p\", \"final_states\": []}";
    f2l_nfa_init(&nfa);
    accepts_one(eps, "", "a");
    cr_assert_eq(f2l_import(&nfa, eps, strlen(eps), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 1);
    f2l_nfa_clear(&nfa);
    refused(declared, 1, 40, "`eps` is a letter or the empty word");
    cr_assert_eq(f2l_import(&nfa, declared, strlen(declared), &options, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 0);
    f2l_nfa_clear(&nfa);
    cr_assert_eq(f2l_import(&nfa, lib, strlen(lib), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 1, "automata-lib's one empty word is the empty text");
    cr_assert_eq(nfa.notes.count, 1);
    f2l_nfa_clear(&nfa);
    as = (f2l_read_as){.labels = F2L_LABELS_LETTERS};
    refused_with(PQ "\"transitions\": {\"p\": {\"a,b\": \"q\"}}" END, &options, F2L_EFORMAT, 1, 70,
                 "`a,b` is not in the alphabet");
    as.labels = F2L_LABELS_PAIRS;
    refused_with(eps, &options, F2L_EDOMAIN, 0, 0, "says nothing about JSON");
}

/* Checks that the text is refused with a piece of the message, wherever the place is. */
static void says(const char *text, const char *message)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, &err), F2L_EFORMAT, "%s", text);
    cr_assert_not_null(strstr(err.text, message), "%s: text %s", text, err.text);
}

Test(import_json, refuses)
{
    refused("{\"states\": [\"p\"],\n \"dead\": \"p\"}", 2, 2, "`dead` is not read");
    refused("{\"states\": [\"p\"],\n \"initial\": \"p\", \"accept\": [],\n "
            "\"transitions\": [[\"p\", \"a\", "
            "\"r\"]]}",
            3, 29, "`r` is not in");
    refused("{\"states\": [\"p\"],\n \"states\": []}", 2, 9, "JSON: duplicate");
    refused("{\"states\": [\"p\"], \"start\": \"p\", \"accept\": [],\n"
            " \"delta\": {\"p\": {\"a\": 3}}}",
            2, 2, "`3` is not in");
    refused("{\"states\": [\"p\"], \"accept\": [], \"transitions\": [],\n \"start\": 7.5}", 2, 2,
            "start: expected a text");
    refused("{\"states\": [\"p\"\n", 2, 0, "JSON: ");
    says("[{\"states\": []}]", "expected an object");
    says("{}", "expected \"states\"");
    says("{\"stats\": []}", "`stats` is not read");
    says("{\"states\": [\"p\", \"p\"], \"transitions\": {}, " REST, "states: `p` is there twice");
    says("{\"states\": [[1]], \"transitions\": {}, " REST,
         "states: expected a text or a whole number");
    says("{\"states\": [\"p\"], " REST, "expected \"transitions\"");
    says(PQ "\"transitions\": 1" END, "expected \"transitions\", an object or a list");
    says("{\"states\": [\"p\"], \"input_symbols\": [\"\"], \"transitions\": {}, " REST,
         "the empty word");
    says("{\"states\": [\"p\"], \"sigma\": \"ab\", \"transitions\": {}, " REST,
         "sigma: expected a list");
    says(PQ "\"transitions\": {\"p\": 1}" END, "`p` is no \"FROM,LETTER\"");
    says(PQ "\"transitions\": {\"r\": {}}" END, "`r` is not in \"states\"");
    says(PQ "\"transitions\": {\"p\": {\"c\": \"p\"}}" END, "`c` is not in the alphabet");
    says(PQ "\"transitions\": {\"p\": {\"a,c\": \"p\"}}" END, "`a,c` is not in the");
    says(PQ "\"transitions\": {\"p\": {\"a\": [\"p\", \"z\"]}}" END,
         "transitions: `z` is not in \"states\"");
    says(PQ "\"transitions\": [[\"p\", \"a\"]]" END, "expected [FROM, LETTER, TO]");
    says(PQ "\"transitions\": [{\"from\": \"p\", \"to\": \"q\"}]" END, "expected {\"from\"");
    says(PQ "\"transitions\": [{\"from\": \"p\", \"to\": \"q\", \"input\": \"a\", "
            "\"output\": 1}]" END,
         "`output` is not read");
    says(PQ "\"transitions\": [{\"from\": \"p\", \"to\": \"q\", \"input\": \"a\", "
            "\"symbol\": \"a\"}]" END,
         "\"input\" and \"symbol\" are both there");
    says(PQ "\"transitions\": {}, \"initial\": \"p\"" END, "are both there");
    says(PQ "\"transitions\": {}, \"outputs\": {}" END, "`outputs` is not read");
    says(PQ "\"transitions\": {}, \"type\": \"mealy\"" END, "`mealy` is no kind");
    says(PQ "\"transitions\": {}, \"start\": \"p\"}", "expected \"accept\"");
    says(PQ "\"transitions\": {}, \"accept\": []}", "expected \"start\"");
    says(PQ "\"transitions\": {}, \"start\": \"p\", \"final_states\": [\"r\"]}",
         "final_states: `r` is not in \"states\"");
    says("{\"states\": [\"p\", \"p,a\"], \"transitions\": {\"p,a,b\": \"p\"}, " REST,
         "in two ways");
    says("{\"states\": [\"p\"], \"transitions\": {\"p\": {\"a,b\": \"p\"}}, " REST,
         "one letter or several");
    says("{\"states\": [0, 1, 2], \"alphabet\": [0, 1, 2], \"transitions\": "
         "[[0, 1, 2], [1, 1, 0], [2, 0, 0]], \"start\": 0, \"accept\": [1]}",
         "each row is");
}

Test(import_json, memory_failures)
{
    survives_memory_failures(dfa);
}
