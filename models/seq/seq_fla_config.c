#include "models/seq/mixer.h"
#include "models/seq/seq_file.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

size_t f2l_fla_size(f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (json_is_integer(value) && json_integer_value(value) > 0)
        return (size_t)json_integer_value(value);
    if (m->bad == NULL) m->bad = name;
    return 1;
}

double f2l_fla_real(f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (json_is_number(value)) return json_number_value(value);
    if (m->bad == NULL) m->bad = name;
    return 1;
}

bool f2l_fla_flag(f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (!json_is_boolean(value) && m->bad == NULL) m->bad = name;
    return json_is_true(value);
}

bool f2l_fla_has_text(const f2l_fla_members *m, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(m->object, name));
    return value != NULL && strcmp(value, text) == 0;
}

/* Returns the name of a member that is present with a value that the models here do not implement,
 * or NULL. */
static const char *unlike(const f2l_fla_members *m)
{
    static const char *const off[] = {"use_gate", "use_output_gate", "tie_word_embeddings",
                                      "use_conv_bias", "use_bias"};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (json_is_true(json_object_get(m->object, off[i]))) return off[i];
    static const char *const null[] = {"attn", "attnres_block_size"}; /* layers of other kinds */
    for (size_t i = 0; i < sizeof null / sizeof *null; i++) {
        const json_t *value = json_object_get(m->object, null[i]);
        if (value != NULL && !json_is_null(value)) return null[i];
    }
    if (json_is_false(json_object_get(m->object, "use_beta"))) return "use_beta";
    if (json_object_get(m->object, "qk_norm") != NULL && !f2l_fla_has_text(m, "qk_norm", "l2"))
        return "qk_norm";
    if (json_object_get(m->object, "hidden_act") != NULL &&
        !f2l_fla_has_text(m, "hidden_act", "swish") && !f2l_fla_has_text(m, "hidden_act", "silu"))
        return "hidden_act";
    return NULL;
}

bool f2l_fla_is_absent(const f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    return value == NULL || json_is_null(value);
}

/* Returns the mixer and the class of this model_type, or NULL. */
static const f2l_mixer *find(const f2l_fla_class **class, const f2l_fla_members *m)
{
    for (const f2l_mixer *const *mixer = f2l_mixers; *mixer != NULL; mixer++)
        for (size_t i = 0; i < (*mixer)->fla_classes; i++) {
            *class = &(*mixer)->fla[i];
            if (f2l_fla_has_text(m, "model_type", (*class)->type)) return *mixer;
        }
    return NULL;
}

/* Fails with the names of all classes. */
static f2l_status refuse(f2l_error *err)
{
    char names[200] = "";
    for (const f2l_mixer *const *mixer = f2l_mixers; *mixer != NULL; mixer++)
        for (size_t i = 0; i < (*mixer)->fla_classes; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     names[0] ? ", " : "", (*mixer)->fla[i].type);
    return f2l_fail(err, F2L_EDOMAIN, "model_type is none of %s", names);
}

static f2l_status read_class(f2l_seq_config *config, f2l_fla_members *m, f2l_error *err)
{
    const f2l_fla_class *class;
    const f2l_mixer *mixer = find(&class, m);
    if (mixer == NULL) return refuse(err);
    const char *option = unlike(m);
    if (option != NULL)
        return f2l_fail(err, F2L_EDOMAIN, "models here do not have this value of %s", option);
    const size_t words = f2l_fla_size(m, "vocab_size");
    f2l_seq_config c = f2l_seq_config_default(words, words);
    c.layers = f2l_fla_size(m, "num_hidden_layers");
    c.width = f2l_fla_size(m, "hidden_size");
    c.mixer = mixer;
    class->read(&c, m);
    if (m->bad != NULL)
        return f2l_fail(err, F2L_EFORMAT, "the member %s of config.json is missing or not usable",
                        m->bad);
    f2l_status status = f2l_seq_config_check(&c, err);
    if (status == F2L_OK) *config = c;
    return status;
}

f2l_status f2l_seq_read_fla_config(f2l_seq_config *config, const char *text, size_t size,
                                   f2l_error *err)
{
    json_error_t why;
    f2l_fla_members m = {.object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why)};
    if (m.object == NULL) return f2l_fail(err, F2L_EFORMAT, "config.json is no JSON: %s", why.text);
    f2l_status status = json_is_object(m.object)
                            ? read_class(config, &m, err)
                            : f2l_fail(err, F2L_EFORMAT, "config.json is not a JSON object");
    json_decref((json_t *)m.object);
    return status;
}
