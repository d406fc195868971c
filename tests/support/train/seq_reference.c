#include "tests/support/train/seq_reference.h"
#include "models/learn/seq/mixer.h"

const double *ref_tensor(const ref *r, size_t layer, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "layers.%zu.%s", layer, name);
    const f2l_seq_tensor *tensor = f2l_seq_find(&r->s->model, full);
    return tensor == NULL ? NULL : r->s->parameter + tensor->offset;
}

void ref_map(double *y, const double *w, const double *x, size_t out, size_t in)
{
    for (size_t i = 0; i < out; i++) {
        y[i] = 0;
        for (size_t j = 0; j < in; j++) y[i] += w[i * in + j] * x[j];
    }
}

void ref_rms(double *y, const double *x, const double *w, size_t n, double epsilon)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) square += x[i] * x[i];
    for (size_t i = 0; i < n; i++) y[i] = w[i] * x[i] / sqrt(square / (double)n + epsilon);
}

double ref_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

void ref_taps(double *x, ref *r, size_t layer, size_t stream, const double *w, size_t n)
{
    const size_t taps = r->s->model.config.convolution;
    if (w == NULL) return;
    memcpy(r->layer[layer].seen[stream][r->t], x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        for (size_t j = 0; j < taps && j <= r->t; j++)
            x[i] += w[i * taps + taps - 1 - j] * r->layer[layer].seen[stream][r->t - j][i];
    }
}

/* Rounds a row to 0, 1 and -1: to 0 what is below half of the largest size. */
static void ref_ternary(double *y, size_t dim)
{
    double most = 0;
    for (size_t i = 0; i < dim; i++) most = fmax(most, fabs(y[i]));
    for (size_t i = 0; i < dim; i++) y[i] = fabs(y[i]) < most / 2 ? 0 : y[i] > 0 ? 1 : -1;
}

void ref_stream(double *y, ref *r, size_t layer, size_t stream, const double *x)
{
    static const char *const weight[] = {"mixer.q_proj.weight", "mixer.k_proj.weight",
                                         "mixer.v_proj.weight"},
                             *const taps[] = {"mixer.q_conv1d.weight", "mixer.k_conv1d.weight",
                                              "mixer.v_conv1d.weight"};
    const f2l_seq_config *c = &r->s->model.config;
    const size_t dim = stream == 2 ? c->value_dim : c->key_dim;
    const size_t n = (stream == 0 ? 1 : c->householders) * c->heads * dim;
    ref_map(y, ref_tensor(r, layer, weight[stream]), x, n, c->width);
    ref_taps(y, r, layer, stream, ref_tensor(r, layer, taps[stream]), n);
    for (size_t i = 0; i < n && (stream == 2 || c->silu_keys); i++) y[i] *= ref_sigmoid(y[i]);
    for (size_t v = 0; v < n / dim && stream < 2 && c->normalise_keys; v++) {
        double square = c->key_epsilon > 0 ? c->key_epsilon : c->epsilon;
        if (c->exact_keys) square = 0;
        if (c->ternary_keys && stream == 1) ref_ternary(y + v * dim, dim);
        for (size_t i = 0; i < dim; i++) square += y[v * dim + i] * y[v * dim + i];
        for (size_t i = 0; i < dim; i++) y[v * dim + i] /= sqrt(square);
    }
}

void ref_factor(double state[REF_SIZE][REF_SIZE], const double *k, const double *v, double beta,
                size_t keys, size_t values)
{
    double next[REF_SIZE][REF_SIZE];
    for (size_t i = 0; i < keys; i++)
        for (size_t d = 0; d < values; d++) {
            next[i][d] = v == NULL ? 0 : beta * k[i] * v[d];
            for (size_t j = 0; j < keys; j++)
                next[i][d] += ((i == j) - beta * k[i] * k[j]) * state[j][d];
        }
    for (size_t i = 0; i < keys; i++) memcpy(state[i], next[i], values * sizeof next[i][0]);
}

/* Sets y to the output of a layer of heads from the norm of o. */
static void ref_output(double *y, double *o, ref *r, size_t l, const double *x)
{
    const f2l_seq_config *c = &r->s->model.config;
    const size_t values = c->heads * c->value_dim;
    if (c->output_gate) {
        double gate[REF_SIZE];
        ref_map(gate, ref_tensor(r, l, "mixer.g_proj.weight"), x, values, c->width);
        for (size_t i = 0; i < values; i++) o[i] *= gate[i] * ref_sigmoid(gate[i]);
    }
    ref_map(y, ref_tensor(r, l, "mixer.o_proj.weight"), o, c->width, values);
}

/* Returns beta of its input as a part of the range. */
static double ref_share(const f2l_seq_config *c, double b)
{
    return c->clamped_betas ? fmin(fmax(0.5 + c->slope * b / 4, 0), 1) : ref_sigmoid(c->slope * b);
}

void ref_delta(double *y, ref *r, size_t l, const double *x)
{
    const f2l_seq_config *c = &r->s->model.config;
    const size_t keys = c->key_dim, values = c->value_dim;
    double q[REF_SIZE], k[REF_SIZE], v[REF_SIZE], b[REF_SIZE], a[REF_SIZE], o[REF_SIZE];
    const double *start = ref_tensor(r, l, "mixer.initial_state");
    ref_stream(q, r, l, 0, x);
    ref_stream(k, r, l, 1, x);
    if (c->additive) ref_stream(v, r, l, 2, x);
    ref_map(b, ref_tensor(r, l, "mixer.b_proj.weight"), x, c->householders * c->heads, c->width);
    if (c->forget_gate) ref_map(a, ref_tensor(r, l, "mixer.a_proj.weight"), x, c->heads, c->width);
    for (size_t h = 0; h < c->heads; h++) {
        double(*state)[REF_SIZE] = r->layer[l].state[h], gate = 1, mean[REF_SIZE];
        if (c->forget_gate)
            gate = exp(-exp(ref_tensor(r, l, "mixer.A_log")[h]) *
                       log(1 + exp(a[h] + ref_tensor(r, l, "mixer.dt_bias")[h])));
        for (size_t i = 0; i < keys; i++)
            for (size_t d = 0; d < values; d++) {
                if (r->t == 0) state[i][d] = start == NULL ? 0 : start[(h * keys + i) * values + d];
                state[i][d] *= gate;
            }
        for (size_t n = 0; n < c->householders; n++) {
            const size_t at = n * c->heads + h;
            ref_factor(state, k + at * keys, c->additive ? v + at * values : NULL,
                       (c->negative ? 2 : 1) * ref_share(c, b[at]), keys, values);
        }
        for (size_t d = 0; d < values; d++) {
            mean[d] = 0;
            for (size_t i = 0; i < keys; i++)
                mean[d] += q[h * keys + i] * state[i][d] / sqrt((double)keys);
        }
        ref_rms(o + h * values, mean, ref_tensor(r, l, "mixer.o_norm.weight"), values, c->epsilon);
    }
    ref_output(y, o, r, l, x);
}

/* Sets w, and for rwkv7 a, b and the written key k, of the head whose first key is `at`. */
static void ref_rates(double *w, double *a, double *b, double *k, ref *r, size_t l, size_t at,
                      const double *x)
{
    const f2l_seq_config *c = &r->s->model.config;
    const size_t rank = c->step_rank;
    const bool rwkv7 = c->mixer == &f2l_mixer_rwkv7;
    double low[REF_SIZE], rate[REF_SIZE], length = c->key_epsilon > 0 ? c->key_epsilon : c->epsilon;
    const double *removal = ref_tensor(r, l, "mixer.removal");
    ref_map(low, ref_tensor(r, l, "mixer.gate_low.weight"), x, rank, c->width);
    for (size_t i = 0; rwkv7 && i < rank; i++) low[i] = tanh(low[i]);
    ref_map(w, ref_tensor(r, l, "mixer.gate_proj.weight") + at * rank, low, c->key_dim, rank);
    for (size_t i = 0; i < c->key_dim; i++) {
        const double gate = ref_sigmoid(w[i] + ref_tensor(r, l, "mixer.gate_proj.bias")[at + i]),
                     root = pow(gate, 1. / 16);
        w[i] = rwkv7 ? exp(-exp(-0.5) * gate) : c->negative ? 2 * root - 1 : root;
        if (rwkv7) length += pow(k[i] * removal[at + i], 2);
    }
    if (!rwkv7) return;
    ref_map(low, ref_tensor(r, l, "mixer.rate_low.weight"), x, rank, c->width);
    ref_map(rate, ref_tensor(r, l, "mixer.rate_proj.weight") + at * rank, low, c->key_dim, rank);
    for (size_t i = 0; i < c->key_dim; i++) {
        const double eta = (c->negative ? 1 + w[i] : 1) *
                           ref_sigmoid(rate[i] + ref_tensor(r, l, "mixer.rate_proj.bias")[at + i]);
        b[i] = k[i] * removal[at + i] / sqrt(length);
        a[i] = -eta * b[i];
        k[i] *= 1 + (eta - 1) * ref_tensor(r, l, "mixer.replacement")[at + i];
    }
}

static void ref_dplr(double *y, ref *r, size_t l, const double *x)
{
    static const char *const weight[] = {"mixer.q_proj.weight", "mixer.k_proj.weight",
                                         "mixer.v_proj.weight"},
                             *const taps[] = {"mixer.q_conv1d.weight", "mixer.k_conv1d.weight",
                                              "mixer.v_conv1d.weight"};
    const f2l_seq_config *c = &r->s->model.config;
    const size_t keys = c->key_dim, values = c->value_dim;
    double in[3][REF_SIZE], w[REF_SIZE], a[REF_SIZE] = {0}, b[REF_SIZE] = {0}, o[REF_SIZE],
                                         mean[REF_SIZE];
    for (size_t s = 0; s < 3; s++) {
        const size_t n = c->heads * (s < 2 ? keys : values);
        ref_map(in[s], ref_tensor(r, l, weight[s]), x, n, c->width);
        ref_taps(in[s], r, l, s, ref_tensor(r, l, taps[s]), n);
        for (size_t i = 0; c->convolution > 0 && i < n; i++) in[s][i] *= ref_sigmoid(in[s][i]);
    }
    for (size_t h = 0; h < c->heads; h++) {
        double(*state)[REF_SIZE] = r->layer[l].state[h], next[REF_SIZE][REF_SIZE];
        double *q = in[0] + h * keys, *k = in[1] + h * keys, *v = in[2] + h * values;
        ref_rates(w, a, b, k, r, l, h * keys, x);
        for (size_t i = 0; i < keys; i++)
            for (size_t d = 0; d < values; d++) {
                next[i][d] = k[i] * v[d];
                for (size_t j = 0; r->t > 0 && j < keys; j++)
                    next[i][d] += ((i == j ? w[i] : 0) + a[i] * b[j]) * state[j][d];
            }
        memcpy(state, next, sizeof next);
        for (size_t d = 0; d < values; d++) {
            mean[d] = 0;
            for (size_t i = 0; i < keys; i++) mean[d] += q[i] * state[i][d] / sqrt((double)keys);
        }
        ref_rms(o + h * values, mean, ref_tensor(r, l, "mixer.o_norm.weight"), values, c->epsilon);
    }
    ref_output(y, o, r, l, x);
}

void ref_diagonal(double *y, ref *r, size_t l, const double *x)
{
    const f2l_seq_config *c = &r->s->model.config;
    const size_t n = c->states, channels = c->channels;
    double both[2 * REF_SIZE], select[REF_SIZE], dt[REF_SIZE], out[REF_SIZE], *u = both,
                                                                              *z = both + channels;
    ref_map(both, ref_tensor(r, l, "mixer.in_proj.weight"), x, 2 * channels, c->width);
    ref_taps(u, r, l, 0, ref_tensor(r, l, "mixer.conv1d.weight"), channels);
    for (size_t i = 0; i < channels; i++) {
        if (c->convolution_bias) u[i] += ref_tensor(r, l, "mixer.conv1d.bias")[i];
        u[i] *= ref_sigmoid(u[i]);
    }
    ref_map(select, ref_tensor(r, l, "mixer.x_proj.weight"), u, c->step_rank + 2 * n, channels);
    ref_map(dt, ref_tensor(r, l, "mixer.dt_proj.weight"), select, channels, c->step_rank);
    for (size_t i = 0; i < channels; i++) {
        const double step = log(1 + exp(dt[i] + ref_tensor(r, l, "mixer.dt_proj.bias")[i]));
        double sum = ref_tensor(r, l, "mixer.D")[i] * u[i], *h = r->layer[l].state[0][i];
        for (size_t s = 0; s < n; s++) {
            double decay = exp(-step * exp(ref_tensor(r, l, "mixer.A_log")[i * n + s]));
            if (c->negative) decay = 2 * decay - 1;
            h[s] = (r->t == 0 ? 0 : decay * h[s]) + step * select[c->step_rank + s] * u[i];
            sum += select[c->step_rank + n + s] * h[s];
        }
        out[i] = sum * z[i] * ref_sigmoid(z[i]);
    }
    ref_map(y, ref_tensor(r, l, "mixer.out_proj.weight"), out, c->width, channels);
}

void ref_read(double *logits, ref *r, uint32_t letter)
{
    const f2l_seq *model = &r->s->model;
    const f2l_seq_config *c = &model->config;
    const double *p = r->s->parameter;
    double x[REF_SIZE], n[REF_SIZE], y[REF_SIZE], gate[REF_SIZE], up[REF_SIZE];
    cr_assert(r->t < REF_LETTERS && c->layers <= 2);
    memcpy(x, p + f2l_seq_find(model, "embedding.weight")->offset + letter * c->width,
           c->width * sizeof *x);
    for (size_t l = 0; l < c->layers; l++) {
        ref_rms(n, x, ref_tensor(r, l, "mixer_norm.weight"), c->width, c->epsilon);
        (c->mixer == &f2l_mixer_delta      ? ref_delta
         : c->mixer == &f2l_mixer_diagonal ? ref_diagonal
                                           : ref_dplr)(y, r, l, n);
        for (size_t i = 0; i < c->width; i++) x[i] += y[i];
        if (c->mlp == 0) continue;
        ref_rms(n, x, ref_tensor(r, l, "mlp_norm.weight"), c->width, c->epsilon);
        ref_map(gate, ref_tensor(r, l, "mlp.gate_proj.weight"), n, c->mlp, c->width);
        ref_map(up, ref_tensor(r, l, "mlp.up_proj.weight"), n, c->mlp, c->width);
        for (size_t i = 0; i < c->mlp; i++) up[i] *= gate[i] * ref_sigmoid(gate[i]);
        ref_map(y, ref_tensor(r, l, "mlp.down_proj.weight"), up, c->width, c->mlp);
        for (size_t i = 0; i < c->width; i++) x[i] += y[i];
    }
    ref_rms(n, x, p + f2l_seq_find(model, "norm.weight")->offset, c->width, c->epsilon);
    ref_map(logits, p + f2l_seq_find(model, "head.weight")->offset, n, c->labels, c->width);
    r->t++;
}
