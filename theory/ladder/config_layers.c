/* How many layers of a model are recurrent, and how many are of attention. */
#include "theory/ladder/impl.h"
#include <string.h>

/* Counts the names of a list of kinds of layers. */
static void count_kinds(f2l_ladder_config *out, f2l_config_members *m, const char *name)
{
    const json_t *list = f2l_config_get(m, name), *one;
    out->recurrent = out->attention = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        one = json_array_get(list, i);
        const char *kind = json_string_value(one);
        if (!kind) {
            f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a list of texts");
            return;
        }
        if (strcmp(kind, "linear_attention") == 0 || strcmp(kind, "mamba") == 0 ||
            strcmp(kind, "hybrid") == 0 || strcmp(kind, "recurrent") == 0)
            out->recurrent++;
        const size_t length = strlen(kind), word = strlen("attention");
        const bool linear = strcmp(kind, "linear_attention") == 0;
        if (strcmp(kind, "hybrid") == 0 ||
            (!linear && length >= word && strcmp(kind + length - word, "attention") == 0))
            out->attention++;
        else if (!linear && strcmp(kind, "mamba") != 0 && strcmp(kind, "recurrent") != 0 &&
                 strcmp(kind, "mlp") != 0 && strcmp(kind, "moe") != 0)
            f2l_config_refuse(m, F2L_EFORMAT, name, "has a kind of layer that is not known here");
    }
    out->layers = json_array_size(list);
}

/* Counts the letters of a pattern of layers, "M-M*-". */
static void count_pattern(f2l_ladder_config *out, f2l_config_members *m, const char *name)
{
    const char *pattern = f2l_config_word(m, name);
    out->recurrent = out->attention = out->layers = 0;
    for (; pattern && *pattern && *pattern != '/'; pattern++) {
        if (*pattern == '|') continue;
        out->layers++;
        if (*pattern == 'M' || *pattern == 'G')
            out->recurrent++;
        else if (strchr("*D+", *pattern))
            out->attention++;
        else if (!strchr("-E", *pattern))
            f2l_config_refuse(m, F2L_EFORMAT, name,
                              "has a letter that is not known here: M, G, *, D, +, -, E and | are");
    }
}

/* Counts the layers that fla's `attn` gives to attention. */
static size_t count_attn(f2l_config_members *m, const json_t *attn)
{
    size_t count = 0;
    if (json_is_array(attn)) {
        for (size_t i = 0; i < json_array_size(attn); i++)
            count += count_attn(m, json_array_get(attn, i));
        return count;
    }
    const json_t *layers = json_object_get(attn, "layers");
    if (!json_is_object(attn) || !json_is_array(layers))
        f2l_config_refuse(m, F2L_EFORMAT, "attn", "is to be an object with a list of layers");
    return json_array_size(layers);
}

void f2l_config_count_layers(f2l_ladder_config *out, f2l_config_members *m)
{
    static const char *const totals[] = {"num_hidden_layers", "num_layers", "n_layer"};
    for (size_t i = 0; out->layers == 0 && i < sizeof totals / sizeof *totals; i++)
        out->layers = f2l_config_count(m, totals[i], 0);
    const size_t all = out->layers;
    size_t attention = 0;
    out->attention_known = true;
    if (f2l_config_has(m, "layer_types") || f2l_config_has(m, "layers_block_type")) {
        count_kinds(out, m, f2l_config_has(m, "layer_types") ? "layer_types" : "layers_block_type");
        return;
    }
    if (f2l_config_has(m, "hybrid_layer_pattern") || f2l_config_has(m, "hybrid_override_pattern")) {
        count_pattern(out, m,
                      f2l_config_has(m, "hybrid_layer_pattern") ? "hybrid_layer_pattern"
                                                                : "hybrid_override_pattern");
        return;
    }
    const json_t *kimi = f2l_config_get(m, "linear_attn_config");
    const json_t *freq = f2l_config_get(m, "linear_attention_freq");
    if (kimi) {
        attention = json_array_size(json_object_get(kimi, "full_attn_layers"));
    } else if (f2l_config_has(m, "attn")) {
        attention = count_attn(m, f2l_config_get(m, "attn"));
    } else if (f2l_config_has(m, "attn_layer_indices")) {
        attention = json_array_size(f2l_config_get(m, "attn_layer_indices"));
    } else if (json_is_array(freq)) {
        for (size_t i = 0; i < json_array_size(freq); i++)
            attention += json_integer_value(json_array_get(freq, i)) == 0;
    } else {
        const char *name = f2l_config_has(m, "attn_layer_period")       ? "attn_layer_period"
                           : f2l_config_has(m, "linear_attention_freq") ? "linear_attention_freq"
                                                                        : "full_attention_interval";
        const size_t every = f2l_config_count(m, name, 0);
        if (f2l_config_has(m, name) && every == 0)
            f2l_config_refuse(m, F2L_EFORMAT, name, "is 0: every how many layers is expected");
        attention = every ? all / every : 0;
        out->attention_known = f2l_config_has(m, name) || !out->class->attends;
    }
    if (all && attention > all)
        f2l_config_refuse(m, F2L_EFORMAT, "attn", "gives attention more layers than there are");
    out->attention = attention;
    out->recurrent = all > attention ? all - attention : 0;
}
