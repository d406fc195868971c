#include "models/network/schedule/impl.h"
#include "numeric/base/mem.h"

/* Returns the rows of a letter: the most factors that a letter has in a head of this layer; at
 * least one. */
static size_t layer_factors(const f2l_float_net *net, size_t l)
{
    const f2l_float_layer *layer = &net->layer[l];
    size_t most = 1;
    for (size_t h = 0; h < layer->heads; h++)
        for (size_t x = 0; x < layer->same.count; x++) {
            const size_t factors = layer->head[h].first[x + 1] - layer->head[h].first[x];
            if (factors > most) most = factors;
        }
    return most;
}

static f2l_status check_chunk_schedule(const f2l_float_net *net, f2l_error *err)
{
    if (f2l_schedule_steps(net->schedule))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the network was rounded for the schedule %s, not for "
                        "chunk64",
                        net->schedule->name);
    if (net->format->rounding == F2L_ROUND_STOCHASTIC)
        return f2l_fail(err, F2L_EDOMAIN, "chunk64 is not defined with stochastic rounding");
    return f2l_schedule_check(net->schedule, net->format, err);
}

static f2l_status check_chunk_layer(const f2l_float_net *net, size_t l, f2l_error *err)
{
    const f2l_layer *layer = &net->net->layer[l];
    for (size_t h = 0; h < layer->heads; h++) {
        for (size_t x = 0; x < layer->letters; x++) {
            const f2l_transition *letter = &layer->head[h].letter[x];
            const bool gate = mpq_cmp_ui(letter->gate, 1, 1) != 0;
            if (gate || letter->bias.count > 0)
                return f2l_fail(err, F2L_EDOMAIN,
                                "chunk64 is not defined with %s (layer %zu, head %zu, letter %zu)",
                                gate ? "gates other than 1" : "biases", l + 1, h + 1, x + 1);
        }
    }
    return F2L_OK;
}

static bool allocate_rows(f2l_chunk_rows *rows, size_t factors, size_t n, size_t d, size_t state)
{
    size_t count = 0, entries = 0, values = 0, all = 0, keys = 0, read = 0;
    if (!f2l_mul_size(&count, factors, F2L_CHUNK) || !f2l_mul_size(&entries, count, n) ||
        !f2l_mul_size(&values, count, d) || !f2l_add_size(&all, count, 1) ||
        !f2l_mul_size(&keys, n, F2L_CHUNK) || !f2l_mul_size(&read, state, F2L_CHUNK))
        return false;
    const size_t width = n > d ? n : d;
    rows->factor = f2l_calloc(count, sizeof *rows->factor);
    rows->entry_first = f2l_calloc(all, sizeof *rows->entry_first);
    rows->x = f2l_calloc(entries, sizeof *rows->x);
    rows->k = f2l_calloc(entries, sizeof *rows->k);
    rows->v_new = f2l_calloc(values, sizeof *rows->v_new);
    rows->read = f2l_calloc(read, sizeof *rows->read);
    rows->state = f2l_calloc(state, sizeof *rows->state);
    rows->transposed = f2l_calloc(keys, sizeof *rows->transposed);
    rows->kb = f2l_calloc(keys, sizeof *rows->kb);
    rows->w = f2l_calloc(keys, sizeof *rows->w);
    rows->vb = f2l_calloc(d, F2L_CHUNK * sizeof *rows->vb);
    rows->u = f2l_calloc(d, F2L_CHUNK * sizeof *rows->u);
    rows->row = f2l_calloc(width > F2L_CHUNK ? width : F2L_CHUNK, sizeof *rows->row);
    return rows->factor != NULL && rows->entry_first != NULL && rows->x != NULL &&
           rows->k != NULL && rows->v_new != NULL && rows->read != NULL && rows->state != NULL &&
           rows->transposed != NULL && rows->kb != NULL && rows->w != NULL && rows->vb != NULL &&
           rows->u != NULL && rows->row != NULL;
}

static void free_rows(f2l_chunk_rows *rows)
{
    f2l_free(rows->factor);
    f2l_free(rows->entry_first);
    f2l_free(rows->x);
    f2l_free(rows->k);
    f2l_free(rows->v_new);
    f2l_free(rows->read);
    f2l_free(rows->state);
    f2l_free(rows->transposed);
    f2l_free(rows->kb);
    f2l_free(rows->w);
    f2l_free(rows->vb);
    f2l_free(rows->u);
    f2l_free(rows->row);
}

static f2l_status allocate_chunk_run(f2l_chunk *run, f2l_error *err)
{
    const f2l_float_net *net = run->net;
    size_t factors = 1, n = 1, d = 1, state = 1;
    run->layer = f2l_calloc(net->layers, sizeof *run->layer);
    if (run->layer == NULL) return f2l_fail_memory(err);
    for (size_t l = 0; l < net->layers; l++) {
        f2l_chunk_layer *layer = &run->layer[l];
        layer->factors = layer_factors(net, l);
        layer->size = net->layer[l].decoder.size;
        layer->h = f2l_calloc(layer->size, sizeof *layer->h);
        layer->reading = f2l_calloc(layer->size, F2L_CHUNK * sizeof *layer->reading);
        if (layer->h == NULL || layer->reading == NULL) return f2l_fail_memory(err);
        if (layer->factors > factors) factors = layer->factors;
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_float_head *head = &net->layer[l].head[h];
            if (head->n > n) n = head->n;
            if (head->d > d) d = head->d;
            if (head->n * head->d > state) state = head->n * head->d;
        }
    }
    return allocate_rows(&run->rows, factors, n, d, state) ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_chunk_new(f2l_chunk **out, const f2l_float_net *net, f2l_error *err)
{
    *out = NULL;
    f2l_status status = check_chunk_schedule(net, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++)
        status = check_chunk_layer(net, l, err);
    if (status != F2L_OK) return status;
    f2l_chunk *run = f2l_calloc(1, sizeof *run);
    if (run == NULL) return f2l_fail_memory(err);
    run->net = net;
    run->rows.sums = f2l_chunk_sums_of(true);
    status = allocate_chunk_run(run, err);
    if (status != F2L_OK) {
        f2l_chunk_free(run);
        return status;
    }
    f2l_chunk_start(run);
    *out = run;
    return F2L_OK;
}

void f2l_chunk_free(f2l_chunk *run)
{
    if (run == NULL) return;
    for (size_t l = 0; run->layer != NULL && l < run->net->layers; l++) {
        f2l_free(run->layer[l].h);
        f2l_free(run->layer[l].reading);
    }
    f2l_free(run->layer);
    free_rows(&run->rows);
    f2l_free(run);
}

void f2l_chunk_start(f2l_chunk *run)
{
    const double *start = run->net->start;
    for (size_t l = 0; l < run->net->layers; l++) {
        for (size_t i = 0; i < run->layer[l].size; i++) run->layer[l].h[i] = (float)*start++;
    }
    run->ended = run->lost = false;
}

/* Runs one layer through `count` letters; symbol may be letter. Returns the number of letters
 * before the first letter without a symbol. */
static size_t feed_layer(f2l_chunk *run, size_t l, uint32_t *symbol, const uint32_t *letter,
                         size_t count)
{
    f2l_chunk_layer *layer = &run->layer[l];
    const f2l_float_layer *weights = &run->net->layer[l];
    uint32_t kind[F2L_CHUNK];
    size_t good = count;
    for (size_t t = 0; t < count; t++) kind[t] = (uint32_t)f2l_float_letter(weights, letter[t]);
    for (size_t h = 0; h < weights->heads; h++) {
        const f2l_float_head *head = &weights->head[h];
        f2l_chunk_head(&run->rows, head, run->net->format, layer->factors, kind, count,
                       layer->h + head->offset, layer->reading + head->offset, layer->size);
        if (run->rows.lost) run->lost = true;
    }
    for (size_t t = count; t-- > 0;) {
        symbol[t] =
            f2l_decoder_symbol(&weights->decoder, letter[t], layer->reading + t * layer->size);
        if (symbol[t] == F2L_NO_SYMBOL) good = t;
    }
    return good;
}

static void undefine(f2l_chunk *run, size_t l, size_t from, size_t count)
{
    f2l_chunk_layer *layer = &run->layer[l];
    for (size_t i = from * layer->size; i < count * layer->size; i++) layer->reading[i] = NAN;
}

f2l_status f2l_chunk_feed(f2l_chunk *run, uint32_t *label, const uint32_t *letter, size_t count,
                          f2l_error *err)
{
    const size_t layers = run->net->layers;
    if (run->ended)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the word has ended with a chunk of fewer than 64 "
                        "letters");
    if (count > F2L_CHUNK)
        return f2l_fail(err, F2L_EDOMAIN, "a chunk has at most 64 letters, not %zu", count);
    for (size_t t = 0; t < count; t++)
        if (letter[t] >= run->net->net->layer[0].letters)
            return f2l_fail(err, F2L_EDOMAIN, "there is no letter %lu",
                            (unsigned long)letter[t] + 1);
    uint32_t symbol[F2L_CHUNK];
    size_t live = run->lost ? 0 : count;
    const bool was_lost = run->lost;
    memcpy(symbol, letter, count * sizeof *symbol);
    for (size_t l = 0; l < layers; l++) {
        undefine(run, l, live, count);
        if (was_lost) continue;
        const size_t good = feed_layer(run, l, symbol, symbol, live);
        if (l + 1 == layers || good == live) continue;
        live = good;
        run->lost = true;
    }
    for (size_t t = 0; t < count; t++) label[t] = t < live ? symbol[t] : F2L_NO_SYMBOL;
    run->ended = count < F2L_CHUNK;
    return F2L_OK;
}

const double *f2l_chunk_reading(const f2l_chunk *run, size_t layer, size_t t)
{
    return run->layer[layer].reading + t * run->layer[layer].size;
}
