#include "models/doors/checkpoint/impl.h"
#include "models/doors/checkpoint/megatron.h"
#include "models/learn/seq/fla.h"
#include <stdio.h>
#include <string.h>

/* --- config.json --- */

typedef struct hybrid {
    const char *type, *name;
    f2l_pick_layout layout;
    bool negative; /* default of linear_allow_neg_eigval */
} hybrid;

static const hybrid hybrids[] = {
    {"olmo_hybrid", "OlmoHybridForCausalLM", F2L_PICK_SEPARATE, true},
    {"qwen3_next", "Qwen3NextForCausalLM", F2L_PICK_FUSED, false},
    {"qwen3_5", "Qwen3_5ForConditionalGeneration", F2L_PICK_FOUR, false},
    {"qwen3_5_text", "Qwen3_5ForCausalLM", F2L_PICK_FOUR, false},
    {"qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration", F2L_PICK_FOUR, false},
    {"qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", F2L_PICK_FOUR, false}};

static size_t size_or(f2l_fla_members *m, const char *name, size_t otherwise)
{
    return f2l_fla_is_absent(m, name) ? otherwise : f2l_fla_size(m, name);
}

/* Refuses members that begin with linear_ and are not known: they are about the layers here. */
static f2l_status check_hybrid(const f2l_fla_members *m, const hybrid *h, f2l_error *err)
{
    static const char *const known[] = {"linear_num_key_heads",
                                        "linear_num_value_heads",
                                        "linear_key_head_dim",
                                        "linear_value_head_dim",
                                        "linear_conv_kernel_dim",
                                        "linear_a_log_min",
                                        "linear_a_log_max",
                                        "linear_dt_min",
                                        "linear_dt_max",
                                        "linear_dt_init_floor",
                                        NULL};
    const char *name;
    json_t *value;
    if (!f2l_fla_is_absent(m, "hidden_act") && !f2l_fla_has_text(m, "hidden_act", "silu"))
        return f2l_fail(err, F2L_EDOMAIN, "config.json: hidden_act is not silu");
    json_object_foreach((json_t *)m->object, name, value)
    {
        if (strncmp(name, "linear_", 7) != 0 || f2l_fla_is_in(known, name)) continue;
        if (h->layout == F2L_PICK_SEPARATE && strcmp(name, "linear_allow_neg_eigval") == 0)
            continue;
        return f2l_fail(err, F2L_EDOMAIN, "config.json: the member %.60s is not known here", name);
    }
    return F2L_OK;
}

/* Reads the members of a hybrid model into the configuration of one of its linear layers. */
static f2l_status read_hybrid(f2l_pick *out, f2l_fla_members *m, const hybrid *h, f2l_error *err)
{
    f2l_status status = check_hybrid(m, h, err);
    if (status != F2L_OK) return status;
    const bool qwen = h->layout != F2L_PICK_SEPARATE;
    const size_t words = f2l_fla_size(m, "vocab_size"),
                 attention = size_or(m, "num_attention_heads", 0);
    f2l_seq_config c = f2l_seq_config_default(words, 1);
    c.width = f2l_fla_size(m, "hidden_size");
    const size_t key_heads = qwen ? f2l_fla_size(m, "linear_num_key_heads")
                                  : size_or(m, "linear_num_key_heads", attention);
    c.heads = qwen ? f2l_fla_size(m, "linear_num_value_heads")
                   : size_or(m, "linear_num_value_heads", attention);
    const size_t usual = key_heads > 0 ? c.width * 3 / 4 / key_heads : 0;
    c.key_dim =
        qwen ? f2l_fla_size(m, "linear_key_head_dim") : size_or(m, "linear_key_head_dim", usual);
    c.value_dim = qwen ? f2l_fla_size(m, "linear_value_head_dim")
                       : size_or(m, "linear_value_head_dim", 2 * c.key_dim);
    c.convolution = size_or(m, "linear_conv_kernel_dim", 4);
    c.epsilon = f2l_fla_real(m, "rms_norm_eps");
    c.key_epsilon = c.epsilon == 1e-6 ? 0 : 1e-6;
    c.negative = !qwen && f2l_fla_flag(m, "linear_allow_neg_eigval", h->negative);
    c.mlp = 0;
    c.householders = 1;
    c.learned_start = false;
    c.additive = c.forget_gate = c.silu_keys = true;
    *out = (f2l_pick){.vocabulary = words,
                      .layers = f2l_fla_size(m, "num_hidden_layers"),
                      .fla = {c, 1, "", F2L_SEQ_UNTIED, false},
                      .hybrid = true,
                      .layout = h->layout,
                      .obstacle = F2L_CHECKPOINT_HYBRID,
                      .shift = qwen ? 1 : 0};
    snprintf(out->class, sizeof out->class, "%s", h->name);
    if ((key_heads == 0 || c.heads % key_heads != 0) && m->bad == NULL)
        m->bad = "linear_num_value_heads";
    if (m->bad != NULL)
        return f2l_fail(err, F2L_EFORMAT, "the member %s of config.json is missing or not usable",
                        m->bad);
    out->fla.share = c.heads / key_heads;
    return f2l_seq_config_check(&c, err);
}

/* Returns the row of the model_type, or NULL, and lets *m be the object that describes the text
 * model: models of texts and images have it in `text_config`. */
static const hybrid *find_hybrid(f2l_fla_members *m)
{
    for (size_t i = 0; i < sizeof hybrids / sizeof *hybrids; i++) {
        if (!f2l_fla_has_text(m, "model_type", hybrids[i].type)) continue;
        const json_t *text = json_object_get(m->object, "text_config");
        if (hybrids[i].layout == F2L_PICK_FOUR && json_is_object(text)) m->object = text;
        return &hybrids[i];
    }
    return NULL;
}

/* Reads the text of config.json of a class of flash-linear-attention, and names the other models,
 * too, where it is of none. */
static f2l_status read_class(f2l_seq_fla *out, const char *text, size_t size, f2l_error *err)
{
    static const char unknown[] = "config.json: model_type is ";
    f2l_error why = {0};
    f2l_buf names;
    const f2l_status status = f2l_seq_read_fla_config(out, text, size, &why);
    if (status == F2L_OK) return status;
    f2l_buf_init(&names);
    if (strncmp(why.text, unknown, strlen(unknown)) == 0)
        for (size_t i = 0; i < sizeof hybrids / sizeof *hybrids; i++)
            f2l_buf_printf(&names, "%s%s",
                           i == 0 ? ", megatron; inspect --layer N reads also " : ", ",
                           hybrids[i].type);
    f2l_fail(err, status, "%s%s", why.text, names.size > 0 ? names.data : "");
    f2l_buf_clear(&names);
    return status;
}

f2l_status f2l_pick_config(f2l_pick *out, const char *text, size_t size, f2l_error *err)
{
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    f2l_fla_members m = {.object = root};
    const hybrid *h = find_hybrid(&m);
    f2l_status status;
    *out = (f2l_pick){.hybrid = false};
    if (h != NULL) {
        status = read_hybrid(out, &m, h, err);
    } else if (f2l_megatron_is_configured(&m)) {
        status = f2l_megatron_config(out, &m, err);
    } else {
        status = read_class(&out->fla, text, size, err);
        out->vocabulary = out->fla.config.letters;
        out->layers = out->fla.config.layers;
        memcpy(out->class, out->fla.class, sizeof out->class);
    }
    json_decref(root);
    return status;
}

f2l_status f2l_pick_model(f2l_seq_config *config, const f2l_pick *pick, size_t words,
                          f2l_error *err)
{
    f2l_seq_config c = pick->fla.config;
    c.layers = c.labels = 1;
    c.letters = words;
    c.mlp = 0;
    c.output_gate = false; /* not in the recurrence */
    const f2l_status status = f2l_seq_config_check(&c, err);
    if (status == F2L_OK) *config = c;
    return status;
}
