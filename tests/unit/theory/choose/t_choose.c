/* The decision: its network, its steps, the models, and what limits leave open. */
#include "tests/support/automata/fsa_text.h"
#include "theory/choose/choose.h"
#include <criterion/criterion.h>
#include <string.h>

static const char parity[] = "start e\ne 0 e\ne 1 o\no 0 o\no 1 e\n";
static const char flip[] = "start a\na s b\na r a\nb s b\nb r a\n";

static void choose_text(f2l_choose *c, f2l_fsa *fsa, const char *text, f2l_label label,
                        const f2l_task *task)
{
    f2l_error err = {0};
    fsa_from_text(fsa, text);
    f2l_choose_init(c);
    cr_assert_eq(f2l_choose_find(c, fsa, label, task, &err), F2L_OK, "%s", err.text);
}

static void done(f2l_choose *c, f2l_fsa *fsa)
{
    f2l_choose_clear(c);
    f2l_fsa_clear(fsa);
}

Test(choose, reflects_where_a_word_is_a_cycle)
{
    f2l_choose c;
    f2l_fsa fsa;
    choose_text(&c, &fsa, parity, F2L_LABEL_STATES, NULL);
    cr_assert(c.best.found && c.reflects && c.format);
    cr_assert_str_eq(c.format->format->name, "bf16");
    cr_assert_eq(f2l_choose_bytes(c.format->format), 2);
    cr_assert_eq(c.cheaper[F2L_CHEAPER_EIGENVALUES].answer, F2L_CHEAPER_CANNOT);
    cr_assert_eq(c.cheaper[F2L_CHEAPER_LAYERS].answer, F2L_CHEAPER_NONE);
    cr_assert_null(c.fewer);
    cr_assert_null(c.one);
    done(&c, &fsa);
}

Test(choose, needs_no_reflection_to_hold_and_reset)
{
    f2l_choose c;
    f2l_fsa fsa;
    choose_text(&c, &fsa, flip, F2L_LABEL_STATES, NULL);
    cr_assert(c.best.found && !c.reflects);
    cr_assert_eq(c.cheaper[F2L_CHEAPER_EIGENVALUES].answer, F2L_CHEAPER_NONE);
    done(&c, &fsa);
}

Test(choose, models_hold_the_network)
{
    f2l_choose c;
    f2l_fsa fsa;
    choose_text(&c, &fsa, parity, F2L_LABEL_STATES, NULL);
    cr_assert_eq(c.holders, 3);
    for (size_t i = 0; i < c.holders; i++) {
        const f2l_holder *h = &c.holder[i];
        cr_assert_eq(h->held, &c.best);
        cr_assert_eq(h->sizes.recurrent, 1);
        cr_assert_eq(h->sizes.factors, 1);
        cr_assert(h->files.claims > 0 && h->files.claim[0].exact);
        cr_assert_str_eq(h->files.file[0].name, "config.json");
        for (size_t k = 0; k < h->files.files; k++)
            cr_assert_neq(strcmp(h->files.file[k].name, "model.safetensors"), 0);
    }
    done(&c, &fsa);
}

/* R1 has one layer with two factors for the dihedral group of five points, which no search keeps:
 * four factors, or three layers, are right in formats in which its numbers round. */
Test(choose, names_one_layer_of_fewer_factors)
{
    f2l_choose c;
    f2l_fsa fsa;
    choose_text(&c, &fsa,
                "points 5\ntrack elements\npermute turn (1 2 3 4 5)\npermute flip (1 5)(2 4)\n",
                F2L_LABEL_STATES, NULL);
    const f2l_cheaper *factors = &c.cheaper[F2L_CHEAPER_HOUSEHOLDERS];
    cr_assert_eq(c.best.entry.figures.householders, 4);
    cr_assert_eq(factors->answer, F2L_CHEAPER_CAN);
    cr_assert(strstr(factors->text, "; one layer can with n_h = 2 (R1), in exact arithmetic"), "%s",
              factors->text);
    done(&c, &fsa);
}

/* With hardly any steps nothing is found, and nothing is claimed. */
Test(choose, a_limit_leaves_all_open)
{
    f2l_effort effort = {.limit = 1};
    const f2l_task task = {.effort = &effort};
    f2l_choose c;
    f2l_fsa fsa;
    choose_text(&c, &fsa, "start a\naccept b\na s b\na r a\nb s b\nb r a\n", F2L_LABEL_ACCEPT,
                &task);
    cr_assert(!c.best.found && c.best.reason[0]);
    cr_assert_eq(c.holders, 0);
    for (int i = 0; i < F2L_CHEAPER_STEPS; i++)
        cr_assert_eq(c.cheaper[i].answer, F2L_CHEAPER_UNKNOWN);
    done(&c, &fsa);
}

Test(choose, refuses_labels_that_are_not_there)
{
    f2l_choose c;
    f2l_fsa fsa;
    f2l_error err = {0};
    fsa_from_text(&fsa, parity);
    f2l_choose_init(&c);
    cr_assert_eq(f2l_choose_find(&c, &fsa, F2L_LABEL_OUTPUTS, NULL, &err), F2L_EDOMAIN);
    done(&c, &fsa);
}

/* Every row has a name, a kind that comes in order, and a rung or none. */
Test(choose, the_table_is_in_order)
{
    f2l_released_kind last = F2L_RELEASED_LAYER;
    size_t rows = 0;
    for (const f2l_released *row = f2l_released_table; row->name; row++, rows++) {
        cr_assert(row->kind >= last && row->class <= F2L_LADDER_CLASSES);
        cr_assert(row->kind == F2L_RELEASED_ENGINE || row->library == NULL);
        cr_assert_not_null(row->setting);
        last = row->kind;
    }
    cr_assert(rows > 20 && last == F2L_RELEASED_ENGINE);
}
