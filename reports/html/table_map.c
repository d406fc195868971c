#include "reports/html/table_map.h"
#include "numeric/base/mem.h"
#include <stdio.h>

#define COLUMNS ((size_t)240)
#define ROWS ((size_t)64)

/* Appends the path of all cells that lead to one state; cells beside each other are one stroke. */
static void put_cells(f2l_buf *svg, const f2l_fsa *fsa, size_t columns, size_t rows, uint32_t to)
{
    bool begun = false;
    for (size_t a = 0; a < rows; a++)
        for (size_t q = 0; q < columns; q++) {
            size_t run = 0;
            while (q + run < columns && fsa->next[(q + run) * fsa->letters.count + a] == to) run++;
            if (run == 0) continue;
            if (!begun)
                f2l_buf_printf(svg, "<path fill=\"hsl(%u,%u%%,%u%%)\" d=\"",
                               (unsigned)(to * 137u % 360u), 45 + to * 7 % 35, 42 + to * 11 % 26);
            f2l_buf_printf(svg, "M%zu %zuh%zuv1h-%zuz", q, a, run, run);
            begun = true;
            q += run;
        }
    if (begun) f2l_buf_text(svg, "\"/>");
}

void f2l_table_map(f2l_page *page, const f2l_fsa *fsa)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    const size_t columns = states < COLUMNS ? states : COLUMNS;
    const size_t rows = letters < ROWS ? letters : ROWS;
    const size_t cell = columns > 120 || rows > 40 ? 5 : 9;
    f2l_buf svg;
    f2l_buf_init(&svg);
    f2l_buf_printf(&svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" role=\"img\" "
                   "aria-label=\"transition table: %zu states, %zu letters\" width=\"%zu\" "
                   "height=\"%zu\" viewBox=\"0 0 %zu %zu\">",
                   columns, rows, columns * cell, rows * cell, columns, rows);
    bool *met = f2l_calloc(states, sizeof *met);
    for (size_t a = 0; met && a < rows; a++)
        for (size_t q = 0; q < columns; q++) {
            const uint32_t to = fsa->next[q * letters + a];
            if (!met[to]) put_cells(&svg, fsa, columns, rows, to);
            met[to] = true;
        }
    if (!met) svg.failed = true;
    f2l_free(met);
    f2l_buf_text(&svg, "</svg>");
    f2l_page_figure(page, &svg, "wide",
                    "Transition table: a column is a state, a row is a letter, and a colour is the "
                    "next state.");
    if (columns < states || rows < letters)
        f2l_page_note(page, "Drawn are the first %zu of %zu states and %zu of %zu letters.",
                      columns, states, rows, letters);
}
