/* The checkers of lower bounds as one program: an automaton and a certificate, separated by a line
 * "%%". The hash in the certificate is made right, so that the lines after it are reached. */
#include "tests/support/check/stopped.h"

/* The sources come between this header and stopped_end.h. */
#include "theory/check/text.c"

#include "theory/check/program.c"

#include "theory/check/automaton.c"

#define main bound_main
int bound_main(int argc, char **argv);
#include "theory/check/bound/bound.c"
#undef main

#include "theory/check/bound/fork-check.c"
#define bound_self band_program
#include "theory/check/bound/band-check.c"
#undef bound_self
#define bound_self arcs_program
#include "theory/check/bound/arcs-check.c"
#undef bound_self
#define bound_self depth_program
#include "theory/check/bound/depth-check.c"
#undef bound_self
#define bound_self stack_program
#include "theory/check/bound/stack-check.c"
#undef bound_self
#define bound_self separation_program
#include "theory/check/bound/separation-check.c"
#undef bound_self

#include "tests/support/check/stopped_end.h"

static const bound_program *const programs[] = {&bound_self,   &arcs_program,  &depth_program,
                                                &band_program, &stack_program, &separation_program};
#define PROGRAMS (sizeof programs / sizeof *programs)

/* Returns the exit status of the program for the certificate; 0 is VERIFIED. */
static int status_of(const char *fsa, size_t fsa_size, const char *bytes, size_t size)
{
    const int status = setjmp(stopped);
    if (status == 0) {
        text a = {"", fsa, fsa, fsa + fsa_size, 1}, t = {"", bytes, bytes, bytes + size, 1};
        size_t i = 0;
        while (i + 1 < PROGRAMS &&
               strncmp(bytes, programs[i]->first, strlen(programs[i]->first)) != 0)
            i++;
        rest = (budget){1 << 20, 1 << 22};
        judge_bound(programs[i], &a, &t);
    }
    forget_all();
    newest = NULL;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A certificate that passes must fail for another hash, and when its end is missing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    running = true;
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
