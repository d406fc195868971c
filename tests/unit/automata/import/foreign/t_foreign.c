/* Formats that are not read: each is named, and nothing that a reader takes is refused for it. */
#include "automata/import/foreign/foreign.h"
#include "automata/import/foreign/impl.h"
#include "tests/support/automata/import_support.h"

static const struct {
    const char *name, *text;
} cases[] = {
    {"pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"},
    {"TAF", "dfa {a,b} {\n\ts [initial] {\n\t\ta -> s\n\t}\n}\n"},
    {"TAF", "mealy {a} {\n\ts [initial] {\n\t\ta / x -> s\n\t}\n}\n"},
    {"mCRL2 (FSM)", "label(2) label \"no\" \"yes\"\n---\n0\n1\n---\n1 2 \"a\"\n2 1 \"b\"\n"},
    {"Timbuk", "Ops\na:1\n\nAutomaton T\n\nStates\nq\n"},
    {"MONA", "# relations\npred even(var2 x) = (0 notin x);\n"},
    {"Fast", "Alphabet T[x:int]{Z(0),S(1)}\nLang p : T {\n  Z() where true\n}\n"},
    {"temporal logic", "( G ( F (taken)) & !(waits)) U (done)\n"},
    {"GOAL", "<structure label-on=\"transition\" type=\"fa\"/>"},
    {"UPPAAL", "process P() {\nstate s, t;\ninit s;\ntrans s -> t {};\n}\nsystem P;\n"},
    {"LoLA", "PLACE p, q;\nMARKING p: 1;\nTRANSITION t\nCONSUME p: 1;\nPRODUCE q: 1;\n"},
    {"HTML", "<HTML><BODY/></HTML>"},
    {"pickle", "ccopy_reg\n_reconstructor\n"},
    {"pickle", "(dp0\nS'a'\n"},
    {"PlantUML or Mermaid", "[*] --> p\np --> q : a\n"},
    {"ANTLR", "parser grammar P;\ns : A ;\n"},
    {"Lark", "?start: word\nword: WORD\n"},
    {"EBNF", "digit = \"0\" | \"1\" ;\nnumber = digit, { digit } ;\n"},
    {"flex", "%%\n[0-9]+ return 1;\n%%\n"},
    {"Markdown", "# Parity\n\nIts table:\n\n| q | 0 | 1 |\n|---|---|---|\n| e | e | o |\n"},
    {"a table", "State a b\nq0 q1 q0\nq1 q0 q1\n"},
    {"a picture or an archive", "\x89PNG\r\n"
                                "\x1a\n"},
    {"a picture (PDF)", "%PDF-1.7\n"},
    {"gzip", "\x1f\x8b\x08\x08"},
    {"ZIP", "PK\x03\x04\x14"},
    {"OpenFst", "\xd6\xfd\xb2\x7e\x06"},
    {"HFST", "HFST\x01\x02"},
    {"pickle", "\x80\x04\x95\x10"},
    {"AIGER", "aag 3 2 0 1 1\n"
              "2\n"
              "4\n"
              "6\n"
              "6 2 4\n"},
    {"AIGER", "aig 3 2 0 1 1\n"
              "6\n"},
    {"GOAL", "<?xml version=\"1.0\"?>\n"
             "<Structure label-on=\"Transition\" type=\"FiniteStateAutomaton\"/>"},
    {"UPPAAL", "<!DOCTYPE nta PUBLIC 'x' 'y'>\n"
               "<nta><declaration/></nta>"},
    {"PNML", "<?xml version=\"1.0\"?><pnml xmlns=\"x\"><net/></pnml>"},
    {"TINA", "net small\n"
             "tr t1 p1 -> p2\n"
             "pl p1 (1)\n"},
    {"draw.io", "<mxfile host=\"app\"/>"},
    {"GraphML", "<graphml xmlns=\"x\"/>"},
    {"SVG", "<svg width=\"10\"/>"},
    {"page of HTML", "<!DOCTYPE html>\n"
                     "<html><body/></html>"},
    {"table of HTML", "<table><tr><td>q0</td></tr></table>"},
    {"JANI", "{\"jani-version\": 1, \"name\": \"m\", \"automata\": []}"},
    {"JavaScript", "import { createMachine } from 'xstate';\n"
                   "export default createMachine({\n"
                   " initial: 'a'})\n"},
    {"JavaScript", "const m = Machine({ initial: 'a' });\n"},
    {"acceptance on transitions", "HOA: v1\n"
                                  "States: 1\n"
                                  "Start: 0\n"
                                  "AP: 1 \"a\"\n"
                                  "Acceptance: 1 Inf(0)\n"
                                  "--BODY--\n"
                                  "State: 0\n"
                                  "[0] 0 {0}\n"
                                  "--END--\n"},
    {"never claim", "never { /* G a */\n"
                    "T0_init:\n"
                    "  if\n"
                    "  :: (a) -> goto T0_init\n"
                    "  fi;\n"
                    "}\n"},
    {"Promela", "mtype = {req, ack};\n"
                "active proctype P() {\n"
                "  do :: skip od\n"
                "}\n"},
    {"mCRL2", "act a, b;\n"
              "proc X = a . Y;\n"
              "     Y = b . X;\n"
              "init X;\n"},
    {"mCRL2", "act a, b;\n"
              "init a . b . delta;\n"},
    {"SMV", "MODULE main\n"
            "VAR\n"
            "  s : {a, b};\n"
            "ASSIGN\n"
            "  init(s) := a;\n"},
    {"PRISM", "dtmc\n"
              "module m\n"
              "  s : [0..1] init 0;\n"
              "  [] s=0 -> 0.5:(s'=1) + 0.5:(s'=0);\n"
              "endmodule\n"},
    {"Verilog", "module fsm(input clk, output reg y);\n"
                "always @(posedge clk) y <= 1;\n"
                "endmodule\n"},
    {"VHDL", "library ieee;\n"
             "entity fsm is end;\n"
             "architecture rtl of fsm is\n"
             "begin\n"
             "end;\n"},
    {"BLIF", ".model m\n"
             ".inputs a\n"
             ".outputs y\n"
             ".latch y s 0\n"
             ".end\n"},
    {"PLA", ".i 2\n"
            ".o 1\n"
            "01 1\n"
            "1- 0\n"
            ".e\n"},
    {"KISS2 without its header", "00 s0 s1 1\n"
                                 "01 s0 s0 0\n"
                                 "1- s1 s0 1\n"},
    {"Timbuk", "Ops a:0 f:2\n"
               "\n"
               "Automaton A\n"
               "States q0 q1\n"
               "Final States q1\n"
               "Transitions\n"
               "a() -> q0\n"
               "f(q0,q0) -> q1\n"},
    {"FAdo", "@DFA 1 * 0\n"
             "0 a 1\n"
             "1 b 0\n"},
    {"FAdo", "@NFA 1 * 0\n"
             "0 a 1\n"
             "0 a 0\n"},
    {"transducer of FAdo", "@Transducer 1 * 0\n"
                           "0 a b 1\n"},
    {"Grail", "(START) |- 0\n"
              "0 a 1\n"
              "1 b 0\n"
              "1 -| (FINAL)\n"},
    {"package Automata", "a := Automaton(\"det\", 2, \"ab\", [[2,1],[1,2]], [1], [2]);\n"},
    {"Abbadingo", "4 2\n"
                  "1 3 0 1 0\n"
                  "0 2 1 1\n"
                  "1 1 0\n"
                  "0 0\n"},
    {"LBTT", "2 1s\n"
             "0 1 -1\n"
             "1 t\n"
             "-1\n"
             "1 0 0 -1\n"
             "1 t\n"
             "-1\n"},
    {"Ragel", "%%{\n"
              "  machine m;\n"
              "  main := 'a'* 'b';\n"
              "}%%\n"},
    {"Bison", "%token A B\n"
              "%%\n"
              "s: A s B | ;\n"
              "%%\n"},
    {"flex", "%option noyywrap\n"
             "%%\n"
             "[0-9]+ { return 1; }\n"
             "%%\n"},
    {"PlantUML", "@startuml\n"
                 "[*] --> p\n"
                 "p --> q : a\n"
                 "@enduml\n"},
    {"Mermaid", "stateDiagram-v2\n"
                "  [*] --> p\n"
                "  p --> q : a\n"},
    {"Mermaid", "flowchart LR\n"
                "  p -- a --> q\n"},
    {"Mermaid", "graph TD\n"
                "  p -->|a| q\n"},
    {"TikZ", "\\begin{tikzpicture}\n"
             "\\n"
             "ode[state] (q) {$q$};\n"
             "\\end{tikzpicture}\n"},
    {"MONA", "ws1s;\n"
             "var2 P;\n"
             "0 in P;\n"},
    {"MONA", "m2l-str;\n"
             "var2 P;\n"},
    {"Thrax", "import 'byte.grm' as bytes;\n"
              "export A = Optimize[\"a\"*];\n"},
    {"lexc", "Multichar_Symbols +N\n"
             "LEXICON Root\n"
             "cat Noun ;\n"},
    {"XFST", "define V [a|e|i|o|u];\n"
             "regex V+;\n"},
    {"XFST", "regex [a b]*;\n"},
    {"XFST", "read regex [a b]*;\n"},
    {"SFST", "$V$ = [aeiou]\n"
             "$V$ $V$*\n"},
    {"grammar of ANTLR", "grammar Expr;\n"
                         "expr : expr '+' expr | INT ;\n"
                         "INT : [0-9]+ ;\n"},
    {"lexer of ANTLR", "lexer grammar L;\n"
                       "INT : [0-9]+ ;\n"},
    {"Lark", "start: word+\n"
             "word: WORD\n"
             "%import common.WORD\n"},
    {"Lark", "start: word+\n"
             "%ignore \" \"\n"},
    {"Lark", "start: word\n"
             "    | word start\n"
             "word: \"a\"\n"},
    {"libfsm", "start: 0;\n"
               "0 -> 1 \"a\";\n"
               "1 -> 0 \"b\";\n"
               "end: 1;\n"},
    {"libfsm", "0 -> 1 \"a\";\n"
               "1 -> 0;\n"
               "end: 1;\n"},
    {"EBNF", "word ::= letter | letter word\n"
             "letter ::= \"a\"\n"},
    {"YAML", "states:\n"
             "  - p\n"
             "  - q\n"},
    {"YAML", "transitions:\n"
             "  p: {a: q}\n"},
    {"Python", "import aalpy\n"
               "d = aalpy.Dfa()\n"},
    {"Python", "from automata.fa.dfa import DFA\n"
               "d = DFA()\n"},
    {"a table", "state,a,b\n"
                "q0,q1,q0\n"
                "q1,q0,q1\n"},
    {"a table", "\xce\xb4;0;1\n"
                "q0;q1;q0\n"},
    {"Markdown", "| | a | b |\n"
                 "|---|---|---|\n"
                 "| q0 | q1 | q0 |\n"},
    {"regular expression", "(a|b)*abb\n"},
};

Test(import_foreign, each_format_is_named_with_a_way_to_convert_it)
{
    uint8_t *named = calloc(f2l_foreign_count, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f2l_error err = {0};
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        const f2l_status status =
            f2l_import(&nfa, cases[i].text, strlen(cases[i].text), NULL, NULL, &err);
        cr_assert(status == F2L_EFORMAT || status == F2L_EDOMAIN, "%s: %s", cases[i].name,
                  f2l_status_name(status));
        const char *said = strstr(err.text, ", which is not read: ");
        cr_assert(strncmp(err.text, "this looks like ", 16) == 0 && said, "%s: %s", cases[i].text,
                  err.text);
        const char *name = strstr(err.text, cases[i].name);
        cr_assert(name && name < said, "%s: %s", cases[i].name, err.text);
        cr_assert_not_null(strchr(said, '('), "what the reader said remains: %s", err.text);
        for (size_t k = 0; k < f2l_foreign_count; k++)
            if (strncmp(err.text + 16, f2l_foreign_table[k].name,
                        strlen(f2l_foreign_table[k].name)) == 0)
                named[k] = 1;
        f2l_nfa_clear(&nfa);
    }
    for (size_t k = 0; k < f2l_foreign_count; k++)
        cr_assert(named[k], "no case for %s", f2l_foreign_table[k].name);
    free(named);
}

Test(import_foreign, what_a_reader_takes_is_not_refused)
{
    /* Labels and names that are marks of other formats. */
    static const char *const good[] = {
        "start MODULE\naccept proctype\nMODULE |- proctype\nproctype ::= MODULE\n",
        "0\t1\t@startuml\n1\t0\tcreateMachine(\n1\n",
        "0 1 -> \n1 0 ;\n0\n",
        "digraph { graph [label=\"%token --> ::= <svg\"]; __start0 -> p; p -> p [label=\"%%\"]; }",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        f2l_error err = {0};
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        cr_assert_eq(f2l_import(&nfa, good[i], strlen(good[i]), NULL, NULL, &err), F2L_OK, "%s: %s",
                     good[i], err.text);
        f2l_nfa_clear(&nfa);
    }
}

Test(import_foreign, own_formats_keep_their_errors)
{
    static const char *const own[] = {
        "fsa 1\nletters a\n",
        "start p\nstart q\n",
        "digraph { p -> }",
        "HOA: v2\n",
        "{\"states\": 1}",
        "rules\na = (\n",
        "0 1 a 3\n",
        "<structure><type>pda</type></structure>",
        "Transformation([2,3])",
        "des (0, 1)\n",
        "@NFA-bits\n",
        ".i 1\n.o 1\n0 a b -\n",
        "a,0->1\n0\n",
        "states p q\np a q\n",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        f2l_error err = {0};
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        cr_assert_neq(f2l_import(&nfa, own[i], strlen(own[i]), NULL, NULL, &err), F2L_OK, "%s",
                      own[i]);
        cr_assert_null(strstr(err.text, "this looks like"), "%s: %s", own[i], err.text);
    }
}

Test(import_foreign, tables_that_are_att_text_are_noted)
{
    const char *text = "state\ta\tb\nq0\tq1\tq0\n";
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 1);
    cr_assert_not_null(strstr(nfa.notes.item[0].text, "table"));
    f2l_nfa_clear(&nfa);
}

Test(import_foreign, places_and_status_remain)
{
    f2l_error err;
    (void)f2l_fail_at(&err, 3, 4, "a reason");
    f2l_foreign_name(&err, "@startuml\n", 10);
    cr_assert_eq(err.status, F2L_EFORMAT);
    cr_assert(err.line == 3 && err.column == 4);
    cr_assert_not_null(strstr(err.text, "(a reason)"));
    f2l_foreign_name(NULL, "@startuml\n", 10);
}
