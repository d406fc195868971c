#include "models/doors/checkpoint/megatron.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/seq_entries.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

#define WORDS "embed_tokens.weight"

/* What is read: the tensors of the model of one layer, and where they are in the files. */
typedef struct list {
    f2l_seq_entry *entry;
    size_t entries;
    const char *base; /* of a hybrid: "model." */
} list;

/* Returns whether the recurrence needs the mixer's tensor. */
static bool is_needed(const f2l_seq_config *c, size_t tensor)
{
    return c->mixer != &f2l_mixer_delta ||
           (tensor != F2L_DELTA_OUTPUT_NORM && tensor != F2L_DELTA_OUT &&
            tensor != F2L_DELTA_OUTPUT_GATE);
}

/* Appends what the recurrence needs of all entries of `whole`, whose layer `from` is the one of the
 * model. */
static void list_needed(list *to, const f2l_seq *model, const f2l_seq_entry *all,
                        const f2l_seq *whole, size_t layer)
{
    const f2l_seq_layer *from = &whole->layer[layer], *one = &model->layer[0];
    to->entry[0] = all[whole->embedding];
    to->entry[0].tensor = &model->tensor[model->embedding];
    to->entry[1] = all[from->mixer_norm];
    to->entry[1].tensor = &model->tensor[one->mixer_norm];
    to->entries = 2;
    for (size_t i = 0; i < F2L_MIXER_TENSORS; i++) {
        if (one->mixer[i] == F2L_SEQ_NONE || !is_needed(&model->config, i)) continue;
        to->entry[to->entries] = all[from->mixer[i]];
        to->entry[to->entries++].tensor = &model->tensor[one->mixer[i]];
    }
}

/* Appends the entries of a layer of a model in a class of flash-linear-attention, for the tensors
 * of the model of one layer. */
static f2l_status list_fla(list *to, const f2l_seq *model, const f2l_pick *pick, size_t layer,
                           const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_seq whole;
    f2l_seq_names names;
    f2l_seq_entry *all = NULL;
    f2l_status status = f2l_seq_init(&whole, &pick->fla.config, err);
    if (status != F2L_OK) return status;
    status = f2l_seq_fla_entries(&all, &names, &whole, &pick->fla, file, files, err);
    if (status == F2L_OK) list_needed(to, model, all, &whole, layer);
    f2l_free(all);
    f2l_seq_clear(&whole);
    return status;
}

/* Appends the entries of a layer that has the names of Megatron. */
static f2l_status list_megatron(list *to, const f2l_seq *model, const f2l_pick *pick, size_t layer,
                                const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_seq_names names;
    f2l_seq_entry *all = NULL;
    const f2l_status status =
        f2l_megatron_entries(&all, &names, model, pick, layer, file, files, err);
    if (status == F2L_OK) list_needed(to, model, all, model, 0);
    f2l_free(all);
    return status;
}

/* Appends an entry for rows first, .. of a tensor of `rows` rows, whose name follows the layer's.
 */
static f2l_seq_entry *append_pick_entry(list *to, const f2l_seq *model, size_t tensor, size_t layer,
                                        const char *name, size_t rows)
{
    f2l_seq_entry *e = &to->entry[to->entries++];
    *e = (f2l_seq_entry){.tensor = &model->tensor[tensor], .rows = rows, .scale = 1, .share = 1};
    snprintf(e->name, sizeof e->name, "%.63slayers.%zu.%s", to->base, layer, name);
    return e;
}

/* Lets the entry take blocks of rows: `share` blocks of the model in turn are one of the file. */
static void take_blocks(f2l_seq_entry *e, size_t first, size_t block, size_t stride, size_t share)
{
    e->first = first;
    e->block = block;
    e->stride = stride;
    e->share = share;
}

/* The convolution has all queries, all keys, and all values. Its tensors may be cut elsewhere:
 * transformers cuts it into equal parts. */
static void list_taps(list *to, const f2l_seq *model, size_t layer, size_t share, const char *name,
                      const char *joined)
{
    const f2l_seq_config *c = &model->config;
    const size_t *t = model->layer[0].mixer, keys = c->heads / share * c->key_dim,
                 values = c->heads * c->value_dim, all = 2 * keys + values;
    const struct {
        size_t tensor, first, block, share;
    } part[] = {{F2L_DELTA_QUERY_TAPS, 0, c->key_dim, share},
                {F2L_DELTA_KEY_TAPS, keys, c->key_dim, share},
                {F2L_DELTA_VALUE_TAPS, 2 * keys, values, 1}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        f2l_seq_entry *e = append_pick_entry(to, model, t[part[i].tensor], layer, name, all);
        take_blocks(e, part[i].first, part[i].block, part[i].block, part[i].share);
        e->joined = joined;
    }
}

static void list_separate(list *to, const f2l_seq *model, size_t layer, size_t share)
{
    const f2l_seq_config *c = &model->config;
    const size_t *t = model->layer[0].mixer, keys = c->heads / share * c->key_dim;
    take_blocks(
        append_pick_entry(to, model, t[F2L_DELTA_QUERY], layer, "linear_attn.q_proj.weight", keys),
        0, c->key_dim, c->key_dim, share);
    take_blocks(
        append_pick_entry(to, model, t[F2L_DELTA_KEY], layer, "linear_attn.k_proj.weight", keys), 0,
        c->key_dim, c->key_dim, share);
    append_pick_entry(to, model, t[F2L_DELTA_VALUE], layer, "linear_attn.v_proj.weight",
                      c->heads * c->value_dim);
    append_pick_entry(to, model, t[F2L_DELTA_BETA], layer, "linear_attn.b_proj.weight", c->heads);
    append_pick_entry(to, model, t[F2L_DELTA_STEP], layer, "linear_attn.a_proj.weight", c->heads);
    list_taps(to, model, layer, share, "linear_attn.*_conv1d.weight", "qkv");
}

/* Projections by head of keys: queries, keys, values and output gates of the heads that share it;
 * betas and then gates. */
static void list_fused(list *to, const f2l_seq *model, size_t layer, size_t share)
{
    static const char *const all = "linear_attn.in_proj_qkvz.weight",
                             *const rates = "linear_attn.in_proj_ba.weight";
    const f2l_seq_config *c = &model->config;
    const size_t *t = model->layer[0].mixer, key = c->key_dim, value = share * c->value_dim,
                 stride = 2 * key + 2 * value, rows = c->heads / share * stride;
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_QUERY], layer, all, rows), 0, key, stride,
                share);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_KEY], layer, all, rows), key, key, stride,
                share);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_VALUE], layer, all, rows), 2 * key, value,
                stride, 1);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_BETA], layer, rates, 2 * c->heads), 0,
                share, 2 * share, 1);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_STEP], layer, rates, 2 * c->heads), share,
                share, 2 * share, 1);
    list_taps(to, model, layer, share, "linear_attn.conv1d.weight", NULL);
}

/* One projection for all queries, all keys and all values, and one each for betas and gates. */
static void list_four(list *to, const f2l_seq *model, size_t layer, size_t share)
{
    static const char *const all = "linear_attn.in_proj_qkv.weight";
    const f2l_seq_config *c = &model->config;
    const size_t *t = model->layer[0].mixer, keys = c->heads / share * c->key_dim,
                 values = c->heads * c->value_dim, rows = 2 * keys + values;
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_QUERY], layer, all, rows), 0, c->key_dim,
                c->key_dim, share);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_KEY], layer, all, rows), keys, c->key_dim,
                c->key_dim, share);
    take_blocks(append_pick_entry(to, model, t[F2L_DELTA_VALUE], layer, all, rows), 2 * keys,
                values, values, 1);
    append_pick_entry(to, model, t[F2L_DELTA_BETA], layer, "linear_attn.in_proj_b.weight",
                      c->heads);
    append_pick_entry(to, model, t[F2L_DELTA_STEP], layer, "linear_attn.in_proj_a.weight",
                      c->heads);
    list_taps(to, model, layer, share, "linear_attn.conv1d.weight", NULL);
}

static void list_hybrid(list *to, const f2l_seq *model, const f2l_pick *pick, size_t layer)
{
    static void (*const list_projections[])(list *, const f2l_seq *, size_t,
                                            size_t) = {[F2L_PICK_SEPARATE] = list_separate,
                                                       [F2L_PICK_FUSED] = list_fused,
                                                       [F2L_PICK_FOUR] = list_four};
    const f2l_seq_config *c = &model->config;
    const size_t *t = model->layer[0].mixer;
    const bool qwen = pick->layout != F2L_PICK_SEPARATE;
    const char *norm = qwen ? "input_layernorm.weight" : "attention_layer_norm.weight";
    f2l_seq_entry *e = append_pick_entry(to, model, model->embedding, layer, "", pick->vocabulary);
    snprintf(e->name, sizeof e->name, "%.63s" WORDS, to->base);
    e = append_pick_entry(to, model, model->layer[0].mixer_norm, layer, norm, c->width);
    e->shift = pick->shift;
    list_projections[pick->layout](to, model, layer, pick->fla.share);
    append_pick_entry(to, model, t[F2L_DELTA_GATE_LOG], layer, "linear_attn.A_log", c->heads);
    append_pick_entry(to, model, t[F2L_DELTA_GATE_BIAS], layer, "linear_attn.dt_bias", c->heads);
}

/* Returns whether the name is of the words' embedding behind parts that wrap a text model. */
static bool is_wrapped_words(const char *tensor)
{
    static const char *const inner = "language_model.";
    const size_t size = strlen(tensor);
    if (size < strlen(WORDS) || strcmp(tensor + size - strlen(WORDS), WORDS) != 0) return false;
    for (size_t at = 0; at < size - strlen(WORDS);) {
        size_t part = f2l_seq_wrapped(tensor + at);
        if (part == 0 && strncmp(tensor + at, inner, strlen(inner)) == 0) part = strlen(inner);
        if (part == 0) return false;
        at += part;
    }
    return true;
}

/* Sets base[64] to what lies before the embedding's own name: "model." or "model.language_model.".
 */
static f2l_status find_base(char *base, const f2l_safetensors_file *file, size_t files,
                            f2l_error *err)
{
    const char *name, *found = NULL;
    json_t *value;
    for (size_t f = 0; f < files; f++) json_object_foreach(file[f].header, name, value)
        {
            if (!is_wrapped_words(name)) continue;
            if (found != NULL)
                return f2l_fail(err, F2L_EFORMAT, "%.100s and %.100s are both embeddings of words",
                                found, name);
            found = name;
        }
    const size_t size = found != NULL ? strlen(found) - strlen(WORDS) : 0;
    if (size > 63)
        return f2l_fail(err, F2L_EFORMAT, "the name %.200s begins with too many wrappers", found);
    snprintf(base, 64, "%.*s", found != NULL ? (int)size : 63, found != NULL ? found : "model.");
    return F2L_OK;
}

/* Refuses a layer of a hybrid model that is not linear. */
static f2l_status check_layer_is_linear(const char *base, size_t layer,
                                        const f2l_safetensors_file *file, size_t files,
                                        f2l_error *err)
{
    char prefix[128];
    snprintf(prefix, sizeof prefix, "%slayers.%zu.linear_attn.", base, layer);
    for (size_t f = 0; f < files; f++) {
        const char *name;
        json_t *value;
        json_object_foreach(file[f].header, name,
                            value) if (strncmp(name, prefix, strlen(prefix)) == 0) return F2L_OK;
    }
    return f2l_fail(err, F2L_EDOMAIN,
                    "layer %zu has no tensor %s..: it is of full attention, which is not modelled",
                    layer + 1, prefix);
}

/* Appends the entries of a linear layer of a hybrid model. */
static f2l_status list_linear(list *to, const f2l_seq *model, const f2l_pick *pick, size_t layer,
                              const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    char base[64];
    f2l_status status = find_base(base, file, files, err);
    if (status == F2L_OK) status = check_layer_is_linear(base, layer, file, files, err);
    to->base = base;
    if (status == F2L_OK) list_hybrid(to, model, pick, layer);
    to->base = NULL;
    return status;
}

f2l_status f2l_pick_entries(f2l_seq_entry *entry, size_t *entries, const f2l_seq *model,
                            const f2l_pick *pick, size_t layer, const f2l_safetensors_file *file,
                            size_t files, f2l_error *err)
{
    list to = {.entry = entry};
    f2l_status status;
    if (layer >= pick->layers)
        return f2l_fail(err, F2L_EDOMAIN, "the model has %zu layers", pick->layers);
    if (pick->megatron || f2l_megatron_has_names(file, files))
        status = list_megatron(&to, model, pick, layer, file, files, err);
    else if (pick->hybrid)
        status = list_linear(&to, model, pick, layer, file, files, err);
    else
        status = list_fla(&to, model, pick, layer, file, files, err);
    *entries = to.entries;
    return status;
}

f2l_status f2l_pick_read_f32(float *parameters, const f2l_seq *model, const f2l_pick *pick,
                             size_t layer, const uint32_t *word, const f2l_safetensors_file *file,
                             size_t files, f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .to.single = parameters};
    f2l_seq_entry entry[F2L_PICK_ENTRIES];
    size_t entries = 0;
    for (size_t i = 0; layer < pick->layers && i < model->config.letters; i++)
        if (word[i] >= pick->vocabulary)
            return f2l_fail(err, F2L_EDOMAIN, "the vocabulary has %zu words, from 0 on: none is %u",
                            pick->vocabulary, word[i]);
    const f2l_status status =
        f2l_pick_entries(entry, &entries, model, pick, layer, file, files, err);
    if (status != F2L_OK) return status;
    entry[0].row = word;
    return f2l_seq_read_entries(&numbers, entry, entries, NULL, file, files, err);
}

f2l_status f2l_pick_whole_list(f2l_pick_whole *out, f2l_error *refused, const f2l_seq *model,
                               const f2l_pick *pick, const f2l_safetensors_file *file, size_t files,
                               f2l_error *err)
{
    const bool megatron = pick->megatron || f2l_megatron_has_names(file, files);
    *out = (f2l_pick_whole){.entry = NULL};
    snprintf(out->class, sizeof out->class, "the class %.40s%s", pick->class,
             megatron ? " under the names of Megatron" : "");
    out->owner = (f2l_seq_owner){out->class, megatron ? f2l_megatron_unused : f2l_seq_fla_unused,
                                 &out->names};
    f2l_status status =
        megatron
            ? f2l_megatron_entries(&out->entry, &out->names, model, pick, 0, file, files, err)
            : f2l_seq_fla_entries(&out->entry, &out->names, model, &pick->fla, file, files, err);
    if (status == F2L_OK && megatron)
        (void)f2l_megatron_check_whole(out->entry, &out->names, model, pick, file, files, refused);
    if (status == F2L_OK && refused->text[0] == '\0')
        (void)f2l_seq_check_entries(out->entry, model->tensors, &out->owner, file, files, refused);
    return status;
}

void f2l_pick_whole_clear(f2l_pick_whole *out)
{
    f2l_free(out->entry);
    out->entry = NULL;
}
