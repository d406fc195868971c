/* What a survey takes from the networks that the compiler lists. */
#include "tests/support/automata/fsa_text.h"
#include "theory/obstruct/survey/survey.h"

/* A row of a network that was built has the network's figures, and names fewer layers, by a
 * statement, only where they are fewer. */
Test(survey, figures_are_of_the_networks)
{
    static const char *const texts[] = {
        "start e\ne 0 e\ne 1 o\no 0 o\no 1 e\n",               /* parity */
        "start a\na x b\nb x c\nc x a\na y b\nb y a\nc y c\n", /* S_3 */
        "start a\na x b\nb x c\nc x d\nd x d\na y a\nb y a\nc y b\nd y d\n"
        "a z d\nb z d\nc z d\nd z d\n"};
    size_t built = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        f2l_fsa fsa;
        f2l_survey s;
        f2l_error err = {0};
        f2l_effort effort = {0};
        const f2l_task task = {.effort = &effort};
        const f2l_classify_options options = {.label = F2L_LABEL_STATES};
        const f2l_compile_options list = {
            .label = F2L_LABEL_STATES, .schedule = &f2l_schedules[0], .merge_letters = true};
        fsa_from_text(&fsa, texts[i]);
        f2l_survey_init(&s);
        cr_assert_eq(f2l_survey_find(&s, &fsa, &options, &task, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_survey_compile(&s, &fsa, &list, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert(s.most > 0 && s.most_is_built && !s.unbuilt[0]);
        for (int c = 0; c < F2L_LADDER_CLASSES; c++) {
            const f2l_ladder_row *row = &s.classify.row[c];
            const f2l_compile_entry *e = f2l_survey_network(&s, (f2l_ladder_class)c);
            cr_assert(row->unbuilt_layers == 0 || (e && row->unbuilt_layers < row->layers),
                      "%s: %zu of %zu", row->id, row->unbuilt_layers, row->layers);
            if (!e) continue;
            cr_assert(row->layers == e->figures.layers && row->dimension == e->figures.key_dim &&
                      row->householders == e->figures.householders);
            built++;
        }
        f2l_survey_clear(&s);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(built > 10, "%zu", built);
}
