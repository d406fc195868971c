/* The boxes of a layer (models/network/net/net.h): a check of the boxes, and a search for the box
 * that holds a state. */
#ifndef F2L_BOX_IMPL_H
#define F2L_BOX_IMPL_H

#include "models/network/net/net.h"
#include "numeric/base/index.h"

/* Most comparisons of numbers where codes are compared pair by pair. */
#define F2L_BOX_PAIRS ((size_t)1 << 26)

/* A cell of one number of the state: the codes with this number there, and the interval around it.
 * The numbers are borrowed. */
typedef struct f2l_box_cell {
    mpq_srcptr number, low, high;
    uint32_t code; /* one of these codes */
} f2l_box_cell;

typedef struct f2l_box_index {
    const f2l_layer *layer; /* borrowed */
    size_t numbers;         /* numbers of a state, head by head */
    f2l_box_cell *cell;     /* cells of number k: cell[k * codes], .., count[k] of them,
                             * increasing */
    size_t *count;          /* [numbers] */
    uint32_t *place; /* [codes + 1][numbers]: the cell of every number; the last row is scratch */
    f2l_index index; /* hashed set of the codes, by these rows */
    bool grid;       /* numbers keep the boxes apart; else cells are not used */
    mpq_t zero, twice, sum, most; /* the last three are scratch */
    bool ready;                   /* these are initialised */
} f2l_box_index;

/* Builds the index of a layer with boxes whose vectors fit its dimensions. F2L_EDOMAIN when the
 * boxes are not as models/network/net/net.h requires; *code (may be NULL) is then a code whose box
 * is at fault. Codes must be pairwise distinct. */
f2l_status f2l_box_index_build(f2l_box_index *out, size_t *code, const f2l_layer *layer,
                               f2l_error *err);
void f2l_box_index_clear(f2l_box_index *index); /* a zeroed index is allowed */

/* Returns the code whose box holds state[heads], or F2L_NO_INDEX. Two threads must not call it on
 * one index at once. */
size_t f2l_box_index_find(f2l_box_index *index, const f2l_qvec *state);

#endif
