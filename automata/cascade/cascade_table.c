/* The stage-pair pass: which (letter, old stage, new stage) occur at every level, what they do
 * there and what they become one level up. Checks (C), (P), (R) and the final agreement on all of
 * them (theory/pages/t4.md). */
#include "automata/cascade/impl.h"
#include "automata/fsa/perm.h"
#include <string.h>

/* Returns the hash of a context of one level, by (letter, from, to). */
static uint64_t hash_context(uint32_t letter, uint32_t from, uint32_t to)
{
    return f2l_hash(f2l_hash(F2L_HASH, (uint64_t)from << 32 | to), letter);
}

static uint64_t hash_of_context(const void *level, size_t i)
{
    const f2l_context *x = &((const f2l_level *)level)->context[i];
    return hash_context(x->letter, x->from, x->to);
}

static bool is_context(const void *level, size_t i, const void *key)
{
    const f2l_context *x = &((const f2l_level *)level)->context[i], *y = key;
    return x->letter == y->letter && x->from == y->from && x->to == y->to;
}

static f2l_status intern_context(f2l_index *t, f2l_level *level, uint32_t letter, uint32_t from,
                                 uint32_t to, size_t *index, f2l_error *err)
{
    const f2l_context x = {.letter = letter, .from = from, .to = to};
    const uint64_t key = hash_context(letter, from, to);
    *index = f2l_index_find(t, key, is_context, level, &x);
    if (*index != F2L_NO_INDEX) return F2L_OK;
    if (!f2l_index_grow(t, hash_of_context, level) ||
        !f2l_grow((void **)&level->context, &level->context_capacity, level->contexts,
                  sizeof *level->context))
        return f2l_fail_memory(err);
    level->context[level->contexts++] = x;
    *index = f2l_index_add(t, key);
    return F2L_OK;
}

/* The scratch of one pass. */
typedef struct pass {
    f2l_cascade *c;
    const f2l_task *task;
    f2l_meter meter;
    uint64_t *set;   /* one set */
    uint32_t *place; /* [sets] position in C(Y), plus 1, while a permutation is read off */
} pass;

static f2l_status spend_on_level(pass *p, size_t steps, size_t level, f2l_error *err)
{
    return f2l_meter_spend(&p->meter, steps, (double)level, (double)p->c->levels, err);
}

/* Returns the number of the set Xa, or F2L_NO_SET when it is not a set of the family. */
static uint32_t image_of_set(const pass *p, uint32_t set, uint32_t letter)
{
    const f2l_cascade *c = p->c;
    size_t letters = c->fsa->letters.count;
    uint32_t known = c->image[(size_t)set * letters + letter];
    if (known != F2L_NO_SET) return known;
    memset(p->set, 0, c->sets.words * sizeof *p->set);
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words)
    f2l_set_put(p->set, c->fsa->next[q * letters + letter]);
    return f2l_subsets_find(&c->sets, p->set);
}

static f2l_status refuse_context(const f2l_context *x, size_t level, const char *what,
                                 f2l_error *err)
{
    return f2l_fail(err, F2L_REFUTED, "level %zu, letter %u, stages %u and %u: %s", level,
                    x->letter + 1, x->from, x->to, what);
}

/* Reads pi off C(X) and C(Y); false when a does not permute the covers. */
static bool read_off(pass *p, uint32_t *pi, const f2l_context *x, size_t m)
{
    const f2l_cascade *c = p->c;
    const uint32_t *from = c->cover + c->cover_at[x->from], *to = c->cover + c->cover_at[x->to];
    bool good = true;
    for (size_t j = 0; j < m; j++) p->place[to[j]] = (uint32_t)j + 1;
    for (size_t i = 0; good && i < m; i++) {
        uint32_t image = image_of_set(p, from[i], x->letter);
        good = image != F2L_NO_SET && p->place[image] != 0;
        if (!good) break;
        pi[i] = p->place[image] - 1;
        p->place[image] = 0; /* a second one that lands here is refused */
    }
    for (size_t j = 0; j < m; j++) p->place[to[j]] = 0;
    return good;
}

static bool reserve_images(f2l_level *level, size_t m)
{
    while (level->image_capacity - level->images < m)
        if (!f2l_grow((void **)&level->image, &level->image_capacity, level->image_capacity,
                      sizeof *level->image))
            return false;
    return true;
}

/* Returns the place after the letter of the one state in a set, or UINT32_MAX when it leads out of
 * Y. */
static uint32_t place_after(const f2l_cascade *c, uint32_t singleton, uint32_t letter, uint32_t y)
{
    const size_t letters = c->fsa->letters.count;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, singleton), c->sets.words)
    {
        const uint32_t to = c->fsa->next[q * letters + letter];
        return f2l_set_has(f2l_subsets_get(&c->sets, y), to) ? c->place[to] : UINT32_MAX;
    }
    return UINT32_MAX;
}

/* Fills a context of a joined level. */
static f2l_status map(const pass *p, f2l_level *level, size_t l, f2l_context *x, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    const bool reads = c->lambda[x->from] == l;
    const uint32_t *from = reads ? c->cover + c->cover_at[x->from] : &x->from;
    const size_t m = reads ? c->cover_count[x->from] : 1;
    if (!reserve_images(level, m)) return f2l_fail_memory(err);
    uint32_t *pi = level->image + level->images;
    for (size_t i = 0; i < m; i++) {
        pi[i] = place_after(c, from[i], x->letter, x->to);
        if (pi[i] == UINT32_MAX) return refuse_context(x, l, "the image leaves the new stage", err);
    }
    x->action = reads ? F2L_ACTION_MAP : F2L_ACTION_RESET;
    x->target = pi[0];
    x->permutation = level->images;
    level->images += reads ? m : 0;
    level->maps += reads;
    level->resets += !reads;
    return F2L_OK;
}

/* Fills the context where Xa == Y: the bijection pi with C(X)[i] a == C(Y)[pi(i)] (condition
 * (P)). */
static f2l_status fill_permutation_context(pass *p, f2l_level *level, size_t l, f2l_context *x,
                                           f2l_error *err)
{
    const f2l_cascade *c = p->c;
    size_t m = c->cover_count[x->from];
    if (c->lambda[x->from] != l)
        return refuse_context(x, l, "equal image, but the old stage is at another level", err);
    if (m != c->cover_count[x->to]) return refuse_context(x, l, "covers of different sizes", err);
    if (!reserve_images(level, m)) return f2l_fail_memory(err);
    uint32_t *pi = level->image + level->images;
    if (!read_off(p, pi, x, m))
        return refuse_context(x, l, "the letter does not permute the cover", err);
    x->action = F2L_ACTION_PERMUTATION;
    x->permutation = level->images;
    level->images += m;
    const size_t needed = m - f2l_perm_cycles(pi, m);
    if (needed == 0)
        level->identities++;
    else
        level->permutations++;
    if (needed > level->reflections) level->reflections = needed;
    return F2L_OK;
}

/* Fills the context where Xa is strictly inside Y: the first member of C(Y) that contains it
 * (condition (R)). */
static f2l_status fill_reset_context(const pass *p, f2l_level *level, size_t l, f2l_context *x,
                                     const uint64_t *image, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    for (size_t j = 0; j < c->cover_count[x->to]; j++)
        if (f2l_set_inside(image, f2l_subsets_get(&c->sets, c->cover[c->cover_at[x->to] + j]),
                           c->sets.words)) {
            x->action = F2L_ACTION_RESET;
            x->target = (uint32_t)j;
            level->resets++;
            return F2L_OK;
        }
    return refuse_context(x, l, "no member of the cover holds the image", err);
}

static f2l_status fill_context(pass *p, f2l_level *level, size_t l, f2l_context *x, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    if (c->lambda[x->to] != l) return F2L_OK;
    if (c->place && l == c->levels) return map(p, level, l, x, err);
    const uint32_t id = image_of_set(p, x->from, x->letter);
    if (id == F2L_NO_SET) return refuse_context(x, l, "the image is not in the family", err);
    if (id == x->to) return fill_permutation_context(p, level, l, x, err);
    const uint64_t *image = f2l_subsets_get(&c->sets, id);
    if (!f2l_set_inside(image, f2l_subsets_get(&c->sets, x->to), c->sets.words))
        return refuse_context(x, l, "the image leaves the new stage", err);
    return fill_reset_context(p, level, l, x, image, err);
}

static f2l_status add_successor_contexts(pass *p, size_t l, size_t at, f2l_index *above,
                                         f2l_error *err)
{
    f2l_cascade *c = p->c;
    f2l_level *level = &c->level[l - 1];
    f2l_context x = level->context[at];
    bool reads = c->lambda[x.from] == l, writes = c->lambda[x.to] == l;
    size_t count = reads ? c->cover_count[x.from] : 1;
    level->context[at].next = level->nexts;
    for (uint32_t old = 0; old < count; old++) {
        uint32_t from = reads ? c->cover[c->cover_at[x.from] + old] : x.from;
        uint32_t to = writes ? c->cover[c->cover_at[x.to] + f2l_level_moved(level, &x, old)] : x.to;
        size_t index = 0;
        if (l < c->levels) {
            f2l_status status =
                intern_context(above, &c->level[l], x.letter, from, to, &index, err);
            if (status != F2L_OK) return status;
        } else {
            if (c->sets.size[from] != 1 || image_of_set(p, from, x.letter) != to)
                return refuse_context(&x, l, "the last stages are not the old and the new state",
                                      err);
        }
        if (!f2l_grow((void **)&level->next, &level->next_capacity, level->nexts,
                      sizeof *level->next))
            return f2l_fail_memory(err);
        level->next[level->nexts++] = (uint32_t)index;
    }
    return F2L_OK;
}

static size_t table_bytes(const f2l_cascade *c)
{
    size_t bytes = 0;
    for (size_t l = 0; l < c->levels; l++) {
        const f2l_level *level = &c->level[l];
        bytes += level->context_capacity * sizeof *level->context +
                 level->image_capacity * sizeof *level->image +
                 level->next_capacity * sizeof *level->next;
    }
    return bytes;
}

/* Returns the bytes of the tables of level l - 1, and of the contexts of level l with their slots.
 */
static size_t entry_bytes(const f2l_level *level, const f2l_level *above)
{
    return level->images * sizeof *level->image + level->nexts * sizeof *level->next +
           above->contexts * (sizeof *above->context + 2 * sizeof(size_t));
}

static f2l_status one_level(pass *p, size_t l, f2l_index *above, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    f2l_level *level = &c->level[l - 1], *above_level = &c->level[l]; /* there is one more than are
                                                                         used */
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < level->contexts; i++) {
        f2l_context *x = &level->context[i];
        const size_t before = entry_bytes(level, above_level);
        status = spend_on_level(
            p, 8 + (c->cover_count[x->from] + c->cover_count[x->to]) * (3 + c->sets.words / 2), l,
            err);
        if (status == F2L_OK) status = fill_context(p, level, l, x, err);
        if (status == F2L_OK) status = add_successor_contexts(p, l, i, above, err);
        if (status == F2L_OK)
            status = spend_on_level(p, entry_bytes(level, above_level) - before, l, err);
        if (status == F2L_OK && i % 4096 == 0)
            status = f2l_task_memory(p->task, "the tables of the cascade", table_bytes(c), err);
    }
    return status;
}

/* Checks that the cover of x consists of proper subsets at higher levels which together contain all
 * of X, so that every state ends some chain. */
static f2l_status check_cover_of_set(pass *p, uint32_t x, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    const size_t words = c->sets.words;
    const uint64_t *whole = f2l_subsets_get(&c->sets, x);
    bool good = true;
    memset(p->set, 0, words * sizeof *p->set);
    for (size_t i = 0; good && i < c->cover_count[x]; i++) {
        uint32_t t = c->cover[c->cover_at[x] + i];
        const uint64_t *part = f2l_subsets_get(&c->sets, t);
        good = c->sets.size[t] < c->sets.size[x] && c->lambda[t] > c->lambda[x] &&
               f2l_set_inside(part, whole, words);
        for (size_t w = 0; w < words; w++) p->set[w] |= part[w];
    }
    if (good && f2l_set_equal(p->set, whole, words)) return F2L_OK;
    return f2l_fail(err, F2L_REFUTED, "the cover of set %u is not one", x);
}

/* Sets the widths of the levels, and makes the checks that need no stage pair. */
static f2l_status check_covers(pass *p, f2l_error *err)
{
    const f2l_cascade *c = p->c;
    f2l_status status = F2L_OK;
    for (uint32_t x = 0; status == F2L_OK && x < c->sets.count; x++) {
        if (c->lambda[x] == 0 || c->lambda[x] > c->levels) continue;
        f2l_level *level = &c->level[c->lambda[x] - 1];
        if (level->width < c->cover_count[x]) level->width = c->cover_count[x];
        status = check_cover_of_set(p, x, err);
        if (status == F2L_OK) status = spend_on_level(p, c->cover_count[x] * c->sets.words, 0, err);
    }
    return status;
}

void f2l_cascade_table_clear(f2l_cascade *c)
{
    for (size_t l = 0; c->level && l < c->levels; l++) {
        f2l_free(c->level[l].context);
        f2l_free(c->level[l].image);
        f2l_free(c->level[l].next);
    }
    f2l_free(c->level);
    c->level = NULL;
}

static bool pass_init(pass *p)
{
    const f2l_cascade *c = p->c;
    p->set = f2l_calloc(c->sets.words + 1, sizeof *p->set);
    p->place = f2l_calloc(c->sets.count + 1, sizeof *p->place);
    return p->set && p->place;
}

static void pass_clear(pass *p)
{
    f2l_free(p->set);
    f2l_free(p->place);
}

/* Makes all levels in turn, from the contexts (a, Q, Q). */
static f2l_status all_levels(pass *p, f2l_error *err)
{
    f2l_cascade *c = p->c;
    size_t index;
    const uint32_t all = 0; /* the whole of Q is the first set of every family */
    f2l_index here = {0};
    f2l_status status = check_covers(p, err);
    for (uint32_t a = 0; status == F2L_OK && c->levels && a < c->fsa->letters.count; a++)
        status = intern_context(&here, &c->level[0], a, all, all, &index, err);
    for (size_t l = 1; status == F2L_OK && l <= c->levels; l++) {
        f2l_index above = {0};
        status = one_level(p, l, &above, err);
        f2l_index_clear(&here);
        here = above;
    }
    f2l_index_clear(&here);
    return status;
}

f2l_status f2l_cascade_table(f2l_cascade *c, const f2l_task *task, f2l_error *err)
{
    pass p = {.c = c, .task = task, .meter = {.task = task, .phase = "stage pairs, level"}};
    c->level = f2l_calloc(c->levels + 1, sizeof *c->level);
    f2l_status status = c->level && pass_init(&p) ? all_levels(&p, err) : f2l_fail_memory(err);
    pass_clear(&p);
    if (status != F2L_OK) f2l_cascade_table_clear(c);
    return status;
}
