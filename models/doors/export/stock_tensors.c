/* model.safetensors of the stock models. */
#include "models/doors/export/stock.h"
#include "models/network/weights/safetensors_number.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Decay: exp(-200) is 0 in fp32, so that the logarithm of the gate is 0. */
#define NO_DECAY (-200.0)
/* SiLU returns this, in every format. */
#define OUTPUT_GATE 128.0
#define TAPS 4

typedef struct writer {
    const f2l_stock *stock;
    const f2l_blocks *blocks;
    f2l_buf header, data;
    f2l_error *err;
    f2l_status status;
} writer;

/* Appends a tensor whose numbers are the matrix's; clears the matrix. The shape of a vector is the
 * columns, of taps rows x 1 x columns. */
static void add_stock_tensor(writer *w, f2l_block_matrix *m, bool vector, bool taps,
                             const char *name, ...)
{
    va_list arguments;
    char text[120];
    if (w->status == F2L_OK && m->rounded)
        w->status = f2l_fail(w->err, F2L_EDOMAIN, "a constant of the model is no value of %s",
                             m->format->name);
    va_start(arguments, name);
    vsnprintf(text, sizeof text, name, arguments);
    va_end(arguments);
    if (w->status == F2L_OK) {
        const size_t begin = w->data.size, bytes = m->rows * m->columns * sizeof *m->number;
        for (size_t i = 0; i < m->rows * m->columns; i++) {
            const unsigned char pair[2] = {(unsigned char)m->number[i],
                                           (unsigned char)(m->number[i] >> 8)};
            f2l_buf_bytes(&w->data, pair, 2);
        }
        f2l_buf_printf(&w->header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu", text,
                       strcmp(m->format->name, "bf16") == 0 ? "BF16" : "F16",
                       vector ? m->columns : m->rows);
        if (taps) f2l_buf_text(&w->header, ",1");
        if (!vector) f2l_buf_printf(&w->header, ",%zu", m->columns);
        f2l_buf_printf(&w->header, "],\"data_offsets\":[%zu,%zu]}", begin, begin + bytes);
    }
    f2l_block_matrix_clear(m);
}

static void start_matrix(writer *w, f2l_block_matrix *m, size_t rows, size_t columns)
{
    *m = (f2l_block_matrix){.format = w->blocks->format};
    if (w->status == F2L_OK)
        w->status = f2l_block_matrix_init(m, w->blocks->format, rows, columns, w->err);
}

/* Sets the numbers of a column that belong to `rows` rows from `first` on. */
static void fill_matrix_column(writer *w, f2l_block_matrix *m, size_t first, size_t rows,
                               size_t column, double x)
{
    for (size_t r = first; w->status == F2L_OK && r < first + rows; r++)
        f2l_block_matrix_put(m, r, column, x);
}

/* Appends a vector of equal numbers. */
static void add_constant(writer *w, size_t count, double x, const char *name, size_t layer)
{
    f2l_block_matrix m;
    start_matrix(w, &m, 1, count);
    for (size_t i = 0; w->status == F2L_OK && i < count; i++) f2l_block_matrix_put(&m, 0, i, x);
    add_stock_tensor(w, &m, true, false, name, layer);
}

static void add_norm(writer *w, size_t layer, const char *norm)
{
    char name[80];
    snprintf(name, sizeof name, "model.layers.%%zu.%s.weight", norm);
    add_constant(w, w->blocks->width, f2l_blocks_norm(w->blocks), name, layer);
}

static void add_zeros(writer *w, size_t rows, size_t columns, size_t layer, const char *name)
{
    f2l_block_matrix m;
    start_matrix(w, &m, rows, columns);
    add_stock_tensor(w, &m, false, false, "model.layers.%zu.%s.weight", layer, name);
}

static void add_part(writer *w, size_t layer, f2l_block_part part)
{
    static const char *const name[F2L_BLOCK_PARTS] = {
        "q_proj", "k_proj", "v_proj", "b_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    f2l_block_matrix m = {.format = w->blocks->format};
    if (w->status == F2L_OK) w->status = f2l_block_part_make(&m, w->blocks, layer, part, w->err);
    add_stock_tensor(w, &m, false, false, "model.layers.%zu.%s.%s.weight", layer,
                     part >= F2L_BLOCK_GATE ? "mlp" : w->stock->mixer, name[part]);
}

/* Appends what olmo_hybrid's layers have besides: convolutions whose last tap, of the current
 * token, is 1; output gates; a decay of 1. */
static void add_hybrid(writer *w, size_t layer)
{
    const f2l_blocks *b = w->blocks;
    const size_t keys = b->heads * b->key_dim, values = b->heads * b->value_dim;
    f2l_block_matrix m;
    start_matrix(w, &m, 2 * keys + values, TAPS);
    fill_matrix_column(w, &m, 0, 2 * keys + values, TAPS - 1, 1);
    add_stock_tensor(w, &m, false, true, "model.layers.%zu.linear_attn.conv1d.weight", layer);
    start_matrix(w, &m, values, b->width);
    fill_matrix_column(w, &m, 0, values, 0, OUTPUT_GATE / b->constant);
    add_stock_tensor(w, &m, false, false, "model.layers.%zu.linear_attn.g_proj.weight", layer);
    add_zeros(w, b->heads, b->width, layer, "linear_attn.a_proj");
    add_constant(w, b->heads, NO_DECAY, "model.layers.%zu.linear_attn.A_log", layer);
    add_constant(w, b->heads, 0, "model.layers.%zu.linear_attn.dt_bias", layer);
}

/* Appends the weight of the norm after a head, which makes the one number of a head that is not
 * zero +1 or -1. */
static void add_head_norm(writer *w, size_t layer)
{
    char name[80];
    const double one = w->blocks->layer[layer].packed ? 1 : 0.25;
    snprintf(name, sizeof name, "model.layers.%%zu.%s.o_norm.weight", w->stock->mixer);
    add_constant(w, w->blocks->value_dim, w->stock->hybrid ? one / OUTPUT_GATE : one, name, layer);
}

static void add_stock_layer(writer *w, size_t layer)
{
    add_norm(w, layer, w->stock->before_mixer);
    add_norm(w, layer, w->stock->before_mlp);
    add_head_norm(w, layer);
    if (w->stock->hybrid) add_hybrid(w, layer);
    for (int part = 0; part < F2L_BLOCK_PARTS; part++) add_part(w, layer, (f2l_block_part)part);
}

/* Appends a layer of attention that adds zero to the stream. */
static void add_attention(writer *w, size_t layer)
{
    const f2l_blocks *b = w->blocks;
    add_zeros(w, b->width, b->width, layer, "self_attn.q_proj");
    add_zeros(w, 64, b->width, layer, "self_attn.k_proj");
    add_zeros(w, 64, b->width, layer, "self_attn.v_proj");
    add_zeros(w, b->width, b->width, layer, "self_attn.o_proj");
    add_constant(w, b->width, 1, "model.layers.%zu.self_attn.q_norm.weight", layer);
    add_constant(w, 64, 1, "model.layers.%zu.self_attn.k_norm.weight", layer);
    add_constant(w, b->width, 1, "model.layers.%zu.post_attention_layernorm.weight", layer);
    add_constant(w, b->width, 1, "model.layers.%zu.post_feedforward_layernorm.weight", layer);
    add_zeros(w, b->inner, b->width, layer, "mlp.gate_proj");
    add_zeros(w, b->inner, b->width, layer, "mlp.up_proj");
    add_zeros(w, b->width, b->inner, layer, "mlp.down_proj");
}

static void add_all(writer *w)
{
    const f2l_blocks *b = w->blocks;
    f2l_block_matrix m = {.format = b->format};
    w->status = f2l_blocks_embedding(&m, b, w->err);
    add_stock_tensor(w, &m, false, false, "%s.weight", w->stock->embedding);
    for (size_t l = 0; l < b->net->layers; l++) add_stock_layer(w, l);
    if (w->stock->hybrid) add_attention(w, b->net->layers);
    add_constant(w, b->width, f2l_blocks_norm(b), "model.norm.weight", 0);
    m = (f2l_block_matrix){.format = b->format};
    if (w->status == F2L_OK) w->status = f2l_blocks_labels(&m, b, w->err);
    add_stock_tensor(w, &m, false, false, "lm_head.weight");
}

f2l_status f2l_stock_tensors(f2l_buf *out, const f2l_stock *stock, const f2l_blocks *blocks,
                             f2l_error *err)
{
    writer w = {.stock = stock, .blocks = blocks, .err = err, .status = F2L_OK};
    f2l_buf_init(&w.header);
    f2l_buf_init(&w.data);
    f2l_buf_text(&w.header, "{\"__metadata__\":{\"format\":\"pt\"}");
    add_all(&w);
    f2l_buf_text(&w.header, "}");
    if (w.status == F2L_OK) w.status = f2l_buf_status(&w.data, err);
    if (w.status == F2L_OK) {
        f2l_safetensors_put_header(out, &w.header);
        f2l_buf_bytes(out, w.data.data, w.data.size);
        w.status = f2l_buf_status(out, err);
    }
    f2l_buf_clear(&w.header);
    f2l_buf_clear(&w.data);
    return w.status;
}
