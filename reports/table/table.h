/* The table of a corpus: a row for each automaton with the works that were done for it, what is
 * left, and what could not be read. A table is a set: merging is its union, so that it is
 * associative, and equal sets give equal bytes.
 *
 * A work is what one version of the program found for a command and its options: the facts of
 * TableWork in reports/facts.txt. Works of one row that differ in more than their cost and their
 * folders are different works. Files with one canonical hash are one automaton; a file whose
 * canonical hash nobody told is known by the hash of its bytes. How a file was read belongs to the
 * automaton: files may be equal with the label accept, and differ with outputs. */
#ifndef F2L_TABLE_H
#define F2L_TABLE_H

#include "reports/model/shared_facts.h"
#include <jansson.h>

/* The elements of the set, each list in any order and with repetitions. */
typedef struct f2l_table {
    json_t *source; /* TableSource: a file with its hashes, and how it was read */
    json_t *work;   /* {"hashes": [hash, ..], "work": TableWork} */
    json_t *left;   /* TableLeft */
    json_t *unread; /* TableUnread */
    bool failed;    /* memory was out */
    bool (*is_reading)(const char *setting); /* returns whether it says how a file is read */
} f2l_table;

void f2l_table_init(f2l_table *table);
void f2l_table_clear(f2l_table *table);
/* Returns F2L_ENOMEM when memory was out in a call before, else F2L_OK. */
f2l_status f2l_table_status(const f2l_table *table, f2l_error *err);

/* Adds the work of a work.json whose state is done; `unit` is its line of a plan, or the work.json
 * again, `result` its JSON (NULL: it has none). `folder` names where it is. F2L_EDOMAIN where the
 * result is not of the version that the work.json names. */
f2l_status f2l_table_add_work(f2l_table *table, const json_t *unit, const json_t *record,
                              const json_t *result, const char *folder, f2l_error *err);

/* Puts into an empty buffer the JSON of a result without the members of its objects that no table
 * takes, since a parser needs most of its time for those; the text itself where it is not made as
 * JSON is, so that the parser says it. */
void f2l_table_skim(f2l_buf *out, const char *text, size_t size);

/* Adds a line of a plan, or a work.json, whose work is not done. */
void f2l_table_add_left(f2l_table *table, const json_t *unit, const char *folder, bool begun,
                        const char *reason);

/* Adds a line of a file that could not be read; 0: the file as a whole. */
void f2l_table_add_unread(f2l_table *table, const char *file, size_t line, const char *reason);

/* Adds everything that the JSON of a table has, which is borrowed. F2L_EFORMAT where it is not the
 * JSON of a table; then the table has some of it. */
f2l_status f2l_table_merge(f2l_table *table, const json_t *report, f2l_error *err);

/* A table to be printed. */
typedef struct f2l_table_report {
    const f2l_table *table;
    bool untimed; /* leave out host, times and memory, in which machines differ */
} f2l_table_report;

/* The text of the first is Markdown. */
extern const f2l_report_kind f2l_table_report_kind, f2l_table_csv_kind, f2l_table_html_kind;

#endif
