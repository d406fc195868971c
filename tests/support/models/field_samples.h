/* Networks over real number fields for tests: groups of isometries given by matrices. The automaton
 * and the codes come from products of the matrices; only the factors are reflections. */
#ifndef TESTS_FIELD_SAMPLES_H
#define TESTS_FIELD_SAMPLES_H

#include "models/net/head_field.h"
#include "numeric/exact/field_cyclotomic.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/net_samples.h"
#include "theory/rep/householders/reflections.h"
#include <stdlib.h>

#define FIELD_SAMPLE_LETTERS 128
#define FIELD_SAMPLE_STATES 128

typedef struct field_sample {
    f2l_field field;
    f2l_matrix form; /* n x n */
    size_t letters;
    f2l_matrix letter[FIELD_SAMPLE_LETTERS];
    size_t states;                         /* images of state[0] */
    f2l_matrix state[FIELD_SAMPLE_STATES]; /* n x d */
    uint32_t next[FIELD_SAMPLE_STATES][FIELD_SAMPLE_LETTERS];
} field_sample;

void field_of_text(f2l_field *k, const char *text);

/* Entries row by row, separated by blanks. */
void matrix_of_text(f2l_matrix *m, size_t rows, size_t columns, const char *text,
                    const f2l_field *k);

void matrix_product(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b, const f2l_field *k);

/* Lists the images of state[0] under the letters. */
void field_sample_close(field_sample *s);

void field_sample_clear(field_sample *s);

/* The rotations by first + 1, .., first + letters times 2 pi / m, m > 2, in the basis of two
 * neighbouring vectors of an m-gon; with `mirrored` the exchange of the two is the last letter, and
 * H_0 lies on no mirror. */
field_sample *sample_rotations(size_t m, size_t first, size_t letters, bool mirrored);

/* The 60 rotations of an icosahedron over Q(sqrt 5), as letters when `all`; else three that
 * generate them. H_0 is the identity. With `skew` in a basis that is not orthonormal. */
field_sample *sample_icosahedron(bool all, bool skew);

/* Letters g1, g2, .., states s1, s2, .., start s1. */
void field_sample_fsa(f2l_fsa *fsa, const field_sample *s);

void push_matrix(f2l_qvec *v, const f2l_matrix *m, size_t degree);

/* One layer, one head; fsa is what field_sample_fsa gave. */
void field_sample_net(f2l_net *net, const field_sample *s, const f2l_fsa *fsa);

/* Fields of degree 1 to 5, at most 8 of them. */
void read_fields(f2l_field *k, size_t *count);

void field_random_number(f2l_number *a, f2l_rng *rng, const f2l_field *k);

void random_entries(f2l_qvec *v, f2l_rng *rng, size_t size, const f2l_field *k);

/* C^T C with C upper triangular and a diagonal that is not 0. */
void random_form(f2l_matrix *form, f2l_rng *rng, size_t n, const f2l_field *k);

/* One head with random weights; nothing it does is of use. */
void random_net(f2l_net *net, f2l_rng *rng, const f2l_field *k, bool with_form);

#endif
