/* The groups of T5 and D2, and their elements in normal form (theory/pages/dihedral.md, D2.1). */
#include "automata/group/schreier.h"
#include "numeric/base/mem.h"
#include "theory/construct/dihedral/dihedral_plane.h"

/* More states than the points of any group of order 2 m whose field has degree 64 or less. */
#define MOST_STATES 1020

void f2l_dihedral_group_clear(f2l_dihedral_group *g)
{
    f2l_group_clear(&g->group);
    f2l_free(g->element);
    f2l_free(g->exponent);
    f2l_free(g->reflection);
    *g = (f2l_dihedral_group){0};
}

static f2l_status refuse_group(f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN, "the transition group is neither cyclic nor dihedral");
}

/* Returns F2L_EDOMAIN for most other groups without listing them. A faithful transitive action of
 * Z_m has m points, and one of D_m has m or 2 m. So a group with more elements than twice the
 * points is neither. */
static f2l_status check_order(const uint32_t *image, size_t letters, size_t points,
                              const f2l_task *task, f2l_error *err)
{
    f2l_schreier chain;
    f2l_status status = F2L_OK;
    mpz_t order;
    mpz_init(order);
    f2l_schreier_init(&chain, points);
    for (size_t a = 0; status == F2L_OK && a < letters; a++) {
        status = f2l_schreier_add(&chain, image + a * points, NULL, task, err);
        if (status != F2L_OK) break;
        f2l_schreier_order(order, &chain);
        if (mpz_cmp_ui(order, 2 * points) > 0) status = refuse_group(err);
    }
    f2l_schreier_clear(&chain);
    mpz_clear(order);
    return status;
}

static f2l_status list_transition_group(f2l_group *group, const f2l_fsa *fsa,
                                        const f2l_reach *reach, const f2l_task *task,
                                        f2l_error *err)
{
    const size_t letters = fsa->letters.count, points = reach->states;
    if (points > MOST_STATES) return f2l_fail(err, F2L_UNKNOWN, "%zu states are too many", points);
    size_t cells;
    uint32_t *image =
        f2l_mul_size(&cells, letters, points) ? f2l_calloc(cells, sizeof *image) : NULL;
    if (!image) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++)
        for (size_t i = 0; i < points; i++)
            image[a * points + i] = reach->position[fsa->next[reach->state[i] * letters + a]];
    f2l_status status = check_order(image, letters, points, task, err);
    if (status == F2L_OK)
        status = f2l_group_build(group, image, letters, points, 2 * points, task, err);
    f2l_free(image);
    return status;
}

static size_t order_of_element(const f2l_group *g, uint32_t a)
{
    size_t order = 1;
    for (uint32_t x = a; x != 0; x = f2l_group_multiply(g, x, a)) order++;
    return order;
}

static uint32_t letter_element(const f2l_group *g, size_t letter)
{
    return (uint32_t)f2l_group_find(g, g->generator + letter * g->degree);
}

/* Returns an element of that order, a letter if possible; F2L_NO_INDEX if there is none. */
static size_t find_order(const f2l_group *g, size_t order)
{
    for (size_t a = 0; a < g->generators; a++)
        if (order_of_element(g, letter_element(g, a)) == order) return letter_element(g, a);
    for (size_t e = 0; e < g->order; e++)
        if (order_of_element(g, (uint32_t)e) == order) return e;
    return F2L_NO_INDEX;
}

static bool is_power(const f2l_dihedral_group *g, uint32_t x)
{
    size_t k = 0;
    while (k < g->m && g->element[k] != x) k++;
    return k < g->m;
}

/* Makes the first letter that is not a power of the turn the mirror; returns false when that letter
 * is not a reflection. Such a letter exists, since the letters generate the group. */
static bool find_mirror(f2l_dihedral_group *g)
{
    size_t a = 0;
    while (is_power(g, letter_element(&g->group, a))) a++;
    g->mirror = letter_element(&g->group, a);
    return f2l_group_multiply(&g->group, g->mirror, g->mirror) == 0 &&
           f2l_group_conjugate(&g->group, g->turn, g->mirror) ==
               f2l_group_inverse(&g->group, g->turn);
}

static f2l_status find_turn(f2l_dihedral_group *g, f2l_error *err)
{
    const f2l_group *group = &g->group;
    size_t turn = find_order(group, group->order);
    g->dihedral = turn == F2L_NO_INDEX;
    if (g->dihedral && group->order % 2 == 0) turn = find_order(group, group->order / 2);
    if (turn == F2L_NO_INDEX) return refuse_group(err);
    g->turn = (uint32_t)turn;
    g->m = group->order / (g->dihedral ? 2 : 1);
    g->element = f2l_calloc(2 * g->m, sizeof *g->element);
    if (!g->element) return f2l_fail_memory(err);
    for (size_t k = 1; k < g->m; k++)
        g->element[k] = f2l_group_multiply(group, g->element[k - 1], g->turn);
    if (!g->dihedral) return F2L_OK;
    if (!find_mirror(g)) return refuse_group(err);
    for (size_t k = 0; k < g->m; k++)
        g->element[g->m + k] = f2l_group_multiply(group, g->element[k], g->mirror);
    return F2L_OK;
}

static f2l_status place_letters(f2l_dihedral_group *g, f2l_error *err)
{
    const size_t letters = g->group.generators;
    g->exponent = f2l_calloc(letters, sizeof *g->exponent);
    g->reflection = f2l_calloc(letters, sizeof *g->reflection);
    if (!g->exponent || !g->reflection) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) {
        const uint32_t x = letter_element(&g->group, a);
        size_t at = 0;
        while (g->element[at] != x) at++;
        g->exponent[a] = (uint32_t)(at % g->m);
        g->reflection[a] = at >= g->m;
    }
    return F2L_OK;
}

f2l_status f2l_dihedral_recognise(f2l_dihedral_group *out, const f2l_fsa *fsa,
                                  const f2l_reach *reach, const f2l_task *task, f2l_error *err)
{
    *out = (f2l_dihedral_group){0};
    f2l_group_init(&out->group);
    f2l_status status = list_transition_group(&out->group, fsa, reach, task, err);
    if (status == F2L_OK) status = find_turn(out, err);
    return status == F2L_OK ? place_letters(out, err) : status;
}

f2l_status f2l_dihedral_find(size_t *m, bool *dihedral, const f2l_fsa *fsa, const f2l_task *task,
                             f2l_error *err)
{
    f2l_dihedral_group g = {0};
    f2l_reach reach;
    f2l_status status = f2l_reach_init(&reach, fsa, err);
    if (status == F2L_OK) status = f2l_dihedral_recognise(&g, fsa, &reach, task, err);
    *m = status == F2L_OK ? g.m : 0;
    *dihedral = status == F2L_OK && g.dihedral;
    f2l_dihedral_group_clear(&g);
    f2l_reach_clear(&reach);
    return status == F2L_EDOMAIN ? F2L_OK : status;
}
