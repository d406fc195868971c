#include "automata/fsa/perm.h"
#include "models/learn/data/data.h"

f2l_status f2l_data_cycle_weights(double *weight, const f2l_fsa *fsa, size_t longest, bool identity,
                                  f2l_error *err)
{
    if (fsa->track == F2L_TRACK_STATES || fsa->perm == NULL)
        return f2l_fail(err, F2L_EDOMAIN, "the letters are not given as permutations");
    size_t kept = 0;
    for (size_t a = 0; a < fsa->letters.count; a++) {
        const uint32_t *image = fsa->perm + a * fsa->points;
        const size_t moved = f2l_perm_displaced(image, fsa->points);
        /* A cycle of `moved` points needs moved - 1 swaps; two or more cycles that move equally
         * many points need fewer. */
        const size_t swaps = fsa->points - f2l_perm_cycles(image, fsa->points);
        const bool keep = moved == 0 ? identity : moved <= longest && swaps + 1 == moved;
        weight[a] = keep;
        kept += keep;
    }
    if (kept > 0) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "no letter is a cycle of at most %zu points", longest);
}
