/* Answers of several points at once (theory/pages/learned.md, LH.11). */
#include "numeric/base/clones.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

enum { LANES = F2L_LEARNED_LANES };

/* What the numbers of a point are off by; each: of a row of length 1 of gate or up. */
typedef struct point {
    double squares, s, far, theta, each;
    double hidden, off; /* squares of lengths */
} point;

/* Adds m [rows][n] x to y [rows]. */
F2L_CLONES static void add_lane_products(f2l_lanes *y, const double *m, size_t rows, size_t n,
                                         const f2l_lanes *x)
{
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const double *row = m + i * n;
        f2l_lanes a = y[i], b = y[i + 1], c = y[i + 2], d = y[i + 3];
        for (size_t j = 0; j < n; j++) {
            a += row[j] * x[j];
            b += row[n + j] * x[j];
            c += row[2 * n + j] * x[j];
            d += row[3 * n + j] * x[j];
        }
        y[i] = a;
        y[i + 1] = b;
        y[i + 2] = c;
        y[i + 3] = d;
    }
    for (; i < rows; i++)
        for (size_t j = 0; j < n; j++) y[i] += m[i * n + j] * x[j];
}

/* Terms of the series of e^r, |r| <= 0.35: for all digits, and for 11 of them. */
enum { ALL_TERMS = 15, SOME_TERMS = 10 };

typedef uint64_t bit_lanes __attribute__((vector_size(sizeof(f2l_lanes))));

/* Sets *to to x where the bits are 1, else to y. */
F2L_INLINE void select_lanes(f2l_lanes *to, const bit_lanes *where, const f2l_lanes *x,
                             const f2l_lanes *y)
{
    *to = (f2l_lanes)((*where & (bit_lanes)*x) | (~*where & (bit_lanes)*y));
}

/* Replaces g by silu'(g) and x by silu(g), by a series for e^-|g| after -|g| = k log 2 + r. */
F2L_INLINE void silu_lanes(f2l_lanes *g, f2l_lanes *x, int terms)
{
    static const double root = 0x1.71547652b82fep0, two = 0x1.62e42fefa39efp-1;
    const f2l_lanes zero = {0}, least = zero - 700;
    const f2l_lanes size = (f2l_lanes)((bit_lanes)*g << 1 >> 1), below = -size;
    const bit_lanes near = (bit_lanes)(size < 700), negative = (bit_lanes)(*g < 0);
    f2l_lanes z, sigmoid, sum = zero + 1;
    select_lanes(&z, &near, &below, &least);
    const f2l_lanes t = z * root + 0x1.8p52, r = z - (t - 0x1.8p52) * two;
    for (int i = terms; i > 0; i--) sum = 1 + r * (1.0 / i) * sum;
    const f2l_lanes e = sum * (f2l_lanes)(((bit_lanes)t << 52) + 0x3ff0000000000000);
    const f2l_lanes less = e / (1 + e), more = 1 - less;
    select_lanes(&sigmoid, &negative, &less, &more);
    *x = *g * sigmoid;
    *g = sigmoid * (1 + *g * (1 - sigmoid));
}

/* Turns the products of x with gate and up into the hidden units, in u, and adds what they are off
 * by. */
F2L_CLONES static void hidden_unit_lanes(const f2l_learned_net *net, point p[LANES], f2l_lanes *g,
                                         f2l_lanes *u)
{
    const size_t H = net->c->heads;
    const double own = f2l_learned_slack(net, net->c->width), root = sqrt((double)net->c->width);
    for (size_t i = 0; i < net->c->mlp; i++) {
        const double gl = net->gate_norm[i * (H + 1) + H], ul = net->up_norm[i * (H + 1) + H];
        double gate[LANES], up[LANES];
        f2l_lanes slope = {0}, silu;
        memcpy(gate, &g[i], sizeof gate);
        memcpy(up, &u[i], sizeof up);
        for (int l = 0; l < LANES; l++) slope[l] = gate[l] /= p[l].s;
        silu_lanes(&slope, &silu, ALL_TERMS);
        for (int l = 0; l < LANES; l++) {
            const double y = fabs(up[l] / p[l].s), a = fabs(slope[l]) * y, b = fabs(silu[l]);
            const double dg = fabs(gate[l]) * p[l].theta + gl * p[l].each;
            const double du = y * p[l].theta + ul * p[l].each, both = a * gl + b * ul;
            const double off =
                a * dg + b * du + 0.25 * dg * dg * y + (fabs(slope[l]) + 0.5 * dg) * dg * du +
                own * (both * root + (1 + fabs(gate[l])) * y * (1 + dg) + (b + 2 * dg) * du);
            up[l] *= silu[l] / p[l].s;
            p[l].hidden += up[l] * up[l];
            p[l].off += off * off;
        }
        memcpy(&u[i], up, sizeof up);
    }
}

/* The same to SOME_TERMS, without what they are off by. */
F2L_CLONES static void plain_hidden_lanes(const f2l_learned_net *net, point p[LANES],
                                          const f2l_lanes *g, f2l_lanes *u)
{
    f2l_lanes scale = {0}, hidden = {0};
    for (int l = 0; l < LANES; l++) scale[l] = 1 / p[l].s;
    for (size_t i = 0; i < net->c->mlp; i++) {
        f2l_lanes gate = g[i] * scale, silu;
        silu_lanes(&gate, &silu, SOME_TERMS);
        u[i] *= silu * scale;
        hidden += u[i] * u[i];
    }
    for (int l = 0; l < LANES; l++) p[l].hidden = hidden[l];
}

/* Sets the bounds of a point from net->nu; returns false where they are too large. */
static bool bound_lane(point *p, const f2l_learned_net *net, size_t letter)
{
    const size_t n = net->c->width, hv = net->c->heads * net->c->value_dim;
    const double all = p->squares + (double)n * net->c->epsilon, own = f2l_learned_slack(net, n);
    p->s = sqrt(all / (double)n);
    p->far = f2l_learned_slack(net, hv) *
             (f2l_learned_length(net->embedding + letter * n, n) + net->m_size * sqrt((double)hv));
    for (size_t h = 0; h < net->c->heads; h++) p->far += net->m_norm[h] * net->nu[h];
    const double z = (2 * sqrt(p->squares) + p->far) * p->far / all;
    p->theta = 1 / sqrt(1 - z) - 1 + own;
    p->each = (1 + p->theta) / p->s * p->far + own * sqrt((double)n);
    return z < 0.5;
}

static bool lane_is_right(const f2l_learned_net *net, const f2l_lanes *logit, size_t l,
                          size_t right, const point *p)
{
    const double off = sqrt(p->off), own = sqrt(p->squares) + p->far;
    const double each = p->far + net->down_size * off +
                        f2l_learned_slack(net, net->c->width + net->c->mlp) *
                            (own + net->down_size * (sqrt(p->hidden) + off));
    bool found = true;
    for (size_t j = 0; j < net->c->labels; j++)
        if (j != right)
            found =
                found && (logit[right][l] - logit[j][l]) * 0.999 >
                             (net->head_size[right] + net->head_size[j]) * each + F2L_LEARNED_UNIT;
    return found;
}

/* The parts of net->many. */
typedef struct parts {
    f2l_lanes *o, *x, *g, *u, *logit;
} parts;

/* Sets x, the residual after the mixer, from n in the lanes of o; the rest is 0. */
static parts start_lanes(f2l_learned_net *net, const f2l_learned_question *q, size_t count,
                         double nu[LANES][F2L_LEARNED_MAX_HEADS])
{
    const size_t n = net->c->width, hv = net->c->heads * net->c->value_dim, F = net->c->mlp;
    const parts a = {net->many, net->many + hv, net->many + hv + n, net->many + hv + n + F,
                     net->many + hv + n + 2 * F};
    memset(net->many, 0, (hv + n + 2 * F + net->c->labels) * sizeof *net->many);
    for (size_t l = 0; l < count; l++) {
        f2l_learned_head_norms(net, &q[l]);
        if (nu) memcpy(nu[l], net->nu, net->c->heads * sizeof *net->nu);
        for (size_t i = 0; i < hv; i++) a.o[i][l] = net->n[i];
        for (size_t i = 0; i < n; i++) a.x[i][l] = net->embedding[q[l].letter * n + i];
    }
    add_lane_products(a.x, net->m, n, hv, a.o);
    return a;
}

void f2l_learned_answer_lanes(bool *right, f2l_learned_net *net, const f2l_learned_question *q,
                              size_t count)
{
    const size_t n = net->c->width, F = net->c->mlp, L = net->c->labels;
    point p[LANES] = {0};
    double nu[LANES][F2L_LEARNED_MAX_HEADS];
    const parts a = start_lanes(net, q, count, nu);
    for (size_t l = 0; l < LANES; l++) {
        const size_t from = l < count ? l : 0;
        memcpy(net->nu, nu[from], net->c->heads * sizeof *net->nu);
        for (size_t i = 0; i < n; i++) p[l].squares += a.x[i][l] * a.x[i][l];
        const bool fits = bound_lane(&p[l], net, q[from].letter);
        if (l < count) right[l] = fits;
    }
    add_lane_products(a.g, net->gate, F, n, a.x);
    add_lane_products(a.u, net->up, F, n, a.x);
    hidden_unit_lanes(net, p, a.g, a.u);
    add_lane_products(a.logit, net->head, L, n, a.x);
    add_lane_products(a.logit, net->head_down, L, F, a.u);
    for (size_t l = 0; l < count; l++)
        right[l] = right[l] && lane_is_right(net, a.logit, l, q[l].right, &p[l]);
}

void f2l_learned_largest_lanes(f2l_learned_largest *out, f2l_learned_net *net,
                               const f2l_learned_question *q, size_t count)
{
    const size_t n = net->c->width, F = net->c->mlp, L = net->c->labels;
    point p[LANES] = {0};
    const parts a = start_lanes(net, q, count, NULL);
    double head = 0;
    for (size_t l = 0; l < LANES; l++) {
        for (size_t i = 0; i < n; i++) p[l].squares += a.x[i][l] * a.x[i][l];
        p[l].s = sqrt(p[l].squares / (double)n + net->c->epsilon);
    }
    add_lane_products(a.g, net->gate, F, n, a.x);
    add_lane_products(a.u, net->up, F, n, a.x);
    plain_hidden_lanes(net, p, a.g, a.u);
    add_lane_products(a.logit, net->head, L, n, a.x);
    add_lane_products(a.logit, net->head_down, L, F, a.u);
    for (size_t j = 0; j < L; j++) head = fmax(head, net->head_size[j]);
    for (size_t l = 0; l < count; l++) {
        size_t best = 0;
        double gap = INFINITY;
        for (size_t j = 1; j < L; j++)
            if (a.logit[j][l] > a.logit[best][l]) best = j;
        for (size_t j = 0; j < L; j++)
            if (j != best) gap = fmin(gap, a.logit[best][l] - a.logit[j][l]);
        const double sizes = head * (sqrt(p[l].squares) + net->down_size * sqrt(p[l].hidden));
        out[l] = (f2l_learned_largest){best, gap / sizes};
    }
}
