#include "automata/import/charts/flat_chart.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_flat_clear(f2l_flat_chart *chart)
{
    f2l_free(chart->move);
    f2l_free(chart->final);
    *chart = (f2l_flat_chart){0};
}

f2l_status f2l_flat_add(f2l_flat_chart *chart, size_t from, size_t event, size_t to, f2l_error *err)
{
    if (!f2l_grow((void **)&chart->move, &chart->capacity, chart->moves, sizeof *chart->move))
        return f2l_fail_memory(err);
    chart->move[chart->moves++] = (f2l_flat_move){(uint32_t)from, (uint32_t)event, (uint32_t)to};
    return F2L_OK;
}

/* Returns whether the event is the move's, or one below it where events have parts. */
static bool move_takes(const f2l_flat_chart *chart, const f2l_flat_move *move, size_t letter)
{
    if (move->event == F2L_FLAT_ANY || move->event == letter) return true;
    if (!chart->by_prefix) return false;
    const char *event = f2l_names_get(&chart->nfa->letters, move->event);
    const char *name = f2l_names_get(&chart->nfa->letters, letter);
    const size_t n = strlen(event);
    return strncmp(name, event, n) == 0 && name[n] == '.';
}

/* Sets target[letter] for each letter that the moves of a state take; the others remain
 * UINT32_MAX. */
static void find_targets(uint32_t *target, const f2l_flat_chart *chart, const uint32_t *next_move,
                         uint32_t first)
{
    const size_t letters = chart->nfa->letters.count;
    memset(target, 0xFF, letters * sizeof *target);
    for (uint32_t m = first; m != UINT32_MAX; m = next_move[m]) {
        const f2l_flat_move *move = &chart->move[m];
        const bool one = move->event != F2L_FLAT_ANY && !chart->by_prefix;
        for (size_t letter = one ? move->event : 0; letter < (one ? move->event + 1 : letters);
             letter++)
            if (target[letter] == UINT32_MAX && move_takes(chart, move, letter))
                target[letter] = move->to;
    }
}

/* Adds the edges of a state, whose targets are given, and notes what is discarded. */
static f2l_status add_chart_edges(f2l_nfa *nfa, size_t state, const uint32_t *target,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t letter = 0; letter < nfa->letters.count && status == F2L_OK; letter++) {
        const char *name = f2l_names_get(&nfa->letters, letter);
        if (target[letter] == UINT32_MAX && !nfa->accept[state])
            f2l_notes_add(&nfa->notes,
                          "is discarded where a state has no transition for it: the state remains, "
                          "as the format defines",
                          name, strlen(name), 0, 0);
        status = f2l_nfa_add_edge(nfa, state, letter,
                                  target[letter] == UINT32_MAX ? state : target[letter], err);
    }
    const char *name = f2l_names_get(&nfa->states, state);
    if (nfa->accept[state])
        f2l_notes_add(&nfa->notes,
                      "is final, where the machine has stopped: words that go on there are "
                      "accepted",
                      name, strlen(name), 0, 0);
    return status;
}

static f2l_status add_all_edges(f2l_flat_chart *chart, uint32_t *first, uint32_t *next_move,
                                uint32_t *target, f2l_error *err)
{
    f2l_nfa *nfa = chart->nfa;
    f2l_status status = F2L_OK;
    memset(first, 0xFF, nfa->states.count * sizeof *first);
    for (size_t m = chart->moves; m-- > 0;) {
        next_move[m] = first[chart->move[m].from];
        first[chart->move[m].from] = (uint32_t)m;
    }
    for (size_t s = 0; s < nfa->states.count && status == F2L_OK; s++) {
        nfa->accept[s] = chart->final[s];
        nfa->has_accept |= chart->final[s];
        find_targets(target, chart, next_move, first[s]);
        status = add_chart_edges(nfa, s, target, err);
    }
    return status;
}

f2l_status f2l_flat_finish(f2l_flat_chart *chart, f2l_error *err)
{
    f2l_nfa *nfa = chart->nfa;
    const size_t states = nfa->states.count, letters = nfa->letters.count;
    size_t edges, work;
    if (letters == 0) return f2l_fail(err, F2L_EFORMAT, "no transition has an event");
    if (!f2l_mul_size(&edges, states, letters) || edges > F2L_IMPORT_MAX_EDGES ||
        !f2l_mul_size(&work, chart->moves, letters) || work > 10 * F2L_IMPORT_MAX_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "%zu states with %zu events are too many", states,
                        letters);
    f2l_status status = f2l_nfa_close_states(nfa, err);
    uint32_t *first = f2l_calloc(states, sizeof *first),
             *next_move = f2l_calloc(chart->moves, sizeof *next_move),
             *target = f2l_calloc(letters, sizeof *target);
    if (status == F2L_OK && !(first && next_move && target)) status = f2l_fail_memory(err);
    if (status == F2L_OK) nfa->is_start[chart->start] = 1;
    if (status == F2L_OK) status = add_all_edges(chart, first, next_move, target, err);
    f2l_free(first);
    f2l_free(next_move);
    f2l_free(target);
    return status;
}
