#include "numeric/base/mem.h"
#include "theory/rep/characters/impl.h"

/* A random vector misses an eigenspace with probability 1/p. */
#define TRIES 32

void f2l_eigenspaces_clear(f2l_eigenspaces *e)
{
    nmod_mat_clear(e->rows);
    f2l_free(e->size);
    e->size = NULL;
}

/* Sets row i to x A^i for a random row x, i = 0 .. d. */
static void fill_krylov(nmod_mat_t krylov, const nmod_mat_t transposed, f2l_rng *rng)
{
    const slong d = nmod_mat_ncols(krylov);
    const int limbs = _nmod_vec_dot_bound_limbs(d, krylov->mod);
    for (slong i = 0; i < d; i++) nmod_mat_entry(krylov, 0, i) = f2l_rng_below(rng, krylov->mod.n);
    for (slong k = 1; k <= d; k++)
        for (slong i = 0; i < d; i++)
            nmod_mat_entry(krylov, k, i) =
                _nmod_vec_dot(krylov->rows[k - 1], transposed->rows[i], d, krylov->mod, limbs);
}

/* Computes the polynomial of least degree with x f(A) = 0, x the first row of krylov. */
static void annihilator(nmod_poly_t f, const nmod_mat_t krylov)
{
    const slong d = nmod_mat_ncols(krylov);
    nmod_mat_t columns;
    nmod_mat_init(columns, d, d + 1, krylov->mod.n);
    nmod_mat_transpose(columns, krylov);
    const slong degree = nmod_mat_rref(columns); /* the first `degree` rows of krylov are
                                                    independent */
    nmod_poly_zero(f);
    nmod_poly_set_coeff_ui(f, degree, 1);
    for (slong i = 0; i < degree; i++)
        nmod_poly_set_coeff_ui(f, i, nmod_neg(nmod_mat_entry(columns, i, degree), krylov->mod));
    nmod_mat_clear(columns);
}

/* Returns the root of factor r of the list, which is x - root. */
static mp_limb_t root_of_factor(const nmod_poly_factor_t roots, slong r)
{
    return nmod_poly_get_coeff_ui(roots->p + r, 0) == 0
               ? 0
               : roots->p[r].mod.n - nmod_poly_get_coeff_ui(roots->p + r, 0);
}

/* Computes the spaces if all d eigenvalues differ: x f(A) / (A - a) is an eigenvector for a, and
 * Horner's rule divides. */
static void simple_spaces(f2l_eigenspaces *out, const nmod_mat_t krylov, const nmod_poly_t f,
                          const nmod_poly_factor_t roots)
{
    const slong d = nmod_mat_ncols(krylov);
    nmod_mat_t quotient, head;
    nmod_mat_init(quotient, d, d, krylov->mod.n);
    for (slong r = 0; r < d; r++) {
        mp_limb_t c = 0;
        for (slong i = d; i > 0; i--) {
            c = nmod_add(nmod_mul(c, root_of_factor(roots, r), krylov->mod),
                         nmod_poly_get_coeff_ui(f, i), krylov->mod);
            nmod_mat_entry(quotient, r, i - 1) = c;
        }
        out->size[r] = 1;
    }
    nmod_mat_window_init(head, krylov, 0, 0, d, d);
    nmod_mat_mul(out->rows, quotient, head);
    nmod_mat_window_clear(head);
    nmod_mat_clear(quotient);
}

/* Computes the null spaces of A - a; returns false when they do not fill the space, because x
 * missed an eigenvalue. */
static bool general_spaces(f2l_eigenspaces *out, const nmod_mat_t transposed,
                           const nmod_poly_factor_t roots)
{
    const slong d = nmod_mat_nrows(transposed);
    nmod_mat_t shifted, null;
    nmod_mat_init(shifted, d, d, transposed->mod.n);
    nmod_mat_init(null, d, d, transposed->mod.n);
    slong row = 0;
    for (slong r = 0; r < roots->num; r++) {
        nmod_mat_set(shifted, transposed);
        for (slong i = 0; i < d; i++)
            nmod_mat_entry(shifted, i, i) =
                nmod_sub(nmod_mat_entry(shifted, i, i), root_of_factor(roots, r), shifted->mod);
        const slong size = nmod_mat_nullspace(null, shifted);
        for (slong k = 0; k < size; k++)
            for (slong i = 0; i < d; i++)
                nmod_mat_entry(out->rows, row + k, i) = nmod_mat_entry(null, i, k);
        out->size[r] = (size_t)size;
        row += size;
    }
    nmod_mat_clear(shifted);
    nmod_mat_clear(null);
    return row == d;
}

static bool attempt(f2l_eigenspaces *out, nmod_mat_t krylov, const nmod_mat_t transposed,
                    f2l_rng *rng)
{
    nmod_poly_t f;
    nmod_poly_factor_t roots;
    nmod_poly_init(f, transposed->mod.n);
    nmod_poly_factor_init(roots);
    fill_krylov(krylov, transposed, rng);
    annihilator(f, krylov);
    nmod_poly_roots(roots, f, 0);
    const bool split = nmod_poly_degree(f) > 0 && roots->num == nmod_poly_degree(f);
    bool good = split;
    out->count = (size_t)roots->num;
    if (split && roots->num == nmod_mat_nrows(transposed))
        simple_spaces(out, krylov, f, roots);
    else if (split)
        good = general_spaces(out, transposed, roots);
    nmod_poly_factor_clear(roots);
    nmod_poly_clear(f);
    return good;
}

f2l_status f2l_eigenspaces_build(f2l_eigenspaces *out, const nmod_mat_t transposed, f2l_rng *rng,
                                 f2l_error *err)
{
    const slong d = nmod_mat_nrows(transposed);
    nmod_mat_t krylov;
    out->count = 0;
    out->size = f2l_calloc((size_t)d, sizeof *out->size);
    if (!out->size) return f2l_fail_memory(err);
    nmod_mat_init(out->rows, d, d, transposed->mod.n);
    nmod_mat_init(krylov, d + 1, d, transposed->mod.n);
    bool good = false;
    for (int i = 0; i < TRIES && !good; i++) good = attempt(out, krylov, transposed, rng);
    nmod_mat_clear(krylov);
    if (good) return F2L_OK;
    f2l_eigenspaces_clear(out);
    return f2l_fail(err, F2L_EDOMAIN, "the matrix is not diagonalisable modulo the prime");
}
