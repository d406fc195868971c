#include "cli/network_file.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <string.h>
#include <sys/stat.h>

void f2l_network_file_init(f2l_network_file *file)
{
    memset(file, 0, sizeof *file);
    f2l_buf_init(&file->path);
    f2l_buf_init(&file->fsa_path);
    f2l_buf_init(&file->certificate_path);
    f2l_buf_init(&file->bytes);
    f2l_model_init(&file->model);
    f2l_grammar_init(&file->automaton);
}

void f2l_network_file_clear(f2l_network_file *file)
{
    f2l_buf_clear(&file->path);
    f2l_buf_clear(&file->fsa_path);
    f2l_buf_clear(&file->certificate_path);
    f2l_buf_clear(&file->bytes);
    f2l_model_clear(&file->model);
    f2l_grammar_clear(&file->automaton);
}

static f2l_status find_files(f2l_network_file *f, const char *given, const char *fsa,
                             f2l_error *err)
{
    struct stat info;
    const size_t parent = f2l_path_folder(given);
    const bool folder = stat(given, &info) == 0 && S_ISDIR(info.st_mode);
    const int size = (int)(folder ? strlen(given) : parent);
    const char *separator = folder && given[parent] ? "/" : "";
    f2l_buf_text(&f->path, given);
    if (folder) f2l_buf_printf(&f->path, "%snetwork.lrnn", separator);
    f2l_buf_printf(&f->certificate_path, "%.*s%scertificate.cert", size, given, separator);
    if (fsa)
        f2l_buf_text(&f->fsa_path, fsa);
    else
        f2l_buf_printf(&f->fsa_path, "%.*s%sautomaton.fsa", size, given, separator);
    f2l_status status = f2l_buf_status(&f->path, err);
    if (status == F2L_OK) status = f2l_buf_status(&f->certificate_path, err);
    return status == F2L_OK ? f2l_buf_status(&f->fsa_path, err) : status;
}

int f2l_network_file_load(f2l_network_file *out, f2l_cli *cli, const char *given, const char *fsa)
{
    f2l_error err;
    if (find_files(out, given, fsa, &err) != F2L_OK) return f2l_cli_fail(cli, NULL, &err);
    f2l_status status = f2l_read_file(&out->bytes, out->path.data, 0, &err);
    const char *bytes = out->bytes.data ? out->bytes.data : "";
    if (status == F2L_OK) status = f2l_model_read(&out->model, bytes, out->bytes.size, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, out->path.data, &err);
    out->face = f2l_model_look(&out->model);
    return 0;
}

static f2l_status check_hash(const f2l_network_file *f, const f2l_buf *bytes, f2l_error *err)
{
    char sha256[65];
    f2l_sha256_hex(bytes->data ? bytes->data : "", bytes->size, sha256);
    if (strcmp(sha256, f->face.fsa_sha256) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "this is not the automaton of the network: its SHA-256 is %.12s..., expected "
                    "%.12s...",
                    sha256, f->face.fsa_sha256);
}

static f2l_status check_names(const f2l_network_file *f, f2l_error *err)
{
    const f2l_fsa *fsa = &f->automaton.fsa;
    bool same = fsa->letters.count == f->face.letters->count;
    for (size_t a = 0; same && a < fsa->letters.count; a++)
        same = strcmp(f2l_names_get(&fsa->letters, a), f2l_names_get(f->face.letters, a)) == 0;
    if (!same) return f2l_fail(err, F2L_EFORMAT, "the letters are not the network's");
    return f2l_fsa_has_label(fsa, f->face.label, err);
}

int f2l_network_file_load_automaton(f2l_network_file *out, f2l_cli *cli)
{
    f2l_error err;
    f2l_buf bytes;
    f2l_grammar_options plain;
    memset(&plain, 0, sizeof plain);
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, out->fsa_path.data, 0, &err);
    if (status == F2L_OK) status = check_hash(out, &bytes, &err);
    int code = status == F2L_OK
                   ? f2l_grammar_read(&out->automaton, cli, out->fsa_path.data, &bytes, &plain)
                   : f2l_cli_fail(cli, out->fsa_path.data, &err);
    f2l_buf_clear(&bytes);
    if (code == 0 && check_names(out, &err) != F2L_OK)
        code = f2l_cli_fail(cli, out->fsa_path.data, &err);
    return code;
}

int f2l_network_file_merge_letters(f2l_network_file *out, f2l_cli *cli)
{
    f2l_error err;
    f2l_fsa *fsa = &out->automaton.fsa;
    const f2l_letter_classes *classes = out->face.classes;
    f2l_status status = F2L_OK;
    if (classes->of && fsa->states.count > 0)
        status = f2l_fsa_merge_letters(fsa, classes->of, classes->count, &err);
    if (status == F2L_OK) status = f2l_model_merge_letters(&out->model, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, out->path.data, &err);
    out->face = f2l_model_look(&out->model);
    return 0;
}
