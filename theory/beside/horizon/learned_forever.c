/* A learned network at all lengths: the job, and the text of the certificate, of which
 * theory/check/learned/learned_forever.c has the grammar. */
#include "theory/beside/horizon/learned_forever.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/forever_impl.h"
#include <math.h>
#include <string.h>

void f2l_learned_forever_init(f2l_learned_forever *out)
{
    *out = (f2l_learned_forever){0};
}

void f2l_learned_forever_clear(f2l_learned_forever *out)
{
    f2l_free(out->many);
    f2l_free(out->direction);
    f2l_free(out->met);
    f2l_free(out->set);
    f2l_free(out->tree);
    f2l_free(out->word);
    f2l_free(out->followed);
    f2l_learned_forever_init(out);
}

/* Gives the arrays their places in j->memory; with memory NULL it only returns the count. */
static size_t place_arrays(f2l_forever_job *j)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->out->value;
    const size_t LH = j->net->c->letters * H;
    const struct {
        double **at;
        size_t count;
    } part[] = {{&j->a, LH * K * K},    {&j->b, LH * K * V}, {&j->shift, LH},
                {&j->start, H * K * V}, {&j->most, H},       {&j->size, j->out->states * H},
                {&j->weight, H * V}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (j->memory) *part[i].at = j->memory + all;
        all += part[i].count;
    }
    return all;
}

static bool allocate_forever(f2l_forever_job *j)
{
    f2l_learned_forever *out = j->out;
    const size_t most = F2L_FOREVER_DIRECTIONS;
    out->many = f2l_calloc(out->heads, sizeof *out->many);
    out->direction = f2l_calloc(out->heads * most * out->key, sizeof *out->direction);
    out->met = f2l_calloc(out->states, sizeof *out->met);
    out->set = f2l_calloc(out->states * out->heads * out->value * most, sizeof *out->set);
    j->memory = f2l_calloc(place_arrays(j), sizeof *j->memory);
    if (!out->many || !out->direction || !out->met || !out->set || !j->memory) return false;
    (void)place_arrays(j);
    return true;
}

/* Sets the matrices of letters, the start, and the weights of the heads' numbers. */
static void set_matrices(f2l_forever_job *j)
{
    const f2l_seq_config *c = j->net->c;
    const size_t H = c->heads, K = c->key_dim, V = c->value_dim, N = c->householders;
    const double *values = j->net->letter.array[F2L_DELTA_LETTER_VALUE];
    double one[F2L_FOREVER_KEY * F2L_LEARNED_MAX_DIM] = {0};
    for (size_t i = 0; i < c->letters * H; i++) {
        const size_t w = i / H, h = i % H;
        f2l_learned_apply(j->b + i * K * V, one, j->net, w, h, V, true);
        for (size_t f = 0; values && f < N; f++)
            j->shift[i] += 2 * f2l_learned_length(values + ((w * N + f) * H + h) * V, V);
    }
    for (size_t i = 0; i < K; i++) one[i * K + i] = 1;
    for (size_t i = 0; i < c->letters * H; i++)
        f2l_learned_apply(j->a + i * K * K, one, j->net, i / H, i % H, K, false);
    if (j->net->start) memcpy(j->start, j->net->start, H * K * V * sizeof *j->start);
    for (size_t h = 0; j->begin && h < H; h++)
        f2l_learned_apply(j->start + h * K * V, j->start + h * K * V, j->net, c->letters - 1, h, V,
                          true);
    for (size_t i = 0; i < H * V; i++)
        j->weight[i] = f2l_learned_length(j->net->mt + i * c->width, c->width);
}

static f2l_status run(f2l_forever_job *j)
{
    if (j->out->finite) {
        j->out->followed = f2l_calloc(j->out->heads, sizeof *j->out->followed);
        return j->out->followed ? f2l_forever_find_finite(j) : f2l_fail_memory(j->err);
    }
    if (!allocate_forever(j)) return f2l_fail_memory(j->err);
    set_matrices(j);
    const f2l_status status = f2l_forever_find_sets(j);
    return status == F2L_OK && j->out->end == F2L_FOREVER_PROVED ? f2l_forever_find_tree(j)
                                                                 : status;
}

f2l_status f2l_learned_forever_build(f2l_learned_forever *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool begin,
                                     const f2l_learned_scope *scope, double seconds,
                                     const f2l_task *task, f2l_error *err)
{
    f2l_learned_net net;
    const f2l_seq_config *c = &model->config;
    const bool finite = c->clamped_betas && c->exact_keys;
    f2l_status status = finite ? f2l_learned_finite_applies(c, fsa, begin, err)
                               : f2l_learned_horizon_applies(c, fsa, begin, err);
    if (status == F2L_OK && !finite && c->key_dim > F2L_FOREVER_KEY)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "all lengths are tried for key dimensions of 1 and 2 only, and this "
                          "network has %zu (train --head-dim)",
                          c->key_dim);
    if (status != F2L_OK) return status;
    *out = (f2l_learned_forever){.scope = scope,
                                 .finite = finite,
                                 .norm = finite ? INFINITY : 0,
                                 .states = fsa->states.count,
                                 .heads = c->heads,
                                 .key = c->key_dim,
                                 .value = c->value_dim};
    f2l_forever_job j = {.out = out, .net = &net, .fsa = fsa, .begin = begin, .task = task};
    j.model = model;
    j.parameters = parameters;
    j.until = f2l_now() + seconds;
    j.err = err;
    status = f2l_learned_net_build(&net, model, parameters, scope, task, err);
    if (status == F2L_OK) status = run(&j);
    f2l_free(j.memory);
    f2l_learned_net_clear(&net);
    if (status != F2L_OK) f2l_learned_forever_clear(out);
    return status;
}

static void write_number(f2l_buf *out, double x)
{
    f2l_buf_printf(out, " %.0f", x / F2L_FOREVER_UNIT + 0.0);
}

static void write_sets(f2l_buf *out, const f2l_learned_forever *p)
{
    const size_t most = F2L_FOREVER_DIRECTIONS, hv = p->heads * p->value;
    for (size_t h = 0; h < p->heads; h++) {
        f2l_buf_text(out, "directions");
        for (size_t i = 2 * p->key * p->key; i < p->many[h] * p->key; i++)
            write_number(out, p->direction[h * most * p->key + i]);
        f2l_buf_text(out, "\n");
    }
    for (size_t q = 0; q < p->states; q++) {
        if (!p->met[q]) continue;
        f2l_buf_printf(out, "set %zu", q + 1);
        for (size_t i = 0; i < hv * most; i++)
            if (i % most < p->many[i / most / p->value])
                write_number(out, p->set[q * hv * most + i]);
        f2l_buf_text(out, "\n");
    }
}

f2l_status f2l_learned_forever_write(f2l_buf *out, const f2l_learned_forever *proof,
                                     const f2l_learned_files *files, f2l_error *err)
{
    if (proof->end != F2L_FOREVER_PROVED)
        return f2l_fail(err, F2L_EDOMAIN, "nothing is proved, of which there is no certificate");
    f2l_learned_write_head(out, files, proof->scope->name, proof->finite ? "finite" : "forever");
    if (proof->finite) {
        f2l_forever_write_finite(out, proof);
        return f2l_buf_status(out, err);
    }
    write_sets(out, proof);
    for (size_t i = 0; i < proof->nodes; i++) {
        if (proof->tree[i] == F2L_FOREVER_INNER)
            f2l_buf_text(out, "inner\n");
        else
            f2l_buf_printf(out, "leaf %u\n", proof->tree[i]);
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
