#include "models/seq/mixer.h"
#include "numeric/base/text.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

f2l_seq_config f2l_seq_config_default(size_t letters, size_t labels)
{
    const size_t width = 128;
    return (f2l_seq_config){.letters = letters,
                            .labels = labels,
                            .layers = 1,
                            .width = width,
                            .mlp = 4 * width,
                            .convolution = 0,
                            .epsilon = 1e-6,
                            .mixer = f2l_mixers[0],
                            .negative = true,
                            .heads = 4,
                            .householders = 1,
                            .key_dim = 32,
                            .value_dim = 32,
                            .slope = 1,
                            .additive = false,
                            .learned_start = true,
                            .forget_gate = false,
                            .silu_keys = false,
                            .normalise_keys = true,
                            .channels = 2 * width,
                            .states = 16,
                            .step_rank = width / 16};
}

/* The table of all fields: name in JSON, place, and for sizes the least and the largest value. */
typedef enum kind { SIZE, REAL, FLAG, MIXER } kind;
typedef struct field {
    const char *name;
    kind kind;
    bool optional; /* numbers may be 0; 0 and false are not written */
    size_t at, least, most;
} field;

#define AT(member) offsetof(f2l_seq_config, member)
static const field fields[] = {
    {"letters", SIZE, false, AT(letters), 1, F2L_SEQ_MAX_SIZE},
    {"labels", SIZE, false, AT(labels), 1, F2L_SEQ_MAX_SIZE},
    {"layers", SIZE, false, AT(layers), 1, F2L_SEQ_MAX_LAYERS},
    {"width", SIZE, false, AT(width), 1, F2L_SEQ_MAX_SIZE},
    {"mlp", SIZE, false, AT(mlp), 0, F2L_SEQ_MAX_SIZE},
    {"convolution", SIZE, false, AT(convolution), 0, 64},
    {"epsilon", REAL, false, AT(epsilon), 0, 0},
    {"mixer", MIXER, false, AT(mixer), 0, 0},
    {"negative", FLAG, false, AT(negative), 0, 0},
    {"initializer_range", REAL, true, AT(initializer_range), 0, 0},
    {"heads", SIZE, false, AT(heads), 1, F2L_SEQ_MAX_SIZE},
    {"householders", SIZE, false, AT(householders), 1, F2L_SEQ_MAX_HOUSEHOLDERS},
    {"key_dim", SIZE, false, AT(key_dim), 1, F2L_SEQ_MAX_HEAD_DIM},
    {"value_dim", SIZE, false, AT(value_dim), 1, F2L_SEQ_MAX_HEAD_DIM},
    {"slope", REAL, false, AT(slope), 0, 0},
    {"additive", FLAG, false, AT(additive), 0, 0},
    {"learned_start", FLAG, false, AT(learned_start), 0, 0},
    {"forget_gate", FLAG, false, AT(forget_gate), 0, 0},
    {"output_gate", FLAG, true, AT(output_gate), 0, 0},
    {"key_epsilon", REAL, true, AT(key_epsilon), 0, 0},
    {"silu_keys", FLAG, false, AT(silu_keys), 0, 0},
    {"normalise_keys", FLAG, false, AT(normalise_keys), 0, 0},
    {"channels", SIZE, false, AT(channels), 1, F2L_SEQ_MAX_SIZE},
    {"states", SIZE, false, AT(states), 1, F2L_SEQ_MAX_SIZE},
    {"step_rank", SIZE, false, AT(step_rank), 1, F2L_SEQ_MAX_SIZE},
    {"convolution_bias", FLAG, true, AT(convolution_bias), 0, 0},
    {"window", SIZE, true, AT(window), 0, F2L_SEQ_MAX_SIZE}};
#define FIELDS (sizeof fields / sizeof *fields)

static const void *field_of(const f2l_seq_config *config, const field *f)
{
    return (const char *)config + f->at;
}

f2l_status f2l_seq_config_check(const f2l_seq_config *config, f2l_error *err)
{
    if (config->mixer == NULL) return f2l_fail(err, F2L_EDOMAIN, "unknown mixer");
    for (size_t i = 0; i < FIELDS; i++) {
        const field *f = &fields[i];
        if (f->kind == SIZE) {
            size_t value = *(const size_t *)field_of(config, f);
            if (value < f->least || value > f->most)
                return f2l_fail(err, F2L_EDOMAIN, "%s is %zu, which is not in %zu .. %zu", f->name,
                                value, f->least, f->most);
        } else if (f->kind == REAL) {
            double value = *(const double *)field_of(config, f);
            if (!isfinite(value) || value < 0 || (value == 0 && !f->optional))
                return f2l_fail(err, F2L_EDOMAIN, "%s is %g, which is not a positive number",
                                f->name, value);
        }
    }
    const char *why = config->mixer->refuses ? config->mixer->refuses(config) : NULL;
    return why == NULL ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "%s", why);
}

static bool is_unset(const field *f, const void *value)
{
    if (f->kind == SIZE) return *(const size_t *)value == 0;
    return f->kind == REAL ? *(const double *)value == 0 : !*(const bool *)value;
}

f2l_status f2l_seq_config_write(f2l_buf *out, const f2l_seq_config *config, f2l_error *err)
{
    f2l_status status = f2l_seq_config_check(config, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < FIELDS; i++) {
        const field *f = &fields[i];
        const void *value = field_of(config, f);
        if (f->optional && is_unset(f, value)) continue;
        f2l_buf_printf(out, "%s\"%s\":", i == 0 ? "{" : ",", f->name);
        if (f->kind == SIZE) f2l_buf_size(out, *(const size_t *)value);
        if (f->kind == REAL) f2l_buf_printf(out, "%.17g", *(const double *)value);
        if (f->kind == FLAG) f2l_buf_text(out, *(const bool *)value ? "true" : "false");
        if (f->kind == MIXER) f2l_buf_printf(out, "\"%s\"", config->mixer->name);
    }
    f2l_buf_text(out, "}");
    return f2l_buf_status(out, err);
}

static bool read_field(f2l_seq_config *config, const field *f, const json_t *value)
{
    void *to = (char *)config + f->at;
    if (f->kind == SIZE) {
        if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
        *(size_t *)to = (size_t)json_integer_value(value);
    } else if (f->kind == REAL) {
        if (!json_is_number(value)) return false;
        *(double *)to = json_number_value(value);
    } else if (f->kind == FLAG) {
        if (!json_is_boolean(value)) return false;
        *(bool *)to = json_is_true(value);
    } else {
        const char *name = json_string_value(value);
        const f2l_mixer *const *mixer = f2l_mixers;
        while (name != NULL && *mixer != NULL && strcmp(name, (*mixer)->name) != 0) mixer++;
        if (name == NULL || *mixer == NULL) return false;
        config->mixer = *mixer;
    }
    return true;
}

static f2l_status read_members(f2l_seq_config *config, json_t *object, f2l_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < FIELDS && strcmp(key, fields[i].name) != 0) i++;
        if (i == FIELDS) return f2l_fail(err, F2L_EFORMAT, "a configuration has no member %s", key);
        if (!read_field(config, &fields[i], value))
            return f2l_fail(err, F2L_EFORMAT, "the member %s has a wrong type or value", key);
    }
    return F2L_OK;
}

f2l_status f2l_seq_config_read(f2l_seq_config *config, const char *text, size_t size,
                               f2l_error *err)
{
    json_error_t why;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (object == NULL)
        return f2l_fail(err, F2L_EFORMAT, "a configuration is no JSON: %s", why.text);
    f2l_seq_config read = *config;
    f2l_status status = json_is_object(object)
                            ? read_members(&read, object, err)
                            : f2l_fail(err, F2L_EFORMAT, "a configuration is not a JSON object");
    json_decref(object);
    if (status == F2L_OK) *config = read;
    return status;
}
