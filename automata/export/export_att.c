/* AT&T text as OpenFst prints acceptors: lines "source TAB target TAB letter" and, for accepting
 * states, "state"; states by number, the lines of the start state first. The empty word is <eps>.
 * Blanks in letters are HFST's and foma's words between @ signs, which automata/import reads. */
#include "automata/export/impl.h"
#include "automata/fsa/letter.h"
#include <string.h>

static f2l_status check_att_letter(const char *name, f2l_error *err)
{
    const bool number = name[0] == '-' && name[1] && name[1 + strspn(name + 1, "0123456789")] == 0;
    if (strcmp(name, "@_IDENTITY_SYMBOL_@") == 0) return F2L_OK;
    if (f2l_letter_may_be_epsilon(name, strlen(name)) || number || strcmp(name, "--") == 0)
        return f2l_export_refuse("letter", name, "has another meaning in AT&T text", err);
    if (name[0] == '\0' || (name[0] == '@' && name[1] != '\0' && strchr(name + 1, '@')))
        return f2l_export_refuse("letter", name, "has another meaning in AT&T text", err);
    if (strcmp(name, " ") == 0 || strcmp(name, "\t") == 0) return F2L_OK;
    for (const char *c = name; *c; c++)
        if (*c == ' ' || (unsigned char)*c < 0x20)
            return f2l_export_refuse("letter", name,
                                     "has a blank, which ends a column of AT&T text", err);
    return F2L_OK;
}

static const char *spell_att_letter(const f2l_export_view *view, uint32_t letter)
{
    const char *name = f2l_export_letter(view, letter);
    if (letter == F2L_EPSILON) return "<eps>";
    return strcmp(name, " ") == 0 ? "@_SPACE_@" : strcmp(name, "\t") == 0 ? "@_TAB_@" : name;
}

static void write_state(f2l_buf *out, const f2l_export_view *view, size_t s)
{
    for (size_t i = view->first[s]; i < view->first[s + 1]; i++) {
        f2l_buf_size(out, s);
        f2l_buf_text(out, "\t");
        f2l_buf_size(out, view->edge[i].to);
        f2l_buf_text(out, "\t");
        f2l_buf_text(out, spell_att_letter(view, view->edge[i].letter));
        f2l_buf_text(out, "\n");
    }
    if (!f2l_export_accepts(view, s)) return;
    f2l_buf_size(out, s);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_export_att(f2l_buf *out, const f2l_export_view *view, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < view->nfa->letters.count && status == F2L_OK; a++)
        status = check_att_letter(f2l_names_get(&view->nfa->letters, a), err);
    if (status != F2L_OK) return status;
    const size_t start = view->start;
    if (view->first[start] == view->first[start + 1] && !f2l_export_accepts(view, start))
        return f2l_export_refuse("start state", f2l_names_get(&view->states, start),
                                 "has no transition and does not accept, so that AT&T text has no "
                                 "line for it",
                                 err);
    write_state(out, view, start);
    for (size_t s = 0; s < view->states.count; s++)
        if (s != start) write_state(out, view, s);
    return F2L_OK;
}
