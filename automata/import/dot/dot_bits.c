/* Tables of bits, as MONA labels edges: one row per variable and one column per assignment, X for
 * either value. Every assignment is a letter, named by its bits. */
#include "automata/import/dot/dot.h"
#include <string.h>

#define MAX_VARIABLES 10

/* A position among the cells of a label: rows end with a line feed, cells with blanks or commas. */
typedef struct table {
    const char *text;
    size_t rows, columns; /* columns of the row in hand */
} table;

/* Returns the next cell; '\n' at the end of a row, 0 at the end of the table, '?' for anything
 * else. */
static char next_cell(table *t)
{
    while (*t->text == ' ' || *t->text == ',') t->text++;
    if (*t->text == '\0') return '\0';
    const char cell = *t->text++;
    if (cell == '\n') return cell;
    const bool alone = *t->text == '\0' || strchr(" ,\n", *t->text) != NULL;
    return alone && (cell == '0' || cell == '1' || cell == 'X') ? cell : '?';
}

/* Counts rows and columns of a table of bits and appends its cells to `cells` row by row (NULL: not
 * wanted); returns false when the label is no such table. */
static bool read_bit_table(const char *label, f2l_buf *cells, size_t *rows, size_t *columns)
{
    table t = {label, 1, 0};
    for (*columns = 0;;) {
        char cell = next_cell(&t);
        if (cell == '?') return false;
        if (cell != '\n' && cell != '\0') {
            if (cells != NULL) f2l_buf_bytes(cells, &cell, 1);
            t.columns++;
            continue;
        }
        if (t.columns == 0 || (*columns != 0 && t.columns != *columns)) return false;
        *columns = t.columns;
        *rows = t.rows++;
        t.columns = 0;
        if (cell == '\0') return true;
    }
}

/* Adds all assignments in binary order, so that the numbering of letters does not depend on the
 * first edge. */
static f2l_status add_bit_letters(f2l_dot_reader *r, size_t variables, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t word = 0; word >> variables == 0 && status == F2L_OK; word++) {
        char name[MAX_VARIABLES];
        size_t index;
        for (size_t i = 0; i < variables; i++)
            name[i] = (word >> (variables - 1 - i)) & 1 ? '1' : '0';
        status = f2l_nfa_letter(r->nfa, name, variables, &index, err);
    }
    return status;
}

/* Adds a part for every assignment that fits column `j` of the table. */
static f2l_status add_column(f2l_dot_reader *r, f2l_dot_label *label, const char *cells,
                             size_t rows, size_t columns, size_t j, f2l_error *err)
{
    size_t ones = 0, either = 0;
    for (size_t i = 0; i < rows; i++) {
        char cell = cells[i * columns + j];
        ones = 2 * ones + (cell == '1');
        either = 2 * either + (cell == 'X');
    }
    /* Every subset of the mask `either`, from the empty one up. */
    for (size_t subset = 0;; subset = (subset - either) & either) {
        const f2l_status status = f2l_dot_add_part(r, label, ones | subset, UINT32_MAX, err);
        if (status != F2L_OK || subset == either) return status;
    }
}

static f2l_status read_bit_label(f2l_dot_reader *r, f2l_dot_label *label, f2l_error *err)
{
    f2l_buf cells;
    f2l_buf_init(&cells);
    size_t rows = 0, columns = 0;
    read_bit_table(f2l_dot_shown(r, label->shown), &cells, &rows, &columns);
    f2l_status status = f2l_buf_status(&cells, err);
    for (size_t j = 0; j < columns && status == F2L_OK; j++)
        status = add_column(r, label, cells.data, rows, columns, j, err);
    f2l_buf_clear(&cells);
    return status;
}

f2l_status f2l_dot_read_bits(f2l_dot_reader *r, bool *all, f2l_error *err)
{
    size_t variables = 0, rows, columns;
    *all = false;
    for (size_t i = 0; i < r->labels.count; i++) {
        const f2l_dot_label *label = &r->labels.item[i];
        const bool is_table = read_bit_table(f2l_dot_shown(r, label->shown), NULL, &rows, &columns);
        if (is_table && variables == 0) variables = rows;
        if (is_table && rows == variables) continue;
        if (variables == 0) return F2L_OK;
        return f2l_dot_fail_label(r, label,
                                  "is no table with one row of 0, 1 or X for each variable", err);
    }
    if (variables == 0) return F2L_OK;
    *all = true;
    if (variables > MAX_VARIABLES)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu variables stand for 2^%zu letters; at most %d variables are read",
                        variables, variables, MAX_VARIABLES);
    f2l_status status = add_bit_letters(r, variables, err);
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++)
        status = read_bit_label(r, &r->labels.item[i], err);
    return status;
}

/* Returns whether a node `init` marks the start, as in MONA's drawings. */
static bool starts_at_init(const f2l_dot_reader *r)
{
    for (size_t i = 0; i < r->dot.nodes; i++)
        if (r->is_marker[i] && strcmp(f2l_dot_text(&r->dot, r->dot.node[i].name), "init") == 0)
            return true;
    return false;
}

/* Returns the width of the input if it is bits, of which some may be left open; else 0. */
static size_t cube_width(const char *text, bool *open)
{
    const size_t bits = strspn(text, "01"), size = strspn(text, "01-Xx");
    if (text[size] != '\0') return 0;
    *open |= bits < size;
    return size;
}

f2l_status f2l_dot_doubt_cubes(const f2l_dot_reader *r, f2l_error *err)
{
    size_t width = 0;
    const f2l_dot_label *doubt = NULL;
    bool bits = false;
    for (size_t i = 0; i < r->labels.count; i++)
        for (size_t k = 0; k < r->labels.item[i].lines; k++) {
            const f2l_dot_line *line = &r->labels.line[r->labels.item[i].line + k];
            const char *text = f2l_dot_shown(r, line->input);
            bool open = false;
            const size_t size = cube_width(text, &open);
            if (size < 2 || (width > 0 && size != width)) return F2L_OK;
            width = size;
            bits |= text[0] == '0' || text[0] == '1';
            if (open && !doubt) doubt = &r->labels.item[i];
        }
    if (!doubt || !bits) return F2L_OK;
    return f2l_dot_refuse_label(r, doubt,
                                "is bits of which some are open, which other labels overlap, or a "
                                "letter: write an edge for each letter",
                                err);
}

f2l_status f2l_dot_doubt_bits(const f2l_dot_reader *r, f2l_error *err)
{
    const f2l_dot_label *doubt = NULL;
    size_t variables = 0, rows, columns;
    if (!starts_at_init(r)) return F2L_OK;
    for (size_t i = 0; i < r->labels.count; i++) {
        const f2l_dot_label *label = &r->labels.item[i];
        const char *text = f2l_dot_shown(r, label->shown);
        if (!read_bit_table(text, NULL, &rows, &columns)) return F2L_OK;
        if (variables == 0) variables = rows;
        if (rows != variables) return F2L_OK;
        if (rows > 1 || strchr(text, 'X')) doubt = label;
    }
    if (!doubt) return F2L_OK;
    return f2l_dot_refuse_label(r, doubt,
                                "is a letter or a list, or a table of bits of MONA's, whose graphs "
                                "have the name MONA_DFA",
                                err);
}
