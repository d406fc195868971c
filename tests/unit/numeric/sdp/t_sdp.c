/* Semidefinite programs whose optimum is known. */
#include "numeric/sdp/sdp.h"
#include <criterion/criterion.h>
#include <math.h>

/* max y with [[1, -y], [-y, 1]] >= 0: the largest off-diagonal entry of a correlation is 1. */
Test(sdp, correlation)
{
    const double matrix[] = {1, 0, 1, /* A */ 0, 1, 0}, objective[] = {1};
    const f2l_sdp_block block = {2, matrix};
    const f2l_sdp problem = {.variables = 1, .blocks = 1, .objective = objective, .block = &block};
    f2l_sdp_solution s;
    f2l_error err = {0};
    cr_assert_eq(f2l_sdp_solve(&s, &problem, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(s.converged);
    cr_assert_float_eq(s.y[0], 1, 1e-6);
    cr_assert_float_eq(s.value, 1, 1e-6);
    /* The dual matrix shows that nothing is larger: C . X = 1 and A . X = 1. */
    cr_assert_float_eq(s.dual[0][0] + s.dual[0][2], 1, 1e-5);
    cr_assert_float_eq(2 * s.dual[0][1], 1, 1e-5);
    f2l_sdp_solution_clear(&s);
}

/* The least eigenvalue of a symmetric matrix: max y with C - y I >= 0. */
Test(sdp, least_eigenvalue)
{
    enum { N = 5 };
    double matrix[2 * N * (N + 1) / 2] = {0}, objective[] = {1};
    for (size_t i = 0; i < N; i++) {
        matrix[f2l_packed_at(i, i)] = 2;
        if (i > 0) matrix[f2l_packed_at(i, i - 1)] = -1;
        matrix[f2l_packed_size(N) + f2l_packed_at(i, i)] = 1;
    }
    const f2l_sdp_block block = {N, matrix};
    const f2l_sdp problem = {.variables = 1, .blocks = 1, .objective = objective, .block = &block};
    f2l_sdp_solution s;
    f2l_error err = {0};
    cr_assert_eq(f2l_sdp_solve(&s, &problem, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_float_eq(s.y[0], 2 - 2 * cos(acos(-1) / (N + 1)), 1e-6);
    f2l_sdp_solution_clear(&s);
}

/* A linear program by blocks of one row: max x + y with x + 2 y <= 4, 3 x + y <= 6, x, y >= 0. */
Test(sdp, linear_program)
{
    const double row[4][3] = {{4, 1, 2}, {6, 3, 1}, {0, -1, 0}, {0, 0, -1}}, objective[] = {1, 1};
    f2l_sdp_block block[4];
    for (size_t i = 0; i < 4; i++) block[i] = (f2l_sdp_block){1, row[i]};
    const f2l_sdp problem = {.variables = 2, .blocks = 4, .objective = objective, .block = block};
    f2l_sdp_solution s;
    f2l_error err = {0};
    cr_assert_eq(f2l_sdp_solve(&s, &problem, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_float_eq(s.y[0], 1.6, 1e-4);
    cr_assert_float_eq(s.y[1], 1.2, 1e-4);
    f2l_sdp_solution_clear(&s);
}

Test(sdp, infeasible_is_unknown)
{
    const double row[2][2] = {{-1, 1}, {-1, -1}}, objective[] = {1};
    const f2l_sdp_block block[] = {{1, row[0]}, {1, row[1]}};
    const f2l_sdp problem = {.variables = 1, .blocks = 2, .objective = objective, .block = block};
    f2l_sdp_solution s;
    f2l_error err = {0};
    cr_assert_eq(f2l_sdp_solve(&s, &problem, NULL, &err), F2L_UNKNOWN);
}

Test(sdp, a_task_that_stops)
{
    const double matrix[] = {1, 1}, objective[] = {1};
    const f2l_sdp_block block = {1, matrix};
    const f2l_sdp problem = {.variables = 1, .blocks = 1, .objective = objective, .block = &block};
    f2l_effort effort = {.limit = 10};
    const f2l_task task = {.effort = &effort};
    f2l_sdp_solution s;
    f2l_error err = {0};
    cr_assert_eq(f2l_sdp_solve(&s, &problem, &task, &err), F2L_UNKNOWN);
}
