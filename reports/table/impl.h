/* Functions that the files of reports/table share; private to this folder. */
#ifndef F2L_REPORTS_TABLE_IMPL_H
#define F2L_REPORTS_TABLE_IMPL_H

#include "reports/table/table.h"

/* Returns the member at a path of names joined by dots, borrowed, or NULL. */
const json_t *f2l_table_at(const json_t *value, const char *path);

/* Returns whether f2l_table_work_of looks at members of this name, in any object of a result. */
bool f2l_table_takes(const char *name, size_t size);

/* Returns a new TableWork, or NULL when memory is out. */
json_t *f2l_table_work_of(const json_t *record, const json_t *result, const char *folder);

/* Returns a new list of the settings that say how files are read; NULL when memory was out. */
json_t *f2l_table_reading(const f2l_table *table, const json_t *settings);

/* Return whether a value has the shape of the object. */
bool f2l_table_is_work(const json_t *value);
bool f2l_table_is_texts(const json_t *value);

/* Returns the rows of the set as a new object with the members `counts`, `rows`, `left_work` and
 * `unread` of the report; NULL when memory was out. */
json_t *f2l_table_settle(const f2l_table *table, bool untimed);

/* The works of a row that one line of a table for people tells, at most one of each job. */
typedef struct f2l_table_line {
    const json_t *row;
    size_t variant; /* of each job with several works: 0, 1, .. */
} f2l_table_line;

/* A column: its name in CSV, its title on pages, and how its cell is made of the works of a line.
 */
typedef struct f2l_table_column {
    const char *name, *title; /* title NULL: not on pages */
    const char *path;         /* of the fact in a work; NULL: `lay` makes the cell */
    void (*lay)(f2l_buf *out, const f2l_table_line *line);
} f2l_table_column;

extern const f2l_table_column f2l_table_columns[]; /* ended by a name NULL */

/* Returns how many lines a row has: the most works of one job, and at least one. */
size_t f2l_table_lines(const json_t *row);
/* Appends the cell; nothing where no work of the line has the fact. */
void f2l_table_lay_cell(f2l_buf *out, const f2l_table_column *column, const f2l_table_line *line);

#endif
