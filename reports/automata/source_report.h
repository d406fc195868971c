/* What `check --source` found, as a part of its report. All pointers are borrowed. */
#ifndef F2L_SOURCE_REPORT_H
#define F2L_SOURCE_REPORT_H

#include "automata/algebra/algebra.h"
#include "reports/model/shared_facts.h"

/* A source that was read anew and compared with automaton.fsa. */
typedef struct f2l_source_comparison {
    const char *name, *syntax; /* the user's name, and the syntax that was recognised */
    const char *sha256;        /* of the source */
    const f2l_fsa *fsa;
    f2l_label label;
    const f2l_difference *difference;
} f2l_source_comparison;

/* Returns whether the automaton is the source's, and the source the one that it names if it names
 * one. */
bool f2l_source_agrees(const f2l_source_comparison *comparison);
/* Puts the object `name`. */
void f2l_say_source(f2l_fact in, const char *name, const f2l_source_comparison *comparison);
/* Appends the lines for the object. */
void f2l_lay_source(f2l_buf *out, f2l_fact from);

#endif
