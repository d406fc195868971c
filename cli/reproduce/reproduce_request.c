#include "cli/reproduce/reproduce_request.h"
#include "numeric/json/members.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "reproduce-request"
#define BELOW_ONE 0x1.fffffffffffffp-1 /* the greatest double below 1 */

/* Appends the member `data`. */
static f2l_status put_request_data(f2l_buf *out, const f2l_reproduce_request *r, f2l_error *err)
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
    const f2l_status status = r->words[0] ? put_request_data(out, r, err) : F2L_OK;
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "}\n");
    return f2l_buf_status(out, err);
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

typedef struct request_members {
    f2l_reproduce_request r;
    uint64_t schema;
    unsigned kind;
    char preset[64];
    json_t *models, *rate;
} request_members;

static const char *name_kind(size_t i)
{
    return i == 0 ? KIND : NULL;
}

#define WORDS(member, ...) F2L_MEMBER(f2l_reproduce_request, member, __VA_ARGS__)
#define ROW(member, ...) F2L_MEMBER(request_members, member, __VA_ARGS__)
#define REQUEST(member, ...) F2L_MEMBER_AS(#member, request_members, r.member, __VA_ARGS__)
#define ONE_OF(text, member, names) F2L_MEMBER_ONE_OF(text, request_members, member, names, F2L_ANY)
static const f2l_member words_rows[] = {
    WORDS(words, .least = 1), F2L_MEMBER_AS("sha256", f2l_reproduce_request, words_sha256, F2L_ANY),
    WORDS(test, .how = F2L_NULL), WORDS(test_sha256, .how = F2L_NULL),
    WORDS(held_out, F2L_IN(0, BELOW_ONE))};
static const f2l_members words_members = F2L_MEMBERS(words_rows);
static const f2l_member rows[] = {
    ROW(schema, F2L_IN(1, 1)),
    ONE_OF("kind", kind, name_kind),
    ROW(preset, F2L_ANY),
    ONE_OF("setting", r.setting, f2l_preset_setting_name),
    ROW(models, F2L_ANY),
    REQUEST(scale, F2L_POSITIVE),
    ROW(rate, F2L_ANY),
    REQUEST(seed, F2L_ANY),
    REQUEST(seeds, F2L_IN(1, UINT32_MAX)),
    ONE_OF("backend", r.backend, f2l_backend_name),
    F2L_MEMBER_PART("data", offsetof(request_members, r), &words_members, .how = F2L_MAY_MISS)};
static const f2l_members members = F2L_MEMBERS(rows);

/* Finds what the members name; returns the member that names nothing here, or NULL. */
static const char *find_named(f2l_reproduce_request *r, const request_members *m)
{
    r->preset = f2l_preset_find(m->preset);
    if (r->preset == NULL) return "preset";
    if (!set_models(r, m->models)) return "models";
    if (!set_rates(r, m->rate)) return "rate";
    return (r->test[0] == '\0') == (r->test_sha256[0] == '\0') ? NULL : "data.test_sha256";
}

f2l_status f2l_reproduce_request_parse(f2l_reproduce_request *request, const char *text,
                                       size_t size, f2l_error *err)
{
    static const char what[] = "this is no request for a preset that this program knows";
    request_members m = {.schema = 0};
    const char *wrong = NULL;
    f2l_status status;
    json_t *root = f2l_json_load(&status, text, size, "this", err);
    if (root != NULL) status = f2l_members_read(&m, &members, root, what, err);
    *request = m.r;
    if (status == F2L_OK) wrong = find_named(request, &m);
    if (wrong != NULL)
        status = f2l_fail(err, F2L_EFORMAT, "%s: see the member \"%s\"", what, wrong);
    json_decref(root);
    return status;
}
