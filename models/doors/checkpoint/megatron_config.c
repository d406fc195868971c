#include "models/doors/checkpoint/megatron.h"
#include <stdio.h>
#include <string.h>

bool f2l_megatron_is_configured(const f2l_fla_members *m)
{
    return f2l_fla_has_text(m, "model_type", "megatron");
}

/* Returns the one of two names that the object has: of the arguments, or of TransformerConfig. */
static const char *either(const f2l_fla_members *m, const char *argument, const char *member)
{
    return f2l_fla_is_absent(m, argument) ? member : argument;
}

/* Returns whether the member is there and neither null, false nor 0. */
static bool is_set(const f2l_fla_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    return value != NULL && !json_is_null(value) && !json_is_false(value) &&
           !(json_is_number(value) && json_number_value(value) == 0);
}

static bool has_gated_net(const f2l_fla_members *m)
{
    static const char *const name = "experimental_attention_variant";
    return f2l_fla_has_text(m, name, "gdn") || f2l_fla_has_text(m, name, "gated_delta_net");
}

/* Refuses what changes a gated delta layer, or the norm before it. */
static f2l_status check_mixer_members(const f2l_fla_members *m, f2l_error *err)
{
    static const char *const variant = "experimental_attention_variant";
    if (is_set(m, variant) && !has_gated_net(m))
        return f2l_fail(err, F2L_EDOMAIN, "config.json: %s is %.40s, not gdn", variant,
                        json_string_value(json_object_get(m->object, variant))
                            ? json_string_value(json_object_get(m->object, variant))
                            : "no text");
    if (!f2l_fla_has_text(m, "normalization", "RMSNorm"))
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: normalization is not RMSNorm, which models here have");
    if (is_set(m, "add_bias_linear"))
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: add_bias_linear: linear layers have no bias here");
    if (is_set(m, "use_mup"))
        return f2l_fail(err, F2L_EDOMAIN,
                        "config.json: use_mup: embeddings and logits are not scaled here");
    return has_gated_net(m) || is_set(m, "mamba_num_heads")
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN,
                          "config.json has neither experimental_attention_variant = gdn, for a "
                          "GatedDeltaNet, nor mamba_num_heads, for a GatedDeltaProductMixer");
}

/* Returns why no whole model here has these members, or NULL. */
static const char *find_whole_obstacle(const f2l_fla_members *m)
{
    static const struct {
        const char *member, *why;
    } never[] = {
        {"num_experts", "config.json: num_experts: experts are not modelled"},
        {"num_moe_experts", "config.json: num_moe_experts: experts are not modelled"},
        {"apply_residual_connection_post_layernorm",
         "config.json: apply_residual_connection_post_layernorm is not modelled"},
        {"enable_hyper_connections",
         "config.json: enable_hyper_connections: one stream of residuals is modelled"},
        {"enable_mhc_connections",
         "config.json: enable_mhc_connections: one stream of residuals is modelled"},
        {"activation_func_clamp_value", "config.json: activation_func_clamp_value is not modelled"},
        {"glu_linear_offset", "config.json: glu_linear_offset is not modelled"}};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (is_set(m, never[i].member)) return never[i].why;
    if (is_set(m, "swiglu")) return NULL;
    const char *activation = json_string_value(json_object_get(m->object, "activation_func"));
    return is_set(m, "gated_linear_unit") && activation != NULL && strstr(activation, "silu")
               ? NULL
               : "config.json: the MLP is not SwiGLU (swiglu, or gated_linear_unit with an "
                 "activation_func of silu)";
}

static size_t size_or_usual(f2l_fla_members *m, const char *name, size_t usual)
{
    return f2l_fla_is_absent(m, name) ? usual : f2l_fla_size(m, name);
}

/* Reads the sizes of a GatedDeltaNet; returns its heads of keys. */
static size_t read_net(f2l_seq_config *c, f2l_fla_members *m)
{
    c->heads = f2l_fla_size(m, "linear_num_value_heads");
    c->key_dim = f2l_fla_size(m, "linear_key_head_dim");
    c->value_dim = f2l_fla_size(m, "linear_value_head_dim");
    c->convolution = size_or_usual(m, "linear_conv_kernel_dim", 4);
    return f2l_fla_size(m, "linear_num_key_heads");
}

/* Reads the sizes of a GatedDeltaProductMixer; returns its heads of keys. */
static size_t read_product(f2l_seq_config *c, f2l_fla_members *m)
{
    c->heads = f2l_fla_size(m, "mamba_num_heads");
    c->key_dim = f2l_fla_size(m, "mamba_state_dim");
    c->value_dim = f2l_fla_size(m, "mamba_head_dim");
    c->householders = size_or_usual(m, "gdp_num_householder", 3);
    c->convolution = 4; /* no member changes it */
    return f2l_fla_size(m, "mamba_num_groups");
}

/* Returns whether the head is the embedding: the arguments say so by not untying them. */
static f2l_seq_tie read_megatron_tie(f2l_fla_members *m)
{
    static const char *const untie = "untie_embeddings_and_output_weights",
                             *const share = "share_embeddings_and_output_weights";
    if (!f2l_fla_is_absent(m, untie))
        return f2l_fla_flag(m, untie, false) ? F2L_SEQ_UNTIED : F2L_SEQ_TIED;
    if (f2l_fla_is_absent(m, share)) return F2L_SEQ_TIED_IF_MISSING;
    return f2l_fla_flag(m, share, false) ? F2L_SEQ_TIED : F2L_SEQ_UNTIED;
}

f2l_status f2l_megatron_config(f2l_pick *out, f2l_fla_members *m, f2l_error *err)
{
    f2l_status status = check_mixer_members(m, err);
    if (status != F2L_OK) return status;
    const bool net = has_gated_net(m);
    const size_t words = f2l_fla_size(m, either(m, "padded_vocab_size", "vocab_size"));
    f2l_seq_config c = f2l_seq_config_default(words, words);
    c.width = f2l_fla_size(m, "hidden_size");
    c.layers = f2l_fla_size(m, "num_layers");
    c.epsilon = f2l_fla_real(m, either(m, "norm_epsilon", "layernorm_epsilon"));
    c.key_epsilon = c.epsilon == 1e-6 ? 0 : 1e-6;
    c.mlp = size_or_usual(m, "ffn_hidden_size", c.width);
    c.householders = 1;
    c.negative = c.learned_start = false;
    c.additive = c.forget_gate = c.silu_keys = c.output_gate = true;
    const size_t groups = net ? read_net(&c, m) : read_product(&c, m);
    const char *centred = either(m, "apply_layernorm_1p", "layernorm_zero_centered_gamma");
    *out = (f2l_pick){.vocabulary = words,
                      .layers = c.layers,
                      .fla = {c, 1, "", read_megatron_tie(m), false},
                      .obstacle = find_whole_obstacle(m),
                      .megatron = true,
                      .shift = f2l_fla_flag(m, centred, false) ? 1 : 0};
    snprintf(out->class, sizeof out->class, "%s",
             net ? "GatedDeltaNetForCausalLM" : "GatedDeltaProductForCausalLM");
    memcpy(out->fla.class, out->class, sizeof out->class);
    if (c.heads % groups != 0 && m->bad == NULL)
        m->bad = net ? "linear_num_key_heads" : "mamba_num_groups";
    if (m->bad != NULL)
        return f2l_fail(err, F2L_EFORMAT, "the member %s of config.json is missing or not usable",
                        m->bad);
    out->fla.share = c.heads / groups;
    return f2l_seq_config_check(&c, err);
}
