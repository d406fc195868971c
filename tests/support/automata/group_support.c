#include "tests/support/automata/group_support.h"

size_t read_generators(uint32_t *image, size_t most, size_t degree, const char *text)
{
    size_t count = 0;
    for (const char *at = text;; at++, count++) {
        const size_t size = strcspn(at, ";");
        cr_assert_lt(count, most);
        cr_assert_eq(f2l_perm_read(image + count * degree, degree, at, size, 1, 1, NULL), F2L_OK,
                     "%s", at);
        at += size;
        if (!*at) return count + 1;
    }
}

void read_group(f2l_group *g, size_t degree, const char *text)
{
    uint32_t *image = calloc(8 * degree, sizeof *image);
    const size_t count = read_generators(image, 8, degree, text);
    cr_assert_eq(f2l_group_build(g, image, count, degree, 0, NULL, NULL), F2L_OK, "%s", text);
    free(image);
}

void random_generators(uint32_t *image, size_t count, size_t n, f2l_rng *rng)
{
    for (size_t s = 0; s < count; s++) {
        uint32_t *row = image + s * n;
        random_permutation(row, n, rng);
        if (s == 0 || f2l_rng_below(rng, 2)) continue;
        const uint32_t *before = row - n;
        for (size_t i = 0; i < n; i++) row[i] = before[before[i]];
    }
}

bool perm_list_add(perm_list *list, const uint32_t *x)
{
    const size_t n = list->degree;
    uint64_t hash = 7;
    for (size_t p = 0; p < n; p++)
        hash = ((hash + x[p]) * UINT64_C(0x9E3779B97F4A7C15)) ^ (hash >> 29);
    uint32_t *bucket = &list->bucket[hash % list->limit];
    uint32_t at = *bucket;
    while (at && memcmp(list->image + (at - 1) * n, x, n * sizeof *x) != 0) at = list->next[at - 1];
    if (at) return true;
    if (list->count == list->limit) return false;
    memcpy(list->image + list->count * n, x, n * sizeof *x);
    list->next[list->count] = *bucket;
    *bucket = (uint32_t)++list->count;
    return true;
}

size_t close_list(uint32_t *image, size_t limit, const uint32_t *generator, size_t generators,
                  size_t n)
{
    perm_list list = {.image = image, .degree = n, .limit = limit};
    uint32_t *x = calloc(n, sizeof *x);
    list.next = calloc(limit, sizeof *list.next);
    list.bucket = calloc(limit, sizeof *list.bucket);
    for (uint32_t p = 0; p < n; p++) x[p] = p;
    bool room = perm_list_add(&list, x);
    for (size_t i = 0; room && i < list.count; i++)
        for (size_t s = 0; room && s < generators; s++) {
            for (size_t p = 0; p < n; p++) x[p] = generator[s * n + image[i * n + p]];
            room = perm_list_add(&list, x);
        }
    free(x);
    free(list.next);
    free(list.bucket);
    return room ? list.count : 0;
}
