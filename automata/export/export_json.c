/* JSON with the arguments of automata-lib's DFA and NFA: states, input_symbols, transitions,
 * initial_state, final_states, and allow_partial where a DFA has no transition for some letter. In
 * an NFA a transition leads to a list of states, and the empty text is the empty word. */
#include "automata/export/impl.h"
#include "numeric/facts/facts.h"

static bool view_is_deterministic(const f2l_export_view *view)
{
    for (size_t i = 0; i < view->edges; i++) {
        const f2l_edge *e = &view->edge[i];
        if (e->letter == F2L_EPSILON ||
            (i > 0 && e[-1].from == e->from && e[-1].letter == e->letter))
            return false;
    }
    return true;
}

static void say_names(f2l_fact in, const char *name, const f2l_names *names)
{
    const f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < names->count; i++) f2l_say_text(list, NULL, f2l_names_get(names, i));
}

/* Puts the transitions of one state, which are sorted by letters. */
static void say_transitions(f2l_fact row, const f2l_export_view *view, size_t state,
                            bool deterministic)
{
    f2l_fact list = row;
    for (size_t i = view->first[state]; i < view->first[state + 1]; i++) {
        const f2l_edge *e = &view->edge[i];
        const char *letter = f2l_export_letter(view, e->letter);
        const char *to = f2l_names_get(&view->states, e->to);
        if (deterministic) {
            f2l_say_text(row, letter, to);
            continue;
        }
        if (i == view->first[state] || e[-1].letter != e->letter) list = f2l_say_list(row, letter);
        f2l_say_text(list, NULL, to);
    }
}

static void describe_view(f2l_fact out, const f2l_export_view *view)
{
    const bool deterministic = view_is_deterministic(view);
    say_names(out, "states", &view->states);
    say_names(out, "input_symbols", &view->nfa->letters);
    const f2l_fact transitions = f2l_say_object(out, "transitions");
    for (size_t s = 0; s < view->states.count; s++)
        say_transitions(f2l_say_object(transitions, f2l_names_get(&view->states, s)), view, s,
                        deterministic);
    f2l_say_text(out, "initial_state", f2l_names_get(&view->states, view->start));
    const f2l_fact final = f2l_say_list(out, "final_states");
    for (size_t s = 0; s < view->states.count; s++)
        if (f2l_export_accepts(view, s)) f2l_say_text(final, NULL, f2l_names_get(&view->states, s));
    if (deterministic && view->edges < view->states.count * view->nfa->letters.count)
        f2l_say_truth(out, "allow_partial", true);
}

f2l_status f2l_export_json(f2l_buf *out, const f2l_export_view *view, f2l_error *err)
{
    for (size_t a = 0; a < view->nfa->letters.count; a++)
        if (f2l_names_get(&view->nfa->letters, a)[0] == '\0')
            return f2l_export_refuse("letter", "", "means the empty word in automata-lib", err);
    f2l_facts facts;
    f2l_facts_init(&facts);
    describe_view(f2l_facts_root(&facts), view);
    const f2l_status status =
        f2l_facts_write(out, &facts, (f2l_facts_style){.indent = true, .digits = 17}, err);
    f2l_facts_clear(&facts);
    return status;
}
