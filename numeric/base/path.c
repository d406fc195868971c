#include "numeric/base/path.h"
#include <string.h>

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
