/* Networks side by side (theory/pages/product.md, X.2): each layer of the product has the heads of
 * the networks' layers at the same distance from the last, and its decoder keeps apart what they
 * read and hold. */
#ifndef F2L_PRODUCT_H
#define F2L_PRODUCT_H

#include "models/network/net/net.h"

/* Limits on a product: joint states of its parts that words lead to times letters, beside those
 * that the automaton's states take anyway; entries of one decoder table; letters of one layer. The
 * certificate lists all joint states, so the first limit is small: beyond it the wired product
 * (theory/construct/product/wired_product.h) is proved part by part. */
#define F2L_PRODUCT_EDGES ((size_t)1 << 13)
#define F2L_PRODUCT_TABLE ((size_t)1 << 22)
#define F2L_PRODUCT_LETTERS ((size_t)1 << 16)

/* Builds the network of an automaton from networks of quotients that determine its state together
 * (f2l_subdirect_find). The networks are exact, read the automaton's letters and have no boxes;
 * each of their labels is a state of the quotient. *out is initialised and empty after a failure.
 * F2L_EDOMAIN: a network has boxes, or reaches a state without a code; F2L_UNKNOWN: the product is
 * beyond a limit, or the task stopped it. */
f2l_status f2l_product_build(f2l_net *out, const f2l_fsa *fsa, f2l_label label,
                             const f2l_net *const *part, size_t parts, const f2l_task *task,
                             f2l_error *err);

#endif
