/* What the letters of a level do to its points, and the products of few letters
 * (theory/pages/blocks.md, BL.4). */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/blocks/impl.h"
#include <string.h>

#define FIRST_ROOM 64

void f2l_blocks_level_clear(f2l_blocks_level *v)
{
    f2l_rowset_clear(&v->act);
    f2l_rowset_clear(&v->element);
    f2l_rowset_clear(&v->factor);
    f2l_rowset_clear(&v->rest);
    f2l_rowset_clear(&v->code);
    f2l_free(v->act_of);
    f2l_free(v->map);
    f2l_free(v->next);
    f2l_free(v->whole);
    f2l_free(v->operation);
    f2l_free(v->state);
    f2l_free(v->row);
    f2l_free(v->factor_of);
    f2l_free(v->rest_of);
    f2l_free(v->meaning);
    *v = (f2l_blocks_level){0};
}

/* Sets v->map to what a letter of the level does; points beyond the cover are fixed. */
static void map_of_context(f2l_blocks_level *v, const f2l_context *x)
{
    const size_t moved = x->action == F2L_ACTION_PERMUTATION ? v->cascade->cover_count[x->from] : 0;
    for (size_t p = 0; p < v->m; p++)
        v->map[p] = x->action == F2L_ACTION_RESET ? x->target
                    : p < moved                   ? v->level->image[x->permutation + p]
                                                  : (uint32_t)p;
}

f2l_status f2l_blocks_level_init(f2l_blocks_level *v, const f2l_cascade *cascade, size_t l,
                                 uint32_t start, const f2l_task *task, f2l_error *err)
{
    const f2l_level *level = &cascade->level[l - 1];
    *v = (f2l_blocks_level){.cascade = cascade, .level = level, .l = l, .task = task};
    v->m = level->width;
    v->start = start;
    f2l_rowset_init(&v->act);
    f2l_rowset_init(&v->element);
    f2l_rowset_init(&v->factor);
    f2l_rowset_init(&v->rest);
    f2l_rowset_init(&v->code);
    v->act_of = f2l_calloc(level->contexts, sizeof *v->act_of);
    v->map = f2l_calloc(v->m, sizeof *v->map);
    if (!v->act_of || !v->map) return f2l_fail_memory(err);
    f2l_meter meter = {.task = task, .phase = "the letters of a level"};
    for (size_t i = 0; i < level->contexts; i++) {
        size_t act;
        map_of_context(v, &level->context[i]);
        f2l_status status =
            f2l_meter_spend(&meter, 2 + v->m, (double)i, (double)level->contexts, err);
        if (status == F2L_OK) status = f2l_rowset_add(&v->act, v->map, v->m, &act, err);
        if (status != F2L_OK) return status;
        v->act_of[i] = (uint32_t)act;
    }
    f2l_blocks_choose_form(v);
    return F2L_OK;
}

/* Makes room for every element that is listed. */
static f2l_status grow_block_words(f2l_blocks_level *v, f2l_error *err)
{
    const size_t acts = v->act.count, room = v->capacity ? 2 * v->capacity : FIRST_ROOM;
    if (v->element.count <= v->capacity) return F2L_OK;
    if (room > F2L_BLOCKS_ENTRIES / (acts + v->m + 1))
        return f2l_fail(err, F2L_UNKNOWN, "the letters of level %zu have too many products", v->l);
    f2l_status status =
        f2l_task_table(v->task, "the products of a block",
                       room * (acts + 1) * sizeof *v->next + f2l_rowset_bytes(&v->element), err);
    if (status != F2L_OK) return status;
    uint32_t *next = f2l_realloc(v->next, room, acts * sizeof *next);
    if (!next) return f2l_fail_memory(err);
    v->next = next;
    uint8_t *whole = f2l_realloc(v->whole, room, sizeof *whole);
    if (!whole) return f2l_fail_memory(err);
    v->whole = whole;
    for (size_t i = v->capacity * acts; i < room * acts; i++) v->next[i] = F2L_BLOCKS_NONE;
    memset(v->whole + v->capacity, 0, room - v->capacity);
    v->capacity = room;
    return F2L_OK;
}

/* Lists the product of element `e` and act `a`. */
static f2l_status follow_block_word(f2l_blocks_level *v, size_t e, size_t a, f2l_error *err)
{
    const size_t at = e * v->act.count + a;
    size_t to;
    if (v->next[at] != F2L_BLOCKS_NONE) return F2L_OK;
    const uint32_t *before = f2l_rowset_get(&v->element, e, NULL);
    const uint32_t *act = f2l_rowset_get(&v->act, a, NULL);
    for (size_t p = 0; p < v->m; p++) v->map[p] = act[before[p]];
    f2l_status status = f2l_rowset_add(&v->element, v->map, v->m, &to, err);
    if (status == F2L_OK) status = grow_block_words(v, err);
    if (status == F2L_OK) v->next[at] = (uint32_t)to;
    return status;
}

/* Replaces v->whole, the products of some length, by the products of one letter more. */
static f2l_status lengthen(f2l_blocks_level *v, f2l_error *err)
{
    const size_t acts = v->act.count, count = v->element.count;
    f2l_meter meter = {.task = v->task, .phase = "products of a block"};
    f2l_status status = F2L_OK;
    for (size_t e = 0; status == F2L_OK && e < count; e++) {
        status = f2l_meter_spend(&meter, 1 + (v->whole[e] ? acts * (2 + v->m) : 0), (double)e,
                                 (double)count, err);
        for (size_t a = 0; status == F2L_OK && v->whole[e] && a < acts; a++)
            status = follow_block_word(v, e, a, err);
    }
    if (status != F2L_OK) return status;
    uint8_t *longer = f2l_calloc(v->capacity, sizeof *longer);
    if (!longer) return f2l_fail_memory(err);
    for (size_t e = 0; e < count; e++)
        for (size_t a = 0; v->whole[e] && a < acts; a++) longer[v->next[e * acts + a]] = 1;
    f2l_free(v->whole);
    v->whole = longer;
    return F2L_OK;
}

f2l_status f2l_blocks_products(f2l_blocks_level *v, size_t block, size_t *most, f2l_error *err)
{
    size_t identity;
    for (size_t p = 0; p < v->m; p++) v->map[p] = (uint32_t)p;
    f2l_status status = f2l_rowset_add(&v->element, v->map, v->m, &identity, err);
    if (status == F2L_OK) status = grow_block_words(v, err);
    if (status != F2L_OK) return status;
    memset(v->whole, 0, v->capacity);
    v->whole[identity] = 1;
    for (size_t j = 0; status == F2L_OK && j < block; j++) status = lengthen(v, err);
    if (status != F2L_OK) return status;
    v->block = block;
    *most = 0;
    for (size_t e = 0; e < v->element.count; e++) {
        const uint32_t *map = f2l_rowset_get(&v->element, e, NULL);
        if (!v->whole[e]) continue;
        const size_t needs =
            map[0] == map[1] ? f2l_blocks_erases(v) : v->m - f2l_perm_cycles(map, v->m);
        if (needs > *most) *most = needs;
    }
    return F2L_OK;
}
