/* Transformations, partial permutations and permutations, their products and powers. Letters act
 * from the right: in a*b, a acts first. */
#include "automata/import/gap/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

static f2l_status push_image(f2l_gap *g, uint32_t point, f2l_error *err)
{
    if (!f2l_grow((void **)&g->image, &g->image_capacity, g->images, sizeof *g->image))
        return f2l_fail_memory(err);
    g->image[g->images++] = point;
    return g->images <= F2L_IMPORT_MAX_EDGES
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "more than %zu images of points", F2L_IMPORT_MAX_EDGES);
}

static f2l_status add_element(f2l_gap *g, f2l_gap_kind kind, size_t first, f2l_error *err)
{
    if (!f2l_grow((void **)&g->element, &g->element_capacity, g->elements, sizeof *g->element))
        return f2l_fail_memory(err);
    g->element[g->elements++] =
        (f2l_gap_element){kind, first, g->images - first, F2L_NO_INDEX, false};
    return F2L_OK;
}

uint32_t f2l_gap_image(const f2l_gap *g, const f2l_gap_element *e, size_t point)
{
    if (point <= e->size) return point == 0 ? 0 : g->image[e->first + point - 1];
    return e->kind == F2L_GAP_PARTIAL ? 0 : (uint32_t)point;
}

f2l_status f2l_gap_identity(f2l_gap *g, f2l_error *err)
{
    return add_element(g, F2L_GAP_IDENTITY, g->images, err);
}

/* Reads "[ 2, 3, 1 ]" to the end of g->image. */
static f2l_status read_list(f2l_gap *g, bool zero, f2l_error *err)
{
    f2l_status status = f2l_gap_expect(g, '[', err);
    for (bool more = !f2l_gap_at(g, ']'); status == F2L_OK && more; more = f2l_gap_take(g, ',')) {
        uint32_t point = 0;
        status = f2l_gap_point(g, zero, &point, err);
        if (status == F2L_OK) status = push_image(g, point, err);
    }
    return status == F2L_OK ? f2l_gap_expect(g, ']', err) : status;
}

/* Reads "( [ 2, 3, 1 ] )" or "( [ 1, 3 ], [ 2, 2 ] )" to the end of g->image; *second is the place
 * of the second list, or g->images where there is one list only. */
static f2l_status read_lists(f2l_gap *g, bool zero, size_t *second, f2l_error *err)
{
    const size_t first = g->images;
    f2l_status status = f2l_gap_expect(g, '(', err);
    if (status == F2L_OK) status = read_list(g, zero, err);
    *second = g->images;
    if (status == F2L_OK && f2l_gap_take(g, ',')) {
        const size_t at = g->at;
        status = read_list(g, false, err);
        if (status == F2L_OK && g->images - *second != *second - first)
            status = f2l_gap_fail(g, at, "expected two lists of one length", err);
    }
    return status == F2L_OK ? f2l_gap_expect(g, ')', err) : status;
}

/* Replaces two lists, points and their images, at the end of g->image, by the images of 1, 2, ..:
 * a point that is not listed has itself, or none where `partial`. `start` is their place. */
static f2l_status join_lists(f2l_gap *g, size_t first, size_t second, bool partial, size_t start,
                             f2l_error *err)
{
    const size_t listed = second - first;
    uint32_t *pair = f2l_calloc(2 * listed, sizeof *pair), size = 0;
    f2l_status status = pair ? F2L_OK : f2l_fail_memory(err);
    if (status != F2L_OK) return status;
    memcpy(pair, g->image + first, 2 * listed * sizeof *pair);
    for (size_t i = 0; i < 2 * listed; i++)
        if (pair[i] > size) size = pair[i];
    g->images = first;
    for (uint32_t p = 1; p <= size && status == F2L_OK; p++)
        status = push_image(g, UINT32_MAX, err);
    for (size_t i = 0; i < listed && status == F2L_OK; i++) {
        uint32_t *image = &g->image[first + pair[i] - 1];
        if (*image != UINT32_MAX)
            status = f2l_gap_fail(g, start, "a point twice in the first list", err);
        *image = pair[listed + i];
    }
    for (uint32_t p = 1; p <= size && status == F2L_OK; p++)
        if (g->image[first + p - 1] == UINT32_MAX) g->image[first + p - 1] = partial ? 0 : p;
    f2l_free(pair);
    return status;
}

f2l_status f2l_gap_transformation(f2l_gap *g, f2l_error *err)
{
    const size_t first = g->images, start = g->word_at;
    size_t second = first;
    f2l_status status = read_lists(g, false, &second, err);
    if (status == F2L_OK && second < g->images)
        status = join_lists(g, first, second, false, start, err);
    for (size_t i = first; i < g->images && status == F2L_OK; i++)
        if (g->image[i] > g->images - first)
            status =
                f2l_gap_fail(g, start, "a transformation of n points with an image beyond n", err);
    return status == F2L_OK ? add_element(g, F2L_GAP_TRANSFORMATION, first, err) : status;
}

/* Makes sure that the element from `first` on has an entry for `point`: `entry`, or the point
 * itself where that is UINT32_MAX. */
static f2l_status extend_element(f2l_gap *g, size_t first, uint32_t point, uint32_t entry,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && g->images - first < point)
        status =
            push_image(g, entry != UINT32_MAX ? entry : (uint32_t)(g->images - first + 1), err);
    return status;
}

/* Returns F2L_EFORMAT when two points have one image. */
static f2l_status check_injective(f2l_gap *g, size_t first, size_t start, f2l_error *err)
{
    const size_t n = g->images - first;
    uint8_t *seen = f2l_calloc(n + 1, 1);
    f2l_status status = seen ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = first; i < g->images && status == F2L_OK; i++) {
        if (g->image[i] > 0 && seen[g->image[i]])
            status =
                f2l_gap_fail(g, start, "two points of a partial permutation have one image", err);
        seen[g->image[i]] = 1;
    }
    f2l_free(seen);
    return status;
}

f2l_status f2l_gap_partial(f2l_gap *g, f2l_error *err)
{
    const size_t first = g->images, start = g->word_at;
    size_t second = first;
    uint32_t most = 0;
    f2l_status status = read_lists(g, true, &second, err);
    for (size_t i = first; i < second && second < g->images && status == F2L_OK; i++)
        if (g->image[i] == 0) status = f2l_gap_fail(g, start, "point 0 in the first list", err);
    if (status == F2L_OK && second < g->images)
        status = join_lists(g, first, second, true, start, err);
    for (size_t i = first; i < g->images && status == F2L_OK; i++)
        if (g->image[i] > most) most = g->image[i];
    if (status == F2L_OK) status = extend_element(g, first, most, 0, err);
    if (status == F2L_OK) status = check_injective(g, first, start, err);
    return status == F2L_OK ? add_element(g, F2L_GAP_PARTIAL, first, err) : status;
}

/* Reads one cycle, "(1,2,3)" or "()". */
static f2l_status read_cycle(f2l_gap *g, size_t first, f2l_error *err)
{
    size_t start = g->at, points = 0;
    f2l_status status = f2l_gap_expect(g, '(', err);
    for (bool more = !f2l_gap_at(g, ')'); status == F2L_OK && more; more = f2l_gap_take(g, ',')) {
        uint32_t point = 0;
        status = f2l_gap_point(g, false, &point, err);
        if (status == F2L_OK) status = extend_element(g, first, point, UINT32_MAX, err);
        if (status == F2L_OK &&
            !f2l_grow((void **)&g->cycle, &g->cycle_capacity, points, sizeof *g->cycle))
            status = f2l_fail_memory(err);
        if (status != F2L_OK) return status;
        /* All points but the last one are linked already, so that a second occurrence shows. */
        if (g->image[first + point - 1] != point || (points > 0 && g->cycle[points - 1] == point))
            return f2l_gap_fail(g, g->word_at, "a point twice in one permutation", err);
        g->cycle[points++] = point;
        if (points > 1) g->image[first + g->cycle[points - 2] - 1] = point;
    }
    if (status == F2L_OK) status = f2l_gap_expect(g, ')', err);
    if (status != F2L_OK) return status;
    if (points == 1)
        return f2l_gap_fail(g, start, "a cycle of one point; fixed points are left out", err);
    if (points > 1) g->image[first + g->cycle[points - 1] - 1] = g->cycle[0];
    return F2L_OK;
}

f2l_status f2l_gap_permutation(f2l_gap *g, f2l_error *err)
{
    const size_t first = g->images;
    f2l_status status = read_cycle(g, first, err);
    while (status == F2L_OK && f2l_gap_at(g, '(')) status = read_cycle(g, first, err);
    return status == F2L_OK ? add_element(g, F2L_GAP_PERMUTATION, first, err) : status;
}

f2l_status f2l_gap_product(f2l_gap *g, size_t left, size_t right, f2l_error *err)
{
    const f2l_gap_element a = g->element[left], b = g->element[right];
    const size_t size = a.size > b.size ? a.size : b.size, first = g->images;
    f2l_gap_kind kind = a.kind == F2L_GAP_IDENTITY ? b.kind : a.kind;
    f2l_status status = F2L_OK;
    if (b.kind != F2L_GAP_IDENTITY && b.kind != kind)
        return f2l_gap_fail(g, g->at, "a product of two kinds of elements", err);
    for (size_t point = 1; point <= size && status == F2L_OK; point++)
        status = push_image(g, f2l_gap_image(g, &b, f2l_gap_image(g, &a, point)), err);
    return status == F2L_OK ? add_element(g, kind, first, err) : status;
}

/* Appends the inverse of a permutation, partial or not. */
static f2l_status add_inverse(f2l_gap *g, size_t base, f2l_error *err)
{
    const f2l_gap_element e = g->element[base];
    const size_t first = g->images;
    f2l_status status = F2L_OK;
    if (e.kind != F2L_GAP_PERMUTATION && e.kind != F2L_GAP_PARTIAL)
        return f2l_gap_fail(g, g->at, "a transformation has no inverse here", err);
    for (size_t i = 0; i < e.size && status == F2L_OK; i++) status = push_image(g, 0, err);
    for (size_t i = 0; i < e.size && status == F2L_OK; i++) {
        const uint32_t image = g->image[e.first + i];
        if (image > 0) g->image[first + image - 1] = (uint32_t)i + 1;
    }
    return status == F2L_OK ? add_element(g, e.kind, first, err) : status;
}

f2l_status f2l_gap_power(f2l_gap *g, size_t base, bool negative, uint32_t exponent, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (exponent == 0) return f2l_gap_fail(g, g->at, "expected an exponent other than 0", err);
    if (negative) {
        status = add_inverse(g, base, err);
        base = g->elements - 1;
    }
    size_t square = base, result = F2L_NO_INDEX;
    for (; status == F2L_OK && exponent > 0; exponent >>= 1) {
        if ((exponent & 1) && result == F2L_NO_INDEX) {
            result = square;
        } else if (exponent & 1) {
            status = f2l_gap_product(g, result, square, err);
            result = g->elements - 1;
        }
        if (status == F2L_OK && exponent > 1) {
            status = f2l_gap_product(g, square, square, err);
            square = g->elements - 1;
        }
    }
    if (status != F2L_OK) return status;
    /* A copy at the end, also where nothing was multiplied. */
    const f2l_gap_element e = g->element[result];
    const size_t first = g->images;
    for (size_t i = 0; i < e.size && status == F2L_OK; i++)
        status = push_image(g, g->image[e.first + i], err);
    return status == F2L_OK ? add_element(g, e.kind, first, err) : status;
}
