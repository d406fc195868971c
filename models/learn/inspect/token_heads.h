/* What the recurrences of all layers do while a model reads tokens
 * (models/learn/data/token_text.h): one pass, each layer with the input that the model gives it, in
 * double. Memory does not depend on the number of tokens.
 *
 * Of the mixer delta, for every head, with A = gate (I - beta_N k_N k_N^T) .. (I - beta_1 k_1
 * k_1^T) of a token: betas (times |k|^2 where keys are not of length 1), gates, the eigenvalues of
 * A that are not equal to the gate, the same of the product of the A of five tokens (1 to 5 of a
 * sequence, 6 to 10, ..), angles between the lines of successive keys, and the state S after each
 * token. Siems et al. (DeltaProduct, 2025) find heads whose effective rank falls where a document
 * begins.
 *
 * Of the mixer diagonal, for every layer: decays take the place of eigenvalues, products of five
 * decays the place of products, and the state has a row for each channel. */
#ifndef F2L_TOKEN_HEADS_H
#define F2L_TOKEN_HEADS_H

#include "models/learn/inspect/token_losses.h"

enum {
    F2L_TOKEN_SPREAD = 20, /* bins of a distribution */
    F2L_TOKEN_STARTS = 8   /* before a document, and after 1, 2, 4, .. 64 tokens of it */
};

/* A distribution over a range. */
typedef struct f2l_token_spread {
    double low, high;                      /* the range */
    uint64_t count, bin[F2L_TOKEN_SPREAD]; /* of equal width; numbers outside are in the end bins */
    double sum, least, greatest;
} f2l_token_spread;

/* Eigenvalues of matrices. Each is counted in all that it belongs to. */
typedef struct f2l_token_eigen {
    uint64_t matrices, values;
    uint64_t complex;           /* imaginary part above 1e-6 in magnitude */
    uint64_t negative;          /* real part below -1e-6 */
    uint64_t near_minus, small; /* |value + 1| < 0.1; |value| < 0.1 */
    double modulus, least_real; /* the sum of the moduli; the least real part */
} f2l_token_eigen;

/* A mean. */
typedef struct f2l_token_mean {
    uint64_t count;
    double sum;
} f2l_token_mean;

typedef struct f2l_token_head {
    size_t layer, head;                             /* from 0 on */
    f2l_token_spread betas, gates;                  /* count 0: there are none */
    uint64_t beta_low, beta_above_1, beta_above_19; /* below 0.1, above 1, above 1.9 */
    f2l_token_eigen one, five;
    f2l_token_spread within, across; /* angles in degrees between the keys of a token, and between
                                      * the last key of a token and the first one of the next */
    double greatest_norm;            /* Frobenius norm of the state */
    f2l_token_mean norm[F2L_TOKEN_BINS]; /* by position, in the bins of losses */
    f2l_token_mean rank[F2L_TOKEN_BINS]; /* effective rank of the state, after 2^k and 3 2^k tokens
                                          */
    f2l_token_mean start[F2L_TOKEN_STARTS]; /* of the state where a document begins inside of a
                                             * sequence, until the next one begins */
} f2l_token_head;

typedef struct f2l_token_heads {
    size_t heads;              /* of all layers */
    f2l_token_head *head;      /* [heads], layer by layer; owned */
    size_t key_dim, value_dim; /* the shape of the state */
    f2l_token_losses losses;
} f2l_token_heads;

void f2l_token_heads_init(f2l_token_heads *out);
void f2l_token_heads_clear(f2l_token_heads *out);

/* Builds *out, which is initialised; clear it also after a failure. F2L_EDOMAIN also for a mixer
 * that is neither delta nor diagonal, by its name; otherwise as f2l_token_losses_measure. */
f2l_status f2l_token_heads_measure(f2l_token_heads *out, const f2l_seq *model,
                                   const double *parameters, const f2l_tokens *tokens,
                                   const f2l_task *task, f2l_error *err);

#endif
