/* The exact transitions, put back into the trained weights. */
#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/put.h"
#include <math.h>
#include <string.h>

/* Steps after which the mean state is at rest. */
enum { MEAN_STEPS = 400 };

/* The least entry of a key that passes SiLU, a little above what SiLU can give. */
#define LEAST_ENTRY (F2L_SNAP_SILU_LEAST + 0.005)

typedef struct work {
    const f2l_snap *snap;
    const f2l_inspect *inspect;
    const f2l_seq *model;
    double *parameters;
    f2l_snap_fit fit;
    double logit;
    double *key;    /* [letters][N][K] wished directions of one head; 0: the key is kept */
    double *beta;   /* [letters][N] wished logits */
    double *row;    /* [2][letters] scratch */
    double *centre; /* [key_dim][value_dim] with values: the point around which the states turn */
} work;

static bool has_parts(const f2l_snap *snap, size_t head)
{
    bool has = false;
    for (size_t p = 0; p < snap->parts; p++) has = has || snap->part[p].head == head;
    return has;
}

static const char *why_not_put(const f2l_seq_config *c)
{
    if (!c->normalise_keys) return "keys of any length change the matrices";
    if (c->forget_gate) return "a forget gate is never 1";
    if (!c->negative) return "betas are below 1, and a reflection has 2";
    return NULL;
}

/* Computes the wished keys and logits of one head; letters beyond the automaton's keep what they
 * have. */
static f2l_status wish(work *w, size_t head, f2l_error *err)
{
    const f2l_inspect *x = w->inspect;
    const size_t N = x->householders, K = x->key_dim;
    bool reflects[F2L_SEQ_MAX_HOUSEHOLDERS];
    double *q = f2l_calloc(K * K, sizeof *q);
    f2l_status status = q ? F2L_OK : f2l_fail_memory(err);
    memset(w->key, 0, x->letters * N * K * sizeof *w->key);
    for (size_t a = 0; status == F2L_OK && a < w->snap->letters; a++) {
        f2l_snap_exact_matrix(q, w->snap, head, a);
        status = f2l_snap_factors(w->key + a * N * K, reflects, q, x->head[head].key + a * N * K,
                                  x->head[head].beta + a * N, N, K, err);
        for (size_t n = 0; status == F2L_OK && n < N; n++)
            w->beta[a * N + n] = (reflects[n] ? w->logit : -w->logit) / w->model->config.slope;
    }
    f2l_free(q);
    return status;
}

/* Returns what an entry of a stream is after its activation, and the input that gives y. */
static double activate(double z, bool silu)
{
    return silu ? f2l_snap_silu(z) : z;
}

static double input_of(double y, double near, bool silu)
{
    return silu ? f2l_snap_silu_inverse(y, near) : y;
}

static bool factor_acts(const work *w, size_t a, size_t n)
{
    const size_t K = w->inspect->key_dim;
    const double *key = w->key + (a * w->inspect->householders + n) * K;
    return f2l_dense_dot(key, key, K) > 0;
}

/* Returns the first row of a factor of a head in a projection that has `each` rows for it. */
static double *projection_rows_of(const work *w, size_t tensor, size_t head, size_t n, size_t each)
{
    const size_t at = w->model->layer[0].mixer[tensor];
    return w->parameters + w->model->tensor[at].offset +
           (n * w->inspect->heads + head) * each * w->fit.width;
}

/* Returns the length that a letter's key has before it is scaled to 1, or the largest one below it
 * for which the activation can give all entries of the wished key. */
static double key_length(const work *w, const double *keys, size_t a, size_t n)
{
    const size_t K = w->inspect->key_dim;
    const double *wished = w->key + (a * w->inspect->householders + n) * K;
    const bool silu = w->model->config.silu_keys;
    double square = 0, least = 0;
    for (size_t i = 0; i < K; i++) {
        square += pow(activate(f2l_snap_fit_value(&w->fit, keys + i * w->fit.width, a), silu), 2);
        least = fmin(least, wished[i]);
    }
    const double length = sqrt(square);
    return silu && least * length < LEAST_ENTRY ? LEAST_ENTRY / least : length;
}

/* Gives the rows of a factor's key the wished values. Keys keep their lengths, so that the change
 * is small. */
static void put_keys(work *w, size_t head, size_t n)
{
    const size_t N = w->inspect->householders, K = w->inspect->key_dim, letters = w->snap->letters;
    double *keys = projection_rows_of(w, F2L_DELTA_KEY, head, n, K),
           *length = w->row + w->fit.letters;
    for (size_t a = 0; a < letters; a++) length[a] = key_length(w, keys, a, n);
    for (size_t i = 0; i < K; i++) {
        double *row = keys + i * w->fit.width;
        memset(w->row, 0, w->fit.letters * sizeof *w->row);
        for (size_t a = 0; a < letters; a++) {
            const double now = f2l_snap_fit_value(&w->fit, row, a),
                         wished = length[a] * w->key[(a * N + n) * K + i];
            if (factor_acts(w, a, n))
                w->row[a] = input_of(wished, now, w->model->config.silu_keys) - now;
        }
        f2l_snap_fit_row(row, w->row, &w->fit);
    }
}

/* Gives the rows of a factor's values those that leave the centre where it is: u^T centre. */
static void put_values(work *w, size_t head, size_t n)
{
    const size_t N = w->inspect->householders, K = w->inspect->key_dim, V = w->inspect->value_dim;
    double *values = projection_rows_of(w, F2L_DELTA_VALUE, head, n, V);
    for (size_t v = 0; v < V; v++) {
        double *row = values + v * w->fit.width;
        memset(w->row, 0, w->fit.letters * sizeof *w->row);
        for (size_t a = 0; a < w->snap->letters; a++) {
            const double now = f2l_snap_fit_value(&w->fit, row, a), *u = w->key + (a * N + n) * K;
            double wished = 0;
            for (size_t i = 0; i < K; i++) wished += u[i] * w->centre[i * V + v];
            if (factor_acts(w, a, n)) w->row[a] = input_of(wished, now, true) - now;
        }
        f2l_snap_fit_row(row, w->row, &w->fit);
    }
}

static void put_betas(work *w, size_t head, size_t n)
{
    double *row = projection_rows_of(w, F2L_DELTA_BETA, head, n, 1);
    memset(w->row, 0, w->fit.letters * sizeof *w->row);
    for (size_t a = 0; a < w->snap->letters; a++)
        w->row[a] = w->beta[a * w->inspect->householders + n] - f2l_snap_fit_value(&w->fit, row, a);
    f2l_snap_fit_row(row, w->row, &w->fit);
}

/* Gives the letters their wished keys, betas and values in one head. */
static void put_head_letters(work *w, size_t head)
{
    const size_t N = w->inspect->householders;
    const bool additive = w->model->config.additive;
    if (additive) f2l_snap_reachable_centre(w->centre, w->snap, w->key, head, w->snap->letters, N);
    for (size_t n = 0; n < N; n++) {
        put_keys(w, head, n);
        put_betas(w, head, n);
        if (additive) put_values(w, head, n);
    }
}

/* Replaces the start of a head by its parts of it, and outside of them by the state where the mean
 * over random letters comes to rest. The exact matrices keep there what the learned ones forget;
 * and what a head without parts forgets slowly would make long words differ from short ones. */
static f2l_status put_start(work *w, size_t head, f2l_error *err)
{
    const f2l_inspect *x = w->inspect;
    const size_t K = x->key_dim, V = x->value_dim, each = K * V, letters = w->snap->letters;
    double *start = w->parameters +
                    w->model->tensor[w->model->layer[0].mixer[F2L_DELTA_START]].offset +
                    head * each;
    double *mean = f2l_calloc(each, sizeof *mean), *one = f2l_calloc(each, sizeof *one),
           *sum = f2l_calloc(each, sizeof *sum);
    const bool there = mean && one && sum;
    if (there) memcpy(mean, start, each * sizeof *mean);
    for (size_t step = 0; there && step < MEAN_STEPS; step++) {
        memset(sum, 0, each * sizeof *sum);
        for (size_t a = 0; a < letters; a++) {
            memcpy(one, mean, each * sizeof *one);
            f2l_inspect_apply(one, x, head, a, V);
            for (size_t i = 0; i < each; i++) sum[i] += one[i] / (double)letters;
        }
        memcpy(mean, sum, each * sizeof *mean);
    }
    for (size_t i = 0; there && i < each; i++) start[i] -= mean[i];
    if (there) memset(sum, 0, each * sizeof *sum);
    for (size_t p = 0; there && p < w->snap->parts; p++) {
        const f2l_snap_part *part = &w->snap->part[p];
        const size_t d = w->snap->irrep[part->irrep].value.dimension;
        for (size_t l = 0; part->head == head && l < d; l++)
            for (size_t v = 0; v < V; v++) {
                double in = 0;
                for (size_t i = 0; i < K; i++) in += part->basis[i * d + l] * start[i * V + v];
                for (size_t i = 0; i < K; i++) sum[i * V + v] += in * part->basis[i * d + l];
            }
    }
    for (size_t i = 0; there && i < each; i++) start[i] = mean[i] + sum[i];
    f2l_free(mean);
    f2l_free(one);
    f2l_free(sum);
    return there ? F2L_OK : f2l_fail_memory(err);
}

/* A head without parts gets the matrix I too, for all letters, where it has a start: it keeps the
 * state at rest. Left as it is learned it would move by little and for long, and the norm of its
 * short read-out would make that large: this is what limits proofs of trained networks (LH.7). */
static f2l_status put_heads(work *w, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK && h < w->inspect->heads; h++) {
        const bool exact = has_parts(w->snap, h) || w->model->config.learned_start;
        if (exact) status = wish(w, h, err);
        if (exact && status == F2L_OK) put_head_letters(w, h);
        if (status == F2L_OK && w->model->config.learned_start) status = put_start(w, h, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "snap", (double)h, (double)w->inspect->heads, err);
    }
    return status;
}

static f2l_status put_all_letters(f2l_snap_put *out, work *w, const f2l_data *data,
                                  const f2l_task *task, f2l_error *err)
{
    const size_t letters = w->inspect->letters, N = w->inspect->householders,
                 K = w->inspect->key_dim, count = w->model->parameters;
    double *before = f2l_calloc(count, sizeof *before);
    w->key = f2l_calloc(letters, N * K * sizeof *w->key);
    w->beta = f2l_calloc(letters, N * sizeof *w->beta);
    w->row = f2l_calloc(letters, 2 * sizeof *w->row);
    w->centre = f2l_calloc(K * w->inspect->value_dim, sizeof *w->centre);
    const bool there = before && w->key && w->beta && w->row && w->centre;
    f2l_status status = there ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) memcpy(before, w->parameters, count * sizeof *before);
    if (status == F2L_OK) status = put_heads(w, task, err);
    for (size_t i = 0; status == F2L_OK && i < count; i++)
        w->parameters[i] = (double)(float)w->parameters[i];
    if (status == F2L_OK)
        status = f2l_snap_refit(out, w->parameters, before, w->model, data, task, err);
    if (status == F2L_OK)
        status =
            f2l_snap_put_measure(out, w->parameters, before, w->snap, w->model, data, task, err);
    f2l_free(before);
    f2l_free(w->key);
    f2l_free(w->beta);
    f2l_free(w->row);
    f2l_free(w->centre);
    return status;
}

f2l_status f2l_snap_put_back(f2l_snap_put *out, double *parameters, const f2l_snap *snap,
                             const f2l_inspect *inspect, const f2l_seq *model, const f2l_data *data,
                             double logit, const f2l_task *task, f2l_error *err)
{
    work w = {
        .snap = snap, .inspect = inspect, .model = model, .parameters = parameters, .logit = logit};
    const char *why = why_not_put(&model->config);
    *out = (f2l_snap_put){.logit = logit};
    if (why != NULL) return f2l_fail(err, F2L_EDOMAIN, "%s", why);
    f2l_status status = f2l_snap_fit_init(&w.fit, model, parameters, err);
    if (status == F2L_OK) status = put_all_letters(out, &w, data, task, err);
    f2l_snap_fit_clear(&w.fit);
    return status;
}
