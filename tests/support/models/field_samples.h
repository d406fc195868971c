/* Networks over real number fields, for tests: groups of isometries given by matrices. The
 * automaton and the codes come from products of the matrices; only the factors are reflections. */
#ifndef TESTS_FIELD_SAMPLES_H
#define TESTS_FIELD_SAMPLES_H

#include "models/network/net/head_field.h"
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

/* Reads the entries row by row, separated by blanks. */
void matrix_of_text(f2l_matrix *m, size_t rows, size_t columns, const char *text,
                    const f2l_field *k);

void matrix_product(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b, const f2l_field *k);

/* Lists the images of state[0] under the letters. */
void field_sample_close(field_sample *s);

void field_sample_clear(field_sample *s);

/* Returns the sample of the rotations by first + 1, .., first + letters times 2 pi / m, m > 2, in
 * the basis of two neighbouring vectors of an m-gon; with `mirrored` the exchange of the two is the
 * last letter, and H_0 lies on no mirror. */
field_sample *sample_rotations(size_t m, size_t first, size_t letters, bool mirrored);

/* Returns the sample of the 60 rotations of an icosahedron over Q(sqrt 5): all are letters with
 * `all`, else three that generate them. H_0 is the identity. With `skew` the basis is not
 * orthonormal. */
field_sample *sample_icosahedron(bool all, bool skew);

/* Makes the automaton with letters g1, g2, .., states s1, s2, .. and start s1. */
void field_sample_fsa(f2l_fsa *fsa, const field_sample *s);

void push_matrix(f2l_qvec *v, const f2l_matrix *m, size_t degree);

/* Makes the network of one layer and one head for the automaton of field_sample_fsa. */
void field_sample_net(f2l_net *net, const field_sample *s, const f2l_fsa *fsa);

/* Reads the test's fields of degree 1 to 5; there are at most 8. */
void read_fields(f2l_field *k, size_t *count);

void field_random_number(f2l_number *a, f2l_rng *rng, const f2l_field *k);

void random_entries(f2l_qvec *v, f2l_rng *rng, size_t size, const f2l_field *k);

/* Sets the form to C^T C with C upper triangular and no 0 on its diagonal. */
void random_form(f2l_matrix *form, f2l_rng *rng, size_t n, const f2l_field *k);

/* Makes a network of one head with random weights; it need not implement anything. */
void random_net(f2l_net *net, f2l_rng *rng, const f2l_field *k, bool with_form);

#endif
