/* The ring of D1 as a part of other networks (theory/pages/d1.md, D1.6): a head that holds the last
 * letters in one row each. */
#ifndef F2L_D1_RING_H
#define F2L_D1_RING_H

#include "models/network/net/wired.h"
#include "numeric/base/task.h"

#define F2L_D1_WRITE_BYTES 600 /* rough size of a factor and a code */

/* Sets the block's only head and its readouts, one for each of `slots` rows. Value i * letters + a
 * of wire `wire` writes letter a into row i; code 0 of a row is empty, code 1 + a is letter a. The
 * caller accounts for the memory. */
f2l_status f2l_d1_ring_put(f2l_wired_block *block, size_t slots, size_t letters, uint32_t wire,
                           const f2l_task *task, f2l_error *err);

#endif
