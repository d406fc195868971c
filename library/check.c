/* lrnn-check as a child process. The feature macro is for dladdr, which tells where the library is.
 */
#define _GNU_SOURCE
#include "library/impl.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Sets `path` to bin/lrnn-check above the folder of this library, or beside the program that it is
 * linked into; "" where there is none. */
static void beside(char *path, size_t room)
{
    static const char *const place[] = {"../bin/", "../../bin/", ""};
    static const char here; /* an address in this library */
    Dl_info info;
    path[0] = '\0';
    if (!dladdr(&here, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash) return;
    const int folder = (int)(slash - info.dli_fname) + 1;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        const int n = snprintf(path, room, "%.*s%slrnn-check", folder, info.dli_fname, place[i]);
        if (n > 0 && (size_t)n < room && access(path, X_OK) == 0) return;
    }
    path[0] = '\0';
}

/* Starts the program with its standard output in *from; standard error goes nowhere. Returns an
 * error number. */
static int start(pid_t *child, int *from, const char *program, const char *const file[3])
{
    int ends[2];
    char name[] = "lrnn-check";
    char *argv[] = {name, NULL, NULL, NULL, NULL};
    for (size_t i = 0; i < 3; i++) memcpy(&argv[i + 1], &file[i], sizeof *argv);
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (failed == 0)
            failed =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (failed == 0)
            failed = strchr(program, '/')
                         ? posix_spawn(child, program, &actions, NULL, argv, environ)
                         : posix_spawnp(child, program, &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (failed) close(ends[0]);
    *from = ends[0];
    return failed;
}

/* Reads to the end; `line` keeps the first line that begins with "s ". A line that does not fit is
 * cut. */
static void read_line(char line[FSA2LRNN_LINE], int from)
{
    char bytes[4096];
    size_t used = 0;
    bool kept = false, whole = false; /* the line at hand is a verdict; it has ended */
    line[0] = '\0';
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        for (ssize_t i = 0; i < n && !whole; i++) {
            if (bytes[i] != '\n') {
                if (used + 1 < FSA2LRNN_LINE) line[used++] = bytes[i];
                continue;
            }
            kept = used > 1 && line[0] == 's' && line[1] == ' ';
            whole = kept;
            line[used] = '\0';
            if (!kept) used = 0;
        }
    }
    if (!whole) line[0] = '\0';
}

static fsa2lrnn_status verdict_of(const char *line, int status)
{
    if (!WIFEXITED(status)) return FSA2LRNN_UNKNOWN;
    const int code = WEXITSTATUS(status);
    if (code == 0 && strncmp(line, "s VERIFIED ", 11) == 0) return FSA2LRNN_OK;
    if (code == 1 && strcmp(line, "s NOT VERIFIED") == 0) return FSA2LRNN_REFUTED;
    return FSA2LRNN_UNKNOWN;
}

fsa2lrnn_status fsa2lrnn_check(char line[FSA2LRNN_LINE], const char *checker, const char *automaton,
                               const char *network, const char *certificate, fsa2lrnn_error *err)
{
    const char *const file[3] = {automaton, network, certificate};
    char found[4096];
    pid_t child = -1;
    int from = -1, status = 0;
    if (!line || !automaton || !network || !certificate)
        return library_invalid(err, "an argument is NULL");
    snprintf(line, FSA2LRNN_LINE, "s UNKNOWN");
    for (size_t i = 0; i < 3; i++)
        if (file[i][0] == '-')
            return library_invalid(err, "the path '%.100s' looks like an option", file[i]);
    if (!checker) {
        beside(found, sizeof found);
        checker = found[0] ? found : "lrnn-check";
    }
    f2l_error inner;
    const int failed = start(&child, &from, checker, file);
    if (failed)
        return library_error(err,
                             f2l_fail(&inner, F2L_UNKNOWN, "%.200s cannot be run: %s", checker,
                                      f2l_reason_of(failed).text),
                             &inner);
    read_line(line, from);
    close(from);
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    /* Where the caller's program ignores SIGCHLD, there is no exit status to trust. */
    const fsa2lrnn_status verdict = ended == child ? verdict_of(line, status) : FSA2LRNN_UNKNOWN;
    if (line[0] == '\0') snprintf(line, FSA2LRNN_LINE, "s UNKNOWN");
    if (verdict == FSA2LRNN_OK) return verdict;
    (void)f2l_fail(&inner, (f2l_status)verdict, "%.200s says: %.200s", checker, line);
    return library_error(err, (f2l_status)verdict, &inner);
}
