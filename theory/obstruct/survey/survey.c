#include "theory/obstruct/survey/survey.h"
#include "theory/compile/engines_held.h"
#include <stdio.h>

void f2l_survey_init(f2l_survey *s)
{
    f2l_classify_init(&s->classify);
    f2l_layers_init(&s->layers);
    f2l_enough_init(&s->enough);
    f2l_one_layer_init(&s->one_layer);
    f2l_finer_init(&s->finer);
    f2l_compile_result_init(&s->compiled);
    s->first_layers = (f2l_stack_lists){.list = {{{.letters = 0}}}};
    s->most = 0;
    s->most_by = NULL;
    s->most_is_built = false;
    s->open[0] = s->unbuilt[0] = s->engines[0] = '\0';
    s->apart = (f2l_effort){.limit = 0};
}

void f2l_survey_clear(f2l_survey *s)
{
    f2l_layers_clear(&s->layers);
    f2l_enough_clear(&s->enough);
    f2l_stack_lists_clear(&s->first_layers);
    f2l_one_layer_clear(&s->one_layer);
    f2l_finer_clear(&s->finer);
    f2l_classify_clear(&s->classify);
    f2l_compile_result_clear(&s->compiled);
}

/* Decides whether one layer can have one code for each state; a task that is stopped leaves it
 * unknown. */
static f2l_status decide_one_code(f2l_one_layer *one, const f2l_fsa *fsa, f2l_label label,
                                  const f2l_task *task, f2l_error *err)
{
    const f2l_status status = f2l_one_layer_find(one, fsa, label, NULL, task, err);
    if (status != F2L_UNKNOWN) return status;
    snprintf(one->separation.reason, sizeof one->separation.reason, "%.127s", err->text);
    return F2L_OK;
}

/* Seeks layers above which one more is enough, where one layer is known not to be and more than
 * three are not known to be needed. */
static f2l_status decide_more_layers(f2l_survey *out, const f2l_fsa *fsa, f2l_label label,
                                     const f2l_task *task, f2l_error *err)
{
    if (out->layers.least < 2 || out->layers.least > 3) return F2L_OK;
    return f2l_enough_find(&out->enough, &out->first_layers, fsa, label, out->layers.least, task,
                           err);
}

/* Returns the task with the effort of its own that finer classes and engines have. */
static f2l_task task_apart(f2l_survey *s, const f2l_task *task)
{
    f2l_task apart = task ? *task : (f2l_task){0};
    apart.effort = &s->apart;
    return apart;
}

f2l_status f2l_survey_find(f2l_survey *out, const f2l_fsa *fsa, const f2l_classify_options *options,
                           const f2l_task *task, f2l_error *err)
{
    const f2l_layers_limits limits = f2l_layers_limits_of(task->effort ? task->effort->limit : 0);
    f2l_status status = f2l_classify_build(&out->classify, fsa, options, task, err);
    if (status == F2L_OK)
        status = f2l_layers_find(&out->layers, fsa, options->label, &limits, task, err);
    if (status == F2L_OK) status = decide_more_layers(out, fsa, options->label, task, err);
    if (status == F2L_OK) status = decide_one_code(&out->one_layer, fsa, options->label, task, err);
    if (task->effort) out->apart.limit = task->effort->limit;
    const f2l_task apart = task_apart(out, task);
    return status == F2L_OK ? f2l_finer_find(&out->finer, &out->classify, &apart, err) : status;
}

/* --- what the compiler builds --- */

/* The networks of each rung of the ladder that has a construction. */
static const f2l_network_class networks[F2L_LADDER_CLASSES] = {
    [F2L_LADDER_DIAGONAL_POSITIVE] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_DIAGONAL_REAL] = F2L_NETWORKS_REAL,
    [F2L_LADDER_DIAGONAL_COMPLEX] = F2L_NETWORKS_COMPLEX,
    [F2L_LADDER_DELTANET_POSITIVE] = F2L_NETWORKS_POSITIVE_KEPT,
    [F2L_LADDER_DELTANET] = F2L_NETWORKS_ONE,
    [F2L_LADDER_DELTAPRODUCT_POSITIVE] = F2L_NETWORKS_POSITIVE_KEPT,
    [F2L_LADDER_DELTAPRODUCT] = F2L_NETWORKS_KEPT,
    [F2L_LADDER_GATED_POSITIVE] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_GATED] = F2L_NETWORKS_FINITE,
    [F2L_LADDER_KDA_POSITIVE] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_KDA] = F2L_NETWORKS_ONE,
    [F2L_LADDER_GDN2] = F2L_NETWORKS_POSITIVE_KEPT,
    [F2L_LADDER_GDN2_DOUBLE] = F2L_NETWORKS_ONE,
    [F2L_LADDER_RWKV7] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_RWKV7_DOUBLE] = F2L_NETWORKS_ONE,
    [F2L_LADDER_COMPLEX_KDA_POSITIVE] = F2L_NETWORKS_REAL,
    [F2L_LADDER_COMPLEX_KDA] = F2L_NETWORKS_ONE,
    [F2L_LADDER_COMPLEX_KDA_BEYOND] = F2L_NETWORKS_ONE,
    [F2L_LADDER_MAMBA3] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_MOMENTUM] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_MOMENTUM_PLAIN] = F2L_NETWORKS_ONE,
    [F2L_LADDER_KACZMARZ] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_FIXED_POINT] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_LOG_LINEAR_POSITIVE] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_LOG_LINEAR] = F2L_NETWORKS_ONE,
    [F2L_LADDER_HYBRID_DIAGONAL] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_HYBRID_POSITIVE] = F2L_NETWORKS_POSITIVE,
    [F2L_LADDER_HYBRID_LETTERS] = F2L_NETWORKS_POSITIVE};

f2l_network_class f2l_survey_networks(f2l_ladder_class class)
{
    return networks[class];
}

const f2l_compile_entry *f2l_survey_network(const f2l_survey *s, f2l_ladder_class class)
{
    const bool can = s->classify.row[class].verdict == F2L_LADDER_CAN;
    return can && networks[class] ? f2l_compile_fewest(&s->compiled, networks[class]) : NULL;
}

/* Gives the row the figures of the network. Its statement is replaced where the network has fewer
 * layers, or as many with fewer factors. */
static void take_figures(f2l_ladder_row *row, const f2l_compile_entry *e)
{
    const f2l_compile_figures *f = &e->figures;
    const bool better =
        row->layers > 0 && (f->layers < row->layers ||
                            (f->layers == row->layers && f->householders < row->householders));
    if (better) {
        row->statement = row->construction = e->theorem;
        row->remark = "";
    }
    row->unbuilt_layers = f->layers > row->layers ? row->layers : 0;
    row->layers = f->layers;
    row->householders = f->householders;
    row->dimension = f->key_dim;
}

/* Sets the fewest layers of a network that is known to exist: of a network that was built, or else,
 * where none was, by a statement. */
static void find_most(f2l_survey *s)
{
    const f2l_classify *c = &s->classify;
    const f2l_compile_entry *e = f2l_compile_fewest(&s->compiled, F2L_NETWORKS_FINITE);
    const size_t states = c->fsa->states.count, all = states > 1 ? states - 1 : 1;
    const bool cascade = c->levels > 0 && c->levels < all;
    const bool simple = c->permutation || c->definite || f2l_one_layer_builds(&s->one_layer);
    s->most_is_built = e != NULL;
    s->most = e ? e->figures.layers : simple ? 1 : cascade ? c->levels : all;
    s->most_by = e                ? e->theorem
                 : c->permutation ? "T3"
                 : c->definite    ? "K"
                 : simple         ? "R4"
                 : cascade        ? "T4"
                                  : "T4.9";
    f2l_compile_say_open(s->open, sizeof s->open, &s->compiled, s->most, s->layers.least);
}

/* Larger automata get a part of the steps where only figures are asked for: few constructions can
 * build them, and only with many steps. */
#define QUICK_STATES 256
#define QUICK_SHARE 8

f2l_status f2l_survey_compile(f2l_survey *s, const f2l_fsa *fsa, const f2l_compile_options *options,
                              const f2l_task *task, f2l_error *err)
{
    f2l_compile_options list = *options;
    f2l_error why = {0};
    f2l_status status = F2L_OK;
    list.all = true;
    if (!list.first_layers) list.first_layers = &s->first_layers;
    list.figures = options->format[0] == NULL;
    list.least_layers = s->layers.least;
    list.margin_layers = s->layers.margin;
    if (list.figures && fsa->states.count > QUICK_STATES) list.effort /= QUICK_SHARE;
    if (list.figures && fsa->states.count > F2L_SURVEY_STATES)
        status = f2l_fail(&why, F2L_UNKNOWN, "nothing is built for more than %d states",
                          F2L_SURVEY_STATES);
    else
        status = f2l_compile(&s->compiled, fsa, &list, task, &why);
    if (status == F2L_EDOMAIN || status == F2L_UNKNOWN)
        snprintf(s->unbuilt, sizeof s->unbuilt, "%.255s", why.text);
    else if (status != F2L_OK && err)
        *err = why;
    if (status != F2L_OK && status != F2L_EDOMAIN && status != F2L_UNKNOWN) return status;
    for (int i = 0; i < F2L_LADDER_CLASSES; i++) {
        const f2l_compile_entry *e = f2l_survey_network(s, (f2l_ladder_class)i);
        if (e) take_figures(&s->classify.row[i], e);
    }
    find_most(s);
    if (!s->compiled.theorem) return F2L_OK;
    s->apart = (f2l_effort){.limit = s->apart.limit}; /* what finer classes used is not theirs */
    const f2l_task apart = task_apart(s, task);
    f2l_unrounded_shared *shared = f2l_unrounded_share(&s->compiled.net);
    status = f2l_engines_held(s->engines, &s->compiled.net, shared, &apart, err);
    f2l_unrounded_shared_clear(shared);
    return status;
}
