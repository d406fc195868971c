/* What the files of models/inspect share; private to this folder. */
#ifndef F2L_MODELS_INSPECT_IMPL_H
#define F2L_MODELS_INSPECT_IMPL_H

#include "models/inspect/inspect.h"
#include "models/inspect/inspect_relations.h"
#include "numeric/base/rng.h"

/* Parts of f2l_inspect_build. */

/* Eigenvalues, singular values, distance and angles of one letter, of which key, beta and gate are
 * set. basis [M][K] is room to work in. False: not finite. */
bool f2l_inspect_letter(f2l_inspect_head *h, double *basis, size_t letter, size_t N, size_t K,
                        size_t M);

/* What the heads have in common; models/inspect/inspect_relations.c sets it up,
 * models/inspect/inspect_action.c uses it. */

typedef struct f2l_inspect_pair {
    uint32_t first, second, product; /* letters */
} f2l_inspect_pair;

typedef struct f2l_inspect_words {
    /* [order] in the order of lengths of words: the element, and how its word ends: place of its
     * parent, last letter. The first is the identity, the empty word. */
    uint32_t *element, *parent, *letter;
    uint32_t *place; /* [order] of an element in this order */
    uint32_t *named; /* [order] the first letter in use that is this element; UINT32_MAX: none */
    f2l_inspect_pair *pair; /* [relations->pairs] */
} f2l_inspect_words;

/* One head; start [key_dim][value_dim] is its H_0. What it allocates is in *out also after a
 * failure. */
f2l_status f2l_inspect_relate(f2l_inspect_action *out, const f2l_inspect_relations *relations,
                              const f2l_inspect_words *words, const f2l_inspect *inspect,
                              size_t head, const double *start, const f2l_task *task,
                              f2l_error *err);

#endif
