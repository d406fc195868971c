/* JFLAP's .jff files: type `fa`, or `moore` where states have outputs. A letter is one character,
 * since JFLAP reads a longer label as a word. */
#include "automata/export/impl.h"
#include "automata/fsa/letter.h"
#include <string.h>

static f2l_status check_names(const char *what, const f2l_names *names, bool letters,
                              f2l_error *err)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = f2l_names_get(names, i);
        if (letters && !f2l_utf8_is_character(name))
            return f2l_export_refuse(
                what, name, "is not one character; JFLAP reads longer labels as words", err);
        if (letters && f2l_letter_may_be_epsilon(name, strlen(name)))
            return f2l_export_refuse(what, name, "means the empty word to readers of JFLAP", err);
        for (const char *c = name; *c; c++)
            if ((unsigned char)*c < 0x20)
                return f2l_export_refuse(what, name, "has a control character, which XML has not",
                                         err);
        if (letters && strcmp(name, " ") == 0) continue;
        if (name[0] == ' ' || (name[0] && name[strlen(name) - 1] == ' '))
            return f2l_export_refuse(what, name, "has a blank at an end, which JFLAP drops", err);
    }
    return F2L_OK;
}

static void add_text(f2l_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            f2l_buf_text(out, "&amp;");
        else if (*text == '<')
            f2l_buf_text(out, "&lt;");
        else if (*text == '>')
            f2l_buf_text(out, "&gt;");
        else if (*text == '"')
            f2l_buf_text(out, "&quot;");
        else
            f2l_buf_bytes(out, text, 1);
    }
}

static void write_jflap_state(f2l_buf *out, const f2l_export_view *view, size_t s)
{
    const char *output = f2l_export_output(view, s);
    f2l_buf_printf(out, "<state id=\"%zu\" name=\"", s);
    add_text(out, f2l_names_get(&view->states, s));
    f2l_buf_text(out, "\">");
    if (s == view->start) f2l_buf_text(out, "<initial/>");
    if (f2l_export_accepts(view, s)) f2l_buf_text(out, "<final/>");
    if (output) {
        f2l_buf_text(out, "<output>");
        add_text(out, output);
        f2l_buf_text(out, "</output>");
    }
    f2l_buf_text(out, "</state>\n");
}

static void write_edge(f2l_buf *out, const f2l_export_view *view, const f2l_edge *e)
{
    f2l_buf_printf(out, "<transition><from>%zu</from><to>%zu</to>", (size_t)e->from, (size_t)e->to);
    if (e->letter == F2L_EPSILON) {
        f2l_buf_text(out, "<read/>");
    } else {
        f2l_buf_text(out, "<read>");
        add_text(out, f2l_export_letter(view, e->letter));
        f2l_buf_text(out, "</read>");
    }
    f2l_buf_text(out, "</transition>\n");
}

f2l_status f2l_export_jflap(f2l_buf *out, const f2l_export_view *view, f2l_error *err)
{
    const bool moore = view->nfa->outputs.count > 0;
    f2l_status status = check_names("letter", &view->nfa->letters, true, err);
    if (status == F2L_OK) status = check_names("state", &view->states, false, err);
    if (status == F2L_OK) status = check_names("output", &view->nfa->outputs, false, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
                   "<structure>\n<type>%s</type>\n<automaton>\n",
                   moore ? "moore" : "fa");
    for (size_t s = 0; s < view->states.count; s++) write_jflap_state(out, view, s);
    for (size_t i = 0; i < view->edges; i++) write_edge(out, view, &view->edge[i]);
    f2l_buf_text(out, "</automaton>\n</structure>\n");
    return F2L_OK;
}
