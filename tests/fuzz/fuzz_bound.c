/* The checkers of lower bounds as one program: an automaton and a certificate, separated by a line
 * "%%". The hash in the certificate is made right, so that the lines after it are reached. Memory
 * is tracked, since the programs free it only by ending, and exit() returns here. */
#include <gmp.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tracked {
    struct tracked *older, *newer;
    max_align_t data[];
} tracked;

static tracked all;
static jmp_buf stopped;

static void *track(tracked *t)
{
    if (!t) return NULL;
    t->older = &all;
    t->newer = all.newer;
    if (t->newer) t->newer->older = t;
    all.newer = t;
    return t->data;
}

static tracked *untrack(void *p)
{
    tracked *t = (tracked *)((char *)p - offsetof(tracked, data));
    t->older->newer = t->newer;
    if (t->newer) t->newer->older = t->older;
    return t;
}

static void *tracked_calloc(size_t count, size_t size)
{
    return track(calloc(1, sizeof(tracked) + count * size));
}

static void *tracked_realloc(void *old, size_t size)
{
    return track(realloc(old ? untrack(old) : NULL, sizeof(tracked) + size));
}

static void tracked_free(void *p)
{
    if (p) free(untrack(p));
}

static _Noreturn void leave(int status)
{
    longjmp(stopped, status ? status : -1);
}

static int say_nothing(FILE *file, const char *format, ...)
{
    (void)file;
    (void)format;
    return 0;
}

#define calloc tracked_calloc
#define realloc tracked_realloc
#define free tracked_free
#define exit leave
#define puts(text) ((void)(text))
#define fprintf say_nothing
#define printf(...) say_nothing(stdout, __VA_ARGS__)
#define main fork_check_main
int fork_check_main(int argc, char **argv);
#include "theory/check/text.c"

#include "theory/check/program.c"

#include "theory/check/automaton.c"

#include "theory/check/bound/bound.c"

#include "theory/check/bound/fork-check.c"
#undef main
#define main arcs_check_main
int arcs_check_main(int argc, char **argv);
#include "theory/check/bound/arcs-check.c"
#undef main
#define main depth_check_main
int depth_check_main(int argc, char **argv);
#include "theory/check/bound/depth-check.c"
#undef main
#define main separation_check_main
int separation_check_main(int argc, char **argv);
#include "theory/check/bound/separation-check.c"
#undef main
#undef calloc
#undef realloc
#undef free
#undef exit
#undef puts
#undef fprintf
#undef printf

static const bound_program programs[] = {{.first = "lrnn-fork 1", .judge = judge_fork},
                                         {.first = "lrnn-arcs 1", .judge = judge_arcs},
                                         {.first = "lrnn-depth 1", .judge = judge_depth},
                                         {.first = "lrnn-separation 1", .judge = judge_separation}};

/* Returns the exit status of the program for the certificate; 0 is VERIFIED. */
static int status_of(const char *fsa, size_t fsa_size, const char *bytes, size_t size)
{
    const int status = setjmp(stopped);
    if (status == 0) {
        text a = {"", fsa, fsa, fsa + fsa_size, 1}, t = {"", bytes, bytes, bytes + size, 1};
        size_t i = 0;
        while (i < 3 && strncmp(bytes, programs[i].first, strlen(programs[i].first)) != 0) i++;
        rest = (budget){1 << 20, 1 << 22};
        judge_bound(&programs[i], &a, &t);
    }
    while (all.newer) tracked_free(all.newer->data);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A certificate that passes must fail for another hash, and when its end is missing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    count_gmp_memory();
    char *bytes = malloc(size + 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    bytes[size] = '\0';
    char *mark = strstr(bytes, "%%\n");
    char *hash = mark ? strstr(mark, "\nfsa ") : NULL;
    if (hash && (size_t)(bytes + size - hash) > 5 + 64) {
        const char *certificate = mark + 3;
        const size_t fsa_size = (size_t)(mark - bytes);
        const size_t left_over = size - fsa_size - 3;
        char hex[65];
        *mark = '\0';
        sha256_hex(hex, bytes, fsa_size);
        memcpy(hash + 5, hex, 64);
        if (status_of(bytes, fsa_size, certificate, left_over) == 0) {
            hash[5] = hash[5] == '7' ? '8' : '7';
            if (status_of(bytes, fsa_size, certificate, left_over) != NOT_VERIFIED) abort();
            hash[5] = hex[0];
            bytes[size - 1] = '\0';
            if (status_of(bytes, fsa_size, certificate, left_over - 1) != NOT_VERIFIED) abort();
        }
    }
    free(bytes);
    return 0;
}
