#include "models/learn/seq/delta/seq_constructed.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

#define MARGIN 12.0 /* least difference of logits, beside the logarithm of the number of labels */

/* --- what a network needs --- */

/* Returns whether the factor is a reflection: beta 2, in raw heads beta u^T u = 2. */
static bool is_reflection(const f2l_head *head, const f2l_factor *factor)
{
    mpq_t beta;
    mpq_init(beta);
    if (head->raw) f2l_qvec_norm2(beta, &factor->u);
    if (head->raw)
        mpq_mul(beta, beta, factor->beta);
    else
        mpq_set(beta, factor->beta);
    const bool is = mpq_cmp_ui(beta, 2, 1) == 0;
    mpq_clear(beta);
    return is;
}

static const char *transition_fault(const f2l_head *head, const f2l_transition *letter)
{
    if (mpq_cmp_ui(letter->gate, 1, 1) != 0) return "a letter has a gate other than 1";
    if (letter->bias.count > 0) return "a letter has a bias";
    for (size_t i = 0; i < letter->factors; i++) {
        if (letter->factor[i].c.count > 0) return "a letter writes values";
        if (!is_reflection(head, &letter->factor[i]))
            return "a letter has a factor that is no reflection (beta other than 2)";
    }
    return NULL;
}

static const char *layer_fault(const f2l_layer *layer)
{
    if (layer->by_letter || layer->parts > 0) return "its decoder depends on the letter";
    if (layer->low != NULL) return "its codes are boxes";
    for (size_t h = 0; h < layer->heads; h++)
        for (size_t x = 0; x < layer->letters; x++) {
            const char *fault = transition_fault(&layer->head[h], &layer->head[h].letter[x]);
            if (fault != NULL) return fault;
        }
    return NULL;
}

f2l_status f2l_seq_constructed_needs(f2l_seq_constructed_need *need, const f2l_net *net,
                                     f2l_error *err)
{
    *need = (f2l_seq_constructed_need){.householders = 1, .width = net->letters.count};
    const char *fault = net->layers != 1 ? NULL : layer_fault(&net->layer[0]);
    f2l_net_size size;
    f2l_net_measure(&size, net);
    if (size.gates > 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "training starts from constructed networks of one layer, and this one has "
                        "circuits between its layers");
    if (net->layers != 1)
        return f2l_fail(err, F2L_EDOMAIN,
                        "training starts from constructed networks of one layer, and this one has "
                        "%zu",
                        net->layers);
    if (fault != NULL)
        return f2l_fail(err, F2L_EDOMAIN,
                        "training starts from constructed networks whose letters are products of "
                        "reflections, and of this one %s",
                        fault);
    for (size_t h = 0; h < net->layer[0].heads; h++) {
        const f2l_head *head = &net->layer[0].head[h];
        need->heads += head->n;
        need->width += head->n * head->d;
        if (head->n > need->head_dim) need->head_dim = head->n;
        for (size_t x = 0; x < net->layer[0].letters; x++)
            if (head->letter[x].factors > need->householders)
                need->householders = head->letter[x].factors;
    }
    return F2L_OK;
}

static f2l_status check_model(const f2l_seq_config *c, const f2l_seq_constructed_need *need,
                              f2l_error *err)
{
    if (c->layers != 1 || c->mixer != &f2l_mixer_delta || !c->negative || c->additive ||
        !c->learned_start || !c->normalise_keys || c->silu_keys || c->convolution > 0 ||
        c->forget_gate || c->output_gate)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a constructed network fits models of one layer of the mixer delta with "
                        "eigenvalues in [-1, 1], B = 0 and a learned H_0, without gates, SiLU and "
                        "convolution");
    if (c->heads >= need->heads && c->key_dim >= need->head_dim && c->value_dim >= need->head_dim &&
        c->householders >= need->householders && c->width >= need->width)
        return F2L_OK;
    return f2l_fail(
        err, F2L_EDOMAIN,
        "the constructed network needs at least %zu heads of %zu x %zu, %zu factors and "
        "width %zu; the model has %zu heads of %zu x %zu, %zu factors and width %zu",
        need->heads, need->head_dim, need->head_dim, need->householders, need->width, c->heads,
        c->key_dim, c->value_dim, c->householders, c->width);
}

/* --- a head's numbers --- */

/* H_0 = U T, U orthogonal. */
typedef struct basis {
    size_t n, d;
    double *u, *t; /* [n][n], [n][d] */
} basis;

static void clear_basis(basis *b)
{
    f2l_free(b->u);
    f2l_free(b->t);
}

/* Adds the direction of the vector to the first `count` columns of u, if it is no combination of
 * them; returns the number of columns. Two passes make them orthogonal up to rounding. */
static size_t add_basis_column(double *u, size_t n, size_t count, double *vector)
{
    double length = 0, before = 0;
    for (size_t r = 0; r < n; r++) before += vector[r] * vector[r];
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < count; k++) {
            double product = 0;
            for (size_t r = 0; r < n; r++) product += u[r * n + k] * vector[r];
            for (size_t r = 0; r < n; r++) vector[r] -= product * u[r * n + k];
        }
    for (size_t r = 0; r < n; r++) length += vector[r] * vector[r];
    if (count == n || length <= 1e-12 * before || before == 0) return count;
    for (size_t r = 0; r < n; r++) u[r * n + count] = vector[r] / sqrt(length);
    return count + 1;
}

static f2l_status basis_build(basis *b, const f2l_head *head, f2l_error *err)
{
    size_t count = 0;
    const size_t n = head->n, d = head->d;
    *b = (basis){n, d, f2l_calloc(n * n, sizeof *b->u), f2l_calloc(n * d, sizeof *b->t)};
    double *start = f2l_calloc(n * d, sizeof *start), *column = f2l_calloc(n, sizeof *column);
    const bool made = b->u && b->t && start && column;
    for (size_t e = 0; made && e < head->initial.count; e++)
        start[head->initial.index[e]] = mpq_get_d(head->initial.value[e]);
    for (size_t j = 0; made && j < d; j++) {
        for (size_t r = 0; r < n; r++) column[r] = start[r * d + j];
        count = add_basis_column(b->u, n, count, column);
    }
    for (size_t i = 0; made && i < n; i++) {
        memset(column, 0, n * sizeof *column);
        column[i] = 1;
        count = add_basis_column(b->u, n, count, column);
    }
    for (size_t k = 0; made && k < n; k++)
        for (size_t j = 0; j < d; j++)
            for (size_t r = 0; r < n; r++) b->t[k * d + j] += b->u[r * n + k] * start[r * d + j];
    f2l_free(start);
    f2l_free(column);
    return made ? F2L_OK : f2l_fail_memory(err);
}

/* --- the parameters --- */

typedef struct writer {
    float *parameters;
    const f2l_seq *model;
    const f2l_layer *layer; /* ordinary heads */
    const f2l_net *net;
    const f2l_seq_constructed_names *names;
    double logit, input; /* input: a letter's coordinate behind the first norm */
    double length;       /* of the longest code */
    uint32_t *letter;    /* [data letters] of the layer */
    uint32_t *label;     /* [data labels] symbol */
} writer;

static float *tensor_numbers(const writer *w, size_t index)
{
    return w->parameters + w->model->tensor[index].offset;
}

static float *mixer(const writer *w, size_t name)
{
    return tensor_numbers(w, w->model->layer[0].mixer[name]);
}

static void clear_tensor(const writer *w, size_t index)
{
    memset(tensor_numbers(w, index), 0, w->model->tensor[index].count * sizeof(float));
}

/* Writes the keys and betas of the copy `at` of a head. A factor that a letter does not have acts
 * on a row behind the head's, if there is one. */
static void write_factors(const writer *w, const f2l_head *head, size_t at)
{
    const f2l_seq_config *c = &w->model->config;
    float *key = mixer(w, F2L_DELTA_KEY), *beta = mixer(w, F2L_DELTA_BETA);
    for (size_t x = 0; x < c->letters; x++) {
        const f2l_transition *letter = &head->letter[w->letter[x]];
        for (size_t n = 0; n < c->householders; n++) {
            const size_t row = n * c->heads + at;
            float *to = key + row * c->key_dim * c->width + x;
            const bool there = n < letter->factors;
            double length = 0;
            for (size_t r = 0; r < c->key_dim; r++) to[r * c->width] = 0;
            const f2l_qvec *u = there ? &letter->factor[n].u : NULL;
            for (size_t e = 0; there && e < u->count; e++)
                length += mpq_get_d(u->value[e]) * mpq_get_d(u->value[e]);
            for (size_t e = 0; there && e < u->count; e++)
                to[u->index[e] * c->width] = (float)(mpq_get_d(u->value[e]) / sqrt(length));
            if (!there) to[(c->key_dim > head->n ? head->n : 0) * c->width] = 1;
            beta[row * c->width + x] =
                (float)((there ? w->logit : -w->logit) / (c->slope * w->input));
        }
    }
}

/* Writes copy i of a head, as head `at` of the model. The state's row goes to coordinates from
 * `out` on. */
static void write_copy(const writer *w, const f2l_head *head, const basis *b, size_t i, size_t at,
                       size_t out)
{
    const f2l_seq_config *c = &w->model->config;
    const size_t values = c->heads * c->value_dim;
    float *query = mixer(w, F2L_DELTA_QUERY) + at * c->key_dim * c->width,
          *start = mixer(w, F2L_DELTA_START) + at * c->key_dim * c->value_dim,
          *to = mixer(w, F2L_DELTA_OUT);
    write_factors(w, head, at);
    for (size_t r = 0; r < c->key_dim; r++)
        for (size_t x = 0; x < c->letters; x++) query[r * c->width + x] = r == i;
    for (size_t r = 0; r < head->n; r++)
        for (size_t k = 0; k < c->value_dim; k++)
            start[r * c->value_dim + k] = k < head->n ? (float)b->u[r * head->n + k] : 0;
    for (size_t j = 0; j < head->d; j++)
        for (size_t k = 0; k < head->n; k++)
            to[(out + j) * values + at * c->value_dim + k] =
                (float)(b->t[k * head->d + j] / (sqrt((double)c->value_dim) * w->length));
}

static f2l_status write_heads(const writer *w, f2l_error *err)
{
    size_t at = 0, out = w->model->config.letters;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < w->layer->heads && status == F2L_OK; h++) {
        const f2l_head *head = &w->layer->head[h];
        basis b;
        status = basis_build(&b, head, err);
        for (size_t i = 0; i < head->n && status == F2L_OK; i++, at++, out += head->d)
            write_copy(w, head, &b, i, at, out);
        clear_basis(&b);
    }
    return status;
}

/* --- the read-out --- */

/* Fills code[numbers] with a code of the layer, head by head and row by row. */
static void take_code(double *code, const f2l_layer *layer, size_t index)
{
    size_t first = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_qvec *v = &layer->code[index * layer->heads + h];
        for (size_t e = 0; e < v->count; e++) code[first + v->index[e]] = mpq_get_d(v->value[e]);
        first += layer->head[h].n * layer->head[h].d;
    }
}

static double scalar_product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Divides the codes [codes][n] by the length of the longest one, which is stored, and sets mean
 * [symbols][n] to the means of the codes by symbol. */
static void average(writer *w, double *code, double *mean, size_t n)
{
    const f2l_layer *layer = w->layer;
    for (size_t q = 0; q < layer->codes; q++)
        w->length = fmax(w->length, sqrt(scalar_product(code + q * n, code + q * n, n)));
    for (size_t i = 0; i < layer->codes * n; i++) code[i] /= w->length;
    for (size_t s = 0; s < layer->symbols; s++) {
        size_t count = 0;
        for (size_t q = 0; q < layer->codes; q++) {
            if (layer->symbol[q] != s) continue;
            count++;
            for (size_t i = 0; i < n; i++) mean[s * n + i] += code[q * n + i];
        }
        for (size_t i = 0; count > 0 && i < n; i++) mean[s * n + i] /= (double)count;
    }
}

/* Returns the least difference between the right symbol and another one over all codes. */
static double least_margin(const writer *w, const double *code, const double *mean, size_t n)
{
    const f2l_layer *layer = w->layer;
    double least = INFINITY;
    for (size_t q = 0; q < layer->codes; q++) {
        const uint32_t right = layer->symbol[q];
        if (right == F2L_NO_SYMBOL) continue;
        const double own = scalar_product(mean + right * n, code + q * n, n);
        for (size_t s = 0; s < layer->symbols; s++)
            if (s != right)
                least = fmin(least, own - scalar_product(mean + s * n, code + q * n, n));
    }
    return least;
}

static f2l_status write_constructed_head(writer *w, f2l_error *err)
{
    const f2l_seq_config *c = &w->model->config;
    const f2l_layer *layer = w->layer;
    size_t n = 0;
    for (size_t h = 0; h < layer->heads; h++) n += layer->head[h].n * layer->head[h].d;
    double *code = f2l_calloc(layer->codes * n, sizeof *code),
           *mean = f2l_calloc(layer->symbols * n, sizeof *mean);
    float *head = tensor_numbers(w, w->model->head);
    f2l_status status = code && mean ? F2L_OK : f2l_fail_memory(err);
    for (size_t q = 0; status == F2L_OK && q < layer->codes; q++) take_code(code + q * n, layer, q);
    if (status == F2L_OK) average(w, code, mean, n);
    const double margin = status == F2L_OK ? least_margin(w, code, mean, n) : 1;
    if (margin <= 1e-9)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "no linear read-out by the means of the codes tells the labels apart: "
                          "several states have one label; --label states has a label for each");
    /* The stream has the letter's 1 and the code, so the last norm multiplies by sqrt(width / 2).
     */
    const double scale = (MARGIN + log((double)c->labels)) /
                         ((isfinite(margin) ? margin : 1) * sqrt((double)c->width / 2));
    for (size_t y = 0; status == F2L_OK && y < c->labels; y++)
        for (size_t i = 0; i < n; i++)
            head[y * c->width + c->letters + i] = (float)(scale * mean[w->label[y] * n + i]);
    f2l_free(code);
    f2l_free(mean);
    return status;
}

/* --- all of it --- */

/* Fills of[count] with the places of the names in `there`. */
static f2l_status match_listed_names(uint32_t *of, const f2l_names *here, const f2l_names *there,
                                     const char *what, f2l_error *err)
{
    if (here->count != there->count)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the data have %zu %s and the constructed network has %zu", here->count,
                        what, there->count);
    for (size_t i = 0; i < here->count; i++) {
        const char *name = f2l_names_get(here, i);
        const size_t at = f2l_names_find(there, name, strlen(name));
        if (at == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN,
                            "the constructed network does not have %.200s among "
                            "its %s",
                            name, what);
        of[i] = (uint32_t)at;
    }
    return F2L_OK;
}

static f2l_status match_all(writer *w, f2l_error *err)
{
    const f2l_seq_config *c = &w->model->config;
    w->letter = f2l_calloc(w->names->letters->count, sizeof *w->letter);
    w->label = f2l_calloc(w->names->labels->count, sizeof *w->label);
    if (!w->letter || !w->label) return f2l_fail_memory(err);
    if (c->letters != w->names->letters->count || c->labels != w->names->labels->count)
        return f2l_fail(err, F2L_EDOMAIN, "the model has other letters or labels than the data");
    f2l_status status =
        match_listed_names(w->letter, w->names->letters, &w->net->letters, "letters", err);
    if (status == F2L_OK)
        status = match_listed_names(w->label, w->names->labels, &w->net->labels, "labels", err);
    for (size_t x = 0; x < c->letters && status == F2L_OK; x++)
        w->letter[x] = (uint32_t)f2l_letter_class(&w->net->classes, w->letter[x]);
    return status;
}

static f2l_status write_constructed_tensors(writer *w, f2l_error *err)
{
    const f2l_seq *model = w->model;
    const f2l_seq_layer *layer = &model->layer[0];
    f2l_status status = match_all(w, err);
    if (status != F2L_OK) return status;
    clear_tensor(w, model->embedding);
    clear_tensor(w, model->head);
    clear_tensor(w, layer->mixer[F2L_DELTA_OUT]);
    if (layer->mlp_down != F2L_SEQ_NONE) clear_tensor(w, layer->mlp_down);
    for (size_t x = 0; x < model->config.letters; x++)
        tensor_numbers(w, model->embedding)[x * model->config.width + x] = 1;
    status = write_constructed_head(w, err);
    return status == F2L_OK ? write_heads(w, err) : status;
}

f2l_status f2l_seq_constructed_f32(float *parameters, const f2l_seq *model, const f2l_net *net,
                                   const f2l_seq_constructed_names *names, double logit,
                                   f2l_error *err)
{
    f2l_net view;
    f2l_seq_constructed_need need;
    const f2l_seq_config *c = &model->config;
    writer w = {.parameters = parameters,
                .model = model,
                .net = net,
                .names = names,
                .logit = logit,
                .input = 1 / sqrt(1 / (double)c->width + c->epsilon)};
    f2l_status status = f2l_seq_constructed_needs(&need, net, err);
    if (status == F2L_OK) status = check_model(c, &need, err);
    if (status != F2L_OK) return status;
    f2l_net_init(&view);
    status = f2l_net_orthonormal(&view, net, 0, err);
    w.layer = view.layer;
    if (status == F2L_OK) status = write_constructed_tensors(&w, err);
    f2l_free(w.letter);
    f2l_free(w.label);
    f2l_net_clear(&view);
    return status;
}
