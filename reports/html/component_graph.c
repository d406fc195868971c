#include "reports/html/component_graph.h"
#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "reports/html/fsa_drawing.h"
#include "reports/html/graph_sign.h"
#include <stdio.h>

#define NAME_CHARACTERS ((size_t)22) /* of a line of a box that is a single state */

#define JOINED_BOXES ((size_t)20) /* most boxes that hold several components */

/* A box of the graph: components, their states, and how many accept. */
typedef struct component_box {
    size_t components, states, accepting;
    uint32_t state; /* one of the states */
} component_box;

typedef struct component_graph {
    const f2l_fsa *fsa;
    const f2l_scc *scc;
    uint32_t *box_of; /* [components] */
    size_t boxes;
    bool joined; /* boxes are distances from the start */
    component_box box[F2L_DRAWN_STATES];
    size_t between[F2L_DRAWN_STATES][F2L_DRAWN_STATES]; /* transitions */
} component_graph;

/* Sets box_of to the greatest number of steps between components on the way from the start, and
 * then joins neighbours among these numbers until there are few enough. */
static void join_by_distance(component_graph *g)
{
    const f2l_scc *scc = g->scc;
    const size_t letters = g->fsa->letters.count;
    size_t distances = 1;
    for (size_t c = scc->count; c-- > 0;) {
        if (g->box_of[c] >= distances) distances = g->box_of[c] + 1;
        for (size_t i = scc->first[c]; i < scc->first[c + 1]; i++)
            for (size_t a = 0; a < letters; a++) {
                const uint32_t to = scc->of[g->fsa->next[scc->member[i] * letters + a]];
                if (to != c && g->box_of[to] <= g->box_of[c]) g->box_of[to] = g->box_of[c] + 1;
            }
    }
    g->joined = true;
    g->boxes = distances < JOINED_BOXES ? distances : JOINED_BOXES;
    for (size_t c = 0; c < scc->count && distances > JOINED_BOXES; c++)
        g->box_of[c] = (uint32_t)(g->box_of[c] * JOINED_BOXES / distances);
}

/* Fills the boxes and the numbers of transitions between them. */
static void count_component_boxes(component_graph *g)
{
    const f2l_fsa *fsa = g->fsa;
    const size_t letters = fsa->letters.count;
    for (size_t c = 0; c < g->scc->count; c++) g->box[g->box_of[c]].components++;
    for (size_t q = 0; q < fsa->states.count; q++) {
        const uint32_t from = g->box_of[g->scc->of[q]];
        component_box *box = &g->box[from];
        box->states++;
        box->accepting += fsa->has_accept && fsa->accept[q];
        box->state = (uint32_t)q;
        for (size_t a = 0; a < letters; a++) {
            const uint32_t to = g->box_of[g->scc->of[fsa->next[q * letters + a]]];
            if (from != to) g->between[from][to]++;
        }
    }
}

/* Appends the label of a box: a single state's name, or numbers. */
static void put_box_label(f2l_buf *dot, const component_graph *g, const component_box *box)
{
    f2l_buf text;
    f2l_buf_init(&text);
    if (box->states == 1)
        f2l_dot_label(dot, f2l_names_get(&g->fsa->states, box->state), NAME_CHARACTERS);
    else {
        f2l_buf_printf(&text, "\"%zu states", box->states);
        if (g->joined && box->components > 1)
            f2l_buf_printf(&text, "\\nin %zu components", box->components);
        if (box->accepting > 0) f2l_buf_printf(&text, "\\n%zu accept", box->accepting);
        f2l_buf_printf(dot, "%s\"", text.data ? text.data : "\"");
    }
    if (text.failed) dot->failed = true;
    f2l_buf_clear(&text);
}

static void put_component_dot(f2l_buf *dot, const component_graph *g, size_t figure)
{
    f2l_graph_head(dot, figure);
    f2l_buf_text(dot, "node [shape=box, style=rounded, margin=\"0.1,0.05\", height=0.3];\n");
    for (size_t b = g->boxes; b-- > 0;) {
        const bool accepts = g->box[b].states == 1 && g->box[b].accepting > 0;
        f2l_buf_printf(dot, "n%zu [id=\"f%zu-c%zu\", class=\"%s\"%s, label=", b, figure, b,
                       accepts ? "accepting" : "state", accepts ? ", peripheries=2" : "");
        put_box_label(dot, g, &g->box[b]);
        f2l_buf_text(dot, "];\n");
    }
    f2l_graph_start(dot, g->box_of[g->scc->of[g->fsa->start]]);
    for (size_t from = g->boxes; from-- > 0;)
        for (size_t to = g->boxes; to-- > 0;)
            if (g->between[from][to] > 0)
                f2l_buf_printf(dot, "n%zu -> n%zu [label=\"%zu\", class=\"drawn\"];\n", from, to,
                               g->between[from][to]);
    f2l_buf_text(dot, "}\n");
}

static void put_component_title(f2l_buf *out, size_t from, size_t to, bool edge,
                                const void *context)
{
    const component_graph *g = context;
    if (edge)
        f2l_buf_printf(out, "%zu transitions", g->between[from][to]);
    else if (g->box[from].states == 1)
        f2l_html_text(out, f2l_names_get(&g->fsa->states, g->box[from].state));
    else
        f2l_buf_printf(out, "%zu states, %zu of them accepting", g->box[from].states,
                       g->box[from].accepting);
}

static void put_component_legend(f2l_page *page, const component_graph *g)
{
    bool accepts = false;
    for (size_t b = 0; b < g->boxes; b++)
        accepts |= g->box[b].states == 1 && g->box[b].accepting > 0;
    f2l_page_raw(page, "<ul class=\"legend\" aria-label=\"signs of the graph\">\n");
    f2l_sign(page, F2L_SIGN_START, "the start is in this box");
    f2l_sign(page, F2L_SIGN_BOX,
             g->joined ? "components about equally far from the start, or a single state"
                       : "states that reach each other, or a single state by its name");
    f2l_sign(page, F2L_SIGN_COUNT, "transitions from a box to the next; they lead one way");
    if (accepts) f2l_sign(page, F2L_SIGN_ACCEPTING, "a single state that accepts");
    f2l_page_raw(page, "</ul>\n");
}

/* Draws the boxes. *err is set where memory is out. */
static f2l_status draw_component_boxes(f2l_page *page, component_graph *g, f2l_error *err)
{
    f2l_buf dot, svg;
    const f2l_graph_titles titles = {.put = put_component_title, .context = g, .nodes = g->boxes};
    f2l_buf_init(&dot);
    f2l_buf_init(&svg);
    count_component_boxes(g);
    put_component_dot(&dot, g, page->figures);
    f2l_status status =
        f2l_graph_draw(&svg, &dot, &titles, "graph of the strongly connected components", err);
    f2l_buf_clear(&dot);
    if (status == F2L_OK) {
        put_component_legend(page, g);
        f2l_page_figure(page, &svg, "wide", "The strongly connected components.");
    } else if (status != F2L_ENOMEM) {
        f2l_page_about_drawing(page, "The components are not drawn: %s.", err->text);
        status = F2L_OK;
    }
    f2l_buf_clear(&svg);
    return status;
}

/* Says how many components there are. */
static void say_components(f2l_page *page, const f2l_scc *scc)
{
    size_t largest = 0;
    for (size_t c = 0; c < scc->count; c++) {
        const size_t size = scc->first[c + 1] - scc->first[c];
        if (size > largest) largest = size;
    }
    if (scc->count == 1)
        f2l_page_say(page, "All states reach each other: one strongly connected component.");
    else
        f2l_page_say(page,
                     "It has %zu strongly connected components, sets of states that reach each "
                     "other; the largest has %zu state%s.",
                     scc->count, largest, largest == 1 ? "" : "s");
}

static f2l_status draw_components(f2l_page *page, const f2l_fsa *fsa, const f2l_scc *scc,
                                  f2l_error *err)
{
    component_graph *g = f2l_calloc(1, sizeof *g);
    if (!g) return f2l_fail_memory(err);
    *g = (component_graph){.fsa = fsa, .scc = scc, .boxes = scc->count};
    g->box_of = f2l_calloc(scc->count, sizeof *g->box_of);
    f2l_status status = g->box_of ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK && scc->count > F2L_DRAWN_STATES)
        join_by_distance(g);
    else
        for (size_t c = 0; c < scc->count && status == F2L_OK; c++) g->box_of[c] = (uint32_t)c;
    if (status == F2L_OK) status = draw_component_boxes(page, g, err);
    f2l_free(g->box_of);
    f2l_free(g);
    return status;
}

f2l_status f2l_component_graph(f2l_page *page, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_scc scc;
    f2l_meter meter = {0};
    const f2l_graph graph = f2l_graph_of_table(fsa->next, fsa->states.count, fsa->letters.count);
    f2l_status status = f2l_scc_build(&scc, &graph, &meter, err);
    if (status != F2L_OK) return status;
    say_components(page, &scc);
    if (scc.count > 1) status = draw_components(page, fsa, &scc, err);
    f2l_scc_clear(&scc);
    return status;
}
