/* The files of OUT, the text to print, and the exit status. */
#include "cli/compile/compile_job.h"
#include "cli/version.h"
#include "library/version.h"
#include "models/network/weights/weights.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <string.h>

/* Writes one file of OUT and notes it for the report; clears the buffer. */
static f2l_status put_out_file(f2l_compile_cli *j, const char *name, f2l_buf *bytes, f2l_error *err)
{
    f2l_status status = f2l_buf_status(bytes, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, name, bytes->data, bytes->size, err);
    if (status == F2L_OK)
        j->report.file[j->report.files++] = f2l_hash_file(name, bytes->data, bytes->size);
    f2l_buf_clear(bytes);
    return status;
}

static f2l_status put_automaton(f2l_compile_cli *j, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_fsa_write(&bytes, &j->grammar.fsa, err);
    if (status == F2L_OK) status = put_out_file(j, "automaton.fsa", &bytes, err);
    f2l_buf_clear(&bytes);
    return status;
}

/* Writes the network, and its certificate when there is something to certify. */
static f2l_status put_compiled_network(f2l_compile_cli *j, f2l_error *err)
{
    const f2l_compile_result *c = j->report.compiled;
    f2l_buf bytes;
    f2l_net model;
    f2l_buf_init(&bytes);
    f2l_compile_model(&model, c, &j->grammar.fsa);
    f2l_status status = f2l_network_write(&bytes, &model, err);
    if (status == F2L_OK) status = put_out_file(j, "network.lrnn", &bytes, err);
    if (status == F2L_OK && c->exact.verdict == F2L_OK) {
        const char *sha256 = j->report.file[j->report.files - 1].sha256;
        status = f2l_compile_certificate(&bytes, c, &j->grammar.fsa, sha256, err);
        if (status == F2L_OK) status = put_out_file(j, "certificate.cert", &bytes, err);
    }
    f2l_buf_clear(&bytes);
    return status;
}

static f2l_status put_weights(f2l_compile_cli *j, f2l_error *err)
{
    f2l_buf bytes;
    f2l_net model;
    f2l_buf_init(&bytes);
    const f2l_fsa *fsa = &j->grammar.fsa;
    const f2l_weights_dtype dtype = (f2l_weights_dtype)j->o.settings.weights_dtype;
    f2l_weights_report *weights = &j->report.weights;
    f2l_compile_model(&model, j->report.compiled, fsa);
    f2l_status status = f2l_weights_write(&bytes, weights, &model, fsa, dtype, err);
    if (status == F2L_OK) status = put_out_file(j, "weights.safetensors", &bytes, err);
    f2l_buf_clear(&bytes);
    return status;
}

f2l_status f2l_compile_cli_describe(f2l_compile_cli *j, const f2l_compile_result *result,
                                    f2l_error *err)
{
    f2l_report *r = &j->report;
    r->version = f2l_version();
    r->commit = f2l_commit();
    r->grammar = f2l_path_base(j->grammar.name);
    r->syntax = j->grammar.syntax;
    r->fsa = &j->grammar.fsa;
    r->label = j->compile.label;
    r->options = &j->compile;
    r->total = j->grammar.total;
    r->compiled = result;
    r->out = j->out;
    r->total_seconds = f2l_now() - j->start;
    return f2l_fsa_sha256(&j->grammar.fsa, r->fsa_sha256, err);
}

f2l_status f2l_compile_cli_put(f2l_compile_cli *j, f2l_error *err)
{
    j->report.files = 0;
    f2l_status status = put_automaton(j, err);
    if (status == F2L_OK) status = put_compiled_network(j, err);
    if (status == F2L_OK) status = put_weights(j, err);
    return status;
}

/* Writes the files of the network, or takes the files of the stage. */
static f2l_status put_files(f2l_compile_cli *j, f2l_error *err)
{
    if (!f2l_compile_cli_is_staged(j, j->report.compiled)) {
        f2l_status status = f2l_outdir_begin_stage(&j->dir, err);
        return status == F2L_OK ? f2l_compile_cli_put(j, err) : status;
    }
    memcpy(j->report.file, j->stage.file, sizeof j->stage.file);
    j->report.files = j->stage.files;
    j->report.weights = j->stage.weights;
    return F2L_OK;
}

/* Writes the report. Where a stage has the other files, only the report is written again; otherwise
 * the report completes the new stage, which an emergency does not publish, because the network need
 * not be VERIFIED. */
static f2l_status put_report(f2l_compile_cli *j, const f2l_buf *json, f2l_error *err)
{
    const bool staged = f2l_compile_cli_is_staged(j, j->report.compiled);
    f2l_status status =
        staged ? f2l_outdir_rewrite(&j->dir, "report.json", json->data, json->size, err)
               : f2l_outdir_write(&j->dir, "report.json", json->data, json->size, err);
    if (status != F2L_OK || staged) return status;
    f2l_outdir_remove_stage(&j->dir, f2l_outdir_complete_stage(&j->dir));
    j->stage.theorem = NULL;
    return F2L_OK;
}

f2l_status f2l_compile_cli_write(f2l_compile_cli *j, f2l_buf *json, f2l_error *err)
{
    f2l_status status = put_files(j, err);
    if (status != F2L_OK) return status;
    j->report.total_seconds = f2l_now() - j->start;
    status = f2l_report_as_json(json, &f2l_compile_report_kind, &j->report, err);
    if (status == F2L_OK) status = f2l_buf_status(json, err);
    if (status != F2L_OK) return status;
    f2l_watchdog_hold();
    status = put_report(j, json, err);
    f2l_watchdog_release();
    return status;
}

static int worse(int a, int b)
{
    if (a == F2L_EXIT_REFUTED || b == F2L_EXIT_REFUTED) return F2L_EXIT_REFUTED;
    return a > b ? a : b;
}

static int verdict_status(f2l_status verdict)
{
    return verdict == F2L_OK ? 0 : verdict == F2L_REFUTED ? F2L_EXIT_REFUTED : F2L_EXIT_UNKNOWN;
}

int f2l_compile_cli_verdict(const f2l_compile_cli *j, const f2l_compile_result *result)
{
    int status = verdict_status(result->exact.verdict);
    for (size_t i = 0; j->o.settings.require != F2L_NO_CHOICE && i < result->formats; i++) {
        const f2l_compile_format *f = &result->format[i];
        if (f->format == &f2l_formats[j->o.settings.require])
            status = worse(status, verdict_status(f->closure.verdict));
    }
    return status;
}

f2l_status f2l_compile_cli_render(const f2l_compile_cli *j, f2l_buf *text, const f2l_buf *json,
                                  f2l_error *err)
{
    if (!j->cli.global.json) return f2l_report_summary(text, &j->report, err);
    f2l_buf_bytes(text, json->data, json->size);
    return f2l_buf_status(text, err);
}
