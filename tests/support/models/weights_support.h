/* Weights files parsed again and compared with the network in rationals. */
#ifndef WEIGHTS_SUPPORT_H
#define WEIGHTS_SUPPORT_H

#include "models/network/weights/weights.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/safetensors_support.h"
#include <math.h>
#include <mpfr.h>

/* Return the parsed file, in the type that is chosen or asked for. */
weights written(const f2l_net *net);
weights written_as(const f2l_net *net, f2l_weights_dtype dtype);

const char *metadata(const weights *w, const char *key);

/* Returns number `at` of a tensor, from its bits by the definition of the type. */
double number(const weights *w, json_t *tensor, size_t at);

json_t *tensor_of(const weights *w, size_t layer, size_t head, const char *part);

size_t dim(json_t *tensor, size_t i);

double nearest_double(const mpq_t x);

/* Returns x / sqrt(norm2) as binary64, by way of 400 bits. */
double over_root(const mpq_t x, const mpq_t norm2);

/* Checks that row `row` of a key or value tensor is v / sqrt(norm2) in the dense layout; v = NULL
 * is zero. */
void expect_row(const weights *w, json_t *tensor, size_t row, const f2l_qvec *v, const mpq_t norm2);

void expect_head(const weights *w, const f2l_net *net, size_t l, size_t h);

/* Checks the codes of all heads of a layer, and by the rule of the file what the layer gives after
 * every letter in every code. */
void expect_decoder(const weights *w, const f2l_net *net, size_t l);

/* Checks that tensors fill the data without gaps or overlaps, aligned to their elements, and that
 * header keys are sorted. */
void expect_layout(const weights *w);

#endif
