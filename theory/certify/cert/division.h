/* How a wired network is divided among networks side by side (theory/pages/product.md, X.4), as its
 * certificate describes it. Its first stage gives each part its letter, and its last stage joins
 * their labels; inputs, pre gates, heads, post gates and outputs of the blocks between are divided
 * among the parts in order, and readouts with their heads. */
#ifndef F2L_DIVISION_H
#define F2L_DIVISION_H

#include "numeric/base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef enum f2l_cert_claim {
    F2L_CERT_EXACT,
    F2L_CERT_CASCADE,
    F2L_CERT_ZEIGER,
    F2L_CERT_D1,
    F2L_CERT_BLOCKS,
    F2L_CERT_PRODUCT,
    F2L_CERT_SWAPS,
    F2L_CERT_POINTS
} f2l_cert_claim;

/* How much of a block belongs to one part. */
typedef struct f2l_share {
    size_t inputs, pres, heads, posts, outputs;
} f2l_share;

typedef struct f2l_division_part {
    f2l_cert_claim claim; /* exact, zeiger or d1: what proves the part */
    size_t first, stages; /* it has the stages first .. first + stages - 1 of the network, from 0 */
    size_t letters;       /* that the first stage gives it */
    size_t classes;       /* of the automaton's states: what the part tracks */
    uint32_t *class_of;   /* [states] < classes; UINT32_MAX: none */
} f2l_division_part;

typedef struct f2l_division {
    size_t parts, blocks;
    f2l_division_part *part; /* [parts] */
    f2l_share *share;        /* [blocks][parts]; zero for the first and the last block */
} f2l_division;

/* Makes the parts, with class_of [states], and the shares, all zero; *out is zero at first. On
 * failure it is empty. */
f2l_status f2l_division_set(f2l_division *out, size_t parts, size_t blocks, size_t states,
                            f2l_error *err);
void f2l_division_clear(f2l_division *division); /* zero allowed; zero after */

#endif
