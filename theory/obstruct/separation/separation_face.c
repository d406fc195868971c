/* Faces: what is known, and the forms that satisfy it (SP.4). */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include <string.h>

static fmpq_mat_t *matrices(size_t count, size_t rows, size_t columns)
{
    fmpq_mat_t *m = f2l_calloc(count, sizeof *m);
    for (size_t i = 0; m && i < count; i++) fmpq_mat_init(m[i], (slong)rows, (slong)columns);
    return m;
}

static void free_matrices(fmpq_mat_t *m, size_t count)
{
    for (size_t i = 0; m && i < count; i++) fmpq_mat_clear(m[i]);
    f2l_free(m);
}

/* Sets the column of a matrix to e_p - e_q, and row[2][m] to where its entries 1 and -1 are; e_m is
 * 0. */
static void set_difference(fmpq_mat_t matrix, size_t *row, size_t column, size_t p, size_t q)
{
    const size_t m = (size_t)fmpq_mat_nrows(matrix);
    for (size_t a = 0; a < m; a++)
        fmpq_set_si(fmpq_mat_entry(matrix, (slong)a, (slong)column), (a == p) - (a == q), 1);
    row[column] = p == q ? m : p;
    row[m + column] = p == q ? m : q;
}

/* P leads e_i - e_last to e_i - e_r for the states i of the domain, whose last one is r, and to 0
 * for the others. */
static void fill_letter(f2l_face *face, size_t letter)
{
    const f2l_maps *maps = face->maps;
    size_t r = face->m, *row = face->row + 4 * face->m * letter;
    for (size_t i = 0; i < 4 * face->m; i++) row[i] = face->m;
    while (!f2l_maps_defined(maps, letter, r)) r--;
    for (size_t i = 0; i < face->m; i++) {
        if (!f2l_maps_defined(maps, letter, i)) continue;
        set_difference(face->base[letter], row, i, i, r);
        set_difference(face->map[letter], row + 2 * face->m, i,
                       maps->next[i * maps->letters + letter],
                       maps->next[r * maps->letters + letter]);
    }
}

f2l_status f2l_face_init(f2l_face *face, const f2l_maps *maps, f2l_watch *watch, f2l_error *err)
{
    const size_t m = maps->states - 1, blocks = maps->letters + 1;
    *face = (f2l_face){.maps = maps, .m = m, .blocks = blocks, .watch = watch};
    face->base = matrices(maps->letters, m, m);
    face->map = matrices(maps->letters, m, m);
    face->known = matrices(blocks, 0, m);
    face->row = f2l_calloc(maps->letters * 4 * m + 1, sizeof *face->row);
    face->free = f2l_calloc(blocks * m, sizeof *face->free);
    face->frees = f2l_calloc(blocks, sizeof *face->frees);
    if (!face->base || !face->map || !face->row || !face->known || !face->free || !face->frees) {
        f2l_face_clear(face);
        return f2l_fail_memory(err);
    }
    for (size_t w = 0; w < maps->letters; w++) fill_letter(face, w);
    f2l_face_conclude(face);
    return F2L_OK;
}

static void clear_forms(f2l_face *face)
{
    free_matrices(face->form, face->forms);
    free_matrices(face->value, face->forms * face->blocks);
    f2l_free(face->number);
    face->form = face->value = NULL;
    face->number = NULL;
    face->forms = 0;
}

void f2l_face_clear(f2l_face *face)
{
    if (face->maps) {
        clear_forms(face);
        free_matrices(face->base, face->maps->letters);
        free_matrices(face->map, face->maps->letters);
        free_matrices(face->known, face->blocks);
    }
    f2l_free(face->row);
    f2l_free(face->free);
    f2l_free(face->frees);
    *face = (f2l_face){0};
}

bool f2l_face_learn(f2l_face *face, size_t block, const fmpq *z)
{
    fmpq_mat_t larger;
    const slong rows = fmpq_mat_nrows(face->known[block]), m = (slong)face->m;
    fmpq_mat_init(larger, rows + 1, m);
    for (slong j = 0; j < m; j++) {
        for (slong i = 0; i < rows; i++)
            fmpq_set(fmpq_mat_entry(larger, i, j), fmpq_mat_entry(face->known[block], i, j));
        fmpq_set(fmpq_mat_entry(larger, rows, j), &z[j]);
    }
    const bool more = f2l_reduce_rows(larger, face->watch) > rows;
    if (more) fmpq_mat_swap(face->known[block], larger);
    fmpq_mat_clear(larger);
    return more;
}

/* Sets image to the matrix times z: most entries of both are 0, others of the matrix 1 or -1. */
static void apply_letter(fmpq *image, const fmpq_mat_t matrix, const fmpq *z, size_t m)
{
    for (size_t i = 0; i < m; i++) fmpq_zero(&image[i]);
    for (size_t j = 0; j < m; j++) {
        if (fmpq_is_zero(&z[j])) continue;
        for (size_t i = 0; i < m; i++) {
            const int sign = fmpq_sgn(fmpq_mat_entry(matrix, (slong)i, (slong)j));
            if (sign > 0) fmpq_add(&image[i], &image[i], &z[j]);
            if (sign < 0) fmpq_sub(&image[i], &image[i], &z[j]);
        }
    }
}

void f2l_face_project(fmpq *image, const f2l_face *face, size_t letter, const fmpq *z)
{
    apply_letter(image, face->base[letter], z, face->m);
}

void f2l_face_push(fmpq *image, const f2l_face *face, size_t letter, const fmpq *z)
{
    apply_letter(image, face->map[letter], z, face->m);
}

/* Learns what the kernel of G says about a letter: where G P z = 0, also S_w z = 0 and G F P z = 0.
 * Returns whether the kernel of G grew. */
static bool conclude_letter(f2l_face *face, size_t letter, fmpq *z, fmpq *image)
{
    fmpq_mat_t outside, vectors;
    bool more = false;
    fmpq_mat_init(vectors, 0, 0);
    f2l_null_space(vectors, face->known[0], face->watch); /* a vector is known if these rows
                                                             annihilate it */
    fmpq_mat_init(outside, fmpq_mat_nrows(vectors), (slong)face->m);
    fmpq_mat_mul(outside, vectors, face->base[letter]);
    f2l_null_space(vectors, outside, face->watch);
    for (slong i = 0; i < fmpq_mat_nrows(vectors) && f2l_face_goes_on(face); i++) {
        for (size_t j = 0; j < face->m; j++) fmpq_set(&z[j], fmpq_mat_entry(vectors, i, (slong)j));
        f2l_face_learn(face, 1 + letter, z);
        f2l_face_push(image, face, letter, z);
        more = f2l_face_learn(face, 0, image) || more;
    }
    fmpq_mat_clear(outside);
    fmpq_mat_clear(vectors);
    return more;
}

void f2l_face_conclude(f2l_face *face)
{
    fmpq *z = _fmpq_vec_init((slong)face->m), *image = _fmpq_vec_init((slong)face->m);
    for (bool more = true; more && f2l_face_goes_on(face);) {
        more = false;
        for (size_t w = 0; w < face->maps->letters; w++)
            more = conclude_letter(face, w, z, image) || more;
    }
    _fmpq_vec_clear(z, (slong)face->m);
    _fmpq_vec_clear(image, (slong)face->m);
}

bool f2l_face_equal_pair(size_t *p, size_t *q, const f2l_face *face)
{
    bool found = false;
    fmpq *z = _fmpq_vec_init((slong)face->m);
    f2l_face copy = {
        .maps = face->maps, .m = face->m, .known = (fmpq_mat_t *)face->known, .watch = face->watch};
    for (*p = 1; *p <= face->m && !found; *p += !found)
        for (*q = 0; *q < *p && !found; *q += !found) {
            if (!f2l_maps_apart(face->maps, *p, *q) || !f2l_face_goes_on(face)) continue;
            for (size_t j = 0; j < face->m; j++)
                fmpq_set_si(&z[j], (long)(j == *p) - (long)(j == *q), 1);
            fmpq_mat_t kept;
            fmpq_mat_init_set(kept, face->known[0]);
            found = !f2l_face_learn(&copy, 0, z) && f2l_face_goes_on(face);
            fmpq_mat_swap(copy.known[0], kept);
            fmpq_mat_clear(kept);
        }
    _fmpq_vec_clear(z, (slong)face->m);
    return found;
}

/* Adds sign times matrix^T form matrix to out, where row[2][m] has for each column of the matrix
 * the rows of its entry 1 and of its entry -1; m: there is none. */
static void add_restricted(fmpq_mat_t out, const fmpq_mat_t form, const size_t *row, int sign)
{
    const size_t m = (size_t)fmpq_mat_nrows(form);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t s = 0; s < 2; s++)
                for (size_t t = 0; t < 2; t++) {
                    const size_t a = row[s * m + i], b = row[t * m + j];
                    fmpq *to = fmpq_mat_entry(out, (slong)i, (slong)j);
                    if (a == m || b == m) continue;
                    const bool adds = (s == t) == (sign > 0);
                    (adds ? fmpq_add : fmpq_sub)(to, to, fmpq_mat_entry(form, (slong)a, (slong)b));
                }
}

void f2l_face_slack(fmpq_mat_t out, const f2l_face *face, size_t letter, const fmpq_mat_t form)
{
    const size_t *row = face->row + 4 * face->m * letter;
    fmpq_mat_zero(out);
    add_restricted(out, form, row, 1);
    add_restricted(out, form, row + 2 * face->m, -1);
}

/* Writes the pivot columns of a matrix in reduced echelon form. */
static void mark_pivots(size_t *is_pivot, const fmpq_mat_t m, slong rank)
{
    memset(is_pivot, 0, (size_t)fmpq_mat_ncols(m) * sizeof *is_pivot);
    for (slong i = 0, j = 0; i < rank; i++) {
        while (fmpq_is_zero(fmpq_mat_entry(m, i, j))) j++;
        is_pivot[j] = (size_t)i + 1;
    }
}

/* The number of entry (i, j) of a symmetric matrix among those with i <= j. */
static slong symmetric_place(size_t i, size_t j)
{
    return (slong)(i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j);
}

/* Adds scale (z^T G)_j to the row of an equation for the entries of G. */
static void add_equation_row(fmpq_mat_t system, slong row, const fmpq *z, size_t m,
                             const fmpq *scale, size_t j)
{
    for (size_t i = 0; i < m; i++)
        fmpq_addmul(fmpq_mat_entry(system, row, symmetric_place(i, j)), &z[i], scale);
}

/* Adds sign (z^T G matrix)_j to the row. */
static void add_equation_column(fmpq_mat_t system, slong row, const fmpq *z,
                                const fmpq_mat_t matrix, size_t j, bool minus)
{
    fmpq_t scale;
    fmpq_init(scale);
    for (slong a = 0; a < fmpq_mat_nrows(matrix); a++) {
        const fmpq *entry = fmpq_mat_entry(matrix, a, (slong)j);
        (minus ? fmpq_neg : fmpq_set)(scale, entry);
        if (!fmpq_is_zero(scale))
            add_equation_row(system, row, z, (size_t)fmpq_mat_nrows(matrix), scale, (size_t)a);
    }
    fmpq_clear(scale);
}

/* Writes the m equations for one known vector of a block. */
static void write_equations(fmpq_mat_t system, slong *row, const f2l_face *face, size_t block,
                            const fmpq *z, fmpq *image)
{
    const size_t w = block - 1;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    for (size_t j = 0; j < face->m && block == 0; j++, ++*row)
        add_equation_row(system, *row, z, face->m, one, j);
    fmpq_clear(one);
    if (block == 0) return;
    for (int minus = 0; minus < 2; minus++) {
        (minus ? f2l_face_push : f2l_face_project)(image, face, w, z);
        for (size_t j = 0; j < face->m; j++)
            add_equation_column(system, *row + (slong)j, image,
                                minus ? face->map[w] : face->base[w], j, minus == 1);
    }
    *row += (slong)face->m;
}

static void solve_equations(fmpq_mat_t basis, const f2l_face *face)
{
    const size_t m = face->m;
    slong rows = 0, row = 0;
    for (size_t b = 0; b < face->blocks; b++) rows += fmpq_mat_nrows(face->known[b]) * (slong)m;
    fmpq *z = _fmpq_vec_init((slong)m), *image = _fmpq_vec_init((slong)m);
    fmpq_mat_t system;
    fmpq_mat_init(system, rows, (slong)(m * (m + 1) / 2));
    for (size_t b = 0; b < face->blocks; b++)
        for (slong i = 0; i < fmpq_mat_nrows(face->known[b]) && f2l_face_goes_on(face); i++) {
            for (size_t j = 0; j < m; j++)
                fmpq_set(&z[j], fmpq_mat_entry(face->known[b], i, (slong)j));
            write_equations(system, &row, face, b, z, image);
        }
    f2l_null_space(basis, system, face->watch);
    fmpq_mat_clear(system);
    _fmpq_vec_clear(z, (slong)m);
    _fmpq_vec_clear(image, (slong)m);
}

static void find_free(f2l_face *face)
{
    size_t *pivot = flint_malloc((face->m + 1) * sizeof *pivot);
    for (size_t b = 0; b < face->blocks; b++) {
        mark_pivots(pivot, face->known[b], fmpq_mat_nrows(face->known[b]));
        face->frees[b] = 0;
        for (size_t j = 0; j < face->m; j++)
            if (!pivot[j]) face->free[b * face->m + face->frees[b]++] = j;
    }
    flint_free(pivot);
}

/* Returns whether the basis was found, and its matrices fit the memory budget. */
static f2l_status span_status(const f2l_face *face, size_t forms, f2l_error *err)
{
    const size_t each = face->m * face->m * sizeof(fmpq);
    if (face->watch->status != F2L_OK) return face->watch->status;
    return f2l_task_memory(&face->watch->task, face->watch->meter.phase,
                           forms * (face->blocks + 1) * each, err);
}

/* Returns fmpq_get_d(x), which a small integer is itself; most are. */
static double number_of(const fmpq *x)
{
    const fmpz above = *fmpq_numref(x);
    const bool small = above >= -(1 << 30) && above <= 1 << 30 && fmpz_is_one(fmpq_denref(x));
    return small ? (double)above : fmpq_get_d(x);
}

/* Sets face->number. */
static bool take_numbers(f2l_face *face)
{
    const size_t m = face->m, count = face->forms * face->blocks;
    face->number = f2l_calloc(count * m * m + 1, sizeof *face->number);
    for (size_t k = 0; face->number && k < count; k++)
        for (size_t i = 0; i < m * m; i++)
            face->number[k * m * m + i] =
                number_of(fmpq_mat_entry(face->value[k], (slong)(i / m), (slong)(i % m)));
    return face->number != NULL;
}

f2l_status f2l_face_span(f2l_face *face, f2l_error *err)
{
    fmpq_mat_t basis;
    fmpq_mat_init(basis, 0, 0);
    clear_forms(face);
    find_free(face);
    solve_equations(basis, face);
    const size_t forms = (size_t)fmpq_mat_nrows(basis);
    f2l_status status = span_status(face, forms, err);
    if (status == F2L_OK) {
        face->forms = forms;
        face->form = matrices(forms, face->m, face->m);
        face->value = matrices(forms * face->blocks, face->m, face->m);
        if (!face->form || !face->value) status = f2l_fail_memory(err);
    }
    for (size_t k = 0; status == F2L_OK && k < forms && f2l_face_goes_on(face); k++) {
        for (size_t i = 0; i < face->m; i++)
            for (size_t j = 0; j < face->m; j++)
                fmpq_set(fmpq_mat_entry(face->form[k], (slong)i, (slong)j),
                         fmpq_mat_entry(basis, (slong)k, symmetric_place(i, j)));
        fmpq_mat_set(face->value[k * face->blocks], face->form[k]);
        for (size_t w = 0; w + 1 < face->blocks; w++)
            f2l_face_slack(face->value[k * face->blocks + 1 + w], face, w, face->form[k]);
    }
    fmpq_mat_clear(basis);
    if (status == F2L_OK) status = face->watch->status;
    if (status == F2L_OK && !take_numbers(face)) status = f2l_fail_memory(err);
    return status;
}
