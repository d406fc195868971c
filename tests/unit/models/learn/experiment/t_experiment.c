#include "models/learn/seq/mixer.h"
#include "tests/support/train/experiment_cases.h"
#include <jansson.h>

Test(experiment, names_of_backends)
{
    f2l_error err = {0};
    cr_assert_str_eq(f2l_backend_name(F2L_BACKEND_CPU), "cpu");
    cr_assert_str_eq(f2l_backend_name(F2L_BACKEND_CUDA), "cuda");
    cr_assert_str_eq(f2l_backend_name(F2L_BACKEND_CUDA_FLOAT), "cuda-float");
    cr_assert_str_eq(f2l_backend_name(F2L_BACKEND_CUDA_PACKED), "cuda-packed");
    cr_assert_null(f2l_backend_name(F2L_BACKENDS));
    cr_assert_eq(f2l_backend_check(F2L_BACKEND_CPU, &err), F2L_OK);
    const f2l_status status = f2l_backend_check(F2L_BACKEND_CUDA, &err);
    cr_assert(status == F2L_OK || (status == F2L_EDOMAIN && strlen(err.text) > 10));
}

/* The recipe of f2l_experiment_default can be run as it is, for every kind of data. */
Test(experiment, default_recipe)
{
    experiment_case c;
    f2l_error err = {0};
    f2l_experiment e;
    experiment_open(&c, 1);
    const f2l_data_options sample[] = {
        {.kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES},
        {.kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .tokens = 7, .when = F2L_DATA_LAST},
        {.kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .tokens = 100},
        {.kind = F2L_DATA_ARITHMETIC, .modulus = 5, .when = F2L_DATA_LAST},
        {.kind = F2L_DATA_BRACKETS, .modulus = 5, .when = F2L_DATA_LAST, .equals = true}};
    for (size_t i = 0; i < 5; i++) {
        const f2l_fsa *fsa = i < 3 ? &c.fsa : NULL;
        cr_assert(f2l_experiment_default(&e, &sample[i], fsa, 1000, &err) == F2L_OK, "%zu: %s", i,
                  err.text);
        cr_assert(f2l_experiment_check(&e, &err) == F2L_OK, "%zu: %s", i, err.text);
        cr_assert(e.batch == 256 && e.model.slope == 4 && !e.model.additive &&
                  e.model.learned_start);
        cr_assert(e.train.rate == 1e-3 && e.train.decay == F2L_TRAIN_LINEAR &&
                  e.train.decay_from == 500);
        cr_assert_eq(e.curriculum.start, i == 1 ? 7u : i == 2 ? 100u : 4u);
        cr_assert_eq(e.curriculum.limit, i == 2 ? 100u : 64u);
    }
    const f2l_data_options bad = {.kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_OUTPUTS};
    cr_assert_eq(f2l_experiment_default(&e, &bad, &c.fsa, 10, &err), F2L_EDOMAIN);
    experiment_close(&c);
}

/* --- every member once: how it is changed, and on which kind of data --- */

typedef struct change {
    const char *member;
    bool expressions; /* on expressions; else on an automaton */
    void (*apply)(f2l_experiment *e);
} change;

static const size_t other_length[] = {6, 21};
#define CHANGE(name, code) \
    static void name(f2l_experiment *e) \
    { \
        code; \
    }
CHANGE(kind, (e->data.kind = F2L_DATA_BRACKETS, e->data.when = F2L_DATA_LAST))
CHANGE(when, e->data.when = F2L_DATA_LAST)
CHANGE(weights, e->data.weight = other_weight)
CHANGE(tokens, e->data.tokens = 2)
CHANGE(live, e->data.live = 0.25)
CHANGE(periodic, e->data.periodic = 0.25)
CHANGE(modulus, e->data.modulus++)
CHANGE(times, e->data.times = !e->data.times)
CHANGE(equals, e->data.equals = !e->data.equals)
CHANGE(begin, e->data.begin = !e->data.begin)
CHANGE(layers, e->model.layers++)
CHANGE(width, e->model.width++)
CHANGE(mlp, e->model.mlp = 0)
CHANGE(convolution, e->model.convolution++)
CHANGE(norm_epsilon, e->model.epsilon *= 2)
CHANGE(mixer, e->model.mixer = &f2l_mixer_diagonal)
CHANGE(negative, e->model.negative = !e->model.negative)
CHANGE(initializer_range, e->model.initializer_range = 0.02)
CHANGE(heads, e->model.heads++)
CHANGE(householders, e->model.householders++)
CHANGE(key_dim, e->model.key_dim++)
CHANGE(value_dim, e->model.value_dim++)
CHANGE(slope, e->model.slope = nextafter(e->model.slope, 9))
CHANGE(additive, e->model.additive = !e->model.additive)
CHANGE(learned_start, (e->model.learned_start = false, e->model.additive = true))
CHANGE(forget_gate, e->model.forget_gate = !e->model.forget_gate)
CHANGE(silu_keys, e->model.silu_keys = !e->model.silu_keys)
CHANGE(normalise_keys, e->model.normalise_keys = !e->model.normalise_keys)
CHANGE(clamped_betas, e->model.clamped_betas = !e->model.clamped_betas)
CHANGE(exact_keys, e->model.exact_keys = !e->model.exact_keys)
CHANGE(ternary_keys, e->model.ternary_keys = e->model.exact_keys = true)
CHANGE(key_pull, (e->model.ternary_keys = e->model.exact_keys = true, e->model.key_pull = 0.1))
CHANGE(channels, e->model.channels++)
CHANGE(states, e->model.states++)
CHANGE(step_rank, e->model.step_rank++)
CHANGE(steps, e->train.steps++)
CHANGE(rate, e->train.rate = nextafter(e->train.rate, 9))
CHANGE(beta1, e->train.beta1 = 0.8)
CHANGE(beta2, e->train.beta2 = 0.8)
CHANGE(adam_epsilon, e->train.epsilon *= 2)
CHANGE(weight_decay, e->train.weight_decay = 0)
CHANGE(clip, e->train.clip = 0)
CHANGE(warmup, e->train.warmup++)
CHANGE(decay, e->train.decay = F2L_TRAIN_COSINE)
CHANGE(decay_from, e->train.decay_from--)
CHANGE(last_rate, e->train.last_rate = 1e-7)
CHANGE(log_every, e->train.log_every++)
CHANGE(evaluate_every, e->train.evaluate_every++)
CHANGE(lengths, (e->train.length = other_length))
CHANGE(sequences, e->train.sequences++)
CHANGE(target, e->train.target = 0.99)
CHANGE(divergence, e->train.divergence = 0)
CHANGE(start, e->curriculum.start++)
CHANGE(limit, e->curriculum.limit++)
CHANGE(threshold, e->curriculum.threshold = 0.56)
CHANGE(patience, e->curriculum.patience = 2)
CHANGE(shorter_too, e->curriculum.shorter_too = !e->curriculum.shorter_too)
CHANGE(batch, e->batch++)
CHANGE(positions, e->positions++)
CHANGE(seed, e->seed++)
static const change changes[] = {{"data.kind", true, kind},
                                 {"data.when", false, when},
                                 {"data.weights", false, weights},
                                 {"data.tokens", false, tokens},
                                 {"data.live", false, live},
                                 {"data.periodic", false, periodic},
                                 {"data.modulus", true, modulus},
                                 {"data.times", true, times},
                                 {"data.equals", true, equals},
                                 {"data.begin", false, begin},
                                 {"data.begin", true, begin},
                                 {"model.layers", false, layers},
                                 {"model.width", false, width},
                                 {"model.mlp", false, mlp},
                                 {"model.convolution", false, convolution},
                                 {"model.epsilon", false, norm_epsilon},
                                 {"model.mixer", false, mixer},
                                 {"model.negative", false, negative},
                                 {"model.initializer_range", false, initializer_range},
                                 {"model.heads", false, heads},
                                 {"model.householders", false, householders},
                                 {"model.key_dim", false, key_dim},
                                 {"model.value_dim", false, value_dim},
                                 {"model.slope", false, slope},
                                 {"model.additive", false, additive},
                                 {"model.additive", false, learned_start},
                                 {"model.forget_gate", false, forget_gate},
                                 {"model.silu_keys", false, silu_keys},
                                 {"model.normalise_keys", false, normalise_keys},
                                 {"model.clamped_betas", false, clamped_betas},
                                 {"model.exact_keys", false, exact_keys},
                                 {"model.exact_keys", false, ternary_keys},
                                 {"model.exact_keys", false, key_pull},
                                 {"model.channels", false, channels},
                                 {"model.states", false, states},
                                 {"model.step_rank", false, step_rank},
                                 {"train.steps", false, steps},
                                 {"train.rate", false, rate},
                                 {"train.beta1", false, beta1},
                                 {"train.beta2", false, beta2},
                                 {"train.epsilon", false, adam_epsilon},
                                 {"train.weight_decay", false, weight_decay},
                                 {"train.clip", false, clip},
                                 {"train.warmup", false, warmup},
                                 {"train.decay", false, decay},
                                 {"train.decay_from", false, decay_from},
                                 {"train.last_rate", false, last_rate},
                                 {"train.log_every", false, log_every},
                                 {"train.evaluate_every", false, evaluate_every},
                                 {"train.lengths", false, lengths},
                                 {"train.sequences", false, sequences},
                                 {"train.target", false, target},
                                 {"train.divergence", false, divergence},
                                 {"curriculum.start", false, start},
                                 {"curriculum.limit", false, limit},
                                 {"curriculum.threshold", false, threshold},
                                 {"curriculum.patience", false, patience},
                                 {"curriculum.shorter_too", false, shorter_too},
                                 {"batch", false, batch},
                                 {"positions", false, positions},
                                 {"seed", false, seed}};
#define CHANGES (sizeof changes / sizeof *changes)

Test(experiment, round_trip)
{
    for (size_t i = 0; i < 2 * CHANGES; i++) {
        experiment_case c;
        f2l_buf text, again;
        f2l_error err = {0};
        f2l_experiment_file file;
        const change *what = &changes[i / 2];
        base(&c, what->expressions);
        if (i % 2) what->apply(&c.experiment);
        experiment_text(&text, &c.experiment);
        cr_assert(parse(&file, &text, what->expressions ? NULL : &c.fsa, &err) == F2L_OK, "%s: %s",
                  what->member, err.text);
        experiment_text(&again, &file.experiment);
        cr_assert(experiment_same(&text, &again) && experiment_same(&text, &file.config), "%s",
                  what->member);
        f2l_buf_clear(&text);
        f2l_buf_clear(&again);
        f2l_experiment_file_clear(&file);
        f2l_experiment_file_clear(&file);
        experiment_close(&c);
    }
}

/* Equal experiments have the same text. */
Test(experiment, one_spelling)
{
    experiment_case c;
    f2l_buf text, again;
    experiment_open(&c, 4);
    c.experiment.positions = 1024;
    experiment_text(&text, &c.experiment);
    f2l_experiment other = c.experiment;
    other.positions = 0;
    other.data.tokens = 1;
    other.data.seed = 77;
    other.data.stream = 9;
    other.model.letters = other.model.labels = 3;
    other.curriculum.patience = 0;
    other.curriculum.length = 99;
    other.train.checkpoint_seconds = 7;
    experiment_text(&again, &other);
    cr_assert(experiment_same(&text, &again), "%s\n%s", text.data, again.data);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
    experiment_close(&c);
}

static bool was_changed(const char *prefix, const char *key)
{
    char name[100];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    /* `schema` has one value; letters and labels follow from the data; the tests below change the
     * automaton and the members that depend on it */
    static const char *const other[] = {
        "schema",     "model.letters", "model.labels",       "data.automaton",
        "data.label", "data.states",   "model.learned_start"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(name, other[i]) == 0) return true;
    for (size_t i = 0; i < CHANGES; i++)
        if (strcmp(name, changes[i].member) == 0) return true;
    return false;
}

/* The table above has every member that is written. */
Test(experiment, every_member_is_tested)
{
    for (int expressions = 0; expressions < 2; expressions++) {
        experiment_case c;
        f2l_buf text;
        const char *key, *inner;
        char prefix[40];
        json_t *value, *member;
        base(&c, expressions != 0);
        experiment_text(&text, &c.experiment);
        json_t *object = json_loadb(text.data, text.size, 0, NULL);
        cr_assert_not_null(object);
        json_object_foreach(object, key, value)
        {
            if (!json_is_object(value)) cr_assert(was_changed("", key), "%s", key);
            snprintf(prefix, sizeof prefix, "%s.", key);
            json_object_foreach(value, inner, member)
                cr_assert(was_changed(prefix, inner), "%s%s", prefix, inner);
        }
        json_decref(object);
        f2l_buf_clear(&text);
        experiment_close(&c);
    }
}

/* The folder of one experiment is not resumed as another one, whatever the difference. */
Test(experiment, resume_names_the_member_that_differs, .timeout = 300)
{
    for (int expressions = 0; expressions < 2; expressions++) {
        experiment_case c;
        train_place p;
        f2l_error err = {0};
        base(&c, expressions != 0);
        train_place_open(&p);
        cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) ==
                      F2L_OK,
                  "%s", err.text);
        for (size_t i = 0; i < CHANGES; i++) {
            const change *what = &changes[i];
            if (what->expressions != (expressions != 0)) continue;
            f2l_experiment other = c.experiment;
            what->apply(&other);
            cr_assert_eq(experiment_run(&p, &other, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err),
                         F2L_EDOMAIN, "%s: %s", what->member, err.text);
            char wanted[100];
            snprintf(wanted, sizeof wanted, "another experiment: %s is ", what->member);
            cr_assert(strstr(err.text, wanted), "%s: %s", what->member, err.text);
        }
        cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err) ==
                  F2L_OK);
        train_place_close(&p);
        experiment_close(&c);
    }
}

/* Another automaton with the same numbers of letters and states, and another label, are refused by
 * name. */
Test(experiment, resume_names_another_automaton)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    experiment_open(&c, 2);
    train_place_open(&p);
    cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK,
              "%s", err.text);
    f2l_fsa other;
    f2l_buf text;
    f2l_fsa_init(&other);
    f2l_buf_init(&text);
    const uint64_t six = 6;
    cr_assert(f2l_family_build(&other, "cyclic", &six, 1, false, &err) == F2L_OK, "%s", err.text);
    f2l_experiment e = c.experiment;
    e.fsa = &other;
    cr_assert_eq(experiment_run(&p, &e, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "data.automaton is"), "%s", err.text);
    /* the name in the folder itself */
    char path[120];
    f2l_experiment_file file;
    snprintf(path, sizeof path, "%s/automaton.fsa", p.run);
    cr_assert(f2l_fsa_write(&text, &other, NULL) == F2L_OK);
    cr_assert(f2l_write_file(path, text.data, text.size, NULL) == F2L_OK);
    f2l_experiment_file_init(&file);
    cr_assert_eq(f2l_experiment_file_read(&file, p.run, &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, "automaton"), "%s", err.text);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(f2l_experiment_file_read(&file, p.run, &err), F2L_EIO);
    cr_assert(strstr(err.text, "automaton.fsa"), "%s", err.text);
    cr_assert_eq(f2l_experiment_file_read(&file, "/nowhere", &err), F2L_EIO);
    f2l_fsa_clear(&other);
    f2l_buf_clear(&text);
    train_place_close(&p);
    experiment_close(&c);
}
