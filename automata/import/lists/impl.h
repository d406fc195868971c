/* Cubes, which inputs of .kiss2 are and formulas over bits in .mata files become; private to this
 * folder. */
#ifndef F2L_IMPORT_LISTS_IMPL_H
#define F2L_IMPORT_LISTS_IMPL_H

#include "automata/fsa/nfa.h"
#include "automata/import/text/import_text.h"

/* Most bits of an input. */
#define F2L_MAX_CUBE 256
#define F2L_CUBE_WORDS (F2L_MAX_CUBE / 64)

/* Bit i of `given` is set where the cube has 0 or 1, and then bit i of `value` is it; else bit i of
 * `value` is 0. */
typedef struct f2l_cube {
    uint64_t given[F2L_CUBE_WORDS], value[F2L_CUBE_WORDS];
} f2l_cube;

/* Returns the cube's bit as 0, 1, or - for both. */
static inline char f2l_cube_digit(const f2l_cube *c, size_t bit)
{
    if (!(c->given[bit / 64] >> bit % 64 & 1)) return '-';
    return c->value[bit / 64] >> bit % 64 & 1 ? '1' : '0';
}

typedef struct f2l_cubes {
    f2l_cube *item;
    size_t count, capacity;
} f2l_cubes;

bool f2l_cubes_overlap(const f2l_cube *a, const f2l_cube *b);

/* Returns the common part of two cubes that overlap. */
f2l_cube f2l_meet_cubes(const f2l_cube *a, const f2l_cube *b);

/* Appends the cube; returns whether memory sufficed. */
bool f2l_push_cube(f2l_cubes *list, const f2l_cube *c);

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

/* Replaces each edge, whose letter is the number of a cube, by an edge for each letter of the cube.
 * F2L_UNKNOWN when there are too many. */
f2l_status f2l_divide_edges(f2l_nfa *nfa, const f2l_cube_letters *letters, f2l_error *err);

/* The different formulas over bits of a file; formula i is the union of the cubes from end[i - 1]
 * (0 for the first) to end[i] - 1. */
typedef struct f2l_bit_formulas {
    f2l_names text;
    f2l_cubes cubes;
    size_t *end, capacity;
    f2l_cube named; /* `given`: the bits that formulas name */
} f2l_bit_formulas;

void f2l_bit_formulas_init(f2l_bit_formulas *formulas);
void f2l_bit_formulas_clear(f2l_bit_formulas *formulas);

/* Reads the formula of these words of the line, at least one, and sets *index to its number.
 * F2L_UNKNOWN when it is a union of more than 4,096 cubes. */
f2l_status f2l_bit_formula(f2l_bit_formulas *formulas, size_t *index, const f2l_line *line,
                           const f2l_word *word, size_t words, f2l_error *err);

/* Adds the letters that the formulas divide into, named as cubes of the bits that the formulas
 * have, and replaces each edge, whose letter is the number of a formula, by edges for its letters.
 */
f2l_status f2l_bit_letters(f2l_nfa *nfa, const f2l_bit_formulas *formulas, f2l_error *err);

#endif
