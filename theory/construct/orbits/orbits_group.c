/* Groups whose loops act as idempotents (theory/pages/one-layer.md, OL.7): permutations of 1, 2, ..
 * points for each letter, and where these do not suffice for each edge. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_LETTERS 64
#define MOST_PERMUTATIONS 720
#define MOST_FOUND 12 /* groups of one degree that are handed on */
#define DEVICE_POINTS \
    4 /* for devices with several vertices, whose edges have groups of their own */

/* --- generation --- */

/* Returns the place of the permutation in the order of the dictionary. */
static size_t rank_permutation(const uint8_t *image, size_t degree)
{
    size_t rank = 0;
    for (size_t i = 0; i < degree; i++) {
        size_t smaller = 0;
        for (size_t k = i + 1; k < degree; k++) smaller += image[k] < image[i];
        rank = rank * (degree - i) + smaller;
    }
    return rank;
}

bool f2l_orbits_generate(f2l_orbits_group *g)
{
    uint8_t number[MOST_PERMUTATIONS] = {0}; /* 1 + element, by rank */
    for (size_t p = 0; p < g->degree; p++) g->element[0][p] = (uint8_t)p;
    number[0] = 1;
    g->order = 1;
    for (size_t i = 0; i < g->order; i++)
        for (size_t s = 0; s < g->generators; s++) {
            uint8_t product[F2L_ORBITS_POINTS];
            for (size_t p = 0; p < g->degree; p++) product[p] = g->generator[s][g->element[i][p]];
            uint8_t *const at = &number[rank_permutation(product, g->degree)];
            if (*at == 0) {
                if (g->order == F2L_ORBITS_ORDER) return false;
                memcpy(g->element[g->order], product, g->degree);
                g->before[g->order] = (uint8_t)i;
                g->by[g->order] = (uint8_t)s;
                *at = (uint8_t)++g->order;
            }
            g->step[i][s] = *at - 1;
        }
    return true;
}

uint8_t f2l_orbits_add_generator(f2l_orbits_group *g, const uint8_t *permutation)
{
    size_t s = 0;
    while (s < g->generators && memcmp(g->generator[s], permutation, g->degree) != 0) s++;
    if (s == g->generators) memcpy(g->generator[g->generators++], permutation, g->degree);
    return (uint8_t)s;
}

/* --- permutations --- */

typedef struct permutations {
    size_t degree, count;
    uint8_t image[MOST_PERMUTATIONS][F2L_ORBITS_POINTS]; /* the identity first */
} permutations;

static void list_permutations(permutations *p, size_t degree)
{
    uint8_t image[F2L_ORBITS_POINTS];
    size_t total = 1;
    for (size_t i = 2; i <= degree; i++) total *= i;
    *p = (permutations){.degree = degree};
    for (; p->count < total; p->count++) {
        size_t rest = p->count, at = total;
        for (size_t i = 0; i < degree; i++) image[i] = (uint8_t)i;
        for (size_t i = 0; i < degree; i++) {
            at /= degree - i;
            const size_t k = i + rest / at;
            const uint8_t chosen = image[k];
            rest %= at;
            memmove(&image[i + 1], &image[i], k - i);
            image[i] = chosen;
        }
        memcpy(p->image[p->count], image, degree);
    }
}

/* Returns a number that tells of the lengths of the cycles. */
static uint64_t cycle_type(const uint8_t *image, size_t degree)
{
    uint64_t type = 0;
    for (size_t p = 0; p < degree; p++) {
        size_t length = 1;
        for (size_t q = image[p]; q != p; q = image[q]) length++;
        type += (uint64_t)1 << (4 * length);
    }
    return type;
}

/* --- the search by letters --- */

typedef struct found_group {
    size_t degree, order;
    uint8_t image[MOST_LETTERS][F2L_ORBITS_POINTS]; /* of each letter */
} found_group;

typedef struct search {
    f2l_orbits_loops *loops;
    f2l_orbits_group group;
    permutations permutations;
    const uint8_t *image[MOST_LETTERS]; /* chosen for each letter */
    bool letter[MOST_LETTERS];          /* letters that have one */
    found_group found[MOST_FOUND];
    size_t count;
    f2l_orbits_rows seen; /* tables of groups found, up to the names of elements */
    bool *fits;           /* [letters][permutations] loops of the letter alone are idempotent */
} search;

/* Gives each edge the permutation of its letter, or the identity where the letter has none. */
static void set_letter_group(search *s)
{
    f2l_orbits_group *g = &s->group;
    const size_t letters = s->loops->graph->letters;
    g->degree = s->permutations.degree;
    g->generators = 0;
    for (size_t a = 0; a < letters; a++) {
        const uint8_t *image = s->letter[a] ? s->image[a] : s->permutations.image[0];
        const uint8_t generator = f2l_orbits_add_generator(g, image);
        for (size_t v = 0; v < s->loops->graph->vertices; v++)
            g->of_edge[v * letters + a] = generator;
    }
}

/* Keeps the group unless one with the same table was found. */
static f2l_status keep_group(search *s, f2l_error *err)
{
    const f2l_orbits_group *g = &s->group;
    const size_t letters = s->loops->graph->letters, count = s->seen.count;
    size_t number, at = s->count;
    uint8_t *table = f2l_calloc(F2L_ORBITS_ORDER, letters);
    if (!table) return f2l_fail_memory(err);
    /* Elements are numbered breadth first by generators, which letters number in order. */
    for (size_t x = 0; x < g->order; x++)
        for (size_t a = 0; a < letters; a++) table[x * letters + a] = g->step[x][g->of_edge[a]];
    f2l_status status = f2l_orbits_rows_add(&number, &s->seen, table, err);
    f2l_free(table);
    if (status != F2L_OK || s->seen.count == count) return status;
    /* Small groups first. */
    while (at > 0 && s->found[at - 1].order > g->order) at--;
    if (at == MOST_FOUND) return F2L_OK;
    const size_t last = s->count < MOST_FOUND ? s->count++ : MOST_FOUND - 1;
    memmove(&s->found[at + 1], &s->found[at], (last - at) * sizeof *s->found);
    s->found[at] = (found_group){.degree = g->degree, .order = g->order};
    for (size_t a = 0; a < letters; a++) memcpy(s->found[at].image[a], s->image[a], g->degree);
    return F2L_OK;
}

/* Sets *all to whether the loops of the letters that have permutations are idempotent. */
static f2l_status test_letter_group(bool *all, search *s, f2l_error *err)
{
    set_letter_group(s);
    *all = !f2l_orbits_loops_refute(s->loops, &s->group, s->letter);
    f2l_status status = f2l_meter_spend(&s->loops->meter, 100, 0, 0, err);
    if (status != F2L_OK || !*all) return status;
    *all = f2l_orbits_generate(&s->group);
    status = f2l_meter_spend(&s->loops->meter, 5 * s->group.order * s->group.generators, 0, 0, err);
    if (status != F2L_OK) return status;
    return *all ? f2l_orbits_loops_test(all, s->loops, &s->group, s->letter, err) : F2L_OK;
}

/* Sets s->fits: the permutations with which words of one letter pass. */
static f2l_status find_fitting(search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < s->loops->graph->letters; a++) {
        s->letter[a] = true;
        for (size_t i = 0; status == F2L_OK && i < s->permutations.count; i++) {
            s->image[a] = s->permutations.image[i];
            status = test_letter_group(&s->fits[a * MOST_PERMUTATIONS + i], s, err);
        }
        s->letter[a] = false;
    }
    return status;
}

/* Of the first letter one permutation of each type of cycles is enough. */
static bool is_first_of_type(const permutations *p, size_t i)
{
    const uint64_t type = cycle_type(p->image[i], p->degree);
    for (size_t k = 0; k < i; k++)
        if (cycle_type(p->image[k], p->degree) == type) return false;
    return true;
}

/* Chooses permutations for letter `a` and those after it: tries one after the other, letter by
 * letter. */
static f2l_status choose_permutations(search *s, f2l_error *err)
{
    const size_t letters = s->loops->graph->letters, count = s->permutations.count;
    size_t next[MOST_LETTERS] = {0}, a = 0;
    f2l_status status = F2L_OK;
    for (bool more = true; status == F2L_OK && more;) {
        const size_t i = next[a]++;
        s->letter[a] = false;
        if (i == count) {
            next[a] = 0;
            more = a-- > 0;
            continue;
        }
        if (!s->fits[a * MOST_PERMUTATIONS + i] ||
            (a == 0 && !is_first_of_type(&s->permutations, i)))
            continue;
        bool all = false;
        s->image[a] = s->permutations.image[i];
        s->letter[a] = true;
        status = test_letter_group(&all, s, err);
        if (status != F2L_OK || !all) continue;
        if (a + 1 < letters)
            a++;
        else
            status = keep_group(s, err);
    }
    return status;
}

/* Hands on the groups found. */
static f2l_status hand_on(bool *done, search *s, f2l_orbits_found *found, void *context,
                          f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        for (size_t a = 0; a < s->loops->graph->letters; a++) {
            s->image[a] = s->found[i].image[a];
            s->letter[a] = true;
        }
        set_letter_group(s);
        if (f2l_orbits_generate(&s->group)) status = found(done, context, &s->group, err);
    }
    memset(s->letter, 0, sizeof s->letter);
    s->count = 0;
    return status;
}

static f2l_status search_by_letters(bool *done, search *s, f2l_orbits_found *found, void *context,
                                    f2l_error *err)
{
    f2l_status status = F2L_OK;
    const size_t most = s->loops->graph->vertices > 1 ? DEVICE_POINTS : F2L_ORBITS_POINTS;
    for (size_t k = 1; status == F2L_OK && !*done && k <= most; k++) {
        list_permutations(&s->permutations, k);
        status = find_fitting(s, err);
        if (status == F2L_OK) status = choose_permutations(s, err);
        if (status == F2L_OK) status = hand_on(done, s, found, context, err);
    }
    return status;
}

f2l_status f2l_orbits_groups_search(f2l_orbits_loops *loops, f2l_orbits_found *found, void *context,
                                    f2l_error *err)
{
    const size_t letters = loops->graph->letters;
    bool done = false;
    if (loops->graph->vertices > 1) {
        f2l_status status = f2l_orbits_signs_search(&done, loops, found, context, err);
        if (status != F2L_OK || done || loops->graph->signs) return status;
    }
    if (letters > MOST_LETTERS)
        return f2l_fail(err, F2L_UNKNOWN, "groups are not sought for more than %d letters",
                        MOST_LETTERS);
    search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    s->loops = loops;
    s->seen.width = F2L_ORBITS_ORDER * letters;
    s->group.of_edge = f2l_calloc(loops->graph->vertices * letters, 1);
    s->fits = f2l_calloc(letters, MOST_PERMUTATIONS);
    f2l_status status = s->group.of_edge && s->fits
                            ? search_by_letters(&done, s, found, context, err)
                            : f2l_fail_memory(err);
    if (status == F2L_OK && !done && loops->graph->vertices > 1)
        status = f2l_orbits_edges_search(&done, loops, found, context, err);
    f2l_orbits_rows_clear(&s->seen);
    f2l_free(s->group.of_edge);
    f2l_free(s->fits);
    f2l_free(s);
    return status;
}
