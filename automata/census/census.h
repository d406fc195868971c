/* All automata of a number of states and letters, once each up to names: every state can be reached
 * from the start, and two automata that differ only in the names of states, or in the names and the
 * order of letters, are one. */
#ifndef F2L_CENSUS_H
#define F2L_CENSUS_H

#include "automata/fsa/fsa.h"

/* At most this many states and letters, so that a state is one digit of a name. */
#define F2L_CENSUS_STATES 6
#define F2L_CENSUS_LETTERS 4

/* A place in the list of the automata. The states are numbered in the order in which a
 * breadth-first search from the start meets them, letters in order; the list is in the order of the
 * rows of the tables, and of the automata that differ in names only it has the first. */
typedef struct f2l_census {
    size_t states, letters;
    uint8_t next[F2L_CENSUS_STATES * F2L_CENSUS_LETTERS]; /* [states][letters] */
    bool begun;
} f2l_census;

/* Begins the list before its first automaton. F2L_EDOMAIN: too many states or letters, or none. */
f2l_status f2l_census_begin(f2l_census *census, size_t states, size_t letters, f2l_error *err);

/* Goes to the next automaton of the list; returns false past the last one. */
bool f2l_census_next(f2l_census *census);

/* Returns the number of automata in the list, by walking through it. */
uint64_t f2l_census_count(size_t states, size_t letters);

/* Appends the name of the automaton: for each letter the digits of the states to which it leads the
 * states 0, 1, .., letters separated by a blank: "120 011". */
void f2l_census_name(f2l_buf *out, const f2l_census *census);

/* Goes to the automaton of this name. Returns false, and *census is as it was, unless an
 * automaton of the list has the name. */
bool f2l_census_find(f2l_census *census, const char *name, size_t size);

/* Builds the automaton into *out (initialised empty): states 0, 1, .. with start 0, letters a, b,
 * ..
 */
f2l_status f2l_census_automaton(f2l_fsa *out, const f2l_census *census, f2l_error *err);

#endif
