/* Writers of automata in several syntaxes, which automata/import reads. */
#ifndef F2L_EXPORT_H
#define F2L_EXPORT_H

#include "automata/fsa/nfa.h"

typedef struct f2l_export_format {
    const char *name;           /* "att" */
    const char *title;          /* "AT&T text" */
    const char *const *endings; /* ".att", ..; NULL-terminated */
    bool one_start;             /* it says one start state only */
    bool says_accept;           /* it always says which states accept */
    bool outputs, edge_outputs; /* it can say outputs of states, and of transitions */
} f2l_export_format;

/* The table of syntaxes, NULL-name terminated; `.fsa` is the first. */
extern const f2l_export_format f2l_export_formats[];

/* Returns the syntax that the ending of a file's name says, or NULL. */
const f2l_export_format *f2l_export_by_name_of_file(const char *path);

/* Appends the automaton, its edges in the order of states, then letters, each once. Where the
 * syntax has one start state and there are several, a new state with edges for the empty word
 * leads to them. F2L_EDOMAIN for what the syntax cannot say: outputs, or a name; the text says
 * which. */
f2l_status f2l_export(f2l_buf *out, const f2l_export_format *format, const f2l_nfa *nfa,
                      f2l_error *err);

/* Appends a deterministic, total automaton in the same way; `.fsa` text is canonical. */
f2l_status f2l_export_total(f2l_buf *out, const f2l_export_format *format, const f2l_fsa *fsa,
                            f2l_error *err);

#endif
