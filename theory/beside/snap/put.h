/* The parts of f2l_snap_put_back; private to this folder. */
#ifndef F2L_SNAP_PUT_H
#define F2L_SNAP_PUT_H

#include "theory/beside/snap/snap.h"

/* Sets q [K][K] to the exact matrix of the letter in the learned basis of the head: I + sum over
 * its parts of P (rho(letter) - I) P^T. */
void f2l_snap_exact_matrix(double *q, const f2l_snap *snap, size_t head, size_t letter);

/* Writes the orthogonal matrix q [K][K] as reflections, factor 1 applied first: acts[n] says
 * whether factor n is one, with the unit vector u[n] [K]; each is the choice nearest to the learned
 * key[n] that keeps the number of factors least, and those with the largest learned betas act. q is
 * overwritten. F2L_EDOMAIN: q takes more than N. */
f2l_status f2l_snap_factors(double *u, bool *acts, double *q, const double *key, const double *beta,
                            size_t N, size_t K, f2l_error *err);

/* The inputs x_a [width] of the first layer's projections, and the changes of a projection's row
 * that give the letters other values: of all such changes the least. */
typedef struct f2l_snap_fit {
    size_t letters, width;
    double *x;      /* [letters][width] */
    double *factor; /* [letters][letters] Cholesky factor of the matrix of the x_a^T x_b */
} f2l_snap_fit;

/* F2L_EDOMAIN: the inputs of the letters are linearly dependent, or nearly. */
f2l_status f2l_snap_fit_init(f2l_snap_fit *out, const f2l_seq *model, const double *parameters,
                             f2l_error *err);
void f2l_snap_fit_clear(f2l_snap_fit *fit);

/* Returns the row's value for a letter. */
double f2l_snap_fit_value(const f2l_snap_fit *fit, const double *row, size_t letter);

/* Adds to row [width] the least change that adds change[letters] to its values. change is
 * overwritten. */
void f2l_snap_fit_row(double *row, double *change, const f2l_snap_fit *fit);

/* Fills beta, largest, drift and change of *out; `before` are the parameters before the change. */
f2l_status f2l_snap_put_measure(f2l_snap_put *out, const double *parameters, const double *before,
                                const f2l_snap *snap, const f2l_seq *model, const f2l_data *data,
                                const f2l_task *task, f2l_error *err);

/* Compares the answers of the parameters, which are rounded to float, to random words with the
 * answers of `before`. Where some differ, replaces the head by the old head after the linear map
 * that brings what it reads nearest to what it read before, if fewer answers differ then. Fills
 * out->same and out->refitted. */
f2l_status f2l_snap_refit(f2l_snap_put *out, double *parameters, const double *before,
                          const f2l_seq *model, const f2l_data *data, const f2l_task *task,
                          f2l_error *err);

/* z / (1 + e^-z), which is at least F2L_SNAP_SILU_LEAST, and a z where it is y: of two the one on
 * the side of its least value where `near` is; where there is none, the z of the least value. */
#define F2L_SNAP_SILU_LEAST (-0.27846454276107379)
double f2l_snap_silu(double z);
double f2l_snap_silu_inverse(double y, double near);

/* Moves the centres of a head's parts until every value that its keys have to write, u^T (P C) for
 * key[letters][N][K] (0: none), is one that SiLU gives, and sets centre [K][V] to the sum of P C
 * over the parts. A key that would move them is first turned to its negative, if less is missing
 * then. */
void f2l_snap_reachable_centre(double *centre, const f2l_snap *snap, double *key, size_t head,
                               size_t letters, size_t N);

#endif
