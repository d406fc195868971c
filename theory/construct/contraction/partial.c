/* Partial letters (R4.7): given on the differences of the codes of their domain, which span U. On
 * the complement of U the step may be anything that keeps it a contraction: it is 0 there, or the
 * identity where the images lie in U and this takes fewer factors. */
#include "numeric/base/mem.h"
#include "theory/construct/contraction/impl.h"

/* Sets row i of a matrix to a difference of codes. */
static void set_row(fmpq_mat_t rows, slong row, slong column, const f2l_code_space *s, size_t p,
                    size_t q)
{
    for (slong i = 0; i < (slong)s->dim; i++)
        fmpq_sub(fmpq_mat_entry(rows, row, column + i), fmpq_mat_entry(s->code, (slong)p, i),
                 fmpq_mat_entry(s->code, (slong)q, i));
}

/* Copies columns from..from + dim of the first rows of a matrix. */
static void take_columns(fmpq_mat_t out, const fmpq_mat_t from, slong column)
{
    for (slong i = 0; i < fmpq_mat_nrows(out); i++)
        for (slong j = 0; j < fmpq_mat_ncols(out); j++)
            fmpq_set(fmpq_mat_entry(out, i, j), fmpq_mat_entry(from, i, column + j));
}

/* Returns how many of the first rows of a reduced matrix begin before column dim. */
static slong leading_rows(const fmpq_mat_t reduced, slong dim)
{
    slong rank = 0;
    for (slong i = 0; i < fmpq_mat_nrows(reduced); i++)
        rank += !f2l_contraction_is_zero(fmpq_mat_entry(reduced, i, 0), (size_t)dim);
    return rank;
}

/* Sets the rows of base to a basis of U, and the rows of image to the images of its vectors. Both
 * are initialised, and replaced. */
static void find_pairs(fmpq_mat_t base, fmpq_mat_t image, const f2l_code_space *s,
                       const f2l_maps *maps, size_t letter, size_t last, f2l_watch *watch)
{
    const slong dim = (slong)s->dim;
    const uint32_t *next = maps->next + letter;
    const size_t k = maps->letters;
    fmpq_mat_t both;
    fmpq_mat_init(both, (slong)last, 2 * dim);
    for (size_t i = 0; i < last; i++) {
        if (!f2l_maps_defined(maps, letter, i)) continue;
        set_row(both, (slong)i, 0, s, i, last);
        set_row(both, (slong)i, dim, s, next[i * k], next[last * k]);
    }
    f2l_reduce_rows(both, watch);
    const slong rank = leading_rows(both, dim);
    fmpq_mat_clear(base);
    fmpq_mat_clear(image);
    fmpq_mat_init(base, rank, dim);
    fmpq_mat_init(image, rank, dim);
    take_columns(base, both, 0);
    take_columns(image, both, dim);
    fmpq_mat_clear(both);
}

/* Sets out to image^T (base G base^T)^-1 base G: base vectors go to their images, and what is
 * orthogonal to them to 0. */
static void lead_base_to_image(fmpq_mat_t out, const fmpq_mat_t image, const fmpq_mat_t base,
                               const fmpq_mat_t form)
{
    const slong rank = fmpq_mat_nrows(base), dim = fmpq_mat_ncols(base);
    fmpq_mat_t dual, transposed, gram;
    fmpq_mat_init(dual, rank, dim);
    fmpq_mat_init(transposed, dim, rank);
    fmpq_mat_init(gram, rank, rank);
    fmpq_mat_mul(dual, base, form);
    fmpq_mat_transpose(transposed, base);
    fmpq_mat_mul(gram, dual, transposed);
    if (rank > 0) fmpq_mat_inv(gram, gram);
    fmpq_mat_mul(dual, gram, dual);
    fmpq_mat_transpose(transposed, image);
    fmpq_mat_mul(out, transposed, dual);
    fmpq_mat_clear(dual);
    fmpq_mat_clear(transposed);
    fmpq_mat_clear(gram);
}

/* Returns whether the rows of image are in the span of the rows of base, which are reduced. */
static bool is_inside(const fmpq_mat_t image, const fmpq_mat_t base, f2l_watch *watch)
{
    const slong rank = fmpq_mat_nrows(base), dim = fmpq_mat_ncols(base);
    fmpq_mat_t both;
    fmpq_mat_init(both, 2 * rank, dim);
    fmpq_mat_concat_vertical(both, base, image);
    const bool inside = f2l_reduce_rows(both, watch) == rank;
    fmpq_mat_clear(both);
    return inside;
}

/* Replaces rows, which is initialised, by a basis of the x with step x = x. */
static void find_fixed(fmpq_mat_t rows, const fmpq_mat_t step, f2l_watch *watch)
{
    const slong dim = fmpq_mat_nrows(step);
    fmpq_mat_t moved, one;
    fmpq_mat_init(moved, dim, dim);
    fmpq_mat_init(one, dim, dim);
    fmpq_mat_one(one);
    fmpq_mat_sub(moved, one, step);
    f2l_null_space(rows, moved, watch);
    fmpq_mat_clear(moved);
    fmpq_mat_clear(one);
}

/* Solves (1 - step) z = b, which has a solution; b may be z. */
static void solve_fixed_point(fmpq *z, const fmpq_mat_t step, const fmpq *b, f2l_watch *watch)
{
    const slong dim = fmpq_mat_nrows(step);
    fmpq_mat_t system;
    fmpq_mat_init(system, dim, dim + 1);
    for (slong i = 0; i < dim; i++) {
        for (slong j = 0; j < dim; j++)
            fmpq_neg(fmpq_mat_entry(system, i, j), fmpq_mat_entry(step, i, j));
        fmpq_add_si(fmpq_mat_entry(system, i, i), fmpq_mat_entry(system, i, i), 1);
        fmpq_set(fmpq_mat_entry(system, i, dim), b + i);
    }
    const slong rank = f2l_reduce_rows(system, watch);
    for (slong i = 0; i < dim; i++) fmpq_zero(z + i);
    for (slong i = 0, j = 0; i < rank; i++) {
        while (fmpq_is_zero(fmpq_mat_entry(system, i, j))) j++;
        fmpq_set(z + j, fmpq_mat_entry(system, i, dim));
    }
    fmpq_mat_clear(system);
}

/* Sets centre and shift so that the letter leads the code of state p to the code of state q. What
 * the step fixes is orthogonal to what 1 - step reaches, since it is a contraction. */
static void find_motion(fmpq *centre, fmpq *shift, const f2l_code_space *s, const fmpq_mat_t step,
                        size_t p, size_t q, f2l_watch *watch)
{
    const slong dim = (slong)s->dim;
    fmpq_mat_t fixed, onto;
    fmpq *rest = _fmpq_vec_init(dim);
    fmpq_mat_mul_fmpq_vec(rest, step, fmpq_mat_entry(s->code, (slong)p, 0), dim);
    for (slong i = 0; i < dim; i++)
        fmpq_sub(rest + i, fmpq_mat_entry(s->code, (slong)q, i), rest + i);
    fmpq_mat_init(fixed, 0, 0);
    find_fixed(fixed, step, watch);
    fmpq_mat_init(onto, dim, dim);
    lead_base_to_image(onto, fixed, fixed, s->form);
    fmpq_mat_mul_fmpq_vec(shift, onto, rest, dim);
    for (slong i = 0; i < dim; i++) fmpq_sub(rest + i, rest + i, shift + i);
    solve_fixed_point(centre, step, rest, watch);
    _fmpq_vec_clear(rest, dim);
    fmpq_mat_clear(fixed);
    fmpq_mat_clear(onto);
}

/* Adds to the step the projection on the complement of U. */
static void keep_rest(fmpq_mat_t step, const fmpq_mat_t base, const fmpq_mat_t form)
{
    const slong dim = fmpq_mat_nrows(step);
    fmpq_mat_t onto;
    fmpq_mat_init(onto, dim, dim);
    lead_base_to_image(onto, base, base, form);
    fmpq_mat_sub(step, step, onto);
    for (slong i = 0; i < dim; i++)
        fmpq_add_si(fmpq_mat_entry(step, i, i), fmpq_mat_entry(step, i, i), 1);
    fmpq_mat_clear(onto);
}

void f2l_code_space_extend(f2l_code_space *s, const f2l_maps *maps, size_t letter, f2l_watch *watch)
{
    const slong dim = (slong)s->dim;
    size_t last = maps->states - 1;
    fmpq_mat_t base, image, step;
    fmpq *centre = fmpq_mat_entry(s->centre, (slong)letter, 0),
         *shift = fmpq_mat_entry(s->shift, (slong)letter, 0);
    while (!f2l_maps_defined(maps, letter, last)) last--;
    const size_t to = maps->next[last * maps->letters + letter];
    fmpq_mat_init(base, 0, 0);
    fmpq_mat_init(image, 0, 0);
    find_pairs(base, image, s, maps, letter, last, watch);
    fmpq_mat_init(step, dim, dim);
    lead_base_to_image(step, image, base, s->form);
    const slong rest = dim - fmpq_mat_nrows(base);
    if (rest > 0 && is_inside(image, base, watch)) keep_rest(step, base, s->form);
    find_motion(centre, shift, s, step, last, to, watch);
    if (rest > 0 && rest <= 2 && !f2l_contraction_is_zero(shift, s->dim)) {
        lead_base_to_image(step, image, base, s->form); /* erasing the rest takes no more than
                                                           moving it */
        find_motion(centre, shift, s, step, last, to, watch);
    }
    fmpq_mat_swap(s->step[letter], step);
    fmpq_mat_clear(base);
    fmpq_mat_clear(image);
    fmpq_mat_clear(step);
}
