/* The private parts of theory/construct/subwords. */
#ifndef F2L_SUBWORDS_IMPL_H
#define F2L_SUBWORDS_IMPL_H

#include "numeric/base/task.h"
#include "theory/construct/subwords/subwords.h"

/* The label as a function of the words, which are asked in their order: node `at` of word w has a
 * node of word w + 1 for each answer, or after the last word the number of a label. A word on which
 * nothing depends is not asked, and its nodes are the nodes of the next one. */
typedef struct f2l_subwords_tree {
    size_t nodes[F2L_SUBWORDS_MOST + 1]; /* of word w; at the end the labels */
    uint32_t *child[F2L_SUBWORDS_MOST];  /* [nodes][2]; NULL: the word is not asked */
} f2l_subwords_tree;

/* Makes the tree; *out, zero at first, is cleared by the caller in every case. */
f2l_status f2l_subwords_ask(f2l_subwords_tree *out, const f2l_subwords *subwords, size_t labels,
                            f2l_meter *meter, f2l_error *err);
void f2l_subwords_tree_clear(f2l_subwords_tree *tree);

#endif
