#include "models/doors/checkpoint/megatron.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LAYERS "decoder.layers."
#define NET "self_attention"
#define PRODUCT "mixer"

/* The files, and what they have. */
typedef struct source {
    const f2l_safetensors_file *file;
    size_t files;
    const char *prefix; /* before `decoder.` */
} source;

/* --- names --- */

/* Returns where "layers.N.self_attention.in_proj." or the like begins with `decoder.`, or NULL. */
static const char *find_projection(const char *name)
{
    static const char *const mixer[] = {NET ".in_proj.", PRODUCT ".in_proj."};
    const char *at = strstr(name, LAYERS);
    if (at == NULL) return NULL;
    const char *rest = at + strlen(LAYERS);
    const size_t digits = strspn(rest, "0123456789");
    rest += digits + (digits > 0 && rest[digits] == '.');
    for (size_t i = 0; i < sizeof mixer / sizeof *mixer; i++)
        if (strncmp(rest, mixer[i], strlen(mixer[i])) == 0) return at;
    return NULL;
}

/* Returns a name of a projection of the files, or NULL. */
static const char *find_any_projection(const f2l_safetensors_file *file, size_t files)
{
    const char *name;
    json_t *value;
    for (size_t f = 0; f < files; f++)
        json_object_foreach(file[f].header, name,
                            value) if (find_projection(name) != NULL) return name;
    return NULL;
}

bool f2l_megatron_has_names(const f2l_safetensors_file *file, size_t files)
{
    return find_any_projection(file, files) != NULL;
}

/* Sets prefix[64] to what is before `decoder.`: wrappers, and `language_model.` of models of texts
 * and images. */
static f2l_status find_megatron_prefix(char *prefix, const f2l_safetensors_file *file, size_t files,
                                       f2l_error *err)
{
    static const char inner[] = "language_model.";
    const char *name = find_any_projection(file, files);
    if (name == NULL)
        return f2l_fail(err, F2L_EFORMAT,
                        "no tensor has a name of Megatron's gated delta layers: " LAYERS "0." NET
                        ".in_proj.weight, or " LAYERS "0." PRODUCT ".in_proj.weight");
    const size_t size = (size_t)(find_projection(name) - name);
    size_t at = f2l_seq_wrapped(name);
    if (strncmp(name + at, inner, strlen(inner)) == 0) at += strlen(inner);
    if (at != size || size > 63)
        return f2l_fail(err, F2L_EFORMAT,
                        "the name %.100s begins with something that is not known here before "
                        "`decoder.`: parts of a pipeline are to be joined first",
                        name);
    if (!isdigit((unsigned char)name[size + strlen(LAYERS)]))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor %.100s has all layers in one: split it along its first "
                        "dimension, a tensor for each layer",
                        name);
    snprintf(prefix, 64, "%.*s", (int)size, name);
    return F2L_OK;
}

/* Writes a name behind the prefix, and returns whether a file has a tensor of that name. */
__attribute__((format(printf, 3, 4))) static bool has_name(char name[160], const source *from,
                                                           const char *format, ...)
{
    va_list list;
    size_t f = 0;
    const int size = snprintf(name, 160, "%.63s", from->prefix);
    va_start(list, format);
    vsnprintf(name + size, 160 - (size_t)size, format, list);
    va_end(list);
    while (f < from->files && json_object_get(from->file[f].header, name) == NULL) f++;
    return f < from->files;
}

/* --- the tensors of a layer --- */

/* What a projection has, in the order of its rows. */
typedef struct part {
    size_t tensor, rows;
    size_t taps;      /* its convolution; F2L_SEQ_NONE: it has none */
    const char *name; /* of a tensor of its own; * stands for the factor */
    bool shared;      /* by heads */
} part;

enum { PARTS = 6 };

static void list_parts(part out[PARTS], const f2l_seq_config *c, size_t share, bool product)
{
    const size_t keys = c->heads / share * c->key_dim, values = c->heads * c->value_dim,
                 n = c->householders;
    const part query = {F2L_DELTA_QUERY, keys, F2L_DELTA_QUERY_TAPS, product ? "Q" : "query", true},
               key = {F2L_DELTA_KEY, n * keys, F2L_DELTA_KEY_TAPS, product ? "K*" : "key", true},
               value = {F2L_DELTA_VALUE, n * values, F2L_DELTA_VALUE_TAPS, product ? "V*" : "value",
                        false},
               gate = {F2L_DELTA_OUTPUT_GATE, values, F2L_SEQ_NONE, "z", false},
               beta = {F2L_DELTA_BETA, n * c->heads, F2L_SEQ_NONE, product ? "b*" : "beta", false},
               step = {F2L_DELTA_STEP, c->heads, F2L_SEQ_NONE, product ? "a" : "alpha", false};
    const part net_order[PARTS] = {query, key, value, gate, beta, step},
               product_order[PARTS] = {gate, value, key, query, beta, step};
    memcpy(out, product ? product_order : net_order, sizeof product_order);
}

/* A layer of the model and its names. */
typedef struct layer {
    f2l_seq_entry *entry; /* of all tensors of the model */
    const f2l_seq *model;
    const size_t *tensor; /* the mixer's */
    char at[160];         /* LAYERS "3." NET */
    bool product, whole;  /* whole: parts are rows of one tensor */
    size_t share;
} layer;

/* Fills in an entry, unless the model has no such tensor. */
static f2l_seq_entry *put_entry(f2l_seq_entry *entry, const f2l_seq *model, size_t tensor,
                                const char *name)
{
    static f2l_seq_entry none;
    if (tensor == F2L_SEQ_NONE) return &none;
    f2l_seq_entry *e = &entry[tensor];
    *e = (f2l_seq_entry){.tensor = &model->tensor[tensor],
                         .rows = model->tensor[tensor].dim[0],
                         .scale = 1,
                         .share = 1};
    snprintf(e->name, sizeof e->name, "%.159s", name);
    return e;
}

/* Fills in an entry for a part: rows of `all`, which begin at `first`, or a tensor of its own. */
static void put_part(const layer *l, const part *p, size_t tensor, const char *stem, size_t first,
                     size_t all)
{
    char name[200];
    const f2l_seq_config *c = &l->model->config;
    if (tensor == F2L_SEQ_NONE) return;
    snprintf(name, sizeof name, "%.140s.%.20s%s%.10s", l->at, stem, l->whole ? "" : ".",
             l->whole ? "" : p->name);
    f2l_seq_entry *e = put_entry(l->entry, l->model, tensor, name);
    e->rows = l->whole ? all : p->rows;
    e->first = l->whole ? first : 0;
    e->block = e->stride = p->shared ? c->key_dim : p->rows;
    e->share = p->shared ? l->share : 1;
    if (!l->whole && strchr(p->name, '*') != NULL) e->numbered = c->householders;
}

static void put_parts(const layer *l)
{
    part p[PARTS];
    size_t rows = 0, channels = 0, row = 0, channel = 0;
    list_parts(p, &l->model->config, l->share, l->product);
    for (size_t i = 0; i < PARTS; i++) {
        rows += p[i].rows;
        channels += p[i].taps != F2L_SEQ_NONE ? p[i].rows : 0;
    }
    for (size_t i = 0; i < PARTS; i++) {
        put_part(l, &p[i], l->tensor[p[i].tensor], "in_proj.weight", row, rows);
        row += p[i].rows;
        if (p[i].taps == F2L_SEQ_NONE) continue;
        put_part(l, &p[i], l->tensor[p[i].taps], "conv1d.weight", channel, channels);
        channel += p[i].rows;
    }
}

static void put_mixer(const layer *l)
{
    const struct {
        size_t tensor;
        const char *name;
    } own[] = {{F2L_DELTA_GATE_LOG, "A_log"},
               {F2L_DELTA_GATE_BIAS, "dt_bias"},
               {F2L_DELTA_OUTPUT_NORM, l->product ? "norm.weight" : "out_norm.weight"},
               {F2L_DELTA_OUT, "out_proj.weight"}};
    char name[200];
    put_parts(l);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        snprintf(name, sizeof name, "%.140s.%s", l->at, own[i].name);
        put_entry(l->entry, l->model, l->tensor[own[i].tensor], name);
    }
}

/* Refuses a projection of fewer rows, of which a whole number would make it: it is one of the parts
 * that tensor parallelism makes. */
static f2l_status check_is_whole(const layer *l, const source *from, f2l_error *err)
{
    f2l_safetensors_tensor found = {0};
    const f2l_seq_entry *e = &l->entry[l->tensor[F2L_DELTA_KEY]];
    for (size_t f = 0; f < from->files && !found.present; f++)
        f2l_safetensors_find(&found, &from->file[f], e->name);
    if (!found.present || found.dims != 2 || found.dim[0] == 0 || found.dim[0] >= e->rows ||
        e->rows % found.dim[0] != 0)
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the tensor %s has %zu rows of %zu: it is one of %zu parts of tensor "
                    "parallelism, which Megatron joins as it loads them with "
                    "--tensor-model-parallel-size 1",
                    e->name, found.dim[0], e->rows, e->rows / found.dim[0]);
}

/* Returns what a layer is that is no gated delta layer. */
static const char *name_other_layer(const source *from, size_t number)
{
    char name[160];
    if (has_name(name, from, LAYERS "%zu." NET ".linear_qkv.weight", number))
        return "it is of full attention, which is not modelled";
    if (has_name(name, from, LAYERS "%zu.mlp.linear_fc1.weight", number))
        return "it is an MLP alone";
    return "it is of a kind that is not modelled";
}

/* Finds the names of a layer's mixer. */
static f2l_status find_layer(layer *l, const source *from, size_t number, f2l_error *err)
{
    static const char *const mixer[] = {NET, PRODUCT}, *const first[] = {"query", "K0"};
    char name[160];
    for (size_t i = 0; i < 2; i++) {
        l->product = i == 1;
        l->whole = has_name(name, from, LAYERS "%zu.%s.in_proj.weight", number, mixer[i]);
        if (!l->whole &&
            !has_name(name, from, LAYERS "%zu.%s.in_proj.weight.%s", number, mixer[i], first[i]))
            continue;
        (void)has_name(l->at, from, LAYERS "%zu.%s", number, mixer[i]);
        if (has_name(name, from, LAYERS "%zu." PRODUCT ".D", number))
            return f2l_fail(err, F2L_EDOMAIN, "the tensor %s is of Mamba2, which is not modelled",
                            name);
        return F2L_OK;
    }
    return f2l_fail(err, F2L_EDOMAIN,
                    "layer %zu has no tensor %s" LAYERS "%zu." NET ".in_proj..: "
                    "%s",
                    number + 1, from->prefix, number, name_other_layer(from, number));
}

/* Writes the first of these names that the files have, or the first of them. */
static void find_norm(char name[160], const source *from, size_t number, const char *const end[3])
{
    for (size_t i = 0; i < 3; i++)
        if (has_name(name, from, LAYERS "%zu.%s", number, end[i])) return;
    (void)has_name(name, from, LAYERS "%zu.%s", number, end[0]);
}

static void put_mlp(f2l_seq_entry *entry, const f2l_seq *model, const source *from, size_t l,
                    size_t number, double shift)
{
    static const char *const norm[3] = {"mlp.linear_fc1.layer_norm_weight",
                                        "pre_mlp_layernorm.weight", "pre_mlp_layernorm.weight"};
    char name[160];
    const size_t rows = model->config.mlp;
    if (rows == 0) return;
    find_norm(name, from, number, norm);
    put_entry(entry, model, model->layer[l].mlp_norm, name)->shift = shift;
    (void)has_name(name, from, LAYERS "%zu.mlp.linear_fc1.weight", number);
    const size_t half[] = {model->layer[l].mlp_gate, model->layer[l].mlp_up};
    for (size_t i = 0; i < 2; i++) {
        f2l_seq_entry *e = put_entry(entry, model, half[i], name);
        e->rows = 2 * rows;
        e->first = i * rows;
        e->block = e->stride = rows;
    }
    (void)has_name(name, from, LAYERS "%zu.mlp.linear_fc2.weight", number);
    put_entry(entry, model, model->layer[l].mlp_down, name);
}

static f2l_status put_layer(f2l_seq_entry *entry, const f2l_seq *model, const source *from,
                            const f2l_pick *pick, size_t l, size_t number, f2l_error *err)
{
    static const char *const net[3] = {NET ".in_proj.layer_norm_weight", "input_layernorm.weight",
                                       "norm.weight"},
                             *const product[3] = {PRODUCT ".in_proj.layer_norm_weight",
                                                  "norm.weight", "input_layernorm.weight"};
    char name[160];
    layer to = {
        .entry = entry, .model = model, .tensor = model->layer[l].mixer, .share = pick->fla.share};
    f2l_status status = find_layer(&to, from, number, err);
    if (status != F2L_OK) return status;
    find_norm(name, from, number, to.product ? product : net);
    put_entry(entry, model, model->layer[l].mixer_norm, name)->shift = pick->shift;
    put_mixer(&to);
    if (to.tensor[F2L_DELTA_OUTPUT_NORM] != F2L_SEQ_NONE)
        entry[to.tensor[F2L_DELTA_OUTPUT_NORM]].shift = pick->shift;
    put_mlp(entry, model, from, l, number, pick->shift);
    return to.whole ? check_is_whole(&to, from, err) : F2L_OK;
}

/* --- the model --- */

/* Refuses a configuration that no layer of Megatron has. */
static f2l_status check_megatron_config(const f2l_seq_config *c, f2l_error *err)
{
    const char *why = c->mixer != &f2l_mixer_delta ? "another recurrence than a delta rule"
                      : !c->forget_gate            ? "no forget gates"
                      : c->convolution == 0        ? "no convolution"
                      : !c->silu_keys              ? "no SiLU on keys"
                                                   : NULL;
    return why == NULL ? F2L_OK
                       : f2l_fail(err, F2L_EDOMAIN,
                                  "the names of the tensors are Megatron's, and config.json has "
                                  "%s, which its layers have not got",
                                  why);
}

/* Fills in embedding, norm and head. */
static void put_ends(f2l_seq_entry *entry, const f2l_seq *model, const f2l_pick *pick,
                     const source *from)
{
    char name[160];
    (void)has_name(name, from, "embedding.word_embeddings.weight");
    put_entry(entry, model, model->embedding, name)->rows = pick->vocabulary;
    (void)has_name(name, from, "output_layer.weight");
    put_entry(entry, model, model->head, name)->rows = pick->vocabulary;
    if (!has_name(name, from, "decoder.final_norm.weight"))
        (void)has_name(name, from, "decoder.final_layernorm.weight");
    put_entry(entry, model, model->norm, name)->shift = pick->shift;
}

f2l_status f2l_megatron_entries(f2l_seq_entry **out, f2l_seq_names *names, const f2l_seq *model,
                                const f2l_pick *pick, size_t first,
                                const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    *out = NULL;
    *names = (f2l_seq_names){.factors = 0};
    f2l_status status = check_megatron_config(&model->config, err);
    if (status == F2L_OK) status = find_megatron_prefix(names->prefix, file, files, err);
    if (status != F2L_OK) return status;
    const source from = {file, files, names->prefix};
    f2l_seq_entry *entry = f2l_calloc(model->tensors, sizeof *entry);
    if (entry == NULL) return f2l_fail_memory(err);
    put_ends(entry, model, pick, &from);
    for (size_t l = 0; status == F2L_OK && l < model->config.layers; l++)
        status = put_layer(entry, model, &from, pick, l, first + l, err);
    if (status == F2L_OK)
        *out = entry;
    else
        f2l_free(entry);
    return status;
}

/* --- tensors of other kinds --- */

/* Refuses the first tensor of a kind that no class here has. */
static f2l_status refuse_other_kinds(const f2l_seq_names *names, const f2l_safetensors_file *file,
                                     size_t files, f2l_error *err)
{
    static const struct {
        const char *part, *what;
    } other[] = {{"." PRODUCT ".norm.weight",
                  "the norm behind the output gate of a GatedDeltaProductMixer, where classes here "
                  "have the gate behind the norm; inspect --layer N shows the recurrence"},
                 {".linear_qkv.", "a projection of full attention"},
                 {".linear_proj.", "a projection of full attention"},
                 {".mlp.experts.", "an expert"},
                 {".mlp.router.", "a choice of experts"},
                 {".mlp.shared_experts.", "an expert"},
                 {"position_embeddings.", "an embedding of positions"},
                 {".conv1d.bias", "a bias of a convolution"},
                 {"layer_norm_bias", "a bias of LayerNorm"},
                 {"layernorm.bias", "a bias of LayerNorm"},
                 {"norm.bias", "a bias of LayerNorm"},
                 {".bias", "a bias of a linear layer"},
                 {".adapter.", "an adapter beside a linear layer (LoRA), to be merged first"},
                 {"vision_", "of a model of images"}};
    const char *name;
    json_t *value;
    for (size_t f = 0; f < files; f++) json_object_foreach(file[f].header, name, value)
        {
            if (f2l_megatron_unused(names, name) != NULL) continue;
            for (size_t i = 0; i < sizeof other / sizeof *other; i++)
                if (strstr(name, other[i].part) != NULL)
                    return f2l_fail(err, F2L_EDOMAIN,
                                    "the tensor %.120s is %s, which is not modelled", name,
                                    other[i].what);
        }
    return F2L_OK;
}

f2l_status f2l_megatron_check_whole(f2l_seq_entry *entry, const f2l_seq_names *names,
                                    const f2l_seq *model, const f2l_pick *pick,
                                    const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    const f2l_status status = refuse_other_kinds(names, file, files, err);
    if (status != F2L_OK) return status;
    if (!model->config.output_gate)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the names of the tensors are Megatron's, whose layers have output gates, "
                        "and config.json has none");
    return f2l_seq_tie_head(entry, model, pick->fla.tie, file, files, err);
}

const char *f2l_megatron_unused(const void *context, const char *tensor)
{
    static const struct {
        const char *end, *why;
    } unused[] = {{".inv_freq", "a table of angles, which is computed anew"},
                  {"._extra_state", "a state of kernels in eight bits"}};
    const f2l_seq_names *names = context;
    const size_t before = strlen(names->prefix), size = strlen(tensor);
    if (strncmp(tensor, names->prefix, before) != 0) return NULL;
    if (strncmp(tensor + before, "mtp.", 4) == 0) return "it foretells words beyond the next one";
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        const size_t end = strlen(unused[i].end);
        if (size > end && strcmp(tensor + size - end, unused[i].end) == 0) return unused[i].why;
    }
    return NULL;
}
