#include "cli/input/network_file.h"
#include "numeric/base/sha256.h"
#include <string.h>

void f2l_network_file_init(f2l_network_file *file)
{
    memset(file, 0, sizeof *file);
    f2l_network_paths_init(&file->paths);
    f2l_buf_init(&file->bytes);
    f2l_net_init(&file->model);
    f2l_grammar_init(&file->automaton);
    f2l_names_init(&file->letters);
}

void f2l_network_file_clear(f2l_network_file *file)
{
    f2l_network_paths_clear(&file->paths);
    f2l_buf_clear(&file->bytes);
    f2l_net_clear(&file->model);
    f2l_grammar_clear(&file->automaton);
    f2l_names_clear(&file->letters);
    f2l_letter_classes_clear(&file->classes);
}

int f2l_network_file_load(f2l_network_file *out, f2l_cli *cli, const char *given, const char *fsa)
{
    f2l_error err;
    if (f2l_network_paths_find(&out->paths, given, fsa, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    f2l_status status = f2l_read_file(&out->bytes, out->paths.network.data, 0, &err);
    const char *bytes = out->bytes.data ? out->bytes.data : "";
    if (status == F2L_OK) status = f2l_network_read(&out->model, bytes, out->bytes.size, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, out->paths.network.data, &err);
    if (out->model.fitted)
        f2l_cli_warn(cli, out->paths.network.data,
                     "its codes are means of states of a trained network, which exact arithmetic "
                     "does not meet again, and formats take the nearest one: nothing here holds "
                     "for the trained network");
    return 0;
}

int f2l_network_file_load_automaton(f2l_network_file *out, f2l_cli *cli)
{
    f2l_error err;
    char sha256[65];
    const f2l_input_options plain = {.regex = NULL};
    f2l_grammar *g = &out->automaton;
    int code = f2l_grammar_open(g, cli, &plain, out->paths.fsa.data);
    if (code) return code;
    f2l_sha256_hex(g->bytes.data, g->bytes.size, sha256);
    if (f2l_network_check_hash(&out->model, sha256, &err) != F2L_OK)
        return f2l_cli_fail(cli, out->paths.fsa.data, &err);
    code = f2l_grammar_read(g, cli, &plain);
    if (code == 0 && f2l_network_check_names(&out->model, &g->fsa, &err) != F2L_OK)
        code = f2l_cli_fail(cli, out->paths.fsa.data, &err);
    return code;
}

int f2l_network_file_merge_letters(f2l_network_file *out, f2l_cli *cli)
{
    f2l_error err;
    f2l_fsa *fsa = &out->automaton.fsa;
    const f2l_letter_classes *classes = &out->model.classes;
    f2l_status status = f2l_names_copy(&out->letters, &out->model.letters, &err);
    if (status == F2L_OK)
        status = f2l_letter_classes_copy(&out->classes, classes, out->letters.count, &err);
    if (status == F2L_OK && classes->of && fsa->states.count > 0)
        status = f2l_fsa_merge_letters(fsa, classes->of, classes->count, &err);
    if (status == F2L_OK)
        status = f2l_letter_classes_merge(&out->model.letters, &out->model.classes, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, out->paths.network.data, &err);
    return 0;
}
