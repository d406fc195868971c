#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define POLL ((uint64_t)1 << 18)

f2l_status f2l_subgroup_init(f2l_subgroup *h, const f2l_group *g, const f2l_task *task,
                             f2l_error *err)
{
    f2l_status status = f2l_task_spend(task, "subgroups", g->order * (1 + sizeof *h->member), err);
    memset(h, 0, sizeof *h);
    if (status != F2L_OK) return status;
    h->g = g;
    h->task = task;
    h->has = f2l_calloc(g->order, 1);
    h->member = f2l_calloc(g->order, sizeof *h->member);
    if (!h->has || !h->member) {
        f2l_subgroup_clear(h);
        return f2l_fail_memory(err);
    }
    for (size_t s = 0; s < g->needed; s++)
        h->letter[s] = (uint32_t)f2l_group_find(g, g->generator + g->need[s] * g->degree);
    f2l_subgroup_reset(h);
    return F2L_OK;
}

void f2l_subgroup_clear(f2l_subgroup *h)
{
    f2l_free(h->has);
    f2l_free(h->member);
    memset(h, 0, sizeof *h);
}

void f2l_subgroup_reset(f2l_subgroup *h)
{
    for (size_t i = 0; i < h->order; i++) h->has[h->member[i]] = 0;
    h->has[0] = 1;
    h->member[0] = 0;
    h->order = 1;
    h->generators = 0;
}

/* Appends the coset of the first `order` members that holds x. */
static f2l_status append_coset(f2l_subgroup *h, size_t order, size_t *count, uint32_t x,
                               f2l_error *err)
{
    for (size_t i = 0; i < order; i++) {
        const uint32_t y = f2l_group_multiply(h->g, h->member[i], x);
        h->has[y] = 1;
        h->member[(*count)++] = y;
    }
    h->work += order;
    f2l_status status = f2l_task_spend(h->task, "subgroups", 4 * order, err);
    if (status != F2L_OK) return status;
    if (h->work < h->polled + POLL) return F2L_OK;
    h->polled = h->work;
    return f2l_task_poll(h->task, "subgroups", (double)*count, (double)h->g->order, err);
}

/* Adds x. The cosets H r, with r the first member of each, are complete once every product r s with
 * a generator lies in one. */
f2l_status f2l_subgroup_add(f2l_subgroup *h, uint32_t x, f2l_error *err)
{
    if (h->has[x]) return F2L_OK;
    const size_t order = h->order;
    size_t count = order;
    h->generator[h->generators++] = x;
    f2l_status status = append_coset(h, order, &count, x, err);
    for (size_t r = order; status == F2L_OK && r < count; r += order)
        for (size_t s = 0; status == F2L_OK && s < h->generators; s++) {
            status = f2l_task_spend(h->task, "subgroups", 4, err);
            if (status != F2L_OK) break;
            const uint32_t y = f2l_group_multiply(h->g, h->member[r], h->generator[s]);
            h->work++;
            if (!h->has[y]) status = append_coset(h, order, &count, y, err);
        }
    h->order = count;
    return status;
}

f2l_status f2l_subgroup_generate(f2l_subgroup *h, const uint32_t *generator, size_t generators,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_subgroup_reset(h);
    for (size_t s = 0; status == F2L_OK && s < generators; s++)
        status = f2l_subgroup_add(h, generator[s], err);
    return status;
}

f2l_status f2l_subgroup_close(f2l_subgroup *h, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < h->generators; i++)
        for (size_t s = 0; status == F2L_OK && s < h->g->needed; s++)
            status =
                f2l_subgroup_add(h, f2l_group_conjugate(h->g, h->generator[i], h->letter[s]), err);
    return status;
}

/* Makes h the subgroup of commutators. If K is the normal closure of the commutators [a, b] of
 * generators a of the one subgroup and b of the other, these generators commute modulo K; so K
 * contains all commutators, and it is the least such normal subgroup. */
f2l_status f2l_subgroup_commutators(f2l_subgroup *h, const uint32_t *a, size_t as,
                                    const uint32_t *b, size_t bs, f2l_error *err)
{
    const f2l_group *g = h->g;
    f2l_status status = F2L_OK;
    f2l_subgroup_reset(h);
    for (size_t i = 0; i < as; i++)
        for (size_t j = 0; status == F2L_OK && j < bs; j++) {
            const uint32_t back = f2l_group_inverse(g, f2l_group_multiply(g, b[j], a[i]));
            status = f2l_subgroup_add(
                h, f2l_group_multiply(g, back, f2l_group_multiply(g, a[i], b[j])), err);
        }
    return status == F2L_OK ? f2l_subgroup_close(h, err) : status;
}

void f2l_subgroup_classes(uint8_t *holds, const f2l_subgroup *h, const f2l_classes *c)
{
    for (size_t k = 0; k < c->classes; k++) holds[k] = h->has[c->representative[k]];
}

bool f2l_subgroup_commute(const f2l_group *g, uint32_t x, uint32_t y)
{
    return f2l_group_multiply(g, x, y) == f2l_group_multiply(g, y, x);
}
