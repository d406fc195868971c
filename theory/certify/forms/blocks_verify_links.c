/* How the levels of a blocks form follow the automaton (theory/pages/blocks.md, BL.3). The letters
 * of the first level are the automaton's. Of every further level the nodes are found as the finest
 * ones that its letters allow: pairs of a node and a state of the level below are in one node if a
 * letter comes from both, or leads to both. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"

typedef struct linking {
    f2l_blocks_check *c;
    size_t l; /* number of the level, from 0 */
    f2l_d1_check *level;
    f2l_blocks_link *link, *above; /* above: NULL on the last level */
    size_t *first;                 /* [nodes + 1] position in `letter` of the letters of a node */
    uint32_t *letter;              /* [letters] sorted by the node that they come from */
    size_t *queue;                 /* [nodes * states] pairs in the order in which they are found */
    size_t pairs;
    size_t *parent; /* [nodes * states] of a pair in its tree of pairs in one node */
} linking;

static void linking_clear(linking *k)
{
    f2l_free(k->first);
    f2l_free(k->letter);
    f2l_free(k->queue);
    f2l_free(k->parent);
}

/* Sorts the letters that have a meaning by the node that they come from. */
static void sort_letters(linking *k)
{
    const f2l_blocks_link *link = k->link;
    for (size_t x = 0; x < link->letters; x++)
        if (link->reads[x] != F2L_D1_UNSET) k->first[link->from[x] + 1]++;
    for (size_t z = 0; z < link->nodes; z++) k->first[z + 1] += k->first[z];
    for (size_t x = link->letters; x-- > 0;)
        if (link->reads[x] != F2L_D1_UNSET) k->letter[--k->first[link->from[x] + 1]] = (uint32_t)x;
    /* first[z + 1] is now where the letters of z begin. */
    for (size_t z = 0; z < link->nodes; z++) k->first[z] = k->first[z + 1];
    size_t used = 0;
    for (size_t x = 0; x < link->letters; x++) used += link->reads[x] != F2L_D1_UNSET;
    k->first[link->nodes] = used;
}

static size_t root_of_pair(linking *k, size_t pair)
{
    while (k->parent[pair] != pair) pair = k->parent[pair] = k->parent[k->parent[pair]];
    return pair;
}

static void visit_pair(linking *k, size_t pair, uint32_t child)
{
    k->link->child[pair] = child;
    k->queue[k->pairs++] = pair;
}

/* Returns the pair after the letter. */
static size_t pair_after_letter(const linking *k, size_t pair, uint32_t x)
{
    const size_t states = k->level->states;
    const uint32_t state = (uint32_t)(pair % states);
    return k->link->to[x] * states + f2l_d1_after(k->level, state, k->link->act->value[x]);
}

/* Puts the pairs before and after into the nodes that letter y of the level above names. */
static bool unite_pairs(linking *k, size_t pair, size_t next, uint32_t x, uint32_t y)
{
    f2l_blocks_link *above = k->above;
    if (above->reads[y] == F2L_D1_UNSET) {
        above->reads[y] = k->link->reads[x];
        above->from[y] = (uint32_t)pair;
        above->to[y] = (uint32_t)next;
        return true;
    }
    k->parent[root_of_pair(k, pair)] = root_of_pair(k, above->from[y]);
    k->parent[root_of_pair(k, next)] = root_of_pair(k, above->to[y]);
    return above->reads[y] == k->link->reads[x];
}

/* Checks that the states of the automaton that the pairs mean follow it (with labels `edges` BL.8).
 */
static bool pair_follows(linking *k, size_t pair, size_t next, uint32_t x, uint32_t y)
{
    const f2l_blocks_check *c = k->c;
    const size_t state = c->reach.state[k->link->child[pair]];
    const size_t edge = state * c->fsa->letters.count + k->link->reads[x];
    const uint32_t to = c->fsa->next[edge];
    if (k->link->child[next] == F2L_D1_UNSET) visit_pair(k, next, c->reach.position[to]);
    return k->link->child[next] == c->reach.position[to] &&
           y == c->label[c->net->label == F2L_LABEL_EDGES ? edge : to];
}

/* Takes all letters from a pair. */
static f2l_status follow_letters_of_linked(linking *k, size_t pair, f2l_error *err)
{
    const size_t states = k->level->states, node = pair / states, state = pair % states;
    for (size_t i = k->first[node]; i < k->first[node + 1]; i++) {
        const uint32_t x = k->letter[i], y = k->link->next->value[x * states + state];
        const size_t next = pair_after_letter(k, pair, x);
        if (k->above && k->link->child[next] == F2L_D1_UNSET) visit_pair(k, next, 0);
        if (k->above ? !unite_pairs(k, pair, next, x, y) : !pair_follows(k, pair, next, x, y))
            return f2l_fail(err, F2L_UNKNOWN,
                            "level %zu: letter %u in state %zu does not follow the automaton",
                            k->l + 1, (unsigned)x + 1, state + 1);
    }
    return F2L_OK;
}

/* Numbers the nodes of the level above, and names them in the pairs and in its letters. */
static void number_nodes(linking *k)
{
    f2l_blocks_link *link = k->link, *above = k->above;
    for (size_t i = 0; i < k->pairs; i++) link->child[k->queue[i]] = F2L_D1_UNSET;
    for (size_t i = 0; i < k->pairs; i++) {
        uint32_t *node = &link->child[root_of_pair(k, k->queue[i])];
        if (*node == F2L_D1_UNSET) *node = (uint32_t)above->nodes++;
        link->child[k->queue[i]] = *node;
    }
    for (size_t y = 0; y < above->letters; y++) {
        if (above->reads[y] == F2L_D1_UNSET) continue;
        above->from[y] = link->child[above->from[y]];
        above->to[y] = link->child[above->to[y]];
    }
}

static f2l_status allocate_linking(linking *k, f2l_error *err)
{
    f2l_blocks_link *link = k->link;
    size_t size, bytes;
    if (!f2l_mul_size(&size, link->nodes, k->level->states) ||
        !f2l_mul_size(&bytes, size, sizeof *link->child + 2 * sizeof *k->queue))
        size = bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(k->c->task, "the nodes of a level", bytes, err);
    if (status != F2L_OK) return status;
    link->child = f2l_calloc(size, sizeof *link->child);
    k->queue = f2l_calloc(size, sizeof *k->queue);
    k->parent = f2l_calloc(size, sizeof *k->parent);
    k->first = f2l_calloc(link->nodes + 2, sizeof *k->first);
    k->letter = f2l_calloc(link->letters, sizeof *k->letter);
    if (!link->child || !k->queue || !k->parent || !k->first || !k->letter)
        return f2l_fail_memory(err);
    for (size_t i = 0; i < size; i++) {
        link->child[i] = F2L_D1_UNSET;
        k->parent[i] = i;
    }
    return F2L_OK;
}

/* Checks level k->l; the start is in node 0. */
static f2l_status link_level(linking *k, f2l_error *err)
{
    f2l_status status = allocate_linking(k, err);
    if (status != F2L_OK) return status;
    sort_letters(k);
    f2l_meter meter = {.task = k->c->task, .phase = "checking levels"};
    visit_pair(k, k->level->start, k->above ? 0 : (uint32_t)k->c->reach.start);
    for (size_t i = 0; status == F2L_OK && i < k->pairs; i++) {
        const size_t node = k->queue[i] / k->level->states;
        status = f2l_meter_spend(&meter, 4 + 8 * (k->first[node + 1] - k->first[node]), (double)i,
                                 (double)k->pairs, err);
        if (status == F2L_OK) status = follow_letters_of_linked(k, k->queue[i], err);
    }
    if (status == F2L_OK && k->above) number_nodes(k);
    return status;
}

/* Makes the arrays of a level's letters. */
static f2l_status allocate_letters(f2l_blocks_link *link, f2l_error *err)
{
    link->reads = f2l_calloc(link->letters, sizeof *link->reads);
    link->from = f2l_calloc(link->letters, sizeof *link->from);
    link->to = f2l_calloc(link->letters, sizeof *link->to);
    if (!link->reads || !link->from || !link->to) return f2l_fail_memory(err);
    for (size_t x = 0; x < link->letters; x++) link->reads[x] = F2L_D1_UNSET;
    return F2L_OK;
}

f2l_status f2l_blocks_check_links(f2l_blocks_check *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < c->levels; l++)
        status = allocate_letters(&c->link[l], err);
    if (status != F2L_OK) return status;
    if (c->link[0].letters != c->fsa->letters.count)
        return f2l_fail(err, F2L_UNKNOWN, "level 1 has other letters than the automaton");
    for (size_t a = 0; a < c->link[0].letters; a++) c->link[0].reads[a] = (uint32_t)a;
    c->link[0].nodes = 1;
    for (size_t l = 0; status == F2L_OK && l < c->levels; l++) {
        const bool last = l + 1 == c->levels;
        linking k = {.c = c, .l = l, .level = &c->level[l], .link = &c->link[l]};
        k.above = last ? NULL : &c->link[l + 1];
        status = link_level(&k, err);
        linking_clear(&k);
    }
    return status;
}
