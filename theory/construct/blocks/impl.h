/* The parts of the construction by blocks; private to this folder. Statements:
 * theory/pages/blocks.md. */
#ifndef F2L_THEORY_CONSTRUCT_BLOCKS_IMPL_H
#define F2L_THEORY_CONSTRUCT_BLOCKS_IMPL_H

#include "automata/fsa/rowset.h"
#include "theory/construct/blocks/blocks.h"

#define F2L_BLOCKS_NONE UINT32_MAX

/* The most numbers in all tables together, and in each list. */
#define F2L_BLOCKS_ENTRIES ((size_t)1 << 25)

/* Added to twice the numbers of the head, which are small, so that they are rows of a set. */
#define F2L_BLOCKS_OFFSET 16

/* How the applying head holds a point (BL.4). */
typedef enum f2l_blocks_form {
    F2L_BLOCKS_SCALAR, /* two points: +1 and -1 */
    F2L_BLOCKS_WRITE,  /* nothing is permuted: one row, one-hot */
    F2L_BLOCKS_DOUBLED /* every point twice, in one column */
} f2l_blocks_form;

/* A level. Elements are products of its letters, as maps of its points; 0 is the identity, and so
 * are portion 0 and remainder 0. */
typedef struct f2l_blocks_level {
    const f2l_cascade *cascade; /* borrowed, like `level` */
    const f2l_level *level;
    size_t l; /* its number, from 1 */
    const f2l_task *task;
    size_t m;                 /* points */
    uint32_t start;           /* the first one */
    f2l_rowset act;           /* the maps that its letters make */
    uint32_t *act_of;         /* [contexts] */
    uint32_t *map;            /* [m] scratch */
    size_t next_symbols;      /* letters of the next level, or labels */
    const uint32_t *label_of; /* on the last level [states], or if `edges` [states][letters];
                                 borrowed */
    bool edges;               /* the labels are outputs of transitions */
    /* Products, once f2l_blocks_products has run. */
    f2l_rowset element;
    size_t capacity;
    uint32_t *next; /* [capacity][acts]; F2L_BLOCKS_NONE where unused */
    uint8_t *whole; /* [capacity] 1: the product of exactly a block of letters */
    /* What the head does, once f2l_blocks_split has run. */
    f2l_blocks_form form;
    size_t n, d;
    size_t block, householders;
    uint32_t *operation; /* [block * householders] scratch: the operations of an element */
    long *state;         /* [n * d] scratch: twice the numbers of the head */
    uint32_t *row;       /* [n * d] scratch: the same as a row of `code` */
    f2l_rowset factor, rest, code; /* code 0 .. m - 1 are the points */
    uint32_t *factor_of, *rest_of; /* [elements][block] */
    uint32_t *meaning;             /* [codes][rests] */
} f2l_blocks_level;

/* Lists the acts of level `l`, which starts at `start`. The caller clears it in every case. */
f2l_status f2l_blocks_level_init(f2l_blocks_level *v, const f2l_cascade *cascade, size_t l,
                                 uint32_t start, const f2l_task *task, f2l_error *err);
void f2l_blocks_level_clear(f2l_blocks_level *v);

/* Lists the products of at most `block` letters; *most becomes the most factors that a product of
 * exactly `block` letters needs. */
f2l_status f2l_blocks_products(f2l_blocks_level *v, size_t block, size_t *most, f2l_error *err);

/* Operations: 0 is none. */
uint32_t f2l_blocks_swap(const f2l_blocks_level *v, size_t i, size_t j);
/* Step number `step` of a reset to `point`. */
uint32_t f2l_blocks_erase(const f2l_blocks_level *v, size_t step, size_t point);
/* Returns the number of operations of a reset. */
size_t f2l_blocks_erases(const f2l_blocks_level *v);
/* Sets the form. */
void f2l_blocks_choose_form(f2l_blocks_level *v);
/* Sets v->state to a point. */
void f2l_blocks_put_point(f2l_blocks_level *v, size_t point);
/* Applies an operation to v->state. */
void f2l_blocks_apply(f2l_blocks_level *v, uint32_t operation);
/* Writes the Householder factor of an operation other than none. */
f2l_status f2l_blocks_factor(f2l_factor *out, const f2l_blocks_level *v, uint32_t operation,
                             f2l_error *err);

/* Cuts the products of a block into portions, and lists the states of the head and their meanings
 * (BL.4). */
f2l_status f2l_blocks_split(f2l_blocks_level *v, size_t householders, f2l_error *err);

/* A network while it is written. */
typedef struct f2l_blocks {
    f2l_net *net;
    const f2l_task *task;
    size_t tables, entries; /* so far */
} f2l_blocks;

/* Returns the number of tables of a level with blocks of B letters. */
size_t f2l_blocks_tables(size_t block);

/* Writes the ring and the applying layer of a level into blocks `at` and at + 1; `last`: of the
 * network. */
f2l_status f2l_blocks_put_level(f2l_blocks *b, const f2l_blocks_level *v, size_t at, bool last,
                                f2l_error *err);

#endif
