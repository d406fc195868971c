#include "theory/rep/characters/members.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_members_clear(f2l_members *h)
{
    f2l_free(h->member);
    f2l_free(h->at);
    memset(h, 0, sizeof *h);
}

f2l_status f2l_members_init(f2l_members *h, const f2l_group *group, f2l_error *err)
{
    memset(h, 0, sizeof *h);
    h->group = group;
    h->member = f2l_calloc(group->order, sizeof *h->member);
    h->at = f2l_calloc(group->order, sizeof *h->at);
    if (!h->member || !h->at) {
        f2l_members_clear(h);
        return f2l_fail_memory(err);
    }
    h->at[0] = 1;
    h->count = 1;
    return F2L_OK;
}

void f2l_members_reset(f2l_members *h)
{
    while (h->count > 1) h->at[h->member[--h->count]] = 0;
    h->generators = 0;
}

/* Inverses need no separate step: in a finite group they are products of generators. */
void f2l_members_add(f2l_members *h, uint32_t x)
{
    if (h->at[x]) return;
    h->generator[h->generators++] = x;
    for (size_t i = 0; i < h->count; i++)
        for (size_t s = 0; s < h->generators; s++) {
            const uint32_t y = f2l_group_multiply(h->group, h->member[i], h->generator[s]);
            h->work++;
            if (h->at[y]) continue;
            h->member[h->count++] = y;
            h->at[y] = (uint32_t)h->count;
        }
}

uint32_t f2l_needed_generator(const f2l_group *g, size_t s)
{
    return (uint32_t)f2l_group_find(g, g->generator + g->need[s] * g->degree);
}
