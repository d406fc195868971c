/* Cycle by cycle reading of permutations, for readers whose tokens are single cycles. */
#ifndef F2L_PERM_IMPL_H
#define F2L_PERM_IMPL_H

#include "automata/fsa/perm.h"

/* Marks every point as not yet met. */
void f2l_perm_begin(uint32_t *image, size_t n);

/* Reads the cycle at the start of `text` into an image that f2l_perm_begin prepared; *used is its length in
 * bytes. `column` is that of text[0]. */
f2l_status f2l_perm_cycle(uint32_t *image, size_t n, const char *text, size_t size, size_t *used, size_t line,
                          size_t column, f2l_error *err);

/* Points that no cycle mentioned stay where they are. */
void f2l_perm_finish(uint32_t *image, size_t n);

#endif
