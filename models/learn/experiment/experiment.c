#include "models/learn/data/data_walk.h"
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <string.h>

f2l_status f2l_experiment_data(f2l_data *out, const f2l_experiment *experiment, uint32_t stream,
                               f2l_error *err)
{
    f2l_data_options options = experiment->data;
    options.seed = experiment->seed;
    options.stream = stream;
    options.batch = experiment->batch;
    if (stream == F2L_DATA_TEST) options.live = options.periodic = 0;
    const f2l_status status = f2l_data_build(out, &options, experiment->fsa, err);
    if (status == F2L_OK && stream == F2L_DATA_TEST)
        out->others_to = f2l_walk_longest(experiment->curriculum.limit);
    return status;
}

const char *f2l_experiment_source(const f2l_experiment *experiment)
{
    const f2l_data_options *o = &experiment->data;
    if (o->words) return f2l_path_base(o->words->source);
    if (experiment->fsa) return "automaton.fsa";
    return o->kind == F2L_DATA_RECALL ? "recall" : "expressions";
}

f2l_status f2l_experiment_default(f2l_experiment *experiment, const f2l_data_options *data,
                                  const f2l_fsa *fsa, uint64_t steps, f2l_error *err)
{
    f2l_data built;
    f2l_experiment e = {.data = *data,
                        .fsa = fsa,
                        .train = f2l_train_options_default(steps),
                        .curriculum = {.start = 4, .limit = 64, .threshold = 0.9, .patience = 1},
                        .batch = 256,
                        .seed = 1};
    f2l_data_init(&built);
    const f2l_status status = f2l_experiment_data(&built, &e, F2L_DATA_TRAIN, err);
    if (status != F2L_OK) return status;
    e.model = f2l_seq_config_default(built.letters.count, built.labels.count);
    e.model.slope = 4;
    if (e.curriculum.start < built.least) e.curriculum.start = built.least;
    if (e.curriculum.limit < built.least) e.curriculum.limit = built.least;
    if (data->kind == F2L_DATA_WORDS) {
        e.curriculum.start = f2l_data_fit(&built, e.curriculum.start);
        e.curriculum.limit = f2l_data_fit(&built, SIZE_MAX);
        e.curriculum.shorter_too = true;
    }
    f2l_data_clear(&built);
    *experiment = e;
    return F2L_OK;
}

void f2l_experiment_plan_init(f2l_experiment_plan *plan)
{
    *plan = (f2l_experiment_plan){0};
    f2l_data_init(&plan->train);
    f2l_data_init(&plan->test);
}

void f2l_experiment_plan_clear(f2l_experiment_plan *plan)
{
    f2l_data_clear(&plan->train);
    f2l_data_clear(&plan->test);
    f2l_seq_clear(&plan->model);
    f2l_experiment_plan_init(plan);
}

/* Refuses numbers that would otherwise fail at the first step or, hours later, at the first
 * evaluation. */
static f2l_status check_numbers(const f2l_experiment_plan *plan, f2l_error *err)
{
    const f2l_experiment *e = &plan->experiment;
    if (e->batch == 0 || e->batch > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "a batch needs 1 to 2^32 - 1 sequences, not %zu",
                        e->batch);
    if (e->train.lengths > 0 && e->train.sequences > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "an evaluation takes at most 2^32 - 1 sequences");
    for (size_t i = 0; i < e->train.lengths; i++)
        if (f2l_data_fit(&plan->test, e->train.length[i]) != e->train.length[i])
            return f2l_fail(err, F2L_EDOMAIN,
                            "no sequence of this task has %zu letters: possible are %zu, %zu, ..",
                            e->train.length[i], plan->test.least,
                            plan->test.least + plan->test.stride);
    return f2l_train_options_check(&e->train, err);
}

/* Replaces each number 0 by its default, so that a run has one spelling. */
static void complete_experiment(f2l_experiment *e, const f2l_data *data)
{
    if (e->data.tokens == 0) e->data.tokens = 1;
    if (e->curriculum.patience == 0) e->curriculum.patience = 1;
    if (e->positions == 0) e->positions = 1024;
    const size_t longest = f2l_data_read_length(data, e->curriculum.limit);
    if (e->positions < longest) e->positions = longest;
    e->data.seed = e->data.stream = 0;
}

f2l_status f2l_experiment_plan_build(f2l_experiment_plan *plan, const f2l_experiment *experiment,
                                     f2l_error *err)
{
    f2l_experiment *e = &plan->experiment;
    *e = *experiment;
    f2l_status status = f2l_experiment_data(&plan->train, e, F2L_DATA_TRAIN, err);
    if (status == F2L_OK) status = f2l_experiment_data(&plan->test, e, F2L_DATA_TEST, err);
    if (status == F2L_OK) status = f2l_data_curriculum_begin(&e->curriculum, &plan->train, err);
    if (status == F2L_OK) status = check_numbers(plan, err);
    if (status != F2L_OK) return status;
    complete_experiment(e, &plan->train);
    e->model.letters = plan->train.letters.count;
    e->model.labels = plan->train.labels.count;
    plan->options =
        (f2l_seq_trainee_options){.curriculum = e->curriculum,
                                  .batch = e->batch,
                                  .begin = e->data.begin,
                                  .positions = e->positions,
                                  .seed = e->seed,
                                  .first = e->first ? e->first->parameter : NULL,
                                  .reference = e->reference ? e->reference->parameter : NULL,
                                  .devices = e->devices,
                                  .device = e->device,
                                  .step_limit = e->step_limit};
    status = f2l_seq_init(&plan->model, &e->model, err);
    if (status == F2L_OK && e->first) status = f2l_first_weights_check(e->first, &plan->model, err);
    if (status == F2L_OK && e->reference)
        status = f2l_first_weights_check(e->reference, &plan->model, err);
    return status;
}

f2l_status f2l_experiment_check(const f2l_experiment *experiment, f2l_error *err)
{
    f2l_experiment_plan plan;
    f2l_experiment_plan_init(&plan);
    const f2l_status status = f2l_experiment_plan_build(&plan, experiment, err);
    f2l_experiment_plan_clear(&plan);
    return status;
}

static size_t names_bytes(const f2l_names *names)
{
    size_t bytes = 0;
    for (size_t i = 0; i < names->count; i++) bytes += strlen(f2l_names_get(names, i)) + 40;
    return bytes;
}

/* Returns the bytes of the lists of words, and of their order in the data of both streams. */
static size_t words_bytes(const f2l_data_options *o)
{
    const size_t order = sizeof(uint32_t);
    return (o->words ? f2l_word_list_bytes(o->words) + 2 * order * o->words->count : 0) +
           (o->test ? f2l_word_list_bytes(o->test) : 0);
}

static size_t first_bytes(const f2l_first_weights *first)
{
    return first ? first->bytes.size + first->model.parameters * sizeof *first->parameter : 0;
}

/* Adds to the bytes of the trainee and the run: the data, an evaluation
 * (models/learn/data/data_evaluate.h), and the checkpoint as it is read, in a buffer that may have
 * grown to twice its size. */
f2l_status f2l_experiment_plan_bytes(size_t *bytes, const f2l_experiment_plan *plan,
                                     f2l_backend backend, f2l_error *err)
{
    const f2l_experiment *e = &plan->experiment;
    const size_t states = e->fsa ? e->fsa->states.count : 0;
    size_t run, more, part;
    f2l_status status = f2l_backend_bytes(bytes, backend, &plan->model, &plan->options, err);
    if (status == F2L_OK)
        status = f2l_train_bytes(&run, plan->model.parameters, sizeof(float), err);
    if (status != F2L_OK) return status;
    more = 2 * (names_bytes(&plan->train.letters) + names_bytes(&plan->train.labels)) + 8192;
    if (!f2l_mul_size(&part, states, 4 * sizeof(uint32_t)) || !f2l_add_size(&more, more, part) ||
        !f2l_add_size(&more, more, words_bytes(&e->data)) ||
        !f2l_add_size(&more, more, first_bytes(e->first)) ||
        !f2l_mul_size(&part, e->positions, 13) || !f2l_add_size(&more, more, part) ||
        !f2l_mul_size(&part, plan->model.parameters, 3 * sizeof(float)) ||
        !f2l_add_size(&more, more, part) || !f2l_add_size(bytes, *bytes, run) ||
        !f2l_add_size(bytes, *bytes, more))
        return f2l_fail(err, F2L_EDOMAIN, "the run needs more memory than can be counted");
    return F2L_OK;
}

f2l_status f2l_experiment_needs(f2l_experiment_need *need, const f2l_experiment *experiment,
                                f2l_backend backend, f2l_error *err)
{
    f2l_experiment_plan plan;
    f2l_experiment_plan_init(&plan);
    *need = (f2l_experiment_need){0};
    f2l_status status = f2l_experiment_plan_build(&plan, experiment, err);
    if (status == F2L_OK) status = f2l_experiment_plan_bytes(&need->host, &plan, backend, err);
    if (status == F2L_OK) {
        const f2l_train_options *o = &plan.experiment.train;
        status = f2l_backend_device_bytes(&need->device, backend, &plan.model, &plan.options,
                                          o->lengths > 0 ? o->sequences : 0, err);
    }
    f2l_experiment_plan_clear(&plan);
    return status;
}

void f2l_experiment_need_text(f2l_buf *out, const f2l_experiment_need *need, unsigned devices)
{
    f2l_buf_printf(out, "%.1f MiB", (double)need->host / (1 << 20));
    if (need->device == 0) return;
    f2l_buf_printf(out, ", and %.1f MiB on ", (double)need->device / (1 << 20));
    if (devices > 1)
        f2l_buf_printf(out, "each of %u devices", devices);
    else
        f2l_buf_text(out, "the device");
}
