/* Readers of state charts without hierarchy. An event for which a state has no transition is
 * discarded, as their definitions say, so the state remains; behind a final state the machine has
 * stopped, so it remains, too. Both are noted. Final states accept; without any there are no
 * accepting states. */
#ifndef F2L_IMPORT_CHARTS_H
#define F2L_IMPORT_CHARTS_H

#include "automata/import/text/options.h"

struct json_t;

/* SCXML (W3C). Needs libxml2: without it the status is F2L_EDOMAIN. */
f2l_status f2l_import_scxml(f2l_nfa *out, const char *bytes, size_t size,
                            const f2l_import_options *options, f2l_error *err);

/* The configuration of an XState machine (versions 4 and 5), a JSON object; bytes[0..size) is its
 * text, for the places of errors. */
f2l_status f2l_import_xstate(f2l_nfa *out, struct json_t *root, const char *bytes, size_t size,
                             const f2l_read_as *as, f2l_error *err);

#endif
