/* Wired networks (models/network/net/wired.h): stages of blocks, whose circuits of table look-ups
 * carry numbers between the heads. Blocks, heads and readouts are defined in reader.h; this header
 * has the circuits, and a pass over all stages. */
#ifndef CHECK_WIRED_H
#define CHECK_WIRED_H

#include "theory/check/claim.h"

/* value[entries], the last input fastest; values count from 0. */
struct lookup {
    uint32_t *size, *value;
    size_t inputs, values, entries;
};

/* Table look-ups that give the wires from `first` on. reads: number of wires that they read in all;
 * line: the line of the first one. */
typedef struct circuit {
    struct gate {
        const struct lookup *table;
        uint32_t *wire;
    } * gate;
    size_t gates, first, reads, line;
} circuit;

/* The wires of a block: inputs, pre gates, readouts, post gates. numbers reads, gives: equal only
 * for equal sizes of inputs or of outputs. */
struct circuits {
    size_t inputs, outputs, wires, capacity, reads, gives;
    uint32_t *size, *output; /* [wires], [outputs] */
    circuit pre, post;
    uint32_t *value, *given; /* scratch: values of [wires] and of [outputs] */
};

/* Reads the lines after `start`. */
void read_wired(network *net, text *t, size_t letters);
/* Computes the gates' wires from the wires before them. */
void look_up(uint32_t *wire, const circuit *c);
/* program.pass for wired networks and for layers. */
size_t pass_wired(problem *x, const text *t, const char *what, const level *y, size_t letter,
                  const uint32_t *from, const uint32_t *to);

/* claim zeiger (zeiger.c), claim d1 (d1.c) */
void read_zeiger(problem *x, text *t);
void check_zeiger(problem *x, text *t);
void read_d1(problem *x, text *t);
void check_d1(problem *x, text *t);
/* claim blocks (blocks.c) */
void read_blocks(problem *x, text *t);
void check_blocks(problem *x, text *t);
/* claim points (points.c) */
void read_points(problem *x, text *t);
void check_points(problem *x, text *t);
/* claim product (product.c) */
void read_product(problem *x, text *t);
void check_product(problem *x, text *t);

/* Networks of layers over Q and wired ones, and the claims on them in exact arithmetic. */
enum { EXACT_CLAIMS = 7 };
extern const grammar wired_grammar;
extern const claim exact_claims[EXACT_CLAIMS];

#endif
