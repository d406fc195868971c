/* The parts of f2l_diagonal_build; private to diagonal*.c. Statements: theory/pages/diagonal.md. */
#ifndef F2L_THEORY_CONSTRUCT_DIAGONAL_IMPL_H
#define F2L_THEORY_CONSTRUCT_DIAGONAL_IMPL_H

#include "theory/construct/diagonal/diagonal.h"
#include "theory/construct/dihedral/dihedral_plane.h"
#include "theory/construct/t4/t4_level.h"

/* A cell of odd prime order: a rotation of the plane, and the points that it permutes. */
typedef struct f2l_diagonal_plane {
    f2l_dihedral_plane plane;
    f2l_number norm; /* norm of each point in the form */
} f2l_diagonal_plane;

/* A configuration that may follow a context at its level. */
typedef struct f2l_outcome {
    uint32_t tuple; /* tuple of all coordinates after the context */
    uint32_t old;   /* permutation: the tuple before it; otherwise the same as `tuple` */
    uint32_t from;  /* the point before, if the next context depends on it and it is not lost;
                       otherwise 0 */
    uint32_t to;    /* the point after the context */
} f2l_outcome;

/* A level that is being built. */
typedef struct f2l_diagonal_level {
    f2l_t4_plan plan; /* cascade, level, l, m and task only */
    const f2l_frame *frame;
    const f2l_refined *cells; /* of the frame: the coordinates that the heads hold */
    const f2l_refined *base;  /* with its parts */
    bool delays;
    f2l_diagonal_plane **plane; /* [coordinates] of planes and turns; borrowed */
    const uint32_t *label_of;   /* [states] */
    size_t symbols;             /* number of symbols that the level outputs */
    uint32_t start, start_tuple;
    size_t *letters; /* [layers + 1] letters of every layer of cells, and symbols that the last one
                        hands to the delay */
    /* Scratch: outcomes of a context, and the numbers of their beginnings. */
    f2l_outcome *outcome;
    size_t outcomes;
    bool any; /* the context is idle and is not read, so it has no outcomes */
    uint32_t *map;
    struct {
        uint32_t *of, *seen; /* [tuples] */
    } number[2];
    uint32_t stamp;
} f2l_diagonal_level;

f2l_status f2l_diagonal_plane_init(f2l_diagonal_plane *p, size_t prime, f2l_error *err);
void f2l_diagonal_plane_clear(f2l_diagonal_plane *p);

/* Builds *out, which it initialises and which must be cleared in every case. resets: some context
 * resets the level. */
f2l_status f2l_frame_build(f2l_frame *out, const f2l_refined *base, size_t l, bool one, bool resets,
                           f2l_error *err);
void f2l_frame_clear(f2l_frame *f);
/* Returns the heads' coordinates for a tuple of the cells and the part hidden from it (<
 * hidden). */
uint32_t f2l_frame_put(const f2l_frame *f, uint32_t tuple, size_t hidden);
/* Returns the tuple of the cells. */
uint32_t f2l_frame_take(const f2l_frame *f, uint32_t tuple);
/* Returns the hidden part after a permutation that takes the cells' tuple `from` to `to`. */
size_t f2l_frame_move(const f2l_frame *f, uint32_t from, uint32_t to, size_t hidden);

/* Fills the scratch for context x. */
f2l_status f2l_diagonal_outcomes(f2l_diagonal_level *b, const f2l_context *x, f2l_error *err);

/* For the coordinates of layer k these return the number of combinations, the combination of a
 * tuple, and the tuple of a combination, with 0 for other coordinates. */
size_t f2l_diagonal_codes(const f2l_refined *r, size_t k);
size_t f2l_diagonal_code_of(const f2l_refined *r, size_t k, uint32_t tuple);
uint32_t f2l_diagonal_tuple_of(const f2l_refined *r, size_t k, size_t code);

/* Builds the heads of layer k of cells without their letters: dimensions, forms, initial states,
 * and the codes; makes a part decoder with room for symbols. */
f2l_status f2l_diagonal_heads(f2l_layer *layer, const f2l_diagonal_level *b, size_t k,
                              size_t symbols, f2l_error *err);

/* Adds the action of the letter of layer k after which the level has this outcome. */
f2l_status f2l_diagonal_letter(f2l_layer *layer, const f2l_diagonal_level *b, size_t k,
                               size_t letter, const f2l_context *x, const f2l_outcome *o,
                               f2l_error *err);

/* Builds the layers of the level, from `layer` on. */
f2l_status f2l_diagonal_layers(f2l_layer *layer, f2l_diagonal_level *b, f2l_error *err);

#endif
