/* Holonomy: the family of images of Q and the singletons; classes are strongly connected components
 * of the image graph; covers are the maximal proper members. "Pure": its groups divide the
 * transition monoid. */
#include "automata/cascade/impl.h"
#include "automata/graph/scc.h"
#include <string.h>

static f2l_status family(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    uint32_t id;
    b->meter.phase = "images";
    f2l_status status = f2l_builder_add_all_states(b, &id, err);
    for (size_t pass = 0, done = 0; status == F2L_OK && pass < 2; pass++) {
        for (; status == F2L_OK && done < c->sets.count; done++)
            for (size_t a = 0; status == F2L_OK && a < c->fsa->letters.count; a++)
                status = f2l_builder_image(b, (uint32_t)done, a, &id, err);
        for (size_t q = 0; status == F2L_OK && !pass && q < c->sets.states; q++)
            status = f2l_builder_add_singleton(b, q, &id, err);
    }
    return status;
}

static f2l_status components(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    const f2l_graph graph = f2l_graph_of_table(c->image, c->sets.count, c->fsa->letters.count);
    f2l_scc scc;
    b->meter.phase = "components";
    f2l_status status = f2l_meter_spend(&b->meter, c->sets.count * F2L_SCC_BYTES, 0, 0, err);
    if (status == F2L_OK) status = f2l_scc_build(&scc, &graph, &b->meter, err);
    if (status != F2L_OK) return status;
    memcpy(c->class_of, scc.of, c->sets.count * sizeof *c->class_of);
    c->classes = scc.count;
    f2l_scc_clear(&scc);
    return F2L_OK;
}

/* Sets tau for every member of every class, breadth-first from the first member along letters that
 * stay in the class. */
static f2l_status transports(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    size_t letters = c->fsa->letters.count;
    b->meter.phase = "transports";
    f2l_status status = f2l_meter_spend(&b->meter, c->sets.count * sizeof(uint32_t), 0, 0, err);
    if (status != F2L_OK) return status;
    uint32_t *queue = f2l_calloc(c->sets.count, sizeof *queue);
    if (!queue) return f2l_fail_memory(err);
    for (uint32_t r = 0; status == F2L_OK && r < c->sets.count; r++) {
        if (c->tau_at[r] != SIZE_MAX) continue;
        size_t head = 0, tail = 0;
        status = f2l_builder_tau_identity(b, r, err);
        queue[tail++] = r;
        for (; status == F2L_OK && head < tail; head++) {
            status = f2l_meter_spend(&b->meter, 2 + letters / 2, r, (double)c->sets.count, err);
            for (size_t a = 0; status == F2L_OK && a < letters; a++) {
                uint32_t v = queue[head], w = c->image[(size_t)v * letters + a];
                if (c->class_of[w] != c->class_of[v] || c->tau_at[w] != SIZE_MAX) continue;
                status = f2l_builder_tau_forward(b, v, a, w, err);
                queue[tail++] = w;
            }
        }
    }
    f2l_free(queue);
    return status;
}

/* Sets ordered by size, largest first (stable): a maximal proper member meets no earlier one that
 * holds it.
 */
static uint32_t *order_sets_by_size(const f2l_subsets *sets)
{
    uint32_t *order = f2l_calloc(sets->count + 1, sizeof *order);
    size_t *at = f2l_calloc(sets->states + 2, sizeof *at);
    if (order && at) {
        for (size_t i = 0; i < sets->count; i++) at[sets->states - sets->size[i] + 1]++;
        for (size_t s = 0; s <= sets->states; s++) at[s + 1] += at[s];
        for (uint32_t i = 0; i < sets->count; i++) order[at[sets->states - sets->size[i]]++] = i;
    }
    if (!at) {
        f2l_free(order);
        order = NULL;
    }
    f2l_free(at);
    return order;
}

/* Sets the masks, over positions of R, of the maximal proper members of the family inside R. */
static f2l_status maximal_members(f2l_builder *b, uint32_t r, const uint32_t *order,
                                  f2l_subsets *masks, f2l_error *err)
{
    f2l_cascade *c = b->c;
    size_t words = c->sets.words;
    const uint64_t *inside = f2l_subsets_get(&c->sets, r);
    uint32_t *found = NULL;
    size_t count = 0, capacity = 0, larger = 0;
    f2l_subsets_init(masks, c->sets.size[r]);
    uint64_t *mask = f2l_calloc(masks->words + 1, sizeof *mask);
    if (!mask) return f2l_fail_memory(err);
    f2l_builder_positions(b, r);
    f2l_status status =
        f2l_meter_spend(&b->meter, 64 + c->sets.count, r, (double)c->sets.count, err);
    for (size_t i = 0; status == F2L_OK && i < c->sets.count; i++) {
        uint32_t t = order[i];
        const uint64_t *set = f2l_subsets_get(&c->sets, t);
        if (c->sets.size[t] >= c->sets.size[r] || !f2l_set_inside(set, inside, words)) continue;
        bool covered = false;
        if (count && c->sets.size[found[count - 1]] != c->sets.size[t]) larger = count;
        status = f2l_meter_spend(&b->meter, 2 + larger / 2, r, (double)c->sets.count, err);
        for (size_t j = 0; j < larger && !covered; j++)
            covered = f2l_set_inside(set, f2l_subsets_get(&c->sets, found[j]), words);
        if (covered) continue;
        if (!f2l_grow((void **)&found, &capacity, count, sizeof *found)) {
            status = f2l_fail_memory(err);
            break;
        }
        found[count++] = t;
        uint32_t id;
        memset(mask, 0, masks->words * sizeof *mask);
        F2L_SET_EACH(q, set, words) f2l_set_put(mask, b->position[q]);
        status = f2l_subsets_add(masks, mask, &id, err);
    }
    f2l_free(found);
    f2l_free(mask);
    return status;
}

/* Sets out[class] to the first member of the class, whose points tau maps to themselves. */
static void representatives(const f2l_cascade *c, uint32_t *out)
{
    for (uint32_t x = (uint32_t)c->sets.count; x-- > 0;) out[c->class_of[x]] = x;
}

/* Finds the cover of every representative, masks[k] for class k, and transports it to the members.
 */
static f2l_status find_covers(f2l_builder *b, f2l_subsets *masks, const uint32_t *representative,
                              const uint32_t *order, f2l_error *err)
{
    f2l_cascade *c = b->c;
    f2l_status status = F2L_OK;
    for (size_t k = 0; status == F2L_OK && k < c->classes; k++)
        if (c->sets.size[representative[k]] > 1)
            status = maximal_members(b, representative[k], order, &masks[k], err);
    b->meter.phase = "transporting covers";
    for (uint32_t x = 0; status == F2L_OK && x < c->sets.count; x++)
        if (c->sets.size[x] > 1) status = f2l_builder_cover(b, x, &masks[c->class_of[x]], err);
    return status;
}

#define MASKS_BYTES (sizeof(f2l_subsets) + 512) /* of the cover of a class, when it is small */

static f2l_status find_maximal_covers(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    b->meter.phase = "covers";
    f2l_status status =
        f2l_meter_spend(&b->meter, 8 * c->sets.count + c->classes * MASKS_BYTES, 0, 0, err);
    if (status != F2L_OK) return status;
    uint32_t *order = order_sets_by_size(&c->sets);
    uint32_t *representative = f2l_calloc(c->classes + 1, sizeof *representative);
    f2l_subsets *masks = f2l_calloc(c->classes + 1, sizeof *masks);
    if (order && representative && masks) {
        representatives(c, representative);
        status = find_covers(b, masks, representative, order, err);
    } else {
        status = f2l_fail_memory(err);
    }
    for (size_t k = 0; masks && k < c->classes; k++) f2l_subsets_clear(&masks[k]);
    f2l_free(masks);
    f2l_free(representative);
    f2l_free(order);
    return status;
}

f2l_status f2l_build_holonomy(f2l_builder *b, f2l_error *err)
{
    bool acyclic = false;
    f2l_status status = family(b, err);
    if (status == F2L_OK) status = components(b, err);
    if (status == F2L_OK) status = transports(b, err);
    if (status == F2L_OK) status = find_maximal_covers(b, err);
    if (status == F2L_OK) status = f2l_cascade_levels_longest(b->c, &acyclic, b->task, err);
    /* Image and cover edges go from a class to one strictly below it in the subduction order, so
     * there is no cycle. */
    if (status == F2L_OK && !acyclic)
        status = f2l_fail(err, F2L_UNKNOWN, "holonomy classes form a cycle");
    return status;
}
