/* The representations that a head with n_h factors can express. */
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include <math.h>

/* The eigenvalue 1 of the square comes from 1 and -1, so that the ranks of a matrix and of its
 * square determine the multiplicity of -1 (O.8 of theory/pages/r1.md). */
size_t f2l_snap_factors_of(const f2l_r1 *r1, size_t irrep, size_t letter, bool minus)
{
    const f2l_r1_tables *t = &r1->tables;
    const uint32_t x = t->letter[letter], y = f2l_group_multiply(&t->group, x, x);
    const size_t rank = f2l_householders_rank(&t->householders, irrep, t->classes.class_of[x]),
                 twice = f2l_householders_rank(&t->householders, irrep, t->classes.class_of[y]);
    return minus ? t->householders.irrep[irrep].dimension - (rank - twice) : rank;
}

static bool is_wanted(const f2l_r1 *r1, size_t irrep, f2l_snap_wanted wanted, const f2l_inspect *x)
{
    const f2l_real_irrep *r = &r1->tables.householders.irrep[irrep];
    if (r->dimension > x->key_dim) return false;
    if (wanted == F2L_SNAP_EXPRESSED) return r->most > 0 && r->most <= x->householders;
    bool all = r->dimension > 1;
    for (size_t a = 0; all && a < r1->tables.group.generators; a++)
        all = f2l_snap_factors_of(r1, irrep, a, false) <= x->householders ||
              f2l_snap_factors_of(r1, irrep, a, true) <= x->householders;
    return all;
}

static f2l_status build_matrices(f2l_snap_irrep *irrep, size_t irreps, const f2l_r1_tables *t,
                                 const f2l_task *task, f2l_error *err)
{
    f2l_irrep *rep = f2l_calloc(irreps + 1, sizeof *rep);
    f2l_status *found = f2l_calloc(irreps + 1, sizeof *found);
    size_t *character = f2l_calloc(irreps + 1, sizeof *character);
    f2l_status status = rep && found && character ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < irreps; i++) character[i] = irrep[i].character;
    if (status == F2L_OK && irreps > 0)
        status = f2l_irreps_build(rep, found, character, irreps, &t->group, &t->classes,
                                  &t->characters, task, err);
    if (status == F2L_UNKNOWN) status = f2l_task_poll(task, "snap", 0, 1, err);
    for (size_t i = 0; status == F2L_OK && i < irreps; i++) {
        irrep[i].known = found[i] == F2L_OK;
        irrep[i].field_degree = irrep[i].known ? rep[i].field.degree : 0;
        if (irrep[i].known) status = f2l_irrep_float_build(&irrep[i].value, &rep[i], err);
    }
    for (size_t i = 0; rep && found && i < irreps; i++) f2l_irrep_clear(&rep[i]);
    f2l_free(rep);
    f2l_free(found);
    f2l_free(character);
    return status;
}

f2l_status f2l_snap_list_irreps(f2l_snap_irrep **irrep, size_t *irreps, const f2l_r1 *r1,
                                f2l_snap_wanted wanted, const f2l_snap_input *in, f2l_error *err)
{
    const f2l_householders *h = &r1->tables.householders;
    *irreps = 0;
    *irrep = f2l_calloc(h->irreps, sizeof **irrep);
    if (*irrep == NULL) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < h->irreps; i++)
        if (is_wanted(r1, i, wanted, in->inspect))
            (*irrep)[(*irreps)++] = (f2l_snap_irrep){
                .irrep = i, .character = h->irrep[i].character, .nearest = INFINITY};
    return build_matrices(*irrep, *irreps, &r1->tables, in->task, err);
}

void f2l_snap_free_irreps(f2l_snap_irrep *irrep, size_t irreps)
{
    for (size_t i = 0; i < irreps; i++) f2l_irrep_float_clear(&irrep[i].value);
    f2l_free(irrep);
}
