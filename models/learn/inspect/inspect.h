/* The transitions that a trained network learned in its first layer, letter by letter, as numbers.
 *
 * Head h multiplies its state by A(w) when it reads the letter w:
 *     A(w) = gate (I - beta_N k_N k_N^T) .. (I - beta_1 k_1 k_1^T),     factor 1 is applied first,
 * where keys and betas are functions of w (models/learn/seq/seq_letters.h). Everything below is
 * about these matrices. A factor with a unit key has the eigenvalue 1 - beta, and 1 on all that is
 * orthogonal to the key; so A(w) acts as the gate on all that is orthogonal to the letter's keys,
 * and otherwise within the span of the keys, of at most N dimensions.
 *
 * Siems et al. (DeltaProduct, NeurIPS 2025) look at networks that learned S4 with N = 2 and find a
 * head whose betas are all near 2 and whose keys lie in a space of three dimensions: a rotation of
 * the cube for every element. betas, components and angles here show this for every head.
 *
 * All numbers are floating point without a bound: a description, not a proof. */
#ifndef F2L_INSPECT_H
#define F2L_INSPECT_H

#include "models/learn/seq/seq.h"

#define F2L_INSPECT_BINS 20
#define F2L_INSPECT_QUANTILES 7
/* The quantiles 0, 5, 25, 50, 75, 95 and 100 %, as fractions. */
extern const double f2l_inspect_quantile[F2L_INSPECT_QUANTILES];
/* A number is near an end of a range of length r when it is at most F2L_INSPECT_NEAR r away from
 * that end. */
#define F2L_INSPECT_NEAR 0.05
/* The fraction of the sum of squares that `enough` principal components hold. */
#define F2L_INSPECT_ENOUGH 0.95

/* The distribution of numbers in a range. */
typedef struct f2l_inspect_spread {
    double low, high; /* the range */
    size_t count;
    size_t bin[F2L_INSPECT_BINS]; /* of equal width over the range; the last one contains its upper
                                   * end */
    size_t outside;               /* numbers that are in no bin, by more than 1e-9 */
    size_t near_low, near_high;   /* numbers near an end (F2L_INSPECT_NEAR), also outside the
                                   * range */
    double quantile[F2L_INSPECT_QUANTILES];
} f2l_inspect_spread;

/* Sorts value[count] and fills *out. */
void f2l_inspect_spread_of(f2l_inspect_spread *out, double *value, size_t count, double low,
                           double high);

/* Principal components of keys: not centred (a key and its negative are the same factor), all of
 * weight 1. */
typedef struct f2l_inspect_components {
    size_t keys;
    double *singular; /* [K] singular values of the matrix of keys, largest first */
    double *share; /* [K] fractions of the sum of squares, with sum 1; all 0 when all keys are 0 */
    double *component;     /* [K][K] of length 1; the largest entry is positive */
    size_t enough;         /* number of components that hold F2L_INSPECT_ENOUGH */
    double effective_rank; /* exp of the entropy of (singular value / sum of singular values) (Roy
                            * and Vetterli, EUSIPCO 2007) */
} f2l_inspect_components;

/* One head of the delta mixer. L letters, N factors, K rows, M = min(N, K). Arrays are owned. */
typedef struct f2l_inspect_head {
    double *key;      /* [L][N][K], of length 1; 0 where the network's key is 0 */
    double *beta;     /* [L][N] of the keys above: where the network's key is not of length 1, beta
                       * |k|^2 */
    double *gate;     /* [L]; 1 without a forget gate */
    double *re, *im;  /* [L][M] eigenvalues of A(w) in ascending order (re, then im); the other K -
                       * M are the gate */
    double *singular; /* [L][M] singular values of A(w), largest first; the other K - M are the
                       * gate */
    double *distance; /* [L] |A(w) - Q| in the Frobenius norm, Q the orthogonal matrix nearest to
                       * A(w): the root of the sum of (s - 1)^2 over all K singular values */
    double *angle; /* [L][N - 1] angle between the lines of key n and key n + 1 in degrees, 0..90;
                    * NaN where a key is 0 */

    /* The rest is over the letters that are used. */
    f2l_inspect_spread betas;         /* range 0..2, or 0..1 if the network's betas are at most 1 */
    f2l_inspect_spread *factor;       /* [N] betas of each factor */
    size_t letters_low, letters_high; /* number of letters with all betas near 0; near the top */
    size_t worst;                     /* the first letter with the largest distance */
    f2l_inspect_components all;       /* of all keys */
    f2l_inspect_components acting; /* of the keys whose beta is at least half of the range: with a
                                    * small beta a factor has almost no effect, and its key is
                                    * arbitrary */
} f2l_inspect_head;

typedef struct f2l_inspect {
    size_t letters, repeats; /* models/learn/seq/seq_letters.h */
    unsigned char *used;     /* [letters] */
    size_t used_letters;
    /* delta */
    size_t heads, householders, key_dim, value_dim, reduced; /* reduced is M */
    f2l_inspect_head *head;                                  /* [heads] */
    /* diagonal */
    size_t channels, states;
    double *decay;              /* [letters][channels][states]: the eigenvalues */
    f2l_inspect_spread *decays; /* [letters], range -1..1, or 0..1 if decays cannot be negative */
    f2l_inspect_spread all;     /* of the letters that are used */
} f2l_inspect;

void f2l_inspect_init(f2l_inspect *out);
void f2l_inspect_clear(f2l_inspect *out);

/* Builds *out, which is initialised empty, and empty again after a failure. `used` [letters] (NULL:
 * all) marks the letters that occurred in training: numbers are given for the others too, but they
 * do not count in the statistics. F2L_EDOMAIN: no letter is used, or the weights are so large that
 * the matrices are not finite; F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_inspect_build(f2l_inspect *out, const f2l_seq *model, const double *parameters,
                             const unsigned char *used, const f2l_task *task, f2l_error *err);

/* Computes x [key_dim][columns] <- A(letter) x in place. */
void f2l_inspect_apply(double *x, const f2l_inspect *inspect, size_t head, size_t letter,
                       size_t columns);

#endif
