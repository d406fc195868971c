/* What the files of this folder that build automata share. */
#ifndef F2L_FSA_IMPL_H
#define F2L_FSA_IMPL_H

#include "automata/fsa/fsa.h"

/* Limit on the states of a search when the caller gives none. */
#define F2L_MAX_STATES 1000000

/* Writes the line of `.fsa` text that names the added state and its source. */
void f2l_added_write(f2l_buf *out, const f2l_names *states, size_t added, const char *source);

/* Copies the automaton into *out (initialised empty). */
f2l_status f2l_fsa_copy(f2l_fsa *out, const f2l_fsa *fsa, f2l_error *err);

/* Makes the names, which it owns from now on, the letters of an automaton whose columns are in
 * their order; a group form becomes an edge form. */
void f2l_fsa_take_letters(f2l_fsa *fsa, const f2l_names *letters);

/* Numbers the outputs, of states and of transitions, by their first use in the order of states,
 * then letters, and drops unused outputs, as reading the canonical text does. */
f2l_status f2l_fsa_number_outputs(f2l_fsa *fsa, f2l_error *err);

/* Allocates *next, a table of states x letters entries UINT32_MAX; refuses sizes beyond the memory
 * of present machines. */
f2l_status f2l_fsa_table(uint32_t **next, size_t states, size_t letters, const f2l_task *task,
                         f2l_error *err);

/* Writes into `out` a name as error texts show it: without control characters and cut to a readable
 * length. Returns `out`. */
#define F2L_SHOWN 64
const char *f2l_shown(char out[F2L_SHOWN], const char *text, size_t size);

#endif
