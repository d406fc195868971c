/* What `compare` reads. */
#include "cli/train/compare_job.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* Opens the automaton of weights without a run. */
static int open_compare_grammar(f2l_compare_job *j)
{
    f2l_error err;
    f2l_source_arguments arguments = F2L_SOURCE_USUAL;
    const bool named = j->o.grammar || j->o.input.regex;
    int code = named ? 0 : f2l_weights_file_automaton(&j->beside, &j->cli, j->cli.operand[0]);
    if (code) return code;
    const char *grammar = named ? j->o.grammar : j->beside.data;
    if (grammar == NULL && !j->o.input.regex)
        return f2l_cli_usage(&j->cli, "no run and no automaton lie beside %s: say --grammar FILE",
                             j->weights.name.data);
    arguments.input = j->o.input;
    code = f2l_train_source_open(&j->source, &j->cli, &arguments, grammar);
    if (code) return code;
    j->source.options.stream = F2L_DATA_TEST;
    j->source.options.seed = 1;
    if (f2l_data_build(&j->data, &j->source.options, j->source.fsa, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, grammar, &err);
    j->data.others_to = f2l_walk_longest(64); /* as the usual training has them */
    return 0;
}

static int open_compare_data(f2l_compare_job *j)
{
    f2l_error err;
    if (!j->weights.has_run) return open_compare_grammar(j);
    if (j->o.grammar || j->o.input.regex)
        return f2l_cli_usage(&j->cli, "--grammar and --regex are for weights without a run: a run "
                                      "has its automaton");
    if (f2l_experiment_data(&j->data, &j->weights.run.experiment, F2L_DATA_TEST, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (j->data.options.kind == F2L_DATA_AUTOMATON) return 0;
    f2l_fail(&err, F2L_EDOMAIN,
             "its data are not given by an automaton: there is no constructed "
             "network to compare with");
    return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

static int set_compare_lengths(f2l_compare_job *j)
{
    f2l_error err;
    int code = j->o.lengths ? f2l_train_lengths_read(&j->length, &j->lengths, &j->cli, j->o.lengths)
                            : f2l_train_usual_lengths(&j->length, &j->lengths, &j->cli, &j->data);
    if (code == 0 && j->o.lengths)
        code = f2l_train_lengths_check(&j->cli, &j->data, j->length, j->lengths);
    if (code) return code;
    j->score = f2l_calloc(j->lengths, sizeof *j->score);
    j->constructed_score = f2l_calloc(j->lengths, sizeof *j->constructed_score);
    if (!j->score || !j->constructed_score) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    for (size_t i = 0; i < j->lengths; i++)
        j->score[i].length = j->constructed_score[i].length = j->length[i];
    return 0;
}

/* Refuses weights of another number of letters or labels. */
static int check_sizes(f2l_compare_job *j)
{
    f2l_error err;
    const f2l_seq_config *c = &j->weights.trained.model.config;
    if (j->data.letters.count == c->letters && j->data.labels.count == c->labels) return 0;
    f2l_fail(&err, F2L_EDOMAIN,
             "the automaton has %zu letters and %zu labels, the network %zu and %zu",
             j->data.letters.count, j->data.labels.count, c->letters, c->labels);
    return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

int f2l_compare_open_learned(f2l_compare_job *j)
{
    int code = f2l_weights_file_load(&j->weights, &j->cli, j->cli.operand[0]);
    if (code == 0) code = open_compare_data(j);
    if (code == 0)
        code = f2l_weights_file_restrict(&j->weights, &j->cli, &j->o.words, j->data.letters.count,
                                         j->data.labels.count);
    if (code == 0) code = check_sizes(j);
    return code == 0 ? set_compare_lengths(j) : code;
}

/* Makes the main job's network. That there is none is no failure, unless the task stopped it. */
static int construct(f2l_compare_job *j)
{
    f2l_error err;
    f2l_compile_options options;
    memset(&options, 0, sizeof options);
    options.label = j->data.options.label;
    options.merge_letters = true;
    options.format[0] = f2l_format_find("bf16");
    options.renew = true;
    options.effort = F2L_STEPS * F2L_USUAL_EFFORT;
    f2l_watchdog_grace(F2L_WATCHDOG_SEARCH);
    const f2l_status status = f2l_compile(&j->compiled, j->data.fsa, &options, &j->cli.task, &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status != F2L_OK && (f2l_task_stop(&j->cli.task) != F2L_STOP_NONE ||
                             (status != F2L_EDOMAIN && status != F2L_UNKNOWN)))
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (status != F2L_OK) {
        snprintf(j->no_network, sizeof j->no_network, "%s", err.text);
        return 0;
    }
    f2l_compile_model(&j->compiled_model, &j->compiled, j->data.fsa);
    j->net = &j->compiled_model;
    return 0;
}

static int prepare_constructed(f2l_compare_job *j)
{
    f2l_error err;
    return f2l_constructed_init(&j->constructed, j->net, &j->data, &j->cli.task, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(&j->cli, j->o.with ? j->o.with : j->weights.name.data, &err);
}

int f2l_compare_open_constructed(f2l_compare_job *j)
{
    int code = 0;
    if (j->o.no_network)
        snprintf(j->no_network, sizeof j->no_network, "--no-network");
    else
        code = j->o.with ? f2l_network_file_load(&j->file, &j->cli, j->o.with, NULL) : construct(j);
    if (code) return code;
    if (j->o.with) j->net = &j->file.model;
    if (j->net == NULL) return 0;
    if (j->net->layers > 0) return prepare_constructed(j);
    snprintf(j->no_network, sizeof j->no_network,
             "it is a network of tables and circuits, whose states are no matrices");
    j->net = NULL;
    return 0;
}
