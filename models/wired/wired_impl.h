/* Inside of wired networks; private to models/wired. */
#ifndef F2L_WIRED_IMPL_H
#define F2L_WIRED_IMPL_H

#include "models/wired/wired.h"

/* A head to be filled slot by slot, for readers that do not know how many values the later slots have: begin
 * makes room for `slots` of them and leaves head->slots at 0; add makes the next one. *capacity, 0 at first,
 * is that of head->head.letter. On failure the head stays as it was before the call. */
f2l_status f2l_wired_head_begin(f2l_wired_head *head, size_t n, size_t d, size_t slots, f2l_error *err);
f2l_status f2l_wired_head_add(f2l_wired_head *head, size_t *capacity, uint32_t wire, size_t size,
                              f2l_error *err);

/* Stages one by one, likewise: begin makes `stages` of them without initial states; set gives stage l a block
 * of the network and zero initial states. */
f2l_status f2l_wired_stages_begin(f2l_wired *net, size_t stages, f2l_error *err);
f2l_status f2l_wired_stage_set(f2l_wired *net, size_t l, size_t block, f2l_error *err);

/* How many values one wire of the block has. */
size_t f2l_wired_wire_size(const f2l_wired *net, const f2l_wired_block *block, size_t wire);

/* One past the wires that slots may read: inputs and pre gates. */
static inline size_t f2l_wired_slot_wires(const f2l_wired_block *block)
{
    return block->inputs + block->pres;
}

/* F2L_EDOMAIN unless stage l takes the wires that the one before gives (the first: the letter), and the last
 * stage gives the label; the stages up to l must have valid blocks. */
f2l_status f2l_wired_check_joint(const f2l_wired *net, size_t l, f2l_error *err);

/* A readout as a layer of models/net, for its code index and its decoder: one head of the readout's rows, no
 * letters. Borrows the codes; must not move, for the layer points to its head. */
typedef struct f2l_wired_view {
    f2l_head head;
    f2l_layer layer;
} f2l_wired_view;

static inline void f2l_wired_view_set(f2l_wired_view *view, const f2l_wired_readout *readout, size_t d)
{
    view->head = (f2l_head){.n = readout->rows, .d = d};
    view->layer =
        (f2l_layer){.heads = 1, .head = &view->head, .codes = readout->codes, .code = readout->code};
}

/* The most values of a wire, and the most wires of a block: numbers of either fit uint32_t, F2L_NO_SYMBOL
 * apart. */
#define F2L_WIRED_MOST ((size_t)UINT32_MAX - 1)

#endif
