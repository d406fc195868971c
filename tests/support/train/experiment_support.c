#include "tests/support/train/experiment_support.h"
#include "models/learn/seq/mixer.h"

bool experiment_short(void)
{
    return getenv("F2L_TEST_SHORT") != NULL;
}

void experiment_shrink(f2l_experiment *e)
{
    f2l_seq_config *m = &e->model;
    m->width = 12;
    m->mlp = 10;
    m->heads = 2;
    m->key_dim = 4;
    m->value_dim = 6;
    m->channels = 10;
    m->states = 3;
    m->step_rank = 2;
    e->curriculum.start = 3;
    e->curriculum.limit = 12;
    e->curriculum.threshold = 0.55;
    e->curriculum.shorter_too = true;
    e->batch = 6;
    e->positions = 30;
    e->train.rate = 1e-2;
    e->train.log_every = 3;
    e->train.length = experiment_length;
    e->train.lengths = 2;
    e->train.sequences = 20;
    e->train.checkpoint_seconds = 1000;
}

void experiment_open(experiment_case *c, uint64_t steps)
{
    f2l_error err = {0};
    const uint64_t three = 3;
    const f2l_data_options data = {.kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES};
    f2l_fsa_init(&c->fsa);
    cr_assert(f2l_family_build(&c->fsa, "symmetric", &three, 1, false, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(f2l_experiment_default(&c->experiment, &data, &c->fsa, steps, &err) == F2L_OK, "%s",
              err.text);
    experiment_shrink(&c->experiment);
    c->experiment.train.evaluate_every = 5;
}

void experiment_close(experiment_case *c)
{
    f2l_fsa_clear(&c->fsa);
}

bool experiment_model(f2l_experiment *e, size_t number)
{
    f2l_seq_config *m = &e->model;
    switch (number) {
    case 0: /* DeltaProduct, as the constructions need it */
        m->householders = 2;
        return true;
    case 1: /* DeltaNet with its usual options */
        m->additive = m->silu_keys = true;
        m->learned_start = false;
        m->convolution = 4;
        return true;
    case 2: /* two layers with a forget gate, eigenvalues in [0, 1] */
        m->layers = 2;
        m->householders = 3;
        m->forget_gate = m->additive = true;
        m->negative = false;
        return true;
    case 3:
        m->mixer = &f2l_mixer_diagonal;
        m->convolution = 3;
        return true;
    case 4:
        m->mixer = &f2l_mixer_diagonal;
        m->negative = false;
        m->mlp = 0;
        return true;
    default:
        return false;
    }
}

void experiment_text(f2l_buf *out, const f2l_experiment *e)
{
    f2l_error err = {0};
    f2l_buf_init(out);
    cr_assert(f2l_experiment_write(out, e, &err) == F2L_OK, "%s", err.text);
}

f2l_status experiment_run(const train_place *p, const f2l_experiment *e, f2l_experiment_begin begin,
                          const f2l_train_watch *watch, const f2l_task *task, uint64_t *step,
                          f2l_error *err)
{
    f2l_train_result result;
    f2l_train_result_init(&result);
    const f2l_status status =
        f2l_experiment_run(&result, e, F2L_BACKEND_CPU, p->run, begin, NULL, watch, task, err);
    if (step) *step = result.step;
    f2l_train_result_clear(&result);
    return status;
}

void experiment_outcome_read(experiment_outcome *o, const train_place *p)
{
    train_read(&o->weights, p, "weights.safetensors");
    train_read(&o->config, p, "config.json");
    train_read(&o->automaton, p, "automaton.fsa");
    train_log(&o->log, p);
}

void experiment_outcome_clear(experiment_outcome *o)
{
    f2l_buf_clear(&o->weights);
    f2l_buf_clear(&o->log);
    f2l_buf_clear(&o->config);
    f2l_buf_clear(&o->automaton);
}

bool experiment_same(const f2l_buf *a, const f2l_buf *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void experiment_outcome_equal(const experiment_outcome *a, const experiment_outcome *b)
{
    cr_assert(experiment_same(&a->weights, &b->weights), "the weights differ");
    cr_assert(experiment_same(&a->log, &b->log),
              "the logs differ:\n"
              "%s\n"
              "%s",
              a->log.data, b->log.data);
    cr_assert(experiment_same(&a->config, &b->config) &&
              experiment_same(&a->automaton, &b->automaton));
}
