/* Direct products of groups, on the points of their factors side by side. */
#include "automata/family/impl.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_FACTORS 8
#define MAX_LETTERS 2000

typedef struct kind {
    char letter;
    size_t least, most; /* of its number */
    f2l_family_group_maker *make;
} kind;

static const kind kinds[] = {
    {'S', 1, 9, f2l_family_symmetric_group},  {'A', 1, 9, f2l_family_alternating_group},
    {'Z', 1, 1000, f2l_family_cyclic_group},  {'D', 1, 1000, f2l_family_dihedral_group},
    {'Q', 8, 8, f2l_family_quaternion_group},
};

/* Returns the number behind the first letter of the name, or SIZE_MAX. */
static size_t number_of(const char *name)
{
    size_t n = 0;
    if (name[0] == '\0' || name[1] < '1' || name[1] > '9') return SIZE_MAX;
    for (const char *c = name + 1; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || n > 1000) return SIZE_MAX;
        n = 10 * n + (size_t)(*c - '0');
    }
    return n;
}

static f2l_status find_group_kind(const kind **out, size_t *n, const char *name, f2l_error *err)
{
    *n = number_of(name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *out = &kinds[i];
        if (kinds[i].letter == name[0] && *n >= kinds[i].least && *n <= kinds[i].most)
            return F2L_OK;
    }
    char shown[F2L_SHOWN];
    return f2l_fail(err, F2L_EDOMAIN,
                    "unknown group `%s`; expected S1..S9, A1..A9, Z1..Z1000, D1..D1000 or Q8",
                    f2l_shown(shown, name, strlen(name)));
}

static size_t order_of_group_kind(const kind *k, size_t n)
{
    size_t order = 1;
    switch (k->letter) {
    case 'S':
    case 'A':
        for (size_t i = 2; i <= n; i++) order *= i;
        return k->letter == 'A' && n > 1 ? order / 2 : order;
    case 'D':
        return 2 * n;
    default:
        return n;
    }
}

/* Adds the name of a generator with the number of its factor. */
static f2l_status add_numbered_name(f2l_names *names, const char *name, size_t factor,
                                    f2l_error *err)
{
    f2l_buf text;
    size_t index;
    f2l_buf_init(&text);
    f2l_buf_text(&text, name);
    f2l_buf_size(&text, factor);
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_names_add(names, text.data, text.size, &index, err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status join_family_groups(f2l_family_group *out, const f2l_family_group *factor,
                                     size_t factors, f2l_error *err)
{
    size_t points = 0, generators = 0, first = 0;
    for (size_t f = 0; f < factors; f++) {
        points += factor[f].points;
        generators += factor[f].generators;
    }
    f2l_status status = f2l_family_group_init(out, points, generators, err);
    uint32_t *image = out->image;
    for (size_t f = 0; f < factors; f++) {
        const f2l_family_group *g = &factor[f];
        for (size_t i = 0; i < g->generators && status == F2L_OK; i++, image += points) {
            for (size_t p = 0; p < g->points; p++)
                image[first + p] = (uint32_t)first + g->image[i * g->points + p];
            status = add_numbered_name(&out->names, f2l_names_get(&g->names, i), f + 1, err);
        }
        first += g->points;
    }
    return status;
}

/* Makes the factors, and checks the number of elements of their product. */
static f2l_status make_factors(f2l_family_group *factor, const char *const *name, size_t groups,
                               size_t most, f2l_error *err)
{
    size_t order = 1;
    f2l_status status = F2L_OK;
    for (size_t f = 0; f < groups && status == F2L_OK; f++) {
        const kind *k;
        size_t n;
        status = find_group_kind(&k, &n, name[f], err);
        if (status != F2L_OK) return status;
        order *= order_of_group_kind(k, n);
        if (order > most)
            return f2l_fail(err, F2L_EDOMAIN, "the product has more than %zu elements%s", most,
                            most == MAX_LETTERS ? ", which are the letters without --generators"
                                                : "");
        status = k->make(&factor[f], n, err);
    }
    return status;
}

f2l_status f2l_family_direct(f2l_fsa *out, const char *const *name, size_t groups, bool generators,
                             f2l_error *err)
{
    f2l_family_group factor[MAX_FACTORS] = {0}, product = {0};
    if (groups < 2 || groups > MAX_FACTORS)
        return f2l_fail(err, F2L_EDOMAIN, "direct takes 2 to %d groups, such as S3 Z4",
                        MAX_FACTORS);
    f2l_status status =
        make_factors(factor, name, groups, generators ? F2L_MAX_STATES : MAX_LETTERS, err);
    if (status == F2L_OK) status = join_family_groups(&product, factor, groups, err);
    if (status == F2L_OK) status = f2l_family_group_automaton(out, &product, generators, err);
    for (size_t f = 0; f < groups; f++) f2l_family_group_clear(&factor[f]);
    f2l_family_group_clear(&product);
    if (status != F2L_OK) f2l_fsa_clear(out);
    return status;
}
