/* `check`: the independent checker's verdict, through the library's interface. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "include/fsa2lrnn.h"
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

typedef struct check_options {
    const char *checker;
} check_options;

static const f2l_option table[] = {
    {"checker", 0, F2L_OPTION_FILE, "PROGRAM", NULL, 0, 0, offsetof(check_options, checker),
     "the program to run (default: lrnn-check beside this program's folder, then on PATH)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static int exit_status_of_check(fsa2lrnn_status verdict)
{
    return verdict == FSA2LRNN_OK        ? 0
           : verdict == FSA2LRNN_REFUTED ? F2L_EXIT_REFUTED
                                         : F2L_EXIT_UNKNOWN;
}

/* Prints the line, and the reason of the checker (NULL: there is none), in text to standard error.
 * Returns the exit status of the verdict. */
static int print_checked(f2l_cli *cli, fsa2lrnn_status verdict, const char *line,
                         const char *reason)
{
    f2l_facts facts;
    f2l_error why;
    f2l_buf text;
    f2l_buf_init(&text);
    int failed;
    if (cli->global.json) {
        f2l_facts_init(&facts);
        const f2l_fact root = f2l_facts_root(&facts);
        f2l_say_report(root, "line");
        f2l_say_text(root, "line", line);
        f2l_say_text(root, "reason", reason);
        failed = f2l_cli_print_facts(cli, &facts);
    } else {
        f2l_buf_printf(&text, "%s\n", line);
        failed = f2l_cli_print(cli, &text);
    }
    if (reason) {
        (void)f2l_fail(&why, F2L_EFORMAT, "%s", reason);
        (void)f2l_cli_fail(cli, NULL, &why);
    }
    return failed ? failed : exit_status_of_check(verdict);
}

static int check_files(f2l_cli *cli, const char *checker, const char *const file[3])
{
    char line[FSA2LRNN_LINE];
    fsa2lrnn_error err = {.status = FSA2LRNN_OK};
    struct stat info;
    for (size_t i = 0; i < 3; i++)
        if (stat(file[i], &info) != 0) {
            f2l_error missing;
            (void)f2l_fail(&missing, F2L_EIO, "no such file");
            return f2l_cli_fail(cli, file[i], &missing);
        }
    const fsa2lrnn_status verdict = fsa2lrnn_check(line, checker, file[0], file[1], file[2], &err);
    if (verdict == FSA2LRNN_EINVAL) return f2l_cli_usage(cli, "%s", err.text);
    return print_checked(cli, verdict, line, verdict == FSA2LRNN_OK ? NULL : err.text);
}

/* Checks the three files in the folder OUT. */
static int check_folder(f2l_cli *cli, const char *checker, const char *folder)
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
    const int code =
        status == F2L_OK ? check_files(cli, checker, file) : f2l_cli_fail(cli, NULL, &err);
    for (size_t i = 0; i < 3; i++) f2l_buf_clear(&path[i]);
    return code;
}

typedef struct job {
    f2l_cli cli;
    check_options o;
} job;

static int run_check(void *context)
{
    job *j = context;
    f2l_cli *cli = &j->cli;
    if (cli->operands == 1) return check_folder(cli, j->o.checker, cli->operand[0]);
    if (cli->operands == 3)
        return check_files(cli, j->o.checker, (const char *const *)cli->operand);
    return f2l_cli_usage(cli, "a folder, or an automaton, a network and a certificate are "
                              "expected");
}

const f2l_command f2l_command_check = {
    .name = "check",
    .usage = (const char *const[]){"check OUT [--checker PROGRAM]",
                                   "check AUTOMATON NETWORK CERTIFICATE [--checker PROGRAM]", NULL},
    .summary = "runs the independent checker on an output folder",
    .description =
        "Runs lrnn-check, which shares no code with this program, on the automaton, the network "
        "and the certificate, and prints its first verdict line and, where it is not VERIFIED, its "
        "reason. The exit status is 0 for VERIFIED, 1 when a file is wrong, and 2 when a limit was "
        "reached or the checker could not be run. "
        "lrnn-check itself has options for its limits and prints all verdict lines.",
    .options = table,
    .no_grammar = "an automaton to check has the form in which it was written",
    .files = {F2L_FILES_AUTOMATON, F2L_FILES_NETWORK, F2L_FILES_CERTIFICATE},
    .examples = (const f2l_example[]){{"fsa2lrnn check parity.lrnn", "check what was compiled"},
                                      {NULL, NULL}},
    F2L_JOB_VALUES,
    .run = run_check};
