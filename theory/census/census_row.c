/* The row of one automaton: the compiler's network above, the lower bounds below. */
#include "theory/census/census_row.h"
#include "theory/compile/compile.h"
#include "theory/obstruct/layers/layers.h"
#include <stdio.h>

/* Sets the network's part of the row. */
static f2l_status find_network(f2l_census_row *out, const f2l_fsa *fsa,
                               const f2l_census_limits *limits, const f2l_task *task,
                               f2l_error *err)
{
    f2l_compile_result result;
    const f2l_compile_options options = {.label = F2L_LABEL_STATES,
                                         .schedule = &f2l_schedules[0],
                                         .merge_letters = true,
                                         .effort = limits->effort};
    f2l_compile_result_init(&result);
    f2l_status status = f2l_compile(&result, fsa, &options, task, err);
    if (status == F2L_OK && result.theorem && result.exact.verdict == F2L_OK) {
        snprintf(out->construction, sizeof out->construction, "%s", result.theorem);
        f2l_compile_measure(&out->figures, &result);
    }
    f2l_compile_result_clear(&result);
    return status == F2L_UNKNOWN && f2l_task_stop(task) == F2L_STOP_NONE ? F2L_OK : status;
}

/* Sets the lower bound on the layers. */
static f2l_status find_least(f2l_census_row *out, const f2l_fsa *fsa,
                             const f2l_census_limits *limits, const f2l_task *task, f2l_error *err)
{
    f2l_layers layers;
    const f2l_layers_limits each = {
        .fork = limits->effort, .arcs = limits->effort, .tied = limits->effort};
    f2l_layers_init(&layers);
    const f2l_status status = f2l_layers_find(&layers, fsa, F2L_LABEL_STATES, &each, task, err);
    if (status == F2L_OK && layers.least > out->least_layers) {
        out->least_layers = layers.least;
        snprintf(out->by, sizeof out->by, "%s", layers.by);
    }
    f2l_layers_clear(&layers);
    return status;
}

static f2l_status find(f2l_census_row *out, const f2l_fsa *fsa, const f2l_census_limits *limits,
                       const f2l_task *task, f2l_error *err)
{
    out->least_layers = 1;
    out->one_code = F2L_ONE_CODE_OPEN;
    f2l_status status = find_least(out, fsa, limits, task, err);
    if (status == F2L_OK) status = find_network(out, fsa, limits, task, err);
    if (out->least_layers > 1) out->one_code = F2L_ONE_CODE_NO;
    return status;
}

f2l_status f2l_census_row_find(f2l_census_row *out, const f2l_census *census,
                               const f2l_census_limits *limits, const f2l_task *task,
                               f2l_error *err)
{
    f2l_fsa fsa;
    f2l_buf name;
    *out = (f2l_census_row){.least_layers = 1};
    f2l_fsa_init(&fsa);
    f2l_buf_init(&name);
    f2l_census_name(&name, census);
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) {
        snprintf(out->name, sizeof out->name, "%s", name.data);
        status = f2l_census_automaton(&fsa, census, err);
    }
    if (status == F2L_OK) status = find(out, &fsa, limits, task, err);
    f2l_buf_clear(&name);
    f2l_fsa_clear(&fsa);
    return status;
}
