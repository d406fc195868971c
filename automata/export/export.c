#include "automata/export/export.h"
#include "automata/export/impl.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

static const char *const fsa_endings[] = {".fsa", NULL};
static const char *const att_endings[] = {".att", ".txt", NULL};
static const char *const dot_endings[] = {".dot", ".gv", NULL};
static const char *const jflap_endings[] = {".jff", NULL};
static const char *const json_endings[] = {".json", NULL};

/* The writers below are in the same order. */
const f2l_export_format f2l_export_formats[] = {
    {"fsa", ".fsa text", fsa_endings, false, false, true, true},
    {"att", "AT&T text", att_endings, true, true, false, false},
    {"dot", "Graphviz DOT", dot_endings, false, false, true, true},
    {"jflap", "a JFLAP file", jflap_endings, true, false, true, false},
    {"json", "JSON of automata-lib", json_endings, true, true, false, false},
    {NULL, NULL, NULL, false, false, false, false},
};

static f2l_export_writer *const writers[] = {f2l_export_fsa, f2l_export_att, f2l_export_dot,
                                             f2l_export_jflap, f2l_export_json};
_Static_assert(sizeof writers / sizeof *writers + 1 ==
                   sizeof f2l_export_formats / sizeof *f2l_export_formats,
               "every syntax has its writer");

const f2l_export_format *f2l_export_by_name_of_file(const char *path)
{
    const size_t size = strlen(path);
    for (const f2l_export_format *f = f2l_export_formats; f->name; f++)
        for (const char *const *ending = f->endings; *ending; ending++) {
            const size_t length = strlen(*ending);
            if (size > length && strcmp(path + size - length, *ending) == 0) return f;
        }
    return NULL;
}

bool f2l_export_accepts(const f2l_export_view *view, size_t state)
{
    return state < view->nfa->states.count && view->nfa->accept[state];
}

const char *f2l_export_letter(const f2l_export_view *view, uint32_t letter)
{
    return letter == F2L_EPSILON ? "" : f2l_names_get(&view->nfa->letters, letter);
}

const char *f2l_export_output(const f2l_export_view *view, size_t state)
{
    const f2l_nfa *nfa = view->nfa;
    if (!nfa->output || state >= nfa->states.count || nfa->output[state] == UINT32_MAX) return NULL;
    return f2l_names_get(&nfa->outputs, nfa->output[state]);
}

const char *f2l_export_edge_output(const f2l_export_view *view, const f2l_edge *edge)
{
    return edge->output == UINT32_MAX ? NULL
                                      : f2l_names_get(&view->nfa->edge_outputs, edge->output);
}

f2l_status f2l_export_refuse(const char *what, const char *name, const char *reason, f2l_error *err)
{
    char shown[F2L_SHOWN];
    return f2l_fail(err, F2L_EDOMAIN, "%s `%s` %s", what, f2l_shown(shown, name, strlen(name)),
                    reason);
}

/* The empty word, the greatest number, comes after the letters. */
static int compare_edges(const void *a, const void *b)
{
    const f2l_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->letter != y->letter) return x->letter < y->letter ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->output > y->output) - (x->output < y->output);
}

static void sort_view_edges(f2l_export_view *view)
{
    size_t kept = 0, at = 0;
    if (view->edges) qsort(view->edge, view->edges, sizeof *view->edge, compare_edges);
    for (size_t i = 0; i < view->edges; i++)
        if (kept == 0 || compare_edges(&view->edge[kept - 1], &view->edge[i]) != 0)
            view->edge[kept++] = view->edge[i];
    view->edges = kept;
    for (size_t s = 0; s < view->states.count; s++) {
        view->first[s] = at;
        while (at < kept && view->edge[at].from == s) at++;
    }
    view->first[view->states.count] = at;
}

/* Adds a start state, named `start` or with primes, whose edges for the empty word lead to the
 * start states of the automaton. */
static f2l_status add_view_start(f2l_export_view *view, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, "start");
    while (!name.failed && f2l_names_find(&view->states, name.data, name.size) != F2L_NO_INDEX)
        f2l_buf_text(&name, "'");
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK)
        status = f2l_names_add(&view->states, name.data, name.size, &view->start, err);
    f2l_buf_clear(&name);
    for (size_t s = 0; s < view->nfa->states.count && status == F2L_OK; s++) {
        if (!view->nfa->is_start[s]) continue;
        if (!f2l_grow((void **)&view->edge, &view->edge_capacity, view->edges, sizeof *view->edge))
            return f2l_fail_memory(err);
        view->edge[view->edges++] =
            (f2l_edge){(uint32_t)view->start, F2L_EPSILON, (uint32_t)s, UINT32_MAX};
    }
    return status;
}

static f2l_status look_at_view_states(f2l_export_view *view, bool one_start, f2l_error *err)
{
    const f2l_nfa *nfa = view->nfa;
    size_t starts = 0;
    f2l_status status = f2l_names_copy(&view->states, &nfa->states, err);
    for (size_t s = nfa->states.count; s-- > 0;) {
        starts += nfa->is_start[s];
        if (nfa->is_start[s]) view->start = s;
    }
    if (status == F2L_OK && starts == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "the automaton has no start state");
    if (status != F2L_OK) return status;
    view->edges = view->edge_capacity = nfa->edges;
    view->edge = f2l_calloc(nfa->edges, sizeof *view->edge);
    if (!view->edge) return f2l_fail_memory(err);
    if (nfa->edges) memcpy(view->edge, nfa->edge, nfa->edges * sizeof *view->edge);
    const bool added = one_start && starts > 1;
    if (added) status = add_view_start(view, err);
    if (status != F2L_OK) return status;
    view->first = f2l_calloc(view->states.count + 1, sizeof *view->first);
    view->is_start = f2l_calloc(view->states.count, sizeof *view->is_start);
    if (!view->first || !view->is_start) return f2l_fail_memory(err);
    if (!added) memcpy(view->is_start, nfa->is_start, nfa->states.count * sizeof *nfa->is_start);
    view->is_start[view->start] = 1;
    sort_view_edges(view);
    return F2L_OK;
}

static f2l_status check_format_outputs(const f2l_export_format *format, const f2l_nfa *nfa,
                                       f2l_error *err)
{
    const char *what = nfa->outputs.count && !format->outputs             ? "states"
                       : nfa->edge_outputs.count && !format->edge_outputs ? "transitions"
                                                                          : NULL;
    if (!what) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%s cannot say the outputs of %s; .fsa and Graphviz DOT can (--to fsa, --to "
                    "dot)",
                    format->title, what);
}

static f2l_status write_edges(f2l_buf *out, const f2l_export_format *format, const f2l_nfa *nfa,
                              f2l_error *err)
{
    f2l_export_view view = {.nfa = nfa};
    f2l_names_init(&view.states);
    f2l_status status = check_format_outputs(format, nfa, err);
    if (status == F2L_OK) status = look_at_view_states(&view, format->one_start, err);
    if (status == F2L_OK) status = writers[format - f2l_export_formats](out, &view, err);
    f2l_names_clear(&view.states);
    f2l_free(view.edge);
    f2l_free(view.first);
    f2l_free(view.is_start);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

f2l_status f2l_export_total(f2l_buf *out, const f2l_export_format *format, const f2l_fsa *fsa,
                            f2l_error *err)
{
    if (format == f2l_export_formats) return f2l_fsa_write(out, fsa, err);
    f2l_nfa edges;
    f2l_nfa_init(&edges);
    f2l_status status = f2l_nfa_from_fsa(&edges, fsa, err);
    if (status == F2L_OK) status = write_edges(out, format, &edges, err);
    f2l_nfa_clear(&edges);
    return status;
}

f2l_status f2l_export(f2l_buf *out, const f2l_export_format *format, const f2l_nfa *nfa,
                      f2l_error *err)
{
    return nfa->is_group ? f2l_export_total(out, format, &nfa->group, err)
                         : write_edges(out, format, nfa, err);
}
