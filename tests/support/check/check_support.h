/* The checkers' source as one unit, with texts that its readers accept or refuse by ending, and
 * whole triples of files. All of them run in the test's own process: a process for each would take
 * a hundred times as long as the reading. */
#ifndef TESTS_CHECK_SUPPORT_H
#define TESTS_CHECK_SUPPORT_H

#include "tests/support/check/stopped.h"

#include "tests/support/check/check_unit.h"

#include "tests/support/check/stopped_end.h"

#include <criterion/criterion.h>

static text text_of(const char *bytes)
{
    return (text){"test", bytes, bytes, bytes + strlen(bytes), 1};
}

/* What the test itself has of a checker while another run is made. */
typedef struct outside {
    budget rest;
    chunk *newest;
} outside;

/* Begins a run of a checker within the budget. */
static inline outside begin_run(budget most)
{
    const outside test = {rest, newest};
    rest = most;
    newest = NULL;
    running = true;
    count_gmp_memory();
    return test;
}

/* Ends it; printed[], if not NULL, gets what it printed. */
static inline void end_run(outside test, char *printed, size_t size)
{
    if (printed) snprintf(printed, size, "%s", output_text);
    forget_all();
    mp_set_memory_functions(NULL, NULL, NULL);
    running = false;
    newest = test.newest;
    rest = test.rest;
}

/* Returns the exit status with which `read` ends the program on the text within the budget; 0 when
 * it reads all of the text. */
static int status_within(budget most, void (*read)(text *t), const char *bytes)
{
    const outside test = begin_run(most);
    const int status = setjmp(stopped);
    bool whole = true;
    if (status == 0) {
        text t = text_of(bytes);
        read(&t);
        whole = left(&t) == 0;
    }
    end_run(test, NULL, 0);
    return whole ? status : 98;
}

/* Returns the exit status of `read` on the text without a limit. */
static inline int status_of(void (*read)(text *t), const char *bytes)
{
    return status_within((budget){SIZE_MAX, SIZE_MAX}, read, bytes);
}

static inline void read_one_network(text *t)
{
    automaton a = {0};
    network net = {0};
    text fsa = text_of("fsa 1\nletters x\nstates a b\nstart a\na x b\nb x a\n");
    read_automaton(&a, &fsa);
    read_network(&net, t, &a, "0", &every_grammar);
}

/* Returns a copy of the bytes (to be freed) with `now` in the place of the first `was`. */
static inline char *replaced(const char *bytes, const char *was, const char *now)
{
    const char *at = strstr(bytes, was);
    cr_assert(at, "`%s`", was);
    const size_t size = strlen(bytes) + strlen(now) + 1;
    char *other = malloc(size);
    cr_assert(other);
    snprintf(other, size, "%.*s%s%s", (int)(at - bytes), bytes, now, at + strlen(was));
    return other;
}

/* Checks that each of the changes of a good text is refused. */
static inline void refuses_each(const char *good, const char *const (*change)[2], size_t changes)
{
    cr_assert(status_of(read_one_network, good) == 0);
    for (size_t i = 0; i < changes; i++) {
        char *bad = replaced(good, change[i][0], change[i][1]);
        cr_assert(status_of(read_one_network, bad) == NOT_VERIFIED, "`%s` for `%s`", change[i][1],
                  change[i][0]);
        free(bad);
    }
}

/* An automaton, a network without its first two lines, and a certificate without its first three
 * lines and its last one. */
typedef struct triple {
    const char *fsa, *network, *certificate;
} triple;

static inline text text_with(const char *path, const char *bytes, size_t size)
{
    return (text){path, bytes, bytes, bytes + size, 1};
}

/* Returns the exit status of the check of three files; printed[] gets what it printed. */
static inline int verdict_of_files(const text file[3], char *printed, size_t size)
{
    const outside test = begin_run(rest);
    const int status = setjmp(stopped);
    if (status == 0) {
        text copy[3] = {file[0], file[1], file[2]};
        judge(&every_program, &copy[0], &copy[1], &copy[2]);
    }
    end_run(test, printed, size);
    return status;
}

/* Makes all hashes right, checks the triple and returns the exit status; printed[] gets what it
 * printed. */
static inline int verdict_of(triple x, char *printed, size_t size)
{
    char hex[3][65];
    const size_t room = strlen(x.network) + strlen(x.certificate) + 400;
    char *lrnn = malloc(room), *cert = malloc(room);
    cr_assert(lrnn && cert);
    const bool wired = strncmp(x.network, "field", 5) != 0;
    sha256_hex(hex[0], x.fsa, strlen(x.fsa));
    snprintf(lrnn, room, "%s 2\nfsa %s\n%s", wired ? "lrnn-wired" : "lrnn", hex[0], x.network);
    sha256_hex(hex[1], lrnn, strlen(lrnn));
    const int body = snprintf(cert, room,
                              "lrnn-certificate 2\n"
                              "fsa %s\n"
                              "network %s\n"
                              "%s",
                              hex[0], hex[1], x.certificate);
    sha256_hex(hex[2], cert, (size_t)body);
    sprintf(cert + body, "sha256 %s\n", hex[2]);
    const int status =
        verdict_of_files((text[]){text_of(x.fsa), text_of(lrnn), text_of(cert)}, printed, size);
    free(lrnn);
    free(cert);
    return status;
}

#endif
