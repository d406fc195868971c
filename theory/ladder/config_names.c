/* Settings that no row is about, and names that are nearly names of settings. */
#include "theory/ladder/impl.h"
#include <stdio.h>
#include <string.h>

/* Settings that change the arithmetic, of a type of model or of all, with the one value that the
 * rows are about. */
static const struct {
    const char *type, *name, *value;
} arithmetic[] = {{"delta_net", "qk_norm", "l2"},
                  {"mom", "mom_backend", "gated_deltanet"},
                  {"raven", "decay_type", "Mamba2"},
                  {"gla", "clamp_min", NULL},
                  {NULL, "slstm_at", NULL}};

/* Names that are read, of 7 letters or more. */
static const char *const names[] = {"model_type",
                                    "architectures",
                                    "text_config",
                                    "num_hidden_layers",
                                    "num_layers",
                                    "layer_types",
                                    "layers_block_type",
                                    "hybrid_layer_pattern",
                                    "hybrid_override_pattern",
                                    "linear_attn_config",
                                    "attn_layer_indices",
                                    "attn_layer_period",
                                    "attn_layer_offset",
                                    "full_attention_interval",
                                    "linear_attention_freq",
                                    "hybrid_attention_ratio",
                                    "experimental_attention_variant",
                                    "gdp_num_householder",
                                    "num_householder",
                                    "use_forget_gate",
                                    "lower_bound",
                                    "safe_gate",
                                    "time_step_limit",
                                    "mamba_dt_limit",
                                    "A_floor",
                                    "use_beta",
                                    "sliding_window",
                                    "use_sliding_window",
                                    "window_size",
                                    "qk_norm",
                                    "block_type",
                                    "gate_soft_cap",
                                    "mamba_num_heads"};

/* Returns whether one letter that is missing, added or another one tells the names apart. */
static bool differ_by_one(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    size_t begin = 0, end = 0;
    while (begin < m && begin < n && a[begin] == b[begin]) begin++;
    while (end < m - begin && end < n - begin && a[m - 1 - end] == b[n - 1 - end]) end++;
    return m - begin - end <= 1 && n - begin - end <= 1 && (m != n || begin < m);
}

/* Returns the name that is read and that differs from the key by one letter; NULL: there is none,
 * or the key is read. */
static const char *find_near(const char *key)
{
    const char *near = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(key, names[i]) == 0) return NULL;
        if (differ_by_one(key, names[i])) near = names[i];
    }
    return near;
}

void f2l_config_check_names(const f2l_ladder_config *out, f2l_config_members *m)
{
    const char *key, *sign = out->class->sign;
    json_t *value;
    char why[200];
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        const json_t *set = f2l_config_get(m, arithmetic[i].name);
        const char *type = arithmetic[i].type, *word = json_string_value(set);
        if (!set || (type && strcmp(type, out->class->type) != 0)) continue;
        if (json_is_array(set) && json_array_size(set) == 0) continue;
        if (!word || !arithmetic[i].value || strcmp(word, arithmetic[i].value) != 0)
            f2l_config_refuse(m, F2L_EDOMAIN, arithmetic[i].name,
                              "has a value that changes what a layer does, and no row is about it");
    }
    json_object_foreach((json_t *)m->object, key, value)
    {
        const char *near = find_near(key);
        if (near) {
            snprintf(why, sizeof why, "is not known here: is %s meant?", near);
            f2l_config_refuse(m, F2L_EFORMAT, key, why);
        }
        if (strstr(key, "neg_eig") && (!sign || strcmp(key, sign) != 0) && f2l_config_has(m, key) &&
            !json_is_false(value)) {
            snprintf(why, sizeof why, "is not read by this class%s%s", sign ? ", which reads " : "",
                     sign ? sign : "");
            f2l_config_refuse(m, F2L_EFORMAT, key, why);
        }
    }
}
