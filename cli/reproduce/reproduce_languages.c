/* The languages of a folder, for `reproduce mlregtest FOLDER`. */
#include "cli/reproduce/reproduce_job.h"
#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Appends the path of the entry unless it is hidden or a folder. */
static f2l_status add_language(f2l_reproduce_languages *out, const char *folder, const char *name,
                               f2l_error *err)
{
    f2l_buf path;
    if (name[0] == '.') return F2L_OK;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    const f2l_status status = f2l_buf_status(&path, err);
    if (status != F2L_OK || f2l_path_is_folder(path.data)) {
        f2l_buf_clear(&path);
        return status;
    }
    if (!f2l_grow((void **)&out->path, &out->room, out->count, sizeof *out->path)) {
        f2l_buf_clear(&path);
        return f2l_fail_memory(err);
    }
    out->path[out->count++] = path.data;
    return F2L_OK;
}

f2l_status f2l_reproduce_languages_list(f2l_reproduce_languages *out, const char *folder,
                                        f2l_error *err)
{
    f2l_error why;
    f2l_folder_names list;
    f2l_status status = f2l_folder_read(&list, folder, "", "", &why);
    if (status != F2L_OK) return f2l_fail(err, status, "cannot open %s: %s", folder, why.text);
    for (size_t i = 0; status == F2L_OK && i < list.count; i++)
        status = add_language(out, folder, list.name[i], err);
    f2l_folder_names_clear(&list);
    if (status == F2L_OK && out->count == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "%s has no files", folder);
    return status;
}

void f2l_reproduce_languages_clear(f2l_reproduce_languages *languages)
{
    for (size_t i = 0; i < languages->count; i++) f2l_free(languages->path[i]);
    f2l_free(languages->path);
    *languages = (f2l_reproduce_languages){.path = NULL};
}

f2l_status f2l_reproduce_languages_out(char **path, const char *out, const char *language,
                                       f2l_error *err)
{
    const char *base = f2l_path_base(language);
    f2l_buf text;
    if (mkdir(out, 0777) != 0 && !f2l_path_is_folder(out))
        return f2l_fail(err, F2L_EEXIST, "cannot make the folder %s: %s", out,
                        f2l_reason_of(errno).text);
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%s/%.*s", out, (int)f2l_path_stem(base), base);
    *path = text.data;
    return f2l_buf_status(&text, err);
}
