#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* --- walks --- */

typedef struct walk {
    size_t deepest;
    f2l_folder_visit *visit;
    void *context;
} walk;

static f2l_status visit_found(const walk *w, const char *path, f2l_folder_kind kind, size_t depth,
                              bool *enter, f2l_error *err)
{
    f2l_folder_found found = {path, kind, depth, true};
    const f2l_status status = w->visit(w->context, &found, err);
    *enter = found.enter;
    return status;
}

static f2l_status walk_folder(const walk *w, const char *folder, size_t depth, f2l_error *err);

/* Visits what has this name in the folder. */
static f2l_status walk_entry(const walk *w, const char *folder, const char *name, size_t depth,
                             f2l_error *err)
{
    f2l_buf path;
    struct stat about;
    bool enter;
    const size_t size = strlen(folder);
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s%s%s", folder, size && folder[size - 1] == '/' ? "" : "/", name);
    f2l_status status = f2l_buf_status(&path, err);
    const bool link = status == F2L_OK && lstat(path.data, &about) == 0 && S_ISLNK(about.st_mode);
    if (status == F2L_OK && stat(path.data, &about) == 0) {
        if (S_ISDIR(about.st_mode) && !link)
            status = walk_folder(w, path.data, depth, err);
        else if (S_ISDIR(about.st_mode))
            status = visit_found(w, path.data, F2L_FOLDER_LINK, depth, &enter, err);
        else if (S_ISREG(about.st_mode))
            status = visit_found(w, path.data, F2L_FOLDER_FILE, depth, &enter, err);
    }
    f2l_buf_clear(&path);
    return status;
}

static f2l_status walk_folder(const walk *w, const char *folder, size_t depth, f2l_error *err)
{
    bool enter;
    f2l_folder_names list;
    if (depth > w->deepest) return visit_found(w, folder, F2L_FOLDER_DEEP, depth, &enter, err);
    f2l_status status = visit_found(w, folder, F2L_FOLDER_ITSELF, depth, &enter, err);
    if (status != F2L_OK || !enter) return status;
    status = f2l_folder_read(&list, folder, "", "", err);
    if (status == F2L_EIO) return visit_found(w, folder, F2L_FOLDER_CLOSED, depth, &enter, err);
    for (size_t i = 0; i < list.count && status == F2L_OK; i++)
        if (list.name[i][0] != '.') status = walk_entry(w, folder, list.name[i], depth + 1, err);
    f2l_folder_names_clear(&list);
    return status;
}

f2l_status f2l_folder_walk(const char *folder, size_t deepest, f2l_folder_visit *visit,
                           void *context, f2l_error *err)
{
    const walk w = {deepest, visit, context};
    return walk_folder(&w, folder, 0, err);
}
