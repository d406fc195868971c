#include "cli/input/network_paths.h"
#include "numeric/base/path.h"
#include <string.h>
#include <sys/stat.h>

void f2l_network_paths_init(f2l_network_paths *paths)
{
    f2l_buf_init(&paths->network);
    f2l_buf_init(&paths->fsa);
    f2l_buf_init(&paths->certificate);
}

void f2l_network_paths_clear(f2l_network_paths *paths)
{
    f2l_buf_clear(&paths->network);
    f2l_buf_clear(&paths->fsa);
    f2l_buf_clear(&paths->certificate);
}

f2l_status f2l_network_paths_find(f2l_network_paths *out, const char *given, const char *fsa,
                                  f2l_error *err)
{
    struct stat info;
    const size_t parent = f2l_path_folder(given);
    const bool folder = stat(given, &info) == 0 && S_ISDIR(info.st_mode);
    const int size = (int)(folder ? strlen(given) : parent);
    const char *separator = folder && given[parent] ? "/" : "";
    f2l_buf_text(&out->network, given);
    if (folder) f2l_buf_printf(&out->network, "%snetwork.lrnn", separator);
    f2l_buf_printf(&out->certificate, "%.*s%scertificate.cert", size, given, separator);
    if (fsa)
        f2l_buf_text(&out->fsa, fsa);
    else
        f2l_buf_printf(&out->fsa, "%.*s%sautomaton.fsa", size, given, separator);
    f2l_status status = f2l_buf_status(&out->network, err);
    if (status == F2L_OK) status = f2l_buf_status(&out->certificate, err);
    return status == F2L_OK ? f2l_buf_status(&out->fsa, err) : status;
}
