/* Recognition by content, AT&T text, GAP lists, and all syntaxes against each other. */
#include "automata/family/family.h"
#include "automata/import/gap/gap.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/import_support.h"

static f2l_syntax recognise(const char *text)
{
    return f2l_syntax_recognise(text, strlen(text));
}

Test(import, recognises_by_content)
{
    cr_assert_eq(recognise("start a\na x a\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("# comment with Transformation\n\tstart\ta\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("points 3\ntrack elements\npermute a (1 2)\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("\xef\xbb\xbf"
                           "fsa 1\r\n"),
                 F2L_SYNTAX_FSA);
    cr_assert_eq(recognise(""), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("hello world again"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("0 1 a\n1\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("0\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("0 0.0\n0 1 a\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("s0\ts1\ta\ta\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("0\t1\tTransformation\tTransformation\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("<?xml version=\"1.0\"?>"), F2L_SYNTAX_JFLAP);
    cr_assert_eq(recognise("\n <structure>"), F2L_SYNTAX_JFLAP);
    cr_assert_eq(recognise("<!-- x --><automaton>"), F2L_SYNTAX_JFLAP);
    cr_assert_eq(recognise("digraph G {}"), F2L_SYNTAX_DOT);
    cr_assert_eq(recognise("/* by hand */ // really\nstrict DiGraph {"), F2L_SYNTAX_DOT);
    cr_assert_eq(recognise("graph{a--b}"), F2L_SYNTAX_DOT);
    cr_assert_eq(recognise("\n{\"states\": []}"), F2L_SYNTAX_JSON);
    cr_assert_eq(recognise("[ Transformation( [ 2, 1 ] ) ]"), F2L_SYNTAX_GAP);
    cr_assert_eq(recognise("Transformation( [ 2, 1 ] )"), F2L_SYNTAX_GAP);
    cr_assert_eq(recognise("g := Group((1,2,3), (1,2));"), F2L_SYNTAX_GAP);
    cr_assert_eq(recognise("Group([ (1,2,3), (1,2) ])"), F2L_SYNTAX_GAP);
    cr_assert_eq(recognise("gap> quit;\n"), F2L_SYNTAX_GAP);
    cr_assert_eq(recognise("[{\"states\": []}]"), F2L_SYNTAX_JSON);
    cr_assert_eq(recognise("des (0, 1, 2)\n"), F2L_SYNTAX_AUT);
    cr_assert_eq(recognise("des(0,1,2)\n"), F2L_SYNTAX_AUT);
    cr_assert_eq(recognise("des 1 2\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("# x\n.i 2\n"), F2L_SYNTAX_KISS);
    cr_assert_eq(recognise(".5 x y\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("@NFA-explicit\n"), F2L_SYNTAX_MATA);
    cr_assert_eq(recognise("# from a rule\n@NFA\n%Alphabet 0\n"), F2L_SYNTAX_MATA);
    cr_assert_eq(recognise("@NFA 1 * 0\n"), F2L_SYNTAX_FSA);
    cr_assert_eq(recognise("Ops a:1 x:0\n"), F2L_SYNTAX_TIMBUK);
    cr_assert_eq(recognise("[0]\na,[0]->[1]\n"), F2L_SYNTAX_BA);
    cr_assert_eq(recognise("0\na,0->1\n"), F2L_SYNTAX_BA);
    cr_assert_eq(recognise("0\t1\ta,0->1\n"), F2L_SYNTAX_ATT);
    cr_assert_eq(recognise("<!-- <jflap> --><s:scxml/>"), F2L_SYNTAX_SCXML);
}

Test(import, refuses_empty_and_binary)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, "", 0, NULL, NULL, &err), F2L_EFORMAT);
    cr_assert_not_null(strstr(err.text, "empty"));
    cr_assert_eq(f2l_import(&nfa, "0 1 a\n0 \0 b\n", 12, NULL, NULL, &err), F2L_EFORMAT);
    cr_assert_eq(err.line, 2);
    cr_assert_eq(err.column, 3);
    cr_assert_not_null(strstr(err.text, "binary"));
    cr_assert_eq(f2l_import(&nfa, "0 1 \xff\n", 6, NULL, NULL, &err), F2L_EFORMAT);
    cr_assert_eq(err.column, 5);
    cr_assert_not_null(strstr(err.text, "UTF-8"));
    f2l_nfa_clear(&nfa);
}

static const char *const even_ones = "0 0 a\n0 1 b\n1 1 a\n1 0 b\n0\n";

Test(import_att, acceptor_with_start_on_line_1)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, even_ones, NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.states.count, 2);
    cr_assert(accepts(&fsa, "") && accepts(&fsa, "abb") && !accepts(&fsa, "ab"));
    f2l_fsa_clear(&fsa);
    /* A final line may come first: its state is the start. */
    cr_assert_eq(read_any(&fsa, "7\t0.0e5\r\n7\t8\tx\r\n8\t7\tx\r\n", NULL, NULL), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.states, fsa.start), "7");
    cr_assert(accepts(&fsa, "xx") && !accepts(&fsa, "x"));
    f2l_fsa_clear(&fsa);
}

Test(import_att, equal_outputs_weights_and_epsilon)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    const char *text =
        "0\t1\ta\ta\n1\t2\t@0@\t@0@\t0\n2 0 b 0.000\n1 1 b b -0e3\n0 0 <eps> <epsilon>\n2\t0\n";
    cr_assert_eq(read_any(&fsa, text, NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "a") && accepts(&fsa, "abbb") && accepts(&fsa, "aba") &&
              !accepts(&fsa, "b"));
    f2l_fsa_clear(&fsa);
}

Test(import_att, foma_and_hfst_escapes)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "0\t0\t \t \n"
                          "0\t0\t@_TAB_@\t@_TAB_@\n"
                          "0\t0\t@_COLON_@\n"
                          "0\n",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_neq(f2l_names_find(&fsa.letters, " ", 1), F2L_NO_INDEX);
    cr_assert_neq(f2l_names_find(&fsa.letters, "\t", 1), F2L_NO_INDEX);
    cr_assert_neq(f2l_names_find(&fsa.letters, ":", 1), F2L_NO_INDEX);
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa, "0\t1\t@_IDENTITY_SYMBOL_@\t@_IDENTITY_SYMBOL_@\n0\t0\ta\ta\n1\n",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "@_IDENTITY_SYMBOL_@");
    cr_assert_eq(fsa.letters.count, 2);
    f2l_fsa_clear(&fsa);
    refused("0\t0\ta\n0\t0\t@_UNKNOWN_SYMBOL_@\n0\n", 2, 5, "outside the file's alphabet");
    refused("0\t0\t@U.CASE.UP@\n", 1, 5, "flag diacritic");
}

/* An infinite weight says that a state is not final, and that an arc is not there. */
Test(import_att, infinite_weights)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, "0 inf\n0 1 a\n1 0 b\n1 0 a a Infinity\n1\n", NULL, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "a") && accepts(&fsa, "aba") && !accepts(&fsa, "") &&
              !accepts(&fsa, "aaa"));
    f2l_fsa_clear(&fsa);
}

/* Between tabs an empty label is the empty word where it cannot be anything else. */
Test(import_att, empty_columns)
{
    static const char two[] = "0\t1\ta\n1\t0\t\n0\t2\tb\n2\n";
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    refused(two, 2, 5, "an empty label");
    refused("0\t1\ta\t\n1\n", 1, 7, "transducers are refused");
    refused("0\t\ta\n1\n", 1, 3, "expected a state");
    refused("0\t1 \ta\n1\n", 1, 3, "blank at an end");
    refused("0\t1\ta \n1\n", 1, 5, "blank at an end");
    refused("0\t1\teps\n1\n", 1, 5, "--read-as epsilon=eps");
    refused("0\t1\t-1\n1\n", 1, 5, "k2 writes it");
    cr_assert_eq(read_any(&fsa, "0\t1\ta\n1\t0\t\t\n0\t2\tb\tb\t0\t\n2\t\n\t\n", NULL, NULL),
                 F2L_OK);
    cr_assert(accepts(&fsa, "b") && accepts(&fsa, "aab") && !accepts(&fsa, "a"));
    f2l_fsa_clear(&fsa);
    f2l_read_as as = {0};
    const f2l_import_options options = {.as = &as};
    cr_assert_eq(f2l_read_as_parse(&as, "epsilon=", NULL), F2L_OK);
    cr_assert_eq(read_any(&fsa, two, &options, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "b") && accepts(&fsa, "aab") && !accepts(&fsa, "a"));
    f2l_fsa_clear(&fsa);
    f2l_read_as_clear(&as);
}

/* The symbol of number 0 is the empty word, whatever its name. */
Test(import_att, symbol_of_zero)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_import_options options = {.symbols = "none 0\na 1\neps 2\n"};
    options.symbols_size = strlen(options.symbols);
    cr_assert_eq(read_any(&fsa, "0 1 none\n1 1 a\n1 1 eps\n1\n", &options, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 2);
    cr_assert(fsa.accept[fsa.start]);
    f2l_fsa_clear(&fsa);
}

Test(import_att, refuses_weights_transducers_and_several_machines)
{
    refused("0 1 a 0.5\n1\n", 1, 7, "weight other than 0");
    refused("0 1 a a 1e-3\n1\n", 1, 9, "weight other than 0");
    refused("0 1 a\n1 -Infinity\n", 2, 3, "weight other than 0");
    refused("0 1 a\n1 x\n", 2, 3, "expected a weight");
    refused("0 1 a b\n1\n", 1, 7, "transducers are refused");
    refused("0 1 a @0@\n1\n", 1, 7, "transducers are refused");
    refused("0 1 a a x\n", 1, 9, "expected a weight");
    refused("0 1 a\n1\n--\n0 1 b\n", 3, 1, "several machines");
    refused("0 1 a\n0 1 a b c d e\n", 2, 1, "expected 1 to 5 columns");
    refused("0 1 a\n0 1 a a 0 0\n", 2, 11, "more than 5 columns");
    refused("0\n0\t\ta\n", 2, 3, "expected a state");
}

Test(import_att, numeric_labels)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    const char *text = "0 1 1\n1 0 1 1\n0 0 2\n1 1 2 0\n0\n";
    refused(text, 1, 5, "numeric label");
    f2l_import_options options = {.numeric = true};
    cr_assert_eq(read_any(&fsa, text, &options, NULL), F2L_OK);
    cr_assert(accepts(&fsa, "121") && !accepts(&fsa, "12"));
    f2l_fsa_clear(&fsa);
    /* Numbers as names: 0 is a letter like others. */
    cr_assert_eq(read_any(&fsa, "0 0 0\n0\n", &options, NULL), F2L_OK);
    cr_assert_eq(fsa.letters.count, 1);
    f2l_fsa_clear(&fsa);
    refused_with("0 1 1 2\n1\n", &options, F2L_EFORMAT, 1, 7, "weight");

    options = (f2l_import_options){.symbols = "<eps> 0\none 01\ntwo\t2\n"};
    options.symbols_size = strlen(options.symbols);
    cr_assert_eq(read_any(&fsa,
                          "0 1 1 1\n"
                          "1 0 001\n"
                          "0 0 2\n"
                          "1 1 two two\n"
                          "1 2 0\n"
                          "2\n",
                          &options, NULL),
                 F2L_OK);
    cr_assert_neq(f2l_names_find(&fsa.letters, "one", 3), F2L_NO_INDEX);
    cr_assert_eq(fsa.letters.count, 2);
    f2l_fsa_clear(&fsa);
    refused_with("0 1 3\n", &options, F2L_EFORMAT, 1, 5, "not a number of the symbol table");
    refused_with("0 1 three\n", &options, F2L_EFORMAT, 1, 5, "not a symbol of the symbol table");
    options.symbols = "one 1\nuno 1\n";
    options.symbols_size = strlen(options.symbols);
    refused_with("0 1 1\n", &options, F2L_EFORMAT, 2, 5, "stands for two symbols");
    options.symbols = "one\n";
    options.symbols_size = strlen(options.symbols);
    refused_with("0 1 1\n", &options, F2L_EFORMAT, 1, 1, "expected a symbol and its number");
}

Test(import_gap, transformations)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    /* GAP leaves out trailing fixed points and breaks lines inside words. */
    const char *text = "[ Transformation( [ 2, 3, 1 ] ), Transf\\\normation( [ 2, \\\r\n1 ] ),\n  "
                       "IdentityTransformation ]\n";
    cr_assert_eq(read_any(&fsa, text, NULL, NULL), F2L_OK);
    cr_assert_eq(fsa.states.count, 3);
    cr_assert_eq(fsa.letters.count, 3);
    cr_assert(!fsa.has_accept);
    static const uint32_t next[9] = {1, 1, 0, 2, 0, 1, 0, 2, 2};
    cr_assert_arr_eq(fsa.next, next, sizeof next);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "b");
    cr_assert_str_eq(f2l_names_get(&fsa.states, 2), "3");
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "up:=Transformation([2,2]);; down := Transformation([1,1]); # both\n"
                          "S:=Semigroup(up,down);",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_eq(fsa.letters.count, 2);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "up");
    f2l_fsa_clear(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "rec(\n"
                          "  a := Transformation( [ 2, 1 ] ),\n"
                          "  z := Transformation( [ 1, 1 ] ) )",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "z");
    f2l_fsa_clear(&fsa);
}

Test(import_gap, anonymous_letters_pass_over_names_taken)
{
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa,
                          "a := Transformation([2,1]); Transformation([1,1]); "
                          "Transformation([2,2]);",
                          NULL, NULL),
                 F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 0), "a");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 1), "b");
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 2), "c");
    f2l_fsa_clear(&fsa);
    f2l_buf text;
    f2l_buf_init(&text);
    for (int i = 0; i < 27; i++) f2l_buf_text(&text, "Transformation([2,1]);");
    cr_assert_eq(read_any(&fsa, text.data, NULL, NULL), F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.letters, 26), "x27");
    f2l_buf_clear(&text);
    f2l_fsa_clear(&fsa);
}

Test(import_gap, permutations_track_elements)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    const char *text = "Group([ (1,2,3)(4,5), (1,2), () ])";
    cr_assert_eq(f2l_import_gap(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert(nfa.is_group);
    cr_assert_eq(nfa.group.points, 5);
    cr_assert_eq(nfa.group.track, F2L_TRACK_ELEMENTS);
    cr_assert_eq(nfa.group.states.count, 12);
    static const uint32_t perm[15] = {1, 2, 0, 4, 3, 1, 0, 2, 3, 4, 0, 1, 2, 3, 4};
    cr_assert_arr_eq(nfa.group.perm, perm, sizeof perm);
    cr_assert_str_eq(nfa.source, "GAP");
    f2l_nfa_clear(&nfa);
}

Test(import_gap, limits)
{
    f2l_import_options few = {.max_states = 100};
    refused_with("Group((1,2,3,4,5),(1,2))", &few, F2L_UNKNOWN, 0, 0, "100");
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "[(1,1000000)");
    for (int i = 0; i < 20; i++) f2l_buf_text(&text, ",(1,2)");
    f2l_buf_text(&text, "]");
    refused_with(text.data, NULL, F2L_UNKNOWN, 0, 0, "more than");
    f2l_buf_clear(&text);
}

Test(import_gap, refuses)
{
    refused("Transformation( [ 2, 3 ] )", 1, 1, "image beyond n");
    refused("[ Transformation( [ 2, x ] ) ]", 1, 24, "expected a point");
    refused("[ Transformation( [ 2, 0 ] ) ]", 1, 24, "expected a point");
    refused("[ Transformation( [ 2, 1 ) ]", 1, 26, "expected \"]\"");
    refused("[ (1,2), Transformation([2,1]) ]", 0, 0, "permutations and transformations");
    refused("(1,2)(2,3)", 1, 7, "point twice");
    refused("(1,2,2)", 1, 6, "point twice");
    refused("(1,2,1)", 1, 6, "point twice");
    refused("(1,1)", 1, 4, "point twice");
    refused("a:=\n (1)", 2, 2, "cycle of one point");
    refused("(1,1000001)", 1, 4, "beyond 1000000");
    refused("a := (1,2); a := (1,2,3);", 1, 13, "assigned twice");
    refused("a := SymmetricGroup(4);", 1, 6, "expected Transformation");
    refused("a := [ ];", 0, 0, "no transformation or permutation");
    refused("a := rec( b )", 1, 13, "NAME := VALUE");
    refused("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[(1,2)]]]]]", 1, 33, "nested too deeply");
}

/* Writes the automaton in the syntax of another program, with letters a, b, .. and states 1, 2,
 * ... */
static void write_as(f2l_buf *out, const f2l_fsa *fsa, f2l_syntax syntax)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    out->size = 0;
    if (syntax == F2L_SYNTAX_DOT) f2l_buf_text(out, "digraph LearnedModel {\n");
    if (syntax == F2L_SYNTAX_JFLAP) f2l_buf_text(out, "<structure><type>fa</type><automaton>\n");
    for (size_t q = 0; q < n; q++) {
        if (syntax == F2L_SYNTAX_DOT)
            f2l_buf_printf(out, "%zu [label=\"%zu\"%s];\n", q + 1, q + 1,
                           fsa->accept[q] ? ", shape=doublecircle" : "");
        if (syntax == F2L_SYNTAX_JFLAP)
            f2l_buf_printf(out, "<state id=\"%zu\" name=\"%zu\">%s%s</state>\n", q, q + 1,
                           q == 0 ? "<initial/>" : "", fsa->accept[q] ? "<final/>" : "");
    }
    for (size_t i = 0; i < n * k; i++) {
        size_t from = i / k + 1, to = fsa->next[i] + (size_t)1;
        const char *letter = f2l_names_get(&fsa->letters, i % k);
        if (syntax == F2L_SYNTAX_ATT)
            f2l_buf_printf(out, "%zu\t%zu\t%s\t%s\n", from, to, letter, letter);
        if (syntax == F2L_SYNTAX_DOT)
            f2l_buf_printf(out, "%zu -> %zu [label=\"%s\"];\n", from, to, letter);
        if (syntax == F2L_SYNTAX_JFLAP)
            f2l_buf_printf(out,
                           "<transition><from>%zu</from><to>%zu</to><read>%s</read></transition>\n",
                           from - 1, to - 1, letter);
    }
    for (size_t q = 0; q < n && syntax == F2L_SYNTAX_ATT; q++)
        if (fsa->accept[q]) f2l_buf_printf(out, "%zu\n", q + 1);
    if (syntax == F2L_SYNTAX_DOT)
        f2l_buf_text(out, "__start0 [label=\"\", shape=none];\n__start0 -> 1 [label=\"\"];\n}\n");
    if (syntax == F2L_SYNTAX_JFLAP) f2l_buf_text(out, "</automaton></structure>\n");
    for (size_t a = 0; a < k && syntax == F2L_SYNTAX_GAP; a++) {
        f2l_buf_text(out, a == 0 ? "[ Transformation( [ " : "Transformation( [ ");
        for (size_t q = 0; q < n; q++)
            f2l_buf_printf(out, "%s%zu", q == 0 ? "" : ", ", fsa->next[q * k + a] + (size_t)1);
        f2l_buf_text(out, a + 1 < k ? " ] ),\n" : " ] ) ]\n");
    }
}

/* Writes it in a syntax that has a line or an item for each transition. */
static void write_list_as(f2l_buf *out, const f2l_fsa *fsa, f2l_syntax syntax)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    const bool json = syntax == F2L_SYNTAX_JSON;
    out->size = 0;
    if (syntax == F2L_SYNTAX_AUT) f2l_buf_printf(out, "des (0, %zu, %zu)\n", n * k, n);
    if (syntax == F2L_SYNTAX_MATA) f2l_buf_text(out, "@NFA-explicit\n%Initial 0\n");
    if (json) f2l_buf_text(out, "{\"states\": [0");
    for (size_t q = 1; q < n && json; q++) f2l_buf_printf(out, ", %zu", q);
    if (json) f2l_buf_text(out, "], \"q0\": 0, \"accept\": [");
    for (size_t q = 0, first = 1; q < n; q++) {
        if (syntax == F2L_SYNTAX_MATA && fsa->accept[q]) f2l_buf_printf(out, "%%Final %zu\n", q);
        if (!json || !fsa->accept[q]) continue;
        f2l_buf_printf(out, "%s%zu", first ? "" : ", ", q);
        first = 0;
    }
    if (json) f2l_buf_text(out, "], \"transitions\": [");
    for (size_t i = 0; i < n * k; i++) {
        const size_t from = i / k, to = fsa->next[i];
        const char *letter = f2l_names_get(&fsa->letters, i % k);
        if (syntax == F2L_SYNTAX_AUT) f2l_buf_printf(out, "(%zu, \"%s\", %zu)\n", from, letter, to);
        if (syntax == F2L_SYNTAX_MATA) f2l_buf_printf(out, "%zu %s %zu\n", from, letter, to);
        if (json) f2l_buf_printf(out, "%s[%zu, \"%s\", %zu]", i ? ", " : "", from, letter, to);
    }
    if (json) f2l_buf_text(out, "]}\n");
}

Test(import, all_syntaxes_agree_on_random_automata)
{
    const uint64_t seed = 20;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    f2l_buf text;
    f2l_buf_init(&text);
    for (int round = 0; round < 60; round++) {
        uint64_t number[3] = {1 + f2l_rng_below(&rng, 12), 1 + f2l_rng_below(&rng, 4),
                              f2l_rng_u64(&rng)};
        f2l_fsa drawn;
        f2l_fsa_init(&drawn);
        cr_assert_eq(f2l_family_build(&drawn, "random", number, 3, false, NULL), F2L_OK);
        static const f2l_syntax syntax[] = {F2L_SYNTAX_ATT, F2L_SYNTAX_DOT, F2L_SYNTAX_JFLAP,
                                            F2L_SYNTAX_GAP, F2L_SYNTAX_AUT, F2L_SYNTAX_MATA,
                                            F2L_SYNTAX_JSON};
        f2l_fsa reached;
        f2l_fsa_init(&reached);
        f2l_buf fsa_text;
        f2l_buf_init(&fsa_text);
        cr_assert_eq(f2l_fsa_write(&fsa_text, &drawn, NULL), F2L_OK);
        cr_assert_eq(read_any(&reached, fsa_text.data, NULL, NULL), F2L_OK);
        f2l_buf_clear(&fsa_text);
        for (size_t s = 0; s < sizeof syntax / sizeof *syntax; s++) {
            f2l_fsa read;
            f2l_fsa_init(&read);
            (s < 4 ? write_as : write_list_as)(&text, &drawn, syntax[s]);
            cr_assert_eq(recognise(text.data), syntax[s]);
            f2l_error err = {0};
            cr_assert_eq(read_any(&read, text.data, NULL, &err), F2L_OK, "seed %llu: %s\n%s",
                         (unsigned long long)number[2], err.text, text.data);
            /* DOT and GAP files may lack accepting states. */
            cr_assert(isomorphic(&reached, &read),
                      "seed %llu\n"
                      "%s",
                      (unsigned long long)number[2], text.data);
            f2l_fsa_clear(&read);
        }
        f2l_fsa_clear(&reached);
        f2l_fsa_clear(&drawn);
    }
    f2l_buf_clear(&text);
}

Test(import, memory_failures)
{
    survives_memory_failures("0 1 a a\n1 0 b 0\n1\n");
    survives_memory_failures("0\t1\t[a-c]\n1\t0\t\t\n1\t1\tb\t0\n1\n");
    survives_memory_failures("HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY--\n"
                             "State: 0 [!0] 0 [0] 1\nState: 1\n--END--");
    survives_memory_failures("start s\ns a,b s\ns eps t\n");
    survives_memory_failures("[ Transformation( [ 2, 3, 1 ] ), Transformation( [ 2, 1 ] ) ]");
    survives_memory_failures("g := Group((1,2,3), (1,2));");
    survives_memory_failures("digraph { a [label=\"a|1\"]; __start0 -> a; a -> a [label=\"x\"]; }");
    survives_memory_failures(
        "digraph MONA_DFA { node [shape=doublecircle]; 0; init -> 0; 0 -> 0 [label=\"0,1\"]; }");
}

static void check_example(const char *path, size_t states, size_t letters, f2l_track track)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_error err = {0};
    cr_assert_eq(f2l_read_file(&text, path, 0, &err), F2L_OK, "%s: %s", path, err.text);
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, text.data, NULL, &err), F2L_OK, "%s: %s", path, err.text);
    cr_assert_eq(fsa.states.count, states, "%s: %zu states", path, fsa.states.count);
    cr_assert_eq(fsa.letters.count, letters);
    cr_assert_eq(fsa.track, track);
    f2l_fsa_clear(&fsa);
    f2l_buf_clear(&text);
}

Test(import, examples)
{
    check_example("examples/parity.fsa", 2, 2, F2L_TRACK_STATES);
    check_example("examples/cyclic5.fsa", 5, 5, F2L_TRACK_STATES);
    check_example("examples/s3.fsa", 6, 6, F2L_TRACK_ELEMENTS);
    check_example("examples/s5_generators.fsa", 120, 2, F2L_TRACK_ELEMENTS);
    check_example("examples/shuffle.fsa", 3, 2, F2L_TRACK_POINTS);
    check_example("examples/tomita4.fsa", 4, 2, F2L_TRACK_STATES);
}
