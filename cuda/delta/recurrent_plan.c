#include "cuda/delta/recurrent_plan.h"

f2l_status f2l_recurrent_plan_of(f2l_recurrent_plan *plan, const f2l_delta_shape *s, bool gated,
                                 f2l_error *err)
{
    if (s->householders < 1 || s->householders > F2L_RECURRENT_FACTORS)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the recurrent kernels take 1 to %d factors per token, "
                        "not %zu",
                        F2L_RECURRENT_FACTORS, s->householders);
    if (s->key < 1 || s->key > F2L_RECURRENT_DIM || s->value < 1 || s->value > F2L_RECURRENT_DIM)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the recurrent kernels take keys and values of 1 to %d, not %zu and %zu",
                        F2L_RECURRENT_DIM, s->key, s->value);
    *plan = (f2l_recurrent_plan){.key = 16, .segment = F2L_RECURRENT_SEGMENT};
    while (plan->key < s->key) plan->key *= 2;
    /* Four columns and eight rows: with 32 numbers per lane this needs the fewest sums over lanes
     * in both directions. */
    plan->row_lanes = plan->key <= 32 ? 4 : plan->key / 8;
    plan->rows = plan->key / plan->row_lanes;
    plan->column_lanes = 32 / plan->row_lanes;
    plan->width = 4 * plan->column_lanes;
    plan->warps = (s->value + plan->width - 1) / plan->width;
    plan->value = plan->warps * plan->width;
    plan->segments = s->tokens / plan->segment + (s->tokens % plan->segment != 0);
    plan->anchor = gated ? 1 : F2L_RECURRENT_FACTORS / s->householders;
    return F2L_OK;
}
