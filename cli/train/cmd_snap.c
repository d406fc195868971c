/* `snap`: the exact network beside a trained one. */
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/train/evaluate_weights.h"
#include "cli/version.h"
#include "library/version.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/outdir.h"
#include "numeric/base/sha256.h"
#include "reports/networks/snap_report.h"
#include "theory/certify/cert/cert.h"

#define LOGIT 16

typedef struct snap_options {
    const char *out;
    double within, logit;
} snap_options;

#define FIELD(name) offsetof(snap_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder to write, whole or not at all; it must not exist (default: write nothing)"},
    {"within", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(within),
     "the largest defect of a part that counts as learned (default: 0.2)"},
    {"logit", 0, F2L_OPTION_REAL, "X", NULL, 0, 80, FIELD(logit),
     "betas that are put back are 2 sigmoid(X) and 2 sigmoid(-X) (default: 16)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static const char *const file_names[] = {"automaton.fsa",
                                         "network.lrnn",
                                         "certificate.cert",
                                         "snap.json",
                                         "trained/config.json",
                                         "trained/automaton.fsa",
                                         "trained/weights.safetensors",
                                         NULL};
static const char *const folder_names[] = {"trained", NULL};
enum { FILES = sizeof file_names / sizeof *file_names };

typedef struct job {
    f2l_cli cli;
    snap_options o;
    f2l_weights_file weights;
    f2l_data data;
    double *parameters;
    unsigned char *used;
    f2l_inspect inspect;
    f2l_snap snap;
    f2l_snap_put put;
    bool has_put;
    f2l_error no_put;
    f2l_outdir_kind kind;
    f2l_outdir dir;
    f2l_hashed_file file[FILES];
    size_t files;
} job;

#define PARTS(part, clear) \
    part(f2l_snap, snap), part(f2l_inspect, inspect), clear(f2l_free(j->used)), \
        clear(f2l_free(j->parameters)), part(f2l_data, data), part(f2l_weights_file, weights)
F2L_JOB(PARTS)

/* Opens the data of the run, and finds which letters came in training. */
static f2l_status open_snapped_data(job *j, f2l_error *err)
{
    if (!j->weights.has_run) return F2L_OK;
    const f2l_status status =
        f2l_experiment_data(&j->data, &j->weights.run.experiment, F2L_DATA_TRAIN, err);
    return status == F2L_OK ? f2l_weights_file_used(&j->used, &j->weights, &j->data, err) : status;
}

/* Puts the exact transitions back into the parameters. That it cannot be done is no failure. */
static f2l_status put_transitions_back(job *j, f2l_error *err)
{
    const double logit = j->o.logit < 0 ? LOGIT : j->o.logit;
    const f2l_status status =
        f2l_snap_put_back(&j->put, j->parameters, &j->snap, &j->inspect, &j->weights.trained.model,
                          &j->data, logit, &j->cli.task, &j->no_put);
    j->has_put = status == F2L_OK;
    if (status == F2L_OK || status == F2L_EDOMAIN) return F2L_OK;
    return f2l_fail(err, status, "%s", j->no_put.text);
}

static f2l_status analyse_snap(job *j, f2l_error *err)
{
    const f2l_task *task = &j->cli.task;
    const f2l_seq *model = &j->weights.trained.model;
    f2l_status status = open_snapped_data(j, err);
    if (status == F2L_OK) status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    if (status == F2L_OK && model->config.mixer == &f2l_mixer_delta)
        status = f2l_inspect_build(&j->inspect, model, j->parameters, j->used, task, err);
    if (status == F2L_OK)
        status = f2l_snap_build(&j->snap, &j->inspect, model, j->parameters,
                                j->weights.has_run ? &j->data : NULL,
                                j->o.within < 0 ? F2L_SNAP_WITHIN : j->o.within, task, err);
    if (status != F2L_OK || j->snap.verdict != F2L_SNAP_SNAPPED) return status;
    return put_transitions_back(j, err);
}

/* --- the folder --- */

/* Writes one file and clears its bytes. */
static f2l_status put_snap_file(job *j, const char *name, f2l_buf *bytes, f2l_status status,
                                f2l_error *err)
{
    if (status == F2L_OK) status = f2l_buf_status(bytes, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, name, bytes->data, bytes->size, err);
    if (status == F2L_OK) j->file[j->files++] = f2l_hash_file(name, bytes->data, bytes->size);
    f2l_buf_clear(bytes);
    return status;
}

static f2l_status put_snapped_network(job *j, f2l_error *err)
{
    f2l_buf bytes;
    const f2l_snap *s = &j->snap;
    f2l_buf_init(&bytes);
    f2l_status status =
        put_snap_file(j, "automaton.fsa", &bytes, f2l_fsa_write(&bytes, j->data.fsa, err), err);
    if (status == F2L_OK)
        status = put_snap_file(j, "network.lrnn", &bytes, f2l_net_write(&bytes, &s->net, err), err);
    if (status == F2L_OK)
        status = put_snap_file(
            j, "certificate.cert", &bytes,
            f2l_cert_write(&bytes, &s->net, &s->closure, j->file[j->files - 1].sha256, err), err);
    return status;
}

/* Writes the folder of a run with the weights into which the exact transitions were put. */
static f2l_status put_trained(job *j, f2l_error *err)
{
    f2l_buf bytes;
    const f2l_seq *model = &j->weights.trained.model;
    float *rounded = j->weights.trained.parameters;
    for (size_t i = 0; i < model->parameters; i++) rounded[i] = (float)j->parameters[i];
    f2l_buf_init(&bytes);
    f2l_buf_bytes(&bytes, j->weights.run.config.data, j->weights.run.config.size);
    f2l_status status = put_snap_file(j, "trained/config.json", &bytes, F2L_OK, err);
    if (status == F2L_OK)
        status = put_snap_file(j, "trained/automaton.fsa", &bytes,
                               f2l_fsa_write(&bytes, j->data.fsa, err), err);
    if (status == F2L_OK)
        status = put_snap_file(j, "trained/weights.safetensors", &bytes,
                               f2l_seq_write_f32(&bytes, model, rounded, err), err);
    return status;
}

static f2l_snap_report snap_report_of(const job *j)
{
    return (f2l_snap_report){.weights = j->weights.name.data,
                             .version = f2l_version(),
                             .commit = f2l_commit(),
                             .data = j->weights.has_run ? &j->data : NULL,
                             .model = &j->weights.trained.model,
                             .inspect = &j->inspect,
                             .snap = &j->snap,
                             .put = j->has_put ? &j->put : NULL,
                             .why_no_put = j->no_put.status != F2L_OK ? j->no_put.text : NULL,
                             .out = j->o.out,
                             .files = j->files,
                             .file = j->file};
}

static f2l_status write_snapped_files(job *j, f2l_error *err)
{
    f2l_buf json;
    f2l_status status = F2L_OK;
    f2l_buf_init(&json);
    if (j->snap.verdict == F2L_SNAP_SNAPPED) status = put_snapped_network(j, err);
    if (status == F2L_OK && j->has_put) status = put_trained(j, err);
    const f2l_snap_report report = snap_report_of(j);
    if (status == F2L_OK) status = f2l_report_as_json(&json, &f2l_snap_report_kind, &report, err);
    if (status == F2L_OK)
        status = f2l_outdir_write(&j->dir, "snap.json", json.data, json.size, err);
    if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, err);
    f2l_buf_clear(&json);
    return status;
}

static int write_snap_folder(job *j)
{
    f2l_error err;
    j->kind = (f2l_outdir_kind){.names = file_names, .mark = "snap.json"};
    if (j->has_put) j->kind.folders = folder_names;
    f2l_status status = f2l_continue_outdir(&j->dir, &j->cli, j->o.out, &j->kind, false, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->o.out, &err);
    f2l_signals_guard(&j->dir);
    status = write_snapped_files(j, &err);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.out, &err);
}

static int show_snapped(job *j)
{
    static const int exit_status[] = {0, F2L_EXIT_REFUTED, F2L_EXIT_UNKNOWN};
    const f2l_snap_report report = snap_report_of(j);
    const int code = f2l_cli_report(&j->cli, &f2l_snap_report_kind, &report);
    return code ? code : exit_status[j->snap.verdict];
}

static int run_snap(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->cli.operands != 1) return f2l_cli_usage(&j->cli, "the folder of a run is expected");
    if (j->o.within == 0) return f2l_cli_usage(&j->cli, "--within must be above 0");
    if (j->o.logit == 0) return f2l_cli_usage(&j->cli, "--logit must be above 0");
    int code = f2l_weights_file_load(&j->weights, &j->cli, j->cli.operand[0]);
    if (code) return code;
    if (analyse_snap(j, &err) != F2L_OK) return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (j->o.out) code = write_snap_folder(j);
    return code ? code : show_snapped(j);
}

const f2l_command f2l_command_snap = {
    .name = "snap",
    .usage = (const char *const[]){"snap RUN [-o DIR] [options]", NULL},
    .summary = "finds the exact network beside a trained one, and proves it",
    .description =
        "For a trained network of one layer with the delta mixer, where the letters permute the "
        "states of the automaton: finds in every head the parts of the state that move as an "
        "irreducible representation of the transition group, for each representation that n_h "
        "factors can express, and prints for each how far the learned matrices are from it.\n\n"
        "If these representations determine the group's element, the network is SNAPPED: DIR gets "
        "the exact network of just these representations, which starts near where the trained one "
        "starts, with a certificate for all lengths. Where they do not, parts are sought that move "
        "as a representation up to signs of the letters. Heads with such parts have learned pairs "
        "of an element and a sign, and the exact network is of the group of these pairs; the "
        "certificate is for the automaton all the same. A folder DIR/trained has the trained "
        "weights into which the exact transitions were put, as nearly as float allows, where the "
        "class of the network admits it; evaluate and inspect take it. What is proved is the exact "
        "network; about the trained one there are only the distances, in floating point.\n\n"
        "The exit status is 0 if the network is SNAPPED, 1 if it cannot be, with the reason, and 2 "
        "if a limit was reached.",
    .options = table,
    .no_grammar = "a run has its automaton",
    .work = &(const f2l_work_kind){.own_out = true, .result = "snap.json"},
    .files = {F2L_FILES_WEIGHTS},
    .examples = (const f2l_example[]){{"fsa2lrnn snap s4.train", "what the heads have learned"},
                                      {"fsa2lrnn snap s4.train -o s4.snap && "
                                       "fsa2lrnn check s4.snap",
                                       "the exact network, checked independently"},
                                      {"fsa2lrnn evaluate s4.snap/trained --lengths 100,10000",
                                       "the weights with the exact transitions"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const snap_options){.within = -1, .logit = -1},
    .run = run_snap};
