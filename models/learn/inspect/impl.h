/* Declarations shared by the files of models/learn/inspect; private to this folder. */
#ifndef F2L_MODELS_INSPECT_IMPL_H
#define F2L_MODELS_INSPECT_IMPL_H

#include "models/learn/inspect/inspect.h"
#include "models/learn/inspect/inspect_relations.h"
#include "numeric/base/rng.h"

/* Parts of f2l_inspect_build and f2l_inspect_build_network. */

/* Sets `used` and its number in x, whose letters are set. F2L_EDOMAIN: no letter is used. */
f2l_status f2l_inspect_take_used(f2l_inspect *x, const unsigned char *used, f2l_error *err);

/* Allocates the arrays of a head for the sizes in x. */
bool f2l_inspect_allocate_head(f2l_inspect_head *h, const f2l_inspect *x);

/* Computes all of a head but its keys, betas and gates, which are set. `top` is the upper end of
 * the range of betas. */
f2l_status f2l_inspect_finish_head(f2l_inspect *x, size_t head, double top, const f2l_task *task,
                                   f2l_error *err);

/* Computes eigenvalues, singular values, distance and angles of one letter, whose key, beta and
 * gate are set. basis [M][K] is scratch. F2L_EDOMAIN: a number is not finite. */
f2l_status f2l_inspect_letter(f2l_inspect_head *h, double *basis, size_t letter, size_t N, size_t K,
                              size_t M, f2l_error *err);

/* Returns the angle in degrees of the lines of two vectors [K] of length 1, NaN where one is 0. A
 * line has no direction: angles above 90 degrees are replaced by their supplements. */
double f2l_inspect_line_angle(const double *x, const double *y, size_t K);

/* Data that the heads have in common; models/learn/inspect/inspect_relations.c fills it,
 * models/learn/inspect/inspect_action.c uses it. */

typedef struct f2l_inspect_pair {
    uint32_t first, second, product; /* letters */
} f2l_inspect_pair;

typedef struct f2l_inspect_words {
    /* [order] in the order of lengths of words: the element, and the end of its word: place of its
     * parent, last letter. The first is the identity, the empty word. */
    uint32_t *element, *parent, *letter;
    uint32_t *place; /* [order] place of an element in this order */
    uint32_t *named; /* [order] the first used letter that is this element; UINT32_MAX: none */
    f2l_inspect_pair *pair; /* [relations->pairs] */
} f2l_inspect_words;

/* Fills *out for one head; start [key_dim][value_dim] is the head's H_0. *out must be cleared also
 * after a failure. */
f2l_status f2l_inspect_relate(f2l_inspect_action *out, const f2l_inspect_relations *relations,
                              const f2l_inspect_words *words, const f2l_inspect *inspect,
                              size_t head, const double *start, const f2l_task *task,
                              f2l_error *err);

#endif
