/* What the readers of foreign syntaxes share. Private to import*.c. */
#ifndef F2L_IMPORT_IMPL_H
#define F2L_IMPORT_IMPL_H

#include "automata/import/import.h"

/* Most edges that an import may expand to; beyond it F2L_UNKNOWN. A few bytes of DOT or GAP can stand for
 * thousands of edges, so that the size of the text is no bound. */
#define F2L_IMPORT_MAX_EDGES ((size_t)20000000)

/* Line and column (1-based, in bytes) of the byte at offset `at`. */
void f2l_import_position(const char *bytes, size_t at, size_t *line, size_t *column);

/* F2L_EFORMAT with a position unless the bytes are non-empty UTF-8 text without NUL. */
f2l_status f2l_import_check_text(const char *bytes, size_t size, f2l_error *err);

/* Records which syntax the automaton came from. */
void f2l_import_source(f2l_nfa *nfa, const char *syntax);

/* Gives `state` the Moore output `text`. All states must be there. */
f2l_status f2l_import_output(f2l_nfa *nfa, size_t state, const char *text, size_t size, f2l_error *err);

/* The GAP reader with a bound on the group elements that a list of permutations may generate (0: 1,000,000).
 */
f2l_status f2l_import_gap_bounded(f2l_nfa *out, const char *bytes, size_t size, size_t max_states,
                                  const f2l_task *task, f2l_error *err);

#endif
