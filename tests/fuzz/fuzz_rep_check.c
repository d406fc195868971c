/* rep-check as a whole, on one certificate; the text before its first line is the automaton, whose
 * hash is put into the certificate. All memory is linked in one ring, and exit() returns here. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf stopped;

static _Noreturn void stop(int status)
{
    longjmp(stopped, status ? status : -1);
}

static int say_nothing(FILE *file, const char *format, ...)
{
    (void)file;
    (void)format;
    return 0;
}

#define REP_CHECK_LIMITS
#define BASE_STEPS ((uint64_t)1 << 22)
#define BASE_BYTES ((uint64_t)1 << 20)
#define exit stop
#define puts(text) ((void)(text))
#define fprintf say_nothing
#define main rep_check_main
int rep_check_main(int argc, char **argv);
#include "theory/check/rep-check.c"

/* Returns 0 for VERIFIED, else the exit status. The bytes are `fsa` bytes of automaton, if any, and
 * the certificate. */
static int status_of(const char *bytes, size_t fsa, size_t size)
{
    static char verdict[VERDICT];
    const int status = setjmp(stopped);
    start_budget(0, 0);
    if (status == 0) {
        text a = {"", bytes, bytes + fsa, 1}, t = {"", bytes + fsa, bytes + size, 1};
        check(&t, fsa > 0 ? &a : NULL, verdict);
    }
    while (blocks.older != &blocks) release(blocks.older->data);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A certificate that passes must fail when its end is missing, or when its claim begins with
 * another digit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    bytes[size] = '\0';
    static const char first[] = "householders 2\nfsa ";
    const char *certificate = strstr(bytes, first);
    const size_t fsa = certificate ? (size_t)(certificate - bytes) : 0;
    char hex[65], *hash = bytes + fsa + strlen(first);
    if (fsa > 0 && size - fsa > strlen(first) + 64) {
        sha256(hex, bytes, fsa);
        memcpy(hash, hex, 64);
    }
    if (status_of(bytes, fsa, size) == 0) {
        bytes[size - 1] = '\0';
        if (status_of(bytes, fsa, size - 1) != NOT_VERIFIED) abort();
        bytes[size - 1] = '\n';
        const char digit = *hash;
        *hash = digit == '7' ? '9' : '7';
        if (status_of(bytes, fsa, size) != (fsa > 0 ? NOT_VERIFIED : VERIFIED)) abort();
        *hash = digit;
        char *claim = strstr(bytes, "\nminimum ");
        if (!claim) abort();
        claim[9] = claim[9] == '7' ? '9' : '7';
        const int status = status_of(bytes, fsa, size);
        if (status != NOT_VERIFIED) abort();
    }
    free(bytes);
    return 0;
}
