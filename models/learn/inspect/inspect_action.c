/* The relations of one head. */
#include "models/learn/inspect/impl.h"
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "numeric/base/order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments that most functions here need. */
typedef struct work {
    const f2l_inspect_relations *r;
    const f2l_inspect_words *w;
    const f2l_inspect *x;
    size_t head, K, order;
    const f2l_task *task;
    f2l_error *err;
} work;

/* Computes image[i] [K][columns] = A(word of element i) start, for all elements in the order of the
 * words. */
static f2l_status images(double **image, const work *k, const double *start, size_t columns)
{
    const size_t each = k->K * columns;
    size_t total, bytes;
    *image = NULL;
    if (!f2l_mul_size(&total, each, k->order) || !f2l_mul_size(&bytes, total, sizeof **image))
        bytes = SIZE_MAX;
    f2l_status status = f2l_task_memory(k->task, "relations", bytes, k->err);
    if (status != F2L_OK) return status;
    *image = f2l_calloc(k->order, each * sizeof **image);
    if (*image == NULL) return f2l_fail_memory(k->err);
    memcpy(*image, start, each * sizeof **image);
    for (size_t i = 1; status == F2L_OK && i < k->order; i++) {
        memcpy(*image + i * each, *image + k->w->parent[i] * each, each * sizeof **image);
        f2l_inspect_apply(*image + i * each, k->x, k->head, k->w->letter[i], columns);
        status = f2l_task_poll(k->task, "relations", (double)i, (double)k->order, k->err);
    }
    return status;
}

/* Adds X = image - mean (NULL: 0) to the states in `stack`, K columns of K + V numbers each, which
 * holds the triangle R of the states before: R^T R is the sum of their X X^T. */
static f2l_status add_state_to_stack(double *stack, const double *image, const double *mean,
                                     const work *k)
{
    const size_t K = k->K, V = k->x->value_dim, height = K + V;
    for (size_t i = 0; i < K; i++) {
        double *column = stack + i * height;
        for (size_t j = i + 1; j < K; j++) column[j] = 0;
        for (size_t v = 0; v < V; v++)
            column[K + v] = image[i * V + v] - (mean == NULL ? 0 : mean[i * V + v]);
    }
    return f2l_dense_triangle(stack, height, K, k->err);
}

/* Computes singular [K] and rotation [K][K] (rows: left singular vectors) of all states, minus
 * `mean`, side by side; *dimension is the number of singular values above the threshold. */
static f2l_status find_state_span(size_t *dimension, double *singular, double *rotation,
                                  const double *image, const double *mean, const work *k)
{
    const size_t K = k->K, V = k->x->value_dim;
    double *stack = f2l_calloc(K * (K + V), sizeof *stack),
           *triangle = f2l_calloc(K * K, sizeof *triangle);
    f2l_status status = stack && triangle ? F2L_OK : f2l_fail_memory(k->err);
    for (size_t i = 0; status == F2L_OK && i < k->order; i++) {
        status = add_state_to_stack(stack, image + i * K * V, mean, k);
        if (status == F2L_OK)
            status = f2l_task_poll(k->task, "relations", (double)i, (double)k->order, k->err);
    }
    for (size_t i = 0; status == F2L_OK && i < K; i++)
        memcpy(triangle + i * K, stack + i * (K + V), (i + 1) * sizeof *stack);
    if (status == F2L_OK)
        status = f2l_dense_singular_values(singular, rotation, triangle, K, K, k->err);
    if (status == F2L_EDOMAIN)
        (void)f2l_fail(k->err, status, "the states of head %zu are not finite", k->head + 1);
    f2l_free(stack);
    f2l_free(triangle);
    *dimension = 0;
    for (size_t i = 0; status == F2L_OK && i < K; i++)
        *dimension += singular[i] > 0 && singular[i] >= k->r->threshold * singular[0];
    return status;
}

/* Returns whether the states differ by more than rounding errors. */
static bool states_differ(const double *singular, const double *all)
{
    return singular[0] > 1e-7 * all[0];
}

static f2l_status find_moving_part(f2l_inspect_action *out, const double *start, const work *k)
{
    const size_t K = k->K, V = k->x->value_dim;
    double *image = NULL, *mean = f2l_calloc(K * V, sizeof *mean),
           *rotation = f2l_calloc(K * K, sizeof *rotation), *all = f2l_calloc(K, sizeof *all);
    out->singular = f2l_calloc(K, sizeof *out->singular);
    f2l_status status = mean && rotation && all && out->singular ? F2L_OK : f2l_fail_memory(k->err);
    if (status == F2L_OK) status = images(&image, k, start, V);
    if (status == F2L_OK) status = find_state_span(&out->span, all, rotation, image, NULL, k);
    for (size_t i = 0; status == F2L_OK && i < k->order * K * V; i++)
        mean[i % (K * V)] += image[i] / (double)k->order;
    if (status == F2L_OK)
        status = find_state_span(&out->moving, out->singular, rotation, image, mean, k);
    f2l_free(image);
    if (status == F2L_OK && !states_differ(out->singular, all)) out->moving = 0;
    if (status == F2L_OK) {
        out->basis = f2l_calloc(K * (out->moving + 1), sizeof *out->basis);
        if (out->basis == NULL) status = f2l_fail_memory(k->err);
    }
    for (size_t i = 0; status == F2L_OK && i < K * out->moving; i++)
        out->basis[i] = rotation[i % out->moving * K + i / out->moving];
    f2l_free(mean);
    f2l_free(rotation);
    f2l_free(all);
    return status;
}

/* Returns the trace of Q^T X, and sets *outside, if wanted, to the square of |(I - Q Q^T) X|_F. */
static double compare_with_basis(double *outside, const f2l_inspect_action *out, const double *x,
                                 size_t K)
{
    const size_t m = out->moving;
    double trace = 0, square = 0;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < K; i++) trace += out->basis[i * m + j] * x[i * m + j];
        for (size_t l = 0; l < m && outside != NULL; l++) {
            double part = 0;
            for (size_t i = 0; i < K; i++) part += out->basis[i * m + l] * x[i * m + j];
            square -= part * part;
        }
    }
    for (size_t i = 0; i < K * m && outside != NULL; i++) square += x[i] * x[i];
    if (outside != NULL) *outside = fmax(square, 0);
    return trace;
}

static f2l_status find_traces(f2l_inspect_action *out, const work *k)
{
    double *image;
    out->trace = f2l_calloc(k->order, sizeof *out->trace);
    if (out->trace == NULL) return f2l_fail_memory(k->err);
    if (out->moving == 0) return F2L_OK;
    const f2l_status status = images(&image, k, out->basis, out->moving);
    for (size_t i = 0; status == F2L_OK && i < k->order; i++)
        out->trace[k->w->element[i]] =
            compare_with_basis(NULL, out, image + i * k->K * out->moving, k->K);
    f2l_free(image);
    return status;
}

/* Returns |x - y|_F / |y|_F. */
static double relative_difference(const double *x, const double *y, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        size += y[i] * y[i];
    }
    return size > 0 ? sqrt(difference / size) : difference > 0 ? INFINITY : 0;
}

/* Compares the pairs; letter [letters][K][m] holds A(w) Q. */
static f2l_status compare_pairs(f2l_inspect_action *out, const double *letter, double *value,
                                double *product, const work *k)
{
    const size_t each = k->K * out->moving, pairs = k->r->pairs;
    f2l_status status = F2L_OK;
    for (size_t p = 0; status == F2L_OK && p < pairs; p++) {
        const f2l_inspect_pair *pair = &k->w->pair[p];
        memcpy(product, letter + pair->first * each, each * sizeof *product);
        f2l_inspect_apply(product, k->x, k->head, pair->second, out->moving);
        value[p] = relative_difference(product, letter + pair->product * each, each);
        if (p == 0 || value[p] > out->worst) {
            out->worst = value[p];
            out->first = pair->first;
            out->second = pair->second;
        }
        status = f2l_task_poll(k->task, "relations", (double)p, (double)pairs, k->err);
    }
    if (status != F2L_OK || pairs == 0) return status;
    qsort(value, pairs, sizeof *value, f2l_order_doubles);
    out->median = (value[(pairs - 1) / 2] + value[pairs / 2]) / 2;
    return F2L_OK;
}

static f2l_status find_defects(f2l_inspect_action *out, const work *k)
{
    const size_t each = k->K * out->moving, letters = k->x->letters;
    size_t total;
    if (out->moving == 0) return F2L_OK;
    if (!f2l_mul_size(&total, each, letters)) return f2l_fail_memory(k->err);
    double *letter = f2l_calloc(total, sizeof *letter),
           *product = f2l_calloc(each, sizeof *product),
           *value = f2l_calloc(k->r->pairs + 1, sizeof *value);
    f2l_status status = letter && product && value ? F2L_OK : f2l_fail_memory(k->err);
    for (size_t a = 0; status == F2L_OK && a < letters; a++) {
        double outside;
        if (!k->x->used[a]) continue;
        memcpy(letter + a * each, out->basis, each * sizeof *letter);
        f2l_inspect_apply(letter + a * each, k->x, k->head, a, out->moving);
        (void)compare_with_basis(&outside, out, letter + a * each, k->K);
        out->leaves = fmax(out->leaves, sqrt(outside / (double)out->moving));
    }
    if (status == F2L_OK) status = compare_pairs(out, letter, value, product, k);
    f2l_free(letter);
    f2l_free(product);
    f2l_free(value);
    return status;
}

f2l_status f2l_inspect_relate(f2l_inspect_action *out, const f2l_inspect_relations *relations,
                              const f2l_inspect_words *words, const f2l_inspect *inspect,
                              size_t head, const double *start, const f2l_task *task,
                              f2l_error *err)
{
    const work k = {relations, words, inspect, head, inspect->key_dim, relations->group.order,
                    task,      err};
    f2l_status status = find_moving_part(out, start, &k);
    if (status == F2L_OK) status = find_defects(out, &k);
    if (status == F2L_OK) status = find_traces(out, &k);
    return status;
}
