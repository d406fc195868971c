/* Rows of outcomes from files and folders. */
#include "numeric/base/folder.h"
#include "numeric/base/path.h"
#include "reports/training/impl.h"
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

static f2l_status list_folder(f2l_folder_names *found, const char *path, f2l_error *err)
{
    f2l_error why;
    const f2l_status status = f2l_folder_read(found, path, PREFIX, SUFFIX, &why);
    if (status != F2L_OK) return f2l_fail(err, status, "%s: %s", path, why.text);
    if (found->count > 0) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%s: no file " PREFIX "*" SUFFIX " is in this folder; runs that have "
                    "not ended have none",
                    path);
}

static f2l_status read_outcome_folder(f2l_outcomes *list, const char *path, f2l_error *err)
{
    f2l_folder_names found;
    f2l_status status = list_folder(&found, path, err);
    for (size_t i = 0; i < found.count && status == F2L_OK; i++) {
        f2l_buf full;
        f2l_buf_init(&full);
        f2l_buf_printf(&full, "%s/%s", path, found.name[i]);
        status = f2l_buf_status(&full, err);
        if (status == F2L_OK) status = read_one(list, full.data, err);
        f2l_buf_clear(&full);
    }
    f2l_folder_names_clear(&found);
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
