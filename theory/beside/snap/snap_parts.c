/* The parts of a head that move as irreducible representations. */
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include "theory/beside/snap/intertwiner.h"
#include <math.h>

/* The parts of one head. */
typedef struct search {
    f2l_snap *snap;
    const f2l_snap_input *in;
    size_t first; /* the head's first part */
    f2l_snap_head head;
} search;

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
                for (size_t i = 0; i < s->head.K; i++) in += part->basis[i * e + l] * x[i * d + j];
                for (size_t i = 0; i < s->head.K; i++) x[i * d + j] -= in * part->basis[i * e + l];
            }
    }
    for (size_t i = 0; i < s->head.K * d; i++) rest += x[i] * x[i];
    return rest;
}

/* Fills the distances of a part whose basis is known; work [K][d]. */
static void measure_snap_part(f2l_snap_part *part, double *work, const search *s,
                              const f2l_irrep_float *rho)
{
    const size_t K = s->head.K, d = rho->dimension, letters = s->snap->letters;
    double sum = 0;
    for (size_t a = 0; a < letters; a++) {
        double leaves;
        part->distance[a] = f2l_intertwiner_distance(&leaves, work, s->head.letter + a * K * K,
                                                     part->basis, rho->letter + a * d * d, K, d);
        part->leaves = fmax(part->leaves, leaves);
        if (part->distance[a] > part->distance[part->worst]) part->worst = a;
        sum += part->distance[a] * part->distance[a];
    }
    part->defect = sqrt(sum / (double)(letters * d));
}

/* Returns whether all letters together and each of them move the part as they should. */
static bool is_near(const f2l_snap_part *part, double within, size_t d)
{
    return part->defect <= within &&
           part->distance[part->worst] <= F2L_SNAP_WORST * within * sqrt((double)d);
}

static f2l_status append_snap_part(f2l_snap *out, const f2l_snap_part *part, f2l_error *err)
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
static f2l_status take_snap_part(search *s, size_t irrep, double *x, double next, f2l_error *err)
{
    f2l_snap *out = s->snap;
    const f2l_irrep_float *rho = &out->irrep[irrep].value;
    const size_t d = rho->dimension;
    double even = 0;
    f2l_snap_part part = {.head = s->head.head,
                          .irrep = irrep,
                          .next = next,
                          .basis = f2l_calloc(s->head.K * d, sizeof(double)),
                          .distance = f2l_calloc(out->letters, sizeof(double)),
                          .start = f2l_calloc(d, sizeof(double)),
                          .centre = f2l_calloc(d * out->value_dim, sizeof(double))};
    const bool there = part.basis && part.distance && part.start && part.centre;
    f2l_status status = there ? f2l_intertwiner_polar(part.basis, &even, x, s->head.K, d, err)
                              : f2l_fail_memory(err);
    if (status == F2L_OK) measure_snap_part(&part, x, s, rho);
    const bool near = status == F2L_OK && even > 0.5 && is_near(&part, out->within, d);
    if (near) status = f2l_snap_find_start(&part, out, s->in, err);
    const bool used = status == F2L_OK && near && part.share > F2L_SNAP_SHARE;
    if (used) status = append_snap_part(out, &part, err);
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
    const size_t d = one->value.dimension;
    f2l_snap_spectrum found;
    f2l_status status =
        f2l_snap_spectrum_build(&found, s->head.square, s->head.letter, one->value.letter,
                                out->letters, s->head.K, d, s->in->task, err);
    const size_t n = found.n;
    if (status == F2L_OK && defect_of(found.value[n - 1]) < one->nearest) {
        one->nearest = defect_of(found.value[n - 1]);
        one->nearest_head = s->head.head;
    }
    size_t near = 0;
    while (status == F2L_OK && near < n && defect_of(found.value[n - 1 - near]) <= out->within)
        near++;
    const double next =
        status == F2L_OK && near < n ? defect_of(found.value[n - 1 - near]) : INFINITY;
    for (size_t i = 0; status == F2L_OK && i < near; i++) {
        double *x = found.vector + (n - 1 - i) * n;
        if (remove_parts(x, s, d) > 0.5) status = take_snap_part(s, irrep, x, next, err);
    }
    f2l_snap_spectrum_clear(&found);
    return status;
}

f2l_status f2l_snap_find_parts(f2l_snap *out, const f2l_snap_input *in, size_t head, f2l_error *err)
{
    search s = {.snap = out, .in = in, .first = out->parts};
    f2l_status status = f2l_snap_head_init(&s.head, in, head, err);
    for (size_t i = 0; status == F2L_OK && i < out->irreps; i++) {
        if (out->irrep[i].known) status = find_copies(&s, i, err);
        if (status == F2L_OK)
            status = f2l_task_poll(in->task, "snap", (double)(head * out->irreps + i),
                                   (double)(out->heads * out->irreps), err);
    }
    f2l_snap_head_clear(&s.head);
    return status;
}
