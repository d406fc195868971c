/* What the rows of a table are made of while they are made; private to this folder. */
#ifndef F2L_REPORTS_TABLE_ROWS_H
#define F2L_REPORTS_TABLE_ROWS_H

#include "reports/table/impl.h"

/* Objects by key hold every element once. */
typedef struct f2l_rows {
    const f2l_table *table;
    bool untimed, failed; /* failed: memory was out */
    json_t *automaton;    /* key of a file or folder as it was read: the canonical hash */
    json_t *owner;        /* hash of what a work made: the automaton of the work */
    json_t *source;       /* automaton: {text of a TableSource: the TableSource} */
    json_t *row;          /* key of a row: {"hashes", "works": {key of a work: TableWork}} */
    json_t *done;         /* key of a folder's work that is done */
    json_t *left;         /* key of what is left: TableLeft */
} f2l_rows;

/* --- sets --- */

/* Returns the value as a text, to be freed by the caller: equal values give equal texts. */
char *f2l_rows_dump(const json_t *value);

/* Puts the value, which the object then owns. */
void f2l_rows_put(f2l_rows *r, json_t *object, const char *key, json_t *value);

/* Returns the object at the key, which is made where it is missing; NULL when memory was out. */
json_t *f2l_rows_object(f2l_rows *r, json_t *object, const char *key);

const char *f2l_rows_text(const json_t *object, const char *name);

/* Returns a new list of the values of an object, in the order of its keys. */
json_t *f2l_rows_values(f2l_rows *r, json_t *object);

/* Returns a new list of the texts of two lists, each once, in order. */
json_t *f2l_rows_unite(f2l_rows *r, const json_t *a, const json_t *b);

/* --- files --- */

/* Notes what the source tells of its automaton. */
void f2l_rows_note_source(f2l_rows *r, const json_t *source);

/* Notes in `owner` the automaton of a work by the hash of what it made, so that work on that, as
 * `check` does it, is about the same automaton. Names of folders do not tell: two machines may give
 * one name to two networks. */
void f2l_rows_note_made(f2l_rows *r, json_t *owner, const json_t *element);

/* Puts the file among the files of its automaton, with the canonical hash that any line told.
 * What works made are no files. */
void f2l_rows_put_source(f2l_rows *r, const json_t *source);

/* Returns a new list: the automaton of each hash, once each, where files are read with these
 * options. */
json_t *f2l_rows_automata(f2l_rows *r, const json_t *hashes, const json_t *options);

/* --- works --- */

/* Puts the work into its row; of equal works the cost is the smallest one. */
void f2l_rows_put_work(f2l_rows *r, const json_t *element);

/* Puts what is left, unless its folder is done in the set; a report that it was begun is worth more
 * than one that it was not. */
void f2l_rows_put_left(f2l_rows *r, const json_t *left);

#endif
