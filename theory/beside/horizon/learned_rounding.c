/* What the roundings of a scope, and of the checker's own doubles, change in the recurrence of a
 * letter (theory/pages/learned.md, LH.9). */
#include "models/learn/seq/delta/seq_delta.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>

static const f2l_learned_scope scopes[] = {{"exact", NULL, 0, INFINITY},
                                           {"fp32 any-order", "fp32", 0x1.04p-24, 0x1p10},
                                           {"fp64 any-order", "fp64", 0x1.04p-53, 0x1p10}};

const f2l_learned_scope *f2l_learned_scope_at(size_t index)
{
    return index < sizeof scopes / sizeof *scopes ? &scopes[index] : NULL;
}

double f2l_learned_slack(const f2l_learned_net *net, size_t terms)
{
    return 0x1p-36 + net->scope->unit * (double)(terms + 16); /* 2^-38 and room */
}

double f2l_learned_bound_projection(double *off, const f2l_learned_net *net, const double *w,
                                    size_t rows, bool active)
{
    const size_t n = net->c->width;
    double squares = 0, before = 0, terms = 0;
    for (size_t i = 0; i < rows; i++) {
        double y = f2l_learned_dot(w + i * n, net->x, n), sum = 0;
        for (size_t j = 0; j < n; j++) sum += fabs(w[i * n + j] * net->x[j]);
        terms += sum * sum;
        before += y * y;
        if (active) y /= 1 + exp(-y);
        squares += y * y;
    }
    *off = 1.1 * f2l_learned_slack(net, n) * (sqrt(terms) + sqrt(before));
    return sqrt(squares);
}

/* Returns what a projection is off by after it was scaled to length 1, and half of what its squared
 * length is off by. */
static double bound_unit_projection(const f2l_learned_net *net, const double *w)
{
    const size_t K = net->c->key_dim;
    double off;
    const double size = f2l_learned_bound_projection(&off, net, w, K, net->c->silu_keys);
    const double added = net->c->exact_keys ? 0 : net->c->epsilon;
    const double least = fmax(size - off, 0), room = least * least + added;
    const double longer = added * (size + off) / (room * sqrt(room));
    if (added == 0 && least < F2L_LEARNED_SHORTEST) return 2;
    return fmin(off / sqrt(room) * (1 + longer), 2) + f2l_learned_slack(net, K);
}

static void letter_head(f2l_learned_off *to, const f2l_learned_net *net, const f2l_seq *model,
                        const double *parameters, size_t letter, size_t head)
{
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, K = c->key_dim, V = c->value_dim;
    const double range = c->negative ? 2 : 1;
    /* of the sums along keys, where |S|_F <= sqrt(K) |S| */
    const double step = sqrt((double)K) * f2l_learned_slack(net, K);
    const size_t *mixer = model->layer[0].mixer;
    const double *key = parameters + model->tensor[mixer[F2L_DELTA_KEY]].offset;
    const double *b_proj = parameters + model->tensor[mixer[F2L_DELTA_BETA]].offset;
    const double *query = parameters + model->tensor[mixer[F2L_DELTA_QUERY]].offset;
    double a = 0, b = 0, size = 0;
    for (size_t i = 0; i < c->householders; i++) {
        const size_t at = i * c->heads + head;
        double in, v;
        const double k = bound_unit_projection(net, key + at * K * n);
        const double z = f2l_learned_bound_projection(&in, net, b_proj + at * n, 1, false);
        const double beta =
            net->letter
                .array[F2L_DELTA_LETTER_BETA][(letter * c->householders + i) * c->heads + head];
        const double slope = exp(c->slope * (in - z));
        const double rate =
            range * fmin(slope, 0.25) * c->slope * in + 2 * f2l_learned_slack(net, 0);
        const double most = beta + rate;
        const double factor = 1.01 * rate + most * (1.025 * k + step) + f2l_learned_slack(net, 0);
        a += factor;
        b += factor * size;
        if (!c->additive) continue;
        const double *value = parameters + model->tensor[mixer[F2L_DELTA_VALUE]].offset;
        const double length =
            f2l_learned_bound_projection(&v, net, value + at * V * n, V, true) + v;
        b += 1.01 * ((rate + most * k + f2l_learned_slack(net, 0)) * length + most * v);
        size += 1.05 * most * length;
    }
    to->a = 1.01 * a;
    to->b = 1.01 * b;
    to->q = bound_unit_projection(net, query + head * K * n) + step;
}

void f2l_learned_rounding(f2l_learned_net *net, const f2l_seq *model, const double *parameters)
{
    const f2l_seq_config *c = net->c;
    const double *norm = parameters + model->tensor[model->layer[0].mixer_norm].offset;
    for (size_t w = 0; w < c->letters; w++) {
        f2l_learned_normed(net->x, net, w, norm);
        for (size_t h = 0; h < c->heads; h++)
            letter_head(&net->letter_off[w * c->heads + h], net, model, parameters, w, h);
    }
}

f2l_status f2l_learned_rounding_fits(const f2l_learned_net *net, const f2l_seq *model,
                                     const double *parameters, f2l_error *err)
{
    for (size_t i = 0; i < model->tensors; i++) {
        const f2l_seq_tensor *t = &model->tensor[i];
        if (!(f2l_learned_length(parameters + t->offset, t->count) < net->scope->most))
            return f2l_fail(err, F2L_EDOMAIN, "the numbers of tensor %s may overflow in %s",
                            t->name, net->scope->format);
    }
    for (size_t i = 0; i < net->c->letters * net->c->heads; i++)
        if (!net->c->exact_keys && !(net->letter_off[i].a < 0.0099))
            return f2l_fail(err, F2L_EDOMAIN, "a key of head %zu is too short for a proof in %s",
                            i % net->c->heads + 1, net->scope->name);
    return F2L_OK;
}
