/* LH.9 against evaluations in the scope's arithmetic: sums in random order, operations rounded to
 * float, or off by the full unit, always upward. Errors stay within the bounds, are not far below
 * them, and exceed them in an arithmetic that is coarser than the scope says. */
#include "models/learn/experiment/experiment.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/beside/horizon/impl.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define RUN "tests/data/learned-s3"
enum { MOST = 512, LETTERS = 12, DIM = 64 };

typedef enum rounding { TO_FLOAT, UPWARD, COARSE } rounding;

/* A network, the numbers that the bounds are about, and the arithmetic of one evaluation. */
typedef struct machine {
    f2l_error err;
    f2l_seq model;
    float *small;
    double *parameters;
    f2l_learned_net net;
    rounding mode;
    f2l_rng rng;
    double state, answer; /* greatest errors found, relative to their bounds */
} machine;

static double rounded(machine *m, double x)
{
    const double unit = m->mode == COARSE ? 0x1p-14 : 0x1p-24;
    if (m->mode == TO_FLOAT) return (double)(float)x;
    if (m->mode == UPWARD) return x + unit * fabs(x);
    return x * (f2l_rng_below(&m->rng, 2) ? 1 + unit : 1 - unit);
}

/* Returns the sum of a_i b_i, added in a random tree, products rounded or fused. */
static double summed(machine *m, const double *a, size_t step_a, const double *b, size_t step_b,
                     size_t n)
{
    double part[MOST] = {0};
    const bool fused = f2l_rng_below(&m->rng, 2);
    for (size_t i = 0; i < n; i++) {
        part[i] = a[i * step_a] * b[i * step_b];
        if (!fused) part[i] = rounded(m, part[i]);
    }
    while (n > 1) {
        const size_t i = f2l_rng_below(&m->rng, n), last = --n;
        const double x = part[i];
        part[i] = part[last];
        if (last == 0) break;
        const size_t j = f2l_rng_below(&m->rng, last);
        part[j] = rounded(m, part[j] + x);
    }
    return part[0];
}

static double sigmoid(machine *m, double x)
{
    const double e = rounded(m, exp(-fabs(x)));
    const double part = rounded(m, 1 / rounded(m, 1 + e));
    return x >= 0 ? part : rounded(m, e * part);
}

/* Returns 1 / sqrt(|x|^2 / over + epsilon). */
static double scale_of(machine *m, const double *x, size_t n, double over)
{
    const double mean = rounded(m, summed(m, x, 1, x, 1, n) / over);
    const double epsilon = rounded(m, m->model.config.epsilon);
    return rounded(m, 1 / rounded(m, sqrt(rounded(m, mean + epsilon))));
}

static void normed(machine *m, double *y, const double *x, const double *weight, size_t n,
                   double over)
{
    const double scale = scale_of(m, x, n, over);
    for (size_t i = 0; i < n; i++) {
        y[i] = rounded(m, x[i] * scale);
        if (weight) y[i] = rounded(m, y[i] * weight[i]);
    }
}

static const double *tensor(const machine *m, const char *name)
{
    const f2l_seq_tensor *t = f2l_seq_find(&m->model, name);
    cr_assert(t != NULL, "%s", name);
    return m->parameters + t->offset;
}

static void project(machine *m, double *y, const double *w, size_t rows, const double *x, bool silu)
{
    const size_t n = m->model.config.width;
    for (size_t i = 0; i < rows; i++) {
        y[i] = summed(m, w + i * n, 1, x, 1, n);
        if (silu) y[i] = rounded(m, y[i] * sigmoid(m, y[i]));
    }
}

#define MIXER "layers.0.mixer."

/* Steps the state S of a head and computes its o, K^-1/2 S^T q. */
static void step(machine *m, double *o, double *S, const double *x, size_t h)
{
    const f2l_seq_config *c = &m->model.config;
    const size_t n = c->width, K = c->key_dim, V = c->value_dim;
    double k[DIM] = {0}, q[DIM] = {0}, v[DIM] = {0}, in;
    for (size_t i = 0; i < c->householders; i++) {
        const size_t at = i * c->heads + h;
        project(m, k, tensor(m, MIXER "k_proj.weight") + at * K * n, K, x, c->silu_keys);
        normed(m, k, k, NULL, K, 1);
        project(m, &in, tensor(m, MIXER "b_proj.weight") + at * n, 1, x, false);
        const double beta = rounded(m, 2 * sigmoid(m, rounded(m, c->slope * in)));
        if (c->additive) project(m, v, tensor(m, MIXER "v_proj.weight") + at * V * n, V, x, true);
        for (size_t j = 0; j < V; j++) {
            const double e = rounded(m, v[j] - summed(m, k, 1, S + j, V, K));
            const double change = rounded(m, beta * e);
            for (size_t l = 0; l < K; l++)
                S[l * V + j] = rounded(m, S[l * V + j] + rounded(m, k[l] * change));
        }
    }
    project(m, q, tensor(m, MIXER "q_proj.weight") + h * K * n, K, x, c->silu_keys);
    normed(m, q, q, NULL, K, 1);
    const double root = rounded(m, 1 / sqrt((double)K));
    for (size_t j = 0; j < V; j++) o[j] = rounded(m, root * summed(m, q, 1, S + j, V, K));
}

/* Computes the logits, divided by the last norm's scale. */
static void read_out(machine *m, double *logit, const double *e, const double *o)
{
    const f2l_seq_config *c = &m->model.config;
    const size_t n = c->width, V = c->value_dim, hv = c->heads * V;
    double norm[MOST] = {0}, x1[MOST] = {0}, x2[MOST] = {0}, y[MOST], g[MOST] = {0}, u[MOST] = {0};
    for (size_t h = 0; h < c->heads; h++)
        normed(m, norm + h * V, o + h * V, tensor(m, MIXER "o_norm.weight"), V, (double)V);
    for (size_t i = 0; i < n; i++) {
        const double *row = tensor(m, MIXER "o_proj.weight") + i * hv;
        x1[i] = rounded(m, e[i] + summed(m, row, 1, norm, 1, hv));
    }
    normed(m, y, x1, tensor(m, "layers.0.mlp_norm.weight"), n, (double)n);
    project(m, g, tensor(m, "layers.0.mlp.gate_proj.weight"), c->mlp, y, true);
    project(m, u, tensor(m, "layers.0.mlp.up_proj.weight"), c->mlp, y, false);
    for (size_t i = 0; i < c->mlp; i++) g[i] = rounded(m, g[i] * u[i]);
    for (size_t i = 0; i < n; i++) {
        const double *row = tensor(m, "layers.0.mlp.down_proj.weight") + i * c->mlp;
        x2[i] = rounded(m, x1[i] + summed(m, row, 1, g, 1, c->mlp));
    }
    const double scale = scale_of(m, x2, n, (double)n);
    for (size_t i = 0; i < n; i++)
        x2[i] = rounded(m, rounded(m, x2[i] * scale) * tensor(m, "norm.weight")[i]);
    project(m, logit, tensor(m, "head.weight"), c->labels, x2, false);
    for (size_t i = 0; i < c->labels; i++) logit[i] /= scale;
}

/* The states of one word: of the machine, in double, and the bound of their difference by head. */
typedef struct track {
    double seen[8 * DIM * DIM], exact[8 * DIM * DIM], bound[8];
} track;

static double apart(const double *a, const double *b, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}

/* Steps a head; sets its o, in the machine and exactly, and the radius of the ball around it. */
static double step_both(machine *m, track *t, double *seen, double *exact, const double *x,
                        size_t letter, size_t h)
{
    const size_t K = m->net.c->key_dim, V = m->net.c->value_dim, H = m->net.c->heads;
    const f2l_learned_off *off = &m->net.letter_off[letter * H + h];
    double *S = t->exact + h * K * V;
    const double added = off->a * f2l_learned_length(S, K * V) + off->b;
    t->bound[h] = t->bound[h] * (1 + off->a) + added;
    f2l_learned_apply(S, S, &m->net, letter, h, V, true);
    step(m, seen, t->seen + h * K * V, x, h);
    const double found = apart(t->seen + h * K * V, S, K * V);
    m->state = fmax(m->state, found / (t->bound[h] + 1e-9));
    for (size_t j = 0; j < V; j++) {
        exact[j] = 0;
        for (size_t i = 0; i < K; i++)
            exact[j] += m->net.query[(letter * H + h) * K + i] * S[i * V + j] / sqrt((double)K);
    }
    return (t->bound[h] * 1.01 + off->q * (f2l_learned_length(S, K * V) + t->bound[h])) /
               sqrt((double)K) +
           1e-9;
}

/* Reads a random word; compares states and differences of logits with their bounds. */
static void read_word(machine *m, uint64_t seed)
{
    static track t;
    const f2l_seq_config *c = &m->model.config;
    const size_t n = c->width, H = c->heads, V = c->value_dim, size = H * c->key_dim * V;
    double x[MOST] = {0}, seen[8 * DIM], exact[8 * DIM], ball[8], logit[MOST];
    f2l_rng_init(&m->rng, seed, 7);
    memset(&t, 0, sizeof t);
    if (c->learned_start) {
        memcpy(t.seen, m->net.start, size * sizeof *t.seen);
        memcpy(t.exact, m->net.start, size * sizeof *t.exact);
    }
    for (size_t i = 0; i < LETTERS; i++) {
        const size_t w = f2l_rng_below(&m->rng, c->letters);
        const double *e = m->net.embedding + w * n;
        normed(m, x, e, tensor(m, "layers.0.mixer_norm.weight"), n, (double)n);
        for (size_t h = 0; h < H; h++)
            ball[h] = step_both(m, &t, seen + h * V, exact + h * V, x, w, h);
        read_out(m, logit, e, seen);
        for (size_t right = 0; right < c->labels; right++) {
            f2l_learned_margin margin;
            const f2l_learned_question asked = {w, right, 0, exact, ball};
            f2l_learned_answer(&margin, &m->net, &asked);
            if (isinf(margin.spread)) continue;
            const double found = logit[right] - logit[margin.other] - margin.difference;
            m->answer = fmax(m->answer, fabs(found) / margin.spread);
        }
    }
}

static void open_small(machine *m)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    cr_assert(f2l_read_file(&bytes, RUN "/weights.safetensors", 0, &m->err) == F2L_OK);
    cr_assert(f2l_seq_read_f32(&m->model, &m->small, bytes.data, bytes.size, &m->err) == F2L_OK);
    f2l_buf_clear(&bytes);
}

/* A network with values and SiLU on its keys, as it is before training. */
static void open_random(machine *m)
{
    f2l_seq_config c = f2l_seq_config_default(5, 6);
    c.width = 32;
    c.mlp = 48;
    c.heads = 3;
    c.householders = 3;
    c.key_dim = 8;
    c.value_dim = 12;
    c.additive = c.silu_keys = true;
    c.learned_start = false;
    cr_assert(f2l_seq_init(&m->model, &c, &m->err) == F2L_OK, "%s", m->err.text);
    m->small = f2l_calloc(m->model.parameters, sizeof *m->small);
    f2l_seq_start_f32(m->small, &m->model, 3);
}

/* The same with betas near 0 and 2. */
static void open_saturated(machine *m)
{
    open_random(m);
    const f2l_seq_tensor *t = f2l_seq_find(&m->model, MIXER "b_proj.weight");
    for (size_t i = 0; i < t->count; i++) m->small[t->offset + i] *= 40;
}

/* Sets the greatest errors relative to their bounds. */
static void measure(machine *m, void (*open)(machine *), rounding mode)
{
    *m = (machine){.mode = mode};
    open(m);
    m->parameters = f2l_calloc(m->model.parameters, sizeof *m->parameters);
    for (size_t i = 0; i < m->model.parameters; i++) m->parameters[i] = (double)m->small[i];
    cr_assert(f2l_learned_net_build(&m->net, &m->model, m->parameters, f2l_learned_scope_at(1),
                                    NULL, &m->err) == F2L_OK,
              "%s", m->err.text);
    for (uint64_t seed = 0; seed < 20; seed++) read_word(m, seed);
    f2l_learned_net_clear(&m->net);
    f2l_free(m->parameters);
    f2l_free(m->small);
    f2l_seq_clear(&m->model);
}

/* Asserts that the errors are above these parts of their bounds, and below the bounds. */
static void within(const machine *m, double state, double answer)
{
    cr_assert(m->state > state && m->state < 1, "state %g", m->state);
    cr_assert(m->answer > answer && m->answer < 1, "answer %g", m->answer);
}

static void compare(void (*open)(machine *))
{
    static machine m;
    measure(&m, open, TO_FLOAT);
    within(&m, 2e-4, 3e-5);
    measure(&m, open, UPWARD);
    within(&m, 2e-3, 2e-4);
    measure(&m, open, COARSE);
    cr_assert(m.state > 1, "state %g", m.state);
}

Test(learned_rounding, trained_network)
{
    compare(open_small);
}

Test(learned_rounding, values_and_silu)
{
    compare(open_random);
}

Test(learned_rounding, betas_at_the_ends)
{
    compare(open_saturated);
}
