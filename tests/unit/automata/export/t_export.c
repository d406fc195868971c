/* What is written is read back as the same automaton, in every syntax. */
#include "automata/export/export.h"
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/import_support.h"

static const f2l_export_format *format_of(const char *name)
{
    const f2l_export_format *f = f2l_export_formats;
    while (f->name && strcmp(f->name, name) != 0) f++;
    cr_assert_not_null(f->name, "%s", name);
    return f;
}

/* Writes the automaton and reads it back; numbers are then letters. */
static void read_back(f2l_fsa *out, const f2l_export_format *format, const f2l_nfa *nfa)
{
    f2l_buf text;
    f2l_error err = {0};
    f2l_buf_init(&text);
    f2l_fsa_init(out);
    cr_assert_eq(f2l_export(&text, format, nfa, &err), F2L_OK, "%s: %s", format->name, err.text);
    cr_assert_eq(read_any(out, text.data, &(f2l_import_options){.numeric = true}, &err), F2L_OK,
                 "%s: %s\n%s", format->name, err.text, text.data);
    f2l_buf_clear(&text);
}

static void check_total(const char *kind, uint64_t n)
{
    f2l_fsa fsa, back;
    f2l_nfa nfa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, kind, &n, n > 0, false, &err), F2L_OK, "%s", err.text);
    for (const f2l_export_format *f = f2l_export_formats; f->name; f++) {
        f2l_nfa_init(&nfa);
        cr_assert_eq(f2l_nfa_from_fsa(&nfa, &fsa, &err), F2L_OK);
        if (strcmp(f->name, "jflap") != 0 || strcmp(kind, "flipflop") != 0) {
            read_back(&back, f, &nfa);
            cr_assert(isomorphic(&fsa, &back), "%s as %s", kind, f->name);
            f2l_fsa_clear(&back);
        }
        f2l_nfa_clear(&nfa);
    }
    f2l_fsa_clear(&fsa);
}

Test(export, total_automata_in_all_syntaxes)
{
    check_total("tomita", 4);
    check_total("definite", 3);
    check_total("parity", 0);
    check_total("flipflop", 0);
}

static const char *const many_starts =
    "fsa 1\nletters a b\nstates p q \"r s\"\nstart p q\naccept q\n"
    "p a q\np a \"r s\"\nq b p\nq eps \"r s\"\n\"r s\" a q\n";

/* The same languages, also where the syntax has one start state. */
Test(export, automata_that_are_not_deterministic)
{
    static const char *const words[] = {"",   "a",  "b",   "ab",  "ba",   "aa",
                                        "bb", "ba", "aab", "bab", "abab", "baab"};
    f2l_fsa fsa, back;
    f2l_nfa nfa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, many_starts, NULL, NULL), F2L_OK);
    nfa_from_text(&nfa, many_starts);
    for (const f2l_export_format *f = f2l_export_formats; f->name; f++) {
        read_back(&back, f, &nfa);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            cr_assert_eq(accepts(&fsa, words[i]), accepts(&back, words[i]), "%s: %s", f->name,
                         words[i]);
        f2l_fsa_clear(&back);
    }
    f2l_nfa_clear(&nfa);
    f2l_fsa_clear(&fsa);
}

static void check_text(const char *format, const char *input, const char *expected)
{
    f2l_nfa nfa;
    f2l_buf text;
    f2l_error err = {0};
    f2l_buf_init(&text);
    nfa_from_text(&nfa, input);
    cr_assert_eq(f2l_export(&text, format_of(format), &nfa, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(text.data, expected);
    f2l_buf_clear(&text);
    f2l_nfa_clear(&nfa);
}

Test(export, texts)
{
    check_text("fsa", many_starts, many_starts);
    check_text("fsa", "start q\nq b q\nq a p\nq a p\np eps q\n",
               "fsa 1\nletters b a\nstates q p\nstart q\nq b q\nq a p\np eps q\n");
    /* The lines of the start are first, whatever its number. */
    check_text("att", "states p q\nstart q\naccept p\nq \" \" p\np eps p\n",
               "1\t0\t@_SPACE_@\n0\t0\t<eps>\n0\n");
    check_text("dot", "start p\naccept p\np \"x\\\"\" q\nq a p\n",
               "digraph automaton {\n"
               "graph [read_as=\"labels=letters,epsilon=\xce\xb5\"];\n"
               "\"p\" [label=\"p\", shape=doublecircle];\n"
               "\"q\" [label=\"q\"];\n\"p\" -> \"q\" [label=\"x\\\"\"];\n"
               "\"q\" -> \"p\" [label=\"a\"];\n__start0 [label=\"\", shape=none];\n"
               "__start0 -> \"p\" [label=\"\"];\n}\n");
    check_text("dot", "start p\np a q x\nq a p y\n",
               "digraph automaton {\n\"p\" [label=\"p\"];\n\"q\" [label=\"q\"];\n"
               "\"p\" -> \"q\" [label=\"a/x\"];\n\"q\" -> \"p\" [label=\"a/y\"];\n"
               "__start0 [label=\"\", shape=none];\n__start0 -> \"p\" [label=\"\"];\n}\n");
    check_text("jflap", "start p\naccept p\np \"<\" p\n",
               "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
               "<structure>\n<type>fa</type>\n<automaton>\n"
               "<state id=\"0\" name=\"p\"><initial/><final/></state>\n"
               "<transition><from>0</from><to>0</to><read>&lt;</read></transition>\n"
               "</automaton>\n</structure>\n");
}

/* Moore machines keep their outputs where the syntax has them. */
Test(export, outputs)
{
    static const char *const moore = "start p\naccept q\noutput p x\noutput q y\np a q\nq a p\n";
    static const char *const with[] = {"fsa", "dot", "jflap"};
    f2l_fsa fsa, back;
    f2l_nfa nfa;
    fsa_from_text(&fsa, moore);
    for (size_t i = 0; i < 3; i++) {
        nfa_from_text(&nfa, moore);
        read_back(&back, format_of(with[i]), &nfa);
        cr_assert_eq(back.outputs.count, 2, "%s", with[i]);
        cr_assert(back.has_accept);
        cr_assert(isomorphic(&fsa, &back), "%s", with[i]);
        f2l_fsa_clear(&back);
        f2l_nfa_clear(&nfa);
    }
    f2l_fsa_clear(&fsa);
}

static void check_refused(const char *format, const char *input, const char *message)
{
    f2l_nfa nfa;
    f2l_buf text;
    f2l_error err = {0};
    f2l_buf_init(&text);
    nfa_from_text(&nfa, input);
    cr_assert_eq(f2l_export(&text, format_of(format), &nfa, &err), F2L_EDOMAIN, "%s", input);
    cr_assert_not_null(strstr(err.text, message), "%s", err.text);
    f2l_buf_clear(&text);
    f2l_nfa_clear(&nfa);
}

Test(export, refuses_what_a_syntax_cannot_say)
{
    check_refused("att", "start p\noutput p x\np a p\n", "outputs of states");
    check_refused("json", "start p\np a p x\n", "outputs of transitions");
    check_refused("jflap", "start p\np a p x\n", "outputs of transitions");
    check_refused("att", "start p\np \"a b\" p\n", "`a b` has a blank");
    check_refused("att", "start p\np <eps> p\n", "`<eps>` has another meaning");
    check_refused("att", "start p\np \"@0@\" p\n", "`@0@` has another meaning");
    check_refused("att", "start p\naccept q\nq a p\n", "start state `p` has no transition");
    check_refused("dot", "start p\np \"\xce\xb5\" p\n", "empty word");
    check_refused("dot", "start p\np \"a\\\\\" p\n", "backslash");
    check_refused("dot", "start p\noutput p \"x|y\"\np a p\n", "separates an output");
    check_refused("jflap", "start p\np ab p\n", "`ab` is not one character");
    check_refused("jflap", "start \"p \"\n\"p \" a \"p \"\n", "blank");
    check_refused("jflap", "start p\np \xce\xbb p\n", "the empty word");
    check_refused("att", "start p\np eps2 p\np \"eps\" p\n", "`eps` has another meaning");
    check_refused("att", "start p\np -1 p\n", "`-1` has another meaning");
    check_refused("json", "start p\np \"\" p\n", "empty word");
}

Test(export, endings)
{
    cr_assert_str_eq(f2l_export_by_name_of_file("a/b.txt")->name, "att");
    cr_assert_str_eq(f2l_export_by_name_of_file("x.gv")->name, "dot");
    cr_assert_str_eq(f2l_export_by_name_of_file("x.json")->name, "json");
    cr_assert_null(f2l_export_by_name_of_file(".fsa"));
    cr_assert_null(f2l_export_by_name_of_file("fsa"));
}
