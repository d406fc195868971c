/* Cubes of the reader of .kiss2; private to this folder. */
#ifndef F2L_IMPORT_LISTS_IMPL_H
#define F2L_IMPORT_LISTS_IMPL_H

#include "automata/fsa/nfa.h"

/* Most bits of an input. */
#define F2L_MAX_CUBE 256

/* The letters of cubes: cube i is the union of letter[first[i]] .. letter[first[i + 1] - 1], and
 * letters do not overlap. */
typedef struct f2l_cube_letters {
    f2l_names names;  /* of the letters, as cubes: `1-0` */
    uint32_t *letter; /* indices of names */
    size_t *first;    /* [cubes + 1] */
} f2l_cube_letters;

void f2l_cube_letters_clear(f2l_cube_letters *letters);

/* Divides the cubes, different texts of `bits` characters 0, 1 and -, into letters: those that
 * overlap no other one as they are, the others in pieces. F2L_UNKNOWN when there are more than
 * 65,536, or more than 4,096 where some overlap. */
f2l_status f2l_cube_letters_find(f2l_cube_letters *out, const f2l_names *cubes, size_t bits,
                                 f2l_error *err);

#endif
