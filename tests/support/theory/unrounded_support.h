/* Runs of a network in a format and schedule beside exact arithmetic, which count the
 * differences. */
#ifndef TESTS_UNROUNDED_SUPPORT_H
#define TESTS_UNROUNDED_SUPPORT_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/chunk.h"
#include "numeric/base/rng.h"
#include "theory/certify/unrounded/unrounded.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

f2l_format named_format(const char *name);

f2l_schedule named_schedule(const char *name);

/* Sets out to one of -most .. most, divided by at most 2^places. */
void random_dyadic(mpq_t out, f2l_rng *rng, long most, unsigned places);

/* Fills out with n such numbers. */
void random_dyadics(f2l_qvec *out, f2l_rng *rng, size_t n, long most, unsigned places);

/* Returns how many numbers of a layer's local state are not the numbers of the code. */
size_t other_numbers(const f2l_layer *layer, size_t code, const double *number);

/* Runs the word 64 letters at a time and returns the number of differences. `joint`:
 * [letters][layers] codes of the exact run, `label` its labels. */
size_t chunked_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length);

size_t stepped_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length);

/* Returns how many numbers and labels of a random word differ from exact arithmetic. */
size_t run_differs(const f2l_net *net, const f2l_format *format, const f2l_schedule *schedule,
                   uint64_t seed, size_t length);

/* Decides whether the model rounds; a first and a second analysis that share what they can must say
 * the same, to the word. */
void find_unrounded(f2l_unrounded *u, const f2l_net *model, const f2l_format *format,
                    const f2l_schedule *schedule);

/* Returns how many numbers differ from exact arithmetic, over one step from each code of layer 1 by
 * each letter: stored numbers and numbers that are read. */
size_t steps_differ(const f2l_net *net, const f2l_format *format, const f2l_schedule *schedule);

typedef struct tally {
    size_t sure, unsure, differ; /* differ: unsure networks with a step that was rounded */
} tally;

/* Decides whether the model rounds, and checks by steps_differ that it does not where that is the
 * verdict; `what` and `which` name the model. */
void tally_steps(tally *t, const f2l_net *model, const f2l_format *format,
                 const f2l_schedule *schedule, const char *what, size_t which);

/* Draws a raw head of n x d with 2 letters and 3 codes; returns false when it is not valid. */
bool random_raw_head(f2l_net *model, f2l_rng *rng);

#endif
