/* The Hanoi Omega-Automata format. */
#include "numeric/base/rng.h"
#include "tests/support/automata/import_support.h"
#include <stdio.h>

#define SAFE "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n"
#define END "--END--\n"

static const char *const safety =
    "/* by hand */ HOA: v1 /* a /* nested */ comment */ name: \"a \\\"name\\\"\""
    " tool: \"by hand\" \"1-2\"\n"
    "States: 2 acc-name: all Alias: @x 0&!1|!0&1\n"
    "Alias: @y !@x Start: 1 Acceptance: 0 t\n"
    "AP: 2 \"a\" \"b = \\\"1\\\"\" properties: trans-labels explicit-labels spot.note: 1 t \"x\"\n"
    "--BODY-- State: 1 \"first\" [@x] 0 [@y] 1\n"
    "State: 0 [(0 | 1) & !!t] 0 [f] 1\n--END-- /* end */\n";

static void read_nfa(f2l_nfa *nfa, const char *text, bool finite)
{
    f2l_error err = {0};
    f2l_nfa_init(nfa);
    cr_assert_eq(
        f2l_import(nfa, text, strlen(text), &(f2l_import_options){.finite = finite}, NULL, &err),
        F2L_OK, "%s: %zu:%zu %s", text, err.line, err.column, err.text);
    cr_assert_str_eq(nfa->source, "HOA");
}

static bool has_edge(const f2l_nfa *nfa, size_t from, size_t letter, size_t to)
{
    for (size_t e = 0; e < nfa->edges; e++)
        if (nfa->edge[e].from == from && nfa->edge[e].letter == letter && nfa->edge[e].to == to)
            return true;
    return false;
}

Test(import_hoa, safety)
{
    f2l_nfa nfa;
    read_nfa(&nfa, safety, false);
    cr_assert_eq(nfa.letters.count, 4);
    const char *const letter[] = {"!a&!b = \"1\"", "a&!b = \"1\"", "!a&b = \"1\"", "a&b = \"1\""};
    for (size_t i = 0; i < 4; i++) cr_assert_str_eq(f2l_names_get(&nfa.letters, i), letter[i]);
    cr_assert_eq(nfa.states.count, 2);
    cr_assert(nfa.is_start[1] && !nfa.is_start[0] && nfa.accept[0] && nfa.accept[1]);
    cr_assert_eq(nfa.edges, 7);
    cr_assert(has_edge(&nfa, 1, 1, 0) && has_edge(&nfa, 1, 2, 0) && has_edge(&nfa, 1, 0, 1) &&
              has_edge(&nfa, 1, 3, 1));
    cr_assert(has_edge(&nfa, 0, 1, 0) && has_edge(&nfa, 0, 2, 0) && has_edge(&nfa, 0, 3, 0));
    f2l_nfa_clear(&nfa);
}

/* Missing transitions, and labels of states. */
Test(import_hoa, state_labels)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "HOA: v1 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 0 t\n--BODY--\n"
                          "State: [0] 0 1 0\nState: [!0] 1 1 0\n--END--",
                          NULL, &err),
                 F2L_OK, "%zu:%zu %s", err.line, err.column, err.text);
    /* The letter says which of the two states the run leaves. */
    cr_assert_eq(fsa.states.count, 1);
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa, SAFE "--BODY--\nState: 0 [0] 1\nState: 1\n" END, NULL, &err),
                 F2L_OK);
    const size_t a = f2l_names_find(&fsa.letters, "a", 1);
    const size_t one = fsa.next[fsa.start * 2 + a], none = fsa.next[fsa.start * 2 + 1 - a];
    /* No infinite run is left after one letter, and none from the start. */
    cr_assert(!fsa.accept[fsa.start] && !fsa.accept[one] && !fsa.accept[none]);
    cr_assert_eq(fsa.next[one * 2 + a], none);
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa,
                          SAFE "--BODY--\nState: 0 [!0] 0 [0] 1\nState: 1 [0] 2\nState: 2\n" END,
                          NULL, &err),
                 F2L_OK);
    cr_assert(fsa.accept[fsa.start] && !fsa.accept[fsa.next[fsa.start * 2 + 1]]);
    f2l_fsa_clear(&fsa);
}

Test(import_hoa, implicit_labels)
{
    f2l_nfa nfa;
    read_nfa(&nfa,
             "HOA: v1\nStates: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 0 t\n--BODY--\n"
             "State: 0 0 1 0 1\nState: 1 [!0] 0\n" END,
             false);
    cr_assert_eq(nfa.edges, 6);
    cr_assert(has_edge(&nfa, 0, 0, 0) && has_edge(&nfa, 0, 1, 1) && has_edge(&nfa, 0, 2, 0) &&
              has_edge(&nfa, 0, 3, 1));
    f2l_nfa_clear(&nfa);
    read_nfa(&nfa, "HOA: v1\nStart: 0 Acceptance: 0 t\n--BODY--\nState: 0 0\n" END, false);
    cr_assert_eq(nfa.edges, 1);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 0), "t");
    f2l_nfa_clear(&nfa);
}

/* The form in which Spot writes automata on finite words: an accepting state without successors
 * has an edge for no letter. */
static const char *const finite = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\n"
                                  "Acceptance: 1 (Inf(0))\n--BODY--\n"
                                  "State: 0\n[0] 1\n[!0] 0\nState: 1 {0}\n[f] 1\n--END--\n";

Test(import_hoa, finite_words)
{
    f2l_nfa nfa;
    read_nfa(&nfa, finite, true);
    cr_assert_eq(nfa.edges, 2);
    cr_assert(!nfa.accept[0] && nfa.accept[1]);
    f2l_nfa_clear(&nfa);
    refused(finite, 6, 15, "Buchi acceptance speaks of infinite words; with --finite-words");
    refused_with("HOA: v1 Start: 0 Acceptance: 2 Inf(1)\n--BODY--\nState: 0 {0} 0 {0} State: 1\n"
                 "0 {1 0}" END,
                 &(f2l_import_options){.finite = true}, F2L_EFORMAT, 4, 3, "by transitions");
}

Test(import_hoa, refuses_other_acceptance)
{
    static const char *const conditions[] = {"0 f",          "1 Fin(0)",        "1 Inf(!0)",
                                             "1 (Fin(!0))",  "2 Inf(0)&Inf(1)", "1 t|Inf(0)",
                                             "2 Inf(0)|(t)", "1 (Inf(0)&t)"};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        char text[200];
        snprintf(text, sizeof text, "HOA: v1 Start: 0\nAcceptance: %s --BODY-- State: 0 0" END,
                 conditions[i]);
        refused_with(text, &(f2l_import_options){.finite = true}, F2L_EFORMAT, 2, 15,
                     i == 0 ? "no word is accepted" : "speaks of infinite words only");
    }
}

Test(import_hoa, refuses_headers)
{
    refused("HOA: v2", 1, 6, "expected v1");
    refused("HOA: v1\nState: 1", 2, 1, "header `State`: not known here");
    refused("HOA: v1\nFuture: 1", 2, 1, "header `Future`: not known here");
    refused("HOA: v1\nStart: 0&1", 2, 9, "alternation");
    refused("HOA: v1\nStart: x", 2, 8, "expected the number of a start state");
    refused("HOA: v1 States: 1\nStates: 1", 2, 1, "there already");
    refused("HOA: v1 States: -1", 1, 17, "expected --BODY--");
    refused("HOA: v1 States: 2147483648", 1, 17, "2^31");
    refused("HOA: v1 States: 01", 1, 17, "with a 0 before it");
    refused("HOA: v1\nAP: 2 \"a\"\nStart: 0", 3, 1, "as many as AP: says");
    refused("HOA: v1\nAP: 1 \"a\" \"b\"", 2, 11, "more names");
    refused("HOA: v1\nAP: 2 \"a\" \"a\"", 2, 11, "there twice");
    refused("HOA: v1\nAP: 1 \"a", 2, 7, "closing quote");
    refused("HOA: v1\nAlias: 0", 2, 8, "expected the alias");
    refused("HOA: v1\nAlias: @ 0", 2, 8, "after @");
    refused("HOA: v1 Alias: @a t\nAlias: @a f", 2, 8, "defined already");
    refused("HOA: v1\nAlias: @a @b Alias: @b t", 2, 11, "no header Alias:");
    refused("HOA: v1\nAlias: @a 0&", 2, 13, "expected the number of a proposition");
    refused("HOA: v1\nAlias: @a 2 AP: 1 \"a\" Acceptance: 0 t --BODY--", 2, 11,
            "no proposition 2; the header AP: has 1");
    refused("HOA: v1\nAcceptance: 1 Inf(1)", 2, 19, "beyond the number");
    refused("HOA: v1\nAcceptance: 1 Maybe(0)", 2, 15, "expected Inf or Fin");
    refused("HOA: v1\nAcceptance: 1 Inf 0", 2, 19, "expected (");
    refused("HOA: v1\nAcceptance: 1 Inf(0", 2, 20, "expected )");
    refused("HOA: v1\nAcceptance: 1 (Inf(0)", 2, 22, "expected &, | or )");
    refused("HOA: v1\nAcceptance: 0", 2, 14, "expected an acceptance condition");
    refused("HOA: v1\n--BODY--", 2, 1, "expected a header Acceptance:");
    refused("HOA: v1 Acceptance: 0 t\nname: \"x\" &", 2, 11, "expected a header or --BODY--");
    refused("HOA: v1 /* /* */", 1, 9, "comment without its end");
    refused("HOA: v1 $", 1, 9, "unexpected character");
    refused("HOA: v1\n --ABORT--", 2, 2, "gave it up");
    refused("HOA: v1\n --BODY", 2, 2, "expected --BODY--");
    refused("HOA: v1 States: 1\nStart: 1 Acceptance: 0 t --BODY-- State: 0 " END, 2, 8,
            "start state 1; States: says that there are 1");
    refused_with("HOA: v1 AP: 13 \"a\"", NULL, F2L_UNKNOWN, 0, 0, "2^13 letters; at most 12");
}

Test(import_hoa, refuses_bodies)
{
    refused(SAFE "--BODY--\nState: 0 [0] 0&1", 6, 15, "alternation");
    refused(SAFE "--BODY--\nState: 0 [1] 0", 6, 11, "no proposition 1");
    refused(SAFE "--BODY--\nState: 0 [@a] 0", 6, 11, "an alias that");
    refused(SAFE "--BODY--\nState: 0 [0 0", 6, 13, "expected &, | or ]");
    refused(SAFE "--BODY--\nState: 0 [(0] 0", 6, 13, "expected &, | or )");
    refused(SAFE "--BODY--\nState: 0 [0] {0}", 6, 14, "expected the number of the state");
    refused(SAFE "--BODY--\nState: 0 {0}", 6, 11, "beyond the number");
    refused(SAFE "--BODY--\nState: 0 {x}", 6, 11, "or }");
    refused(SAFE "--BODY--\nState: [0] 0 [0] 0", 6, 14, "its state has one already");
    refused(SAFE "--BODY--\nState: 0 [0] 0 0", 6, 16, "all edges have labels or none");
    refused(SAFE "--BODY--\nState: 0 0 [0] 0", 6, 12, "all edges have labels or none");
    refused(SAFE "--BODY--\nState: 0 0\n" END, 6, 8,
            "state 0 has 1 edges without labels; expected 2");
    refused(SAFE "--BODY--\nState: 0 0 0 0\n" END, 6, 8, "state 0 has 3 edges");
    refused(SAFE "--BODY--\nState: 0 [t] 0 State: 0", 6, 23, "listed already");
    refused(SAFE "--BODY--\nState: 0 [t] 1\n" END, 7, 1, "expected State: 1, which is not listed");
    refused(SAFE "--BODY--\nState: 1 [t] 1\n" END, 7, 1, "expected State: 0");
    refused(SAFE "States: 2 --BODY--\nState: 0 [t] 0\n" END, 7, 1, "expected State: 1");
    refused(SAFE "States: 1 --BODY--\nState: 0 [t] 1\n" END, 6, 14,
            "States: says that there are 1");
    refused(SAFE "--BODY--\nState: 2000000000", 6, 8, "not every state below it is listed");
    refused(SAFE "--BODY--\nState: x", 6, 8, "expected the number of a state");
    refused(SAFE "--BODY--\nname: \"x\"", 6, 1, "expected State:, an edge or --END--");
    refused(SAFE "--BODY--\nState: 0 [t] 0", 6, 15, "expected State:, an edge or --END--");
    refused(SAFE "--BODY--\nState: 0 [t] 0\n" END "HOA: v1", 8, 1, "one automaton is read");
    refused(SAFE "--BODY--\nState: 0 --ABORT--", 6, 10, "gave it up");
    refused_with("HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [t] 0 " END, NULL,
                 F2L_EDOMAIN, 0, 0, "no start state");
    char text[512] = "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [";
    memset(text + strlen(text), '(', 200);
    refused(text, 1, 153, "nested too deeply");
}

Test(import_hoa, memory_failures)
{
    survives_memory_failures(safety);
}

/* A random expression and its value for every letter, by another way than sets of letters. */
typedef struct expression {
    char text[4096];
    size_t size;
    f2l_rng rng;
    size_t propositions;
} expression;

static void put(expression *e, const char *text)
{
    const size_t n = strlen(text);
    cr_assert_lt(e->size + n, sizeof e->text);
    memcpy(e->text + e->size, text, n + 1);
    e->size += n;
}

/* Appends an expression whose value for the letter i is bit i of the result. Binding: 0 for |, 1
 * for &, 2 for the operand of !. */
static uint64_t grow(expression *e, size_t depth, unsigned binding)
{
    const size_t letters = (size_t)1 << e->propositions;
    uint64_t all = letters == 64 ? UINT64_MAX : ((uint64_t)1 << letters) - 1, value = 0;
    const unsigned kind =
        depth == 0 ? (unsigned)f2l_rng_below(&e->rng, 3) : 2 + (unsigned)f2l_rng_below(&e->rng, 4);
    if (kind == 0) {
        const bool t = f2l_rng_below(&e->rng, 2) == 0;
        put(e, t ? "t" : "f");
        return t ? all : 0;
    }
    if (kind <= 2) {
        char number[24];
        const size_t j = f2l_rng_below(&e->rng, e->propositions);
        snprintf(number, sizeof number, " %zu", j);
        put(e, number);
        for (size_t i = 0; i < letters; i++) value |= (uint64_t)(i >> j & 1) << i;
        return value;
    }
    if (kind == 3) {
        put(e, "!");
        return ~grow(e, depth - 1, 2) & all;
    }
    const bool either = kind == 4, brackets = binding > (either ? 0u : 1u);
    if (brackets) put(e, "(");
    value = grow(e, depth - 1, either ? 0 : 1);
    put(e, either ? "|" : " & ");
    const uint64_t other = grow(e, depth - 1, either ? 0 : 1);
    if (brackets) put(e, ")");
    return either ? value | other : value & other;
}

Test(import_hoa, random_labels)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        static expression e;
        e = (expression){.propositions = 1 + seed % 6};
        f2l_rng_init(&e.rng, 7, seed);
        const uint64_t value = grow(&e, 1 + seed % 7, 0);
        char names[64] = "", text[2 * sizeof e.text + 300];
        for (size_t j = 0; j < e.propositions; j++)
            snprintf(names + strlen(names), sizeof names - strlen(names), " \"p%zu\"", j);
        snprintf(text, sizeof text,
                 "HOA: v1 Start: 0 AP: %zu %s Acceptance: 0 t Alias: @e %s\n"
                 "--BODY-- State: 0 [%s] 1 State: 1 [@e] 0 " END,
                 e.propositions, names, e.text, e.text);
        f2l_nfa nfa;
        read_nfa(&nfa, text, false);
        for (size_t i = 0; i < (size_t)1 << e.propositions; i++) {
            const bool holds = value >> i & 1;
            cr_assert_eq(has_edge(&nfa, 0, i, 1), holds, "letter %zu of %s", i, e.text);
            cr_assert_eq(has_edge(&nfa, 1, i, 0), holds, "letter %zu of @e = %s", i, e.text);
        }
        f2l_nfa_clear(&nfa);
    }
}

/* Above six propositions a set has several words. */
Test(import_hoa, many_propositions)
{
    f2l_nfa nfa;
    read_nfa(&nfa,
             "HOA: v1 Start: 0 AP: 9 \"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"g\" \"h\" \"i\"\n"
             "Acceptance: 0 t --BODY-- State: 0 [8&!7&6 | !(0|!8) & 7] 0 " END,
             false);
    cr_assert_eq(nfa.letters.count, 512);
    size_t edges = 0;
    for (size_t i = 0; i < 512; i++) {
        const bool a = i & 1, g = i & 64, h = i & 128, last = i & 256;
        const bool holds = (last && !h && g) || (!a && last && h);
        cr_assert_eq(has_edge(&nfa, 0, i, 0), holds, "letter %zu", i);
        edges += holds;
    }
    cr_assert_eq(nfa.edges, edges);
    f2l_nfa_clear(&nfa);
}
