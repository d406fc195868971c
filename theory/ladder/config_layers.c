/* How many layers of a model are recurrent, and how many are of attention. */
#include "theory/ladder/impl.h"
#include <string.h>

/* What a setting says of the layers. */
typedef struct tally {
    size_t layers, recurrent, attention; /* layers: 0 where the setting does not say how many */
    bool partial;                        /* some attention reads a part of the positions only */
} tally;

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

/* Counts the names of a list of kinds of layers. */
static void count_kinds(tally *out, f2l_config_members *m, const char *name)
{
    static const char *const steps[] = {"linear_attention", "mamba", "recurrent", "hybrid", NULL};
    static const char *const full[] = {"full_attention", "attention", "hybrid", NULL};
    static const char *const parts[] = {"sliding_attention", "chunked_attention",
                                        "indexed_attention", NULL};
    static const char *const mixed[] = {"mlp", "moe", NULL};
    const json_t *list = f2l_config_get(m, name);
    if (!json_is_array(list) || json_array_size(list) == 0)
        f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a list of texts, one for each layer");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *kind = json_string_value(json_array_get(list, i));
        if (!kind) {
            f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a list of texts");
            return;
        }
        const bool step = is_one_of(kind, steps), part = is_one_of(kind, parts);
        const bool reads = part || is_one_of(kind, full);
        out->recurrent += step;
        out->attention += reads;
        out->partial |= part;
        if (!step && !reads && !is_one_of(kind, mixed))
            f2l_config_refuse(m, F2L_EFORMAT, name, "has a kind of layer that is not known here");
    }
    out->layers = json_array_size(list);
}

/* Counts the letters of a pattern of layers, "M-M*-". D is attention to a choice of positions. */
static void count_pattern(tally *out, f2l_config_members *m, const char *name)
{
    const char *pattern = f2l_config_word(m, name);
    for (; pattern && *pattern && *pattern != '/'; pattern++) {
        if (*pattern == '|') continue;
        out->layers++;
        out->recurrent += *pattern == 'M' || *pattern == 'G';
        out->attention += strchr("*D+", *pattern) != NULL;
        out->partial |= *pattern == 'D';
        if (!strchr("MG*D+-E", *pattern))
            f2l_config_refuse(m, F2L_EFORMAT, name,
                              "has a letter that is not known here: M, G, *, D, +, -, E and | are");
    }
    if (out->layers == 0) f2l_config_refuse(m, F2L_EFORMAT, name, "has no layers");
}

/* The numbers of layers that lists have. */
typedef struct marks {
    bool seen[F2L_CONFIG_LAYERS + 1];
    size_t count, first, all; /* `first`: the number of the first layer; `all`: 0: not known */
} marks;

/* Marks the layers of a list, each of which is to be there once. */
static void mark_layers(marks *out, f2l_config_members *m, const char *name, const json_t *list)
{
    const size_t most = out->all ? out->all + out->first - 1 : F2L_CONFIG_LAYERS;
    if (!json_is_array(list))
        f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a list of numbers of layers");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const json_int_t at = json_integer_value(one);
        if (!json_is_integer(one) || at < (json_int_t)out->first || at > (json_int_t)most) {
            f2l_config_refuse(m, F2L_EFORMAT, name,
                              "has something else than the number of a layer in its list");
            return;
        }
        if (out->seen[at]) f2l_config_refuse(m, F2L_EFORMAT, name, "has a layer twice");
        out->seen[at] = true;
        out->count++;
    }
}

/* Counts the layers that fla's `attn`, one object or a list of them, gives to attention. */
static void count_attn(tally *out, f2l_config_members *m, marks *layers)
{
    const json_t *attn = f2l_config_get(m, "attn");
    const size_t parts = json_is_array(attn) ? json_array_size(attn) : 1;
    for (size_t i = 0; i < parts; i++) {
        const json_t *one = json_is_array(attn) ? json_array_get(attn, i) : attn;
        const json_t *list = json_object_get(one, "layers");
        const json_t *window = json_object_get(one, "window_size");
        if (!json_is_object(one) || !json_is_array(list))
            f2l_config_refuse(m, F2L_EFORMAT, "attn", "is to be an object with a list of layers");
        mark_layers(layers, m, "attn", list);
        out->partial |= window && !json_is_null(window);
    }
    out->attention = layers->count;
}

/* Counts the layers of Kimi Linear: its two lists have every layer once. */
static void count_kimi(tally *out, f2l_config_members *m, marks *layers)
{
    const json_t *lists = f2l_config_get(m, "linear_attn_config");
    layers->first = 1;
    if (!json_is_object(lists))
        f2l_config_refuse(m, F2L_EFORMAT, "linear_attn_config", "is to be an object");
    mark_layers(layers, m, "full_attn_layers", json_object_get(lists, "full_attn_layers"));
    out->attention = layers->count;
    mark_layers(layers, m, "kda_layers", json_object_get(lists, "kda_layers"));
    if (layers->count != layers->all)
        f2l_config_refuse(m, F2L_EFORMAT, "linear_attn_config",
                          "is to have every layer from 1 to num_hidden_layers, in kda_layers or "
                          "full_attn_layers");
}

/* Counts the layers of Megatron-LM's linear_attention_freq. */
static void count_freq(tally *out, f2l_config_members *m, size_t all)
{
    static const char name[] = "linear_attention_freq";
    const json_t *freq = f2l_config_get(m, name);
    if (json_is_integer(freq) && json_integer_value(freq) > 0) {
        out->attention = all / (size_t)json_integer_value(freq);
        return;
    }
    if (!json_is_array(freq))
        f2l_config_refuse(m, F2L_EFORMAT, name,
                          "is to be a number from 1 on, or a list of 0 and 1 for each layer; a "
                          "text is not evaluated");
    for (size_t i = 0; i < json_array_size(freq); i++) {
        const json_t *one = json_array_get(freq, i);
        const json_int_t linear = json_integer_value(one);
        if (!json_is_integer(one) || linear < 0 || linear > 1)
            f2l_config_refuse(m, F2L_EFORMAT, name, "has something else than 0 and 1 in its list");
        out->attention += linear == 0;
    }
    out->layers = json_array_size(freq);
    out->recurrent = out->layers - out->attention;
}

/* Counts the layers i with i mod period = offset. */
static void count_period(tally *out, f2l_config_members *m, size_t all)
{
    const size_t period = f2l_config_count(m, "attn_layer_period", 0);
    const size_t offset = f2l_config_count(m, "attn_layer_offset", 0);
    if (!f2l_config_has(m, "attn_layer_offset"))
        f2l_config_refuse(m, F2L_EFORMAT, "attn_layer_offset", "is missing, beside its period");
    if (period == 0 || offset >= period)
        f2l_config_refuse(m, F2L_EFORMAT, "attn_layer_period", "is to be larger than its offset");
    else
        out->attention = all > offset ? (all - offset - 1) / period + 1 : 0;
}

static void count_interval(tally *out, f2l_config_members *m, size_t all)
{
    const size_t every = f2l_config_count(m, "full_attention_interval", 0);
    if (every == 0)
        f2l_config_refuse(m, F2L_EFORMAT, "full_attention_interval",
                          "is 0: every how many layers is expected");
    else
        out->attention = all / every;
}

/* The settings that place attention; in the classes of models that read them. */
typedef enum setting {
    KINDS,
    BLOCKS,
    PATTERN,
    OVERRIDE,
    KIMI,
    ATTN,
    INDICES,
    FREQ,
    PERIOD,
    INTERVAL,
    SETTINGS
} setting;

static const char *const setting_name[SETTINGS] = {
    "layer_types",          "layers_block_type",
    "hybrid_layer_pattern", "hybrid_override_pattern",
    "linear_attn_config",   "attn",
    "attn_layer_indices",   "linear_attention_freq",
    "attn_layer_period",    "full_attention_interval"};

/* Returns whether the library reads the setting for the class. */
static bool reads_setting(const f2l_layer_class *c, setting s)
{
    static const char *const without[] = {
        "log_linear_mamba2",      "mamba", "mamba2", "mamba3", "mla", "path_attn", "transformer",
        "forgetting_transformer", NULL};
    if (c->library == F2L_LIBRARY_MEGATRON) return s == PATTERN || s == OVERRIDE || s == FREQ;
    if (c->library != F2L_LIBRARY_HF) return s == ATTN && !is_one_of(c->type, without);
    return s == KINDS || s == BLOCKS ||
           ((s == PATTERN || s == OVERRIDE) && strcmp(c->type, "nemotron_h") == 0) ||
           (s == KIMI && strcmp(c->type, "kimi_linear") == 0) ||
           (s == INDICES && strcmp(c->type, "bamba") == 0) ||
           (s == PERIOD && strcmp(c->type, "jamba") == 0) ||
           (s == INTERVAL && strncmp(c->type, "qwen3_", 6) == 0);
}

/* Returns whether no list of kinds may say the same instead: the class derives that list. */
static bool is_own(const char *needed)
{
    return needed == setting_name[KIMI] || needed == setting_name[INDICES] ||
           needed == setting_name[PERIOD];
}

/* Returns the setting without which it is not known where attention is; NULL: there is none. */
static const char *find_needed(const f2l_ladder_config *out)
{
    static const char *const without[] = {"mamba", "falcon_mamba", "mamba2", "xlstm", NULL};
    const f2l_layer_class *c = out->class;
    if (c->library != F2L_LIBRARY_HF || out->base == F2L_LADDER_TRANSFORMER ||
        is_one_of(c->type, without))
        return NULL;
    for (setting s = PATTERN; s < SETTINGS; s++)
        if (reads_setting(c, s) && s != PATTERN) return setting_name[s];
    return setting_name[KINDS];
}

static void count_setting(tally *out, f2l_config_members *m, setting s, size_t all)
{
    marks layers = {.all = all};
    if (all == 0 && s >= KIMI && s != ATTN)
        f2l_config_refuse(m, F2L_EFORMAT, "num_hidden_layers", "is missing: how many layers are");
    if (s == KINDS || s == BLOCKS) count_kinds(out, m, setting_name[s]);
    if (s == PATTERN || s == OVERRIDE) count_pattern(out, m, setting_name[s]);
    if (s == KIMI) count_kimi(out, m, &layers);
    if (s == ATTN) count_attn(out, m, &layers);
    if (s == INDICES) {
        mark_layers(&layers, m, setting_name[s], f2l_config_get(m, setting_name[s]));
        out->attention = layers.count;
    }
    if (s == FREQ) count_freq(out, m, all);
    if (s == PERIOD) count_period(out, m, all);
    if (s == INTERVAL) count_interval(out, m, all);
    if (out->layers && all && out->layers != all)
        f2l_config_refuse(m, F2L_EFORMAT, setting_name[s],
                          "has another number of layers than the "
                          "configuration says that there are");
    if (all && !out->layers) out->recurrent = all - out->attention;
    if (!out->layers) out->layers = all;
}

/* Returns whether attention reads a part of the positions, by settings for all its layers. */
static bool has_window(f2l_config_members *m)
{
    static const char *const names[] = {"window_size", "attention_chunk_size", "attention_window",
                                        "window_attn_skip_freq"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (f2l_config_has(m, names[i])) return true;
    return f2l_config_has(m, "sliding_window") && f2l_config_flag(m, "use_sliding_window", true);
}

void f2l_config_count_layers(f2l_ladder_config *out, f2l_config_members *m)
{
    static const char *const totals[] = {"num_hidden_layers", "num_layers", "n_layer"};
    const char *needed = find_needed(out), *found = NULL;
    for (size_t i = 0; out->layers == 0 && i < sizeof totals / sizeof *totals; i++)
        out->layers = f2l_config_count(m, totals[i], 0);
    const size_t all = out->layers;
    out->recurrent = all;
    for (setting s = 0; s < SETTINGS; s++) {
        tally one = {0};
        if (!f2l_config_has(m, setting_name[s])) continue;
        if (!reads_setting(out->class, s))
            f2l_config_refuse(m, F2L_EDOMAIN, setting_name[s],
                              "places attention in other classes; this one does not read it");
        count_setting(&one, m, s, all);
        if (found && (one.attention != out->attention || one.recurrent != out->recurrent))
            f2l_config_refuse(m, F2L_EFORMAT, setting_name[s],
                              "says something else than another setting of where attention is");
        out->layers = one.layers;
        out->recurrent = one.recurrent;
        out->attention = one.attention;
        out->partial |= one.partial;
        found = setting_name[s];
    }
    if (found && out->base == F2L_LADDER_TRANSFORMER && out->recurrent > 0)
        f2l_config_refuse(m, F2L_EDOMAIN, found,
                          "has recurrent layers, of which this class does not say the kind");
    out->attention_known = found || !out->class->attends;
    out->partial |= has_window(m) || (!found && strcmp(out->class->type, "samba") == 0);
    if (strcmp(out->class->type, "falcon_h1") == 0) {
        out->recurrent = out->attention = out->layers; /* both, in every layer */
        out->attention_known = out->layers > 0;
    } else if (needed && (!found || (is_own(needed) && !f2l_config_has(m, needed)))) {
        f2l_config_refuse(m, F2L_EDOMAIN, needed, F2L_CONFIG_MISSING);
    }
}
