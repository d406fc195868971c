/* `ladder`: the rung of a released model, by its configuration, and what it says of an automaton.
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include "reports/ladder/config_report.h"

typedef struct ladder_options {
    const char *fsa;
    uint64_t effort;
    f2l_input_options input;
} ladder_options;

#define FIELD(name) offsetof(ladder_options, name)
static const f2l_option table[] = {
    {"fsa", 0, F2L_OPTION_FILE, "GRAMMAR", NULL, F2L_FILES_GRAMMAR, 0, FIELD(fsa),
     "say whether models of this configuration can track the automaton"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 1000000000, FIELD(effort),
     "limit on the work for the automaton, in millions of counted steps; 0: none (default: 1250)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    ladder_options o;
    f2l_buf text;
    f2l_config_text settings;
    f2l_grammar grammar;
    f2l_classify classify;
} job;

#define PARTS(part, clear) \
    part(f2l_classify, classify), part(f2l_grammar, grammar), part(f2l_config_text, settings), \
        part(f2l_buf, text)
F2L_JOB(PARTS)

static int classify_model_grammar(job *j)
{
    f2l_error err;
    f2l_effort effort = {.limit = j->o.effort * F2L_STEPS};
    f2l_task task = j->cli.task;
    task.effort = &effort;
    const f2l_classify_options options = {.label = (f2l_label)j->o.input.label};
    int code = f2l_grammar_open(&j->grammar, &j->cli, &j->o.input, j->o.fsa);
    if (code == 0) code = f2l_grammar_read(&j->grammar, &j->cli, &j->o.input);
    if (code) return code;
    return f2l_classify_build(&j->classify, &j->grammar.fsa, &options, &task, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(&j->cli, j->grammar.name, &err);
}

static int run_ladder(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_ladder_config config;
    const char *file = j->cli.operands == 1 ? j->cli.operand[0] : NULL;
    const bool asked = j->o.fsa || j->o.input.regex;
    if (!file) return f2l_cli_usage(&j->cli, "one configuration is expected");
    f2l_input_settle(j->cli.command, &j->o, &j->cli.given, 0);
    if (f2l_read_file(&j->text, file, F2L_CONFIG_BYTES, &err) != F2L_OK ||
        f2l_config_text_read(&j->settings, j->text.data ? j->text.data : "", j->text.size, &err) !=
            F2L_OK ||
        f2l_ladder_config_find(&config, &j->settings, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, file, &err);
    int code = asked ? classify_model_grammar(j) : 0;
    if (code) return code;
    const f2l_config_report report = {.file = file,
                                      .form = j->settings.form,
                                      .config = &config,
                                      .grammar = asked ? j->grammar.name : NULL,
                                      .classify = asked ? &j->classify : NULL,
                                      .label = (f2l_label)j->o.input.label};
    code = f2l_cli_report(&j->cli, &f2l_config_report_kind, &report);
    if (code || !asked) return code;
    const f2l_ladder_answer answer = f2l_ladder_config_answer(&config, &j->classify);
    return answer.closed == F2L_LADDER_UNKNOWN ? F2L_EXIT_UNKNOWN : 0;
}

const f2l_command f2l_command_ladder = {
    .name = "ladder",
    .usage = (const char *const[]){"ladder CONFIG [--fsa GRAMMAR] [--label KIND]",
                                   "ladder CONFIG --regex RE", NULL},
    .summary = "says which row of the ladder a released model is on, by its configuration",
    .description =
        "Reads the configuration of a model - config.json of flash-linear-attention, "
        "transformers or vLLM, Megatron-LM's YAML, the arguments `--name value ..` of a command "
        "line, the lines `name ..... value` that Megatron-LM prints of them, or the arguments "
        "saved in a checkpoint as Python prints them, `Namespace(name=value, ..)`, or a dict or "
        "a list of them, of which nothing is evaluated - and prints which layers it has, the "
        "range of beta, n_h and gates, the row of `classify` that these are on, with its "
        "statement and scope, and the one setting that would track more.\n\n"
        "`reached` says what is left without rounding: a sigmoid or an exponential has no ends of "
        "its range (theory/pages/released.md). Verdicts are about any number of layers; how many "
        "the model has is printed beside them.\n\n"
        "With --fsa, or --regex, the verdict for an automaton is added, with the word that shows a "
        "`cannot`. The status is 0, or 2 when a limit left it unknown.\n\n"
        "A configuration of a class that is not known, or that no row is about, is refused by name "
        "(69), and so is an n_h of 0, a range that is open or empty, or a text that is none of "
        "these (65), with line and column.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)}},
    .no_edges = true,
    .files = {F2L_FILES_ANY},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn ladder model/config.json", "layers, ranges, the row and its scope"},
            {"fsa2lrnn ladder model/config.json --fsa s3.fsa", "the verdict for an automaton, too"},
            {"fsa2lrnn ladder megatron.yaml --regex '(aa)*' --label accept --json",
             "the same as JSON, for Megatron-LM's settings and a regular expression"},
            {"fsa2lrnn ladder args.txt",
             "the arguments in a checkpoint of Megatron-LM, as print(..['args']) wrote them"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const ladder_options){.effort = F2L_USUAL_EFFORT},
    .run = run_ladder};
