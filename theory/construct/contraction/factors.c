/* A contraction as a product of projections and reflections (R4.4). With K the kernel of the step
 * M: projections along a basis of K first. On the complement of K the form S = G - M^T G M is a sum
 * of squares d (l x)^2, and x -> (M x, l x) is an isometry into the space with an extra coordinate
 * of weight d for each square. It is extended by reflections, one for each basis vector that is not
 * yet where it belongs. At last projections erase the extra coordinates. */
#include "numeric/base/mem.h"
#include "theory/construct/contraction/impl.h"
#include <flint/fmpz_factor.h>

typedef struct work {
    f2l_code_space *space;
    fmpq_mat_struct *step;
    f2l_contraction_factors *out;
    f2l_watch *watch;
    fmpq_mat_t kernel; /* rows: an orthogonal basis of K */
    fmpq_mat_t basis;  /* rows: a basis of the complement of K */
    fmpq_mat_t lift;   /* [rows of basis][squares]: l of each basis vector, scaled to the weights */
    size_t *place;     /* [squares] the extra coordinate of each */
    size_t squares;
} work;

/* Counts products of vectors with the form, and returns whether to go on. */
static bool factoring_goes_on(const work *w, size_t products)
{
    const size_t size = w->space->dim + w->space->extra;
    return f2l_watch_goes_on(w->watch, 32 * (uint64_t)(products * size * size));
}

/* --- vectors --- */

/* Sets out to x^T G y; vectors have dim entries and then `extra` ones. */
static void inner(fmpq_t out, const f2l_code_space *s, const fmpq *x, const fmpq *y, size_t extra)
{
    fmpq_t sum;
    fmpq_init(sum);
    fmpq_zero(out);
    for (size_t i = 0; i < s->dim; i++) {
        if (fmpq_is_zero(x + i)) continue;
        fmpq_zero(sum);
        for (size_t j = 0; j < s->dim; j++)
            fmpq_addmul(sum, fmpq_mat_entry(s->form, (slong)i, (slong)j), y + j);
        fmpq_addmul(out, sum, x + i);
    }
    for (size_t i = 0; i < extra; i++) {
        fmpq_mul(sum, x + s->dim + i, y + s->dim + i);
        fmpq_mul_fmpz(sum, sum, s->weight + i);
        fmpq_add(out, out, sum);
    }
    fmpq_clear(sum);
}

/* Multiplies u by the least positive number that makes its entries integers without a common
 * divisor. */
static void make_primitive(fmpq *u, size_t size)
{
    fmpz_t denominator, divisor;
    fmpz_init_set_ui(denominator, 1);
    fmpz_init(divisor);
    for (size_t i = 0; i < size; i++) fmpz_lcm(denominator, denominator, fmpq_denref(u + i));
    for (size_t i = 0; i < size; i++) {
        fmpq_mul_fmpz(u + i, u + i, denominator);
        fmpz_gcd(divisor, divisor, fmpq_numref(u + i));
    }
    for (size_t i = 0; i < size && !fmpz_is_zero(divisor); i++)
        fmpq_div_fmpz(u + i, u + i, divisor);
    fmpz_clear(denominator);
    fmpz_clear(divisor);
}

/* Appends a factor with a copy of u. */
static f2l_status add_factor(work *w, unsigned beta, const fmpq *u, size_t size, f2l_error *err)
{
    f2l_contraction_factors *out = w->out;
    if (!f2l_grow((void **)&out->factor, &out->capacity, out->count, sizeof *out->factor))
        return f2l_fail_memory(err);
    f2l_contraction_factor *f = &out->factor[out->count];
    *f = (f2l_contraction_factor){.beta = beta, .u = _fmpq_vec_init((slong)size), .size = size};
    out->count++;
    for (size_t i = 0; i < size; i++) fmpq_set(f->u + i, u + i);
    make_primitive(f->u, size);
    return F2L_OK;
}

/* Replaces x by the factor's image of it. */
static void apply_contraction_factor(fmpq *x, const f2l_code_space *s,
                                     const f2l_contraction_factor *f)
{
    const size_t extra = f->size - s->dim;
    fmpq_t scale, length;
    fmpq_init(scale);
    fmpq_init(length);
    inner(scale, s, f->u, x, extra);
    inner(length, s, f->u, f->u, extra);
    fmpq_div(scale, scale, length);
    if (f->beta == 2) fmpq_add(scale, scale, scale);
    for (size_t i = 0; i < f->size; i++) fmpq_submul(x + i, scale, f->u + i);
    fmpq_clear(scale);
    fmpq_clear(length);
}

/* --- the kernel and its complement --- */

/* Makes the rows orthogonal, by Gram and Schmidt. */
static void orthogonalise(fmpq_mat_t rows, const work *w)
{
    const f2l_code_space *s = w->space;
    fmpq_t scale, length;
    fmpq_init(scale);
    fmpq_init(length);
    for (slong i = 0; i < fmpq_mat_nrows(rows); i++)
        for (slong j = 0; j < i && factoring_goes_on(w, 2); j++) {
            inner(scale, s, fmpq_mat_entry(rows, j, 0), fmpq_mat_entry(rows, i, 0), 0);
            inner(length, s, fmpq_mat_entry(rows, j, 0), fmpq_mat_entry(rows, j, 0), 0);
            fmpq_div(scale, scale, length);
            for (slong c = 0; c < (slong)s->dim; c++)
                fmpq_submul(fmpq_mat_entry(rows, i, c), scale, fmpq_mat_entry(rows, j, c));
        }
    fmpq_clear(scale);
    fmpq_clear(length);
}

static void split_kernel(work *w)
{
    fmpq_mat_t products;
    fmpq_mat_init(w->kernel, 0, 0);
    fmpq_mat_init(w->basis, 0, 0);
    f2l_null_space(w->kernel, w->step, w->watch);
    orthogonalise(w->kernel, w);
    fmpq_mat_init(products, fmpq_mat_nrows(w->kernel), (slong)w->space->dim);
    fmpq_mat_mul(products, w->kernel, w->space->form);
    f2l_null_space(w->basis, products, w->watch);
    fmpq_mat_clear(products);
}

/* --- the squares --- */

/* Sets out to S = B (G - M^T G M) B^T, the form of what the letter loses on the complement. */
static void find_loss(fmpq_mat_t out, const work *w)
{
    const slong dim = (slong)w->space->dim, rows = fmpq_mat_nrows(w->basis);
    fmpq_mat_t loss, image, transposed;
    fmpq_mat_init(loss, dim, dim);
    fmpq_mat_init(image, dim, dim);
    fmpq_mat_init(transposed, dim, dim);
    fmpq_mat_mul(image, w->space->form, w->step);
    fmpq_mat_transpose(transposed, w->step);
    fmpq_mat_mul(loss, transposed, image);
    fmpq_mat_sub(loss, w->space->form, loss);
    fmpq_mat_clear(image);
    fmpq_mat_clear(transposed);
    fmpq_mat_init(image, rows, dim);
    fmpq_mat_init(transposed, dim, rows);
    fmpq_mat_mul(image, w->basis, loss);
    fmpq_mat_transpose(transposed, w->basis);
    fmpq_mat_mul(out, image, transposed);
    fmpq_mat_clear(loss);
    fmpq_mat_clear(image);
    fmpq_mat_clear(transposed);
}

#define FACTORED_BITS 128 /* larger numbers could take hours */
#define TRIAL_PRIMES 3512

/* Sets weight to an integer and scale > 0 with d = weight scale^2; without square divisors unless
 * numbers are so large that only small ones are looked for. */
static void take_square(fmpz_t weight, fmpq_t scale, const fmpq_t d)
{
    fmpz_factor_t factors;
    fmpz_t product, root, rest;
    fmpz_init(product);
    fmpz_init(rest);
    fmpz_init_set_ui(root, 1);
    fmpz_mul(product, fmpq_numref(d), fmpq_denref(d));
    fmpz_factor_init(factors);
    if (fmpz_bits(product) <= FACTORED_BITS)
        fmpz_factor(factors, product);
    else
        fmpz_factor_trial(factors, product, TRIAL_PRIMES);
    fmpz_one(weight);
    for (slong i = 0; i < factors->num; i++) {
        fmpz_pow_ui(product, factors->p + i, factors->exp[i] / 2);
        fmpz_mul(root, root, product);
        if (factors->exp[i] % 2 == 0) continue;
        fmpz_sqrtrem(product, rest, factors->p + i); /* the last one need not be a prime */
        fmpz_mul(fmpz_is_zero(rest) ? root : weight, fmpz_is_zero(rest) ? root : weight,
                 fmpz_is_zero(rest) ? product : factors->p + i);
    }
    fmpq_set_fmpz_frac(scale, root, fmpq_denref(d));
    fmpz_factor_clear(factors);
    fmpz_clear(product);
    fmpz_clear(root);
    fmpz_clear(rest);
}

/* Returns the number of an extra coordinate of that weight which the letter does not use yet; adds
 * one where there is none. SIZE_MAX: memory is out. */
static size_t find_place(work *w, const fmpz_t weight)
{
    f2l_code_space *s = w->space;
    for (size_t i = 0; i < s->extra; i++) {
        bool used = false;
        for (size_t j = 0; j < w->squares; j++) used |= w->place[j] == i;
        if (!used && fmpz_equal(s->weight + i, weight)) return i;
    }
    if (!f2l_grow((void **)&s->weight, &s->room, s->extra, sizeof *s->weight)) return SIZE_MAX;
    fmpz_init_set(s->weight + s->extra, weight);
    return s->extra++;
}

/* Adds the square d (sum of column[i] xi_i)^2. */
static f2l_status add_square(work *w, const fmpq_t d, const fmpq_mat_t loss, slong pivot,
                             f2l_error *err)
{
    fmpz_t weight;
    fmpq_t scale, entry;
    fmpz_init(weight);
    fmpq_init(scale);
    fmpq_init(entry);
    take_square(weight, scale, d);
    const size_t place = find_place(w, weight);
    for (slong i = 0; i < fmpq_mat_nrows(loss); i++) {
        fmpq_div(entry, fmpq_mat_entry(loss, i, pivot), d);
        fmpq_mul(fmpq_mat_entry(w->lift, i, (slong)w->squares), entry, scale);
    }
    w->place[w->squares++] = place;
    fmpz_clear(weight);
    fmpq_clear(scale);
    fmpq_clear(entry);
    return place == SIZE_MAX ? f2l_fail_memory(err) : F2L_OK;
}

/* Writes the positive semidefinite loss as a sum of squares, one after the other; the rest is
 * `loss` again. */
static f2l_status find_squares(work *w, fmpq_mat_t loss, f2l_error *err)
{
    const slong rows = fmpq_mat_nrows(loss);
    fmpq_t d, term;
    f2l_status status = F2L_OK;
    fmpq_init(d);
    fmpq_init(term);
    for (slong p = 0; p < rows && status == F2L_OK; p++) {
        fmpq_set(d, fmpq_mat_entry(loss, p, p));
        if (fmpq_is_zero(d)) continue;
        if (fmpq_sgn(d) < 0) {
            status = f2l_fail(err, F2L_EDOMAIN, "a letter is no contraction for the form");
            break;
        }
        status = add_square(w, d, loss, p, err);
        if (!factoring_goes_on(w, 1)) break;
        for (slong i = rows; i-- > 0;) /* row p comes last but for those before, which are 0 */
            for (slong j = rows; j-- > 0;) {
                if (i == p || j == p) continue;
                fmpq_mul(term, fmpq_mat_entry(loss, i, p), fmpq_mat_entry(loss, p, j));
                fmpq_div(term, term, d);
                fmpq_sub(fmpq_mat_entry(loss, i, j), fmpq_mat_entry(loss, i, j), term);
            }
        for (slong i = 0; i < rows; i++) {
            fmpq_zero(fmpq_mat_entry(loss, i, p));
            fmpq_zero(fmpq_mat_entry(loss, p, i));
        }
    }
    if (status == F2L_OK) status = w->watch->status;
    if (status == F2L_OK && !fmpq_mat_is_zero(loss))
        status = f2l_fail(err, F2L_EDOMAIN, "a letter is no contraction for the form");
    fmpq_clear(d);
    fmpq_clear(term);
    return status;
}

/* --- the factors --- */

static f2l_status project_kernel(work *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (slong i = 0; i < fmpq_mat_nrows(w->kernel) && status == F2L_OK; i++)
        status = add_factor(w, 1, fmpq_mat_entry(w->kernel, i, 0), w->space->dim, err);
    return status;
}

/* Sets u to what the reflections so far make of basis vector `row`, less where it belongs. */
static void find_gap(fmpq *u, const work *w, slong row, size_t first_reflection)
{
    const f2l_code_space *s = w->space;
    const size_t size = s->dim + s->extra;
    for (size_t i = 0; i < size; i++) fmpq_zero(u + i);
    for (size_t i = 0; i < s->dim; i++) fmpq_set(u + i, fmpq_mat_entry(w->basis, row, (slong)i));
    for (size_t f = first_reflection; f < w->out->count && factoring_goes_on(w, 2); f++)
        apply_contraction_factor(u, s, &w->out->factor[f]);
    for (size_t i = 0; i < s->dim; i++)
        for (size_t j = 0; j < s->dim; j++)
            fmpq_submul(u + i, fmpq_mat_entry(w->step, (slong)i, (slong)j),
                        fmpq_mat_entry(w->basis, row, (slong)j));
    for (size_t l = 0; l < w->squares; l++)
        fmpq_sub(u + s->dim + w->place[l], u + s->dim + w->place[l],
                 fmpq_mat_entry(w->lift, row, (slong)l));
}

static f2l_status reflect_basis(work *w, f2l_error *err)
{
    const size_t size = w->space->dim + w->space->extra, first = w->out->count;
    f2l_status status = F2L_OK;
    fmpq *u = _fmpq_vec_init((slong)size);
    for (slong row = 0; row < fmpq_mat_nrows(w->basis) && status == F2L_OK; row++) {
        find_gap(u, w, row, first);
        status = w->watch->status;
        if (status == F2L_OK && !f2l_contraction_is_zero(u, size))
            status = add_factor(w, 2, u, size, err);
    }
    _fmpq_vec_clear(u, (slong)size);
    return status;
}

static f2l_status erase_extra(work *w, f2l_error *err)
{
    const size_t size = w->space->dim + w->space->extra;
    f2l_status status = F2L_OK;
    fmpq *u = _fmpq_vec_init((slong)size);
    for (size_t l = 0; l < w->squares && status == F2L_OK; l++) {
        fmpq_one(u + w->space->dim + w->place[l]);
        status = add_factor(w, 1, u, size, err);
        fmpq_zero(u + w->space->dim + w->place[l]);
    }
    _fmpq_vec_clear(u, (slong)size);
    return status;
}

/* Two reflections along a vector are a translation by it, when they write the right numbers. */
static f2l_status add_shift(work *w, const fmpq *shift, f2l_error *err)
{
    const size_t dim = w->space->dim;
    if (f2l_contraction_is_zero(shift, dim)) return F2L_OK;
    w->out->shifts = true;
    const f2l_status status = add_factor(w, 2, shift, dim, err);
    return status == F2L_OK ? add_factor(w, 2, shift, dim, err) : status;
}

f2l_status f2l_contraction_factorise(f2l_contraction_factors *out, f2l_code_space *space,
                                     size_t letter, f2l_watch *watch, f2l_error *err)
{
    work w = {.space = space, .step = space->step[letter], .out = out, .watch = watch};
    split_kernel(&w);
    const slong rows = fmpq_mat_nrows(w.basis);
    fmpq_mat_t loss;
    fmpq_mat_init(loss, rows, rows);
    fmpq_mat_init(w.lift, rows, rows);
    w.place = f2l_calloc((size_t)rows + 1, sizeof *w.place);
    f2l_status status = w.place ? watch->status : f2l_fail_memory(err);
    if (status == F2L_OK) find_loss(loss, &w);
    if (status == F2L_OK) status = find_squares(&w, loss, err);
    if (status == F2L_OK) status = project_kernel(&w, err);
    if (status == F2L_OK) status = reflect_basis(&w, err);
    if (status == F2L_OK) status = erase_extra(&w, err);
    if (status == F2L_OK)
        status = add_shift(&w, fmpq_mat_entry(space->shift, (slong)letter, 0), err);
    f2l_free(w.place);
    fmpq_mat_clear(loss);
    fmpq_mat_clear(w.lift);
    fmpq_mat_clear(w.kernel);
    fmpq_mat_clear(w.basis);
    return status;
}

void f2l_contraction_factors_clear(f2l_contraction_factors *factors)
{
    for (size_t i = 0; i < factors->count; i++)
        _fmpq_vec_clear(factors->factor[i].u, (slong)factors->factor[i].size);
    f2l_free(factors->factor);
    *factors = (f2l_contraction_factors){0};
}
