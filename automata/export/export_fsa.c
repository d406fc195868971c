/* `.fsa` text of automata that need not be deterministic; of a deterministic and total one it is
 * the canonical text (docs/man/fsa.5). */
#include "automata/export/impl.h"
#include "automata/fsa/fsa_build.h"

static void add_name(f2l_buf *out, const char *name)
{
    f2l_buf_text(out, " ");
    f2l_buf_name(out, name);
}

static void write_marked(f2l_buf *out, const char *word, const f2l_export_view *view,
                         const uint8_t *mark)
{
    f2l_buf_text(out, word);
    for (size_t s = 0; s < view->states.count; s++)
        if (mark[s]) add_name(out, f2l_names_get(&view->states, s));
    f2l_buf_text(out, "\n");
}

static void write_names(f2l_buf *out, const char *word, const f2l_names *names)
{
    f2l_buf_text(out, word);
    for (size_t i = 0; i < names->count; i++) add_name(out, f2l_names_get(names, i));
    f2l_buf_text(out, "\n");
}

f2l_status f2l_export_fsa(f2l_buf *out, const f2l_export_view *view, f2l_error *err)
{
    (void)err;
    f2l_buf_text(out, "fsa 1\n");
    write_names(out, "letters", &view->nfa->letters);
    write_names(out, "states", &view->states);
    write_marked(out, "start", view, view->is_start);
    if (view->nfa->has_added && view->nfa->added_source[0])
        f2l_added_write(out, &view->states, view->nfa->added, view->nfa->added_source);
    if (view->nfa->has_accept) write_marked(out, "accept", view, view->nfa->accept);
    for (size_t s = 0; s < view->states.count; s++) {
        const char *output = f2l_export_output(view, s);
        if (!output) continue;
        f2l_buf_text(out, "output");
        add_name(out, f2l_names_get(&view->states, s));
        add_name(out, output);
        f2l_buf_text(out, "\n");
    }
    for (size_t i = 0; i < view->edges; i++) {
        const f2l_edge *e = &view->edge[i];
        const char *output = f2l_export_edge_output(view, e);
        f2l_buf_name(out, f2l_names_get(&view->states, e->from));
        if (e->letter == F2L_EPSILON)
            f2l_buf_text(out, " eps");
        else
            add_name(out, f2l_export_letter(view, e->letter));
        add_name(out, f2l_names_get(&view->states, e->to));
        if (output) add_name(out, output);
        f2l_buf_text(out, "\n");
    }
    return F2L_OK;
}
