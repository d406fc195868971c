/* `vectors`: inputs and exact results for implementations of the delta rule and delta product. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include "numeric/base/outdir.h"
#include "reports/networks/vectors_report.h"
#include <string.h>

#define ABOUT "vectors.json" /* the report, which marks a folder as ours */
#define MOST_FILES 64

typedef struct vectors_options {
    const char *out, *only;
    bool list, force;
} vectors_options;

#define FIELD(name) offsetof(vectors_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder to write, whole or not at all (default: OP.vectors)"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force),
     "replace DIR if it is a folder of vectors"},
    {"only", 0, F2L_OPTION_TEXTS, "NAMES", NULL, 0, 0, FIELD(only),
     "only these files, separated by commas"},
    {"list", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(list),
     "print the files and their shapes, and write nothing"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    vectors_options o;
    const f2l_vector_op *op;
    f2l_vectors_file file[MOST_FILES];
    size_t files;
    f2l_buf folder;                    /* the name of DIR */
    char name[MOST_FILES][40];         /* of the files in it */
    const char *names[MOST_FILES + 2]; /* the same and ABOUT, NULL-terminated */
    f2l_outdir_kind kind;
    f2l_outdir dir;
} job;

#define PARTS(part, clear) part(f2l_buf, folder)
F2L_JOB(PARTS)

static f2l_row op_row(size_t index)
{
    const f2l_vector_op *op = &f2l_vector_ops[index];
    return op->name ? (f2l_row){op->name, "", op->summary} : (f2l_row){NULL, NULL, NULL};
}

static const char *op_name(size_t index)
{
    return f2l_vector_ops[index].name;
}

/* Returns whether a name is in the list of --only, where every name is, if there is none. */
static bool is_wanted(const char *only, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) return true;
    return !only;
}

/* Returns whether the operator has a file of the name that the text begins with. */
static bool is_file(const f2l_vector_op *op, const char *text, size_t size)
{
    const f2l_vector_case *c;
    for (size_t i = 0; (c = f2l_vector_case_at(op, i)); i++)
        if (strlen(c->name) == size && strncmp(c->name, text, size) == 0) return true;
    return false;
}

/* Checks that --only names files, and lists those that are to be made. */
static int choose_files(job *j)
{
    const f2l_vector_case *c;
    for (const char *at = j->o.only; at;) {
        const size_t size = strcspn(at, ",");
        if (!is_file(j->op, at, size))
            return f2l_cli_usage(&j->cli,
                                 "%s has no file '%.*s'; --list prints the names of all files",
                                 j->op->name, (int)size, at);
        at = at[size] ? at + size + 1 : NULL;
    }
    for (size_t i = 0; (c = f2l_vector_case_at(j->op, i)) && j->files < MOST_FILES; i++) {
        if (!is_wanted(j->o.only, c->name)) continue;
        snprintf(j->name[j->files], sizeof j->name[0], "%s.safetensors", c->name);
        j->names[j->files] = j->name[j->files];
        j->file[j->files++].about = c;
    }
    j->names[j->files] = ABOUT;
    return 0;
}

static int check_vectors_usage(job *j)
{
    f2l_buf all;
    if (j->cli.operands == 1) j->op = f2l_vector_op_find(j->cli.operand[0]);
    if (j->op)
        return j->o.list && j->o.out
                   ? f2l_cli_usage(&j->cli, "--list writes nothing, so it takes no --out")
                   : choose_files(j);
    f2l_buf_init(&all);
    for (size_t i = 0; f2l_vector_ops[i].name; i++)
        f2l_buf_printf(&all, "%s%s", i ? ", " : "", f2l_vector_ops[i].name);
    const int code =
        j->cli.operands == 1
            ? f2l_cli_usage(&j->cli, "there is no operator '%s'; OP is one of: %s",
                            j->cli.operand[0], all.data ? all.data : "")
            : f2l_cli_usage(&j->cli, "one operator is expected: %s", all.data ? all.data : "");
    f2l_buf_clear(&all);
    return code;
}

static f2l_vectors_report vectors_report_of(const job *j)
{
    return (f2l_vectors_report){.op = j->op,
                                .out = j->o.list ? NULL : j->folder.data,
                                .version = f2l_version(),
                                .commit = f2l_commit(),
                                .file = j->file,
                                .files = j->files};
}

/* Makes one file and writes it; memory is needed for one file at a time. */
static f2l_status write_vectors(job *j, f2l_vectors_file *file, const char *name, f2l_error *err)
{
    f2l_op_vectors v;
    f2l_buf bytes;
    f2l_op_vectors_init(&v);
    f2l_buf_init(&bytes);
    f2l_status status = f2l_op_vectors_make(&v, j->op, file->about, &j->cli.task, err);
    if (status == F2L_OK) status = f2l_op_vectors_write(&bytes, &v, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, name, bytes.data, bytes.size, err);
    if (status == F2L_OK) {
        file->written = true;
        file->hash = f2l_hash_file(file->about->name, bytes.data, bytes.size);
        file->tries = v.tries;
        memcpy(file->claim, v.claim, sizeof file->claim);
    }
    f2l_buf_clear(&bytes);
    f2l_op_vectors_clear(&v);
    return status;
}

static f2l_status write_all_vectors(job *j, f2l_error *err)
{
    f2l_buf json;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < j->files; i++)
        status = write_vectors(j, &j->file[i], j->name[i], err);
    if (status != F2L_OK) return status;
    f2l_buf_init(&json);
    const f2l_vectors_report report = vectors_report_of(j);
    status = f2l_report_as_json(&json, &f2l_vectors_report_kind, &report, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, ABOUT, json.data, json.size, err);
    if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, err);
    f2l_buf_clear(&json);
    return status;
}

/* Claims DIR before the work starts, and fills it. */
static int write_vectors_folder(job *j)
{
    f2l_error err;
    f2l_buf_printf(&j->folder, "%s%s", j->o.out ? j->o.out : j->op->name,
                   j->o.out ? "" : ".vectors");
    f2l_status status = f2l_buf_status(&j->folder, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    j->kind = (f2l_outdir_kind){.names = j->names, .mark = ABOUT};
    status = f2l_outdir_open_kind(&j->dir, j->folder.data, &j->kind, j->o.force, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->folder.data, &err);
    f2l_signals_guard(&j->dir);
    status = write_all_vectors(j, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->folder.data, &err);
}

static int run_vectors(void *context)
{
    job *j = context;
    int code = check_vectors_usage(j);
    if (code == 0 && !j->o.list) code = write_vectors_folder(j);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    const f2l_vectors_report report = vectors_report_of(j);
    if (code != 0 || (j->cli.global.quiet && !j->cli.global.json)) return code;
    return f2l_cli_report(&j->cli, &f2l_vectors_report_kind, &report);
}

const f2l_command f2l_command_vectors = {
    .name = "vectors",
    .usage = (const char *const[]){"vectors OP [-o DIR] [options]", NULL},
    .summary = "writes inputs with exact results for implementations of the delta rule and product",
    .description =
        "Writes a new folder DIR with a safetensors file for each shape, and vectors.json, which "
        "lists them with their claims and hashes. A file has the inputs of the operator OP (q, k, "
        "v, beta, g, initial_state, cu_seqlens, do, d_final_state) and its results (o, "
        "final_state, dq, dk, dv, dbeta, dg, d_initial_state), and its metadata name the format, "
        "the scale and the factors for each token.\n\n"
        "A right implementation that goes row by row, or in chunks of 16, 32 or 64 rows with sums "
        "in fp32, differs from them by 0: every number that it stores on its way is a value of "
        "the format, and that is proved for each file before it is written. Every file from 64 "
        "rows on repeats one key for a whole chunk, which inverses by series do not survive.",
    .options = table,
    .no_grammar = "the vectors are about an operator, not about an automaton",
    .list_title = "Operators",
    .list = op_row,
    .operand = op_name,
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn vectors delta-rule", "writes delta-rule.vectors"},
            {"fsa2lrnn vectors gated-delta-product --list", "names and shapes of the files"},
            {"fsa2lrnn vectors delta-product --only t65-n8,packed-n2 -o few",
             "only two files, into the folder few"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_vectors};
