/* XState's machines as JSON. */
#include "tests/support/automata/import_support.h"

static const char *const light =
    "{\"id\": \"light\", \"initial\": \"green\", \"states\": {\n"
    " \"green\": {\"on\": {\"TIMER\": \"yellow\", \"STOP\": {\"target\": \"off\"}}},\n"
    " \"yellow\": {\"on\": {\"TIMER\": [{\"target\": \"#light.red\"}]}},\n"
    " \"red\": {\"on\": {\"TIMER\": \".green\", \"STOP\": null}},\n"
    " \"off\": {\"type\": \"final\"}}}\n";

#define STATES(...) "{\"initial\": \"a\", \"states\": {" __VA_ARGS__ "}}"

Test(import_xstate, reads)
{
    leads_to(light, "TIMER TIMER STOP TIMER", "green");
    leads_to(light, "STOP TIMER", "off");
    leads_to(light, "TIMER STOP", "yellow");
    leads_to(STATES("\"a\": {\"on\": {\"E\": \"b\"}}, \"b\": {}"), "E E", "b");
    leads_to(STATES("\"a\": {\"on\": {\"*\": \"b\", \"E\": \"a\"}},"
                    "\"b\": {\"on\": {\"F\": \"a\", \"E\": []}}"),
             "E F E F F", "b");
    leads_to(STATES("\"a\": {\"on\": {\"E\": {\"target\": [\"b\"], \"actions\": [\"beep\"]}}},"
                    "\"b\": {\"entry\": \"log\", \"description\": \"x\", \"tags\": [\"t\"]}"),
             "E", "b");
    leads_to(STATES("\"a\": {\"on\": {\"E\": {\"actions\": \"beep\"}}}"), "E", "a");
    leads_to("{\"key\": \"m\", \"version\": \"1\", \"context\": {\"n\": 0}, \"type\": "
             "\"compound\", \"initial\": \"a\", \"states\": {\"a\": {\"type\": \"atomic\", "
             "\"on\": {\"E\": \"a\"}}}}",
             "E E", "a");
}

Test(import_xstate, ids_and_definitions)
{
    leads_to(STATES("\"a\": {\"on\": {\"E\": \"#bee\"}}, \"b\": {\"id\": \"bee\"}"), "E", "b");
    /* As JSON.stringify(machine) writes it. */
    leads_to("{\"id\": \"m\", \"initial\": \"a\", \"type\": \"compound\", \"history\": false, "
             "\"on\": {}, "
             "\"transitions\": [], \"entry\": [], \"invoke\": [], \"states\": {\"a\": {\"id\": "
             "\"m.a\", \"type\": \"atomic\", \"on\": {\"E\": [{\"target\": [\"#m.b\"], \"source\": "
             "\"#m.a\", \"actions\": [], \"eventType\": \"E\"}]}, \"transitions\": [{}]}, \"b\": "
             "{\"id\": \"m.b\", \"type\": \"final\", \"on\": {}}}}",
             "E E", "b");
}

Test(import_xstate, notes_what_was_left_out)
{
    f2l_nfa nfa;
    const char *text =
        STATES("\"a\": {\"entry\": [\"log\"], \"exit\": [], \"on\": {\"E\": \"a\"}}");
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_str_eq(nfa.source, "XState");
    cr_assert_not(nfa.has_accept);
    cr_assert_eq(nfa.notes.count, 1);
    cr_assert_str_eq(nfa.notes.item[0].first, "entry");
    f2l_nfa_clear(&nfa);
}

/* Checks that the text is refused with a piece of the message, wherever the place is. */
static void says(const char *text, const char *message)
{
    f2l_error err = {0};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, &err), F2L_EFORMAT, "%s", text);
    cr_assert_not_null(strstr(err.text, message), "%s: text %s", text, err.text);
}

Test(import_xstate, refuses)
{
    refused("{\"initial\": \"a\",\n \"states\": {\"a\": {\"always\": \"a\"}}}", 2, 19,
            "`always` is not");
    says(STATES("\"a\": {\"transitions\": [1]}"), "`transitions` is not read");
    says("{\"states\": {}}", "\"initial\", the name");
    says("{\"initial\": \"z\", \"states\": {\"a\": {}}}", "`z` is no state");
    says(STATES("\"a\": {\"states\": {\"b\": {}}}"), "a: `states` is not read");
    says(STATES("\"a\": {\"type\": \"parallel\"}"), "`parallel` is no type");
    says(STATES("\"a\": {\"type\": \"history\"}"), "`history` is no type");
    says(STATES("\"a\": {\"always\": \"a\"}"), "`always` is not read");
    says(STATES("\"a\": {\"after\": {\"10\": \"a\"}}"), "`after` is not read");
    says(STATES("\"a\": {\"invoke\": {\"src\": \"x\"}}"), "`invoke` is not read");
    says(STATES("\"a\": {\"on\": {\"E\": {\"target\": \"a\", \"guard\": \"g\"}}}"),
         "`guard` is not read");
    says(STATES("\"a\": {\"on\": {\"E\": {\"target\": \"a\", \"cond\": \"g\"}}}"),
         "`cond` is not read");
    says(STATES("\"a\": {\"on\": {\"E\": [\"a\", \"a\"]}}"), "several transitions");
    says(STATES("\"a\": {\"on\": {\"E\": {\"target\": [\"a\", \"a\"]}}}"), "a target");
    says(STATES("\"a\": {\"on\": {\"E\": \"b\"}}"), "`b` is no state");
    says(STATES("\"a\": {\"on\": {\"\": \"a\"}}"), "is no event");
    says(STATES("\"a\": {\"on\": {\"m.*\": \"a\"}}"), "is no event");
    says(STATES("\"a\": {\"on\": [1]}"), "no object of events");
    says(STATES("\"a\": {\"entry\": {\"type\": \"xstate.raise\"}}"), "raises an event");
    says(STATES("\"a\": {\"type\": \"final\", \"on\": {\"E\": \"a\"}}"), "final state");
    says(STATES("\"a\": 1"), "is no object");
    says(STATES("\"a\": {}"), "no transition has an event");
    says("{\"initial\": \"a\", \"on\": {\"E\": \"a\"}, \"states\": {\"a\": {}}}",
         "`on` is not read");
    const f2l_import_options options = {.as = &(const f2l_read_as){.names_epsilon = true}};
    refused_with(light, &options, F2L_EDOMAIN, 0, 0, "says nothing about XState");
}

Test(import_xstate, memory_failures)
{
    survives_memory_failures(light);
}
