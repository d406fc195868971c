/* The parts of D1; private to d1*.c. Statements: theory/pages/d1.md. */
#ifndef F2L_THEORY_CONSTRUCT_D1_IMPL_H
#define F2L_THEORY_CONSTRUCT_D1_IMPL_H

#include "automata/fsa/rowset.h"
#include "theory/construct/d1/d1.h"
#include "theory/construct/keys/keys.h"

#define F2L_D1_NONE UINT32_MAX

/* The most numbers in all tables together, in the list of products, and in the list of rows. */
#define F2L_D1_ENTRIES ((size_t)1 << 25)

#define F2L_D1_CLOCK_LAYERS 24

/* A clock: layers count from 1. points[layer - 1]: the points of the key systems of its heads; 0:
 * there is no second head. */
typedef struct f2l_d1_clock {
    size_t layers;
    size_t points[F2L_D1_CLOCK_LAYERS][2];
} f2l_d1_clock;

/* Returns the period of what layers 1 .. `layer` count, in tokens; 1 for layer 0. */
size_t f2l_d1_period(const f2l_d1_clock *clock, size_t layer);

/* Sets *clock to a clock of `layers` layers with the shortest even period of `least` tokens or
 * more, and of these one with the fewest points (D1.5). F2L_EDOMAIN when there is none; periods
 * above four times `longest` are not tried. */
f2l_status f2l_d1_choose_clock(f2l_d1_clock *clock, size_t layers, size_t householders,
                               size_t least, size_t longest, f2l_error *err);

/* Returns the dyadic system of least dimension for m points (theory/pages/keys.md). */
f2l_key_kind f2l_d1_keys(size_t m);

/* The products of letters, as permutations of the points. */
typedef struct f2l_d1_words {
    f2l_rowset element; /* 0 is the identity */
    size_t capacity;
    /* [capacity][letters] element times letter; F2L_D1_NONE where unused */
    uint32_t *next;
    uint32_t *from, *letter; /* [capacity] the element is `from` times that letter; unused for the
                                identity */
    /* [capacity] products of one length; room for the next length */
    uint32_t *level, *other;
    uint32_t *length; /* [capacity] the last level that has the element */
    size_t count;     /* entries of level[] */
    size_t at;        /* letters of the products in level[], once there are any */
} f2l_d1_words;

/* The products of a block, cut into portions (D1.3). */
typedef struct f2l_d1_parts {
    f2l_rowset factor, rest;       /* 0 is the identity */
    uint32_t *factor_of, *rest_of; /* [elements][block], 0 for elements that are not a product of a
                                      block */
} f2l_d1_parts;

/* The states of the applying head: the code of the start with its points rearranged. */
typedef struct f2l_d1_rows {
    f2l_rowset row; /* 0 is the code of the start */
    size_t capacity;
    uint32_t *edge;  /* [capacity][factors] row after a portion; F2L_D1_NONE where unused */
    uint32_t *state; /* [capacity][rests] the state that the row means, as its position in reach;
                        F2L_D1_NONE where unused */
    /* [capacity] state at the end of a block; F2L_D1_NONE where unused */
    uint32_t *meant;
    uint32_t *queue; /* [capacity] rows that occur at the end of a block */
    size_t pairs;    /* entries of queue[] */
} f2l_d1_rows;

typedef struct f2l_d1 {
    f2l_net *net;
    const f2l_fsa *fsa;
    const f2l_gset *set;
    const f2l_task *task;
    size_t householders, letters, points;
    f2l_reach reach;
    f2l_d1_clock clock;
    size_t block;
    f2l_d1_words words;
    f2l_d1_parts parts;
    f2l_d1_rows rows;
    uint32_t *product;         /* [points] scratch */
    size_t tables, entries;    /* of the network so far */
    size_t key_dim, value_dim; /* of the applying head */
    bool crowded; /* there are more products than may be listed, or tables of them are too large */
} f2l_d1;

/* Sets words.level to the products of exactly `length` letters; a longer length than the last one
 * goes on from there. */
f2l_status f2l_d1_level(f2l_d1 *d, size_t length, f2l_error *err);
void f2l_d1_words_clear(f2l_d1_words *words);

/* Returns the number of products of exactly a block together with the empty one; f2l_d1_product(d,
 * i) returns product i of these. */
static inline size_t f2l_d1_products(const f2l_d1 *d)
{
    return d->words.count + 1;
}

static inline uint32_t f2l_d1_product(const f2l_d1 *d, size_t i)
{
    return i ? d->words.level[i - 1] : 0;
}

/* Cuts the products into portions; words.level must hold the products of a block. */
f2l_status f2l_d1_split(f2l_d1 *d, f2l_error *err);
void f2l_d1_parts_clear(f2l_d1_parts *parts);

/* Lists the rows. Returns F2L_EDOMAIN when the representation does not separate the states. */
f2l_status f2l_d1_close(f2l_d1 *d, f2l_error *err);
void f2l_d1_rows_clear(f2l_d1_rows *rows);

/* Returns an entry of a table; `x` is the rule's parameter beside its inputs. */
typedef uint32_t f2l_d1_value(const f2l_d1 *d, size_t x, const uint32_t *in);

/* Entries for (count, slot x of the ring): the letter if it belongs to the block before, where x
 * may be any slot of the same half; and if it belongs to the present block. */
f2l_d1_value f2l_d1_before, f2l_d1_present;

typedef struct f2l_d1_rule {
    f2l_d1_value *value;
    size_t inputs, size[3], values;
    size_t x;
} f2l_d1_rule;

/* Adds a gate with a new table of its own, whose number is then d->tables - 1. */
f2l_status f2l_d1_gate(f2l_d1 *d, f2l_wired_gate *gate, const f2l_d1_rule *rule,
                       const uint32_t *wire, f2l_error *err);

/* The gates behind a block's readouts while they are written, in the order of their wires. */
typedef struct f2l_d1_writer {
    f2l_d1 *d;
    f2l_wired_block *block;
    uint32_t wire, post; /* of the next gate */
} f2l_d1_writer;

/* Returns a writer at the first gate; the block's readouts must have been made. */
f2l_d1_writer f2l_d1_write_posts(f2l_d1 *d, f2l_wired_block *block);
/* Write a gate with a new table, or with table `table`. */
f2l_status f2l_d1_put(f2l_d1_writer *w, const f2l_d1_rule *rule, const uint32_t *in,
                      f2l_error *err);
f2l_status f2l_d1_put_again(f2l_d1_writer *w, size_t table, const uint32_t *in, f2l_error *err);
/* Writes the masked letters of the block before (`old`) or of the present block behind a ring, on
 * the wires from *first on. */
f2l_status f2l_d1_put_masks(f2l_d1_writer *w, bool old, uint32_t *first, f2l_error *err);

/* Add the blocks; `layer` counts from 1. */
f2l_status f2l_d1_put_clock(f2l_d1 *d, size_t layer, f2l_error *err);
f2l_status f2l_d1_start_clock(f2l_d1 *d, size_t layer, f2l_error *err); /* sets the stage's initial
                                                                           states */
f2l_status f2l_d1_put_ring(f2l_d1 *d, f2l_error *err);
/* Adds the ring's inputs, pre gate and head, and room for its other gates and its outputs. */
f2l_status f2l_d1_put_ring_head(f2l_d1 *d, size_t posts, size_t outputs, f2l_error *err);
/* describes the keys */
f2l_status f2l_d1_put_apply(f2l_d1 *d, char keys[160], f2l_error *err);

#endif
