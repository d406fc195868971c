/* Where the learned state of a part begins, and around which point it moves. */
#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include <math.h>
#include <string.h>

/* Steps of the iteration for the centre. The error of a step is at most (1 + cos(2 pi / order)) / 2
 * of the last one's for a single letter, and less where letters mix. */
enum { CENTRE_STEPS = 400 };

void f2l_snap_bias(double *to, const f2l_snap_input *in, size_t head, size_t letter)
{
    const f2l_inspect *x = in->inspect;
    const size_t N = x->householders, K = x->key_dim, V = x->value_dim;
    memset(to, 0, K * V * sizeof *to);
    for (size_t n = 0; in->value != NULL && n < N; n++) {
        const double *key = x->head[head].key + (letter * N + n) * K,
                     beta = x->head[head].beta[letter * N + n],
                     *value = in->value + ((letter * N + n) * x->heads + head) * V;
        for (size_t v = 0; v < V; v++) {
            double part = -value[v];
            for (size_t i = 0; i < K; i++) part += key[i] * to[i * V + v];
            for (size_t i = 0; i < K; i++) to[i * V + v] -= beta * part * key[i];
        }
    }
}

f2l_status f2l_snap_first_state(double *to, const f2l_snap_input *in, size_t head, f2l_error *err)
{
    const size_t K = in->inspect->key_dim, V = in->inspect->value_dim, each = K * V,
                 tensor = f2l_seq_first_state(in->model, 0);
    memset(to, 0, each * sizeof *to);
    if (in->data->options.begin) f2l_snap_bias(to, in, head, f2l_data_begin_letter(in->data));
    if (tensor == F2L_SEQ_NONE) return F2L_OK;
    double *start = f2l_calloc(each, sizeof *start);
    if (start == NULL) return f2l_fail_memory(err);
    memcpy(start, in->parameters + in->model->tensor[tensor].offset + head * each,
           each * sizeof *start);
    if (in->data->options.begin)
        f2l_inspect_apply(start, in->inspect, head, f2l_data_begin_letter(in->data), V);
    for (size_t i = 0; i < each; i++) to[i] += start[i];
    f2l_free(start);
    return F2L_OK;
}

/* Sets to [d][V] = P^T x. */
static void project_to_part(double *to, const double *basis, const double *x, size_t K, size_t d,
                            size_t V)
{
    for (size_t l = 0; l < d; l++)
        for (size_t v = 0; v < V; v++) {
            double sum = 0;
            for (size_t i = 0; i < K; i++) sum += basis[i * d + l] * x[i * V + v];
            to[l * V + v] = sum;
        }
}

/* Adds rho x to `to`, [d][V]. */
static void add_turned(double *to, const double *rho, const double *x, size_t d, size_t V)
{
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            for (size_t v = 0; v < V; v++) to[i * V + v] += rho[i * d + k] * x[k * V + v];
}

static double norm(const double *x, size_t n)
{
    return sqrt(f2l_dense_dot(x, x, n));
}

/* Finds the point C that the mean of the letters, C -> mean of rho(a) C + b(a), fixes; bias
 * [letters][d][V] is b. C <- (C + mean) / 2 also ends where letters have order 2. */
static void find_centre(double *centre, double *work, const double *bias,
                        const f2l_irrep_float *rho, size_t V)
{
    const size_t d = rho->dimension, each = d * V;
    for (size_t step = 0; step < CENTRE_STEPS; step++) {
        memset(work, 0, each * sizeof *work);
        for (size_t a = 0; a < rho->letters; a++) {
            add_turned(work, rho->letter + a * d * d, centre, d, V);
            for (size_t i = 0; i < each; i++) work[i] += bias[a * each + i];
        }
        for (size_t i = 0; i < each; i++)
            centre[i] = (centre[i] + work[i] / (double)rho->letters) / 2;
    }
}

/* Returns the largest |b(a) + rho(a) C - C|_F. */
static double drift_of(double *work, const double *centre, const double *bias,
                       const f2l_irrep_float *rho, size_t V)
{
    const size_t d = rho->dimension, each = d * V;
    double most = 0;
    for (size_t a = 0; a < rho->letters; a++) {
        for (size_t i = 0; i < each; i++) work[i] = bias[a * each + i] - centre[i];
        add_turned(work, rho->letter + a * d * d, centre, d, V);
        most = fmax(most, norm(work, each));
    }
    return most;
}

/* Sets start [d] to the first left singular vector of x [d][V] times its singular value. */
static f2l_status largest_column(double *start, const double *x, size_t d, size_t V, f2l_error *err)
{
    const size_t width = V < d ? d : V; /* as many columns as rows, or more; added ones are 0 */
    double *copy = f2l_calloc(d * width, sizeof *copy), *s = f2l_calloc(d, sizeof *s),
           *u = f2l_calloc(d * d, sizeof *u);
    f2l_status status = copy && s && u ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < d * V; i++) copy[i / V * width + i % V] = x[i];
    if (status == F2L_OK) status = f2l_dense_singular_values(s, u, copy, d, width, err);
    for (size_t i = 0; status == F2L_OK && i < d; i++) start[i] = s[0] * u[i];
    f2l_free(copy);
    f2l_free(s);
    f2l_free(u);
    return status;
}

/* Arrays of f2l_snap_find_start. */
typedef struct scratch {
    double *state, *first, *bias, *work;
} scratch;

static bool allocate_start(scratch *s, const f2l_irrep_float *rho, size_t K, size_t V)
{
    const size_t each = rho->dimension * V;
    s->state = f2l_calloc(K * V, sizeof *s->state);
    s->first = f2l_calloc(each, sizeof *s->first);
    s->bias = f2l_calloc(rho->letters, each * sizeof *s->bias);
    s->work = f2l_calloc(each, sizeof *s->work);
    return s->state && s->first && s->bias && s->work;
}

f2l_status f2l_snap_find_start(f2l_snap_part *part, const f2l_snap *snap, const f2l_snap_input *in,
                               f2l_error *err)
{
    const f2l_irrep_float *rho = &snap->irrep[part->irrep].value;
    const size_t K = snap->key_dim, V = snap->value_dim, d = rho->dimension;
    scratch s = {0};
    f2l_status status = allocate_start(&s, rho, K, V) ? F2L_OK : f2l_fail_memory(err);
    for (size_t a = 0; status == F2L_OK && in->value != NULL && a < rho->letters; a++) {
        f2l_snap_bias(s.state, in, part->head, a);
        project_to_part(s.bias + a * d * V, part->basis, s.state, K, d, V);
    }
    if (status == F2L_OK) {
        if (in->value != NULL) find_centre(part->centre, s.work, s.bias, rho, V);
        status = f2l_snap_first_state(s.state, in, part->head, err);
    }
    if (status == F2L_OK) {
        project_to_part(s.first, part->basis, s.state, K, d, V);
        for (size_t i = 0; i < d * V; i++) s.first[i] -= part->centre[i];
        const double size = norm(s.first, d * V), whole = norm(s.state, K * V);
        part->share = whole > 0 ? size / whole : 0;
        part->drift = drift_of(s.work, part->centre, s.bias, rho, V) / size;
        status = largest_column(part->start, s.first, d, V, err);
    }
    f2l_free(s.state);
    f2l_free(s.first);
    f2l_free(s.bias);
    f2l_free(s.work);
    return status;
}
