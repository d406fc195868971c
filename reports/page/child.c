#include "reports/page/child.h"
#include "numeric/base/task.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct child {
    pid_t process;
    int socket;  /* both its standard input and its standard output: writing to a socket can be told
                  * to give no signal where the child has ended */
    size_t sent; /* bytes of the input */
    bool closed; /* the end of the input was told */
} child;

static int start_child(child *c, const char *const *argv)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
    for (size_t i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        if (failed == 0)
            failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (failed == 0)
            failed =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        char *copy[16] = {NULL};
        size_t n = 0;
        do memcpy(&copy[n], &argv[n], sizeof *copy);
        while (++n < 15 && argv[n]);
        if (failed == 0) failed = posix_spawnp(&c->process, argv[0], &actions, NULL, copy, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (failed) close(ends[0]);
    c->socket = ends[0];
    return failed;
}

static void send_more(child *c, const f2l_buf *input)
{
    while (c->sent < input->size) {
        const ssize_t n =
            send(c->socket, input->data + c->sent, input->size - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n < 0) break;
        c->sent += (size_t)n;
    }
    if (!c->closed) shutdown(c->socket, SHUT_WR);
    c->closed = true;
}

/* Returns whether the child has closed its output. */
static bool take_more(child *c, f2l_buf *out)
{
    char bytes[16384];
    for (;;) {
        const ssize_t n = recv(c->socket, bytes, sizeof bytes, 0);
        if (n > 0) f2l_buf_bytes(out, bytes, (size_t)n);
        if (n == 0) return true;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    }
}

static f2l_status talk(child *c, f2l_buf *out, const char *name, const f2l_buf *input,
                       double seconds, size_t limit, f2l_error *err)
{
    const double end = f2l_now() + seconds;
    for (bool ended = false; !ended;) {
        const double left = end - f2l_now();
        struct pollfd look = {.fd = c->socket,
                              .events = (short)(POLLIN | (c->closed ? 0 : POLLOUT))};
        if (left <= 0)
            return f2l_fail(err, F2L_UNKNOWN, "%.40s took more than %g s", name, seconds);
        const int ready = poll(&look, 1, (int)(left * 1000) + 1);
        if (ready < 0 && errno != EINTR)
            return f2l_fail(err, F2L_UNKNOWN, "%.40s cannot be read", name);
        if (ready <= 0) continue;
        if (!c->closed) send_more(c, input);
        ended = take_more(c, out);
        if (out->size > limit)
            return f2l_fail(err, F2L_EDOMAIN, "the drawing of %.40s has more than %zu bytes", name,
                            limit);
    }
    return F2L_OK;
}

f2l_status f2l_child_run(f2l_buf *out, const char *const *argv, const f2l_buf *input,
                         double seconds, size_t limit, f2l_error *err)
{
    child c = {.process = -1};
    int how = 0;
    const int failed = start_child(&c, argv);
    if (failed == ENOENT) return f2l_fail(err, F2L_UNKNOWN, "%.40s is not installed", argv[0]);
    if (failed)
        return f2l_fail(err, F2L_UNKNOWN, "%.40s cannot be run: %s", argv[0],
                        f2l_reason_of(failed).text);
    f2l_status status = talk(&c, out, argv[0], input, seconds, limit, err);
    if (status != F2L_OK) kill(c.process, SIGKILL);
    close(c.socket);
    pid_t ended;
    while ((ended = waitpid(c.process, &how, 0)) < 0 && errno == EINTR) continue;
    if (status == F2L_OK && (ended != c.process || !WIFEXITED(how) || WEXITSTATUS(how) != 0))
        status = f2l_fail(err, F2L_UNKNOWN, "%.40s failed", argv[0]);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
