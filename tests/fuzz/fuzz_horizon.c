/* horizon-check as one program: an automaton, a configuration, a certificate and the weights,
 * separated by lines "%%". The hashes in configuration and certificate are made right, so that the
 * lines after them are reached. */
#include "tests/support/check/stopped.h"

/* The sources come between this header and stopped_end.h. */
#include "theory/check/text.c"

#include "theory/check/program.c"

#include "theory/check/automaton.c"

#include "theory/check/learned/learned_bound.c"

#include "theory/check/learned/learned_read.c"

#include "theory/check/learned/learned_letters.c"

#include "theory/check/learned/learned_answer.c"
#define main horizon_main
int horizon_main(int argc, char **argv);
#include "theory/check/learned/horizon-check.c"
#undef main

#include "tests/support/check/stopped_end.h"

enum { FSA, CONFIG, CERTIFICATE, WEIGHTS, PIECES };

typedef struct piece {
    char *bytes;
    size_t size;
} piece;

/* Returns the exit status; 0 is VERIFIED. */
static int status_of(const piece *p)
{
    const int status = setjmp(stopped);
    if (status == 0) {
        text t[PIECES];
        for (int i = 0; i < PIECES; i++)
            t[i] = (text){"", p[i].bytes, p[i].bytes, p[i].bytes + p[i].size, 1};
        rest = (budget){1 << 20, (size_t)64 << 20};
        judge(&t[FSA], &t[CONFIG], &t[WEIGHTS], &t[CERTIFICATE]);
    }
    forget_all();
    newest = NULL;
    return status;
}

/* Returns a copy of the bytes before the next separator, or of the rest, with a zero byte behind.
 */
static piece next_part(const uint8_t **data, size_t *size, bool last)
{
    size_t n = 0;
    while (!last && n + 3 <= *size && memcmp(*data + n, "%%\n", 3) != 0) n++;
    const bool found = !last && n + 3 <= *size;
    if (!found) n = *size;
    piece p = {malloc(n + 1), n};
    if (!p.bytes) abort();
    if (n > 0) memcpy(p.bytes, *data, n);
    p.bytes[n] = '\0';
    n += found ? 3 : 0;
    *data += n;
    *size -= n;
    return p;
}

/* Puts the hash of `of` behind the first `word` of the piece. */
static void repair(piece p, const char *word, piece of)
{
    char *at = strstr(p.bytes, word), hex[65];
    if (!at || (size_t)(p.bytes + p.size - at) < strlen(word) + 64) return;
    sha256_hex(hex, of.bytes, of.size);
    memcpy(at + strlen(word), hex, 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A certificate that passes must fail for other hashes, and when its end is missing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    piece p[PIECES];
    running = true;
    count_gmp_memory();
    for (int i = 0; i < PIECES; i++) p[i] = next_part(&data, &size, i == WEIGHTS);
    repair(p[CONFIG], "\"automaton\":\"", p[FSA]);
    repair(p[CERTIFICATE], "\nfsa ", p[FSA]);
    repair(p[CERTIFICATE], "\nconfig ", p[CONFIG]);
    repair(p[CERTIFICATE], "\nweights ", p[WEIGHTS]);
    if (status_of(p) == VERIFIED) {
        for (int i = 0; i < PIECES; i++) {
            if (i == CERTIFICATE) continue;
            p[i].bytes[p[i].size - 1] ^= 1;
            if (status_of(p) != NOT_VERIFIED) abort();
            p[i].bytes[p[i].size - 1] ^= 1;
        }
        p[CERTIFICATE].bytes[--p[CERTIFICATE].size] = '\0';
        if (status_of(p) != NOT_VERIFIED) abort();
    }
    for (int i = 0; i < PIECES; i++) free(p[i].bytes);
    return 0;
}
