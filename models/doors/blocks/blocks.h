/* A network in layers as blocks of a stock model (theory/pages/stock.md).
 *
 * Layer l of the network becomes block l: a norm, heads of a delta rule, a norm, a SwiGLU block.
 * A head answers, for each of its columns, one question about a head of the network: whether a sum
 * of numbers of the state exceeds a threshold (a *bit*, +1 or -1). The SwiGLU block has a *unit*
 * for each leaf of a decision tree over the bits, which gives the next layer's letter or the label.
 * It also takes the block's bits and its letter out of the stream, so that all blocks use the same
 * channels.
 *
 * The states of the heads start at zero, so a word is read after a *prefix* of tokens that write
 * H_0. It has a multiple of 64 tokens, so that it fills whole chunks (EB.2). */
#ifndef F2L_BLOCKS_H
#define F2L_BLOCKS_H

#include "models/network/net/net.h"
#include "numeric/format/format.h"

/* What the layers of a stock model can do. */
typedef struct f2l_block_class {
    bool silu_keys;    /* keys and queries go through SiLU; else they are what the projection
                          gives. Values always do */
    bool signed_keys;  /* with silu_keys: small keys of both signs may be used where keys cannot be
                          made non-negative */
    size_t factors;    /* most factors a token; 0: no limit */
    size_t width;      /* least width, a power of two; 0: 16 */
    const char *other; /* name of the target without this limit; NULL where there is no limit */
} f2l_block_class;

#define F2L_BLOCK_SUM 3      /* most rows that a read-out adds */
#define F2L_BLOCK_COLUMNS 16 /* value dimension of a head */

/* A column of a head: factor times the sum of columns `of` of the network's head, plus shift in
 * every row. */
typedef struct f2l_block_column {
    uint32_t *of; /* [count] increasing */
    size_t count;
    mpq_t factor, shift;
} f2l_block_column;

/* What the query of a head reads: the sum of some rows of the network's head. */
typedef struct f2l_block_read {
    size_t row[F2L_BLOCK_SUM], rows;
    bool negated; /* the recurrence has changed the sign of the rows */
} f2l_block_read;

/* A head of a block. The letter that the block reads chooses the *view*, and so the read-out: bit j
 * is on where the sum of its rows, in column j, is greater than the threshold. No code's sum is
 * equal to it. In a packed layer all sums are 0 or 1, and the threshold is 1/2. */
typedef struct f2l_block_head {
    size_t from; /* the network's head */
    f2l_block_column *column;
    size_t columns;
    f2l_block_read *read; /* [views] */
    mpq_t threshold;
    size_t bit;       /* of column 0 */
    bool minus, plus; /* has a row with minus the threshold, with the threshold: for read-outs of
                         rows with their sign, and of negated rows */
} f2l_block_head;

/* A unit of the SwiGLU block, on where the letter belongs to the group and every bit of the list
 * is as listed. */
typedef struct f2l_block_unit {
    uint32_t group, symbol;
    size_t first, bits; /* its part of f2l_block_layer.term */
} f2l_block_unit;

typedef struct f2l_block_layer {
    f2l_block_head *head; /* [heads] */
    size_t heads, bits;
    bool packed;    /* else every head has one column */
    uint32_t *view; /* [letters] */
    size_t views;
    uint32_t *act; /* [letters] letters of an act do the same in all heads, and have one view */
    size_t acts;
    uint32_t *of_act; /* [acts] a letter of the act */
    uint32_t *group;  /* [letters] letters of a group are decoded alike, and have one view */
    size_t groups;
    uint32_t *of_group;   /* [groups] a letter of the group */
    bool group_has_act;   /* letters of a group have one act */
    f2l_block_unit *unit; /* [units] */
    size_t units;
    int32_t *term; /* [terms] bit b is on: b + 1; off: -(b + 1) */
    size_t terms;
    size_t unit_capacity, term_capacity;
} f2l_block_layer;

typedef struct f2l_blocks {
    const f2l_net *net; /* borrowed */
    const f2l_block_class *class;
    const f2l_format *format; /* of weights and activations: bf16 or fp16 */
    f2l_block_layer *layer;   /* [net->layers] */
    /* The heads' recurrence. Its heads have the columns of the blocks' heads, and one or two more
     * rows, which hold minus the threshold and the threshold. States are the columns times `scale`,
     * with the signs of some rows changed. Layer 1 has the network's letters, the others have acts.
     */
    f2l_net recurrence;
    bool positive_keys; /* no key has a negative coordinate */
    double scale;       /* a power of two */
    double raw;         /* the largest coordinate of a key before it is normalised */
    size_t key_dim;     /* 16, 64 or 256, for all heads */
    size_t value_dim;   /* F2L_BLOCK_COLUMNS */
    size_t factors;     /* a token, for all heads */
    size_t heads;       /* of every layer; those beyond a layer's own do nothing */
    size_t writes;      /* tokens of the prefix that write; the last of them begins the word */
    size_t prefix;      /* tokens of the prefix, a multiple of 64; the first are padding */
    size_t vocab;       /* letters, then the padding token, then the writing tokens; or the number
                           of labels, if that is greater */
    /* Coordinates of the stream. */
    size_t width;     /* a power of two */
    size_t constants; /* channels 0 .. constants - 1 hold `constant` */
    double constant;  /* a power of two */
    size_t letter;    /* the channel that is 1 in the stream of every letter */
    size_t tokens;    /* first channel of the padding and the writing tokens */
    size_t symbols;   /* first channel of the acts, one of which is 1, and of the labels */
    size_t digits;    /* first channel of the digits of a group, +1 or -1 */
    size_t bits;      /* first channel of the bits */
    size_t inner;     /* units of a SwiGLU block */
} f2l_blocks;

/* Plans the blocks. F2L_EDOMAIN with the reason where a network has no such form: keys that no
 * binary format holds, gates, biases, boxes, more factors than the class takes, key dimensions over
 * 253, more than 2^26 numbers in a table. `net` and `class` must outlive the plan. */
f2l_status f2l_blocks_plan(f2l_blocks *out, const f2l_net *net, const f2l_block_class *class,
                           const f2l_format *format, f2l_error *err);
void f2l_blocks_init(f2l_blocks *blocks);
void f2l_blocks_clear(f2l_blocks *blocks);

/* Token numbers of the prefix. */
static inline size_t f2l_blocks_padding(const f2l_blocks *blocks)
{
    return blocks->net->letters.count;
}
static inline size_t f2l_blocks_writing(const f2l_blocks *blocks, size_t write)
{
    return blocks->net->letters.count + 1 + write;
}
/* Returns token `i` < blocks->prefix of the prefix. */
static inline size_t f2l_blocks_prefix(const f2l_blocks *blocks, size_t i)
{
    const size_t padding = blocks->prefix - blocks->writes;
    return i < padding ? f2l_blocks_padding(blocks) : f2l_blocks_writing(blocks, i - padding);
}

/* The tensors of a block, in the order of the projections of a delta rule. */
typedef enum f2l_block_part {
    F2L_BLOCK_QUERY,  /* [heads key_dim, width] */
    F2L_BLOCK_KEY,    /* [factors heads key_dim, width], row (factor heads + head) key_dim + i */
    F2L_BLOCK_VALUE,  /* [factors heads value_dim, width], rows likewise */
    F2L_BLOCK_BETA,   /* [factors heads, width], rows likewise; before the sigmoid */
    F2L_BLOCK_OUTPUT, /* [width, heads value_dim] */
    F2L_BLOCK_GATE,   /* [inner, width] of the SwiGLU block */
    F2L_BLOCK_UP,     /* [inner, width] */
    F2L_BLOCK_DOWN,   /* [width, inner] */
    F2L_BLOCK_PARTS
} f2l_block_part;

/* A matrix of numbers of the format, each as its 16 bits. */
typedef struct f2l_block_matrix {
    const f2l_format *format;
    size_t rows, columns;
    uint16_t *number; /* [rows][columns] owned */
    bool rounded;     /* a number was no value of the format */
} f2l_block_matrix;

/* Make a zero matrix; set a number, or remember that the format does not have it; free. */
f2l_status f2l_block_matrix_init(f2l_block_matrix *matrix, const f2l_format *format, size_t rows,
                                 size_t columns, f2l_error *err);
void f2l_block_matrix_put(f2l_block_matrix *matrix, size_t row, size_t column, double x);
void f2l_block_matrix_clear(f2l_block_matrix *matrix);

/* Sets the shape of a part of a block. */
void f2l_block_part_shape(size_t *rows, size_t *columns, const f2l_blocks *blocks,
                          f2l_block_part part);
/* Make a part of block `layer`; the embedding [vocab, width]; the map to the labels [vocab, width].
 * F2L_EDOMAIN where a number has no value of the format that gives it. */
f2l_status f2l_block_part_make(f2l_block_matrix *out, const f2l_blocks *blocks, size_t layer,
                               f2l_block_part part, f2l_error *err);
f2l_status f2l_blocks_embedding(f2l_block_matrix *out, const f2l_blocks *blocks, f2l_error *err);
f2l_status f2l_blocks_labels(f2l_block_matrix *out, const f2l_blocks *blocks, f2l_error *err);
/* Returns the weight of every coordinate of a norm of the stream. */
double f2l_blocks_norm(const f2l_blocks *blocks);

#endif
