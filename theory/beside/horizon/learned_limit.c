/* The limit of the states after z u^t (theory/pages/all-lengths.md, AL.2, AL.5). */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/clones.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/limit.h"
#include <math.h>
#include <string.h>

#define OFF 0x1p-36        /* of a product of matrices, for the checker's 2^-38 */
#define MOST_OFF 0.2       /* of the inverse of I - A_u P_u, relative to 1 / |inverse| */
#define LEAST_PART 0x1p-24 /* of a key that is not in the span of the others */
enum { MOST = F2L_LEARNED_MAX_DIM };

f2l_status f2l_limit_init(f2l_limit *out, const f2l_learned_net *net, f2l_error *err)
{
    const size_t H = net->c->heads, K = net->c->key_dim, V = net->c->value_dim;
    const size_t each = (2 + F2L_LIMIT_POWERS) * K * K + K * V + K + V;
    *out = (f2l_limit){.net = net};
    out->head = f2l_calloc(H, sizeof *out->head);
    out->memory = f2l_calloc(H * each, sizeof *out->memory);
    if (!out->head || !out->memory) return f2l_fail_memory(err);
    for (size_t h = 0; h < H; h++) {
        f2l_limit_head *d = &out->head[h];
        d->map = out->memory + h * each;
        d->onto = d->map + K * K;
        d->power = d->onto + K * K;
        d->fixed = d->power + F2L_LIMIT_POWERS * K * K;
        d->query = d->fixed + K * V;
        d->shift = d->query + K;
    }
    return F2L_OK;
}

void f2l_limit_clear(f2l_limit *x)
{
    f2l_free(x->head);
    f2l_free(x->memory);
    *x = (f2l_limit){0};
}

F2L_CLONES void f2l_limit_multiply(double *to, const double *a, const double *b, size_t n,
                                   size_t columns)
{
    memset(to, 0, n * columns * sizeof *to);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < columns; j++)
                to[i * columns + j] += a[i * n + l] * b[l * columns + j];
}

static void set_identity(double *m, size_t n)
{
    memset(m, 0, n * n * sizeof *m);
    for (size_t i = 0; i < n; i++) m[i * n + i] = 1;
}

/* Removes what is along the unit vectors q [count][n], twice; returns the length of what is left,
 * which becomes 1. */
static double orthogonalise(double *x, const double *q, size_t count, size_t n)
{
    for (size_t i = 0; i < 2 * count; i++) {
        const double *unit = q + i % count * n, part = f2l_learned_dot(x, unit, n);
        for (size_t j = 0; j < n; j++) x[j] -= part * unit[j];
    }
    const double size = f2l_learned_length(x, n);
    for (size_t j = 0; j < n; j++) x[j] /= size;
    return size;
}

size_t f2l_limit_basis(double *q, double *least, const f2l_learned_net *net,
                       const f2l_settle_word *period, size_t head)
{
    const f2l_seq_config *c = net->c;
    const size_t N = c->householders, H = c->heads, K = c->key_dim;
    size_t count = 0;
    *least = 1;
    for (size_t w = 0; w < c->letters; w++) {
        bool there = false;
        for (size_t i = 0; i < period->count; i++) there |= period->letter[i] == w;
        for (size_t i = 0; there && i < N; i++) {
            const double *k =
                net->letter.array[F2L_DELTA_LETTER_KEY] + ((w * N + i) * H + head) * K;
            if (!(f2l_learned_length(k, K) > 0)) continue;
            if (count == K) return K;
            memcpy(q + count * K, k, K * sizeof *k);
            *least = fmin(*least, orthogonalise(q + count * K, q, count, K));
            count++;
        }
    }
    return count;
}

void f2l_limit_invert(double *to, double *m, size_t n)
{
    set_identity(to, n);
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < n; j++)
            if (fabs(m[j * n + i]) > fabs(m[best * n + i])) best = j;
        const double pivot = m[best * n + i];
        for (size_t j = 0; j < n; j++) {
            const double a = m[best * n + j] / pivot, b = to[best * n + j] / pivot;
            m[best * n + j] = m[i * n + j];
            to[best * n + j] = to[i * n + j];
            m[i * n + j] = a;
            to[i * n + j] = b;
        }
        for (size_t l = 0; l < n; l++) {
            const double times = l == i ? 0 : m[l * n + i];
            for (size_t j = 0; j < n; j++) {
                m[l * n + j] -= times * m[i * n + j];
                to[l * n + j] -= times * to[i * n + j];
            }
        }
    }
}

/* Returns what the projection onto the span of `count` keys is off by. */
static double onto_off(size_t count, size_t key, double least)
{
    return count == key ? 0 : 8 * OFF * (double)(count * key) / (least * least);
}

/* Returns what the map of a period is off by, with P_u. */
static double map_off(const f2l_learned_net *net, const f2l_settle_word *period, size_t head,
                      size_t count, double least)
{
    const size_t K = net->c->key_dim;
    double off = onto_off(count, K, least);
    for (size_t i = 0; i < period->count; i++)
        off += net->letter_off[period->letter[i] * net->c->heads + head].a * sqrt((double)K);
    return count == K ? off : off + OFF * (double)K;
}

bool f2l_limit_spans(size_t count, size_t key, double least)
{
    return count == key || least > LEAST_PART;
}

double f2l_limit_room(const f2l_learned_net *net, const f2l_settle_word *period, size_t head,
                      size_t count, double least, double inverse)
{
    const size_t K = net->c->key_dim;
    return MOST_OFF / (inverse * (map_off(net, period, head, count, least) + OFF * (double)K));
}

/* Sets P_u; returns false where the keys are nearly dependent. */
static bool set_projection(f2l_limit *x, f2l_limit_head *d, size_t head)
{
    const size_t K = x->net->c->key_dim;
    double q[MOST * MOST], least;
    const size_t count = f2l_limit_basis(q, &least, x->net, &x->period, head);
    d->full = count == K;
    d->onto_off = onto_off(count, K, least);
    d->map_off = map_off(x->net, &x->period, head, count, least);
    memset(d->onto, 0, K * K * sizeof *d->onto);
    for (size_t l = 0; l < count && !d->full; l++)
        for (size_t i = 0; i < K * K; i++) d->onto[i] += q[l * K + i / K] * q[l * K + i % K];
    if (d->full) set_identity(d->onto, K);
    return f2l_limit_spans(count, K, least);
}

/* Sets A_u P_u and f_u(0), and what they are off by. */
static double set_map(const f2l_limit *x, f2l_limit_head *d, double *shift, size_t head)
{
    const size_t K = x->net->c->key_dim, V = x->net->c->value_dim;
    double off = 0;
    memcpy(d->map, d->onto, K * K * sizeof *d->map);
    memset(shift, 0, K * V * sizeof *shift);
    for (size_t i = 0; i < x->period.count; i++) {
        const size_t w = x->period.letter[i];
        const f2l_learned_off *o = &x->net->letter_off[w * x->net->c->heads + head];
        off += o->a * f2l_learned_length(shift, K * V) + o->b;
        f2l_learned_apply(d->map, d->map, x->net, w, head, K, false);
        f2l_learned_apply(shift, shift, x->net, w, head, V, true);
    }
    return off;
}

/* Sets x; returns false where it is not found. */
static bool set_fixed_point(const f2l_limit *x, f2l_limit_head *d, const double *shift,
                            double shift_off)
{
    const size_t K = x->net->c->key_dim, V = x->net->c->value_dim;
    double m[MOST * MOST] = {0}, inverse[MOST * MOST];
    for (size_t i = 0; i < K * K; i++) m[i] = (i % (K + 1) == 0 ? 1 : 0) - d->map[i];
    f2l_limit_invert(inverse, m, K);
    f2l_limit_multiply(d->fixed, inverse, shift, K, V);
    const double size = f2l_learned_norm(inverse, K, K, 10);
    const double sizes = (sqrt((double)K) + 2) * f2l_learned_length(d->fixed, K * V) +
                         f2l_learned_length(shift, K * V);
    d->fixed_off = 2 * size * (d->map_off * sizes + shift_off + OFF * sizes);
    return size * (d->map_off + OFF * (double)K) < MOST_OFF && isfinite(d->fixed_off);
}

void f2l_limit_set(f2l_limit *x, const f2l_settle_word *period)
{
    const f2l_seq_config *c = x->net->c;
    const size_t K = c->key_dim, V = c->value_dim, last = period->letter[period->count - 1];
    double shift[MOST * MOST];
    x->period = *period;
    x->powers = 0;
    x->fits = x->full = true;
    for (size_t h = 0; x->fits && h < c->heads; h++) {
        f2l_limit_head *d = &x->head[h];
        const double *q = x->net->query + (last * c->heads + h) * K;
        d->sized = false;
        x->fits = set_projection(x, d, h);
        const double off = x->fits ? set_map(x, d, shift, h) : 0;
        x->fits = x->fits && set_fixed_point(x, d, shift, off);
        x->full = x->full && d->full;
        for (size_t i = 0; i < K; i++) d->query[i] = q[i] - f2l_learned_dot(d->onto + i * K, q, K);
        memset(d->shift, 0, V * sizeof *d->shift);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < V; j++) d->shift[j] += q[i] * d->fixed[i * V + j];
    }
}

/* Fills map^(2^i) up to i. */
static void fill_powers(f2l_limit *x, size_t i)
{
    const size_t K = x->net->c->key_dim;
    for (; x->powers <= i; x->powers++)
        for (size_t h = 0; h < x->net->c->heads; h++) {
            double *to = x->head[h].power + x->powers * K * K, *from = to - K * K;
            if (x->powers == 0)
                memcpy(to, x->head[h].map, K * K * sizeof *to);
            else
                f2l_limit_multiply(to, from, from, K, K);
        }
}

/* Sets the sizes of a head's powers, and their errors: the checker's, which squares in the same
 * way. */
static void set_power_sizes(f2l_limit_head *d, size_t key)
{
    for (size_t p = 0; p < F2L_LIMIT_POWERS; p++) {
        const double *power = d->power + p * key * key;
        d->power_off[p] = d->map_off;
        if (p > 0) {
            const double size = d->power_size[p - 1], before = d->power_off[p - 1];
            const double entries = f2l_learned_length(power - key * key, key * key);
            d->power_off[p] = before * (size + fmin(size + before, 1)) + OFF * entries * entries;
        }
        d->power_size[p] = f2l_learned_norm(power, key, key, 10) * (1 + 0x1p-18 * (double)key);
    }
    d->sized = true;
}

double f2l_limit_rate(f2l_limit *x)
{
    double rate = 0;
    const size_t K = x->net->c->key_dim;
    fill_powers(x, 10);
    for (size_t h = 0; h < x->net->c->heads; h++)
        rate = fmax(rate, f2l_learned_norm(x->head[h].power + 10 * K * K, K, K, 10));
    return pow(rate, 0x1p-10);
}

void f2l_limit_read(double *o, const f2l_limit *x, const double *state)
{
    const f2l_seq_config *c = x->net->c;
    const size_t K = c->key_dim, V = c->value_dim;
    const double root = sqrt((double)K);
    for (size_t h = 0; h < c->heads; h++, o += V, state += K * V) {
        const f2l_limit_head *d = &x->head[h];
        memcpy(o, d->shift, V * sizeof *o);
        for (size_t i = 0; !d->full && i < K; i++)
            for (size_t j = 0; j < V; j++) o[j] += d->query[i] * state[i * V + j];
        for (size_t j = 0; j < V; j++) o[j] /= root;
    }
}

void f2l_limit_state(double *to, const f2l_limit *x, const double *state, size_t head)
{
    const size_t K = x->net->c->key_dim, size = K * x->net->c->value_dim;
    const f2l_limit_head *d = &x->head[head];
    memcpy(to, d->fixed, size * sizeof *to);
    if (d->full) return;
    f2l_limit_multiply(to, d->onto, state, K, x->net->c->value_dim);
    for (size_t i = 0; i < size; i++) to[i] = state[i] - to[i] + d->fixed[i];
}

void f2l_limit_states(double *to, const f2l_limit *x, const double *state)
{
    const size_t size = x->net->c->key_dim * x->net->c->value_dim;
    for (size_t h = 0; h < x->net->c->heads; h++)
        f2l_limit_state(to + h * size, x, state + h * size, h);
}

/* Returns a bound of how far a head's states after z u^t are from its limit, for all t >= after;
 * sizes: |S_z| + |x|. */
static double find_distance(const f2l_limit *x, const f2l_limit_head *d, const double *state,
                            double off, double sizes, size_t after)
{
    const size_t K = x->net->c->key_dim, V = x->net->c->value_dim;
    double apart[MOST * MOST], next[MOST * MOST];
    const double limit_off = off + d->onto_off * f2l_learned_length(state, K * V) + d->fixed_off +
                             2 * OFF * (double)K * sizes;
    double far = limit_off;
    f2l_limit_multiply(apart, d->onto, state, K, V);
    for (size_t i = 0; i < K * V; i++) apart[i] -= d->fixed[i];
    for (size_t i = 0; i < F2L_LIMIT_POWERS; i++) {
        if ((after >> i & 1) == 0) continue;
        const double *power = d->power + i * K * K, entries = f2l_learned_length(power, K * K);
        far += (d->power_off[i] + OFF * entries) * f2l_learned_length(apart, K * V);
        f2l_limit_multiply(next, power, apart, K, V);
        memcpy(apart, next, K * V * sizeof *next);
    }
    return far + f2l_learned_norm(apart, K, V, 10) * (1 + 0x1p-18 * (double)K) + limit_off;
}

void f2l_limit_ball(double *o, double *radius, f2l_limit *x, const double *state, const double *off,
                    size_t after, const f2l_settle_word *suffix)
{
    const f2l_seq_config *c = x->net->c;
    const size_t K = c->key_dim, V = c->value_dim;
    const f2l_settle_word *end = suffix->count > 0 ? suffix : &x->period;
    const double root = sqrt((double)K);
    fill_powers(x, F2L_LIMIT_POWERS - 1);
    for (size_t h = 0; h < c->heads; h++, state += K * V, o += V) {
        f2l_limit_head *d = &x->head[h];
        const size_t last = end->letter[end->count - 1] * c->heads + h;
        const f2l_learned_off *letter = &x->net->letter_off[last];
        const double *query = x->net->query + last * K, q = f2l_learned_length(query, K);
        if (!d->sized) set_power_sizes(d, K);
        double at[MOST * MOST],
            sizes = f2l_learned_length(state, K * V) + f2l_learned_length(d->fixed, K * V),
            far = find_distance(x, d, state, off[h], sizes, after);
        f2l_limit_state(at, x, state, h);
        for (size_t i = 0; i < suffix->count; i++) {
            const f2l_learned_off *one = &x->net->letter_off[suffix->letter[i] * c->heads + h];
            far = far * (1 + one->a) + one->a * f2l_learned_length(at, K * V) + one->b;
            f2l_learned_apply(at, at, x->net, suffix->letter[i], h, V, true);
            sizes += f2l_learned_length(at, K * V);
        }
        memset(o, 0, V * sizeof *o);
        for (size_t i = 0; i < K * V; i++) o[i % V] += query[i / V] * at[i] / root;
        radius[h] = ((q + letter->q) * far + (letter->q + 4 * OFF) * 3 * sizes) / root * 1.0001;
    }
}
