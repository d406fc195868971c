/* The schedule of a step on a device (cuda/step/cuda_step.h), replayed with the host's operators on
 * memory that is NaN where nothing was written. This shows buffers that share memory too early,
 * rows that are read at the wrong stride, and gradients by letter that do not add up to the
 * gradients by position. */
#include "cuda/step/cuda_need.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/train/adamw.h"
#include "models/learn/train/cuda_model.h"
#include "models/learn/train/seq_cuda.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/seq_support.h"

#define SEED 20

/* A step with the parameters of a case, rounded to floats, also in the case itself. */
typedef struct step_case {
    seq_case s;
    float *parameter;
    f2l_cuda_model model;
    f2l_cuda_step *step;
} step_case;

static step_case step_case_of(const f2l_seq_config *config, uint64_t seed, f2l_cuda_type type)
{
    f2l_error err = {0};
    step_case c = {.s = seq_case_of(config, seed)};
    const size_t count = c.s.model.parameters;
    c.parameter = f2l_calloc(count, sizeof *c.parameter);
    for (size_t i = 0; i < count; i++)
        c.s.parameter[i] = (double)(c.parameter[i] = (float)c.s.parameter[i]);
    cr_assert(f2l_cuda_model_init(&c.model, &c.s.model, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_cuda_step_new(&c.step, &c.model.shape, type, &f2l_cuda_kernels_host, &err) ==
                  F2L_OK,
              "%s", err.text);
    cr_assert(f2l_cuda_step_put(c.step, c.parameter, NULL, NULL, &err) == F2L_OK);
    return c;
}

static void step_case_free(step_case *c)
{
    f2l_cuda_step_free(c->step);
    f2l_cuda_model_clear(&c->model);
    f2l_free(c->parameter);
    seq_case_free(&c->s);
}

static void check_score(const f2l_cuda_score *got, const f2l_seq_score *want, double tolerance)
{
    cr_assert(fabs(got->loss - want->loss) <= tolerance * want->loss, "loss %g, expected %g",
              got->loss, want->loss);
    cr_assert(got->supervised == want->supervised && got->sequences == want->sequences);
    if (tolerance > 1e-3) return; /* bf16 may answer differently */
    cr_assert(got->right == want->right && got->right_ones == want->right_ones &&
              got->right_last == want->right_last);
}

static double distance(const float *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

static double length_of(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* Checks that the relative Frobenius error of every tensor is within the tolerance, or the error is
 * within four times the reference's error in floats, or within the rounding of the whole gradient:
 * where there are no values, the norm of o cancels the effect of a gate, and only epsilon and
 * rounding contribute to the gate's gradient. */
static void check_gradient(const step_case *c, size_t number, const f2l_seq_batch *batch,
                           double tolerance)
{
    const f2l_seq *model = &c->s.model;
    f2l_seq_score want;
    f2l_cuda_score got;
    f2l_error err = {0};
    f2l_seq_work_f64 *work = work_of(model, batch->sequences, batch->length, true);
    f2l_seq_work_f32 *narrow;
    const f2l_seq_plan plan = {batch->sequences, batch->length, true};
    double *reference = f2l_calloc(model->parameters, sizeof *reference);
    float *gradient = f2l_calloc(model->parameters, sizeof *gradient),
          *floats = f2l_calloc(model->parameters, sizeof *floats);
    f2l_seq_score of_floats;
    cr_assert(f2l_seq_work_new_f32(&narrow, model, &plan, NULL, &err) == F2L_OK);
    cr_assert(f2l_seq_gradient_f32(&of_floats, floats, batch, c->parameter, 0.25, narrow, NULL,
                                   &err) == F2L_OK);
    const f2l_cuda_step_batch same = {batch->sequences, batch->length, batch->letter,
                                      batch->label,     batch->mask,   NULL};
    cr_assert(f2l_seq_gradient_f64(&want, reference, batch, c->s.parameter, 0.25, work, NULL,
                                   &err) == F2L_OK);
    cr_assert(f2l_cuda_step_gradient(c->step, &same, 0.25, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_cuda_step_gradient_get(gradient, c->step, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_score(&got, NULL, c->step, &err) == F2L_OK);
    check_score(&got, &want, tolerance);
    const double rounding = ldexp(length_of(reference, model->parameters), -24);
    for (size_t t = 0; t < model->tensors; t++) {
        const f2l_seq_tensor *tensor = &model->tensor[t];
        const size_t at = tensor->offset, n = tensor->count;
        const double length = length_of(reference + at, n),
                     error = distance(gradient + at, reference + at, n),
                     of_reference = distance(floats + at, reference + at, n);
        cr_assert(length > 0 && error <= tolerance * length + 4 * of_reference + rounding,
                  "configuration %zu, %s: error %g (in floats %g) of a gradient of length %g",
                  number, tensor->name, error, of_reference, length);
    }
    f2l_free(gradient);
    f2l_free(reference);
    f2l_free(floats);
    f2l_seq_work_free_f32(narrow);
    f2l_seq_work_free_f64(work);
}

static void check_all(f2l_cuda_type type, double tolerance, size_t layers)
{
    f2l_seq_config config;
    size_t checked = 0, refused = 0;
    for (size_t number = 0; config_sample(&config, number); number++) {
        config.layers = layers;
        if (f2l_seq_cuda_takes(&config, NULL) != F2L_OK) {
            cr_assert(config.output_gate || config.key_epsilon > 0 || config.convolution_bias ||
                      config.clamped_betas || config.exact_keys);
            refused++;
            continue;
        }
        step_case c = step_case_of(&config, SEED + number, type);
        seq_batch b;
        /* Two shapes; the second batch of one of them finds the buffers of the first. */
        for (size_t i = 0; i < 4; i++) {
            seq_batch_fill(&b, &c.s.model, i < 2 ? 5 : 2, i < 2 ? 7 : 16, SEED + 10 * number + i);
            check_gradient(&c, number, &b.batch, tolerance);
        }
        b.batch.mask = NULL;
        check_gradient(&c, number, &b.batch, tolerance);
        step_case_free(&c);
        checked++;
    }
    cr_assert(checked == 15 && refused == 5);
}

Test(cuda_step_replay, options_that_no_kernel_has_are_refused)
{
    f2l_error err = {0};
    f2l_seq_config config = small_config();
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_OK, "%s", err.text);
    config.key_epsilon = 1e-3;
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "a separate epsilon for keys"), "%s", err.text);
    config.key_epsilon = 0, config.output_gate = true;
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "an output gate"), "%s", err.text);
    config.output_gate = false, config.clamped_betas = true;
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "--clamped-betas"), "%s", err.text);
    config.clamped_betas = false, config.exact_keys = true;
    cr_assert_eq(f2l_seq_cuda_takes(&config, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "--exact-keys"), "%s", err.text);
}

Test(cuda_step_replay, floats_have_the_gradient_of_the_reference)
{
    check_all(F2L_CUDA_F32, 2e-5, 1);
    check_all(F2L_CUDA_F32, 2e-5, 2);
    check_all(F2L_CUDA_F32, 2e-5, 3);
}

/* At these sizes errors of bf16 average out. */
Test(cuda_step_replay, bf16_is_near_it)
{
    f2l_seq_config config = f2l_seq_config_default(5, 7);
    config.width = 32;
    config.mlp = 40;
    config.heads = 3;
    config.key_dim = config.value_dim = 16;
    config.householders = 2;
    for (size_t i = 0; i < 4; i++) {
        config.layers = 1 + i / 2;
        config.additive = i % 2 == 1;
        step_case c = step_case_of(&config, SEED + i, F2L_CUDA_BF16);
        seq_batch b;
        seq_batch_fill(&b, &c.s.model, 5, 12, SEED + i);
        check_gradient(&c, i, &b.batch, 0.1);
        check_gradient(&c, i, &b.batch, 0.1);
        step_case_free(&c);
    }
}

/* The same holds with convolutions, one of them longer than the words, with a diagonal mixer with
 * more states than a lane of the device has, and with gates for each key. There q and k are not
 * normalised, and o is short where they are nearly orthogonal: with a small epsilon the gradient
 * changes by a fifth when parameters change by a thousandth. */
Test(cuda_step_replay, bf16_is_near_it_with_other_mixers)
{
    f2l_seq_config config = f2l_seq_config_default(5, 7);
    config.width = 32;
    config.mlp = 40;
    config.heads = 3;
    config.key_dim = config.value_dim = 16;
    config.additive = config.silu_keys = true;
    config.channels = 24;
    config.states = 9;
    config.step_rank = 4;
    static const f2l_mixer *const mixer[] = {&f2l_mixer_delta, &f2l_mixer_diagonal, &f2l_mixer_gla,
                                             &f2l_mixer_rwkv7};
    for (size_t i = 0; i < 16; i++) {
        config.layers = 1 + i % 2;
        config.mixer = mixer[i / 4];
        config.epsilon = i < 8 ? 1e-6 : 0.1;
        config.convolution = i == 0 ? 20 : i < 6 || (i >= 8 && i % 4 > 1) ? 4 : 0;
        config.negative = i != 3;
        step_case c = step_case_of(&config, SEED + i, F2L_CUDA_BF16);
        seq_batch b;
        seq_batch_fill(&b, &c.s.model, 5, 12, SEED + i);
        check_gradient(&c, i, &b.batch, 0.1);
        check_gradient(&c, i, &b.batch, 0.1);
        step_case_free(&c);
    }
}

/* Checks the whole gradient: mLSTM's norm undoes a common factor of the input gates, so that the
 * gradient of their bias nearly vanishes and is mostly rounding in bf16. */
static void check_whole(const step_case *c, const f2l_seq_batch *batch, double tolerance)
{
    const size_t count = c->s.model.parameters;
    const f2l_cuda_step_batch same = {batch->sequences, batch->length, batch->letter,
                                      batch->label,     batch->mask,   NULL};
    f2l_seq_work_f64 *work = work_of(&c->s.model, batch->sequences, batch->length, true);
    f2l_seq_score score;
    double *reference = seq_gradient_of(&score, &c->s, batch, 0.25, work);
    float *gradient = f2l_calloc(count, sizeof *gradient);
    cr_assert(f2l_cuda_step_gradient(c->step, &same, 0.25, NULL) == F2L_OK);
    cr_assert(f2l_cuda_step_gradient_get(gradient, c->step, NULL) == F2L_OK);
    const double error = distance(gradient, reference, count) / length_of(reference, count);
    cr_assert(error < tolerance, "%g", error);
    f2l_free(gradient);
    f2l_free(reference);
    f2l_seq_work_free_f64(work);
}

/* Attention, with windows shorter and longer than the words, and mLSTM, with and without a
 * convolution. mLSTM's h nearly vanishes where a query is nearly at right angles to the keys; in
 * bf16 a larger epsilon keeps the norm from magnifying the rounding there. */
Test(cuda_step_replay, attention_and_mlstm)
{
    for (size_t i = 0; i < 12; i++) {
        f2l_seq_config config = f2l_seq_config_default(5, 7);
        const f2l_cuda_type type = i < 6 ? F2L_CUDA_F32 : F2L_CUDA_BF16;
        config.width = 32;
        config.mlp = i % 3 == 2 ? 0 : 40;
        config.heads = 3;
        config.key_dim = type == F2L_CUDA_F32 ? 6 : 16;
        config.value_dim = type == F2L_CUDA_F32 ? 5 : 16;
        config.layers = 1 + i % 2;
        if (type == F2L_CUDA_BF16) config.epsilon = 0.01;
        config.mixer = i % 6 < 3 ? &f2l_mixer_attention : &f2l_mixer_mlstm;
        config.window = i % 3 == 1 ? 4 : 0;
        config.convolution = i % 6 < 3 ? 0 : 2 * (i % 3);
        step_case c = step_case_of(&config, SEED + i, type);
        seq_batch b;
        seq_batch_fill(&b, &c.s.model, 5, 12, SEED + i);
        for (size_t turn = 0; turn < 2; turn++)
            if (type == F2L_CUDA_F32)
                check_gradient(&c, i, &b.batch, 2e-5);
            else
                check_whole(&c, &b.batch, 0.05);
        step_case_free(&c);
    }
}

Test(cuda_step_replay, the_forget_gate_too)
{
    f2l_seq_config config = small_config();
    config.forget_gate = config.additive = config.silu_keys = true;
    for (config.layers = 1; config.layers <= 2; config.layers++) {
        step_case c = step_case_of(&config, SEED, F2L_CUDA_F32);
        seq_batch b;
        seq_batch_fill(&b, &c.s.model, 4, 9, SEED);
        check_gradient(&c, 0, &b.batch, 2e-5);
        step_case_free(&c);
    }
}

/* AdamW's numbers equal the trainer's, bit for bit, as long as nothing is clipped (the norm is
 * summed in another order). */
Test(cuda_step_replay, updates_like_the_trainer)
{
    f2l_seq_config config = small_config();
    step_case c = step_case_of(&config, SEED, F2L_CUDA_F32);
    const size_t count = c.s.model.parameters;
    f2l_error err = {0};
    float *gradient = f2l_calloc(count, sizeof *gradient), *mean = f2l_calloc(count, sizeof *mean),
          *square = f2l_calloc(count, sizeof *square), *got = f2l_calloc(3 * count, sizeof *got);
    for (uint64_t time = 1; time <= 3; time++) {
        seq_batch b;
        f2l_cuda_adamw_report report;
        seq_batch_fill(&b, &c.s.model, 4, 9, SEED + time);
        const f2l_cuda_step_batch batch = {4, 9, b.letter, b.label, b.mask, NULL};
        const f2l_cuda_step_rate rate = {
            .rate = 1e-2, .decay = 0.1, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .time = time};
        cr_assert(f2l_cuda_step_gradient(c.step, &batch, 0.1, &err) == F2L_OK);
        cr_assert(f2l_cuda_step_gradient_get(gradient, c.step, &err) == F2L_OK);
        cr_assert(f2l_cuda_step_update(c.step, &rate, &err) == F2L_OK, "%s", err.text);
        cr_assert(f2l_cuda_step_score(NULL, &report, c.step, &err) == F2L_OK);
        cr_assert(report.moved == 1 && report.scale == 1);
        const double length = sqrt(f2l_adamw_squares_f32(gradient, count));
        cr_assert(fabs(report.norm - length) < 1e-12 * length);
        for (size_t t = 0; t < c.s.model.tensors; t++) {
            const f2l_seq_tensor *tensor = &c.s.model.tensor[t];
            const size_t at = tensor->offset;
            const f2l_adamw step = {1e-2, tensor->decays ? 0.1 : 0, 0.9, 0.95, 1e-8, 1, time};
            f2l_adamw_update_f32(c.parameter + at, mean + at, square + at, gradient + at,
                                 tensor->count, &step);
        }
        cr_assert(f2l_cuda_step_get(got, got + count, got + 2 * count, c.step, &err) == F2L_OK);
        cr_assert(memcmp(got, c.parameter, count * sizeof *got) == 0);
        cr_assert(memcmp(got + count, mean, count * sizeof *got) == 0);
        cr_assert(memcmp(got + 2 * count, square, count * sizeof *got) == 0);
    }
    f2l_free(gradient);
    f2l_free(mean);
    f2l_free(square);
    f2l_free(got);
    step_case_free(&c);
}

Test(cuda_step_replay, a_gradient_that_is_not_finite_changes_nothing)
{
    f2l_seq_config config = small_config();
    step_case c = step_case_of(&config, SEED, F2L_CUDA_F32);
    f2l_error err = {0};
    f2l_cuda_adamw_report report;
    seq_batch b;
    seq_batch_fill(&b, &c.s.model, 4, 9, SEED);
    const f2l_cuda_step_batch batch = {4, 9, b.letter, b.label, b.mask, NULL};
    const f2l_cuda_step_rate rate = {
        .rate = 1e-2, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .clip = 1, .time = 1};
    float *got = f2l_calloc(c.s.model.parameters, sizeof *got);
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, (double)INFINITY, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_update(c.step, &rate, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_score(NULL, &report, c.step, &err) == F2L_OK);
    cr_assert(report.moved == 0);
    cr_assert(f2l_cuda_step_get(got, NULL, NULL, c.step, &err) == F2L_OK);
    cr_assert(memcmp(got, c.parameter, c.s.model.parameters * sizeof *got) == 0);
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, 1, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_update(c.step, &rate, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_score(NULL, &report, c.step, &err) == F2L_OK);
    cr_assert(report.moved == 1 && report.norm > 1 &&
              fabs((double)report.scale * report.norm - 1) < 1e-6);
    f2l_free(got);
    step_case_free(&c);
}

/* The largest buffers are placed first. Smallest first, they take 381 MB here in place of 372. */
Test(cuda_step_replay, buffers_share_memory)
{
    f2l_seq_config config = small_config();
    f2l_seq model;
    f2l_cuda_model m;
    size_t few, many;
    config.layers = 3;
    cr_assert(f2l_seq_init(&model, &config, NULL) == F2L_OK);
    cr_assert(f2l_cuda_model_init(&m, &model, NULL) == F2L_OK);
    cr_assert(f2l_cuda_step_need(&few, &m.shape, F2L_CUDA_F32, 1, 32, &f2l_cuda_kernels_host,
                                 NULL) == F2L_OK);
    cr_assert(f2l_cuda_step_need(&many, &m.shape, F2L_CUDA_F32, 1001, 320, &f2l_cuda_kernels_host,
                                 NULL) == F2L_OK);
    cr_assert(many - few < 375000000, "%zu", many - few);
    f2l_cuda_model_clear(&m);
    f2l_seq_clear(&model);
}

Test(cuda_step_replay, refuses_what_is_no_batch)
{
    f2l_seq_config config = small_config();
    step_case c = step_case_of(&config, SEED, F2L_CUDA_F32);
    uint32_t letter[4] = {0, 1, 2, 0}, label[4] = {0, 1, 2, 3};
    uint8_t mask[4] = {1, 1, 1, 1};
    f2l_cuda_step_batch batch = {2, 2, letter, label, mask, NULL};
    const f2l_cuda_step_rate rate = {.rate = 1e-2, .time = 1};
    cr_assert(f2l_cuda_step_update(c.step, &rate, NULL) == F2L_EDOMAIN);
    letter[3] = 3;
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, 1, NULL) == F2L_EDOMAIN);
    letter[3] = 0;
    label[1] = 4;
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, 1, NULL) == F2L_EDOMAIN);
    mask[1] = 0;
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, 1, NULL) == F2L_OK);
    batch.length = 0;
    cr_assert(f2l_cuda_step_gradient(c.step, &batch, 1, NULL) == F2L_EDOMAIN);
    f2l_cuda_step *none;
    cr_assert(f2l_cuda_step_new(&none, &c.model.shape, F2L_CUDA_BF16, &f2l_cuda_kernels_host,
                                NULL) == F2L_EDOMAIN &&
              !none);
    step_case_free(&c);
}

#ifdef F2L_MEM_FAILURES
Test(cuda_step_replay, survives_without_memory)
{
    f2l_seq_config config = small_config();
    config.width = 8;
    f2l_seq model;
    f2l_cuda_model m;
    uint32_t letter[8] = {0, 1, 2, 0, 1, 1, 2, 0}, label[8] = {0};
    const f2l_cuda_step_batch batch = {1, 8, letter, label, NULL, NULL};
    cr_assert(f2l_seq_init(&model, &config, NULL) == F2L_OK);
    cr_assert(f2l_cuda_model_init(&m, &model, NULL) == F2L_OK);
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_cuda_step *step;
        f2l_mem_fail_after(++n, false);
        status = f2l_cuda_step_new(&step, &m.shape, F2L_CUDA_BF16, &f2l_cuda_kernels_host, NULL);
        if (status == F2L_OK) status = f2l_cuda_step_gradient(step, &batch, 1, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        f2l_cuda_step_free(step);
    }
    cr_assert(n > 10);
    f2l_cuda_model_clear(&m);
    f2l_seq_clear(&model);
}
#endif
