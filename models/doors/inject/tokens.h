/* Which tokens of a language model are letters of an automaton. */
#ifndef F2L_LETTER_TOKENS_H
#define F2L_LETTER_TOKENS_H

#include "models/doors/inject/base_model.h"

typedef struct f2l_letter_token {
    size_t letter, token;
} f2l_letter_token;

typedef enum f2l_tokens_from {
    F2L_TOKENS_FILE,      /* the user's list */
    F2L_TOKENS_TOKENIZER, /* the tokenizer has every letter as a token */
    F2L_TOKENS_NUMBERS    /* letter i is token i */
} f2l_tokens_from;

typedef struct f2l_letter_tokens {
    f2l_letter_token *pair; /* [pairs] by letter; a letter may have several tokens */
    size_t pairs, capacity;
    f2l_tokens_from from;
} f2l_letter_tokens;

void f2l_letter_tokens_init(f2l_letter_tokens *tokens);
void f2l_letter_tokens_clear(f2l_letter_tokens *tokens);

/* Reads lines `LETTER TOKEN-NUMBER` into *out, which is initialised. F2L_EFORMAT for a name that is
 * no letter, a number that is not below `vocab`, a token that has two letters, and a letter without
 * a token. */
f2l_status f2l_letter_tokens_read(f2l_letter_tokens *out, const f2l_names *letters, size_t vocab,
                                  const f2l_buf *text, f2l_error *err);

/* Finds the letters among the tokens of the checkpoint's tokenizer.json or vocab.json; where one of
 * them is none, or there is neither file, gives each letter its own number. F2L_EDOMAIN where a
 * number is not below the vocabulary; F2L_EFORMAT where the file is damaged. */
f2l_status f2l_letter_tokens_find(f2l_letter_tokens *out, const f2l_names *letters,
                                  const f2l_base_model *checkpoint, f2l_error *err);

#endif
