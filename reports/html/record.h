/* Reading the JSON files of a folder. Facts that are missing or of another type are left out of a
 * page, so getters have an answer for them. `path` is names joined by dots. */
#ifndef F2L_RECORD_H
#define F2L_RECORD_H

#include "numeric/base/status.h"
#include <jansson.h>
#include <stdbool.h>

/* Reads a file of the folder; *out is owned by the caller, NULL where there is no such file.
 * F2L_EFORMAT when it is no JSON. */
f2l_status f2l_record_read(json_t **out, const char *folder, const char *name, f2l_error *err);
/* Reads a file of one JSON value a line into an array; a last line that is not whole is left
 * out. */
f2l_status f2l_record_read_lines(json_t **out, const char *folder, const char *name,
                                 f2l_error *err);

/* Returns the value, borrowed; NULL when it is missing or null. */
const json_t *f2l_record_get(const json_t *in, const char *path);
/* Return the text, or ""; the number, or NAN; the whole number, or 0. */
const char *f2l_record_text(const json_t *in, const char *path);
double f2l_record_number(const json_t *in, const char *path);
size_t f2l_record_count(const json_t *in, const char *path);
bool f2l_record_truth(const json_t *in, const char *path);

/* Returns the number of items of a list, 0 where there is none, and one of them. */
size_t f2l_record_size(const json_t *in, const char *path);
const json_t *f2l_record_item(const json_t *in, const char *path, size_t i);

#endif
