/* What labels mean, for all readers; private to automata/import. */
#ifndef F2L_IMPORT_LABELS_H
#define F2L_IMPORT_LABELS_H

#include "automata/import/import.h"

/* Returns F2L_EDOMAIN for settings of --read-as that say nothing about the syntax; syntaxes that
 * are not in its table check them in their readers. `as` may be NULL. */
f2l_status f2l_import_check_read_as(const f2l_read_as *as, f2l_syntax syntax, f2l_error *err);

/* Sets *epsilon to whether the label is the empty word: empty, or a name that the user gave, else
 * one of the format's own (f2l_read_as_epsilon). F2L_EFORMAT for other names that look like one
 * (f2l_letter_may_be_epsilon), about which the user said nothing. */
f2l_status f2l_import_epsilon(bool *epsilon, const f2l_read_as *as, const char *label, size_t size,
                              const char *const *own, size_t line, size_t column, f2l_error *err);

/* Adds the letters that the label stands for as a set or a list to *set; none: it is neither.
 * F2L_EFORMAT with the place. */
f2l_status f2l_import_set(f2l_names *set, const char *label, size_t size, size_t line,
                          size_t column, f2l_error *err);

/* Adds an edge for every letter of the set, and a note about its label. */
f2l_status f2l_import_add_set(f2l_nfa *nfa, size_t from, const f2l_names *set, size_t to,
                              const char *label, size_t size, size_t line, size_t column,
                              f2l_error *err);

#endif
