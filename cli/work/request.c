#include "cli/work/request.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <stdlib.h>
#include <string.h>

/* The files of a folder that commands read; what they write beside them does not change the hash.
 */
static const char *const read_names[] = {"automaton.fsa",       "network.lrnn",
                                         "certificate.cert",    "config.json",
                                         "weights.safetensors", "model.safetensors"};

/* --- inputs --- */

static void put_hash_line(f2l_buf *text, const char *sha256, const char *name)
{
    f2l_buf_printf(text, "%s  %s\n", sha256, name);
}

/* Appends a line for each file of the folder that commands read, but `not`. */
static f2l_status put_folder(f2l_buf *text, const char *folder, const char * not, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < sizeof read_names / sizeof *read_names && status == F2L_OK; i++) {
        char sha256[65];
        if (strcmp(read_names[i], not ) == 0 || !f2l_path_has(folder, read_names[i])) continue;
        status = f2l_sha256_in(sha256, folder, read_names[i], err);
        if (status == F2L_OK) put_hash_line(text, sha256, read_names[i]);
    }
    return status;
}

/* Hashes the list of a file and of the files beside it. */
static f2l_status hash_beside(char sha256[65], const char *path, f2l_error *err)
{
    f2l_buf text, folder;
    const char *base = f2l_path_base(path);
    f2l_buf_init(&text);
    f2l_buf_init(&folder);
    f2l_buf_printf(&folder, "%.*s.", (int)(base - path), path);
    f2l_status status = f2l_sha256_file(sha256, path, err);
    if (status == F2L_OK) put_hash_line(&text, sha256, base);
    if (status == F2L_OK) status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) status = put_folder(&text, folder.data, base, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, sha256);
    f2l_buf_clear(&text);
    f2l_buf_clear(&folder);
    return status;
}

f2l_status f2l_work_hash_made(char sha256[65], const char *folder, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    sha256[0] = '\0';
    f2l_status status = put_folder(&text, folder, "", err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK && text.size > 0) f2l_sha256_hex(text.data, text.size, sha256);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_work_hash(char sha256[65], const char *path, bool beside, f2l_error *err)
{
    if (!f2l_path_is_folder(path))
        return beside ? hash_beside(sha256, path, err) : f2l_sha256_file(sha256, path, err);
    const f2l_status status = f2l_work_hash_made(sha256, path, err);
    if (status != F2L_OK || sha256[0]) return status;
    return f2l_fail(err, F2L_EIO, "'%.200s' is a folder without a network, weights or automaton",
                    path);
}

f2l_status f2l_work_add_input(json_t *record, const char *path, bool beside, f2l_error *err)
{
    size_t at;
    char sha256[65];
    if (!f2l_utf8_valid(path, strlen(path), &at))
        return f2l_fail(err, F2L_EDOMAIN, "the name '%.200s' is not UTF-8", path);
    const f2l_status status = f2l_work_hash(sha256, path, beside, err);
    if (status != F2L_OK) return status;
    json_t *input = json_pack("{s:s, s:s}", "path", path, "sha256", sha256);
    return json_array_append_new(json_object_get(record, "inputs"), input) == 0
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* --- settings --- */

f2l_status f2l_work_add_setting(json_t *record, const char *name, const char *value, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, name);
    if (value) f2l_buf_printf(&text, "=%s", value);
    f2l_status status = f2l_buf_status(&text, err);
    json_t *word = status == F2L_OK ? json_string(text.data) : NULL;
    f2l_buf_clear(&text);
    if (status == F2L_OK && !word)
        return f2l_fail(err, F2L_EDOMAIN, "the value of %.60s is not UTF-8", name);
    if (status == F2L_OK && json_array_append_new(json_object_get(record, "settings"), word) != 0)
        status = f2l_fail_memory(err);
    return status;
}

f2l_status f2l_work_sort_settings(json_t *record, f2l_error *err)
{
    json_t *settings = json_object_get(record, "settings");
    const size_t count = json_array_size(settings);
    json_t *sorted = json_array();
    const char **list = f2l_calloc(count + 1, sizeof *list);
    bool failed = !sorted || !list;
    for (size_t i = 0; i < count && !failed; i++)
        list[i] = json_string_value(json_array_get(settings, i));
    if (!failed) qsort(list, count, sizeof *list, f2l_text_compare);
    for (size_t i = 0; i < count && !failed; i++)
        failed = json_array_append_new(sorted, json_string(list[i])) != 0;
    f2l_free(list);
    if (!failed)
        return json_object_set_new(record, "settings", sorted) == 0 ? F2L_OK : f2l_fail_memory(err);
    json_decref(sorted);
    return f2l_fail_memory(err);
}

/* --- the difference --- */

static const char *member(const json_t *record, const char *name)
{
    const char *text = json_string_value(json_object_get(record, name));
    return text ? text : "";
}

static f2l_status compare_text(const json_t *there, const json_t *asked, const char *name,
                               const char *folder, f2l_error *err)
{
    const char *old = member(there, name), *new = member(asked, name);
    if (strcmp(old, new) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "%.200s has other work: its %s is %.60s, not %.60s", folder,
                    name, old, new);
}

static f2l_status compare_inputs(const json_t *there, const json_t *asked, const char *folder,
                                 f2l_error *err)
{
    const json_t *old = json_object_get(there, "inputs"), *new = json_object_get(asked, "inputs");
    const size_t count = json_array_size(old);
    if (count != json_array_size(new))
        return f2l_fail(err, F2L_EDOMAIN, "%.200s has other work: it has %zu inputs, not %zu",
                        folder, count, json_array_size(new));
    for (size_t i = 0; i < count; i++) {
        const json_t *a = json_array_get(old, i), *b = json_array_get(new, i);
        if (strcmp(member(a, "sha256"), member(b, "sha256")) != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "%.200s has other work: its input %.100s has the SHA-256 %.12s..., and "
                            "%.100s has %.12s...",
                            folder, member(a, "path"), member(a, "sha256"), member(b, "path"),
                            member(b, "sha256"));
    }
    return F2L_OK;
}

const json_t *f2l_work_missing(const json_t *other, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        size_t k = 0;
        while (k < json_array_size(other) && !json_equal(json_array_get(other, k), one)) k++;
        if (k == json_array_size(other)) return one;
    }
    return NULL;
}

/* Returns the setting as it is said; `none` where there is none. */
static const char *say_setting(const json_t *setting, const char *none)
{
    if (!setting) return none;
    return json_is_string(setting) ? json_string_value(setting) : "a setting that is no text";
}

static f2l_status compare_settings(const json_t *there, const json_t *asked, const char *folder,
                                   f2l_error *err)
{
    const json_t *old = json_object_get(there, "settings");
    const json_t *new = json_object_get(asked, "settings");
    const json_t *gone = f2l_work_missing(new, old), *added = f2l_work_missing(old, new);
    if (!gone && !added) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%.200s has other work: it has %.100s, and %.100s is asked for", folder,
                    say_setting(gone, "fewer settings"), say_setting(added, "no such setting"));
}

f2l_status f2l_work_compare(const json_t *there, const json_t *asked, const char *folder,
                            f2l_error *err)
{
    f2l_status status = compare_text(there, asked, "job", folder, err);
    if (status == F2L_OK) status = compare_inputs(there, asked, folder, err);
    if (status == F2L_OK) status = compare_settings(there, asked, folder, err);
    if (status == F2L_OK) status = compare_text(there, asked, "version", folder, err);
    if (status == F2L_OK) status = compare_text(there, asked, "commit", folder, err);
    return status;
}
