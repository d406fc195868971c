/* horizon-check as one program: an automaton, a configuration, a certificate and the weights,
 * separated by lines "%%". The hashes in configuration and certificate are made right, and the copy
 * of the model in the header of the weights, so that what comes after them is reached. */
#include "tests/support/check/stopped.h"

/* The sources come between this header and stopped_end.h. */
#include "theory/check/text.c"

#include "theory/check/program.c"

#include "theory/check/automaton.c"

#include "theory/check/learned/learned_bound.c"

#include "theory/check/learned/learned_read.c"

#include "theory/check/learned/learned_letters.c"

#include "theory/check/learned/learned_answer.c"

#include "theory/check/learned/learned_lanes.c"

#include "theory/check/learned/learned_words.c"

#include "theory/check/learned/learned_balls.c"

#include "theory/check/learned/learned_settle.c"

#include "theory/check/learned/learned_forever.c"

#include "theory/check/learned/learned_finite.c"

#include "theory/check/learned/learned_roots.c"
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

/* Returns the bytes from behind `before` to `behind`; size 0: there are none. */
static piece between(char *from, const char *before, const char *behind)
{
    char *at = strstr(from, before);
    char *end = at ? strstr(at + strlen(before), behind) : NULL;
    return end ? (piece){at + strlen(before), (size_t)(end - at) - strlen(before)} : (piece){0};
}

/* Puts the model of the configuration into the metadata of the header, and sets its length. */
static void repair_header(piece *weights, piece config)
{
    const piece model = between(config.bytes, "\"model\":", ",\n");
    if (weights->size < 8 || model.size == 0) return;
    const piece old = between(weights->bytes + 8, "\"config\":\"", "\",\"kind\"");
    char *end = old.size > 0 ? strstr(old.bytes + old.size, "}}") : NULL;
    if (!end) return;
    for (end += 2; *end == ' ';) end++;
    char *new = malloc(weights->size + 2 * model.size + 8), *to = new;
    if (!new) abort();
    const char *from = weights->bytes;
    for (; from < old.bytes; from++) *to++ = *from;
    for (size_t i = 0; i < model.size; i++) {
        if (model.bytes[i] == '"') *to++ = '\\';
        *to++ = model.bytes[i];
    }
    for (from += old.size; from < end; from++) *to++ = *from;
    while (to[-1] == ' ') to--;
    while ((to - new) % 8 != 0) *to++ = ' ';
    const size_t header = (size_t)(to - new) - 8,
                 numbers = weights->size - (size_t)(end - weights->bytes);
    for (size_t i = 0; i < 8; i++) new[i] = (char)(header >> 8 * i);
    memcpy(to, end, numbers);
    to[numbers] = '\0';
    free(weights->bytes);
    *weights = (piece){new, header + 8 + numbers};
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
    repair_header(&p[WEIGHTS], p[CONFIG]);
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
