/* Cascades in layers whose transition matrices are diagonal (theory/pages/diagonal.md, G.5 - G.8).
 *
 * Every level of the cascade is split into cells (automata/cascade/refine.h). A cell of order 2 is
 * one number, 1 or -1, which a letter keeps, negates or overwrites. A cell of odd prime order p is
 * a vector that is turned by multiples of 2 pi / p (two reflections), or erased and written. The
 * orbit is a one-hot row that is written. A level that must hand an old coordinate past a reset
 * ends in a delay (T4.11): a side, 1 or -1, in its last layer of cells, and a layer with two slots.
 * So all matrices of a head commute: they are diagonal with entries in {-1, 0, 1}, or, with odd
 * primes, diagonal over the complex numbers in a common orthonormal basis, with entries 0 or roots
 * of unity. There are finitely many states, and they are exact.
 *
 * The first layer of a level reads its contexts (a, X, Y). Layer k of a level reads a context
 * together with the coordinates of the level's layers before k, after the letter; the last layer
 * outputs the context of the next level. */
#ifndef F2L_DIAGONAL_H
#define F2L_DIAGONAL_H

#include "automata/cascade/refine.h"
#include "theory/construct/t4/t4.h"

typedef enum f2l_diagonal_target {
    F2L_DIAGONAL_REAL,    /* entries in [-1, 1]: all groups must be 2-groups */
    F2L_DIAGONAL_COMPLEX, /* all groups must be solvable */
    F2L_DIAGONAL_ONE      /* not diagonal: at most one factor for a letter in every head, gates 1;
                             solvable (G.10) */
} f2l_diagonal_target;

/* The ways in which a head holds a coordinate. */
typedef enum f2l_cell_kind {
    F2L_CELL_ROW,    /* one-hot, only set */
    F2L_CELL_SIGN,   /* modulo 2 */
    F2L_CELL_PLANE,  /* modulo an odd prime, by rotations */
    F2L_CELL_PARITY, /* G.10: number of times the cell was added to, modulo 2 */
    F2L_CELL_TURN,   /* G.10: sum of what was added to the cell since the start, F^q R^k h */
    F2L_CELL_FRAME   /* G.10: the cell minus that sum: one-hot, only set */
} f2l_cell_kind;

/* The coordinates of a level as its heads hold them: the coordinates of the cells, or for
 * F2L_DIAGONAL_ONE three coordinates for a cell of odd prime order. Owns all but `base`. */
typedef struct f2l_frame {
    const f2l_refined *base; /* the cells; borrowed */
    f2l_refined of;          /* without parts */
    f2l_cell_kind *kind;     /* [of.coordinates] */
    uint32_t *prime;         /* [of.coordinates] */
    bool one, framed; /* one: cells are split; framed: with frames, because the level is reset */
    size_t hidden;    /* number of values of the part of the coordinates that the cells do not
                         determine */
} f2l_frame;

/* How the levels are held: what a reader of coordinates from codes needs. Owns all but the
 * cascade. */
typedef struct f2l_diagonal {
    const f2l_cascade *cascade; /* borrowed */
    size_t levels;
    f2l_refined *level; /* [levels] */
    f2l_frame *frame;   /* [levels] */
    bool *delays;       /* [levels] */
} f2l_diagonal;

void f2l_diagonal_init(f2l_diagonal *d);
void f2l_diagonal_clear(f2l_diagonal *d);

/* Builds the network for labels of kind `label` into *net (initialised; replaced), the data for the
 * local closure into *out (initialised), and figures into *report (all zero at first), which the
 * caller clears on success. `fsa` is the automaton of the cascade (as for f2l_t4_build), `groups`
 * are the cascade's components. fsa_sha256 is left empty. Returns F2L_EDOMAIN when a group is not
 * of the target's kind: the text names the group and its level; with a cascade by holonomy no other
 * cascade would do either. Returns F2L_UNKNOWN when a group is too large to be split, or a limit of
 * the task was reached. */
f2l_status f2l_diagonal_build(f2l_net *net, f2l_diagonal *out, f2l_t4_report *report,
                              const f2l_cascade *cascade, const f2l_components *groups,
                              const f2l_fsa *fsa, f2l_label label, f2l_diagonal_target target,
                              const f2l_task *task, f2l_error *err);

/* Sets the coordinate at the set that the codes of the layers of level l (from 0) determine;
 * returns false when they determine none (G.7). `context` is an f2l_diagonal. It is an
 * f2l_local_reading (theory/certify/local/local.h). */
bool f2l_diagonal_coordinate(const void *context, size_t l, uint32_t set, const size_t *code,
                             uint32_t *coordinate);

typedef enum f2l_diagonal_class {
    F2L_CLASS_POSITIVE, /* diagonal with entries in [0, 1] */
    F2L_CLASS_REAL,     /* diagonal with entries in [-1, 1] */
    F2L_CLASS_COMPLEX,  /* the matrices of a head are diagonal in one orthonormal basis over the
                           complex numbers */
    F2L_CLASS_OTHER     /* not recognised as any of these */
} f2l_diagonal_class;

/* Returns the least of these classes that every head is recognised to be in (G.8). Real: no
 * form except the identity, and every key an axis. Complex: also heads in which every letter has
 * gate 0, no factors, two reflections that turn the plane of a two-dimensional head, or equal pairs
 * of a common plane. Other networks may be in a class unrecognised. */
f2l_diagonal_class f2l_diagonal_classify(const f2l_net *net);

/* Returns "diagonal [0,1]", "diagonal [-1,1]", "complex diagonal" or "not diagonal". */
const char *f2l_diagonal_class_name(f2l_diagonal_class c);

#endif
