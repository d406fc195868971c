/* The transition group of an automaton with its representations, and the network of a variant. */
#include "theory/construct/r1/r1.h"
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <string.h>

void f2l_r1_tables_clear(f2l_r1_tables *t)
{
    f2l_householders_clear(&t->householders);
    f2l_characters_clear(&t->characters);
    f2l_classes_clear(&t->classes);
    f2l_group_clear(&t->group);
    f2l_free(t->letter);
    t->letter = NULL;
}

static void tables_init(f2l_r1_tables *t)
{
    f2l_group_init(&t->group);
    f2l_classes_init(&t->classes);
    f2l_characters_init(&t->characters);
    f2l_householders_init(&t->householders);
    t->letter = NULL;
}

f2l_status f2l_r1_tables_build(f2l_r1_tables *out, const uint32_t *image, size_t letters,
                               size_t degree, size_t max_order, const f2l_task *task,
                               f2l_error *err)
{
    tables_init(out);
    f2l_status status = f2l_group_build(&out->group, image, letters, degree, max_order, task, err);
    if (status == F2L_OK) status = f2l_classes_build(&out->classes, &out->group, task, err);
    if (status == F2L_OK)
        status = f2l_characters_build(&out->characters, &out->group, &out->classes, task, err);
    if (status == F2L_OK) {
        out->letter = f2l_calloc(letters, sizeof *out->letter);
        if (!out->letter) status = f2l_fail_memory(err);
    }
    for (size_t a = 0; a < letters && status == F2L_OK; a++)
        out->letter[a] = (uint32_t)f2l_group_find(&out->group, image + a * degree);
    if (status == F2L_OK)
        status = f2l_householders_build(&out->householders, &out->classes, &out->characters,
                                        out->letter, letters, 0, task, err);
    if (status != F2L_OK) f2l_r1_tables_clear(out);
    return status;
}

void f2l_r1_init(f2l_r1 *r1)
{
    *r1 = (f2l_r1){0};
    tables_init(&r1->tables);
}

void f2l_r1_clear(f2l_r1 *r1)
{
    f2l_r1_tables_clear(&r1->tables);
    f2l_reach_clear(&r1->reach);
    f2l_r1_init(r1);
}

/* Returns how the letters permute the reached states. */
static uint32_t *state_images(const f2l_r1 *r1)
{
    const size_t states = r1->reach.states, letters = r1->fsa->letters.count;
    size_t cells;
    uint32_t *image =
        f2l_mul_size(&cells, states, letters) ? f2l_calloc(cells, sizeof *image) : NULL;
    if (image == NULL) return NULL;
    for (size_t a = 0; a < letters; a++)
        for (size_t i = 0; i < states; i++) {
            const uint32_t next = r1->fsa->next[r1->reach.state[i] * letters + a];
            image[a * states + i] = r1->reach.position[next];
        }
    return image;
}

/* Lists the group. If the states are the elements of a group of permutations, these permutations
 * generate the same group on fewer points. */
static f2l_status analyse_group(f2l_r1 *out, size_t max_order, const f2l_task *task, f2l_error *err)
{
    const f2l_fsa *fsa = out->fsa;
    if (fsa->track == F2L_TRACK_ELEMENTS)
        return f2l_r1_tables_build(&out->tables, fsa->perm, fsa->letters.count, fsa->points,
                                   max_order, task, err);
    uint32_t *image = state_images(out);
    if (image == NULL) return f2l_fail_memory(err);
    f2l_status status = f2l_r1_tables_build(&out->tables, image, fsa->letters.count,
                                            out->reach.states, max_order, task, err);
    f2l_free(image);
    return status;
}

f2l_status f2l_r1_analyse(f2l_r1 *out, const f2l_fsa *fsa, size_t max_order, const f2l_task *task,
                          f2l_error *err)
{
    f2l_merge merge;
    f2l_r1_init(out);
    if (!f2l_fsa_is_permutation(fsa, &merge)) return f2l_merge_fail(fsa, &merge, err);
    out->fsa = fsa;
    f2l_status status = f2l_reach_init(&out->reach, fsa, err);
    if (status == F2L_OK)
        status = analyse_group(out, max_order ? max_order : F2L_R1_MAX_ORDER, task, err);
    if (status != F2L_OK) f2l_r1_clear(out);
    return status;
}

f2l_status f2l_r1_modules_new(f2l_r1_plan *plan, size_t count, f2l_error *err)
{
    plan->module = f2l_calloc(count, sizeof *plan->module);
    if (plan->module == NULL) return f2l_fail_memory(err);
    plan->modules = count;
    for (size_t i = 0; i < count; i++) f2l_irrep_init(&plan->module[i].rep);
    return F2L_OK;
}

void f2l_r1_modules_free(f2l_r1_plan *plan)
{
    for (size_t i = 0; i < plan->modules; i++) {
        f2l_irrep_clear(&plan->module[i].rep);
        f2l_free(plan->module[i].image);
        f2l_free(plan->module[i].trace);
    }
    f2l_free(plan->module);
    plan->module = NULL;
    plan->modules = 0;
}

/* Builds the acting group, its elements, and the representations that become heads. */
static f2l_status build_modules(f2l_r1_plan *plan, f2l_r1_tables *cover, f2l_r1_report *report,
                                const f2l_r1_options *options, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (report->variant == F2L_R1_COVER) {
        status = f2l_r1_cover(cover, report, plan->r1, &options->cover, plan->task, err);
        plan->tables = cover;
    }
    if (status == F2L_OK) status = f2l_r1_tree_init(&plan->tree, plan->tables, plan->r1, err);
    if (status != F2L_OK) return status;
    if (report->variant == F2L_R1_DYADIC)
        return f2l_r1_signed(plan, report, options->dyadic_work, err);
    bool least = false;
    status = f2l_r1_irreducible(plan, &least, err);
    if (report->variant == F2L_R1_GROUP) report->complete = least;
    return status;
}

static f2l_status build_net(f2l_net *out, const f2l_r1_plan *plan, f2l_error *err)
{
    const size_t letters = plan->r1->fsa->letters.count;
    out->label = plan->label;
    f2l_status status = f2l_names_copy(&out->letters, &plan->r1->fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&out->layer[0], letters, plan->modules, err);
    if (status == F2L_OK) status = f2l_r1_transitions(&out->layer[0], plan, err);
    return status == F2L_OK ? f2l_r1_decoder(out, plan, err) : status;
}

f2l_status f2l_r1_build(f2l_net *out, f2l_r1_report *report, const f2l_r1 *r1, f2l_label label,
                        f2l_r1_variant variant, const f2l_r1_options *options, const f2l_task *task,
                        f2l_error *err)
{
    const f2l_r1_options defaults = {0};
    const f2l_r1_tables *t = &r1->tables;
    f2l_r1_tables cover;
    f2l_r1_plan plan = {.r1 = r1, .tables = t, .task = task, .label = label};
    if (options == NULL) options = &defaults;
    plan.choice = variant == F2L_R1_GROUP ? options->choice : NULL;
    tables_init(&cover);
    f2l_net_clear(out);
    f2l_r1_report_clear(report);
    *report = (f2l_r1_report){.variant = variant,
                              .order = t->group.order,
                              .classes = t->classes.classes,
                              .lower = variant == F2L_R1_GROUP ? t->householders.minimum : 0,
                              .kernel = 1};
    f2l_status status = f2l_fsa_check_label(r1->fsa, label, err);
    if (status == F2L_OK) status = build_modules(&plan, &cover, report, options, err);
    if (status == F2L_OK) status = build_net(out, &plan, err);
    if (status == F2L_OK) status = f2l_r1_fill_report(report, &plan, &out->layer[0], err);
    f2l_r1_describe(report, &options->cover);
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_r1_tree_clear(&plan.tree);
    f2l_r1_modules_free(&plan);
    f2l_r1_tables_clear(&cover);
    return status;
}
