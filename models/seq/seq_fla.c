#include "models/seq/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* The class of flash-linear-attention of a model. */
typedef enum fla_class { DELTA_NET, DELTA_PRODUCT, MAMBA, CLASSES } fla_class;

static const struct {
    const char *type, *name, *base, *layers_norm, *mixer, *norm;
} class_of[CLASSES] = {
    {"delta_net", "DeltaNetForCausalLM", "model", "attn_norm", "attn", "norm"},
    {"gated_deltaproduct", "GatedDeltaProductForCausalLM", "model", "attn_norm", "attn", "norm"},
    {"mamba", "MambaForCausalLM", "backbone", "norm", "mixer", "norm_f"}};

static fla_class class_for(const f2l_seq_config *c)
{
    if (c->mixer == F2L_SEQ_DIAGONAL) return MAMBA;
    return c->householders == 1 && !c->forget_gate ? DELTA_NET : DELTA_PRODUCT;
}

/* Returns the reason why the class cannot express the model, or NULL. */
static const char *obstacle(const f2l_seq_config *c)
{
    const fla_class class = class_for(c);
    /* The norm of keys has epsilon 1e-6 in flash-linear-attention, whatever norm_eps is. */
    if (c->epsilon != 1e-6 && class != MAMBA) return "its epsilon is not 1e-6";
    if (class == MAMBA && c->negative) return "Mamba has no eigenvalues in [-1, 0)";
    if (class == MAMBA && c->mlp > 0) return "blocks of Mamba have no MLP";
    if (class == MAMBA && c->convolution == 0) return "Mamba needs a convolution";
    if (class == MAMBA)
        return (size_t)((double)c->width * ((double)c->channels / (double)c->width)) == c->channels
                   ? NULL
                   : "expand would be rounded";
    if (!c->additive) return "it has no values (B = 0)";
    if (c->learned_start) return "its H_0 is learned";
    if (!c->normalise_keys) return "its keys are not normalised";
    if (c->mlp == 0) return "its blocks have no MLP";
    if (class == DELTA_PRODUCT && !c->silu_keys)
        return "GatedDeltaProduct needs SiLU on queries "
               "and keys";
    if (class == DELTA_NET &&
        ((size_t)((double)c->width * ((double)c->heads * (double)c->key_dim / (double)c->width)) !=
             c->heads * c->key_dim ||
         (size_t)((double)c->width * ((double)c->heads * (double)c->value_dim /
                                      (double)c->width)) != c->heads * c->value_dim))
        return "expand_k or expand_v would be rounded";
    if (class == DELTA_PRODUCT &&
        (size_t)((double)c->key_dim * ((double)c->value_dim / (double)c->key_dim)) != c->value_dim)
        return "expand_v would be rounded";
    return NULL;
}

static f2l_status check(const f2l_seq_config *config, f2l_error *err)
{
    const char *why = obstacle(config);
    return why == NULL ? F2L_OK
                       : f2l_fail(err, F2L_EDOMAIN,
                                  "flash-linear-attention cannot express this model: %s", why);
}

static size_t vocabulary(const f2l_seq_config *c)
{
    return c->letters > c->labels ? c->letters : c->labels;
}

/* Sets the name of a layer's tensor: "layers.3.mixer.q_proj.weight" ->
 * "model.layers.3.attn.q_proj.weight". */
static void rename_layer(f2l_seq_entry *entry, const f2l_seq_tensor *tensor, fla_class class)
{
    unsigned long layer = 0;
    int read = 0;
    (void)sscanf(tensor->name, "layers.%lu.%n", &layer, &read); /* made by f2l_seq_init */
    const char *rest = tensor->name + read, *part = "";
    if (strncmp(rest, "mixer.", 6) == 0) {
        part = class_of[class].mixer;
        rest += 5;
    } else if (strncmp(rest, "mixer_norm.", 11) == 0) {
        part = class_of[class].layers_norm;
        rest += 10;
    }
    snprintf(entry->name, sizeof entry->name, "%s.layers.%lu.%s%s", class_of[class].base, layer,
             part, rest);
}

static f2l_seq_entry *list_entries(const f2l_seq *model)
{
    const fla_class class = class_for(&model->config);
    f2l_seq_entry *entry = f2l_calloc(model->tensors, sizeof *entry);
    for (size_t t = 0; entry != NULL && t < model->tensors; t++) {
        const f2l_seq_tensor *tensor = &model->tensor[t];
        f2l_seq_entry *e = &entry[t];
        *e = (f2l_seq_entry){.tensor = tensor, .rows = tensor->dim[0], .scale = 1};
        if (t == model->embedding || t == model->head) e->rows = vocabulary(&model->config);
        if (t == model->embedding)
            snprintf(e->name, sizeof e->name, "%s.embeddings.weight", class_of[class].base);
        else if (t == model->norm)
            snprintf(e->name, sizeof e->name, "%s.%s.weight", class_of[class].base,
                     class_of[class].norm);
        else if (t == model->head)
            snprintf(e->name, sizeof e->name, "lm_head.weight");
        else
            rename_layer(e, tensor, class);
    }
    for (size_t l = 0; entry != NULL && class != MAMBA && l < model->config.layers; l++)
        entry[model->layer[l].beta].scale = model->config.slope;
    return entry;
}

static f2l_status write_model(f2l_buf *out, const f2l_seq *model, const f2l_seq_numbers *numbers,
                              f2l_error *err)
{
    f2l_status status = check(&model->config, err);
    if (status != F2L_OK) return status;
    f2l_seq_entry *entry = list_entries(model);
    if (entry == NULL) return f2l_fail_memory(err);
    status = f2l_seq_write_entries(out, entry, model->tensors, "{\"format\":\"pt\"}", false,
                                   numbers, err);
    f2l_free(entry);
    return status;
}

f2l_status f2l_seq_write_fla_f32(f2l_buf *out, const f2l_seq *model, const float *parameters,
                                 f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .from.single = parameters};
    return write_model(out, model, &numbers, err);
}

f2l_status f2l_seq_write_fla_f64(f2l_buf *out, const f2l_seq *model, const double *parameters,
                                 f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 8, .from.real = parameters};
    return write_model(out, model, &numbers, err);
}

static f2l_status read_model(const f2l_seq_numbers *numbers, const f2l_seq *model,
                             const char *bytes, size_t size, f2l_error *err)
{
    f2l_safetensors_file file;
    f2l_status status = check(&model->config, err);
    if (status == F2L_OK) status = f2l_safetensors_open(&file, bytes, size, err);
    if (status != F2L_OK) return status;
    f2l_seq_entry *entry = list_entries(model);
    status = entry == NULL ? f2l_fail_memory(err)
                           : f2l_seq_read_entries(numbers, entry, model->tensors, &file, err);
    f2l_free(entry);
    f2l_safetensors_close(&file);
    return status;
}

f2l_status f2l_seq_read_fla_f32(float *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .to.single = parameters};
    return read_model(&numbers, model, bytes, size, err);
}

f2l_status f2l_seq_read_fla_f64(double *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 8, .to.real = parameters};
    return read_model(&numbers, model, bytes, size, err);
}

static void put_flag(f2l_buf *out, const char *name, bool flag)
{
    f2l_buf_printf(out, ",\"%s\":%s", name, flag ? "true" : "false");
}

static void put_delta(f2l_buf *out, const f2l_seq_config *c)
{
    put_flag(out, "allow_neg_eigval", c->negative);
    put_flag(out, "use_short_conv", c->convolution > 0);
    f2l_buf_printf(out,
                   ",\"num_heads\":%zu,\"intermediate_size\":%zu,\"hidden_act\":\"swish\","
                   "\"norm_eps\":%.17g",
                   c->heads, c->mlp, c->epsilon);
    if (c->convolution > 0) f2l_buf_printf(out, ",\"conv_size\":%zu", c->convolution);
    if (class_for(c) == DELTA_NET) {
        f2l_buf_printf(out, ",\"expand_k\":%.17g,\"expand_v\":%.17g",
                       (double)c->heads * (double)c->key_dim / (double)c->width,
                       (double)c->heads * (double)c->value_dim / (double)c->width);
        f2l_buf_printf(out,
                       ",\"use_beta\":true,\"use_gate\":false,\"qk_norm\":\"l2\","
                       "\"qk_activation\":\"%s\"",
                       c->silu_keys ? "silu" : "identity");
    } else {
        f2l_buf_printf(out,
                       ",\"head_dim\":%zu,\"expand_v\":%.17g,\"num_householder\":%zu,"
                       "\"use_output_gate\":false",
                       c->key_dim, (double)c->value_dim / (double)c->key_dim, c->householders);
        put_flag(out, "use_forget_gate", c->forget_gate);
    }
}

f2l_status f2l_seq_write_fla_config(f2l_buf *out, const f2l_seq *model, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    const fla_class class = class_for(c);
    f2l_status status = check(c, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out,
                   "{\"model_type\":\"%s\",\"architectures\":[\"%s\"],\"vocab_size\":%zu,"
                   "\"hidden_size\":%zu",
                   class_of[class].type, class_of[class].name, vocabulary(c), c->width);
    f2l_buf_printf(out,
                   ",\"num_hidden_layers\":%zu,\"tie_word_embeddings\":false,"
                   "\"use_cache\":false",
                   c->layers);
    if (class == MAMBA) /* rank and epsilon also under the names in transformers */
        f2l_buf_printf(
            out,
            ",\"intermediate_size\":%zu,\"expand\":%.17g,\"state_size\":%zu,\"dt_rank\":%zu,"
            "\"time_step_rank\":%zu,\"conv_kernel\":%zu,\"use_conv_bias\":false,\"use_bias\":false,"
            "\"hidden_act\":\"silu\",\"norm_eps\":%.17g,\"layer_norm_epsilon\":%.17g",
            c->channels, (double)c->channels / (double)c->width, c->states, c->step_rank,
            c->step_rank, c->convolution, c->epsilon, c->epsilon);
    else
        put_delta(out, c);
    f2l_buf_text(out, "}\n");
    return f2l_buf_status(out, err);
}
