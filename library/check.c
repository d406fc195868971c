/* lrnn-check as a child process. The feature macro is for pipe2. */
#define _GNU_SOURCE
#include "library/checker.h"
#include "library/impl.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What the child writes: [0] standard output, [1] standard error. */
typedef struct child_output {
    int end[2];    /* to read from; -1: it has ended */
    char *line[2]; /* the first line that is kept: of [0] one that begins with "s " */
    size_t room[2], used[2];
    bool whole[2]; /* the line has ended */
} child_output;

/* Starts the program with both outputs in `o`. Returns an error number. */
static int start_checker(pid_t *child, child_output *o, const char *program,
                         const char *const file[3])
{
    int out[2], err[2];
    char name[] = "lrnn-check";
    char *argv[] = {name, NULL, NULL, NULL, NULL};
    for (size_t i = 0; i < 3; i++) memcpy(&argv[i + 1], &file[i], sizeof *argv);
    posix_spawn_file_actions_t actions;
    if (pipe2(out, O_CLOEXEC) != 0) return errno;
    int failed = pipe2(err, O_CLOEXEC) != 0 ? errno : 0;
    if (failed) {
        close(out[0]);
        close(out[1]);
        return failed;
    }
    failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        failed = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
        if (failed == 0)
            failed = strchr(program, '/')
                         ? posix_spawn(child, program, &actions, NULL, argv, environ)
                         : posix_spawnp(child, program, &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(out[1]);
    close(err[1]);
    o->end[0] = out[0];
    o->end[1] = err[0];
    for (size_t i = 0; failed && i < 2; i++) close(o->end[i]);
    return failed;
}

/* Takes the bytes of output i; a line that does not fit is cut. */
static void take_checker_bytes(child_output *o, size_t i, const char *bytes, size_t size)
{
    char *line = o->line[i];
    for (size_t k = 0; k < size && !o->whole[i]; k++) {
        if (bytes[k] != '\n') {
            if (o->used[i] + 1 < o->room[i]) line[o->used[i]++] = bytes[k];
            continue;
        }
        line[o->used[i]] = '\0';
        o->whole[i] = i == 1 || (o->used[i] > 1 && line[0] == 's' && line[1] == ' ');
        if (!o->whole[i]) o->used[i] = 0;
    }
}

/* Reads both outputs to their ends. A verdict counts only when its line has ended; a reason may be
 * cut. */
static void read_lines(child_output *o)
{
    char bytes[4096];
    while (o->end[0] >= 0 || o->end[1] >= 0) {
        struct pollfd poll_of[2] = {{.fd = o->end[0], .events = POLLIN},
                                    {.fd = o->end[1], .events = POLLIN}};
        if (poll(poll_of, 2, -1) < 0 && errno != EINTR) break;
        for (size_t i = 0; i < 2; i++) {
            if (o->end[i] < 0 || poll_of[i].revents == 0) continue;
            const ssize_t n = read(o->end[i], bytes, sizeof bytes);
            if (n > 0) take_checker_bytes(o, i, bytes, (size_t)n);
            if (n > 0 || (n < 0 && errno == EINTR)) continue;
            close(o->end[i]);
            o->end[i] = -1;
        }
    }
    for (size_t i = 0; i < 2; i++)
        if (o->end[i] >= 0) close(o->end[i]);
    o->line[0][o->whole[0] ? o->used[0] : 0] = '\0';
    o->line[1][o->used[1]] = '\0';
}

static fsa2lrnn_status verdict_of_line(const char *line, int status)
{
    if (!WIFEXITED(status)) return FSA2LRNN_UNKNOWN;
    const int code = WEXITSTATUS(status);
    if (code == 0 && strncmp(line, "s VERIFIED ", 11) == 0) return FSA2LRNN_OK;
    if (code == 1 && strcmp(line, "s NOT VERIFIED") == 0) return FSA2LRNN_REFUTED;
    return FSA2LRNN_UNKNOWN;
}

/* Returns whether the checker itself said that it does not know, for a reason that another machine
 * has, too; one that was killed or is no checker says nothing. `reason`: its first line of standard
 * error. */
static bool is_given_up(const char *line, const char *reason, int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 2 && strncmp(line, "s UNKNOWN", 9) == 0 &&
           !library_checker_is_of_machine(reason);
}

fsa2lrnn_status fsa2lrnn_check(char line[FSA2LRNN_LINE], const char *checker, const char *automaton,
                               const char *network, const char *certificate, fsa2lrnn_error *err)
{
    const char *const file[3] = {automaton, network, certificate};
    char found[4096], reason[sizeof err->text] = "";
    pid_t child = -1;
    int status = 0;
    if (!line || !automaton || !network || !certificate)
        return library_invalid(err, "an argument is NULL");
    snprintf(line, FSA2LRNN_LINE, "s UNKNOWN");
    for (size_t i = 0; i < 3; i++)
        if (file[i][0] == '-')
            return library_invalid(err, "the path '%.100s' looks like an option", file[i]);
    f2l_error inner;
    if (!checker && library_checker_find(found, sizeof found) == LIBRARY_CHECKER_NONE) {
        (void)f2l_fail(&inner, F2L_EIO,
                       "lrnn-check cannot be run: there is none beside this program, nor in the "
                       "folders of PATH");
        (void)library_error(err, F2L_EIO, &inner);
        return FSA2LRNN_UNKNOWN;
    }
    if (!checker) checker = found;
    child_output o = {.line = {line, reason}, .room = {FSA2LRNN_LINE, sizeof reason}};
    const int failed = start_checker(&child, &o, checker, file);
    if (failed) {
        (void)f2l_fail(&inner, F2L_EIO, "%.200s cannot be run: %s", checker,
                       f2l_reason_of(failed).text);
        (void)library_error(err, F2L_EIO, &inner);
        return FSA2LRNN_UNKNOWN;
    }
    read_lines(&o);
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    /* Where the caller's program ignores SIGCHLD, there is no exit status to trust. */
    const fsa2lrnn_status verdict =
        ended == child ? verdict_of_line(line, status) : FSA2LRNN_UNKNOWN;
    if (verdict == FSA2LRNN_OK) return verdict;
    const bool spoken = verdict == FSA2LRNN_REFUTED || is_given_up(line, reason, status);
    const f2l_status why = spoken ? (f2l_status)verdict : F2L_EIO;
    if (reason[0])
        (void)f2l_fail(&inner, why, "%s", reason);
    else if (line[0])
        (void)f2l_fail(&inner, why, "%.200s says: %.200s", checker, line);
    else
        (void)f2l_fail(&inner, why, "%.200s says nothing", checker);
    /* A verdict that the exit status contradicts is not one. */
    if (verdict == FSA2LRNN_UNKNOWN) snprintf(line, FSA2LRNN_LINE, "s UNKNOWN");
    (void)library_error(err, why, &inner);
    return verdict;
}
