/* model.safetensors: every tensor of the stock model, and no other (EB.21). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* exp of at most this is 0 in fp32. */
#define NO_DECAY (-128.0)
#define MAPS 9 /* of a layer */

typedef struct reader {
    f2l_written_model *model;
    f2l_safetensors_file file; /* a tensor leaves the header when it is found */
    f2l_error *err;
    f2l_status status;
} reader;

static void fail_at_tensor(reader *r, const char *name, const char *why)
{
    if (r->status == F2L_OK)
        r->status = f2l_fail(r->err, F2L_EDOMAIN, "model.safetensors: %s %s", name, why);
}

/* Finds a tensor of this shape; taps > 0: of rows x 1 x columns. */
static bool find_shaped_tensor(reader *r, f2l_safetensors_tensor *t, const char *name, size_t rows,
                               size_t columns, bool vector, bool taps)
{
    const f2l_safetensors_type type =
        strcmp(r->model->format->name, "bf16") == 0 ? F2L_SAFETENSORS_BF16 : F2L_SAFETENSORS_F16;
    if (r->status != F2L_OK) return false;
    f2l_safetensors_find(t, &r->file, name);
    const bool fits =
        vector ? t->dims == 1 && t->dim[0] == columns
        : taps ? t->dims == 3 && t->dim[0] == rows && t->dim[1] == 1 && t->dim[2] == columns
               : t->dims == 2 && t->dim[0] == rows && t->dim[1] == columns;
    if (!t->present)
        fail_at_tensor(r, name, "is missing");
    else if (t->type != type)
        fail_at_tensor(r, name, "has another type than config.json says");
    else if (!fits)
        fail_at_tensor(r, name, "has a shape that does not fit config.json");
    (void)json_object_del(r->file.header, name);
    if (r->status == F2L_OK) r->model->numbers += t->count;
    return r->status == F2L_OK;
}

static double tensor_number(const f2l_safetensors_tensor *t, size_t i)
{
    return f2l_safetensors_number(t->data + 2 * i, t->type);
}

/* Fills the matrix, whose arrays have room for all. */
static void fill_written_matrix(reader *r, f2l_written_matrix *m, const f2l_safetensors_tensor *t,
                                const char *name)
{
    size_t at = 0;
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        const double x = tensor_number(t, i);
        if (i % m->columns == 0) m->first[i / m->columns] = at;
        if (!isfinite(x)) fail_at_tensor(r, name, "has a number that is not finite");
        if (x == 0) continue;
        m->column[at] = (uint32_t)(i % m->columns);
        m->value[at++] = x;
    }
    m->first[m->rows] = at;
}

static void read_written_matrix(reader *r, f2l_written_matrix *m, size_t rows, size_t columns,
                                bool taps, const char *name)
{
    f2l_safetensors_tensor t;
    size_t used = 0;
    if (!find_shaped_tensor(r, &t, name, rows, columns, false, taps)) return;
    for (size_t i = 0; i < t.count; i++) used += tensor_number(&t, i) != 0;
    *m = (f2l_written_matrix){.rows = rows, .columns = columns};
    m->first = f2l_calloc(rows + 1, sizeof *m->first);
    m->column = f2l_calloc(used, sizeof *m->column);
    m->value = f2l_calloc(used, sizeof *m->value);
    if (m->first && m->column && m->value)
        fill_written_matrix(r, m, &t, name);
    else
        r->status = f2l_fail_memory(r->err);
}

static void read_written_vector(reader *r, double **out, size_t n, const char *name)
{
    f2l_safetensors_tensor t;
    if (!find_shaped_tensor(r, &t, name, 1, n, true, false)) return;
    *out = f2l_calloc(n, sizeof **out);
    if (!*out) r->status = f2l_fail_memory(r->err);
    for (size_t i = 0; *out && i < n; i++) {
        (*out)[i] = tensor_number(&t, i);
        if (!isfinite((*out)[i])) fail_at_tensor(r, name, "has a number that is not finite");
    }
}

/* Reads the weights of a norm of the stream, which must give finite numbers on any stream. */
static void read_norm(reader *r, double **out, const char *name)
{
    const size_t width = r->model->width;
    read_written_vector(r, out, width, name);
    for (size_t i = 0; r->status == F2L_OK && i < width; i++)
        if (fabs((*out)[i]) * sqrt((double)width) > r->model->format->largest / 2)
            fail_at_tensor(r, name, "has a weight that may give infinity");
}

static void matrix_clear(f2l_written_matrix *m)
{
    f2l_free(m->first);
    f2l_free(m->column);
    f2l_free(m->value);
    *m = (f2l_written_matrix){0};
}

typedef struct name_text {
    char text[160];
} name_text;

static name_text name_layer_tensor(size_t layer, const char *part, const char *name)
{
    name_text out;
    snprintf(out.text, sizeof out.text, "model.layers.%zu.%s%s%s", layer, part, *part ? "." : "",
             name);
    return out;
}

/* Reads model.layers.L.PART.NAME.weight. */
static void layer_matrix(reader *r, f2l_written_matrix *m, size_t layer, const char *part,
                         const char *name, size_t rows, size_t columns)
{
    char both[80];
    snprintf(both, sizeof both, "%s.weight", name);
    read_written_matrix(r, m, rows, columns, false, name_layer_tensor(layer, part, both).text);
}

static void layer_vector(reader *r, double **out, size_t layer, const char *part, const char *name,
                         size_t n)
{
    char both[80];
    snprintf(both, sizeof both, "%s.weight", name);
    read_written_vector(r, out, n, name_layer_tensor(layer, part, both).text);
}

static void layer_norm(reader *r, double **out, size_t layer, const char *name)
{
    char both[80];
    snprintf(both, sizeof both, "%s.weight", name);
    read_norm(r, out, name_layer_tensor(layer, "", both).text);
}

/* Reads a matrix that must be zero, which is not kept. */
static void zero_matrix(reader *r, size_t layer, const char *part, const char *name, size_t rows,
                        size_t columns)
{
    f2l_written_matrix m = {0};
    layer_matrix(r, &m, layer, part, name, rows, columns);
    if (r->status == F2L_OK && m.first && m.first[rows] > 0)
        fail_at_tensor(r, name_layer_tensor(layer, part, name).text, "is not zero");
    matrix_clear(&m);
}

static void unused_vector(reader *r, size_t layer, const char *part, const char *name, size_t n)
{
    double *x = NULL;
    layer_vector(r, &x, layer, part, name, n);
    f2l_free(x);
}

/* --- olmo_hybrid --- */

static void read_taps(reader *r, size_t layer, size_t rows)
{
    f2l_written_matrix m = {0};
    const name_text name = name_layer_tensor(layer, r->model->kind->mixer, "conv1d.weight");
    read_written_matrix(r, &m, rows, F2L_WRITTEN_TAPS, true, name.text);
    for (size_t i = 0; r->status == F2L_OK && m.first && i < rows; i++)
        if (m.first[i + 1] != m.first[i] + 1 || m.column[m.first[i]] != F2L_WRITTEN_TAPS - 1 ||
            m.value[m.first[i]] != 1)
            fail_at_tensor(r, name.text, "has other taps than 0, 0, 0, 1");
    matrix_clear(&m);
}

static void read_decay(reader *r, size_t layer)
{
    const f2l_written_model *m = r->model;
    const name_text name = name_layer_tensor(layer, m->kind->mixer, "A_log");
    double *x = NULL, *bias = NULL;
    zero_matrix(r, layer, m->kind->mixer, "a_proj", m->heads, m->width);
    read_written_vector(r, &x, m->heads, name.text);
    read_written_vector(r, &bias, m->heads,
                        name_layer_tensor(layer, m->kind->mixer, "dt_bias").text);
    for (size_t h = 0; r->status == F2L_OK && x && h < m->heads; h++)
        if (!(x[h] <= NO_DECAY))
            fail_at_tensor(r, name.text, "is over -128, so that states may decay");
    f2l_free(x);
    f2l_free(bias);
}

/* Reads a layer of attention, which must add zero. */
static void read_attention(reader *r, size_t layer)
{
    const f2l_written_model *m = r->model;
    const size_t group = m->width / m->attention_heads * m->attention_groups;
    zero_matrix(r, layer, "self_attn", "q_proj", m->width, m->width);
    zero_matrix(r, layer, "self_attn", "k_proj", group, m->width);
    zero_matrix(r, layer, "self_attn", "v_proj", group, m->width);
    zero_matrix(r, layer, "self_attn", "o_proj", m->width, m->width);
    unused_vector(r, layer, "self_attn", "q_norm", m->width);
    unused_vector(r, layer, "self_attn", "k_norm", group);
    unused_vector(r, layer, "", "post_attention_layernorm", m->width);
    unused_vector(r, layer, "", "post_feedforward_layernorm", m->width);
    zero_matrix(r, layer, "mlp", "gate_proj", m->inner, m->width);
    zero_matrix(r, layer, "mlp", "up_proj", m->inner, m->width);
    zero_matrix(r, layer, "mlp", "down_proj", m->width, m->inner);
}

/* --- all --- */

static void read_written_layer(reader *r, size_t l)
{
    const f2l_written_model *m = r->model;
    const char *mixer = m->kind->mixer;
    f2l_written_layer *to = &m->layer[l];
    const size_t keys = m->heads * m->key_dim, values = m->heads * m->value_dim;
    layer_norm(r, &to->before_mixer, l, m->kind->before_mixer);
    layer_norm(r, &to->before_mlp, l, m->kind->before_mlp);
    layer_vector(r, &to->head_norm, l, mixer, "o_norm", m->value_dim);
    layer_matrix(r, &to->query, l, mixer, "q_proj", keys, m->width);
    layer_matrix(r, &to->key, l, mixer, "k_proj", m->factors * keys, m->width);
    layer_matrix(r, &to->value, l, mixer, "v_proj", m->factors * values, m->width);
    layer_matrix(r, &to->beta, l, mixer, "b_proj", m->factors * m->heads, m->width);
    layer_matrix(r, &to->output, l, mixer, "o_proj", m->width, values);
    layer_matrix(r, &to->gate, l, "mlp", "gate_proj", m->inner, m->width);
    layer_matrix(r, &to->up, l, "mlp", "up_proj", m->inner, m->width);
    layer_matrix(r, &to->down, l, "mlp", "down_proj", m->width, m->inner);
    if (!m->kind->hybrid) return;
    layer_matrix(r, &to->head_gate, l, mixer, "g_proj", values, m->width);
    read_taps(r, l, 2 * keys + values);
    read_decay(r, l);
}

/* --- the header --- */

/* Looks whether the bytes of the header begin with { and end with } and blanks, as the format
 * demands. */
static bool is_spelled(const char *bytes, size_t end)
{
    while (end > 8 && bytes[end - 1] == ' ') end--;
    return end > 8 && bytes[8] == '{' && bytes[end - 1] == '}';
}

/* Looks at all members of the header but the values that the tensors' reader looks at. */
static void check_header(reader *r, const char *bytes, size_t size)
{
    static const char *const metadata[] = {"format", NULL};
    static const char *const tensor[] = {"dtype", "shape", "data_offsets", NULL};
    const json_t *about = json_object_get(r->file.header, "__metadata__");
    const char *name, *format = json_string_value(json_object_get(about, "format"));
    const json_t *entry;
    char what[160];
    if (!is_spelled(bytes, size - r->file.size))
        r->status = f2l_fail(r->err, F2L_EFORMAT,
                             "model.safetensors: the header does not begin with { and end with }");
    if (r->status == F2L_OK)
        r->status = f2l_written_members(about, metadata, "model.safetensors: __metadata__", r->err);
    if (r->status == F2L_OK && (!format || strcmp(format, "pt") != 0))
        fail_at_tensor(r, "__metadata__:", "format is not pt");
    (void)json_object_del(r->file.header, "__metadata__");
    json_object_foreach(r->file.header, name, entry)
    {
        snprintf(what, sizeof what, "model.safetensors: %.120s", name);
        if (r->status == F2L_OK) r->status = f2l_written_members(entry, tensor, what, r->err);
    }
}

static void check_rest(reader *r)
{
    const void *left = json_object_iter(r->file.header);
    if (r->status == F2L_OK && left)
        r->status =
            f2l_fail(r->err, F2L_EDOMAIN, "model.safetensors: the stock model has no tensor %.160s",
                     json_object_iter_key((void *)left));
}

static void read_written_tensors(reader *r)
{
    f2l_written_model *m = r->model;
    char name[80];
    if (m->all_layers > json_object_size(r->file.header)) {
        r->status = f2l_fail(r->err, F2L_EDOMAIN, "model.safetensors has no tensors for %zu layers",
                             m->all_layers);
        return;
    }
    m->layer = f2l_calloc(m->layers, sizeof *m->layer);
    if (!m->layer) {
        r->status = f2l_fail_memory(r->err);
        return;
    }
    snprintf(name, sizeof name, "%s.weight", m->kind->embedding);
    read_written_matrix(r, &m->embedding, m->vocab, m->width, false, name);
    for (size_t l = 0; r->status == F2L_OK && l < m->layers; l++) read_written_layer(r, l);
    if (m->kind->hybrid) read_attention(r, m->layers);
    read_norm(r, &m->last_norm, "model.norm.weight");
    read_written_matrix(r, &m->labels, m->vocab, m->width, false, "lm_head.weight");
    check_rest(r);
}

f2l_status f2l_written_tensors(f2l_written_model *m, const f2l_buf *bytes, f2l_error *err)
{
    reader r = {.model = m, .err = err};
    const char *data = bytes->data ? bytes->data : "";
    r.status = f2l_safetensors_open(&r.file, data, bytes->size, err);
    if (r.status == F2L_OK) check_header(&r, data, bytes->size);
    if (r.status == F2L_OK) read_written_tensors(&r);
    f2l_safetensors_close(&r.file);
    return r.status;
}

static void layer_clear(f2l_written_layer *l)
{
    f2l_written_matrix *const all[MAPS] = {&l->query,  &l->key,  &l->value, &l->beta, &l->head_gate,
                                           &l->output, &l->gate, &l->up,    &l->down};
    for (size_t i = 0; i < MAPS; i++) matrix_clear(all[i]);
    f2l_free(l->before_mixer);
    f2l_free(l->before_mlp);
    f2l_free(l->head_norm);
}

void f2l_written_model_clear(f2l_written_model *m)
{
    for (size_t l = 0; m->layer && l < m->layers; l++) layer_clear(&m->layer[l]);
    f2l_free(m->layer);
    matrix_clear(&m->embedding);
    matrix_clear(&m->labels);
    f2l_free(m->last_norm);
    *m = (f2l_written_model){0};
}
