/* Cells of points by blocks: statement G.2 of theory/pages/diagonal.md. */
#include "automata/cascade/impl.h"
#include <criterion/criterion.h>
#include <string.h>

static void rotations_have(size_t n, size_t cells)
{
    uint32_t image[30];
    f2l_refine_cells c;
    bool found;
    size_t points = 1;
    for (size_t x = 0; x < n; x++) image[x] = (uint32_t)((x + 1) % n);
    cr_assert_eq(f2l_refine_blocks(&c, &found, image, 1, n, NULL, NULL), F2L_OK);
    cr_assert(found, "%zu points", n);
    cr_assert_eq(c.cells, cells, "%zu points: %zu cells", n, c.cells);
    for (size_t i = 0; i < cells; i++) points *= c.prime[i];
    cr_assert_eq(points, n);
    for (size_t x = 0; x < n; x++) {
        const uint32_t *digit = c.digit + x * F2L_REFINE_CELLS;
        for (size_t i = 0; i < cells; i++) cr_assert_lt(digit[i], c.prime[i]);
        for (size_t y = 0; y < x; y++)
            cr_assert_neq(memcmp(digit, c.digit + y * F2L_REFINE_CELLS, cells * sizeof *digit), 0);
    }
    f2l_refine_cells_clear(&c);
}

Test(refine_blocks, rotations_have_a_cell_for_every_prime)
{
    rotations_have(1, 0);
    rotations_have(2, 1);
    rotations_have(5, 1);
    rotations_have(6, 2);
    rotations_have(8, 3);
    rotations_have(9, 2);
    rotations_have(30, 3);
}

/* The swap of two of three points is no translation. */
Test(refine_blocks, all_permutations_of_three_points_have_no_cells)
{
    const uint32_t image[] = {1, 2, 0, 1, 0, 2};
    f2l_refine_cells c;
    bool found;
    cr_assert_eq(f2l_refine_blocks(&c, &found, image, 2, 3, NULL, NULL), F2L_OK);
    cr_assert(!found);
}
