/* States with equal futures share codes: networks of the quotient, for the automaton itself. */
#include "tests/support/theory/compile_support.h"

/* q1 and q2 have equal futures. */
static const char three_layers[] = "start q0\n"
                                   "q0 a q0\nq1 a q0\nq2 a q1\nq3 a q0\n"
                                   "q0 b q1\nq1 b q2\nq2 b q3\nq3 b q2\n";

static const f2l_compile_entry *entry_of(const fixture *f, const char *theorem)
{
    for (size_t i = 0; i < f->result.entries; i++)
        if (strcmp(f->result.entry[i].theorem, theorem) == 0) return &f->result.entry[i];
    return NULL;
}

/* The cascade of the states has three layers, that of the classes two. */
Test(futures, saves_a_layer)
{
    fixture f;
    f2l_buf text;
    open_text(&f, three_layers);
    check_theorem(&f, "EF");
    cr_assert_eq(f.result.net.layers, 2);
    cr_assert(f.result.unrounded);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, &f.result, &f.fsa, f.result.net.fsa_sha256, &f.err),
                 F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\n"));
    f2l_buf_clear(&text);
    compile_done(&f);
    open_text(&f, three_layers);
    f.options.all = true;
    f.options.effort = 60 * F2L_STEPS;
    cr_assert_eq(compile(&f, NULL), F2L_OK);
    cr_assert_eq(entry_of(&f, "EF")->figures.layers, 2);
    cr_assert_eq(entry_of(&f, "T4")->figures.layers, 3);
    compile_done(&f);
}

/* The label of the start is the output of no transition: nothing leads back to it. */
Test(futures, label_of_the_start)
{
    fixture f;
    open_text(&f, "start s\noutput s x\noutput q0 y\noutput q1 z\noutput q2 y\noutput q3 y\n"
                  "s a q0\nq0 a q0\nq1 a q0\nq2 a q1\nq3 a q0\n"
                  "s b q1\nq0 b q1\nq1 b q2\nq2 b q3\nq3 b q2\n");
    f.options.label = F2L_LABEL_OUTPUTS;
    f.options.all = true;
    f.options.effort = 60 * F2L_STEPS;
    cr_assert_eq(compile(&f, NULL), F2L_OK, "%s", f.err.text);
    const f2l_compile_entry *e = entry_of(&f, "EF");
    cr_assert_eq(e->outcome, F2L_COMPILE_BUILT, "%s", e->reason);
    cr_assert_eq(e->exact, F2L_OK);
    cr_assert_eq(entry_of(&f, "T4")->exact, F2L_OK);
    compile_done(&f);
}

Test(futures, not_for_permutations)
{
    fixture f;
    open_text(&f, "start p\np a q\nq a p\n");
    f.options.all = true;
    f.options.effort = 60 * F2L_STEPS;
    cr_assert_eq(compile(&f, NULL), F2L_OK);
    cr_assert_eq(entry_of(&f, "EF")->outcome, F2L_COMPILE_INAPPLICABLE);
    cr_assert_not_null(strstr(entry_of(&f, "EF")->reason, "letters permute them"));
    compile_done(&f);
}

/* A share of the steps that does not suffice ends in another network, or in none. */
Test(futures, little_effort)
{
    for (uint64_t effort = 1000; effort < 100 * F2L_STEPS; effort *= 3) {
        fixture f;
        open_text(&f, three_layers);
        f.options.effort = effort;
        const f2l_status status = compile(&f, NULL);
        cr_assert(status == F2L_OK || status == F2L_UNKNOWN);
        if (status == F2L_OK) cr_assert_neq(f.result.exact.verdict, F2L_REFUTED);
        compile_done(&f);
    }
}
