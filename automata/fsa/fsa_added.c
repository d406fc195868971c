/* The line of `.fsa` text that names the added state and its source. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include <string.h>

void f2l_added_write(f2l_buf *out, const f2l_names *states, size_t added, const char *source)
{
    f2l_buf_text(out, "fsa added ");
    f2l_buf_name(out, f2l_names_get(states, added));
    f2l_buf_printf(out, " source %s\n", source);
}

bool f2l_added_is_hash(const f2l_token *token)
{
    size_t digits = 0;
    while (digits < token->size && ((token->text[digits] >= '0' && token->text[digits] <= '9') ||
                                    (token->text[digits] >= 'a' && token->text[digits] <= 'f')))
        digits++;
    return token->kind == F2L_TOKEN_BARE && digits == 64 && token->size == 64;
}

f2l_status f2l_added_check(f2l_reader *r)
{
    const f2l_nfa *nfa = r->nfa;
    const size_t s = nfa->added;
    const f2l_position *at = &r->given[F2L_ADDED];
    const char *why = nfa->is_start[s] ? "a start" : nfa->accept[s] ? "accepting" : NULL;
    uint32_t output = UINT32_MAX;
    for (size_t q = 0; nfa->output && q < nfa->states.count; q++)
        if (q != s && nfa->output[q] == nfa->output[s]) why = "not alone with its output";
    for (size_t i = 0; i < nfa->edges; i++) {
        if (nfa->edge[i].to == s) output = nfa->edge[i].output;
        if (nfa->edge[i].from == s && nfa->edge[i].to != s) why = "left by an edge";
    }
    for (size_t i = 0; nfa->edge_outputs.count > 0 && i < nfa->edges; i++)
        if ((nfa->edge[i].output == output) != (nfa->edge[i].to == s))
            why = "not alone with the output of its edges";
    if (!why) return F2L_OK;
    char shown[F2L_SHOWN];
    const char *name = f2l_names_get(&nfa->states, s);
    return f2l_fail_at(r->err, at->line, at->column,
                       "the added state `%s` is %s: expected a rejecting one that no letter leaves",
                       f2l_shown(shown, name, strlen(name)), why);
}
