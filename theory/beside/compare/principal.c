#include "theory/beside/compare/principal.h"
#include "numeric/base/mem.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* The states differ when the largest singular value is more than this part of their length. */
#define SAME 1e-6

void f2l_principal_clear(f2l_principal *p)
{
    f2l_free(p->mean);
    f2l_free(p->singular);
    f2l_free(p->direction);
    f2l_free(p->score);
    *p = (f2l_principal){.states = 0};
}

/* Sets centred[states][numbers] to the states minus their mean, and *size to the root of the sum of
 * the squares of the states. */
static f2l_status centre(double *centred, double *size, f2l_principal *p, const float *state,
                         f2l_error *err)
{
    double square = 0;
    for (size_t i = 0; i < p->states; i++)
        for (size_t k = 0; k < p->numbers; k++) {
            const double x = (double)state[i * p->numbers + k];
            p->mean[k] += x / (double)p->states;
            square += x * x;
        }
    for (size_t i = 0; i < p->states; i++)
        for (size_t k = 0; k < p->numbers; k++)
            centred[i * p->numbers + k] = (double)state[i * p->numbers + k] - p->mean[k];
    *size = sqrt(square);
    return isfinite(square) ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "a state is not finite");
}

/* The largest eigenvalues of a symmetric matrix of order `states`, the last one the largest. */
typedef struct spectrum {
    double *value;  /* [states] */
    double *vector; /* [wanted][states] */
    size_t wanted;
} spectrum;

static f2l_status find_spectrum(spectrum *s, double *gram, size_t states, f2l_error *err)
{
    const lapack_int n = (lapack_int)states, first = (lapack_int)(states - s->wanted + 1);
    lapack_int found = 0, *support = f2l_calloc(2 * states, sizeof *support);
    if (support == NULL) return f2l_fail_memory(err);
    const lapack_int failed = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, gram, n, 0, 0,
                                             first, n, 0, &found, s->value, s->vector, n, support);
    f2l_free(support);
    return failed == 0 && (size_t)found == s->wanted
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "the principal directions of the states are not found");
}

/* Takes the directions from the eigenvectors of the products of the states. */
static f2l_status take_directions(f2l_principal *p, const spectrum *s, const double *centred,
                                  double size, f2l_error *err)
{
    const size_t N = p->states, last = s->wanted - 1;
    const double largest = sqrt(fmax(s->value[last], 0));
    for (size_t i = 0; i < s->wanted && largest > SAME * size; i++)
        p->directions += sqrt(fmax(s->value[last - i], 0)) >= F2L_PRINCIPAL_LEAST * largest;
    p->singular = f2l_calloc(p->directions, sizeof *p->singular);
    p->direction = f2l_calloc(p->directions * p->numbers, sizeof *p->direction);
    p->score = f2l_calloc(p->directions * N, sizeof *p->score);
    if (!p->singular || !p->direction || !p->score) return f2l_fail_memory(err);
    for (size_t i = 0; i < p->directions; i++) {
        const double *vector = s->vector + (last - i) * N;
        const double singular = sqrt(s->value[last - i]);
        p->singular[i] = singular;
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)N, (int)p->numbers, 1 / singular, centred,
                    (int)p->numbers, vector, 1, 0, p->direction + i * p->numbers, 1);
        for (size_t k = 0; k < N; k++) p->score[k * p->directions + i] = singular * vector[k];
    }
    return F2L_OK;
}

static f2l_status find_directions(f2l_principal *p, const double *centred, double size,
                                  f2l_error *err)
{
    const size_t N = p->states;
    spectrum s = {.wanted = N < F2L_PRINCIPAL_MOST ? N : F2L_PRINCIPAL_MOST};
    double *gram = f2l_calloc(N, N * sizeof *gram);
    s.value = f2l_calloc(N, sizeof *s.value);
    s.vector = f2l_calloc(s.wanted, N * sizeof *s.vector);
    f2l_status status = gram && s.value && s.vector ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)N, (int)N, (int)p->numbers, 1,
                    centred, (int)p->numbers, centred, (int)p->numbers, 0, gram, (int)N);
        status = find_spectrum(&s, gram, N, err);
    }
    if (status == F2L_OK) status = take_directions(p, &s, centred, size, err);
    f2l_free(gram);
    f2l_free(s.value);
    f2l_free(s.vector);
    return status;
}

f2l_status f2l_principal_build(f2l_principal *out, const f2l_learned_view *view,
                               const f2l_task *task, f2l_error *err)
{
    double size = 0;
    size_t bytes;
    *out = (f2l_principal){.states = view->states, .numbers = view->numbers};
    if (!f2l_mul_size(&bytes, out->numbers + out->states, out->states * sizeof(double)))
        bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(task, "principal directions", bytes, err);
    if (status == F2L_OK) status = f2l_task_goes_on(task, "principal directions", err);
    if (status != F2L_OK) return status;
    double *centred = f2l_calloc(out->states, out->numbers * sizeof *centred);
    out->mean = f2l_calloc(out->numbers, sizeof *out->mean);
    if (centred == NULL || out->mean == NULL) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = centre(centred, &size, out, view->row, err);
    if (status == F2L_OK) status = find_directions(out, centred, size, err);
    f2l_free(centred);
    return status;
}

void f2l_principal_score(double *score, const f2l_principal *p, const float *row, size_t directions)
{
    for (size_t i = 0; i < directions; i++) {
        const double *direction = p->direction + i * p->numbers;
        double sum = 0;
        for (size_t k = 0; k < p->numbers; k++) sum += direction[k] * ((double)row[k] - p->mean[k]);
        score[i] = sum;
    }
}
