/* JSON of automata-lib. */
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

Test(import_json, refuses)
{
    refused("{\"states\": [\"p\"],\n \"states\": []}", 2, 9, "JSON: duplicate");
    refused("{\"states\": [\"p\"\n", 2, 0, "JSON: ");
    refused("{}", 0, 0, "expected \"states\"");
    refused("{\"stats\": []}", 0, 0, "`stats` is no argument");
    refused("{\"states\": [\"p\", \"p\"], " REST, 0, 0, "states: `p` is there twice");
    refused("{\"states\": [[1]], " REST, 0, 0, "states: expected a text or a whole number");
    refused("{\"states\": [\"p\"], " REST, 0, 0, "expected \"input_symbols\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"\"], " REST, 0, 0, "the empty word");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], " REST, 0, 0,
            "expected \"transitions\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], \"transitions\": {\"p\": 1}, " REST,
            0, 0, "`p` has no object");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], \"transitions\": {\"r\": {}}, " REST,
            0, 0, "`r` is not in \"states\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"],"
            "\"transitions\": {\"p\": {\"b\": \"p\"}}, " REST,
            0, 0, "`b` is not in \"input_symbols\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"],"
            "\"transitions\": {\"p\": {\"a\": [\"p\", \"z\"]}}, " REST,
            0, 0, "transitions: `z` is not in \"states\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], \"initial_state\": \"p\"}", 0, 0,
            "expected \"final_states\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], \"final_states\": []}", 0, 0,
            "expected \"initial_state\"");
    refused("{\"states\": [\"p\"], \"input_symbols\": [\"a\"], \"initial_state\": \"p\","
            "\"final_states\": [\"r\"]}",
            0, 0, "final_states: `r` is not in \"states\"");
}

Test(import_json, memory_failures)
{
    survives_memory_failures(dfa);
}

/* Other names of the empty word are refused, and --read-as decides. */
Test(import_json, names_of_the_empty_word)
{
    static const char text[] = "{\"states\": [0], \"input_symbols\": [\"a\", \"eps\"],"
                               "\"transitions\": {\"0\": {\"a\": 0, \"eps\": 0}},"
                               "\"initial_state\": 0, \"final_states\": []}";
    static const struct {
        const char *as;
        size_t letters; /* 0: refused */
    } how[] = {{"epsilon=eps", 1}, {"epsilon=", 2},      {"labels=letters", 2},
               {"labels=sets", 0}, {"labels=guards", 0}, {"labels=pairs", 0}};
    refused(text, 0, 0, "`eps` may be a letter or the empty word");
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        f2l_fsa fsa;
        f2l_read_as as = {0};
        f2l_fsa_init(&fsa);
        cr_assert_eq(f2l_read_as_parse(&as, how[i].as, NULL), F2L_OK);
        const f2l_import_options options = {.as = &as};
        const f2l_status status = read_any(&fsa, text, &options, NULL);
        cr_assert_eq(status, how[i].letters ? F2L_OK : F2L_EDOMAIN, "%s", how[i].as);
        cr_assert_eq(fsa.letters.count, how[i].letters, "%s", how[i].as);
        f2l_fsa_clear(&fsa);
        f2l_read_as_clear(&as);
    }
}
