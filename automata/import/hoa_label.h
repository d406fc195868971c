/* Tokens and labels of HOA files: Boolean expressions over atomic propositions, whose valuations
 * are the letters. */
#ifndef F2L_HOA_LABEL_H
#define F2L_HOA_LABEL_H

#include "automata/import/cursor.h"
#include "automata/import/import.h"

/* Most atomic propositions; n of them stand for 2^n letters. */
#define F2L_HOA_MAX_PROPOSITIONS 12

typedef enum f2l_hoa_kind {
    F2L_HOA_HEADER, /* a name and its colon */
    F2L_HOA_NAME,
    F2L_HOA_BOOLEAN, /* t or f */
    F2L_HOA_INT,
    F2L_HOA_STRING,
    F2L_HOA_ALIAS,
    F2L_HOA_PUNCTUATION,
    F2L_HOA_BODY, /* --BODY-- */
    F2L_HOA_END,  /* --END-- */
    F2L_HOA_END_OF_FILE
} f2l_hoa_kind;

typedef struct f2l_hoa_token {
    f2l_hoa_kind kind;
    char punctuation; /* one of ! & | ( ) [ ] { } */
    const char *text; /* names without @ and colon; strings between their quotes, as written */
    size_t size, number;
    size_t line, column;
} f2l_hoa_token;

/* Reads the next token; comments, which nest, are skipped. --ABORT-- is an error. */
f2l_status f2l_hoa_next(f2l_cursor *lexer, f2l_hoa_token *token, f2l_error *err);

/* What labels need. A set of letters has a bit for each letter, in `words` words. */
typedef struct f2l_hoa_labels {
    size_t propositions, words; /* words == 0: the propositions are not known yet */
    uint64_t last;              /* the bits of the last word that stand for letters */
    f2l_names aliases;
    uint64_t *alias_set; /* [aliases][words] */
    uint64_t *work;
} f2l_hoa_labels;

void f2l_hoa_labels_init(f2l_hoa_labels *labels);
void f2l_hoa_labels_clear(f2l_hoa_labels *labels);

/* Makes room for the sets, once the number of propositions and all aliases are known. */
f2l_status f2l_hoa_labels_open(f2l_hoa_labels *labels, size_t propositions, f2l_error *err);

/* Reads an expression that begins with *token, and leaves the token behind it there. Sets `set`
 * to its letters; before f2l_hoa_labels_open it only checks the syntax, and `set` may be NULL. */
f2l_status f2l_hoa_label(f2l_hoa_labels *labels, uint64_t *set, f2l_cursor *lexer,
                         f2l_hoa_token *token, f2l_error *err);

/* Adds the valuations of the propositions as letters; in letter i proposition j is true where bit j
 * of i is 1. */
f2l_status f2l_hoa_add_letters(f2l_nfa *nfa, const f2l_names *propositions, f2l_error *err);

#endif
