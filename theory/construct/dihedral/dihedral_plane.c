/* Isometries of the plane over the smallest field that has them (theory/pages/dihedral.md, D2.2 -
 * D2.4). */
#include "theory/construct/dihedral/dihedral_plane.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "numeric/exact/field_cyclotomic.h"
#include "theory/rep/householders/reflections.h"

#define EMBEDDED_DIM 4 /* of three points on dyadic roots: D_4 */

void f2l_dihedral_plane_clear(f2l_dihedral_plane *p)
{
    for (size_t k = 0; p->power && k < p->m; k++) f2l_matrix_clear(&p->power[k]);
    f2l_free(p->power);
    f2l_matrix_clear(&p->form);
    f2l_matrix_clear(&p->mirror);
    f2l_matrix_clear(&p->start);
    f2l_field_clear(&p->field);
    *p = (f2l_dihedral_plane){0};
}

/* Sets *trace to 2 cos(2 pi / m), and its field. */
static f2l_status set_field(f2l_dihedral_plane *p, f2l_number *trace, f2l_error *err)
{
    const size_t m = p->m;
    int64_t *value = f2l_calloc(m, sizeof *value);
    if (!value) return f2l_fail_memory(err);
    value[1 % m]++, value[m - 1]++;
    f2l_status status = f2l_field_cyclotomic_real(&p->field, trace, value, 1, m, err);
    f2l_free(value);
    if (status == F2L_UNKNOWN)
        return f2l_fail(err, F2L_UNKNOWN, "the field of 2 cos(2 pi / %zu) is too large", m);
    return status;
}

/* R, F, the form and the start in a basis, row by row. */
typedef struct shape {
    size_t basis;
    long turn[4], mirror[4], form[4], start[4];
} shape;

/* A line; two orthogonal vectors; two neighbours b_1, b_2 = R b_1 of an m-gon, which F exchanges,
 * and R b_2 = 2 cos b_2 - b_1, where 2 cos and the form's entries off the diagonal are put in
 * later. The start lies about half-way between the mirrors that b_1 and b_1 + b_2 span, exactly so
 * for m = 3: its images are then far apart (D2.4). */
static const shape line = {1, {1}, {-1}, {1}, {1}};
static const shape cross = {2, {-1, 0, 0, -1}, {1, 0, 0, -1}, {1, 0, 0, 1}, {1, 1}};
static const shape triangle = {2, {0, -1, 1, 0}, {0, 1, 1, 0}, {2, 0, 0, 2}, {2, 1}};
static const shape square = {2, {0, -1, 1, 0}, {0, 1, 1, 0}, {1, 0, 0, 1}, {3, 1}};
static const shape polygon = {2, {0, -1, 1, 0}, {0, 1, 1, 0}, {2, 0, 0, 2}, {3, 1}};

static const shape *plane_shape_of(size_t m)
{
    static const shape *const shapes[] = {NULL, &line, &cross, &triangle, &square};
    return m < 5 ? shapes[m] : &polygon;
}

static f2l_status set_entries(f2l_matrix *m, size_t rows, size_t columns, const long entry[4],
                              f2l_error *err)
{
    f2l_status status = f2l_matrix_init(m, rows, columns, err);
    for (size_t i = 0; status == F2L_OK && i < rows * columns; i++)
        fmpq_poly_set_si(&m->entry[i], entry[i]);
    return status;
}

static f2l_status set_matrices(f2l_dihedral_plane *p, f2l_matrix *turn, const f2l_number *trace,
                               f2l_error *err)
{
    const shape *s = plane_shape_of(p->m);
    f2l_status status = set_entries(turn, s->basis, s->basis, s->turn, err);
    if (status == F2L_OK) status = set_entries(&p->mirror, s->basis, s->basis, s->mirror, err);
    if (status == F2L_OK) status = set_entries(&p->form, s->basis, s->basis, s->form, err);
    if (status == F2L_OK) status = set_entries(&p->start, s->basis, 1, s->start, err);
    if (status != F2L_OK || p->m < 3) return status;
    fmpq_poly_set(f2l_matrix_at(turn, 1, 1), trace);
    fmpq_poly_set(f2l_matrix_at(&p->form, 0, 1), trace);
    fmpq_poly_set(f2l_matrix_at(&p->form, 1, 0), trace);
    return F2L_OK;
}

static f2l_status set_powers(f2l_dihedral_plane *p, const f2l_matrix *turn, f2l_error *err)
{
    p->power = f2l_calloc(p->m, sizeof *p->power);
    if (!p->power) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t k = 0; k < p->m && status == F2L_OK; k++) {
        status = f2l_matrix_init(&p->power[k], p->basis, p->basis, err);
        if (status == F2L_OK && k == 0) f2l_matrix_one(&p->power[k]);
        if (status == F2L_OK && k > 0)
            f2l_matrix_multiply(&p->power[k], turn, &p->power[k - 1], &p->field);
    }
    return status;
}

f2l_status f2l_dihedral_plane_init(f2l_dihedral_plane *out, size_t m, f2l_error *err)
{
    *out = (f2l_dihedral_plane){.m = m, .basis = plane_shape_of(m)->basis, .embedded = m == 3};
    out->n = out->embedded ? EMBEDDED_DIM : out->basis;
    f2l_field_init(&out->field);
    f2l_matrix turn = {0};
    f2l_number trace;
    f2l_number_init(&trace);
    f2l_status status = m > 2 ? set_field(out, &trace, err) : F2L_OK;
    if (status == F2L_OK) status = set_matrices(out, &turn, &trace, err);
    if (status == F2L_OK) status = set_powers(out, &turn, err);
    f2l_number_clear(&trace);
    f2l_matrix_clear(&turn);
    return status;
}

/* Appends (x, y) of m = 3 as x (1, 1/3, 1/3, 1/3) + y (-1, 1/3, 1/3, 1/3): twice the cosine of
 * these two vectors is -1. */
static f2l_status push_embedded(f2l_qvec *out, const f2l_number *x, const f2l_number *y,
                                f2l_error *err)
{
    f2l_number along, beside;
    f2l_number_init(&along);
    f2l_number_init(&beside);
    fmpq_poly_sub(&along, x, y);
    fmpq_poly_add(&beside, x, y);
    fmpq_poly_scalar_div_si(&beside, &beside, 3);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < EMBEDDED_DIM && status == F2L_OK; i++)
        status = f2l_push_number(out, i, i == 0 ? &along : &beside, 1, err);
    f2l_number_clear(&along);
    f2l_number_clear(&beside);
    return status;
}

static f2l_status push_vector(f2l_qvec *out, const f2l_dihedral_plane *p, const f2l_number *x,
                              f2l_error *err)
{
    if (p->embedded) return push_embedded(out, &x[0], &x[1], err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < p->basis && status == F2L_OK; i++)
        status = f2l_push_number(out, i, &x[i], p->field.degree, err);
    return status;
}

f2l_status f2l_dihedral_point(f2l_qvec *out, const f2l_dihedral_plane *p, size_t f, size_t k,
                              f2l_error *err)
{
    f2l_matrix turned, image = {0};
    f2l_status status = f2l_matrix_init(&turned, p->basis, 1, err);
    if (status == F2L_OK) status = f2l_matrix_init(&image, p->basis, 1, err);
    if (status == F2L_OK) {
        f2l_matrix_multiply(&turned, &p->power[k], &p->start, &p->field);
        f2l_matrix_multiply(&image, &p->mirror, &turned, &p->field);
        status = push_vector(out, p, (f == 0 ? &turned : &image)->entry, err);
    }
    f2l_matrix_clear(&turned);
    f2l_matrix_clear(&image);
    return status;
}

f2l_status f2l_dihedral_key(f2l_qvec *out, const f2l_dihedral_plane *p, size_t k, f2l_error *err)
{
    f2l_matrix reflection;
    f2l_reflections r;
    f2l_reflections_init(&r);
    f2l_status status = f2l_matrix_init(&reflection, p->basis, p->basis, err);
    if (status == F2L_OK) {
        f2l_matrix_multiply(&reflection, &p->mirror, &p->power[k], &p->field);
        status = f2l_reflections_build(&r, &reflection, &p->form, &p->field, NULL, err);
    }
    if (status == F2L_OK) status = push_vector(out, p, r.vector, err);
    f2l_reflections_clear(&r);
    f2l_matrix_clear(&reflection);
    return status;
}
