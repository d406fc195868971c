#include "models/network/weights/shards.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include "numeric/json/json.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ONE "model.safetensors"
#define INDEX ONE ".index.json"
#define MOST_FILES ((size_t)10000)

void f2l_shards_init(f2l_shards *out)
{
    *out = (f2l_shards){.files = 0};
    f2l_names_init(&out->name);
}

void f2l_shards_close(f2l_shards *out)
{
    for (size_t f = 0; f < out->files; f++) {
        f2l_safetensors_close(&out->file[f]);
        if (out->map[f] != NULL) munmap(out->map[f], out->size[f]);
    }
    f2l_free(out->file);
    f2l_free(out->map);
    f2l_free(out->size);
    f2l_names_clear(&out->name);
    json_decref(out->index);
    f2l_shards_init(out);
}

static bool make_room(f2l_shards *out, size_t files)
{
    out->file = f2l_calloc(files, sizeof *out->file);
    out->map = f2l_calloc(files, sizeof *out->map);
    out->size = f2l_calloc(files, sizeof *out->size);
    return out->file != NULL && out->map != NULL && out->size != NULL;
}

/* Maps the file; *map stays NULL for an empty one. */
static f2l_status map_file(void **map, size_t *size, const char *path, f2l_error *err)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return f2l_fail(err, F2L_EIO, "cannot open %s: %s", path, strerror(errno));
    f2l_status status = F2L_OK;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        status = f2l_fail(err, F2L_EIO, "%s is not a file", path);
    if (status == F2L_OK && about.st_size > 0) {
        *size = (size_t)about.st_size;
        *map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (*map == MAP_FAILED) {
            *map = NULL;
            status = f2l_fail(err, F2L_EIO, "cannot map %s: %s", path, strerror(errno));
        }
    }
    close(fd);
    return status;
}

/* Opens the next file; `out` has room for it. */
static f2l_status add(f2l_shards *out, const char *path, f2l_error *err)
{
    const size_t f = out->files;
    f2l_status status = map_file(&out->map[f], &out->size[f], path, err);
    if (status != F2L_OK) return status;
    out->files++;
    const char *bytes = out->map[f] != NULL ? out->map[f] : "";
    return f2l_safetensors_open(&out->file[f], bytes, out->size[f], err);
}

f2l_status f2l_shards_open_file(f2l_shards *out, const char *path, f2l_error *err)
{
    f2l_shards_init(out);
    f2l_status status = make_room(out, 1) ? add(out, path, err) : f2l_fail_memory(err);
    if (status != F2L_OK) f2l_shards_close(out);
    return status;
}

static bool is_plain(const char *name)
{
    return name != NULL && name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

f2l_status f2l_shards_index(f2l_names *name, json_t **map, const char *text, size_t size,
                            f2l_error *err)
{
    const char *tensor;
    json_t *value;
    size_t at;
    f2l_status status;
    json_t *root = f2l_json_load(&status, text, size, "it", err);
    *map = json_incref(json_object_get(root, "weight_map"));
    json_decref(root);
    if (status == F2L_OK && json_object_size(*map) == 0)
        status = f2l_fail(err, F2L_EFORMAT, "it has no object weight_map");
    json_object_foreach(*map, tensor, value)
    {
        const char *file = json_string_value(value);
        if (status == F2L_OK && !is_plain(file))
            status =
                f2l_fail(err, F2L_EFORMAT, "the tensor %.200s is in no file of the folder", tensor);
        if (status == F2L_OK) status = f2l_names_add(name, file, strlen(file), &at, err);
    }
    if (status == F2L_OK && name->count > MOST_FILES)
        status = f2l_fail(err, F2L_EFORMAT, "it names more than %zu files", MOST_FILES);
    return status;
}

/* Checks that the index and the files say the same. */
static f2l_status compare(const f2l_shards *s, f2l_error *err)
{
    const char *tensor;
    json_t *value;
    json_object_foreach(s->index, tensor, value)
    {
        const char *file = json_string_value(value);
        const size_t f = f2l_names_find(&s->name, file, strlen(file));
        if (json_object_get(s->file[f].header, tensor) == NULL)
            return f2l_fail(err, F2L_EFORMAT,
                            "the tensor %.150s is missing: " INDEX " says that %.100s has it",
                            tensor, file);
    }
    for (size_t f = 0; f < s->files; f++) json_object_foreach(s->file[f].header, tensor, value)
        {
            const char *name = f2l_names_get(&s->name, f),
                       *in = json_string_value(json_object_get(s->index, tensor));
            if (strcmp(tensor, "__metadata__") != 0 && (in == NULL || strcmp(in, name) != 0))
                return f2l_fail(err, F2L_EFORMAT,
                                INDEX " does not have the tensor %.200s of %.100s", tensor, name);
        }
    return F2L_OK;
}

f2l_status f2l_shards_each(const f2l_shards *shards, f2l_shards_visit *visit, void *context,
                           f2l_error *err)
{
    const char *tensor;
    json_t *value;
    f2l_status status = F2L_OK;
    for (size_t f = 0; f < shards->files; f++) {
        const f2l_safetensors_file *file = &shards->file[f];
        json_object_foreach(shards->index ? shards->index : file->header, tensor, value)
        {
            const bool here = shards->index ? strcmp(json_string_value(value),
                                                     f2l_names_get(&shards->name, f)) == 0
                                            : strcmp(tensor, "__metadata__") != 0;
            if (status == F2L_OK && here) status = visit(context, file, tensor, err);
        }
    }
    return status;
}

/* Opens FOLDER/NAME and names the file in a message. */
static f2l_status add_of(f2l_shards *out, const char *folder, const char *name, f2l_error *err)
{
    f2l_buf path;
    f2l_error why = {0};
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, &why);
    if (status == F2L_OK) status = add(out, path.data, &why);
    if (status == F2L_EFORMAT)
        f2l_fail(err, status, "%.100s: %s", name, why.text);
    else if (status != F2L_OK)
        f2l_fail(err, status, "%s", why.text);
    f2l_buf_clear(&path);
    return status;
}

static f2l_status open_shards(f2l_shards *out, const char *folder, const f2l_buf *text,
                              f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = f2l_shards_index(&out->name, &out->index, text->data, text->size, &why);
    if (status != F2L_OK) return f2l_fail(err, status, INDEX ": %s", why.text);
    if (!make_room(out, out->name.count)) return f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < out->name.count; i++) {
        const char *name = f2l_names_get(&out->name, i);
        if (!f2l_path_has(folder, name))
            return f2l_fail(err, F2L_EFORMAT, "the file %.150s, which " INDEX " names, is missing",
                            name);
        status = add_of(out, folder, name, err);
    }
    return status == F2L_OK ? compare(out, err) : status;
}

f2l_status f2l_shards_open_folder(f2l_shards *out, const char *folder, f2l_error *err)
{
    f2l_status status;
    f2l_buf path, text;
    f2l_shards_init(out);
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    if (f2l_path_has(folder, ONE)) {
        status = make_room(out, 1) ? add_of(out, folder, ONE, err) : f2l_fail_memory(err);
    } else if (f2l_path_has(folder, INDEX)) {
        f2l_buf_printf(&path, "%s/" INDEX, folder);
        status = f2l_buf_status(&path, err);
        if (status == F2L_OK) status = f2l_read_file(&text, path.data, 0, err);
        if (status == F2L_OK) status = open_shards(out, folder, &text, err);
    } else if (f2l_path_has(folder, "pytorch_model.bin") ||
               f2l_path_has(folder, "pytorch_model.bin.index.json")) {
        status = f2l_fail(err, F2L_EDOMAIN,
                          "its weights are pickles (pytorch_model.bin), which are not read here: "
                          "save the model with safe_serialization=True");
    } else {
        status = f2l_fail(err, F2L_EIO, "%s has neither " ONE " nor " INDEX, folder);
    }
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    if (status != F2L_OK) f2l_shards_close(out);
    return status;
}

bool f2l_shards_has(const f2l_shards *shards, const char *name)
{
    for (size_t f = 0; f < shards->files; f++)
        if (json_object_get(shards->file[f].header, name) != NULL) return true;
    return false;
}
