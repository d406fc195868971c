#include "reports/html/automaton_part.h"
#include "reports/html/component_graph.h"
#include "reports/html/fsa_drawing.h"
#include "reports/html/table_map.h"
#include <stdio.h>

#define BUTTONS ((size_t)120)
#define TABLE_STATES ((size_t)60)
#define TABLE_LETTERS ((size_t)30)

/* Appends the names of letters as buttons, which highlight what belongs to a letter. */
static void put_letter_buttons(f2l_page *page, const f2l_fsa_drawing *d)
{
    const f2l_names *letters = &d->fsa->letters;
    f2l_page_raw(page, "<p class=\"chips\" role=\"group\" aria-label=\"letters\">");
    for (size_t a = 0; a < letters->count && a < BUTTONS; a++) {
        f2l_page_rawf(page,
                      "<button type=\"button\" class=\"chip%s p%zu-l%zu\" data-l=\"p%zu-l%zu\" "
                      "aria-pressed=\"false\">",
                      f2l_letter_colour(d, a), page->part, a, page->part, a);
        f2l_html_text(&page->html, f2l_names_get(letters, a));
        f2l_page_raw(page, "</button>\n");
    }
    f2l_page_raw(page, "</p>\n");
    if (letters->count > BUTTONS)
        f2l_page_about_drawing(page, "%zu more letters have no button.", letters->count - BUTTONS);
}

/* --- drawings --- */

/* Says which letters are drawn of a group. */
static void put_generators(f2l_page *page, const f2l_fsa_drawing *d)
{
    f2l_buf text;
    f2l_buf_init(&text);
    for (size_t i = 0; i < d->letters; i++)
        f2l_buf_printf(&text, "%s%s", i ? ", " : "", f2l_names_get(&d->fsa->letters, d->letter[i]));
    f2l_page_about_drawing(page,
                           "Drawn: %s. %s the group: what each of the other letters does, words in "
                           "%s do, too. The table has all letters.",
                           text.data ? text.data : "",
                           d->letters == 1 ? "This letter generates" : "These letters generate",
                           d->letters == 1 ? "it" : "these");
    if (text.failed) page->html.failed = true;
    f2l_buf_clear(&text);
}

/* Appends the graph with its legend, or the reason why there is none. Sets *drawn. */
static f2l_status put_graph(f2l_page *page, bool *drawn, const f2l_fsa_drawing *d, f2l_error *err)
{
    char alt[160];
    f2l_buf dot, svg;
    const f2l_graph_titles titles = f2l_fsa_drawing_titles(d);
    f2l_buf_init(&dot);
    f2l_buf_init(&svg);
    f2l_fsa_drawing_dot(&dot, d, page->part, page->figures);
    snprintf(alt, sizeof alt, "graph of the automaton: %zu states, %zu edges", d->fsa->states.count,
             d->edges);
    f2l_status status = f2l_graph_draw(&svg, &dot, &titles, alt, err);
    *drawn = status == F2L_OK;
    if (*drawn) {
        if (d->generators) put_generators(page, d);
        f2l_page_figure(page, &svg, "wide",
                        "The automaton. Point at a letter to see its edges and its matrices, at a "
                        "state or an arrow for whole names.");
        f2l_fsa_drawing_legend(page, d);
    } else if (status != F2L_ENOMEM) {
        f2l_page_about_drawing(page, "The graph is not drawn: %s.", err->text);
        status = F2L_OK;
    }
    f2l_buf_clear(&dot);
    f2l_buf_clear(&svg);
    return status;
}

/* Says why an automaton is too large for its graph, and draws its table and its components. */
static f2l_status put_large_automaton(f2l_page *page, const f2l_fsa_drawing *d, f2l_error *err)
{
    if (!d->between)
        f2l_page_about_drawing(page, "More than %zu states are not drawn one by one.",
                               F2L_DRAWN_STATES);
    else
        f2l_page_about_drawing(page,
                               "There are %zu edges between states, parallel ones merged; more "
                               "than %zu are not drawn.",
                               d->edges, F2L_DRAWN_EDGES);
    const f2l_status status = f2l_component_graph(page, d->fsa, err);
    if (status == F2L_OK) f2l_table_map(page, d->fsa);
    return status;
}

/* --- the table --- */

/* Returns whether two letters lead from every state to the same one. */
static bool lead_alike(const f2l_fsa *fsa, size_t a, size_t b)
{
    const size_t letters = fsa->letters.count;
    size_t q = 0;
    while (q < fsa->states.count && fsa->next[q * letters + a] == fsa->next[q * letters + b]) q++;
    return q == fsa->states.count;
}

/* Appends the names of the letters that have one column with letter a, and sets *leads to whether
 * a is the first of them. */
static void put_column_title(f2l_buf *title, bool *leads, const f2l_fsa *fsa, size_t a)
{
    *leads = true;
    for (size_t b = 0; b < fsa->letters.count; b++) {
        if (!lead_alike(fsa, a, b)) continue;
        *leads = *leads && b >= a;
        f2l_buf_printf(title, "%s%s", title->size ? ", " : "", f2l_names_get(&fsa->letters, b));
    }
}

static void put_transition_table(f2l_page *page, const f2l_fsa *fsa, bool open)
{
    const size_t letters = fsa->letters.count, states = fsa->states.count;
    const char *titles[TABLE_LETTERS + 2] = {"state"};
    f2l_buf title[TABLE_LETTERS];
    bool leads[TABLE_LETTERS];
    if (states > TABLE_STATES || letters > TABLE_LETTERS) return;
    for (size_t a = 0, columns = 1; a < letters; a++) {
        f2l_buf_init(&title[a]);
        put_column_title(&title[a], &leads[a], fsa, a);
        if (title[a].failed) page->html.failed = true;
        if (leads[a]) titles[columns++] = title[a].data ? title[a].data : "";
    }
    f2l_page_fold(page, "Transition table", open);
    f2l_page_table(page, "Next state by state and letter", titles);
    for (size_t q = 0; q < states; q++) {
        f2l_page_row(page);
        f2l_page_cell(page, "%s%s%s", q == fsa->start ? "\xe2\x86\x92 " : "",
                      f2l_names_get(&fsa->states, q),
                      fsa->has_accept && fsa->accept[q] ? " (accepting)" : "");
        for (size_t a = 0; a < letters; a++)
            if (leads[a])
                f2l_page_cell(page, "%s", f2l_names_get(&fsa->states, fsa->next[q * letters + a]));
    }
    for (size_t a = 0; a < letters; a++) f2l_buf_clear(&title[a]);
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

/* Appends the drawings and the table of the automaton. */
static f2l_status put_automaton(f2l_page *page, const f2l_fsa_drawing *d, f2l_error *err)
{
    const size_t states = d->fsa->states.count, letters = d->fsa->letters.count;
    const bool fits = f2l_fsa_drawing_fits(d);
    bool drawn = false;
    f2l_page_say(page, "%zu state%s, %zu letter%s; it begins in %s.", states,
                 states == 1 ? "" : "s", letters, letters == 1 ? "" : "s",
                 f2l_names_get(&d->fsa->states, d->fsa->start));
    put_letter_buttons(page, d);
    f2l_status status = fits ? put_graph(page, &drawn, d, err) : put_large_automaton(page, d, err);
    if (status != F2L_OK) return status;
    if (fits && !drawn && letters > TABLE_LETTERS) f2l_table_map(page, d->fsa);
    put_transition_table(page, d->fsa, fits && !drawn);
    return F2L_OK;
}

f2l_status f2l_automaton_part(f2l_page *page, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_fsa_drawing drawing;
    f2l_page_section(page, "automaton", "The automaton");
    f2l_status status = f2l_fsa_drawing_init(&drawing, fsa, err);
    if (status == F2L_OK) status = put_automaton(page, &drawing, err);
    f2l_fsa_drawing_clear(&drawing);
    return status;
}
