/* The parts of D1; private to d1*.c. Statements: theory/pages/d1.md. */
#ifndef F2L_THEORY_CONSTRUCT_D1_IMPL_H
#define F2L_THEORY_CONSTRUCT_D1_IMPL_H

#include "automata/fsa/rowset.h"
#include "theory/construct/d1/d1.h"
#include "theory/construct/keys/keys.h"

#define F2L_D1_NONE UINT32_MAX

/* So many numbers all tables may have, and the lists of products and of rows. */
#define F2L_D1_ENTRIES ((size_t)1 << 25)

/* Layers count from 1. Each has a head of period 2, but for `lone`. */
typedef struct f2l_d1_clock {
    size_t layers;
    size_t triple; /* the layer that has a head of period 3, too: 1 (two factors), 2 (one factor),
                      0: none */
    bool lone;     /* layer `triple` has no head of period 2 */
} f2l_d1_clock;

/* Tokens that layers 1 .. `layer` count; 1 for layer 0. */
size_t f2l_d1_period(const f2l_d1_clock *clock, size_t layer);

/* The products of letters, as permutations of the points. */
typedef struct f2l_d1_words {
    f2l_rowset element; /* 0 is the identity */
    size_t capacity;
    uint32_t *next; /* [capacity][letters] element and letter; F2L_D1_NONE where nobody asks */
    uint32_t *from, *letter; /* [capacity] it is element `from` and that letter; unused for the
                                identity */
    uint32_t *level, *other; /* [capacity] the products of one length, and room for the next one */
    uint32_t *length;        /* [capacity] of the last level that has the element */
    size_t count;            /* of level[] */
} f2l_d1_words;

/* The products of a block in portions (D1.3). */
typedef struct f2l_d1_parts {
    f2l_rowset factor, rest;       /* 0 is the identity */
    uint32_t *factor_of, *rest_of; /* [elements][block], 0 for elements that are no product of a
                                      block */
} f2l_d1_parts;

/* What the applying head can hold: the code of the start with the points rearranged. */
typedef struct f2l_d1_rows {
    f2l_rowset row; /* 0 is the code of the start */
    size_t capacity;
    uint32_t *edge;  /* [capacity][factors] row after a portion; F2L_D1_NONE where nobody asks */
    uint32_t *state; /* [capacity][rests] state that is meant, position in reach; likewise */
    uint32_t *meant; /* [capacity] state meant at the end of a block; likewise */
    uint32_t *queue; /* [capacity] rows that occur at the end of a block */
    size_t pairs;    /* of them */
} f2l_d1_rows;

typedef struct f2l_d1 {
    f2l_wired *net;
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
    size_t tables, entries;    /* of the network, so far */
    size_t key_dim, value_dim; /* of the applying head */
} f2l_d1;

/* words.level = the products of exactly `length` letters. */
f2l_status f2l_d1_level(f2l_d1 *d, size_t length, f2l_error *err);
void f2l_d1_words_clear(f2l_d1_words *words);

/* The products of exactly a block, and the empty one: for (i = 0; i < f2l_d1_products(d); i++)
 * f2l_d1_product(d, i). */
static inline size_t f2l_d1_products(const f2l_d1 *d)
{
    return d->words.count + 1;
}

static inline uint32_t f2l_d1_product(const f2l_d1 *d, size_t i)
{
    return i ? d->words.level[i - 1] : 0;
}

/* words.level must be that of the block. */
f2l_status f2l_d1_split(f2l_d1 *d, f2l_error *err);
void f2l_d1_parts_clear(f2l_d1_parts *parts);

/* F2L_EDOMAIN when the representation does not tell the states apart. */
f2l_status f2l_d1_close(f2l_d1 *d, f2l_error *err);
void f2l_d1_rows_clear(f2l_d1_rows *rows);

/* What a table gives; `x`: what the rule needs to know beside its inputs. */
typedef uint32_t f2l_d1_value(const f2l_d1 *d, size_t x, const uint32_t *in);

typedef struct f2l_d1_rule {
    f2l_d1_value *value;
    size_t inputs, size[3], values;
    size_t x;
} f2l_d1_rule;

/* A gate with a table of its own, the next one of the network: d->tables - 1 afterwards. */
f2l_status f2l_d1_gate(f2l_d1 *d, f2l_wired_gate *gate, const f2l_d1_rule *rule,
                       const uint32_t *wire, f2l_error *err);

/* Blocks; `layer` counts from 1. */
f2l_status f2l_d1_put_clock(f2l_d1 *d, size_t layer, f2l_error *err);
f2l_status f2l_d1_start_clock(f2l_d1 *d, size_t layer, f2l_error *err); /* initial states of its
                                                                           stage */
f2l_status f2l_d1_put_ring(f2l_d1 *d, f2l_error *err);
f2l_status f2l_d1_put_apply(f2l_d1 *d, char keys[160], f2l_error *err); /* names the key systems */

#endif
