#include "automata/fsa/sources.h"
#include "numeric/base/mem.h"

void f2l_sources_clear(f2l_sources *s)
{
    f2l_free(s->first);
    f2l_free(s->link);
    f2l_free(s->from);
    *s = (f2l_sources){0};
}

f2l_status f2l_sources_init(f2l_sources *out, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    *out = (f2l_sources){.empty = states};
    out->first = f2l_calloc(states, sizeof *out->first);
    out->link = f2l_calloc(states * letters, sizeof *out->link);
    out->from = f2l_calloc(states * letters, sizeof *out->from);
    if (!out->first || !out->link || !out->from) {
        f2l_sources_clear(out);
        return f2l_fail_memory(err);
    }
    for (size_t y = 0; y < states; y++) out->first[y] = F2L_NO_SOURCE;
    for (size_t x = states; x-- > 0;)
        for (size_t a = 0; a < letters; a++) {
            uint32_t *first = &out->first[fsa->next[x * letters + a]];
            if (*first != F2L_NO_SOURCE && out->from[*first] == x) continue;
            out->empty -= *first == F2L_NO_SOURCE;
            out->from[out->nodes] = (uint32_t)x;
            out->link[out->nodes] = *first;
            *first = (uint32_t)out->nodes++;
        }
    return F2L_OK;
}
