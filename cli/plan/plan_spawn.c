/* Another process of this program. */
#include "cli/plan/plan_job.h"
#include "cli/signals.h"
#include "numeric/base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define NOT_RUN 126 /* exit status of a child that could not become the program */

/* Becomes the program, in the child. A parent that is killed takes its child with it, because the
 * work is given again elsewhere, and the child would hold its lock. */
static _Noreturn void become_program(char *const *argv, int output, pid_t parent)
{
    if (output >= 0) (void)dup2(output, STDOUT_FILENO);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(NOT_RUN); /* it was killed before */
    (void)execv("/proc/self/exe", argv);
#endif
    (void)execvp(argv[0], argv);
    _exit(NOT_RUN);
}

/* Appends what can be read without waiting. */
static void read_printed(f2l_buf *printed, int input)
{
    char bytes[65536];
    ssize_t size;
    while (input >= 0 && (size = read(input, bytes, sizeof bytes)) > 0)
        f2l_buf_bytes(printed, bytes, (size_t)size);
}

/* Returns whether a terminal gives SIGINT to this process and to its child. */
static bool is_in_foreground(void)
{
    const int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) return false;
    const bool foreground = tcgetpgrp(terminal) == getpgrp();
    (void)close(terminal);
    return foreground;
}

/* Returns the signal that is to be passed on; 0: none. */
static int signal_to_pass(const f2l_cli *cli)
{
    const int caught = f2l_signals_caught();
    if (caught) return caught == SIGINT && is_in_foreground() ? 0 : caught;
    return f2l_task_stop(&cli->task) != F2L_STOP_NONE ? SIGTERM : 0;
}

/* Waits for the child, reads what it prints, and passes on a signal once. */
static int wait_for(pid_t child, f2l_buf *printed, int input, f2l_cli *cli)
{
    int status = 0, passed = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        read_printed(printed, input);
        const int number = passed ? 0 : signal_to_pass(cli);
        if (number) passed = kill(child, number) == 0;
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    read_printed(printed, input);
    return WIFSIGNALED(status) ? F2L_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Opens a pipe whose end for reading does not wait. */
static bool open_output(int pipes[2])
{
    if (pipe(pipes) != 0) return false;
    for (size_t i = 0; i < 2; i++) (void)fcntl(pipes[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    return true;
}

static void free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++) f2l_free(words[i]);
    f2l_free(words);
}

/* Returns a copy of the words, which ends with NULL: execv takes words that it might change. NULL:
 * memory is out. */
static char **copy_words(const char *const *argv)
{
    size_t count = 0;
    while (argv[count]) count++;
    char **words = f2l_calloc(count + 1, sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        words[i] = f2l_strndup(argv[i], strlen(argv[i]));
        if (words[i]) continue;
        free_words(words);
        return NULL;
    }
    return words;
}

/* Starts the program. Returns its process, or -1 with errno. */
static pid_t start_program(const char *const *argv, int output)
{
    char **words = copy_words(argv);
    if (!words) {
        errno = ENOMEM;
        return -1;
    }
    const pid_t parent = getpid(), child = fork();
    if (child == 0) become_program(words, output, parent);
    const int reason = errno;
    free_words(words);
    errno = reason;
    return child;
}

int f2l_plan_spawn(f2l_buf *printed, const char *const *argv, f2l_cli *cli)
{
    f2l_error err;
    int pipes[2] = {-1, -1}, status = 0;
    f2l_cli_write(cli, "", 0, true);
    const pid_t child = !printed || open_output(pipes) ? start_program(argv, pipes[1]) : -1;
    const int reason = errno;
    if (pipes[1] >= 0) (void)close(pipes[1]);
    if (child > 0) {
        status = wait_for(child, printed, pipes[0], cli);
    } else {
        (void)f2l_fail(&err, F2L_EIO, "cannot start a process: %s", f2l_reason_of(reason).text);
        status = f2l_cli_fail(cli, NULL, &err);
    }
    if (pipes[0] >= 0) (void)close(pipes[0]);
    return status;
}
