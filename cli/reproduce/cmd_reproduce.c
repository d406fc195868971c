/* `reproduce`: repeats published experiments; its table has outcomes and published numbers. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/draw.h"
#include "cli/reproduce/reproduce_options.h"
#include "cli/reproduce/reproduce_table.h"
#include "cli/signals.h"
#include "cli/train/evaluate_weights.h"
#include "cli/train/train_arguments.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "theory/beside/compare/failing.h"
#include <string.h>

static const char *choice_preset(size_t index)
{
    return f2l_presets[index].name;
}

/* Returns the models of all presets, one preset after the other. */
static const char *choice_model(size_t index)
{
    for (const f2l_preset *p = f2l_presets; p->name; p++)
        for (size_t m = 0; m < F2L_PRESET_MODELS && p->model[m].name; m++)
            if (index-- == 0) return p->model[m].name;
    return NULL;
}

#define FIELD(name) offsetof(f2l_reproduce_options, name)
static const f2l_option table[] = {
    {"setting", 0, F2L_OPTION_CHOICE, "NAME", f2l_preset_setting_name, 0, 0, FIELD(setting),
     "paper: the setting of the paper; released: the setting of the released code, where it "
     "differs; best (default): the recipe of this project"},
    {"scale", 0, F2L_OPTION_REAL, "F", NULL, 0, 1000000, FIELD(scale),
     "make F times as many steps (default: 1), which is shown with every number; batches are "
     "unchanged"},
    {"model", 0, F2L_OPTION_TEXTS, "NAMES", choice_model, 0, 0, FIELD(model),
     "only these models of the preset, separated by commas (default: all)"},
    {"seeds", 0, F2L_OPTION_NUMBER, "K", NULL, 1, 1000, FIELD(seeds),
     "train every model K times with every rate (default: 1; papers: 3)"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT32_MAX, FIELD(seed),
     "the first seed (default: 1)"},
    {"rate", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(rate),
     "the greatest learning rate, instead of the recipe's; if there are several, separated by "
     "commas, each is tried, and the table marks the best by the median over the seeds"},
    {"data", 0, F2L_OPTION_TEXT, "SOURCE", f2l_choice_words, 0, 0, FIELD(words),
     "train the models of the preset, by its recipe, on words from a file or folder, [FORMAT:]PATH "
     "(docs/data.md), whose SHA-256 the outcome names"},
    {"test", 0, F2L_OPTION_TEXT, "SOURCE", f2l_choice_words, 0, 0, FIELD(test),
     "the test words for --data (default: in FLaRe the folder datasets/test, otherwise words that "
     "are held out)"},
    {"held-out", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(held_out),
     "part of the words of --data that is not trained on, but tested (default: 0.1)"},
    {"backend", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_backend, 0, 0, FIELD(backend),
     "the backend: cpu (default), cuda (bf16 and float), cuda-packed (without the rows behind "
     "the ends of words) or cuda-float"},
    {"gpus", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 64, FIELD(gpus),
     "devices over which all runs are spread (default: 1; with --backend cuda), --jobs of them at "
     "once on each (default: 1)"},
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder (default: PRESET-SETTING.reproduce, in the current folder)"},
    {"resume", 0, F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(resume),
     "resume the work in this folder, which holds all settings"},
    {"recipe", 0, F2L_OPTION_TEXT, "SHA256", NULL, 0, 0, FIELD(recipe),
     "train only the recipe with this SHA-256, as --plan prints it: another version may have "
     "changed the preset"},
    {"checkpoint-seconds", 0, F2L_OPTION_REAL, "S", NULL, 0, 1000000, FIELD(checkpoint_seconds),
     "longest time between two checkpoints (default: 60)"},
    F2L_SEARCH(FIELD(search)),
    F2L_NO_REPORT(FIELD(no_report)),
    {"dry-run", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(dry_run),
     "print what would be trained, and what it takes; train nothing"},
    {"plan", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(plan),
     "print every run as a line of JSON with its folder below --out and its command, which "
     "may be given on any machine that sees the folder, again after a kill; train nothing"},
    {"table", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(table),
     "print published numbers and the outcomes in FILES: folders of reproduce, outcome-*.json, and "
     "plans; then the command of every run without an outcome; train nothing"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* --- options that exclude each other --- */

/* The options that go with --resume. */
static const char *const kept_open[] = {
    "resume", "data", "test", "gpus", "checkpoint-seconds", "search", "dry-run", "no-report", NULL};

static int check_resume(f2l_cli *cli)
{
    if (cli->operands)
        return f2l_cli_usage(cli, "--resume DIR knows its preset; no operand is expected");
    if (f2l_given_beside(&cli->given, kept_open))
        return f2l_cli_usage(
            cli, "--resume DIR takes up what is in the folder: only --gpus, --checkpoint-seconds, "
                 "--search, --data and --test with the same words, --dry-run and the options of "
                 "every command go with it");
    return 0;
}

/* --- running --- */

/* Appends the name of the folder. */
static f2l_status name_reproduce_folder(f2l_buf *folder, const f2l_reproduce_job *j,
                                        const f2l_reproduce_options *o, f2l_error *err)
{
    const char *base =
        f2l_path_base(strchr(j->request.words, ':') != NULL ? strchr(j->request.words, ':') + 1
                                                            : j->request.words);
    if (o->resume || o->out)
        f2l_buf_text(folder, o->resume ? o->resume : o->out);
    else if (j->request.preset->kind == F2L_DATA_WORDS)
        f2l_buf_printf(folder, "%s-%s-%.*s.reproduce", j->request.preset->name,
                       f2l_preset_setting_name(j->request.setting), (int)f2l_path_stem(base), base);
    else
        f2l_buf_printf(folder, "%s-%s.reproduce", j->request.preset->name,
                       f2l_preset_setting_name(j->request.setting));
    return f2l_buf_status(folder, err);
}

static int train_request(f2l_reproduce_job *j, const f2l_reproduce_options *o, f2l_outcomes *list)
{
    j->begin = o->resume              ? F2L_REPRODUCE_RESUME
               : j->cli->global.go_on ? F2L_REPRODUCE_CONTINUE
                                      : F2L_REPRODUCE_NEW;
    const int code = f2l_reproduce_job_run(j, list);
    if (code || o->one_of_many) return code;
    const f2l_reproduce_report report = {
        .only = j->request.preset, .outcomes = list, .trained = true};
    const int status = f2l_reproduce_table_print(j->cli, &report, list);
    if (!o->no_report) f2l_cli_draw(j->cli, j->folder, status);
    return status;
}

/* Trains, or prints the plan. */
static int do_job(f2l_reproduce_job *j, const f2l_reproduce_options *o, f2l_outcomes *list)
{
    f2l_buf folder;
    f2l_error err;
    f2l_buf_init(&folder);
    int code =
        name_reproduce_folder(&folder, j, o, &err) == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
    j->folder = folder.data;
    j->recipe = o->recipe;
    if (!code) code = o->plan ? f2l_reproduce_job_list(j) : train_request(j, o, list);
    f2l_buf_clear(&folder);
    return code;
}

/* The options that the commands of a plan carry (cli/reproduce/reproduce_runs.c). */
static const char *const planned[] = {
    "plan", "data",    "test", "held-out",           "setting", "scale", "model", "seeds", "seed",
    "rate", "backend", "out",  "checkpoint-seconds", NULL};

static int check_plan(f2l_cli *cli)
{
    const char *beside = f2l_given_beside(&cli->given, planned);
    if (!beside) return 0;
    return f2l_cli_usage(
        cli, "--%s does not go with --plan, which prints new runs, each for one device", beside);
}

static int run_reproduce_job(f2l_reproduce_job *j, const f2l_reproduce_options *o,
                             f2l_outcomes *list)
{
    f2l_error err;
    if (o->table && f2l_given_beside(&j->cli->given, (const char *const[]){"table", NULL}))
        return f2l_cli_usage(j->cli, "--table trains nothing; it takes a preset and files");
    if (o->table) return f2l_reproduce_table_show(j->cli, list);
    if (o->plan && check_plan(j->cli)) return F2L_EXIT_USAGE;
    int code =
        o->resume ? check_resume(j->cli) : f2l_reproduce_request_make(j->cli, &j->request, o);
    if (code) return code;
    if (o->resume && f2l_reproduce_folder_read(&j->request, o->resume, &err) != F2L_OK)
        return f2l_cli_fail(j->cli, o->resume, &err);
    code = f2l_reproduce_words_open(j, o);
    if (code) return code;
    j->checkpoint_seconds = o->checkpoint_seconds;
    j->search = o->search;
    if (o->gpus && j->request.backend == F2L_BACKEND_CPU)
        return f2l_cli_usage(j->cli, "--gpus needs --backend cuda");
    if (o->gpus) j->gpus = (unsigned)o->gpus;
    return o->dry_run ? f2l_reproduce_job_plan(j) : do_job(j, o, list);
}

typedef struct job {
    f2l_cli cli;
    f2l_reproduce_options o;
    f2l_outcomes list;
    f2l_reproduce_job work;
} job;

#define PARTS(part, clear) \
    part(f2l_outcomes, list), part(f2l_word_list, work.words), part(f2l_word_list, work.test), \
        part(f2l_word_list, work.set[0]), part(f2l_word_list, work.set[1]), \
        part(f2l_word_list, work.set[2]), part(f2l_word_list, work.set[3])
F2L_JOB(PARTS)

/* Makes the work empty again. */
static void clear_work(job *j)
{
    f2l_word_list_clear(&j->work.words);
    f2l_word_list_clear(&j->work.test);
    for (size_t i = 0; i < F2L_REPRODUCE_SETS; i++) f2l_word_list_clear(&j->work.set[i]);
    j->work.constructed[0] = '\0';
}

/* Does the work for one language, in a folder of its own below --out. */
static int run_language(job *j, char *language)
{
    f2l_error err;
    f2l_reproduce_options o = j->o;
    char *folder = j->cli.operand[1], *out = NULL;
    int code = 0;
    o.one_of_many = true;
    if (o.out && f2l_reproduce_languages_out(&out, o.out, language, &err) != F2L_OK)
        code = f2l_cli_fail(&j->cli, NULL, &err);
    if (o.out) o.out = out;
    j->cli.operand[1] = language;
    if (code == 0) code = run_reproduce_job(&j->work, &o, &j->list);
    j->cli.operand[1] = folder;
    f2l_free(out);
    clear_work(j);
    return code;
}

/* Does the work for every file of the folder, one language after the other; one that fails is left
 * out. Returns the status of the first that failed, or of the table. */
static int run_folder(job *j)
{
    f2l_error err;
    f2l_reproduce_languages all = {.path = NULL};
    size_t left_out = 0;
    int first = 0;
    if (f2l_reproduce_languages_list(&all, j->cli.operand[1], &err) != F2L_OK)
        first = f2l_cli_fail(&j->cli, NULL, &err);
    for (size_t i = 0; i < all.count && !f2l_signals_caught(); i++) {
        const int code = run_language(j, all.path[i]);
        if (code) left_out++;
        if (first == 0) first = code;
    }
    if (left_out)
        f2l_cli_warn(&j->cli, j->cli.operand[1], "%zu of %zu languages were left out", left_out,
                     all.count);
    f2l_reproduce_languages_clear(&all);
    if (j->list.rows == 0) return first;
    const f2l_reproduce_report report = {
        .only = j->list.row[0].preset, .outcomes = &j->list, .trained = true};
    const int status = f2l_reproduce_table_print(&j->cli, &report, &j->list);
    return first ? first : status;
}

static int run_reproduce(void *context)
{
    job *j = context;
    const f2l_preset *preset = j->cli.operands == 2 ? f2l_preset_find(j->cli.operand[0]) : NULL;
    j->work.cli = &j->cli;
    return preset != NULL && preset->kind == F2L_DATA_WORDS && !j->o.table && !j->o.resume &&
                   f2l_path_is_folder(j->cli.operand[1])
               ? run_folder(j)
               : run_reproduce_job(&j->work, &j->o, &j->list);
}

static f2l_row list_row(size_t index)
{
    const f2l_preset *p = &f2l_presets[index];
    return (f2l_row){p->name, "", p->text};
}

const f2l_command f2l_command_reproduce = {
    .name = "reproduce",
    .usage = (const char *const[]){"reproduce PRESET [options]",
                                   "reproduce mlregtest LANGUAGE|FOLDER [options]",
                                   "reproduce --resume DIR", "reproduce PRESET [options] --plan",
                                   "reproduce --table [PRESET] [FILES]", NULL},
    .summary = "repeats published training experiments and sets the outcome beside the papers' "
               "numbers",
    .description =
        "Trains the models of a published experiment, with every rate of --rate and every "
        "seed, --jobs runs at once. Each model and rate has a separate folder under DIR, as "
        "written by train, and outcome-*.json holds the results, from the beginning of the runs "
        "on: runs that are stopped or killed count. At the end, or with --table, it prints the "
        "results beside the published numbers, each with its setting, its scale, the best of "
        "several rates, every seed, what differs from the published run, the device and the "
        "time. --table merges files that differ only in their seeds into one row.\n\n"
        "The settings of the papers are for large GPUs: --dry-run prints the memory and steps "
        "they take, --scale 0.01 makes a hundredth of the steps. Memory does not grow with the "
        "batch, which is processed in parts. Remarks beside the numbers tell where a recipe "
        "differs from its paper, and what the paper leaves open.\n\n"
        "mlregtest trains on the words of a language, an automaton in any syntax, tests on the "
        "four sets of MLRegTest (see sample), and names the network that is constructed for it; "
        "of a folder it takes every file.\n\n"
        "After a signal, a crash or a power cut, --resume DIR continues from the last "
        "checkpoint and gives, bit for bit, the results of an uninterrupted run. With a larger "
        "--search than was made it searches on.\n\n"
        "--plan prints the runs for GNU parallel, Slurm or Ray, one line of JSON for each. The "
        "command of a line begins its run, continues it after a kill, also on another machine, and "
        "does nothing when the run has ended; two at once on one folder are refused. --table with "
        "the plan merges the runs into the rows of a single reproduce, and lists those that were "
        "not made.",
    .options = table,
    .no_grammar = "a preset has its automata",
    .work = &(const f2l_work_kind){.own_out = true, .keeps = true},
    .files = {F2L_FILES_OUTCOME, F2L_FILES_OUTCOME, F2L_FILES_OUTCOME},
    .list_title = "Presets",
    .list = list_row,
    .operand = choice_preset,
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn reproduce parity", "twelve networks; five can learn it"},
            {"fsa2lrnn reproduce s3 --model nh2,nh1 --seeds 3", "medians of three"},
            {"fsa2lrnn reproduce modarith --rate 1e-2,1e-3,5e-4,1e-4 --seeds 3 --backend cuda "
             "--gpus 4",
             "the best of four rates, 48 runs on four devices"},
            {"fsa2lrnn reproduce modarith --setting released --backend cuda-packed",
             "words of 1 to 40 letters, without the rows behind their ends"},
            {"fsa2lrnn reproduce mlregtest 04.04.SL.2.1.0.att --seeds 3",
             "six networks for a language of MLRegTest, three times each"},
            {"fsa2lrnn reproduce s3 --model nh2 --data csv:S3=20.csv",
             "the recipe on other people's words"},
            {"fsa2lrnn reproduce s5 --setting paper --scale 0.01 --dry-run",
             "what the paper's setting takes"},
            {"fsa2lrnn reproduce s3 --seeds 10 --plan > plan.jsonl",
             "ten commands, for any machines"},
            {"jq -r .command plan.jsonl | parallel",
             "the same command again continues killed runs"},
            {"fsa2lrnn reproduce --table plan.jsonl", "one row, and the runs that are missing"},
            {"fsa2lrnn reproduce --table parity-best.reproduce", "the table again"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const f2l_reproduce_options){.setting = F2L_PRESET_BEST,
                                             .scale = 1,
                                             .held_out = -1,
                                             .checkpoint_seconds = -1,
                                             .search = F2L_FAILING_USUAL,
                                             .seed = 1,
                                             .seeds = 1},
    .run = run_reproduce};
