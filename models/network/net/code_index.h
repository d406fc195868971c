/* A hash table from local states to the codes of one layer; private to models/network/net. */
#ifndef F2L_CODE_INDEX_IMPL_H
#define F2L_CODE_INDEX_IMPL_H

#include "models/network/net/net.h"
#include "numeric/base/index.h"

typedef struct f2l_code_index {
    const f2l_layer *layer; /* borrowed */
    f2l_index index;        /* of all codes */
    size_t first, second;   /* two equal codes, or F2L_NO_INDEX in both */
} f2l_code_index;

/* Indexes all codes of the layer. Equal codes are no failure: the first of the earliest repeated
 * pair is kept and first and second name both. */
f2l_status f2l_code_index_build(f2l_code_index *out, const f2l_layer *layer, f2l_error *err);
void f2l_code_index_clear(f2l_code_index *index);

/* Returns the code equal to state[heads], or F2L_NO_INDEX. */
size_t f2l_code_index_find(const f2l_code_index *index, const f2l_qvec *state);

#endif
