/* The sizes of the constructions that a row names, if they are known without building them. */
#include "automata/fsa/perm.h"
#include "theory/construct/dihedral/dihedral.h"
#include "theory/construct/r1/r1.h"
#include "theory/obstruct/classify/impl.h"

static f2l_status representations(f2l_classify *out, size_t max_order, const f2l_task *task,
                                  f2l_error *err)
{
    f2l_r1 r1;
    f2l_r1_init(&r1);
    f2l_status status = f2l_r1_analyse(&r1, out->fsa, max_order, task, err);
    if (status == F2L_OK) {
        out->householders = r1.tables.householders.minimum;
        out->heads = r1.tables.householders.heads;
        out->dimension = r1.tables.householders.dimension;
    }
    f2l_r1_clear(&r1);
    return f2l_classify_pass(status, task);
}

/* Finds the representation that the compiler takes for T3, so that the figures agree with the
 * network's. */
static f2l_status points(f2l_classify *out, const f2l_task *task, f2l_error *err)
{
    f2l_gset set;
    f2l_gset_init(&set);
    f2l_status status = f2l_gset_smallest(&set, out->fsa, 0, task, err);
    for (size_t a = 0; status == F2L_OK && a < set.letters; a++) {
        const size_t factors = set.points - f2l_perm_cycles(set.image + a * set.points, set.points);
        out->points = set.points;
        if (factors > out->reflections) out->reflections = factors;
    }
    f2l_gset_clear(&set);
    return f2l_classify_pass(status, task);
}

f2l_status f2l_classify_represent(f2l_classify *out, size_t max_order, const f2l_task *task,
                                  f2l_error *err)
{
    f2l_status status = representations(out, max_order, task, err);
    if (status == F2L_OK && out->groups && !out->householders) status = points(out, task, err);
    if (status == F2L_OK)
        status = f2l_classify_pass(
            f2l_dihedral_find(&out->turn, &out->dihedral, out->fsa, task, err), task);
    return status;
}

static f2l_status measure_t4_plan(f2l_t4_figures *out, const f2l_cascade *cascade, bool gated,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_t4_measure_plan(out, cascade, gated, task, err);
    if (status != F2L_OK) *out = (f2l_t4_figures){0};
    return status == F2L_EDOMAIN ? F2L_OK : f2l_classify_pass(status, task);
}

f2l_status f2l_classify_measure(f2l_classify *out, const f2l_cascade *cascade, const f2l_task *task,
                                f2l_error *err)
{
    f2l_status status = measure_t4_plan(&out->cascade, cascade, false, task, err);
    return status == F2L_OK ? measure_t4_plan(&out->gated, cascade, true, task, err) : status;
}
