/* Reading of a wired network's weights.safetensors number by number, for tests. */
#ifndef TESTS_WIRED_WEIGHTS_SUPPORT_H
#define TESTS_WIRED_WEIGHTS_SUPPORT_H

#include "models/network/weights/weights.h"
#include "tests/support/models/hand_wired.h"
#include "tests/support/models/safetensors_support.h"
#include <math.h>
#include <mpfr.h>
#include <stdarg.h>
#include <stdlib.h>

/* Return the parsed file, in the type that is chosen or asked for. */
weights wired_written(const f2l_net *net);
weights wired_written_as(const f2l_net *net, f2l_weights_dtype dtype);

size_t offset(json_t *tensor, size_t which);

/* Returns the number at these bytes, from its bits by the definition of the type. */
double wired_number(const unsigned char *from, const char *dtype);

/* Checks that the tensor, I32 or of the file's type, has this shape and holds these numbers, which
 * it frees. */
void expect(weights *w, bool integer, double *numbers, size_t dims, const size_t *dim,
            const char *name, ...);

double *numbers_of(size_t count, double value);

double *from_sizes(const size_t *from, size_t count);

double *from_wires(const uint32_t *from, size_t count);

/* Returns x / |over|, or x where over is NULL, as binary64 by way of 400 bits. */
double ratio(const mpq_t x, const f2l_qvec *over);

/* Checks vectors as the rows of a tensor [dim[0]]..[dim[dims - 2]][width], dense or as indices and
 * numbers; NULL is a row of padding. Row r is divided by |over[r]|. */
void expect_vectors(weights *w, const f2l_qvec *const *vector, const f2l_qvec *const *over,
                    size_t rows, size_t dims, const size_t *dim, const char *name);

void expect_letters(weights *w, const f2l_head *head, size_t letters, const char *prefix);

void expect_gates(weights *w, const f2l_net *net, const f2l_wired_gate *gate, size_t gates,
                  size_t b, const char *name);

void expect_readouts(weights *w, const f2l_wired_block *block, size_t b);

void expect_block(weights *w, const f2l_net *net, size_t b);

/* Checks that tensors fill the data without gaps or overlaps, that header keys are sorted, and that
 * there are no other tensors. */
void wired_expect_layout(const weights *w);

/* Checks the whole file; with dtype NULL the type is free. */
void expect_all(const f2l_net *net, const char *dtype, bool exact, bool sparse);

#endif
