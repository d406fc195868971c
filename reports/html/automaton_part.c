#include "reports/html/automaton_part.h"
#include "automata/graph/scc.h"
#include "reports/html/table_map.h"
#include "reports/page/graph.h"
#include <stdio.h>
#include <string.h>

#define NAME_CHARACTERS ((size_t)24) /* of a name in a drawing */
#define EDGE_CHARACTERS ((size_t)36) /* of the letters at an edge */
#define BUTTONS ((size_t)120)
#define TABLE_STATES ((size_t)60)
#define TABLE_LETTERS ((size_t)30)

/* Returns the class that gives a letter its colour; "" when there are more letters than colours. */
static const char *colour_of(size_t letters, size_t letter)
{
    static const char *const colour[] = {" k0", " k1", " k2", " k3", " k4", " k5", " k6", " k7"};
    return letters <= sizeof colour / sizeof *colour ? colour[letter] : "";
}

void f2l_letter_buttons(f2l_page *page, const f2l_names *letters)
{
    f2l_page_raw(page, "<p class=\"chips\" role=\"group\" aria-label=\"letters\">");
    for (size_t a = 0; a < letters->count && a < BUTTONS; a++) {
        f2l_page_rawf(page,
                      "<button type=\"button\" class=\"chip%s p%zu-l%zu\" data-l=\"p%zu-l%zu\" "
                      "aria-pressed=\"false\">",
                      colour_of(letters->count, a), page->part, a, page->part, a);
        f2l_html_text(&page->html, f2l_names_get(letters, a));
        f2l_page_raw(page, "</button>\n");
    }
    f2l_page_raw(page, "</p>\n");
    if (letters->count > BUTTONS)
        f2l_page_note(page, "%zu more letters have no button.", letters->count - BUTTONS);
}

/* --- the graph --- */

static bool is_accepting(const f2l_fsa *fsa, size_t state)
{
    return fsa->has_accept && fsa->accept[state];
}

/* Appends the names of the letters that lead from one state to the other, cut after some. */
static void put_edge_label(f2l_buf *dot, const f2l_fsa *fsa, size_t from, uint32_t to)
{
    const size_t letters = fsa->letters.count;
    size_t left = 0;
    f2l_buf text;
    f2l_buf_init(&text);
    for (size_t a = 0; a < letters; a++) {
        if (fsa->next[from * letters + a] != to) continue;
        if (text.size >= EDGE_CHARACTERS) {
            left++;
            continue;
        }
        f2l_buf_printf(&text, "%s%s", text.size ? ", " : "", f2l_names_get(&fsa->letters, a));
    }
    if (left > 0) f2l_buf_printf(&text, ", +%zu", left);
    if (text.failed) dot->failed = true;
    f2l_dot_string(dot, text.data ? text.data : "", 2 * EDGE_CHARACTERS, true);
    f2l_buf_clear(&text);
}

static void put_edge(f2l_buf *dot, const f2l_fsa *fsa, size_t from, uint32_t to, size_t part)
{
    const size_t letters = fsa->letters.count;
    size_t count = 0, last = 0;
    f2l_dot_string(dot, f2l_names_get(&fsa->states, from), 0, false);
    f2l_buf_text(dot, " -> ");
    f2l_dot_string(dot, f2l_names_get(&fsa->states, to), 0, false);
    f2l_buf_text(dot, " [label=");
    put_edge_label(dot, fsa, from, to);
    f2l_buf_text(dot, ", class=\"");
    for (size_t a = 0; a < letters; a++) {
        if (fsa->next[from * letters + a] != to) continue;
        f2l_buf_printf(dot, "%sp%zu-l%zu", count ? " " : "", part, a);
        last = a;
        count++;
    }
    f2l_buf_printf(dot, "%s\"];\n", count == 1 ? colour_of(letters, last) : "");
}

/* Returns whether no earlier letter leads from the state to the same one. */
static bool is_first_letter_between(const f2l_fsa *fsa, size_t state, size_t letter)
{
    const uint32_t *next = &fsa->next[state * fsa->letters.count];
    for (size_t b = 0; b < letter; b++)
        if (next[b] == next[letter]) return false;
    return true;
}

/* Returns the number of edges, parallel ones merged. */
static size_t count_edges(const f2l_fsa *fsa)
{
    const size_t letters = fsa->letters.count;
    size_t edges = 0;
    for (size_t i = 0; i < fsa->states.count * letters; i++)
        edges += is_first_letter_between(fsa, i / letters, i % letters);
    return edges;
}

static void put_edges(f2l_buf *dot, const f2l_fsa *fsa, size_t part)
{
    const size_t letters = fsa->letters.count;
    for (size_t i = 0; i < fsa->states.count * letters; i++)
        if (is_first_letter_between(fsa, i / letters, i % letters))
            put_edge(dot, fsa, i / letters, fsa->next[i], part);
}

#define DOT_HEAD \
    "digraph {\nid=\"f%zu\"; bgcolor=\"transparent\"; rankdir=LR; nodesep=0.35; " \
    "ranksep=0.55;\n" \
    "node [shape=circle, fontname=\"Helvetica\", fontsize=12, margin=0.06];\n" \
    "edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n"

/* States with many edges are drawn on a circle. */
void f2l_automaton_dot(f2l_buf *dot, const f2l_fsa *fsa, size_t part, size_t figure)
{
    f2l_buf_printf(dot, DOT_HEAD, figure);
    const size_t edges = count_edges(fsa), states = fsa->states.count;
    if (states > 3 && (edges > 4 * states || 2 * edges > states * states))
        f2l_buf_text(dot, "layout=circo; mindist=0.9;\n");
    f2l_buf_text(dot, "\" begin\" [shape=point, width=0.06, class=\"begin\"];\n");
    for (size_t q = 0; q < fsa->states.count; q++) {
        const char *name = f2l_names_get(&fsa->states, q);
        f2l_dot_string(dot, name, 0, false);
        f2l_buf_printf(dot, " [id=\"f%zu-s%zu\", class=\"%s\", label=", figure, q,
                       is_accepting(fsa, q) ? "accepting" : "state");
        f2l_dot_string(dot, name, NAME_CHARACTERS, true);
        f2l_buf_text(dot, is_accepting(fsa, q) ? ", shape=doublecircle];\n" : "];\n");
    }
    f2l_buf_text(dot, "\" begin\" -> ");
    f2l_dot_string(dot, f2l_names_get(&fsa->states, fsa->start), 0, false);
    f2l_buf_text(dot, " [class=\"begin\"];\n");
    put_edges(dot, fsa, part);
    f2l_buf_text(dot, "}\n");
}

/* Appends the drawing, or the reason why there is none. Returns whether it was drawn. */
static bool draw_graph(f2l_page *page, f2l_buf *dot, const char *alt, const char *caption,
                       f2l_error *err)
{
    f2l_buf svg;
    f2l_error why;
    f2l_buf_init(&svg);
    const bool drawn = f2l_graph_draw(&svg, dot, alt, &why) == F2L_OK;
    if (drawn)
        f2l_page_figure(page, &svg, "wide", caption);
    else
        f2l_page_note(page, "The graph is not drawn: %s.", why.text);
    if (!drawn && why.status == F2L_ENOMEM) *err = why;
    f2l_buf_clear(&svg);
    return drawn;
}

/* --- large automata --- */

static void put_component(f2l_buf *dot, size_t c, size_t size, bool start, size_t figure)
{
    f2l_buf_printf(dot, "c%zu [id=\"f%zu-c%zu\", class=\"%s\", label=\"%zu state%s\"];\n", c,
                   figure, c, start ? "accepting" : "state", size, size == 1 ? "" : "s");
}

/* Appends the edges between components, each once. */
static void put_component_edges(f2l_buf *dot, const f2l_fsa *fsa, const f2l_scc *scc)
{
    bool there[F2L_DRAWN_STATES][F2L_DRAWN_STATES] = {{false}};
    const size_t letters = fsa->letters.count;
    for (size_t i = 0; i < fsa->states.count * letters; i++) {
        const uint32_t from = scc->of[i / letters], to = scc->of[fsa->next[i]];
        if (from != to) there[from][to] = true;
    }
    for (size_t from = scc->count; from-- > 0;)
        for (size_t to = scc->count; to-- > 0;)
            if (there[from][to]) f2l_buf_printf(dot, "c%zu -> c%zu;\n", from, to);
}

static void draw_components(f2l_page *page, const f2l_fsa *fsa, const f2l_scc *scc, f2l_error *err)
{
    f2l_buf dot;
    f2l_buf_init(&dot);
    f2l_buf_printf(&dot, DOT_HEAD, page->figures);
    f2l_buf_text(&dot, "node [shape=box, style=rounded];\n");
    for (size_t c = scc->count; c-- > 0;)
        put_component(&dot, c, scc->first[c + 1] - scc->first[c], scc->of[fsa->start] == c,
                      page->figures);
    put_component_edges(&dot, fsa, scc);
    f2l_buf_text(&dot, "}\n");
    draw_graph(page, &dot, "graph of the strongly connected components",
               "Strongly connected components: the states of a box reach each other, and arrows "
               "lead one way. The start is in the marked box.",
               err);
    f2l_buf_clear(&dot);
}

static f2l_status large_automaton(f2l_page *page, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_scc scc;
    f2l_meter meter = {0};
    const f2l_graph graph = f2l_graph_of_table(fsa->next, fsa->states.count, fsa->letters.count);
    f2l_page_note(page,
                  "It has more than %zu states or more than %zu edges, parallel ones merged: the "
                  "transition table is drawn as a map, and the strongly connected components as a "
                  "graph.",
                  F2L_DRAWN_STATES, F2L_DRAWN_EDGES);
    f2l_table_map(page, fsa);
    f2l_status status = f2l_scc_build(&scc, &graph, &meter, err);
    if (status != F2L_OK) return status;
    if (scc.count > F2L_DRAWN_STATES)
        f2l_page_note(page, "There are %zu strongly connected components, too many for a graph.",
                      scc.count);
    else if (scc.count == 1)
        f2l_page_say(page, "All states reach each other: one strongly connected component.");
    else
        draw_components(page, fsa, &scc, err);
    f2l_scc_clear(&scc);
    return F2L_OK;
}

/* --- the table --- */

static void transition_table(f2l_page *page, const f2l_fsa *fsa)
{
    const size_t letters = fsa->letters.count, states = fsa->states.count;
    const char *titles[TABLE_LETTERS + 2] = {"state"};
    if (states > TABLE_STATES || letters > TABLE_LETTERS) return;
    for (size_t a = 0; a < letters; a++) titles[a + 1] = f2l_names_get(&fsa->letters, a);
    f2l_page_fold(page, "Transition table", false);
    f2l_page_table(page, "Next state by state and letter", titles);
    for (size_t q = 0; q < states; q++) {
        f2l_page_row(page);
        f2l_page_cell(page, "%s%s%s", q == fsa->start ? "\xe2\x86\x92 " : "",
                      f2l_names_get(&fsa->states, q), is_accepting(fsa, q) ? " (accepting)" : "");
        for (size_t a = 0; a < letters; a++)
            f2l_page_cell(page, "%s", f2l_names_get(&fsa->states, fsa->next[q * letters + a]));
    }
    f2l_page_table_end(page);
    f2l_page_fold_end(page);
}

f2l_status f2l_automaton_part(f2l_page *page, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_buf dot;
    const size_t states = fsa->states.count;
    const size_t edges = states <= F2L_DRAWN_STATES ? count_edges(fsa) : 0;
    const bool drawn = states <= F2L_DRAWN_STATES && edges <= F2L_DRAWN_EDGES;
    char alt[160];
    f2l_page_section(page, "automaton", "The automaton");
    f2l_page_say(page, "%zu state%s, %zu letter%s; it begins in %s.", states,
                 states == 1 ? "" : "s", fsa->letters.count, fsa->letters.count == 1 ? "" : "s",
                 f2l_names_get(&fsa->states, fsa->start));
    f2l_letter_buttons(page, &fsa->letters);
    f2l_buf_init(&dot);
    if (drawn) f2l_automaton_dot(&dot, fsa, page->part, page->figures);
    f2l_status status = f2l_buf_status(&dot, err);
    snprintf(alt, sizeof alt, "graph of the automaton: %zu states, %zu edges", states, edges);
    if (status == F2L_OK && drawn) {
        err->status = F2L_OK;
        if (!draw_graph(
                page, &dot, alt,
                "The automaton; a state with two rings accepts. Parallel edges are merged. Point "
                "at a letter to see its edges and its matrices.",
                err))
            f2l_table_map(page, fsa);
        status = err->status;
    } else if (status == F2L_OK)
        status = large_automaton(page, fsa, err);
    f2l_buf_clear(&dot);
    if (status == F2L_OK) transition_table(page, fsa);
    return status;
}
