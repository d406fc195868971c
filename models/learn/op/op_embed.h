/* Rows of a table by letter, and the gradient. F2L_EDOMAIN when an id is no letter: nothing was
 * written then. */
#ifndef F2L_OP_EMBED_H
#define F2L_OP_EMBED_H

#include "models/learn/op/op.h"

/* - forward: y [rows][width] = table [letters][width] at id [rows].
 * - backward: dtable at id += dy, rows in order. */
#define F2L_OP_EMBED(real, name) \
    f2l_status name(f2l_embed_forward)(real * y, const real *table, const uint32_t *id, \
                                       size_t rows, size_t letters, size_t width, f2l_error *err); \
    f2l_status name(f2l_embed_backward)(real * dtable, const real *dy, const uint32_t *id, \
                                        size_t rows, size_t letters, size_t width, \
                                        f2l_error *err);
F2L_OP_BOTH(F2L_OP_EMBED)

#endif
