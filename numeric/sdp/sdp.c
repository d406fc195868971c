#include "numeric/sdp/sdp.h"
#include "numeric/base/mem.h"
#include <dsdp/dsdp5.h>
#include <string.h>

#define PHASE "a semidefinite program"
#define MOST_ITERATIONS 200

void f2l_sdp_solution_clear(f2l_sdp_solution *s)
{
    for (size_t b = 0; s->dual && b < s->blocks; b++) f2l_free(s->dual[b]);
    f2l_free(s->dual);
    f2l_free(s->y);
    *s = (f2l_sdp_solution){0};
}

/* Returns about how many steps one solution takes: some tens of iterations, each of which makes a
 * matrix of variables by variables out of products in the blocks, and factors it. */
static uint64_t steps_of(const f2l_sdp *p)
{
    const uint64_t m = p->variables;
    uint64_t steps = m * m * m / 3 + 1000;
    for (size_t b = 0; b < p->blocks; b++) {
        const uint64_t n = p->block[b].n;
        steps += n * n * n + m * n * n + m * m * n;
    }
    return steps * 30 / 10;
}

/* Hands the matrices over; they stay the caller's, and only those that are not zero. */
static bool set_blocks(SDPCone cone, const f2l_sdp *p)
{
    for (size_t b = 0; b < p->blocks; b++) {
        const f2l_sdp_block *block = &p->block[b];
        const int number = (int)b, n = (int)block->n;
        const size_t size = f2l_packed_size(block->n);
        if (SDPConeSetBlockSize(cone, number, n) || SDPConeSetStorageFormat(cone, number, 'P'))
            return false;
        for (size_t i = 0; i <= p->variables; i++) {
            /* DSDP does not change the values. */
            double *matrix = (double *)(uintptr_t)(block->matrix + i * size);
            bool zero = true;
            for (size_t e = 0; e < size && zero; e++) zero = matrix[e] == 0;
            if (!zero && SDPConeSetADenseVecMat(cone, number, (int)i, n, 1.0, matrix, (int)size))
                return false;
        }
    }
    return true;
}

static f2l_status take_solution(f2l_sdp_solution *out, DSDP solver, SDPCone cone, const f2l_sdp *p,
                                f2l_error *err)
{
    out->y = f2l_calloc(p->variables, sizeof *out->y);
    out->dual = f2l_calloc(p->blocks, sizeof *out->dual);
    out->blocks = p->blocks;
    if (!out->y || !out->dual) return f2l_fail_memory(err);
    if (DSDPGetY(solver, out->y, (int)p->variables) || DSDPGetDObjective(solver, &out->value) ||
        DSDPGetPObjective(solver, &out->primal))
        return f2l_fail(err, F2L_UNKNOWN, "%s has no solution", PHASE);
    for (size_t b = 0; b < p->blocks; b++) {
        double *x;
        int n;
        const size_t size = f2l_packed_size(p->block[b].n);
        out->dual[b] = f2l_calloc(size, sizeof **out->dual);
        if (!out->dual[b]) return f2l_fail_memory(err);
        if (SDPConeGetXArray(cone, (int)b, &x, &n) == 0 && (size_t)n >= size)
            memcpy(out->dual[b], x, size * sizeof *x);
    }
    return F2L_OK;
}

static f2l_status run(f2l_sdp_solution *out, DSDP solver, SDPCone cone, const f2l_sdp *p,
                      f2l_error *err)
{
    DSDPTerminationReason reason;
    DSDPSolutionType type;
    const double bound = p->bound > 0 ? p->bound : 1e7;
    bool ready = set_blocks(cone, p);
    for (size_t i = 0; i < p->variables && ready; i++)
        ready = DSDPSetDualObjective(solver, (int)i + 1, p->objective[i]) == 0;
    if (!ready || DSDPSetYBounds(solver, -bound, bound) || DSDPSetMaxIts(solver, MOST_ITERATIONS) ||
        DSDPSetGapTolerance(solver, 1e-9) || DSDPSetup(solver))
        return f2l_fail(err, F2L_ENOMEM, "%s could not be set up", PHASE);
    if (DSDPSolve(solver) || DSDPComputeX(solver) || DSDPStopReason(solver, &reason) ||
        DSDPGetSolutionType(solver, &type))
        return f2l_fail(err, F2L_UNKNOWN, "%s could not be solved", PHASE);
    if (type == DSDP_INFEASIBLE || type == DSDP_UNBOUNDED)
        return f2l_fail(err, F2L_UNKNOWN, "%s is %s", PHASE,
                        type == DSDP_INFEASIBLE ? "infeasible" : "unbounded");
    out->converged = reason == DSDP_CONVERGED && type == DSDP_PDFEASIBLE;
    return take_solution(out, solver, cone, p, err);
}

f2l_status f2l_sdp_solve(f2l_sdp_solution *out, const f2l_sdp *problem, const f2l_task *task,
                         f2l_error *err)
{
    DSDP solver;
    SDPCone cone;
    *out = (f2l_sdp_solution){0};
    f2l_status status = f2l_task_goes_on(task, PHASE, err);
    if (status == F2L_OK) status = f2l_task_spend(task, PHASE, steps_of(problem), err);
    if (status != F2L_OK) return status;
    if (DSDPCreate((int)problem->variables, &solver)) return f2l_fail_memory(err);
    status = DSDPCreateSDPCone(solver, (int)problem->blocks, &cone) ? f2l_fail_memory(err) : F2L_OK;
    if (status == F2L_OK) status = run(out, solver, cone, problem, err);
    DSDPDestroy(solver);
    if (status != F2L_OK) f2l_sdp_solution_clear(out);
    return status;
}
