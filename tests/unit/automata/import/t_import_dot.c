/* Graphviz DOT (AALpy, MONA) and JFLAP. */
#include "numeric/base/rng.h"
#include "tests/support/automata/import_support.h"
#include <stdio.h>

static const char *const aalpy_dfa = "digraph LearnedModel {\n"
                                     "s0 [label=s0];\n"
                                     "s1 [label=\"s1\", shape=doublecircle];\n"
                                     "s0 -> s1  [label=\"a\"];\n"
                                     "s0 -> s0  [label=1];\n"
                                     "s1 -> s0  [label=\"a\"];\n"
                                     "s1 -> s1  [label=1];\n"
                                     "__start0 [label=\"\", shape=none];\n"
                                     "__start0 -> s0  [label=\"\"];\n"
                                     "}\n";

Test(import_dot, aalpy_dfa)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    cr_assert_eq(read_any(&fsa, aalpy_dfa, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(fsa.states.count, 2);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "s0");
    cr_assert(fsa.has_accept && fsa.outputs.count == 0);
    cr_assert(accepts(&fsa, "a") && accepts(&fsa, "1a11aa") && !accepts(&fsa, "a1a"));
    f2l_fsa_clear(&fsa);
}

Test(import_dot, aalpy_moore)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    const char *text = "digraph learned {\n"
                       "s0 [label=\"s0|low\", shape=record, style=rounded];\n"
                       "s1 [label=\"{ s1 | high }\", shape=record, style=rounded];\n"
                       "s0 -> s1 [label=\"('up', 1)\"]; s1 -> s0 [label=\"('up', 1)\"];\n"
                       "__start0 [shape=none, label=\"\"];\n__start0 -> s0 [label=\"\"];\n}\n";
    cr_assert_eq(read_any(&fsa, text, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(!fsa.has_accept);
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, 0), "low");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, 1), "high");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "('up', 1)");
    f2l_fsa_clear(&fsa);
    refused("digraph {\na [label=\"a|1\"];\nb;\n__start0 -> a; a -> b [label=x]; }", 3, 1,
            "`b` has no output");
}

Test(import_dot, syntax)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    /* Comments, joined and continued strings, chains, defaults, attributes without value, several
     * attribute lists. */
    const char *text = "/* c */ strict DIGRAPH \"my graph\" { // c\n"
                       "# a line\n"
                       "rankdir = LR; graph [size = \"7.5,10.5\" center]; edge [label = \"x\", "
                       "weight=2];\n"
                       "\"a \" + /* c */ \"b\" [shape = circle][peripheries=2]\n"
                       "go [shape=point]\n"
                       "go -> \"a b\" [label=\"\"]\n"
                       "\"a b\" -> c\\u -> \"a b\"\n"
                       "}\n";
    cr_assert_neq(read_any(&fsa, text, NULL, &err), F2L_OK);
    cr_assert_eq(err.line, 7);
    cr_assert_eq(err.column, 11);
    char good[512];
    snprintf(good, sizeof good, "%s", text);
    char *wrong = strstr(good, "c\\u");
    cr_assert_not_null(wrong);
    wrong[0] = '"';
    wrong[1] = 'c';
    wrong[2] = '"';
    cr_assert_eq(read_any(&fsa, good, NULL, &err), F2L_OK, "%zu:%zu %s", err.line, err.column,
                 err.text);
    cr_assert_eq(fsa.states.count, 2);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "a b");
    cr_assert(accepts(&fsa, "xx") && !accepts(&fsa, "x"));
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "digraph{n->\"q\\\"\"; n[shape=none]; "
                          "\"q\\\"\"->\"q\\\"\"[label=\"\\\\\"]}",
                          NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&fsa.states, 0), "q\"");
    f2l_fsa_clear(&fsa);
}

Test(import_dot, epsilon_makes_it_nondeterministic)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    const char *text =
        "digraph { init -> a; a -> b [label=\"\xce\xb5\"]; b -> b [label=x]; a -> c [label=y]; "
        "b [shape=doublecircle]; c -> c [label=x]; c -> c [label=y]; b -> c [label=y] }";
    cr_assert_eq(read_any(&fsa, text, NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "") && accepts(&fsa, "xx") && !accepts(&fsa, "y"));
    f2l_fsa_clear(&fsa);
}

static void expect_edges(const char *edges, size_t letters, size_t count, size_t sets)
{
    char text[512];
    f2l_nfa nfa;
    f2l_error err = {0};
    f2l_nfa_init(&nfa);
    snprintf(text, sizeof text, "digraph { __start0 [shape=none]; __start0 -> s; %s }", edges);
    cr_assert_eq(f2l_import_dot(&nfa, text, strlen(text), NULL, &err), F2L_OK, "%s: %s", edges,
                 err.text);
    cr_assert_eq(nfa.letters.count, letters, "%s: %zu letters", edges, nfa.letters.count);
    cr_assert_eq(nfa.edges, count, "%s: %zu edges", edges, nfa.edges);
    cr_assert_eq(nfa.notes.count ? nfa.notes.item[0].count : 0, sets, "%s", edges);
    f2l_nfa_clear(&nfa);
}

/* Labels in brackets are sets, and lists are. */
Test(import_dot, sets_of_letters)
{
    expect_edges("s -> s [label=\"[0-3]\"]", 4, 4, 1);
    expect_edges("s -> t [label=\"[0-3]\"]; t -> s [label=\"0 | 2\"]; t -> t [label=\"1,3\"]", 4, 8,
                 3);
    expect_edges("s -> s [label=\"a,b\"]", 2, 2, 1);
    expect_edges("s -> s [label=\"(a,b)\"]; s -> t [label=\"a\"]", 2, 2, 0);
    /* A nondeterministic automaton; but where every label is a pair, it may be one of letters. */
    expect_edges("s -> s [label=\"a,b\"]; s -> t [label=\"a\"]", 2, 3, 1);
    expect_edges("s -> s [label=\"[ab]\"]; s -> t [label=\"a\"]", 2, 3, 1);
    expect_edges("s -> t [label=\"a,b\"]; t -> s [label=\"a\"]; t -> t [label=\"b\"]", 2, 4, 1);
    refused("digraph { __start0 [shape=none]; __start0 -> s;\n s -> s [label=\"a,b\"];\n"
            "s -> t [label=\"b,a\"]; }",
            2, 4, "sets of letters overlap: `a` leads state `s` to `s` here, and to `t`");
    refused("digraph { __start0 [shape=none]; __start0 -> s;\n s -> s [label=\"[b-a]\"]; }", 2, 4,
            "runs backwards");
}

Test(import_dot, refuses)
{
    refused("graph { a -- b }", 1, 1, "expected digraph");
    refused("digraph { a -- b }", 1, 13, "undirected");
    refused("digraph { subgraph x }", 1, 22, "expected \"{\"");
    refused("digraph { a -> }", 1, 16, "a node after ->");
    refused("digraph { a: -> b }", 1, 14, "name of a port");
    refused("digraph { subgraph { a -> b }", 1, 30, "a node, an edge or \"}\"");
    refused("digraph { {a b} -- c }", 1, 17, "undirected");
    refused("digraph { }", 0, 0, "no nodes");
    refused("digraph {\n a -> b [label=\"x\" }", 2, 20, "expected an attribute");
    refused("digraph {\n a -> b [label=]", 2, 16, "value of an attribute");
    refused("digraph { a -> b", 1, 17, "expected a node, an edge or \"}\"");
    refused("digraph { a } digraph { b }", 1, 15, "end of the file");
    refused("digraph { \"a }", 1, 11, "without its closing quote");
    refused("digraph { /* }", 1, 11, "without its end");
    refused("digraph { a [label=<b] }", 1, 20, "without its closing >");
    refused("digraph { 1a }", 1, 11, "expected a number");
    refused("digraph { a ? }", 1, 13, "unexpected character");
    refused("digraph { \"a\" + b }", 1, 17, "quoted string after +");
    refused("digraph { a -> a [label=x] }", 0, 0, "no start state");
    refused("digraph { init -> a;\n a -> a }", 2, 4, "no edge of the graph has a label");
    refused("digraph { init -> a;\n a -> a; a -> a [label=x] }", 2, 4, "the edge has no label");
    refused("digraph { init -> a;\n a -> a [label=<x<sub>1</sub>>] }", 2, 4, "HTML");
    refused("digraph { init -> a;\n"
            " a -> a [label=\"in/out\"]; a -> a [label=plain] }",
            2, 29, "label `plain` has no output, but others have");
    refused("digraph { init -> a;\n"
            " a -> a [label=\"in : 0.25\"] }",
            2, 4, "stochastic machines are refused");
    refused("digraph", 1, 8, "expected \"{\"");
}

/* A table printed by MONA for "the bit of P is on before the bit of Q" or the like: two variables,
 * one row each. */
static const char *const mona = "digraph MONA_DFA {\n"
                                " rankdir = LR;\n"
                                " center = true;\n"
                                " size = \"7.5,10.5\";\n"
                                " edge [fontname = Courier];\n"
                                " node [height = .5, width = .5];\n"
                                " node [shape = doublecircle]; 2;\n"
                                " node [shape = circle]; 0; 1;\n"
                                " node [shape = box];\n"
                                " init [shape = plaintext, label = \"\"];\n"
                                " init -> 0;\n"
                                " 0 -> 1 [label=\"X\\nX\"];\n"
                                " 1 -> 1 [label=\"0 1\\nX,0\"];\n"
                                " 1 -> 2 [label=\"1\\n1\"];\n"
                                " 2 -> 2 [label=\"X\\nX\"];\n"
                                "}\n";

Test(import_dot, mona)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    cr_assert_eq(read_any(&fsa, mona, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(fsa.states.count, 3);
    cr_assert_eq(fsa.letters.count, 4);
    for (size_t bits = 0; bits < 4; bits++) {
        char name[3] = {bits & 2 ? '1' : '0', bits & 1 ? '1' : '0', '\0'};
        cr_assert_str_eq(f2l_names_get(&fsa.letters, bits), name);
        size_t after = fsa.next[fsa.start * 4 + bits];
        cr_assert_str_eq(f2l_names_get(&fsa.states, after), "1");
        /* Only 11 leaves state 1; 00 and 01 come from column "0 X", 10 from column "1 0". */
        cr_assert_eq(fsa.accept[fsa.next[after * 4 + bits]], bits == 3);
    }
    f2l_fsa_clear(&fsa);
}

Test(import_dot, mona_one_variable_and_refusals)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    const char *one =
        "digraph MONA_DFA { node [shape = doublecircle]; 0; node [shape = circle]; 1; init -> 0;\n"
        "0 -> 1 [label=\"1\"]; 0 -> 0 [label=\"0\"]; 1 -> 1 [label=\"0,1\"]; }";
    cr_assert_eq(read_any(&fsa, one, NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "00") && !accepts(&fsa, "010"));
    cr_assert_eq(fsa.letters.count, 2);
    f2l_fsa_clear(&fsa);
    refused("digraph MONA_DFA { init -> 0;\n"
            "0 -> 0 [label=\"a ? b\"]; }",
            2, 3, "one row of 0, 1 or X");
    refused("digraph MONA_DFA { init -> 0;\n"
            "0 -> 0 [label=\"0 1\\n1\"]; }",
            2, 3, "one row of 0, 1 or X");
    refused("digraph MONA_DFA { init -> 0;\n0 -> 0 [label=\"\"]; 0 -> 1 [label=\"0\"] }", 2, 3,
            "the edge has no label");
    refused("digraph MONA_DFA { init -> 0;\n"
            "0 -> 0 [label=\"0\"]; 0 -> 0 [label=\"0\\n1\"] }",
            2, 23, "one row of 0, 1 or X");
    refused_with("digraph MONA_DFA { init -> 0;\n"
                 "0 -> 0 [label=\"X\\nX\\nX\\nX\\nX\\nX\\nX\\nX\\nX\\nX\\nX\"]; }",
                 NULL, F2L_UNKNOWN, 0, 0, "variables");
}

/* Random tables with X mean the same when they are read back. */
Test(import_dot, mona_tables_mean_what_they_say)
{
    const uint64_t seed = 31;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int round = 0; round < 200; round++) {
        size_t rows = 1 + f2l_rng_below(&rng, 4), columns = 1 + f2l_rng_below(&rng, 5);
        char cell[4][5];
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_text(&text, "digraph MONA_DFA { init -> 0; 0 -> 1 [label=\"");
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < columns; j++) {
                cell[i][j] = "01X"[f2l_rng_below(&rng, 3)];
                f2l_buf_printf(&text, "%c%s", cell[i][j],
                               j + 1 == columns ? ""
                               : i + 1 == rows  ? ","
                                                : " ");
            }
            f2l_buf_text(&text, i + 1 == rows ? "" : "\\n");
        }
        f2l_buf_text(&text, "\"]; }");
        f2l_fsa fsa;
        f2l_fsa_init(&fsa);
        cr_assert_eq(read_any(&fsa, text.data, NULL, NULL), F2L_OK, "%s", text.data);
        cr_assert_eq(fsa.letters.count, (size_t)1 << rows);
        for (size_t word = 0; word >> rows == 0; word++) {
            bool expected = false;
            for (size_t j = 0; j < columns; j++) {
                bool fits = true;
                for (size_t i = 0; i < rows; i++)
                    fits &=
                        cell[i][j] == 'X' || (cell[i][j] == '1') == (word >> (rows - 1 - i) & 1);
                expected |= fits;
            }
            const char *target =
                f2l_names_get(&fsa.states, fsa.next[fsa.start * fsa.letters.count + word]);
            cr_assert_eq(strcmp(target, "1") == 0, expected, "word %zu of %s", word, text.data);
        }
        f2l_fsa_clear(&fsa);
        f2l_buf_clear(&text);
    }
}

static const char *const jflap_7 =
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>"
    "<!--Created with JFLAP 7.1.--><structure>\n"
    "<type>fa</type>\n<automaton>\n<!--The list of states.-->\n"
    "<state id=\"0\" name=\"q0\"><x>1.0</x><y>2.0</y><initial/></state>\n"
    "<state id=\"3\" name=\"q1\"><x>1.0</x><y>2.0</y><final/></state>\n"
    "<transition><from>0</from><to>3</to><read>a</read></transition>\n"
    "<transition>\n<from>3</from><to>0</to><read/></transition>\n"
    "<transition><from>3</from><to>3</to><read>\xc3\xa9</read></transition>\n"
    "<note><text>hello</text></note>\n</automaton>\n</structure>\n";

static bool have_jflap(void)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import_jflap(&nfa, jflap_7, strlen(jflap_7), NULL, NULL);
    f2l_nfa_clear(&nfa);
    if (status == F2L_EDOMAIN) cr_skip_test("built without libxml2");
    return status == F2L_OK;
}

Test(import_jflap, versions_4_and_7)
{
    cr_assert(have_jflap());
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_error err = {0};
    cr_assert_eq(read_any(&fsa, jflap_7, NULL, &err), F2L_OK, "%s", err.text);
    size_t a = f2l_names_find(&fsa.letters, "a", 1),
           e = f2l_names_find(&fsa.letters, "\xc3\xa9", 2);
    cr_assert_neq(e, F2L_NO_INDEX);
    size_t one = fsa.next[fsa.start * 2 + a];
    cr_assert(fsa.accept[one] && !fsa.accept[fsa.start]);
    cr_assert(fsa.accept[fsa.next[one * 2 + a]] && fsa.accept[fsa.next[one * 2 + e]]);
    cr_assert(!fsa.accept[fsa.next[fsa.start * 2 + e]]);
    f2l_fsa_clear(&fsa);
    /* Version 4 has no automaton element; two states share a name, so that ids are used. */
    const char *old =
        "<structure><type>fa</type><state id=\"5\" name=\"q\"><initial/></state><state id=\"6\" "
        "name=\"q\"/><transition><from>5</from><to>6</to><read>x</read></transition>"
        "<transition><from>6</from><to>6</to><read>x</read></transition></structure>";
    cr_assert_eq(read_any(&fsa, old, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "5");
    cr_assert(fsa.has_accept);
    f2l_fsa_clear(&fsa);
}

Test(import_jflap, moore)
{
    cr_assert(have_jflap());
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    const char *text =
        "<structure><type>moore</type><automaton><state id=\"0\" "
        "name=\"p\"><initial/><output>hi</output></state>"
        "<state id=\"1\" name=\"q\"><output/></state>"
        "<transition><from>0</from><to>1</to><read>x</read><transout/></transition>"
        "<transition><from>1</from><to>0</to><read>x</read><transout>hi</transout></transition>"
        "</automaton></structure>";
    cr_assert_eq(read_any(&fsa, text, NULL, NULL), F2L_OK);
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, fsa.start), "hi");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, fsa.next[fsa.start]), "");
    cr_assert(!fsa.has_accept);
    f2l_fsa_clear(&fsa);
}

/* A label of several characters is read one by one; the states between have new names. */
Test(import_jflap, labels_that_are_words)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert(have_jflap());
    cr_assert_eq(read_any(&fsa,
                          "<structure><type>fa</type>"
                          "<state id=\"0\" name=\"q\"><initial/></state>"
                          "<state id=\"1\" name=\"q.1\"><final/></state>"
                          "<transition><from>0</from><to>1</to><read>aba</read></transition>"
                          "<transition><from>0</from><to>0</to><read>ba</read></transition>"
                          "<transition><from>1</from><to>0</to><read/></transition></structure>",
                          NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(fsa.letters.count, 2);
    cr_assert(accepts(&fsa, "aba") && accepts(&fsa, "baaba") && accepts(&fsa, "abaaba"));
    cr_assert(!accepts(&fsa, "") && !accepts(&fsa, "ab") && !accepts(&fsa, "ba"));
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "<structure><type>fa</type><state id=\"0\"><initial/><final/></state>"
                          "<transition><from>0</from><to>0</to><read>\xc3\xa9\xe2\x86\x92</read>"
                          "</transition></structure>",
                          NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "\xc3\xa9");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "\xe2\x86\x92");
    cr_assert_str_eq(f2l_names_get(&fsa.states, 1), "0.1");
    f2l_fsa_clear(&fsa);
}

Test(import_jflap, refuses)
{
    cr_assert(have_jflap());
    refused("<structure><type>mealy</type></structure>", 1, 0, "no states");
    refused("<structure>\n<type>re</type></structure>", 2, 0, "--regex");
    refused("<structure>\n<type>pda</type></structure>", 2, 0, "no finite automaton");
    refused("<structure></structure>", 1, 0, "expected <type>fa</type>");
    refused("<html></html>", 1, 0, "not a JFLAP file");
    refused("<structure><type>fa</type></structure>", 1, 0, "no states");
    refused("<structure><type>fa</type>\n<state id=\"1\"/><state id=\"1\"/></structure>", 2, 0,
            "another state has");
    refused("<structure><type>fa</type>\n<state/></structure>", 2, 0, "expected an attribute id");
    refused("<structure><type>fa</type><state id=\"1\"/>\n<block/></structure>", 2, 0, "Turing");
    refused("<structure><type>fa</type><state id=\"1\"/>\n"
            "<edge/></structure>",
            2, 0, "unexpected element");
    refused("<structure><type>moore</type><state id=\"1\"/></structure>", 1, 0, "without <output>");
    refused("<structure><type>moore</type><state id=\"1\"><initial/><output>x</output></state>\n\n"
            "<transition><from>1</from><to>1</to><read>ab</read></transition></structure>",
            3, 0, "several characters on a transition of a Moore or Mealy machine");
    refused("<structure><type>fa</type><state id=\"1\"><initial/></state>\n"
            "<transition><from>1</from><to>2</to><read>a</read></transition></structure>",
            2, 0, "no state has this id");
    refused("<structure><type>fa</type><state "
            "id=\"1\"><initial/></state>\n<transition><to>1</to></transition></structure>",
            2, 0, "expected <from>");
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, "<structure>\n<type>fa</typo>", NULL, &err), F2L_EFORMAT);
    cr_assert_eq(err.line, 2);
    cr_assert_not_null(strstr(err.text, "XML"));
    const char *bomb = "<!DOCTYPE structure [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
                       "\"&a;&a;&a;&a;&a;&a;\">]>\n"
                       "<structure><type>fa</type><state id=\"1\" name=\"&b;\"/></structure>";
    cr_assert_eq(read_any(&fsa, bomb, NULL, &err), F2L_EFORMAT);
    cr_assert_not_null(strstr(err.text, "DOCTYPE"));
    f2l_fsa_clear(&fsa);
}

Test(import_jflap, memory_failures)
{
    cr_assert(have_jflap());
    survives_memory_failures(jflap_7);
}
