/* Rows of outcomes from files and folders. */
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/training/impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)64 << 20)
#define PREFIX "outcome-"
#define SUFFIX ".json"

static f2l_status named(f2l_error *err, const char *path, f2l_status status)
{
    if (status == F2L_OK || err == NULL || strstr(err->text, path) != NULL) return status;
    const f2l_error inner = *err;
    if (inner.line > 0)
        return f2l_fail(err, status, "%s:%zu:%zu: %s", path, inner.line, inner.column, inner.text);
    return f2l_fail(err, status, "%s: %s", path, inner.text);
}

static f2l_status read_one(f2l_outcomes *list, const char *path, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, path, LARGEST_FILE, err);
    if (status == F2L_OK)
        status = f2l_outcomes_parse(list, bytes.data ? bytes.data : "", bytes.size, err);
    f2l_buf_clear(&bytes);
    return named(err, path, status);
}

static bool is_outcome(const char *name)
{
    const size_t size = strlen(name), ends = strlen(PREFIX SUFFIX);
    return size > ends && strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
           strcmp(name + size - strlen(SUFFIX), SUFFIX) == 0;
}

typedef struct names {
    char **name;
    size_t count, capacity;
} names;

static int compare_outcome_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static f2l_status list_folder(names *found, const char *path, f2l_error *err)
{
    DIR *folder = opendir(path);
    f2l_status status = F2L_OK;
    if (folder == NULL) return f2l_fail(err, F2L_EIO, "%s: %s", path, f2l_reason_of(errno).text);
    for (struct dirent *e; status == F2L_OK && (e = readdir(folder)) != NULL;) {
        if (!is_outcome(e->d_name)) continue;
        if (!f2l_grow((void **)&found->name, &found->capacity, found->count, sizeof *found->name) ||
            (found->name[found->count] = f2l_strndup(e->d_name, strlen(e->d_name))) == NULL)
            status = f2l_fail_memory(err);
        else
            found->count++;
    }
    closedir(folder);
    if (status == F2L_OK && found->count == 0)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "%s: no file " PREFIX "*" SUFFIX " is in this folder; runs that have "
                          "not ended have none",
                          path);
    if (found->count > 1)
        qsort(found->name, found->count, sizeof *found->name, compare_outcome_names);
    return status;
}

static f2l_status read_outcome_folder(f2l_outcomes *list, const char *path, f2l_error *err)
{
    names found = {NULL, 0, 0};
    f2l_status status = list_folder(&found, path, err);
    for (size_t i = 0; i < found.count && status == F2L_OK; i++) {
        f2l_buf full;
        f2l_buf_init(&full);
        f2l_buf_printf(&full, "%s/%s", path, found.name[i]);
        status = f2l_buf_status(&full, err);
        if (status == F2L_OK) status = read_one(list, full.data, err);
        f2l_buf_clear(&full);
    }
    for (size_t i = 0; i < found.count; i++) f2l_free(found.name[i]);
    f2l_free(found.name);
    return status;
}

f2l_status f2l_outcomes_read(f2l_outcomes *list, const char *path, f2l_error *err)
{
    const size_t rows = list->rows;
    const f2l_status status =
        f2l_path_is_folder(path) ? read_outcome_folder(list, path, err) : read_one(list, path, err);
    if (status != F2L_OK) f2l_outcomes_cut(list, rows);
    return status;
}
