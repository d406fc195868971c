/* The cascade report as a Graphviz drawing. */
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/automata/cascade_report.h"
#include <string.h>

#define MAX_COMPONENTS 400
#define MAX_MEMBERS 6

/* Appends text inside a quoted string of the dot language. */
static void put_escaped(f2l_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, text, 1);
    }
}

/* Appends "{a b}", with the number of the names beyond MAX_MEMBERS. */
static void put_names(f2l_buf *out, const f2l_cascade *c, uint32_t id)
{
    size_t shown = 0;
    f2l_buf_text(out, "{");
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, id), c->sets.words)
    {
        if (shown == MAX_MEMBERS) continue;
        if (shown++) f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(&c->fsa->states, q));
    }
    if (shown < c->sets.size[id]) f2l_buf_printf(out, " ... %zu more", c->sets.size[id] - shown);
    f2l_buf_text(out, "}");
}

static void put_set(f2l_buf *out, const f2l_cascade *c, uint32_t id)
{
    f2l_buf set;
    f2l_buf_init(&set);
    put_names(&set, c, id);
    if (set.failed)
        out->failed = true;
    else
        put_escaped(out, set.data);
    f2l_buf_clear(&set);
}

static void put_node(f2l_buf *out, const f2l_cascade *c, const f2l_component *k, size_t index)
{
    f2l_buf_printf(out, "    c%zu [label=\"", index + 1);
    put_set(out, c, k->representative);
    if (k->members > 1) f2l_buf_printf(out, " and %zu more", k->members - 1);
    f2l_buf_printf(out, "\\n%zu coordinates, %s\"", k->degree, k->name);
    f2l_buf_text(out, k->generators ? ", style=filled, fillcolor=lightgrey];\n" : "];\n");
}

static void put_cascade_level(f2l_buf *out, const f2l_cascade_report *r, size_t l)
{
    const f2l_components *all = r->components;
    size_t first = 0;
    while (first < all->count && all->component[first].level < l) first++;
    if (first >= MAX_COMPONENTS) return;
    f2l_buf_printf(out, "  { rank=same; level%zu [shape=plaintext, label=\"level %zu: %zu\"];\n", l,
                   l, r->cascade->level[l - 1].width);
    for (size_t i = first; i < all->count && i < MAX_COMPONENTS && all->component[i].level == l;
         i++)
        put_node(out, r->cascade, &all->component[i], i);
    f2l_buf_text(out, "  }\n");
    if (l > 1) f2l_buf_printf(out, "  level%zu -> level%zu [style=invis];\n", l - 1, l);
}

/* Appends an edge to every component below this one, once, in the order of the cover; seen[i] is
 * the last component that led to i. */
static void put_edges_below(f2l_buf *out, const f2l_cascade_report *r, size_t index,
                            const size_t *of_class, size_t *seen)
{
    const f2l_cascade *c = r->cascade;
    const f2l_component *k = &r->components->component[index];
    for (size_t i = 0; i < k->degree; i++) {
        const uint32_t t = c->cover[c->cover_at[k->representative] + i];
        const size_t to = c->sets.size[t] == 1 ? 0 : of_class[c->class_of[t]];
        if (to > MAX_COMPONENTS || seen[to] == index + 1) continue;
        seen[to] = index + 1;
        f2l_buf_printf(out, "  c%zu -> c%zu;\n", index + 1, to);
    }
}

f2l_status f2l_cascade_report_dot(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err)
{
    const f2l_components *all = report->components;
    const f2l_cascade *c = report->cascade;
    size_t *of_class = f2l_calloc(c->classes + 1, sizeof *of_class),
           *seen = f2l_calloc(all->count + 1, sizeof *seen);
    f2l_status status = of_class && seen ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        for (size_t i = 0; i < all->count; i++) of_class[all->component[i].class_id] = i + 1;
        f2l_buf_text(out, "digraph cascade {\n  label=\"");
        put_escaped(out, f2l_path_base(report->grammar));
        f2l_buf_printf(out, ": %s cascade, %zu levels", f2l_cascade_kind_name(c->kind), c->levels);
        if (all->count > MAX_COMPONENTS)
            f2l_buf_printf(out, " (%zu components are left out)", all->count - MAX_COMPONENTS);
        f2l_buf_text(out, "\";\n  node [shape=box];\n");
        for (size_t l = 1; l <= c->levels; l++) put_cascade_level(out, report, l);
        f2l_buf_printf(out, "  c0 [label=\"%zu states\", shape=ellipse];\n", c->fsa->states.count);
        for (size_t i = 0; i < all->count && i < MAX_COMPONENTS; i++)
            put_edges_below(out, report, i, of_class, seen);
        f2l_buf_text(out, "}\n");
        status = f2l_buf_status(out, err);
    }
    f2l_free(of_class);
    f2l_free(seen);
    return status;
}
