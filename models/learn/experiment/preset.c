#include "automata/family/family.h"
#include "models/learn/experiment/impl.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <math.h>
#include <string.h>

/* Steps from which on a run is evaluated before its end, too. */
#define LOOKS_FROM 100
/* Keys of recall, and values. */
#define RECALL_KEYS 128
/* The papers' figures of accuracy by length end here. */
#define FIGURE_TO 512

const char *f2l_preset_setting_name(size_t setting)
{
    static const char *const name[] = {"paper", "released", "best"};
    return setting < F2L_PRESET_SETTINGS ? name[setting] : NULL;
}

const f2l_preset *f2l_preset_find(const char *name)
{
    const f2l_preset *p = f2l_presets;
    while (p->name != NULL && strcmp(p->name, name) != 0) p++;
    return p->name != NULL ? p : NULL;
}

bool f2l_preset_is_scaled(const f2l_preset *preset)
{
    return f2l_preset_has_mean(preset) || preset->kind == F2L_DATA_RECALL;
}

bool f2l_preset_has_mean(const f2l_preset *preset)
{
    return preset->when == F2L_DATA_LAST && preset->kind != F2L_DATA_WORDS;
}

const f2l_preset_model *f2l_preset_model_find(const f2l_preset *preset, const char *name)
{
    for (size_t i = 0; i < F2L_PRESET_MODELS && preset->model[i].name != NULL; i++)
        if (strcmp(preset->model[i].name, name) == 0) return &preset->model[i];
    return NULL;
}

const f2l_preset_model *f2l_preset_model_at(const f2l_preset *preset, f2l_preset_setting setting,
                                            size_t index)
{
    for (size_t i = 0; i < F2L_PRESET_MODELS && preset->model[i].name != NULL; i++)
        if ((preset->model[i].settings >> setting & 1U) && index-- == 0) return &preset->model[i];
    return NULL;
}

f2l_status f2l_preset_check(const f2l_preset *preset, f2l_preset_setting setting, f2l_error *err)
{
    f2l_buf list;
    if ((unsigned)setting >= F2L_PRESET_SETTINGS)
        return f2l_fail(err, F2L_EDOMAIN, "no such setting");
    if (f2l_preset_recipe_find(preset, setting) != NULL) return F2L_OK;
    f2l_buf_init(&list);
    for (size_t s = 0; s < F2L_PRESET_SETTINGS; s++)
        if (f2l_preset_recipe_find(preset, (f2l_preset_setting)s) != NULL)
            f2l_buf_printf(&list, "%s%s", list.size ? ", " : "", f2l_preset_setting_name(s));
    f2l_status status = f2l_buf_status(&list, err);
    if (status == F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "%s has no setting \"%s\" of its own that is known; it has %s",
                          preset->name, f2l_preset_setting_name(setting), list.data);
    f2l_buf_clear(&list);
    return status;
}

const char *f2l_preset_remark(const f2l_preset *preset, f2l_preset_setting setting)
{
    const f2l_preset_recipe *recipe = f2l_preset_recipe_find(preset, setting);
    return recipe != NULL ? recipe->remark : "";
}

void f2l_preset_run_init(f2l_preset_run *run)
{
    *run = (f2l_preset_run){.weight = NULL};
    f2l_fsa_init(&run->fsa);
}

void f2l_preset_run_clear(f2l_preset_run *run)
{
    f2l_fsa_clear(&run->fsa);
    f2l_free(run->weight);
    f2l_free(run->length);
    f2l_preset_run_init(run);
}

/* Builds the automaton and its letters' weights. */
static f2l_status build_automaton(f2l_preset_run *run, const f2l_preset *preset, f2l_error *err)
{
    f2l_status status = f2l_family_build(&run->fsa, preset->family, &preset->number,
                                         preset->number ? 1 : 0, false, err);
    if (status != F2L_OK || preset->longest_cycle == 0) return status;
    run->weight = f2l_calloc(run->fsa.letters.count, sizeof *run->weight);
    if (run->weight == NULL) return f2l_fail_memory(err);
    return f2l_data_cycle_weights(run->weight, &run->fsa, preset->longest_cycle, true, err);
}

bool f2l_preset_shows(const f2l_preset *preset, f2l_preset_setting setting, size_t length)
{
    const f2l_preset_recipe *recipe = f2l_preset_recipe_find(preset, setting);
    const size_t stride = preset->tokens ? preset->tokens : 1;
    if (recipe == NULL) return true;
    for (const size_t *wanted = recipe->looks->length; *wanted != 0; wanted++)
        if (*wanted / stride * stride == length) return true;
    return false;
}

static void add_length(f2l_preset_run *run, size_t length)
{
    size_t *lengths = &run->experiment.train.lengths;
    if (length > (*lengths ? run->length[*lengths - 1] : 0)) run->length[(*lengths)++] = length;
}

/* Sets the possible lengths nearest to the wanted ones from below, which are lengths of test words;
 * before them all lengths up to `every`. */
static f2l_status set_looks(f2l_preset_run *run, const f2l_preset_recipe *recipe, size_t every,
                            const f2l_data *data, f2l_error *err)
{
    const f2l_preset_looks *looks = recipe->looks;
    const uint64_t evaluations = recipe->evaluations ? recipe->evaluations : 4;
    f2l_train_options *train = &run->experiment.train;
    const size_t words = f2l_data_words_count(data);
    run->length =
        f2l_calloc(every + sizeof looks->length / sizeof *looks->length + 1, sizeof *run->length);
    if (run->length == NULL) return f2l_fail_memory(err);
    train->lengths = 0;
    for (size_t length = 1; length <= every; length++) add_length(run, f2l_data_fit(data, length));
    for (const size_t *wanted = looks->length; *wanted != 0; wanted++)
        add_length(run, f2l_data_fit(data, *wanted));
    if (words > 0) add_length(run, f2l_data_fit(data, SIZE_MAX));
    train->length = run->length;
    train->sequences = words > 0 ? words : looks->sequences;
    train->evaluate_every = train->steps < LOOKS_FROM ? 0 : train->steps / evaluations;
    train->target = recipe->target;
    return F2L_OK;
}

static void set_model(f2l_seq_config *config, const f2l_preset_recipe *recipe,
                      const f2l_preset_model *model)
{
    config->mixer = model->mixer;
    config->negative = model->negative;
    config->householders = model->householders;
    config->layers = model->layers ? model->layers : recipe->layers;
    if (model->convolution)
        config->convolution = model->mixer->gated ? recipe->gated_convolution : recipe->convolution;
    config->forget_gate = model->forget_gate;
    config->slope = recipe->slope;
    config->initializer_range = recipe->init;
    config->additive = recipe->values || model->values;
    config->learned_start = recipe->start && !model->values;
    if (recipe->heads) config->heads = recipe->heads;
}

/* Sets the sizes of a recipe that has them. A mixer with a gate has no MLP, as in Mamba. */
static void set_sizes(f2l_seq_config *config, const f2l_preset_recipe *recipe,
                      const f2l_preset_model *model)
{
    if (recipe->width == 0) return;
    config->width = recipe->width;
    config->key_dim = config->value_dim = model->head_dim ? model->head_dim : recipe->head_dim;
    config->mlp = model->mixer->gated ? 0 : recipe->mlp;
    config->channels = 2 * recipe->width;
    config->step_rank = recipe->width / 16;
}

/* Sets the training of a published recipe. */
static void set_published(f2l_experiment *e, const f2l_preset_recipe *recipe)
{
    f2l_seq_config *config = &e->model;
    f2l_train_options *train = &e->train;
    config->silu_keys = recipe->silu;
    train->last_rate = recipe->last_rate;
    train->beta2 = recipe->beta2;
    train->weight_decay = recipe->weight_decay;
    train->clip = recipe->clip;
    train->warmup = (uint64_t)(recipe->warmup * (double)train->steps);
    train->decay = recipe->decay;
    train->decay_from = train->warmup;
}

static f2l_status set_experiment(f2l_preset_run *run, const f2l_preset_recipe *recipe,
                                 const f2l_preset_choice *choice, const f2l_data *data,
                                 const f2l_data *test, f2l_error *err)
{
    f2l_experiment *e = &run->experiment;
    set_model(&e->model, recipe, choice->model);
    e->batch = recipe->batch;
    if (recipe->from) e->curriculum.start = recipe->from;
    e->curriculum.limit = recipe->to;
    e->curriculum.shorter_too = recipe->shorter_too;
    set_sizes(&e->model, recipe, choice->model);
    if (recipe->setting != F2L_PRESET_BEST) set_published(e, recipe);
    /* lengths as they are drawn: arithmetic has words of odd lengths only */
    e->curriculum.start = f2l_data_fit(data, e->curriculum.start);
    e->curriculum.limit = f2l_data_fit(data, e->curriculum.limit);
    if (choice->words) {
        e->curriculum.limit = f2l_data_fit(data, SIZE_MAX);
        if (e->curriculum.start == 0) e->curriculum.start = data->least;
        e->curriculum.shorter_too = true;
    }
    e->train.rate = recipe->rate;
    if (choice->rate > 0) e->train.rate = choice->rate;
    if (e->train.last_rate > e->train.rate) e->train.last_rate = e->train.rate;
    e->seed = choice->seed;
    const bool figure = data->options.when == F2L_DATA_EVERY && recipe->setting != F2L_PRESET_BEST;
    f2l_status status = set_looks(run, recipe, figure ? FIGURE_TO : 0, test, err);
    if (status == F2L_OK) status = f2l_seq_config_check(&e->model, err);
    return status == F2L_OK ? f2l_train_options_check(&e->train, err) : status;
}

static f2l_status scaled_steps(uint64_t *steps, uint64_t full, double scale, f2l_error *err)
{
    const double count = round(scale * (double)full);
    if (!(scale > 0) || !(count <= 0x1p53))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the scale must be positive and leave less than 2^53 "
                        "steps, not %g",
                        scale);
    *steps = count < 1 ? 1 : (uint64_t)count;
    return F2L_OK;
}

static f2l_status build_preset_run(f2l_preset_run *run, const f2l_preset *preset,
                                   const f2l_preset_choice *choice, f2l_data *data, f2l_data *test,
                                   f2l_error *err)
{
    const f2l_preset_recipe *recipe = f2l_preset_recipe_find(preset, choice->setting);
    uint64_t steps = 0;
    f2l_status status = scaled_steps(&steps, recipe->steps, choice->scale, err);
    const f2l_data_kind kind = choice->words ? F2L_DATA_WORDS : preset->kind;
    if (status == F2L_OK && kind == F2L_DATA_AUTOMATON) status = build_automaton(run, preset, err);
    if (status != F2L_OK) return status;
    f2l_data_options options = {.kind = kind,
                                .when = preset->when,
                                .words = choice->words,
                                .test = choice->test,
                                .held_out = choice->held_out,
                                .label = preset->label,
                                .weight = run->weight,
                                .tokens = choice->words ? 0 : preset->tokens,
                                .modulus = (size_t)preset->number,
                                .pairs = (size_t)preset->number,
                                .keys = RECALL_KEYS,
                                .times = recipe->times,
                                .equals = recipe->equals && !choice->words,
                                .begin = recipe->begin,
                                .seed = choice->seed,
                                .stream = F2L_DATA_TRAIN};
    const f2l_fsa *fsa = kind == F2L_DATA_AUTOMATON ? &run->fsa : NULL;
    if (choice->words && choice->words->last_only) options.when = F2L_DATA_LAST;
    run->full_steps = recipe->steps;
    status = f2l_data_build(data, &options, fsa, err);
    if (status == F2L_OK)
        status = f2l_experiment_default(&run->experiment, &options, fsa, steps, err);
    options.stream = F2L_DATA_TEST;
    if (status == F2L_OK) status = f2l_data_build(test, &options, fsa, err);
    return status == F2L_OK ? set_experiment(run, recipe, choice, data, test, err) : status;
}

f2l_status f2l_preset_build(f2l_preset_run *run, const f2l_preset *preset,
                            const f2l_preset_choice *choice, f2l_error *err)
{
    f2l_status status = f2l_preset_check(preset, choice->setting, err);
    if (status != F2L_OK) return status;
    if (!(choice->model->settings >> choice->setting & 1U))
        return f2l_fail(err, F2L_EDOMAIN, "the model %s is not part of the setting \"%s\" of %s",
                        choice->model->name, f2l_preset_setting_name(choice->setting),
                        preset->name);
    if (preset->kind == F2L_DATA_WORDS && choice->words == NULL)
        return f2l_fail(err, F2L_EDOMAIN, "%s has no words of its own", preset->name);
    f2l_data data, test;
    f2l_data_init(&data);
    f2l_data_init(&test);
    status = build_preset_run(run, preset, choice, &data, &test, err);
    f2l_data_clear(&data);
    f2l_data_clear(&test);
    if (status != F2L_OK) f2l_preset_run_clear(run);
    return status;
}

f2l_status f2l_preset_recipe_write(f2l_buf *out, const f2l_preset_run *run, f2l_error *err)
{
    f2l_experiment e = run->experiment;
    e.seed = 0;
    return f2l_experiment_write(out, &e, err);
}

f2l_status f2l_preset_recipe_hash(char recipe[65], const f2l_preset_run *run, f2l_error *err)
{
    f2l_buf config;
    f2l_buf_init(&config);
    const f2l_status status = f2l_preset_recipe_write(&config, run, err);
    if (status == F2L_OK) f2l_sha256_hex(config.data, config.size, recipe);
    f2l_buf_clear(&config);
    return status;
}
