#include "models/network/net/net.h"
#include "models/network/net/code_index.h"
#include "models/network/net/head.h"
#include "models/network/net/head_field.h"
#include "models/network/net/wired.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_net_init(f2l_net *net)
{
    *net = (f2l_net){0};
    f2l_names_init(&net->letters);
    f2l_names_init(&net->labels);
}

void f2l_transition_init(f2l_transition *transition)
{
    *transition = (f2l_transition){0};
    mpq_init(transition->gate);
    mpq_set_ui(transition->gate, 1, 1);
    f2l_qvec_init(&transition->bias);
}

static void clear_factors(f2l_transition *transition)
{
    for (size_t i = 0; i < transition->factors; i++) {
        mpq_clear(transition->factor[i].beta);
        f2l_qvec_clear(&transition->factor[i].u);
        f2l_qvec_clear(&transition->factor[i].c);
    }
    f2l_free(transition->factor);
    transition->factor = NULL;
    transition->factors = 0;
}

void f2l_transition_clear(f2l_transition *transition)
{
    clear_factors(transition);
    f2l_qvec_clear(&transition->bias);
    mpq_clear(transition->gate);
}

void f2l_head_clear(f2l_head *head, size_t letters)
{
    if (head->field) f2l_field_clear(head->field);
    f2l_free(head->field);
    f2l_qvec_clear(&head->form);
    f2l_qvec_clear(&head->initial);
    for (size_t x = 0; head->letter != NULL && x < letters; x++)
        f2l_transition_clear(&head->letter[x]);
    f2l_free(head->letter);
    *head = (f2l_head){0};
}

static void clear_parts(f2l_layer *layer)
{
    f2l_free(layer->part_values);
    f2l_free(layer->part);
    f2l_free(layer->reads);
    f2l_free(layer->symbol_at);
    layer->part_values = layer->symbol_at = NULL;
    layer->part = layer->reads = NULL;
    layer->parts = 0;
}

static void clear_codes(f2l_layer *layer)
{
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        f2l_qvec_clear(&layer->code[i]);
        if (layer->low) f2l_qvec_clear(&layer->low[i]);
        if (layer->high) f2l_qvec_clear(&layer->high[i]);
    }
    f2l_free(layer->code);
    f2l_free(layer->low);
    f2l_free(layer->high);
    f2l_free(layer->symbol);
    layer->code = layer->low = layer->high = NULL;
    layer->symbol = NULL;
    layer->codes = layer->symbols = 0;
    layer->by_letter = false;
    clear_parts(layer);
}

static void clear_layer(f2l_layer *layer)
{
    clear_codes(layer);
    for (size_t h = 0; h < layer->heads; h++) f2l_head_clear(&layer->head[h], layer->letters);
    f2l_free(layer->head);
    *layer = (f2l_layer){0};
}

static void clear_layers(f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++) clear_layer(&net->layer[l]);
    f2l_free(net->layer);
    net->layer = NULL;
    net->layers = 0;
}

void f2l_net_clear(f2l_net *net)
{
    clear_layers(net);
    f2l_wired_clear(net);
    f2l_names_clear(&net->letters);
    f2l_names_clear(&net->labels);
    f2l_letter_classes_clear(&net->classes);
    f2l_net_init(net);
}

f2l_status f2l_net_set_layers(f2l_net *net, size_t layers, f2l_error *err)
{
    clear_layers(net);
    net->layer = f2l_calloc(layers, sizeof *net->layer);
    if (net->layer == NULL) return f2l_fail_memory(err);
    net->layers = layers;
    return F2L_OK;
}

f2l_status f2l_layer_set_heads(f2l_layer *layer, size_t letters, size_t heads, f2l_error *err)
{
    clear_layer(layer);
    layer->head = f2l_calloc(heads, sizeof *layer->head);
    if (layer->head == NULL) return f2l_fail_memory(err);
    layer->heads = heads;
    layer->letters = letters;
    for (size_t h = 0; h < heads; h++) {
        f2l_qvec_init(&layer->head[h].form);
        f2l_qvec_init(&layer->head[h].initial);
    }
    for (size_t h = 0; h < heads; h++) {
        f2l_head *head = &layer->head[h];
        head->letter = f2l_calloc(letters, sizeof *head->letter);
        if (head->letter == NULL) {
            clear_layer(layer);
            return f2l_fail_memory(err);
        }
        for (size_t x = 0; x < letters; x++) f2l_transition_init(&head->letter[x]);
    }
    return F2L_OK;
}

static bool equal_vectors(const f2l_qvec *a, const f2l_qvec *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->index[i] == b->index[i] && mpq_equal(a->value[i], b->value[i]);
    return same;
}

bool f2l_transition_equal(const f2l_transition *a, const f2l_transition *b)
{
    bool same = mpq_equal(a->gate, b->gate) && a->factors == b->factors &&
                equal_vectors(&a->bias, &b->bias);
    for (size_t i = 0; same && i < a->factors; i++)
        same = mpq_equal(a->factor[i].beta, b->factor[i].beta) &&
               equal_vectors(&a->factor[i].u, &b->factor[i].u) &&
               equal_vectors(&a->factor[i].c, &b->factor[i].c);
    return same;
}

f2l_status f2l_transition_set_factors(f2l_transition *transition, size_t factors, f2l_error *err)
{
    clear_factors(transition);
    transition->factor = f2l_calloc(factors, sizeof *transition->factor);
    if (transition->factor == NULL) return f2l_fail_memory(err);
    transition->factors = factors;
    for (size_t i = 0; i < factors; i++) {
        mpq_init(transition->factor[i].beta);
        f2l_qvec_init(&transition->factor[i].u);
        f2l_qvec_init(&transition->factor[i].c);
    }
    return F2L_OK;
}

uint64_t f2l_head_weigh(const f2l_head *head, size_t letters, uint64_t transition, uint64_t factor,
                        uint64_t entry)
{
    uint64_t steps = transition * letters;
    for (size_t x = 0; x < letters; x++)
        for (size_t i = 0; i < head->letter[x].factors; i++)
            steps += factor + entry * head->letter[x].factor[i].u.count;
    return steps;
}

uint64_t f2l_codes_weigh(const f2l_layer *layer, uint64_t code, uint64_t entry)
{
    uint64_t steps = code * layer->codes;
    for (size_t i = 0; i < layer->codes * layer->heads; i++) steps += entry * layer->code[i].count;
    return steps;
}

/* A factor touches every column for every entry of its key, but most columns are zero. */
uint64_t f2l_layer_letter_steps(const f2l_layer *layer)
{
    uint64_t steps = 8;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        const uint64_t all =
            f2l_head_weigh(head, layer->letters, 2, 4 + head->d / 4, 1 + head->d / 8);
        steps += all / (layer->letters ? layer->letters : 1) + head->n * head->d / 8;
    }
    return steps;
}

uint64_t f2l_exact_layer_steps(const f2l_layer *layer)
{
    uint64_t steps = 50;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        const uint64_t degree = f2l_head_is_plain(head) ? 1 : 8 * f2l_head_degree(head);
        const uint64_t all = f2l_head_weigh(head, layer->letters, 10, 6 * degree, degree) / 2;
        steps += all / (layer->letters ? layer->letters : 1);
    }
    return steps;
}

uint64_t f2l_net_letter_steps(const f2l_net *net)
{
    uint64_t steps = 0;
    for (size_t l = 0; l < net->layers; l++) steps += f2l_layer_letter_steps(&net->layer[l]);
    return steps;
}

f2l_status f2l_layer_set_codes(f2l_layer *layer, size_t codes, size_t symbols, bool by_letter,
                               f2l_error *err)
{
    clear_codes(layer);
    size_t states, entries;
    if (!f2l_mul_size(&states, codes, layer->heads) ||
        !f2l_mul_size(&entries, codes, by_letter ? layer->letters : 1))
        return f2l_fail_memory(err);
    f2l_qvec *code = f2l_calloc(states, sizeof *code);
    uint32_t *symbol = f2l_calloc(entries, sizeof *symbol);
    if (code == NULL || symbol == NULL) {
        f2l_free(code);
        f2l_free(symbol);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < states; i++) f2l_qvec_init(&code[i]);
    for (size_t i = 0; i < entries; i++) symbol[i] = F2L_NO_SYMBOL;
    layer->code = code;
    layer->symbol = symbol;
    layer->codes = codes;
    layer->symbols = symbols;
    layer->by_letter = by_letter;
    return F2L_OK;
}

f2l_status f2l_layer_set_boxes(f2l_layer *layer, f2l_error *err)
{
    const size_t states = layer->codes * layer->heads;
    f2l_qvec *low = f2l_calloc(states, sizeof *low), *high = f2l_calloc(states, sizeof *high);
    if (low == NULL || high == NULL) {
        f2l_free(low);
        f2l_free(high);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < states; i++) {
        f2l_qvec_init(&low[i]);
        f2l_qvec_init(&high[i]);
    }
    layer->low = low;
    layer->high = high;
    return F2L_OK;
}

/* Makes symbol_at[] and the table that it indexes, from part_values[] and reads[]. */
static bool make_part_table(f2l_layer *layer)
{
    for (size_t x = 0; x < layer->letters; x++) {
        if (!f2l_add_size(&layer->symbol_at[x + 1], layer->symbol_at[x],
                          layer->part_values[layer->reads[x]]))
            return false;
    }
    size_t entries = layer->symbol_at[layer->letters];
    uint32_t *symbol = f2l_calloc(entries, sizeof *symbol);
    if (symbol == NULL) return false;
    for (size_t i = 0; i < entries; i++) symbol[i] = F2L_NO_SYMBOL;
    f2l_free(layer->symbol);
    layer->symbol = symbol;
    return true;
}

f2l_status f2l_layer_set_parts(f2l_layer *layer, size_t parts, const size_t *values,
                               const uint32_t *reads, f2l_error *err)
{
    size_t entries;
    clear_parts(layer);
    bool room = f2l_mul_size(&entries, layer->codes, parts);
    layer->part_values = f2l_calloc(parts, sizeof *layer->part_values);
    layer->part = room ? f2l_calloc(entries, sizeof *layer->part) : NULL;
    layer->reads = f2l_calloc(layer->letters, sizeof *layer->reads);
    layer->symbol_at = f2l_calloc(layer->letters + 1, sizeof *layer->symbol_at);
    if (layer->part_values != NULL && layer->part != NULL && layer->reads != NULL &&
        layer->symbol_at != NULL) {
        memcpy(layer->part_values, values, parts * sizeof *values);
        memcpy(layer->reads, reads, layer->letters * sizeof *reads);
        if (make_part_table(layer)) {
            layer->parts = parts;
            return F2L_OK;
        }
    }
    clear_codes(layer);
    return f2l_fail_memory(err);
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

f2l_head_size f2l_head_measure(const f2l_head *head, size_t letters)
{
    f2l_head_size size = {0};
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        if (mpq_cmp_ui(transition->gate, 1, 1) != 0) size.gated = true;
        size.biases = max_size(size.biases, transition->bias.count);
        size.factors = max_size(size.factors, transition->factors);
        for (size_t i = 0; i < transition->factors; i++) {
            size.keys = max_size(size.keys, transition->factor[i].u.count);
            size.values = max_size(size.values, transition->factor[i].c.count);
        }
    }
    return size;
}

size_t f2l_head_parameters(const f2l_head *head, size_t letters)
{
    const f2l_head_size size = f2l_head_measure(head, letters);
    const size_t factors = size.factors * (1 + head->n + head->d);
    return letters * (factors + size.gated + (size.biases > 0 ? head->n * head->d : 0));
}

size_t f2l_layer_numbers(const f2l_layer *layer)
{
    size_t count = 0;
    for (size_t h = 0; h < layer->heads; h++) count += layer->head[h].n * layer->head[h].d;
    return count;
}

static void measure_layer(f2l_net_size *out, const f2l_layer *layer)
{
    size_t most = 0;
    for (size_t x = 0; x < layer->letters; x++) {
        size_t together = 0;
        for (size_t h = 0; h < layer->heads; h++) {
            out->householders = max_size(out->householders, layer->head[h].letter[x].factors);
            together += layer->head[h].letter[x].factors;
        }
        most = max_size(most, together);
    }
    for (size_t h = 0; h < layer->heads; h++) {
        out->key_dim = max_size(out->key_dim, layer->head[h].n);
        out->value_dim = max_size(out->value_dim, layer->head[h].d);
        out->parameters += f2l_head_parameters(&layer->head[h], layer->letters);
    }
    out->states += f2l_layer_numbers(layer);
    out->heads = max_size(out->heads, layer->heads);
    out->codes = max_size(out->codes, layer->codes);
    out->factors_per_token += most;
    out->table_entries += layer->parts > 0   ? layer->symbol_at[layer->letters]
                          : layer->by_letter ? layer->letters * layer->codes
                                             : layer->codes;
}

bool f2l_net_has_boxes(const f2l_net *net)
{
    bool has = false;
    for (size_t l = 0; !has && l < net->layers; l++) has = net->layer[l].low != NULL;
    return has;
}

bool f2l_net_has_gates(const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            for (size_t a = 0; a < net->layer[l].letters; a++)
                if (mpq_cmp_ui(net->layer[l].head[h].letter[a].gate, 1, 1) != 0) return true;
    return false;
}

void f2l_net_measure(f2l_net_size *out, const f2l_net *net)
{
    *out = (f2l_net_size){.layers = net->layers};
    for (size_t l = 0; l < net->layers; l++) measure_layer(out, &net->layer[l]);
    f2l_wired_measure(out, net);
    out->parameters += out->states;
}
