/* The folder: which files it has, and whether they are those that export.json lists. Any other file
 * is refused, because loaders obey files of many names: adapter_config.json, an index of shards,
 * pytorch_model.bin, generation_config.json, modelling code. */
#include "theory/certify/stock/impl.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>

#define ABOUT "export.json"
#define LISTED 4 /* files that export.json lists */

const char *const f2l_written_file[F2L_STOCK_HASHED] = {"config.json", "model.safetensors",
                                                        "prefix.json", ABOUT};

typedef struct listed {
    const char *name;
    const f2l_buf *bytes;
} listed;

static void list_stock_files(listed out[LISTED], const f2l_stock_files *files)
{
    out[0] = (listed){f2l_written_file[0], &files->config};
    out[1] = (listed){f2l_written_file[1], &files->tensors};
    out[2] = (listed){f2l_written_file[2], &files->prefix};
    out[3] = (listed){"README.md", &files->readme};
}

void f2l_stock_files_init(f2l_stock_files *f)
{
    *f = (f2l_stock_files){.config = {0}};
}

void f2l_stock_files_clear(f2l_stock_files *f)
{
    f2l_buf_clear(&f->config);
    f2l_buf_clear(&f->tensors);
    f2l_buf_clear(&f->prefix);
    f2l_buf_clear(&f->about);
    f2l_buf_clear(&f->readme);
}

/* --- hashes --- */

/* Compares an entry of the list in export.json. */
static f2l_status compare_entry(const listed *file, const json_t *entry, f2l_error *err)
{
    const json_t *bytes = json_object_get(entry, "bytes");
    const char *sha256 = json_string_value(json_object_get(entry, "sha256"));
    const f2l_hashed_file is = f2l_hash_file(file->name, file->bytes->data, file->bytes->size);
    if (sha256 && strcmp(sha256, is.sha256) == 0 && json_is_integer(bytes) &&
        (uint64_t)json_integer_value(bytes) == is.bytes)
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%s is not the file that export.json lists: its SHA-256 is %s, not %.64s",
                    file->name, is.sha256, sha256 ? sha256 : "listed");
}

static f2l_status compare_list(const listed file[LISTED], const json_t *entries, f2l_error *err)
{
    static const char *const members[] = {"name", "bytes", "sha256", NULL};
    bool seen[LISTED] = {false};
    f2l_status status = F2L_OK;
    if (json_array_size(entries) != LISTED)
        return f2l_fail(err, F2L_EDOMAIN, ABOUT ": files is no list of %d files", LISTED);
    for (size_t i = 0; status == F2L_OK && i < LISTED; i++) {
        const json_t *entry = json_array_get(entries, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        size_t at = 0;
        status = f2l_written_members(entry, members, ABOUT ": an entry of files", err);
        while (status == F2L_OK && at < LISTED && (!name || strcmp(name, file[at].name) != 0)) at++;
        if (status == F2L_OK && (at == LISTED || seen[at]))
            status = f2l_fail(err, F2L_EDOMAIN, ABOUT ": files has %.80s, which %s",
                              name ? name : "no name", at == LISTED ? "is not known" : "is twice");
        if (status != F2L_OK) break;
        seen[at] = true;
        status = compare_entry(&file[at], entry, err);
    }
    return status;
}

f2l_status f2l_stock_files_compare(const f2l_stock_files *files, f2l_error *err)
{
    json_t *about = NULL;
    listed file[LISTED];
    list_stock_files(file, files);
    f2l_status status = f2l_written_json(&about, &files->about, ABOUT, err);
    if (status == F2L_OK) status = compare_list(file, json_object_get(about, "files"), err);
    json_decref(about);
    return status;
}

/* --- the folder --- */

static bool is_stock_file(const char *name, const listed file[LISTED])
{
    bool known = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ABOUT) == 0;
    for (size_t i = 0; i < LISTED; i++) known = known || strcmp(name, file[i].name) == 0;
    return known;
}

/* Refuses a file of another name. */
static f2l_status look_for_other_files(const char *folder, const listed file[LISTED],
                                       f2l_error *err)
{
    f2l_status status = F2L_OK;
    DIR *dir = opendir(folder);
    if (!dir)
        return f2l_fail(err, F2L_EIO, "cannot open %.300s: %s", folder, f2l_reason_of(errno).text);
    for (const struct dirent *e; status == F2L_OK && (e = readdir(dir));)
        if (!is_stock_file(e->d_name, file))
            status = f2l_fail(err, F2L_EDOMAIN,
                              "the folder has %.200s, which `export` did not write there and a "
                              "loader may obey",
                              e->d_name);
    closedir(dir);
    return status;
}

static f2l_status read_stock_file(f2l_buf *out, const char *folder, const char *name,
                                  f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_read_file(out, path.data, 0, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_stock_files_read(f2l_stock_files *out, const char *folder, f2l_error *err)
{
    listed file[LISTED];
    list_stock_files(file, out);
    f2l_status status = look_for_other_files(folder, file, err);
    if (status == F2L_OK) status = read_stock_file(&out->config, folder, file[0].name, err);
    if (status == F2L_OK) status = read_stock_file(&out->tensors, folder, file[1].name, err);
    if (status == F2L_OK) status = read_stock_file(&out->prefix, folder, file[2].name, err);
    if (status == F2L_OK) status = read_stock_file(&out->readme, folder, file[3].name, err);
    if (status == F2L_OK) status = read_stock_file(&out->about, folder, ABOUT, err);
    return status == F2L_OK ? f2l_stock_files_compare(out, err) : status;
}
