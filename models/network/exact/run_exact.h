/* Running a network in exact rational arithmetic: first its layers, then its stages. */
#ifndef F2L_RUN_EXACT_H
#define F2L_RUN_EXACT_H

#include "models/network/net/net.h"
#include "models/network/net/same_letters.h"

/* Workspace for one network (borrowed until clear): a dense scratch state, an index of the codes of
 * every layer and readout, and the wires of one stage. Every thread needs its own. Stepping costs
 * O(factors * non-zeros of the keys * columns of the state that are not zero), whatever the
 * dimensions. The network must be valid (F2L_EDOMAIN otherwise). */
typedef struct f2l_exact f2l_exact;

f2l_status f2l_exact_new(f2l_exact **out, const f2l_net *net, f2l_error *err);
/* Creates a workspace as f2l_exact_new does, within a task. */
f2l_status f2l_exact_new_within(f2l_exact **out, const f2l_net *net, const f2l_task *task,
                                f2l_error *err);
void f2l_exact_free(f2l_exact *run); /* NULL allowed */

/* Returns the network. */
const f2l_net *f2l_exact_net(const f2l_exact *run);

/* Returns the classes of equal letters of a layer; owned by the run. */
const f2l_same_letters *f2l_exact_same_letters(const f2l_exact *run, size_t layer);

/* Steps one head: out = state after `letter` of that layer. `out` (initialised, replaced) may be
 * `state`. */
f2l_status f2l_exact_step_head(f2l_exact *run, f2l_qvec *out, size_t layer, size_t head,
                               size_t letter, const f2l_qvec *state, f2l_error *err);

/* Returns the code that is equal to the local state given by one qvec per head, or whose box holds
 * the state; F2L_NO_INDEX when there is none. */
size_t f2l_exact_find_code(f2l_exact *run, size_t layer, const f2l_qvec *state);

/* Steps one layer: *to = the code after `letter` from code `from`, F2L_NO_INDEX when there is none.
 * In a layer with boxes *to is the code whose box contains the least box around the image of the
 * box of `from`. */
f2l_status f2l_exact_step_code(f2l_exact *run, size_t *to, size_t layer, size_t letter, size_t from,
                               f2l_error *err);

/* Steps one head of a block by the given values of its slots: values[slots], each a value of its
 * wire; out (initialised, replaced) may be `state`. */
f2l_status f2l_exact_step_slots(f2l_exact *run, f2l_qvec *out, size_t block, size_t head,
                                const uint32_t *values, const f2l_qvec *state, f2l_error *err);

/* Steps one stage by a value of each wire of its inputs, from its readouts' values joint[] to
 * next[], which may be joint[]; output[] gets the wires that it gives. F2L_EDOMAIN as
 * f2l_exact_step. */
f2l_status f2l_exact_step_stage(f2l_exact *run, size_t *next, uint32_t *output, size_t stage,
                                const uint32_t *input, const size_t *joint, f2l_error *err);

/* Returns the letters that the slots of a stage's head read by these inputs, valid until the next
 * call with the run. */
const size_t *f2l_exact_letters(f2l_exact *run, size_t stage, const uint32_t *input, size_t head);

/* Steps the whole network from code to code, by a letter of the network (f2l_letter_class).
 * joint[f2l_net_joint] holds code indices and is updated in place, on success only; *label is the
 * label index. F2L_EDOMAIN when a layer or stage reaches a state that has no code, a pair without
 * a symbol, or joint[] has a value that is no code of its readout: `*layer` is the layer (layer may
 * be NULL). Edges of layers that were seen are remembered, so long runs cost a look-up per letter
 * and layer; a stage costs a look-up per gate, a test of every slot, and arithmetic only where the
 * state is not zero. */
f2l_status f2l_exact_step(f2l_exact *run, size_t *joint, size_t letter, size_t *label,
                          size_t *layer, f2l_error *err);

/* Returns the steps (numeric/base/task.h) that f2l_exact_step has taken. */
uint64_t f2l_exact_work(const f2l_exact *run);

/* Sets joint to the code indices of the initial states; F2L_EDOMAIN when one has no code. */
f2l_status f2l_exact_start(f2l_exact *run, size_t *joint, f2l_error *err);

#endif
