/* Labels of JFLAP's files: ranges, blanks, words, and the outputs of Mealy machines. */
#include "tests/support/automata/import_support.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char text[2000];

/* Returns a file of the type with edges 0 -> 1 and 1 -> 0 by the labels; `rest` is inside both. */
static const char *file_of(const char *type, const char *one, const char *two, const char *rest)
{
    snprintf(text, sizeof text,
             "<structure><type>%s</type><automaton>\n"
             "<state id=\"0\"><initial/></state><state id=\"1\"><final/></state>\n"
             "<transition><from>0</from><to>1</to><read>%s</read>%s</transition>\n"
             "<transition><from>1</from><to>0</to><read>%s</read>%s</transition>\n"
             "</automaton></structure>\n",
             type, one, rest, two, rest);
    return text;
}

/* Reads a file, or skips the test where there is no libxml2. */
static void read_file_of(f2l_nfa *nfa, const char *type, const char *one, const char *two,
                         const char *rest)
{
    f2l_error err = {0};
    f2l_nfa_init(nfa);
    const char *file = file_of(type, one, two, rest);
    const f2l_status status = f2l_import(nfa, file, strlen(file), NULL, NULL, &err);
    if (status == F2L_EDOMAIN && strstr(err.text, "libxml2")) cr_skip_test("without libxml2");
    cr_assert_eq(status, F2L_OK, "%s", err.text);
}

Test(jflap_labels, ranges_and_blanks)
{
    f2l_nfa nfa;
    read_file_of(&nfa, "fa", "[0-9]", " ", "");
    cr_assert(nfa.letters.count == 11 && nfa.edges == 11 && nfa.notes.count == 1);
    cr_assert(nfa.notes.item[0].line == 3 && nfa.notes.item[0].column == 0);
    cr_assert_neq(f2l_names_find(&nfa.letters, " ", 1), F2L_NO_INDEX);
    f2l_nfa_clear(&nfa);
    read_file_of(&nfa, "fa", "\n\ta\n", "", "");
    cr_assert(nfa.letters.count == 1 && nfa.edge[1].letter == F2L_EPSILON);
    f2l_nfa_clear(&nfa);
}

Test(jflap_labels, refused)
{
    f2l_nfa nfa;
    read_file_of(&nfa, "fa", "a", "b", "");
    f2l_nfa_clear(&nfa);
    refused(file_of("fa", "[abc]", "a", ""), 3, 0, "beginning of a range");
    refused(file_of("fa", "a", "[9-0]", ""), 4, 0, "runs backwards");
    refused(file_of("fa", "a", " b", ""), 4, 0, "a blank at an end");
    refused(file_of("fa", "\xce\xbb", "b", ""), 3, 0, "--read-as epsilon=");
    refused(file_of("mealy", "a", "b", ""), 3, 0, "without <transout>");
    refused(file_of("mealy", "a", "", "<transout>x</transout>"), 4, 0, "reads no letter");
    refused(file_of("mealy", "a", "bc", "<transout>x</transout>"), 4, 0, "several characters");
}

Test(jflap_labels, mealy)
{
    f2l_nfa nfa;
    read_file_of(&nfa, "mealy", "[a-c]", "b", "<transout/>");
    cr_assert(nfa.edge_outputs.count == 1 && nfa.edges == 4 && nfa.edge[3].output == 0);
    f2l_nfa_clear(&nfa);
}

Test(jflap_labels, memory_failures)
{
    f2l_nfa nfa;
    read_file_of(&nfa, "fa", "a", "b", "");
    f2l_nfa_clear(&nfa);
    survives_memory_failures(file_of("fa", "[0-9]", "a b", ""));
    survives_memory_failures(file_of("mealy", "[0-9]", " ", "<transout>x</transout>"));
}
