/* The decoders of layers as tensors: the codes, and one rule for all kinds of decoder. */
#include "models/network/weights/weights_decoder.h"

/* Returns the part of a code that decoders of one part, the code itself, have too. */
static size_t part_of_code(const f2l_layer *layer, size_t code, size_t part)
{
    return layer->parts ? layer->part[code * layer->parts + part] : code;
}

static void fill_part(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_layer *layer = t->source;
    for (size_t c = 0; c < t->dim[0]; c++)
        for (size_t p = 0; p < t->dim[1]; p++)
            f2l_safetensors_put_index(file, t, c * t->dim[1] + p, part_of_code(layer, c, p));
}

static void fill_reads(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_layer *layer = t->source;
    for (size_t x = 0; x < layer->letters; x++)
        f2l_safetensors_put_index(file, t, x, layer->parts ? layer->reads[x] : 0);
}

static void fill_at(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_layer *layer = t->source;
    for (size_t x = 0; x < layer->letters; x++)
        f2l_safetensors_put_index(file, t, x,
                                  layer->parts       ? layer->symbol_at[x]
                                  : layer->by_letter ? x * layer->codes
                                                     : 0);
}

static size_t entries_of(const f2l_layer *layer)
{
    return layer->parts       ? layer->symbol_at[layer->letters]
           : layer->by_letter ? layer->letters * layer->codes
                              : layer->codes;
}

static void fill_yield(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_layer *layer = t->source;
    f2l_safetensors_pad(file, t);
    for (size_t i = 0; i < t->dim[0]; i++)
        if (layer->symbol[i] != F2L_NO_SYMBOL)
            f2l_safetensors_put_index(file, t, i, layer->symbol[i]);
}

/* Fills the numbers of a head's codes, or of one end of their boxes; t->count is the head. */
static void put_code_numbers(f2l_safetensors *file, const f2l_tensor *t, const f2l_qvec *code)
{
    const f2l_layer *layer = t->source;
    const f2l_head *head = &layer->head[t->count];
    const size_t width = t->dims == 2 ? t->dim[1] : head->n * head->d;
    if (t->integer) f2l_safetensors_pad(file, t);
    for (size_t c = 0; c < layer->codes; c++) {
        const f2l_qvec *v = &code[c * layer->heads + t->count];
        for (size_t i = 0; i < v->count; i++) {
            const size_t place = c * width + (t->dims == 2 ? i : v->index[i]);
            if (t->integer)
                f2l_safetensors_put_index(file, t, place, v->index[i]);
            else
                f2l_safetensors_put(file, t, place, f2l_format_round_q(file->format, v->value[i]));
        }
    }
}

static void fill_code(f2l_safetensors *file, const f2l_tensor *t)
{
    put_code_numbers(file, t, ((const f2l_layer *)t->source)->code);
}

static void fill_low(f2l_safetensors *file, const f2l_tensor *t)
{
    put_code_numbers(file, t, ((const f2l_layer *)t->source)->low);
}

static void fill_high(f2l_safetensors *file, const f2l_tensor *t)
{
    put_code_numbers(file, t, ((const f2l_layer *)t->source)->high);
}

void f2l_weights_hold_codes(f2l_safetensors *file, const f2l_layer *layer)
{
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        f2l_safetensors_hold_vector(file, &layer->code[i]);
        if (layer->low) f2l_safetensors_hold_vector(file, &layer->low[i]);
        if (layer->high) f2l_safetensors_hold_vector(file, &layer->high[i]);
    }
}

/* Adds one tensor for the numbers of a head's codes, or two where they are sparse. */
static void add_code_tensors(f2l_safetensors *file, const f2l_layer *layer, size_t h,
                             size_t numbers, void (*fill)(f2l_safetensors *, const f2l_tensor *),
                             const char *prefix, const char *name)
{
    const f2l_head *head = &layer->head[h];
    f2l_tensor code = {.fill = fill,
                       .source = layer,
                       .count = h,
                       .dims = 3,
                       .dim = {layer->codes, head->n, head->d}};
    if (file->sparse) {
        code.dims = 2;
        code.dim[1] = numbers;
    }
    f2l_safetensors_add(file, code, file->sparse ? "%s.heads.%zu.%s_value" : "%s.heads.%zu.%s",
                        prefix, h, name);
    if (!file->sparse) return;
    code.integer = true;
    f2l_safetensors_add(file, code, "%s.heads.%zu.%s_index", prefix, h, name);
}

/* Returns the most stored numbers of a vector. */
static size_t most_numbers(const f2l_layer *layer, size_t h, const f2l_qvec *vectors)
{
    size_t most = 0;
    for (size_t c = 0; c < layer->codes; c++)
        if (vectors[c * layer->heads + h].count > most) most = vectors[c * layer->heads + h].count;
    return most;
}

void f2l_weights_add_decoder(f2l_safetensors *file, const f2l_layer *layer, const char *prefix)
{
    const f2l_tensor table = {.source = layer, .integer = true, .dims = 1};
    f2l_tensor part = table, reads = table, at = table, yield = table;
    part.fill = fill_part;
    part.dims = 2;
    part.dim[0] = layer->codes;
    part.dim[1] = layer->parts ? layer->parts : 1;
    reads.fill = fill_reads;
    at.fill = fill_at;
    reads.dim[0] = at.dim[0] = layer->letters;
    yield.fill = fill_yield;
    yield.dim[0] = entries_of(layer);
    f2l_safetensors_add(file, part, "%s.part", prefix);
    f2l_safetensors_add(file, reads, "%s.reads", prefix);
    f2l_safetensors_add(file, at, "%s.yield_at", prefix);
    f2l_safetensors_add(file, yield, "%s.yield", prefix);
    for (size_t h = 0; h < layer->heads; h++) {
        add_code_tensors(file, layer, h, most_numbers(layer, h, layer->code), fill_code, prefix,
                         "codes");
        if (!layer->low) continue;
        add_code_tensors(file, layer, h, most_numbers(layer, h, layer->low), fill_low, prefix,
                         "low");
        add_code_tensors(file, layer, h, most_numbers(layer, h, layer->high), fill_high, prefix,
                         "high");
    }
}
