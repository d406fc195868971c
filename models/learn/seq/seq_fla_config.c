#include "models/learn/seq/impl.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
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

bool f2l_fla_flag(f2l_fla_members *m, const char *name, bool otherwise)
{
    const json_t *value = json_object_get(m->object, name);
    if (value == NULL) return otherwise;
    if (!json_is_boolean(value) && m->bad == NULL) m->bad = name;
    return json_is_true(value);
}

bool f2l_fla_has_text(const f2l_fla_members *m, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(m->object, name));
    return value != NULL && strcmp(value, text) == 0;
}

/* Members that transformers writes for every class with config.to_dict(): how words are drawn, what
 * is returned, and labels of classifiers. */
static const char *const of_transformers[] = {"return_dict",
                                              "output_hidden_states",
                                              "output_attentions",
                                              "torchscript",
                                              "use_bfloat16",
                                              "tf_legacy_loss",
                                              "chunk_size_feed_forward",
                                              "is_encoder_decoder",
                                              "is_decoder",
                                              "cross_attention_hidden_size",
                                              "add_cross_attention",
                                              "tie_encoder_decoder",
                                              "max_length",
                                              "min_length",
                                              "do_sample",
                                              "early_stopping",
                                              "num_beams",
                                              "num_beam_groups",
                                              "diversity_penalty",
                                              "temperature",
                                              "top_k",
                                              "top_p",
                                              "typical_p",
                                              "repetition_penalty",
                                              "length_penalty",
                                              "no_repeat_ngram_size",
                                              "encoder_no_repeat_ngram_size",
                                              "bad_words_ids",
                                              "num_return_sequences",
                                              "output_scores",
                                              "return_dict_in_generate",
                                              "forced_bos_token_id",
                                              "forced_eos_token_id",
                                              "remove_invalid_values",
                                              "exponential_decay_length_penalty",
                                              "suppress_tokens",
                                              "begin_suppress_tokens",
                                              "finetuning_task",
                                              "id2label",
                                              "label2id",
                                              "tokenizer_class",
                                              "prefix",
                                              "sep_token_id",
                                              "decoder_start_token_id",
                                              "task_specific_params",
                                              "problem_type",
                                              NULL};

/* Members that do not change what a model computes: names, tokens, and how it was trained, stored
 * or run. */
static const char *const harmless[] = {"architectures",
                                       "auto_map",
                                       "_name_or_path",
                                       "dtype",
                                       "torch_dtype",
                                       "transformers_version",
                                       "pad_token_id",
                                       "bos_token_id",
                                       "eos_token_id",
                                       "use_cache",
                                       "attn_mode",
                                       "max_position_embeddings",
                                       "initializer_range",
                                       "fuse_norm",
                                       "fuse_swiglu",
                                       "fuse_cross_entropy",
                                       "fuse_linear_cross_entropy",
                                       "use_l2warp",
                                       "use_output_norm", /* the norm is always there */
                                       "residual_in_fp32",
                                       "rescale_prenorm_residual",
                                       "dt_scale",
                                       "dt_min",
                                       "dt_max",
                                       "dt_init_scheme",
                                       "dt_init_floor",
                                       "time_step_scale",
                                       "time_step_min",
                                       "time_step_max",
                                       "time_step_init_scheme",
                                       "time_step_floor",
                                       "use_mambapy",
                                       "use_associative_scan",
                                       NULL};
static const char *const common[] = {"tie_word_embeddings", "model_type",        "vocab_size",
                                     "hidden_size",         "num_hidden_layers", NULL};
static const f2l_fla_rule everywhere[] = {{"use_bias", NULL, false},
                                          {"conv_bias", NULL, false},
                                          {"attn", "", false}, /* layers of other kinds */
                                          {"attnres_block_size", "", false},
                                          {NULL, NULL, false}};

bool f2l_fla_is_in(const char *const *list, const char *name)
{
    while (list != NULL && *list != NULL && strcmp(*list, name) != 0) list++;
    return list != NULL && *list != NULL;
}

static const f2l_fla_rule *rule_of(const f2l_fla_rule *rule, const char *name)
{
    while (rule != NULL && rule->member != NULL && strcmp(rule->member, name) != 0) rule++;
    return rule != NULL && rule->member != NULL ? rule : NULL;
}

/* Returns whether the text is one of "a|b". */
static bool is_one_of(const char *text, const char *choices)
{
    const size_t size = strlen(text);
    while (*choices != '\0') {
        const size_t choice = strcspn(choices, "|");
        if (choice == size && strncmp(choices, text, size) == 0) return true;
        choices += choice + (choices[choice] == '|');
    }
    return false;
}

static bool obeys(const json_t *value, const f2l_fla_rule *rule)
{
    if (rule->text == NULL) return rule->flag ? json_is_true(value) : json_is_false(value);
    if (!rule->text[0]) return json_is_null(value);
    if (json_is_number(value))
        return strspn(rule->text, "0123456789") == strlen(rule->text) &&
               json_number_value(value) == strtod(rule->text, NULL);
    const char *text = json_string_value(value);
    return text != NULL && (is_one_of(text, rule->text) ||
                            (strcmp(text, "swish") == 0 && strcmp(rule->text, "silu") == 0));
}

/* Fails with a member and the beginning of its value. */
static f2l_status refuse_member(const char *name, const json_t *value, const char *why,
                                f2l_error *err)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    f2l_fail(err, F2L_EDOMAIN, "config.json: %.60s = %.60s%s: %s", name, text ? text : "?",
             text && strlen(text) > 60 ? ".." : "", why);
    free(text); /* jansson's */
    return F2L_EDOMAIN;
}

/* Refuses members that are not known, and values that no model here has. */
static f2l_status check_fla_members(const f2l_fla_members *m, const f2l_fla_class *class,
                                    f2l_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)m->object, name, value)
    {
        const f2l_fla_rule *rule = rule_of(class->rule, name);
        if (rule == NULL) rule = rule_of(everywhere, name);
        if (rule != NULL && !obeys(value, rule))
            return refuse_member(name, value, "models here do not have this", err);
        if (rule != NULL || json_is_null(value) || f2l_fla_is_in(common, name) ||
            f2l_fla_is_in(harmless, name) || f2l_fla_is_in(of_transformers, name) ||
            f2l_fla_is_in(class->member, name) ||
            (strcmp(name, "pruned_heads") == 0 && json_object_size(value) == 0))
            continue;
        return refuse_member(name, value,
                             "this member is not known here; if it does not change what the model "
                             "computes, take it out",
                             err);
    }
    return F2L_OK;
}

bool f2l_fla_is_absent(const f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    return value == NULL || json_is_null(value);
}

/* Returns the mixer and the class of this model_type, or NULL. */
static const f2l_mixer *find_fla_mixer(const f2l_fla_class **class, const f2l_fla_members *m)
{
    for (const f2l_mixer *const *mixer = f2l_mixers; *mixer != NULL; mixer++)
        for (size_t i = 0; i < (*mixer)->fla_classes; i++) {
            *class = &(*mixer)->fla[i];
            if (f2l_fla_has_text(m, "model_type", (*class)->type) ||
                ((*class)->also != NULL && f2l_fla_has_text(m, "model_type", (*class)->also)))
                return *mixer;
        }
    return NULL;
}

/* Fails with the names of all classes. */
static f2l_status refuse_model_type(const f2l_fla_members *m, f2l_error *err)
{
    const char *type = json_string_value(json_object_get(m->object, "model_type"));
    char names[200] = "";
    for (const f2l_mixer *const *mixer = f2l_mixers; *mixer != NULL; mixer++)
        for (size_t i = 0; i < (*mixer)->fla_classes; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     names[0] ? ", " : "", (*mixer)->fla[i].type);
    return f2l_fail(err, F2L_EDOMAIN, "config.json: model_type is %.60s, which is none of %s",
                    type ? type : "missing", names);
}

static f2l_seq_tie read_tie(f2l_fla_members *m)
{
    static const char *const name = "tie_word_embeddings";
    if (f2l_fla_is_absent(m, name)) return F2L_SEQ_TIED_IF_MISSING;
    return f2l_fla_flag(m, name, false) ? F2L_SEQ_TIED : F2L_SEQ_UNTIED;
}

static f2l_status read_fla_class(f2l_seq_fla *out, f2l_fla_members *m, f2l_error *err)
{
    const f2l_fla_class *class;
    const f2l_mixer *mixer = find_fla_mixer(&class, m);
    if (mixer == NULL) return refuse_model_type(m, err);
    f2l_status status = check_fla_members(m, class, err);
    if (status != F2L_OK) return status;
    const size_t words = f2l_fla_size(m, "vocab_size");
    f2l_seq_fla read = {f2l_seq_config_default(words, words), 1, "", read_tie(m), false};
    snprintf(read.class, sizeof read.class, "%s", class->name);
    read.config.layers = f2l_fla_size(m, "num_hidden_layers");
    read.config.width = f2l_fla_size(m, "hidden_size");
    read.config.mixer = mixer;
    class->read(&read, m);
    if (m->bad != NULL)
        return f2l_fail(err, F2L_EFORMAT, "the member %s of config.json is missing or not usable",
                        m->bad);
    status = f2l_seq_config_check(&read.config, err);
    if (status == F2L_OK) *out = read;
    return status;
}

f2l_status f2l_seq_read_fla_config(f2l_seq_fla *out, const char *text, size_t size, f2l_error *err)
{
    json_error_t why;
    f2l_fla_members m = {.object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why)};
    if (m.object == NULL) return f2l_fail(err, F2L_EFORMAT, "config.json is no JSON: %s", why.text);
    f2l_status status = json_is_object(m.object)
                            ? read_fla_class(out, &m, err)
                            : f2l_fail(err, F2L_EFORMAT, "config.json is not a JSON object");
    json_decref((json_t *)m.object);
    return status;
}
