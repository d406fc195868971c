/* The boxes of a layer as a grid (models/net/net.h): checking them, and finding the one that holds
 * a state. Private to models/net. */
#ifndef F2L_BOX_IMPL_H
#define F2L_BOX_IMPL_H

#include "models/net/net.h"
#include "numeric/base/index.h"

/* Of one number of the state: the codes with this number there, and the interval around it.
 * Borrowed. */
typedef struct f2l_box_cell {
    mpq_srcptr number, low, high;
    uint32_t code; /* one of them */
} f2l_box_cell;

typedef struct f2l_box_index {
    const f2l_layer *layer; /* borrowed */
    size_t numbers;         /* of a state, head by head */
    f2l_box_cell *cell;     /* of number k: cell[k * codes], .., count[k] of them, increasing */
    size_t *count;          /* [numbers] */
    uint32_t *place; /* [codes + 1][numbers]: which cell of every number; the last row is scratch */
    f2l_index index; /* of the codes, by these rows */
    mpq_t zero;
    bool ready; /* zero is initialised */
} f2l_box_index;

/* Of a layer with boxes whose vectors fit its dimensions. F2L_EDOMAIN when the boxes are not what
 * models/net/net.h asks; *code (may be NULL) is a code whose box is at fault. Codes must be
 * pairwise distinct. */
f2l_status f2l_box_index_build(f2l_box_index *out, size_t *code, const f2l_layer *layer,
                               f2l_error *err);
void f2l_box_index_clear(f2l_box_index *index); /* one that is zero, too */

/* The code whose box holds state[heads], or F2L_NO_INDEX. Not for two threads at once. */
size_t f2l_box_index_find(const f2l_box_index *index, const f2l_qvec *state);

#endif
