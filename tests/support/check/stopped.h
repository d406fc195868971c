/* Include this before the sources of a checker that is to run many times in one program. While
 * `running`, exit() returns to `stopped`, and memory is tracked, since checkers free it only by
 * ending. Standard output is kept in output_text[], cut to its size. stopped_end.h ends these
 * definitions. */
#ifndef TESTS_STOPPED_H
#define TESTS_STOPPED_H

#include <gmp.h>
#include <setjmp.h>
#include <stdarg.h>
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
static bool running;
static jmp_buf stopped;
static char output_text[1000];
static size_t output_size;

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
    return running ? track(calloc(1, sizeof(tracked) + count * size)) : calloc(count, size);
}

static void *tracked_realloc(void *old, size_t size)
{
    if (!running) return realloc(old, size);
    return track(realloc(old ? untrack(old) : NULL, sizeof(tracked) + size));
}

static void tracked_free(void *p)
{
    free(p && running ? untrack(p) : p);
}

static void forget_all(void)
{
    while (all.newer) tracked_free(all.newer->data);
    output_size = 0;
    output_text[0] = '\0';
}

static _Noreturn void leave(int status)
{
    if (!running) exit(status);
    longjmp(stopped, status ? status : -1);
}

static int say(FILE *file, const char *format, ...)
{
    if (file != stdout) return 0;
    const size_t room = sizeof output_text - output_size;
    va_list values;
    va_start(values, format);
    const int size = vsnprintf(output_text + output_size, room, format, values);
    va_end(values);
    output_size += size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
    return size;
}

#define calloc tracked_calloc
#define realloc tracked_realloc
#define free tracked_free
#define exit leave
#define puts(text) say(stdout, "%s\n", text)
#define fprintf say
#define printf(...) say(stdout, __VA_ARGS__)

#endif
