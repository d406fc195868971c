/* Graphs as programs and people write them, and the automata that they mean. */
#include "automata/export/export.h"
#include "tests/support/automata/import_support.h"

typedef struct drawing {
    const char *who, *text;
    const char *fsa;  /* what `fsa convert` prints without its first line; NULL: refused */
    const char *note; /* a piece of a note or of the refusal; NULL: no note */
} drawing;

static void check_drawing(const drawing *d)
{
    f2l_nfa nfa;
    f2l_buf fsa;
    f2l_error err = {0};
    f2l_nfa_init(&nfa);
    f2l_buf_init(&fsa);
    const f2l_status status = f2l_import_dot(&nfa, d->text, strlen(d->text), NULL, &err);
    if (!d->fsa) {
        cr_assert_eq(status, F2L_EFORMAT, "%s: %s", d->who, f2l_status_name(status));
        cr_assert_not_null(strstr(err.text, d->note), "%s: %s", d->who, err.text);
    } else {
        cr_assert_eq(status, F2L_OK, "%s: %s", d->who, err.text);
        cr_assert_eq(f2l_export(&fsa, &f2l_export_formats[0], &nfa, &err), F2L_OK, "%s", err.text);
        cr_assert_str_eq(strchr(fsa.data, '\n') + 1, d->fsa, "%s: %s", d->who, fsa.data);
        cr_assert_eq(nfa.notes.count > 0, d->note != NULL, "%s: %s", d->who,
                     nfa.notes.item[0].text);
        if (d->note) cr_assert_not_null(strstr(nfa.notes.item[0].text, d->note), "%s", d->who);
    }
    f2l_buf_clear(&fsa);
    f2l_nfa_clear(&nfa);
}

#define CHECK(drawings) \
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++) check_drawing(&drawings[i])

#define PARITY "letters a\nstates s0 s1\nstart s0\naccept s1\ns0 a s1\ns1 a s0\n"
#define EDGES "s0 -> s1 [label=\"a\"]; s1 -> s0 [label=\"a\"]; "

Test(dot_writers, programs)
{
    static const drawing drawings[] = {
        {"PySimpleAutomata",
         "digraph {\n\tfake [style=invisible]\n\ts0 [root=true]\n\ts1 [shape=doublecircle]\n"
         "\tfake -> s0 [style=bold]\n\ts0 -> s1 [label=a]\n\ts1 -> s0 [label=a]\n}\n",
         PARITY, NULL},
        {"Spot",
         "digraph \"\" {\n  rankdir=LR\n  label=\"a W b\\n[all]\"\n  labelloc=\"t\"\n"
         "  node [shape=\"circle\"]\n  I [label=\"\", style=invis, width=0]\n  I -> 0\n"
         "  0 [label=\"0\"]\n  0 -> 0 [label=\"!a\"]\n  0 -> 1 [label=\"a\"]\n  1 [label=<1>]\n"
         "  1 -> 1 [label=<1>]\n}\n",
         "letters !a a\nstates 0 1\nstart 0\naccept 0 1\n0 !a 0\n0 a 1\n1 !a 1\n1 a 1\n",
         "every state accepts"},
        {"pyformlang",
         "strict digraph {\n0 [is_final=False, is_start=True, label=0, peripheries=1];\n"
         "starting_0 [height=0.0, label=\"\", shape=None, width=0.0];\n"
         "1 [is_final=True, is_start=False, label=1, peripheries=2];\n"
         "0 -> 1 [key=0, label=a];\nstarting_0 -> 0 [key=0];\n1 -> 0 [key=0, label=\xc9\x9b];\n}\n",
         "letters a\nstates 0 1\nstart 0\naccept 1\n0 a 1\n1 eps 0\n", "the empty word"},
        {"OpenFst's fstdraw",
         "digraph FST {\nrankdir = LR;\nsize = \"8.5,11\";\nlabel = \"\";\ncenter = 1;\n"
         "orientation = Landscape;\nranksep = \"0.4\";\nnodesep = \"0.25\";\n"
         "0 [label = \"0\", shape = circle, style = bold, fontsize = 14]\n"
         "\t0 -> 1 [label = \"a:a\", fontsize = 14];\n"
         "1 [label = \"1\", shape = doublecircle, style = solid, fontsize = 14]\n"
         "\t1 -> 0 [label = \"<eps>:<eps>\", fontsize = 14];\n}\n",
         "letters a\nstates 0 1\nstart 0\naccept 1\n0 a 1\n1 eps 0\n", "the empty word"},
        {"libfsm",
         "digraph G {\n\trankdir = LR;\n\tnode [ shape = circle ];\n\tedge [ weight = 2 ];\n"
         "\troot = start;\n\n\tstart [ shape = none, label = \"\" ];\n\tstart -> S0;\n\n"
         "\tS0 [ label = <0> ];\n\tS1 [ shape = doublecircle, label = <1<BR/>#7> ];\n"
         "\tS0 -> S1 [ label = <&lt;> ];\n\tS1 -> S0 [ weight = 3, label = <[a-c]> ];\n"
         "\tS1 -> S1 [ label = <&#x3B5;> ];\n}\n\n",
         "letters < a b c\nstates S0 S1\nstart S0\naccept S1\nS0 < S1\nS1 a S0\nS1 b S0\nS1 c S0\n"
         "S1 eps S1\n",
         "several letters"},
        {"AALpy",
         "digraph learned {\ns0 [label=s0, shape=doublecircle];\ns1 [label=s1];\n"
         "s0 -> s1  [label=1];\ns1 -> s0  [label=1];\n__start0 [label=\"\", shape=none];\n"
         "__start0 -> s0  [label=\"\"];\n}\n",
         "letters 1\nstates s0 s1\nstart s0\naccept s0\ns0 1 s1\ns1 1 s0\n", NULL},
        {"LearnLib, Moore",
         "digraph g {\n\n\ts0 [shape=\"circle\" label=\"0 / off\"];\n"
         "\ts1 [shape=\"circle\" label=\"1 / on\"];\n\ts0 -> s1 [label=\"a\"];\n"
         "\ts1 -> s0 [label=\"a\"];\n\n__start0 [label=\"\" shape=\"none\" width=\"0\" "
         "height=\"0\"];\n__start0 -> s0;\n\n}\n",
         "letters a\nstates s0 s1\nstart s0\noutput s0 off\noutput s1 on\ns0 a s1\ns1 a s0\n",
         NULL},
        {"LearnLib, subsequential transducer",
         "digraph g {\n s0 [label=\"0 / x\"];\n s0 -> s0 [label=\"a / y z\"];\n"
         "__start0 [label=\"\" shape=\"none\"];\n__start0 -> s0;\n}\n",
         "letters a\nstates s0\nstart s0\noutput s0 x\ns0 a s0 \"y z\"\n", "beside the outputs"},
        {"LearnLib, modal transition system",
         "digraph g {\n s0 -> s0 [modality=\"MAY\" style=\"dashed\" label=\"a\"];\n"
         "__start0 -> s0;\n}\n",
         NULL, "may-edge"},
        {"LearnLib, a graph whose may-edges have their style alone",
         "digraph g {\n s0 -> s1 [style=\"dashed\" label=\"a\"];\n"
         " s1 -> s0 [style=\"dashed,bold\" label=\"a\"]; s1 [accepting=1];\n"
         " __start0 -> s0 [style=dashed];\n}\n",
         PARITY, "dashed edge"},
        {"LearnLib, must-edges",
         "digraph g {\n s0 -> s1 [modality=\"MUST\" label=\"a\"];\n"
         " s1 -> s0 [modality=\"MUST\" label=\"a\"]; s1 [accepting=1]; __start0 -> s0;\n}\n",
         PARITY, NULL},
        {"LearnLib, procedural automata",
         "digraph g {\nsubgraph cluster_0 {\nlabel=\"S\";\ns0 [shape=\"circle\"];\n"
         "s0 -> s1 [label=\"a\"];\ns1 -> s0 [label=\"a\"];\n}\nsubgraph cluster_1 {\n"
         "s2 -> s2 [label=\"b\"];\n}\n__start0 -> s0;\n__start1 -> s2;\n}\n",
         "letters a b\nstates s0 s1 s2\nstart s0 s2\ns0 a s1\ns1 a s0\ns2 b s2\n",
         "several start states"},
        {"LTLf2DFA",
         "digraph MONA_DFA {\n rankdir = LR;\n center = true;\n edge [fontname = Courier];\n"
         " node [shape = doublecircle]; 2;\n node [shape = circle]; 1;\n"
         " init [shape = plaintext, label = \"\"];\n init -> 1;\n 1 -> 1 [label=\"~a\"];\n"
         " 1 -> 2 [label=\"a\"];\n 2 -> 2 [label=\"true\"];\n}\n",
         "letters !a a\nstates 2 1\nstart 1\naccept 2\n2 !a 2\n2 a 2\n1 !a 1\n1 a 2\n", NULL},
        {"dk.brics.automaton",
         "digraph Automaton {\n  rankdir = LR;\n  0 [shape=doublecircle,label=\"\"];\n"
         "  initial [shape=plaintext,label=\"\"];\n  initial -> 1\n  0 -> 0 [label=\"\\u002c\"]\n"
         "  1 [shape=circle,label=\"\"];\n  1 -> 0 [label=\"a-c\"]\n  1 -> 1 [label=\"a\"]\n}\n",
         "letters , a b c\nstates 0 1\nstart 1\naccept 0\n0 , 0\n1 a 0\n1 a 1\n1 b 0\n1 c 0\n",
         NULL},
        {"dk.brics.automaton, every character",
         "digraph Automaton {\n  initial [shape=plaintext,label=\"\"];\n  initial -> 0\n"
         "  0 -> 0 [label=\"\\u0000-\\uffff\"]\n}\n",
         NULL, "no character"},
        {"Lucene",
         "digraph Automaton {\n  initial [shape=plaintext,label=\"\"]\n  initial -> 0\n"
         "  0 [shape=doublecircle,label=\"0\"]\n  0 -> 0 [label=\"\\\\U00000061-b\"]\n}\n",
         "letters a b\nstates 0\nstart 0\naccept 0\n0 a 0\n0 b 0\n", NULL},
        {"automata-lib",
         "digraph  {\n\tgraph [rankdir=LR];\n\t\"8d1f\"\t[fontsize=8,\n\t\tlabel=\"\",\n"
         "\t\tshape=point,\n\t\ttooltip=\".\"];\n\ts0\t[shape=circle];\n\t\"8d1f\" -> s0\t"
         "[arrowsize=0.85];\n\ts1\t[shape=doublecircle];\n\ts0 -> s1\t[label=\"0,1\"];\n"
         "\ts1 -> s0\t[label=\xce\xb5,\n\t\ttooltip=\" \"];\n}\n",
         "letters 0 1\nstates s0 s1\nstart s0\naccept s1\ns0 0 s1\ns0 1 s1\ns1 eps s0\n",
         "several letters"},
        {"automata-lib before version 8",
         "digraph G {\nrankdir=LR;\ns0 [fillcolor=\"#66cc33\", style=filled];\n"
         "s1 [peripheries=2];\ns0 -> s1 [label=a];\ns1 -> s0 [label=a];\n}\n",
         PARITY, NULL},
        {"FAdo",
         "digraph finite_state_machine {\nrankdir=LR;\nsize=\"20,20\";\n"
         "node [shape = point]; \"dummys0\"\nnode [shape = circle]; \"s0\";\n"
         "\"dummys0\" -> \"s0\";\nnode [shape = doublecircle]; \"s1\";\n"
         "\"s0\" -> \"s1\" [label = \"a\"];\n \"s1\" -> \"s0\" [label = \"a\"];\n }\n",
         PARITY, NULL},
        {"python-statemachine",
         "digraph list {\ni [fillcolor=black, fixedsize=true, shape=circle, style=filled];\n"
         "i -> s0 [label=\"\"];\ns1 [peripheries=2];\n" EDGES "}\n",
         PARITY, NULL},
        {"Ragel",
         "digraph m {\n\trankdir=LR;\n\tnode [ shape = point ];\n\tENTRY;\n\tnode [ shape = circle "
         "];\n\ts0;\n\tnode [ fixedsize = true, shape = doublecircle ];\n\ts1;\n"
         "\tnode [ shape = circle ];\n" EDGES "\n\tENTRY -> s0 [ label = \"IN\" ];\n}\n",
         PARITY, NULL},
        {"JFLAP to DOT",
         "digraph jflap { rankdir=LR; \"\" [shape=none]; \"\" -> s0; s1 [shape=\"doublecircle\"]; "
         "s0 -> s1 [label=\"a\"]; s1 -> s0 [label=\"\xce\xbb\"] }",
         "letters a\nstates s0 s1\nstart s0\naccept s1\ns0 a s1\ns1 eps s0\n", "the empty word"},
    };
    CHECK(drawings);
}

Test(dot_writers, starts)
{
    static const drawing drawings[] = {
        {"shape=plain", "digraph { s1 [final=1] x [shape=plain]; x -> s0; " EDGES "}",
         "letters a\nstates s1 s0\nstart s0\naccept s1\ns1 a s0\ns0 a s1\n", NULL},
        {"a word at the arrow",
         "digraph { i [shape=point]; i -> s0 [label=<start>]; " EDGES "s1 [final=true] }", PARITY,
         NULL},
        {"start -> s0", "digraph { start -> s0; " EDGES "s1 [peripheries=2]}", PARITY, NULL},
        {"another name", "digraph { go -> s0; " EDGES "s1 [peripheries=2]}", PARITY, "the tail"},
        {"initial=1", "digraph { s0 [initial=1]; s1 [accepting=yes]; " EDGES "}", PARITY, NULL},
        {"one bold node", "digraph { s0 [style=bold]; s1 [peripheries=3]; " EDGES "}", PARITY,
         "the only bold node"},
        {"two bold nodes", "digraph { s0, s1 [style=bold]; " EDGES "}", NULL, "no start state"},
        {"two bold nodes", "digraph { node [style=bold]; " EDGES "}", NULL, "no start state"},
        {"arrow and attribute", "digraph { start -> s1; s0 [root=1]; " EDGES "}", NULL,
         "an arrow leads to another"},
        {"a label at an invisible node",
         "digraph { i [style=\"filled,invis\"]; i -> s0 [label=\"x/y\"]; " EDGES
         "s1 [peripheries=2] }",
         PARITY, "arrow to the start"},
        {"two starts", "digraph { i [shape=point]; i -> {s0 s1}; " EDGES "}",
         "letters a\nstates s0 s1\nstart s0 s1\ns0 a s1\ns1 a s0\n", "several start states"},
        {"a state of that name", "digraph { start -> s0 [label=b]; " EDGES "}", NULL,
         "no start state"},
        {"a legend",
         "digraph { i [shape=point]; i -> s0; key [shape=note, style=invis]; " EDGES
         "s1 [peripheries=2] }",
         PARITY, NULL},
    };
    CHECK(drawings);
}

Test(dot_writers, graphviz)
{
    static const drawing drawings[] = {
        {"defaults go to later nodes, within their subgraph",
         "digraph { start -> s0; subgraph cluster_x { node [shape=doublecircle]; s1; } " EDGES "}",
         PARITY, NULL},
        {"defaults of nodes in turn",
         "digraph { node [shape=circle]; start -> s0; node [shape=doublecircle]; s1; node "
         "[shape=circle]; " EDGES "}",
         PARITY, NULL},
        {"groups of nodes",
         "digraph { start -> s0; {s0 s1} -> {rank=same; s1; s0; s1} [label=a]; }",
         "letters a\nstates s0 s1\nstart s0\ns0 a s0\ns0 a s1\ns1 a s0\ns1 a s1\n", NULL},
        {"nodes in a row",
         "digraph { start -> s0; s0, s1 -> s1, s2 [label=a]; s1, s2 [shape=doublecircle]; }",
         "letters a\nstates s0 s1 s2\nstart s0\naccept s1 s2\ns0 a s1\ns0 a s2\ns1 a s1\n"
         "s1 a s2\n",
         NULL},
        {"a chain with ports and a group",
         "digraph { start -> s0; s0:n -> {s1} -> s0:p1:sw [label=a]; s1 [peripheries=2] }", PARITY,
         NULL},
        {"invisible edges",
         "digraph { start -> s0; s0 -> s2 [style=invis]; " EDGES "s1 [peripheries=2]; }",
         "letters a\nstates s0 s2 s1\nstart s0\naccept s1\ns0 a s1\ns1 a s0\n", NULL},
        {"labels of HTML",
         "digraph { start -> s0; s0 -> s1 [label=<<b>a</b>>]; s1 -> s0 [label=< <font "
         "color=\"red\">a</font> >]; s1 [peripheries=2] }",
         PARITY, NULL},
        {"a table of pairs",
         "digraph { start -> s0; s0 -> s0 [label=<<table border=\"0\"><tr><td>a / x</td></tr>\n"
         "<tr><td>b / y</td></tr></table>>] }",
         "letters a b\nstates s0\nstart s0\ns0 a s0 x\ns0 b s0 y\n", NULL},
        {"an arrow drawn backwards", "digraph { start -> s0; s0 -> s1 [label=a, dir=back] }", NULL,
         "attribute dir"},
        {"strict", "strict digraph { start -> s0; s0 -> s0 [label=a]; s0 -> s0 [label=b] }", NULL,
         "delete the word strict"},
        {"undirected", "strict graph { a -- b }", NULL, "undirected"},
        {"a probability", "digraph { start -> s0; s0 -> s0 [label=a, probability=1] }", NULL,
         "stochastic"},
        {"a weight", "digraph { start -> s0; s0 -> s0 [label=a, weight=0.5] }",
         "letters a\nstates s0\nstart s0\ns0 a s0\n", "weight of the drawing"},
        {"an unknown attribute", "digraph { start -> s0; s0 -> s0 [label=a, clock=x] }",
         "letters a\nstates s0\nstart s0\ns0 a s0\n", "does not know"},
        {"infinite words",
         "digraph { label=\"\\n[co-B\xc3\xbc"
         "chi]\"; start -> s0; " EDGES "}",
         NULL, "infinite words"},
        {"infinite words", "digraph { label=<GFa<br/>[B&uuml;chi]>; start -> s0; " EDGES "}", NULL,
         "--finite-words"},
        {"no label", "digraph { start -> s0; s0 -> s1 [symbol=a] }", NULL, "no edge of the graph"},
    };
    CHECK(drawings);
}

Test(dot_writers, outputs)
{
    static const drawing drawings[] = {
        {"below the name",
         "digraph { start -> s0; s0 [label=\"s0\\n1\"]; s1 [label=\"s1/0\"]; " EDGES "}",
         "letters a\nstates s0 s1\nstart s0\noutput s0 1\noutput s1 0\ns0 a s1\ns1 a s0\n",
         "a state and its output"},
        {"a description", "digraph { start -> s0; s0 [label=\"idle\\nwaits\"]; " EDGES "}",
         "letters a\nstates s0 s1\nstart s0\ns0 a s1\ns1 a s0\n", NULL},
        {"one without", "digraph { start -> s0; s0 [label=\"s0 / x\"]; " EDGES "}", NULL,
         "has no output, but others have"},
        {"final weights of OpenFst",
         "digraph FST { 0 [label=\"0/0.5\", style=bold]; 0 -> 0 [label=\"a\"] }", NULL, "weighted"},
        {"weights of OpenFst", "digraph FST { 0 [style=bold]; 0 -> 0 [label=\"a/2\"] }", NULL,
         "weighted"},
        {"a transducer of OpenFst", "digraph FST { 0 [style=bold]; 0 -> 0 [label=\"a:b\"] }", NULL,
         "transducers"},
        {"numbers of OpenFst", "digraph FST { 0 [style=bold]; 0 -> 0 [label=\"0\"] }", NULL,
         "--isymbols"},
    };
    CHECK(drawings);
}
