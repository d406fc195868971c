#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include <string.h>
#include <sys/stat.h>

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

bool f2l_path_has(const char *folder, const char *name)
{
    struct stat about;
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    const bool there = !path.failed && stat(path.data, &about) == 0;
    f2l_buf_clear(&path);
    return there;
}
