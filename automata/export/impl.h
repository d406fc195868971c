/* What the writers share; private to this folder. */
#ifndef F2L_AUTOMATA_EXPORT_IMPL_H
#define F2L_AUTOMATA_EXPORT_IMPL_H

#include "automata/export/export.h"

/* An automaton as the writers see it. */
typedef struct f2l_export_view {
    const f2l_nfa *nfa;
    f2l_names states; /* with the start state that was added, if one was: then it is the last */
    f2l_edge *edge;   /* sorted by source, letter (the empty word last) and target */
    size_t edges, edge_capacity;
    size_t *first;     /* [states.count + 1] first edge of every state */
    uint8_t *is_start; /* [states.count] */
    size_t start;      /* the first start state */
} f2l_export_view;

/* Returns whether the state accepts. */
bool f2l_export_accepts(const f2l_export_view *view, size_t state);
/* Returns the name of the letter, "" for the empty word. */
const char *f2l_export_letter(const f2l_export_view *view, uint32_t letter);
/* Returns the output of the state, or NULL. */
const char *f2l_export_output(const f2l_export_view *view, size_t state);
/* Returns the output of the transition, or NULL. */
const char *f2l_export_edge_output(const f2l_export_view *view, const f2l_edge *edge);

/* Returns F2L_EDOMAIN: the syntax cannot say this name of a letter, a state or an output, which is
 * `what`, for a reason. */
f2l_status f2l_export_refuse(const char *what, const char *name, const char *reason,
                             f2l_error *err);

/* The writers, one for each row of the table. They append the text, and check names. */
typedef f2l_status f2l_export_writer(f2l_buf *out, const f2l_export_view *view, f2l_error *err);
f2l_export_writer f2l_export_fsa, f2l_export_att, f2l_export_dot, f2l_export_jflap, f2l_export_json;

#endif
