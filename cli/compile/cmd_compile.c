/* The main job and `compile`: they compile a grammar to OUT/ with network, certificate, weights and
 * report, or list the network of every construction. */
#include "cli/commands.h"
#include "cli/compile/compile_job.h"
#include "cli/draw.h"
#include "cli/signals.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(f2l_compile_arguments, name)
static const f2l_option main_table[] = {
    {"out", 'o', F2L_OPTION_FILE, "OUT", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the output folder (default: the grammar's name with .lrnn, in the current folder)"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force), "replace an existing OUT"},
    F2L_NO_REPORT(FIELD(no_report)),
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static const f2l_option bounds_table[] = {
    {"pareto", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(pareto),
     "build, verify and list every construction that applies; write OUT only where --out is given; "
     "--time-limit is for each construction"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* The most states for which lower bounds on the layers are sought. */
#define BOUNDED_STATES 2000

typedef f2l_compile_cli job;

#define PARTS(part, clear) \
    clear(f2l_compile_cli_clear_stage(j)), part(f2l_layers, layers), \
        part(f2l_compile_result, compiled), part(f2l_grammar, grammar), part(f2l_buf, out_name)
F2L_JOB(PARTS)

static const f2l_work_kind work = {
    .own_out = true, .draws = true, .result = "report.json", .printed_with = "pareto"};

static const f2l_compile_arguments usual = {.settings = F2L_SETTINGS_USUAL};

/* Sets OUT to the grammar's base name with its last extension replaced; a name that is only an
 * extension is kept whole. */
static int default_out(job *j)
{
    f2l_error err;
    const char *base = f2l_path_base(j->grammar.name);
    f2l_buf_bytes(&j->out_name, base, f2l_path_stem(base));
    f2l_buf_text(&j->out_name, ".lrnn");
    if (f2l_buf_status(&j->out_name, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    j->out = j->out_name.data;
    return 0;
}

static int check_compile_usage(job *j)
{
    f2l_cli *cli = &j->cli;
    const f2l_compile_arguments *o = &j->o;
    if (cli->operands == 0 && !o->input.regex)
        return f2l_cli_usage(cli, "a grammar file, --regex or a command is expected");
    if (o->settings.target != F2L_NO_CHOICE && o->settings.cascade != F2L_NO_CHOICE)
        return f2l_cli_usage(cli, "--target chooses its own cascade and excludes --cascade");
    if (o->settings.target != F2L_NO_CHOICE && o->settings.keys == 1)
        return f2l_cli_usage(cli, "--target and --keys naive exclude each other");
    if (o->out && !o->out[0]) return f2l_cli_usage(cli, "--out is empty");
    if (o->pareto && o->force && !o->out)
        return f2l_cli_usage(cli, "--force belongs to --out, without which --pareto writes "
                                  "nothing");
    if (o->pareto && o->settings.weights_dtype != F2L_WEIGHTS_AUTO && !o->out)
        return f2l_cli_usage(cli, "--weights-dtype belongs to --out, without which --pareto writes "
                                  "nothing");
    return f2l_join_check(cli, &o->input, &o->join, 0);
}

static void add_format(f2l_chosen *formats, size_t index)
{
    for (size_t i = 0; i < formats->count; i++)
        if (formats->index[i] == index) return;
    if (formats->count < F2L_MAX_CHOICES) formats->index[formats->count++] = index;
}

/* Adds the formats of --require and --exact-in, which are verified and reported, too. */
static void choose_compile_formats(f2l_settings *s)
{
    f2l_choose_usual_formats(&s->formats);
    if (s->require != F2L_NO_CHOICE) add_format(&s->formats, s->require);
    for (size_t i = 0; i < s->exact_in.count; i++) add_format(&s->formats, s->exact_in.index[i]);
}

static void set_options(job *j)
{
    f2l_compile_options *c = &j->compile;
    choose_compile_formats(&j->o.settings);
    f2l_settings_apply(c, &j->o.settings);
    c->label = (f2l_label)j->o.input.label;
    c->other_schedules = !j->o.pareto;
    c->all = j->o.pareto;
    if (!j->o.pareto) return;
    c->seconds_each = j->cli.global.time_limit;
    j->cli.task.deadline = 0;
    f2l_watchdog_no_deadline();
}

static int read_grammar(job *j)
{
    f2l_error err;
    const int status = f2l_join_read(&j->grammar, &j->cli, &j->o.input, &j->o.join);
    if (status) return status;
    if (f2l_fsa_has_label(&j->grammar.fsa, j->compile.label, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->grammar.name, &err);
    return 0;
}

static int print_result(job *j, f2l_buf *json)
{
    f2l_error err;
    f2l_buf text;
    if (j->o.pareto) return f2l_compile_cli_list_end(j);
    f2l_terminal_erase(&j->cli.terminal);
    if (j->cli.global.quiet && !j->cli.global.json) return 0;
    f2l_buf_init(&text);
    f2l_status status = f2l_compile_cli_render(j, &text, json, &err);
    return f2l_cli_show(&j->cli, &text, status, &err);
}

/* Gives OUT its final name. Nobody waits for the disk once the work was told to stop. */
static f2l_status commit_out(job *j, f2l_error *err)
{
    j->dir.hasty = f2l_watchdog_stopped();
    f2l_status status = j->dir.hasty ? F2L_OK : f2l_outdir_flush(&j->dir, err);
    if (status != F2L_OK) return status;
    f2l_watchdog_hold();
    status = f2l_outdir_commit(&j->dir, err);
    j->status = f2l_compile_cli_verdict(j, &j->compiled);
    j->published = status == F2L_OK;
    f2l_watchdog_release();
    return status;
}

static int interrupted(job *j)
{
    char left[400];
    if (j->o.pareto)
        return f2l_cli_interrupted(&j->cli, j->published
                                                ? "OUT holds the best of the list, which says what "
                                                  "is unknown"
                                                : "the list says what is unknown");
    if (!j->published) return f2l_cli_interrupted(&j->cli, "nothing was written");
    snprintf(left, sizeof left, "the best network so far was written to %.300s", j->out);
    return f2l_cli_interrupted(&j->cli, left);
}

/* Writes OUT, if it was requested and there is a network, and prints. After a signal only a
 * VERIFIED network is written. */
static int deliver(job *j)
{
    f2l_error err;
    f2l_buf json;
    f2l_buf_init(&json);
    f2l_status status = f2l_compile_cli_describe(j, &j->compiled, &err);
    const bool kept = !f2l_signals_caught() || j->compiled.exact.verdict == F2L_OK;
    const bool writes = j->out && j->compiled.theorem && kept;
    if (!writes) j->report.out = NULL;
    if (status == F2L_OK && writes) status = f2l_compile_cli_write(j, &json, &err);
    if (status == F2L_OK && writes) status = commit_out(j, &err);
    j->report.page = writes && !j->o.no_report && f2l_cli_draws();
    int code = 0;
    if (status != F2L_OK)
        code = f2l_cli_fail(&j->cli, j->out, &err);
    else if (kept || j->o.pareto)
        code = print_result(j, &json);
    if (status == F2L_OK && code == 0 && f2l_signals_caught()) code = interrupted(j);
    f2l_buf_clear(&json);
    return code;
}

/* Ends the command after an error; if a signal or a limit was the cause, publishes the network that
 * was VERIFIED before. */
static int failed(job *j, const f2l_error *err)
{
    f2l_watchdog_cause cause =
        err->status == F2L_ENOMEM ? F2L_WATCHDOG_EXHAUSTED : f2l_watchdog_stopped();
    if (!j->stage.theorem && f2l_signals_caught()) return interrupted(j);
    if (!j->stage.theorem || !cause) return f2l_cli_fail(&j->cli, j->grammar.name, err);
    f2l_terminal_erase(&j->cli.terminal);
    f2l_watchdog_hold();
    const int status = f2l_compile_cli_leave(j, cause);
    f2l_watchdog_settle(status);
    return status;
}

/* Returns whether a limit ended the search before anything was decided, so that no network is to be
 * written. */
static bool is_nothing(const f2l_compile_result *c)
{
    const bool limit = c->search.end == F2L_COMPILE_TIME || c->search.end == F2L_COMPILE_MEMORY;
    return !c->all && c->theorem && c->exact.verdict == F2L_UNKNOWN && limit;
}

/* Finds lower bounds on the layers with little work. The search leaves out what they exclude. */
static f2l_status bound_layers(job *j, f2l_error *err)
{
    if (j->o.pareto || j->grammar.fsa.states.count > BOUNDED_STATES) return F2L_OK;
    j->report.layers = &j->layers;
    const f2l_status status = f2l_layers_find(&j->layers, &j->grammar.fsa, j->compile.label,
                                              &f2l_layers_little, &j->cli.task, err);
    j->compile.least_layers = j->layers.least;
    j->compile.margin_layers = j->layers.margin;
    return status;
}

static int compile_grammar(job *j)
{
    f2l_error err;
    j->report.read_seconds = f2l_now() - j->start;
    const int begun = j->o.pareto ? f2l_compile_cli_list_begin(j) : 0;
    if (begun) return begun;
    f2l_status status = bound_layers(j, &err);
    if (status == F2L_OK)
        status = f2l_compile(&j->compiled, &j->grammar.fsa, &j->compile, &j->cli.task, &err);
    if (status == F2L_OK && is_nothing(&j->compiled))
        status = f2l_fail(&err, F2L_UNKNOWN,
                          "%s limit reached: no network is VERIFIED, and nothing was written",
                          j->compiled.search.end == F2L_COMPILE_TIME ? "time" : "memory");
    if (status != F2L_OK) return failed(j, &err);
    const int code = deliver(j);
    if (code) return code;
    return j->compiled.theorem ? f2l_compile_cli_verdict(j, &j->compiled)
                               : f2l_cli_fail(&j->cli, j->grammar.name, &j->compiled.unmet);
}

/* Claims OUT before the work starts, so that nobody waits for a result that cannot be stored. */
static int claim_out_folder(job *j)
{
    f2l_error err;
    j->out = j->o.out;
    if (!j->out && j->o.pareto) return 0;
    const int status = j->out ? 0 : default_out(j);
    if (status) return status;
    if (f2l_continue_outdir(&j->dir, &j->cli, j->out, NULL, j->o.force, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->out, &err);
    f2l_signals_guard(&j->dir);
    f2l_compile_cli_listen(j);
    return 0;
}

static int run(void *context)
{
    job *j = context;
    j->start = f2l_now();
    int status = check_compile_usage(j);
    if (status) return status;
    set_options(j);
    status = f2l_join_open(&j->grammar, &j->cli, &j->o.input, &j->o.join, 0);
    if (status == 0) status = claim_out_folder(j);
    if (status == 0) status = read_grammar(j);
    if (status == 0) status = compile_grammar(j);
    if (j->published && !j->o.no_report) f2l_cli_draw(&j->cli, j->out, status);
    f2l_compile_cli_close(j);
    return status;
}

const f2l_command f2l_command_main = {
    .name = "",
    .usage = (const char *const[]){"GRAMMAR [options]", "--regex RE [options]",
                                   "GRAMMAR GRAMMAR .. --product|--cascade-of [options]", NULL},
    .summary = "compiles finite automata to exact linear-RNN weights with a proof",
    .description =
        "Reads a finite automaton, builds a linear recurrent network (products of generalized "
        "Householder matrices, as in DeltaProduct) that tracks its state exactly, verifies the "
        "network in exact arithmetic and in number formats with every operation rounded, and "
        "writes the folder OUT: automaton.fsa, network.lrnn, certificate.cert, "
        "weights.safetensors, report.json, and report.html with report.md, which draw all of "
        "it. The certificate can be checked by lrnn-check alone.\n\n"
        "GRAMMAR is a .fsa file, AT&T text (OpenFst, foma), JFLAP .jff, a GAP list of "
        "Transformation([...]), Graphviz DOT as AALpy and MONA write it, JSON, .aut (CADP, mCRL2), "
        ".kiss2, .mata, SCXML or XState without hierarchy, a Hanoi omega-automaton (HOA) or .ba of "
        "a safety property, or the rules of a lexer, recognised by its content (fsa(5)); - is "
        "standard input. For a file with the name of a command write ./NAME.",
    .options = main_table,
    .groups = {{"", f2l_settings_table, FIELD(settings)},
               {F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)}},
    .work = &work,
    .files = {F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){{"fsa2lrnn parity.fsa", "compile, verify and write parity.lrnn/"},
                              {"fsa2lrnn s5.fsa --out s5-network --require bf16",
                               "exit with 0 only if it is also exact in bf16 at all lengths"},
                              {"fsa2lrnn --regex '(11)*' --label accept",
                               "the network's labels are accept and reject"},
                              {"fsa2lrnn door.fsa lamp.fsa --product",
                               "one network for both, side by side where it can be"},
                              {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &usual,
    .run = run};

const f2l_command f2l_command_compile = {
    .name = "compile",
    .usage = (const char *const[]){"compile GRAMMAR [bounds] [options]",
                                   "compile GRAMMAR --pareto [options]", NULL},
    .summary = "compiles within bounds, or lists the network of every construction",
    .description =
        "Compiles like the main job, within upper bounds. Of the networks within all bounds it "
        "takes the least by, in this order: VERIFIED exactly; in bf16 exact at all lengths, "
        "then VERIFIED at all lengths though rounded; layers; factors per token, summed over "
        "heads; state numbers; table entries. Networks with naive keys or with gates, unless "
        "requested by an option, are taken only when no other VERIFIED network is within the "
        "bounds. If no network of this program is within the bounds, the exit status is 69 and "
        "the message names the nearest network; it is 2 if a limit left the question open. "
        "Cascades of permutation automata, constructions whose keys may have to be rounded (R1 "
        "irreducible, R2, D2, T5) and targets are considered only when a bound is given.\n\n"
        "With --pareto every construction that applies is built and verified, and a line of "
        "the list gives its sizes and the formats in which it is VERIFIED at all lengths. A "
        "network is marked undominated when no other network that is VERIFIED exactly is at "
        "least as good in all of these figures and better in one: layers, n_h, key dimension, "
        "factors per token, state numbers, table entries, gates (1 only, or not), the set of "
        "formats in which it is VERIFIED, and exactness in bf16. The best network is the "
        "network that compile takes without --pareto.",
    .options = bounds_table,
    .groups = {{"", f2l_bounds_table, FIELD(settings)},
               {F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)},
               {"Options of the main job", main_table, 0},
               {"", f2l_settings_table, FIELD(settings)}},
    .work = &work,
    .files = {F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn compile s5.fsa --pareto", "the networks of all constructions for S5"},
            {"fsa2lrnn compile s5.fsa --householders 1 --exact-in bf16",
             "one reflection per head and letter, exact in bf16 at all lengths"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &usual,
    .run = run};
