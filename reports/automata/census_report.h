/* The table of a census (automata/census/census.h), one line of comma-separated values for each
 * automaton, and its summary as text or JSON. */
#ifndef F2L_CENSUS_REPORT_H
#define F2L_CENSUS_REPORT_H

#include "reports/model/shared_facts.h"
#include "theory/census/census_row.h"

/* Appends the names of the columns, and the line of an automaton. */
void f2l_census_heading(f2l_buf *out);
void f2l_census_line(f2l_buf *out, const f2l_census_row *row);

/* Reads a table: sets *out to an owned array [*rows], and *census to its last automaton (without
 * rows it stays before the first). The table must have the heading and the automata of the list in
 * their order from the first one on. F2L_EFORMAT, with line and column, for any other text. */
f2l_status f2l_census_read(f2l_census_row **out, size_t *rows, f2l_census *census, const char *text,
                           size_t size, f2l_error *err);

typedef struct f2l_census_report {
    size_t states, letters;
    uint64_t automata;         /* number of automata of the whole list */
    const f2l_census_row *row; /* [rows] in the order of the list; borrowed */
    size_t rows;
} f2l_census_report;

extern const f2l_report_kind f2l_census_report_kind;

#endif
