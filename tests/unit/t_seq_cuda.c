/* Training with the numbers on a device, here with the host's operators in place of a device's: the same runs as on the CPU. */
#include "f2l_adamw.h"
#include "f2l_experiment.h"
#include "f2l_family.h"
#include "f2l_seq_cuda.h"
#include "f2l_seq_file.h"
#include "seq_support.h"
#include "train_support.h"
#include <float.h>

/* S_3 by its elements, and models of several kinds for it. */
typedef struct task_case {
    f2l_fsa fsa;
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
    f2l_seq_cuda_options device;
} task_case;

enum { KINDS = 4 };

static f2l_seq_config config_of(size_t kind)
{
    f2l_seq_config c = f2l_seq_config_default(6, 6);
    c.width = 12;
    c.mlp = 20;
    c.heads = 2;
    c.key_dim = 8;
    c.value_dim = 4;
    c.slope = 4;
    c.householders = 2;
    if (kind == 1) {
        c.layers = 2;
        c.householders = 1;
        c.additive = c.silu_keys = c.forget_gate = true;
        c.learned_start = c.negative = false;
        c.mlp = 0;
    } else if (kind == 2) {
        c.layers = 3;
        c.forget_gate = true;
        c.value_dim = 16;
    } else if (kind == 3) {
        c.additive = true;
        c.householders = 3;
        c.width = 10;
    }
    return c;
}

static void task_init(task_case *c, size_t kind)
{
    f2l_error err = {0};
    const uint64_t three = 3;
    const f2l_seq_config config = config_of(kind);
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->train);
    f2l_data_init(&c->test);
    cr_assert(f2l_family_build(&c->fsa, "symmetric", &three, 1, false, &err) == F2L_OK, "%s", err.text);
    f2l_data_options o = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .seed = 5, .stream = F2L_DATA_TRAIN};
    cr_assert(f2l_data_build(&c->train, &o, &c->fsa, &err) == F2L_OK, "%s", err.text);
    o.stream = F2L_DATA_TEST;
    cr_assert(f2l_data_build(&c->test, &o, &c->fsa, &err) == F2L_OK);
    cr_assert(f2l_seq_init(&c->model, &config, &err) == F2L_OK, "%s", err.text);
    c->options =
        (f2l_seq_trainee_options){.curriculum = {.start = 3, .limit = 11, .threshold = 0.5, .patience = 2},
                                  .batch = 13,
                                  .positions = 200,
                                  .seed = 3};
    c->options.curriculum.shorter_too = kind % 2 == 1;
    c->device = (f2l_seq_cuda_options){.kernels = &f2l_cuda_answer_host,
                                       .type = F2L_CUDA_F32,
                                       .threads = 2,
                                       .backend = "cuda-float",
                                       .device = "none"};
}

static void task_clear(task_case *c)
{
    f2l_seq_clear(&c->model);
    f2l_data_clear(&c->train);
    f2l_data_clear(&c->test);
    f2l_fsa_clear(&c->fsa);
}

static void build_here(f2l_seq_trainee *t, const task_case *c)
{
    f2l_error err = {0};
    f2l_seq_trainee_init(t);
    cr_assert(f2l_seq_trainee_build(t, &c->model, &c->train, &c->test, &c->options, NULL, &err) == F2L_OK,
              "%s", err.text);
}

static void build_there(f2l_seq_cuda *t, const task_case *c)
{
    f2l_error err = {0};
    f2l_seq_cuda_init(t);
    cr_assert(f2l_seq_cuda_build(t, &c->model, &c->train, &c->test, &c->options, &c->device, NULL, &err) ==
                  F2L_OK,
              "%s", err.text);
}

static f2l_train_options options_of(uint64_t steps)
{
    static const size_t length[] = {4, 11, 30};
    f2l_train_options o = f2l_train_options_default(steps);
    o.rate = 1e-2;
    o.length = length;
    o.lengths = 3;
    o.sequences = 40;
    o.evaluate_every = 30;
    o.log_every = 9;
    o.checkpoint_seconds = 1000;
    return o;
}

static double distance(const float *x, const float *y, size_t n)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        error += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(error) / (norm > 0 ? sqrt(norm) : 1);
}

/* Every tensor has its place, every parameter its group. */
Test(seq_cuda, maps_the_parameters_where_they_are)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        f2l_seq model;
        f2l_cuda_model map;
        f2l_error err = {0};
        const f2l_seq_config config = config_of(kind);
        cr_assert_eq(f2l_seq_init(&model, &config, &err), F2L_OK);
        cr_assert(f2l_cuda_model_init(&map, &model, &err) == F2L_OK, "%s", err.text);
        const f2l_cuda_step_shape *s = &map.shape;
        cr_assert(s->parameters == model.parameters && s->embedding == 0 && s->groups >= 3);
        cr_assert_eq(s->head, f2l_seq_find(&model, "head.weight")->offset);
        for (size_t t = 0; t < model.tensors; t++) {
            size_t g = 0;
            while (g + 1 < s->groups && s->group[g + 1].first <= model.tensor[t].offset) g++;
            cr_assert_eq(s->group[g].decay, model.tensor[t].decays ? 1 : 0, "%s", model.tensor[t].name);
        }
        for (size_t l = 0; l < config.layers; l++) {
            size_t rows = config.heads * (config.key_dim + config.householders * (config.key_dim + 1));
            if (config.additive) rows += config.householders * config.heads * config.value_dim;
            if (config.forget_gate) rows += config.heads;
            const f2l_seq_layer *layer = &model.layer[l];
            const f2l_seq_tensor *last = &model.tensor[config.forget_gate ? layer->step : layer->beta];
            cr_assert_eq(s->layer[l].project + rows * config.width, last->offset + last->count);
            cr_assert_eq(s->layer[l].start == F2L_CUDA_NONE, !config.learned_start);
            if (config.mlp == 0) continue;
            cr_assert_eq(s->layer[l].mlp_in + 2 * config.mlp * config.width, s->layer[l].mlp_down);
        }
        f2l_cuda_model_clear(&map);
        f2l_seq_clear(&model);
    }
}

Test(seq_cuda, refuses_what_devices_do_not_have)
{
    static const char *const expected[] = {"diagonal mixer", "convolutions", "heads of 256 x 4"};
    for (size_t i = 0; i < 3; i++) {
        task_case c;
        f2l_seq_cuda t;
        f2l_seq model;
        f2l_error err = {0};
        task_init(&c, 0);
        f2l_seq_config config = c.model.config;
        if (i == 0) config.mixer = F2L_SEQ_DIAGONAL;
        if (i == 1) config.convolution = 4;
        if (i == 2) config.key_dim = 256;
        cr_assert_eq(f2l_seq_init(&model, &config, &err), F2L_OK, "%s", err.text);
        f2l_seq_cuda_init(&t);
        cr_assert_eq(f2l_seq_cuda_build(&t, &model, &c.train, &c.test, &c.options, &c.device, NULL, &err),
                     F2L_EDOMAIN);
        cr_assert(strstr(err.text, expected[i]) && strstr(err.text, "--backend cpu"), "%s", err.text);
        cr_assert_null(t.step);
        f2l_seq_clear(&model);
        task_clear(&c);
    }
}

/* 100 steps, each from the same numbers on both sides: loss, counts, curriculum, gradient and what the update makes of it. The
 * host's operators add products up in double, the CPU's in float: the tolerances are some units in the last place of float
 * times the square root of what is added. */
Test(seq_cuda, hundred_steps_equal_those_of_the_cpu)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        task_case c;
        f2l_seq_trainee here;
        f2l_seq_cuda there;
        f2l_error err = {0};
        task_init(&c, kind);
        build_here(&here, &c);
        build_there(&there, &c);
        const size_t n = c.model.parameters;
        const f2l_train_options o = options_of(100);
        float *g = f2l_calloc(n, sizeof *g), *mean = f2l_calloc(n, sizeof *g),
              *square = f2l_calloc(n, sizeof *g);
        float *other = f2l_calloc(3 * n, sizeof *g);
        double worst[3] = {0};
        size_t longest = 0;
        for (uint64_t step = 0; step < 100; step++) {
            f2l_train_batch a = {0}, b = {0};
            double norm;
            const f2l_train_pace pace = {.rate = f2l_train_rate(&o, step),
                                         .weight_decay = 0.3,
                                         .beta1 = o.beta1,
                                         .beta2 = o.beta2,
                                         .epsilon = o.epsilon,
                                         .clip = step % 2 ? 0.5 : 0,
                                         .time = step + 1};
            memset(g, 0, n * sizeof *g);
            cr_assert_eq(here.trainee.gradient(&here, &a, g, step, NULL, &err), F2L_OK);
            cr_assert_eq(there.engine.put(&there, here.parameter, mean, square, &err), F2L_OK);
            cr_assert(there.engine.advance(&there, &b, &norm, &pace, step, NULL, &err) == F2L_OK, "%s",
                      err.text);
            cr_assert(a.tokens == b.tokens && a.length == b.length && a.supervised == b.supervised &&
                      a.sequences == b.sequences);
            cr_assert(llabs((long long)a.right - (long long)b.right) <= 1, "a tie may fall the other way");
            cr_assert_float_eq(a.loss, b.loss, 2e-6 * (1 + a.loss), "%zu %llu: %.9g %.9g", kind,
                               (unsigned long long)step, a.loss, b.loss);
            cr_assert_eq(f2l_cuda_step_gradient_get(other, there.step[0], &err), F2L_OK);
            const double length = sqrt(f2l_adamw_squares_f32(g, n)), error = distance(other, g, n);
            cr_assert_lt(error, 5e-5, "%zu %llu", kind, (unsigned long long)step);
            cr_assert_float_eq(norm, length, 5e-5 * length);
            worst[0] = fmax(worst[0], fabs(a.loss - b.loss));
            worst[1] = fmax(worst[1], error);
            /* The update, of the device's gradient: bit for bit but for the clipping's scale, which comes from the norm. */
            const double scale = pace.clip > 0 && norm > pace.clip ? pace.clip / norm : 1;
            for (size_t i = 0, first = 0; i < c.model.tensors; first += c.model.tensor[i].count, i++) {
                const f2l_adamw how = {
                    pace.rate, c.model.tensor[i].decays ? 0.3 : 0, o.beta1, o.beta2, o.epsilon, scale,
                    step + 1};
                f2l_adamw_update_f32(here.parameter + first, mean + first, square + first, other + first,
                                     c.model.tensor[i].count, &how);
            }
            cr_assert_eq(there.engine.get(&there, other, other + n, other + 2 * n, &err), F2L_OK);
            worst[2] = fmax(worst[2], distance(other, here.parameter, n));
            cr_assert(distance(other, here.parameter, n) < 1e-6 && distance(other + n, mean, n) < 1e-6 &&
                      distance(other + 2 * n, square, n) < 1e-6);
            cr_assert_arr_eq(here.state, there.state, sizeof here.state);
            longest = a.length > longest ? a.length : longest;
        }
        cr_log_info("kind %zu: worst loss %.2g, gradient %.2g, parameters %.2g, length %zu", kind, worst[0],
                    worst[1], worst[2], longest);
        f2l_free(g);
        f2l_free(mean);
        f2l_free(square);
        f2l_free(other);
        f2l_seq_trainee_clear(&here);
        f2l_seq_cuda_clear(&there);
        task_clear(&c);
    }
}

/* The losses of a run that is left to itself. */
typedef struct course {
    double loss[101];
    size_t steps;
} course;

static void note(void *context, const f2l_train_progress *progress)
{
    course *c = context;
    c->loss[progress->step] = progress->loss;
    c->steps = (size_t)progress->step;
}

static void follow(course *c, f2l_train_result *result, const f2l_trainee *trainee, uint64_t steps)
{
    f2l_error err = {0};
    const f2l_train_options o = options_of(steps);
    const f2l_train_watch watch = {note, c};
    f2l_train_result_init(result);
    cr_assert(f2l_train_run(result, trainee, &o, NULL, &watch, NULL, &err) == F2L_OK, "%s", err.text);
}

/* Left to themselves, both go the same way, though roundings grow from step to step: AdamW divides by the size of a gradient,
 * so that one which is nearly 0 makes full steps in the direction of its rounding. */
Test(seq_cuda, runs_stay_together)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        task_case c;
        f2l_seq_trainee here;
        f2l_seq_cuda there;
        course a = {0}, b = {0};
        f2l_train_result first, second;
        task_init(&c, kind);
        build_here(&here, &c);
        build_there(&there, &c);
        follow(&a, &first, &here.trainee, 100);
        follow(&b, &second, &there.trainee, 100);
        double early = 0, late = 0;
        for (size_t n = 1; n <= 100; n++) {
            const double apart = fabs(a.loss[n] - b.loss[n]) / a.loss[n];
            late = fmax(late, apart);
            if (n <= 25) early = fmax(early, apart);
        }
        const double error = distance(there.parameter, here.parameter, c.model.parameters);
        cr_log_info("kind %zu: loss to step 25 %.2g, to 100 %.2g, parameters %.2g", kind, early, late, error);
        cr_assert(early < 1e-4 && late < 3e-2 && error < 0.2, "kind %zu: %g %g %g", kind, early, late, error);
        for (size_t i = 0; i < 3; i++) {
            const f2l_train_score *x = &first.score[i], *y = &second.score[i];
            cr_assert(x->sequences == y->sequences && x->supervised == y->supervised &&
                      x->chance == y->chance);
            cr_assert_lt(fabs(f2l_train_accuracy(x) - f2l_train_accuracy(y)), 0.03);
        }
        f2l_train_result_clear(&first);
        f2l_train_result_clear(&second);
        f2l_seq_trainee_clear(&here);
        f2l_seq_cuda_clear(&there);
        task_clear(&c);
    }
}

/* The same weights have the same answers. */
Test(seq_cuda, evaluations_equal_those_of_the_cpu)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        task_case c;
        f2l_seq_cuda t;
        f2l_train_result result;
        course way;
        f2l_error err = {0};
        size_t wrong[2];
        task_init(&c, kind);
        build_there(&t, &c);
        follow(&way, &result, &t.trainee, 60);
        f2l_train_result_clear(&result);
        f2l_train_score x[3] = {{.length = 1}, {.length = 9}, {.length = 150}}, y[3];
        memcpy(y, x, sizeof x);
        cr_assert_eq(f2l_experiment_evaluate(x, 3, &wrong[0], 70, F2L_BACKEND_CPU, &c.model, t.parameter,
                                             &c.test, NULL, &err),
                     F2L_OK);
        cr_assert_eq(f2l_seq_cuda_evaluate(y, 3, &wrong[1], 70, 0, &t.map.shape, t.parameter, &c.test,
                                           &f2l_cuda_answer_host, F2L_CUDA_F32, &(f2l_task){.jobs = 3}, &err),
                     F2L_OK, "%s", err.text);
        for (size_t i = 0; i < 3; i++) {
            cr_assert(x[i].supervised == 70 * x[i].length && y[i].supervised == x[i].supervised);
            cr_assert(llabs((long long)x[i].right - (long long)y[i].right) <= 2, "%zu: %llu %llu", i,
                      (unsigned long long)x[i].right, (unsigned long long)y[i].right);
        }
        cr_log_info("kind %zu: right %llu of %llu, first wrong %zu, %zu", kind,
                    (unsigned long long)x[2].right, (unsigned long long)x[2].supervised, wrong[0], wrong[1]);
        f2l_seq_cuda_clear(&t);
        task_clear(&c);
    }
}

/* Pieces of any length are the whole word. */
Test(seq_cuda, answers_come_in_pieces)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        enum { ROWS = 3, LETTERS = 37 };
        const f2l_cuda_type type = kind % 2 ? F2L_CUDA_BF16 : F2L_CUDA_F32;
        task_case c;
        f2l_cuda_model map;
        f2l_cuda_answer *whole, *pieces;
        f2l_data_batch batch;
        f2l_error err = {0};
        uint32_t expected[ROWS * LETTERS], got[ROWS * LETTERS];
        task_init(&c, kind);
        float *p = f2l_calloc(c.model.parameters, sizeof *p);
        f2l_seq_start_f32(p, &c.model, 8);
        f2l_data_batch_init(&batch);
        cr_assert_eq(
            f2l_data_batch_fill(&batch, &c.test, (f2l_data_range){LETTERS, LETTERS}, 0, 0, ROWS, &err),
            F2L_OK);
        cr_assert_eq(f2l_cuda_model_init(&map, &c.model, &err), F2L_OK);
        cr_assert_eq(
            f2l_cuda_answer_new(&whole, &map.shape, type, ROWS, ROWS * LETTERS, &f2l_cuda_answer_host, &err),
            F2L_OK);
        cr_assert_eq(
            f2l_cuda_answer_new(&pieces, &map.shape, type, ROWS + 2, 12 * ROWS, &f2l_cuda_answer_host, &err),
            F2L_OK);
        cr_assert_eq(f2l_cuda_answer_read(got, whole, batch.letter, 1, &err), F2L_EDOMAIN, "not begun");
        cr_assert_eq(f2l_cuda_answer_put(whole, p, &err), F2L_OK);
        cr_assert_eq(f2l_cuda_answer_put(pieces, p, &err), F2L_OK);
        cr_assert_eq(f2l_cuda_answer_begin(whole, ROWS, &err), F2L_OK);
        cr_assert_eq(f2l_cuda_answer_read(expected, whole, batch.letter, LETTERS, &err), F2L_OK);
        for (size_t round = 0; round < 2; round++) { /* the second one shows that `begin` forgets */
            cr_assert_eq(f2l_cuda_answer_begin(pieces, ROWS, &err), F2L_OK);
            for (size_t at = 0, count; at < LETTERS; at += count) {
                uint32_t letter[ROWS * 12], answer[ROWS * 12];
                count = at % 5 + 1 + 6 * round;
                if (count > LETTERS - at) count = LETTERS - at;
                for (size_t r = 0; r < ROWS; r++)
                    memcpy(letter + r * count, batch.letter + r * LETTERS + at, count * sizeof *letter);
                cr_assert_eq(f2l_cuda_answer_read(answer, pieces, letter, count, &err), F2L_OK, "%s",
                             err.text);
                for (size_t r = 0; r < ROWS; r++)
                    memcpy(got + r * LETTERS + at, answer + r * count, count * sizeof *got);
            }
            cr_assert_arr_eq(got, expected, sizeof got);
        }
        cr_assert_eq(f2l_cuda_answer_begin(pieces, ROWS + 3, &err), F2L_EDOMAIN);
        cr_assert_eq(f2l_cuda_answer_begin(pieces, 0, &err), F2L_EDOMAIN);
        cr_assert_eq(f2l_cuda_answer_read(got, pieces, batch.letter, 13, &err), F2L_EDOMAIN);
        batch.letter[2] = 6;
        cr_assert_eq(f2l_cuda_answer_begin(pieces, 1, &err), F2L_OK);
        cr_assert_eq(f2l_cuda_answer_read(got, pieces, batch.letter, 5, &err), F2L_EDOMAIN);
        f2l_cuda_answer_free(whole);
        f2l_cuda_answer_free(pieces);
        f2l_cuda_answer_free(NULL);
        f2l_cuda_model_clear(&map);
        f2l_data_batch_clear(&batch);
        f2l_free(p);
        task_clear(&c);
    }
}

static const char config[] = "{\"model\":\"small\"}\n";

/* Interrupts a run after a step. */
typedef struct stopper {
    volatile sig_atomic_t flag;
    uint64_t at;
} stopper;

static void interrupt(void *context, const f2l_train_progress *progress)
{
    stopper *s = context;
    if (progress->step == s->at) s->flag = SIGTERM;
}

typedef struct outcome {
    f2l_buf weights, log;
    f2l_train_result result;
    size_t processes;
} outcome;

static void outcome_clear(outcome *o)
{
    f2l_buf_clear(&o->weights);
    f2l_buf_clear(&o->log);
    f2l_train_result_clear(&o->result);
}

/* A run in processes that stop after every `every` steps; with `both`, every other one is on the CPU. */
static void in_processes(outcome *out, const task_case *c, uint64_t every, bool both)
{
    train_place p;
    f2l_status status = F2L_UNKNOWN;
    const f2l_train_options o = options_of(70);
    train_place_open(&p);
    for (out->processes = 0; status != F2L_OK; out->processes++) {
        f2l_train_dir dir;
        f2l_seq_cuda there;
        f2l_seq_trainee here;
        f2l_error err = {0};
        stopper s = {0, every * (out->processes + 1)};
        const f2l_task task = {.cancel = &s.flag};
        const f2l_train_watch watch = {interrupt, &s};
        build_there(&there, c);
        build_here(&here, c);
        if (out->processes == 0)
            train_dir_make(&dir, &p, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        f2l_train_result_init(&out->result);
        status = f2l_train_run(&out->result, both && out->processes % 2 ? &here.trainee : &there.trainee, &o,
                               &dir, &watch, &task, &err);
        cr_assert(status == F2L_OK || status == F2L_UNKNOWN, "%s", err.text);
        if (status != F2L_OK) {
            cr_assert_eq(out->result.step, s.at);
            f2l_train_result_clear(&out->result);
        }
        f2l_train_dir_clear(&dir);
        f2l_seq_cuda_clear(&there);
        f2l_seq_trainee_clear(&here);
    }
    train_read(&out->weights, &p, "weights.safetensors");
    train_log(&out->log, &p);
    train_place_close(&p);
}

Test(seq_cuda, going_on_equals_never_having_stopped)
{
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t type = 0; type < 2; type++) {
            task_case c;
            outcome whole, pieces;
            task_init(&c, kind);
            c.device.type = type ? F2L_CUDA_BF16 : F2L_CUDA_F32;
            in_processes(&whole, &c, 1000, false);
            in_processes(&pieces, &c, 17, false);
            cr_assert(whole.processes == 1 && pieces.processes == 5);
            cr_assert(whole.weights.size == pieces.weights.size &&
                      memcmp(whole.weights.data, pieces.weights.data, whole.weights.size) == 0);
            cr_assert_str_eq(whole.log.data, pieces.log.data);
            cr_assert_eq(whole.result.loss, pieces.result.loss);
            cr_assert_arr_eq(whole.result.score, pieces.result.score, 3 * sizeof *whole.result.score);
            outcome_clear(&whole);
            outcome_clear(&pieces);
            task_clear(&c);
        }
}

/* Several devices make the steps of one, up to the order of sums; and a number of them always makes the same ones. */
Test(seq_cuda, several_devices_share_a_batch)
{
    for (size_t devices = 2; devices <= 3; devices++) {
        task_case c;
        f2l_seq_cuda one, many, again;
        course a = {0}, b = {0}, same = {0};
        f2l_train_result result;
        task_init(&c, devices);
        build_there(&one, &c);
        c.device.group = &f2l_cuda_group_host;
        c.device.devices = devices;
        build_there(&many, &c);
        build_there(&again, &c);
        follow(&a, &result, &one.trainee, 40);
        const uint64_t tokens = result.tokens;
        f2l_train_result_clear(&result);
        follow(&same, &result, &again.trainee, 40);
        f2l_train_result_clear(&result);
        follow(&b, &result, &many.trainee, 40);
        cr_assert_eq(result.tokens, tokens);
        for (size_t s = 1; s <= 40; s++) {
            cr_assert_float_eq(a.loss[s], b.loss[s], 1e-4 * a.loss[s]);
            cr_assert_eq(b.loss[s], same.loss[s]);
        }
        const double error = distance(many.parameter, one.parameter, c.model.parameters);
        cr_assert(error > 0 && error < 1e-2, "%g", error);
        cr_assert_arr_eq(many.parameter, again.parameter, c.model.parameters * sizeof *many.parameter);
        f2l_train_result_clear(&result);
        f2l_seq_cuda_clear(&one);
        f2l_seq_cuda_clear(&many);
        f2l_seq_cuda_clear(&again);
        task_clear(&c);
    }
}

Test(seq_cuda, several_devices_go_on)
{
    task_case c;
    outcome whole, pieces;
    task_init(&c, 0);
    c.device.group = &f2l_cuda_group_host;
    c.device.devices = 3;
    in_processes(&whole, &c, 1000, false);
    in_processes(&pieces, &c, 17, false);
    cr_assert(whole.weights.size == pieces.weights.size &&
              memcmp(whole.weights.data, pieces.weights.data, whole.weights.size) == 0);
    cr_assert_str_eq(whole.log.data, pieces.log.data);
    outcome_clear(&whole);
    outcome_clear(&pieces);
    task_clear(&c);
}

/* A sum that one device does not get. */
static f2l_status lose_a_sum(f2l_cuda_group *group, float *const *x, void *const *stream, f2l_error *err)
{
    (void)group, (void)stream, (void)err;
    x[0][3] += 1;
    return F2L_OK;
}

Test(seq_cuda, devices_that_differ_are_found)
{
    task_case c;
    f2l_seq_cuda t;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_cuda_group_kernels broken = f2l_cuda_group_host;
    const f2l_train_options o = options_of(3);
    broken.sum = lose_a_sum;
    task_init(&c, 0);
    c.device.group = &broken;
    c.device.devices = 2;
    build_there(&t, &c);
    f2l_train_result_init(&result);
    cr_assert_eq(f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "devices 0 and 1 do not have the same parameters"), "%s", err.text);
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&t);
    c.device.devices = 14; /* of 13 sequences */
    cr_assert_eq(f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "share a batch of 13"), "%s", err.text);
    task_clear(&c);
}

/* A run of one backend is taken up by the other one, and back. */
Test(seq_cuda, runs_change_the_backend)
{
    task_case c;
    outcome whole, mixed;
    task_init(&c, 0);
    in_processes(&whole, &c, 1000, false);
    in_processes(&mixed, &c, 17, true);
    cr_assert_eq(mixed.processes, 5);
    cr_assert(whole.result.tokens == mixed.result.tokens && whole.weights.size == mixed.weights.size);
    cr_assert_float_eq(whole.result.loss, mixed.result.loss, 1e-3);
    outcome_clear(&whole);
    outcome_clear(&mixed);
    task_clear(&c);
}

/* With bf16 activations a run is another one, and learns all the same. */
Test(seq_cuda, learns_with_bf16)
{
    task_case c;
    f2l_seq_cuda t;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_train_options o = options_of(500);
    task_init(&c, 0);
    c.device.type = F2L_CUDA_BF16;
    c.options.batch = 24;
    c.options.curriculum = (f2l_data_curriculum){.start = 3, .limit = 6, .threshold = 0.9};
    build_there(&t, &c);
    f2l_train_result_init(&result);
    cr_assert(f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err) == F2L_OK, "%s", err.text);
    cr_log_info("loss %g, right at 4: %g, at 11: %g", result.loss, f2l_train_accuracy(&result.score[0]),
                f2l_train_accuracy(&result.score[1]));
    cr_assert_gt(f2l_train_accuracy(&result.score[0]), 0.9);
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&t);
    task_clear(&c);
}

Test(seq_cuda, a_run_that_diverges)
{
    task_case c;
    f2l_seq_cuda t;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_train_options o = options_of(100);
    o.rate = 100;
    o.warmup = 0;
    o.weight_decay = 0;
    o.divergence = 2;
    o.lengths = 0;
    o.evaluate_every = 0;
    task_init(&c, 0);
    build_there(&t, &c);
    f2l_train_result_init(&result);
    const f2l_status status = f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err);
    cr_assert(status == F2L_UNKNOWN && result.end == F2L_TRAIN_DIVERGED, "%d after step %llu, loss %g: %s",
              (int)status, (unsigned long long)result.step, result.loss, err.text);
    for (size_t i = 0; i < c.model.parameters; i++) cr_assert(isfinite(t.parameter[i]));
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&t);
    task_clear(&c);
}

Test(seq_cuda, says_its_memory)
{
    task_case c;
    f2l_seq_cuda t;
    size_t bytes;
    f2l_error err = {0};
    task_init(&c, 0);
    cr_assert_eq(f2l_seq_cuda_bytes(&bytes, &c.model, &c.options, &err), F2L_OK);
    f2l_task task = {.memory = bytes - 1};
    f2l_seq_cuda_init(&t);
    cr_assert_eq(f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, &task, &err),
                 F2L_UNKNOWN);
    task.memory = bytes;
    cr_assert_eq(f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, &task, &err),
                 F2L_OK);
    f2l_seq_cuda_clear(&t);
    f2l_seq_cuda_clear(&t);
    c.options.batch = SIZE_MAX / 4;
    cr_assert_eq(f2l_seq_cuda_bytes(&bytes, &c.model, &c.options, &err), F2L_EDOMAIN);
    task_clear(&c);
}

#ifdef F2L_MEM_FAILURES
Test(seq_cuda, survives_without_memory)
{
    task_case c;
    task_init(&c, 2);
    c.options.batch = 3;
    c.device.group = &f2l_cuda_group_host;
    c.device.devices = 2;
    const f2l_train_options o = options_of(2);
    bool whole = false;
    for (size_t n = 1; n < 1500 && !whole; n += n < 80 ? 1 : 13) {
        f2l_seq_cuda t;
        f2l_train_result result;
        f2l_error err = {0};
        f2l_seq_cuda_init(&t);
        f2l_train_result_init(&result);
        f2l_mem_fail_after(n, true);
        f2l_status status =
            f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, NULL, &err);
        if (status == F2L_OK) status = f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, err.text);
        whole = status == F2L_OK;
        f2l_train_result_clear(&result);
        f2l_seq_cuda_clear(&t);
    }
    cr_assert(whole);
    task_clear(&c);
}
#endif
