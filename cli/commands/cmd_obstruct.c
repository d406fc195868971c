/* `obstruct`: what a network cannot do at any length. */
#include "cli/commands.h"
#include "cli/input/network_file.h"
#include "cli/input/words.h"
#include "models/doors/checkpoint/checkpoint.h"
#include "models/doors/checkpoint/recurrence.h"
#include "models/network/weights/safetensors_read.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "reports/automata/obstruct_report.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/refute_cert.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct obstruct_options {
    f2l_chosen formats;
    const char *format, *schedule, *word, *prefix, *fsa, *certificate;
    uint64_t products, most, limit;
} obstruct_options;

#define FIELD(name) offsetof(obstruct_options, name)
static const f2l_option table[] = {
    {"word", 0, F2L_OPTION_TEXT, "WORD", NULL, 0, 0, FIELD(word),
     "the word that is read again and again, as `run` reads words (default: a shortest one that "
     "turns labels in a cycle)"},
    {"prefix", 0, F2L_OPTION_TEXT, "WORD", NULL, 0, 0, FIELD(prefix),
     "letters before --word (default: none)"},
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "number formats (default: exact arithmetic, bf16, fp16 and fp32)"},
    {"format", 0, F2L_OPTION_TEXT, "FORMAT", f2l_choice_format, 0, 0, FIELD(format),
     "one format: a name of --formats, or a format as `round` takes it"},
    {"schedule", 0, F2L_OPTION_TEXT, "SCHEDULE", f2l_choice_schedule, 0, 0, FIELD(schedule),
     "the order and rounding of operations (default: every)"},
    {"products", 0, F2L_OPTION_NUMBER, "K", NULL, 1, 8, FIELD(products),
     "print eigenvalues of products of up to K letters (default: 2)"},
    {"most-products", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 100000000, FIELD(most),
     "most products of one head and length (default: 20000)"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1000000000000, FIELD(limit),
     "most letters in the search for a recurrence (default: 10000000)"},
    F2L_NETWORK_FSA_OPTION,
    {"certificate", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_CERTIFICATE, 0, FIELD(certificate),
     "write a certificate for lrnn-check that the network is wrong; for one format"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

#define RUNS (F2L_MAX_CHOICES + 1)

typedef struct job {
    f2l_cli cli;
    obstruct_options o;
    f2l_network_file net;
    bool weights_only; /* the operand is a file of weights, without decoder and automaton */
    char format_name[F2L_FORMAT_NAME], schedule_name[F2L_SCHEDULE_NAME], without[300], no_word[300];
    f2l_format format;
    f2l_schedule schedule;
    size_t runs;
    const f2l_format *of_run[RUNS]; /* [runs] NULL: exact arithmetic */
    f2l_spectra spectra;
    f2l_theorem t1, t2;
    f2l_witness word;
    f2l_period period;
    f2l_failure run[RUNS];
    double seconds[RUNS];
} job;

#define PARTS(part, clear) \
    part(f2l_witness, word), part(f2l_spectra, spectra), part(f2l_network_file, net)
F2L_JOB(PARTS)

static int read_formats(job *j)
{
    static const char *const usual[] = {"bf16", "fp16", "fp32"};
    f2l_error err;
    if (j->o.format && j->o.formats.count)
        return f2l_cli_usage(&j->cli, "--format and --formats exclude each other");
    if (j->o.format) {
        if (f2l_format_parse(&j->format, j->format_name, j->o.format, &err) != F2L_OK)
            return f2l_cli_usage(&j->cli, "--format: column %zu: %s", err.column, err.text);
        j->of_run[j->runs++] = &j->format;
        return 0;
    }
    for (size_t i = 0; i < j->o.formats.count; i++)
        j->of_run[j->runs++] = &f2l_formats[j->o.formats.index[i]];
    if (j->o.formats.count) return 0;
    j->of_run[j->runs++] = NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        j->of_run[j->runs++] = f2l_format_find(usual[i]);
    return 0;
}

static int check_obstruct_usage(job *j)
{
    f2l_error err;
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli, "one network is expected: its file or the folder it lies in, "
                                      "or weights: a file, or the folder of a trained model");
    if (f2l_schedule_parse(&j->schedule, j->schedule_name, j->o.schedule ? j->o.schedule : "every",
                           &err) != F2L_OK)
        return f2l_cli_usage(&j->cli, "--schedule: column %zu: %s", err.column, err.text);
    if (j->o.prefix && !j->o.word) return f2l_cli_usage(&j->cli, "--prefix is for --word");
    const int code = read_formats(j);
    if (code == 0 && j->o.certificate && !(j->runs == 1 && j->of_run[0]))
        return f2l_cli_usage(&j->cli, "--certificate is for one --format");
    return code;
}

/* Takes the recurrence of a trained model, and the names of letters that its folder has. */
static f2l_status read_recurrence(job *j, const char *path, f2l_error *err)
{
    f2l_checkpoint trained;
    f2l_recurrence recurrence;
    f2l_checkpoint_init(&trained);
    f2l_status status = f2l_checkpoint_read(&trained, path, err);
    if (status == F2L_OK) {
        status = f2l_recurrence_build(&recurrence, &trained.model, trained.parameters, &j->cli.task,
                                      err);
        if (status == F2L_OK) j->net.model = recurrence.net;
    }
    f2l_checkpoint_clear(&trained);
    return status;
}

static int load_trained(job *j)
{
    f2l_error err;
    const char *path = j->cli.operand[0];
    if (read_recurrence(j, path, &err) != F2L_OK) return f2l_cli_fail(&j->cli, path, &err);
    j->weights_only = true;
    snprintf(j->without, sizeof j->without,
             "this is the recurrence of a trained model, its betas and keys computed in double and "
             "then taken exactly; its read-out is not looked at, and nothing is run");
    return 0;
}

static int load_weights(job *j)
{
    f2l_error err;
    const char *path = j->cli.operand[0];
    f2l_status status = f2l_read_file(&j->net.bytes, path, 0, &err);
    const char *bytes = j->net.bytes.data ? j->net.bytes.data : "";
    bool tables = false;
    if (status == F2L_OK)
        status = f2l_safetensors_has_tables(&tables, bytes, j->net.bytes.size, &err);
    if (status == F2L_OK && !tables) return load_trained(j);
    if (status == F2L_OK)
        status = f2l_safetensors_read(&j->net.model, bytes, j->net.bytes.size, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, path, &err);
    j->weights_only = true;
    snprintf(j->without, sizeof j->without,
             "weights alone have no decoder, so that nothing is run: give the network "
             "(network.lrnn)");
    return 0;
}

static bool is_weights(const char *path)
{
    return f2l_path_ends(path, ".safetensors") || f2l_path_ends(path, ".pt") ||
           f2l_path_ends(path, ".pth") || f2l_path_ends(path, ".bin");
}

/* Returns whether the path is a folder with a trained model and without a network. */
static bool is_trained(const char *path)
{
    return f2l_path_is_folder(path) && !f2l_path_has(path, "network.lrnn") &&
           f2l_checkpoint_look(path) != F2L_CHECKPOINT_NONE;
}

/* Refuses labels of transitions, since words are read state by state here. */
static int check_state_label(job *j)
{
    f2l_error err;
    const f2l_status status = f2l_fsa_check_label(&j->net.automaton.fsa, j->net.model.label, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
}

static int load_obstructed(job *j)
{
    struct stat info;
    if (is_weights(j->cli.operand[0])) return load_weights(j);
    if (is_trained(j->cli.operand[0])) return load_trained(j);
    int code = f2l_network_file_load(&j->net, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code) return code;
    if (!j->o.fsa && !j->o.word && !j->o.certificate && stat(j->net.paths.fsa.data, &info) != 0 &&
        errno == ENOENT) {
        snprintf(j->without, sizeof j->without,
                 "without its automaton (--fsa) the network is not run: there is none beside it");
        return f2l_network_file_merge_letters(&j->net, &j->cli);
    }
    code = f2l_network_file_load_automaton(&j->net, &j->cli);
    if (code == 0) code = f2l_network_file_merge_letters(&j->net, &j->cli);
    return code ? code : check_state_label(j);
}

static bool has_automaton(const job *j)
{
    return !j->without[0];
}

/* Appends the letters of one word to *letters. */
static f2l_status read_word_letters(const job *j, const char *text, size_t **letters, size_t *count,
                                    f2l_error *err)
{
    size_t room = *count, letter;
    f2l_words words;
    f2l_word_event event = F2L_WORD_LETTER;
    if (!*text) return F2L_OK;
    char *copy = f2l_strndup(text, strlen(text));
    FILE *in = copy ? fmemopen(copy, strlen(text), "r") : NULL;
    if (!in) {
        f2l_free(copy);
        return f2l_fail_memory(err);
    }
    f2l_words_init(&words, in, &j->net.letters);
    f2l_status status = F2L_OK;
    while (status == F2L_OK && event == F2L_WORD_LETTER) {
        status = f2l_words_next(&words, &event, &letter, err);
        if (status != F2L_OK || event != F2L_WORD_LETTER) continue;
        if (!f2l_grow((void **)letters, &room, *count, sizeof **letters))
            status = f2l_fail_memory(err);
        if (status == F2L_OK) (*letters)[(*count)++] = f2l_letter_class(&j->net.classes, letter);
    }
    f2l_words_clear(&words);
    fclose(in);
    f2l_free(copy);
    return status;
}

static f2l_status take_given_word(job *j, f2l_error *err)
{
    size_t *letters = NULL, count = 0, prefix = 0;
    f2l_status status = F2L_OK;
    if (j->o.prefix) status = read_word_letters(j, j->o.prefix, &letters, &prefix, err);
    count = prefix;
    if (status == F2L_OK) status = read_word_letters(j, j->o.word, &letters, &count, err);
    if (status == F2L_OK && count == prefix)
        status = f2l_fail(err, F2L_EFORMAT, "--word has no letters");
    if (status == F2L_OK)
        status = f2l_witness_set(&j->word, &j->net.automaton.fsa, j->net.model.label, letters,
                                 prefix, count - prefix, err);
    f2l_free(letters);
    return status;
}

static f2l_status find_word(job *j, f2l_error *err)
{
    f2l_error why;
    if (j->o.word) return take_given_word(j, err);
    f2l_status status = f2l_witness_find(&j->word, &j->net.automaton.fsa, j->net.model.label, 0,
                                         &j->cli.task, &why);
    if (status == F2L_OK) return F2L_OK;
    if (status == F2L_UNKNOWN && !(j->cli.task.cancel && *j->cli.task.cancel)) {
        snprintf(j->no_word, sizeof j->no_word, "UNKNOWN: %.200s; give one with --word", why.text);
        return F2L_OK;
    }
    *err = why;
    return status;
}

static f2l_status run_word(job *j, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (j->word.length == 0) j->runs = 0;
    if (j->word.length > 0)
        status = f2l_spectra_period(&j->period, &j->spectra, j->word.letter + j->word.prefix,
                                    j->word.length, &j->cli.task, err);
    for (size_t i = 0; i < j->runs && status == F2L_OK; i++) {
        const double begin = f2l_now();
        status = f2l_failure_find(&j->run[i], &j->net.model, &j->net.automaton.fsa, &j->word,
                                  j->of_run[i], &j->schedule, j->o.limit, &j->cli.task, err);
        j->seconds[i] = f2l_now() - begin;
    }
    return status;
}

static f2l_status obstruct(job *j, f2l_error *err)
{
    const f2l_task *task = &j->cli.task;
    f2l_status status = f2l_spectra_find(&j->spectra, &j->net.model, (size_t)j->o.products,
                                         (size_t)j->o.most, task, err);
    if (status == F2L_OK) status = f2l_spectra_t1(&j->t1, &j->spectra, task, err);
    if (status == F2L_OK) status = f2l_spectra_t2(&j->t2, &j->spectra, task, err);
    if (!has_automaton(j)) j->runs = 0;
    if (status != F2L_OK || !has_automaton(j)) return status;
    status = find_word(j, err);
    return status == F2L_OK ? run_word(j, err) : status;
}

static f2l_status certify_first_run(job *j, f2l_error *err)
{
    char sha256[65];
    f2l_buf text;
    const f2l_failure *f = &j->run[0];
    if (j->runs == 0) return f2l_fail(err, F2L_EDOMAIN, "nothing was run");
    f2l_status status = f2l_cert_refuted_refuse(&j->net.model, f->schedule, err);
    if (status != F2L_OK) return status;
    if (!f->recurs)
        return f2l_fail(err, F2L_EDOMAIN, "no pair of states recurred: %.200s", f->reason);
    if (!f->first) return f2l_fail(err, F2L_EDOMAIN, "the network is right on this word");
    const f2l_refuting_run run = {j->word.letter, j->word.prefix, j->word.length, f->preperiod,
                                  f->period};
    f2l_sha256_hex(j->net.bytes.data, j->net.bytes.size, sha256);
    f2l_buf_init(&text);
    status = f2l_refute_cert_write(&text, &j->net.model, &j->net.automaton.fsa, &run, f->format,
                                   f->schedule, sha256, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.certificate, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* Writes the certificate; a result that has none is no failure of the command. */
static int write_run_certificate(job *j)
{
    f2l_error err;
    const f2l_status status = certify_first_run(j, &err);
    if (status == F2L_OK) return 0;
    if (status != F2L_EDOMAIN) return f2l_cli_fail(&j->cli, j->o.certificate, &err);
    f2l_cli_warn(&j->cli, j->o.certificate, "no certificate was written: %s", err.text);
    return 0;
}

static f2l_obstruct_report obstruct_report_of(const job *j)
{
    const f2l_names *letters = j->weights_only
                                   ? (j->net.model.letters.count ? &j->net.model.letters : NULL)
                                   : &j->net.model.letters;
    return (f2l_obstruct_report){.network = j->cli.operand[0],
                                 .letters = letters,
                                 .fsa = has_automaton(j) ? &j->net.automaton.fsa : NULL,
                                 .letters_count = j->net.letters.count,
                                 .without = j->without,
                                 .spectra = &j->spectra,
                                 .t1 = &j->t1,
                                 .t2 = &j->t2,
                                 .word = &j->word,
                                 .no_word = j->no_word,
                                 .period = &j->period,
                                 .runs = j->runs,
                                 .run = j->run,
                                 .seconds = j->seconds};
}

static int print_obstructed(job *j)
{
    const f2l_obstruct_report report = obstruct_report_of(j);
    return f2l_cli_report(&j->cli, &f2l_obstruct_report_kind, &report);
}

/* Returns the exit status of the worst verdict: refuted, then unknown. */
static int exit_verdict(const job *j)
{
    const f2l_obstruct_report report = obstruct_report_of(j);
    int code = j->no_word[0] ? F2L_EXIT_UNKNOWN : 0;
    for (size_t i = 0; i < j->runs; i++) {
        const f2l_status verdict = f2l_obstruct_verdict(&report, i);
        if (verdict == F2L_REFUTED) return F2L_EXIT_REFUTED;
        if (verdict != F2L_OK) code = F2L_EXIT_UNKNOWN;
    }
    return code;
}

static int run_obstruct(void *context)
{
    job *j = context;
    f2l_error err;
    int code = check_obstruct_usage(j);
    if (code == 0) code = load_obstructed(j);
    if (code) return code;
    if (obstruct(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, err.status == F2L_EFORMAT ? NULL : j->cli.operand[0], &err);
    if (j->o.certificate) code = write_run_certificate(j);
    if (code == 0) code = print_obstructed(j);
    return code ? code : exit_verdict(j);
}

const f2l_command f2l_command_obstruct = {
    .name = "obstruct",
    .usage = (const char *const[]){"obstruct NET [--format FORMAT] [--schedule SCHEDULE] [options]",
                                   NULL},
    .summary =
        "shows what a network cannot do at any length: eigenvalues, theorems, and runs that recur",
    .description =
        "Prints, for every head, the signs of the eigenvalues of its letters' matrices and of "
        "their products, decided in exact arithmetic, with enclosures; and the theorems of "
        "impossibility that therefore apply: T1 (no letter can turn labels in a cycle when all "
        "eigenvalues are real and >= 0) and T2 (no letter can turn labels in an odd cycle when "
        "certain products have only real eigenvalues). Then it repeats a word that the "
        "automaton answers by a cycle, until a pair of states of network and automaton recurs: "
        "this decides all lengths, and the first wrong length is printed.\n\n"
        "The theorems are about exact states. When operations round, only the run decides, for "
        "one format and schedule and for this word. NET is the network, the folder OUT, or a "
        "file of weights (.safetensors), of which only eigenvalues are printed: the weights of a "
        "network, or a trained model of one layer without a convolution, whose betas and keys are "
        "computed in double and then taken exactly. Folders of trained models are taken, too: the "
        "folder of a run, or one with config.json and model.safetensors. The exit "
        "status is the worst status of all runs: 1 when the network is wrong.",
    .options = table,
    .no_grammar = "a network has the automaton that it was built from",
    .files = {F2L_FILES_NETWORK},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn obstruct s5", "a network that fsa2lrnn made: nothing forbids it"},
            {"fsa2lrnn obstruct parity.train --products 4",
             "eigenvalues of what a run of train learned"},
            {"fsa2lrnn obstruct parity.lrnn --fsa parity.fsa --format bf16 --certificate "
             "wrong.cert",
             "the length from which the network is wrong, with a proof for lrnn-check"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const obstruct_options){.products = 2},
    .run = run_obstruct};
