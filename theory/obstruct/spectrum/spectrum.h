/* Eigenvalues of one transition matrix, or of a product of several: their signs, decided exactly,
 * and enclosures of their values.
 *
 * A letter's matrix is A = g (I - s_N u_N u_N^T G) .. (I - s_1 u_1 u_1^T G). With U = (u_1 .. u_N)
 * there is an N x N matrix C with A U = U C, made of the inner products u_i^T G u_j alone, and
 *
 *  det(x I - A) (x - g)^N = det(x I - C) (x - g)^n (theory/pages/obstruct.md, OB.1)
 *
 * so that a product of few factors has a small characteristic polynomial whatever n is. It is
 * computed over the head's field, Q or Q(alpha), and its real roots are counted by Sturm's theorem:
 * no decision involves rounding. Over Q by FLINT (fmpq_mat_charpoly,
 * _fmpz_poly_num_real_roots_sturm); over a field by the same theorem with exact signs. Enclosures
 * are Arb's (arb_fmpz_poly_complex_roots; acb_poly_find_roots). */
#ifndef F2L_SPECTRUM_H
#define F2L_SPECTRUM_H

#include "models/network/net/net.h"
#include "numeric/base/task.h"
#include "numeric/exact/matrix.h"

typedef enum f2l_spectrum_kind {
    F2L_SPECTRUM_NONNEGATIVE, /* all eigenvalues are real and >= 0 */
    F2L_SPECTRUM_REAL,        /* all are real, and one is < 0 */
    F2L_SPECTRUM_COMPLEX      /* one is not real */
} f2l_spectrum_kind;

/* An eigenvalue lies in [re_low, re_high] + i [im_low, im_high], and no other one does. im is [0,
 * 0] if and only if it is real. */
typedef struct f2l_eigenvalue {
    double re_low, re_high, im_low, im_high;
    size_t multiplicity; /* as a root of the characteristic polynomial */
} f2l_eigenvalue;

typedef struct f2l_spectrum {
    size_t n; /* the sum of all multiplicities */
    f2l_spectrum_kind kind;
    size_t distinct, real, negative; /* number of different eigenvalues; of real ones among them; of
                                        negative ones among these */
    f2l_eigenvalue *value; /* [distinct] by decreasing real part, then imaginary part; NULL when not
                              asked for */
} f2l_spectrum;

void f2l_spectrum_init(f2l_spectrum *s);
void f2l_spectrum_clear(f2l_spectrum *s);

/* Returns "non-negative", "real" or "not real". */
const char *f2l_spectrum_kind_name(f2l_spectrum_kind kind);

/* The most rows over Q, and over a field; F2L_EDOMAIN for larger matrices. */
#define F2L_SPECTRUM_MAX_ROWS ((size_t)512)
#define F2L_SPECTRUM_MAX_FIELD_ROWS ((size_t)48)

/* Finds the spectrum of a square matrix over k. `general`: by the general method also over Q; for
 * tests. */
f2l_status f2l_spectrum_of_matrix(f2l_spectrum *out, const f2l_matrix *m, const f2l_field *k,
                                  bool values, bool general, f2l_error *err);

/* Finds the spectrum of A(x_steps) .. A(x_1), x_1 first; values and biases of the transitions
 * are ignored. The head need not be within the limits of f2l_net_validate: any rational beta and
 * gate. */
f2l_status f2l_spectrum_of_product(f2l_spectrum *out, const f2l_head *head,
                                   const f2l_transition *const *step, size_t steps, bool values,
                                   f2l_error *err);

#endif
