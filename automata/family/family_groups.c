/* Group families. Where every element is a letter, letters are named by their cycles and come in
 * the lexicographic order of their images, the identity first; the states, which are the elements
 * too, come in the same order. */
#include "automata/family/impl.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

f2l_status f2l_family_cyclic(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    const size_t m = (size_t)n[0];
    f2l_status status = generators
                            ? f2l_family_names(&out->letters, (const char *const[]){"1"}, 1, err)
                            : f2l_family_numbers(&out->letters, 0, m - 1, err);
    if (status == F2L_OK) status = f2l_family_numbers(&out->states, 0, m - 1, err);
    if (status == F2L_OK) status = f2l_family_tables(out, err);
    if (status != F2L_OK) return status;
    for (size_t sum = 0; sum < m; sum++)
        for (size_t a = 0; a < out->letters.count; a++)
            f2l_family_edge(out, sum, a, (sum + (generators ? 1 : a)) % m);
    out->has_accept = true;
    out->accept[0] = 1;
    return F2L_OK;
}

typedef f2l_family_group group;

f2l_status f2l_family_group_init(group *g, size_t points, size_t generators, f2l_error *err)
{
    g->points = points;
    g->generators = generators;
    f2l_names_init(&g->names);
    g->image = f2l_calloc(generators * points, sizeof *g->image);
    if (g->image == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < generators * points; i++) g->image[i] = (uint32_t)(i % points);
    return F2L_OK;
}

void f2l_family_group_clear(group *g)
{
    f2l_names_clear(&g->names);
    f2l_free(g->image);
}

/* Makes a group of one or two generators, all the identity; second == NULL: one. */
static f2l_status start_group(group *g, size_t points, const char *first, const char *second,
                              f2l_error *err)
{
    const char *const name[] = {first, second};
    const size_t generators = second == NULL ? 1 : 2;
    f2l_status status = f2l_family_group_init(g, points, generators, err);
    return status == F2L_OK ? f2l_family_names(&g->names, name, generators, err) : status;
}

/* Turns generator `i`, which fixes these points so far, into the cycle first -> first + 1 -> .. ->
 * last -> first. */
static void set_cycle(group *g, size_t i, size_t first, size_t last)
{
    for (size_t p = first; p <= last; p++)
        g->image[i * g->points + p] = (uint32_t)(p == last ? first : p + 1);
}

/* Sets the accepting states of the word problem: states are elements, and only the identity
 * accepts. */
static f2l_status track_elements(f2l_fsa *fsa, f2l_error *err)
{
    fsa->track = F2L_TRACK_ELEMENTS;
    f2l_status status = f2l_fsa_from_permutations(fsa, 0, F2L_MAX_STATES, NULL, err);
    if (status != F2L_OK) return status;
    if (fsa->accept == NULL) fsa->accept = f2l_calloc(fsa->states.count, 1);
    if (fsa->accept == NULL) return f2l_fail_memory(err);
    fsa->has_accept = true;
    fsa->accept[fsa->start] = 1;
    return F2L_OK;
}

static f2l_status from_generators(f2l_fsa *out, const group *g, f2l_error *err)
{
    out->points = g->points;
    out->perm = f2l_calloc(g->generators * g->points, sizeof *out->perm);
    if (out->perm == NULL) return f2l_fail_memory(err);
    memcpy(out->perm, g->image, g->generators * g->points * sizeof *out->perm);
    f2l_status status = f2l_names_copy(&out->letters, &g->names, err);
    return status == F2L_OK ? track_elements(out, err) : status;
}

/* Writes points as bytes in big-endian order, which sort like the images themselves, whatever their
 * number. */
static void to_key(unsigned char *key, const uint32_t *image, size_t points)
{
    for (size_t p = 0; p < points; p++) {
        key[2 * p] = (unsigned char)(image[p] >> 8);
        key[2 * p + 1] = (unsigned char)image[p];
    }
}

/* A key for qsort: keys compare by their first differing byte, and the size in front makes the
 * comparison self-contained. */
typedef struct sortable {
    size_t size;
    unsigned char *key;
} sortable;

static int by_image(const void *a, const void *b)
{
    const sortable *x = a, *y = b;
    return memcmp(x->key, y->key, x->size);
}

/* Sorts `count` permutations, which have room for their keys. Points are fewer than 2^16 in every
 * family. */
static void sort_permutations(uint32_t *image, size_t count, size_t points, sortable *row,
                              unsigned char *key)
{
    for (size_t i = 0; i < count; i++) {
        row[i] = (sortable){2 * points, key + i * 2 * points};
        to_key(row[i].key, image + i * points, points);
    }
    qsort(row, count, sizeof *row, by_image);
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < points; p++)
            image[i * points + p] = (uint32_t)row[i].key[2 * p] << 8 | row[i].key[2 * p + 1];
}

static f2l_status sort_images(uint32_t *image, size_t count, size_t points, f2l_error *err)
{
    sortable *row = f2l_calloc(count, sizeof *row);
    unsigned char *key = f2l_calloc(count, 2 * points);
    bool room = row != NULL && key != NULL;
    if (row != NULL && key != NULL) sort_permutations(image, count, points, row, key);
    f2l_free(row);
    f2l_free(key);
    return room ? F2L_OK : f2l_fail_memory(err);
}

/* Sets the images of all elements, read from their names, in sorted order. */
static f2l_status all_images(uint32_t *image, const f2l_fsa *elements, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const size_t count = elements->states.count, points = elements->points;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const char *cycles = f2l_names_get(&elements->states, i);
        status = f2l_perm_read(image + i * points, points, cycles, strlen(cycles), 0, 0, err);
    }
    return status == F2L_OK ? sort_images(image, count, points, err) : status;
}

static f2l_status from_elements(f2l_fsa *out, const f2l_fsa *elements, f2l_error *err)
{
    const size_t count = elements->states.count, points = elements->points;
    size_t index;
    out->points = points;
    out->perm = f2l_calloc(count * points, sizeof *out->perm);
    if (out->perm == NULL) return f2l_fail_memory(err);
    f2l_status status = all_images(out->perm, elements, err);
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        name.size = 0;
        f2l_perm_write(&name, out->perm + i * points, points);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK)
            status = f2l_names_add(&out->letters, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status == F2L_OK ? track_elements(out, err) : status;
}

f2l_status f2l_family_group_automaton(f2l_fsa *out, const group *g, bool generators, f2l_error *err)
{
    if (generators) return from_generators(out, g, err);
    f2l_fsa elements;
    f2l_fsa_init(&elements);
    f2l_status status = from_generators(&elements, g, err);
    if (status == F2L_OK) status = from_elements(out, &elements, err);
    f2l_fsa_clear(&elements);
    return status;
}

f2l_status f2l_family_cyclic_group(group *g, size_t m, f2l_error *err)
{
    f2l_status status = start_group(g, m, "a", NULL, err);
    if (status == F2L_OK) set_cycle(g, 0, 0, m - 1);
    return status;
}

/* Sets a = (1 2) and b = (1 2 .. N); one letter where they coincide. */
f2l_status f2l_family_symmetric_group(group *g, size_t points, f2l_error *err)
{
    f2l_status status = start_group(g, points, "a", points > 2 ? "b" : NULL, err);
    if (status != F2L_OK) return status;
    if (points > 1) set_cycle(g, 0, 0, 1);
    if (points > 2) set_cycle(g, 1, 0, points - 1);
    return F2L_OK;
}

/* Sets a = (1 2 3) and b = (1 2 .. N) for odd N, (2 3 .. N) for even N. */
f2l_status f2l_family_alternating_group(group *g, size_t points, f2l_error *err)
{
    f2l_status status = start_group(g, points, "a", points > 3 ? "b" : NULL, err);
    if (status != F2L_OK) return status;
    if (points > 2) set_cycle(g, 0, 0, 2);
    if (points > 3) set_cycle(g, 1, points % 2 == 0 ? 1 : 0, points - 1);
    return F2L_OK;
}

/* Sets r, which turns the corners 1..M by one, and s, which reflects them and fixes corner 1. The
 * 1-gon and the 2-gon have too few corners for a faithful action: they get the points of one and
 * two separate swaps. */
f2l_status f2l_family_dihedral_group(group *g, size_t m, f2l_error *err)
{
    f2l_status status =
        start_group(g, m >= 3 ? m : 2 * m, m == 1 ? "s" : "r", m == 1 ? NULL : "s", err);
    if (status != F2L_OK) return status;
    if (m == 1) {
        set_cycle(g, 0, 0, 1);
    } else if (m == 2) {
        set_cycle(g, 0, 0, 1);
        set_cycle(g, 1, 2, 3);
    } else {
        set_cycle(g, 0, 0, m - 1);
        for (size_t p = 1; p < m; p++) g->image[m + p] = (uint32_t)(m - p);
    }
    return F2L_OK;
}

/* Sets i and j as right multiplication on the elements 1, -1, i, -i, j, -j, k, -k, which are the
 * points 1..8. */
f2l_status f2l_family_quaternion_group(group *g, size_t n, f2l_error *err)
{
    (void)n;
    static const uint32_t times_i[8] = {2, 3, 1, 0, 7, 6, 4, 5},
                          times_j[8] = {4, 5, 6, 7, 1, 0, 3, 2};
    f2l_status status = start_group(g, 8, "i", "j", err);
    if (status != F2L_OK) return status;
    memcpy(g->image, times_i, sizeof times_i);
    memcpy(g->image + 8, times_j, sizeof times_j);
    return F2L_OK;
}

static f2l_status build_group_family(f2l_fsa *out, f2l_family_group_maker *make, size_t n,
                                     bool generators, f2l_error *err)
{
    group g = {0};
    f2l_status status = make(&g, n, err);
    if (status == F2L_OK) status = f2l_family_group_automaton(out, &g, generators, err);
    f2l_family_group_clear(&g);
    return status;
}

f2l_status f2l_family_symmetric(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    return build_group_family(out, f2l_family_symmetric_group, (size_t)n[0], generators, err);
}

f2l_status f2l_family_alternating(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    return build_group_family(out, f2l_family_alternating_group, (size_t)n[0], generators, err);
}

f2l_status f2l_family_dihedral(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    return build_group_family(out, f2l_family_dihedral_group, (size_t)n[0], generators, err);
}

f2l_status f2l_family_quaternion(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)n;
    return build_group_family(out, f2l_family_quaternion_group, 8, generators, err);
}

/* Builds the arrangements of N pieces, all elements of the symmetric group, with a letter "i-j" for
 * the swap of the places i < j. */
f2l_status f2l_family_swaps(f2l_fsa *out, const uint64_t *n, bool generators, f2l_error *err)
{
    (void)generators;
    const size_t points = (size_t)n[0], letters = points * (points - 1) / 2;
    f2l_status status = F2L_OK;
    size_t letter = 0;
    out->points = points;
    out->perm = f2l_calloc(letters * points, sizeof *out->perm);
    if (out->perm == NULL) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < points; i++)
        for (uint32_t j = i + 1; j < points && status == F2L_OK; j++, letter++) {
            uint32_t *image = out->perm + letter * points;
            char name[16];
            size_t index;
            for (uint32_t p = 0; p < points; p++) image[p] = p == i ? j : p == j ? i : p;
            const int size = snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu32, i + 1, j + 1);
            status = f2l_names_add(&out->letters, name, (size_t)size, &index, err);
        }
    return status == F2L_OK ? track_elements(out, err) : status;
}
