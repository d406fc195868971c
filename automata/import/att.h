/* What the files of the reader of AT&T text share; private to att*.c and import_att.c. */
#ifndef F2L_AUTOMATA_IMPORT_ATT_H
#define F2L_AUTOMATA_IMPORT_ATT_H

#include "automata/import/impl.h"
#include "automata/import/labels.h"

/* A column of a line. */
typedef struct f2l_att_column {
    const char *text;
    size_t size, at; /* at: 1-based column in the line */
} f2l_att_column;

/* The reader. */
typedef struct f2l_att {
    f2l_nfa *nfa;
    const f2l_read_as *as; /* NULL: not given */
    bool numeric, has_table;
    f2l_names number, symbol; /* the symbol table: the symbol of number[i] is symbol[symbol_of[i]]
                               */
    size_t zero;              /* the symbol of number 0 */
    uint32_t *symbol_of;
    size_t symbol_capacity;
    uint32_t *final; /* states with a final line; flags can be set only once all states are known */
    size_t finals, final_capacity;
    size_t first; /* source of the first line */
    size_t line;
    f2l_att_column column[6];
    size_t columns;
} f2l_att;

/* A label after the symbol table and the escapes were applied. */
typedef struct f2l_att_label {
    bool epsilon;
    const char *text;
    size_t size;
} f2l_att_label;

/* What a weight says about its arc or final state. */
typedef enum f2l_att_weight {
    F2L_ATT_NO_WEIGHT, /* it is no weight */
    F2L_ATT_IS_THERE,  /* 0 */
    F2L_ATT_IS_NOT,    /* infinity */
    F2L_ATT_WEIGHTED   /* another number */
} f2l_att_weight;

/* Returns what a column says as a weight: a decimal number, or `inf` or `Infinity`. */
f2l_att_weight f2l_att_weigh(const f2l_att_column *c);

/* Returns whether the column is this text. */
bool f2l_att_column_is(const f2l_att_column *c, const char *text);

/* Fills *err with the place and the text of column i. */
f2l_status f2l_att_fail(const f2l_att *a, size_t i, const char *text, f2l_error *err);

/* Takes a line "symbol number" of the symbol table. */
f2l_status f2l_att_table_line(f2l_att *a, f2l_error *err);

/* Decides what the label in column i is. */
f2l_status f2l_att_resolve(const f2l_att *a, size_t i, f2l_att_label *out, f2l_error *err);

#endif
