/* Semidefinite programs in doubles, by DSDP. What comes out is a guess: callers verify in exact
 * arithmetic whatever they claim. */
#ifndef F2L_SDP_H
#define F2L_SDP_H

#include "numeric/base/task.h"

/* The place of entry (i, j), j <= i, in a packed symmetric matrix, and the length of one. */
static inline size_t f2l_packed_at(size_t i, size_t j)
{
    return i * (i + 1) / 2 + j;
}
static inline size_t f2l_packed_size(size_t n)
{
    return n * (n + 1) / 2;
}

/* The constraint that C - sum over i of y_i A_i is positive semidefinite. `matrix` has C, then the
 * A_i, packed: [1 + variables][f2l_packed_size(n)]; borrowed. */
typedef struct f2l_sdp_block {
    size_t n;
    const double *matrix;
} f2l_sdp_block;

/* Maximise sum of objective[i] y_i within all blocks. */
typedef struct f2l_sdp {
    size_t variables, blocks;
    const double *objective;    /* [variables] */
    const f2l_sdp_block *block; /* [blocks] */
    double bound;               /* |y_i| is at most this; 0: 10^7 */
} f2l_sdp;

typedef struct f2l_sdp_solution {
    double *y;     /* [variables] owned */
    double **dual; /* [blocks] owned: the dual matrices X, packed; the primal objective is the sum
                      of C . X, with A_i . X = objective[i] added up over the blocks */
    size_t blocks;
    double value;   /* of the objective */
    double primal;  /* of the primal one, which is at least `value` */
    bool converged; /* to DSDP's tolerance */
} f2l_sdp_solution;

void f2l_sdp_solution_clear(f2l_sdp_solution *s);

/* Solves *problem into *out, which need not be initialised. Returns F2L_UNKNOWN when the problem
 * was found infeasible or unbounded, or the solver gave up; F2L_ENOMEM also for other failures of
 * its set-up. The solver has no polls: its steps are counted before it begins. */
f2l_status f2l_sdp_solve(f2l_sdp_solution *out, const f2l_sdp *problem, const f2l_task *task,
                         f2l_error *err);

#endif
