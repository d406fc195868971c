#include "reports/page/drawn_matrix.h"
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

#define CELL_TITLES ((size_t)8)  /* rows of the largest matrix whose cells say their number */
#define WRITTEN_ROWS ((size_t)6) /* rows of the largest matrix that is written out for readers */
#define LEVELS 8                 /* shades of a sign in larger ones */
#define NEAR 1e-4                /* eigenvalues that are shown as one */

f2l_status f2l_drawn_matrix_init(f2l_drawn_matrix *m, size_t rows, size_t columns, f2l_error *err)
{
    *m = (f2l_drawn_matrix){.rows = rows, .columns = columns};
    m->number = f2l_calloc(rows * (rows + columns), sizeof *m->number);
    return m->number ? F2L_OK : f2l_fail_memory(err);
}

void f2l_drawn_matrix_clear(f2l_drawn_matrix *m)
{
    f2l_free(m->number);
    *m = (f2l_drawn_matrix){.rows = 0};
}

f2l_status f2l_drawn_matrix_solve(f2l_drawn_matrix *m, f2l_error *err)
{
    double a[F2L_DRAWN_ROWS * F2L_DRAWN_ROWS];
    if (m->rows > F2L_DRAWN_ROWS || m->rows > F2L_DENSE_MOST) return F2L_OK;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->rows; j++)
            a[j * m->rows + i] = m->number[i * (m->rows + m->columns) + j].value;
    const f2l_status status = f2l_dense_eigenvalues(m->re, m->im, a, m->rows, err);
    if (status == F2L_OK) m->eigenvalues = m->rows;
    return status;
}

/* --- eigenvalues --- */

/* Sets *count to how many eigenvalues are as the one at i; false: an earlier one is. */
static bool group_of(size_t *count, const f2l_drawn_matrix *m, size_t i)
{
    *count = 0;
    for (size_t j = 0; j < m->eigenvalues; j++) {
        if (hypot(m->re[i] - m->re[j], m->im[i] - m->im[j]) > NEAR) continue;
        if (j < i) return false;
        ++*count;
    }
    return true;
}

static double tidy(double x)
{
    return fabs(x) < 5e-7 ? 0 : x;
}

void f2l_eigenvalue_text(f2l_buf *out, const f2l_drawn_matrix *m)
{
    size_t count;
    bool first = true;
    for (size_t i = m->eigenvalues; i-- > 0;) {
        const double im = tidy(m->im[i]);
        if (im < 0 || !group_of(&count, m, i)) continue;
        f2l_buf_printf(out, "%s%.4g", first ? "" : ", ", tidy(m->re[i]));
        if (im > 0) f2l_buf_printf(out, " \xc2\xb1 %.4gi", im);
        if (count > 1) f2l_buf_printf(out, " (%zu times)", count);
        first = false;
    }
}

/* Appends what a drawing shows, or a reference to it where the page has it already; clears it. */
static void put_once(f2l_page *page, f2l_buf *shown)
{
    const size_t before = page->drawn.count;
    size_t at = 0;
    f2l_status status = f2l_buf_status(shown, NULL);
    if (status == F2L_OK)
        status =
            f2l_names_add(&page->drawn, shown->data ? shown->data : "", shown->size, &at, NULL);
    if (status != F2L_OK) {
        page->html.failed = true;
    } else if (at < before) {
        f2l_page_rawf(page, "<use href=\"#m%zu\"/>", at);
    } else {
        f2l_page_rawf(page, "<g id=\"m%zu\">", at);
        f2l_page_raw(page, shown->data ? shown->data : "");
        f2l_page_raw(page, "</g>");
    }
    f2l_buf_clear(shown);
}

static void put_disc(f2l_page *page, const f2l_drawn_matrix *m, const char *title)
{
    f2l_buf *svg = &page->html, shown;
    f2l_buf values;
    size_t count;
    f2l_buf_init(&values);
    f2l_eigenvalue_text(&values, m);
    f2l_buf_text(svg, "<svg class=\"disc\" role=\"img\" "
                      "aria-label=\"eigenvalues of ");
    f2l_html_text(svg, title);
    f2l_buf_printf(svg, ": %s", values.data ? values.data : "");
    f2l_buf_text(svg, "\" width=\"84\" height=\"84\" viewBox=\"-1.3 -1.3 2.6 2.6\">");
    f2l_buf_init(&shown);
    f2l_buf_printf(&shown, "<title>eigenvalues %s", values.data ? values.data : "");
    f2l_buf_text(&shown, "</title><circle class=\"rim\" r=\"1\"/>"
                         "<path class=\"rim\" d=\"M-1.2 0h2.4M0-1.2v2.4\"/>");
    for (size_t i = 0; i < m->eigenvalues; i++) {
        if (!group_of(&count, m, i)) continue;
        const double re = fmin(fmax(tidy(m->re[i]), -1.25), 1.25);
        const double im = fmin(fmax(tidy(m->im[i]), -1.25), 1.25);
        f2l_buf_printf(&shown, "<circle class=\"ev\" cx=\"%.3g\" cy=\"%.3g\" r=\"%.3g\"/>", re, -im,
                       0.08 + 0.03 * (double)(count < 5 ? count - 1 : 4));
    }
    put_once(page, &shown);
    f2l_buf_text(svg, "</svg>");
    if (values.failed) svg->failed = true;
    f2l_buf_clear(&values);
}

/* --- the heat map --- */

static double largest_shown_number(const f2l_drawn_matrix *m)
{
    double most = 1;
    for (size_t i = 0; i < m->rows * (m->rows + m->columns); i++)
        most = fmax(most, fabs(m->number[i].value));
    return most;
}

/* Returns the column in which an entry is drawn: B lies half a cell beside A. */
static double column_of(const f2l_drawn_matrix *m, size_t j)
{
    return (double)j + (j >= m->rows ? .5 : 0);
}

static void put_drawn_number(f2l_buf *out, const f2l_drawn_number *x)
{
    if (x->text[0])
        f2l_buf_text(out, x->text);
    else
        f2l_buf_printf(out, "%.4g", tidy(x->value));
}

/* Returns how dark a number is, from 0 to 1. An exact number that is not 0 can always be seen. */
static double shade(const f2l_drawn_number *x, double most)
{
    const double size = fabs(x->value) / most;
    return x->text[0] && x->value != 0 ? fmax(.12, size) : size;
}

/* Appends a square up to its title; places and a shade that are the default are left out. */
static void put_cell(f2l_buf *svg, const char *class, double column, size_t row, double dark)
{
    f2l_buf_printf(svg, "<rect class=\"%s\"", class);
    if (column > 0) f2l_buf_printf(svg, " x=\"%g\"", column);
    if (row > 0) f2l_buf_printf(svg, " y=\"%zu\"", row);
    f2l_buf_text(svg, " width=\"1\" height=\"1\"");
    if (dark < 1) f2l_buf_printf(svg, " fill-opacity=\"%.2g\"", dark);
    f2l_buf_text(svg, "><title>");
}

/* Appends a cell for each number, which says its number. */
static void put_titled_cells(f2l_buf *svg, const f2l_drawn_matrix *m, double most)
{
    const size_t width = m->rows + m->columns;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < width; j++) {
            const f2l_drawn_number *x = &m->number[i * width + j];
            if (shade(x, most) < .01) continue;
            put_cell(svg, x->value > 0 ? "p" : "m", column_of(m, j), i, shade(x, most));
            f2l_buf_printf(svg, "row %zu, column %zu%s: ", i + 1,
                           j < m->rows ? j + 1 : j - m->rows + 1, j < m->rows ? "" : " of B");
            put_drawn_number(svg, x);
            f2l_buf_text(svg, "</title></rect>");
        }
}

/* Appends one path for every shade. */
static void put_shades(f2l_buf *svg, const f2l_drawn_matrix *m, double most)
{
    const size_t width = m->rows + m->columns;
    for (int level = -LEVELS; level <= LEVELS; level++) {
        bool begun = false;
        for (size_t k = 0; k < m->rows * width && level != 0; k++) {
            if ((int)lround(m->number[k].value / most * LEVELS) != level) continue;
            if (!begun)
                f2l_buf_printf(svg, "<path class=\"%s\" fill-opacity=\"%.3g\" d=\"",
                               level > 0 ? "p" : "m", fabs((double)level) / LEVELS);
            f2l_buf_printf(svg, "M%g %zuh1v1h-1z", column_of(m, k % width), k / width);
            begun = true;
        }
        if (begun) f2l_buf_text(svg, "\"/>");
    }
}

static bool is_written_out(const f2l_drawn_matrix *m)
{
    return m->rows <= WRITTEN_ROWS && m->rows + m->columns <= 2 * WRITTEN_ROWS;
}

/* Appends the numbers of a matrix row by row, B behind a stroke; nothing where it is large. */
static void put_rows(f2l_buf *out, const f2l_drawn_matrix *m)
{
    const size_t width = m->rows + m->columns;
    for (size_t i = 0; i < m->rows && is_written_out(m); i++) {
        if (i > 0) f2l_buf_text(out, "; ");
        for (size_t j = 0; j < width; j++) {
            f2l_buf_text(out, j == 0 ? "" : j == m->rows ? " | " : " ");
            put_drawn_number(out, &m->number[i * width + j]);
        }
    }
}

static void put_alt(f2l_buf *svg, const f2l_drawn_matrix *m, const char *title)
{
    f2l_buf_text(svg, "matrix of ");
    f2l_html_text(svg, title);
    f2l_buf_printf(svg, ", %zu x %zu", m->rows, m->rows);
    if (m->columns > 0) f2l_buf_printf(svg, " and what is added, %zu x %zu", m->rows, m->columns);
    if (is_written_out(m)) f2l_buf_text(svg, ": ");
    put_rows(svg, m);
}

static void put_heat(f2l_page *page, const f2l_drawn_matrix *m, const char *title)
{
    f2l_buf *svg = &page->html, shown;
    const double width = (double)(m->rows + m->columns) + (m->columns > 0 ? .5 : 0);
    double cell = m->rows <= 2 ? 24 : m->rows <= 4 ? 20 : m->rows <= 8 ? 12 : 84. / (double)m->rows;
    if (width * cell > 240) cell = 240 / width;
    f2l_buf_text(svg, "<svg class=\"heat\" role=\"img\" "
                      "aria-label=\"");
    put_alt(svg, m, title);
    f2l_buf_printf(svg, "\" width=\"%.0f\" height=\"%.0f\" viewBox=\"-.1 -.1 %.4g %.4g\">",
                   width * cell, (double)m->rows * cell, width + .2, (double)m->rows + .2);
    f2l_buf_init(&shown);
    f2l_buf_printf(&shown, "<rect class=\"back\" width=\"%zu\" height=\"%zu\"/>", m->rows, m->rows);
    if (m->columns > 0)
        f2l_buf_printf(&shown, "<rect class=\"back\" x=\"%g\" width=\"%zu\" height=\"%zu\"/>",
                       column_of(m, m->rows), m->columns, m->rows);
    if (m->rows <= CELL_TITLES)
        put_titled_cells(&shown, m, largest_shown_number(m));
    else
        put_shades(&shown, m, largest_shown_number(m));
    put_once(page, &shown);
    f2l_buf_text(svg, "</svg>");
}

/* Appends the card's line in Markdown, which has no drawings: the numbers of a small matrix, and
 * the eigenvalues. */
static void put_md_matrix(f2l_buf *md, const f2l_drawn_matrix *m, const char *title)
{
    f2l_buf values;
    f2l_buf_init(&values);
    f2l_eigenvalue_text(&values, m);
    f2l_buf_text(md, "- ");
    f2l_md_text(md, title);
    if (is_written_out(m)) {
        f2l_buf_text(md, m->columns > 0 ? ": A | B = `" : ": A = `");
        put_rows(md, m);
        f2l_buf_text(md, "`");
    }
    if (values.size > 0)
        f2l_buf_printf(md, "%s eigenvalues %s", is_written_out(m) ? "," : ":", values.data);
    f2l_buf_text(md, "\n");
    if (values.failed) md->failed = true;
    f2l_buf_clear(&values);
}

void f2l_matrix_card(f2l_page *page, const f2l_drawn_matrix *m, const char *title,
                     const char *classes)
{
    f2l_page_raw(page, "<figure class=\"card\" tabindex=\"0\" data-l=\"");
    f2l_page_raw(page, classes);
    f2l_page_raw(page, "\"><figcaption>");
    f2l_html_text(&page->html, title);
    f2l_page_raw(page, "</figcaption><div>");
    put_heat(page, m, title);
    if (m->eigenvalues > 0) put_disc(page, m, title);
    f2l_page_raw(page, "</div></figure>\n");
    put_md_matrix(&page->md, m, title);
}

void f2l_page_key(f2l_page *page)
{
    f2l_page_raw(page,
                 "<p class=\"key\"><span class=\"p\">\xe2\x96\xa0</span> above 0, "
                 "<span class=\"m\">\xe2\x96\xa0</span> below 0; the shade is the size</p>\n");
}
