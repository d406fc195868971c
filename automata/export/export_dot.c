/* Graphviz DOT as AALpy writes it: double circles accept, Moore machines have labels NAME|OUTPUT,
 * Mealy machines have labels LETTER/OUTPUT, and an edge without label leads from __start0 to the
 * start. The empty word is the Greek letter epsilon. The graph's attribute read_as, which Graphviz
 * ignores, says that labels are taken as they are written; it is there where names have signs or
 * words that the reader would ask about. */
#include "automata/export/impl.h"
#include <string.h>

#define EPSILON "\xce\xb5"

/* Appends what is between the quotation marks of a string. */
static void add_dot_text(f2l_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"') f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, text, 1);
    }
}

static void add_string(f2l_buf *out, const char *text)
{
    f2l_buf_text(out, "\"");
    add_dot_text(out, text);
    f2l_buf_text(out, "\"");
}

static bool has_blank_end(const char *name)
{
    static const char blank[] = " \t\n";
    const size_t size = strlen(name);
    return size > 0 && (strchr(blank, name[0]) || strchr(blank, name[size - 1]));
}

/* A backslash before a quotation mark, or at the end, would be read with it. */
static f2l_status check_dot_names(const char *what, const f2l_names *names, const char *not_within,
                                  f2l_error *err)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = f2l_names_get(names, i);
        const size_t size = strlen(name);
        if (strstr(name, "\\\"") || (size > 0 && name[size - 1] == '\\'))
            return f2l_export_refuse(what, name,
                                     "has a backslash that Graphviz reads with what follows", err);
        if (*not_within && strcmp(what, "state") != 0 && has_blank_end(name))
            return f2l_export_refuse(what, name, "has blanks at an end, which are not kept", err);
        if (strpbrk(name, not_within))
            return f2l_export_refuse(what, name, "has the sign that separates an output", err);
    }
    return F2L_OK;
}

static f2l_status check_dot_view(const f2l_export_view *view, f2l_error *err)
{
    const f2l_nfa *nfa = view->nfa;
    const char *bar = nfa->outputs.count ? "|" : "", *slash = nfa->edge_outputs.count ? "/" : "";
    f2l_status status = check_dot_names("state", &view->states, bar, err);
    if (status == F2L_OK) status = check_dot_names("output", &nfa->outputs, bar, err);
    if (status == F2L_OK) status = check_dot_names("letter", &nfa->letters, slash, err);
    if (status == F2L_OK) status = check_dot_names("output", &nfa->edge_outputs, slash, err);
    for (size_t a = 0; a < nfa->letters.count && status == F2L_OK; a++) {
        const char *name = f2l_names_get(&nfa->letters, a);
        if (name[0] == '\0' || strcmp(name, EPSILON) == 0)
            status = f2l_export_refuse("letter", name, "means the empty word in DOT", err);
    }
    return status;
}

static void write_dot_state(f2l_buf *out, const f2l_export_view *view, size_t s)
{
    const char *name = f2l_names_get(&view->states, s), *output = f2l_export_output(view, s);
    const bool accepts = f2l_export_accepts(view, s);
    add_string(out, name);
    f2l_buf_text(out, " [label=\"");
    add_dot_text(out, name);
    if (output) {
        f2l_buf_text(out, "|");
        add_dot_text(out, output);
    }
    f2l_buf_text(out, "\"");
    if (output) f2l_buf_text(out, ", shape=record, style=rounded");
    if (accepts) f2l_buf_text(out, output ? ", peripheries=2" : ", shape=doublecircle");
    f2l_buf_text(out, "];\n");
}

static void write_dot_edge(f2l_buf *out, const f2l_export_view *view, const f2l_edge *e)
{
    const char *output = f2l_export_edge_output(view, e);
    add_string(out, f2l_names_get(&view->states, e->from));
    f2l_buf_text(out, " -> ");
    add_string(out, f2l_names_get(&view->states, e->to));
    f2l_buf_text(out, " [label=\"");
    add_dot_text(out, e->letter == F2L_EPSILON ? EPSILON : f2l_export_letter(view, e->letter));
    if (output) {
        f2l_buf_text(out, "/");
        add_dot_text(out, output);
    }
    f2l_buf_text(out, "\"];\n");
}

/* Returns whether the name is of letters, digits and _, and no word that may mean something. */
static bool is_plain_name(const char *name)
{
    static const char *const word[] = {"eps",  "epsilon", "lambda", "true",    "false",
                                       "else", "other",   "others", "default", "otherwise",
                                       "any",  "and",     "or",     "not"};
    char lower[10] = {0};
    for (size_t i = 0; name[i]; i++) {
        const char c = name[i];
        const bool upper = c >= 'A' && c <= 'Z';
        if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') return false;
        if (i < sizeof lower) lower[i] = upper ? (char)(c + 'a' - 'A') : c;
    }
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strncmp(lower, word[i], sizeof lower) == 0) return false;
    return true;
}

static bool all_plain_names(const f2l_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!is_plain_name(f2l_names_get(names, i))) return false;
    return true;
}

/* Writes how labels are meant, where it would be asked. */
static void write_read_as(f2l_buf *out, const f2l_export_view *view)
{
    const f2l_nfa *nfa = view->nfa;
    const bool pairs = nfa->edge_outputs.count > 0;
    if (all_plain_names(&nfa->letters) && all_plain_names(&nfa->outputs) &&
        all_plain_names(&nfa->edge_outputs) && !(pairs && nfa->has_accept))
        return;
    f2l_buf_printf(out, "graph [read_as=\"labels=%s,epsilon=%s\"];\n", pairs ? "pairs" : "letters",
                   EPSILON);
}

/* Writes the nodes that mark start states, with names that no state has. */
static void write_starts(f2l_buf *out, const f2l_export_view *view)
{
    size_t number = 0;
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t s = 0; s < view->states.count; s++) {
        if (!view->is_start[s]) continue;
        do {
            name.size = 0;
            f2l_buf_printf(&name, "__start%zu", number++);
        } while (!name.failed &&
                 f2l_names_find(&view->states, name.data, name.size) != F2L_NO_INDEX);
        if (name.failed) {
            out->failed = true;
            break;
        }
        f2l_buf_printf(out, "%s [label=\"\", shape=none];\n%s -> ", name.data, name.data);
        add_string(out, f2l_names_get(&view->states, s));
        f2l_buf_text(out, " [label=\"\"];\n");
    }
    f2l_buf_clear(&name);
}

f2l_status f2l_export_dot(f2l_buf *out, const f2l_export_view *view, f2l_error *err)
{
    const f2l_status status = check_dot_view(view, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "digraph automaton {\n");
    write_read_as(out, view);
    for (size_t s = 0; s < view->states.count; s++) write_dot_state(out, view, s);
    for (size_t i = 0; i < view->edges; i++) write_dot_edge(out, view, &view->edge[i]);
    write_starts(out, view);
    f2l_buf_text(out, "}\n");
    return F2L_OK;
}
