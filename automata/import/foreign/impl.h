/* The table of formats that are not read; private to this folder. */
#ifndef F2L_FOREIGN_IMPL_H
#define F2L_FOREIGN_IMPL_H

#include "automata/import/foreign/foreign.h"

/* A format. A text looks like it when all of its marks are there, and `is` says so where it is
 * given. A mark is a kind and what is looked for:
 *     ^TEXT  the file begins with it, behind blanks and comments
 *     |TEXT  a line begins with it, behind blanks
 *     ~TEXT  it is somewhere
 *     =TEXT  the first bytes are it
 *     <NAME  the root of an XML document has this name
 * The first formats of the table come first. */
typedef struct f2l_foreign {
    const char *name, *advice; /* "this looks like NAME, which is not read: ADVICE" */
    const char *mark[3];       /* NULL: none */
    bool (*is)(const char *bytes, size_t size);
} f2l_foreign;

extern const f2l_foreign f2l_foreign_table[];
extern const size_t f2l_foreign_count;

/* Functions of the table: formats that are rows of numbers or names. */
bool f2l_foreign_is_abbadingo(const char *bytes, size_t size);
bool f2l_foreign_is_lbtt(const char *bytes, size_t size);
bool f2l_foreign_is_kiss_rows(const char *bytes, size_t size);
bool f2l_foreign_is_pla(const char *bytes, size_t size);
bool f2l_foreign_is_regex(const char *bytes, size_t size);
bool f2l_foreign_is_pickle(const char *bytes, size_t size);
bool f2l_foreign_is_by_transitions(const char *bytes, size_t size);

#endif
