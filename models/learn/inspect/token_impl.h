/* What the files of models/learn/inspect/token_heads.h share; private to this folder. */
#ifndef F2L_TOKEN_IMPL_H
#define F2L_TOKEN_IMPL_H

#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/inspect/token_heads.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_letters.h"

enum { F2L_TOKEN_PRODUCT = 5 };

typedef struct token_reader {
    f2l_token_heads *out;
    const f2l_seq *model;
    const double *parameters;
    const f2l_tokens *tokens;
    f2l_token_watch watch;
    bool delta;
    size_t slot[F2L_SEQ_LETTER_ARRAYS]; /* of the layer's numbers */
    /* the layer that is looked at */
    const f2l_seq_pass_f64 *pass;
    size_t layer;
    size_t document; /* the first one that begins after the token that is looked at */
    /* owned; of the mixer delta */
    double *state;                     /* [heads][key_dim][value_dim] */
    double *last_key;                  /* [heads][key_dim] the last key of the token before */
    double *keys, *coordinates, *beta; /* of one product of five: [5 factors][key_dim], likewise,
                                        * [5 factors] */
    /* owned */
    double *scratch, *singular;
} token_reader;

void f2l_token_spread_add(f2l_token_spread *s, double value);
void f2l_token_eigen_add(f2l_token_eigen *e, double re, double im);

/* Adds what is known of the state [key_dim][value_dim] after token `at` of the piece. Tokens come
 * in their order. */
f2l_status f2l_token_look_at_state(token_reader *r, f2l_token_head *h, const double *state,
                                   size_t at, f2l_error *err);

/* Add the numbers of the layer. */
f2l_status f2l_token_look_at_delta(token_reader *r, f2l_error *err);
f2l_status f2l_token_look_at_diagonal(token_reader *r, f2l_error *err);

#endif
