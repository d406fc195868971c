#include "cli/train/reproduce_request.h"
#include "numeric/json/json.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "reproduce-request"

/* Appends the member `data`. */
static f2l_status put_words(f2l_buf *out, const f2l_reproduce_request *r, f2l_error *err)
{
    const bool tested = r->test[0] != '\0';
    json_t *data = json_pack("{s:s, s:s, s:s?, s:s?, s:f}", "words", r->words, "sha256",
                             r->words_sha256, "test", tested ? r->test : NULL, "test_sha256",
                             tested ? r->test_sha256 : NULL, "held_out", r->held_out);
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
    json_decref(data);
    if (text == NULL) return f2l_fail_memory(err);
    f2l_buf_printf(out, ",\"data\":%s", text);
    free(text);
    return F2L_OK;
}

f2l_status f2l_reproduce_request_write(f2l_buf *out, const f2l_reproduce_request *r, f2l_error *err)
{
    f2l_buf_printf(out,
                   "{\"schema\":1,\"kind\":\"" KIND "\",\"preset\":\"%s\",\"setting\":\"%s\","
                   "\"models\":[",
                   r->preset->name, f2l_preset_setting_name(r->setting));
    for (size_t i = 0; i < r->models; i++)
        f2l_buf_printf(out, "%s\"%s\"", i ? "," : "", r->model[i]->name);
    f2l_buf_text(out, "],\"scale\":");
    f2l_json_number(out, r->scale);
    f2l_buf_text(out, r->rates > 1 ? ",\"rate\":[" : ",\"rate\":");
    for (size_t i = 0; i < r->rates; i++) {
        if (i) f2l_buf_text(out, ",");
        f2l_json_number(out, r->rate[i]);
    }
    if (r->rates > 1) f2l_buf_text(out, "]");
    f2l_buf_printf(out, ",\"seed\":%u,\"seeds\":%zu,\"backend\":\"%s\"", (unsigned)r->seed,
                   r->seeds, f2l_backend_name(r->backend));
    const f2l_status status = r->words[0] ? put_words(out, r, err) : F2L_OK;
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "}\n");
    return f2l_buf_status(out, err);
}

/* Returns the index of the name in a list of names that ends with NULL, or the index of that end
 * when the name is not there. */
static size_t find(const char *(*names)(size_t), const char *name)
{
    size_t i = 0;
    while (names(i) != NULL && strcmp(names(i), name) != 0) i++;
    return i;
}

static bool set_models(f2l_reproduce_request *r, const json_t *list)
{
    r->models = json_array_size(list);
    if (r->models == 0 || r->models > F2L_PRESET_MODELS) return false;
    for (size_t i = 0; i < r->models; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        r->model[i] = name != NULL ? f2l_preset_model_find(r->preset, name) : NULL;
        if (r->model[i] == NULL) return false;
    }
    return true;
}

bool f2l_reproduce_request_takes(const f2l_reproduce_request *r, double rate)
{
    char name[32], other[32];
    if (r->rates == F2L_REPRODUCE_RATES) return false;
    snprintf(name, sizeof name, "%g", rate);
    for (size_t i = 0; i < r->rates; i++) {
        snprintf(other, sizeof other, "%g", r->rate[i]);
        if (strcmp(name, other) == 0) return false;
    }
    return true;
}

/* Sets the rates from a number, which may be 0, or several numbers that are not. */
static bool set_rates(f2l_reproduce_request *r, const json_t *value)
{
    const bool list = json_is_array(value);
    const size_t rates = list ? json_array_size(value) : 1;
    if (list && rates < 2) return false;
    for (size_t i = 0; i < rates; i++) {
        const json_t *one = list ? json_array_get(value, i) : value;
        const double rate = json_number_value(one);
        if (!json_is_number(one) || !(list ? rate > 0 : rate >= 0) ||
            !f2l_reproduce_request_takes(r, rate))
            return false;
        r->rate[r->rates++] = rate;
    }
    return true;
}

/* Copies a text into room for it; NULL is "". */
static bool copy(char *out, size_t room, const char *text)
{
    const int size = snprintf(out, room, "%s", text ? text : "");
    return size >= 0 && (size_t)size < room;
}

/* Returns whether the value is a text or null. */
static bool is_text_or_null(const json_t *value)
{
    return json_is_string(value) || json_is_null(value);
}

static bool set_words(f2l_reproduce_request *r, json_t *data)
{
    const char *words, *sha256;
    json_t *test, *test_sha256;
    if (data == NULL) return true;
    if (json_unpack(data, "{s:s, s:s, s:o, s:o, s:F !}", "words", &words, "sha256", &sha256, "test",
                    &test, "test_sha256", &test_sha256, "held_out", &r->held_out) != 0)
        return false;
    return is_text_or_null(test) && is_text_or_null(test_sha256) &&
           json_is_null(test) == json_is_null(test_sha256) && words[0] != '\0' &&
           r->held_out >= 0 && r->held_out < 1 && copy(r->words, sizeof r->words, words) &&
           copy(r->words_sha256, sizeof r->words_sha256, sha256) &&
           copy(r->test, sizeof r->test, json_string_value(test)) &&
           copy(r->test_sha256, sizeof r->test_sha256, json_string_value(test_sha256));
}

static bool read_members(f2l_reproduce_request *r, json_t *root)
{
    const char *kind, *preset, *setting, *backend;
    json_t *models, *rate, *data = NULL;
    json_int_t schema, seed, seeds;
    if (json_unpack(root, "{s:I, s:s, s:s, s:s, s:o, s:F, s:o, s:I, s:I, s:s, s?:o !}", "schema",
                    &schema, "kind", &kind, "preset", &preset, "setting", &setting, "models",
                    &models, "scale", &r->scale, "rate", &rate, "seed", &seed, "seeds", &seeds,
                    "backend", &backend, "data", &data) != 0)
        return false;
    if (schema != 1 || strcmp(kind, KIND) != 0 || seed < 0 || seed > UINT32_MAX || seeds < 1 ||
        seeds > UINT32_MAX || !(r->scale > 0))
        return false;
    r->seed = (uint32_t)seed;
    r->seeds = (size_t)seeds;
    r->preset = f2l_preset_find(preset);
    r->setting = (f2l_preset_setting)find(f2l_preset_setting_name, setting);
    r->backend = (f2l_backend)find(f2l_backend_name, backend);
    return r->preset != NULL && (size_t)r->setting < F2L_PRESET_SETTINGS &&
           (size_t)r->backend < F2L_BACKENDS && set_models(r, models) && set_rates(r, rate) &&
           set_words(r, data);
}

f2l_status f2l_reproduce_request_parse(f2l_reproduce_request *request, const char *text,
                                       size_t size, f2l_error *err)
{
    json_error_t why;
    memset(request, 0, sizeof *request);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (root == NULL)
        return f2l_fail_at(err, why.line > 0 ? (size_t)why.line : 1,
                           why.column > 0 ? (size_t)why.column : 1, "this is no JSON: %s",
                           why.text);
    const bool good = read_members(request, root);
    json_decref(root);
    return good ? F2L_OK
                : f2l_fail(err, F2L_EFORMAT,
                           "this is no request for a preset that this program knows");
}
