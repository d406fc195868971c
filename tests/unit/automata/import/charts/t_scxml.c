/* SCXML without hierarchy. */
#include "tests/support/automata/import_support.h"

#define OPEN "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\""

static const char *const door =
    "<?xml version=\"1.0\"?>\n" OPEN " initial=\"shut\">\n"
    "<state id=\"shut\"><transition event=\"open\" target=\"ajar\"/></state>\n"
    "<state id=\"ajar\"><transition event=\"shut\" target=\"shut\"/>\n"
    "<transition event=\"break\" target=\"gone\"/></state>\n<final id=\"gone\"/></scxml>\n";

#define FIRST(attributes) "<initial><transition " attributes "/></initial>"
#define STATE "<state id=\"a\"/></scxml>"

Test(import_scxml, reads)
{
    leads_to(OPEN "><state id=\"a\"><transition event=\"e\" target=\"b\"/></state>" FIRST(
                 "target=\"b\"") "<state id=\"b\"><transition event=\"e\" target=\"c\"/></state>"
                                 "<state id=\"c\"/></scxml>",
             "e", "c");
    leads_to(door, "open", "ajar");
    leads_to(door, "shut break open shut", "shut");
    leads_to(door, "open break open", "gone");
    leads_to(OPEN "><state id=\"a\"><transition event=\"e\" target=\"b\"/></state>"
                  "<state id=\"b\"/></scxml>",
             "e e", "b");
    leads_to(OPEN "><state id=\"a\"><transition event=\"x y\" target=\"b\"/></state>"
                  "<state id=\"b\"><transition event=\"*\" target=\"a\"/></state></scxml>",
             "y x x", "b");
    leads_to("<!-- by hand --><scxml><state id=\"a\"><transition event=\"e.* f\" target=\"b\"/>"
             "</state><state id=\"b\"><transition event=\"e.g\" target=\"a\"/>"
             "<transition event=\"e.h\"/></state></scxml>",
             "e.h e e.g e.g", "b");
    /* The first transition that matches is made. */
    leads_to("<scxml><state id=\"a\"><transition event=\"*\" target=\"b\"/>"
             "<transition event=\"e\" target=\"c\"/></state><state id=\"b\"/><state id=\"c\"/>"
             "</scxml>",
             "e", "b");
    leads_to("<scxml xmlns:q=\"http://q.example/\"><q:editor/><datamodel/><state id=\"a\">"
             "<onentry><log expr=\"'a'\"/></onentry><q:place/><transition event=\"e\" "
             "target=\"b\"><q:line/></transition></state><final id=\"b\"/></scxml>",
             "e", "b");
}

Test(import_scxml, final_states_accept_and_what_is_discarded_is_noted)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, door, strlen(door), NULL, NULL, NULL), F2L_OK);
    cr_assert_str_eq(nfa.source, "SCXML");
    cr_assert(nfa.has_accept && nfa.accept[2] && !nfa.accept[0]);
    cr_assert_eq(nfa.notes.count, 2);
    cr_assert_eq(nfa.notes.item[0].count, 3);
    cr_assert_str_eq(nfa.notes.item[0].first, "shut");
    cr_assert_str_eq(nfa.notes.item[1].first, "gone");
    f2l_nfa_clear(&nfa);
}

Test(import_scxml, refuses)
{
    refused(OPEN "><parallel id=\"p\"/></scxml>", 1, 0, "<parallel> is not read");
    refused(OPEN ">\n<state id=\"a\"><state id=\"b\"/></state></scxml>", 2, 0, "inside a state");
    refused(OPEN "><state id=\"a\"><history id=\"b\"/></state></scxml>", 1, 0, "<history>");
    refused(OPEN "><state id=\"a\"><invoke/></state></scxml>", 1, 0, "<invoke>");
    refused(OPEN "><datamodel><data id=\"x\"/></datamodel><state id=\"a\"/></scxml>", 1, 0,
            "<datamodel>");
    refused(OPEN "><state id=\"a\"><transition event=\"e\" cond=\"x\"/></state></scxml>", 1, 0,
            "condition");
    refused(OPEN "><state id=\"a\"><transition target=\"a\"/></state></scxml>", 1, 0, "no event");
    refused(OPEN "><state id=\"a\"><transition event=\"e\" target=\"b\"/></state></scxml>", 1, 0,
            "names `b`");
    refused(OPEN "><state id=\"a\"><transition event=\"e\" target=\"a b\"/></state></scxml>", 1, 0,
            "not one state");
    refused(OPEN "><state id=\"a\"><transition event=\"e\"><raise event=\"f\"/></transition>"
                 "</state></scxml>",
            1, 0, "<raise>");
    refused(OPEN "><state id=\"a\"><onentry><assign/></onentry></state></scxml>", 1, 0, "<assign>");
    refused(OPEN " initial=\"z\"><state id=\"a\"/></scxml>", 1, 0, "names `z`");
    refused(OPEN " initial=\"a\">" FIRST("target=\"a\"") STATE, 1, 0, "says again");
    refused(OPEN ">" FIRST("target=\"z\"") STATE, 1, 0, "names `z`");
    refused(OPEN ">" FIRST("") STATE, 1, 0, "has no target");
    refused(OPEN ">" FIRST("target=\"a\" cond=\"x\"") STATE, 1, 0, "has an event or a cond");
    refused(OPEN "><initial/>" STATE, 1, 0, "other children than one <transition>");
    refused(OPEN "><state/></scxml>", 1, 0, "has no id");
    refused(OPEN "><state id=\"a\"/><state id=\"a\"/></scxml>", 1, 0, "another state has");
    refused(OPEN "/>", 1, 0, "no states");
    refused(OPEN "><state id=\"a\"/></scxml>", 0, 0, "no transition has an event");
    refused(OPEN "><final id=\"a\"><transition event=\"e\"/></final></scxml>", 1, 0,
            "<transition> is not read");
    refused("<!DOCTYPE scxml []><scxml/>", 0, 0, "document type");
    refused(OPEN ">", 1, 62, "XML: ");
}

Test(import_scxml, memory_failures)
{
    survives_memory_failures(door);
}
