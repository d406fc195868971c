/* `import`: a trained model of a run or of another program, as files of this program. */
#include "cli/commands.h"
#include "cli/train/evaluate_weights.h"
#include "cli/train/import_network.h"
#include "cli/train/train_source.h"
#include "numeric/base/outdir.h"
#include "numeric/base/path.h"
#include "reports/training/import_report.h"
#include "reports/training/inventory_report.h"
#include <string.h>

typedef struct import_options {
    f2l_source_arguments source;
    f2l_word_options words;
    const char *out, *grammar;
    bool force, dry_run, list;
} import_options;

#define FIELD(name) offsetof(import_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the output folder (default: MODEL without its extension, with .import behind it)"},
    {"grammar", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_GRAMMAR, 0, FIELD(grammar),
     "the automaton that the model was trained on (default: the automaton of the run)"},
    {"dry-run", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(dry_run), "write nothing"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force),
     "replace an existing output folder"},
    {"list", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(list),
     "print the tensors of the files and what each would be used for, or why not, also where the "
     "model is refused; write nothing"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    import_options o;
    f2l_weights_file weights;
    f2l_inventory inventory;
    f2l_train_source source;
    f2l_data data;
    bool has_data;
    const char *name; /* of the automaton; NULL: none */
    f2l_import_network network;
    f2l_buf out;
    f2l_outdir dir;
} job;

#define PARTS(part, clear) \
    part(f2l_buf, out), part(f2l_import_network, network), part(f2l_data, data), \
        part(f2l_train_source, source), part(f2l_inventory, inventory), \
        part(f2l_weights_file, weights)
F2L_JOB(PARTS)

/* Opens the automaton that --grammar or --regex names. */
static int open_grammar(job *j)
{
    f2l_error err;
    f2l_train_source *s = &j->source;
    const int code = f2l_train_source_open(s, &j->cli, &j->o.source, j->o.grammar);
    if (code) return code;
    j->name = s->name;
    return f2l_data_build(&j->data, &s->options, s->fsa, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(&j->cli, j->o.grammar, &err);
}

/* Opens the data: of --grammar, or of the run, or none. */
static int open_import_data(job *j)
{
    f2l_error err;
    const bool named = j->o.grammar || j->o.source.input.regex;
    const f2l_experiment *e = &j->weights.run.experiment;
    j->has_data = named || j->weights.has_run;
    if (named) return open_grammar(j);
    if (f2l_given_in(&j->cli.given, f2l_input_table))
        return f2l_cli_usage(&j->cli, "options of the automaton go with --grammar or --regex");
    if (!j->weights.has_run) return 0;
    if (e->fsa) j->name = "automaton.fsa";
    return f2l_experiment_data(&j->data, e, F2L_DATA_TEST, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

/* Restricts the model to the letters and labels of the data, which must be as many as its own
 * otherwise. */
static int fit_data(job *j)
{
    f2l_error err;
    const f2l_seq_config *c = &j->weights.trained.model.config;
    const size_t letters = j->data.letters.count, labels = j->data.labels.count;
    if (!j->has_data)
        return j->o.words.letters || j->o.words.labels
                   ? f2l_cli_usage(&j->cli, "--letter-words and --label-words go with --grammar")
                   : 0;
    const int code = f2l_weights_file_restrict(&j->weights, &j->cli, &j->o.words, letters, labels);
    if (code || (c->letters == letters && c->labels == labels)) return code;
    f2l_fail(&err, F2L_EDOMAIN,
             "the model has %zu letters and %zu labels, the automaton %zu and %zu", c->letters,
             c->labels, letters, labels);
    return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

static int build_imported_network(job *j)
{
    f2l_error err;
    const f2l_status status = f2l_import_network_build(
        &j->network, &j->weights.trained, j->has_data ? &j->data : NULL, &j->cli.task, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

/* --- the folder --- */

/* Sets the name of the folder: --out, or the model's name. */
static int name_folder(job *j)
{
    f2l_error err;
    const char *given = j->cli.operand[0];
    if (j->o.out) {
        f2l_buf_text(&j->out, j->o.out);
    } else {
        f2l_buf path;
        f2l_buf_init(&path);
        f2l_buf_bytes(&path, given, f2l_path_trimmed(given));
        const char *base = path.failed ? "" : f2l_path_base(path.data);
        f2l_buf_printf(&j->out, "%.*s.import", (int)f2l_path_stem(base), base);
        f2l_buf_clear(&path);
    }
    return f2l_buf_status(&j->out, &err) == F2L_OK ? 0 : f2l_cli_fail(&j->cli, NULL, &err);
}

/* Writes one file and clears its bytes. */
static f2l_status put_import_file(job *j, const char *name, f2l_buf *bytes, f2l_status status,
                                  f2l_error *err)
{
    if (status == F2L_OK) status = f2l_buf_status(bytes, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, name, bytes->data, bytes->size, err);
    f2l_buf_clear(bytes);
    return status;
}

static f2l_import_report import_report_of(const job *j)
{
    const f2l_checkpoint *trained = &j->weights.trained;
    return (f2l_import_report){.weights = j->cli.operand[0],
                               .class = trained->class,
                               .model = &trained->model,
                               .vocabulary = trained->vocabulary,
                               .source = j->name,
                               .fsa = j->name ? j->data.fsa : NULL,
                               .no_network = j->network.why_none[0] ? j->network.why_none : NULL,
                               .fit = &j->network.fit,
                               .recurrence = &j->network.recurrence,
                               .out = j->o.dry_run ? NULL : j->out.data};
}

static f2l_status write_imported_files(job *j, f2l_error *err)
{
    f2l_buf bytes;
    const f2l_checkpoint *trained = &j->weights.trained;
    const f2l_import_report report = import_report_of(j);
    f2l_buf_init(&bytes);
    f2l_status status =
        put_import_file(j, "weights.safetensors", &bytes,
                        f2l_seq_write_f32(&bytes, &trained->model, trained->parameters, err), err);
    if (status == F2L_OK && j->name)
        status = put_import_file(j, "automaton.fsa", &bytes,
                                 f2l_fsa_write(&bytes, j->data.fsa, err), err);
    if (status == F2L_OK && !report.no_network)
        status = put_import_file(j, "network.lrnn", &bytes,
                                 f2l_net_write(&bytes, &j->network.recurrence.net, err), err);
    if (status == F2L_OK)
        status =
            put_import_file(j, "report.json", &bytes,
                            f2l_report_as_json(&bytes, &f2l_import_report_kind, &report, err), err);
    return status;
}

static int write_folder(job *j)
{
    f2l_error err;
    f2l_status status = f2l_outdir_open(&j->dir, j->out.data, j->o.force, &err);
    if (status == F2L_OK) status = write_imported_files(j, &err);
    if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, &err);
    f2l_outdir_close(&j->dir);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->out.data, &err);
}

static int print_imported(job *j)
{
    const f2l_import_report report = import_report_of(j);
    return f2l_cli_report(&j->cli, &f2l_import_report_kind, &report);
}

/* Prints what the files hold. */
static int list_tensors(job *j)
{
    f2l_error err;
    const char *path = j->cli.operand[0];
    if (j->o.out || j->o.grammar || j->o.force)
        return f2l_cli_usage(&j->cli, "--list writes nothing: it goes without --out, --force and "
                                      "--grammar");
    if (f2l_inventory_take(&j->inventory, path, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, path, &err);
    const f2l_inventory_report report = {path, &j->inventory};
    return f2l_cli_report(&j->cli, &f2l_inventory_report_kind, &report);
}

static int run_import(void *context)
{
    job *j = context;
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli, "one model is expected: a folder or a file of weights");
    if (j->o.list) return list_tensors(j);
    int code = name_folder(j);
    if (code == 0) code = f2l_weights_file_load(&j->weights, &j->cli, j->cli.operand[0]);
    if (code == 0) code = open_import_data(j);
    if (code == 0) code = fit_data(j);
    if (code == 0) code = build_imported_network(j);
    if (code == 0 && !j->o.dry_run) code = write_folder(j);
    return code ? code : print_imported(j);
}

const f2l_command f2l_command_import = {
    .name = "import",
    .usage = (const char *const[]){"import MODEL [-o OUT] [--grammar FILE] [options]",
                                   "import --list MODEL", NULL},
    .summary = "reads a trained model of another program, or of a run, and writes it for the other "
               "commands",
    .description =
        "MODEL is a folder with config.json and model.safetensors, or its shards, of a DeltaNet, "
        "GatedDeltaProduct, GatedDeltaNet or Mamba model of flash-linear-attention; one file of "
        "weights with such a config.json beside it; or a run of train, in either layout. Options "
        "of config.json that are not modelled here, and tensors that are missing, unknown, "
        "misshapen or not finite, are refused by name. Files of torch.save are refused, and the "
        "message says how to convert them.\n\n"
        "Writes into OUT weights.safetensors, which evaluate, inspect and obstruct take, the "
        "automaton, a report, and, for a model of one layer without a convolution, network.lrnn: "
        "betas, gates, keys and values by letter as rationals of the numbers that double precision "
        "gives, and codes that are means of the states that random words reach. run and round take "
        "it. Its read-out, the nearest code, is not the trained one: what is found about the "
        "network does not hold for the trained model.",
    .options = table,
    .groups = {{"Options for the grammar of --grammar or --regex", f2l_input_table,
                FIELD(source.input)},
               {F2L_WORDS_TITLE, f2l_words_table, FIELD(words)}},
    .no_edges = true,
    .files = {F2L_FILES_WEIGHTS},
    .examples = (const f2l_example[]){{"fsa2lrnn import s3.train", "a run, into s3.import"},
                                      {"fsa2lrnn import delta-net --grammar s3.fsa -o s3.import",
                                       "a model of flash-linear-attention"},
                                      {"fsa2lrnn import --list delta-net",
                                       "what its files hold, and what is read of it"},
                                      {"fsa2lrnn round s3.import --formats fp32 --schedules every",
                                       "its recurrence, read by nearest codes"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const import_options){.source = F2L_SOURCE_USUAL},
    .run = run_import};
