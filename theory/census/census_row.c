/* The row of one automaton: the compiler's network above, the lower bounds below. */
#include "theory/census/census_row.h"
#include "theory/compile/compile.h"
#include "theory/obstruct/layers/layers.h"
#include "theory/obstruct/least/least.h"
#include "theory/obstruct/separation/one_layer.h"
#include <stdio.h>

/* Sets the network's part of the row to the best one of at most `layers` layers (0: of any number),
 * if there is one. */
static f2l_status find_network(f2l_census_row *out, const f2l_fsa *fsa, size_t layers,
                               const f2l_census_limits *limits, const f2l_task *task,
                               f2l_error *err)
{
    f2l_compile_result result;
    const f2l_compile_options options = {.label = F2L_LABEL_STATES,
                                         .schedule = &f2l_schedules[0],
                                         .merge_letters = true,
                                         .effort = limits->effort,
                                         .first_layers = limits->first_layers,
                                         .no_slow = layers == 0,
                                         .bounds = {.layers = layers}};
    f2l_compile_result_init(&result);
    f2l_status status = f2l_compile(&result, fsa, &options, task, err);
    if (status == F2L_OK && result.theorem && result.exact.verdict == F2L_OK) {
        snprintf(out->construction, sizeof out->construction, "%s", result.theorem);
        f2l_compile_measure(&out->figures, &result);
    }
    f2l_compile_result_clear(&result);
    const bool none = status == F2L_EDOMAIN && layers > 0;
    return none || (status == F2L_UNKNOWN && f2l_task_stop(task) == F2L_STOP_NONE) ? F2L_OK
                                                                                   : status;
}

/* Finds the network of fewest layers: the best one without long searches, then fewer layers as far
 * as there are networks. */
static f2l_status find_networks(f2l_census_row *out, const f2l_fsa *fsa,
                                const f2l_census_limits *limits, const f2l_task *task,
                                f2l_error *err)
{
    f2l_status status = find_network(out, fsa, 0, limits, task, err);
    for (size_t layers = out->layers_at_least;
         status == F2L_OK && out->construction[0] && layers < out->figures.layers; layers++)
        status = find_network(out, fsa, layers, limits, task, err);
    return status;
}

/* Sets the lower bound on the factors of a letter in one layer. */
static f2l_status find_householders(f2l_census_row *out, const f2l_fsa *fsa, const f2l_task *task,
                                    f2l_error *err)
{
    f2l_least least;
    f2l_least_init(&least);
    const f2l_status status = f2l_least_build(&least, fsa, F2L_LABEL_STATES, task, err);
    if (status == F2L_OK) out->least_householders = least.word[F2L_LEAST_HEADS].bound;
    f2l_least_clear(&least);
    return status;
}

/* Decides with which decoder one layer is possible with one code for each state. */
static f2l_status find_one_code(f2l_census_row *out, const f2l_fsa *fsa, const f2l_task *task,
                                f2l_error *err)
{
    static const f2l_one_code of[] = {F2L_ONE_CODE_STATE, F2L_ONE_CODE_STEP, F2L_ONE_CODE_BEFORE};
    f2l_one_layer one;
    f2l_one_layer_init(&one);
    const f2l_status status = f2l_one_layer_find(&one, fsa, F2L_LABEL_STATES, NULL, task, err);
    if (status == F2L_OK && one.separation.verdict == F2L_SEPARATION_FEASIBLE)
        out->one_code = of[one.decoder];
    if (status == F2L_OK && one.separation.verdict == F2L_SEPARATION_INFEASIBLE)
        out->one_code = F2L_ONE_CODE_NONE;
    f2l_one_layer_clear(&one);
    return status;
}

/* Sets the lower bound on the layers; *one_suffices: one is enough by OL. */
static f2l_status find_least_layers(f2l_census_row *out, bool *one_suffices, const f2l_fsa *fsa,
                                    const f2l_census_limits *limits, const f2l_task *task,
                                    f2l_error *err)
{
    f2l_layers layers;
    const f2l_layers_limits each = {.fork = limits->effort,
                                    .band = limits->effort,
                                    .arcs = limits->effort,
                                    .tied = limits->effort};
    f2l_layers_init(&layers);
    const f2l_status status = f2l_layers_find(&layers, fsa, F2L_LABEL_STATES, &each, task, err);
    *one_suffices = status == F2L_OK && f2l_layers_one_suffices(&layers);
    if (status == F2L_OK && layers.least > out->layers_at_least) {
        out->layers_at_least = layers.least;
        snprintf(out->by, sizeof out->by, "%s", layers.by);
    }
    f2l_layers_clear(&layers);
    return status;
}

/* Sets the number of layers that a statement shows to be enough, where there is no network with so
 * few: one by idempotents, or two by a good device. */
static f2l_status find_enough(f2l_census_row *out, const f2l_fsa *fsa, bool one_suffices,
                              const f2l_census_limits *limits, const f2l_task *task, f2l_error *err)
{
    const size_t built = out->construction[0] ? out->figures.layers : SIZE_MAX;
    f2l_stack stack = {.vertices = 0};
    f2l_status status = F2L_OK;
    if (one_suffices && built > 1) {
        out->layers_enough = 1;
        snprintf(out->enough_by, sizeof out->enough_by, "OL");
    } else if (!one_suffices && out->layers_at_least <= 2 && built > 2) {
        status = f2l_stack_find_device(&stack, false, limits->first_layers, fsa, task, err);
        if (status == F2L_OK && stack.vertices > 0) {
            out->layers_enough = 2;
            snprintf(out->enough_by, sizeof out->enough_by, "LL.2");
        }
        f2l_stack_clear(&stack);
    }
    const bool open = status == F2L_EDOMAIN || status == F2L_UNKNOWN;
    return open && f2l_task_stop(task) == F2L_STOP_NONE ? F2L_OK : status;
}

static f2l_status find_census_row(f2l_census_row *out, const f2l_fsa *fsa,
                                  const f2l_census_limits *limits, const f2l_task *task,
                                  f2l_error *err)
{
    out->layers_at_least = 1;
    out->one_code = F2L_ONE_CODE_OPEN;
    bool one_suffices = false;
    f2l_status status = find_least_layers(out, &one_suffices, fsa, limits, task, err);
    if (status == F2L_OK) status = find_householders(out, fsa, task, err);
    if (status == F2L_OK) status = find_one_code(out, fsa, task, err);
    if (status == F2L_OK) status = find_networks(out, fsa, limits, task, err);
    return status == F2L_OK ? find_enough(out, fsa, one_suffices, limits, task, err) : status;
}

f2l_status f2l_census_row_find(f2l_census_row *out, const f2l_census *census,
                               const f2l_census_limits *limits, const f2l_task *task,
                               f2l_error *err)
{
    f2l_fsa fsa;
    f2l_buf name;
    *out = (f2l_census_row){.layers_at_least = 1};
    f2l_fsa_init(&fsa);
    f2l_buf_init(&name);
    f2l_census_name(&name, census);
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) {
        snprintf(out->name, sizeof out->name, "%s", name.data);
        status = f2l_census_automaton(&fsa, census, err);
    }
    if (status == F2L_OK) status = find_census_row(out, &fsa, limits, task, err);
    f2l_buf_clear(&name);
    f2l_fsa_clear(&fsa);
    return status;
}
