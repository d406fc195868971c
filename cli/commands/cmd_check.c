/* `check`: the independent checker's verdict, through the library's interface; and whether the
 * automaton is the one of the file that it was made of. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/network_file.h"
#include "cli/signals.h"
#include "include/fsa2lrnn.h"
#include "library/checker.h"
#include "numeric/base/sha256.h"
#include "reports/automata/source_report.h"
#include <string.h>
#include <sys/stat.h>

typedef struct check_options {
    const char *checker, *source;
    f2l_input_options input; /* of the source */
} check_options;

#define FIELD(name) offsetof(check_options, name)
static const f2l_option table[] = {
    {"checker", 0, F2L_OPTION_FILE, "PROGRAM", NULL, 0, 0, FIELD(checker),
     "the program to run (default: lrnn-check beside this program, whatever name it is called by, "
     "then on PATH, with a warning, but not with --continue)"},
    {"source", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_GRAMMAR, 0, FIELD(source),
     "read FILE, of which the automaton was made, anew and compare it with automaton.fsa: by its "
     "SHA-256 where that names an added state, and by the labels after all words"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    check_options o;
    f2l_network_file net;
    f2l_grammar source;
    f2l_nfa nfa; /* the source as it was read */
    f2l_difference difference;
    bool compares;
    f2l_source_comparison comparison;
    char found[4096];    /* the checker where none is named */
    const char *checker; /* the program that is run; NULL: none was found */
} job;

#define PARTS(part, clear) \
    part(f2l_network_file, net), part(f2l_grammar, source), part(f2l_nfa, nfa), \
        part(f2l_difference, difference)
F2L_JOB(PARTS)

/* `silent`: no checker gave the verdict, which is UNKNOWN. For --continue this is a failure of the
 * machine, after which the same command begins again, and no finished work, unless a signal that
 * this program got, too, ended the checker. */
static int exit_status_of_check(const job *j, fsa2lrnn_status verdict, bool silent)
{
    return verdict == FSA2LRNN_OK                              ? 0
           : verdict == FSA2LRNN_REFUTED                       ? F2L_EXIT_REFUTED
           : silent && j->cli.work.on && !f2l_signals_caught() ? F2L_EXIT_IO
                                                               : F2L_EXIT_UNKNOWN;
}

/* Prints the line with what was found of the source, and the reason of the checker where it is not
 * VERIFIED, in text to standard error. Returns the exit status. */
static int print_checked(job *j, fsa2lrnn_status verdict, const char *line,
                         const fsa2lrnn_error *error)
{
    const char *reason = verdict == FSA2LRNN_OK ? NULL : error->text;
    f2l_facts facts;
    f2l_error why;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_report(root, "line");
    f2l_say_text(root, "line", line);
    f2l_say_text(root, "reason", reason);
    f2l_say_text(root, "checker", j->checker);
    if (j->compares) f2l_say_source(root, "source_file", &j->comparison);
    int failed;
    if (j->cli.global.json) {
        failed = f2l_cli_print_facts(&j->cli, &facts);
    } else {
        f2l_buf_printf(&text, "%s\n", line);
        if (j->compares) f2l_lay_source(&text, f2l_get(root, "source_file"));
        const f2l_status status = f2l_facts_end(&facts, &text, &why);
        failed = f2l_cli_show(&j->cli, &text, status, &why);
    }
    if (reason) {
        (void)f2l_fail(&why, F2L_EFORMAT, "%s", reason);
        (void)f2l_cli_fail(&j->cli, NULL, &why);
    }
    if (failed) return failed;
    const bool agrees = !j->compares || f2l_source_agrees(&j->comparison);
    return verdict == FSA2LRNN_OK && !agrees
               ? F2L_EXIT_REFUTED
               : exit_status_of_check(j, verdict, error->status == FSA2LRNN_EIO);
}

/* Warns of a file whose SHA-256 is not the one that follows `word` at the beginning of a line of
 * the certificate. */
static void warn_of_changed_file(job *j, const char *path, const char *certificate,
                                 const char *word)
{
    f2l_buf bytes;
    char hex[65];
    const char *line = strstr(certificate, word);
    f2l_buf_init(&bytes);
    if (line && f2l_read_file(&bytes, path, 0, NULL) == F2L_OK) {
        f2l_sha256_hex(bytes.data, bytes.size, hex);
        line += strlen(word);
        if (strlen(line) >= 64 && strncmp(line, hex, 64) != 0)
            f2l_cli_warn(&j->cli, path,
                         "the file is another one, or was changed: its SHA-256 is %.12s..., and "
                         "the certificate is about %.12s...",
                         hex, line);
    }
    f2l_buf_clear(&bytes);
}

/* Warns of each of the files that was changed after the certificate was written, in words: the
 * checker names a line of the certificate. */
static void warn_of_changed_files(job *j, const char *const file[3])
{
    f2l_buf certificate;
    char hex[65];
    f2l_buf_init(&certificate);
    if (f2l_read_file(&certificate, file[2], 0, NULL) == F2L_OK && certificate.data) {
        const char *end = strstr(certificate.data, "\nsha256 ");
        warn_of_changed_file(j, file[0], certificate.data, "\nfsa ");
        warn_of_changed_file(j, file[1], certificate.data, "\nnetwork ");
        if (end) {
            f2l_sha256_hex(certificate.data, (size_t)(end + 1 - certificate.data), hex);
            if (strncmp(end + strlen("\nsha256 "), hex, 64) != 0)
                f2l_cli_warn(&j->cli, file[2],
                             "the file was changed after it was written: the SHA-256 in its last "
                             "line is not its own");
        }
    }
    f2l_buf_clear(&certificate);
}

/* Reads the network that the checker's line is about, and its automaton. */
static int load_checked(job *j, const char *const file[3], const char *line)
{
    f2l_error err;
    char hex[65];
    const size_t size = strlen(line);
    const int code = f2l_network_file_load(&j->net, &j->cli, file[1], file[0]);
    if (code) return code;
    f2l_sha256_hex(j->net.bytes.data, j->net.bytes.size, hex);
    if (size < 64 || strcmp(line + size - 64, hex) != 0) {
        (void)f2l_fail(&err, F2L_EFORMAT, "the file is not the one that was checked");
        return f2l_cli_fail(&j->cli, file[1], &err);
    }
    return f2l_network_file_load_automaton(&j->net, &j->cli);
}

/* Reads the source anew and compares it. */
static int compare_source(job *j, const char *const file[3], const char *line)
{
    f2l_error err;
    const f2l_fsa *fsa = &j->net.automaton.fsa;
    int code = f2l_grammar_open(&j->source, &j->cli, &j->o.input, j->o.source);
    if (code == 0) code = load_checked(j, file, line);
    if (code == 0) code = f2l_grammar_parse(&j->nfa, &j->source, &j->cli, &j->o.input);
    if (code) return code;
    const f2l_label label = j->net.model.label;
    if (f2l_algebra_compare_source(&j->difference, &j->nfa, fsa, label, &j->cli.task, &err) !=
        F2L_OK)
        return f2l_cli_fail(&j->cli, j->source.name, &err);
    j->compares = true;
    j->comparison = (f2l_source_comparison){.name = j->source.name,
                                            .syntax = j->source.syntax,
                                            .sha256 = j->source.source,
                                            .fsa = fsa,
                                            .label = label,
                                            .difference = &j->difference};
    return 0;
}

/* Chooses the program that will be run: a verdict is worth what that is worth, so one that is
 * merely found on PATH is told, and not taken for work that others read later. Returns 0 or an exit
 * status. */
static int choose_checker(job *j)
{
    j->checker = j->o.checker;
    if (j->checker)
        return j->checker[0] ? 0 : f2l_cli_usage(&j->cli, "--checker: a program is expected");
    const library_checker_place place = library_checker_find(j->found, sizeof j->found);
    if (place != LIBRARY_CHECKER_NONE) j->checker = j->found;
    if (place != LIBRARY_CHECKER_ON_PATH) return 0;
    f2l_error why;
    if (j->cli.work.on) {
        (void)f2l_fail(&why, F2L_EIO,
                       "no checker is beside this program, and with --continue one that PATH leads "
                       "to is run only when --checker names it");
        return f2l_cli_fail(&j->cli, j->checker, &why);
    }
    f2l_cli_warn(&j->cli, j->checker,
                 "this checker is run, which PATH leads to: none is beside this program");
    return 0;
}

static int check_files(job *j, const char *const file[3])
{
    char line[FSA2LRNN_LINE];
    fsa2lrnn_error err = {.status = FSA2LRNN_OK};
    struct stat info;
    for (size_t i = 0; i < 3; i++)
        if (stat(file[i], &info) != 0) {
            f2l_error missing;
            (void)f2l_fail(&missing, F2L_EIO,
                           j->cli.operands == 1
                               ? "no such file; an output folder is expected, which `fsa2lrnn "
                                 "FILE` makes of an automaton"
                               : "no such file");
            return f2l_cli_fail(&j->cli, file[i], &missing);
        }
    const int unchosen = choose_checker(j);
    if (unchosen) return unchosen;
    const fsa2lrnn_status verdict =
        fsa2lrnn_check(line, j->checker, file[0], file[1], file[2], &err);
    if (verdict == FSA2LRNN_EINVAL) return f2l_cli_usage(&j->cli, "%s", err.text);
    const bool has_source = j->o.source || j->o.input.regex;
    const int code = has_source && verdict == FSA2LRNN_OK ? compare_source(j, file, line) : 0;
    const int checked = code ? code : print_checked(j, verdict, line, &err);
    if (verdict == FSA2LRNN_REFUTED) warn_of_changed_files(j, file);
    return checked;
}

/* Checks the three files in the folder OUT. */
static int check_folder(job *j, const char *folder)
{
    static const char *const name[3] = {"automaton.fsa", "network.lrnn", "certificate.cert"};
    f2l_error err;
    f2l_buf path[3];
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < 3; i++) {
        f2l_buf_init(&path[i]);
        f2l_buf_printf(&path[i], "%s/%s", folder, name[i]);
        if (status == F2L_OK) status = f2l_buf_status(&path[i], &err);
    }
    const char *const file[3] = {path[0].data, path[1].data, path[2].data};
    const int code = status == F2L_OK ? check_files(j, file) : f2l_cli_fail(&j->cli, NULL, &err);
    for (size_t i = 0; i < 3; i++) f2l_buf_clear(&path[i]);
    return code;
}

static int run_check(void *context)
{
    job *j = context;
    f2l_cli *cli = &j->cli;
    const char *given = f2l_given_in(&cli->given, f2l_input_table);
    if (cli->operands != 1 && cli->operands != 3)
        return f2l_cli_usage(cli, "a folder, or an automaton, a network and a certificate are "
                                  "expected");
    if (given && !j->o.source && !j->o.input.regex)
        return f2l_cli_usage(cli, "--%s says how --source is read", given);
    return cli->operands == 1 ? check_folder(j, cli->operand[0])
                              : check_files(j, (const char *const *)cli->operand);
}

const f2l_command f2l_command_check = {
    .name = "check",
    .usage = (const char *const[]){"check OUT [--source FILE|--regex RE] [options]",
                                   "check AUTOMATON NETWORK CERTIFICATE [options]", NULL},
    .summary = "runs the independent checker on an output folder",
    .description =
        "Runs lrnn-check, which shares no code with this program, on the automaton, the network "
        "and the certificate, and prints its first verdict line and, where it is not VERIFIED, its "
        "reason. The exit status is 0 for VERIFIED, 1 when a file is wrong, and 2 when a limit was "
        "reached or the checker could not be run (with --continue 74: the work is not done). "
        "lrnn-check itself has options for its limits and prints all verdict lines. JSON names the "
        "lrnn-check that was run; a verdict is worth what that program is worth.\n\n"
        "A certificate is about automaton.fsa. With --source FILE, or --regex RE, two more lines "
        "say whether the automaton is the one of the file or expression that the user has: its "
        "SHA-256, which automaton.fsa names where a state was added for missing transitions, and "
        "the labels after every word, compared with the source as it is read, its choices and "
        "missing transitions followed as they are. Where the labels differ, a shortest word "
        "shows it, and the exit status is 1, as for another file. Give the options with which the "
        "source was read, such as --numeric or --alphabet, again.",
    .options = table,
    .groups = {{"Options for the grammar of --source or --regex", f2l_input_table, FIELD(input)}},
    .no_label = "a network says which labels it gives",
    .no_sink = "automaton.fsa names an added state",
    .work = &(const f2l_work_kind){.own_out = false},
    .files = {F2L_FILES_AUTOMATON, F2L_FILES_NETWORK, F2L_FILES_CERTIFICATE},
    .examples = (const f2l_example[]){{"fsa2lrnn check parity.lrnn", "check what was compiled"},
                                      {"fsa2lrnn check abs.lrnn --source abs.att",
                                       "and whether it was compiled from this file"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_check};
