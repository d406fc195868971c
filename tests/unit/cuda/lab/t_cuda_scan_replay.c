#include "numeric/base/mem.h"
#include "tests/support/models/scan_support.h"
#include <criterion/criterion.h>

static const f2l_scan_shape shapes[] = {{1, 1, 1},   {2, 7, 3},   {3, 64, 5},  {2, 65, 4},
                                        {2, 300, 3}, {40, 9, 2},  {1, 513, 8}, {2, 0, 3},
                                        {0, 5, 3},   {1, 1000, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

Test(cuda_scan_replay, agrees_with_the_reference)
{
    for (size_t i = 0; i < 4 * SHAPES; i++) {
        scan_sample s;
        scan_results x;
        scan_sample_init(&s, shapes[i / 4], i & 1, i & 2, i);
        cr_assert_eq(scan_both(&x, &s, NULL), F2L_OK);
        for (int which = 0; which < SCAN_OUTPUTS; which++)
            cr_assert(scan_error(&x, &s, which) <= scan_allowed(&s, which),
                      "result %d of %zu: error %.3g", which, i, scan_error(&x, &s, which));
        scan_results_clear(&x), scan_sample_clear(&s);
    }
}

/* With a = +-1 and small integers, sums are exact in any order. */
Test(cuda_scan_replay, sums_of_integers_are_exact)
{
    scan_sample s;
    scan_results x;
    scan_sample_init(&s, (f2l_scan_shape){2, 700, 3}, false, true, 3);
    for (int i = 0; i < SCAN_INPUTS; i++)
        for (size_t j = 0; j < (i == SCAN_H0 ? 3 : s.n); j++) {
            const double v = i == SCAN_A ? (s.wide[i][j] < 0 ? -1 : 1) : floor(8 * s.wide[i][j]);
            s.wide[i][j] = v, ((float *)s.number[i])[j] = (float)v;
        }
    cr_assert_eq(scan_both(&x, &s, NULL), F2L_OK);
    for (int which = 0; which < SCAN_OUTPUTS; which++) cr_assert_eq(scan_error(&x, &s, which), 0);
    scan_results_clear(&x), scan_sample_clear(&s);
}

Test(cuda_scan_replay, outputs_may_stand_where_the_headers_say)
{
    scan_sample s;
    scan_results x;
    scan_sample_init(&s, (f2l_scan_shape){2, 200, 3}, false, true, 4);
    cr_assert_eq(scan_both(&x, &s, NULL), F2L_OK);
    float *b = s.number[SCAN_B], *dh = s.number[SCAN_DH];
    cr_assert_eq(f2l_replay_scan_forward(b, NULL, s.number[SCAN_A], b, s.number[SCAN_H0], false,
                                         &s.shape, NULL),
                 F2L_OK);
    cr_assert_eq(memcmp(b, x.number[SCAN_H], scan_bytes(&s, SCAN_H)), 0);
    cr_assert_eq(f2l_replay_scan_backward(NULL, dh, NULL, dh, b, s.number[SCAN_A],
                                          s.number[SCAN_H0], false, &s.shape, NULL),
                 F2L_OK);
    cr_assert_eq(memcmp(dh, x.number[SCAN_DB], scan_bytes(&s, SCAN_DB)), 0);
    scan_results_clear(&x), scan_sample_clear(&s);
}

/* A state is carried from piece to piece; bits may differ, since pieces are cut into other
 * chunks. */
Test(cuda_scan_replay, a_word_may_come_in_pieces)
{
    scan_sample s;
    scan_results x;
    scan_sample_init(&s, (f2l_scan_shape){1, 500, 4}, false, true, 5);
    cr_assert_eq(scan_both(&x, &s, NULL), F2L_OK);
    float state[4], *h = malloc(2000 * sizeof *h);
    memcpy(state, s.number[SCAN_H0], sizeof state);
    for (size_t first = 0, length = 0; first < 500; first += length, length += 50) {
        if (length > 500 - first) length = 500 - first;
        const f2l_scan_shape piece = {1, length, 4};
        cr_assert_eq(f2l_replay_scan_forward(
                         h + 4 * first, state, (float *)s.number[SCAN_A] + 4 * first,
                         (float *)s.number[SCAN_B] + 4 * first, NULL, false, &piece, NULL),
                     F2L_OK);
    }
    memcpy(x.number[SCAN_H], h, 2000 * sizeof *h);
    cr_assert_leq(scan_error(&x, &s, SCAN_H), 1e-6);
    free(h);
    scan_results_clear(&x), scan_sample_clear(&s);
}

#ifdef F2L_MEM_FAILURES
Test(cuda_scan_replay, memory_failures_are_reported)
{
    for (size_t i = 1; i <= 2; i++) {
        scan_sample s;
        scan_results x;
        f2l_error err = {0};
        scan_sample_init(&s, shapes[4], false, false, 1);
        f2l_mem_fail_after(i, false);
        cr_assert_eq(scan_both(&x, &s, &err), F2L_ENOMEM);
        f2l_mem_fail_after(0, false);
        scan_results_clear(&x), scan_sample_clear(&s);
    }
}
#endif
