/* Shared by the files of this folder. Forms are matrices over the basis e_i - e_last of the vectors
 * of sum 0, so that a letter is a square matrix of m = states - 1 rows. Block 0 is G, block 1 + w
 * is S_w(G) = P^T G P - (F P)^T G (F P): P is the identity where w is total, else it projects on
 * the vectors of its domain (SP.8). */
#ifndef F2L_SEPARATION_IMPL_H
#define F2L_SEPARATION_IMPL_H

#include "theory/obstruct/separation/elimination.h"
#include "theory/obstruct/separation/separation.h"

/* A face: the forms that satisfy the facts known so far. A block is determined by its entries in
 * the rows and columns `free`, a basis of a complement of its known kernel. */
typedef struct f2l_face {
    const f2l_maps *maps;
    size_t m, blocks;
    fmpq_mat_t *base; /* [letters] P, m x m */
    fmpq_mat_t *map;  /* [letters] F P, m x m */
    size_t *row; /* [letters][P, F P][1, -1][m] rows of these entries of the columns; m: none */
    fmpq_mat_t *known; /* [blocks] known kernels: rows in reduced echelon form */
    size_t *free;      /* [blocks][m] increasing; */
    size_t *frees;     /* [blocks] how many */
    size_t forms;      /* dimension of the space of forms */
    fmpq_mat_t *form;  /* [forms] its basis, m x m */
    fmpq_mat_t *value; /* [forms][blocks] the basis's blocks, m x m; block 0 again the form */
    f2l_watch *watch;  /* borrowed; what is computed has no meaning after a stop */
    double *number;    /* [forms][blocks][m][m] the blocks in doubles */
} f2l_face;

/* Counts as many steps as a product of m x m matrices takes, and returns whether to go on. */
static inline bool f2l_face_goes_on(const f2l_face *face)
{
    return f2l_watch_goes_on(face->watch, 8 * (uint64_t)(face->m * face->m * face->m) + 64);
}

f2l_status f2l_face_init(f2l_face *face, const f2l_maps *maps, f2l_watch *watch, f2l_error *err);
void f2l_face_clear(f2l_face *face);
/* Adds the vector z[m] to the known kernel of the block; returns whether it is new. */
bool f2l_face_learn(f2l_face *face, size_t block, const fmpq *z);
/* Draws the conclusions of SP.2. */
void f2l_face_conclude(f2l_face *face);
/* Returns whether e_p - e_q, p > q, is in the known kernel of G for some states that need different
 * codes, and sets them. */
bool f2l_face_equal_pair(size_t *p, size_t *q, const f2l_face *face);
/* Computes free, forms and values for the facts. */
f2l_status f2l_face_span(f2l_face *face, f2l_error *err);
/* Sets out to S_w(G). */
void f2l_face_slack(fmpq_mat_t out, const f2l_face *face, size_t letter, const fmpq_mat_t form);
/* Set image to P z and to F P z, for vectors of m entries. */
void f2l_face_project(fmpq *image, const f2l_face *face, size_t letter, const fmpq *z);
void f2l_face_push(fmpq *image, const f2l_face *face, size_t letter, const fmpq *z);

/* Sets *refuted when the distances of codes alone show that no form separates all pairs that need
 * it (SP.10): in integers, without a search. They do not decide everything, and are not tried for
 * many states. */
f2l_status f2l_distances_refute(bool *refuted, const f2l_maps *maps, f2l_watch *watch,
                                f2l_error *err);

/* The central path of the face's greatest t with all blocks >= t (SP.5), in doubles. */
typedef struct f2l_path {
    size_t variables, blocks, most; /* most: rows of the largest block */
    size_t *rows;                   /* [blocks] */
    double *basis;                  /* [variables][blocks][most][most] */
    uint8_t *moved;                 /* [variables][blocks][most] rows of the basis that are not 0 */
    uint32_t *slope; /* [variables][blocks][1 + most] number and list of rows of the derivative by
                       a variable that are not 0 */
    double *x;       /* [variables] the form at the point */
    double t, mu;
    double *inverse; /* [blocks][most][most] mu times this is the dual matrix of the block */
    double *slack, *scratch, *trial, *gradient, *hessian, *direction;
    double *product; /* [blocks][most][most][variables] */
    double *step;    /* [variables] direction in x */
    double *trace;   /* [variables] */
    size_t pivot;    /* variable that the trace determines */
    f2l_watch *watch;
} f2l_path;

/* F2L_EDOMAIN when all forms of the face have trace 0. */
f2l_status f2l_path_init(f2l_path *path, const f2l_face *face, f2l_error *err);
void f2l_path_clear(f2l_path *path);
/* Moves to the point of the path for mu; returns false where doubles do not suffice, and after a
 * stop. */
bool f2l_path_follow(f2l_path *path, double mu);
/* Sets out[blocks][most][most] to matrices whose products with the blocks of every form of the
 * face sum to 0; on the path they are positive semidefinite up to mu unless t > 0. */
void f2l_path_dual(double *out, const f2l_path *path);

/* Sets out to the fraction with the least denominator within eps of x; false: there is none with
 * one below 10^6. */
bool f2l_simple_fraction(fmpq_t out, double x, double eps);

/* Rounds the form at the path's point; returns whether its blocks are positive definite where the
 * face leaves them free; false after a stop. */
bool f2l_round_form(fmpq_mat_t form, const f2l_face *face, const double *x);

/* How numbers are guessed: pivots below `zero` are 0, and fractions are right up to `eps`. */
typedef struct f2l_guess {
    double zero, eps;
} f2l_guess;

/* The equations of a guess, reduced with the pivots in the leftmost columns. Numbers are sums of
 * two doubles, of which the second one is the rounding of the first: where a guess is not quite
 * right, equations nearly depend on each other, and doubles alone do not tell the rank. */
typedef struct f2l_sieve {
    size_t rows, columns, rank;
    bool sure;         /* the numbers tell which columns have a pivot */
    double *row, *low; /* [rows][columns] */
    size_t *pivot;     /* [columns] 1 + the row that has its pivot there; 0: a free entry */
    double *entry;     /* [columns] scratch */
} f2l_sieve;

/* Allocates the equations, all zero, which the caller writes into `row` and `low` before they are
 * reduced. */
f2l_status f2l_sieve_init(f2l_sieve *s, size_t rows, size_t columns, f2l_error *err);
void f2l_sieve_clear(f2l_sieve *s);
/* Writes the equations that say that a sum of products of U^T Z U with the blocks of every form of
 * the face vanishes, U the range[blocks], for the entries i <= j of all Z, and reduces them. */
f2l_status f2l_sieve_fill(f2l_sieve *s, const f2l_face *face, fmpq_mat_t *range, f2l_error *err);
void f2l_sieve_reduce(f2l_sieve *s);
/* Returns whether the solution whose free entries are the guesses, rounded to `bits` binary places,
 * has a block (symmetric, its entries i <= j, rows[blocks]) that is not positive definite, as far
 * as these numbers tell. scratch has room for the largest block. */
bool f2l_sieve_refutes(f2l_sieve *s, const double *guess, int bits, const size_t *rows,
                       size_t blocks, double *scratch);

/* Rounds the dual matrices [blocks][most][most] (NULL: identities) to a step, appends it to the
 * chain, and adds what it says to the face. *found is false, and nothing changed, where the
 * guesses are wrong. */
f2l_status f2l_round_step(bool *found, f2l_chain *chain, f2l_face *face, const double *dual,
                          size_t most, const f2l_guess *guess, f2l_error *err);

/* Sets lower and pivot[n] to m = L D L^T, L unit lower triangular, D >= 0; returns whether m, which
 * is symmetric, is positive semidefinite (definite: D > 0); false after a stop. lower may be m. */
bool f2l_factor_form(fmpq_mat_t lower, fmpq *pivot, const fmpq_mat_t m, bool definite,
                     f2l_watch *watch);

#endif
