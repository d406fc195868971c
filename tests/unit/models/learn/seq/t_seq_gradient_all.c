/* Gradients of every combination of options, of one to eight Householder factors, and of heads as
 * large as trained ones. t_seq_gradient.c tests every parameter alone, in a few configurations;
 * here every tensor is moved along one random direction, and the float gradient of every tensor is
 * compared with the double one. */
#include "models/learn/seq/mixer.h"
#include "tests/support/train/seq_support.h"
#include <stdlib.h>

#define SEED 11

/* Returns the step between tested combinations: under valgrind (tests/valgrind.py) only every
 * eleventh is tested, which still has each option on and off. */
static size_t stride(void)
{
    return getenv("F2L_TEST_SHORT") != NULL ? 11 : 1;
}

typedef struct setting {
    seq_case s;
    seq_batch b;
    f2l_seq_work_f64 *work;
    double *gradient;
    size_t number;
} setting;

static void setting_open(setting *g, const f2l_seq_config *config, size_t sequences, size_t length,
                         size_t number)
{
    f2l_error err = {0};
    f2l_seq_score score;
    g->number = number;
    g->s = seq_case_of(config, SEED + number);
    seq_batch_fill(&g->b, &g->s.model, sequences, length, SEED + number);
    if (number % 3 == 0) g->b.batch.mask = NULL; /* then all positions are supervised */
    g->work = work_of(&g->s.model, sequences, length, true);
    g->gradient = f2l_calloc(g->s.model.parameters, sizeof *g->gradient);
    cr_assert(g->gradient != NULL);
    cr_assert(f2l_seq_gradient_f64(&score, g->gradient, &g->b.batch, g->s.parameter, 1, g->work,
                                   NULL, &err) == F2L_OK,
              "%s", err.text);
    cr_assert(fabs(score.loss - seq_loss(&g->s.model, g->s.parameter, &g->b.batch, g->work)) <
              1e-9);
}

static void setting_close(setting *g)
{
    f2l_free(g->gradient);
    f2l_seq_work_free_f64(g->work);
    seq_case_free(&g->s);
}

/* Returns the loss at distance h along a direction of tensor `t`. */
static double loss_along(setting *g, const f2l_seq_tensor *t, const double *direction,
                         const double *keep, double h)
{
    double *p = g->s.parameter + t->offset;
    for (size_t i = 0; i < t->count; i++) p[i] = keep[i] + h * direction[i];
    const double loss = seq_loss(&g->s.model, g->s.parameter, &g->b.batch, g->work);
    memcpy(p, keep, t->count * sizeof *p);
    return loss;
}

/* Returns the derivative along a direction by differences of fourth order. */
static double difference_along(setting *g, const f2l_seq_tensor *t, const double *direction,
                               const double *keep, double h)
{
    const double step[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    double difference = 0;
    for (size_t d = 0; d < 4; d++)
        difference += factor[d] * loss_along(g, t, direction, keep, step[d] * h);
    return difference / (12 * h);
}

/* Checks one direction of length 1 in a tensor. Short keys that are divided by their length bend
 * the loss sharply: then the steps become smaller. */
static void check_tensor(setting *g, const f2l_seq_tensor *t, f2l_rng *rng)
{
    double *direction = f2l_calloc(t->count, sizeof *direction),
           *keep = f2l_calloc(t->count, sizeof *keep);
    double length = 0, slope = 0, largest = 0, difference = 0;
    bool agrees = false;
    cr_assert(direction != NULL && keep != NULL);
    memcpy(keep, g->s.parameter + t->offset, t->count * sizeof *keep);
    for (size_t i = 0; i < t->count; i++) {
        direction[i] = ldexp((double)f2l_rng_u32(rng), -31) - 1;
        length += direction[i] * direction[i];
    }
    for (size_t i = 0; i < t->count; i++) {
        direction[i] /= sqrt(length);
        slope += direction[i] * g->gradient[t->offset + i];
        largest = fmax(largest, fabs(g->gradient[t->offset + i]));
    }
    for (double h = 4e-4; !agrees && h > 1e-6; h /= 8) {
        difference = difference_along(g, t, direction, keep, h);
        agrees = fabs(difference - slope) < 1e-7 * (1 + fabs(difference));
    }
    cr_assert(agrees, "configuration %zu, %s: %.12g, but differences give %.12g", g->number,
              t->name, slope, difference);
    cr_assert(largest > 0, "configuration %zu: %s has no gradient", g->number, t->name);
    f2l_free(direction);
    f2l_free(keep);
}

static void check_float(setting *g)
{
    const size_t n = g->s.model.parameters;
    const f2l_seq_plan plan = {g->b.batch.sequences, g->b.batch.length, true};
    float *parameter = f2l_calloc(n, sizeof *parameter),
          *gradient = f2l_calloc(n, sizeof *gradient);
    f2l_seq_work_f32 *work;
    f2l_seq_score score;
    double all = 0;
    cr_assert(parameter != NULL && gradient != NULL);
    cr_assert(f2l_seq_work_new_f32(&work, &g->s.model, &plan, NULL, NULL) == F2L_OK);
    for (size_t i = 0; i < n; i++) parameter[i] = (float)g->s.parameter[i];
    cr_assert(f2l_seq_gradient_f32(&score, gradient, &g->b.batch, parameter, 1, work, NULL, NULL) ==
              F2L_OK);
    for (size_t i = 0; i < n; i++) all += g->gradient[i] * g->gradient[i];
    for (size_t t = 0; t < g->s.model.tensors; t++) {
        const f2l_seq_tensor *tensor = &g->s.model.tensor[t];
        double error = 0, norm = 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++) {
            const double apart = (double)gradient[i] - g->gradient[i];
            error += apart * apart;
            norm += g->gradient[i] * g->gradient[i];
        }
        /* Sums with cancellation have errors relative to their terms, not to the sum: this is why
         * part of the whole gradient's norm is allowed. */
        cr_assert(sqrt(error) < 1e-3 * sqrt(norm) + 1e-6 * sqrt(all),
                  "configuration %zu, %s: %g of %g", g->number, tensor->name, sqrt(error),
                  sqrt(norm));
    }
    f2l_seq_work_free_f32(work);
    f2l_free(parameter);
    f2l_free(gradient);
}

static void check(const f2l_seq_config *config, size_t sequences, size_t length, size_t number)
{
    setting g;
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, number);
    setting_open(&g, config, sequences, length, number);
    for (size_t t = 0; t < g.s.model.tensors; t++) check_tensor(&g, &g.s.model.tensor[t], &rng);
    check_float(&g);
    setting_close(&g);
}

/* Returns the last digit of `number` in a mixed radix, and removes it. */
static size_t take(size_t *number, size_t radix)
{
    const size_t digit = *number % radix;
    *number /= radix;
    return digit;
}

/* Sets c to a combination of everything that can be on or off, with zero, one or three taps; the
 * number of householders cycles from 1 to 8. Returns false after the last. */
static bool delta_setting(f2l_seq_config *c, size_t number)
{
    static const size_t taps[] = {0, 1, 3};
    static const double slopes[] = {1, 4};
    size_t n = number;
    *c = small_config();
    c->layers = 1 + number % 2;
    c->negative = take(&n, 2);
    const size_t kind = take(&n, 3); /* values, H_0, both */
    c->additive = kind != 1;
    c->learned_start = kind != 0;
    c->forget_gate = take(&n, 2);
    c->silu_keys = take(&n, 2);
    c->normalise_keys = take(&n, 2);
    c->mlp = take(&n, 2) ? 5 : 0;
    c->convolution = taps[take(&n, 3)];
    c->slope = slopes[number % 5 == 0];
    c->householders = 1 + number % 8;
    c->heads = 1 + number % 3;
    return n == 0;
}

Test(seq_gradient_all, every_combination_of_delta_product, .timeout = 600)
{
    f2l_seq_config c;
    size_t number = 0;
    for (; delta_setting(&c, number); number++)
        if (number % stride() == 0) check(&c, 2, 5, number);
    cr_assert(number == 288);
}

static bool diagonal_setting(f2l_seq_config *c, size_t number)
{
    static const size_t taps[] = {0, 1, 3};
    size_t n = number;
    *c = small_config();
    c->mixer = &f2l_mixer_diagonal;
    c->layers = 1 + number % 2;
    c->negative = take(&n, 2);
    c->mlp = take(&n, 2) ? 5 : 0;
    c->convolution = taps[take(&n, 3)];
    c->channels = take(&n, 2) ? 5 : 1;
    c->states = take(&n, 2) ? 3 : 1;
    c->step_rank = take(&n, 2) ? 4 : 1;
    return n == 0;
}

Test(seq_gradient_all, every_combination_of_the_diagonal_mixer, .timeout = 600)
{
    f2l_seq_config c;
    size_t number = 0;
    for (; diagonal_setting(&c, number); number++)
        if (number % stride() == 0) check(&c, 2, 5, number);
    cr_assert(number == 96);
}

static bool dplr_setting(f2l_seq_config *c, size_t number)
{
    static const size_t taps[] = {0, 1, 3};
    size_t n = number;
    *c = small_config();
    c->layers = 1 + number % 2;
    c->mixer = take(&n, 2) ? &f2l_mixer_rwkv7 : &f2l_mixer_gla;
    c->negative = take(&n, 2);
    c->output_gate = take(&n, 2);
    c->mlp = take(&n, 2) ? 5 : 0;
    c->convolution = taps[take(&n, 3)];
    c->step_rank = take(&n, 2) ? 4 : 1;
    c->heads = 1 + number % 3;
    return n == 0;
}

Test(seq_gradient_all, every_combination_of_gla_and_rwkv7, .timeout = 600)
{
    f2l_seq_config c;
    size_t number = 0;
    for (; dplr_setting(&c, number); number++)
        if (number % stride() == 0) check(&c, 2, 5, number);
    cr_assert(number == 96);
}

/* Heads of 16 to 128 numbers with up to eight factors, and the other mixers at the default's
 * width. */
Test(seq_gradient_all, sizes_of_trained_models, .timeout = 600)
{
    static const struct {
        size_t householders, heads, key_dim, value_dim, convolution;
        bool additive, gate, silu;
    } sample[] = {{8, 2, 16, 128, 0, true, true, false},    {8, 1, 128, 16, 4, true, false, true},
                  {4, 2, 128, 128, 0, false, false, false}, {5, 3, 64, 32, 0, true, true, true},
                  {7, 1, 32, 64, 4, false, true, true},     {1, 4, 32, 32, 4, true, false, false}};
    const size_t samples = sizeof sample / sizeof *sample;
    for (size_t i = 0; i<samples + 3; i += stride()> 1 ? 3 : 1) {
        f2l_seq_config c = f2l_seq_config_default(3, 4);
        c.width = 32;
        c.mlp = 64;
        if (i > samples) {
            c.mixer = i == samples + 1 ? &f2l_mixer_gla : &f2l_mixer_rwkv7;
            c.key_dim = i == samples + 1 ? 32 : 64;
            c.value_dim = 64;
            c.step_rank = 16;
        } else if (i == samples) {
            c.mixer = &f2l_mixer_diagonal;
            c.convolution = 4;
            c.channels = 256;
            c.states = 16;
            c.step_rank = 8;
        } else {
            c.householders = sample[i].householders;
            c.heads = sample[i].heads;
            c.key_dim = sample[i].key_dim;
            c.value_dim = sample[i].value_dim;
            c.convolution = sample[i].convolution;
            c.additive = sample[i].additive;
            c.forget_gate = sample[i].gate;
            c.silu_keys = sample[i].silu;
        }
        check(&c, 2, 9, 1000 + i);
    }
}
