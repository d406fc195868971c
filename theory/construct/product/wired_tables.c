#include "theory/construct/product/wired_tables.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/product/impl.h"
#include <string.h>

/* Limits on the entries of a table, and on the codes of a layer with several heads. */
#define MOST_ENTRIES ((size_t)1 << 20)
#define MOST_CODES ((size_t)1 << 12)

typedef struct writer {
    f2l_net *out;
    const f2l_net *net;
    const uint32_t *first; /* [letters] */
    size_t letters;
    uint32_t *state_of; /* [labels of net] */
    f2l_meter meter;
    /* of the layer at hand */
    const f2l_layer *layer;
    size_t l, kinds, tables; /* kinds: letters that it reads; tables of the network so far */
    uint32_t **code_of;      /* [heads][codes] readout value of each code */
    size_t *values;          /* [heads] codes of the readout */
    uint32_t *number;        /* [codes] of the readouts so far */
} writer;

/* Returns the letter of the network's layer. */
static size_t letter_of_first_layer(const writer *w, size_t x)
{
    return w->l == 0 ? w->first[x] : x;
}

/* --- what can be wired --- */

static f2l_status check_table_head(const f2l_head *head, size_t letters, f2l_error *err)
{
    bool plain = f2l_head_is_plain(head) && !head->raw;
    for (size_t a = 0; plain && a < letters; a++) plain = head->letter[a].bias.count == 0;
    return plain ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "a wired network has no such heads");
}

static f2l_status check_net(const f2l_net *net, f2l_error *err)
{
    f2l_status status = f2l_net_has_boxes(net)
                            ? f2l_fail(err, F2L_EDOMAIN, "a wired network has no boxes")
                            : F2L_OK;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; status == F2L_OK && h < net->layer[l].heads; h++)
            status = check_table_head(&net->layer[l].head[h], net->layer[l].letters, err);
    return status;
}

/* Sets state_of, and the labels. */
static f2l_status name_state_labels(writer *w, const f2l_fsa *fsa, f2l_error *err)
{
    const f2l_names *labels = &w->net->labels;
    w->state_of = f2l_calloc(labels->count, sizeof *w->state_of);
    if (!w->state_of) return f2l_fail_memory(err);
    for (size_t i = 0; i < labels->count; i++) {
        const char *name = f2l_names_get(labels, i);
        const size_t q = f2l_names_find(&fsa->states, name, strlen(name));
        if (q == F2L_NO_INDEX) return f2l_fail(err, F2L_EDOMAIN, "a label is no state");
        w->state_of[i] = (uint32_t)q;
    }
    w->out->label = F2L_LABEL_STATES;
    w->out->start = fsa->start;
    return f2l_names_copy(&w->out->labels, &fsa->states, err);
}

static f2l_status name_letters(writer *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t x = 0; status == F2L_OK && x < w->letters; x++) {
        const char *name = f2l_names_get(&w->net->letters, w->first[x]);
        status = f2l_names_add(&w->out->letters, name, strlen(name), &index, err);
    }
    return status;
}

/* --- readouts --- */

/* Numbers the states of head h in the codes. */
static f2l_status number_codes(writer *w, size_t h, f2l_error *err)
{
    const f2l_layer *y = w->layer;
    uint32_t *of = w->code_of[h] = f2l_calloc(y->codes, sizeof *of);
    size_t *first = f2l_calloc(y->codes, sizeof *first), values = 0; /* a code of each value */
    f2l_status status = of && first ? F2L_OK : f2l_fail_memory(err);
    for (size_t c = 0; status == F2L_OK && c < y->codes; c++) {
        uint32_t v = y->heads == 1 ? (uint32_t)c : 0;
        status = f2l_meter_spend(&w->meter, 20 + (y->heads == 1 ? 0 : 10 * values), (double)c,
                                 (double)y->codes, err);
        while (v < values &&
               f2l_qvec_compare(&y->code[c * y->heads + h], &y->code[first[v] * y->heads + h]) != 0)
            v++;
        of[c] = v;
        if (v == values) first[values++] = c;
    }
    w->values[h] = values;
    f2l_free(first);
    return status;
}

static f2l_status write_head_readout(writer *w, f2l_wired_block *block, size_t h, f2l_error *err)
{
    const f2l_layer *y = w->layer;
    f2l_status status =
        f2l_meter_spend(&w->meter, w->values[h] * 2 * F2L_ENTRY_STEPS + 100, 0, 0, err);
    if (status == F2L_OK)
        status = f2l_wired_readout_set(&block->readout[h], h, 0, y->head[h].n, w->values[h], err);
    for (size_t c = 0, v = 0; status == F2L_OK && c < y->codes; c++)
        if (w->code_of[h][c] == v)
            status = f2l_qvec_copy(&block->readout[h].code[v++], &y->code[c * y->heads + h], err);
    return status;
}

static f2l_status write_table_head(writer *w, f2l_wired_block *block, size_t h, f2l_error *err)
{
    const f2l_head *from = &w->layer->head[h];
    const uint32_t wire = 0;
    f2l_status status =
        f2l_meter_spend(&w->meter,
                        f2l_head_weigh(from, w->layer->letters, F2L_TRANSITION_STEPS,
                                       F2L_FACTOR_STEPS, F2L_ENTRY_STEPS),
                        (double)h, (double)w->layer->heads, err);
    if (status == F2L_OK)
        status = f2l_wired_head_set(&block->head[h], from->n, from->d, 1, &wire, &w->kinds, err);
    for (size_t x = 0; status == F2L_OK && x < w->kinds; x++)
        status = f2l_product_copy_transition(&block->head[h].head.letter[x],
                                             &from->letter[letter_of_first_layer(w, x)], err);
    return status;
}

/* --- the decoder --- */

/* Makes the next table. */
static f2l_status begin_table(f2l_wired_table **table, writer *w, const size_t size[2],
                              size_t values, f2l_error *err)
{
    *table = &w->out->table[w->tables++];
    if (size[0] > MOST_ENTRIES / size[1])
        return f2l_fail(err, F2L_UNKNOWN, "a table would have more than %zu entries", MOST_ENTRIES);
    f2l_status status = f2l_meter_spend(&w->meter, 6 * size[0] * size[1], 0, 0, err);
    return status == F2L_OK ? f2l_wired_table_set(*table, 2, size, values, err) : status;
}

/* Adds the gate that joins the readouts of heads 0 .. h - 1 with the one of head h; the last one
 * gives the code. */
static f2l_status join_readout(writer *w, f2l_wired_block *block, size_t h, size_t *count,
                               f2l_error *err)
{
    const f2l_layer *y = w->layer;
    const bool last = h + 1 == y->heads;
    const size_t size[] = {*count, w->values[h]};
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(block);
    const uint32_t wire[] = {h == 1 ? readout : (uint32_t)(f2l_wired_first_post(block) + h - 2),
                             readout + (uint32_t)h};
    f2l_wired_table *table;
    size_t next = 0;
    f2l_status status = begin_table(&table, w, size, y->codes, err);
    if (status != F2L_OK) return status;
    memset(table->value, 0xff, table->entries * sizeof *table->value);
    for (size_t c = 0; c < y->codes; c++) {
        uint32_t *value = &table->value[w->number[c] * w->values[h] + w->code_of[h][c]];
        if (*value == UINT32_MAX) *value = (uint32_t)(last ? c : next++);
        w->number[c] = *value;
    }
    for (size_t e = 0; e < table->entries; e++)
        if (table->value[e] == UINT32_MAX) table->value[e] = 0;
    *count = last ? y->codes : next;
    table->values = *count;
    return f2l_wired_gate_set(&block->post[h - 1], w->tables - 1, 2, wire, err);
}

/* Adds the gate from letter and code to the symbol. */
static f2l_status add_decoder_gate(writer *w, f2l_wired_block *block, f2l_error *err)
{
    const f2l_layer *y = w->layer;
    const bool last = w->l + 1 == w->net->layers;
    const size_t size[] = {w->kinds, y->codes};
    const size_t code =
        y->heads == 1 ? f2l_wired_first_readout(block) : f2l_wired_first_post(block) + y->heads - 2;
    const uint32_t wire[] = {0, (uint32_t)code};
    f2l_wired_table *table;
    f2l_status status = begin_table(&table, w, size, y->symbols, err);
    if (status != F2L_OK) return status;
    for (size_t x = 0; x < w->kinds; x++)
        for (size_t c = 0; c < y->codes; c++) {
            const uint32_t symbol = f2l_layer_symbol(y, letter_of_first_layer(w, x), c);
            table->value[x * y->codes + c] = symbol == F2L_NO_SYMBOL ? 0
                                             : last                  ? w->state_of[symbol]
                                                                     : symbol;
        }
    block->output[0] = (uint32_t)(f2l_wired_first_post(block) + y->heads - 1);
    return f2l_wired_gate_set(&block->post[y->heads - 1], w->tables - 1, 2, wire, err);
}

/* --- layers --- */

static f2l_status write_code_decoder(writer *w, f2l_wired_block *block, f2l_error *err)
{
    const f2l_layer *y = w->layer;
    size_t count = w->values[0];
    f2l_status status = F2L_OK;
    w->number = f2l_calloc(y->codes, sizeof *w->number);
    if (!w->number) return f2l_fail_memory(err);
    memcpy(w->number, w->code_of[0], y->codes * sizeof *w->number);
    for (size_t h = 1; status == F2L_OK && h < y->heads; h++)
        status = join_readout(w, block, h, &count, err);
    return status == F2L_OK ? add_decoder_gate(w, block, err) : status;
}

static f2l_status write_layer_block(writer *w, f2l_wired_block *block, f2l_error *err)
{
    const f2l_layer *y = w->layer;
    f2l_status status = f2l_wired_block_set_inputs(block, 1, &w->kinds, err);
    if (y->heads > 1 && y->codes > MOST_CODES)
        return f2l_fail(err, F2L_UNKNOWN, "a layer with several heads has more than %zu codes",
                        MOST_CODES);
    if (status == F2L_OK)
        status = f2l_wired_block_set(block, 0, y->heads, y->heads, y->heads, 1, err);
    for (size_t h = 0; status == F2L_OK && h < y->heads; h++) {
        status = number_codes(w, h, err);
        if (status == F2L_OK) status = write_table_head(w, block, h, err);
        if (status == F2L_OK) status = write_head_readout(w, block, h, err);
    }
    return status == F2L_OK ? write_code_decoder(w, block, err) : status;
}

static f2l_status write_wired_layer(writer *w, size_t l, f2l_error *err)
{
    const f2l_layer *y = w->layer = &w->net->layer[l];
    w->l = l;
    w->kinds = l == 0 ? w->letters : y->letters;
    w->code_of = f2l_calloc(y->heads, sizeof(uint32_t *));
    w->values = f2l_calloc(y->heads, sizeof *w->values);
    f2l_status status = w->code_of && w->values ? write_layer_block(w, &w->out->block[l], err)
                                                : f2l_fail_memory(err);
    for (size_t h = 0; w->code_of && h < y->heads; h++) f2l_free(w->code_of[h]);
    f2l_free(w->code_of);
    f2l_free(w->values);
    f2l_free(w->number);
    w->code_of = NULL;
    w->values = NULL;
    w->number = NULL;
    return status;
}

static f2l_status write_stages(writer *w, f2l_error *err)
{
    const size_t layers = w->net->layers;
    size_t *block_of = f2l_calloc(layers, sizeof *block_of);
    if (!block_of) return f2l_fail_memory(err);
    for (size_t l = 0; l < layers; l++) block_of[l] = l;
    f2l_status status = f2l_wired_set_stages(w->out, layers, block_of, err);
    f2l_free(block_of);
    for (size_t l = 0; l < layers; l++)
        for (size_t h = 0; status == F2L_OK && h < w->net->layer[l].heads; h++)
            status =
                f2l_qvec_copy(&w->out->stage[l].initial[h], &w->net->layer[l].head[h].initial, err);
    return status;
}

static f2l_status write_wired_layers(writer *w, const f2l_fsa *fsa, f2l_error *err)
{
    size_t heads = 0;
    for (size_t l = 0; l < w->net->layers; l++) heads += w->net->layer[l].heads;
    f2l_status status = f2l_net_check_layers(w->net, err);
    if (status == F2L_OK) status = check_net(w->net, err);
    if (status == F2L_OK) status = name_state_labels(w, fsa, err);
    if (status == F2L_OK) status = name_letters(w, err);
    if (status == F2L_OK) status = f2l_wired_set_tables(w->out, heads, err);
    if (status == F2L_OK) status = f2l_wired_set_blocks(w->out, w->net->layers, err);
    for (size_t l = 0; status == F2L_OK && l < w->net->layers; l++)
        status = write_wired_layer(w, l, err);
    return status == F2L_OK ? write_stages(w, err) : status;
}

f2l_status f2l_wired_tables_build(f2l_net *out, const f2l_net *net, const f2l_fsa *fsa,
                                  const uint32_t *first, size_t letters, const f2l_task *task,
                                  f2l_error *err)
{
    writer w = {.out = out,
                .net = net,
                .first = first,
                .letters = letters,
                .meter = {.task = task, .phase = "product"}};
    f2l_net_clear(out);
    f2l_status status = write_wired_layers(&w, fsa, err);
    f2l_free(w.state_of);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
