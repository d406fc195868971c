#include "tests/support/train/seq_support.h"

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
                  {true, true, false, true, false, false, true, 4, 1, 0, 1}};
    if (number >= sizeof sample / sizeof *sample) return false;
    *c = small_config();
    c->mixer = sample[number].diagonal ? F2L_SEQ_DIAGONAL : F2L_SEQ_DELTA;
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
