/* Steps of a training run, for trainer.py:
 *
 *     trainer_trace RUN CONFIG AUTOMATON BACKEND UNTIL TRACE
 *
 * Begins the run of the configuration in the folder RUN, or takes it up at its checkpoint, and
 * stops before step UNTIL with a checkpoint there. All of it is the product's: data, gradient,
 * AdamW, schedule, log and checkpoints. AUTOMATON is a file, or - for tasks without one. BACKEND is
 * cpu, cuda, cuda-float, or
 * - cpu-double: the gradient of models/learn/seq and AdamW in double, which are made of the same
 * source (models/learn/double.sed, models/learn/train/adamw.inc);
 * - host: the device's step with the host's operators in place of a device's.
 *
 * Losses, rates and lengths of gradients are in RUN/log.jsonl. TRACE has the rest: a line of JSON
 * (tensors, sizes, first step, backend, device), the parameters before the first step and the
 * gradient of it as doubles [parameters], and for every step its number, sequences B and length T
 * as 64-bit words, letters and labels as 32-bit words [B][T], and the mask as bytes [B][T]. */
#include "models/learn/experiment/impl.h"
#include "models/learn/train/adamw.h"
#include "models/learn/train/impl.h"
#include "models/learn/train/seq_cuda.h"
#include "numeric/base/mem.h"
#include "numeric/json/json.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/seq_f64.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static f2l_error fault;

static void need(f2l_status status, const char *what)
{
    if (status == F2L_OK) return;
    fprintf(stderr, "trainer_trace: %s: %s\n", what, fault.text);
    exit(EXIT_FAILURE);
}

/* --- in double --- */

typedef struct wide {
    f2l_trainee trainee;
    const f2l_experiment_plan *plan;
    f2l_seq_trainee_options options;
    f2l_data_batch batch;
    f2l_train_group *group;
    double *parameter;
    uint64_t state[2];
    f2l_seq_work_f64 *work;
} wide;

/* Does what the gradient of models/learn/train/seq_trainee.c does. */
static f2l_status wide_gradient(void *self, f2l_train_batch *out, void *gradient, uint64_t step,
                                const f2l_task *task, f2l_error *why)
{
    wide *t = self;
    f2l_seq_score score;
    f2l_data_range range;
    f2l_status status = f2l_seq_trainee_range(&range, &t->options, t->state, &t->plan->train, why);
    if (status == F2L_OK)
        status =
            f2l_data_batch_fill(&t->batch, &t->plan->train, range, step, 0, t->options.batch, why);
    if (status != F2L_OK) return status;
    const f2l_seq_batch batch = {t->batch.sequences, t->batch.length, t->batch.letter,
                                 t->batch.label, t->batch.mask};
    const double positions = t->batch.counted > 0 ? (double)t->batch.counted : 1;
    status = f2l_seq_gradient_f64(&score, gradient, &batch, t->parameter, 1 / positions, t->work,
                                  task, why);
    if (status == F2L_OK)
        f2l_seq_trainee_report(out, t->state, &t->options, &score, &t->batch, &t->plan->train);
    return status;
}

static f2l_status cannot_evaluate(void *self, f2l_train_score *score, size_t scores,
                                  size_t sequences, uint64_t step, const f2l_task *task,
                                  f2l_error *why)
{
    (void)self, (void)score, (void)scores, (void)sequences, (void)step, (void)task;
    return f2l_fail(why, F2L_EDOMAIN, "a trace has no evaluation");
}

static void wide_build(wide *t, const f2l_experiment_plan *plan)
{
    const f2l_seq *model = &plan->model;
    const f2l_seq_plan size = {1, plan->options.positions, true};
    *t = (wide){.plan = plan, .options = plan->options};
    f2l_data_batch_init(&t->batch);
    t->group = f2l_calloc(model->tensors, sizeof *t->group);
    t->parameter = f2l_calloc(model->parameters, sizeof *t->parameter);
    if (t->group == NULL || t->parameter == NULL) need(f2l_fail_memory(&fault), "memory");
    for (size_t i = 0; i < model->tensors; i++)
        t->group[i] = (f2l_train_group){model->tensor[i].count, 1, model->tensor[i].decays ? 1 : 0};
    need(f2l_seq_work_new_f64(&t->work, model, &size, NULL, &fault), "memory");
    f2l_seq_start_f64(t->parameter, model, t->options.seed);
    t->state[0] = t->options.curriculum.length;
    t->state[1] = t->options.curriculum.streak;
    t->trainee = (f2l_trainee){.self = t,
                               .number = sizeof(double),
                               .parameters = model->parameters,
                               .parameter = t->parameter,
                               .group = t->group,
                               .groups = model->tensors,
                               .chance_loss = log((double)model->config.labels),
                               .state = t->state,
                               .states = 2,
                               .gradient = wide_gradient,
                               .evaluate = cannot_evaluate};
}

static void wide_clear(wide *t)
{
    f2l_data_batch_clear(&t->batch);
    f2l_free(t->group);
    f2l_free(t->parameter);
    f2l_seq_work_free_f64(t->work);
}

/* --- the trace --- */

/* A trainee around another one, which makes the steps. */
typedef struct tracer {
    f2l_trainee trainee;
    f2l_train_engine engine;
    const f2l_trainee *inner;
    const f2l_experiment_plan *plan;
    f2l_data_batch batch;
    FILE *file;
    uint64_t until;
    bool begun;
} tracer;

static void put(const tracer *t, const void *bytes, size_t size, size_t count)
{
    if (fwrite(bytes, size, count, t->file) == count) return;
    fprintf(stderr, "trainer_trace: the trace cannot be written\n");
    exit(EXIT_FAILURE);
}

static void put_numbers(const tracer *t, const void *number)
{
    for (size_t i = 0; i < t->inner->parameters; i++) {
        const double x = t->inner->number == 8 ? ((const double *)number)[i]
                                               : (double)((const float *)number)[i];
        put(t, &x, sizeof x, 1);
    }
}

static void put_head(const tracer *t, uint64_t step)
{
    const f2l_seq *model = &t->plan->model;
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_buf_printf(&line, "{\"step\":%llu,\"number\":%zu,\"parameters\":%zu,\"device\":",
                   (unsigned long long)step, t->inner->number, model->parameters);
    f2l_json_text(&line, t->inner->engine ? t->inner->engine->device : "");
    for (size_t i = 0; i < model->tensors; i++) {
        const f2l_seq_tensor *tensor = &model->tensor[i];
        f2l_buf_printf(&line, "%s{\"name\":\"%s\",\"decays\":%s,\"shape\":[",
                       i == 0 ? ",\"tensors\":[" : ",", tensor->name,
                       tensor->decays ? "true" : "false");
        for (size_t d = 0; d < tensor->dims; d++)
            f2l_buf_printf(&line, "%s%zu", d == 0 ? "" : ",", tensor->dim[d]);
        f2l_buf_text(&line, "]}");
    }
    f2l_buf_text(&line, "]}\n");
    need(f2l_buf_status(&line, &fault), "memory");
    put(t, line.data, 1, line.size);
    f2l_buf_clear(&line);
}

/* Writes the words of a step, and before the first one what is known before it. */
static f2l_status before(tracer *t, uint64_t step, f2l_error *why)
{
    f2l_data_range range;
    f2l_seq_trainee_options options = t->plan->options;
    f2l_status status =
        f2l_seq_trainee_range(&range, &options, t->inner->state, &t->plan->train, why);
    if (status == F2L_OK && step == t->until) return f2l_fail(why, F2L_UNKNOWN, "the trace ends");
    if (status == F2L_OK)
        status =
            f2l_data_batch_fill(&t->batch, &t->plan->train, range, step, 0, options.batch, why);
    if (status != F2L_OK || t->begun) return status;
    put_head(t, step);
    put_numbers(t, t->inner->parameter);
    return F2L_OK;
}

static void after(tracer *t, const void *gradient, uint64_t step)
{
    const f2l_data_batch *b = &t->batch;
    const uint64_t word[] = {step, b->sequences, b->length};
    const size_t cells = b->sequences * b->length;
    if (!t->begun) put_numbers(t, gradient);
    t->begun = true;
    put(t, word, sizeof *word, 3);
    put(t, b->letter, sizeof *b->letter, cells);
    put(t, b->label, sizeof *b->label, cells);
    put(t, b->mask, sizeof *b->mask, cells);
}

static f2l_status gradient(void *self, f2l_train_batch *batch, void *gradient, uint64_t step,
                           const f2l_task *task, f2l_error *why)
{
    tracer *t = self;
    f2l_status status = before(t, step, why);
    if (status == F2L_OK)
        status = t->inner->gradient(t->inner->self, batch, gradient, step, task, why);
    if (status == F2L_OK) after(t, gradient, step);
    return status;
}

static f2l_status advance(void *self, f2l_train_batch *batch, double *norm,
                          const f2l_train_pace *pace, uint64_t step, const f2l_task *task,
                          f2l_error *why)
{
    tracer *t = self;
    f2l_seq_cuda *there = t->inner->self;
    float *gradient = NULL;
    f2l_status status = before(t, step, why);
    if (status == F2L_OK)
        status = t->inner->engine->advance(there, batch, norm, pace, step, task, why);
    if (status == F2L_OK && !t->begun) {
        gradient = f2l_calloc(t->inner->parameters, sizeof *gradient);
        status = gradient == NULL ? f2l_fail_memory(why)
                                  : f2l_cuda_step_gradient_get(gradient, there->step[0], why);
    }
    if (status == F2L_OK) after(t, gradient, step);
    f2l_free(gradient);
    return status;
}

static f2l_status engine_put(void *self, const void *parameter, const void *mean,
                             const void *square, f2l_error *why)
{
    const f2l_trainee *inner = ((tracer *)self)->inner;
    return inner->engine->put(inner->self, parameter, mean, square, why);
}

static f2l_status engine_get(void *self, void *parameter, void *mean, void *square, f2l_error *why)
{
    const f2l_trainee *inner = ((tracer *)self)->inner;
    return inner->engine->get(inner->self, parameter, mean, square, why);
}

static void tracer_init(tracer *t, const f2l_trainee *inner, const f2l_experiment_plan *plan)
{
    *t = (tracer){.trainee = *inner, .inner = inner, .plan = plan};
    f2l_data_batch_init(&t->batch);
    t->trainee.self = t;
    t->trainee.gradient = gradient;
    t->trainee.evaluate = cannot_evaluate;
    t->trainee.write = NULL;
    if (inner->engine == NULL) return;
    t->engine = *inner->engine;
    t->engine.advance = advance;
    t->engine.put = engine_put;
    t->engine.get = engine_get;
    t->trainee.engine = &t->engine;
}

/* --- the run --- */

static void open_run(f2l_train_dir *dir, const char *folder, const f2l_experiment_plan *plan)
{
    struct stat about;
    f2l_train_dir_init(dir);
    need(stat(folder, &about) == 0 ? f2l_experiment_take_up(dir, folder, plan, &fault)
                                   : f2l_experiment_create(dir, folder, plan, NULL, NULL, &fault),
         folder);
}

static void trace(const f2l_trainee *inner, const f2l_experiment_plan *plan, char **argument)
{
    f2l_train_result result;
    f2l_train_dir dir;
    tracer t;
    f2l_train_result_init(&result);
    tracer_init(&t, inner, plan);
    t.until = strtoull(argument[5], NULL, 10);
    t.file = fopen(argument[6], "wb");
    if (t.file == NULL) need(f2l_fail(&fault, F2L_EIO, "cannot be written"), argument[6]);
    open_run(&dir, argument[1], plan);
    const f2l_status status =
        f2l_train_run(&result, &t.trainee, &plan->experiment.train, &dir, NULL, NULL, &fault);
    if (status != F2L_UNKNOWN || result.end != F2L_TRAIN_GOES_ON || result.step != t.until)
        need(status == F2L_OK ? f2l_fail(&fault, F2L_EDOMAIN, "it ended too early") : status,
             argument[1]);
    if (fclose(t.file) != 0) need(f2l_fail(&fault, F2L_EIO, "cannot be written"), argument[6]);
    f2l_data_batch_clear(&t.batch);
    f2l_train_dir_clear(&dir);
    f2l_train_result_clear(&result);
}

static f2l_backend backend_of(const char *name)
{
    size_t b = 0;
    while (f2l_backend_name(b) != NULL && strcmp(f2l_backend_name(b), name) != 0) b++;
    if (f2l_backend_name(b) == NULL) need(f2l_fail(&fault, F2L_EDOMAIN, "no such backend"), name);
    return (f2l_backend)b;
}

static void run(const f2l_experiment_plan *plan, char **argument)
{
    const f2l_seq *m = &plan->model;
    if (strcmp(argument[4], "cpu-double") == 0) {
        wide t;
        wide_build(&t, plan);
        trace(&t.trainee, plan, argument);
        wide_clear(&t);
    } else if (strcmp(argument[4], "host") == 0) {
        const f2l_seq_cuda_options how = {.kernels = &f2l_cuda_answer_host,
                                          .type = F2L_CUDA_F32,
                                          .backend = "host",
                                          .device = ""};
        f2l_seq_cuda t;
        f2l_seq_cuda_init(&t);
        need(f2l_seq_cuda_build(&t, m, &plan->train, &plan->test, &plan->options, &how, NULL,
                                &fault),
             "host");
        trace(&t.trainee, plan, argument);
        f2l_seq_cuda_clear(&t);
    } else {
        f2l_backend_trainee t;
        need(f2l_backend_build(&t, backend_of(argument[4]), m, &plan->train, &plan->test,
                               &plan->options, NULL, &fault),
             argument[4]);
        trace(t.trainee, plan, argument);
        f2l_backend_clear(&t);
    }
}

int main(int argc, char **argv)
{
    f2l_buf config, automaton;
    f2l_experiment_file file;
    f2l_experiment_plan plan;
    if (argc != 7) {
        fprintf(stderr, "usage: trainer_trace RUN CONFIG AUTOMATON|- BACKEND UNTIL TRACE\n");
        return EXIT_FAILURE;
    }
    f2l_buf_init(&config);
    f2l_buf_init(&automaton);
    f2l_experiment_file_init(&file);
    f2l_experiment_plan_init(&plan);
    const bool grammar = strcmp(argv[3], "-") != 0;
    need(f2l_read_file(&config, argv[2], 0, &fault), argv[2]);
    if (grammar) need(f2l_read_file(&automaton, argv[3], 0, &fault), argv[3]);
    need(f2l_experiment_file_parse(&file, config.data, config.size, grammar ? automaton.data : NULL,
                                   automaton.size, &fault),
         argv[2]);
    need(f2l_experiment_plan_build(&plan, &file.experiment, &fault), argv[2]);
    run(&plan, argv);
    f2l_experiment_plan_clear(&plan);
    f2l_experiment_file_clear(&file);
    f2l_buf_clear(&config);
    f2l_buf_clear(&automaton);
    return EXIT_SUCCESS;
}
