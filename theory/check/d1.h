/* What claims d1 and points share: the clock, the ring, and what their certificates say. */
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
    size_t clock, elements, heads, rows, codes, values, steps, line; /* heads: of the clock; line:
                                                                        of the first step */
    uint32_t *count;                                                 /* [2B + 1][heads] */
    words *words;                                                    /* [B + 1] */
    uint32_t *row, *act, *mean, *step_at;
    step *step;
    const struct lookup *product, *portion, *rest, *meaning; /* T, F, R, M */
} d1;

/* Reads the lines `count`. */
void read_counts_of_clock(form *f, text *t);
/* Checks layer l of the clock. Wires: letter, a constant or the count of the layer below, codes,
 * count. */
void check_count(form *f, size_t l);
/* Checks that there are these numbers of heads and readouts, and that the heads have one slot,
 * which reads the wire. Goes on to the post gates. */
void check_heads(form *f, size_t heads, size_t readouts, uint32_t wire);
/* Checks the head of the ring and its readouts. */
void check_ring_head(const form *f, size_t rows);
/* Checks D1.8 (a). t: the first of the lines `count`, then the one after the last. */
void check_clock(form *f, text *t);

#endif
