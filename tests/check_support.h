/* lrnn-check's source with small limits, and texts that its readers must accept or end the program on. */
#ifndef TESTS_CHECK_SUPPORT_H
#define TESTS_CHECK_SUPPORT_H

#define LRNN_CHECK_LIMITS /* small, so that they are reached soon */
#define MAX_STATES ((size_t)2000)
#define MAX_TABLE ((size_t)1 << 16)
#define MAX_MATRIX ((size_t)1 << 12)
#define MAX_DEGREE ((size_t)12)
#define MAX_FORM ((size_t)16)
#define MAX_COMBINATIONS ((size_t)1 << 10)
#define main lrnn_check_main
int lrnn_check_main(int argc, char **argv);
#include "../theory/check/lrnn-check.c"
#undef main
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

static text text_of(const char *bytes)
{
    return (text){"test", bytes, bytes, bytes + strlen(bytes), 1};
}

/* The exit status with which `read` ends the program on the text; 0 when it reads all of it. */
static int status_of(void (*read)(text *t), const char *bytes)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
        text t = text_of(bytes);
        read(&t);
        _exit(left(&t) == 0 ? 0 : 98);
    }
    int status = 0;
    cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "`%s`", bytes);
    return WEXITSTATUS(status);
}

static void read_one_network(text *t)
{
    automaton a = {0};
    network net = {0};
    text fsa = text_of("fsa 1\nletters x\nstates a b\nstart a\na x b\nb x a\n");
    read_automaton(&a, &fsa);
    read_network(&net, t, &a, "fsa 0");
}

/* Each of the changes must be refused. */
static inline void refuses_each(const char *good, const char *const (*change)[2], size_t changes)
{
    cr_assert(status_of(read_one_network, good) == 0);
    for (size_t i = 0; i < changes; i++) {
        const char *at = strstr(good, change[i][0]);
        cr_assert(at, "`%s`", change[i][0]);
        const size_t size = strlen(good) + strlen(change[i][1]) + 1;
        char *bad = malloc(size);
        cr_assert(bad);
        snprintf(bad, size, "%.*s%s%s", (int)(at - good), good, change[i][1], at + strlen(change[i][0]));
        cr_assert(status_of(read_one_network, bad) == NOT_VERIFIED, "`%s` for `%s`", change[i][1],
                  change[i][0]);
        free(bad);
    }
}

#endif
