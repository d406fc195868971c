/* The results, row by row, in doubles that never round: the floating-point status says so. With D
 * the gradient at the state after a row, S the state before it and e = v - S^T k,
 *
 *     r = D^T k;  dv = beta r;  dbeta = r . e;  dk = beta (D e - S r);  D <- D - beta k r^T. */
#include "models/doors/vectors/impl.h"
#include "numeric/base/mem.h"
#include <fenv.h>
#include <string.h>

/* Computes out[columns] = x^T m, where m is [rows][columns]; most entries of x are zero. */
static void times_transposed(double *out, const double *x, const double *m, size_t rows,
                             size_t columns)
{
    memset(out, 0, columns * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; x[i] != 0 && j < columns; j++) out[j] += x[i] * m[i * columns + j];
}

/* Adds factor * m x to out[rows]. */
static void add_times(double *out, double factor, const double *m, const double *x, size_t rows,
                      size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; x[j] != 0 && i < rows; i++)
            out[i] += factor * (m[i * columns + j] * x[j]);
}

/* Adds factor * x y^T to m. */
static void add_product(double *m, double factor, const double *x, const double *y, size_t rows,
                        size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; x[i] != 0 && j < columns; j++)
            m[i * columns + j] += factor * (x[i] * y[j]);
}

/* Fills S [rows + 1][key][value]: the start, and the state after each row; and e [rows][value]. */
static void run_forward(f2l_vector_lane *lane, double *S, double *e)
{
    const size_t K = lane->key, V = lane->value, state = K * V;
    memcpy(S, lane->start, state * sizeof *S);
    for (size_t r = 0; r < lane->rows; r++, S += state, e += V) {
        const double *k = lane->k + r * K;
        double *next = S + state;
        for (size_t i = 0; i < state; i++) next[i] = lane->gate[r] * S[i];
        times_transposed(e, k, next, K, V);
        for (size_t j = 0; j < V; j++) e[j] = lane->v[r * V + j] - e[j];
        add_product(next, lane->beta[r], k, e, K, V);
        if (!f2l_vector_last_row(lane, r)) continue;
        double *o = lane->o + r / lane->factors * V;
        times_transposed(o, lane->q + r / lane->factors * K, next, K, V);
        for (size_t j = 0; j < V; j++) o[j] *= lane->scale;
    }
    memcpy(lane->end, S, state * sizeof *S);
}

/* Computes the gradients of a row, and of D from after the row to before it. `before` is the state
 * after the gate: it differs from `S`, the state before the row, by the gate. */
static void step_back(f2l_vector_lane *lane, double *D, const double *S, const double *e, size_t r)
{
    const size_t K = lane->key, V = lane->value;
    const double *k = lane->k + r * K, beta = lane->beta[r], gate = lane->gate[r];
    double *dv = lane->dv + r * V, *dk = lane->dk + r * K;
    times_transposed(dv, k, D, K, V);
    for (size_t j = 0; j < V; j++) lane->dbeta[r] += dv[j] * e[j];
    add_times(dk, beta, D, e, K, V);
    add_times(dk, -(beta * gate), S, dv, K, V);
    add_product(D, -beta, k, dv, K, V);
    for (size_t j = 0; j < V; j++) dv[j] *= beta;
    for (size_t i = 0; i < K * V; i++) {
        if (D[i] == 0) continue;
        D[i] *= gate;
        lane->dgate[r] += D[i] * S[i];
    }
}

static void run_backward(f2l_vector_lane *lane, const double *S, const double *e)
{
    const size_t K = lane->key, V = lane->value, state = K * V;
    double *D = lane->dstart;
    memcpy(D, lane->dend, state * sizeof *D);
    for (size_t r = lane->rows; r-- > 0;) {
        const size_t t = r / lane->factors;
        if (f2l_vector_last_row(lane, r)) {
            const double *dout = lane->dout + t * V;
            add_times(lane->dq + t * K, lane->scale, S + (r + 1) * state, dout, K, V);
            add_product(D, lane->scale, lane->q + t * K, dout, K, V);
        }
        step_back(lane, D, S + r * state, e + r * V, r);
    }
}

f2l_status f2l_vector_recurrence(f2l_vector_lane *lane, bool *exact, f2l_error *err)
{
    double *S = f2l_calloc((lane->rows + 1) * lane->key * lane->value, sizeof *S);
    double *e = f2l_calloc(lane->rows * lane->value, sizeof *e);
    if (S && e) {
        feclearexcept(FE_ALL_EXCEPT);
        run_forward(lane, S, e);
        run_backward(lane, S, e);
        if (fetestexcept(FE_INEXACT | FE_INVALID)) *exact = false;
    }
    const bool done = S && e;
    f2l_free(S);
    f2l_free(e);
    return done ? F2L_OK : f2l_fail_memory(err);
}
