#include "reports/html/scc.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Tarjan's algorithm with a stack of its own in the place of recursion. */
typedef struct search {
    const f2l_fsa *fsa;
    uint32_t *order, *low, *of; /* [states]; order 0: not seen yet; of: UINT32_MAX: none yet */
    uint32_t *path, *letter;    /* [states] the states from the root of the search, and the next
                                 * letter of each */
    uint32_t *open;             /* [states] states without a component */
    size_t depth, opened;
    uint32_t seen, count;
} search;

static void enter(search *s, uint32_t state)
{
    s->order[state] = s->low[state] = ++s->seen;
    s->letter[s->depth] = 0;
    s->path[s->depth++] = state;
    s->open[s->opened++] = state;
}

static void leave(search *s)
{
    const uint32_t state = s->path[--s->depth];
    if (s->low[state] == s->order[state]) {
        uint32_t member;
        do {
            member = s->open[--s->opened];
            s->of[member] = s->count;
        } while (member != state);
        s->count++;
    }
    if (s->depth == 0) return;
    const uint32_t above = s->path[s->depth - 1];
    if (s->low[state] < s->low[above]) s->low[above] = s->low[state];
}

static void walk(search *s, uint32_t root)
{
    const size_t letters = s->fsa->letters.count;
    enter(s, root);
    while (s->depth > 0) {
        const uint32_t state = s->path[s->depth - 1], a = s->letter[s->depth - 1]++;
        if (a == letters) {
            leave(s);
            continue;
        }
        const uint32_t to = s->fsa->next[state * letters + a];
        if (s->order[to] == 0)
            enter(s, to);
        else if (s->of[to] == UINT32_MAX && s->order[to] < s->low[state])
            s->low[state] = s->order[to];
    }
}

f2l_status f2l_strong_components(uint32_t **of, size_t *count, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t states = fsa->states.count;
    uint32_t *work = f2l_calloc(5 * states, sizeof *work);
    *of = f2l_calloc(states, sizeof **of);
    if (!work || !*of) {
        f2l_free(work);
        f2l_free(*of);
        *of = NULL;
        return f2l_fail_memory(err);
    }
    search s = {.fsa = fsa,
                .order = work,
                .low = work + states,
                .path = work + 2 * states,
                .letter = work + 3 * states,
                .open = work + 4 * states,
                .of = *of};
    memset(*of, 0xff, states * sizeof **of);
    for (uint32_t q = 0; q < states; q++)
        if (s.order[q] == 0) walk(&s, q);
    *count = s.count;
    f2l_free(work);
    return F2L_OK;
}
