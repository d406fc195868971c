/* Certificates with one line changed and all hashes right: a claim has one spelling, so that each
 * change must be refused. */
#ifndef TESTS_CHECK_LINES_H
#define TESTS_CHECK_LINES_H

#include "tests/support/check/check_support.h"

/* A certificate without its last line, which has its hash; the lines between `first` and `end` are
 * changed. */
typedef struct changing {
    text fsa, network;
    const char *cert, *first, *end;
    size_t refused;
} changing;

static inline const char *after_line(const char *at)
{
    return strchr(at, '\n') + 1;
}

/* Checks that the certificate with the bytes from `from` up to `to` replaced by the word is
 * refused. */
static inline void refuse_change(changing *c, const char *from, const char *to, const char *word)
{
    char hex[65], printed[1000], *cert = malloc(strlen(c->cert) + strlen(word) + 1);
    const char *seal = strstr(c->end, "sha256 ");
    cr_assert(cert && seal);
    const size_t size = (size_t)sprintf(cert, "%.*s%s%.*s", (int)(from - c->cert), c->cert, word,
                                        (int)(seal - to), to);
    sha256_hex(hex, cert, size);
    sprintf(cert + size, "sha256 %s\n", hex);
    const int status =
        verdict_of_files((text[]){c->fsa, c->network, text_of(cert)}, printed, sizeof printed);
    cr_assert_eq(status, NOT_VERIFIED, "`%s` for `%.*s`, status %d", word, (int)(to - from), from,
                 status);
    c->refused++;
    free(cert);
}

/* Changes each number of the line to one more, one less and itself twice, and leaves it out. */
static inline void change_numbers(changing *c, const char *line)
{
    for (const char *at = line; *at != '\n'; at++) {
        char *end, word[64];
        if (*at < '0' || *at > '9') continue;
        const unsigned long value = strtoul(at, &end, 10);
        snprintf(word, sizeof word, "%lu", value + 1);
        refuse_change(c, at, end, word);
        snprintf(word, sizeof word, "%lu", value - 1);
        if (value > 0) refuse_change(c, at, end, word);
        snprintf(word, sizeof word, "%lu %lu", value, value);
        refuse_change(c, at, end, word);
        refuse_change(c, at - 1, end, "");
        at = end - 1;
    }
}

/* Leaves the line out, writes it twice, and moves it behind the next one. */
static inline void change_line(changing *c, const char *line)
{
    char word[2000];
    const char *next = after_line(line), *last = after_line(next);
    cr_assert(last - line < 900);
    refuse_change(c, line, next, "");
    snprintf(word, sizeof word, "%.*s%.*s", (int)(next - line), line, (int)(next - line), line);
    refuse_change(c, line, next, word);
    snprintf(word, sizeof word, "%.*s%.*s", (int)(last - next), next, (int)(next - line), line);
    refuse_change(c, line, last, word);
}

/* Changes the lines between the ones that begin with `first` and `last` of a certificate that is
 * right; returns the number of changes, all of which were refused. */
static inline size_t refuse_changes(text fsa, text lrnn, const char *cert, const char *first,
                                    const char *last)
{
    char printed[1000];
    changing c = {.fsa = fsa, .network = lrnn, .cert = cert, .first = strstr(cert, first)};
    cr_assert(c.first);
    c.end = strstr(c.first, last);
    cr_assert(c.end);
    cr_assert_eq(verdict_of_files((text[]){fsa, lrnn, text_of(cert)}, printed, sizeof printed),
                 VERIFIED, "%s", printed);
    for (const char *line = c.first + 1; line <= c.end; line = after_line(line)) {
        change_numbers(&c, line);
        change_line(&c, line);
    }
    return c.refused;
}

#endif
