#include "automata/group/group.h"
#include "automata/fsa/perm.h"
#include "automata/group/impl.h"
#include "automata/group/schreier.h"
#include "numeric/base/mem.h"
#include "numeric/base/names.h"
#include <string.h>

#define MAX_ORDER 1000000u

void f2l_group_init(f2l_group *g)
{
    memset(g, 0, sizeof *g);
}

void f2l_group_clear(f2l_group *g)
{
    for (size_t l = 0; l < g->levels; l++) {
        f2l_free(g->level[l].at);
        f2l_free(g->level[l].back);
    }
    f2l_free(g->generator);
    f2l_free(g->element);
    f2l_free(g->need);
    f2l_free(g->level);
    f2l_group_init(g);
}

static f2l_status copy_generators(f2l_group *g, const uint32_t *image, f2l_error *err)
{
    size_t cells;
    if (g->degree == 0) return f2l_fail(err, F2L_EDOMAIN, "a permutation group needs a point");
    if (!f2l_mul_size(&cells, g->generators, g->degree)) return f2l_fail_memory(err);
    for (size_t s = 0; s < g->generators; s++)
        if (!f2l_perm_is_permutation(image + s * g->degree, g->degree))
            return f2l_fail(err, F2L_EDOMAIN, "generator %zu is no permutation", s + 1);
    g->generator = f2l_calloc(cells, sizeof *g->generator);
    g->need = f2l_calloc(F2L_GROUP_LEVELS, sizeof *g->need);
    if (!g->generator || !g->need) return f2l_fail_memory(err);
    if (cells > 0) memcpy(g->generator, image, cells * sizeof *image);
    return F2L_OK;
}

static f2l_status group_too_large(size_t max_order, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN, "the group has more than %zu elements, too many to list",
                    max_order);
}

/* Returns F2L_UNKNOWN where the orbit of the first point has more than max_order points, since the
 * group has as many elements or more. So large transitive groups are refused before their chain
 * takes memory. */
static f2l_status check_orbit(const f2l_group *g, size_t max_order, const f2l_task *task,
                              f2l_error *err)
{
    if (g->degree <= max_order) return F2L_OK;
    f2l_status status = f2l_task_spend(task, "the orbit of a point",
                                       f2l_steps_of(g->degree, 1 + g->generators), err);
    if (status != F2L_OK) return status;
    uint32_t *orbit = f2l_calloc(g->degree, sizeof *orbit);
    uint8_t *met = f2l_calloc(g->degree, 1);
    size_t points = 0;
    if (orbit && met) {
        met[0] = 1;
        points = 1;
        for (size_t i = 0; i < points; i++)
            for (size_t s = 0; s < g->generators; s++) {
                const uint32_t to = g->generator[s * g->degree + orbit[i]];
                if (!met[to]) orbit[points++] = to;
                met[to] = 1;
            }
    }
    f2l_free(orbit);
    f2l_free(met);
    if (points == 0) return f2l_fail_memory(err);
    return points > max_order ? group_too_large(max_order, err) : F2L_OK;
}

static f2l_status check_group_order(size_t *order, const f2l_schreier *chain, size_t max_order,
                                    f2l_error *err)
{
    mpz_t n;
    mpz_init(n);
    f2l_schreier_order(n, chain);
    const bool good = mpz_cmp_ui(n, max_order) <= 0;
    if (good) *order = mpz_get_ui(n);
    mpz_clear(n);
    return good ? F2L_OK : group_too_large(max_order, err);
}

/* Makes the chain of all generators; the order is checked after each of them, so that large groups
 * are refused early. */
static f2l_status fill_chain(f2l_group *g, f2l_schreier *chain, size_t max_order,
                             const f2l_task *task, f2l_error *err)
{
    f2l_status status = check_group_order(&g->order, chain, max_order, err);
    for (size_t s = 0; status == F2L_OK && s < g->generators; s++) {
        bool grew;
        status = f2l_schreier_add(chain, g->generator + s * g->degree, &grew, task, err);
        if (status != F2L_OK || !grew) continue;
        status = check_group_order(&g->order, chain, max_order, err);
        if (status == F2L_OK) g->need[g->needed++] = (uint32_t)s;
    }
    return status;
}

static f2l_status level_init(f2l_group_level *v, const f2l_group *g, size_t points, f2l_error *err)
{
    v->points = points;
    v->at = f2l_calloc(g->degree, sizeof *v->at);
    v->back = f2l_calloc(points * g->degree, sizeof *v->back);
    return v->at && v->back ? F2L_OK : f2l_fail_memory(err);
}

/* Takes the tables of a chain over; it can only be cleared then. */
static f2l_status take_levels(f2l_group *g, f2l_schreier *chain, f2l_error *err)
{
    for (size_t l = 0; l < chain->levels; l++) {
        f2l_schreier_level *from = &chain->level[l];
        f2l_group_level *v = &g->level[g->levels++];
        *v = (f2l_group_level){
            .base = from->base, .points = from->points, .at = from->at, .back = from->back};
        from->at = from->back = NULL;
        uint32_t *trimmed = f2l_realloc(v->back, v->points * g->degree, sizeof *trimmed);
        if (!trimmed) return f2l_fail_memory(err);
        v->back = trimmed;
    }
    return F2L_OK;
}

/* Makes the level of S_n or A_n that fixes the first `fixed` of the moved points: a
 * transposition, or for A_n a 3-cycle through one more of the later points, takes each of them
 * back to the base. */
static f2l_status giant_level(f2l_group *g, const uint32_t *moved, size_t count, size_t fixed,
                              bool alternating, f2l_error *err)
{
    f2l_group_level *v = &g->level[g->levels++];
    v->base = moved[fixed];
    f2l_status status = level_init(v, g, count - fixed, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < v->points; i++) {
        const uint32_t point = moved[fixed + i];
        uint32_t *back = v->back + i * g->degree;
        v->at[point] = (uint32_t)i + 1;
        for (uint32_t p = 0; p < g->degree; p++) back[p] = p;
        if (i == 0) continue;
        const uint32_t third = alternating ? moved[fixed + (i == 1 ? 2 : 1)] : point;
        back[third] = point;
        back[v->base] = third;
        back[point] = v->base;
    }
    return F2L_OK;
}

static f2l_status giant_levels(f2l_group *g, const f2l_schreier *chain, f2l_error *err)
{
    const bool alternating = chain->giant == F2L_ALTERNATING;
    uint32_t *moved = f2l_calloc(chain->moved, sizeof *moved);
    if (!moved) return f2l_fail_memory(err);
    size_t count = 0;
    for (uint32_t p = 0; p < g->degree; p++) {
        bool moves = false;
        for (size_t s = 0; s < chain->generators && !moves; s++)
            moves = chain->generator[s * g->degree + p] != p;
        if (moves) moved[count++] = p;
    }
    f2l_status status = F2L_OK;
    for (size_t fixed = 0; status == F2L_OK && fixed + (alternating ? 2 : 1) < count; fixed++)
        status = giant_level(g, moved, count, fixed, alternating, err);
    f2l_free(moved);
    return status;
}

/* Checks that the elements and the representatives fit into the task's memory. */
static f2l_status check_memory(const f2l_group *g, const f2l_schreier *chain, const f2l_task *task,
                               f2l_error *err)
{
    size_t rows = g->order, bytes;
    const size_t bases = chain->giant == F2L_NO_GIANT ? chain->levels : chain->moved;
    for (size_t l = 0; l < bases; l++)
        rows += chain->giant == F2L_NO_GIANT ? chain->level[l].points : chain->moved - l;
    if (!f2l_mul_size(&bytes, rows, g->degree * sizeof *g->element)) bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(task, "the elements of a group", bytes, err);
    if (status == F2L_OK && bytes <= F2L_GROUP_BYTES)
        return f2l_task_spend(task, "group elements", bytes, err);
    if (status != F2L_OK) return status;
    return f2l_fail(err, F2L_UNKNOWN, "%zu permutations of %zu points take too much memory to list",
                    g->order, g->degree);
}

static f2l_status fill_levels(f2l_group *g, f2l_schreier *chain, f2l_error *err)
{
    g->level = f2l_calloc(F2L_GROUP_LEVELS, sizeof *g->level);
    if (!g->level) return f2l_fail_memory(err);
    f2l_status status =
        chain->giant == F2L_NO_GIANT ? take_levels(g, chain, err) : giant_levels(g, chain, err);
    size_t stride = 1;
    for (size_t l = g->levels; status == F2L_OK && l > 0; l--) {
        g->level[l - 1].stride = stride;
        stride *= g->level[l - 1].points;
    }
    return status;
}

/* Lists the elements from the last level up: the elements y that fix a base and all before it, then
 * all y u, one representative u after another. `u` is scratch. */
static f2l_status fill_elements(f2l_group *g, uint32_t *u, const f2l_task *task, f2l_error *err)
{
    const size_t n = g->degree;
    for (uint32_t p = 0; p < n; p++) g->element[p] = p;
    for (size_t l = g->levels; l > 0; l--) {
        const f2l_group_level *v = &g->level[l - 1];
        for (size_t i = 1; i < v->points; i++) {
            for (uint32_t p = 0; p < n; p++) u[v->back[i * n + p]] = p;
            uint32_t *out = g->element + i * v->stride * n;
            for (size_t cell = 0; cell < v->stride * n; cell++) out[cell] = u[g->element[cell]];
            f2l_status status = f2l_task_poll(task, "group elements", (double)(i * v->stride),
                                              (double)g->order, err);
            if (status != F2L_OK) return status;
        }
    }
    return F2L_OK;
}

static f2l_status list_group_elements(f2l_group *g, const f2l_task *task, f2l_error *err)
{
    uint32_t *u = f2l_calloc(g->degree, sizeof *u);
    g->element = f2l_calloc(g->order * g->degree, sizeof *g->element);
    f2l_status status = u && g->element ? fill_elements(g, u, task, err) : f2l_fail_memory(err);
    f2l_free(u);
    if (status == F2L_OK && g->levels > 0) { /* nothing is left to divide after the last level */
        f2l_free(g->level[g->levels - 1].back);
        g->level[g->levels - 1].back = NULL;
    }
    return status;
}

f2l_status f2l_group_build(f2l_group *out, const uint32_t *image, size_t generators, size_t degree,
                           size_t max_order, const f2l_task *task, f2l_error *err)
{
    f2l_schreier chain;
    f2l_group_init(out);
    out->degree = degree;
    out->generators = generators;
    f2l_schreier_init(&chain, degree);
    if (max_order == 0) max_order = MAX_ORDER;
    if (max_order > UINT32_MAX - 1) max_order = UINT32_MAX - 1;
    f2l_status status = copy_generators(out, image, err);
    if (status == F2L_OK) status = check_orbit(out, max_order, task, err);
    if (status == F2L_OK) status = fill_chain(out, &chain, max_order, task, err);
    if (status == F2L_OK) status = check_memory(out, &chain, task, err);
    if (status == F2L_OK) status = fill_levels(out, &chain, err);
    f2l_schreier_clear(&chain);
    if (status == F2L_OK) status = list_group_elements(out, task, err);
    if (status != F2L_OK) f2l_group_clear(out);
    return status;
}

size_t f2l_group_find(const f2l_group *g, const uint32_t *image)
{
    uint32_t x[F2L_GROUP_LEVELS];
    for (size_t p = 0; p < g->degree; p++)
        if (image[p] >= g->degree) return F2L_NO_INDEX;
    for (size_t l = 0; l < g->levels; l++) x[l] = image[g->level[l].base];
    size_t number = 0;
    for (size_t l = 0; l < g->levels; l++) {
        const f2l_group_level *v = &g->level[l];
        const size_t at = v->at[x[l]];
        if (at == 0) return F2L_NO_INDEX;
        number += (at - 1) * v->stride;
        for (size_t j = l + 1; j < g->levels; j++) x[j] = v->back[(at - 1) * g->degree + x[j]];
    }
    return memcmp(g->element + number * g->degree, image, g->degree * sizeof *image) == 0
               ? number
               : F2L_NO_INDEX;
}

uint32_t f2l_group_multiply(const f2l_group *g, uint32_t a, uint32_t b)
{
    uint32_t image[F2L_GROUP_LEVELS];
    const uint32_t *first = f2l_group_row(g, a), *then = f2l_group_row(g, b);
    for (size_t l = 0; l < g->levels; l++) image[l] = then[first[g->level[l].base]];
    return f2l_group_number(g, image);
}

/* Returns the inverse of a, which takes a base point to the point that a takes to it. */
uint32_t f2l_group_inverse(const f2l_group *g, uint32_t a)
{
    uint32_t image[F2L_GROUP_LEVELS] = {0};
    const uint32_t *row = f2l_group_row(g, a);
    for (size_t l = 0; l < g->levels; l++)
        while (row[image[l]] != g->level[l].base) image[l]++;
    return f2l_group_number(g, image);
}

uint32_t f2l_group_conjugate(const f2l_group *g, uint32_t x, uint32_t a)
{
    return f2l_group_multiply(g, f2l_group_inverse(g, a), f2l_group_multiply(g, x, a));
}
