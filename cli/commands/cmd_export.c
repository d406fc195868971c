/* `export`: a network as a folder that other programs run. */
#include "cli/commands.h"
#include "cli/input/network_file.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "library/version.h"
#include "models/doors/export/export.h"
#include "numeric/base/outdir.h"
#include "numeric/base/path.h"
#include "reports/networks/export_report.h"
#include "theory/certify/cert/export_cert.h"
#include "theory/certify/unrounded/export_proof.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EFFORT 3000               /* limit on all proofs, in millions of counted steps */
#define LIMIT ((uint64_t)4 << 30) /* on the bytes of all files */

typedef struct export_options {
    const char *to, *out, *dtype, *fsa, *tokenizer;
    uint64_t limit;
    bool force;
} export_options;

static const char *choice_target(size_t index)
{
    return f2l_export_targets[index] ? f2l_export_targets[index]->name : NULL;
}

static const char *choice_dtype(size_t index)
{
    const f2l_export_dtype *const *all = f2l_export_dtypes;
    return all[index] ? all[index]->name : NULL;
}

#define FIELD(name) offsetof(export_options, name)
static const f2l_option table[] = {
    {"to", 0, F2L_OPTION_TEXT, "TARGET", choice_target, 0, 0, FIELD(to), "what to export to"},
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder to write, whole or not at all"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force),
     "replace DIR if it is the folder of an export"},
    {"dtype", 0, F2L_OPTION_TEXT, "TYPE", choice_dtype, 0, 0, FIELD(dtype),
     "the type of the numbers that DIR computes with (default: the target's narrowest in which "
     "nothing rounds, else its widest)"},
    {"limit", 0, F2L_OPTION_SIZE, "SIZE", NULL, 1, (uint64_t)1 << 50, FIELD(limit),
     "refuse files that take more than SIZE together, such as 500M or 2G, before they are made "
     "(default: 4G)"},
    {"tokenizer", 0, F2L_OPTION_FILE, "FOLDER", NULL, F2L_FILES_FOLDER, 0, FIELD(tokenizer),
     "also write this folder for transformers' AutoTokenizer: letters are tokens, and words begin "
     "with the prefix (fla-deltanet, fla-gated-deltaproduct, olmo-hybrid)"},
    F2L_NETWORK_FSA_OPTION,
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    export_options o;
    f2l_network_file net;
    const f2l_export_target *target;
    f2l_outdir dir, tokenizer_dir;
    f2l_buf certificate;
    f2l_export_job export;
    f2l_exported exported, tokenizer;
} job;

#define PARTS(part, clear) \
    part(f2l_exported, exported), part(f2l_exported, tokenizer), part(f2l_buf, certificate), \
        part(f2l_network_file, net)
F2L_JOB(PARTS)

static f2l_row target_row(size_t index)
{
    const f2l_export_target *t = f2l_export_targets[index];
    return t ? (f2l_row){t->name, "", t->summary} : (f2l_row){NULL, NULL, NULL};
}

/* Finds the target; lists all of them where there is none of this name. */
static int find_target(job *j)
{
    f2l_buf all;
    const char *name = j->o.to ? j->o.to : "";
    f2l_buf_init(&all);
    for (size_t i = 0; f2l_export_targets[i]; i++) {
        if (strcmp(name, f2l_export_targets[i]->name) == 0) j->target = f2l_export_targets[i];
        f2l_buf_printf(&all, "%s%s", i ? ", " : "", f2l_export_targets[i]->name);
    }
    const char *list = all.data ? all.data : "";
    const int code =
        j->target ? 0
        : j->o.to
            ? f2l_cli_usage(&j->cli, "there is no target '%s'; --to takes one of: %s", name, list)
            : f2l_cli_usage(&j->cli, "--to TARGET is missing, one of: %s", list);
    f2l_buf_clear(&all);
    return code;
}

/* Finds the type that --dtype names among the target's. */
static int find_dtype(job *j)
{
    const f2l_export_dtype *const *dtype = j->target->dtype;
    if (!j->o.dtype) return 0;
    if (!dtype)
        return f2l_cli_usage(&j->cli, "--dtype is not for %s, whose numbers are stored only",
                             j->target->name);
    j->export.dtype = f2l_export_dtype_find(dtype, j->o.dtype);
    if (j->export.dtype) return 0;
    f2l_buf all;
    f2l_buf_init(&all);
    for (size_t i = 0; dtype[i]; i++) f2l_buf_printf(&all, "%s%s", i ? ", " : "", dtype[i]->name);
    const int code = f2l_cli_usage(&j->cli, "--dtype of %s takes one of: %s; not '%s'",
                                   j->target->name, all.data ? all.data : "", j->o.dtype);
    f2l_buf_clear(&all);
    return code;
}

/* Returns whether a path names the folder or something in it, as far as its text shows. */
static bool is_spelled_inside(const char *path, const char *folder)
{
    const size_t size = f2l_path_trimmed(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '\0' || path[size] == '/');
}

static bool is_same_folder(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* Puts the path of the folder above; returns the last name, which has `size` bytes. */
static const char *split_path(f2l_buf *above, size_t *size, const char *path)
{
    const size_t end = f2l_path_trimmed(path);
    size_t cut = end;
    while (cut > 0 && path[cut - 1] != '/') cut--;
    f2l_buf_printf(above, "%.*s", cut ? (int)cut : 1, cut ? path : ".");
    *size = end - cut;
    return path + cut;
}

/* Returns whether a path names the folder or something in it; either need not be there yet. */
static bool is_inside(const char *path, const char *folder)
{
    f2l_buf one, two;
    size_t size, other_size;
    f2l_buf_init(&one);
    f2l_buf_init(&two);
    const char *name = split_path(&one, &size, path);
    const char *other = split_path(&two, &other_size, folder);
    const bool named = size == other_size && memcmp(name, other, size) == 0;
    const bool inside = is_spelled_inside(path, folder) ||
                        (!one.failed && is_same_folder(one.data, folder)) ||
                        (named && !one.failed && !two.failed && is_same_folder(one.data, two.data));
    f2l_buf_clear(&one);
    f2l_buf_clear(&two);
    return inside;
}

static int check_export_usage(job *j)
{
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli, "one network is expected: its file or the folder it lies in");
    int code = find_target(j);
    if (code == 0) code = find_dtype(j);
    if (code == 0 && !j->o.out) code = f2l_cli_usage(&j->cli, "--out DIR is missing");
    if (code == 0 && j->o.tokenizer && !j->target->library)
        code = f2l_cli_usage(&j->cli, "--tokenizer is not for %s, which reads numbers of letters",
                             j->target->name);
    if (code == 0 && j->o.tokenizer && is_inside(j->o.tokenizer, j->o.out))
        code = f2l_cli_usage(
            &j->cli, "--tokenizer names a folder beside '%s', not this or one in it", j->o.out);
    return code;
}

/* Looks whether anything rounds in the type, in the order of operations of the target. */
static f2l_status prove_in_dtype(job *j, const f2l_export_dtype *dtype, f2l_error *err)
{
    return f2l_export_prove(&j->export.proof, &j->net.model, f2l_format_find(dtype->format),
                            j->target->schedules, j->export.task, err);
}

/* Chooses the type: the one that was asked for, else the first in which nothing rounds. */
static f2l_status choose_dtype(job *j, f2l_error *err)
{
    const f2l_export_dtype *const *dtype = j->target->dtype;
    f2l_export_job *e = &j->export;
    f2l_status status = F2L_OK;
    e->proof.verdict = F2L_UNKNOWN;
    if (!dtype) return F2L_OK;
    if (!j->target->schedules) {
        if (!e->dtype) e->dtype = dtype[0];
        return F2L_OK;
    }
    if (e->dtype) return prove_in_dtype(j, e->dtype, err);
    for (size_t i = 0; status == F2L_OK && dtype[i] && e->proof.verdict != F2L_OK; i++) {
        e->dtype = dtype[i];
        status = prove_in_dtype(j, e->dtype, err);
    }
    return status;
}

static f2l_export_report report_of(const job *j)
{
    return (f2l_export_report){.network = j->cli.operand[0],
                               .out = j->o.out,
                               .version = f2l_version(),
                               .commit = f2l_commit(),
                               .target = j->target,
                               .job = &j->export,
                               .exported = &j->exported};
}

/* Writes the files, and the report, which marks the folder as ours, into the temporary folder. */
static f2l_status write_folder(f2l_outdir *dir, const f2l_exported *exported, const f2l_buf *report,
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < exported->files; i++) {
        const f2l_export_file *file = &exported->file[i];
        status = f2l_outdir_write(dir, file->name, file->bytes.data, file->bytes.size, err);
    }
    if (status == F2L_OK)
        status = f2l_outdir_write(dir, F2L_EXPORT_ABOUT, report->data, report->size, err);
    return status;
}

/* Returns the bytes of the files of a folder, its report among them. */
static uint64_t folder_bytes(const f2l_exported *exported, const f2l_buf *report)
{
    uint64_t bytes = report->size;
    for (size_t i = 0; i < exported->files; i++) bytes += exported->file[i].bytes.size;
    return bytes;
}

static int write_exported_files(job *j)
{
    static const f2l_outdir_kind kind = {.names = f2l_tokenizer_names, .mark = F2L_EXPORT_ABOUT};
    f2l_error err;
    f2l_buf json;
    const char *place = j->o.out;
    const f2l_export_report report = report_of(j);
    f2l_buf_init(&json);
    f2l_status status = f2l_report_as_json(&json, &f2l_export_report_kind, &report, &err);
    if (status == F2L_OK)
        status = f2l_export_check_limit(&j->export, folder_bytes(&j->exported, &json), &err);
    if (status == F2L_OK) status = write_folder(&j->dir, &j->exported, &json, &err);
    if (status == F2L_OK && j->o.tokenizer) {
        place = j->o.tokenizer;
        status = f2l_continue_outdir(&j->tokenizer_dir, &j->cli, place, &kind, j->o.force, &err);
        if (status == F2L_OK) status = write_folder(&j->tokenizer_dir, &j->tokenizer, &json, &err);
        if (status == F2L_OK) status = f2l_outdir_commit(&j->tokenizer_dir, &err);
        if (status == F2L_OK) place = j->o.out;
    }
    if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, &err);
    f2l_buf_clear(&json);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, place, &err);
}

/* Prints the sizes of a model that is about to be made. */
static void show_sizes(void *context, const f2l_export_sizes *s)
{
    const job *j = context;
    if (j->cli.global.quiet || j->cli.global.json) return;
    printf("%-14s %zu layer%s, hidden size %zu, %zu head%s of %zu x %zu, inner size %zu: %" PRIu64
           " parameters, %" PRIu64 " bytes\n",
           "sizes", s->layers, s->layers == 1 ? "" : "s", s->width, s->heads,
           s->heads == 1 ? "" : "s", s->key_dim, s->value_dim, s->inner, s->parameters, s->bytes);
    fflush(stdout);
}

static int show_exported(job *j)
{
    const f2l_export_report report = report_of(j);
    if (j->cli.global.quiet && !j->cli.global.json) return 0;
    const int code = f2l_cli_report(&j->cli, &f2l_export_report_kind, &report);
    if (code == 0 && j->o.tokenizer && !j->cli.global.json)
        printf("%-14s %s: %s, %s\n", "tokenizer", j->o.tokenizer, j->tokenizer.file[0].name,
               j->tokenizer.file[1].name);
    return code;
}

/* Claims DIR before the work starts, so that nobody waits for files that cannot be stored. */
static int export_into(job *j)
{
    static const f2l_outdir_kind kind = {.names = f2l_export_names, .mark = F2L_EXPORT_ABOUT};
    f2l_error err;
    f2l_effort effort = {.limit = (uint64_t)EFFORT * F2L_STEPS};
    f2l_task task = j->cli.task;
    task.effort = &effort;
    if (f2l_continue_outdir(&j->dir, &j->cli, j->o.out, &kind, j->o.force, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.out, &err);
    f2l_signals_guard(&j->dir);
    j->export.prove = f2l_export_prove;
    j->export.certify = f2l_export_certify;
    j->export.task = &task;
    j->export.limit = j->o.limit;
    j->export.announce = show_sizes;
    j->export.context = j;
    j->export.model = &j->net.model;
    j->export.network = j->cli.operand[0];
    j->export.automaton = j->net.paths.fsa.data;
    j->export.fsa = &j->net.automaton.fsa;
    j->export.certificate = j->certificate;
    f2l_status status = choose_dtype(j, &err);
    if (status == F2L_OK) status = f2l_export_model(&j->exported, j->target, &j->export, &err);
    if (status == F2L_OK && j->o.tokenizer)
        status = f2l_export_tokenizer(&j->tokenizer, &j->exported, &j->net.model.letters, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
    if (f2l_signals_caught()) return f2l_cli_interrupted(&j->cli, "nothing was written");
    const int code = write_exported_files(j);
    return code ? code : show_exported(j);
}

/* Reads the certificate, if it is there. One that cannot be read is an error where the target takes
 * it; others need it for advice only. */
static int load_certificate(job *j)
{
    f2l_error err;
    const char *path = j->net.paths.certificate.data;
    if (!path || access(path, F_OK) != 0) return 0;
    if (f2l_read_file(&j->certificate, path, 0, &err) == F2L_OK) return 0;
    if (j->target->certificate) return f2l_cli_fail(&j->cli, path, &err);
    f2l_buf_clear(&j->certificate);
    return 0;
}

static int run_export(void *context)
{
    job *j = context;
    int code = check_export_usage(j);
    if (code == 0) code = f2l_network_file_load(&j->net, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code == 0) code = f2l_network_file_load_automaton(&j->net, &j->cli);
    if (code == 0) code = load_certificate(j);
    if (code == 0) code = export_into(j);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    f2l_outdir_close(&j->tokenizer_dir);
    return code;
}

const f2l_command f2l_command_export = {
    .name = "export",
    .usage = (const char *const[]){"export NET --to TARGET -o DIR [options]", NULL},
    .summary = "writes a network as a folder that other programs run: NumPy, PyTorch, ONNX",
    .description =
        "Writes a new folder DIR that needs nothing of this program: the weights in the target's "
        "form, README.md, which says how to run it, and export.json, which names letters, labels "
        "and files. NET is the network or the folder OUT, with its automaton beside it.\n\n"
        "For each way of running DIR it says whether it is exact: in which type of numbers, and "
        "why. It is exact where every number of every step is a number of the type, in the order "
        "of operations that DIR has, so that nothing rounds; then it gives the labels of the exact "
        "network, which the network's certificate is about. Where something rounds, nothing is "
        "claimed: fsa2lrnn round gives verdicts for orders of operations that round.",
    .options = table,
    .no_grammar = "a network has the automaton that it was built from",
    .list_title = "Targets",
    .list = target_row,
    .work = &(const f2l_work_kind){.own_out = true, .result = F2L_EXPORT_ABOUT},
    .files = {F2L_FILES_NETWORK},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn export s5.lrnn --to pytorch -o s5-torch",
             "a module of one file that needs PyTorch alone"},
            {"fsa2lrnn export s5.lrnn --to onnx -o s5-onnx --dtype float64",
             "a graph whose numbers are float64"},
            {"fsa2lrnn export s5.lrnn --to npz -o s5-npz", "the tensors for NumPy"},
            {"fsa2lrnn export s5.lrnn --to fla-gated-deltaproduct -o s5-fla --limit 50M",
             "a language model of at most 50 MB, whose sizes are printed first"},
            {"fsa2lrnn export s5.lrnn --to fla-gated-deltaproduct -o s5-fla --tokenizer s5-letters",
             "and a tokenizer for AutoTokenizer.from_pretrained(\"s5-letters\")"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const export_options){.limit = LIMIT},
    .run = run_export};
