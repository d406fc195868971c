/* Names of letters that have none, and several letters as the label of one edge: `[a-f0]`, the
 * characters and ranges in brackets, and `a,b` or `a | b`, letters one after the other. Readers
 * decide where a label is meant so; edges that come from such labels are kept in a list, because
 * they must not contradict other edges. */
#ifndef F2L_LETTER_H
#define F2L_LETTER_H

#include "automata/fsa/nfa.h"

/* The note about a label that stands for several letters. */
#define F2L_NOTE_SET "was read as several letters"

/* Writes the name of letter `index` (from 0) of an alphabet of `count` letters without names: a, b,
 * .., z while 26 suffice, x1, x2, .. for larger alphabets. */
void f2l_letter_default(char name[24], size_t index, size_t count);

/* Returns whether the label is a name that some programs or people use for the empty word. */
bool f2l_letter_may_be_epsilon(const char *label, size_t size);

/* Returns whether the text is in brackets and has two characters or more between them. */
bool f2l_letter_set_is(const char *text, size_t size);

/* Adds the characters of such a text to *out. F2L_EFORMAT when a range runs backwards, a character
 * is there twice, or there are more than 65,536. */
f2l_status f2l_letter_set_read(f2l_names *out, const char *text, size_t size, f2l_error *err);

/* Adds the parts of a text between commas or bars to *out, without blanks around them; adds nothing
 * when there is only one part, an empty one, or one twice. */
f2l_status f2l_letter_list_read(f2l_names *out, const char *text, size_t size, f2l_error *err);

/* Edges that come from sets, with the places of their labels. */
typedef struct f2l_set_edge {
    size_t edge, line, column;
} f2l_set_edge;

typedef struct f2l_set_edges {
    f2l_set_edge *item;
    size_t count, capacity;
} f2l_set_edges;

void f2l_set_edges_clear(f2l_set_edges *list);

/* Adds an edge to `nfa` for every name in `letters` (f2l_nfa_letter), and to the list; notes
 * the label in nfa->notes. */
f2l_status f2l_set_edges_add(f2l_set_edges *list, f2l_nfa *nfa, size_t from,
                             const f2l_names *letters, size_t to, const char *label, size_t size,
                             size_t line, size_t column, f2l_error *err);

/* Adds the last edge of `nfa` to the list, which comes from a set at this place. */
f2l_status f2l_set_edges_keep(f2l_set_edges *list, const f2l_nfa *nfa, size_t line, size_t column,
                              f2l_error *err);

/* Returns F2L_EFORMAT, with the place, when an edge of the list and another edge lead one state to
 * two states by one letter: sets that overlap. */
f2l_status f2l_set_edges_check(const f2l_set_edges *list, const f2l_nfa *nfa, f2l_error *err);

#endif
