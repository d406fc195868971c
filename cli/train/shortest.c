#include "cli/train/shortest.h"
#include "cli/train/evaluate_weights.h"
#include "numeric/base/mem.h"

f2l_status f2l_run_tracks(const f2l_experiment *run, f2l_error *err)
{
    const f2l_data_options *data = run ? &run->data : NULL;
    return data && data->kind == F2L_DATA_AUTOMATON && data->when == F2L_DATA_EVERY &&
                   data->label == F2L_LABEL_STATES && data->tokens <= 1 && !data->weight
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN,
                          "there is no certified horizon for this run: its task is not the state "
                          "after every letter of any word");
}

f2l_status f2l_run_settle(f2l_settle *out, const f2l_experiment *run, const f2l_checkpoint *trained,
                          const f2l_settle_ask *ask, const f2l_task *task, f2l_error *err)
{
    double *parameters = NULL;
    f2l_status status = f2l_run_tracks(run, err);
    if (status == F2L_OK) status = f2l_weights_parameters(&parameters, trained, err);
    if (status == F2L_OK)
        status = f2l_settle_find(out, &trained->model, parameters, run->fsa, run->data.begin, ask,
                                 task, err);
    f2l_free(parameters);
    return status;
}

static void settle_beside(f2l_settle_report *out, const f2l_shortest_ask *ask, const f2l_task *task)
{
    static const f2l_settle_ask few = {
        .length = 4, .words = 200, .claims = 8, .suffix = 1, .seconds = 20, .run = F2L_SETTLE_RUN};
    *out = (f2l_settle_report){.fsa = ask->run ? ask->run->fsa : NULL};
    if (ask->search == 0 || !ask->run)
        f2l_fail(&out->why, F2L_EDOMAIN, "no search was asked for, or of another automaton");
    else if (f2l_run_settle(&out->settle, ask->run, ask->trained, &few, task, &out->why) == F2L_OK)
        out->why = (f2l_error){0};
}

f2l_status f2l_shortest_find(f2l_failing *out, f2l_settle_report *settle,
                             const f2l_shortest_ask *ask, const f2l_task *task, f2l_error *err)
{
    f2l_failing_known known = {.seen = ask->seen};
    const f2l_seq *model = &ask->trained->model;
    uint32_t *word = f2l_calloc(F2L_SETTLE_RUN, sizeof *word);
    *out = (f2l_failing){.letters = 0};
    if (word == NULL) return f2l_fail_memory(err);
    settle_beside(settle, ask, task);
    if (settle->why.text[0] == '\0' && settle->settle.found > 0) {
        f2l_settle_spell(word, &settle->settle);
        known.met = word;
        known.met_letters = settle->settle.found;
    }
    const f2l_status status = f2l_failing_find(out, model, ask->trained->parameters, ask->data,
                                               &known, ask->search, task, err);
    f2l_free(word);
    return status;
}
