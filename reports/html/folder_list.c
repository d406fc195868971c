#include "reports/html/folder_list.h"
#include "numeric/base/mem.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbered_names(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            const unsigned long m = strtoul(a, NULL, 10), n = strtoul(b, NULL, 10);
            if (m != n) return m < n ? -1 : 1;
        }
        if (*a != *b) return *a < *b ? -1 : 1;
    }
    return (*a != '\0') - (*b != '\0');
}

static bool name_fits(const char *name, const char *begin, const char *end)
{
    const size_t size = strlen(name), first = strlen(begin), last = strlen(end);
    return size > first + last && strncmp(name, begin, first) == 0 &&
           strcmp(name + size - last, end) == 0;
}

f2l_status f2l_folder_list(f2l_folder_names *out, const char *folder, const char *begin,
                           const char *end, f2l_error *err)
{
    f2l_status status = F2L_OK;
    DIR *dir = opendir(folder);
    *out = (f2l_folder_names){.count = 0};
    for (struct dirent *e; dir && status == F2L_OK && (e = readdir(dir));) {
        if (!name_fits(e->d_name, begin, end)) continue;
        if (!f2l_grow((void **)&out->name, &out->capacity, out->count, sizeof *out->name) ||
            !(out->name[out->count] = f2l_strndup(e->d_name, strlen(e->d_name))))
            status = f2l_fail_memory(err);
        else
            out->count++;
    }
    if (dir) closedir(dir);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, compare_numbered_names);
    if (status != F2L_OK) f2l_folder_names_clear(out);
    return status;
}

void f2l_folder_names_clear(f2l_folder_names *names)
{
    for (size_t i = 0; i < names->count; i++) f2l_free(names->name[i]);
    f2l_free(names->name);
    *names = (f2l_folder_names){.count = 0};
}
