/* Networks: compiled, read and written. */
#include "automata/fsa/fsa_build.h"
#include "library/impl.h"
#include "library/version.h"
#include "models/network/weights/weights.h"
#include "numeric/base/mem.h"
#include "numeric/base/outdir.h"
#include "numeric/base/sha256.h"
#include "reports/compile/report.h"
#include <string.h>
#include <unistd.h>

fsa2lrnn_network *library_network_new(void)
{
    fsa2lrnn_network *n = f2l_calloc(1, sizeof *n);
    if (!n) return NULL;
    f2l_fsa_init(&n->fsa);
    f2l_fsa_init(&n->merged);
    f2l_net_init(&n->model);
    f2l_outline_init(&n->outline);
    f2l_round_exact_init(&n->exact);
    return n;
}

void fsa2lrnn_network_free(fsa2lrnn_network *network)
{
    if (!network) return;
    f2l_round_exact_clear(&network->exact);
    f2l_outline_clear(&network->outline);
    f2l_net_clear(&network->model);
    f2l_fsa_clear(&network->fsa);
    f2l_fsa_clear(&network->merged);
    f2l_buf *const bytes[5] = {&network->fsa_text, &network->text, &network->certificate,
                               &network->weights, &network->report};
    for (size_t i = 0; i < 5; i++) f2l_buf_clear(bytes[i]);
    for (size_t i = 0; i < network->rows; i++) library_row_free(network->row[i]);
    f2l_free(network->row);
    f2l_free(network);
    library_free_caches();
}

f2l_status library_load_model(fsa2lrnn_network *n, f2l_error *err)
{
    const f2l_status status =
        f2l_network_read(&n->model, n->text.data ? n->text.data : "", n->text.size, err);
    return status;
}

f2l_status library_merge_letters(fsa2lrnn_network *n, f2l_error *err)
{
    const f2l_letter_classes *classes = &n->model.classes;
    f2l_status status = F2L_OK;
    if (n->judges) return F2L_OK;
    n->judged = n->model;
    if (classes->of) {
        f2l_fsa_clear(&n->merged);
        status = f2l_fsa_copy(&n->merged, &n->fsa, err);
        if (status == F2L_OK)
            status = f2l_fsa_merge_letters(&n->merged, classes->of, classes->count, err);
        n->judged.letters = n->merged.letters;
        n->judged.classes = (f2l_letter_classes){0};
    }
    if (status == F2L_OK) n->judges = classes->of ? &n->merged : &n->fsa;
    return status;
}

/* Accepts n->fsa if it is the automaton of the model, where its text has the given hash, and reads
 * the outline of the certificate if there is one; a certificate of something else is left out. */
static f2l_status accept_automaton(fsa2lrnn_network *n, const char fsa_sha256[65],
                                   const f2l_task *task, f2l_error *err)
{
    char sha256[65];
    f2l_status status = f2l_network_check_hash(&n->model, fsa_sha256, err);
    if (status == F2L_OK) status = f2l_network_check_names(&n->model, &n->fsa, err);
    n->has_fsa = status == F2L_OK;
    if (status != F2L_OK || n->certificate.size == 0) return status;
    status = library_merge_letters(n, err);
    if (status == F2L_EDOMAIN) return F2L_OK; /* words can be run; fsa2lrnn_verify says it again */
    if (status != F2L_OK) return status;
    f2l_sha256_hex(n->text.data, n->text.size, sha256);
    status = f2l_outline_read(&n->outline, &n->judged, n->judges, n->certificate.data,
                              n->certificate.size, sha256, task, err);
    n->outlined = status == F2L_OK;
    return status == F2L_ENOMEM ? status : F2L_OK;
}

fsa2lrnn_status library_give(fsa2lrnn_network **out, fsa2lrnn_network *n, f2l_status status,
                             fsa2lrnn_error *err, const f2l_error *inner)
{
    if (status == F2L_OK)
        *out = n;
    else
        fsa2lrnn_network_free(n);
    return library_error(err, status, inner);
}

size_t library_files(f2l_hashed_file *file, const fsa2lrnn_network *n)
{
    const struct {
        const char *name;
        const f2l_buf *bytes;
    } of[] = {{"automaton.fsa", &n->fsa_text},
              {"network.lrnn", &n->text},
              {"certificate.cert", &n->certificate},
              {"weights.safetensors", &n->weights}};
    size_t files = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].bytes->size > 0)
            file[files++] = f2l_hash_file(of[i].name, of[i].bytes->data, of[i].bytes->size);
    return files;
}

/* --- compiling --- */

static f2l_status write_report(fsa2lrnn_network *n, const fsa2lrnn_automaton *a,
                               const f2l_compile_options *options,
                               const f2l_compile_result *compiled,
                               const f2l_weights_report *weights, double begun, f2l_error *err)
{
    f2l_report r = {.version = f2l_version(),
                    .commit = f2l_commit(),
                    .grammar = a->name.data,
                    .syntax = a->syntax,
                    .fsa = &n->fsa,
                    .label = options->label,
                    .options = options,
                    .total = a->total,
                    .compiled = compiled,
                    .weights = *weights,
                    .total_seconds = f2l_now() - begun};
    r.files = library_files(r.file, n);
    f2l_status status = f2l_fsa_sha256(&n->fsa, r.fsa_sha256, err);
    if (status == F2L_OK)
        status = f2l_report_as_json(&n->report, &f2l_compile_report_kind, &r, err);
    return status == F2L_OK ? f2l_buf_status(&n->report, err) : status;
}

/* Appends weights.safetensors. */
static f2l_status write_model_weights(f2l_buf *out, f2l_weights_report *report,
                                      const f2l_net *model, const f2l_fsa *fsa,
                                      f2l_weights_dtype dtype, f2l_error *err)
{
    const f2l_status status = f2l_weights_write(out, report, model, fsa, dtype, err);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

/* Writes the bytes of every file of a compiled network. */
static f2l_status write_files(fsa2lrnn_network *n, const f2l_compile_result *c,
                              f2l_weights_report *weights, f2l_weights_dtype dtype, f2l_error *err)
{
    char sha256[65];
    f2l_net model;
    f2l_compile_model(&model, c, &n->fsa);
    f2l_status status = f2l_fsa_write(&n->fsa_text, &n->fsa, err);
    if (status == F2L_OK) status = f2l_network_write(&n->text, &model, err);
    if (status == F2L_OK) status = f2l_buf_status(&n->text, err);
    if (status == F2L_OK && c->exact.verdict == F2L_OK) {
        f2l_sha256_hex(n->text.data, n->text.size, sha256);
        status = f2l_compile_certificate(&n->certificate, c, &n->fsa, sha256, err);
    }
    if (status == F2L_OK)
        status = write_model_weights(&n->weights, weights, &model, &n->fsa, dtype, err);
    const f2l_buf *const bytes[2] = {&n->fsa_text, &n->certificate};
    for (size_t i = 0; status == F2L_OK && i < 2; i++) status = f2l_buf_status(bytes[i], err);
    return status;
}

/* Refuses a label that says nothing about the state that the syntax adds. */
static f2l_status check_added_state(const fsa2lrnn_automaton *automaton, f2l_label label,
                                    f2l_error *err)
{
    if (!automaton->rejects || label == F2L_LABEL_ACCEPT) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%zu transitions are missing, and in %s they reject, which is about the label "
                    "accept alone: take this label, or read with `sink`",
                    automaton->total.sink_edges, automaton->syntax);
}

static f2l_status compile_network(fsa2lrnn_network *n, const fsa2lrnn_automaton *automaton,
                                  const fsa2lrnn_options *options, uint64_t effort,
                                  const f2l_task *task, f2l_error *err)
{
    char sha256[65];
    const double begun = f2l_now();
    const f2l_settings *settings = &options->settings;
    f2l_compile_options o;
    f2l_settings_apply(&o, settings);
    o.label = options->label;
    if (effort) o.renew = false;
    if (effort) o.effort = effort;
    f2l_weights_report weights = {0};
    f2l_compile_result *c = f2l_calloc(1, sizeof *c);
    if (!c) return f2l_fail_memory(err);
    f2l_compile_result_init(c);
    f2l_status status = check_added_state(automaton, o.label, err);
    if (status == F2L_OK) status = f2l_fsa_copy(&n->fsa, &automaton->fsa, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(&n->fsa, o.label, err);
    if (status == F2L_OK) status = f2l_compile(c, &n->fsa, &o, task, err);
    if (status == F2L_OK && c->exact.verdict != F2L_OK && f2l_task_stop(task) != F2L_STOP_NONE)
        status = f2l_fail(err, F2L_UNKNOWN, "%s: no network is VERIFIED",
                          f2l_stop_text(f2l_task_stop(task)));
    if (status == F2L_OK)
        status = write_files(n, c, &weights, (f2l_weights_dtype)settings->weights_dtype, err);
    if (status == F2L_OK) status = write_report(n, automaton, &o, c, &weights, begun, err);
    f2l_compile_result_clear(c);
    f2l_free(c);
    /* What was VERIFIED before the caller cancelled is kept, and reading it takes no time. */
    if (status == F2L_OK) status = library_load_model(n, err);
    if (status == F2L_OK) f2l_sha256_hex(n->fsa_text.data, n->fsa_text.size, sha256);
    n->compiled = true;
    return status == F2L_OK ? accept_automaton(n, sha256, NULL, err) : status;
}

fsa2lrnn_status fsa2lrnn_compile(fsa2lrnn_network **out, const fsa2lrnn_automaton *automaton,
                                 const fsa2lrnn_options *options, const fsa2lrnn_task *task,
                                 fsa2lrnn_error *err)
{
    f2l_error inner;
    library_task t;
    fsa2lrnn_options *usual = NULL;
    if (!out || !automaton) return library_invalid(err, "an argument is NULL");
    if (!options && fsa2lrnn_options_new(&usual, err) != FSA2LRNN_OK) return FSA2LRNN_ENOMEM;
    fsa2lrnn_network *n = library_network_new();
    library_task_begin(&t, task);
    const f2l_status status = n ? compile_network(n, automaton, options ? options : usual,
                                                  t.effort.limit, &t.task, &inner)
                                : f2l_fail_memory(&inner);
    library_task_end(&t);
    fsa2lrnn_options_free(usual);
    return library_give(out, n, status, err, &inner);
}

/* --- weights --- */

fsa2lrnn_status fsa2lrnn_network_weights(char **bytes, size_t *size,
                                         const fsa2lrnn_network *network, fsa2lrnn_error *err)
{
    f2l_error inner;
    f2l_weights_report report;
    f2l_buf out;
    if (!bytes || !size || !network) return library_invalid(err, "an argument is NULL");
    f2l_buf_init(&out);
    const f2l_status status =
        network->has_fsa
            ? write_model_weights(&out, &report, &network->model, &network->fsa, F2L_WEIGHTS_AUTO,
                                  &inner)
            : f2l_fail(&inner, F2L_EDOMAIN, "the network has no automaton, whose names it needs");
    if (status == F2L_OK) {
        *bytes = out.data;
        *size = out.size;
    } else {
        f2l_buf_clear(&out);
    }
    return library_error(err, status, &inner);
}

void fsa2lrnn_bytes_free(char *bytes)
{
    f2l_free(bytes);
}

/* --- folders --- */

/* Reads a file of the folder; one that is not `needed` may be missing. */
static f2l_status read_network_file(f2l_buf *out, const char *folder, const char *name, bool needed,
                                    f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK && (needed || access(path.data, F_OK) == 0))
        status = f2l_read_file(out, path.data, 0, err);
    f2l_buf_clear(&path);
    return status;
}

static f2l_status read_network_automaton(fsa2lrnn_network *n, char sha256[65], const f2l_task *task,
                                         f2l_error *err)
{
    fsa2lrnn_automaton *a = library_automaton_new();
    if (!a) return f2l_fail_memory(err);
    f2l_status status = library_automaton_read(a, n->fsa_text.data ? n->fsa_text.data : "",
                                               n->fsa_text.size, NULL, task, err);
    if (status == F2L_OK) status = f2l_fsa_copy(&n->fsa, &a->fsa, err);
    memcpy(sha256, a->sha256, sizeof a->sha256);
    fsa2lrnn_automaton_free(a);
    return status;
}

static f2l_status open_network_folder(fsa2lrnn_network *n, const char *folder, const f2l_task *task,
                                      f2l_error *err)
{
    char sha256[65];
    f2l_status status = read_network_file(&n->fsa_text, folder, "automaton.fsa", true, err);
    if (status == F2L_OK) status = read_network_file(&n->text, folder, "network.lrnn", true, err);
    if (status == F2L_OK)
        status = read_network_file(&n->certificate, folder, "certificate.cert", false, err);
    if (status == F2L_OK)
        status = read_network_file(&n->weights, folder, "weights.safetensors", false, err);
    if (status == F2L_OK) status = read_network_file(&n->report, folder, "report.json", false, err);
    if (status == F2L_OK) status = read_network_automaton(n, sha256, task, err);
    if (status == F2L_OK) status = library_load_model(n, err);
    return status == F2L_OK ? accept_automaton(n, sha256, task, err) : status;
}

fsa2lrnn_status fsa2lrnn_network_open(fsa2lrnn_network **out, const char *folder,
                                      const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    f2l_error inner;
    library_task t;
    if (!out || !folder) return library_invalid(err, "an argument is NULL");
    fsa2lrnn_network *n = library_network_new();
    if (!n) return library_error(err, f2l_fail_memory(&inner), &inner);
    library_task_begin(&t, task);
    const f2l_status status = open_network_folder(n, folder, &t.task, &inner);
    library_task_end(&t);
    return library_give(out, n, status, err, &inner);
}

fsa2lrnn_status fsa2lrnn_network_read(fsa2lrnn_network **out, const char *bytes, size_t size,
                                      fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!out || (!bytes && size > 0)) return library_invalid(err, "an argument is NULL");
    fsa2lrnn_network *n = library_network_new();
    if (!n) return library_error(err, f2l_fail_memory(&inner), &inner);
    if (size > 0) f2l_buf_bytes(&n->text, bytes, size);
    f2l_status status = f2l_buf_status(&n->text, &inner);
    if (status == F2L_OK) status = library_load_model(n, &inner);
    return library_give(out, n, status, err, &inner);
}

fsa2lrnn_status fsa2lrnn_network_set_automaton(fsa2lrnn_network *network,
                                               const fsa2lrnn_automaton *automaton,
                                               fsa2lrnn_error *err)
{
    f2l_error inner;
    fsa2lrnn_network *n = network;
    if (!n || !automaton) return library_invalid(err, "an argument is NULL");
    if (n->has_fsa) return library_invalid(err, "the network has its automaton");
    f2l_status status = f2l_fsa_copy(&n->fsa, &automaton->fsa, &inner);
    if (status == F2L_OK) {
        const f2l_buf *text = automaton->given.size > 0 ? &automaton->given : &automaton->text;
        f2l_buf_bytes(&n->fsa_text, text->data, text->size);
        status = f2l_buf_status(&n->fsa_text, &inner);
    }
    if (status == F2L_OK) status = accept_automaton(n, automaton->sha256, NULL, &inner);
    if (status != F2L_OK) {
        f2l_fsa_clear(&n->fsa);
        f2l_buf_clear(&n->fsa_text);
    }
    return library_error(err, status, &inner);
}

fsa2lrnn_status fsa2lrnn_network_save(const fsa2lrnn_network *network, const char *folder,
                                      int force, fsa2lrnn_error *err)
{
    if (!network || !folder) return library_invalid(err, "an argument is NULL");
    const struct {
        const char *name;
        const f2l_buf *bytes;
    } file[] = {{"automaton.fsa", &network->fsa_text},
                {"network.lrnn", &network->text},
                {"certificate.cert", &network->certificate},
                {"weights.safetensors", &network->weights},
                {"report.json", &network->report}};
    f2l_error inner;
    f2l_outdir dir = {0};
    if (!network->has_fsa)
        return library_error(
            err, f2l_fail(&inner, F2L_EDOMAIN, "the network has no automaton to write"), &inner);
    f2l_status status = f2l_outdir_open(&dir, folder, force != 0, &inner);
    if (status != F2L_OK) return library_error(err, status, &inner);
    for (size_t i = 0; status == F2L_OK && i < sizeof file / sizeof *file; i++)
        if (file[i].bytes->size > 0)
            status = f2l_outdir_write(&dir, file[i].name, file[i].bytes->data, file[i].bytes->size,
                                      &inner);
    if (status == F2L_OK) status = f2l_outdir_commit(&dir, &inner);
    f2l_outdir_close(&dir);
    return library_error(err, status, &inner);
}
