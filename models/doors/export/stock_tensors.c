/* model.safetensors of the stock models. */
#include "models/doors/export/stock.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Decay: exp(-200) is 0 in fp32, so that the logarithm of the gate is 0. */
#define NO_DECAY (-200.0)
/* SiLU returns this, in every format. */
#define OUTPUT_GATE 128.0
#define TAPS 4

/* Tensors are gone through twice: first for the header, then for the numbers. */
typedef struct writer {
    const f2l_stock *stock;
    const f2l_blocks *blocks;
    f2l_buf *header; /* NULL: the second time */
    f2l_buf *data;
    uint64_t numbers, all; /* so far; all is known the second time */
    const f2l_task *task;
    f2l_error *err;
    f2l_status status;
} writer;

/* Begins a tensor and returns whether its numbers are to be made. The shape of a vector is the
 * columns, of taps rows x 1 x columns. */
static bool begin_tensor(writer *w, size_t rows, size_t columns, bool vector, bool taps,
                         const char *name, ...)
{
    char text[120];
    size_t count = 0;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(text, sizeof text, name, arguments);
    va_end(arguments);
    if (w->status == F2L_OK && !f2l_mul_size(&count, rows, columns))
        w->status = f2l_fail(w->err, F2L_EDOMAIN, "a tensor of %zu x %zu numbers is too large",
                             rows, columns);
    if (w->status != F2L_OK) return false;
    if (!w->header) {
        w->status = f2l_task_poll(w->task, "numbers", (double)w->numbers, (double)w->all, w->err);
        w->numbers += count;
        return w->status == F2L_OK;
    }
    f2l_buf_printf(w->header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu", text,
                   strcmp(w->blocks->format->name, "bf16") == 0 ? "BF16" : "F16",
                   vector ? columns : rows);
    if (taps) f2l_buf_text(w->header, ",1");
    if (!vector) f2l_buf_printf(w->header, ",%zu", columns);
    f2l_buf_printf(w->header, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", 2 * w->numbers,
                   2 * (w->numbers + count));
    w->numbers += count;
    return false;
}

/* Appends the numbers of the matrix; clears it. */
static void add_numbers(writer *w, f2l_block_matrix *m)
{
    if (w->status == F2L_OK && m->rounded)
        w->status = f2l_fail(w->err, F2L_EDOMAIN, "a constant of the model is no value of %s",
                             m->format->name);
    for (size_t i = 0; w->status == F2L_OK && i < m->rows * m->columns; i++) {
        const unsigned char pair[2] = {(unsigned char)m->number[i],
                                       (unsigned char)(m->number[i] >> 8)};
        f2l_buf_bytes(w->data, pair, 2);
    }
    f2l_block_matrix_clear(m);
}

/* Appends a matrix with x in one column, from row `first` to row `last` - 1, and zeros elsewhere.
 */
static void add_column(writer *w, size_t rows, size_t columns, size_t first, size_t last,
                       size_t column, double x)
{
    f2l_block_matrix m = {.format = w->blocks->format};
    w->status = f2l_block_matrix_init(&m, w->blocks->format, rows, columns, w->err);
    for (size_t r = first; w->status == F2L_OK && r < last; r++)
        f2l_block_matrix_put(&m, r, column, x);
    add_numbers(w, &m);
}

/* Appends a vector of equal numbers. */
static void add_constant(writer *w, size_t count, double x, const char *name, size_t layer)
{
    f2l_block_matrix m = {.format = w->blocks->format};
    if (!begin_tensor(w, 1, count, true, false, name, layer)) return;
    w->status = f2l_block_matrix_init(&m, w->blocks->format, 1, count, w->err);
    for (size_t i = 0; w->status == F2L_OK && i < count; i++) f2l_block_matrix_put(&m, 0, i, x);
    add_numbers(w, &m);
}

static void add_norm(writer *w, size_t layer, const char *norm)
{
    char name[80];
    snprintf(name, sizeof name, "model.layers.%%zu.%s.weight", norm);
    add_constant(w, w->blocks->width, f2l_blocks_norm(w->blocks), name, layer);
}

static void add_zeros(writer *w, size_t rows, size_t columns, size_t layer, const char *name)
{
    if (begin_tensor(w, rows, columns, false, false, "model.layers.%zu.%s.weight", layer, name))
        add_column(w, rows, columns, 0, 0, 0, 0);
}

static void add_part(writer *w, size_t layer, f2l_block_part part)
{
    static const char *const name[F2L_BLOCK_PARTS] = {
        "q_proj", "k_proj", "v_proj", "b_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    f2l_block_matrix m = {.format = w->blocks->format};
    size_t rows, columns;
    f2l_block_part_shape(&rows, &columns, w->blocks, part);
    if (!begin_tensor(w, rows, columns, false, false, "model.layers.%zu.%s.%s.weight", layer,
                      part >= F2L_BLOCK_GATE ? "mlp" : w->stock->mixer, name[part]))
        return;
    w->status = f2l_block_part_make(&m, w->blocks, layer, part, w->err);
    add_numbers(w, &m);
}

/* Appends what olmo_hybrid's layers have besides: convolutions whose last tap, of the current
 * token, is 1; output gates; a decay of 1. */
static void add_hybrid(writer *w, size_t layer)
{
    const f2l_blocks *b = w->blocks;
    const size_t keys = b->heads * b->key_dim, values = b->heads * b->value_dim;
    const size_t all = 2 * keys + values;
    if (begin_tensor(w, all, TAPS, false, true, "model.layers.%zu.linear_attn.conv1d.weight",
                     layer))
        add_column(w, all, TAPS, 0, all, TAPS - 1, 1);
    if (begin_tensor(w, values, b->width, false, false,
                     "model.layers.%zu.linear_attn.g_proj.weight", layer))
        add_column(w, values, b->width, 0, values, 0, OUTPUT_GATE / b->constant);
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

/* Appends the embedding, or the map to the labels. */
static void add_vocabulary(writer *w, const char *name,
                           f2l_status (*make)(f2l_block_matrix *out, const f2l_blocks *blocks,
                                              f2l_error *err))
{
    f2l_block_matrix m = {.format = w->blocks->format};
    if (!begin_tensor(w, w->blocks->vocab, w->blocks->width, false, false, "%s.weight", name))
        return;
    w->status = make(&m, w->blocks, w->err);
    add_numbers(w, &m);
}

static void add_all(writer *w)
{
    const f2l_blocks *b = w->blocks;
    add_vocabulary(w, w->stock->embedding, f2l_blocks_embedding);
    for (size_t l = 0; l < b->net->layers; l++) add_stock_layer(w, l);
    if (w->stock->hybrid) add_attention(w, b->net->layers);
    add_constant(w, b->width, f2l_blocks_norm(b), "model.norm.weight", 0);
    add_vocabulary(w, "lm_head", f2l_blocks_labels);
}

f2l_status f2l_stock_measure(f2l_stock_layout *out, const f2l_stock *stock,
                             const f2l_blocks *blocks, f2l_error *err)
{
    f2l_buf header;
    writer w = {.stock = stock, .blocks = blocks, .header = &header, .err = err};
    f2l_buf_init(&header);
    f2l_buf_init(&out->header);
    f2l_buf_text(&header, "{\"__metadata__\":{\"format\":\"pt\"}");
    add_all(&w);
    f2l_buf_text(&header, "}");
    f2l_safetensors_put_header(&out->header, &header);
    out->numbers = w.numbers;
    f2l_buf_clear(&header);
    return w.status == F2L_OK ? f2l_buf_status(&out->header, err) : w.status;
}

f2l_status f2l_stock_tensors(f2l_buf *out, const f2l_stock_layout *layout, const f2l_stock *stock,
                             const f2l_blocks *blocks, const f2l_task *task, f2l_error *err)
{
    writer w = {.stock = stock,
                .blocks = blocks,
                .data = out,
                .all = layout->numbers,
                .task = task,
                .err = err};
    f2l_buf_reserve(out, layout->header.size + 2 * layout->numbers);
    f2l_buf_bytes(out, layout->header.data, layout->header.size);
    if (!out->failed) add_all(&w);
    return w.status == F2L_OK ? f2l_buf_status(out, err) : w.status;
}
