/* `run`: words in, labels out; or random words against the automaton. */
#include "cli/commands.h"
#include "cli/run/run.h"
#include <string.h>

#define FIELD(name) offsetof(f2l_run_options, name)
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
    {"length", 0, F2L_OPTION_NUMBER, "T", NULL, 1, 1000000000, FIELD(length),
     "letters of a random word (default: 100)"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT64_MAX, FIELD(seed),
     "seed of the random words (default: 1)"},
    {"fsa", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(fsa),
     "the network's automaton for --random (default: automaton.fsa beside the network)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const char *f2l_run_arithmetic(const f2l_run *run)
{
    return run->o.format == F2L_NO_CHOICE ? "exact" : f2l_formats[run->o.format].name;
}

void f2l_run_put_label(const f2l_run *run, f2l_buf *out, size_t label)
{
    const char *name = label == F2L_NO_INDEX ? NULL : f2l_names_get(run->net.face.labels, label);
    if (!name) {
        f2l_buf_text(out, "?");
    } else if (strcmp(name, "?") == 0) {
        f2l_buf_text(out, "\"?\"");
    } else {
        f2l_buf_name(out, name);
    }
}

json_t *f2l_run_json_label(const f2l_run *run, size_t label)
{
    return label == F2L_NO_INDEX ? json_null()
                                 : json_string(f2l_names_get(run->net.face.labels, label));
}

static int load_network(f2l_run *j)
{
    f2l_error err;
    const int code = f2l_network_file_load(&j->net, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code) return code;
    const f2l_format *format = j->o.format == F2L_NO_CHOICE ? NULL : &f2l_formats[j->o.format];
    f2l_status status =
        f2l_player_init(&j->player, &j->net.model, format, &f2l_schedules[j->o.schedule], &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->net.path.data, &err);
}

static int check_usage(f2l_run *j)
{
    f2l_cli *cli = &j->cli;
    const f2l_run_options *o = &j->o;
    if (cli->operands == 0)
        return f2l_cli_usage(cli, "a network is expected: its file or the folder it lies in");
    if (cli->operands > 2)
        return f2l_cli_usage(cli, "a network and one file of words, not also '%s'",
                             cli->operand[2]);
    if (o->random && cli->operands > 1)
        return f2l_cli_usage(cli, "--random makes the words; '%s' is too much", cli->operand[1]);
    if (o->random && (o->stream || o->from_start))
        return f2l_cli_usage(cli, "--random excludes --stream and --from-start");
    if (!o->random && o->fsa) return f2l_cli_usage(cli, "--fsa belongs to --random");
    return 0;
}

static int run(int argc, char **argv)
{
    f2l_run j;
    int status;
    memset(&j, 0, sizeof j);
    j.o.format = F2L_NO_CHOICE;
    j.o.length = 100;
    j.o.seed = 1;
    if (!f2l_cli_begin(&j.cli, &f2l_command_run, argc, argv, &j.o, &status)) return status;
    f2l_network_file_init(&j.net);
    status = check_usage(&j);
    if (status == 0) status = load_network(&j);
    if (status == 0) status = j.o.random ? f2l_run_random(&j) : f2l_run_words(&j);
    f2l_player_clear(&j.player);
    f2l_network_file_clear(&j.net);
    return f2l_cli_end(&j.cli, status);
}

const f2l_command f2l_command_run = {
    .name = "run",
    .usage = (const char *const[]){"run NET [WORDS] [options]",
                                   "run NET --random N [--length T] [--seed S] [options]", NULL},
    .summary = "runs a network on words, exactly or in a number format",
    .description = "Reads words from the file WORDS or from standard input, one per line, and "
                   "prints one line per word: the labels after each of its letters. Letters are "
                   "separated by blanks; they may be run together when every letter is one "
                   "character. Names with blanks, parentheses, # or quotes are quoted as in .fsa. "
                   "An empty line is the empty word. A state that decodes to nothing is printed as "
                   "? and the exit status is then 1. NET is the network or the folder OUT.",
    .options = table,
    .examples =
        (const f2l_example[]){
            {"echo 0110 | fsa2lrnn run parity.lrnn", "the states after 0, 01, 011 and 0110"},
            {"fsa2lrnn run s5.lrnn --random 100 --length 1000 --seed 7 --format bf16",
             "100,000 labels in bf16 against the automaton"},
            {NULL, NULL}},
    .run = run};
