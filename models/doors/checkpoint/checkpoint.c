#include "models/doors/checkpoint/checkpoint.h"
#include "models/doors/checkpoint/impl.h"
#include "models/doors/checkpoint/megatron.h"
#include "models/learn/seq/seq_entries.h"
#include "models/network/weights/shards.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <string.h>

#define WEIGHTS F2L_CHECKPOINT_WEIGHTS
#define CONFIG F2L_CHECKPOINT_CONFIG

void f2l_checkpoint_init(f2l_checkpoint *out)
{
    memset(out, 0, sizeof *out);
    f2l_buf_init(&out->note);
}

void f2l_checkpoint_clear(f2l_checkpoint *out)
{
    f2l_seq_clear(&out->model);
    f2l_free(out->parameters);
    f2l_buf_clear(&out->note);
    f2l_checkpoint_init(out);
}

/* --- what lies where --- */

f2l_status f2l_checkpoint_path(f2l_buf *out, const char *path, const char *name, f2l_error *err)
{
    if (f2l_path_is_folder(path))
        f2l_buf_printf(out, "%s/%s", path, name);
    else
        f2l_buf_printf(out, "%.*s%s", (int)f2l_path_folder(path), path, name);
    return f2l_buf_status(out, err);
}

bool f2l_checkpoint_config(f2l_buf *text, const char *path)
{
    f2l_buf name;
    f2l_error err;
    f2l_buf_init(&name);
    const bool read = f2l_checkpoint_path(&name, path, CONFIG, &err) == F2L_OK &&
                      f2l_read_file(text, name.data, 0, &err) == F2L_OK;
    f2l_buf_clear(&name);
    if (!read || text->size == 0) return false;
    json_t *root = json_loadb(text->data, text->size, 0, NULL);
    const bool typed = json_object_get(root, "model_type") != NULL;
    json_decref(root);
    return typed;
}

static f2l_checkpoint_kind find_checkpoint_kind(f2l_buf *config, const char *path)
{
    const bool typed = f2l_checkpoint_config(config, path);
    if (!f2l_path_is_folder(path)) return F2L_CHECKPOINT_OURS; /* the metadata decide */
    if (typed) return F2L_CHECKPOINT_FLA;
    return f2l_path_has(path, WEIGHTS) ? F2L_CHECKPOINT_OURS : F2L_CHECKPOINT_NONE;
}

f2l_checkpoint_kind f2l_checkpoint_look(const char *path)
{
    f2l_buf config;
    f2l_buf_init(&config);
    const f2l_checkpoint_kind kind = find_checkpoint_kind(&config, path);
    f2l_buf_clear(&config);
    return kind;
}

/* --- reading --- */

enum { NOTED = 3 }; /* tensors that a note names */

/* Tensors that have no effect, as they are found. */
typedef struct noted {
    const f2l_seq_owner *owner;
    f2l_buf *list; /* the first of them */
    size_t count;
} noted;

/* Adds a tensor that has no effect to the note. */
static f2l_status note_unused(void *context, const f2l_safetensors_file *file, const char *tensor,
                              f2l_error *err)
{
    noted *n = context;
    (void)file;
    (void)err;
    if (n->owner->unused(n->owner->context, tensor) == NULL) return F2L_OK;
    if (n->count < NOTED) f2l_buf_printf(n->list, "%s%.150s", n->count > 0 ? ", " : "", tensor);
    n->count++;
    return F2L_OK;
}

/* Sets the note, when there is anything to say. */
static f2l_status write_note(f2l_buf *note, const f2l_pick_whole *whole, const f2l_shards *shards,
                             f2l_error *err)
{
    f2l_buf list;
    f2l_buf_init(&list);
    noted n = {&whole->owner, &list, 0};
    const f2l_seq_names *names = &whole->names;
    f2l_status status = f2l_shards_each(shards, note_unused, &n, err);
    if (names->prefix[0] != '\0')
        f2l_buf_printf(note, "`%s` is left out of the names of all tensors", names->prefix);
    if (n.count > 0 && !list.failed)
        f2l_buf_printf(note, "%s%zu tensor%s no effect and %s passed over: %s%s",
                       note->size > 0 ? "; " : "", n.count, n.count == 1 ? " has" : "s have",
                       n.count == 1 ? "is" : "are", list.data, n.count > NOTED ? ", .." : "");
    if (status == F2L_OK) status = f2l_buf_status(&list, err);
    f2l_buf_clear(&list);
    return status == F2L_OK ? f2l_buf_status(note, err) : status;
}

/* Reads the numbers of the model, which is initialised. */
static f2l_status read_numbers(f2l_checkpoint *out, const f2l_pick *pick, const f2l_shards *shards,
                               f2l_error *err)
{
    f2l_pick_whole whole;
    const f2l_seq_numbers numbers = {.bytes = 4, .to.single = out->parameters};
    f2l_error refused = {0};
    f2l_status status =
        f2l_pick_whole_list(&whole, &refused, &out->model, pick, shards->file, shards->files, err);
    if (status == F2L_OK && refused.text[0] != '\0')
        status = f2l_fail(err, refused.status, "%s", refused.text);
    if (status == F2L_OK)
        status = f2l_seq_read_entries(&numbers, whole.entry, out->model.tensors, NULL, shards->file,
                                      shards->files, err);
    if (status == F2L_OK) status = write_note(&out->note, &whole, shards, err);
    f2l_pick_whole_clear(&whole);
    return status;
}

static f2l_status read_fla(f2l_checkpoint *out, const f2l_buf *config, const f2l_shards *shards,
                           f2l_error *err)
{
    f2l_pick pick;
    size_t bytes = 0;
    f2l_status status = f2l_pick_config(&pick, config->data, config->size, err);
    if (status == F2L_OK && pick.obstacle != NULL)
        status = f2l_fail(err, F2L_EDOMAIN, "%s", pick.obstacle);
    if (status == F2L_OK) status = f2l_seq_init(&out->model, &pick.fla.config, err);
    if (status != F2L_OK) return status;
    for (size_t f = 0; f < shards->files; f++) bytes += shards->file[f].size;
    /* A number has at least two bytes, and may be `share` keys, or in embedding and head. */
    if (out->model.parameters / pick.fla.share / 2 > bytes / 2)
        return f2l_fail(err, F2L_EFORMAT,
                        "the files are too short for the %zu parameters of " CONFIG,
                        out->model.parameters);
    out->parameters = f2l_calloc(out->model.parameters, sizeof *out->parameters);
    if (out->parameters == NULL) return f2l_fail_memory(err);
    out->kind = F2L_CHECKPOINT_FLA;
    out->vocabulary = pick.vocabulary;
    memcpy(out->class, pick.class, sizeof out->class);
    return read_numbers(out, &pick, shards, err);
}

const char *f2l_checkpoint_other_kind(const f2l_shards *shards)
{
    const json_t *metadata = json_object_get(shards->file[0].header, "__metadata__");
    if (f2l_shards_has(shards, "layers.0.heads.0.beta"))
        return "these are the weights of a network (tables by letter), which is no trained model: "
               "run, round and obstruct take the network.lrnn beside them";
    if (json_object_get(metadata, "kind") != NULL)
        return "these are the weights of a wired network: its network.lrnn says more";
    if (f2l_megatron_has_names(shards->file, shards->files))
        return "these are weights with the names of Megatron, and no config.json lies beside the "
               "file: write one with its arguments and with model_type = megatron";
    return "these are weights without a model: the metadata do not describe one, and no "
           "config.json with a model_type lies beside the file";
}

bool f2l_checkpoint_is_ours(const f2l_shards *shards)
{
    const char *kind = json_string_value(
        json_object_get(json_object_get(shards->file[0].header, "__metadata__"), "kind"));
    return kind != NULL && strcmp(kind, "sequence-model") == 0;
}

/* Reads a file of our layout, or one that `config` lies beside. */
static f2l_status read_checkpoint_file(f2l_checkpoint *out, const char *path, const f2l_buf *config,
                                       f2l_error *err)
{
    f2l_shards shards;
    f2l_status status = f2l_shards_open_file(&shards, path, err);
    if (status != F2L_OK) return status;
    if (f2l_checkpoint_is_ours(&shards)) {
        out->kind = F2L_CHECKPOINT_OURS;
        status =
            f2l_seq_read_f32(&out->model, &out->parameters, shards.map[0], shards.size[0], err);
        out->vocabulary = out->model.config.letters;
    } else if (config != NULL && !f2l_shards_has(&shards, "layers.0.heads.0.beta")) {
        status = read_fla(out, config, &shards, err);
    } else {
        status = f2l_fail(err, F2L_EDOMAIN, "%s", f2l_checkpoint_other_kind(&shards));
    }
    f2l_shards_close(&shards);
    return status;
}

static f2l_status read_folder(f2l_checkpoint *out, const char *path, const f2l_buf *config,
                              f2l_error *err)
{
    f2l_shards shards;
    f2l_status status = f2l_shards_open_folder(&shards, path, err);
    if (status == F2L_OK) status = read_fla(out, config, &shards, err);
    f2l_shards_close(&shards);
    return status;
}

static f2l_status read_ours(f2l_checkpoint *out, const char *folder, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_status status = f2l_checkpoint_path(&path, folder, WEIGHTS, err);
    if (status == F2L_OK) status = read_checkpoint_file(out, path.data, NULL, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_checkpoint_read(f2l_checkpoint *out, const char *path, f2l_error *err)
{
    f2l_buf config;
    f2l_buf_init(&config);
    const bool folder = f2l_path_is_folder(path), typed = f2l_checkpoint_config(&config, path);
    f2l_status status;
    if (!folder)
        status = read_checkpoint_file(out, path, typed ? &config : NULL, err);
    else if (typed)
        status = read_folder(out, path, &config, err);
    else if (f2l_path_has(path, WEIGHTS))
        status = read_ours(out, path, err);
    else
        status = f2l_fail(err, F2L_EIO,
                          "%s has neither " WEIGHTS " nor a " CONFIG " with a model_type", path);
    f2l_buf_clear(&config);
    if (status != F2L_OK) f2l_checkpoint_clear(out);
    return status;
}

/* --- one layer --- */

static f2l_status open_config(f2l_pick *pick, const char *path, f2l_error *err)
{
    f2l_buf config;
    f2l_buf_init(&config);
    const f2l_status status =
        f2l_checkpoint_config(&config, path)
            ? f2l_pick_config(pick, config.data, config.size, err)
            : f2l_fail(err, F2L_EDOMAIN,
                       "single layers are read where a " CONFIG " has a model_type");
    f2l_buf_clear(&config);
    return status;
}

f2l_status f2l_checkpoint_vocabulary(size_t *words, const char *path, f2l_error *err)
{
    f2l_pick pick = {.layers = 0};
    const f2l_status status = open_config(&pick, path, err);
    if (status == F2L_OK) *words = pick.vocabulary;
    return status;
}

static f2l_status read_picked_layer(f2l_checkpoint *out, const f2l_pick *pick, size_t layer,
                                    const uint32_t *word, size_t words, const f2l_shards *shards,
                                    f2l_error *err)
{
    f2l_seq_config config = pick->fla.config;
    f2l_status status = f2l_pick_model(&config, pick, words, err);
    if (status == F2L_OK) status = f2l_seq_init(&out->model, &config, err);
    if (status != F2L_OK) return status;
    out->parameters = f2l_calloc(out->model.parameters, sizeof *out->parameters);
    if (out->parameters == NULL) return f2l_fail_memory(err);
    out->kind = F2L_CHECKPOINT_FLA;
    out->vocabulary = pick->vocabulary;
    memcpy(out->class, pick->class, sizeof out->class);
    return f2l_pick_read_f32(out->parameters, &out->model, pick, layer, word, shards->file,
                             shards->files, err);
}

f2l_status f2l_checkpoint_read_layer(f2l_checkpoint *out, size_t *layers, const char *path,
                                     size_t layer, const uint32_t *word, size_t words,
                                     f2l_error *err)
{
    f2l_pick pick = {.layers = 0};
    f2l_shards shards;
    f2l_shards_init(&shards);
    f2l_status status = open_config(&pick, path, err);
    if (status == F2L_OK)
        status = f2l_path_is_folder(path) ? f2l_shards_open_folder(&shards, path, err)
                                          : f2l_shards_open_file(&shards, path, err);
    if (status == F2L_OK) status = read_picked_layer(out, &pick, layer, word, words, &shards, err);
    *layers = pick.layers;
    f2l_shards_close(&shards);
    if (status != F2L_OK) f2l_checkpoint_clear(out);
    return status;
}

/* --- fewer letters --- */

static f2l_status check_vocabulary_words(f2l_checkpoint_words words, size_t vocabulary,
                                         const char *what, f2l_error *err)
{
    if (words.word == NULL && words.count > vocabulary)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the model has a vocabulary of %zu, which is less than %zu %s", vocabulary,
                        words.count, what);
    for (size_t i = 0; words.word != NULL && i < words.count; i++)
        if (words.word[i] >= vocabulary)
            return f2l_fail(err, F2L_EDOMAIN, "the model has a vocabulary of %zu: no word is %u",
                            vocabulary, words.word[i]);
    return F2L_OK;
}

/* Copies the words' rows of a tensor. */
static void copy_word_rows(float *to, const float *from, const f2l_seq_tensor *tensor,
                           f2l_checkpoint_words words)
{
    const size_t columns = tensor->count / tensor->dim[0];
    for (size_t i = 0; i < words.count; i++)
        memcpy(to + i * columns, from + (words.word != NULL ? words.word[i] : i) * columns,
               columns * sizeof *to);
}

f2l_status f2l_checkpoint_restrict(f2l_checkpoint *out, f2l_checkpoint_words letters,
                                   f2l_checkpoint_words labels, f2l_error *err)
{
    f2l_seq small;
    f2l_seq_config config = out->model.config;
    f2l_status status = check_vocabulary_words(letters, config.letters, "letters", err);
    if (status == F2L_OK) status = check_vocabulary_words(labels, config.labels, "labels", err);
    config.letters = letters.count;
    config.labels = labels.count;
    if (status == F2L_OK) status = f2l_seq_init(&small, &config, err);
    if (status != F2L_OK) return status;
    float *parameters = f2l_calloc(small.parameters, sizeof *parameters);
    if (parameters == NULL) {
        f2l_seq_clear(&small);
        return f2l_fail_memory(err);
    }
    for (size_t t = 0; t < small.tensors; t++) { /* the tensors lie in the same order */
        const f2l_seq_tensor *tensor = &small.tensor[t];
        const f2l_checkpoint_words all = {NULL, tensor->dim[0]};
        copy_word_rows(parameters + tensor->offset, out->parameters + out->model.tensor[t].offset,
                       tensor,
                       t == small.embedding ? letters
                       : t == small.head    ? labels
                                            : all);
    }
    f2l_seq_clear(&out->model);
    f2l_free(out->parameters);
    out->model = small;
    out->parameters = parameters;
    return F2L_OK;
}
