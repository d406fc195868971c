/* Runs with the numbers on a device, here with the host's operators in place of a device's:
 * interrupted, on several devices, and moved between backends. */
#include "tests/support/train/seq_cuda_support.h"

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

/* What every second process does otherwise. */
typedef enum change { NOTHING, ON_THE_CPU, PACKS_WORDS } change;

/* Runs in processes that stop after every `every` steps. */
static void in_processes(outcome *out, const task_case *same, uint64_t every, change second)
{
    train_place p;
    f2l_status status = F2L_UNKNOWN;
    const f2l_train_options o = options_of(70);
    task_case changed = *same;
    changed.device.packed = second == PACKS_WORDS;
    train_place_open(&p);
    for (out->processes = 0; status != F2L_OK; out->processes++) {
        const bool other = out->processes % 2;
        const task_case *c = other ? &changed : same;
        f2l_train_dir dir;
        f2l_seq_cuda there;
        f2l_seq_trainee here;
        f2l_error err = {0};
        stopper s = {0, every * (out->processes + 1)};
        const f2l_task task = {.cancel = &s.flag};
        const f2l_train_watch watch = {.progress = interrupt, .context = &s};
        build_there(&there, c);
        build_here(&here, c);
        if (out->processes == 0)
            train_dir_make(&dir, &p, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        f2l_train_result_init(&out->result);
        status = f2l_train_run(&out->result,
                               other && second == ON_THE_CPU ? &here.trainee : &there.trainee, &o,
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
    static const struct {
        size_t kind;
        f2l_cuda_type type;
        bool packed;
    } run[] = {{0, F2L_CUDA_F32, false},  {0, F2L_CUDA_BF16, false}, {1, F2L_CUDA_F32, false},
               {1, F2L_CUDA_BF16, false}, {4, F2L_CUDA_BF16, false}, {6, F2L_CUDA_F32, false},
               {5, F2L_CUDA_BF16, true}};
    for (size_t n = 0; n < sizeof run / sizeof *run; n++) {
        task_case c;
        outcome whole, pieces;
        task_init(&c, run[n].kind);
        c.device.type = run[n].type;
        c.device.packed = run[n].packed;
        in_processes(&whole, &c, 1000, NOTHING);
        in_processes(&pieces, &c, 17, NOTHING);
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

/* Several devices make the same steps as one, up to the order of sums; and a fixed number of them
 * always makes exactly the same ones. */
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
        cr_assert_arr_eq(many.parameter, again.parameter,
                         c.model.parameters * sizeof *many.parameter);
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
    in_processes(&whole, &c, 1000, NOTHING);
    in_processes(&pieces, &c, 17, NOTHING);
    cr_assert(whole.weights.size == pieces.weights.size &&
              memcmp(whole.weights.data, pieces.weights.data, whole.weights.size) == 0);
    cr_assert_str_eq(whole.log.data, pieces.log.data);
    outcome_clear(&whole);
    outcome_clear(&pieces);
    task_clear(&c);
}

/* Gives device 0 a sum that the other devices do not get. */
static f2l_status lose_a_sum(f2l_cuda_group *group, float *const *x, void *const *stream,
                             f2l_error *err)
{
    (void)group, (void)stream, (void)err;
    x[0][3] += 1;
    return F2L_OK;
}

static size_t waits;

/* Gives the devices up in the 12th step, as after a send that nobody receives. */
static f2l_status lose_an_exchange(f2l_cuda_group *group, void *const *stream, double limit,
                                   f2l_error *err)
{
    (void)group, (void)stream;
    cr_assert_eq(limit, 600);
    return ++waits < 12 ? F2L_OK : f2l_fail(err, F2L_UNKNOWN, "not finished a step in 600 s");
}

/* The run stops as at a limit, asks nothing of the devices any more, and its last checkpoint stays:
 * from there it goes on as if nothing had been. */
Test(seq_cuda, devices_that_are_lost)
{
    task_case c;
    train_place p;
    outcome whole;
    f2l_buf weights;
    f2l_error err = {0};
    f2l_cuda_group_kernels broken = f2l_cuda_group_host;
    f2l_train_options o = options_of(70);
    task_init(&c, 0);
    c.device.group = &f2l_cuda_group_host;
    c.device.devices = 3;
    in_processes(&whole, &c, 1000, NOTHING);
    train_place_open(&p);
    broken.wait = lose_an_exchange;
    waits = 0;
    for (int run = 0; run < 2; run++) {
        f2l_train_dir dir;
        f2l_seq_cuda t;
        f2l_train_result result;
        c.device.group = run == 0 ? &broken : &f2l_cuda_group_host;
        o.checkpoint_seconds = 0; /* a checkpoint before every step */
        build_there(&t, &c);
        if (run == 0)
            train_dir_make(&dir, &p, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
        f2l_train_result_init(&result);
        const f2l_status status = f2l_train_run(&result, &t.trainee, &o, &dir, NULL, NULL, &err);
        cr_assert_eq(status, run == 0 ? F2L_UNKNOWN : F2L_OK, "%s", err.text);
        cr_assert(run == 1 || strstr(err.text, "not finished a step in 600 s"), "%s", err.text);
        cr_assert(run == 1 || strstr(err.text, "holds step 11"), "%s", err.text);
        f2l_train_result_clear(&result);
        f2l_train_dir_clear(&dir);
        f2l_seq_cuda_clear(&t);
    }
    train_read(&weights, &p, "weights.safetensors");
    cr_assert(whole.weights.size == weights.size &&
              memcmp(whole.weights.data, weights.data, weights.size) == 0);
    f2l_buf_clear(&weights);
    train_place_close(&p);
    outcome_clear(&whole);
    task_clear(&c);
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
    cr_assert_not_null(strstr(err.text, "devices 0 and 1 do not have the same "
                                        "parameters"),
                       "%s", err.text);
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&t);
    c.device.devices = 14; /* but 13 sequences */
    cr_assert_eq(
        f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, NULL, &err),
        F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "share a batch of 13"), "%s", err.text);
    task_clear(&c);
}

/* A run of one backend is resumed by the other one, and back; and one of padded words with packed
 * words. */
Test(seq_cuda, runs_change_the_backend)
{
    for (change second = ON_THE_CPU; second <= PACKS_WORDS; second++) {
        task_case c;
        outcome whole, mixed;
        task_init(&c, second == PACKS_WORDS ? 5 : 0);
        in_processes(&whole, &c, 1000, NOTHING);
        in_processes(&mixed, &c, 17, second);
        cr_assert_eq(mixed.processes, 5);
        cr_assert(whole.result.tokens == mixed.result.tokens &&
                  whole.weights.size == mixed.weights.size);
        cr_assert_float_eq(whole.result.loss, mixed.result.loss, 1e-3);
        outcome_clear(&whole);
        outcome_clear(&mixed);
        task_clear(&c);
    }
}

/* The rows of all passes. */
static size_t rows_read;

static f2l_status count_rows(f2l_cuda_score *score, uint8_t *right, void *dlogits,
                             const float *logits, const uint32_t *label, const uint8_t *mask,
                             const float *weight, void *work, const f2l_cuda_loss_shape *shape,
                             void *stream, f2l_error *err)
{
    rows_read += f2l_cuda_loss_rows(shape);
    return f2l_cuda_kernels_host.loss(score, right, dlogits, logits, label, mask, weight, work,
                                      shape, stream, err);
}

/* Returns the rows of a run of 40 steps. */
static size_t rows_of(course *c, uint64_t *tokens, const f2l_trainee *trainee)
{
    f2l_train_result result;
    rows_read = 0;
    follow(c, &result, trainee, 40);
    *tokens = result.tokens;
    f2l_train_result_clear(&result);
    return rows_read;
}

/* With packed words, on one device or two, the losses are those of padded words and of the CPU up
 * to the order of sums. */
Test(seq_cuda, packed_words_make_the_same_steps)
{
    for (size_t devices = 1; devices <= 2; devices++) {
        task_case c;
        f2l_seq_cuda padded, packed;
        f2l_seq_trainee here;
        course a = {0}, b = {0}, d = {0};
        uint64_t tokens, same, too;
        f2l_cuda_kernels steps = f2l_cuda_kernels_host;
        f2l_cuda_answer_kernels kernels = f2l_cuda_answer_host;
        steps.loss = count_rows;
        kernels.step = &steps;
        task_init(&c, 5);
        c.device.kernels = &kernels;
        c.device.group = &f2l_cuda_group_host;
        c.device.devices = devices;
        build_here(&here, &c);
        build_there(&padded, &c);
        c.device.packed = true;
        build_there(&packed, &c);
        const size_t rows = rows_of(&a, &tokens, &padded.trainee),
                     fewer = rows_of(&b, &same, &packed.trainee);
        (void)rows_of(&d, &too, &here.trainee);
        cr_assert(tokens == same && tokens == too);
        cr_assert(tokens <= fewer && fewer < rows, "%zu of %zu rows", fewer, rows);
        cr_assert_eq(a.loss[1], b.loss[1]);
        for (size_t s = 1; s <= 40; s++) {
            cr_assert_float_eq(a.loss[s], b.loss[s], 1e-4 * a.loss[s]);
            cr_assert_float_eq(d.loss[s], b.loss[s], 1e-4 * a.loss[s]);
        }
        const double error = distance(packed.parameter, padded.parameter, c.model.parameters);
        cr_assert(error < 1e-2, "%g", error);
        f2l_seq_cuda_clear(&padded);
        f2l_seq_cuda_clear(&packed);
        f2l_seq_trainee_clear(&here);
        task_clear(&c);
    }
}

Test(seq_cuda, starts_from_given_weights)
{
    task_case c;
    f2l_seq_cuda given, drawn;
    course one, two;
    f2l_train_result result;
    task_init(&c, 0);
    float *first = f2l_calloc(c.model.parameters, sizeof *first);
    f2l_seq_start_f32(first, &c.model, 99);
    c.options.first = first;
    build_there(&given, &c);
    c.options.first = NULL;
    c.options.seed = 99;
    build_there(&drawn, &c);
    follow(&one, &result, &given.trainee, 3);
    f2l_train_result_clear(&result);
    follow(&two, &result, &drawn.trainee, 3);
    cr_assert(one.steps == 3 && two.steps == 3);
    for (size_t i = 1; i <= 3; i++) cr_assert_float_eq(one.loss[i], two.loss[i], 0);
    cr_assert_eq(memcmp(given.parameter, drawn.parameter, c.model.parameters * sizeof *first), 0);
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&given);
    f2l_seq_cuda_clear(&drawn);
    f2l_free(first);
    task_clear(&c);
}

/* With bf16 activations the run differs, but learns all the same. */
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
    cr_assert(f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_log_info("loss %g, right at 4: %g, at 11: %g", result.loss,
                f2l_train_accuracy(&result.score[0]), f2l_train_accuracy(&result.score[1]));
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
    cr_assert(status == F2L_UNKNOWN && result.end == F2L_TRAIN_DIVERGED,
              "%d after step %llu, loss %g: %s", (int)status, (unsigned long long)result.step,
              result.loss, err.text);
    for (size_t i = 0; i < c.model.parameters; i++) cr_assert(isfinite(t.parameter[i]));
    f2l_train_result_clear(&result);
    f2l_seq_cuda_clear(&t);
    task_clear(&c);
}
