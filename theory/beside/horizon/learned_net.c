/* The numbers of a network that do not depend on a word. */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/clones.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static const double *tensor_parameters(const f2l_seq *model, const double *parameters, size_t index)
{
    return index == F2L_SEQ_NONE ? NULL : parameters + model->tensor[index].offset;
}

void f2l_learned_normed(double *x, const f2l_learned_net *net, size_t letter, const double *norm)
{
    const size_t n = net->c->width;
    const double *e = net->embedding + letter * n;
    const double scale = 1 / sqrt(f2l_learned_dot(e, e, n) / (double)n + net->c->epsilon);
    for (size_t i = 0; i < n; i++) x[i] = e[i] * scale * norm[i];
}

/* The queries: projection of the norm, SiLU, length 1. */
static void queries(f2l_learned_net *net, const double *norm, const double *project)
{
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, K = c->key_dim, rows = c->heads * K;
    const double own = c->key_epsilon > 0 ? c->key_epsilon : c->epsilon;
    const double added = c->exact_keys ? 0 : own;
    for (size_t w = 0; w < c->letters; w++) {
        f2l_learned_normed(net->x, net, w, norm);
        for (size_t i = 0; i < rows; i++) {
            const double q = f2l_learned_dot(project + i * n, net->x, n);
            net->query[w * rows + i] = c->silu_keys ? silu(q) : q;
        }
        for (size_t h = 0; h < c->heads; h++) {
            double *q = net->query + w * rows + h * K;
            const double size = sqrt(f2l_learned_dot(q, q, K) + added);
            for (size_t i = 0; i < K; i++) q[i] /= size;
        }
    }
}

/* Sets the lengths of the heads' parts of the rows of w M, and of the rows of w. */
static void fill_row_norms(double *to, const f2l_learned_net *net, const double *w)
{
    const size_t n = net->c->width, V = net->c->value_dim, H = net->c->heads;
    for (size_t i = 0; i < net->c->mlp; i++)
        for (size_t h = 0; h < H; h++) {
            double squares = 0;
            for (size_t j = h * V; j < (h + 1) * V; j++) {
                const double r = f2l_learned_dot(w + i * n, net->mt + j * n, n);
                squares += r * r;
            }
            to[i * (H + 1) + h] = sqrt(squares);
            to[i * (H + 1) + H] = f2l_learned_length(w + i * n, n);
        }
}

static void read_out_weights(f2l_learned_net *net, const f2l_seq *model, const double *parameters)
{
    const f2l_seq_config *c = net->c;
    const f2l_seq_layer *l = &model->layer[0];
    const size_t n = c->width, hv = c->heads * c->value_dim, F = c->mlp;
    const double *o_norm = tensor_parameters(model, parameters, l->mixer[F2L_DELTA_OUTPUT_NORM]);
    const double *out = tensor_parameters(model, parameters, l->mixer[F2L_DELTA_OUT]);
    const double *norm = tensor_parameters(model, parameters, l->mlp_norm);
    const double *last = tensor_parameters(model, parameters, model->norm);
    const double *gate = tensor_parameters(model, parameters, l->mlp_gate);
    const double *up = tensor_parameters(model, parameters, l->mlp_up);
    const double *down = tensor_parameters(model, parameters, l->mlp_down);
    const double *head = tensor_parameters(model, parameters, model->head);
    for (size_t i = 0; i < n * hv; i++)
        net->m[i] = net->mt[i % hv * n + i / hv] = out[i] * o_norm[i % hv % c->value_dim];
    for (size_t h = 0; h < c->heads; h++)
        net->m_norm[h] = f2l_learned_norm(net->mt + h * c->value_dim * n, c->value_dim, n, 10);
    for (size_t i = 0; i < F * n; i++) {
        net->gate[i] = gate[i] * norm[i % n];
        net->up[i] = up[i] * norm[i % n];
    }
    net->m_size = f2l_learned_length(net->m, n * hv);
    net->down_size = f2l_learned_length(down, n * F);
    fill_row_norms(net->gate_norm, net, net->gate);
    fill_row_norms(net->up_norm, net, net->up);
    for (size_t j = 0; j < c->labels; j++) {
        double *row = net->head + j * n, *to = net->head_down + j * F;
        for (size_t i = 0; i < n; i++) row[i] = head[j * n + i] * last[i];
        net->head_size[j] = f2l_learned_length(row, n);
        for (size_t i = 0; i < hv; i++)
            net->head_m[j * hv + i] = f2l_learned_dot(row, net->mt + i * n, n);
        for (size_t i = 0; i < n; i++)
            for (size_t f = 0; f < F; f++) to[f] += row[i] * down[i * F + f];
    }
}

/* Gives the arrays their places in net->memory; with memory NULL it only returns the count. */
static size_t place_net_arrays(f2l_learned_net *net)
{
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, H = c->heads, hv = H * c->value_dim, F = c->mlp, L = c->labels;
    const struct {
        double **at;
        size_t count;
    } part[] = {{&net->query, c->letters * H * c->key_dim},
                {&net->m, n * hv},
                {&net->mt, n * hv},
                {&net->m_norm, H},
                {&net->gate, F * n},
                {&net->up, F * n},
                {&net->gate_norm, F * (H + 1)},
                {&net->up_norm, F * (H + 1)},
                {&net->head, L * n},
                {&net->head_size, L},
                {&net->head_m, L * hv},
                {&net->head_down, L * F},
                {&net->n, hv},
                {&net->nu, H + 1},
                {&net->x, n},
                {&net->g, F},
                {&net->u, F},
                {&net->hidden, F},
                {&net->a, F},
                {&net->b, F},
                {&net->off, F},
                {&net->rest, F},
                {&net->dh, n},
                {&net->dk, F},
                {&net->v, n},
                {&net->w, n}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (net->memory) *part[i].at = net->memory + all;
        all += part[i].count;
    }
    return all;
}

f2l_status f2l_learned_net_build(f2l_learned_net *net, const f2l_seq *model,
                                 const double *parameters, const f2l_learned_scope *scope,
                                 const f2l_task *task, f2l_error *err)
{
    const size_t *mixer = model->layer[0].mixer;
    *net = (f2l_learned_net){.c = &model->config, .scope = scope};
    f2l_seq_letters_init(&net->letter);
    const f2l_status status =
        f2l_seq_letters_build(&net->letter, model, parameters, F2L_SEQ_LETTER_ARRAYS, task, err);
    if (status != F2L_OK) return status;
    net->memory = f2l_calloc(place_net_arrays(net), sizeof *net->memory);
    net->letter_off = f2l_calloc(net->c->letters * net->c->heads, sizeof *net->letter_off);
    const size_t lanes = net->c->heads * net->c->value_dim + net->c->width + 2 * net->c->mlp;
    net->many = f2l_calloc(lanes + net->c->labels, sizeof *net->many);
    if (!net->memory || !net->letter_off || !net->many) return f2l_fail_memory(err);
    (void)place_net_arrays(net);
    net->embedding = tensor_parameters(model, parameters, model->embedding);
    net->start =
        net->c->learned_start ? tensor_parameters(model, parameters, mixer[F2L_DELTA_START]) : NULL;
    queries(net, tensor_parameters(model, parameters, model->layer[0].mixer_norm),
            tensor_parameters(model, parameters, mixer[F2L_DELTA_QUERY]));
    read_out_weights(net, model, parameters);
    f2l_learned_rounding(net, model, parameters);
    return f2l_learned_rounding_fits(net, model, parameters, err);
}

void f2l_learned_net_clear(f2l_learned_net *net)
{
    f2l_seq_letters_clear(&net->letter);
    f2l_free(net->memory);
    f2l_free(net->letter_off);
    f2l_free(net->many);
    *net = (f2l_learned_net){0};
}

F2L_CLONES void f2l_learned_apply(double *to, const double *from, const f2l_learned_net *net,
                                  size_t letter, size_t head, size_t columns, bool with_b)
{
    const size_t N = net->c->householders, H = net->c->heads, K = net->c->key_dim;
    const double *value = net->letter.array[F2L_DELTA_LETTER_VALUE];
    double r[2 * F2L_LEARNED_MAX_DIM];
    memmove(to, from, K * columns * sizeof *to);
    for (size_t i = 0; i < N; i++) {
        const size_t at = (letter * N + i) * H + head;
        const double *k = net->letter.array[F2L_DELTA_LETTER_KEY] + at * K;
        const double beta = net->letter.array[F2L_DELTA_LETTER_BETA][at];
        for (size_t j = 0; j < columns; j++) r[j] = with_b && value ? -value[at * columns + j] : 0;
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < columns; j++) r[j] += k[l] * to[l * columns + j];
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < columns; j++) to[l * columns + j] -= beta * k[l] * r[j];
    }
}
