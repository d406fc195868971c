/* The clock of D1 as a part of other networks (theory/pages/d1.md, D1.5): layers that count tokens
 * modulo twice the length of a block. */
#ifndef F2L_D1_TICKS_H
#define F2L_D1_TICKS_H

#include "models/network/net/wired.h"
#include "numeric/base/task.h"

typedef struct f2l_d1_ticks {
    size_t layers, block, tables; /* the clock counts modulo 2 * block, with that many tables */
    size_t householders, least;   /* as given to f2l_d1_ticks_choose */
} f2l_d1_ticks;

/* Chooses the fewest layers, then the shortest blocks, of a clock whose heads take at most
 * `householders` factors and whose blocks have at least `least` tokens. F2L_UNKNOWN where there is
 * none. */
f2l_status f2l_d1_ticks_choose(f2l_d1_ticks *out, size_t householders, size_t least,
                               f2l_error *err);

/* Fills the first ticks->layers blocks and the first ticks->tables tables of a network, whose
 * tables and blocks must have been made, and whose letters are `letters`. */
f2l_status f2l_d1_ticks_put(f2l_net *net, const f2l_d1_ticks *ticks, size_t letters,
                            const f2l_task *task, f2l_error *err);

/* Sets the initial states of these layers, after the network's stages have been made. */
f2l_status f2l_d1_ticks_start(f2l_net *net, const f2l_d1_ticks *ticks, f2l_error *err);

#endif
