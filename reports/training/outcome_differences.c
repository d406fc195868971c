/* What differs between the configuration of an outcome and the published one, as the presets have
 * it.
 */
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <stdio.h>
#include <stdlib.h>

/* Members that do not change what is learned, or that a mixer does not have. */
static const char *const ignored[] = {"schema",        "positions",           "seed",
                                      "train.lengths", "train.sequences",     "train.log_every",
                                      "data.states",   "train.evaluate_every"};
static const char *const of_diagonal[] = {"model.channels", "model.states", "model.step_rank"};
static const char *const of_delta[] = {
    "model.heads",       "model.householders",  "model.key_dim",   "model.value_dim",
    "model.slope",       "model.additive",      "model.silu_keys", "model.learned_start",
    "model.forget_gate", "model.normalise_keys"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_among(const char *path, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(path, list[i]) == 0) return true;
    return false;
}

typedef struct comparison {
    f2l_fact list;
    bool whole; /* `here` has all members, so that a missing one is a difference */
    bool diagonal;
} comparison;

/* Puts a value as text; a member that is missing has none. */
static void say_value(f2l_fact in, const char *name, const json_t *value)
{
    char *text =
        value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    f2l_say_text(in, name, text);
    free(text);
}

static void compare_value(const comparison *c, const char *path, const json_t *here,
                          const json_t *there)
{
    if (is_among(path, ignored, COUNT(ignored)) ||
        (c->diagonal ? is_among(path, of_delta, COUNT(of_delta))
                     : is_among(path, of_diagonal, COUNT(of_diagonal))) ||
        (here == NULL && !c->whole) ||
        (json_is_number(here) && json_is_number(there)
             ? json_number_value(here) == json_number_value(there)
             : json_equal(here, there)))
        return;
    f2l_fact one = f2l_say_object(c->list, NULL);
    f2l_say_text(one, "member", path);
    say_value(one, "here", here);
    say_value(one, "published_value", there);
}

/* Compares the members of the published object, then the ones that only `here` has. */
static void compare_objects(const comparison *c, json_t *here, json_t *there, const char *before)
{
    const char *name;
    json_t *value;
    char path[128];
    json_object_foreach(there, name, value)
    {
        json_t *mine = json_object_get(here, name);
        snprintf(path, sizeof path, "%s%s", before, name);
        if (json_is_object(value) && before[0] == '\0') {
            snprintf(path, sizeof path, "%s.", name);
            compare_objects(c, mine, value, path);
        } else {
            compare_value(c, path, mine, value);
        }
    }
    json_object_foreach(here, name, value)
    {
        if (json_object_get(there, name) != NULL) continue;
        snprintf(path, sizeof path, "%s%s", before, name);
        compare_value(c, path, value, NULL);
    }
}

/* Returns the members of config.json that a row without one has in other places; its text `trained`
 * was made from the configuration (f2l_train_experiment_text). */
static json_t *known_members(const f2l_outcome *w)
{
    unsigned from = 0, to = 0;
    const char *words = strstr(w->trained, "; words of ");
    json_t *model = json_object(), *lengths = json_object();
    if (words != NULL) {
        const int found = sscanf(words, "; words of %u to %u letters", &from, &to);
        if (found == 1) to = from;
        if (found > 0) json_object_set_new(lengths, "start", json_integer(from));
        if (found > 0) json_object_set_new(lengths, "limit", json_integer(to));
        json_object_set_new(model, "additive", json_boolean(!strstr(w->trained, "B = 0")));
        json_object_set_new(model, "learned_start",
                            json_boolean(strstr(w->trained, "learned H_0") != NULL));
    }
    return json_pack("{s:o, s:o, s:{s:I, s:f}, s:I}", "model", model, "curriculum", lengths,
                     "train", "steps", (json_int_t)w->steps, "rate", w->rate, "batch",
                     (json_int_t)w->batch);
}

/* Returns the published configuration: of the setting of the row, or of the paper for the recipe of
 * this project; of the first model where the paper does not have the row's. NULL after a failure.
 */
static json_t *published(const f2l_outcome *w, f2l_preset_setting setting, f2l_error *err)
{
    f2l_preset_choice choice = {.setting = setting, .model = w->model, .scale = 1};
    f2l_preset_run run;
    f2l_buf text;
    json_t *config = NULL;
    if (!(w->model->settings >> setting & 1U))
        choice.model = f2l_preset_model_at(w->preset, setting, 0);
    f2l_preset_run_init(&run);
    f2l_buf_init(&text);
    f2l_status status = f2l_preset_build(&run, w->preset, &choice, err);
    if (status == F2L_OK) status = f2l_experiment_write(&text, &run.experiment, err);
    if (status == F2L_OK) config = json_loadb(text.data, text.size, 0, NULL);
    if (status == F2L_OK && config == NULL) (void)f2l_fail_memory(err);
    f2l_buf_clear(&text);
    f2l_preset_run_clear(&run);
    return config;
}

void f2l_outcome_say_differences(f2l_fact in, const f2l_outcome *w)
{
    f2l_error err = {0};
    const f2l_preset_setting setting =
        w->setting == F2L_PRESET_BEST ? F2L_PRESET_PAPER : w->setting;
    if (f2l_preset_check(w->preset, setting, NULL) != F2L_OK) {
        f2l_say_null(in, "compared_setting");
        f2l_say_truth(in, "config_known", w->config != NULL);
        (void)f2l_say_list(in, "differences");
        return;
    }
    json_t *here = w->config ? json_incref(w->config) : known_members(w),
           *there = published(w, setting, &err);
    f2l_say_text(in, "compared_setting", f2l_preset_setting_name((size_t)setting));
    f2l_say_truth(in, "config_known", w->config != NULL);
    const comparison c = {.list = f2l_say_list(in, "differences"),
                          .whole = w->config != NULL,
                          .diagonal = w->model->mixer->gated};
    if (there == NULL)
        f2l_facts_fail(in, &err);
    else if (here == NULL)
        f2l_facts_fail(in, (f2l_fail_memory(&err), &err));
    else
        compare_objects(&c, here, there, "");
    json_decref(here);
    json_decref(there);
}
