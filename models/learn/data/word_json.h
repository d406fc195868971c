/* Labelled words as JSON lines, as models/learn/words reads them:
 *   {"word": ["a", "b"], "labels": ["even", "odd"], "label": "odd"} */
#ifndef F2L_WORD_JSON_H
#define F2L_WORD_JSON_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"
#include <stdint.h>

/* The names of letters and labels as JSON strings. */
typedef struct f2l_word_json {
    f2l_names letters, labels; /* owned */
} f2l_word_json;

/* Spells the names; *out is all zero. */
f2l_status f2l_word_json_init(f2l_word_json *out, const f2l_names *letters, const f2l_names *labels,
                              f2l_error *err);
void f2l_word_json_clear(f2l_word_json *json);

/* Appends the line of a word letter[count], 1 or more letters, with its labels; `label` NULL: only
 * the last one is known. */
void f2l_word_json_put(f2l_buf *out, const f2l_word_json *json, const uint32_t *letter,
                       size_t count, const uint32_t *label, uint32_t last);

#endif
