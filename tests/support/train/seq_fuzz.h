/* For fuzz targets that read safetensors files: the length of the header comes before it, so that a
 * mutated header would hardly ever be read. An input that begins with '{' is therefore a header
 * and, after its first newline, the data. */
#ifndef TESTS_SEQ_FUZZ_H
#define TESTS_SEQ_FUZZ_H

#include "numeric/base/text.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void must(bool condition);

/* Returns a block of exactly the file's size (free), so that reading past its end is seen. */
char *safetensors_of(size_t *size, const uint8_t *data, size_t count);

#endif
