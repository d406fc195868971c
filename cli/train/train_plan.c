/* The plan of `train`: the grammar's data, the class of the constructed network, the recipe and the
 * options; or the contents of the folder of a run. */
#include "cli/signals.h"
#include "cli/train/train_job.h"
#include "cli/watchdog.h"
#include "models/learn/seq/delta/seq_constructed.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "models/learn/seq/seq_match.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdio.h>
#include <string.h>

void f2l_train_cli_init(void *job)
{
    f2l_train_cli *j = job;
    f2l_train_source_init(&j->source);
    f2l_experiment_file_init(&j->file);
    f2l_first_weights_init(&j->first);
    f2l_compile_result_init(&j->compiled);
    f2l_experiment_seeds_init(&j->many);
    f2l_train_result_init(&j->one.result);
    f2l_train_arguments_init(&j->o);
}

void f2l_train_cli_clear(void *job)
{
    f2l_train_cli *j = job;
    f2l_train_result_clear(&j->one.result);
    f2l_experiment_seeds_clear(&j->many);
    f2l_buf_clear(&j->folder);
    f2l_buf_clear(&j->resume);
    f2l_free(j->length);
    f2l_seq_clear(&j->model);
    f2l_compile_result_clear(&j->compiled);
    f2l_train_source_clear(&j->source);
    f2l_experiment_file_clear(&j->file);
    f2l_first_weights_clear(&j->first);
}

f2l_train_report f2l_train_cli_report(const f2l_train_cli *j)
{
    return (f2l_train_report){.source = j->source.name,
                              .experiment = &j->experiment,
                              .data = &j->source.data,
                              .parameters = j->model.parameters,
                              .backend = f2l_backend_name(j->backend),
                              .folder = j->folder.data,
                              .fla = j->o.layout == 1,
                              .constructed = j->compiled.theorem ? &j->compiled : NULL,
                              .why_none = j->why_none};
}

static int check_flags(f2l_train_cli *j)
{
    const f2l_train_arguments *o = &j->o;
    const char *twice = o->additive && o->no_additive             ? "additive"
                        : o->learned_start && o->no_learned_start ? "learned-start"
                        : o->forget_gate && o->no_forget_gate     ? "forget-gate"
                                                                  : NULL;
    double range;
    if (twice) return f2l_cli_usage(&j->cli, "--%s and --no-%s exclude each other", twice, twice);
    if (o->init && o->first)
        return f2l_cli_usage(&j->cli, "--init and --first-weights exclude each other");
    if (o->first && !o->first[0]) return f2l_cli_usage(&j->cli, "--first-weights is empty");
    if (o->init && !f2l_train_first_weights(&range, o->init))
        return f2l_cli_usage(&j->cli,
                             "--init takes pytorch, fla or a standard deviation of at most 10, "
                             "not '%s'",
                             o->init);
    return 0;
}

/* The options that go with --resume, because they do not change the result. */
static const char *const kept_open[] = {"resume",     "data",       "test",   "backend",
                                        "gpus",       "step-limit", "layout", "checkpoint-seconds",
                                        "no-network", "no-report",  "effort", NULL};

int f2l_train_check_usage(f2l_train_cli *j)
{
    f2l_cli *cli = &j->cli;
    const f2l_train_arguments *o = &j->o;
    if (o->resume) {
        const char *stored = f2l_given_beside(&cli->given, kept_open);
        if (cli->operands)
            return f2l_cli_usage(cli, "--resume takes the place of the grammar '%s'",
                                 cli->operand[0]);
        if (stored)
            return f2l_cli_usage(cli, "--%s cannot be changed: --resume takes it from the folder",
                                 stored);
        if (!o->resume[0]) return f2l_cli_usage(cli, "--resume is empty");
        return 0;
    }
    if (cli->operands > 1)
        return f2l_cli_usage(cli, "one grammar at a time, not '%s' and '%s'", cli->operand[0],
                             cli->operand[1]);
    if (o->out && !o->out[0]) return f2l_cli_usage(cli, "--out is empty");
    return check_flags(j);
}

/* Sets the folder to the grammar's base name without its last extension, or to the task's. */
static void default_folder(f2l_train_cli *j)
{
    const char *words = j->o.source.words, *base = words     ? f2l_path_base(words)
                                                   : j->name ? f2l_path_base(j->name)
                                                             : f2l_choice_task(j->o.source.task);
    f2l_buf_bytes(&j->folder, base, f2l_path_stem(base));
    f2l_buf_printf(&j->folder, ".%s", j->cli.command->name);
}

static int set_folder(f2l_train_cli *j)
{
    f2l_error err;
    if (j->o.resume || j->o.out)
        f2l_buf_text(&j->folder, j->o.resume ? j->o.resume : j->o.out);
    else
        default_folder(j);
    f2l_buf_text(&j->resume, "fsa2lrnn train --resume ");
    if (!j->folder.failed) f2l_buf_name(&j->resume, j->folder.data);
    if (j->o.backend != F2L_BACKEND_CPU)
        f2l_buf_printf(&j->resume, " --backend %s", f2l_backend_name(j->o.backend));
    if (j->o.gpus != F2L_NOT_GIVEN)
        f2l_buf_printf(&j->resume, " --gpus %llu", (unsigned long long)j->o.gpus);
    f2l_status status = f2l_buf_status(&j->folder, &err);
    if (status == F2L_OK) status = f2l_buf_status(&j->resume, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, NULL, &err);
}

/* Decides what happens when a limit cut the search short. The class of a new run must not depend on
 * how far a search came in some time; a dry run reports the network found, and the class of an old
 * run is known. */
static int take_cut(f2l_train_cli *j, const f2l_error *err)
{
    if (j->o.resume) return 0;
    if (!j->o.dry_run) return f2l_cli_fail(&j->cli, j->name, err);
    f2l_cli_warn(&j->cli, j->name, "%s; a run would not begin", err->text);
    j->cut = true;
    return 0;
}

/* Makes the main job's choice. Where no construction applies there is nothing to compare with, and
 * the reason is kept. */
static int construct_network(f2l_train_cli *j, const f2l_fsa *fsa, f2l_label label)
{
    f2l_error err;
    f2l_compile_options options;
    memset(&options, 0, sizeof options);
    options.label = label;
    options.format[0] = f2l_format_find("bf16");
    options.format[1] = f2l_format_find("fp32");
    options.renew = j->o.effort == F2L_NOT_GIVEN;
    options.effort = F2L_STEPS * (options.renew ? F2L_USUAL_EFFORT : j->o.effort);
    if (!fsa || j->o.no_network) {
        snprintf(j->why_none, sizeof j->why_none, "%s",
                 fsa ? "--no-network" : "the task is not given as a finite automaton");
        return 0;
    }
    f2l_watchdog_grace(F2L_WATCHDOG_SEARCH);
    f2l_status status = f2l_compile(&j->compiled, fsa, &options, &j->cli.task, &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (f2l_signals_caught()) return f2l_cli_interrupted(&j->cli, "nothing was written");
    if (status == F2L_OK && j->compiled.search.end < F2L_COMPILE_TIME) return 0;
    if (status == F2L_OK) {
        f2l_fail(&err, F2L_UNKNOWN,
                 "the time limit or the memory limit ended the search for the constructed network, "
                 "whose class is trained: --effort and --no-network do not depend on them");
        return take_cut(j, &err);
    }
    f2l_compile_result_clear(&j->compiled);
    snprintf(j->why_none, sizeof j->why_none, "%s", err.text);
    if (status == F2L_UNKNOWN) return take_cut(j, &err);
    if (status != F2L_EDOMAIN) return f2l_cli_fail(&j->cli, j->name, &err);
    if (!j->o.resume)
        f2l_cli_warn(&j->cli, j->name,
                     "there is no constructed network, so the usual class is trained: %s",
                     err.text);
    return 0;
}

/* Takes depth and factors from a network of tables and circuits, which is of no class that can be
 * trained. */
static void match_figures(f2l_train_cli *j, const char *why)
{
    f2l_compile_figures size;
    f2l_seq_config *c = &j->experiment.model;
    f2l_compile_measure(&size, &j->compiled);
    if (size.layers >= 1 && size.layers <= F2L_SEQ_MAX_LAYERS) c->layers = size.layers;
    if (size.householders >= 1 && size.householders <= F2L_SEQ_MAX_HOUSEHOLDERS)
        c->householders = size.householders;
    f2l_cli_warn(
        &j->cli, j->name,
        "the constructed network (%s) is in no class that is trained here: %s; trained are models "
        "of its number of layers and factors",
        j->compiled.theorem, why);
}

/* Sets the class to train, with the slope of the recipe. */
static void match(f2l_train_cli *j)
{
    f2l_error err;
    f2l_seq_config *c = &j->experiment.model, matched;
    if (!j->compiled.theorem) return;
    if (f2l_seq_config_match(&matched, &j->compiled.net, c->letters, c->labels, &err) != F2L_OK) {
        match_figures(j, err.text);
        return;
    }
    matched.slope = c->slope;
    *c = matched;
}

/* Takes the model of --first-weights, whose letters and labels must be as many as the data's. */
static int take_first(f2l_train_cli *j)
{
    f2l_error err;
    f2l_seq_config *c = &j->experiment.model;
    const f2l_seq_config *given = &j->first.model.config;
    if (!j->o.first) return 0;
    f2l_status status = f2l_first_weights_read(&j->first, j->o.first, &err);
    if (status == F2L_OK && (given->letters != c->letters || given->labels != c->labels))
        status = f2l_fail(&err, F2L_EDOMAIN,
                          "these weights are for %zu letters and %zu labels; the data have %zu and "
                          "%zu",
                          given->letters, given->labels, c->letters, c->labels);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->o.first, &err);
    *c = *given;
    j->experiment.first = &j->first;
    return 0;
}

static int set_train_lengths(f2l_train_cli *j)
{
    size_t lengths = 0;
    const f2l_data *tested = f2l_train_tested(&j->source);
    int code = j->o.lengths ? f2l_train_lengths_read(&j->length, &lengths, &j->cli, j->o.lengths)
                            : f2l_train_usual_lengths(&j->length, &lengths, &j->cli, tested);
    if (code == 0) code = f2l_train_lengths_check(&j->cli, tested, j->length, lengths);
    if (j->o.sequences == F2L_NOT_GIVEN && f2l_data_words_count(tested) > 0)
        j->experiment.train.sequences = f2l_data_words_count(tested); /* all of them */
    j->experiment.train.length = j->length;
    j->experiment.train.lengths = lengths;
    return code;
}

/* Makes the class of `starts` large enough for the constructed network, which there must be. */
static int make_class_room(f2l_train_cli *j)
{
    f2l_error err;
    f2l_seq_constructed_need need = {0};
    f2l_seq_config *c = &j->experiment.model;
    f2l_status status = F2L_OK;
    if (!j->from_network) return 0;
    if (!j->compiled.theorem)
        status = f2l_fail(&err, F2L_EDOMAIN,
                          "there is no constructed network to start from: %.400s", j->why_none);
    else
        status = f2l_seq_constructed_needs(&need, &j->compiled.net, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->name, &err);
    match(j);
    if (c->heads < need.heads) c->heads = need.heads;
    if (c->width < 32 * need.heads) c->width = 32 * need.heads;
    if (c->width < need.width) c->width = (need.width + 31) / 32 * 32;
    c->mlp = 4 * c->width;
    return 0;
}

static int compose_experiment(f2l_train_cli *j)
{
    f2l_error err;
    const char *path = j->cli.operands ? j->cli.operand[0] : NULL;
    f2l_train_source *s = &j->source;
    int code = f2l_train_source_open(s, &j->cli, &j->o.source, path);
    j->name = s->grammar.name ? s->grammar.name : j->o.source.words;
    if (code == 0) code = construct_network(j, s->fsa, s->options.label);
    if (code) return code;
    const uint64_t steps = j->o.steps == F2L_NOT_GIVEN ? F2L_TRAIN_STEPS : j->o.steps;
    if (f2l_experiment_default(&j->experiment, &s->options, s->fsa, steps, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->name, &err);
    if (!j->from_network) match(j);
    code = j->from_network ? make_class_room(j) : take_first(j);
    if (code) return code;
    f2l_compile_figures size = {0};
    if (j->compiled.theorem) f2l_compile_measure(&size, &j->compiled);
    f2l_train_arguments_lasting(&j->experiment, &j->o, size.key_dim);
    f2l_train_arguments_model(&j->experiment.model, &j->o);
    f2l_train_arguments_run(&j->experiment, &j->o);
    return set_train_lengths(j);
}

static int read_resumed_folder(f2l_train_cli *j)
{
    f2l_error err;
    j->name = j->o.resume;
    const f2l_experiment_words words = {j->o.source.words, j->o.source.test};
    f2l_status status =
        f2l_experiment_file_read_with(&j->file, j->o.resume, &words, &j->cli.task, &err);
    if (status == F2L_OK) {
        j->experiment = j->file.experiment;
        if (j->o.checkpoint_seconds >= 0)
            j->experiment.train.checkpoint_seconds = j->o.checkpoint_seconds;
        snprintf(j->source.name, sizeof j->source.name, "%s",
                 f2l_experiment_source(&j->experiment));
        status = f2l_experiment_data(&j->source.data, &j->experiment, F2L_DATA_TRAIN, &err);
    }
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->name, &err);
    return construct_network(j, j->experiment.fsa, j->experiment.data.label);
}

/* Refuses the layout with its reason, and with the options of a model that has it. */
static int refuse_layout(f2l_train_cli *j, const f2l_error *why)
{
    f2l_error err;
    const f2l_seq_config *c = &j->model.config;
    const bool product = c->householders > 1 || c->forget_gate;
    f2l_fail(&err, why->status, "%.300s%s%s", why->text,
             c->mixer == f2l_mixers[0]
                 ? "; models with --additive --no-learned-start and an MLP have the layout"
                 : "",
             c->mixer == f2l_mixers[0] && product ? ", here with --silu" : "");
    return f2l_cli_fail(&j->cli, "--layout fla", &err);
}

/* Refuses an experiment that cannot be run, before anything is written. */
static int check_experiment(f2l_train_cli *j)
{
    f2l_error err;
    f2l_buf text;
    j->backend = (f2l_backend)j->o.backend;
    f2l_status status = f2l_backend_check(j->backend, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, "--backend", &err);
    if (j->o.gpus != F2L_NOT_GIVEN) {
        if (j->backend == F2L_BACKEND_CPU)
            return f2l_cli_usage(&j->cli, "--gpus needs --backend cuda");
        j->experiment.devices = (unsigned)j->o.gpus;
    }
    if (j->o.step_limit > 0) j->experiment.step_limit = j->o.step_limit;
    status = f2l_experiment_check(&j->experiment, &err);
    if (status == F2L_OK) status = f2l_seq_init(&j->model, &j->experiment.model, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    f2l_buf_init(&text);
    if (j->o.layout == 1) status = f2l_seq_write_fla_config(&text, &j->model, &err);
    f2l_buf_clear(&text);
    return status == F2L_OK ? 0 : refuse_layout(j, &err);
}

static void warn_undrawn(f2l_train_cli *j)
{
    f2l_buf letters;
    f2l_buf_init(&letters);
    if (f2l_train_undrawn(&letters, &j->source.data, NULL) && !letters.failed)
        f2l_cli_warn(&j->cli, j->name,
                     "these letters never come in training, nor in its evaluations, so that the "
                     "network does not learn them: %s",
                     letters.data);
    f2l_buf_clear(&letters);
}

int f2l_train_plan(f2l_train_cli *j)
{
    int code = j->o.resume ? read_resumed_folder(j) : compose_experiment(j);
    if (code == 0) code = set_folder(j);
    if (code == 0) code = check_experiment(j);
    if (code == 0) warn_undrawn(j);
    return code;
}
