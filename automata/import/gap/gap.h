/* Transformations, partial permutations and permutations as GAP prints and reads them. */
#ifndef F2L_IMPORT_GAP_H
#define F2L_IMPORT_GAP_H

#include "automata/import/text/options.h"

/* Reads a script of GAP, or a session with the prompts `gap>` and `>`. Permutations give a group of
 * at most options->max_states elements. */
f2l_status f2l_import_gap(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, const f2l_task *task, f2l_error *err);

#endif
