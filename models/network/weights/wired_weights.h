/* weights.safetensors of a wired network: everything needed to run it. Types, rounding, padding,
 * alignment and header are as for ordinary networks (models/network/weights/weights.h); everything
 * counts from 0; integers are I32.
 *
 *   tables.{t}                     [sizes of its inputs], [] when it has none; the values
 *   blocks.{b}.inputs              [inputs] sizes of the input wires
 *   blocks.{b}.pre.table           [pres] table of every gate
 *   blocks.{b}.pre.wire_at         [pres + 1] gate g reads wire[wire_at[g]] ..
 *                                  wire[wire_at[g + 1] - 1]
 *   blocks.{b}.pre.wire            [wire_at[pres]]
 *   blocks.{b}.post.table          [posts]; likewise .post.wire_at and .post.wire
 *   blocks.{b}.outputs             [outputs] wires
 *   blocks.{b}.heads.{h}.slot_wire [slots] wire that the slot reads
 *   blocks.{b}.heads.{h}.slot_at   [slots + 1] value v of slot j is letter slot_at[j] + v
 *   blocks.{b}.heads.{h}.beta, .key, .value, .gate
 *                                  as in models/network/weights/weights.h, over slot_at[slots]
 * letters blocks.{b}.readouts.head, .row, .rows
 *                                  [readouts] rows row .. row + rows - 1 of that head
 *   blocks.{b}.readouts.codes_at   [readouts + 1] value v of readout r is code codes_at[r] + v
 *   blocks.{b}.readouts.codes      [codes, w] code = its rows one after the other, d numbers each;
 *                                  w is the most of a readout of the block, shorter ones are padded
 *                                  with 0
 *   stages                         [stages] block of each
 *   stages.{s}.heads.{h}.initial   [n, d]
 *
 * Wires of a block are numbered inputs, pre gates, readouts, post gates
 * (models/network/net/wired.h). One token: the first stage reads the letter, each other stage the
 * outputs of the stage before; a stage computes its pre gates, steps every head by the letters that
 * its slots choose, slot 0 first, and factor 0 of a letter first,
 *
 *     S <- gate S        S <- S - beta key (key^T S - value^T),
 *
 * computes its readouts, the code nearest to the rows, and its post gates. The last output is the
 * label.
 *
 * When the dense tensors exceed 64 MiB, keys, values and codes are stored as .key_index (I32) and
 * .key_value, .value_index and .value_value, .readouts.codes_index and .codes_value, with index -1
 * as padding; initial states as .initial_index, row d + column, and .initial_value, [entries] both,
 * and n and d of a head's state are in blocks.{b}.heads.{h}.shape.
 *
 * Metadata strings are the strings of ordinary networks, and kind ("wired"), labels (JSON array),
 * start (number of the empty word's label). */
#ifndef F2L_WIRED_WEIGHTS_H
#define F2L_WIRED_WEIGHTS_H

#include "models/network/weights/safetensors.h"

/* Registers the numbers of the blocks and stages of file->owner, which f2l_safetensors_hold looks
 * at, and adds their tensors. */
void f2l_wired_weights_hold(f2l_safetensors *file);
void f2l_wired_weights_add(f2l_safetensors *file);

#endif
