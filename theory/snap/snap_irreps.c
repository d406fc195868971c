/* The representations that a head with n_h factors can express. */
#include "numeric/base/mem.h"
#include "theory/snap/impl.h"
#include <math.h>

static bool is_candidate(const f2l_householders *h, size_t irrep, const f2l_inspect *x)
{
    const f2l_real_irrep *r = &h->irrep[irrep];
    return r->most > 0 && r->most <= x->householders && r->dimension <= x->key_dim;
}

static f2l_status build_matrices(f2l_snap *out, const f2l_task *task, f2l_error *err)
{
    const f2l_r1_tables *t = &out->r1.tables;
    f2l_irrep *rep = f2l_calloc(out->irreps + 1, sizeof *rep);
    f2l_status *found = f2l_calloc(out->irreps + 1, sizeof *found);
    size_t *character = f2l_calloc(out->irreps + 1, sizeof *character);
    f2l_status status = rep && found && character ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < out->irreps; i++)
        character[i] = out->irrep[i].character;
    if (status == F2L_OK && out->irreps > 0)
        status = f2l_irreps_build(rep, found, character, out->irreps, &t->group, &t->classes,
                                  &t->characters, task, err);
    if (status == F2L_UNKNOWN) status = f2l_task_poll(task, "snap", 0, 1, err);
    for (size_t i = 0; status == F2L_OK && i < out->irreps; i++) {
        f2l_snap_irrep *one = &out->irrep[i];
        one->known = found[i] == F2L_OK;
        one->field_degree = one->known ? rep[i].field.degree : 0;
        if (one->known) status = f2l_irrep_float_build(&one->value, &rep[i], err);
    }
    for (size_t i = 0; rep && found && i < out->irreps; i++) f2l_irrep_clear(&rep[i]);
    f2l_free(rep);
    f2l_free(found);
    f2l_free(character);
    return status;
}

f2l_status f2l_snap_find_irreps(f2l_snap *out, const f2l_snap_input *in, f2l_error *err)
{
    const f2l_householders *h = &out->r1.tables.householders;
    out->irrep = f2l_calloc(h->irreps, sizeof *out->irrep);
    if (out->irrep == NULL) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < h->irreps; i++)
        if (is_candidate(h, i, in->inspect))
            out->irrep[out->irreps++] = (f2l_snap_irrep){
                .irrep = i, .character = h->irrep[i].character, .nearest = INFINITY};
    return build_matrices(out, in->task, err);
}
