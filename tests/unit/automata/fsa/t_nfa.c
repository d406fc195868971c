#include "automata/fsa/nfa.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/nfa_support.h"
#include <stdio.h>

static f2l_status total_of(f2l_fsa *out, f2l_total_report *report, const char *text, bool sink,
                           size_t max_states, f2l_error *err)
{
    f2l_nfa nfa;
    nfa_from_text(&nfa, text);
    f2l_fsa_init(out);
    *err = (f2l_error){0};
    const f2l_total_options options = {.sink = sink, .max_states = max_states};
    const f2l_status status = f2l_nfa_total(out, report, &nfa, &options, NULL, err);
    f2l_nfa_clear(&nfa);
    return status;
}

static void expect_text(const f2l_fsa *fsa, const char *expected)
{
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, fsa, NULL) == F2L_OK);
    cr_assert_str_eq(text.data, expected);
    f2l_buf_clear(&text);
}

#define SOURCE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Makes a text total, with the hash of its source, and compares what is written. */
static void expect_added(const char *text, const char *source, const char *expected)
{
    f2l_nfa nfa;
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err = {0};
    const f2l_total_options options = {.sink = true, .source = source};
    nfa_from_text(&nfa, text);
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err), F2L_OK, "%s", err.text);
    expect_text(&fsa, expected);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
}

#define ADDED "fsa added sink source " SOURCE "\n"
#define STAR(line) \
    "fsa 1\nletters a b\nstates p sink\nstart p\n" line "accept p\n" \
    "p a p\np b sink\nsink a sink\nsink b sink\n"

/* The added state is named with its source, and the line is read again; nothing is named without
 * a hash, and where nothing is added. */
Test(nfa, added_state)
{
    static const char partial[] = "letters a b\nstart p\naccept p\np a p\n";
    expect_added(partial, SOURCE, STAR(ADDED));
    expect_added(partial, NULL, STAR(""));
    expect_added(partial, "short", STAR(""));
    expect_added(STAR(ADDED), NULL, STAR(ADDED));
    expect_added(STAR(""), SOURCE, STAR(""));
    expect_added("letters a b\nstart p\n" ADDED "accept p\nq a sink\np a p\np b sink\nq a p\n"
                 "sink a sink\nsink b sink\n",
                 NULL, STAR(ADDED));
}

/* A state that was added before is one of the source's where another one is added, or a choice is
 * made. */
Test(nfa, another_added_state)
{
    static const char more[] =
        "letters a b\nstates p sink\nstart p\n" ADDED "accept p\np a p\np b sink\nsink a sink\n";
    expect_added(more, NULL,
                 "fsa 1\nletters a b\nstates p sink sink2\nstart p\naccept p\np a p\np b sink\n"
                 "sink a sink\nsink b sink2\nsink2 a sink2\nsink2 b sink2\n");
    expect_added("start p\n" ADDED "accept p\np a p\np a sink\nsink a sink\n", SOURCE,
                 "fsa 1\nletters a\nstates {p} {p,sink}\nstart {p}\naccept {p} {p,sink}\n"
                 "{p} a {p,sink}\n{p,sink} a {p,sink}\n");
}

/* With outputs the added state, or each transition to it, has an output of its own. */
Test(nfa, added_state_with_outputs)
{
    expect_added("letters a b\nstart p\noutput p sink\np a p\n", SOURCE,
                 "fsa 1\nletters a b\nstates p sink\nstart p\n" ADDED
                 "output p sink\noutput sink sink2\n"
                 "p a p\np b sink\nsink a sink\nsink b sink\n");
    expect_added("letters a b\nstart p\np a p x\n", SOURCE,
                 "fsa 1\nletters a b\nstates p sink\nstart p\n" ADDED
                 "p a p x\np b sink sink\nsink a sink sink\nsink b sink sink\n");
}

Test(nfa, deterministic_input_keeps_names_and_order)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "states u q p\n"
                       "start p\n"
                       "accept q\n"
                       "u a p\n"
                       "q a p\n"
                       "p b p\n"
                       "p a q\n"
                       "q b q\n"
                       "q a p\n"
                       "u b q\n",
                       false, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\n"
                      "letters a b\n"
                      "states q p\n"
                      "start p\n"
                      "accept q\n"
                      "q a p\n"
                      "q b q\n"
                      "p a q\n"
                      "p b p\n");
    cr_assert(!report.determinised && report.states_before == 3 && report.dropped == 1 &&
              report.sink_edges == 0);
    cr_assert_str_eq(report.sink_name, "");
    f2l_fsa_clear(&fsa);
}

Test(nfa, outputs_of_transitions_are_those_of_deterministic_automata)
{
    static const char *const bad[] = {"start p\n"
                                      "p a p x\n"
                                      "p a q x\n"
                                      "q a p y\n",
                                      "start p q\np a p x\nq a p y\n",
                                      "start p\n"
                                      "p a p x\n"
                                      "p a p y\n",
                                      "start p\np eps q x\nq a p y\n"};
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(total_of(&fsa, &report, bad[i], false, 0, &err), F2L_EDOMAIN, "%zu", i);
        cr_expect(strstr(err.text, "outputs of transitions belong to deterministic "
                                   "automata") != NULL,
                  "%s", err.text);
    }
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "p a q sink\n"
                       "q b p y\n"
                       "p a q sink\n",
                       true, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\n"
                      "letters a b\n"
                      "states p q sink\n"
                      "start p\n"
                      "p a q sink\n"
                      "p b sink sink2\n"
                      "q a sink sink2\n"
                      "q b p y\n"
                      "sink a sink sink2\n"
                      "sink b sink sink2\n");
    f2l_fsa_clear(&fsa);
}

Test(nfa, missing_transitions_are_named_and_counted)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"letters a b\nstates p q u\nstart p\np a q\nq b p\nu a u\n",
         "2 transitions are missing, the first from state `p` on letter `b`"},
        {"letters a b c\nstart p\np a p\np c p\n",
         "1 transition is missing, the first from state `p` on letter `b`"},
        {"letters a b\nstart p\np a q\np b p\nq b p\n",
         "1 transition is missing, the first from state `q` on letter `a`"},
        {"letters a b\nstart p\np a q\np b p\nq a p\n",
         "1 transition is missing, the first from state `q` on letter `b`"},
        {"start p\np a p\np a q\nq b p\n",
         "1 transition is missing, the first from state `{p}` on letter `b`"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_fsa fsa;
        f2l_total_report report;
        f2l_error err;
        cr_assert(total_of(&fsa, &report, bad[i].text, false, 0, &err) == F2L_EDOMAIN);
        cr_assert(strstr(err.text, bad[i].says), "%s", err.text);
        cr_assert(fsa.next == NULL && fsa.states.count == 0);
    }
}

Test(nfa, sink)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "accept p\n"
                       "p a sink\n"
                       "sink b p\n",
                       true, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\n"
                      "letters a b\n"
                      "states p sink sink2\n"
                      "start p\n"
                      "accept p\n"
                      "p a sink\n"
                      "p b sink2\n"
                      "sink a sink2\n"
                      "sink b p\n"
                      "sink2 a sink2\n"
                      "sink2 b sink2\n");
    cr_assert(report.sink_edges == 2 && !report.determinised);
    cr_assert_str_eq(report.sink_name, "sink2");
    f2l_fsa_clear(&fsa);
    cr_assert(total_of(&fsa, &report, "start p\np a p\n", true, 0, &err) == F2L_OK);
    cr_assert(report.sink_edges == 0 && report.sink_name[0] == '\0' && fsa.states.count == 1);
    f2l_fsa_clear(&fsa);
}

Test(nfa, sink_has_an_output_of_its_own)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "output p X\n"
                       "output q sink\n"
                       "p a q\n"
                       "q b p\n",
                       true, 0, &err) == F2L_OK);
    cr_assert_str_eq(report.sink_name, "sink");
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, 2), "sink2");
    f2l_fsa_clear(&fsa);
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "output p X\n"
                       "output q X\n"
                       "p a q\n"
                       "p a p\n"
                       "q b p\n",
                       true, 0, &err) == F2L_OK);
    cr_assert(report.determinised && report.sink_edges == 1);
    cr_assert_str_eq(f2l_fsa_label(&fsa, F2L_LABEL_OUTPUTS, fsa.states.count - 1), "sink");
    f2l_fsa_clear(&fsa);
}

Test(nfa, subsets_are_named_by_their_members)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    /* The words that end in ab: the textbook example. */
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "accept r\n"
                       "p a p\n"
                       "p b p\n"
                       "p a q\n"
                       "q b r\n",
                       false, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\n"
                      "letters a b\n"
                      "states {p} {p,q} {p,r}\n"
                      "start {p}\n"
                      "accept {p,r}\n"
                      "{p} a {p,q}\n"
                      "{p} b {p}\n"
                      "{p,q} a {p,q}\n"
                      "{p,q} b {p,r}\n"
                      "{p,r} a {p,q}\n"
                      "{p,r} b {p}\n");
    cr_assert(report.determinised && report.states_before == 3 && report.dropped == 0);
    f2l_fsa_clear(&fsa);
    /* The sets {"p,q"} and {p, q} would have the same name. */
    cr_assert(total_of(&fsa, &report,
                       "states \"p,q\" p q\n"
                       "start \"p,q\"\n"
                       "\"p,q\" a p\n"
                       "\"p,q\" a q\n"
                       "p a \"p,q\"\n"
                       "q a \"p,q\"\n",
                       false, 0, &err) == F2L_OK);
    cr_assert_str_eq(f2l_names_get(&fsa.states, 0), "{p,q}");
    cr_assert_str_eq(f2l_names_get(&fsa.states, 1), "{p,q}'");
    f2l_fsa_clear(&fsa);
}

Test(nfa, epsilon_and_several_starts)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "p eps q\n"
                       "q eps r\n"
                       "r eps p\n"
                       "r a s\n"
                       "s a p\n",
                       false, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\n"
                      "letters a\n"
                      "states {p,q,r} {s}\n"
                      "start {p,q,r}\n"
                      "{p,q,r} a {s}\n"
                      "{s} a {p,q,r}\n");
    f2l_fsa_clear(&fsa);
    cr_assert(total_of(&fsa, &report, "start q p\nq a p\np a q\n", false, 0, &err) == F2L_OK);
    expect_text(&fsa, "fsa 1\nletters a\nstates {q,p}\nstart {q,p}\n{q,p} a {q,p}\n");
    f2l_fsa_clear(&fsa);
}

Test(nfa, outputs_must_agree_and_be_complete)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "output p X\n"
                       "output q Y\n"
                       "p a p\n"
                       "p a q\n"
                       "q a q\n",
                       false, 0, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "`p` and `q` have different outputs"), "%s", err.text);
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "output p X\n"
                       "p a q\n"
                       "q a p\n",
                       false, 0, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "state `q` has no output"), "%s", err.text);
    /* An unreachable state needs no output, and its output is dropped with it. */
    cr_assert(total_of(&fsa, &report,
                       "start p\n"
                       "output v V\n"
                       "output p X\n"
                       "p a p\n"
                       "u a p\n"
                       "v a p\n",
                       false, 0, &err) == F2L_OK);
    cr_assert(fsa.outputs.count == 1 && report.dropped == 2);
    f2l_fsa_clear(&fsa);
}

Test(nfa, needs_starts_and_letters)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_total_report report;
    f2l_error err = {0};
    const f2l_total_options options = {0};
    size_t p, a;
    cr_assert(f2l_nfa_state(&nfa, "p", 1, &p, NULL) == F2L_OK);
    cr_assert(f2l_nfa_close_states(&nfa, NULL) == F2L_OK);
    nfa.is_start[p] = 1;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "no letters"), "%s", err.text);
    cr_assert(f2l_nfa_letter(&nfa, "a", 1, &a, NULL) == F2L_OK);
    cr_assert(f2l_nfa_add_edge(&nfa, p, a, p, NULL) == F2L_OK);
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_OK);
    f2l_fsa_clear(&fsa);
    nfa.is_start[p] = 0;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "no start state"), "%s", err.text);
    f2l_nfa_clear(&nfa);
}

Test(nfa, limits)
{
    f2l_nfa nfa;
    blow_up(&nfa, 20);
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_total_report report;
    f2l_error err = {0};
    f2l_total_options options = {.max_states = 5000};
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_UNKNOWN);
    cr_assert(strstr(err.text, "5000"), "%s", err.text);
    const volatile sig_atomic_t cancel = 2;
    const f2l_task cancelled = {.cancel = &cancel}, little = {.memory = 50000};
    options.max_states = 0;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, &cancelled, &err) == F2L_UNKNOWN);
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, &little, &err) == F2L_UNKNOWN);
    f2l_nfa_clear(&nfa);
    blow_up(&nfa, 10);
    options.max_states = 1024;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_OK);
    cr_assert(fsa.states.count == 1024);
    f2l_fsa_clear(&fsa);
    options.max_states = 1023;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_UNKNOWN);
    f2l_nfa_clear(&nfa);
}

/* Many letters times many states are refused by their count, before 4 * 10^10 entries are
 * allocated. */
Test(nfa, refuses_a_table_that_is_too_large)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    char name[32];
    size_t index;
    for (int i = 0; i < 200000; i++) {
        const int size = snprintf(name, sizeof name, "n%d", i);
        cr_assert(f2l_nfa_state(&nfa, name, (size_t)size, &index, NULL) == F2L_OK);
        cr_assert(f2l_nfa_letter(&nfa, name, (size_t)size, &index, NULL) == F2L_OK);
        cr_assert(f2l_nfa_add_edge(&nfa, index, index, (index + 1) % 200000, NULL) == F2L_OK);
    }
    cr_assert(f2l_nfa_close_states(&nfa, NULL) == F2L_OK);
    nfa.is_start[0] = 1;
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_total_report report;
    f2l_error err = {0};
    f2l_total_options options = {.sink = true};
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_UNKNOWN);
    cr_assert(strstr(err.text, "too large"), "%s", err.text);
    options.sink = false;
    cr_assert(f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text,
                     "39999800000 transitions are missing, the first from state `n0` on letter "
                     "`n1`"),
              "%s", err.text);
    f2l_nfa_clear(&nfa);
}

Test(nfa, group_form_passes_through)
{
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err;
    cr_assert(total_of(&fsa, &report,
                       "points 4\n"
                       "track points 2\n"
                       "permute a (1 2)\n",
                       false, 0, &err) == F2L_OK);
    cr_assert(fsa.track == F2L_TRACK_POINTS && fsa.points == 4 && fsa.start == 1 &&
              report.states_before == 4);
    cr_assert(!report.determinised && report.dropped == 0);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(nfa, every_allocation_may_fail)
{
    static const char *const text[] = {
        "start p\naccept q\noutput p X\noutput u Z\noutput q Y\np a q\nq b p\nu a u\nu b p\n",
        "start p\n"
        "output p Y\n"
        "output q X\n"
        "output r Y\n"
        "q b q\n"
        "p a p\n"
        "p a r\n"
        "r b q\n"
        "q a q\n"
        "p b q\n"
        "p b r\n",
        "start p\noutput p X\noutput q X\nq b q\np a p\np a q\nq eps p\n",
        "points 4\ntrack elements\naccept \"()\"\npermute a (1 2)\npermute b (1 2 3 4)\n",
        "start p\np a q\nq b p\n",
        "start p\np a p\np a q\nq b p\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        f2l_nfa nfa;
        nfa_from_text(&nfa, text[i]);
        const f2l_total_options options = {.sink = i < 4};
        const f2l_status expected = i == 1 || i > 3 ? F2L_EDOMAIN : F2L_OK;
        for (int forever = 0; forever < 2; forever++) {
            f2l_status status = F2L_ENOMEM;
            size_t n = 1;
            for (; status == F2L_ENOMEM; n++) {
                f2l_fsa fsa;
                f2l_fsa_init(&fsa);
                f2l_total_report report;
                f2l_mem_fail_after(n, forever);
                status = f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, NULL);
                f2l_mem_fail_after(0, false);
                if (status != F2L_OK) cr_assert(fsa.next == NULL && fsa.states.count == 0);
                f2l_fsa_clear(&fsa);
            }
            cr_assert(status == expected && n > 4, "%zu: %s after %zu", i, f2l_status_name(status),
                      n);
        }
        f2l_nfa_clear(&nfa);
    }
}
#endif
