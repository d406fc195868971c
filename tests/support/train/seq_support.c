#include "tests/support/train/seq_support.h"
#include "models/learn/seq/mixer.h"

f2l_seq_config small_config(void)
{
    f2l_seq_config c = f2l_seq_config_default(3, 4);
    c.layers = 2;
    c.width = 6;
    c.mlp = 5;
    c.heads = 2;
    c.householders = 2;
    c.key_dim = 3;
    c.value_dim = 4;
    c.channels = 5;
    c.states = 3;
    c.step_rank = 2;
    return c;
}

bool config_sample(f2l_seq_config *c, size_t number)
{
    enum { OUTPUT_GATE = 11, BIAS, GLA, GLA_TAPS, RWKV7, RWKV7_TAPS, CLAMPED, EXACT, BOTH };
    static const struct {
        bool diagonal, negative, additive, learned_start, forget_gate, silu, unit;
        size_t convolution, householders, mlp;
        double slope;
    } sample[] = {{false, true, false, true, false, false, true, 0, 2, 5, 1},  /* default class */
                  {false, false, false, true, false, false, true, 0, 3, 5, 4}, /* steep beta */
                  {false, true, true, false, false, true, true, 3, 1, 5, 1},   /* usual DeltaNet */
                  {false, true, true, true, true, true, true, 4, 3, 5, 2},     /* every option */
                  {false, false, true, false, true, false, true, 0, 2, 0, 1},  /* a gate, no MLP */
                  {false, true, false, true, true, true, true, 1, 1, 5, 1}, /* one tap, no values */
                  {false, true, true, true, false, false, false, 0, 2, 5, 1}, /* no unit keys */
                  {false, false, true, true, false, true, false, 2, 1, 5, 1},
                  {true, true, false, true, false, false, true, 0, 1, 5, 1},
                  {true, false, false, true, false, false, true, 3, 1, 5, 1},
                  {true, true, false, true, false, false, true, 4, 1, 0, 1},
                  {false, true, true, false, true, true, true, 2, 1, 5, 1} /* OUTPUT_GATE */,
                  {true, false, false, true, false, false, true, 3, 1, 0, 1} /* BIAS */,
                  {false, true, true, false, false, false, true, 0, 1, 5, 1} /* GLA */,
                  {false, false, true, false, false, false, true, 3, 1, 0, 1},
                  {false, true, true, false, false, false, true, 0, 1, 5, 1} /* RWKV7 */,
                  {false, false, true, false, false, false, true, 3, 1, 0, 1},
                  {false, true, false, true, false, false, true, 0, 2, 5, 0.125} /* CLAMPED */,
                  {false, true, true, true, false, true, true, 2, 2, 5, 1} /* EXACT */,
                  {false, false, true, false, true, false, true, 0, 3, 0, 0.125} /* BOTH */};
    if (number >= sizeof sample / sizeof *sample) return false;
    *c = small_config();
    c->mixer = sample[number].diagonal ? &f2l_mixer_diagonal : &f2l_mixer_delta;
    if (number >= GLA && number < CLAMPED)
        c->mixer = number < RWKV7 ? &f2l_mixer_gla : &f2l_mixer_rwkv7;
    c->negative = sample[number].negative;
    c->additive = sample[number].additive;
    c->learned_start = sample[number].learned_start;
    c->forget_gate = sample[number].forget_gate;
    c->silu_keys = sample[number].silu;
    c->normalise_keys = sample[number].unit;
    c->convolution = sample[number].convolution;
    c->householders = sample[number].householders;
    c->mlp = sample[number].mlp;
    c->slope = sample[number].slope;
    c->output_gate = number == OUTPUT_GATE;
    c->key_epsilon = number == OUTPUT_GATE ? 1e-2 : 0;
    c->convolution_bias = number == BIAS;
    c->clamped_betas = number == CLAMPED || number == BOTH; /* of a slope with no beta at an end */
    c->exact_keys = number == EXACT || number == BOTH;
    return true;
}

seq_case seq_case_of(const f2l_seq_config *config, uint64_t seed)
{
    seq_case s;
    f2l_error err = {0};
    cr_assert(f2l_seq_init(&s.model, config, &err) == F2L_OK, "%s", err.text);
    s.parameter = f2l_calloc(s.model.parameters, sizeof *s.parameter);
    cr_assert(s.parameter != NULL);
    f2l_seq_start_f64(s.parameter, &s.model, seed);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 1000);
    for (size_t i = 0; i < s.model.parameters; i++)
        s.parameter[i] += 0.4 * (ldexp((double)f2l_rng_u32(&rng), -32) - 0.5);
    return s;
}

void seq_case_free(seq_case *s)
{
    f2l_free(s->parameter);
    f2l_seq_clear(&s->model);
}

void seq_batch_fill(seq_batch *b, const f2l_seq *model, size_t sequences, size_t length,
                    uint64_t seed)
{
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 2000);
    cr_assert(sequences * length <= BATCH_CELLS);
    for (size_t i = 0; i < sequences * length; i++) {
        b->letter[i] = (uint32_t)f2l_rng_below(&rng, model->config.letters);
        b->label[i] = (uint32_t)f2l_rng_below(&rng, model->config.labels);
        b->mask[i] = f2l_rng_below(&rng, 3) > 0;
    }
    b->batch = (f2l_seq_batch){sequences, length, b->letter, b->label, b->mask};
}

f2l_seq_work_f64 *work_of(const f2l_seq *model, size_t sequences, size_t length, bool training)
{
    f2l_seq_work_f64 *work;
    f2l_error err = {0};
    const f2l_seq_plan plan = {sequences, length, training};
    cr_assert(f2l_seq_work_new_f64(&work, model, &plan, NULL, &err) == F2L_OK, "%s", err.text);
    return work;
}

double seq_loss(const f2l_seq *model, const double *parameter, const f2l_seq_batch *batch,
                f2l_seq_work_f64 *work)
{
    const size_t labels = model->config.labels;
    double logits[BATCH_CELLS * 8];
    f2l_error err = {0};
    cr_assert(labels <= 8);
    cr_assert(f2l_seq_logits_f64(logits, NULL, batch, parameter, work, &err) == F2L_OK, "%s",
              err.text);
    long double loss = 0;
    for (size_t i = 0; i < batch->sequences * batch->length; i++) {
        long double sum = 0;
        if (batch->mask != NULL && batch->mask[i] == 0) continue;
        for (size_t c = 0; c < labels; c++) sum += expl((long double)logits[i * labels + c]);
        loss += logl(sum) - (long double)logits[i * labels + batch->label[i]];
    }
    return (double)loss;
}

double *seq_gradient_of(f2l_seq_score *score, const seq_case *s, const f2l_seq_batch *batch,
                        double weight, f2l_seq_work_f64 *work)
{
    f2l_error err = {0};
    double *gradient = f2l_calloc(s->model.parameters, sizeof *gradient);
    cr_assert(gradient != NULL);
    cr_assert(f2l_seq_gradient_f64(score, gradient, batch, s->parameter, weight, work, NULL,
                                   &err) == F2L_OK,
              "%s", err.text);
    return gradient;
}

void seq_check_gradient(const f2l_seq_config *config, size_t number, uint64_t seed)
{
    seq_case s = seq_case_of(config, seed);
    seq_batch b;
    f2l_seq_score score;
    seq_batch_fill(&b, &s.model, 3, 7, seed);
    f2l_seq_work_f64 *work = work_of(&s.model, 3, 7, true);
    double *gradient = seq_gradient_of(&score, &s, &b.batch, 0.5, work), worst = 0;
    cr_assert(fabs(score.loss - seq_loss(&s.model, s.parameter, &b.batch, work)) < 1e-10);
    for (size_t t = 0; t < s.model.tensors; t++) {
        const f2l_seq_tensor *tensor = &s.model.tensor[t];
        double largest = 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++) {
            const double keep = s.parameter[i], h = 5e-5, step[] = {-2, -1, 1, 2},
                         factor[] = {1, -8, 8, -1};
            double difference = 0;
            for (size_t d = 0; d < 4; d++) {
                s.parameter[i] = keep + step[d] * h;
                difference += factor[d] * seq_loss(&s.model, s.parameter, &b.batch, work);
            }
            s.parameter[i] = keep;
            difference *= 0.5 / (12 * h);
            const double error = fabs(difference - gradient[i]) / (1 + fabs(difference));
            cr_assert(error < 2e-8, "configuration %zu, %s[%zu]: %.12g, but differences give %.12g",
                      number, tensor->name, i - tensor->offset, gradient[i], difference);
            if (fabs(gradient[i]) > largest) largest = fabs(gradient[i]);
            if (error > worst) worst = error;
        }
        cr_assert(largest > 0, "configuration %zu: %s has no gradient", number, tensor->name);
    }
    cr_log_info("configuration %zu: %zu parameters, largest relative error %g", number,
                s.model.parameters, worst);
    f2l_free(gradient);
    f2l_seq_work_free_f64(work);
    seq_case_free(&s);
}

void seq_check_pieces(const seq_case *s, size_t letters)
{
    enum { SEQUENCES = 2, PIECES = 3 };
    const size_t labels = s->model.config.labels, length = PIECES * letters;
    seq_batch b;
    f2l_error err = {0};
    seq_batch_fill(&b, &s->model, SEQUENCES, length, 1);
    f2l_seq_work_f64 *work = work_of(&s->model, SEQUENCES, length, false);
    double *whole = f2l_calloc(SEQUENCES * length, labels * sizeof *whole),
           *part = f2l_calloc(SEQUENCES * letters, labels * sizeof *part),
           *state = f2l_calloc(SEQUENCES * f2l_seq_state_count(&s->model) + 1, sizeof *state);
    uint32_t *piece = f2l_calloc(SEQUENCES * letters, sizeof *piece);
    cr_assert(whole && part && state && piece);
    cr_assert(f2l_seq_logits_f64(whole, NULL, &b.batch, s->parameter, work, &err) == F2L_OK, "%s",
              err.text);
    f2l_seq_state_start_f64(state, SEQUENCES, s->parameter, &s->model);
    for (size_t p = 0; p < PIECES; p++) {
        const f2l_seq_batch next = {.sequences = SEQUENCES, .length = letters, .letter = piece};
        for (size_t i = 0; i < SEQUENCES * letters; i++)
            piece[i] = b.letter[i / letters * length + p * letters + i % letters];
        cr_assert(f2l_seq_logits_f64(part, state, &next, s->parameter, work, &err) == F2L_OK, "%s",
                  err.text);
        for (size_t i = 0; i < SEQUENCES * letters * labels; i++) {
            const size_t row = i / labels;
            const double want =
                whole[(row / letters * length + p * letters + row % letters) * labels + i % labels];
            cr_assert(fabs(part[i] - want) < 1e-12 * (1 + fabs(want)));
        }
    }
    f2l_free(whole);
    f2l_free(part);
    f2l_free(state);
    f2l_free(piece);
    f2l_seq_work_free_f64(work);
}
