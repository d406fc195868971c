#include "cli/engines/engines_net.h"
#include "library/settings.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void f2l_engines_source_init(f2l_engines_source *source)
{
    memset(source, 0, sizeof *source);
    f2l_network_file_init(&source->file);
    f2l_compile_result_init(&source->compiled);
    f2l_outline_init(&source->outline);
    f2l_round_exact_init(&source->exact);
    f2l_buf_init(&source->operand);
    f2l_buf_init(&source->made_by);
}

void f2l_engines_source_clear(f2l_engines_source *source)
{
    f2l_round_exact_clear(&source->exact);
    f2l_outline_clear(&source->outline);
    f2l_compile_result_clear(&source->compiled);
    f2l_network_file_clear(&source->file);
    f2l_buf_clear(&source->operand);
    f2l_buf_clear(&source->made_by);
}

bool f2l_engines_is_network(const char *operand)
{
    return f2l_path_is_named(operand, ".lrnn") || f2l_path_has(operand, "network.lrnn");
}

/* Reads the certificate's outline; one that is of no use here leaves the closures. */
static f2l_status read_outline(f2l_engines_source *out, const f2l_buf *bytes, const f2l_task *task)
{
    f2l_error ignored;
    const f2l_status status =
        f2l_outline_read(&out->outline, out->model, out->fsa, bytes->data ? bytes->data : "",
                         bytes->size, out->sha256, task, &ignored);
    out->outlined = status == F2L_OK;
    return status == F2L_ENOMEM ? status : F2L_OK;
}

/* --- a network that is made --- */

/* Sets the hash of the network's file, and the outline of its certificate. */
static f2l_status take_compiled(f2l_engines_source *out, const f2l_fsa *fsa, const f2l_task *task,
                                f2l_error *err)
{
    f2l_net written;
    f2l_buf bytes;
    const f2l_compile_result *c = &out->compiled;
    f2l_buf_init(&bytes);
    f2l_compile_model(&written, c, fsa);
    f2l_status status = f2l_network_write(&bytes, &written, err);
    if (status == F2L_OK) status = f2l_buf_status(&bytes, err);
    if (status == F2L_OK) f2l_sha256_hex(bytes.data, bytes.size, out->sha256);
    f2l_buf_clear(&bytes);
    out->model = &c->net;
    out->fsa = c->letters ? &c->letters->fsa : fsa;
    if (status == F2L_OK && c->exact.verdict == F2L_OK) {
        status = f2l_compile_certificate(&bytes, c, fsa, out->sha256, err);
        if (status == F2L_OK) status = read_outline(out, &bytes, task);
    }
    f2l_buf_clear(&bytes);
    return status;
}

f2l_status f2l_engines_source_compile(f2l_engines_source *out, const f2l_fsa *fsa, f2l_label label,
                                      const f2l_task *task, f2l_error *err)
{
    f2l_error why;
    f2l_compile_options options;
    const f2l_settings usual = F2L_SETTINGS_USUAL;
    f2l_settings_apply(&options, &usual);
    options.label = label;
    options.naive_keys = out->textbook;
    f2l_status status = f2l_compile(&out->compiled, fsa, &options, task, &why);
    if (status == F2L_OK && out->compiled.net.layers == 0) {
        f2l_compile_result_clear(&out->compiled);
        f2l_compile_result_init(&out->compiled);
        out->cascade = true;
        options.cascade = F2L_COMPILE_HOLONOMY;
        status = f2l_compile(&out->compiled, fsa, &options, task, &why);
    }
    if (status == F2L_OK) return take_compiled(out, fsa, task, err);
    if (status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        *err = why;
        return status;
    }
    out->open = status == F2L_UNKNOWN;
    snprintf(out->none, sizeof out->none, "%.255s", why.text);
    return F2L_OK;
}

/* --- a network that is there --- */

int f2l_engines_source_load(f2l_engines_source *out, f2l_cli *cli)
{
    f2l_error err;
    f2l_buf bytes;
    struct stat about;
    f2l_network_file *file = &out->file;
    int code = f2l_network_file_load(file, cli, out->subject, NULL);
    if (code == 0) code = f2l_network_file_load_automaton(file, cli);
    if (code == 0) code = f2l_network_file_merge_letters(file, cli);
    if (code) return code;
    f2l_sha256_hex(file->bytes.data, file->bytes.size, out->sha256);
    out->model = &file->model;
    out->fsa = &file->automaton.fsa;
    if (stat(file->paths.certificate.data, &about) != 0) return 0;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, file->paths.certificate.data, 0, &err);
    if (status == F2L_OK) status = read_outline(out, &bytes, &cli->task);
    f2l_buf_clear(&bytes);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, file->paths.certificate.data, &err);
}

f2l_status f2l_engines_source_decide(f2l_engines_source *out, const f2l_task *task, f2l_error *err)
{
    if (!out->model) return F2L_OK;
    return f2l_round_exactly(&out->exact, out->model, out->fsa,
                             out->outlined ? &out->outline : NULL, 0, task, err);
}

void f2l_engines_source_tell(f2l_engines_net *out, const f2l_engines_source *source)
{
    f2l_net_size size = {0};
    const bool own = source->file.bytes.size > 0;
    if (source->model) f2l_net_measure(&size, source->model);
    *out = (f2l_engines_net){.subject = source->subject,
                             .keys = own                ? "own"
                                     : source->textbook ? "textbook"
                                                        : "dyadic",
                             .operand = source->operand.data,
                             .made_by = own ? NULL : source->made_by.data,
                             .theorem = source->compiled.theorem,
                             .layers = size.layers,
                             .sha256 = source->sha256,
                             .none = source->none[0] ? source->none : NULL};
}
