/* The steps of f2l_blocks_plan; private to this folder. */
#ifndef F2L_BLOCKS_IMPL_H
#define F2L_BLOCKS_IMPL_H

#include "models/doors/blocks/blocks.h"

#define F2L_BLOCK_ZEROS 2                 /* least rows of a head that stay zero */
#define F2L_BLOCK_CHUNK 64                /* tokens of a chunk */
#define F2L_BLOCK_TABLE ((size_t)1 << 26) /* most numbers of a table */

/* Sets views, acts and groups of letters. With `views` letters that read different parts of the
 * codes have different views; else there is one. */
f2l_status f2l_blocks_choose_letters(f2l_block_layer *out, const f2l_layer *layer, bool views,
                                     f2l_error *err);
/* Chooses heads with many columns, after the letters: with `digits` the columns of a one-hot row
 * become digits of the place of its one. *chosen becomes false where the layer has no such heads,
 * and then *out has none. */
f2l_status f2l_blocks_choose_packed(bool *chosen, f2l_block_layer *out, const f2l_layer *layer,
                                    const f2l_format *format, bool digits, f2l_error *err);
/* Chooses a head for each comparison, after the letters. */
f2l_status f2l_blocks_choose_single(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err);
/* Chooses the units, after the heads. */
f2l_status f2l_blocks_choose_units(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err);
void f2l_block_layer_clear(f2l_block_layer *layer);
/* Drops the columns and read-outs. */
void f2l_block_head_clear(f2l_block_head *head);

/* Makes heads with their columns, of one network's head number each, and one read-out a view; every
 * number is zero at first. */
f2l_status f2l_block_layer_set_heads(f2l_block_layer *layer, size_t heads, f2l_error *err);
f2l_status f2l_block_head_set_columns(f2l_block_head *head, size_t columns, f2l_error *err);
f2l_status f2l_block_column_set(f2l_block_column *column, const uint32_t *of, size_t count,
                                f2l_error *err);

/* --- which comparisons tell codes apart --- */

/* Functions on codes, each given by ranks. */
typedef struct f2l_block_chooser {
    size_t codes;
    uint32_t *kind;                /* [codes] codes of a kind need not be told apart */
    uint32_t *cell;                /* [codes] codes of a cell agree in all comparisons so far */
    struct f2l_block_place *order; /* [codes] by cell, then by kind */
    const uint32_t *rank;          /* [functions][codes] borrowed */
    size_t functions;
} f2l_block_chooser;

typedef struct f2l_block_choice {
    size_t function;
    uint32_t threshold; /* on where the rank is greater */
    uint64_t pairs;     /* that it tells apart; 0: no function tells any apart */
} f2l_block_choice;

f2l_status f2l_block_chooser_init(f2l_block_chooser *chooser, size_t codes, f2l_error *err);
void f2l_block_chooser_clear(f2l_block_chooser *chooser);
/* Puts all codes into one cell; kinds have been set. */
void f2l_block_chooser_start(f2l_block_chooser *chooser);
/* Returns whether some cell has codes of two kinds. */
bool f2l_block_chooser_open(const f2l_block_chooser *chooser);
/* Returns the comparison that separates most pairs of codes of two kinds in one cell. */
f2l_block_choice f2l_block_chooser_best(const f2l_block_chooser *chooser);
/* Splits the cells by the comparison. */
void f2l_block_chooser_split(f2l_block_chooser *chooser, f2l_block_choice choice);
/* Sets kinds so that codes of a kind are decoded alike by all letters. */
f2l_status f2l_block_chooser_decoded(f2l_block_chooser *chooser, const f2l_layer *layer,
                                     f2l_error *err);

/* --- numbers --- */

/* Sets blocks->recurrence and scale; positive_keys is known and the heads are chosen. */
f2l_status f2l_blocks_choose_recurrence(f2l_blocks *blocks, f2l_error *err);
/* Sets *out to whether the keys of all heads can be made non-negative: EB.3. */
f2l_status f2l_blocks_find_positive(bool *out, const f2l_blocks *blocks, f2l_error *err);
/* Sets blocks->raw. */
f2l_status f2l_blocks_choose_raw(f2l_blocks *blocks, f2l_error *err);

/* The signs of the rows of a head: EB.3. */
typedef struct f2l_block_signs {
    size_t *up; /* [n + 1] a graph of rows, with one more node for the sign + */
    bool *flip; /* [n + 1] the sign is opposite to the sign of `up` */
    size_t n;
    bool consistent;
} f2l_block_signs;

f2l_status f2l_block_signs_find(f2l_block_signs *out, const f2l_block_layer *made,
                                const f2l_layer *layer, const f2l_block_head *head, f2l_error *err);
void f2l_block_signs_clear(f2l_block_signs *signs);
/* Returns whether the row changes its sign; signs may be NULL: none does. */
bool f2l_block_is_flipped(const f2l_block_signs *signs, size_t row);

/* Return the number of the vector at the index, NULL where it is zero; whether the code has column
 * `column` of the head on in a view. */
const mpq_t *f2l_block_entry(const f2l_qvec *v, size_t index);
bool f2l_block_is_on(const f2l_layer *layer, const f2l_block_head *head, size_t view, size_t column,
                     size_t code);
/* Set *out to the number of a column in a row of a state; to what a read-out adds up of a code; to
 * c of a factor, in the column. d is the value dimension of the network's head. */
void f2l_block_number(mpq_t out, const f2l_block_column *column, const f2l_qvec *state, size_t d,
                      size_t row);
void f2l_block_sum(mpq_t out, const f2l_layer *layer, const f2l_block_head *head, size_t view,
                   size_t column, size_t code);
void f2l_block_written(mpq_t out, const f2l_block_column *column, const f2l_factor *factor);

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

/* Factor m of the writing tokens of a head: the rows of its initial state that are not zero, each
 * with a write, and a change of sign if its numbers are negative. Returns false beyond the last. */
typedef struct f2l_block_write {
    size_t row;
    bool flip; /* the row changes its sign */
} f2l_block_write;
bool f2l_block_write_at(f2l_block_write *out, const f2l_head *head, size_t m);

/* Returns the digits that number the groups of a layer. */
static inline size_t f2l_block_digits(const f2l_block_layer *layer)
{
    size_t digits = 0;
    while (layer->groups > (size_t)1 << digits) digits++;
    return digits;
}

/* The units of a SwiGLU block are, in this order: the leaves; in the last layer one for the label
 * of the empty word; one for each channel that is taken out of the stream. These are acts, unless
 * the leaves take them out, and but in the last layer bits. */
static inline bool f2l_block_has_start(const f2l_blocks *blocks, size_t layer)
{
    return layer + 1 == blocks->net->layers && blocks->net->start != F2L_NO_INDEX;
}
static inline size_t f2l_block_taken_acts(const f2l_block_layer *layer)
{
    return layer->group_has_act ? 0 : layer->acts;
}
static inline size_t f2l_block_taken_bits(const f2l_blocks *blocks, size_t layer)
{
    return layer + 1 < blocks->net->layers ? blocks->layer[layer].bits : 0;
}

/* Returns the channel that is 1 where write `w` of the prefix is read. */
static inline size_t f2l_block_write_channel(const f2l_blocks *blocks, size_t w)
{
    return blocks->tokens + 1 + w;
}

/* Fill the three maps of the SwiGLU block of a layer. */
void f2l_block_put_gate(f2l_block_matrix *out, const f2l_blocks *blocks, size_t layer);
void f2l_block_put_up(f2l_block_matrix *out, const f2l_blocks *blocks, size_t layer);
void f2l_block_put_down(f2l_block_matrix *out, const f2l_blocks *blocks, size_t layer);

/* Returns digit j of a group's number, as the stream holds it: +1, -1, or 0 beyond the last. */
static inline int f2l_block_digit(const f2l_block_layer *layer, size_t group, size_t j)
{
    if (j >= f2l_block_digits(layer)) return 0;
    return group >> j & 1 ? 1 : -1;
}

/* Returns the letter of the recurrence that does what the act does. */
static inline size_t f2l_block_act_letter(const f2l_blocks *blocks, size_t layer, size_t act)
{
    return layer == 0 ? blocks->layer[0].of_act[act] : act;
}

#endif
