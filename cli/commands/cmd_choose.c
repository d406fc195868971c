/* `choose`: the layer to take for an automaton, with configurations for other programs. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/join.h"
#include "cli/signals.h"
#include "reports/choose/choose_report.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct choose_options {
    const char *config;
    bool force;
    uint64_t effort;
    f2l_input_options input;
    f2l_join_options join;
} choose_options;

#define FIELD(name) offsetof(choose_options, name)
static const f2l_option table[] = {
    {"config", 0, F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(config),
     "write config.json of every model that holds a network, each into a folder of DIR with the "
     "name of the target"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force),
     "with --config: replace files that exist"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(effort),
     "limit on the search for the network, in millions of counted steps (some milliseconds each); "
     "the other parts have shares of as much (default: 100)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    choose_options o;
    f2l_grammar grammar;
    f2l_choose choose;
} job;

#define PARTS(part, clear) part(f2l_choose, choose), part(f2l_grammar, grammar)
F2L_JOB(PARTS)

/* --- configurations --- */

static f2l_status make_config_folder(const char *path, f2l_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return F2L_OK;
    const f2l_status status = errno == ENOSPC || errno == EDQUOT ? F2L_EIO : F2L_EEXIST;
    return f2l_fail(err, status, "%s cannot be created: %s", path, f2l_reason_of(errno).text);
}

/* Appends DIR/TARGET, and the name of the file unless it is NULL. */
static void name_config(f2l_buf *path, const job *j, const f2l_holder *holder, const char *file)
{
    path->size = 0;
    f2l_buf_printf(path, "%s/%s%s%s", j->o.config, holder->target->name, file ? "/" : "",
                   file ? file : "");
}

/* Returns config.json of the model; NULL where it holds no network. */
static const f2l_export_file *find_config(const f2l_holder *holder)
{
    for (size_t k = 0; k < holder->files.files; k++)
        if (strcmp(holder->files.file[k].name, "config.json") == 0) return &holder->files.file[k];
    return NULL;
}

static f2l_status refuse_existing(f2l_buf *path, const job *j, const f2l_holder *holder,
                                  const f2l_export_file *file, f2l_error *err)
{
    name_config(path, j, holder, file->name);
    const f2l_status status = f2l_buf_status(path, err);
    if (status != F2L_OK || j->o.force || access(path->data, F_OK) != 0) return status;
    return f2l_fail(err, F2L_EEXIST, "%s exists already (--force replaces it)", path->data);
}

static f2l_status write_config(f2l_buf *path, const job *j, const f2l_holder *holder,
                               const f2l_export_file *file, f2l_error *err)
{
    f2l_status status = make_config_folder(j->o.config, err);
    name_config(path, j, holder, NULL);
    if (status == F2L_OK) status = f2l_buf_status(path, err);
    if (status == F2L_OK) status = make_config_folder(path->data, err);
    name_config(path, j, holder, file->name);
    if (status == F2L_OK) status = f2l_buf_status(path, err);
    if (status != F2L_OK) return status;
    return f2l_write_file(path->data, file->bytes.data, file->bytes.size, err);
}

/* Writes nothing where one of the files exists already and may not be replaced. */
static f2l_status write_configs(const job *j, f2l_error *err)
{
    static f2l_status (*const steps[])(f2l_buf *, const job *, const f2l_holder *,
                                       const f2l_export_file *,
                                       f2l_error *) = {refuse_existing, write_config};
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_status status = F2L_OK;
    for (size_t step = 0; step < 2; step++)
        for (size_t i = 0; status == F2L_OK && i < j->choose.holders; i++) {
            const f2l_export_file *file = find_config(&j->choose.holder[i]);
            if (file) status = steps[step](&path, j, &j->choose.holder[i], file, err);
        }
    f2l_buf_clear(&path);
    return status;
}

/* --- the command --- */

static int choose_for_grammar(job *j)
{
    f2l_error err;
    f2l_effort effort = {.limit = j->o.effort * F2L_STEPS};
    f2l_task task = j->cli.task;
    const f2l_label label = (f2l_label)j->o.input.label;
    const f2l_choose_report report = {.grammar = j->grammar.name,
                                      .fsa = &j->grammar.fsa,
                                      .label = label,
                                      .choose = &j->choose,
                                      .config = j->o.config};
    task.effort = &effort;
    if (f2l_choose_find(&j->choose, &j->grammar.fsa, label, &task, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->grammar.name, &err);
    if (j->o.config && !f2l_signals_caught() && write_configs(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, NULL, &err);
    const int code = f2l_cli_report(&j->cli, &f2l_choose_report_kind, &report);
    if (code) return code;
    if (f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, "the report says what was not decided");
    return j->choose.best.found ? 0 : F2L_EXIT_UNKNOWN;
}

static int run_choose(void *context)
{
    job *j = context;
    if (j->o.config && !j->o.config[0]) return f2l_cli_usage(&j->cli, "--config is empty");
    if (j->o.force && !j->o.config)
        return f2l_cli_usage(&j->cli, "--force belongs to --config, without which nothing is "
                                      "written");
    const int code = f2l_join_load(&j->grammar, &j->cli, &j->o.input, &j->o.join);
    return code ? code : choose_for_grammar(j);
}

const f2l_command f2l_command_choose = {
    .name = "choose",
    .usage = (const char *const[]){"choose GRAMMAR [--label KIND] [--config DIR]",
                                   "choose --regex RE [--label KIND] [--config DIR]", NULL},
    .summary = "recommends one layer for an automaton, and says what is lost one step cheaper",
    .description =
        "Says which layer to take: its type, the number of layers, heads, their sizes, n_h (the "
        "Householder factors of a head for a letter), the range of beta, and the state in numbers "
        "and in bytes. It is the network that the main job builds within the same effort, VERIFIED "
        "exactly; the format of the state is the shortest of bf16, fp16, fp32 and fp64 in which it "
        "is VERIFIED on words of every length, with every operation rounded.\n\n"
        "Then it says why: groups and witnesses as in `classify`, and how few layers can be "
        "enough. `one step cheaper` has one layer fewer, no eigenvalue below 0 (beta <= 1), and "
        "n_h - 1: each with the statement that excludes it, a network that does it, or UNKNOWN. "
        "`as a model of` has the stock models of flash-linear-attention and transformers that hold "
        "the network, or else a network with one factor; --config writes their config.json, which "
        "these libraries load, and `export` writes the same models with their weights. A claim "
        "`exact` is about the exported model, for the order of operations of that path.\n\n"
        "The last part is a table of released layers, hybrids and engines. `can` and `cannot` are "
        "about all networks of the class, in the scopes that `classify` prints; `holds` means that "
        "an order of operations of the engine was proved exact for an exported model; a row `not "
        "yet decided` has no statement yet.\n\n"
        "What was built is an exact network whose weights are known; that training finds it is not "
        "claimed. The status is 0 when a network is recommended, and 2 when none was VERIFIED "
        "within the limits.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)}},
    .no_edges = true,
    .files = {F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){{"fsa2lrnn choose parity.fsa", "one head with eigenvalues in [-1,1]"},
                              {"fsa2lrnn choose s3.fsa --config s3-config",
                               "and the configurations that fla and transformers load"},
                              {"fsa2lrnn choose --regex '(ab|ba)*'", "for a regular expression"},
                              {"fsa2lrnn choose session.dot --label accept --effort 1250",
                               "with the effort of the main job"},
                              {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const choose_options){.effort = F2L_CHOOSE_EFFORT},
    .run = run_choose};
