#include "reports/html/table_map.h"
#include "numeric/base/mem.h"
#include "numeric/base/visible.h"
#include <stdio.h>
#include <string.h>

#define COLUMNS ((size_t)240)
#define ROWS ((size_t)64)
#define NAMED ((size_t)12)             /* states whose colours the legend names one by one */
#define LETTER_CHARACTERS ((size_t)20) /* of a row's title */
#define STATE_CHARACTERS ((size_t)12)  /* of a column's title */
#define CHARACTER 6.2                  /* mean width of a character of the titles, in pixels */
#define STOPS 6                        /* colours of the ramp in the legend */

/* Sizes in pixels. */
typedef struct map_layout {
    size_t columns, rows, width, height, left, top; /* cells, a cell, and room for titles */
} map_layout;

static map_layout lay_out_map(const f2l_fsa *fsa)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    map_layout m = {.columns = states < COLUMNS ? states : COLUMNS,
                    .rows = letters < ROWS ? letters : ROWS,
                    .top = 18};
    m.width = m.columns <= 20 ? 28 : m.columns <= 60 ? 14 : m.columns <= 120 ? 8 : 4;
    m.height = m.rows <= 20 ? 18 : 12;
    size_t most = 1;
    for (size_t a = 0; a < m.rows; a++) {
        const size_t size = strlen(f2l_names_get(&fsa->letters, a));
        if (size > most) most = size;
    }
    if (most > LETTER_CHARACTERS) most = LETTER_CHARACTERS;
    m.left = (size_t)(CHARACTER * (double)(most + 1)) + 8;
    return m;
}

/* Appends the colour of a state: its place among all, from blue to orange. */
static void put_state_colour(f2l_buf *out, size_t state, size_t states)
{
    const double at = states > 1 ? (double)state / (double)(states - 1) : 0;
    f2l_buf_printf(out, "hsl(%.0f,%.0f%%,%.0f%%)", 255 - 225 * at, 70 - 10 * at, 40 + 15 * at);
}

/* Appends the first `most` characters of a name. */
static void put_short_name(f2l_buf *out, const char *name, size_t most)
{
    f2l_buf text;
    size_t characters = 0, at = 0;
    f2l_buf_init(&text);
    f2l_buf_visible(&text, name, strlen(name), "");
    while (at < text.size && (characters < most || ((unsigned char)text.data[at] & 0xc0) == 0x80))
        characters += ((unsigned char)text.data[at++] & 0xc0) != 0x80;
    if (at < text.size) {
        text.data[at] = '\0';
        text.size = at;
        f2l_buf_text(&text, "\xe2\x80\xa6");
    }
    f2l_html_text(out, text.data ? text.data : "");
    if (text.failed) out->failed = true;
    f2l_buf_clear(&text);
}

/* Appends the path of all cells that lead to one state; cells beside each other are one stroke. */
static void put_cells(f2l_buf *svg, const f2l_fsa *fsa, const map_layout *m, uint32_t to)
{
    bool begun = false;
    for (size_t a = 0; a < m->rows; a++)
        for (size_t q = 0; q < m->columns; q++) {
            size_t run = 0;
            while (q + run < m->columns && fsa->next[(q + run) * fsa->letters.count + a] == to)
                run++;
            if (run == 0) continue;
            if (!begun) {
                f2l_buf_text(svg, "<path fill=\"");
                put_state_colour(svg, to, fsa->states.count);
                f2l_buf_text(svg, "\" d=\"");
            }
            f2l_buf_printf(svg, "M%zu %zuh%zuv1h-%zuz", q, a, run, run);
            begun = true;
            q += run;
        }
    if (!begun) return;
    f2l_buf_text(svg, "\"><title>next state: ");
    f2l_html_text(svg, f2l_names_get(&fsa->states, to));
    f2l_buf_text(svg, "</title></path>");
}

/* Appends the names of the letters, and of as many states as have room. */
static void put_map_titles(f2l_buf *svg, const f2l_fsa *fsa, const map_layout *m)
{
    size_t room = 0;
    for (size_t q = 0; q < m->columns; q++) {
        const char *name = f2l_names_get(&fsa->states, q);
        if (q * m->width < room) continue;
        f2l_buf_printf(svg, "<text x=\"%zu\" y=\"12\">", m->left + q * m->width);
        put_short_name(svg, name, STATE_CHARACTERS);
        f2l_buf_text(svg, "</text>");
        const size_t size = strlen(name) < STATE_CHARACTERS ? strlen(name) : STATE_CHARACTERS + 1;
        room = q * m->width + (size_t)(CHARACTER * (double)(size + 2));
    }
    for (size_t a = 0; a < m->rows; a++) {
        f2l_buf_printf(svg, "<text class=\"row\" x=\"%zu\" y=\"%zu\">", m->left - 8,
                       m->top + a * m->height + m->height / 2 + 4);
        put_short_name(svg, f2l_names_get(&fsa->letters, a), LETTER_CHARACTERS);
        f2l_buf_text(svg, "</text>");
    }
}

/* Appends the cells in one unit each, scaled. Returns in *met, owned by the caller, which states
 * are led to. */
static void put_map_cells(f2l_buf *svg, bool *met, const f2l_fsa *fsa, const map_layout *m)
{
    f2l_buf_printf(svg, "<g class=\"cells\" transform=\"translate(%zu %zu) scale(%zu %zu)\">",
                   m->left, m->top, m->width, m->height);
    for (size_t a = 0; a < m->rows; a++)
        for (size_t q = 0; q < m->columns; q++) {
            const uint32_t to = fsa->next[q * fsa->letters.count + a];
            if (!met[to]) put_cells(svg, fsa, m, to);
            met[to] = true;
        }
    f2l_buf_text(svg, "</g>");
}

/* Appends which colour is which state: each by its name, or a ramp between the first and the
 * last. */
static void put_map_legend(f2l_page *page, const f2l_fsa *fsa, const bool *met)
{
    const size_t states = fsa->states.count;
    size_t named = 0;
    f2l_buf *out = &page->html;
    for (size_t q = 0; q < states; q++) named += met[q];
    f2l_page_raw(page, "<ul class=\"legend\" aria-label=\"colours of the next states\">\n");
    for (size_t q = 0; q < states && named <= NAMED; q++) {
        if (!met[q]) continue;
        f2l_page_raw(page, "<li><span class=\"swatch\" style=\"background:");
        put_state_colour(out, q, states);
        f2l_page_raw(page, "\">\xc2\xa0</span>");
        put_short_name(out, f2l_names_get(&fsa->states, q), 2 * STATE_CHARACTERS);
        f2l_page_raw(page, "</li>\n");
    }
    if (named > NAMED) {
        f2l_page_raw(page, "<li>");
        put_short_name(out, f2l_names_get(&fsa->states, 0), 2 * STATE_CHARACTERS);
        f2l_page_raw(page, "<span class=\"ramp\" style=\"background:linear-gradient(90deg");
        for (size_t i = 0; i < STOPS; i++) {
            f2l_page_raw(page, ",");
            put_state_colour(out, i, STOPS);
        }
        f2l_page_raw(page, ")\">\xc2\xa0</span>");
        put_short_name(out, f2l_names_get(&fsa->states, states - 1), 2 * STATE_CHARACTERS);
        f2l_page_raw(page, "</li>\n<li>the next state, in the order of automaton.fsa; point at a "
                           "cell for its name</li>\n");
    }
    f2l_page_raw(page, "</ul>\n");
}

void f2l_table_map(f2l_page *page, const f2l_fsa *fsa)
{
    const map_layout m = lay_out_map(fsa);
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    const size_t width = m.left + m.columns * m.width + 80, height = m.top + m.rows * m.height;
    f2l_buf svg;
    f2l_buf_init(&svg);
    f2l_buf_printf(&svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" role=\"img\" "
                   "aria-label=\"transition table: %zu states, %zu letters\" width=\"%zu\" "
                   "height=\"%zu\" viewBox=\"0 0 %zu %zu\" style=\"min-width:%zupx\">",
                   m.columns, m.rows, width, height, width, height, width * 9 / 10);
    bool *met = f2l_calloc(states, sizeof *met);
    if (met) {
        put_map_titles(&svg, fsa, &m);
        put_map_cells(&svg, met, fsa, &m);
        put_map_legend(page, fsa, met);
    } else
        svg.failed = true;
    f2l_free(met);
    f2l_buf_text(&svg, "</svg>");
    f2l_page_figure(page, &svg, "wide",
                    "Transition table: a column is a state, a row is a letter, and a colour is the "
                    "next state.");
    if (m.columns < states || m.rows < letters)
        f2l_page_about_drawing(page,
                               "Drawn are the first %zu of %zu states and %zu of %zu "
                               "letters.",
                               m.columns, states, m.rows, letters);
}
