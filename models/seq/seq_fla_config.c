#include "models/seq/seq_file.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Reads members of config.json; the first one that is missing or has a wrong type is remembered. */
typedef struct members {
    const json_t *object;
    const char *bad;
} members;

static size_t size_member(members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (json_is_integer(value) && json_integer_value(value) > 0)
        return (size_t)json_integer_value(value);
    if (m->bad == NULL) m->bad = name;
    return 1;
}

static double real_member(members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (json_is_number(value)) return json_number_value(value);
    if (m->bad == NULL) m->bad = name;
    return 1;
}

static bool flag_member(members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    if (!json_is_boolean(value) && m->bad == NULL) m->bad = name;
    return json_is_true(value);
}

static bool has_text(const members *m, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(m->object, name));
    return value != NULL && strcmp(value, text) == 0;
}

/* Returns the name of a member that is present with a value that the models here do not implement,
 * or NULL. */
static const char *unlike(const members *m)
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
    if (json_object_get(m->object, "qk_norm") != NULL && !has_text(m, "qk_norm", "l2"))
        return "qk_norm";
    if (json_object_get(m->object, "hidden_act") != NULL && !has_text(m, "hidden_act", "swish") &&
        !has_text(m, "hidden_act", "silu"))
        return "hidden_act";
    return NULL;
}

static bool is_absent(const members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    return value == NULL || json_is_null(value);
}

/* Returns the width of the MLP; if it is left open, two thirds of hidden_ratio widths, rounded up
 * to a multiple of 256. */
static size_t mlp_member(members *m, size_t width)
{
    if (!is_absent(m, "intermediate_size")) return size_member(m, "intermediate_size");
    const double ratio = is_absent(m, "hidden_ratio") ? 4 : real_member(m, "hidden_ratio");
    const size_t two_thirds = (size_t)fmin(fmax((double)width * ratio * 2 / 3, 0), 1e9);
    return (two_thirds + 255) / 256 * 256;
}

static void read_mamba(f2l_seq_config *c, members *m)
{
    c->mixer = F2L_SEQ_DIAGONAL;
    c->negative = false;
    c->mlp = 0;
    c->channels = size_member(m, "intermediate_size");
    c->states = size_member(m, "state_size");
    c->convolution = size_member(m, "conv_kernel");
    /* The second names are the names in transformers. */
    c->epsilon = real_member(m, is_absent(m, "norm_eps") ? "layer_norm_epsilon" : "norm_eps");
    c->step_rank = has_text(m, "dt_rank", "auto")
                       ? (c->width + 15) / 16
                       : size_member(m, is_absent(m, "dt_rank") ? "time_step_rank" : "dt_rank");
}

static void read_delta(f2l_seq_config *c, members *m, bool product)
{
    c->mixer = F2L_SEQ_DELTA;
    c->negative = flag_member(m, "allow_neg_eigval");
    c->additive = c->normalise_keys = true;
    c->learned_start = false;
    c->slope = 1;
    c->heads = size_member(m, "num_heads");
    c->mlp = mlp_member(m, c->width);
    c->epsilon = real_member(m, "norm_eps");
    c->convolution = flag_member(m, "use_short_conv") ? size_member(m, "conv_size") : 0;
    const double expand_v = real_member(m, "expand_v");
    if (product) {
        c->householders = size_member(m, "num_householder");
        c->forget_gate = flag_member(m, "use_forget_gate");
        c->silu_keys = true;
        c->key_dim = size_member(m, "head_dim");
        c->value_dim = (size_t)fmin(fmax((double)c->key_dim * expand_v, 0), 1e9);
        return;
    }
    c->householders = 1;
    c->forget_gate = false;
    c->silu_keys = has_text(m, "qk_activation", "silu");
    if (!c->silu_keys && !has_text(m, "qk_activation", "identity") && m->bad == NULL)
        m->bad = "qk_activation";
    const double width = (double)c->width;
    c->key_dim = (size_t)fmin(fmax(width * real_member(m, "expand_k"), 0), 1e9) / c->heads;
    c->value_dim = (size_t)fmin(fmax(width * expand_v, 0), 1e9) / c->heads;
}

static f2l_status read_class(f2l_seq_config *config, members *m, f2l_error *err)
{
    const bool mamba = has_text(m, "model_type", "mamba"),
               product = has_text(m, "model_type", "gated_deltaproduct");
    if (!mamba && !product && !has_text(m, "model_type", "delta_net"))
        return f2l_fail(err, F2L_EDOMAIN,
                        "model_type is none of delta_net, gated_deltaproduct, mamba");
    const char *option = unlike(m);
    if (option != NULL)
        return f2l_fail(err, F2L_EDOMAIN, "models here do not have this value of %s", option);
    const size_t words = size_member(m, "vocab_size");
    f2l_seq_config c = f2l_seq_config_default(words, words);
    c.layers = size_member(m, "num_hidden_layers");
    c.width = size_member(m, "hidden_size");
    if (mamba)
        read_mamba(&c, m);
    else
        read_delta(&c, m, product);
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
    members m = {.object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why)};
    if (m.object == NULL) return f2l_fail(err, F2L_EFORMAT, "config.json is no JSON: %s", why.text);
    f2l_status status = json_is_object(m.object)
                            ? read_class(config, &m, err)
                            : f2l_fail(err, F2L_EFORMAT, "config.json is not a JSON object");
    json_decref((json_t *)m.object);
    return status;
}
