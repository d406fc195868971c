#include "models/network/weights/safetensors_read.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef f2l_safetensors_tensor tensor;

typedef struct reader {
    f2l_safetensors_file file;
    f2l_error *err;
} reader;

static f2l_status refuse_weights(const reader *r, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

static f2l_status refuse_weights(const reader *r, const char *what, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return f2l_fail(r->err, F2L_EFORMAT, "%s", text);
}

static double tensor_number_at(const tensor *t, size_t i)
{
    return f2l_safetensors_number(t->data + i * f2l_safetensors_bytes(t->type), t->type);
}

/* Finds PREFIX.NAME, of one to three dimensions; a missing tensor is no failure. */
static f2l_status find_head_tensor(tensor *out, const reader *r, const char *prefix,
                                   const char *name)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s.%s", prefix, name);
    f2l_safetensors_find(out, &r->file, whole);
    if (out->present && out->type == F2L_SAFETENSORS_TYPES)
        return refuse_weights(r, "%s: a type that is not read here", whole);
    if (out->present && (out->dims == 0 || out->dims > F2L_SAFETENSORS_DIMS))
        return refuse_weights(r, "%s: a shape that is not read here", whole);
    return F2L_OK;
}

/* The tensors of a head. A row of keys is [n] or, sparse, indices and numbers. */
typedef struct parts {
    tensor beta, gate, initial, key, key_index, value, value_index, bias, bias_index;
    size_t letters, factors;
} parts;

/* Finds `name`, or its sparse pair: *numbers is then name_value, and *index is name_index. */
static f2l_status find_sparse_tensor(tensor *numbers, tensor *index, const reader *r,
                                     const char *prefix, const char *name)
{
    char sparse[32];
    f2l_status status = find_head_tensor(numbers, r, prefix, name);
    if (status != F2L_OK || numbers->present) return status;
    snprintf(sparse, sizeof sparse, "%s_value", name);
    status = find_head_tensor(numbers, r, prefix, sparse);
    snprintf(sparse, sizeof sparse, "%s_index", name);
    if (status == F2L_OK) status = find_head_tensor(index, r, prefix, sparse);
    if (status != F2L_OK) return status;
    bool fits = numbers->present == index->present;
    if (numbers->present && fits)
        fits = index->type == F2L_SAFETENSORS_I32 && numbers->dims == index->dims &&
               memcmp(numbers->dim, index->dim, sizeof index->dim) == 0;
    return fits ? F2L_OK
                : refuse_weights(r, "%s.%s: indices and numbers do not go together", prefix, name);
}

static f2l_status find_head_parts(parts *p, const reader *r, const char *prefix)
{
    f2l_status status = find_head_tensor(&p->beta, r, prefix, "beta");
    if (status == F2L_OK) status = find_head_tensor(&p->gate, r, prefix, "gate");
    if (status == F2L_OK) status = find_head_tensor(&p->initial, r, prefix, "initial");
    if (status == F2L_OK) status = find_sparse_tensor(&p->key, &p->key_index, r, prefix, "key");
    if (status == F2L_OK)
        status = find_sparse_tensor(&p->value, &p->value_index, r, prefix, "value");
    return status == F2L_OK ? find_sparse_tensor(&p->bias, &p->bias_index, r, prefix, "bias")
                            : status;
}

/* Returns whether the shape is [letters, factors, any]. */
static bool is_of_factors(const tensor *t, const parts *p)
{
    return t->type != F2L_SAFETENSORS_I32 && t->dims == 3 && t->dim[0] == p->letters &&
           t->dim[1] == p->factors;
}

static f2l_status read_head_dimensions(f2l_head *head, parts *p, const reader *r,
                                       const char *prefix)
{
    if (p->beta.type == F2L_SAFETENSORS_I32 || p->beta.dims != 2)
        return refuse_weights(r, "%s.beta: not [letters, factors]", prefix);
    p->letters = p->beta.dim[0];
    p->factors = p->beta.dim[1];
    if (p->letters == 0 || (p->factors == 0 && p->letters > r->file.size)) /* no more than the file
                                                                              has bytes */
        return refuse_weights(r, "%s.beta: no letters, or too many without factors", prefix);
    if (p->gate.present &&
        (p->gate.type == F2L_SAFETENSORS_I32 || p->gate.dims != 1 || p->gate.dim[0] != p->letters))
        return refuse_weights(r, "%s.gate: not [letters]", prefix);
    if (!p->key.present || !is_of_factors(&p->key, p))
        return refuse_weights(r, "%s.key: not of beta's shape", prefix);
    if (p->value.present && !is_of_factors(&p->value, p))
        return refuse_weights(r, "%s.value: not of beta's shape", prefix);
    if (p->initial.present && (p->initial.type == F2L_SAFETENSORS_I32 || p->initial.dims != 2))
        return refuse_weights(r, "%s.initial: not [n, d]", prefix);
    if (p->key_index.present && !p->initial.present)
        return refuse_weights(r, "%s.initial: missing", prefix);
    head->n = p->initial.present ? p->initial.dim[0] : p->key.dim[2];
    head->d = p->initial.present                            ? p->initial.dim[1]
              : p->value.present && !p->value_index.present ? p->value.dim[2]
                                                            : 1;
    if (head->n == 0 || head->d == 0 || head->n > F2L_MAX_STATE / head->d)
        return refuse_weights(r, "%s: a state of no size, or too large", prefix);
    const bool fit = (p->key_index.present || p->key.dim[2] == head->n) &&
                     (!p->value.present || p->value_index.present || p->value.dim[2] == head->d);
    if (!fit) return refuse_weights(r, "%s: n and d are not the same in all tensors", prefix);
    const tensor *b = &p->bias;
    if (b->present && p->bias_index.present ? b->dims != 2 || b->dim[0] != p->letters
        : b->present ? b->type == F2L_SAFETENSORS_I32 || b->dims != 3 || b->dim[0] != p->letters ||
                           b->dim[1] != head->n || b->dim[2] != head->d
                     : false)
        return refuse_weights(r, "%s.bias: not [letters, n, d]", prefix);
    return F2L_OK;
}

static f2l_status set_number(mpq_t out, const reader *r, const tensor *t, size_t i,
                             const char *prefix)
{
    const double x = tensor_number_at(t, i);
    if (!isfinite(x)) return refuse_weights(r, "%s: a number is not finite", prefix);
    mpq_set_d(out, x);
    return F2L_OK;
}

/* Reads numbers first .. first + count - 1 as a vector; with `index`, at the places that it names,
 * -1 being none. */
static f2l_status read_head_vector(f2l_qvec *out, const reader *r, const tensor *t,
                                   const tensor *index, size_t first, size_t count, size_t limit,
                                   const char *prefix)
{
    mpq_t x;
    size_t least = 0;
    f2l_status status = F2L_OK;
    mpq_init(x);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        const double place = index->present ? tensor_number_at(index, first + i) : (double)i;
        if (index->present && place == -1) continue;
        status = set_number(x, r, t, first + i, prefix);
        if (status == F2L_OK && (place < (double)least || place >= (double)limit))
            status = refuse_weights(r, "%s: indices do not increase, or are too large", prefix);
        if (status != F2L_OK) break;
        least = (size_t)place + 1;
        if (mpq_sgn(x) != 0) status = f2l_qvec_push(out, (uint32_t)place, x, r->err);
    }
    mpq_clear(x);
    return status;
}

static f2l_status read_head_factor(f2l_factor *f, const reader *r, const parts *p,
                                   const f2l_head *head, size_t row, const char *prefix)
{
    f2l_status status = set_number(f->beta, r, &p->beta, row, prefix);
    if (status == F2L_OK)
        status = read_head_vector(&f->u, r, &p->key, &p->key_index, row * p->key.dim[2],
                                  p->key.dim[2], head->n, prefix);
    if (status == F2L_OK && p->value.present)
        status = read_head_vector(&f->c, r, &p->value, &p->value_index, row * p->value.dim[2],
                                  p->value.dim[2], head->d, prefix);
    return status;
}

static f2l_status read_head_letter(f2l_head *head, const reader *r, const parts *p, size_t x,
                                   const char *prefix)
{
    f2l_transition *t = &head->letter[x];
    const size_t state = head->n * head->d;
    f2l_status status = f2l_transition_set_factors(t, p->factors, r->err);
    if (status == F2L_OK && p->gate.present) status = set_number(t->gate, r, &p->gate, x, prefix);
    for (size_t f = 0; f < p->factors && status == F2L_OK; f++)
        status = read_head_factor(&t->factor[f], r, p, head, x * p->factors + f, prefix);
    if (status == F2L_OK && p->bias.present) {
        const size_t count = p->bias_index.present ? p->bias.dim[1] : state;
        status = read_head_vector(&t->bias, r, &p->bias, &p->bias_index, x * count, count, state,
                                  prefix);
    }
    return status;
}

static f2l_status read_head_tensors(f2l_head *head, const reader *r, const parts *p,
                                    const char *prefix)
{
    static const tensor dense = {0};
    f2l_status status = F2L_OK;
    head->raw = true;
    for (size_t x = 0; x < p->letters && status == F2L_OK; x++)
        status = read_head_letter(head, r, p, x, prefix);
    if (status == F2L_OK && p->initial.present)
        status = read_head_vector(&head->initial, r, &p->initial, &dense, 0, p->initial.count,
                                  p->initial.count, prefix);
    return status;
}

static void spell_head_prefix(char prefix[64], size_t layer, size_t head)
{
    snprintf(prefix, 64, "layers.%zu.heads.%zu", layer, head);
}

static bool has_head(const reader *r, size_t layer, size_t head)
{
    char prefix[64], name[80];
    spell_head_prefix(prefix, layer, head);
    snprintf(name, sizeof name, "%s.beta", prefix);
    return json_object_get(r->file.header, name) != NULL;
}

static f2l_status read_weights_layer(f2l_net *out, const reader *r, size_t l)
{
    size_t heads = 0;
    char prefix[64];
    f2l_status status = F2L_OK;
    f2l_layer *layer = &out->layer[l];
    while (has_head(r, l, heads)) heads++;
    for (size_t h = 0; h < heads && status == F2L_OK; h++) {
        parts p = {0};
        f2l_head size = {0};
        spell_head_prefix(prefix, l, h);
        status = find_head_parts(&p, r, prefix);
        if (status == F2L_OK) status = read_head_dimensions(&size, &p, r, prefix);
        if (status == F2L_OK && h == 0)
            status = f2l_layer_set_heads(layer, p.letters, heads, r->err);
        if (status == F2L_OK && p.letters != layer->letters)
            status = refuse_weights(
                r, "%s: its letters are not the letters of the layer's first head", prefix);
        if (status != F2L_OK) break;
        layer->head[h].n = size.n;
        layer->head[h].d = size.d;
        status = read_head_tensors(&layer->head[h], r, &p, prefix);
    }
    return status;
}

static f2l_status read_letter_names(f2l_net *out, const reader *r, const json_t *metadata)
{
    const char *text = json_string_value(json_object_get(metadata, "letters"));
    if (!text) return F2L_OK;
    json_t *names = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    bool fits = json_is_array(names) && json_array_size(names) == out->layer[0].letters;
    f2l_status status = F2L_OK;
    for (size_t i = 0; fits && status == F2L_OK && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        size_t index = 0;
        if (name) status = f2l_names_add(&out->letters, name, strlen(name), &index, r->err);
        fits = name != NULL && (status != F2L_OK || index == i);
    }
    json_decref(names);
    return fits
               ? status
               : refuse_weights(r, "the metadata's letters are not the letters of the first layer");
}

static f2l_status read_weights_net(f2l_net *out, const reader *r)
{
    const json_t *metadata = json_object_get(r->file.header, "__metadata__");
    size_t layers = 0;
    if (json_object_get(metadata, "kind"))
        return f2l_fail(r->err, F2L_EDOMAIN,
                        "weights of a wired network: its network.lrnn says more");
    while (has_head(r, layers, 0)) layers++;
    if (layers == 0) return refuse_weights(r, "there is no tensor layers.0.heads.0.beta");
    f2l_status status = f2l_net_set_layers(out, layers, r->err);
    for (size_t l = 0; l < layers && status == F2L_OK; l++) status = read_weights_layer(out, r, l);
    return status == F2L_OK ? read_letter_names(out, r, metadata) : status;
}

f2l_status f2l_safetensors_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    reader r = {.err = err};
    f2l_status status = f2l_safetensors_open(&r.file, bytes, size, err);
    if (status == F2L_OK) status = read_weights_net(out, &r);
    f2l_safetensors_close(&r.file);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}

f2l_status f2l_safetensors_has_tables(bool *tables, const char *bytes, size_t size, f2l_error *err)
{
    f2l_safetensors_file file;
    *tables = false;
    const f2l_status status = f2l_safetensors_open(&file, bytes, size, err);
    if (status != F2L_OK) return status;
    const char *kind =
        json_string_value(json_object_get(json_object_get(file.header, "__metadata__"), "kind"));
    *tables = json_object_get(file.header, "layers.0.heads.0.beta") != NULL ||
              (kind != NULL && strcmp(kind, "sequence-model") != 0);
    f2l_safetensors_close(&file);
    return status;
}
