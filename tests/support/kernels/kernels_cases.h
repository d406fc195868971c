/* Cases of the delta product of the kernels' C interface: a device, real or emulated, against the
 * reference in double on the CPU, and runs against each other bit by bit. */
#ifndef TESTS_KERNELS_CASES_H
#define TESTS_KERNELS_CASES_H

#include "include/fsa2lrnn_kernels.h"
#include "numeric/base/rng.h"
#include <stdbool.h>
#include <stdint.h>

/* Memory and launches of a device; errors end the program. */
typedef struct f2l_cases_device {
    void *(*alloc)(size_t bytes);
    void (*free)(void *memory);
    void (*up)(void *to, const void *from, size_t bytes);
    void (*down)(void *to, const void *from, size_t bytes);
    /* Calls launch(what, stream) and waits; odd rounds in another way (another stream, a graph). */
    void (*run)(void (*launch)(void *what, void *stream), void *what, int round);
} f2l_cases_device;

enum { /* how arrays lie in memory */
       F2L_CASE_DENSE,
       F2L_CASE_WIDE,       /* rows 16 numbers apart from each other's end: aligned */
       F2L_CASE_ODD,        /* 3 numbers: not aligned */
       F2L_CASE_HEADS_FIRST /* [batch][heads][tokens][..] */
};

typedef struct f2l_kernels_case {
    fsa2lrnn_delta_product p; /* batch sequences, packed: of at most `tokens` tokens */
    int layout;
    bool packed, additive, initial, dfinal, pool;
    bool shut;    /* some gates are 0: their logarithm is -infinity */
    bool faint;   /* all gates are between e^-69 and e^-31: dg and dS are 0 but for 1e-6 */
    double range; /* of beta: 0 to range, 0: 2 */
} f2l_kernels_case;

/* Draws a case; tensor: one that the tensor cores take; small: for an emulated device. */
f2l_kernels_case f2l_kernels_draw_case(f2l_rng *rng, bool tensor, bool small);

/* Runs a case, prints a line, and returns whether it failed. */
bool f2l_kernels_case_fails(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d);
/* Runs forward, whole and in two pieces after `prefix` tokens; exact: the bits have to be equal. */
bool f2l_kernels_prefix_fails(const f2l_kernels_case *c, int64_t prefix, uint64_t seed,
                              const f2l_cases_device *d);
/* Runs forward of `tokens` tokens and as many steps on the recurrent path. */
bool f2l_kernels_steps_fail(const f2l_kernels_case *c, uint64_t seed, const f2l_cases_device *d);

#endif
