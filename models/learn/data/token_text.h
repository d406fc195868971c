/* Text as numbers of a vocabulary, from an archive of NumPy (numpy.savez), read piece by piece:
 *
 *     tokens     [n], or [sequences][n]: whole numbers
 *     lengths    [sequences], with one axis of tokens: the sequences follow each other, and their
 *                lengths add up to n; left out: it is one sequence
 *     labels     as tokens: the answer after each token, -1 or -100 where none counts; left out:
 *                the next token of the sequence
 *     documents  [documents]: ascending places in the tokens, from 0 on, at which a document
 *                begins; inside a sequence a model goes on with the state that it has
 *
 * Memory does not depend on the number of tokens. */
#ifndef F2L_TOKEN_TEXT_H
#define F2L_TOKEN_TEXT_H

#include "models/learn/data/npz_read.h"

typedef struct f2l_tokens {
    size_t count, sequences;
    size_t *start;    /* [sequences + 1] places of their first tokens; owned */
    size_t documents; /* 0: not told */
    size_t *document; /* [documents]; owned */
    bool labelled;    /* whether the archive has labels */
    /* private */
    f2l_npz_archive archive;
    f2l_npz_array token, label;
} f2l_tokens;

void f2l_tokens_init(f2l_tokens *tokens);
void f2l_tokens_clear(f2l_tokens *tokens);

/* Opens the archive, into *tokens, which is initialised; clear it also after a failure. F2L_EIO;
 * F2L_EFORMAT: no such archive, a length of 0, lengths that do not add up, places that do not
 * ascend. */
f2l_status f2l_tokens_open(f2l_tokens *tokens, const char *path, f2l_error *err);

/* The same of an archive in memory, which must outlive *tokens. */
f2l_status f2l_tokens_take(f2l_tokens *tokens, const void *bytes, size_t size, f2l_error *err);

/* The numbers that a model knows. */
typedef struct f2l_tokens_bounds {
    size_t letters, labels;
    bool optional; /* answers: none counts where next tokens need not be labels */
} f2l_tokens_bounds;

/* Reads tokens from .. from + count - 1 of sequence number `sequence`, whose first is 0: letter,
 * and the answer after each, with mask 1 where it counts; all [count]. F2L_EDOMAIN: a number is not
 * in the bounds, by its place; F2L_EIO. */
f2l_status f2l_tokens_read(uint32_t *letter, uint32_t *label, uint8_t *mask,
                           const f2l_tokens *tokens, f2l_tokens_bounds bounds, size_t sequence,
                           size_t from, size_t count, f2l_error *err);

#endif
