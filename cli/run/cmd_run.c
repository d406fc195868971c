/* `run`: words in, labels out; or random words against the automaton. */
#include "cli/commands.h"
#include "cli/run/run.h"
#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include "numeric/base/visible.h"
#include <string.h>

#define FIELD(name) offsetof(f2l_run_options, name)

static const char *balances(size_t i)
{
    static const char *const name[] = {[F2L_RUN_BALANCE_LABELS] = "labels"};
    return i < sizeof name / sizeof *name ? name[i] : NULL;
}

static const f2l_option table[] = {
    {"format", 0, F2L_OPTION_CHOICE, "FORMAT", f2l_choice_format, 0, 0, FIELD(format),
     "compute in this number format (default: exactly)"},
    {"schedule", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_stepping, 0, 0, FIELD(schedule),
     "order and rounding of the operations in --format (default: every)"},
    {"from-start", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(from_start),
     "print the label of the empty word, if it has one, in front of each line"},
    {"stream", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(stream),
     "one endless word: a label on a line of its own as soon as its letter was read; line ends "
     "only separate"},
    {"random", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1000000000, FIELD(random),
     "compare the labels on N random words with the automaton"},
    {"data", 0, F2L_OPTION_TEXT, "SOURCE", NULL, 0, 0, FIELD(words),
     "the same on all words of a file or folder, [FORMAT:]PATH (docs/data.md), after a check that "
     "every label in it is the automaton's; the first one that is not is named by line and column"},
    {"length", 0, F2L_OPTION_NUMBER, "T", NULL, 1, 1000000000, FIELD(length),
     "letters of a random word (default: 100)"},
    {"least-length", 0, F2L_OPTION_NUMBER, "A", NULL, 1, 1000000000, FIELD(least_length),
     "random words of A to T letters, every length equally often (default: T letters)"},
    {"balance", 0, F2L_OPTION_CHOICE, "WHAT", balances, 0, 0, FIELD(balance),
     "random words with every label equally often as the last one; words of equal length and "
     "label are equally likely (default: letters are uniform)"},
    {"write", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(write),
     "write the random words with the automaton's labels: FILE.jsonl, or FILE.npz for NumPy"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT64_MAX, FIELD(seed),
     "seed of the random words (default: 1)"},
    {"fsa", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_AUTOMATON, 0, FIELD(fsa),
     "the network's automaton for --random and --data, byte for byte as it was written (default: "
     "automaton.fsa beside the network)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const char *f2l_run_arithmetic(const f2l_run *run)
{
    return run->o.format == F2L_NO_CHOICE ? "exact" : f2l_choice_format(run->o.format);
}

void f2l_run_put_label(const f2l_run *run, f2l_buf *out, size_t label)
{
    const char *name = fsa2lrnn_network_label(run->network, label);
    if (!name) {
        f2l_buf_text(out, "?");
    } else if (strcmp(name, "?") == 0) {
        f2l_buf_text(out, "\"?\"");
    } else {
        f2l_buf_visible_name(out, name);
    }
}

json_t *f2l_run_json_label(const f2l_run *run, size_t label)
{
    const char *name = fsa2lrnn_network_label(run->network, label);
    return name ? json_string(name) : json_null();
}

/* --- the interface's errors --- */

static f2l_status take_error(f2l_error *out, fsa2lrnn_status status, const fsa2lrnn_error *err)
{
    return status == FSA2LRNN_OK ? F2L_OK : f2l_fail(out, (f2l_status)status, "%s", err->text);
}

f2l_status f2l_run_start(f2l_run *run, size_t *label, f2l_error *err)
{
    fsa2lrnn_error outer;
    return take_error(err, fsa2lrnn_run_start(run->play, label, &outer), &outer);
}

f2l_status f2l_run_step(f2l_run *run, size_t letter, size_t *label, f2l_error *err)
{
    fsa2lrnn_error outer;
    return take_error(err, fsa2lrnn_run_step(run->play, letter, label, &outer), &outer);
}

/* --- loading --- */

static int read_run_network(f2l_run *j, const f2l_buf *bytes)
{
    fsa2lrnn_error err;
    f2l_error inner;
    f2l_status status = F2L_OK;
    if (fsa2lrnn_network_read(&j->network, bytes->data, bytes->size, &err) != FSA2LRNN_OK)
        return f2l_cli_refuse(&j->cli, j->paths.network.data, &err);
    for (size_t a = 0; a < fsa2lrnn_network_letters(j->network) && status == F2L_OK; a++) {
        const char *name = fsa2lrnn_network_letter(j->network, a);
        size_t index;
        status = f2l_names_add(&j->letters, name, strlen(name), &index, &inner);
    }
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, NULL, &inner);
}

static int read_named_fsa(f2l_run *j, const f2l_buf *bytes)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *automaton = NULL;
    const fsa2lrnn_task task = f2l_cli_interface_task(&j->cli);
    fsa2lrnn_status status =
        fsa2lrnn_automaton_read(&automaton, bytes->data, bytes->size, NULL, &task, &err);
    if (status == FSA2LRNN_OK) status = fsa2lrnn_network_set_automaton(j->network, automaton, &err);
    fsa2lrnn_automaton_free(automaton);
    return status == FSA2LRNN_OK ? 0 : f2l_cli_refuse(&j->cli, j->paths.fsa.data, &err);
}

/* Reads the file and hands its bytes to the reader; returns 0, or the exit status. */
static int load_run_file(f2l_run *j, const f2l_buf *path, int (*reader)(f2l_run *, const f2l_buf *))
{
    f2l_error err;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    const int code = f2l_read_file(&bytes, path->data, 0, &err) == F2L_OK
                         ? reader(j, &bytes)
                         : f2l_cli_fail(&j->cli, path->data, &err);
    f2l_buf_clear(&bytes);
    return code;
}

static int load_network(f2l_run *j)
{
    f2l_error inner;
    fsa2lrnn_error err;
    if (f2l_network_paths_find(&j->paths, j->cli.operand[0], j->o.fsa, &inner) != F2L_OK)
        return f2l_cli_fail(&j->cli, NULL, &inner);
    int code = load_run_file(j, &j->paths.network, read_run_network);
    if (code == 0 && (j->o.random || j->o.words))
        code = load_run_file(j, &j->paths.fsa, read_named_fsa);
    if (code) return code;
    const bool exact = j->o.format == F2L_NO_CHOICE;
    if (fsa2lrnn_run_new(&j->play, j->network, exact ? NULL : f2l_choice_format(j->o.format),
                         exact ? NULL : f2l_choice_stepping(j->o.schedule), &err) != FSA2LRNN_OK)
        return f2l_cli_refuse(&j->cli, j->paths.network.data, &err);
    return 0;
}

static int check_run_usage(f2l_run *j)
{
    f2l_cli *cli = &j->cli;
    const f2l_run_options *o = &j->o;
    if (cli->operands == 0)
        return f2l_cli_usage(cli, "a network is expected: its file or the folder it lies in");
    if (cli->operands > 2)
        return f2l_cli_usage(cli, "a network and one file of words, not also '%s'",
                             cli->operand[2]);
    if (o->words && (o->random || o->stream || o->from_start || cli->operands > 1))
        return f2l_cli_usage(cli, "--data gives the words: no file of words, and neither --random, "
                                  "--stream nor --from-start go with it");
    if (o->random && cli->operands > 1)
        return f2l_cli_usage(cli, "--random makes the words; '%s' is too much", cli->operand[1]);
    if (o->random && (o->stream || o->from_start))
        return f2l_cli_usage(cli, "--random excludes --stream and --from-start");
    if (!o->random && (o->write || o->least_length || o->balance != F2L_NO_CHOICE))
        return f2l_cli_usage(cli, "--write, --least-length and --balance belong to --random");
    if (o->least_length > o->length)
        return f2l_cli_usage(cli, "--least-length %llu is more than --length %llu",
                             (unsigned long long)o->least_length, (unsigned long long)o->length);
    if (o->write && !f2l_path_is_named(o->write, ".jsonl") && !f2l_path_is_named(o->write, ".npz"))
        return f2l_cli_usage(cli, "--write needs a file name that ends with .jsonl or .npz");
    if (!o->random && !o->words && o->fsa)
        return f2l_cli_usage(cli, "--fsa belongs to --random and --data");
    return 0;
}

typedef f2l_run job;

#define PARTS(part, clear) \
    clear(fsa2lrnn_run_free(j->play)), clear(fsa2lrnn_network_free(j->network)), \
        clear(f2l_run_data_clear(&j->data)), part(f2l_word_list, list), part(f2l_names, letters), \
        part(f2l_network_paths, paths)
F2L_JOB(PARTS)

static int run_run(void *context)
{
    job *j = context;
    int code = check_run_usage(j);
    if (code == 0) code = load_network(j);
    if (code) return code;
    return j->o.random || j->o.words ? f2l_run_random(j) : f2l_run_words(j);
}

const f2l_command f2l_command_run = {
    .name = "run",
    .usage = (const char *const[]){"run NET [WORDS] [options]",
                                   "run NET --random N [--write FILE] [options]",
                                   "run NET --data [FORMAT:]PATH [options]", NULL},
    .summary = "runs a network on words, exactly or in a number format",
    .description = "Reads words from the file WORDS or from standard input, one per line, and "
                   "prints one line per word: the labels after each of its letters. Letters are "
                   "separated by blanks; they may be run together when every letter is one "
                   "character. Names with blanks, parentheses, # or quotes are quoted as in .fsa. "
                   "An empty line is the empty word. A state that decodes to nothing is printed as "
                   "? and the exit status is then 1. NET is the network or the folder OUT.",
    .options = table,
    .no_grammar = "a network has the automaton that it was built from",
    .files = {F2L_FILES_NETWORK, F2L_FILES_ANY},
    .examples =
        (const f2l_example[]){
            {"echo 0110 | fsa2lrnn run parity.lrnn", "the states after 0, 01, 011 and 0110"},
            {"fsa2lrnn run s5.lrnn --random 100 --length 1000 --seed 7 --format bf16",
             "100,000 labels in bf16 against the automaton"},
            {"fsa2lrnn run parity.lrnn --random 1000 --balance labels --write parity.npz",
             "1,000 labelled words for another training, half of them of odd parity"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .values =
        &(const f2l_run_options){
            .format = F2L_NO_CHOICE, .balance = F2L_NO_CHOICE, .length = 100, .seed = 1},
    .run = run_run};
