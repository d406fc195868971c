/* `inspect`: a report on what a trained network learned. */
#include "cli/commands.h"
#include "cli/train/evaluate_weights.h"
#include "models/learn/inspect/inspect_checkpoint.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/networks/inspect_report.h"
#include "reports/networks/token_report.h"

typedef struct inspect_options {
    const char *out, *words, *token_file;
    uint64_t letters, layer;
    double threshold;
} inspect_options;

enum { USUAL_WORDS = 256 };

#define FIELD(name) offsetof(inspect_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(out),
     "write the report to this file, whole or not at all, instead of printing it"},
    {"letters", 0, F2L_OPTION_NUMBER, "N", NULL, 0, UINT32_MAX, FIELD(letters),
     "number of letters that the readable report shows for each head (default: 24); --json "
     "shows all"},
    {"layer", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 10000, FIELD(layer),
     "of a model with a config.json: look at layer N alone, from 1 on, with the embeddings of "
     "words as its input; also for linear layers of OlmoHybrid and Qwen3Next"},
    {"token-file", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(token_file),
     "look at all layers while the model reads the tokens of this archive of NumPy (docs/data.md)"},
    {"threshold", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(threshold),
     "for a group: count directions of the states whose singular value is at least X times the "
     "largest (default: 0.05)"},
    {"words", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(words),
     "with --layer: words of the vocabulary, from 0 on (default: 256, spread evenly)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    inspect_options o;
    f2l_weights_file weights;
    bool unfinished; /* the weights are from a checkpoint */
    size_t layers;   /* with --layer: of the model */
    uint32_t word[F2L_MOST_WORDS];
    size_t words;
    f2l_data data;
    double *parameters;
    unsigned char *used;
    f2l_tokens tokens; /* with --token-file */
    f2l_token_heads heads;
    f2l_inspect inspect;
    f2l_inspect_relations relations;
    f2l_inspect_characters characters;
} job;

#define PARTS(part, clear) \
    part(f2l_token_heads, heads), part(f2l_tokens, tokens), \
        part(f2l_inspect_characters, characters), part(f2l_inspect_relations, relations), \
        part(f2l_inspect, inspect), clear(f2l_free(j->used)), clear(f2l_free(j->parameters)), \
        part(f2l_data, data), part(f2l_weights_file, weights)
F2L_JOB(PARTS)

/* Opens the last checkpoint of a run that has not ended. */
static int open_checkpoint(job *j, const char *folder)
{
    f2l_error err;
    f2l_weights_file *w = &j->weights;
    f2l_buf_printf(&w->name, "%s/checkpoint", folder);
    f2l_status status = f2l_buf_status(&w->name, &err);
    if (status == F2L_OK) status = f2l_experiment_file_read(&w->run, folder, &err);
    w->has_run = status == F2L_OK;
    if (status == F2L_OK)
        status = f2l_inspect_checkpoint_read(&w->trained.model, &w->trained.parameters,
                                             &w->run.experiment, folder, &err);
    j->unfinished = true;
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, folder, &err);
}

/* Sets word[words] to the words of --words, or to USUAL_WORDS of the vocabulary. */
static int choose_words(job *j, size_t vocabulary)
{
    const size_t all = vocabulary < USUAL_WORDS ? vocabulary : USUAL_WORDS;
    if (j->o.words)
        return f2l_words_read(j->word, &j->words, &j->cli, "--words", j->o.words, vocabulary);
    for (size_t i = 0; i < all; i++) j->word[j->words++] = (uint32_t)(i * vocabulary / all);
    return 0;
}

/* Opens one layer of a model, alone. */
static int open_layer(job *j, const char *path)
{
    f2l_error err;
    size_t vocabulary;
    if (f2l_checkpoint_vocabulary(&vocabulary, path, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, path, &err);
    const int code = choose_words(j, vocabulary);
    if (code) return code;
    f2l_buf_text(&j->weights.name, path);
    const f2l_status status = f2l_checkpoint_read_layer(
        &j->weights.trained, &j->layers, path, (size_t)j->o.layer - 1, j->word, j->words, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, path, &err);
}

static int open_weights(job *j, const char *path)
{
    if (j->o.layer > 0) return open_layer(j, path);
    if (j->o.words) return f2l_cli_usage(&j->cli, "--words is for --layer");
    if (!f2l_path_has(path, "weights.safetensors") && f2l_path_has(path, "config.json") &&
        f2l_path_has(path, "checkpoint"))
        return open_checkpoint(j, path);
    return f2l_weights_file_load(&j->weights, &j->cli, path);
}

/* Opens the data of the run, and finds which letters came in training. */
static f2l_status open_inspected_data(job *j, f2l_error *err)
{
    if (!j->weights.has_run) return F2L_OK;
    f2l_status status =
        f2l_experiment_data(&j->data, &j->weights.run.experiment, F2L_DATA_TRAIN, err);
    if (status == F2L_OK && j->weights.trained.kind == F2L_CHECKPOINT_FLA)
        status = f2l_checkpoint_restrict(&j->weights.trained,
                                         (f2l_checkpoint_words){NULL, j->data.letters.count},
                                         (f2l_checkpoint_words){NULL, j->data.labels.count}, err);
    return status == F2L_OK ? f2l_weights_file_used(&j->used, &j->weights, &j->data, err) : status;
}

static f2l_status analyse_weights(job *j, f2l_error *err)
{
    const f2l_task *task = &j->cli.task;
    const f2l_seq *model = &j->weights.trained.model;
    const double threshold = j->o.threshold < 0 ? F2L_INSPECT_THRESHOLD : j->o.threshold;
    f2l_status status = open_inspected_data(j, err);
    if (status == F2L_OK) status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    if (status == F2L_OK)
        status = f2l_inspect_build(&j->inspect, model, j->parameters, j->used, task, err);
    if (status == F2L_OK)
        status =
            f2l_inspect_relations_build(&j->relations, &j->inspect, model, j->parameters,
                                        j->weights.has_run ? &j->data : NULL, threshold, task, err);
    return status == F2L_OK ? f2l_inspect_characters_build(&j->characters, &j->relations, task, err)
                            : status;
}

static int write_inspect_json(job *j, f2l_buf *text)
{
    f2l_error err;
    const f2l_status status = f2l_write_file(j->o.out, text->data, text->size, &err);
    f2l_buf_clear(text);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.out, &err);
}

/* Prints a report, or writes it to the file of --out. */
static int print_report(job *j, const f2l_report_kind *kind, const void *report)
{
    f2l_error err;
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_status status = f2l_report_write(&text, kind, report, j->cli.global.json, &err);
    const bool file = j->o.out && status == F2L_OK;
    return file ? write_inspect_json(j, &text) : f2l_cli_show(&j->cli, &text, status, &err);
}

static int print_inspected(job *j)
{
    const f2l_experiment *e = &j->weights.run.experiment;
    const f2l_inspect_report report = {.weights = j->weights.name.data,
                                       .unfinished = j->unfinished,
                                       .layer = j->o.layer > 0 ? (size_t)j->o.layer : 1,
                                       .layers = j->layers,
                                       .word = j->o.layer > 0 ? j->word : NULL,
                                       .source =
                                           j->weights.has_run ? f2l_experiment_source(e) : NULL,
                                       .data = j->weights.has_run ? &j->data : NULL,
                                       .model = &j->weights.trained.model,
                                       .inspect = &j->inspect,
                                       .relations = &j->relations,
                                       .characters = &j->characters,
                                       .rows = (size_t)j->o.letters};
    return print_report(j, &f2l_inspect_report_kind, &report);
}

/* Looks at all layers while the model reads the tokens of --token-file. */
static int inspect_tokens(job *j)
{
    f2l_error err;
    const double start = f2l_now();
    const f2l_seq *model = &j->weights.trained.model;
    static const char *const alone[] = {"letters", "layer", "threshold", "words"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (f2l_given_has(&j->cli.given, alone[i]))
            return f2l_cli_usage(&j->cli, "--%s is about letters, not about --token-file",
                                 alone[i]);
    const int code = open_weights(j, j->cli.operand[0]);
    if (code) return code;
    if (f2l_tokens_open(&j->tokens, j->o.token_file, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.token_file, &err);
    if (f2l_weights_parameters(&j->parameters, &j->weights.trained, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (f2l_token_heads_measure(&j->heads, model, j->parameters, &j->tokens, &j->cli.task, &err) !=
        F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.token_file, &err);
    const f2l_token_report report = {.weights = j->weights.name.data,
                                     .file = j->o.token_file,
                                     .model = model,
                                     .tokens = &j->tokens,
                                     .losses = &j->heads.losses,
                                     .heads = &j->heads,
                                     .seconds = f2l_now() - start};
    return print_report(j, &f2l_token_heads_report_kind, &report);
}

static int run_inspect(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli,
                             "the folder of a run or one file of weights, or a folder with "
                             "config.json and model.safetensors is expected");
    if (j->o.threshold == 0 || j->o.threshold >= 1)
        return f2l_cli_usage(&j->cli, "--threshold must be between 0 and 1");
    if (j->o.token_file) return inspect_tokens(j);
    const int code = open_weights(j, j->cli.operand[0]);
    if (code) return code;
    if (analyse_weights(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    return print_inspected(j);
}

const f2l_command f2l_command_inspect = {
    .name = "inspect",
    .usage = (const char *const[]){"inspect RUN [options]", "inspect MODEL [options]",
                                   "inspect MODEL --token-file FILE", NULL},
    .summary =
        "shows what a trained network learned: betas, keys and eigenvalues, letter by letter",
    .description =
        "Looks at the first layer of a trained network, whose keys and betas are functions of "
        "the letter: for one layer without values (B = 0) that finite list of matrices A(w) is "
        "the whole recurrence. RUN is the folder of a run of train or reproduce; if the run "
        "has not ended, its last checkpoint is read. MODEL is a file of weights, or a folder with "
        "config.json and model.safetensors, or its shards, of a model of flash-linear-attention, "
        "whose vocabulary are the letters.\n\n"
        "Prints for every head: how near the betas are to 0 and 2, in how many principal "
        "components the keys lie (all keys of all letters, not centred; and those whose beta "
        "is at least half of the range), and for every letter its betas, the angles between "
        "the lines of successive keys, the eigenvalues of A(w), and how far A(w) is from an "
        "orthogonal matrix. For the diagonal mixer it prints the decays of every letter.\n\n"
        "Where the letters of the automaton permute its states and the network is one layer "
        "with B = 0, it prints how nearly A(u) A(w) is A(wu) on the part of the state that "
        "moves, and which irreducible characters that part has. All numbers are floating "
        "point: they describe, and prove nothing.\n\n"
        "With --token-file all layers are looked at in one pass over the tokens of an archive of "
        "NumPy, each with the input that the model gives it: betas, gates, eigenvalues of the A of "
        "a token and of the product of five, angles of successive keys, and the norm and the "
        "effective rank of the state by position and where documents begin, for every head; for "
        "the diagonal mixer decays and the state of every layer.",
    .options = table,
    .no_grammar = "a run has its automaton",
    .files = {F2L_FILES_WEIGHTS},
    .examples = (const f2l_example[]){{"fsa2lrnn inspect s4.train", "the readable report"},
                                      {"fsa2lrnn inspect olmo-hybrid --layer 2 --words 0,17,400",
                                       "a layer of a large model, read from its shards"},
                                      {"fsa2lrnn inspect lm --token-file held-out.npz",
                                       "what the heads of a language model do with a text"},
                                      {"fsa2lrnn inspect s4.train --json -o s4.json",
                                       "all numbers, for figures"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const inspect_options){.letters = 24, .threshold = -1},
    .run = run_inspect};
