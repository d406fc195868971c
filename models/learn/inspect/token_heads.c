#include "models/learn/inspect/token_heads.h"
#include "models/learn/inspect/token_impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

void f2l_token_heads_init(f2l_token_heads *out)
{
    *out = (f2l_token_heads){.heads = 0};
}

void f2l_token_heads_clear(f2l_token_heads *out)
{
    f2l_free(out->head);
    f2l_token_heads_init(out);
}

/* --- sums --- */

void f2l_token_spread_add(f2l_token_spread *s, double value)
{
    const double at = floor((value - s->low) / (s->high - s->low) * F2L_TOKEN_SPREAD);
    s->bin[at < 0 ? 0 : at >= F2L_TOKEN_SPREAD ? F2L_TOKEN_SPREAD - 1 : (size_t)at]++;
    if (s->count == 0 || value < s->least) s->least = value;
    if (s->count == 0 || value > s->greatest) s->greatest = value;
    s->count++;
    s->sum += value;
}

void f2l_token_eigen_add(f2l_token_eigen *e, double re, double im)
{
    if (e->values == 0 || re < e->least_real) e->least_real = re;
    e->values++;
    e->complex += fabs(im) > 1e-6;
    e->negative += re < -1e-6;
    e->near_minus += hypot(re + 1, im) < 0.1;
    e->small += hypot(re, im) < 0.1;
    e->modulus += hypot(re, im);
}

static void mean_add(f2l_token_mean *m, double value)
{
    m->count++;
    m->sum += value;
}

/* --- the state --- */

/* Returns whether the rank is taken after this number of tokens: 2^k or 3 2^k. */
static bool is_sampled(size_t position)
{
    while (position % 2 == 0) position /= 2;
    return position == 1 || position == 3;
}

/* Returns the place in head.start of the number of tokens that were read of a document, or
 * F2L_TOKEN_STARTS. */
static size_t start_of(size_t read)
{
    for (size_t i = 0; i + 1 < F2L_TOKEN_STARTS; i++)
        if (read == (size_t)1 << i) return i + 1;
    return F2L_TOKEN_STARTS;
}

/* Sets *read to the tokens of the last document that were read after the token at `place`, 0: none
 * has begun inside of the sequence; and *begins to whether one begins with the next token. */
static void find_document(size_t *read, bool *begins, token_reader *r, size_t place)
{
    const f2l_tokens *t = r->tokens;
    const size_t first = t->start[r->watch.piece.sequence],
                 end = t->start[r->watch.piece.sequence + 1];
    while (r->document < t->documents && t->document[r->document] <= place) r->document++;
    const size_t last = r->document > 0 ? t->document[r->document - 1] : 0;
    *read = r->document > 0 && last > first ? place + 1 - last : 0;
    *begins =
        place + 1 < end && r->document < t->documents && t->document[r->document] == place + 1;
}

f2l_status f2l_token_look_at_state(token_reader *r, f2l_token_head *h, const double *state,
                                   size_t at, f2l_error *err)
{
    const size_t rows = r->out->key_dim, columns = r->out->value_dim, count = rows * columns;
    const size_t position = r->watch.piece.from + at + 1;
    const size_t place = r->tokens->start[r->watch.piece.sequence] + position - 1;
    size_t read;
    bool begins;
    double squares = 0;
    for (size_t i = 0; i < count; i++) squares += state[i] * state[i];
    const double norm = sqrt(squares);
    if (norm > h->greatest_norm) h->greatest_norm = norm;
    mean_add(&h->norm[f2l_token_bin(position)], norm);
    find_document(&read, &begins, r, place);
    const size_t start = start_of(read);
    if (!is_sampled(position) && !begins && start == F2L_TOKEN_STARTS) return F2L_OK;
    memcpy(r->scratch, state, count * sizeof *state);
    const f2l_status status = f2l_dense_spectrum(r->singular, r->scratch, rows, columns, err);
    if (status != F2L_OK) return status;
    const double rank = f2l_dense_effective_rank(r->singular, rows < columns ? rows : columns);
    if (is_sampled(position)) mean_add(&h->rank[f2l_token_bin(position)], rank);
    if (begins) mean_add(&h->start[0], rank);
    if (start < F2L_TOKEN_STARTS) mean_add(&h->start[start], rank);
    return F2L_OK;
}

/* --- a layer --- */

/* Before a layer: finds the first document that begins after the piece's first token. */
static void find_first_document(token_reader *r)
{
    const f2l_tokens *t = r->tokens;
    const size_t place = t->start[r->watch.piece.sequence] + r->watch.piece.from;
    size_t low = 0, high = t->documents;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->document[middle] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    r->document = low;
}

static f2l_status look_at_layer(void *context, const f2l_seq_pass_f64 *pass, size_t layer)
{
    token_reader *r = context;
    r->pass = pass;
    r->layer = layer;
    find_first_document(r);
    return r->delta ? f2l_token_look_at_delta(r, pass->err)
                    : f2l_token_look_at_diagonal(r, pass->err);
}

/* --- all --- */

static f2l_status make_heads(f2l_token_heads *out, const f2l_seq_config *c, bool delta,
                             f2l_error *err)
{
    const size_t each = delta ? c->heads : 1;
    out->key_dim = delta ? c->key_dim : c->channels;
    out->value_dim = delta ? c->value_dim : c->states;
    out->heads = c->layers * each;
    out->head = f2l_calloc(out->heads, sizeof *out->head);
    if (out->head == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < out->heads; i++) {
        f2l_token_head *h = &out->head[i];
        *h = (f2l_token_head){.layer = i / each, .head = i % each};
        h->betas.high = c->negative ? 2 : 1;
        h->gates = (f2l_token_spread){.low = delta || !c->negative ? 0 : -1, .high = 1};
        h->within.high = h->across.high = 90;
    }
    return F2L_OK;
}

static f2l_status make_reader(token_reader *r, const f2l_seq *model, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    const f2l_token_heads *out = r->out;
    const size_t states = out->heads * out->key_dim * out->value_dim;
    const size_t most = out->key_dim > out->value_dim ? out->key_dim : out->value_dim;
    const size_t keys = F2L_TOKEN_PRODUCT * c->householders;
    for (size_t i = 0; i < F2L_SEQ_LETTER_ARRAYS; i++) r->slot[i] = F2L_SLOTS;
    c->mixer->letters(r->slot, c);
    if (r->delta) {
        r->state = f2l_calloc(states, sizeof *r->state);
        r->last_key = f2l_calloc(out->heads * out->key_dim, sizeof *r->last_key);
        r->keys = f2l_calloc(keys * out->key_dim + 1, sizeof *r->keys);
        r->coordinates = f2l_calloc(keys * out->key_dim + 1, sizeof *r->coordinates);
        r->beta = f2l_calloc(keys, sizeof *r->beta);
    }
    r->scratch = f2l_calloc(out->key_dim * out->value_dim + most, sizeof *r->scratch);
    r->singular = f2l_calloc(most, sizeof *r->singular);
    const bool delta = r->state && r->last_key && r->keys && r->coordinates && r->beta;
    return (delta || !r->delta) && r->scratch && r->singular ? F2L_OK : f2l_fail_memory(err);
}

static void clear_reader(token_reader *r)
{
    double *const array[] = {r->state, r->last_key, r->keys,    r->coordinates,
                             r->beta,  r->scratch,  r->singular};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) f2l_free(array[i]);
}

f2l_status f2l_token_heads_measure(f2l_token_heads *out, const f2l_seq *model,
                                   const double *parameters, const f2l_tokens *tokens,
                                   const f2l_task *task, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    token_reader r = {.out = out,
                      .model = model,
                      .parameters = parameters,
                      .tokens = tokens,
                      .delta = c->mixer == &f2l_mixer_delta};
    const f2l_seq_watch_f64 watch = {&r, look_at_layer};
    r.watch.watch = &watch;
    if (!r.delta && c->mixer != &f2l_mixer_diagonal)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "the mixer of this model is %s: what heads do with tokens is known of delta "
            "and diagonal",
            c->mixer->option);
    f2l_status status = make_heads(out, c, r.delta, err);
    if (status == F2L_OK) status = make_reader(&r, model, err);
    if (status == F2L_OK)
        status =
            f2l_token_losses_measure(&out->losses, model, parameters, tokens, &r.watch, task, err);
    clear_reader(&r);
    return status;
}
