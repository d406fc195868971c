/* A step of a chain from dual matrices in doubles (SP.6): their ranges are guessed by fractions
 * with small denominators, the equations are solved exactly around the rounded free entries, and
 * the result counts only if it is positive definite on the ranges. */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/equations.h"
#include "theory/obstruct/separation/impl.h"
#include <math.h>
#include <string.h>

/* Guesses are rounded to these numbers of binary places. */
#define LEAST_BITS 4
#define MORE_BITS 6
#define MOST_BITS 40

/* The matrices of a step: block b is U^T Z U, U[ranks][m] with ranks rows. */
typedef struct ansatz {
    f2l_face *face;
    fmpq_mat_t *range;  /* [blocks] U */
    size_t *pivot;      /* [blocks][m] the free coordinate of each row */
    size_t unknowns;    /* entries i <= j of all Z */
    double *guess;      /* [unknowns] */
    fmpq_mat_t *middle; /* [blocks] Z */
} ansatz;

static void clear_ansatz(ansatz *a)
{
    for (size_t b = 0; a->range && b < a->face->blocks; b++) fmpq_mat_clear(a->range[b]);
    for (size_t b = 0; a->middle && b < a->face->blocks; b++) fmpq_mat_clear(a->middle[b]);
    f2l_free(a->range);
    f2l_free(a->middle);
    f2l_free(a->pivot);
    f2l_free(a->guess);
}

static f2l_status init(ansatz *a, f2l_face *face, f2l_error *err)
{
    const size_t blocks = face->blocks, m = face->m;
    *a = (ansatz){.face = face};
    a->range = f2l_calloc(blocks, sizeof *a->range);
    a->middle = f2l_calloc(blocks, sizeof *a->middle);
    a->pivot = f2l_calloc(blocks * m, sizeof *a->pivot);
    a->guess = f2l_calloc(blocks * m * (m + 1) / 2, sizeof *a->guess);
    for (size_t b = 0; a->range && b < blocks; b++) fmpq_mat_init(a->range[b], 0, (slong)m);
    for (size_t b = 0; a->middle && b < blocks; b++) fmpq_mat_init(a->middle[b], 0, 0);
    if (a->range && a->middle && a->pivot && a->guess) return F2L_OK;
    clear_ansatz(a);
    return f2l_fail_memory(err);
}

/* Chooses pivots of the n x n matrix y, by greatest diagonal entries of what is left: pivot[ranks],
 * rows and columns of y. rest[n][n]: scratch. */
static size_t choose_pivots(size_t *pivot, const double *y, double *rest, size_t n, size_t width,
                            double least)
{
    size_t ranks = 0;
    for (size_t i = 0; i < n; i++) memcpy(rest + i * n, y + i * width, n * sizeof *rest);
    for (; ranks < n; ranks++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (rest[i * n + i] > rest[best * n + best]) best = i;
        const double d = rest[best * n + best];
        if (!(d > least)) break;
        pivot[ranks] = best;
        for (size_t i = 0; i < n; i++) {
            const double ratio = rest[i * n + best] / d;
            for (size_t j = 0; i != best && j < n; j++)
                rest[i * n + j] -= ratio * rest[best * n + j];
        }
        for (size_t j = 0; j < n; j++) rest[best * n + j] = rest[j * n + best] = 0;
    }
    return ranks;
}

/* Sets rows[ranks][n] to the rows of y at the pivots, reduced to the identity there. */
static void reduce_rows(double *rows, const size_t *pivot, size_t ranks, const double *y, size_t n,
                        size_t width)
{
    for (size_t i = 0; i < ranks; i++) memcpy(rows + i * n, y + pivot[i] * width, n * sizeof *rows);
    for (size_t i = 0; i < ranks; i++) {
        const double d = rows[i * n + pivot[i]];
        for (size_t j = 0; j < n; j++) rows[i * n + j] /= d;
        for (size_t k = 0; k < ranks; k++) {
            const double ratio = rows[k * n + pivot[i]];
            for (size_t j = 0; k != i && j < n; j++) rows[k * n + j] -= ratio * rows[i * n + j];
        }
    }
}

/* Guesses the range of block b, whose matrix is y; false: its entries are no simple fractions. */
static bool guess_range(ansatz *a, size_t b, const double *y, size_t width, const f2l_guess *guess,
                        double *scratch)
{
    const size_t n = a->face->frees[b], *at = a->face->free + b * a->face->m;
    size_t *pivot = a->pivot + b * a->face->m;
    const size_t ranks = choose_pivots(pivot, y, scratch, n, width, guess->zero);
    bool simple = true;
    reduce_rows(scratch, pivot, ranks, y, n, width);
    fmpq_mat_clear(a->range[b]);
    fmpq_mat_init(a->range[b], (slong)ranks, (slong)a->face->m);
    for (size_t i = 0; i < ranks; i++)
        for (size_t j = 0; simple && j < n; j++)
            simple = f2l_simple_fraction(fmpq_mat_entry(a->range[b], (slong)i, (slong)at[j]),
                                         scratch[i * n + j], guess->eps);
    for (size_t j = 0; j < ranks; j++)
        for (size_t i = 0; i <= j; i++) a->guess[a->unknowns++] = y[pivot[i] * width + pivot[j]];
    return simple;
}

/* Sets out to the sum of x[i] row i of m, without what is 0: most entries are. */
static void combine_rows(fmpq *out, const fmpq *x, const fmpq_mat_t m)
{
    for (slong j = 0; j < fmpq_mat_ncols(m); j++) fmpq_zero(&out[j]);
    for (slong i = 0; i < fmpq_mat_nrows(m); i++)
        for (slong j = 0; j < fmpq_mat_ncols(m) && !fmpq_is_zero(&x[i]); j++)
            if (!fmpq_is_zero(fmpq_mat_entry(m, i, j)))
                fmpq_addmul(&out[j], &x[i], fmpq_mat_entry(m, i, j));
}

/* Writes the coefficients of the entries of Z in <U^T Z U, value>, from column `at` on. half[m]:
 * scratch. */
static void write_products(fmpq_mat_t system, slong row, slong at, const fmpq_mat_t range,
                           const fmpq_mat_t value, fmpq *half)
{
    for (slong j = 0; j < fmpq_mat_nrows(range); j++) {
        combine_rows(half, fmpq_mat_entry(range, j, 0), value);
        for (slong i = 0; i <= j; i++, at++) {
            fmpq *to = fmpq_mat_entry(system, row, at);
            for (slong c = 0; c < fmpq_mat_ncols(range); c++) {
                const fmpq *entry = fmpq_mat_entry(range, i, c);
                if (!fmpq_is_zero(entry) && !fmpq_is_zero(&half[c]))
                    fmpq_addmul(to, entry, &half[c]);
            }
            if (i < j) fmpq_mul_2exp(to, to, 1);
        }
    }
}

/* Sets the system to the equations that say that the sum of products vanishes on every form of the
 * face. */
static void write_system(fmpq_mat_t system, const ansatz *a)
{
    const f2l_face *face = a->face;
    fmpq *half = _fmpq_vec_init((slong)face->m);
    for (size_t k = 0; k < face->forms; k++) {
        slong at = 0;
        for (size_t b = 0; b < face->blocks && f2l_face_goes_on(face); b++) {
            const slong ranks = fmpq_mat_nrows(a->range[b]);
            write_products(system, (slong)k, at, a->range[b], face->value[k * face->blocks + b],
                           half);
            at += ranks * (ranks + 1) / 2;
        }
    }
    _fmpq_vec_clear(half, (slong)face->m);
}

/* Sets entry[unknowns] to the solution whose chosen entries are the guesses, rounded to `bits`
 * binary places; returns false where there is none. */
static bool round_guess(fmpq *entry, const ansatz *a, const f2l_equations *equations, int bits)
{
    const slong chosen = (slong)a->unknowns - equations->rank;
    fmpz *value = _fmpz_vec_init(chosen);
    for (slong i = 0; i < chosen; i++)
        fmpz_set_si(&value[i], (slong)round(ldexp(a->guess[equations->chosen[i]], bits)));
    const bool solved = f2l_equations_solve(entry, equations, value, a->face->watch);
    for (size_t i = 0; solved && i < a->unknowns; i++)
        fmpq_div_2exp(&entry[i], &entry[i], (flint_bitcnt_t)bits);
    _fmpz_vec_clear(value, chosen);
    return solved;
}

/* Sets the middles to their factors L, and pivot[blocks][m] to D; false: some is not positive
 * definite. */
static bool factor_middles(ansatz *a, fmpq *pivot, const fmpq *entry)
{
    bool definite = true;
    for (size_t b = 0; b < a->face->blocks && definite; b++) {
        const slong ranks = fmpq_mat_nrows(a->range[b]);
        fmpq_mat_clear(a->middle[b]);
        fmpq_mat_init(a->middle[b], ranks, ranks);
        for (slong j = 0; j < ranks; j++)
            for (slong i = 0; i <= j; i++, entry++) {
                fmpq_set(fmpq_mat_entry(a->middle[b], i, j), entry);
                fmpq_set(fmpq_mat_entry(a->middle[b], j, i), entry);
            }
        definite = f2l_factor_form(a->middle[b], pivot + b * a->face->m, a->middle[b], true,
                                   a->face->watch);
    }
    return definite;
}

/* Tries the guesses from `bits` binary places on, exactly; pivot as in factor_middles. Returns
 * whether one of them will do. */
static bool solve_middles(ansatz *a, fmpq *pivot, const fmpq_mat_t system, int bits)
{
    f2l_equations equations;
    fmpq *entry = _fmpq_vec_init((slong)a->unknowns);
    bool found = false, solved = true;
    f2l_equations_init(&equations, system);
    if (equations.rank < (slong)a->unknowns)
        for (; bits <= MOST_BITS && !found && solved; bits += MORE_BITS) {
            solved = round_guess(entry, a, &equations, bits);
            found = solved && factor_middles(a, pivot, entry);
        }
    f2l_equations_clear(&equations);
    _fmpq_vec_clear(entry, (slong)a->unknowns);
    return found;
}

/* Sets *bits to the first number of binary places that the sieve does not refute; beyond MOST_BITS:
 * there is none. */
static f2l_status sieve(int *bits, const ansatz *a, f2l_error *err)
{
    const size_t blocks = a->face->blocks, m = a->face->m;
    f2l_sieve s;
    size_t *rows = f2l_calloc(blocks, sizeof *rows);
    double *scratch = f2l_calloc(m, m * sizeof *scratch);
    f2l_status status = rows && scratch ? f2l_sieve_init(&s, a->face->forms, a->unknowns, err)
                                        : f2l_fail_memory(err);
    *bits = LEAST_BITS;
    if (status == F2L_OK) {
        for (size_t b = 0; b < blocks; b++) rows[b] = (size_t)fmpq_mat_nrows(a->range[b]);
        status = f2l_sieve_fill(&s, a->face, a->range, err);
        while (*bits <= MOST_BITS && f2l_sieve_refutes(&s, a->guess, *bits, rows, blocks, scratch))
            *bits += MORE_BITS;
        f2l_sieve_clear(&s);
    }
    f2l_free(rows);
    f2l_free(scratch);
    return status;
}

/* Finds exact matrices for the ranges; pivot as in factor_middles. */
static f2l_status find_middles(bool *found, ansatz *a, fmpq *pivot, f2l_error *err)
{
    fmpq_mat_t system;
    int bits;
    *found = false;
    const f2l_status status = sieve(&bits, a, err);
    if (status != F2L_OK || bits > MOST_BITS) return status;
    fmpq_mat_init(system, (slong)a->face->forms, (slong)a->unknowns);
    write_system(system, a);
    *found = solve_middles(a, pivot, system, bits);
    fmpq_mat_clear(system);
    return F2L_OK;
}

/* Adds scale times the symmetric part of x y^T to the column of a system, by entries i <= j. */
static void add_square_column(fmpq_mat_t system, slong column, const fmpq *scale, const fmpq *x,
                              const fmpq *y, size_t m)
{
    fmpq_t product;
    slong row = 0;
    fmpq_init(product);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i <= j; i++, row++) {
            fmpq *to = fmpq_mat_entry(system, row, column);
            for (int swapped = 0; swapped < 2; swapped++) {
                const fmpq *left = &x[swapped ? j : i], *right = &y[swapped ? i : j];
                if (fmpq_is_zero(left) || fmpq_is_zero(right)) continue; /* most are */
                fmpq_mul(product, left, right);
                fmpq_mul(product, product, scale);
                fmpq_add(to, to, product);
            }
        }
    fmpq_clear(product);
}

/* Adds the matrix of scale y^T B z, B the block, to the column; the factor 2 is in all columns. */
static void add_term_column(fmpq_mat_t system, slong column, const f2l_face *face, size_t block,
                            const fmpq *scale, const fmpq *z, const fmpq *y)
{
    if (block == 0) {
        add_square_column(system, column, scale, z, y, face->m);
        return;
    }
    fmpq *image = _fmpq_vec_init((slong)face->m), *other = _fmpq_vec_init((slong)face->m);
    fmpq_t minus;
    fmpq_init(minus);
    fmpq_neg(minus, scale);
    f2l_face_project(image, face, block - 1, z);
    f2l_face_project(other, face, block - 1, y);
    add_square_column(system, column, scale, image, other, face->m);
    f2l_face_push(image, face, block - 1, z);
    f2l_face_push(other, face, block - 1, y);
    add_square_column(system, column, minus, image, other, face->m);
    fmpq_clear(minus);
    _fmpq_vec_clear(image, (slong)face->m);
    _fmpq_vec_clear(other, (slong)face->m);
}

/* Writes z[m] as a vector of sum 0. */
static void spread_to_sum_zero(fmpq *out, const fmpq *z, size_t m)
{
    fmpq_zero(&out[m]);
    for (size_t i = 0; i < m; i++) {
        fmpq_set(&out[i], &z[i]);
        fmpq_sub(&out[m], &out[m], &z[i]);
    }
}

/* Sets z[m] to row i of L^T U of the block. */
static void set_range_vector(fmpq *z, const ansatz *a, size_t b, slong i)
{
    for (size_t j = 0; j < a->face->m; j++) {
        fmpq_zero(&z[j]);
        for (slong k = i; k < fmpq_mat_nrows(a->range[b]); k++)
            fmpq_addmul(&z[j], fmpq_mat_entry(a->middle[b], k, i),
                        fmpq_mat_entry(a->range[b], k, (slong)j));
    }
}

/* Appends the terms of the matrices, adds them to the last column of the system, and keeps what
 * they say in `learnt`, rows after rows. */
static f2l_status add_squares(f2l_chain *chain, const ansatz *a, const fmpq *pivot,
                              fmpq_mat_t system, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_chain_term *t;
    const slong last = fmpq_mat_ncols(system) - 1;
    fmpq *z = _fmpq_vec_init((slong)a->face->m);
    for (size_t b = 0; b < a->face->blocks; b++)
        for (slong i = 0; status == F2L_OK && i < fmpq_mat_nrows(a->range[b]); i++) {
            const fmpq *scale = &pivot[b * a->face->m + (size_t)i];
            if (!f2l_face_goes_on(a->face)) break;
            set_range_vector(z, a, b, i);
            status = f2l_chain_add(&t, chain, b == 0 ? F2L_CHAIN_FORM : F2L_CHAIN_LETTER,
                                   b == 0 ? 0 : b - 1, err);
            if (status != F2L_OK) break;
            fmpq_set(t->scale, scale);
            spread_to_sum_zero(t->z, z, a->face->m);
            add_term_column(system, last, a->face, b, scale, z, z);
        }
    _fmpq_vec_clear(z, (slong)a->face->m);
    return status;
}

/* Writes a column for every known vector and every coordinate. */
static void add_known_columns(fmpq_mat_t system, const f2l_face *face)
{
    const size_t m = face->m;
    slong column = 0;
    fmpq *z = _fmpq_vec_init((slong)m), *y = _fmpq_vec_init((slong)m);
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    for (size_t b = 0; b < face->blocks; b++)
        for (slong i = 0; i < fmpq_mat_nrows(face->known[b]); i++)
            for (size_t j = 0; j < m && f2l_face_goes_on(face); j++, column++) {
                for (size_t k = 0; k < m; k++) {
                    fmpq_set(&z[k], fmpq_mat_entry(face->known[b], i, (slong)k));
                    fmpq_set_si(&y[k], k == j, 1);
                }
                add_term_column(system, column, face, b, one, z, y);
            }
    fmpq_clear(one);
    _fmpq_vec_clear(z, (slong)m);
    _fmpq_vec_clear(y, (slong)m);
}

/* Sets weight[columns] to a solution: the columns so weighted and the last one sum to 0. */
static bool solve_known(fmpq *weight, fmpq_mat_t system, f2l_watch *watch)
{
    const slong last = fmpq_mat_ncols(system) - 1, rank = f2l_reduce_rows(system, watch);
    for (slong j = 0; j < last; j++) fmpq_zero(&weight[j]);
    for (slong i = 0; i < rank; i++) {
        slong j = 0;
        while (fmpq_is_zero(fmpq_mat_entry(system, i, j))) j++;
        if (j == last) return false;
        fmpq_neg(&weight[j], fmpq_mat_entry(system, i, last));
    }
    return true;
}

/* Appends the known terms with these weights. */
static f2l_status add_known_terms(f2l_chain *chain, const f2l_face *face, const fmpq *weight,
                                  f2l_error *err)
{
    const size_t m = face->m;
    f2l_status status = F2L_OK;
    f2l_chain_term *t;
    fmpq *z = _fmpq_vec_init((slong)m);
    for (size_t b = 0; b < face->blocks; b++)
        for (slong i = 0; status == F2L_OK && i < fmpq_mat_nrows(face->known[b]);
             i++, weight += m) {
            size_t zeros = 0;
            while (zeros < m && fmpq_is_zero(&weight[zeros])) zeros++;
            if (zeros == m) continue;
            status = f2l_chain_add(&t, chain, b == 0 ? F2L_CHAIN_KNOWN : F2L_CHAIN_SLACK,
                                   b == 0 ? 0 : b - 1, err);
            if (status != F2L_OK) break;
            for (size_t j = 0; j < m; j++)
                fmpq_set(&z[j], fmpq_mat_entry(face->known[b], i, (slong)j));
            spread_to_sum_zero(t->z, z, m);
            spread_to_sum_zero(t->y, weight, m);
        }
    _fmpq_vec_clear(z, (slong)m);
    return status;
}

static void learn_chain_terms(f2l_face *face, const f2l_chain_term *from, const f2l_chain_term *to)
{
    for (const f2l_chain_term *t = from; t < to; t++)
        if (t->kind == F2L_CHAIN_FORM || t->kind == F2L_CHAIN_LETTER)
            f2l_face_learn(face, t->kind == F2L_CHAIN_FORM ? 0 : 1 + t->letter, t->z);
    f2l_face_conclude(face);
}

static f2l_status finish_step(bool *found, f2l_chain *chain, const ansatz *a, const fmpq *pivot,
                              f2l_error *err)
{
    f2l_face *face = a->face;
    const size_t first = chain->terms;
    slong known = 0;
    fmpq_mat_t system;
    for (size_t b = 0; b < face->blocks; b++)
        known += fmpq_mat_nrows(face->known[b]) * (slong)face->m;
    fmpq_mat_init(system, (slong)(face->m * (face->m + 1) / 2), known + 1);
    fmpq *weight = _fmpq_vec_init(known + 1);
    f2l_status status = add_squares(chain, a, pivot, system, err);
    add_known_columns(system, face);
    const bool solved =
        status == F2L_OK && solve_known(weight, system, face->watch) && f2l_face_goes_on(face);
    if (solved) status = add_known_terms(chain, face, weight, err);
    *found = solved && status == F2L_OK;
    if (*found) {
        learn_chain_terms(face, chain->term + first, chain->term + chain->terms);
        chain->steps++;
    } else {
        f2l_chain_cut(chain, first);
    }
    _fmpq_vec_clear(weight, known + 1);
    fmpq_mat_clear(system);
    return status;
}

/* Sets y[blocks][most][most] to the dual matrices with the greatest entry 1, or to identities. */
static f2l_status scale_dual(double **y, const f2l_face *face, const double *dual, size_t most,
                             f2l_error *err)
{
    double greatest = 0;
    const size_t cells = face->blocks * most * most;
    *y = f2l_calloc(cells, sizeof **y);
    if (!*y) return f2l_fail_memory(err);
    for (size_t i = 0; dual && i < cells; i++)
        if (fabs(dual[i]) > greatest) greatest = fabs(dual[i]);
    for (size_t i = 0; i < cells; i++)
        (*y)[i] = dual ? dual[i] / greatest : i % (most * most) % (most + 1) == 0;
    return F2L_OK;
}

/* Returns whether the system of solve_products and its null space fit the memory budget. */
static f2l_status products_fit(const ansatz *a, f2l_error *err)
{
    const size_t rows = a->face->forms + a->unknowns;
    return f2l_task_memory(&a->face->watch->task, a->face->watch->meter.phase,
                           rows * a->unknowns * sizeof(fmpq), err);
}

f2l_status f2l_round_step(bool *found, f2l_chain *chain, f2l_face *face, const double *dual,
                          size_t most, const f2l_guess *guess, f2l_error *err)
{
    ansatz a;
    double *y = NULL, *scratch = f2l_calloc(face->m + 1, (face->m + 1) * sizeof *scratch);
    *found = false;
    f2l_status status = scratch ? scale_dual(&y, face, dual, most, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = init(&a, face, err);
    if (status == F2L_OK) {
        bool simple = true, fits = false;
        fmpq *pivot = _fmpq_vec_init((slong)(face->blocks * face->m));
        for (size_t b = 0; b < face->blocks && simple; b++)
            simple = guess_range(&a, b, y + b * most * most, most, guess, scratch);
        simple = simple && a.unknowns > 0;
        if (simple) status = products_fit(&a, err);
        if (status == F2L_OK && simple) status = find_middles(&fits, &a, pivot, err);
        if (status == F2L_OK && fits) status = finish_step(found, chain, &a, pivot, err);
        _fmpq_vec_clear(pivot, (slong)(face->blocks * face->m));
        clear_ansatz(&a);
    }
    f2l_free(y);
    f2l_free(scratch);
    return status;
}
