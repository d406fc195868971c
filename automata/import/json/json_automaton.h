/* Automata in JSON. */
#ifndef F2L_JSON_AUTOMATON_H
#define F2L_JSON_AUTOMATON_H

#include "automata/import/text/options.h"

/* Reads an object with states, alphabet, transitions, start and accepting states under their usual
 * names, or an XState machine. A key that is none of these names, or a second one for the same
 * thing, is refused. */
f2l_status f2l_import_json(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err);

#endif
