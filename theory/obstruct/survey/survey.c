#include "theory/obstruct/survey/survey.h"
#include <stdio.h>

void f2l_survey_init(f2l_survey *s)
{
    f2l_classify_init(&s->classify);
    f2l_layers_init(&s->layers);
    f2l_one_layer_init(&s->one_layer);
}

void f2l_survey_clear(f2l_survey *s)
{
    f2l_layers_clear(&s->layers);
    f2l_one_layer_clear(&s->one_layer);
    f2l_classify_clear(&s->classify);
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

f2l_status f2l_survey_find(f2l_survey *out, const f2l_fsa *fsa, const f2l_classify_options *options,
                           const f2l_task *task, f2l_error *err)
{
    /* Arcs and tied sets soon find what there is. */
    const uint64_t effort = task->effort ? task->effort->limit : 0, share = effort / 64;
    const f2l_layers_limits limits = {effort, share, share, false, false};
    f2l_status status = f2l_classify_build(&out->classify, fsa, options, task, err);
    if (status == F2L_OK)
        status = f2l_layers_find(&out->layers, fsa, options->label, &limits, task, err);
    return status == F2L_OK ? decide_one_code(&out->one_layer, fsa, options->label, task, err)
                            : status;
}

size_t f2l_survey_most(const f2l_survey *s, const char **by)
{
    const f2l_classify *c = &s->classify;
    const size_t states = c->fsa->states.count, all = states > 1 ? states - 1 : 1;
    const bool simple = c->permutation || c->definite;
    if (simple || f2l_one_layer_builds(&s->one_layer)) {
        *by = c->permutation ? "T3" : c->definite ? "K" : "R4";
        return 1;
    }
    const bool cascade = c->levels > 0 && c->levels < all;
    *by = cascade ? "T4" : "T4.9";
    return cascade ? c->levels : all;
}
