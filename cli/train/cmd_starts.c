/* `starts`: trains by one recipe from a constructed network, from its weights with noise, and from
 * random weights. */
#include "cli/commands.h"
#include "cli/train/starts_job.h"
#include "numeric/base/mem.h"
#include "numeric/base/visible.h"
#include "reports/training/starts_figure.h"
#include <stdio.h>
#include <string.h>

#define EVALUATIONS 100 /* of a run, where --evaluate-every is not given */

typedef struct job {
    f2l_starts_job starts; /* with the options that `train` has, too */
    const char *noise, *logit;
} job;

#define FIELD(name) offsetof(job, name)
static const f2l_option table[] = {
    {"noise", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(noise),
     "sizes of the noise of the perturbed starts: the standard deviation of normal numbers that "
     "are added to each tensor, relative to the root mean square of its numbers (default: "
     "0.01,0.1,0.3)"},
    {"logit", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(logit),
     "the argument of the sigmoid for betas of 2; for 0 it is minus that (default: 16,4; with "
     "16 the betas have no gradient)"},
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(starts.train.o.out),
     "the folder (default: the grammar's name with .starts, in the current folder)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* --- options --- */

static int read_starts_numbers(double *out, size_t *count, f2l_cli *cli, const char *name,
                               const char *list, double most)
{
    while (list) {
        const char *end;
        const double number = f2l_options_decimal(list, &end);
        if (end == list || (*end != ',' && *end != '\0') || !(number > 0 && number <= most) ||
            *count == F2L_STARTS_NUMBERS)
            return f2l_cli_usage(cli,
                                 "--%s takes at most %d numbers above 0 and up to %g, separated by "
                                 "commas",
                                 name, F2L_STARTS_NUMBERS, most);
        for (size_t i = 0; i < *count; i++)
            if (!(out[i] < number) && !(out[i] > number))
                return f2l_cli_usage(cli, "--%s names %g twice", name, number);
        out[(*count)++] = number;
        list = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

static int read_starts_options(job *j)
{
    f2l_starts_job *s = &j->starts;
    const f2l_train_arguments *o = &s->train.o;
    f2l_cli *cli = &s->train.cli;
    s->train.from_network = true;
    s->go_on = cli->global.go_on;
    s->seeds = o->seeds == F2L_NOT_GIVEN ? 1 : (size_t)o->seeds;
    if (o->seed != F2L_NOT_GIVEN && s->seeds - 1 > UINT32_MAX - o->seed)
        return f2l_cli_usage(cli, "seeds are below 2^32");
    if (o->source.words || o->source.begin || o->source.tokens > 1)
        return f2l_cli_usage(cli, "starts reads the letters of an automaton: --data, --begin and "
                                  "--tokens do not go with it");
    int code = read_starts_numbers(s->noise, &s->noises, cli, "noise",
                                   j->noise ? j->noise : "0.01,0.1,0.3", 10);
    if (code == 0)
        code = read_starts_numbers(s->logit, &s->logits, cli, "logit", j->logit ? j->logit : "16,4",
                                   80);
    return code;
}

/* Sets evaluations: at the length of training, as often as the curves have points. */
static int set_evaluations(f2l_starts_job *s)
{
    f2l_error err;
    f2l_train_cli *j = &s->train;
    f2l_train_options *t = &j->experiment.train;
    if (t->evaluate_every == 0)
        t->evaluate_every = t->steps > EVALUATIONS ? t->steps / EVALUATIONS : 1;
    t->log_every = t->evaluate_every;
    if (t->lengths > 1) t->lengths = 1;
    j->length[0] = j->experiment.curriculum.limit;
    if (f2l_experiment_check(&j->experiment, &err) == F2L_OK) return 0;
    return f2l_cli_fail(&j->cli, NULL, &err);
}

/* --- the result --- */

static f2l_status read_curve(f2l_starts_job *s, size_t i, f2l_error *err)
{
    f2l_buf folder;
    f2l_buf_init(&folder);
    f2l_buf_printf(&folder, "%s/seed-%lu", s->part[i].folder.data, (unsigned long)s->run[i].seed);
    f2l_status status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) status = f2l_history_read(&s->run[i].history, folder.data, err);
    f2l_buf_clear(&folder);
    return status;
}

static f2l_status put_name(f2l_buf *path, const f2l_starts_job *s, const char *name, f2l_error *err)
{
    f2l_buf_printf(path, "%s/%s", s->train.folder.data, name);
    return f2l_buf_status(path, err);
}

/* Draws the figure; that it cannot be drawn is no failure of the runs. */
static void draw_starts_figure(f2l_starts_job *s, f2l_starts_report *report, const char *path)
{
    f2l_error err;
    report->figure = NULL;
    if (!f2l_starts_figure_possible())
        f2l_cli_warn(&s->train.cli, path, "not drawn, because gnuplot was not found");
    else if (f2l_starts_figure(path, report, &err) != F2L_OK)
        f2l_cli_warn(&s->train.cli, path, "%s", err.text);
    else
        report->figure = path;
}

static int print_starts(f2l_starts_job *s, const f2l_starts_report *report, f2l_buf *json)
{
    f2l_error err;
    f2l_buf text;
    f2l_cli *cli = &s->train.cli;
    if (cli->global.json) return f2l_cli_print(cli, json);
    if (cli->global.quiet) return 0;
    f2l_buf_init(&text);
    const f2l_status status = f2l_report_as_text(&text, &f2l_starts_report_kind, report, &err);
    return f2l_cli_show(cli, &text, status, &err);
}

/* Reads the logs of the runs, and writes and prints the report. */
static int report_starts(f2l_starts_job *s)
{
    f2l_error err;
    f2l_buf json, path, figure;
    f2l_status status = F2L_OK;
    f2l_train_cli *j = &s->train;
    f2l_starts_report r = {
        .train = f2l_train_cli_report(j), .length = j->length[0], .run = s->run, .runs = s->starts};
    f2l_buf_init(&json);
    f2l_buf_init(&path);
    f2l_buf_init(&figure);
    for (size_t i = 0; i < s->starts && status == F2L_OK; i++) status = read_curve(s, i, &err);
    if (status == F2L_OK) status = put_name(&path, s, "starts.json", &err);
    if (status == F2L_OK) status = put_name(&figure, s, "starts.svg", &err);
    if (status == F2L_OK) draw_starts_figure(s, &r, figure.data);
    if (status == F2L_OK) status = f2l_report_as_json(&json, &f2l_starts_report_kind, &r, &err);
    if (status == F2L_OK) status = f2l_write_file(path.data, json.data, json.size, &err);
    const int code =
        status == F2L_OK ? print_starts(s, &r, &json) : f2l_cli_fail(&j->cli, j->folder.data, &err);
    f2l_buf_clear(&json);
    f2l_buf_clear(&path);
    f2l_buf_clear(&figure);
    return code;
}

/* --- the command --- */

/* Returns whether every run has ended; one that diverged is a result, too. */
static bool all_starts_ended(const f2l_starts_job *s)
{
    for (size_t i = 0; i < s->starts; i++)
        if (s->cell[i].seeds.count == 0 || s->cell[i].seeds.seed[0].result.end == F2L_TRAIN_GOES_ON)
            return false;
    return true;
}

/* Appends the command that goes on with the work. */
static void put_command(f2l_buf *out, const f2l_starts_job *s)
{
    const f2l_cli *cli = &s->train.cli;
    for (size_t a = 0; a < cli->arguments; a++) {
        if (a) f2l_buf_text(out, " ");
        f2l_buf_visible_name(out, cli->argument[a]);
    }
    if (!s->go_on) f2l_buf_text(out, " --continue");
}

static int train_starts(f2l_starts_job *s)
{
    f2l_error err;
    f2l_buf again;
    f2l_train_cli *j = &s->train;
    int code = f2l_train_check_memory(&j->cli, &j->experiment, j->backend);
    if (code) return code;
    if (f2l_starts_open(s, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    f2l_buf_init(&again);
    put_command(&again, s);
    if (f2l_buf_status(&again, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    const f2l_train_start start = {.backend = j->backend,
                                   .folder = j->folder.data,
                                   .resume = again.data,
                                   .opened = F2L_STARTS_FILE};
    code = f2l_train_run_cells(s->cell, s->starts, &j->cli, &start);
    f2l_buf_clear(&again);
    const int printed =
        code == 0 || (code == F2L_EXIT_UNKNOWN && all_starts_ended(s)) ? report_starts(s) : 0;
    return code ? code : printed;
}

static int run_starts(void *context)
{
    job *j = context;
    f2l_starts_job *s = &j->starts;
    int code = read_starts_options(j);
    if (code == 0) code = f2l_train_check_usage(&s->train);
    if (code == 0) code = f2l_train_plan(&s->train);
    if (code == 0) code = set_evaluations(s);
    if (code == 0) code = f2l_starts_make(s);
    return code ? code : train_starts(s);
}

static void clear_job(void *context)
{
    job *j = context;
    f2l_starts_clear(&j->starts);
    f2l_train_cli_clear(&j->starts.train);
}

const f2l_command f2l_command_starts = {
    .name = "starts",
    .usage = (const char *const[]){"starts GRAMMAR [options] [-o DIR]",
                                   "starts --regex RE [options] [-o DIR]",
                                   "starts --task NAME [options] [-o DIR]", NULL},
    .summary = "trains from a constructed network, from perturbed and from random weights",
    .description =
        "Constructs the network that the main job builds, writes it into the class of models that "
        "`train` trains (one layer, B = 0, a learned H_0), and trains by one recipe from its exact "
        "weights, from these weights with noise, and from random ones. It prints whether training "
        "stays at the constructed solution, returns to it or leaves it, and the steps until 99 % "
        "of the words of the length of training are right. All parameters are trained. "
        "docs/starts.md says how the network is written.\n\n"
        "DIR holds a folder for each run, starts.json with all curves, and, where gnuplot is "
        "installed, starts.svg: accuracy, and the distance from the constructed weights, by step. "
        "Refused are automata without a constructed network of one layer whose letters are "
        "products of reflections, and sizes that are too small for it; the message says which fit.",
    .options = table,
    .groups = {{F2L_RECIPE_TITLE, f2l_recipe_table, FIELD(starts.train.o)},
               {F2L_SOURCE_TITLE, f2l_source_table, FIELD(starts.train.o.source)},
               {F2L_INPUT_TITLE, f2l_input_table, FIELD(starts.train.o.source.input)}},
    .no_edges = true,
    .work = &(const f2l_work_kind){.own_out = true, .keeps = true, .result = "starts.json"},
    .files = {F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn starts s3.fsa --seeds 3", "write s3.starts/"},
            {"fsa2lrnn starts s3.fsa --noise 0.03 --logit 16 --steps 500", "three runs"},
            {"fsa2lrnn starts a5.fsa --seeds 3 --backend cuda", "on a GPU"},
            {NULL, NULL}},
    .job_size = sizeof(job), /* which is the record of the options, too */
    .init = f2l_train_cli_init,
    .clear = clear_job,
    .run = run_starts};
