/* The parts of a head that move as irreducible representations. */
#include "models/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "theory/snap/impl.h"
#include "theory/snap/intertwiner.h"
#include <math.h>
#include <string.h>

/* The data of one head. */
typedef struct search {
    f2l_snap *snap;
    const f2l_snap_input *in;
    size_t head, K, first; /* first: the head's first part */
    double *letter;        /* [letters][K][K] A(a) */
    double *square;        /* [K][K] scratch */
} search;

static f2l_status fill_letters(search *s, f2l_error *err)
{
    const size_t K = s->K, letters = s->snap->letters;
    size_t bytes;
    if (!f2l_mul_size(&bytes, letters, K * K * sizeof(double))) bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(s->in->task, "snap", bytes, err);
    if (status != F2L_OK) return status;
    s->letter = f2l_calloc(letters, K * K * sizeof *s->letter);
    s->square = f2l_calloc(K * K, sizeof *s->square);
    if (!s->letter || !s->square) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) {
        double *to = s->letter + a * K * K;
        for (size_t i = 0; i < K; i++) to[i * K + i] = 1;
        f2l_inspect_apply(to, s->in->inspect, s->head, a, K);
    }
    return F2L_OK;
}

static void fill_square(double *square, const double *a, size_t K)
{
    memset(square, 0, K * K * sizeof *square);
    for (size_t l = 0; l < K; l++)
        for (size_t i = 0; i < K; i++)
            for (size_t k = 0; k < K; k++) square[i * K + k] += a[l * K + i] * a[l * K + k];
}

/* Computes the eigenvalues [K d], largest first, and the eigenvectors, a row each, of the mean over
 * the letters. */
static f2l_status eigenvectors(double *value, double *vector, const search *s,
                               const f2l_irrep_float *rho, f2l_error *err)
{
    const size_t K = s->K, d = rho->dimension, n = K * d, letters = s->snap->letters;
    double *form = f2l_calloc(n * n, sizeof *form);
    if (form == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) {
        fill_square(s->square, s->letter + a * K * K, K);
        f2l_intertwiner_add(form, s->letter + a * K * K, s->square, rho->letter + a * d * d, K, d);
    }
    for (size_t i = 0; i < n * n; i++) form[i] /= (double)(letters);
    const f2l_status status = f2l_dense_singular_values(value, vector, form, n, n, err);
    f2l_free(form);
    return status;
}

/* Removes from x [K][d] what lies in the parts that the head has, and returns the square of the
 * rest. */
static double remove_parts(double *x, const search *s, size_t d)
{
    double rest = 0;
    for (size_t p = s->first; p < s->snap->parts; p++) {
        const f2l_snap_part *part = &s->snap->part[p];
        const size_t e = s->snap->irrep[part->irrep].value.dimension;
        for (size_t l = 0; l < e; l++)
            for (size_t j = 0; j < d; j++) {
                double in = 0;
                for (size_t i = 0; i < s->K; i++) in += part->basis[i * e + l] * x[i * d + j];
                for (size_t i = 0; i < s->K; i++) x[i * d + j] -= in * part->basis[i * e + l];
            }
    }
    for (size_t i = 0; i < s->K * d; i++) rest += x[i] * x[i];
    return rest;
}

/* Fills the distances of a part whose basis is known; work [K][d]. */
static void measure(f2l_snap_part *part, double *work, const search *s, const f2l_irrep_float *rho)
{
    const size_t K = s->K, d = rho->dimension, letters = s->snap->letters;
    double sum = 0;
    for (size_t a = 0; a < letters; a++) {
        double leaves;
        part->distance[a] = f2l_intertwiner_distance(&leaves, work, s->letter + a * K * K,
                                                     part->basis, rho->letter + a * d * d, K, d);
        part->leaves = fmax(part->leaves, leaves);
        if (part->distance[a] > part->distance[part->worst]) part->worst = a;
        sum += part->distance[a] * part->distance[a];
    }
    part->defect = sqrt(sum / (double)(letters * d));
}

static f2l_status append(f2l_snap *out, const f2l_snap_part *part, f2l_error *err)
{
    f2l_snap_part *grown = f2l_realloc(out->part, out->parts + 1, sizeof *grown);
    if (grown == NULL) return f2l_fail_memory(err);
    out->part = grown;
    grown[out->parts++] = *part;
    return F2L_OK;
}

static void clear_part(f2l_snap_part *part)
{
    f2l_free(part->basis);
    f2l_free(part->distance);
    f2l_free(part->start);
    f2l_free(part->centre);
}

/* Makes a part from x [K][d], if it is near a multiple of a matrix with orthonormal columns and the
 * part is used. */
static f2l_status take(search *s, size_t irrep, double *x, double next, f2l_error *err)
{
    f2l_snap *out = s->snap;
    const f2l_irrep_float *rho = &out->irrep[irrep].value;
    const size_t d = rho->dimension;
    double even = 0;
    f2l_snap_part part = {.head = s->head,
                          .irrep = irrep,
                          .next = next,
                          .basis = f2l_calloc(s->K * d, sizeof(double)),
                          .distance = f2l_calloc(out->letters, sizeof(double)),
                          .start = f2l_calloc(d, sizeof(double)),
                          .centre = f2l_calloc(d * out->value_dim, sizeof(double))};
    const bool there = part.basis && part.distance && part.start && part.centre;
    f2l_status status =
        there ? f2l_intertwiner_polar(part.basis, &even, x, s->K, d, err) : f2l_fail_memory(err);
    if (status == F2L_OK) measure(&part, x, s, rho);
    const bool near = even > 0.5 && part.defect <= out->within;
    if (status == F2L_OK && near) status = f2l_snap_find_start(&part, out, s->in, err);
    const bool used = status == F2L_OK && near && part.share > F2L_SNAP_SHARE;
    if (used) status = append(out, &part, err);
    if (!used || status != F2L_OK) clear_part(&part);
    return status;
}

/* Returns the defect that belongs to an eigenvalue for |X|_F = 1. */
static double defect_of(double eigenvalue)
{
    return sqrt(fmax(eigenvalue, 0));
}

/* Takes the parts of one representation: the eigenvectors from the least eigenvalue on, each
 * without what lies in parts that were taken. (With complex or quaternionic matrices that commute
 * with rho, two or four eigenvectors belong to one part.) */
static f2l_status find_copies(search *s, size_t irrep, f2l_error *err)
{
    f2l_snap *out = s->snap;
    f2l_snap_irrep *one = &out->irrep[irrep];
    const size_t d = one->value.dimension, n = s->K * d;
    size_t bytes;
    if (!f2l_mul_size(&bytes, n, 3 * n * sizeof(double))) bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(s->in->task, "snap", bytes, err);
    if (status != F2L_OK) return status;
    double *value = f2l_calloc(n, sizeof *value), *vector = f2l_calloc(n * n, sizeof *vector);
    status =
        value && vector ? eigenvectors(value, vector, s, &one->value, err) : f2l_fail_memory(err);
    if (status == F2L_OK && defect_of(value[n - 1]) < one->nearest) {
        one->nearest = defect_of(value[n - 1]);
        one->nearest_head = s->head;
    }
    size_t near = 0;
    while (status == F2L_OK && near < n && defect_of(value[n - 1 - near]) <= out->within) near++;
    const double next = status == F2L_OK && near < n ? defect_of(value[n - 1 - near]) : INFINITY;
    for (size_t i = 0; status == F2L_OK && i < near; i++) {
        double *x = vector + (n - 1 - i) * n;
        if (remove_parts(x, s, d) > 0.5) status = take(s, irrep, x, next, err);
    }
    f2l_free(value);
    f2l_free(vector);
    return status;
}

f2l_status f2l_snap_find_parts(f2l_snap *out, const f2l_snap_input *in, size_t head, f2l_error *err)
{
    search s = {.snap = out, .in = in, .head = head, .K = out->key_dim, .first = out->parts};
    f2l_status status = fill_letters(&s, err);
    for (size_t i = 0; status == F2L_OK && i < out->irreps; i++) {
        if (out->irrep[i].known) status = find_copies(&s, i, err);
        if (status == F2L_OK)
            status = f2l_task_poll(in->task, "snap", (double)(head * out->irreps + i),
                                   (double)(out->heads * out->irreps), err);
    }
    f2l_free(s.letter);
    f2l_free(s.square);
    return status;
}
