#include "models/doors/inject/base_model.h"
#include "models/doors/inject/impl.h"
#include "models/network/weights/shards.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INDEX "model.safetensors.index.json"
#define SINGLE "model.safetensors"
#define MAX_LAYERS ((size_t)1 << 20)

void f2l_base_model_init(f2l_base_model *c)
{
    *c = (f2l_base_model){.embedding = F2L_NO_INDEX};
    f2l_names_init(&c->files);
    f2l_names_init(&c->skipped);
    f2l_names_init(&c->tensors);
    f2l_buf_init(&c->type);
    f2l_buf_init(&c->transformers);
}

void f2l_base_model_clear(f2l_base_model *c)
{
    f2l_names_clear(&c->files);
    f2l_names_clear(&c->skipped);
    f2l_names_clear(&c->tensors);
    f2l_buf_clear(&c->type);
    f2l_buf_clear(&c->transformers);
    f2l_base_model_init(c);
}

f2l_status f2l_base_model_path(f2l_buf *out, const f2l_base_model *c, const char *name,
                               f2l_error *err)
{
    f2l_buf_printf(out, "%s/%s", c->folder, name);
    return f2l_buf_status(out, err);
}

/* --- the files --- */

/* Returns whether it has weights in a format whose reader may run what the file says. */
static bool is_pickle(const char *name)
{
    static const char *const ending[] = {".bin", ".pt", ".pth", ".ckpt", ".pkl", NULL};
    for (size_t i = 0; ending[i]; i++)
        if (f2l_path_ends(name, ending[i])) return true;
    return false;
}

bool f2l_base_model_has(const f2l_base_model *c, const char *name)
{
    return f2l_names_find(&c->files, name, strlen(name)) != F2L_NO_INDEX;
}

static f2l_status refuse_pickle(const char *name, f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN,
                    "'%.100s' has weights as a pickle, which may run programs when it is read; "
                    "convert the model to safetensors where you trust it: python3 -c \"from "
                    "transformers import AutoModelForCausalLM as M; "
                    "M.from_pretrained('OLD').save_pretrained('NEW')\", and copy its tokenizer's "
                    "files",
                    name);
}

/* Links are followed: a cache of downloads has links to its files. */
static f2l_status add_entry(f2l_base_model *c, const char *name, f2l_error *err)
{
    f2l_buf path;
    struct stat info;
    size_t index;
    if (name[0] == '.') return F2L_OK;
    f2l_buf_init(&path);
    f2l_status status = f2l_base_model_path(&path, c, name, err);
    if (status == F2L_OK && stat(path.data, &info) != 0)
        status =
            f2l_fail(err, F2L_EIO, "cannot read '%.150s': %s", name, f2l_reason_of(errno).text);
    f2l_buf_clear(&path);
    if (status != F2L_OK) return status;
    f2l_names *list = S_ISREG(info.st_mode) && !is_pickle(name) ? &c->files : &c->skipped;
    return f2l_names_add(list, name, strlen(name), &index, err);
}

static int compare_entry_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static f2l_status list_files(f2l_base_model *c, f2l_error *err)
{
    struct dirent **entry;
    f2l_status status = F2L_OK;
    const int entries = scandir(c->folder, &entry, NULL, compare_entry_names);
    if (entries < 0 && errno == ENOTDIR && is_pickle(c->folder))
        return refuse_pickle(c->folder, err);
    if (entries < 0)
        return f2l_fail(err, F2L_EIO, "the folder of a model is expected, not '%.200s': %s",
                        c->folder, f2l_reason_of(errno).text);
    for (int i = 0; i < entries; i++) {
        if (status == F2L_OK) status = add_entry(c, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* --- config.json --- */

f2l_status f2l_base_model_json(json_t **out, const f2l_base_model *c, const char *name,
                               f2l_error *err)
{
    json_error_t fault;
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_status status = f2l_base_model_path(&path, c, name, err);
    *out = status == F2L_OK ? json_load_file(path.data, JSON_REJECT_DUPLICATES, &fault) : NULL;
    if (status == F2L_OK && !json_is_object(*out))
        status = *out ? f2l_fail(err, F2L_EFORMAT, "%s is no JSON object", name)
                      : f2l_fail(err, F2L_EFORMAT, "%s, line %d: %s", name, fault.line, fault.text);
    if (status != F2L_OK) {
        json_decref(*out);
        *out = NULL;
    }
    f2l_buf_clear(&path);
    return status;
}

/* Returns the first of the numbers, or 0. */
static size_t first_config_number(const json_t *config, const char *const *name)
{
    for (; *name; name++) {
        const json_t *value = json_object_get(config, *name);
        if (json_is_integer(value) && json_integer_value(value) > 0)
            return (size_t)json_integer_value(value);
    }
    return 0;
}

/* Returns the name of an architecture that is no causal language model where none is one; NULL
 * where one is, or none is named. */
static const char *other_architecture(const json_t *config)
{
    const json_t *list = json_object_get(config, "architectures");
    const char *other = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name && (strstr(name, "CausalLM") || strstr(name, "LMHead"))) return NULL;
        if (name) other = name;
    }
    return other;
}

static f2l_status read_members(f2l_base_model *c, const json_t *config, f2l_error *err)
{
    static const char *const hidden[] = {"hidden_size", "n_embd", "d_model", NULL},
                             *const vocab[] = {"vocab_size", NULL},
                             *const layers[] = {"num_hidden_layers", "n_layer", "num_layers", NULL};
    const char *type = json_string_value(json_object_get(config, "model_type"));
    const char *version = json_string_value(json_object_get(config, "transformers_version"));
    const char *other = other_architecture(config);
    const json_t *text = json_object_get(config, "text_config");
    if (!type) return f2l_fail(err, F2L_EFORMAT, "config.json has no model_type");
    if (other || json_is_true(json_object_get(config, "is_encoder_decoder")))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%.100s is no causal language model, the kind that is continued word by "
                        "word",
                        other ? other : type);
    if (first_config_number(config, hidden) == 0 && text) config = text;
    c->hidden = first_config_number(config, hidden);
    c->vocab = first_config_number(config, vocab);
    c->layers = first_config_number(config, layers);
    if (c->hidden == 0 || c->vocab == 0)
        return f2l_fail(err, F2L_EFORMAT, "config.json has no %s",
                        c->hidden == 0 ? "hidden_size" : "vocab_size");
    f2l_buf_text(&c->type, type);
    if (version) f2l_buf_text(&c->transformers, version);
    return f2l_buf_status(&c->type, err);
}

static f2l_status read_base_config(f2l_base_model *c, f2l_error *err)
{
    json_t *config;
    if (!f2l_base_model_has(c, "config.json"))
        return f2l_fail(err, F2L_EFORMAT, "it has no config.json, as a model of Hugging Face has");
    f2l_status status = f2l_base_model_json(&config, c, "config.json", err);
    if (status == F2L_OK) status = read_members(c, config, err);
    json_decref(config);
    return status;
}

/* --- tensors --- */

/* Returns how well the name fits an input embedding: 0, not at all. */
static size_t embedding_rank(const char *name)
{
    static const char *const known[] = {
        "embed_tokens.weight",   "wte.weight",        "embed_in.weight",  "word_embeddings.weight",
        "tok_embeddings.weight", "embeddings.weight", "embedding.weight", NULL};
    for (size_t i = 0; known[i]; i++) {
        const size_t n = strlen(name), m = strlen(known[i]);
        if (f2l_path_ends(name, known[i]) && (n == m || name[n - m - 1] == '.')) return 100 - i;
    }
    return 0;
}

/* Adds a tensor, and looks at it where its name is the best one yet for an embedding. */
static f2l_status add_shard_tensor(void *model, const f2l_safetensors_file *file, const char *name,
                                   f2l_error *err)
{
    f2l_base_model *c = model;
    f2l_safetensors_tensor t;
    size_t index;
    f2l_status status = f2l_names_add(&c->tensors, name, strlen(name), &index, err);
    const size_t rank = embedding_rank(name);
    if (status != F2L_OK || rank == 0) return status;
    if (c->embedding != F2L_NO_INDEX &&
        embedding_rank(f2l_names_get(&c->tensors, c->embedding)) >= rank)
        return F2L_OK;
    c->embedding = index;
    f2l_safetensors_find(&t, file, name);
    if (t.dims != 2 || t.dim[1] != c->hidden)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the embedding %.150s has width %zu, and the stream hidden_size %zu: they "
                        "must be equal",
                        name, t.dims == 2 ? t.dim[1] : 0, c->hidden);
    if (t.dim[0] < c->vocab)
        return f2l_fail(err, F2L_EFORMAT,
                        "the embedding %.150s has %zu rows, and vocab_size is %zu", name, t.dim[0],
                        c->vocab);
    return F2L_OK;
}

static f2l_status read_tensors(f2l_base_model *c, f2l_error *err)
{
    f2l_shards shards;
    if (f2l_base_model_has(c, INDEX) || f2l_base_model_has(c, SINGLE)) {
        f2l_status status = f2l_shards_open_folder(&shards, c->folder, err);
        if (status == F2L_OK) status = f2l_shards_each(&shards, add_shard_tensor, c, err);
        f2l_shards_close(&shards);
        return status;
    }
    for (size_t i = 0; i < c->skipped.count; i++)
        if (is_pickle(f2l_names_get(&c->skipped, i)))
            return refuse_pickle(f2l_names_get(&c->skipped, i), err);
    return f2l_fail(err, F2L_EFORMAT, "it has neither %s nor %s", SINGLE, INDEX);
}

/* Returns the number of the layer that a tensor's name has, its first component of digits, or
 * F2L_NO_INDEX. */
static size_t layer_of(const char *name)
{
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.')) {
        const size_t digits = strspn(at + 1, "0123456789");
        size_t number = 0;
        if (digits == 0 || digits > 7 || at[1 + digits] != '.') continue;
        for (size_t i = 0; i < digits; i++) number = 10 * number + (size_t)(at[1 + i] - '0');
        return number;
    }
    return F2L_NO_INDEX;
}

/* Every layer must have a tensor, where the tensors of layers have their numbers in their names. */
static f2l_status check_layers(const f2l_base_model *c, f2l_error *err)
{
    if (c->layers == 0 || c->layers > MAX_LAYERS) return F2L_OK;
    bool *seen = f2l_calloc(c->layers, sizeof *seen), any = false;
    size_t missing = 0;
    if (!seen) return f2l_fail_memory(err);
    for (size_t i = 0; i < c->tensors.count; i++) {
        const size_t layer = layer_of(f2l_names_get(&c->tensors, i));
        any = any || layer != F2L_NO_INDEX;
        if (layer < c->layers) seen[layer] = true;
    }
    while (missing < c->layers && seen[missing]) missing++;
    f2l_free(seen);
    return !any || missing == c->layers
               ? F2L_OK
               : f2l_fail(err, F2L_EFORMAT,
                          "tensors are missing: config.json says %zu layers, and layer %zu (from "
                          "0) has none",
                          c->layers, missing);
}

f2l_status f2l_base_model_open(f2l_base_model *c, const char *folder, f2l_error *err)
{
    c->folder = folder;
    f2l_status status = list_files(c, err);
    if (status == F2L_OK) status = read_base_config(c, err);
    if (status == F2L_OK) status = read_tensors(c, err);
    if (status == F2L_OK) status = check_layers(c, err);
    if (status == F2L_OK && c->embedding == F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EFORMAT,
                          "the tensor of the input embedding is missing: none has a name like "
                          "model.embed_tokens.weight");
    return status;
}
