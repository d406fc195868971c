/* Transitive sets of a small group: cosets of its subgroups. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define SMALL_ORDER 24 /* up to this order, subgroups of two generators */

typedef struct subgroup {
    uint64_t word[2]; /* elements */
} subgroup;

static bool has_element(const subgroup *h, size_t x)
{
    return h->word[x / 64] >> (x % 64) & 1;
}

/* product[x][y], elements */
typedef uint8_t table[F2L_ORBITS_ORDER][F2L_ORBITS_ORDER];

static void multiply_elements(table product, const f2l_orbits_group *g)
{
    for (size_t x = 0; x < g->order; x++) {
        product[x][0] = (uint8_t)x;
        for (size_t y = 1; y < g->order; y++)
            product[x][y] = g->step[product[x][g->before[y]]][g->by[y]];
    }
}

static subgroup generate_subgroup(table product, size_t x, size_t y)
{
    uint8_t queue[F2L_ORBITS_ORDER] = {0};
    const size_t by[2] = {x, y};
    subgroup h = {{1, 0}};
    for (size_t i = 0, count = 1; i < count; i++)
        for (size_t k = 0; k < 2; k++) {
            const uint8_t z = product[queue[i]][by[k]];
            if (has_element(&h, z)) continue;
            h.word[z / 64] |= (uint64_t)1 << (z % 64);
            queue[count++] = z;
        }
    return h;
}

/* The elements that keep a point. */
static subgroup stabilize_point(const f2l_orbits_group *g, size_t point)
{
    subgroup h = {{0, 0}};
    for (size_t x = 0; x < g->order; x++)
        if (g->element[x][point] == point) h.word[x / 64] |= (uint64_t)1 << (x % 64);
    return h;
}

/* Sets *out to the right cosets of the subgroup; false where they are too many. */
static bool make_cosets(f2l_orbits_set *out, const subgroup *h, table product,
                        const f2l_orbits_group *g)
{
    uint8_t coset[F2L_ORBITS_ORDER], first[F2L_ORBITS_PLACES] = {0};
    memset(coset, 0xff, sizeof coset);
    *out = (f2l_orbits_set){0};
    for (size_t x = 0; x < g->order; x++) {
        if (coset[x] != 0xff) continue;
        if (out->places == F2L_ORBITS_PLACES) return false;
        first[out->places] = (uint8_t)x;
        for (size_t y = 0; y < g->order; y++)
            if (has_element(h, y)) coset[product[y][x]] = (uint8_t)out->places;
        out->places++;
    }
    for (size_t s = 0; s < g->generators; s++)
        for (size_t i = 0; i < out->places; i++) out->to[s][i] = coset[g->step[first[i]][s]];
    out->regular = out->places == g->order;
    return true;
}

/* Numbers the places breadth first from `base`. */
static void renumber_places(f2l_orbits_set *out, const f2l_orbits_set *of, size_t base,
                            size_t generators)
{
    uint8_t name[F2L_ORBITS_PLACES], place[F2L_ORBITS_PLACES];
    size_t count = 1;
    memset(name, 0xff, sizeof name);
    *out = (f2l_orbits_set){.places = of->places, .regular = of->regular};
    name[base] = 0;
    place[0] = (uint8_t)base;
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < generators; s++) {
            const uint8_t to = of->to[s][place[i]];
            if (name[to] == 0xff) {
                name[to] = (uint8_t)count;
                place[count++] = to;
            }
            out->to[s][i] = name[to];
            out->from[s][name[to]] = (uint8_t)i;
        }
}

static int compare_sets(const f2l_orbits_set *a, const f2l_orbits_set *b, size_t generators)
{
    if (a->places != b->places) return a->places < b->places ? -1 : 1;
    for (size_t s = 0; s < generators; s++) {
        const int difference = memcmp(a->to[s], b->to[s], a->places);
        if (difference) return difference;
    }
    return 0;
}

/* The least of the numberings, so that sets that are alike become equal. */
static f2l_orbits_set normalize_set(const f2l_orbits_set *of, size_t generators)
{
    f2l_orbits_set best, other;
    renumber_places(&best, of, 0, generators);
    for (size_t base = 1; base < of->places && !of->regular; base++) {
        renumber_places(&other, of, base, generators);
        if (compare_sets(&other, &best, generators) < 0) best = other;
    }
    return best;
}

/* Adds the cosets of a subgroup in their place, unless they are there. */
static f2l_status add_cosets(f2l_orbits_set **sets, size_t *count, size_t *capacity,
                             const subgroup *h, table product, const f2l_orbits_group *g,
                             f2l_error *err)
{
    f2l_orbits_set set;
    size_t at = *count;
    if (!make_cosets(&set, h, product, g)) return F2L_OK;
    set = normalize_set(&set, g->generators);
    while (at > 0 && compare_sets(&set, &(*sets)[at - 1], g->generators) < 0) at--;
    if (at > 0 && compare_sets(&set, &(*sets)[at - 1], g->generators) == 0) return F2L_OK;
    if (!f2l_grow((void **)sets, capacity, *count, sizeof **sets)) return f2l_fail_memory(err);
    memmove(&(*sets)[at + 1], &(*sets)[at], (*count - at) * sizeof **sets);
    (*sets)[at] = set;
    ++*count;
    return F2L_OK;
}

/* Sets the first places of the cycles of each generator, and counts them. */
static void find_rings(f2l_orbits_set *set, size_t generators)
{
    for (size_t s = 0; s < generators; s++) {
        memset(set->ring[s], 0xff, sizeof set->ring[s]);
        set->rings[s] = 0;
        for (size_t first = 0; first < set->places; first++) {
            if (set->ring[s][first] == 0xff) set->rings[s]++;
            for (size_t i = first; set->ring[s][i] == 0xff; i = set->to[s][i])
                set->ring[s][i] = (uint8_t)first;
        }
    }
}

f2l_status f2l_orbits_sets_list(f2l_orbits_set **sets, size_t *count, const f2l_orbits_group *g,
                                f2l_error *err)
{
    table product;
    size_t capacity = 0;
    f2l_status status = F2L_OK;
    *sets = NULL;
    *count = 0;
    multiply_elements(product, g);
    const size_t seeds = g->order <= SMALL_ORDER ? g->order : 0;
    for (size_t p = 0; status == F2L_OK && p < g->degree; p++) {
        const subgroup h = stabilize_point(g, p);
        status = add_cosets(sets, count, &capacity, &h, product, g, err);
    }
    for (size_t x = 0; x < seeds; x++)
        for (size_t y = x; status == F2L_OK && y < seeds; y++) {
            const subgroup h = generate_subgroup(product, x, y);
            status = add_cosets(sets, count, &capacity, &h, product, g, err);
        }
    for (size_t i = 0; i < *count; i++) find_rings(&(*sets)[i], g->generators);
    return status;
}
