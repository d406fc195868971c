/* The parts of claim d1 that claim blocks shares (d1.c). A level is a ring, block `ring` from 0,
 * and the applying block after it. */
#ifndef CHECK_D1_H
#define CHECK_D1_H

#include "theory/check/form.h"

typedef struct words {
    uint32_t *element;
    size_t count;
} words;

typedef struct step {
    uint32_t from, value, to;
    bool used;
} step;

/* row[element]: 1 + its row in act[rows][classes], or 0. mean[code]: 1 + its class, or 0.
 * step_at[code * values + value]: 1 + the step, or 0. */
typedef struct d1 {
    size_t clock, heads; /* layers and heads of the clock */
    size_t ring, elements, rows, codes, values, steps;
    size_t first, line; /* lines: the first one of words, and of steps */
    uint32_t *count;    /* [2B + 1][heads] */
    words *words;       /* [B + 1] */
    uint32_t *row, *act, *mean, *step_at;
    step *step;
    const struct lookup *product, *portion, *rest, *meaning; /* T, F, R, M */
} d1;

/* Reads the lines `count` of the clock's blocks. */
void read_counts_of_clock(form *f, text *t);
/* Reads the lines `words`, `element`, `code` and `step` of the level f->d1, whose applying block
 * has a readout, and whose states and letters are f->n and f->k. */
void read_d1_level(form *f, text *t);

/* Checks layer l of the clock. Wires: letter, a constant or the count of the layer below, codes,
 * count. */
void check_count(form *f, size_t l);
/* Checks D1.8 (a). t: the first of the lines `count`, then the one after the last. */
void check_clock(form *f, text *t);
/* Checks that there are these numbers of heads and readouts, and that the heads have one slot,
 * which reads the wire. Goes on to the post gates. */
void check_heads(form *f, size_t heads, size_t readouts, uint32_t wire);
/* Checks the ring's head: what each value writes, and the readouts. */
void check_ring_head(const form *f, size_t rows);
/* Checks the chain of products of the rows from the wire `before` on; the first gate has element 1
 * in place of a wire. */
uint32_t check_chain(form *f, size_t rows, uint32_t before);
/* Checks D1.8 (b), (d) and (e) of the level f->d1, whose circuits have been checked. Returns 1 +
 * the state that its head's initial state means. */
uint32_t check_d1_level(form *f, text *t);

#endif
