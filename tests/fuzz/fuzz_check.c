/* The certificate checkers as one program: an automaton, a network and a certificate, separated by
 * lines "%%". The hashes in their lines are made right, so that the lines after them are reached.
 */
#include "tests/support/check/stopped.h"

#include "tests/support/check/check_unit.h"

#include "tests/support/check/stopped_end.h"

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
    forget_all();
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
    running = true;
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
