/* `train`: trains a network of the class of the constructed one on the same automaton, and sets
 * both side by side. */
#include "cli/commands.h"
#include "cli/draw.h"
#include "cli/train/train_job.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef f2l_train_cli job;

static f2l_train_report train_report_of(const job *j)
{
    f2l_train_report report = f2l_train_cli_report(j);
    report.runs = j->seeds ? j->many.count : 1;
    report.run = j->seeds ? j->many.seed : &j->one;
    return report;
}

static int print_plan(job *j)
{
    f2l_error err;
    f2l_experiment_need need;
    f2l_train_report report = train_report_of(j);
    report.folder = NULL;
    if (f2l_experiment_needs(&need, &j->experiment, j->backend, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, NULL, &err);
    const f2l_plan_report plan = {&report, &need};
    const int code = f2l_cli_report(&j->cli, &f2l_plan_report_kind, &plan);
    return code == 0 && j->cut ? F2L_EXIT_UNKNOWN : code;
}

static int print_report(job *j)
{
    const f2l_train_report report = train_report_of(j);
    if (j->cli.global.quiet && !j->cli.global.json) return 0;
    return f2l_cli_report(&j->cli, &f2l_train_report_kind, &report);
}

/* Refuses a folder that already holds a run, and names the way on. */
static int check_train_folder(job *j)
{
    f2l_error err;
    f2l_buf mine, path, theirs;
    if (j->o.resume) return 0;
    f2l_buf_init(&mine);
    f2l_buf_init(&path);
    f2l_buf_init(&theirs);
    f2l_buf_printf(&path, "%s/config.json", j->folder.data);
    f2l_status status = f2l_experiment_write(&mine, &j->experiment, &err);
    if (status == F2L_OK) status = f2l_buf_status(&path, &err);
    if (status == F2L_OK && f2l_read_file(&theirs, path.data, 0, NULL) == F2L_OK) {
        if (theirs.size == mine.size && memcmp(theirs.data, mine.data, mine.size) == 0)
            status =
                f2l_fail(&err, F2L_EEXIST, "%s holds this experiment already; go on with it: %s",
                         j->folder.data, j->resume.data);
        else
            status = f2l_fail(&err, F2L_EEXIST, "%s holds another run; name another folder by -o",
                              j->folder.data);
    }
    f2l_buf_clear(&mine);
    f2l_buf_clear(&path);
    f2l_buf_clear(&theirs);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, NULL, &err);
}

/* --- the layout of flash-linear-attention --- */

static f2l_status make_folder(const char *path, f2l_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return F2L_OK;
    return f2l_fail(err, F2L_EIO, "cannot create %s: %s", path, f2l_reason_of(errno).text);
}

/* Writes RUN/weights.safetensors as RUN/fla/model.safetensors, or with `configuration`
 * RUN/fla/config.json. */
static f2l_status convert(const char *run, bool configuration, f2l_error *err)
{
    f2l_seq model = {0};
    float *parameters = NULL;
    f2l_buf from, to, bytes, out;
    f2l_buf_init(&from);
    f2l_buf_init(&to);
    f2l_buf_init(&bytes);
    f2l_buf_init(&out);
    f2l_buf_printf(&from, "%s/weights.safetensors", run);
    f2l_buf_printf(&to, "%s/fla/%s", run, configuration ? "config.json" : "model.safetensors");
    f2l_status status = f2l_buf_status(&from, err);
    if (status == F2L_OK) status = f2l_buf_status(&to, err);
    if (status == F2L_OK) status = f2l_read_file(&bytes, from.data, 0, err);
    if (status == F2L_OK)
        status = f2l_seq_read_f32(&model, &parameters, bytes.data, bytes.size, err);
    if (status == F2L_OK)
        status = configuration ? f2l_seq_write_fla_config(&out, &model, err)
                               : f2l_seq_write_fla_f32(&out, &model, parameters, err);
    if (status == F2L_OK) status = f2l_buf_status(&out, err);
    if (status == F2L_OK) status = f2l_write_file(to.data, out.data, out.size, err);
    f2l_free(parameters);
    f2l_seq_clear(&model);
    f2l_buf_clear(&from);
    f2l_buf_clear(&to);
    f2l_buf_clear(&bytes);
    f2l_buf_clear(&out);
    return status;
}

static f2l_status write_fla(const char *run, f2l_error *err)
{
    f2l_buf folder;
    f2l_buf_init(&folder);
    f2l_buf_printf(&folder, "%s/fla", run);
    f2l_status status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) status = make_folder(folder.data, err);
    if (status == F2L_OK) status = convert(run, false, err);
    if (status == F2L_OK) status = convert(run, true, err);
    f2l_buf_clear(&folder);
    return status;
}

static f2l_status write_seed_fla(const job *j, const f2l_experiment_seed *seed, f2l_error *err)
{
    f2l_buf run;
    if (seed->why.status != F2L_OK) return F2L_OK;
    f2l_buf_init(&run);
    f2l_buf_printf(&run, "%s/seed-%lu", j->folder.data, (unsigned long)seed->seed);
    f2l_status status = f2l_buf_status(&run, err);
    if (status == F2L_OK) status = write_fla(run.data, err);
    f2l_buf_clear(&run);
    return status;
}

static int write_layout(job *j)
{
    f2l_error err;
    f2l_status status = F2L_OK;
    if (j->o.layout != 1) return 0;
    if (j->seeds == 0) status = write_fla(j->folder.data, &err);
    for (size_t k = 0; k < j->many.count && status == F2L_OK; k++)
        status = write_seed_fla(j, &j->many.seed[k], &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->folder.data, &err);
}

/* --- the run --- */

static bool any_ended(const f2l_experiment_seeds *seeds)
{
    for (size_t k = 0; k < seeds->count; k++)
        if (seeds->seed[k].why.status == F2L_OK) return true;
    return false;
}

/* Trains. When a seed diverged, the table shows the other seeds, and the exit status reports the
 * divergence. */
static int train_model(job *j)
{
    f2l_error err;
    f2l_train_provenance provenance;
    if (f2l_train_identity_make(&provenance, &j->identity, &j->cli, &j->experiment, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, NULL, &err);
    const f2l_train_start start = {.backend = j->backend,
                                   .folder = j->folder.data,
                                   .begin = j->o.resume ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW,
                                   .provenance = &provenance,
                                   .resume = j->resume.data};
    j->one.seed = j->experiment.seed;
    int code = j->seeds ? f2l_train_run_seeds(&j->many, &j->cli, &j->experiment, j->seeds, &start)
                        : f2l_train_run_one(&j->one.result, &j->cli, &j->experiment, &start);
    const bool table = code == 0 || (code == F2L_EXIT_UNKNOWN && any_ended(&j->many));
    const int layout = table ? write_layout(j) : 0;
    const int printed = table && layout == 0 ? print_report(j) : 0;
    const int status = code ? code : layout ? layout : printed;
    if (table && !j->o.no_report) f2l_cli_draw(&j->cli, j->folder.data, status);
    return status;
}

static int count_seeds(job *j)
{
    f2l_error err;
    j->seeds = j->o.seeds == F2L_NOT_GIVEN ? 0 : (size_t)j->o.seeds;
    if (j->o.resume && f2l_experiment_seeds_count(&j->seeds, j->o.resume, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.resume, &err);
    return 0;
}

static int run_train(void *context)
{
    job *j = context;
    int code = f2l_train_check_usage(j);
    if (code == 0) code = count_seeds(j);
    if (code == 0) code = f2l_train_plan(j);
    if (code == 0 && j->o.dry_run) return print_plan(j);
    if (code == 0) code = check_train_folder(j);
    if (code == 0) code = f2l_train_check_memory(&j->cli, &j->experiment, j->backend);
    return code ? code : train_model(j);
}

static f2l_row mixer_row(size_t index)
{
    const f2l_mixer *mixer = f2l_mixers[index];
    if (mixer == NULL) return (f2l_row){0};
    return (f2l_row){mixer->option, "", mixer->summary};
}

const f2l_command f2l_command_train = {
    .name = "train",
    .usage = (const char *const[]){"train GRAMMAR [options] [-o DIR]",
                                   "train --regex RE [options] [-o DIR]",
                                   "train --task NAME [options] [-o DIR]",
                                   "train [GRAMMAR] --data [FORMAT:]PATH [options] [-o DIR]",
                                   "train --resume DIR", NULL},
    .summary = "trains a network of the constructed one's class on the same automaton",
    .description =
        "Builds the network that the main job builds, takes the smallest usual class of models "
        "that holds it, trains a model of this class on random words, and prints how well it "
        "does by length, beside the constructed network. No options are needed: the defaults "
        "are a recipe that works for many groups. A constructed network that is VERIFIED is "
        "right at every length; the results of the trained network are measurements on random "
        "words.\n\n"
        "DIR holds config.json (what is trained and how), automaton.fsa, provenance.json, "
        "log.jsonl, checkpoint, and in the end weights.safetensors, report.html and report.md. "
        "--resume DIR continues a run that was interrupted and gives, on one machine, the same "
        "bits as a run without interruption. Words are drawn anew at every step, from the seed. "
        "With --data they come from a file, in an order that is shuffled anew in every epoch, and "
        "--resume refuses another file; docs/data.md describes the formats.\n\n"
        "The exit status is 2 when the loss diverges, a limit is reached, or --memory does not "
        "suffice.",
    .options = f2l_train_table,
    .list_title = "Mixers",
    .list = mixer_row,
    .groups = {{F2L_RECIPE_TITLE, f2l_recipe_table, 0},
               {F2L_SOURCE_TITLE, f2l_source_table, offsetof(f2l_train_arguments, source)},
               {F2L_INPUT_TITLE, f2l_input_table, offsetof(f2l_train_arguments, source.input)}},
    .no_edges = true,
    .files = {F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn train s3.fsa", "train the class of the constructed network; write "
                                      "s3.train/"},
            {"fsa2lrnn train --resume s3.train", "resume after an interruption"},
            {"fsa2lrnn train s5.fsa --seeds 5 --to 96", "five seeds, sequences of up to 96 "
                                                        "letters"},
            {"fsa2lrnn train --task parity --mixer diagonal --eigenvalues positive --layers 2",
             "a model that cannot: eigenvalues in [0, 1]"},
            {"fsa2lrnn train examples/parity.fsa --lasting", "can it be right for ever?"},
            {"fsa2lrnn train --data csv:S3=20.csv --test csv:S3=64.csv", "words from files"},
            {"fsa2lrnn train s5.fsa --dry-run", "configuration, parameters, memory"},
            {NULL, NULL}},
    F2L_JOB_VALUES,
    .init = f2l_train_cli_init,
    .clear = f2l_train_cli_clear,
    .run = run_train};
