#include "numeric/base/path.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

size_t f2l_path_trimmed(const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') size--;
    return size;
}

size_t f2l_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *f2l_path_base(const char *path)
{
    const char *name = path + f2l_path_folder(path);
    return *name ? name : path;
}

size_t f2l_path_stem(const char *base)
{
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? (size_t)(dot - base) : strlen(base);
}

bool f2l_path_ends(const char *path, const char *ending)
{
    const size_t size = strlen(path), tail = strlen(ending);
    return size >= tail && strcmp(path + size - tail, ending) == 0;
}

bool f2l_path_is_named(const char *path, const char *ending)
{
    return f2l_path_ends(path, ending) && strlen(path) > strlen(ending);
}

bool f2l_path_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool f2l_path_is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool f2l_path_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    size_t entries = 0;
    for (const struct dirent *e; folder && (e = readdir(folder));)
        entries += !f2l_path_is_dots(e->d_name);
    if (folder) closedir(folder);
    return folder && entries == 0;
}

bool f2l_path_has(const char *folder, const char *name)
{
    char path[PATH_MAX]; /* a longer path leads nowhere */
    struct stat about;
    const int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    return size > 0 && (size_t)size < sizeof path && stat(path, &about) == 0 &&
           !S_ISDIR(about.st_mode);
}
