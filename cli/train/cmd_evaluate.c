/* `evaluate`: measures how well a trained network does on words of any length. */
#include "cli/commands.h"
#include "cli/train/evaluate_weights.h"
#include "cli/train/train_arguments.h"
#include "cli/train/train_run.h"
#include "cli/train/train_source.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/networks/token_report.h"
#include "reports/training/train_report.h"

typedef struct evaluate_options {
    f2l_source_arguments source;
    f2l_word_options words;
    const char *grammar, *lengths, *token_file;
    uint64_t sequences, seed, search;
    size_t backend;
    bool uniform;
} evaluate_options;

#define FIELD(name) offsetof(evaluate_options, name)
static const f2l_option table[] = {
    {"grammar", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_GRAMMAR, 0, FIELD(grammar),
     "the automaton (default: what the run was trained on, or automaton.fsa in the folder); it "
     "must have as many letters and labels as the network, in the same order"},
    {"lengths", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(lengths),
     "lengths, ascending (default: 64,128,256,512)"},
    {"sequences", 0, F2L_OPTION_NUMBER, "N", NULL, 1, UINT32_MAX, FIELD(sequences),
     "random words (default: 512); where every answer counts, the shorter ones are their "
     "beginnings"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT32_MAX, FIELD(seed),
     "seed of the words (default: the seed of the run, or 1); the words differ from the "
     "training words"},
    {"backend", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_backend, 0, 0, FIELD(backend),
     "the backend: cpu (default), or cuda, cuda-packed or cuda-float; all compute in float"},
    F2L_SEARCH(FIELD(search)),
    {"token-file", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(token_file),
     "read the tokens of this archive of NumPy in place of words, and print the loss by position "
     "(docs/data.md)"},
    {"uniform", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(uniform),
     "give all letters the same weight, whatever the weights of the run"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    evaluate_options o;
    f2l_weights_file weights;
    f2l_train_source source;
    f2l_data data;    /* data on the test stream */
    f2l_data trained; /* data of the run, if there is one */
    const char *name; /* name of the data */
    f2l_buf beside;   /* path of the automaton in the folder */
    size_t *length, lengths;
    f2l_train_score *score;
    f2l_data_wrong wrong;
    f2l_failing failing;
    f2l_settle_report settle;
    f2l_tokens tokens;  /* with --token-file */
    double *parameters; /* likewise, in double */
    double seconds;
} job;

#define PARTS(part, clear) \
    part(f2l_tokens, tokens), clear(f2l_free(j->parameters)), part(f2l_buf, beside), \
        clear(f2l_free(j->length)), clear(f2l_free(j->score)), \
        clear(f2l_failing_clear(&j->failing)), part(f2l_data, data), part(f2l_data, trained), \
        part(f2l_train_source, source), part(f2l_weights_file, weights)
F2L_JOB(PARTS)

/* Takes label, time of counting and tokens from the run where the options for the grammar leave
 * them out. */
static void inherit(job *j)
{
    f2l_source_arguments *o = &j->o.source;
    const f2l_data_options *run = &j->weights.run.experiment.data;
    const f2l_given *given = &j->cli.given;
    const bool grammar = j->o.grammar || o->input.regex;
    if (!j->weights.has_run || run->kind != F2L_DATA_AUTOMATON || !grammar) return;
    if (!f2l_given_has(given, "label")) o->input.label = run->label;
    if (!f2l_given_has(given, "answers")) o->when = run->when;
    if (!f2l_given_has(given, "tokens") && run->tokens > 1) o->tokens = run->tokens;
}

/* Refuses data whose letters or labels differ from the run's, because a network knows only their
 * numbers. Warns of letters that the network never saw. */
static int compare_with_run(job *j)
{
    f2l_error err;
    f2l_buf letters;
    f2l_status status = F2L_OK;
    f2l_buf_init(&letters);
    if (!f2l_names_equal(&j->trained.letters, &j->data.letters) ||
        !f2l_names_equal(&j->trained.labels, &j->data.labels))
        status = f2l_fail(&err, F2L_EDOMAIN,
                          "was trained on other letters or labels, or on these in another order");
    if (status == F2L_OK && f2l_train_undrawn(&letters, &j->trained, &j->data) && !letters.failed)
        f2l_cli_warn(&j->cli, j->weights.name.data,
                     "these letters were never seen in training and come in this evaluation: %s",
                     letters.data);
    f2l_buf_clear(&letters);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->weights.name.data, &err);
}

/* Reads the words of --data; their letters and labels get the numbers that the run gave them,
 * without its begin letter. */
static int read_evaluated_words(job *j)
{
    f2l_error err;
    f2l_data known;
    f2l_experiment e = j->weights.run.experiment;
    const char *source = j->o.source.words;
    if (!j->weights.has_run)
        return f2l_train_words_read(&j->source.words, &j->cli, source, NULL, NULL, NULL,
                                    F2L_LABEL_STATES);
    e.data.begin = false;
    f2l_data_init(&known);
    const int code = f2l_experiment_data(&known, &e, F2L_DATA_TRAIN, &err) == F2L_OK
                         ? f2l_train_words_read(&j->source.words, &j->cli, source, &known.letters,
                                                &known.labels, known.fsa, e.data.label)
                         : f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    f2l_data_clear(&known);
    return code;
}

/* Opens the words of --data, all of which are test words. */
static int open_words(job *j)
{
    f2l_error err;
    const f2l_word_list *words = &j->source.words;
    const f2l_source_arguments *o = &j->o.source;
    const int code = read_evaluated_words(j);
    if (code) return code;
    const bool last = words->last_only && !f2l_given_has(&j->cli.given, "answers");
    const f2l_data_options options = {
        .kind = F2L_DATA_WORDS,
        .when = last ? F2L_DATA_LAST : (f2l_data_when)o->when,
        .begin = o->begin || (j->weights.has_run && j->weights.run.experiment.data.begin),
        .words = words,
        .seed = j->o.seed == F2L_NOT_GIVEN ? 1 : (uint32_t)j->o.seed,
        .stream = F2L_DATA_TEST};
    j->name = f2l_path_base(o->words);
    const f2l_fsa *fsa = j->weights.has_run ? j->weights.run.experiment.fsa : NULL;
    return f2l_data_build(&j->data, &options, fsa, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(&j->cli, o->words, &err);
}

/* Opens the data that the options name, on the test stream. */
static int open_source(job *j)
{
    f2l_error err;
    f2l_train_source *s = &j->source;
    if (j->o.uniform) return f2l_cli_usage(&j->cli, "--uniform is for the data of a run");
    if (j->o.source.test || j->o.source.held_out >= 0)
        return f2l_cli_usage(&j->cli, "all words of --data are tested: --test and --held-out are "
                                      "for train");
    if (j->o.source.words && !j->o.grammar && !j->o.source.input.regex) return open_words(j);
    inherit(j);
    if (j->o.source.words) j->o.source.held_out = 0;
    const int code = f2l_train_source_open(s, &j->cli, &j->o.source, j->o.grammar);
    if (code) return code;
    s->options.stream = F2L_DATA_TEST;
    s->options.seed = j->o.seed == F2L_NOT_GIVEN ? 1 : (uint32_t)j->o.seed;
    j->name = s->name;
    if (f2l_data_build(&j->data, &s->options, s->fsa, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.grammar, &err);
    j->data.others_to =
        f2l_walk_longest(j->weights.has_run ? j->weights.run.experiment.curriculum.limit : 64);
    return 0;
}

/* Opens the data of the run, on the test stream. */
static int open_own(job *j)
{
    f2l_error err;
    f2l_experiment e = j->weights.run.experiment;
    if (j->o.seed != F2L_NOT_GIVEN) e.seed = (uint32_t)j->o.seed;
    if (j->o.uniform) e.data.weight = NULL;
    j->name = f2l_experiment_source(&e);
    if (f2l_experiment_data(&j->data, &e, F2L_DATA_TEST, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    return 0;
}

/* Takes the automaton in a folder of `import` where the options name no data. */
static int take_beside(job *j)
{
    const f2l_source_arguments *o = &j->o.source;
    if (j->weights.has_run || j->o.grammar || o->input.regex || o->task != F2L_NO_CHOICE) return 0;
    const int code = f2l_weights_file_automaton(&j->beside, &j->cli, j->cli.operand[0]);
    j->o.grammar = j->beside.data;
    return code;
}

static int open_data(job *j)
{
    const f2l_source_arguments *o = &j->o.source;
    const f2l_given *given = &j->cli.given;
    int code = take_beside(j);
    if (code) return code;
    const bool other = j->o.grammar || o->input.regex || o->task != F2L_NO_CHOICE || o->words;
    f2l_error err;
    if (j->weights.has_run && f2l_experiment_data(&j->trained, &j->weights.run.experiment,
                                                  F2L_DATA_TRAIN, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (!other && (f2l_given_in(given, f2l_source_table) || f2l_given_in(given, f2l_input_table)))
        return f2l_cli_usage(&j->cli, "options of the data go with --grammar, --regex, --task or "
                                      "--data; a run has its own");
    if (!other && !j->weights.has_run)
        return f2l_cli_usage(&j->cli,
                             "no run lies beside %s: say --grammar FILE, --regex, --task or --data",
                             j->weights.name.data);
    code = other ? open_source(j) : open_own(j);
    return code || !j->weights.has_run ? code : compare_with_run(j);
}

static int set_lengths(job *j)
{
    f2l_error err;
    int code = j->o.lengths ? f2l_train_lengths_read(&j->length, &j->lengths, &j->cli, j->o.lengths)
                            : f2l_train_usual_lengths(&j->length, &j->lengths, &j->cli, &j->data);
    if (code == 0 && j->o.lengths)
        code = f2l_train_lengths_check(&j->cli, &j->data, j->length, j->lengths);
    if (!f2l_given_has(&j->cli.given, "sequences") && f2l_data_words_count(&j->data) > 0)
        j->o.sequences = f2l_data_words_count(&j->data); /* all of them */
    if (code) return code;
    j->score = f2l_calloc(j->lengths, sizeof *j->score);
    if (!j->score) {
        f2l_fail_memory(&err);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    for (size_t i = 0; i < j->lengths; i++) j->score[i].length = j->length[i];
    return 0;
}

static int print_evaluated(job *j)
{
    const f2l_evaluate_report report = {.weights = j->weights.name.data,
                                        .source = j->name,
                                        .data = &j->data,
                                        .model = &j->weights.trained.model,
                                        .sequences = (size_t)j->o.sequences,
                                        .scores = j->lengths,
                                        .score = j->score,
                                        .first_wrong = j->wrong.length,
                                        .failing = &j->failing,
                                        .settle = &j->settle,
                                        .seconds = j->seconds};
    return f2l_cli_report(&j->cli, &f2l_evaluate_report_kind, &report);
}

/* Prints the loss on the tokens of --token-file, by position. */
static int evaluate_tokens(job *j)
{
    f2l_error err;
    f2l_token_losses losses;
    const double start = f2l_now();
    const f2l_seq *model = &j->weights.trained.model;
    static const char *const alone[] = {"lengths", "sequences", "seed",         "backend",
                                        "search",  "uniform",   "letter-words", "label-words"};
    const char *other = f2l_given_in(&j->cli.given, f2l_source_table);
    if (!other) other = f2l_given_in(&j->cli.given, f2l_input_table);
    if (!other && j->o.grammar) other = "grammar";
    for (size_t i = 0; !other && i < sizeof alone / sizeof *alone; i++)
        if (f2l_given_has(&j->cli.given, alone[i])) other = alone[i];
    if (other)
        return f2l_cli_usage(&j->cli, "--token-file is all that is read: --%s is about words",
                             other);
    if (f2l_tokens_open(&j->tokens, j->o.token_file, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.token_file, &err);
    if (f2l_weights_parameters(&j->parameters, &j->weights.trained, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    if (f2l_token_losses_measure(&losses, model, j->parameters, &j->tokens, NULL, &j->cli.task,
                                 &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.token_file, &err);
    const f2l_token_report report = {.weights = j->weights.name.data,
                                     .file = j->o.token_file,
                                     .model = model,
                                     .tokens = &j->tokens,
                                     .losses = &losses,
                                     .seconds = f2l_now() - start};
    return f2l_cli_report(&j->cli, &f2l_token_losses_report_kind, &report);
}

static int run_evaluate(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli,
                             "the folder of a run or one file of weights, or a folder with "
                             "config.json and model.safetensors is expected");
    int code = f2l_weights_file_load(&j->weights, &j->cli, j->cli.operand[0]);
    if (code == 0 && j->o.token_file) return evaluate_tokens(j);
    if (code == 0) code = open_data(j);
    if (code == 0)
        code = f2l_weights_file_restrict(&j->weights, &j->cli, &j->o.words, j->data.letters.count,
                                         j->data.labels.count);
    if (code == 0) code = set_lengths(j);
    if (code) return code;
    const double start = f2l_now();
    const f2l_backend backend = (f2l_backend)j->o.backend;
    if (f2l_backend_check(backend, &err) != F2L_OK) return f2l_cli_fail(&j->cli, "--backend", &err);
    if (f2l_experiment_evaluate(j->score, j->lengths, &j->wrong, (size_t)j->o.sequences, backend,
                                &j->weights.trained.model, j->weights.trained.parameters, &j->data,
                                &j->cli.task, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    const f2l_shortest_ask ask = {.run = j->o.grammar ? NULL : f2l_weights_file_run(&j->weights),
                                  .trained = &j->weights.trained,
                                  .data = &j->data,
                                  .seen = &j->wrong,
                                  .search = j->o.search};
    if (f2l_shortest_find(&j->failing, &j->settle, &ask, &j->cli.task, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->weights.name.data, &err);
    j->seconds = f2l_now() - start;
    return print_evaluated(j);
}

const f2l_command f2l_command_evaluate = {
    .name = "evaluate",
    .usage = (const char *const[]){"evaluate RUN [--lengths LIST] [--sequences N] [options]",
                                   "evaluate MODEL --grammar FILE [options]",
                                   "evaluate RUN --data [FORMAT:]PATH [options]",
                                   "evaluate MODEL --token-file FILE", NULL},
    .summary = "measures how well a trained network does, by length",
    .description =
        "Reads random words of the run's automaton or task, in memory that does not depend on "
        "their length, and prints how many sequences the network answers without an error, and "
        "how many answers are right. RUN is the folder of a run that has ended. MODEL is a file "
        "of weights, or a folder with config.json and model.safetensors, or its shards, of a "
        "model of flash-linear-attention. Scaled "
        "accuracy is 0 for guessing and 1 for no error. The results are measurements on these "
        "words; they prove nothing about other words.\n\n"
        "Random words hide failures: words that stay out of sinks and periodic words z u^t are "
        "tested beside them, and the headline is the least accuracy of the three. Beside the "
        "accuracies is the shortest wrong word that is known. It is looked for, on the CPU, among "
        "all words up to some length, powers of words of up to 3 letters, words of least margin, "
        "a word whose limit is wrong (horizon --settle) and beginnings of the tested words, and "
        "letters are left out of the shortest one as long as it stays wrong; what was tried is "
        "printed. Words after which network and automaton are in the same states are read "
        "once.\n\n"
        "With --data the words come from a file, and all of them are tested unless --sequences "
        "says how many of each length. Where every letter has a label, a length has all words that "
        "are not shorter, cut to it; otherwise the words longer than the length before it and not "
        "longer than it. The labels are compared with the automaton of --grammar, or of the run, "
        "first: the first one that differs is named by line and column.\n\n"
        "With --token-file the model reads the tokens of an archive of NumPy, in double and in "
        "memory that does not depend on their number, and the loss (nats) and accuracy of the next "
        "tokens, or of the labels in the archive, are printed by position in bins that double.",
    .options = table,
    .groups = {{F2L_SOURCE_TITLE, f2l_source_table, FIELD(source)},
               {"Options for the grammar of --grammar or --regex", f2l_input_table,
                FIELD(source.input)},
               {F2L_WORDS_TITLE, f2l_words_table, FIELD(words)}},
    .no_edges = true,
    .files = {F2L_FILES_WEIGHTS},
    .examples =
        (const f2l_example[]){{"fsa2lrnn evaluate s3.train", "the usual lengths"},
                              {"fsa2lrnn evaluate s3.train --lengths 1000,1000000 --sequences 8",
                               "words of up to a million letters"},
                              {"fsa2lrnn evaluate s3.train/weights.safetensors --grammar s3.fsa "
                               "--json",
                               "weights without their run"},
                              {"fsa2lrnn evaluate s3.train/fla", "what train --layout fla wrote"},
                              {"fsa2lrnn evaluate lm --token-file held-out.npz",
                               "a language model's loss by position"},
                              {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const evaluate_options){.source = F2L_SOURCE_USUAL,
                                        .sequences = 512,
                                        .seed = F2L_NOT_GIVEN,
                                        .search = F2L_FAILING_USUAL},
    .run = run_evaluate};
