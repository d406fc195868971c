/* States of automata on infinite words from which no infinite run goes on. */
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <string.h>

/* The transitions into each state, as lists, and the number of those that leave each. */
typedef struct dead_ends {
    uint32_t *last, *before; /* [states], [edges]; UINT32_MAX: none */
    uint32_t *leaving;       /* [states] */
    uint32_t *stack;         /* [states] */
} dead_ends;

/* Marks as 0 in d->leaving the states from which no infinite run goes on; returns their number. */
static size_t find_dead_ends(dead_ends *d, const f2l_nfa *nfa)
{
    size_t height = 0, found = 0;
    memset(d->last, 0xFF, nfa->states.count * sizeof *d->last);
    for (size_t e = 0; e < nfa->edges; e++) {
        d->before[e] = d->last[nfa->edge[e].to];
        d->last[nfa->edge[e].to] = (uint32_t)e;
        d->leaving[nfa->edge[e].from]++;
    }
    for (size_t s = 0; s < nfa->states.count; s++)
        if (d->leaving[s] == 0) d->stack[height++] = (uint32_t)s;
    for (; height > 0; found++)
        for (uint32_t e = d->last[d->stack[--height]]; e != UINT32_MAX; e = d->before[e])
            if (--d->leaving[nfa->edge[e].from] == 0) d->stack[height++] = nfa->edge[e].from;
    return found;
}

f2l_status f2l_import_dead_ends(uint8_t **dead, size_t *count, const f2l_nfa *nfa, f2l_error *err)
{
    const size_t states = nfa->states.count;
    dead_ends d = {f2l_calloc(states, sizeof *d.last), f2l_calloc(nfa->edges, sizeof *d.before),
                   f2l_calloc(states, sizeof *d.leaving), f2l_calloc(states, sizeof *d.stack)};
    *dead = f2l_calloc(states, sizeof **dead);
    const bool room = d.last && d.before && d.leaving && d.stack && *dead;
    *count = room ? find_dead_ends(&d, nfa) : 0;
    for (size_t s = 0; s < states && room; s++) (*dead)[s] = d.leaving[s] == 0;
    f2l_free(d.last);
    f2l_free(d.before);
    f2l_free(d.leaving);
    f2l_free(d.stack);
    if (room) return F2L_OK;
    f2l_free(*dead);
    *dead = NULL;
    return f2l_fail_memory(err);
}
