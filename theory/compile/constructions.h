/* The table of constructions: one line for each, with the folder of its row (ROW(t3) is
 * f2l_construction_t3 of theory/construct/t3). Those that take least time to build and are most
 * often best come first, because a row is built only if it can still win, and of equal rows the
 * first wins. */
#ifndef F2L_COMPILE_CONSTRUCTIONS_H
#define F2L_COMPILE_CONSTRUCTIONS_H

#include "theory/construct/construction.h"

#define F2L_CONSTRUCTIONS(ROW) \
    ROW(t3) \
    ROW(r1) \
    ROW(register) \
    ROW(slots) \
    ROW(copies) \
    ROW(subwords) \
    ROW(contraction) \
    ROW(dihedral) \
    ROW(d1) \
    ROW(orbits) \
    ROW(futures) \
    ROW(product) \
    ROW(t4) \
    ROW(stack) \
    ROW(diagonal) \
    ROW(decay) \
    ROW(joined) \
    ROW(blocks) \
    ROW(zeiger)

#define F2L_CONSTRUCTION_DECLARED(name) extern const f2l_construction f2l_construction_##name;
F2L_CONSTRUCTIONS(F2L_CONSTRUCTION_DECLARED)

#endif
