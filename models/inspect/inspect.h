/* What a trained network learned: the transitions of its first layer, letter by letter, as numbers
 * to look at.
 *
 * Head h multiplies its state by A(w) when it reads the letter w:
 *     A(w) = gate (I - beta_N k_N k_N^T) .. (I - beta_1 k_1 k_1^T),     factor 1 is applied first,
 * where keys and betas are functions of w (models/seq/seq_letters.h). Everything below is about
 * these matrices. A factor with a unit key has the eigenvalue 1 - beta, and 1 on all that is
 * orthogonal to the key; so A(w) is the gate on all that is orthogonal to the letter's keys, and
 * what else it does happens in their span, of at most N dimensions.
 *
 * Siems et al. (DeltaProduct, NeurIPS 2025) look at networks that learned S4 with N = 2 and find a
 * head whose betas are all near 2 and whose keys lie in a space of three dimensions: a rotation of
 * the cube for every element. betas, components and angles here answer that for every head.
 *
 * All numbers are floating point without a bound: a description, not a proof. */
#ifndef F2L_INSPECT_H
#define F2L_INSPECT_H

#include "models/seq/seq.h"

#define F2L_INSPECT_BINS 20
#define F2L_INSPECT_QUANTILES 7
/* 0, 5, 25, 50, 75, 95 and 100 %. */
extern const double f2l_inspect_quantile[F2L_INSPECT_QUANTILES];
/* A number is near an end of a range of length r when it is at most F2L_INSPECT_NEAR r away from
 * it. */
#define F2L_INSPECT_NEAR 0.05
/* The part of the sum of squares that enough principal components hold. */
#define F2L_INSPECT_ENOUGH 0.95

/* How numbers lie in a range. */
typedef struct f2l_inspect_spread {
    double low, high; /* the range */
    size_t count;
    size_t bin[F2L_INSPECT_BINS]; /* of equal width over the range, the last one with its upper end
                                     .. */
    size_t outside;               /* .. and those that lie in none, by more than 1e-9 */
    size_t near_low, near_high;   /* as F2L_INSPECT_NEAR says, also outside */
    double quantile[F2L_INSPECT_QUANTILES];
} f2l_inspect_spread;

/* Sorts value[count]. */
void f2l_inspect_spread_of(f2l_inspect_spread *out, double *value, size_t count, double low,
                           double high);

/* Principal components of keys: not centred (a key and its negative are the same factor), all of
 * weight 1. */
typedef struct f2l_inspect_components {
    size_t keys;
    double *singular; /* [K] singular values of the matrix of keys, largest first */
    double *share; /* [K] parts of the sum of squares, which add up to 1; all 0 when there is no key
                      but 0 */
    double *component;     /* [K][K] of length 1; the largest entry is positive */
    size_t enough;         /* that hold F2L_INSPECT_ENOUGH */
    double effective_rank; /* exp of the entropy of singular value / sum of them (Roy and Vetterli,
                              EUSIPCO 2007) */
} f2l_inspect_components;

/* One head of the delta mixer. L letters, N factors, K rows, M = min(N, K). */
typedef struct f2l_inspect_head {
    double *key;      /* [L][N][K], of length 1; 0 where the network's key is 0 */
    double *beta;     /* [L][N], of these keys: where the network's key is not of length 1, its beta
                         |k|^2 */
    double *gate;     /* [L]; 1 without a forget gate */
    double *re, *im;  /* [L][M] eigenvalues of A(w) in ascending order (re, then im); K - M more are
                         the gate */
    double *singular; /* [L][M] its singular values, largest first; K - M more are the gate */
    double *distance; /* [L] |A(w) - Q|, Q the orthogonal matrix next to A(w), in the Frobenius
                         norm: the root of the sum of (s - 1)^2 over all K singular values */
    double *angle; /* [L][N - 1] between the lines of key n and key n + 1: degrees, 0..90; NaN where
                      a key is 0 */

    /* Of the letters that are used. */
    f2l_inspect_spread betas;   /* over 0..2, or 0..1 where the network's betas cannot be more */
    f2l_inspect_spread *factor; /* [N] those of each factor */
    size_t letters_low, letters_high; /* letters with all betas near 0, near the top */
    size_t worst;                  /* the letter with the largest distance; the first one of them */
    f2l_inspect_components all;    /* of all their keys */
    f2l_inspect_components acting; /* of those whose beta is at least half of the range: a factor of
                                      small beta does hardly anything, and its key may be anything
                                    */
} f2l_inspect_head;

typedef struct f2l_inspect {
    size_t letters, repeats; /* models/seq/seq_letters.h */
    unsigned char *used;     /* [letters] */
    size_t used_letters;
    /* F2L_SEQ_DELTA */
    size_t heads, householders, key_dim, value_dim, reduced; /* reduced: M */
    f2l_inspect_head *head;                                  /* [heads] */
    /* F2L_SEQ_DIAGONAL */
    size_t channels, states;
    double *decay;              /* [letters][channels][states]: the eigenvalues */
    f2l_inspect_spread *decays; /* [letters], over -1..1, or 0..1 where they cannot be negative */
    f2l_inspect_spread all;     /* of the letters that are used */
} f2l_inspect;

void f2l_inspect_init(f2l_inspect *out);
void f2l_inspect_clear(f2l_inspect *out);

/* *out is initialised empty, and empty again after a failure. `used` [letters] (NULL: all) says
 * which letters came in training: of the others the numbers are given, but they do not count in
 * what is said of all. F2L_EDOMAIN: no letter is used, or the weights are so large that the
 * matrices are not finite; F2L_UNKNOWN as the task says. */
f2l_status f2l_inspect_build(f2l_inspect *out, const f2l_seq *model, const double *parameters,
                             const unsigned char *used, const f2l_task *task, f2l_error *err);

/* x [key_dim][columns] <- A(letter) x. */
void f2l_inspect_apply(double *x, const f2l_inspect *inspect, size_t head, size_t letter,
                       size_t columns);

#endif
