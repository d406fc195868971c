/* The actions in which representations are sought, letters that suffice for the search, and lower
 * bounds. */
#include "automata/fsa/perm.h"
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Largest number of letters under all of which the search closes from the beginning. */
#define FEW_LETTERS 4

static f2l_status states_action(f2l_gset_bases *f, f2l_error *err)
{
    const f2l_fsa *fsa = f->fsa;
    size_t letters = fsa->letters.count;
    f2l_status status = f2l_gset_action_init(&f->base[0], letters, f->reach.states, err);
    if (status != F2L_OK) return status;
    f->bases = 1;
    for (size_t i = 0; i < f->reach.states; i++) {
        const uint32_t *next = fsa->next + (size_t)f->reach.state[i] * letters;
        for (size_t a = 0; a < letters; a++) {
            f->base[0].image[a * f->reach.states + i] = f->reach.position[next[a]];
        }
    }
    return F2L_OK;
}

/* Adds the orbit of `first` as a base: `orbit` and `position` are scratch over all points, position
 * UINT32_MAX where not yet met. Orbits of one point add nothing and are left out. */
static f2l_status orbit_action(f2l_gset_bases *f, uint32_t first, uint32_t *orbit,
                               uint32_t *position, f2l_error *err)
{
    const f2l_fsa *fsa = f->fsa;
    size_t letters = fsa->letters.count, size = 0, sorted = 0;
    orbit[size++] = first;
    position[first] = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t a = 0; a < letters; a++) {
            uint32_t to = fsa->perm[a * fsa->points + orbit[i]];
            if (position[to] != UINT32_MAX) continue;
            position[to] = 0;
            orbit[size++] = to;
        }
    }
    bool is_states = fsa->track == F2L_TRACK_POINTS && f->reach.position[first] != UINT32_MAX;
    if (size == 1 || is_states) return F2L_OK;
    /* In the order of the file: number the members by their rank. */
    for (size_t i = 0; i < size; i++) position[orbit[i]] = 1;
    for (size_t p = first; p < fsa->points && sorted < size; p++) {
        if (position[p] != 1) continue;
        orbit[sorted] = (uint32_t)p;
        position[p] = (uint32_t)(2 + sorted++);
    }
    f2l_status status = f2l_gset_action_init(&f->base[f->bases], letters, size, err);
    if (status != F2L_OK) return status;
    for (size_t a = 0; a < letters; a++) {
        for (size_t i = 0; i < size; i++) {
            f->base[f->bases].image[a * size + i] =
                position[fsa->perm[a * fsa->points + orbit[i]]] - 2;
        }
    }
    f->bases++;
    f->moved += size;
    return F2L_OK;
}

static f2l_status collect_bases(f2l_gset_bases *f, f2l_error *err)
{
    const f2l_fsa *fsa = f->fsa;
    size_t points = fsa->track == F2L_TRACK_STATES ? 0 : fsa->points;
    f->base = f2l_calloc(points / 2 + 1, sizeof *f->base);
    uint32_t *orbit = f2l_calloc(points, sizeof *orbit),
             *position = f2l_calloc(points, sizeof *position);
    f2l_status status =
        f->base != NULL && orbit != NULL && position != NULL ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = states_action(f, err);
    if (status == F2L_OK && points > 0) memset(position, 0xff, points * sizeof *position);
    for (uint32_t p = 0; p < points && status == F2L_OK; p++) {
        if (position[p] == UINT32_MAX) status = orbit_action(f, p, orbit, position, err);
    }
    f->sets = f->bases;
    f2l_free(orbit);
    f2l_free(position);
    return status;
}

/* Chooses letters under which the start reaches every state, and two more: most often they generate
 * the group of all letters, and where they do not the final colouring notices. */
static f2l_status choose_letters(f2l_gset_bases *f, f2l_error *err)
{
    const f2l_gset_action *states = &f->base[0];
    size_t n = states->points, extra = states->letters <= FEW_LETTERS ? states->letters : 2;
    uint32_t *queue = f2l_calloc(n, sizeof *queue);
    uint8_t *seen = f2l_calloc(n, 1);
    f2l_status status = queue != NULL && seen != NULL ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_gset_letters_init(&f->some, states->letters, err);
    if (status == F2L_OK) status = f2l_gset_letters_init(&f->all, states->letters, err);
    size_t count = 0;
    if (status == F2L_OK) {
        queue[count++] = (uint32_t)f->reach.start;
        seen[f->reach.start] = 1;
    }
    for (size_t a = 0; a < states->letters && status == F2L_OK; a++) {
        f2l_gset_letters_add(&f->all, a);
        for (size_t i = 0; i < count && !f->some.has[a]; i++) {
            if (!seen[states->image[a * n + queue[i]]]) f2l_gset_letters_add(&f->some, a);
        }
        for (size_t i = 0; i < count && f->some.has[a]; i++) {
            for (size_t k = 0; k < f->some.count; k++) {
                uint32_t to = states->image[f->some.letter[k] * n + queue[i]];
                if (!seen[to]) queue[count++] = to;
                seen[to] = 1;
            }
        }
    }
    for (size_t a = 0; status == F2L_OK && a < states->letters && extra > 0; a++) {
        extra -= !f->some.has[a];
        f2l_gset_letters_add(&f->some, a);
    }
    f2l_free(queue);
    f2l_free(seen);
    return status;
}

/* Computes lower bounds on the points and the reflections of any representation (T3.6). */
static f2l_status lower_bounds(f2l_gset_bases *f, f2l_error *err)
{
    const f2l_gset_action *states = &f->base[0];
    size_t n = states->points;
    uint32_t *power = f2l_calloc(n + 1, sizeof *power);
    uint8_t *seen = f2l_calloc(n, 1);
    if (power == NULL || seen == NULL) {
        f2l_free(power);
        f2l_free(seen);
        return f2l_fail_memory(err);
    }
    size_t least = 1, factorial = 1;
    while (factorial < n) factorial *= ++least;
    f->least_points = least;
    for (size_t a = 0; a < states->letters; a++) {
        size_t points = 0, reflections = 0;
        f2l_perm_prime_powers(power, seen, states->image + a * n, n);
        for (size_t p = 2; p <= n; p++) {
            points += power[p] > 1 ? power[p] : 0;
            reflections += power[p] - 1;
        }
        if (points > f->least_points) f->least_points = points;
        if (reflections > f->least_reflections) f->least_reflections = reflections;
    }
    f2l_free(power);
    f2l_free(seen);
    return F2L_OK;
}

f2l_status f2l_gset_bases_init(f2l_gset_bases *f, const f2l_fsa *fsa, f2l_error *err)
{
    *f = (f2l_gset_bases){.fsa = fsa};
    f2l_status status = f2l_reach_init(&f->reach, fsa, err);
    if (status == F2L_OK) status = collect_bases(f, err);
    if (status == F2L_OK) status = choose_letters(f, err);
    if (status == F2L_OK) status = lower_bounds(f, err);
    if (status != F2L_OK) f2l_gset_bases_clear(f);
    return status;
}

void f2l_gset_bases_clear(f2l_gset_bases *f)
{
    for (size_t b = 0; b < f->bases; b++) f2l_gset_action_clear(&f->base[b]);
    f2l_free(f->base);
    f2l_gset_letters_clear(&f->some);
    f2l_gset_letters_clear(&f->all);
    f2l_reach_clear(&f->reach);
    *f = (f2l_gset_bases){0};
}
