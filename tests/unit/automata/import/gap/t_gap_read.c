/* GAP: sessions with prompts, partial permutations, products and powers. */
#include "automata/import/import.h"
#include "tests/support/automata/import_support.h"

/* Reads both texts, and checks that they are one automaton. */
static void same(const char *text, const char *plain)
{
    f2l_fsa a, b;
    f2l_error err = {0};
    f2l_fsa_init(&a);
    f2l_fsa_init(&b);
    cr_assert_eq(read_any(&a, text, NULL, &err), F2L_OK, "%s: %s", text, err.text);
    cr_assert_eq(read_any(&b, plain, NULL, &err), F2L_OK, "%s: %s", plain, err.text);
    cr_assert(f2l_names_equal(&a.letters, &b.letters), "%s", text);
    cr_assert(isomorphic(&a, &b), "%s", text);
    f2l_fsa_clear(&a);
    f2l_fsa_clear(&b);
}

static const char *const session = "gap> S := Semigroup( [ Transformation( [ 2, 1, 3 ] ),\n"
                                   ">  Transformation( [ 1, 3, 3 ] ) ] );;\ngap> Size(S);\n39\n"
                                   "gap> a := (1,2); # not read\ngap> quit;\n";

Test(import_gap, sessions)
{
    same("gap> S := Semigroup( [ Transformation( [ 2, 1, 3 ] ),\n"
         ">  Transformation( [ 1, 3, 3 ] ) ] );;\ngap> Size(S);\n39\n",
         "[ Transformation([2,1,3]), Transformation([1,3,3]) ]");
    same("gap> a := Transformation( [ 2, 1, 3 ] );\nTransformation( [ 2, 1 ] )\n"
         "gap> b := Transformation( [ 1, 3, 3 ] );;\ngap> S := Semigroup(a, b);\n"
         "<transformation semigroup of degree 3 with 2 generators>\n"
         "gap> n := Size(S);;\ngap> a * b;\nTransformation( [ 3, 1, 3 ] )\ngap> a^2;\n"
         "IdentityTransformation\ngap> \ngap> StructureDescription(S); Print(\"(1,2);\\n\");\n",
         "a := Transformation([2,1,3]); b := Transformation([1,3,3]);");
    same(" GAP 4.12 of today\n\ngap> G := Group(\n>   (1,2,3),\n> (1,2));\n"
         "Group([ (1,2,3), (1,2) ])\n",
         "[(1,2,3),(1,2)]");
    same("gap> # only a comment\ngap> t := Transformation([2,2]);\r\nTransformation( [ 2, 2 ] )\r\n"
         "brk> quit;\n",
         "t := Transformation([2,2]);");
    refused("gap> n := Foo(3);\ngap> G := Group(n);\n", 2, 17, "value of this name was not read");
    refused("gap> l := [];\ngap> Add(l, (1,2));\n", 2, 6, "expected Transformation");
    refused(session, 0, 0, "permutations and transformations");
}

Test(import_gap, questions_of_scripts_are_noted)
{
    f2l_nfa nfa;
    const char *text = "LoadPackage(\"semigroups\");\na := Transformation([2,1]);\nDisplay(a);\n";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.letters.count, 1);
    cr_assert_eq(nfa.notes.count, 1);
    cr_assert_eq(nfa.notes.item[0].count, 2);
    f2l_nfa_clear(&nfa);
}

Test(import_gap, letters_that_no_group_has_are_noted)
{
    f2l_nfa nfa;
    const char *text = "a := (1,2); b := (1,2,3); c := a*b; G := Group(a, b);",
               *by_name = "a := (1,2); l := [a]; c := a^3; G := Group(l);";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 1);
    cr_assert_str_eq(nfa.notes.item[0].first, "c");
    f2l_nfa_clear(&nfa);
    cr_assert_eq(f2l_import(&nfa, by_name, strlen(by_name), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 0);
    f2l_nfa_clear(&nfa);
}

Test(import_gap, transformations_of_listed_points)
{
    same("t := Transformation([1,4],[4,2]);", "t := Transformation([4,2,3,2]);");
    same("[Transformation([],[]), Transformation([3],[1])]",
         "[Transformation([]), Transformation([1,2,1])]");
    refused("Transformation([1,1],[2,3])", 1, 1, "twice in the first list");
    refused("Transformation([1,2],[2])", 1, 22, "two lists of one length");
}

Test(import_gap, partial_permutations)
{
    f2l_nfa nfa;
    const char *text = "S := InverseSemigroup(PartialPerm([1,2],[2,4]), PartialPerm([3,0,1]));";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.states.count, 4);
    cr_assert_eq(nfa.edges, 4);
    cr_assert_eq(nfa.edge[0].to, 1, "1 to 2");
    cr_assert_eq(nfa.edge[1].to, 2, "1 to 3");
    f2l_nfa_clear(&nfa);
    refused("PartialPerm([1,2],[2,2])", 1, 1, "one image");
    refused("PartialPerm([0,2],[2,1])", 1, 1, "point 0");
    refused("[PartialPerm([2,1]), Transformation([2,1])]", 0, 0, "in one file");
}

Test(import_gap, products_and_powers)
{
    same("a := (1,2,3); b := a^2; c := a^-1*(1,2);", "a := (1,2,3); b := (1,3,2); c := (1,3);");
    same("a := Transformation([2,3,3]); b := a*a; c := a^3;",
         "a := Transformation([2,3,3]); b := Transformation([3,3,3]); "
         "c := Transformation([3,3,3]);");
    same("G := Group((1,2,3,4)^2, (1,2)*(3,4));", "[(1,3)(2,4), (1,2)(3,4)]");
    same("p := PartialPerm([1,2],[2,3]); q := p^-1; r := p*p;",
         "p := PartialPerm([2,3,0]); q := PartialPerm([0,1,2]); "
         "r := PartialPerm([3,0,0]);");
    same("a := (1,2); b := a; c := a^1;", "a := (1,2); c := (1,2);");
    refused("a := Transformation([2,2])^-1;", 1, 30, "no inverse");
    refused("a := (1,2); b := a^a;", 1, 20, "expected an integer");
    refused("a := (1,2)^0;", 1, 13, "other than 0");
    refused("a := (1,2)*Transformation([2,1]);", 1, 33, "two kinds");
    refused("a := [(1,2)]^2;", 1, 14, "is no element");
    refused("a := [(1,2)]*(1,2);", 1, 19, "is no element");
}

Test(import_gap, labels_are_not_read_otherwise)
{
    const f2l_import_options options = {.as = &(const f2l_read_as){.labels = F2L_LABELS_SETS}};
    refused_with("(1,2)", &options, F2L_EDOMAIN, 0, 0, "says nothing about GAP");
}

Test(import_gap, memory_failures_in_sessions)
{
    survives_memory_failures("gap> a := (1,2,3)^2*(1,2);\ngap> Size(a);\n");
}
