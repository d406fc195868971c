/* The steps of f2l_blocks_plan; private to this folder. */
#ifndef F2L_BLOCKS_IMPL_H
#define F2L_BLOCKS_IMPL_H

#include "models/doors/blocks/blocks.h"

#define F2L_BLOCK_ROWS 3   /* rows of a head beside the network's: the threshold, and two zeros */
#define F2L_BLOCK_CHUNK 64 /* tokens of a chunk */
#define F2L_BLOCK_TABLE ((size_t)1 << 26) /* most numbers of a table or a matrix */

/* Chooses groups and bits, so that codes which some letter decodes differently differ in a bit, and
 * then the units. */
f2l_status f2l_blocks_choose_bits(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err);
f2l_status f2l_blocks_choose_units(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err);
void f2l_block_layer_clear(f2l_block_layer *layer);

/* Sets blocks->recurrence, positive_keys, scale and writes; the bits are chosen. */
f2l_status f2l_blocks_choose_recurrence(f2l_blocks *blocks, f2l_error *err);
/* Sets blocks->raw. */
f2l_status f2l_blocks_choose_raw(f2l_blocks *blocks, f2l_error *err);

/* Return the number of the vector at the index, NULL where it is zero; whether the layer's code has
 * the bit on. */
const mpq_t *f2l_block_entry(const f2l_qvec *v, size_t index);
bool f2l_block_is_on(const f2l_layer *layer, const f2l_block_bit *bit, size_t code);

/* Return a value x of the format such that silu(x), or 2 sigmoid(x), rounds to y, however its last
 * bits are computed: the true number is nearer than 0.45 of the last place. NaN where there is
 * none. */
double f2l_block_before_silu(const f2l_format *format, double y);
double f2l_block_before_beta(const f2l_format *format, double y);

/* Returns c / |u|, which a factor writes where a number of its c is `c`. */
double f2l_block_value(const f2l_factor *factor, const mpq_t c);

/* Returns number i of the key before the activation, when its largest coordinate becomes `raw`; NaN
 * where the format has no such number. */
double f2l_block_key_before(const f2l_blocks *blocks, const f2l_qvec *u, size_t i, double raw);

/* Factor m of the writing tokens of a head: the nonzero rows of its initial state, each with a
 * write, and a change of sign if the number is negative. Returns false beyond the last. */
typedef struct f2l_block_write {
    size_t row;
    double value; /* 0 and flip: the row changes its sign */
    bool flip;
} f2l_block_write;
bool f2l_block_write_at(f2l_block_write *out, const f2l_head *head, size_t m);

#endif
