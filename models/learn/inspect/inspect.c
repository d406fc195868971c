#include "models/learn/inspect/impl.h"
#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"
#include "models/learn/seq/seq_letters.h"
#include "numeric/base/mem.h"
#include "numeric/base/order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double f2l_inspect_quantile[F2L_INSPECT_QUANTILES] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

void f2l_inspect_init(f2l_inspect *out)
{
    memset(out, 0, sizeof *out);
}

static void clear_components(f2l_inspect_components *c)
{
    f2l_free(c->singular);
    f2l_free(c->share);
    f2l_free(c->component);
}

static void clear_head(f2l_inspect_head *h)
{
    double *const array[] = {h->key, h->beta,     h->gate,     h->re,
                             h->im,  h->singular, h->distance, h->angle};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) f2l_free(array[i]);
    f2l_free(h->factor);
    clear_components(&h->all);
    clear_components(&h->acting);
}

void f2l_inspect_clear(f2l_inspect *out)
{
    for (size_t h = 0; out->head != NULL && h < out->heads; h++) clear_head(&out->head[h]);
    f2l_free(out->head);
    f2l_free(out->used);
    f2l_free(out->decay);
    f2l_free(out->decays);
    f2l_inspect_init(out);
}

/* --- spreads --- */

void f2l_inspect_spread_of(f2l_inspect_spread *out, double *value, size_t count, double low,
                           double high)
{
    const double range = high - low;
    *out = (f2l_inspect_spread){.low = low, .high = high, .count = count};
    if (count == 0) return;
    qsort(value, count, sizeof *value, f2l_order_doubles);
    for (size_t i = 0; i < count; i++) {
        const double at = (value[i] - low) / range;
        const double bin = floor(at * F2L_INSPECT_BINS);
        out->near_low += at <= F2L_INSPECT_NEAR;
        out->near_high += at >= 1 - F2L_INSPECT_NEAR;
        if (at < -1e-9 || at > 1 + 1e-9)
            out->outside++;
        else
            out->bin[bin < 0 ? 0 : bin >= F2L_INSPECT_BINS ? F2L_INSPECT_BINS - 1 : (size_t)bin]++;
    }
    for (size_t q = 0; q < F2L_INSPECT_QUANTILES; q++) {
        const double at = f2l_inspect_quantile[q] * (double)(count - 1);
        const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
        out->quantile[q] = value[below] + (at - (double)below) * (value[above] - value[below]);
    }
}

/* --- one head --- */

static bool allocate_components(f2l_inspect_components *c, size_t K)
{
    c->singular = f2l_calloc(K, sizeof *c->singular);
    c->share = f2l_calloc(K, sizeof *c->share);
    c->component = f2l_calloc(K, K * sizeof *c->component);
    return c->singular != NULL && c->share != NULL && c->component != NULL;
}

bool f2l_inspect_allocate_head(f2l_inspect_head *h, const f2l_inspect *x)
{
    const size_t L = x->letters, N = x->householders, K = x->key_dim, M = x->reduced;
    const size_t count[] = {L * N * K, L * N, L, L * M, L * M, L * M, L, L * (N - 1)};
    double **const array[] = {&h->key, &h->beta,     &h->gate,     &h->re,
                              &h->im,  &h->singular, &h->distance, &h->angle};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = f2l_calloc(count[i], sizeof(double));
        if (*array[i] == NULL) return false;
    }
    h->factor = f2l_calloc(N, sizeof *h->factor);
    return h->factor != NULL && allocate_components(&h->all, K) &&
           allocate_components(&h->acting, K);
}

/* Takes unit keys and their betas from the letters' arrays, in which the heads are the inner
 * index. */
static void take_head(f2l_inspect_head *h, const f2l_seq_letters *from, const f2l_inspect *x,
                      size_t head)
{
    const size_t N = x->householders, K = x->key_dim;
    const double *beta = from->array[F2L_DELTA_LETTER_BETA],
                 *key = from->array[F2L_DELTA_LETTER_KEY],
                 *gate = from->array[F2L_DELTA_LETTER_GATE];
    for (size_t a = 0; a < x->letters; a++) {
        h->gate[a] = gate != NULL ? gate[a * x->heads + head] : 1;
        for (size_t n = 0; n < N; n++) {
            const size_t at = (a * N + n) * x->heads + head;
            const double *k = key + at * K;
            double *unit = h->key + (a * N + n) * K;
            double largest = 0, square = 0;
            for (size_t i = 0; i < K; i++) largest = fmax(largest, fabs(k[i]));
            for (size_t i = 0; i < K && largest > 0; i++)
                square += k[i] / largest * (k[i] / largest);
            for (size_t i = 0; i < K && largest > 0; i++) unit[i] = k[i] / largest / sqrt(square);
            h->beta[a * N + n] = beta[at] * square * largest * largest;
        }
    }
}

/* Computes the spread of the betas of `count` factors from `first` on, over the letters that are
 * used. */
static void spread_betas(f2l_inspect_spread *out, double *value, const f2l_inspect_head *h,
                         const f2l_inspect *x, size_t first, size_t count, double top)
{
    size_t values = 0;
    for (size_t a = 0; a < x->letters; a++)
        for (size_t n = first; n < first + count && x->used[a]; n++)
            value[values++] = h->beta[a * x->householders + n];
    f2l_inspect_spread_of(out, value, values, 0, top);
}

static void count_letters(f2l_inspect_head *h, const f2l_inspect *x, double top)
{
    const size_t N = x->householders;
    bool any = false;
    for (size_t a = 0; a < x->letters; a++) {
        bool low = true, high = true;
        if (!x->used[a]) continue;
        for (size_t n = 0; n < N; n++) {
            low = low && h->beta[a * N + n] <= F2L_INSPECT_NEAR * top;
            high = high && h->beta[a * N + n] >= (1 - F2L_INSPECT_NEAR) * top;
        }
        h->letters_low += low;
        h->letters_high += high;
        if (!any || h->distance[a] > h->distance[h->worst]) h->worst = a;
        any = true;
    }
}

/* Computes shares, `enough` and effective rank, and gives directions their sign. */
static void describe_components(f2l_inspect_components *c, size_t K)
{
    double squares = 0, held = 0;
    for (size_t i = 0; i < K; i++) {
        double *direction = c->component + i * K;
        size_t largest = 0;
        for (size_t k = 1; k < K; k++)
            if (fabs(direction[k]) > fabs(direction[largest]) * (1 + 1e-9)) largest = k;
        const bool turn = direction[largest] < 0;
        for (size_t k = 0; k < K && turn; k++) direction[k] = -direction[k];
        squares += c->singular[i] * c->singular[i];
    }
    if (!(squares > 0)) return;
    for (size_t i = 0; i < K; i++) {
        c->share[i] = c->singular[i] * c->singular[i] / squares;
        if (held < F2L_INSPECT_ENOUGH) c->enough = i + 1;
        held += c->share[i];
    }
    c->effective_rank = f2l_dense_effective_rank(c->singular, K);
}

/* Finds the components of the keys whose beta is at least `least`. The matrix of keys is
 * transposed: its left singular vectors are the components. */
static f2l_status find_components(f2l_inspect_components *c, const f2l_inspect_head *h,
                                  const f2l_inspect *x, double least, f2l_error *err)
{
    const size_t N = x->householders, K = x->key_dim, keys = x->used_letters * N;
    const size_t most = keys > K ? keys : K;
    double *transposed = f2l_calloc(K * most, sizeof *transposed);
    if (transposed == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < x->letters * N; i++) {
        if (!x->used[i / N] || h->beta[i] < least) continue;
        for (size_t k = 0; k < K; k++) transposed[k * most + c->keys] = h->key[i * K + k];
        c->keys++;
    }
    f2l_status status =
        f2l_dense_singular_values(c->singular, c->component, transposed, K, most, err);
    f2l_free(transposed);
    if (status == F2L_EDOMAIN) return f2l_fail(err, status, "the keys are not finite");
    if (status == F2L_OK) describe_components(c, K);
    return status;
}

f2l_status f2l_inspect_finish_head(f2l_inspect *x, size_t head, double top, const f2l_task *task,
                                   f2l_error *err)
{
    f2l_inspect_head *h = &x->head[head];
    const size_t N = x->householders, K = x->key_dim;
    double *basis = f2l_calloc(x->reduced * K, sizeof *basis),
           *value = f2l_calloc(x->letters * N, sizeof *value);
    f2l_status status = basis == NULL || value == NULL ? f2l_fail_memory(err) : F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < x->letters; a++) {
        status = f2l_inspect_letter(h, basis, a, N, K, x->reduced, err);
        if (status == F2L_EDOMAIN)
            (void)f2l_fail(err, status, "the transition of letter %zu in head %zu is too large",
                           a + 1, head + 1);
    }
    if (status == F2L_OK) {
        spread_betas(&h->betas, value, h, x, 0, N, top);
        for (size_t n = 0; n < N; n++) spread_betas(&h->factor[n], value, h, x, n, 1, top);
        count_letters(h, x, top);
        status = find_components(&h->all, h, x, -1, err);
        if (status == F2L_OK) status = find_components(&h->acting, h, x, top / 2, err);
    }
    f2l_free(basis);
    f2l_free(value);
    return status == F2L_OK ? f2l_task_poll(task, "heads", (double)head + 1, (double)x->heads, err)
                            : status;
}

static f2l_status inspect_head(f2l_inspect *x, const f2l_seq_letters *from, size_t head, double top,
                               const f2l_task *task, f2l_error *err)
{
    if (!f2l_inspect_allocate_head(&x->head[head], x)) return f2l_fail_memory(err);
    take_head(&x->head[head], from, x, head);
    return f2l_inspect_finish_head(x, head, top, task, err);
}

/* --- all --- */

f2l_status f2l_inspect_take_used(f2l_inspect *x, const unsigned char *used, f2l_error *err)
{
    x->used = f2l_calloc(x->letters, sizeof *x->used);
    if (x->used == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < x->letters; a++) {
        x->used[a] = used == NULL || used[a] != 0;
        x->used_letters += x->used[a];
    }
    return x->used_letters > 0 ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "no letter is used");
}

static f2l_status inspect_diagonal(f2l_inspect *x, f2l_seq_letters *from, const f2l_seq_config *c,
                                   const f2l_task *task, f2l_error *err)
{
    (void)task;
    const bool negative = c->negative;
    const size_t each = c->channels * c->states;
    x->channels = c->channels;
    x->states = c->states;
    double *value = f2l_calloc(x->letters * each, sizeof *value);
    size_t values = 0;
    x->decays = f2l_calloc(x->letters, sizeof *x->decays);
    x->decay = from->array[F2L_DIAGONAL_LETTER_DECAY];
    from->array[F2L_DIAGONAL_LETTER_DECAY] = NULL;
    if (value == NULL || x->decays == NULL) {
        f2l_free(value);
        return f2l_fail_memory(err);
    }
    for (size_t a = 0; a < x->letters; a++) {
        memcpy(value, x->decay + a * each, each * sizeof *value);
        f2l_inspect_spread_of(&x->decays[a], value, each, negative ? -1 : 0, 1);
    }
    for (size_t a = 0; a < x->letters; a++) {
        if (!x->used[a]) continue;
        memcpy(value + values, x->decay + a * each, each * sizeof *value);
        values += each;
    }
    f2l_inspect_spread_of(&x->all, value, values, negative ? -1 : 0, 1);
    f2l_free(value);
    return F2L_OK;
}

/* Returns the count of numbers in the arrays of all heads; SIZE_MAX: too many. */
static size_t count_inspect_numbers(const f2l_seq_config *c)
{
    size_t per_letter, total, squares;
    if (!f2l_mul_size(&per_letter, c->householders, c->key_dim + 8) ||
        !f2l_mul_size(&total, per_letter + 8, c->letters) ||
        !f2l_mul_size(&squares, c->key_dim, c->key_dim + 8) ||
        !f2l_add_size(&total, total, squares) || !f2l_mul_size(&total, total, c->heads) ||
        !f2l_mul_size(&total, total, sizeof(double)))
        return SIZE_MAX;
    return total;
}

static f2l_status inspect_delta(f2l_inspect *x, f2l_seq_letters *from, const f2l_seq_config *c,
                                const f2l_task *task, f2l_error *err)
{
    x->heads = c->heads;
    x->householders = c->householders;
    x->key_dim = c->key_dim;
    x->value_dim = c->value_dim;
    x->reduced = c->householders < c->key_dim ? c->householders : c->key_dim;
    f2l_status status = f2l_task_memory(task, "heads", count_inspect_numbers(c), err);
    if (status != F2L_OK) return status;
    x->head = f2l_calloc(x->heads, sizeof *x->head);
    if (x->head == NULL) return f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < x->heads; h++)
        status = inspect_head(x, from, h, c->negative || !c->normalise_keys ? 2 : 1, task, err);
    return status;
}

/* What is computed for each mixer. */
static const struct {
    const f2l_mixer *mixer;
    f2l_status (*inspect)(f2l_inspect *x, f2l_seq_letters *from, const f2l_seq_config *c,
                          const f2l_task *task, f2l_error *err);
} mixers[] = {{&f2l_mixer_delta, inspect_delta}, {&f2l_mixer_diagonal, inspect_diagonal}};

static f2l_status inspect_mixer(f2l_inspect *x, f2l_seq_letters *from, const f2l_seq_config *c,
                                const f2l_task *task, f2l_error *err)
{
    for (size_t i = 0; i < sizeof mixers / sizeof *mixers; i++)
        if (mixers[i].mixer == c->mixer) return mixers[i].inspect(x, from, c, task, err);
    return f2l_fail(err, F2L_EDOMAIN, "there is nothing to inspect in the mixer %s",
                    c->mixer->option);
}

f2l_status f2l_inspect_build(f2l_inspect *out, const f2l_seq *model, const double *parameters,
                             const unsigned char *used, const f2l_task *task, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    f2l_seq_letters letters;
    f2l_seq_letters_init(&letters);
    out->letters = c->letters;
    f2l_status status = f2l_inspect_take_used(out, used, err);
    if (status == F2L_OK)
        status =
            f2l_seq_letters_build(&letters, model, parameters, F2L_DELTA_LETTER_VALUE, task, err);
    out->repeats = letters.repeats;
    if (status == F2L_OK) status = inspect_mixer(out, &letters, c, task, err);
    f2l_seq_letters_clear(&letters);
    if (status != F2L_OK) f2l_inspect_clear(out);
    return status;
}
