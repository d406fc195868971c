#include "cli/input/network_paths.h"
#include "numeric/base/path.h"
#include <string.h>

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

/* Refuses a folder with a trained model and without a network. */
static f2l_status check_network_folder(const char *folder, f2l_error *err)
{
    const bool trained =
        f2l_path_has(folder, "weights.safetensors") || f2l_path_has(folder, "config.json");
    return !trained || f2l_path_has(folder, "network.lrnn")
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN,
                          "%s has a trained model and no network.lrnn: fsa2lrnn import writes one "
                          "where there can be one",
                          folder);
}

f2l_status f2l_network_paths_find(f2l_network_paths *out, const char *given, const char *fsa,
                                  f2l_error *err)
{
    const size_t parent = f2l_path_folder(given);
    const bool folder = f2l_path_is_folder(given);
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
    if (status == F2L_OK && folder) status = check_network_folder(given, err);
    if (status == F2L_OK) status = f2l_buf_status(&out->certificate, err);
    return status == F2L_OK ? f2l_buf_status(&out->fsa, err) : status;
}
