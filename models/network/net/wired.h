/* Wired networks: stacked linear RNN layers whose tokens are tuples of wires, joined by circuits of
 * table look-ups. They are smaller than tables per letter: a layer that reads 4^n letters reads n
 * pairs of bits here, and a part of a decoder that depends on few wires is a small table.
 *
 * A wire carries a value 0 .. size-1. The stages of a network follow each other; each is an
 * occurrence of a block, and stages may share a block. A block numbers its wires in this order:
 *
 *     inputs        the outputs of the stage before; in the first stage one wire, the letter or
 *                   its class
 *     pre gates     wire = table[wires before it]
 *     readouts      codes of the heads' states after the step
 *     post gates    wire = table[wires before it]
 *
 * and names its outputs among them. Every head holds S in Q^{n x d}. It has at least one slot. Each
 * slot reads one wire that is an input or a pre gate; the head does, slot 1 first, the transition
 * that the slot has for the wire's value (models/network/net/net.h: gate, then Householder
 * factors). So all slots together are one DeltaProduct step whose factors are chosen by different
 * wires. A readout decodes a block of rows of one head: its codes are pairwise distinct, and its
 * value is the number of the code. The rows of a head are divided among its readouts without gap or
 * overlap, so that the readouts of a stage determine the stage's state.
 *
 * A block without heads is only a circuit and not a layer of a network. The last stage has one
 * output, the label. The empty word has the label `start`. */
#ifndef F2L_WIRED_H
#define F2L_WIRED_H

#include "models/network/net/net.h"

typedef struct f2l_wired_table {
    size_t inputs;   /* may be 0: a constant */
    size_t *size;    /* [inputs] sizes of the wires that the table reads */
    size_t values;   /* size of the wire that the table gives */
    size_t entries;  /* product of the sizes */
    uint32_t *value; /* [entries] the last input runs fastest; each < values */
} f2l_wired_table;

typedef struct f2l_wired_gate {
    size_t table;
    uint32_t *wire; /* [inputs of the table] */
} f2l_wired_gate;

typedef struct f2l_wired_head {
    f2l_head head; /* letter [slot_at[slots]]: value v of slot j is letter slot_at[j] + v. `initial`
                    * is empty: initial states belong to stages. Over Q and without a form */
    size_t slots;
    uint32_t *wire;  /* [slots] */
    size_t *slot_at; /* [slots + 1] */
} f2l_wired_head;

typedef struct f2l_wired_readout {
    size_t head, row, rows; /* rows row .. row + rows - 1 */
    size_t codes;
    f2l_qvec *code; /* [codes], index = (row of the head - row) * d + column */
} f2l_wired_readout;

typedef struct f2l_wired_block {
    size_t inputs;
    size_t *input_size; /* [inputs] */
    size_t pres, heads, readouts, posts;
    f2l_wired_gate *pre;        /* [pres] */
    f2l_wired_head *head;       /* [heads] */
    f2l_wired_readout *readout; /* [readouts] by head, then by row */
    f2l_wired_gate *post;       /* [posts] */
    size_t outputs;
    uint32_t *output; /* [outputs] wires */
} f2l_wired_block;

typedef struct f2l_wired_stage {
    size_t block;
    size_t heads;      /* of the block */
    f2l_qvec *initial; /* [heads], index = row * d + column */
} f2l_wired_stage;

/* Frees tables, blocks and stages. */
void f2l_wired_clear(f2l_net *net);

/* Functions that build a network. Arrays come zeroed, every mpq and qvec in them initialised, gates
 * of transitions 1; old contents are cleared first; on failure the part is left empty. */
f2l_status f2l_wired_set_tables(f2l_net *net, size_t tables, f2l_error *err);
f2l_status f2l_wired_set_blocks(f2l_net *net, size_t blocks, f2l_error *err);
/* Makes the stages, after all blocks have their heads: block_of[stages]. F2L_EDOMAIN when one is
 * not a block. */
f2l_status f2l_wired_set_stages(f2l_net *net, size_t stages, const size_t *block_of,
                                f2l_error *err);
/* Makes a table with zero entries. F2L_EDOMAIN beyond F2L_MAX_TABLE entries. */
f2l_status f2l_wired_table_set(f2l_wired_table *table, size_t inputs, const size_t *size,
                               size_t values, f2l_error *err);
f2l_status f2l_wired_block_set_inputs(f2l_wired_block *block, size_t inputs, const size_t *size,
                                      f2l_error *err);
/* Makes the arrays pre, head, readout, post and output, with empty elements. */
f2l_status f2l_wired_block_set(f2l_wired_block *block, size_t pres, size_t heads, size_t readouts,
                               size_t posts, size_t outputs, f2l_error *err);
f2l_status f2l_wired_gate_set(f2l_wired_gate *gate, size_t table, size_t inputs,
                              const uint32_t *wire, f2l_error *err);
/* Makes the slots of a head: wire[slots], and size[slots], the number of values of each wire. */
f2l_status f2l_wired_head_set(f2l_wired_head *head, size_t n, size_t d, size_t slots,
                              const uint32_t *wire, const size_t *size, f2l_error *err);
f2l_status f2l_wired_readout_set(f2l_wired_readout *readout, size_t head, size_t row, size_t rows,
                                 size_t codes, f2l_error *err);

/* Fill a head slot by slot, for readers that do not know the number of values of later slots: begin
 * makes room for `slots` slots and leaves head->slots at 0; add makes the next slot. *capacity, 0
 * at first, is the capacity of head->head.letter. On failure the head stays as it was before the
 * call. */
f2l_status f2l_wired_head_begin(f2l_wired_head *head, size_t n, size_t d, size_t slots,
                                f2l_error *err);
f2l_status f2l_wired_head_add(f2l_wired_head *head, size_t *capacity, uint32_t wire, size_t size,
                              f2l_error *err);

/* Fill stages one by one: begin makes `stages` stages without initial states; set gives stage l a
 * block of the network and zero initial states. */
f2l_status f2l_wired_stages_begin(f2l_net *net, size_t stages, f2l_error *err);
f2l_status f2l_wired_stage_set(f2l_net *net, size_t l, size_t block, f2l_error *err);

/* Returns one past the last wire that slots may read: inputs and pre gates. */
static inline size_t f2l_wired_slot_wires(const f2l_wired_block *block)
{
    return block->inputs + block->pres;
}

/* Returns the number of values of one wire of the block. */
size_t f2l_wired_wire_size(const f2l_net *net, const f2l_wired_block *block, size_t wire);

/* Return the number of wires of a block, of the first readout's wire, and of the first post
 * gate's. */
size_t f2l_wired_wires(const f2l_wired_block *block);
size_t f2l_wired_first_readout(const f2l_wired_block *block);
size_t f2l_wired_first_post(const f2l_wired_block *block);
/* Fills sizes [f2l_wired_wires]; the block must have passed f2l_wired_validate or be built at least
 * up to its tables. */
void f2l_wired_sizes(size_t *sizes, const f2l_net *net, const f2l_wired_block *block);

/* Adds the figures of all stages and tables (f2l_net_measure). */
void f2l_wired_measure(f2l_net_size *out, const f2l_net *net);
/* Returns the figures of one stage with this block, but not its table entries and parameters. */
f2l_net_size f2l_wired_measure_block(const f2l_wired_block *block);

/* Returns the sum over the slots of a head of the most factors of a value. */
size_t f2l_wired_head_factors(const f2l_wired_head *head);

/* Fails with F2L_EDOMAIN unless everything above holds, 0 <= beta <= 2, u != 0, 0 <= gate <= 1,
 * indices in range, wires given before they are read and of the sizes that the table expects,
 * outputs of a stage of the sizes that the next stage reads, one first input of the letters' size,
 * one last output of the labels' size, initial states in range, limits of models/network/net/net.h.
 * The text names block, gate, head, slot (1-based). fsa_sha256 is not checked. */
f2l_status f2l_wired_validate(const f2l_net *net, f2l_error *err);

/* Return the steps (numeric/base/task.h) of looking at all weights, or of rounding them; and of one
 * letter. */
uint64_t f2l_wired_weigh(const f2l_net *net);
uint64_t f2l_wired_letter_steps(const f2l_net *net);

/* Write and read the text form (grammar in models/network/wired/wired_write.c), one spelling per
 * value, as f2l_net_write and f2l_net_read do: inverse of each other, everything else refused with
 * line and column, memory proportional to the bytes read. The first line is "lrnn-wired 2". */
f2l_status f2l_wired_write(f2l_buf *out, const f2l_net *net, f2l_error *err);
f2l_status f2l_wired_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err);

/* --- for the folders of models --- */

/* Fails with F2L_EDOMAIN unless stage l takes the wires that the stage before gives (the first: the
 * letter), and the last stage gives the label; the stages up to l must have valid blocks. */
f2l_status f2l_wired_check_joint(const f2l_net *net, size_t l, f2l_error *err);

/* A readout as a layer of models/network/net, for its code index and its decoder: one head of the
 * readout's rows, no letters. Borrows the codes; it must not be moved, because the layer points
 * to its head. */
typedef struct f2l_wired_view {
    f2l_head head;
    f2l_layer layer;
} f2l_wired_view;

static inline void f2l_wired_view_set(f2l_wired_view *view, const f2l_wired_readout *readout,
                                      size_t d)
{
    view->head = (f2l_head){.n = readout->rows, .d = d};
    view->layer = (f2l_layer){
        .heads = 1, .head = &view->head, .codes = readout->codes, .code = readout->code};
}

/* The most values of a wire, and the most wires of a block: both numbers fit uint32_t and differ
 * from F2L_NO_SYMBOL. */
#define F2L_WIRED_MOST ((size_t)UINT32_MAX - 1)

#endif
