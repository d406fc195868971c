/* Weights files parsed again, for the tests of ordinary and of wired networks. */
#ifndef TESTS_SAFETENSORS_SUPPORT_H
#define TESTS_SAFETENSORS_SUPPORT_H

#include "models/network/weights/weights.h"
#include "tests/support/models/net_samples.h"
#include <jansson.h>

/* A parsed file. */
typedef struct weights {
    f2l_buf bytes;
    f2l_weights_report report;
    json_t *header;
    const unsigned char *data;
    size_t data_bytes;
    size_t expected; /* tensors that a test has looked at */
} weights;

/* Makes an automaton with these letters and two states whose names need escapes. */
void automaton_with(f2l_fsa *fsa, const f2l_names *letters);

/* Parses w->bytes and w->report, which the caller has filled. */
void weights_parse(weights *w);

void weights_free(weights *w);

size_t element_size(const char *dtype);

#endif
