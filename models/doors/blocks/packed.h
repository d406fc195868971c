/* What the search for heads with many columns shares; private to this folder. */
#ifndef F2L_BLOCKS_PACKED_H
#define F2L_BLOCKS_PACKED_H

#include "models/doors/blocks/impl.h"

/* What the search starts from. */
typedef struct f2l_block_source {
    const f2l_layer *layer;
    const f2l_block_layer *made; /* its letters are chosen */
    const f2l_format *format;
    bool digits; /* columns of one-hot rows become digits */
} f2l_block_source;

/* Return the number of a code, NULL where it is zero; how two such numbers compare; whether some
 * number of the row differs between codes. */
const mpq_t *f2l_block_code_entry(const f2l_layer *layer, size_t head, size_t row, size_t column,
                                  size_t code);
int f2l_block_compare(const mpq_t *a, const mpq_t *b);
bool f2l_block_row_varies(const f2l_layer *layer, size_t head, size_t row);
/* Returns whether x / |u| is a number of the format. */
bool f2l_block_quotient_fits(const f2l_format *format, const mpq_t x, const f2l_qvec *u);

/* Makes the columns that heads may have which hold columns of this head of the network; none where
 * its numbers have more than two values, or are not written as the class can. */
f2l_status f2l_block_family_choose(f2l_block_head *family, const f2l_block_source *source,
                                   size_t head, f2l_error *err);

#endif
