#include "models/checkpoint/shards.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ONE "model.safetensors"
#define INDEX ONE ".index.json"
#define MOST_FILES ((size_t)10000)

void f2l_shards_init(f2l_shards *out)
{
    memset(out, 0, sizeof *out);
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

static void free_names(char **name, size_t names)
{
    for (size_t i = 0; i < names; i++) f2l_free(name[i]);
    f2l_free(name);
}

/* Appends a name that is not in the list yet. */
static f2l_status add_name(char ***name, size_t *names, size_t *room, const char *text,
                           f2l_error *err)
{
    for (size_t i = 0; i < *names; i++)
        if (strcmp((*name)[i], text) == 0) return F2L_OK;
    if (*names == MOST_FILES)
        return f2l_fail(err, F2L_EFORMAT, "it names more than %zu files", MOST_FILES);
    if (!f2l_grow((void **)name, room, *names, sizeof **name)) return f2l_fail_memory(err);
    (*name)[*names] = f2l_strndup(text, strlen(text));
    return (*name)[*names] != NULL ? ((*names)++, F2L_OK) : f2l_fail_memory(err);
}

static f2l_status names_of_map(char ***name, size_t *names, const json_t *map, f2l_error *err)
{
    const char *tensor;
    json_t *value;
    size_t room = 0;
    f2l_status status = json_is_object(map) && json_object_size(map) > 0
                            ? F2L_OK
                            : f2l_fail(err, F2L_EFORMAT, "it has no object weight_map");
    if (status != F2L_OK) return status;
    json_object_foreach((json_t *)map, tensor, value)
    {
        const char *text = json_string_value(value);
        if (!is_plain(text))
            return f2l_fail(err, F2L_EFORMAT, "the tensor %.200s is in no file of the folder",
                            tensor);
        status = add_name(name, names, &room, text, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

static json_t *parse(const char *text, size_t size, f2l_error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (root == NULL) f2l_fail(err, F2L_EFORMAT, "it is no JSON: %.200s", why.text);
    return root;
}

f2l_status f2l_shards_index_names(char ***name, size_t *names, const char *text, size_t size,
                                  f2l_error *err)
{
    *name = NULL;
    *names = 0;
    json_t *root = parse(text, size, err);
    if (root == NULL) return F2L_EFORMAT;
    const f2l_status status = names_of_map(name, names, json_object_get(root, "weight_map"), err);
    json_decref(root);
    if (status != F2L_OK) {
        free_names(*name, *names);
        *name = NULL;
        *names = 0;
    }
    return status;
}

/* Checks that the index and the files say the same. */
static f2l_status compare(const f2l_shards *shards, char **name, const json_t *map, f2l_error *err)
{
    const char *tensor;
    json_t *value;
    json_object_foreach((json_t *)map, tensor, value)
    {
        size_t f = 0;
        while (strcmp(name[f], json_string_value(value)) != 0) f++;
        if (json_object_get(shards->file[f].header, tensor) == NULL)
            return f2l_fail(err, F2L_EFORMAT, INDEX ": %.100s does not have the tensor %.200s",
                            name[f], tensor);
    }
    for (size_t f = 0; f < shards->files; f++)
        json_object_foreach(shards->file[f].header, tensor, value)
        {
            const char *in = json_string_value(json_object_get(map, tensor));
            if (strcmp(tensor, "__metadata__") != 0 && (in == NULL || strcmp(in, name[f]) != 0))
                return f2l_fail(err, F2L_EFORMAT,
                                INDEX " does not have the tensor %.200s of %.100s", tensor,
                                name[f]);
        }
    return F2L_OK;
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
    char **name;
    size_t names;
    f2l_error why = {0};
    const char *bytes = text->data != NULL ? text->data : "";
    f2l_status status = f2l_shards_index_names(&name, &names, bytes, text->size, &why);
    if (status != F2L_OK) return f2l_fail(err, status, INDEX ": %s", why.text);
    if (!make_room(out, names)) status = f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < names; i++)
        status = add_of(out, folder, name[i], err);
    json_t *root = status == F2L_OK ? parse(bytes, text->size, err) : NULL;
    if (root != NULL) status = compare(out, name, json_object_get(root, "weight_map"), err);
    json_decref(root);
    free_names(name, names);
    return status;
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
