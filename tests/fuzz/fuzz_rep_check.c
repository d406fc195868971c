/* rep-check as a whole, on one certificate. Its memory hangs on one chain, and exit() comes back here. */
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
#define MAX_ELEMENTS ((size_t)1000)
#define MAX_CELLS ((size_t)1 << 14)
#define MAX_DEGREE ((size_t)1 << 7)
#define exit stop
#define puts(text) ((void)(text))
#define fprintf say_nothing
#define main rep_check_main
int rep_check_main(int argc, char **argv);
#include "../../theory/check/rep-check.c"

/* 0 for VERIFIED, else the exit status. */
static int status_of(const char *bytes, size_t size)
{
    static char verdict[100];
    const int status = setjmp(stopped);
    if (status == 0) {
        text t = {"", bytes, bytes + size, 1};
        check(&t, verdict);
    }
    while (newest) {
        block *older = newest->older;
        free(newest);
        newest = older;
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A certificate that passes does not when its end is missing, or another digit begins its claim. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    bytes[size] = '\0';
    if (status_of(bytes, size) == 0) {
        bytes[size - 1] = '\0';
        if (status_of(bytes, size - 1) != NOT_VERIFIED) abort();
        bytes[size - 1] = '\n';
        char *claim = strstr(bytes, "\nminimum ");
        if (!claim) abort();
        claim[9] = claim[9] == '7' ? '9' : '7';
        const int status = status_of(bytes, size);
        if (status != NOT_VERIFIED) abort();
    }
    free(bytes);
    return 0;
}
