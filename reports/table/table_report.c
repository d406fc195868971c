#include "reports/page/page.h"
#include "reports/phrases.h"
#include "reports/table/impl.h"
#include <string.h>

/* --- the facts --- */

typedef struct counts {
    size_t sources, works, verified, refuted, unknown;
    json_t *versions; /* "VERSION COMMIT": true */
} counts;

static void count_verdict(counts *c, const json_t *work)
{
    const char *verdict = json_string_value(json_object_get(work, "verdict"));
    if (!verdict) return;
    if (strcmp(verdict, "VERIFIED") == 0)
        c->verified++;
    else if (strcmp(verdict, "REFUTED") == 0)
        c->refuted++;
    else
        c->unknown++;
}

/* Counts a row. A version that memory did not suffice for is missing. */
static void count_row(counts *c, const json_t *row)
{
    const json_t *works = json_object_get(row, "works");
    const json_t *sources = json_object_get(row, "sources"), *last = NULL;
    for (size_t i = 0; i < json_array_size(sources); i++) {
        const json_t *path = json_object_get(json_array_get(sources, i), "path");
        c->sources += !last || !json_equal(path, last); /* a file may be read in two ways */
        last = path;
    }
    c->works += json_array_size(works);
    for (size_t i = 0; i < json_array_size(works); i++) {
        const json_t *work = json_array_get(works, i);
        f2l_buf version;
        f2l_buf_init(&version);
        count_verdict(c, work);
        f2l_buf_printf(&version, "%s %s", json_string_value(json_object_get(work, "version")),
                       json_string_value(json_object_get(work, "commit")));
        if (!version.failed) json_object_set_new(c->versions, version.data, json_true());
        f2l_buf_clear(&version);
    }
}

static void say_counts(f2l_fact in, const json_t *rows, const json_t *left, const json_t *unread)
{
    counts c = {.versions = json_object()};
    const f2l_fact out = f2l_say_object(in, "counts");
    for (size_t i = 0; i < json_array_size(rows); i++) count_row(&c, json_array_get(rows, i));
    f2l_say_count(out, "row_count", json_array_size(rows));
    f2l_say_count(out, "source_count", c.sources);
    f2l_say_count(out, "work_count", c.works);
    f2l_say_count(out, "verified_works", c.verified);
    f2l_say_count(out, "refuted_works", c.refuted);
    f2l_say_count(out, "unknown_works", c.unknown);
    f2l_say_count(out, "left_count", json_array_size(left));
    f2l_say_count(out, "unread_count", json_array_size(unread));
    f2l_say_count(out, "version_count", json_object_size(c.versions));
    json_decref(c.versions);
}

static void describe_table(f2l_fact out, const void *report)
{
    const f2l_table_report *r = report;
    static const char *const parts[] = {"rows", "left_work", "unread"};
    json_t *all = f2l_table_settle(r->table, r->untimed);
    say_counts(out, json_object_get(all, "rows"), json_object_get(all, "left_work"),
               json_object_get(all, "unread"));
    for (size_t i = 0; i < 3; i++)
        f2l_say_json(out, parts[i], json_incref(json_object_get(all, parts[i])));
    json_decref(all);
}

/* --- CSV --- */

static void lay_csv_line(f2l_buf *out, const f2l_table_line *line)
{
    for (const f2l_table_column *c = f2l_table_columns; c->name; c++) {
        f2l_buf cell;
        f2l_buf_init(&cell);
        f2l_table_lay_cell(&cell, c, line);
        if (c != f2l_table_columns) f2l_buf_text(out, ",");
        if (cell.size) f2l_report_csv_field(out, cell.data);
        out->failed = out->failed || cell.failed;
        f2l_buf_clear(&cell);
    }
    f2l_buf_text(out, "\n");
}

static void lay_table_csv(f2l_buf *out, f2l_fact from)
{
    const json_t *rows = json_object_get(from.json, "rows");
    for (const f2l_table_column *c = f2l_table_columns; c->name; c++)
        f2l_buf_printf(out, "%s%s", c == f2l_table_columns ? "" : ",", c->name);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        f2l_table_line line = {.row = json_array_get(rows, i)};
        const size_t lines = f2l_table_lines(line.row);
        for (; line.variant < lines; line.variant++) lay_csv_line(out, &line);
    }
}

/* --- pages --- */

/* A line that says how much of each there is. */
static void put_summary(f2l_page *page, f2l_fact from)
{
    const f2l_fact c = f2l_get(from, "counts");
    f2l_page_say(
        page,
        "%zu automata in %zu files, %zu works: %zu VERIFIED, %zu UNKNOWN, %zu REFUTED. %zu "
        "left, %zu not read.",
        (size_t)f2l_get_count(c, "row_count"), (size_t)f2l_get_count(c, "source_count"),
        (size_t)f2l_get_count(c, "work_count"), (size_t)f2l_get_count(c, "verified_works"),
        (size_t)f2l_get_count(c, "unknown_works"), (size_t)f2l_get_count(c, "refuted_works"),
        (size_t)f2l_get_count(c, "left_count"), (size_t)f2l_get_count(c, "unread_count"));
    if (f2l_get_count(c, "version_count") > 1)
        f2l_page_say(page,
                     "The works are of %zu versions of the program; the column version says "
                     "which.",
                     (size_t)f2l_get_count(c, "version_count"));
}

/* Returns whether any line has something in the column. */
static bool is_used(const f2l_table_column *column, const json_t *rows)
{
    bool used = false;
    f2l_buf cell;
    f2l_buf_init(&cell);
    for (size_t i = 0; i < json_array_size(rows) && !used; i++) {
        f2l_table_line line = {.row = json_array_get(rows, i)};
        const size_t lines = f2l_table_lines(line.row);
        for (; line.variant < lines && cell.size == 0; line.variant++)
            f2l_table_lay_cell(&cell, column, &line);
        used = cell.size > 0;
    }
    f2l_buf_clear(&cell);
    return used;
}

static void put_line(f2l_page *page, const f2l_table_line *line, const bool *shown)
{
    f2l_page_row(page);
    for (const f2l_table_column *c = f2l_table_columns; c->name; c++) {
        f2l_buf cell;
        if (!shown[c - f2l_table_columns]) continue;
        f2l_buf_init(&cell);
        f2l_table_lay_cell(&cell, c, line);
        const char *text = cell.size ? cell.data : "";
        if (cell.size && strcmp(c->name, "verdict") == 0)
            f2l_page_verdict_cell(page, text);
        else
            f2l_page_cell(page, "%s", text);
        page->md.failed = page->md.failed || cell.failed;
        f2l_buf_clear(&cell);
    }
}

/* Puts the lines, in the columns that have a title and are not empty. */
static void put_lines(f2l_page *page, const json_t *rows, bool versions)
{
    bool shown[64] = {false};
    const char *titles[64] = {NULL};
    size_t count = 0;
    for (const f2l_table_column *c = f2l_table_columns; c->name; c++) {
        const bool wanted = c->title && (versions || strcmp(c->name, "version") != 0);
        shown[c - f2l_table_columns] = wanted && is_used(c, rows);
        if (shown[c - f2l_table_columns]) titles[count++] = c->title;
    }
    if (count == 0) return;
    f2l_page_table(page, "Automata", titles);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        f2l_table_line line = {.row = json_array_get(rows, i)};
        const size_t lines = f2l_table_lines(line.row);
        for (; line.variant < lines; line.variant++) put_line(page, &line, shown);
    }
    f2l_page_table_end(page);
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void put_left(f2l_page *page, const json_t *left)
{
    static const char *const titles[] = {"folder", "job", "why", NULL};
    f2l_buf commands;
    if (json_array_size(left) == 0) return;
    f2l_buf_init(&commands);
    f2l_page_section(page, "left", "Left");
    f2l_page_table(page, "Work that is left", titles);
    for (size_t i = 0; i < json_array_size(left); i++) {
        const json_t *one = json_array_get(left, i);
        f2l_page_row(page);
        f2l_page_cell(page, "%s", text_in(one, "folder"));
        f2l_page_cell(page, "%s", text_in(one, "job"));
        f2l_page_cell(page, "%s", text_in(one, "reason"));
        f2l_buf_printf(&commands, "%s\n", text_in(one, "command"));
    }
    f2l_page_table_end(page);
    if (commands.failed)
        page->md.failed = true;
    else
        f2l_page_code(page, commands.data);
    f2l_buf_clear(&commands);
}

static void put_unread(f2l_page *page, const json_t *unread)
{
    static const char *const titles[] = {"file", "line", "why", NULL};
    if (json_array_size(unread) == 0) return;
    f2l_page_section(page, "unread", "Not read");
    f2l_page_table(page, "What could not be read", titles);
    for (size_t i = 0; i < json_array_size(unread); i++) {
        const json_t *one = json_array_get(unread, i);
        f2l_page_row(page);
        f2l_page_cell(page, "%s", text_in(one, "file"));
        f2l_page_cell(page, "%" JSON_INTEGER_FORMAT,
                      json_integer_value(json_object_get(one, "line_number")));
        f2l_page_cell(page, "%s", text_in(one, "reason"));
    }
    f2l_page_table_end(page);
}

/* Appends the page as HTML or as Markdown. */
static void lay_page(f2l_buf *out, f2l_fact from, bool html)
{
    f2l_page page;
    if (!from.json) return;
    f2l_page_init(&page);
    f2l_page_begin(&page, "Table", "fsa2lrnn");
    f2l_page_raw(&page, "<h1>Table</h1>\n");
    put_summary(&page, from);
    put_lines(&page, json_object_get(from.json, "rows"),
              f2l_get_count(from, "counts.version_count") > 1);
    put_left(&page, json_object_get(from.json, "left_work"));
    put_unread(&page, json_object_get(from.json, "unread"));
    f2l_page_end(&page);
    const f2l_buf *text = html ? &page.html : &page.md;
    if (page.html.failed || page.md.failed)
        out->failed = true;
    else
        f2l_buf_bytes(out, text->data, text->size);
    f2l_page_clear(&page);
}

static void lay_markdown(f2l_buf *out, f2l_fact from)
{
    lay_page(out, from, false);
}

static void lay_html(f2l_buf *out, f2l_fact from)
{
    lay_page(out, from, true);
}

const f2l_report_kind f2l_table_report_kind = {
    .name = "table", .describe = describe_table, .lay = lay_markdown, .style = {.digits = 17}};
const f2l_report_kind f2l_table_csv_kind = {.describe = describe_table, .lay = lay_table_csv};
const f2l_report_kind f2l_table_html_kind = {.describe = describe_table, .lay = lay_html};
