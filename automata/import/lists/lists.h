/* Readers of formats that have a line for each transition. */
#ifndef F2L_IMPORT_LISTS_H
#define F2L_IMPORT_LISTS_H

#include "automata/import/text/options.h"

/* Labelled transition systems of CADP and mCRL2: "des (0, M, N)", then "(0, LABEL, 1)". They have
 * no accepting states. */
f2l_status f2l_import_aut(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, f2l_error *err);

/* Mealy machines of the FSM benchmarks: rows "INPUTS STATE NEXT OUTPUTS" of bits. Inputs with `-`
 * become letters that do not overlap. */
f2l_status f2l_import_kiss(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err);

/* libmata's @NFA-explicit, and @NFA-bits, whose formulas become letters that do not overlap, named
 * as cubes. */
f2l_status f2l_import_mata(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err);

/* Tree automata of Timbuk whose trees are words, read from the leaf: one symbol has no argument,
 * all others have one. */
f2l_status f2l_import_timbuk(f2l_nfa *out, const char *bytes, size_t size,
                             const f2l_import_options *options, f2l_error *err);

/* Buchi automata of RABIT, "LABEL,STATE->STATE", of which every state accepts: a word is accepted
 * when an infinite run goes on behind it. */
f2l_status f2l_import_ba(f2l_nfa *out, const char *bytes, size_t size,
                         const f2l_import_options *options, f2l_error *err);

#endif
