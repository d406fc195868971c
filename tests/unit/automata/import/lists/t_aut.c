/* .aut files of CADP and mCRL2. */
#include "tests/support/automata/import_support.h"

static const char *const two = "des (0, 3, 2)\n(0, \"put !1\", 1)\n(1, i, 0)\n(1, get, 1)\n";

static f2l_import_options reading(f2l_read_as *as, const char *how)
{
    f2l_error err = {0};
    *as = (f2l_read_as){0};
    cr_assert_eq(f2l_read_as_parse(as, how, &err), F2L_OK, "%s", err.text);
    return (f2l_import_options){.as = as};
}

/* Reads the text and checks the number of its states, letters and edges. */
static void has_parts(const char *text, const f2l_import_options *options, size_t states,
                      size_t letters, size_t edges, size_t notes)
{
    f2l_nfa nfa;
    f2l_error err = {0};
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), options, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(nfa.source, "aut");
    cr_assert_eq(nfa.states.count, states, "%s", text);
    cr_assert_eq(nfa.letters.count, letters, "%s", text);
    cr_assert_eq(nfa.edges, edges, "%s", text);
    cr_assert_eq(nfa.notes.count, notes, "%s", text);
    cr_assert(!nfa.has_accept);
    f2l_nfa_clear(&nfa);
}

Test(import_aut, reads_what_cadp_and_mcrl2_write)
{
    has_parts(two, NULL, 2, 3, 3, 1);
    has_parts("des(0,2,2)\r\n(0,\"a\",1)\r\n(1,\"b\",0)\r\n", NULL, 2, 2, 2, 0);
    has_parts("des (1, 1, 3)\n\n  ( 1 , \"tau\" , 2 )  \n", NULL, 2, 1, 1, 1);
    has_parts("des (0,0,1)", NULL, 1, 0, 0, 0);
    has_parts("des (0, 1, 2)\n(0, SEND !1, 2, !\"x\", 1)\n", NULL, 2, 1, 1, 0);
    has_parts("\xef\xbb\xbf"
              "des (0, 2, 1)\n(0, \"say(\\\"x\\\")\", 00)\n(0, \"say(\"x\")\", 0)\n",
              NULL, 1, 1, 2, 0);
    has_parts("des (0, 2, 1)\n(0, epsilon, 0)\n(0, a, 0)\n", NULL, 1, 2, 2, 1);
}

Test(import_aut, internal_actions_are_empty_only_where_the_user_says_so)
{
    f2l_read_as as;
    f2l_import_options options = reading(&as, "epsilon=i");
    has_parts(two, &options, 2, 2, 3, 0);
    f2l_read_as_clear(&as);
    options = reading(&as, "epsilon=tau,labels=letters");
    has_parts(two, &options, 2, 3, 3, 0);
    f2l_read_as_clear(&as);
    options = reading(&as, "epsilon=");
    has_parts(two, &options, 2, 3, 3, 0);
    f2l_read_as_clear(&as);
    options = reading(&as, "labels=pairs");
    refused_with(two, &options, F2L_EDOMAIN, 0, 0, "labels=pairs says nothing about .aut");
    f2l_read_as_clear(&as);
}

Test(import_aut, start_is_what_the_header_says)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, "des (7, 2, 8)\n(0, a, 7)\n(7, a, 0)\n", NULL, NULL), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "7");
    f2l_fsa_clear(&fsa);
}

Test(import_aut, refuses)
{
    refused("des (0, 1)\n", 1, 1, "expected `des (START");
    refused("des (0, 1, x)\n", 1, 1, "expected `des (START");
    refused("des (2, 0, 2)\n", 1, 6, "is no state");
    refused("des (0, 2, 2)\n(0, a, 1)\n", 2, 0, "ends after 1 of the 2");
    refused("des (0, 1, 2)\n(0, a, 1)\n(1, a, 0)\n", 3, 1, "more than the 1");
    refused("des (0, 1, 2)\n(0, a, 2)\n", 2, 8, "beyond the number of states");
    refused("des (0, 1, 2)\n(0, a, b)\n", 2, 8, "is no number");
    refused("des (0, 1, 2)\n0 a 1\n", 2, 1, "expected a transition");
    refused("des (0, 1, 2)\n(0, \"a, 1)\n", 2, 5, "no closing quotation mark");
    refused("des (0, 1, 2)\n(0, \"\", 1)\n", 2, 5, "an empty label");
    refused("des (0, 1, 2)\n(0, \"a; prob 0.5\", 1)\n", 2, 5, "stochastic");
    refused("des (0, 1, 2)\n(0, rate 3, 1)\n", 2, 5, "stochastic");
}

Test(import_aut, memory_failures)
{
    survives_memory_failures(two);
}
