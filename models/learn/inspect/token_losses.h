/* The loss of a model on tokens (models/learn/data/token_text.h) by position, in double, in memory
 * that does not depend on their number.
 *
 * A position is the number of tokens that the model has read of the sequence when it answers. The
 * bins double: 1, 2 to 3, 4 to 7, and so on. A model of attention reads as far back as its window.
 */
#ifndef F2L_TOKEN_LOSSES_H
#define F2L_TOKEN_LOSSES_H

#include "models/learn/data/token_text.h"
#include "models/learn/seq/seq_f64.h"

enum { F2L_TOKEN_BINS = 32, F2L_TOKEN_CHUNK = 160 };

/* Answers that count. */
typedef struct f2l_token_loss {
    uint64_t count, right;
    double loss; /* the sum of -log of the probability of the right answer, in nats */
} f2l_token_loss;

typedef struct f2l_token_losses {
    f2l_token_loss all, bin[F2L_TOKEN_BINS]; /* bin b: positions 2^b to 2^(b+1) - 1 */
    size_t bins;                             /* up to the last with an answer */
} f2l_token_losses;

/* Returns the bin of a position, which is positive. */
size_t f2l_token_bin(size_t position);

/* The tokens that a pass reads: a piece of a sequence, at most F2L_TOKEN_CHUNK, beginning at a
 * multiple of that number. */
typedef struct f2l_token_piece {
    size_t sequence, from, count;
} f2l_token_piece;

/* Who watches the passes (models/learn/seq/pass.h), and what they read, which is set before each.
 */
typedef struct f2l_token_watch {
    const struct f2l_seq_watch_f64 *watch;
    f2l_token_piece piece;
} f2l_token_watch;

/* Reads all sequences and fills *out. `watch` may be NULL; who watches needs no answers, and there
 * may be none. F2L_EDOMAIN: a token that is none of the model's, no answer that counts, or numbers
 * that are not finite; F2L_UNKNOWN: the task stopped it, and its text has how far it came. */
f2l_status f2l_token_losses_measure(f2l_token_losses *out, const f2l_seq *model,
                                    const double *parameters, const f2l_tokens *tokens,
                                    f2l_token_watch *watch, const f2l_task *task, f2l_error *err);

#endif
