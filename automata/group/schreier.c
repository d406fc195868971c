#include "automata/group/schreier.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 30)
#define MAX_WORK ((uint64_t)1 << 35)

void f2l_schreier_init(f2l_schreier *g, size_t degree)
{
    memset(g, 0, sizeof *g);
    g->degree = degree;
}

static void levels_clear(f2l_schreier *g)
{
    for (size_t i = 0; i < g->levels; i++) {
        f2l_free(g->level[i].orbit);
        f2l_free(g->level[i].to);
        f2l_free(g->level[i].back);
        f2l_free(g->level[i].at);
        f2l_free(g->level[i].generator);
    }
    f2l_free(g->level);
    g->level = NULL;
    g->levels = g->level_room = 0;
    g->bytes = 0;
}

void f2l_schreier_clear(f2l_schreier *g)
{
    levels_clear(g);
    f2l_free(g->generator);
    f2l_schreier_init(g, g->degree);
}

static bool is_identity(const uint32_t *image, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (image[i] != i) return false;
    return true;
}

/* Appends a row to a growing table of rows. */
static f2l_status append_row(f2l_schreier *g, uint32_t **table, size_t *room, size_t rows,
                             const uint32_t *row, const f2l_task *task, f2l_error *err)
{
    const size_t row_bytes = g->degree * sizeof *row;
    if (rows == *room) {
        size_t wider = *room ? 2 * *room : 4, cells;
        f2l_status status =
            f2l_task_memory(task, "the order of a group", g->bytes + wider * row_bytes, err);
        if (status != F2L_OK) return status;
        status = f2l_task_spend(task, "the order of a group", (wider - *room) * row_bytes, err);
        if (status != F2L_OK) return status;
        if (g->bytes + wider * row_bytes > MAX_BYTES)
            return f2l_fail(err, F2L_UNKNOWN,
                            "a permutation group of degree %zu is too large to list", g->degree);
        if (!f2l_mul_size(&cells, wider, g->degree)) return f2l_fail_memory(err);
        uint32_t *grown = f2l_realloc(*table, cells, sizeof *grown);
        if (!grown) return f2l_fail_memory(err);
        g->bytes += (wider - *room) * row_bytes;
        *table = grown;
        *room = wider;
    }
    memcpy(*table + rows * g->degree, row, row_bytes);
    return F2L_OK;
}

/* Adds a level whose base is a point that `image` moves. */
static f2l_status level_new(f2l_schreier *g, const uint32_t *image, f2l_error *err)
{
    if (!f2l_grow((void **)&g->level, &g->level_room, g->levels, sizeof *g->level))
        return f2l_fail_memory(err);
    f2l_schreier_level *v = &g->level[g->levels];
    memset(v, 0, sizeof *v);
    while (image[v->base] == v->base) v->base++;
    v->at = f2l_calloc(g->degree, sizeof *v->at);
    v->orbit = f2l_calloc(g->degree, sizeof *v->orbit);
    if (!v->at || !v->orbit) {
        f2l_free(v->at);
        f2l_free(v->orbit);
        return f2l_fail_memory(err);
    }
    g->levels++;
    return F2L_OK;
}

/* Adds a point to the orbit with an element `to` that reaches it; `back` is scratch for the
 * inverse. */
static f2l_status orbit_add(f2l_schreier *g, size_t level, const uint32_t *to, uint32_t *back,
                            const f2l_task *task, f2l_error *err)
{
    f2l_schreier_level *v = &g->level[level];
    for (uint32_t i = 0; i < g->degree; i++) back[to[i]] = i;
    size_t room = v->point_room;
    f2l_status status = append_row(g, &v->to, &room, v->points, to, task, err);
    if (status == F2L_OK)
        status = append_row(g, &v->back, &v->point_room, v->points, back, task, err);
    if (status != F2L_OK) return status;
    v->orbit[v->points] = to[v->base];
    v->at[to[v->base]] = (uint32_t)++v->points;
    return F2L_OK;
}

/* Divides `image` by elements of the levels from `level` on; returns the level where it left the
 * orbit, or the number of levels, where what is left is in `image`. */
static size_t sift(const f2l_schreier *g, size_t level, uint32_t *image, uint64_t *work)
{
    for (; level < g->levels; level++) {
        const f2l_schreier_level *v = &g->level[level];
        const uint32_t at = v->at[image[v->base]];
        if (at == 0) return level;
        if (at == 1) continue; /* the base stays */
        const uint32_t *back = v->back + (size_t)(at - 1) * g->degree;
        for (size_t i = 0; i < g->degree; i++) image[i] = back[image[i]];
        *work += g->degree;
    }
    return level;
}

/* Charges the work done since it was `before`: points that were moved, some 2 ns each. */
static f2l_status spend_on_moves(f2l_schreier *g, const f2l_task *task, uint64_t before,
                                 f2l_error *err)
{
    f2l_status status =
        f2l_task_spend(task, "the order of a group", 2 + (g->work - before) / 4, err);
    if (status != F2L_OK || g->work >> 20 == before >> 20) return status;
    if (g->work > MAX_WORK)
        return f2l_fail(err, F2L_UNKNOWN, "a permutation group of degree %zu takes too many steps",
                        g->degree);
    return f2l_task_poll(task, "the order of a group", (double)g->levels, 0, err);
}

static f2l_status level_add(f2l_schreier *g, size_t level, const uint32_t *image,
                            const f2l_task *task, f2l_error *err);

/* Deals with the pair (point, generator): it gives a new point of the orbit, or a Schreier
 * generator for the next level. */
static f2l_status pair(f2l_schreier *g, size_t level, size_t point, size_t generator, uint32_t *x,
                       uint32_t *scratch, const f2l_task *task, f2l_error *err)
{
    const uint64_t before = g->work;
    const f2l_schreier_level *v = &g->level[level];
    const uint32_t *to = v->to + point * g->degree, *s = v->generator + generator * g->degree;
    for (size_t i = 0; i < g->degree; i++) x[i] = s[to[i]];
    g->work += g->degree;
    const uint32_t at = v->at[x[v->base]];
    const size_t left = at == 0 ? level : sift(g, level, x, &g->work);
    f2l_status status = spend_on_moves(g, task, before, err);
    if (status == F2L_OK && at == 0) return orbit_add(g, level, x, scratch, task, err);
    if (status == F2L_OK && (left < g->levels || !is_identity(x, g->degree)))
        status = level_add(g, level + 1, x, task, err);
    return status;
}

/* Adds an element to the generators of `level`; a new level begins with the orbit of its base
 * alone. */
static f2l_status generator_add(f2l_schreier *g, size_t level, const uint32_t *image, uint32_t *x,
                                uint32_t *scratch, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (level == g->levels) {
        status = level_new(g, image, err);
        for (uint32_t i = 0; i < g->degree; i++) x[i] = i;
        if (status == F2L_OK) status = orbit_add(g, level, x, scratch, task, err);
    }
    if (status != F2L_OK) return status;
    f2l_schreier_level *v = &g->level[level];
    status = append_row(g, &v->generator, &v->generator_room, v->generators, image, task, err);
    if (status == F2L_OK) v->generators++;
    return status;
}

/* Adds an element that fixes all earlier bases to the group of `level`, and completes the levels
 * from there on. Every pair of an orbit point and a generator is dealt with once; elements that the
 * next levels lack are added to them first. */
static f2l_status level_add(f2l_schreier *g, size_t level, const uint32_t *image,
                            const f2l_task *task, f2l_error *err)
{
    const size_t old_points = level < g->levels ? g->level[level].points : 1;
    const size_t added = level < g->levels ? g->level[level].generators : 0;
    uint32_t *x = f2l_calloc(g->degree, sizeof *x),
             *scratch = f2l_calloc(g->degree, sizeof *scratch);
    f2l_status status =
        x && scratch ? generator_add(g, level, image, x, scratch, task, err) : f2l_fail_memory(err);
    if (x && scratch && status == F2L_OK)
        /* Old points know the old generators. g->level may move while deeper levels grow. */
        for (size_t p = 0; status == F2L_OK && p < g->level[level].points; p++)
            for (size_t s = p < old_points ? added : 0; status == F2L_OK && s <= added; s++)
                status = pair(g, level, p, s, x, scratch, task, err);
    f2l_free(x);
    f2l_free(scratch);
    return status;
}

/* Returns whether some cycle has prime length p with moved/2 < p < moved - 2: then a power of the
 * element is a p-cycle. */
static bool jordan(const uint32_t *image, size_t degree, size_t moved, uint8_t *seen)
{
    memset(seen, 0, degree);
    for (size_t i = 0; i < degree; i++) {
        size_t length = 0;
        for (size_t at = i; !seen[at]; at = image[at]) {
            seen[at] = 1;
            length++;
        }
        if (2 * length > moved && length + 2 < moved && n_is_prime(length)) return true;
    }
    return false;
}

/* Returns the number of points that move when they form one orbit, otherwise 0. */
static size_t transitive_on(const f2l_schreier *g, uint32_t *queue, uint8_t *seen)
{
    size_t moved = 0, head = 0, tail = 0;
    memset(seen, 0, g->degree);
    for (uint32_t i = 0; i < g->degree; i++) {
        bool moves = false;
        for (size_t s = 0; s < g->generators && !moves; s++)
            moves = g->generator[s * g->degree + i] != i;
        moved += moves;
        if (moves && tail == 0) {
            seen[i] = 1;
            queue[tail++] = i;
        }
    }
    for (; head < tail; head++)
        for (size_t s = 0; s < g->generators; s++) {
            uint32_t to = g->generator[s * g->degree + queue[head]];
            if (!seen[to]) {
                seen[to] = 1;
                queue[tail++] = to;
            }
        }
    return tail == moved ? moved : 0;
}

static bool all_even(const f2l_schreier *g)
{
    for (size_t s = 0; s < g->generators; s++)
        if ((g->degree - f2l_perm_cycles(g->generator + s * g->degree, g->degree)) % 2)
            return false;
    return true;
}

/* Looks for an element that shows the group to hold A_n among products of generators; which ones
 * follows from a fixed linear congruential sequence (Knuth's MMIX). Not finding one proves nothing.
 */
static f2l_status find_giant(f2l_schreier *g, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "the order of a group"};
    f2l_status status = F2L_OK;
    size_t n = g->degree;
    uint32_t *x = f2l_calloc(n, sizeof *x);
    uint8_t *seen = f2l_calloc(n, 1);
    size_t moved = x && seen ? transitive_on(g, x, seen) : 0;
    uint64_t random = 1;
    bool found = false;
    if (x) memcpy(x, g->generator, n * sizeof *x);
    for (size_t step = 0; moved >= 8 && !found && step < 40 * g->generators + 200; step++) {
        status = f2l_meter_spend(&meter, 1 + n / 2, (double)g->levels, 0, err);
        if (status != F2L_OK) break;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t *s = g->generator + (random >> 33) % g->generators * n;
        for (size_t i = 0; i < n; i++) x[i] = s[x[i]];
        found = jordan(x, n, moved, seen);
    }
    const bool failed = !x || !seen;
    f2l_free(x);
    f2l_free(seen);
    if (failed) return f2l_fail_memory(err);
    if (status == F2L_OK && found) {
        g->giant = all_even(g) ? F2L_ALTERNATING : F2L_SYMMETRIC;
        g->moved = moved;
        levels_clear(g);
    }
    return status;
}

/* Returns whether the giant has the permutation: it permutes the same points, and is even when the
 * giant is alternating. */
static bool in_giant(const f2l_schreier *g, const uint32_t *image)
{
    for (size_t i = 0; i < g->degree; i++) {
        bool moves = false;
        for (size_t s = 0; s < g->generators && !moves; s++)
            moves = g->generator[s * g->degree + i] != i;
        if (!moves && image[i] != i) return false;
    }
    return g->giant == F2L_SYMMETRIC || (g->degree - f2l_perm_cycles(image, g->degree)) % 2 == 0;
}

/* Builds the tables for all generators from `from` on, of a group that is no longer a giant or that
 * has just grown. */
static f2l_status complete_tables(f2l_schreier *g, size_t from, const f2l_task *task,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t s = from; status == F2L_OK && s < g->generators; s++)
        status = level_add(g, 0, g->generator + s * g->degree, task, err);
    return status;
}

f2l_status f2l_schreier_add(f2l_schreier *g, const uint32_t *image, bool *grew,
                            const f2l_task *task, f2l_error *err)
{
    bool member = false;
    f2l_status status =
        f2l_task_spend(task, "the order of a group", 4 + g->degree * (1 + g->levels) / 4, err);
    if (status == F2L_OK) status = f2l_schreier_contains(g, image, &member, err);
    if (grew) *grew = status == F2L_OK && !member;
    if (status != F2L_OK || member) return status;
    status = append_row(g, &g->generator, &g->generator_room, g->generators, image, task, err);
    if (status != F2L_OK) return status;
    g->generators++;
    const bool was_giant = g->giant != F2L_NO_GIANT;
    g->giant = F2L_NO_GIANT;
    status = find_giant(g, task, err);
    if (status != F2L_OK || g->giant != F2L_NO_GIANT) return status;
    return complete_tables(g, was_giant ? 0 : g->generators - 1, task, err);
}

f2l_status f2l_schreier_contains(const f2l_schreier *g, const uint32_t *image, bool *member,
                                 f2l_error *err)
{
    if (g->giant != F2L_NO_GIANT) {
        *member = in_giant(g, image);
        return F2L_OK;
    }
    uint64_t work = 0;
    uint32_t *x = f2l_calloc(g->degree, sizeof *x);
    if (!x) return f2l_fail_memory(err);
    memcpy(x, image, g->degree * sizeof *x);
    *member = sift(g, 0, x, &work) == g->levels && is_identity(x, g->degree);
    f2l_free(x);
    return F2L_OK;
}

void f2l_schreier_order(mpz_t order, const f2l_schreier *g)
{
    mpz_set_ui(order, 1);
    if (g->giant != F2L_NO_GIANT) {
        mpz_fac_ui(order, g->moved);
        if (g->giant == F2L_ALTERNATING) mpz_divexact_ui(order, order, 2);
        return;
    }
    for (size_t i = 0; i < g->levels; i++) mpz_mul_ui(order, order, g->level[i].points);
}
