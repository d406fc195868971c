/* The .ba files of RABIT and its kin, Buchi automata:
 *
 *     [ START ]
 *     LABEL,FROM->TO
 *     [ ACCEPTING ]
 *
 * one on a line; without START the first transition's state is the start, and without ACCEPTING
 * every state accepts. They are about infinite words. Where every state accepts the property is a
 * safety property: a finite word is accepted when an infinite run goes on behind it, so transitions
 * into dead ends are left out. Other files are refused, since no finite word decides them. */
#include "automata/import/lists/lists.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct ba {
    f2l_nfa *nfa;
    const f2l_read_as *as;
    f2l_line line;
    bool has_start, has_accept;
    f2l_names accepting;
    size_t accept_line;
} ba;

static bool is_letter_line(const f2l_line *line, const char **comma, const char **arrow)
{
    const char *end = line->text + line->size;
    *comma = memchr(line->text, ',', line->size);
    *arrow = NULL;
    for (const char *at = line->text; at + 1 < end && !*arrow; at++)
        if (at[0] == '-' && at[1] == '>') *arrow = at;
    return *comma || *arrow;
}

static f2l_status read_ba_edge(ba *b, const char *comma, const char *arrow, f2l_error *err)
{
    const char *text = b->line.text, *end = text + b->line.size;
    if (!comma || !arrow || comma == text || comma + 1 >= arrow || arrow + 2 == end ||
        memchr(comma + 1, ',', (size_t)(end - comma) - 1))
        return f2l_fail_at(err, b->line.number, 1, "expected a transition, LABEL,STATE->STATE");
    if (b->has_accept)
        return f2l_fail_at(err, b->line.number, 1,
                           "a transition behind an accepting state (line %zu)", b->accept_line);
    const size_t letter_size = (size_t)(comma - text);
    size_t from, to, letter;
    f2l_status status = f2l_nfa_state(b->nfa, comma + 1, (size_t)(arrow - comma) - 1, &from, err);
    if (status == F2L_OK)
        status = f2l_nfa_state(b->nfa, arrow + 2, (size_t)(end - arrow) - 2, &to, err);
    if (status == F2L_OK) status = f2l_nfa_letter(b->nfa, text, letter_size, &letter, err);
    if (status == F2L_OK) status = f2l_nfa_add_edge(b->nfa, from, letter, to, err);
    if (status == F2L_OK)
        f2l_note_epsilon_name(b->nfa, b->as, text, letter_size, b->line.number, 1);
    return status;
}

/* Reads the line of a state alone: the start before the first transition, else one that accepts. */
static f2l_status read_ba_state(ba *b, f2l_error *err)
{
    size_t index;
    if (b->nfa->edges > 0) {
        b->has_accept = true;
        b->accept_line = b->line.number;
        return f2l_names_add(&b->accepting, b->line.text, b->line.size, &index, err);
    }
    if (b->has_start)
        return f2l_fail_at(err, b->line.number, 1,
                           "a second start state; expected a transition, "
                           "LABEL,STATE->STATE");
    b->has_start = true;
    return f2l_nfa_state(b->nfa, b->line.text, b->line.size, &index, err);
}

/* Cuts the blanks around the line off; returns whether something is left. */
static bool trim_line(f2l_line *line)
{
    while (line->size > 0 && strchr(" \t", line->text[line->size - 1])) line->size--;
    while (line->size > 0 && strchr(" \t", line->text[0])) {
        line->text++;
        line->size--;
    }
    return line->size > 0;
}

/* Returns F2L_EDOMAIN unless every state accepts. */
static f2l_status check_safety(const ba *b, f2l_error *err)
{
    if (!b->has_accept) return F2L_OK;
    for (size_t i = 0; i < b->accepting.count; i++) {
        const char *name = f2l_names_get(&b->accepting, i);
        if (f2l_names_find(&b->nfa->states, name, strlen(name)) == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EFORMAT, "the accepting state `%.40s` is on no transition",
                            name);
    }
    if (b->accepting.count == b->nfa->states.count) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "a Buchi automaton of which %zu of %zu states accept: no finite word decides "
                    "it, and only safety is read (.ba: all states accept, or none is listed)",
                    b->accepting.count, b->nfa->states.count);
}

/* Drops the transitions into states from which no infinite run goes on, and sets what accepts. */
static f2l_status cut_dead_ends(f2l_nfa *nfa, f2l_error *err)
{
    uint8_t *dead;
    size_t count, kept = 0;
    const f2l_status status = f2l_import_dead_ends(&dead, &count, nfa, err);
    if (status != F2L_OK) return status;
    for (size_t e = 0; e < nfa->edges && count > 0; e++)
        if (!dead[nfa->edge[e].to]) nfa->edge[kept++] = nfa->edge[e];
    if (count > 0) nfa->edges = kept;
    for (size_t s = 0; s < nfa->states.count; s++) {
        nfa->accept[s] = !dead[s];
        if (!dead[s]) continue;
        const char *name = f2l_names_get(&nfa->states, s);
        f2l_notes_add(&nfa->notes,
                      "is a dead end: no infinite run goes on there, so words that lead there are "
                      "rejected",
                      name, strlen(name), 0, 0);
    }
    f2l_free(dead);
    return F2L_OK;
}

static f2l_status read_ba(ba *b, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const char *comma, *arrow;
    while (status == F2L_OK && f2l_line_next(&b->line)) {
        if (!trim_line(&b->line)) continue;
        status = is_letter_line(&b->line, &comma, &arrow) ? read_ba_edge(b, comma, arrow, err)
                                                          : read_ba_state(b, err);
    }
    if (status == F2L_OK && b->nfa->edges == 0)
        status = f2l_fail(err, F2L_EFORMAT, "no transition; expected LABEL,STATE->STATE");
    if (status == F2L_OK) status = check_safety(b, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(b->nfa, err);
    if (status == F2L_OK) status = cut_dead_ends(b->nfa, err);
    if (status != F2L_OK) return status;
    b->nfa->is_start[0] = 1; /* the first state of the file, whichever line names it */
    b->nfa->has_accept = b->nfa->partial = true;
    f2l_import_source(b->nfa, "BA");
    return F2L_OK;
}

f2l_status f2l_import_ba(f2l_nfa *out, const char *bytes, size_t size,
                         const f2l_import_options *options, f2l_error *err)
{
    ba b = {.nfa = out, .as = options ? options->as : NULL, .line = f2l_line_start(bytes, size)};
    f2l_names_init(&b.accepting);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(b.as, 1u << F2L_LABELS_LETTERS, false, ".ba files", err);
    if (status == F2L_OK) status = read_ba(&b, err);
    f2l_names_clear(&b.accepting);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
