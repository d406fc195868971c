/* Semigroups of maps, and sets of their elements. */
#include "numeric/base/mem.h"
#include "theory/obstruct/tied/impl.h"
#include <string.h>

#define PHASE "semigroup of maps"

void f2l_maps_clear(f2l_maps *maps)
{
    f2l_rowset_clear(&maps->row);
    f2l_free(maps->product);
    *maps = (f2l_maps){0};
}

/* The elements while they are listed. */
typedef struct listing {
    f2l_maps *maps;
    uint32_t *parent, *letter, *image;
    size_t parents, letters; /* capacities */
} listing;

/* Adds l->image unless it is there; it was made from element `parent` by the letter. */
static f2l_status add_map_element(listing *l, uint32_t parent, uint32_t letter, f2l_error *err)
{
    size_t index;
    const size_t before = l->maps->row.count;
    f2l_status status = f2l_rowset_add(&l->maps->row, l->image, l->maps->n, &index, err);
    if (status != F2L_OK || index < before) return status;
    if (!f2l_grow((void **)&l->parent, &l->parents, index, sizeof *l->parent) ||
        !f2l_grow((void **)&l->letter, &l->letters, index, sizeof *l->letter))
        return f2l_fail_memory(err);
    l->parent[index] = parent;
    l->letter[index] = letter;
    return F2L_OK;
}

static f2l_status list_map_elements(listing *l, const f2l_fsa *fsa, size_t most,
                                    const f2l_task *task, f2l_error *err)
{
    const size_t n = l->maps->n, k = fsa->letters.count;
    f2l_meter meter = {.task = task, .phase = PHASE};
    f2l_status status = F2L_OK;
    for (uint32_t a = 0; a < k && status == F2L_OK; a++) {
        for (size_t q = 0; q < n; q++) l->image[q] = fsa->next[q * k + a];
        status = add_map_element(l, F2L_NO_PARENT, a, err);
    }
    for (uint32_t i = 0; i < l->maps->row.count && status == F2L_OK; i++) {
        if (l->maps->row.count > most)
            return f2l_fail(err, F2L_UNKNOWN, "the semigroup has more than %zu elements", most);
        for (uint32_t a = 0; a < k && status == F2L_OK; a++) {
            const uint32_t *row = f2l_rowset_get(&l->maps->row, i, NULL);
            for (size_t q = 0; q < n; q++) l->image[q] = fsa->next[row[q] * k + a];
            status = add_map_element(l, i, a, err);
        }
        if (status == F2L_OK) status = f2l_meter_spend(&meter, 4 * n * k, i, 0, err);
    }
    return status;
}

f2l_status f2l_maps_generate(f2l_maps *out, uint32_t **parent, uint32_t **letter_of,
                             const f2l_fsa *fsa, size_t most, const f2l_task *task, f2l_error *err)
{
    listing l = {.maps = out};
    *out = (f2l_maps){.n = fsa->states.count};
    f2l_rowset_init(&out->row);
    l.image = f2l_calloc(out->n, sizeof *l.image);
    f2l_status status =
        l.image ? list_map_elements(&l, fsa, most, task, err) : f2l_fail_memory(err);
    *parent = l.parent;
    *letter_of = l.letter;
    f2l_free(l.image);
    return status == F2L_OK ? f2l_maps_multiply(out, task, err) : status;
}

f2l_status f2l_maps_multiply(f2l_maps *out, const f2l_task *task, f2l_error *err)
{
    const size_t count = out->row.count, n = out->n;
    f2l_meter meter = {.task = task, .phase = PHASE};
    out->count = count;
    out->words = (count + 63) / 64;
    f2l_status status = f2l_task_table(task, PHASE, count * count * sizeof *out->product, err);
    if (status != F2L_OK) return status;
    out->product = f2l_calloc(count * count, sizeof *out->product);
    uint32_t *image = f2l_calloc(n, sizeof *image);
    if (!out->product || !image) status = f2l_fail_memory(err);
    for (size_t x = 0; x < count && status == F2L_OK; x++) {
        for (size_t y = 0; y < count && status == F2L_OK; y++) {
            size_t index;
            const uint32_t *first = f2l_rowset_get(&out->row, x, NULL);
            const uint32_t *then = f2l_rowset_get(&out->row, y, NULL);
            for (size_t q = 0; q < n; q++) image[q] = then[first[q]];
            status = f2l_rowset_add(&out->row, image, n, &index, err);
            if (status == F2L_OK && index >= count)
                status = f2l_fail(err, F2L_EDOMAIN, "the maps are not a semigroup");
            if (status == F2L_OK) out->product[x * count + y] = (uint16_t)index;
        }
        if (status == F2L_OK) status = f2l_meter_spend(&meter, 3 * n * count, (double)x, 0, err);
    }
    f2l_free(image);
    return status;
}

size_t f2l_bits_count(const uint64_t *set, size_t words)
{
    size_t count = 0;
    for (size_t i = 0; i < words; i++) count += (size_t)__builtin_popcountll(set[i]);
    return count;
}

void f2l_bits_multiply(uint64_t *out, const f2l_maps *maps, const uint64_t *a, const uint64_t *b)
{
    memset(out, 0, maps->words * sizeof *out);
    for (size_t i = 0; i < maps->words; i++)
        for (uint64_t left = a[i]; left; left &= left - 1) {
            const size_t x = 64 * i + (size_t)__builtin_ctzll(left);
            const uint16_t *row = maps->product + x * maps->count;
            for (size_t j = 0; j < maps->words; j++)
                for (uint64_t right = b[j]; right; right &= right - 1)
                    f2l_bits_add(out, row[64 * j + (size_t)__builtin_ctzll(right)]);
        }
}

void f2l_bits_power(uint64_t *out, const f2l_maps *maps, const uint64_t *set, uint64_t *scratch)
{
    const size_t bytes = maps->words * sizeof *set;
    uint64_t *square = scratch, *next = scratch + maps->words;
    memcpy(out, set, bytes);
    /* The powers set, set^2, .. have an idempotent among them. */
    for (;;) {
        f2l_bits_multiply(square, maps, out, out);
        if (memcmp(square, out, bytes) == 0) return;
        f2l_bits_multiply(next, maps, out, set);
        memcpy(out, next, bytes);
    }
}
