#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

/* What torch.compile, DistributedDataParallel, FullyShardedDataParallel, DeepSpeed in Lightning,
 * and a module with the member `model` put before names. */
static const char *const wrapper[] = {"_orig_mod.",       "module.", "_fsdp_wrapped_module.",
                                      "_forward_module.", "model.",  NULL};

size_t f2l_seq_wrapped(const char *tensor)
{
    size_t at = 0, w = 0;
    while (wrapper[w] != NULL) {
        const size_t size = strlen(wrapper[w]);
        if (strncmp(tensor + at, wrapper[w], size) == 0) {
            at += size;
            w = 0;
        } else {
            w++;
        }
    }
    return at;
}

/* Returns the name among the files' that ends with `end` behind wrappers only, the shortest one, or
 * NULL. */
static const char *find_wrapped(const char *end, const f2l_safetensors_file *file, size_t files)
{
    const char *best = NULL, *key;
    json_t *value;
    for (size_t f = 0; f < files; f++) json_object_foreach(file[f].header, key, value)
        {
            const size_t size = strlen(key), tail = strlen(end);
            if (size < tail || strcmp(key + size - tail, end) != 0) continue;
            if (f2l_seq_wrapped(key) < size - tail) continue;
            if (best == NULL || size < strlen(best)) best = key;
        }
    return best;
}

/* Refuses a name that does not begin as the name `like` does, in `size` bytes. */
static f2l_status check_prefix(const char *key, const char *like, size_t size, f2l_error *err)
{
    const bool begins = strncmp(key, like, size) == 0;
    const size_t more = begins ? f2l_seq_wrapped(key + size) : 0;
    if (strcmp(key, "__metadata__") == 0 ||
        (begins && (more == 0 || more == f2l_seq_wrapped(like + size))))
        return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "the names %.100s and %.100s do not begin alike: `_orig_mod.`, `module.` and "
                    "`model.` are left out where all tensors have them",
                    key, like);
}

/* Finds what all names begin with, by the norm of the first layer. */
static f2l_status find_prefix(f2l_seq_names *out, const f2l_fla_class *class,
                              const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    char end[96];
    const char *key;
    json_t *value;
    f2l_status status = F2L_OK;
    snprintf(end, sizeof end, "%s.layers.0.%s.weight", class->base, class->layers_norm);
    const char *found = find_wrapped(end, file, files);
    if (found == NULL) return F2L_OK;
    const size_t size = strlen(found) - strlen(end);
    if (size >= sizeof out->prefix)
        return f2l_fail(err, F2L_EFORMAT, "the name %.200s begins with too many wrappers", found);
    memcpy(out->prefix, found, size);
    for (size_t f = 0; f < files; f++)
        json_object_foreach(file[f].header, key, value) if (status == F2L_OK) status =
            check_prefix(key, found, size, err);
    return status;
}

static bool is_missing(const char *name, const f2l_safetensors_file *file, size_t files)
{
    size_t f = 0;
    while (f < files && json_object_get(file[f].header, name) == NULL) f++;
    return f == files;
}

/* Tensors that a class has or had, and that enter no number that it computes. */
static const struct {
    const char *end, *why;
} unused[] = {{".attn.D", "a parameter of older versions that enters no sum"},
              {".inv_freq", "a table of angles, which is computed anew"},
              {"._extra_state", "a state of kernels in eight bits"}};

/* Returns whether the name is of a convolution of queries for another factor than the first. */
static bool is_later_query(const char *tensor, size_t factors)
{
    const char *at = strstr(tensor, ".attn.q_conv1ds.");
    if (at == NULL) return false;
    at += strlen(".attn.q_conv1ds.");
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > 3 || at[0] == '0' || strcmp(at + digits, ".weight") != 0)
        return false;
    return strtoul(at, NULL, 10) < factors;
}

const char *f2l_seq_fla_unused(const void *context, const char *tensor)
{
    const f2l_seq_names *names = context;
    const size_t before = strlen(names->prefix), size = strlen(tensor);
    if (strncmp(tensor, names->prefix, before) != 0 || strncmp(tensor + before, "model.", 6) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        const size_t end = strlen(unused[i].end);
        if (size > end && strcmp(tensor + size - end, unused[i].end) == 0) return unused[i].why;
    }
    return is_later_query(tensor, names->factors)
               ? "queries are read through the first convolution only"
               : NULL;
}

/* --- tensors --- */

/* Lets `share` heads in turn have one head of the file, in the layer's tensors that the class
 * names. */
static void share_heads(f2l_seq_entry *entry, const f2l_seq *model, const f2l_fla_class *class,
                        size_t share)
{
    const f2l_seq_config *c = &model->config;
    for (size_t l = 0; l < c->layers; l++)
        for (size_t i = 0; i < F2L_MIXER_TENSORS; i++) {
            const size_t t = model->layer[l].mixer[i];
            if (t == F2L_SEQ_NONE || !class->shares(i)) continue;
            f2l_seq_entry *e = &entry[t];
            e->rows /= share;
            e->block = e->stride = c->key_dim;
            e->share = share;
        }
}

/* Lets the tensors of keys, values and betas be one for each factor, and takes the first
 * convolution of the queries. */
static void split_factors(f2l_seq_entry *entry, const f2l_seq *model)
{
    static const struct {
        const char *whole, *parts;
        bool all;
    } name[] = {{".k_proj.", ".k_projs.*.", true},     {".v_proj.", ".v_projs.*.", true},
                {".b_proj.", ".b_projs.*.", true},     {".k_conv1d.", ".k_conv1ds.*.", true},
                {".v_conv1d.", ".v_conv1ds.*.", true}, {".q_conv1d.", ".q_conv1ds.0.", false}};
    for (size_t t = 0; t < model->tensors; t++)
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            char *at = strstr(entry[t].name, name[i].whole), rest[sizeof entry->name];
            if (at == NULL) continue;
            const size_t size = (size_t)(at - entry[t].name);
            memcpy(rest, at + strlen(name[i].whole), strlen(at + strlen(name[i].whole)) + 1);
            snprintf(at, sizeof entry->name - size, "%s%.40s", name[i].parts, rest);
            if (name[i].all) entry[t].numbered = model->config.householders;
        }
}

static void put_prefix(f2l_seq_entry *entry, size_t entries, const char *prefix)
{
    char name[sizeof entry->name];
    for (size_t e = 0; prefix[0] != '\0' && e < entries; e++) {
        memcpy(name, entry[e].name, sizeof name);
        snprintf(entry[e].name, sizeof entry->name, "%.63s%.95s", prefix, name);
    }
}

/* Refuses a head that has another type, shape or number than the embedding. */
static f2l_status compare_tied(const char *head, const char *embedding,
                               const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_safetensors_tensor a = {0}, b = {0};
    for (size_t f = 0; f < files; f++) {
        if (!a.present) f2l_safetensors_find(&a, &file[f], head);
        if (!b.present) f2l_safetensors_find(&b, &file[f], embedding);
    }
    if (a.present && b.present && a.type == b.type && a.dims == b.dims && a.dim[0] == b.dim[0] &&
        a.dim[1] == b.dim[1] && a.end - a.begin == b.end - b.begin &&
        memcmp(a.data, b.data, a.end - a.begin) == 0)
        return F2L_OK;
    return f2l_fail(
        err, F2L_EFORMAT,
        "%s is not the same as %s, and config.json says that it is: tie_word_embeddings", head,
        embedding);
}

f2l_status f2l_seq_tie_head(f2l_seq_entry *entry, const f2l_seq *model, f2l_seq_tie tie,
                            const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_seq_entry *head = &entry[model->head], *embedding = &entry[model->embedding];
    const bool no_head = is_missing(head->name, file, files);
    if (tie == F2L_SEQ_UNTIED || (tie == F2L_SEQ_TIED_IF_MISSING && !no_head)) return F2L_OK;
    if (no_head)
        memcpy(head->name, embedding->name, sizeof head->name);
    else if (is_missing(embedding->name, file, files))
        memcpy(embedding->name, head->name, sizeof head->name);
    else
        return compare_tied(head->name, embedding->name, file, files, err);
    return F2L_OK;
}

static f2l_status name_entries(f2l_seq_entry *entry, f2l_seq_names *names, const f2l_seq *model,
                               const f2l_seq_fla *fla, const f2l_safetensors_file *file,
                               size_t files, f2l_error *err)
{
    char first[sizeof entry->name];
    const f2l_fla_class *class = f2l_seq_fla_class(&model->config);
    f2l_status status = find_prefix(names, class, file, files, err);
    if (status != F2L_OK) return status;
    if (fla->share > 1) share_heads(entry, model, class, fla->share);
    snprintf(first, sizeof first, "%s%s.layers.0.%s.k_projs.0.weight", names->prefix, class->base,
             class->mixer);
    if (fla->split && !is_missing(first, file, files)) names->factors = model->config.householders;
    if (names->factors > 0) split_factors(entry, model);
    put_prefix(entry, model->tensors, names->prefix);
    return f2l_seq_tie_head(entry, model, fla->tie, file, files, err);
}

f2l_status f2l_seq_fla_entries(f2l_seq_entry **out, f2l_seq_names *names, const f2l_seq *model,
                               const f2l_seq_fla *fla, const f2l_safetensors_file *file,
                               size_t files, f2l_error *err)
{
    *out = NULL;
    *names = (f2l_seq_names){.factors = 0};
    f2l_status status = f2l_seq_fla_check(&model->config, err);
    if (status != F2L_OK) return status;
    *out = f2l_seq_fla_list(model);
    if (*out == NULL) return f2l_fail_memory(err);
    status = name_entries(*out, names, model, fla, file, files, err);
    if (status == F2L_OK) return F2L_OK;
    f2l_free(*out);
    *out = NULL;
    return status;
}

/* --- reading --- */

static f2l_status read_fla_files(const f2l_seq_numbers *numbers, f2l_seq_names *names,
                                 const f2l_seq *model, const f2l_seq_fla *fla,
                                 const f2l_safetensors_file *file, size_t files, f2l_error *err)
{
    f2l_seq_entry *entry;
    char name[64];
    snprintf(name, sizeof name, "the class %.40s", fla->class);
    const f2l_seq_owner owner = {name, f2l_seq_fla_unused, names};
    f2l_status status = f2l_seq_fla_entries(&entry, names, model, fla, file, files, err);
    if (status != F2L_OK) return status;
    status = f2l_seq_read_entries(numbers, entry, model->tensors, &owner, file, files, err);
    f2l_free(entry);
    return status;
}

static f2l_status read_fla_model(const f2l_seq_numbers *numbers, const f2l_seq *model,
                                 const char *bytes, size_t size, f2l_error *err)
{
    f2l_safetensors_file file;
    f2l_seq_names names = {0};
    f2l_seq_fla fla = {.share = 1, .tie = F2L_SEQ_UNTIED};
    f2l_status status = f2l_seq_fla_check(&model->config, err);
    if (status == F2L_OK) status = f2l_safetensors_open(&file, bytes, size, err);
    if (status != F2L_OK) return status;
    snprintf(fla.class, sizeof fla.class, "%s", f2l_seq_fla_class(&model->config)->name);
    status = read_fla_files(numbers, &names, model, &fla, &file, 1, err);
    f2l_safetensors_close(&file);
    return status;
}

f2l_status f2l_seq_read_fla_f32(float *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .to.single = parameters};
    return read_fla_model(&numbers, model, bytes, size, err);
}

f2l_status f2l_seq_read_fla_f64(double *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 8, .to.real = parameters};
    return read_fla_model(&numbers, model, bytes, size, err);
}
