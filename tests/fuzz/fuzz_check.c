/* The certificate checkers as one program: an automaton, a network and a certificate, separated by
 * lines "%%". The hashes in their lines are made right, so that the lines after them are reached.
 * Memory is tracked, since the program frees it only by ending, and exit() returns here. */
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
#define printf(...) say_nothing(NULL, __VA_ARGS__)
#include "tests/support/check/check_unit.h"
#undef calloc
#undef realloc
#undef free

typedef struct piece {
    char *bytes;
    size_t size;
} piece;

static text text_of(piece p)
{
    return (text){"", p.bytes, p.bytes, p.bytes + p.size, 1};
}

/* Returns 0 for VERIFIED, else the exit status. */
static int status_of(piece fsa, piece lrnn, piece cert)
{
    const int status = setjmp(stopped);
    if (status == 0) {
        text a = text_of(fsa), n = text_of(lrnn), c = text_of(cert);
        rest = (budget){2000000, (size_t)64 << 20};
        judge(&every_program, &a, &n, &c);
    }
    while (all.newer) tracked_free(all.newer->data);
    newest = NULL;
    return status;
}

/* Returns a copy of the text before the next separator, with a zero byte behind it. */
static piece next_part(const uint8_t **data, size_t *size)
{
    static const char separator[] = "%%\n";
    size_t n = 0, skip = 3;
    while (n + 3 <= *size && memcmp(*data + n, separator, 3) != 0) n++;
    if (n + 3 > *size) {
        n = *size;
        skip = 0;
    }
    piece p = {malloc(n + 1), n};
    if (!p.bytes) abort();
    if (n > 0) memcpy(p.bytes, *data, n);
    p.bytes[n] = '\0';
    *data += n + skip;
    *size -= n + skip;
    return p;
}

/* Puts the hash of `of` behind the n bytes at `at`, if these are `word`. */
static void repair(piece p, size_t at, const char *word, const char *of, size_t size)
{
    const size_t n = strlen(word);
    if (p.size < at + n + 65 || memcmp(p.bytes + at, word, n) != 0) return;
    char hex[65];
    sha256_hex(hex, of, size);
    memcpy(p.bytes + at + n, hex, 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    count_gmp_memory();
    piece fsa = next_part(&data, &size), lrnn = next_part(&data, &size),
          cert = next_part(&data, &size);
    repair(lrnn, 7, "fsa ", fsa.bytes, fsa.size);
    repair(lrnn, 13, "fsa ", fsa.bytes, fsa.size); /* in a wired network */
    repair(cert, 19, "fsa ", fsa.bytes, fsa.size);
    repair(cert, 88, "network ", lrnn.bytes, lrnn.size);
    if (cert.size >= 72) repair(cert, cert.size - 72, "sha256 ", cert.bytes, cert.size - 72);
    if (status_of(fsa, lrnn, cert) == 0) {
        cert.size--;
        if (status_of(fsa, lrnn, cert) != 1) abort();
        cert.size++;
        fsa.bytes[fsa.size - 1] ^= 1;
        if (status_of(fsa, lrnn, cert) != 1) abort();
    }
    free(fsa.bytes);
    free(lrnn.bytes);
    free(cert.bytes);
    return 0;
}
