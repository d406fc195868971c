/* A page that is written twice at once: as HTML for a browser and as Markdown for a terminal or a
 * pull request. Texts are escaped here, so callers pass plain text; hidden characters are shown as
 * numeric/base/visible.h has it, newlines and tabs become blanks. The first failure of memory is
 * remembered by the two texts (f2l_buf_status). */
#ifndef F2L_PAGE_H
#define F2L_PAGE_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"

typedef struct f2l_page {
    f2l_buf html, md;
    size_t part;     /* number of the folder that is shown, from 0 on; identifiers begin with it */
    size_t figures;  /* figures so far; identifiers within a figure begin with this number */
    size_t column;   /* of the table row that is being written */
    bool in_section; /* a section is open */
    f2l_names drawn; /* what cards of matrices show: each is drawn once, with its number as its
                        identifier, and then used again */
} f2l_page;

void f2l_page_init(f2l_page *page);
void f2l_page_clear(f2l_page *page);

/* Append the head with the title, and the end. `tool` names the program with version and commit. */
void f2l_page_begin(f2l_page *page, const char *title, const char *tool);
void f2l_page_end(f2l_page *page);

/* Begins a section with its heading; it ends where the next one begins. `id` is unique within a
 * part. */
void f2l_page_section(f2l_page *page, const char *id, const char *title);
/* Ends the open section, if there is one. */
void f2l_page_close(f2l_page *page);
/* Append a heading within a section, and one below it. */
void f2l_page_heading(f2l_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void f2l_page_subheading(f2l_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append a paragraph; a note is a paragraph in small print, for what was left out and why. */
void f2l_page_say(f2l_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void f2l_page_note(f2l_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a note about a drawing, or about one that is missing, to the HTML alone: Markdown has no
 * drawings. */
void f2l_page_about_drawing(f2l_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends commands, one a line. */
void f2l_page_code(f2l_page *page, const char *text);

/* A table: begin with its caption and column titles (NULL-terminated), then for each row a
 * row, its cells, and in the end the end. The first cell of a row is its title. */
void f2l_page_table(f2l_page *page, const char *caption, const char *const *titles);
void f2l_page_row(f2l_page *page);
void f2l_page_cell(f2l_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a cell with a verdict, VERIFIED, REFUTED or UNKNOWN, drawn as one. */
void f2l_page_verdict_cell(f2l_page *page, const char *verdict);
void f2l_page_table_end(f2l_page *page);

/* Between begin and end: hidden in HTML until it is opened. */
void f2l_page_fold(f2l_page *page, const char *summary, bool open);
void f2l_page_fold_end(f2l_page *page);

/* Appends a figure to the HTML: the drawing, an <svg> element, and its caption. Clears the
 * drawing. */
void f2l_page_figure(f2l_page *page, f2l_buf *svg, const char *class, const char *caption);

/* Return a short class name for a verdict, and its mark: "ok" and U+2713, .. */
const char *f2l_verdict_class(const char *verdict);
const char *f2l_verdict_mark(const char *verdict);

/* Appends text so that Markdown shows it as it is, in one line. */
void f2l_md_text(f2l_buf *out, const char *text);

/* --- HTML alone --- */

void f2l_page_raw(f2l_page *page, const char *html);
void f2l_page_rawf(f2l_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends text, escaped for an element or an attribute in double quotes. */
void f2l_html_text(f2l_buf *out, const char *text);

#endif
