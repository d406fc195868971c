/* Training with the numbers on a device, here with the host's operators in place of a device's: the
 * steps equal the CPU's. */
#include "cuda/step/cuda_mixer.h"
#include "models/learn/seq/attention/seq_attention.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"
#include "models/learn/seq/dplr/seq_dplr.h"
#include "models/learn/seq/mlstm/seq_mlstm.h"
#include "models/learn/train/adamw.h"
#include "tests/support/train/seq_cuda_support.h"
#include <stdlib.h>

/* Checks that the rows of q, k, v, beta, step are adjacent, and so are their taps. */
static void check_delta(const f2l_cuda_step_layer *place, const f2l_seq *model, size_t l)
{
    const f2l_seq_config *c = &model->config;
    const size_t *tensor = model->layer[l].mixer;
    const f2l_seq_tensor *last =
        &model->tensor[tensor[c->forget_gate ? F2L_DELTA_STEP : F2L_DELTA_BETA]];
    size_t rows = c->heads * c->key_dim * (1 + c->householders);
    if (c->additive) rows += c->householders * c->heads * c->value_dim;
    if (c->convolution > 0) {
        const f2l_seq_tensor *taps =
            &model->tensor[tensor[c->additive ? F2L_DELTA_VALUE_TAPS : F2L_DELTA_KEY_TAPS]];
        cr_assert_eq(place->taps + rows * c->convolution, taps->offset + taps->count);
    }
    rows += c->householders * c->heads;
    if (c->forget_gate) rows += c->heads;
    cr_assert_eq(place->project + rows * c->width, last->offset + last->count);
    cr_assert_eq(place->mixer[F2L_DELTA_START] == F2L_CUDA_NONE, !c->learned_start);
}

static void check_diagonal(const f2l_cuda_step_layer *place, const f2l_seq *model, size_t l)
{
    const f2l_seq_config *c = &model->config;
    const size_t *tensor = model->layer[l].mixer;
    static const size_t index[] = {F2L_DIAGONAL_IN,          F2L_DIAGONAL_SELECT,
                                   F2L_DIAGONAL_STEP_WEIGHT, F2L_DIAGONAL_STEP_BIAS,
                                   F2L_DIAGONAL_STATE_LOG,   F2L_DIAGONAL_SKIP};
    const size_t count[] = {
        2 * c->channels * c->width, (c->step_rank + 2 * c->states) * c->channels,
        c->channels * c->step_rank, c->channels,
        c->channels * c->states,    c->channels};
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(place->mixer[index[i]], model->tensor[tensor[index[i]]].offset);
        cr_assert_eq(count[i], model->tensor[tensor[index[i]]].count);
    }
    cr_assert_eq(place->project, place->mixer[F2L_DIAGONAL_IN]);
    if (c->convolution == 0) return;
    cr_assert_eq(place->taps, model->tensor[tensor[F2L_DIAGONAL_TAPS]].offset);
}

static void check_dplr(const f2l_cuda_step_layer *place, const f2l_seq *model, size_t l)
{
    const f2l_seq_config *c = &model->config;
    const size_t *tensor = model->layer[l].mixer, keys = c->heads * c->key_dim,
                 values = c->heads * c->value_dim,
                 last = tensor[f2l_dplr_removes(c) ? F2L_DPLR_RATE_LOW : F2L_DPLR_GATE_LOW],
                 rows = 2 * keys + values + c->step_rank * (f2l_dplr_removes(c) ? 2 : 1);
    cr_assert_eq(place->project + rows * c->width,
                 model->tensor[last].offset + model->tensor[last].count);
    for (size_t i = 0; i <= F2L_DPLR_OUT; i++)
        cr_assert_eq(place->mixer[i],
                     tensor[i] == F2L_SEQ_NONE ? F2L_CUDA_NONE : model->tensor[tensor[i]].offset);
    if (c->convolution == 0) return;
    const f2l_seq_tensor *taps = &model->tensor[tensor[F2L_DPLR_VALUE_TAPS]];
    cr_assert_eq(place->taps + (2 * keys + values) * c->convolution, taps->offset + taps->count);
}

/* The projections of attention and of mLSTM, and the taps of mLSTM, lie one after the other. */
static void check_pairs(const f2l_cuda_step_layer *place, const f2l_seq *model, size_t l)
{
    const f2l_seq_config *c = &model->config;
    const bool mlstm = c->mixer == &f2l_mixer_mlstm;
    const size_t *tensor = model->layer[l].mixer, keys = c->heads * c->key_dim,
                 values = c->heads * c->value_dim;
    const size_t last = tensor[mlstm ? F2L_MLSTM_OUTPUT_GATE : F2L_ATTENTION_VALUE],
                 rows = 2 * keys + values + (mlstm ? 2 * c->heads + values : 0);
    cr_assert_eq(place->project + rows * c->width,
                 model->tensor[last].offset + model->tensor[last].count);
    if (c->convolution == 0) return;
    cr_assert_eq(place->taps + keys * c->convolution,
                 model->tensor[tensor[F2L_MLSTM_KEY_TAPS]].offset);
}

/* Every tensor has its place, and every parameter its group. */
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
        cr_assert(s->mixer->mixer == config.mixer && s->convolution == config.convolution);
        cr_assert_eq(s->head, f2l_seq_find(&model, "head.weight")->offset);
        for (size_t t = 0; t < model.tensors; t++) {
            size_t g = 0;
            while (g + 1 < s->groups && s->group[g + 1].first <= model.tensor[t].offset) g++;
            cr_assert_eq(s->group[g].decay, model.tensor[t].decays ? 1 : 0, "%s",
                         model.tensor[t].name);
        }
        for (size_t l = 0; l < config.layers; l++) {
            static void (*const check[])(const f2l_cuda_step_layer *, const f2l_seq *, size_t) = {
                check_delta, check_diagonal, check_dplr, check_pairs};
            check[kind < 6 ? 0 : kind / 2 - 2 < 3 ? kind / 2 - 2 : 3](&s->layer[l], &model, l);
            if (config.mlp == 0) continue;
            cr_assert_eq(s->layer[l].mlp_in + 2 * config.mlp * config.width, s->layer[l].mlp_down);
        }
        f2l_cuda_model_clear(&map);
        f2l_seq_clear(&model);
    }
}

/* Sizes that the device's operators do not support are refused; sizes of the mixer that is not used
 * do not matter. */
Test(seq_cuda, refuses_what_devices_do_not_have)
{
    static const char *const expected[] = {
        "channels of 65 states", "heads of 256 x 4",         "heads of 8 x 129", "heads of 8 x 129",
        "an output gate",        "a window of 4097 letters", "heads of 8 x 130"};
    for (size_t i = 0; i < 7; i++) {
        task_case c;
        f2l_seq_cuda t;
        f2l_seq model;
        f2l_error err = {0};
        task_init(&c, 0);
        f2l_seq_config config = c.model.config;
        if (i == 0) config.mixer = &f2l_mixer_diagonal;
        if (i == 0) config.states = F2L_CUDA_SELECT_STATES + 1;
        if (i == 1) config.key_dim = 256;
        if (i == 2) config.value_dim = F2L_RECURRENT_DIM + 1;
        if (i == 3) config.mixer = &f2l_mixer_gla;
        if (i == 3) config.value_dim = F2L_CUDA_DPLR_DIM + 1;
        if (i == 4) config.mixer = &f2l_mixer_rwkv7;
        if (i == 4) config.output_gate = true;
        if (i == 5) config.mixer = &f2l_mixer_attention;
        if (i == 5) config.window = F2L_CUDA_PAIRS_WINDOW + 1;
        if (i == 6) config.mixer = &f2l_mixer_mlstm;
        if (i == 6) config.value_dim = F2L_CUDA_PAIRS_DIM + 2;
        cr_assert_eq(f2l_seq_init(&model, &config, &err), F2L_OK, "%s", err.text);
        f2l_seq_cuda_init(&t);
        cr_assert_eq(
            f2l_seq_cuda_build(&t, &model, &c.train, &c.test, &c.options, &c.device, NULL, &err),
            F2L_EDOMAIN);
        cr_assert(strstr(err.text, expected[i]) && strstr(err.text, "--backend cpu"), "%s",
                  err.text);
        cr_assert_null(t.step);
        f2l_seq_clear(&model);
        config.output_gate = false;
        config.mixer = i == 0 ? &f2l_mixer_delta : &f2l_mixer_diagonal;
        cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_OK, "%s", err.text);
        task_clear(&c);
    }
}

/* Models may have at most as many taps as devices support. */
Test(seq_cuda, takes_every_convolution)
{
    f2l_error err = {0};
    f2l_seq_config config = config_of(4);
    config.convolution = F2L_CUDA_CONV_TAPS;
    cr_assert_eq(f2l_seq_config_check(&config, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_OK);
    config.convolution++;
    cr_assert_eq(f2l_seq_config_check(&config, &err), F2L_EDOMAIN);
}

/* Both sides of a run that is compared step by step; the run goes on with the CPU's numbers. */
typedef struct both_sides {
    task_case c;
    f2l_seq_trainee here;
    f2l_seq_cuda there;
    float *gradient, *mean, *square; /* [parameters] */
    float *other;                    /* [3 parameters] the device's */
    double worst[3];
    size_t longest;
} both_sides;

static void both_sides_init(both_sides *s, size_t kind)
{
    *s = (both_sides){0};
    task_init(&s->c, kind);
    build_here(&s->here, &s->c);
    build_there(&s->there, &s->c);
    const size_t n = s->c.model.parameters;
    s->gradient = f2l_calloc(n, sizeof(float));
    s->mean = f2l_calloc(n, sizeof(float));
    s->square = f2l_calloc(n, sizeof(float));
    s->other = f2l_calloc(3 * n, sizeof(float));
}

static void both_sides_clear(both_sides *s)
{
    f2l_free(s->gradient);
    f2l_free(s->mean);
    f2l_free(s->square);
    f2l_free(s->other);
    f2l_seq_trainee_clear(&s->here);
    f2l_seq_cuda_clear(&s->there);
    task_clear(&s->c);
}

static f2l_train_pace pace_of(const f2l_train_options *o, uint64_t step)
{
    return (f2l_train_pace){.rate = f2l_train_rate(o, step),
                            .weight_decay = 0.3,
                            .beta1 = o->beta1,
                            .beta2 = o->beta2,
                            .epsilon = o->epsilon,
                            .clip = step % 2 ? 0.5 : 0,
                            .time = step + 1};
}

/* Compares loss, counts and gradient; *norm becomes the device's norm. */
static void compare_gradients(double *norm, both_sides *s, const f2l_train_pace *pace,
                              uint64_t step)
{
    const size_t n = s->c.model.parameters;
    f2l_train_batch a = {0}, b = {0};
    f2l_error err = {0};
    memset(s->gradient, 0, n * sizeof *s->gradient);
    cr_assert_eq(s->here.trainee.gradient(&s->here, &a, s->gradient, step, NULL, &err), F2L_OK);
    cr_assert_eq(s->there.engine.put(&s->there, s->here.parameter, s->mean, s->square, &err),
                 F2L_OK);
    cr_assert(s->there.engine.advance(&s->there, &b, norm, pace, step, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(a.tokens == b.tokens && a.length == b.length && a.supervised == b.supervised &&
              a.sequences == b.sequences);
    cr_assert(llabs((long long)a.right - (long long)b.right) <= 1, "a tie may fall the other way");
    cr_assert_float_eq(a.loss, b.loss, 2e-6 * (1 + a.loss), "%llu: %.9g %.9g",
                       (unsigned long long)step, a.loss, b.loss);
    cr_assert_eq(f2l_cuda_step_gradient_get(s->other, s->there.step[0], &err), F2L_OK);
    const double length = sqrt(f2l_adamw_squares_f32(s->gradient, n)),
                 error = distance(s->other, s->gradient, n);
    cr_assert_lt(error, 5e-5, "%llu", (unsigned long long)step);
    cr_assert_float_eq(*norm, length, 5e-5 * length);
    s->worst[0] = fmax(s->worst[0], fabs(a.loss - b.loss));
    s->worst[1] = fmax(s->worst[1], error);
    s->longest = a.length > s->longest ? a.length : s->longest;
}

/* Compares the update by the device's gradient: bit for bit except for the clipping's scale, which
 * comes from the norm. */
static void compare_updates(both_sides *s, const f2l_train_pace *pace, double norm)
{
    const f2l_seq *m = &s->c.model;
    const size_t n = m->parameters;
    const double scale = pace->clip > 0 && norm > pace->clip ? pace->clip / norm : 1;
    float *other = s->other, *parameter = s->here.parameter;
    f2l_error err = {0};
    for (size_t i = 0; i < m->tensors; i++) {
        const size_t first = m->tensor[i].offset;
        const f2l_adamw how = {pace->rate,    m->tensor[i].decays ? pace->weight_decay : 0,
                               pace->beta1,   pace->beta2,
                               pace->epsilon, scale,
                               pace->time};
        f2l_adamw_update_f32(parameter + first, s->mean + first, s->square + first, other + first,
                             m->tensor[i].count, &how);
    }
    cr_assert_eq(s->there.engine.get(&s->there, other, other + n, other + 2 * n, &err), F2L_OK);
    s->worst[2] = fmax(s->worst[2], distance(other, parameter, n));
    cr_assert(distance(other, parameter, n) < 1e-6 && distance(other + n, s->mean, n) < 1e-6 &&
              distance(other + 2 * n, s->square, n) < 1e-6);
    cr_assert_arr_eq(s->here.state, s->there.state, sizeof s->here.state);
}

/* 100 steps, each from the same numbers on both sides, or every fifth with F2L_TEST_SHORT: loss,
 * counts, curriculum, gradient and update agree. The host's operators add products up in double,
 * the CPU's in float: the tolerances are some units in the last place of float times the square
 * root of the number of terms. */
Test(seq_cuda, hundred_steps_equal_those_of_the_cpu)
{
    const uint64_t stride = getenv("F2L_TEST_SHORT") ? 5 : 1;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const f2l_train_options o = options_of(100);
        both_sides s;
        both_sides_init(&s, kind);
        for (uint64_t step = 0; step < 100; step += stride) {
            const f2l_train_pace pace = pace_of(&o, step);
            double norm;
            compare_gradients(&norm, &s, &pace, step);
            compare_updates(&s, &pace, norm);
        }
        cr_log_info("kind %zu: worst loss %.2g, gradient %.2g, parameters %.2g, length %zu", kind,
                    s.worst[0], s.worst[1], s.worst[2], s.longest);
        both_sides_clear(&s);
    }
}

/* How far a run is from another one. */
typedef struct distances {
    double early, late; /* largest relative distance of the losses to step 25, and to step 100 */
    double accuracy;    /* largest distance over the three lengths at the end */
} distances;

static distances apart(const course *a, const f2l_train_result *first, const course *b,
                       const f2l_train_result *second)
{
    distances d = {0};
    for (size_t n = 1; n <= 100; n++) {
        const double loss = fabs(a->loss[n] - b->loss[n]) / a->loss[n];
        d.late = fmax(d.late, loss);
        if (n <= 25) d.early = fmax(d.early, loss);
    }
    for (size_t i = 0; i < 3; i++) {
        const f2l_train_score *x = &first->score[i], *y = &second->score[i];
        cr_assert(x->sequences == y->sequences && x->supervised == y->supervised &&
                  x->chance == y->chance);
        d.accuracy = fmax(d.accuracy, fabs(f2l_train_accuracy(x) - f2l_train_accuracy(y)));
    }
    return d;
}

/* Returns how far runs on the CPU come from this one when their first weights are changed in their
 * last place, up or down at random. */
static distances apart_when_nudged(const course *a, const f2l_train_result *first,
                                   const task_case *c, const f2l_train_options *o)
{
    distances most = {0};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        f2l_seq_trainee t;
        f2l_train_result second;
        f2l_rng rng;
        course b = {0};
        f2l_rng_init(&rng, seed, 0);
        build_here(&t, c);
        for (size_t i = 0; i < c->model.parameters; i++)
            t.parameter[i] =
                nextafterf(t.parameter[i], f2l_rng_below(&rng, 2) ? INFINITY : -INFINITY);
        follow_with(&b, &second, &t.trainee, o);
        const distances d = apart(a, first, &b, &second);
        most.late = fmax(most.late, d.late);
        most.accuracy = fmax(most.accuracy, d.accuracy);
        f2l_train_result_clear(&second);
        f2l_seq_trainee_clear(&t);
    }
    return most;
}

/* Without corrections both runs stay together, though roundings grow from step to step: AdamW
 * divides by the size of a gradient, so that a gradient that is nearly 0 makes full steps in the
 * direction of its rounding. How much they grow depends on the order in which this processor's
 * OpenBLAS adds up. Losses after step 25 and accuracies may be 0.03 apart, or else four times and
 * twice as far as four more runs on the CPU whose first weights differ in their last place. There
 * are 400 sequences, because five near ties among 160 answers already make 0.03. */
Test(seq_cuda, runs_stay_together)
{
    f2l_train_options o = options_of(100);
    o.sequences = 400;
    o.evaluate_every = 100;
    for (size_t kind = 0; kind < KINDS; kind++) {
        task_case c;
        f2l_seq_trainee here;
        f2l_seq_cuda there;
        course a = {0}, b = {0};
        f2l_train_result first, second;
        task_init(&c, kind);
        build_here(&here, &c);
        build_there(&there, &c);
        follow_with(&a, &first, &here.trainee, &o);
        follow_with(&b, &second, &there.trainee, &o);
        const distances d = apart(&a, &first, &b, &second);
        distances alone = {0};
        if (d.late >= 3e-2 || d.accuracy >= 0.03) alone = apart_when_nudged(&a, &first, &c, &o);
        const double error = distance(there.parameter, here.parameter, c.model.parameters);
        cr_log_info("kind %zu: loss to step 25 %.2g, to 100 %.2g, nudged %.2g, parameters %.2g, "
                    "accuracy %.2g, nudged %.2g",
                    kind, d.early, d.late, alone.late, error, d.accuracy, alone.accuracy);
        cr_assert(d.early < 1e-4 && d.late < fmax(3e-2, 4 * alone.late) && error < 0.2,
                  "kind %zu: %g %g %g %g", kind, d.early, d.late, alone.late, error);
        cr_assert_lt(d.accuracy, fmax(0.03, 2 * alone.accuracy), "kind %zu: %g %g", kind,
                     d.accuracy, alone.accuracy);
        f2l_train_result_clear(&first);
        f2l_train_result_clear(&second);
        f2l_seq_trainee_clear(&here);
        f2l_seq_cuda_clear(&there);
        task_clear(&c);
    }
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
    cr_assert_eq(
        f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, &task, &err),
        F2L_UNKNOWN);
    task.memory = bytes;
    cr_assert_eq(
        f2l_seq_cuda_build(&t, &c.model, &c.train, &c.test, &c.options, &c.device, &task, &err),
        F2L_OK);
    f2l_seq_cuda_clear(&t);
    f2l_seq_cuda_clear(&t);
    c.options.batch = SIZE_MAX / 4;
    cr_assert_eq(f2l_seq_cuda_bytes(&bytes, &c.model, &c.options, &err), F2L_EDOMAIN);
    task_clear(&c);
}

#ifdef F2L_MEM_FAILURES
static void survive_without_memory(size_t kind)
{
    task_case c;
    task_init(&c, kind);
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
        if (status == F2L_OK)
            status = f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, err.text);
        whole = status == F2L_OK;
        f2l_train_result_clear(&result);
        f2l_seq_cuda_clear(&t);
    }
    cr_assert(whole);
    task_clear(&c);
}

Test(seq_cuda, survives_without_memory)
{
    survive_without_memory(2);
    survive_without_memory(6);
}
#endif
