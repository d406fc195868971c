#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool name_fits(const char *name, const char *begin, const char *end)
{
    const size_t size = strlen(name), first = strlen(begin), last = strlen(end);
    return size > first + last && strncmp(name, begin, first) == 0 &&
           strcmp(name + size - last, end) == 0 && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

f2l_status f2l_folder_read(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err)
{
    f2l_status status = F2L_OK;
    DIR *dir = opendir(folder);
    *out = (f2l_folder_names){.count = 0};
    if (!dir) return f2l_fail(err, F2L_EIO, "%s", f2l_reason_of(errno).text);
    for (const struct dirent *e; status == F2L_OK && (e = readdir(dir)) != NULL;) {
        if (!name_fits(e->d_name, begin, end)) continue;
        if (!f2l_grow((void **)&out->name, &out->capacity, out->count, sizeof *out->name) ||
            !(out->name[out->count] = f2l_strndup(e->d_name, strlen(e->d_name))))
            status = f2l_fail_memory(err);
        else
            out->count++;
    }
    closedir(dir);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, f2l_text_compare);
    if (status != F2L_OK) f2l_folder_names_clear(out);
    return status;
}

void f2l_folder_names_clear(f2l_folder_names *names)
{
    for (size_t i = 0; i < names->count; i++) f2l_free(names->name[i]);
    f2l_free(names->name);
    *names = (f2l_folder_names){.count = 0};
}
