#include "f2l_weights.h"
#include "f2l_format.h"
#include "f2l_mem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DENSE_BYTES ((size_t)64 << 20)
#define TENSORS_PER_HEAD 7

typedef struct dtype {
    const char *name, *format;
    size_t bytes;
} dtype;

static const dtype dtypes[] = {
    {"BF16", "bf16", 2}, {"F16", "fp16", 2}, {"F32", "fp32", 4}, {"F64", "fp64", 8}};
#define DTYPES (sizeof dtypes / sizeof *dtypes)

typedef enum part { BETA, KEY, VALUE, INITIAL, GATE, KEY_INDEX, KEY_VALUE, VALUE_INDEX, VALUE_VALUE } part;

static const char *const part_names[] = {"beta",      "key",       "value",       "initial",    "gate",
                                         "key_index", "key_value", "value_index", "value_value"};

typedef struct tensor {
    size_t layer, head;
    part part;
    size_t dims, dim[3];
    size_t element;      /* bytes of one number */
    size_t begin, bytes; /* in the data */
    char name[80];
} tensor;

typedef struct writer {
    const f2l_net *net;
    const dtype *dtype;
    const f2l_format *format;
    bool exact, sparse;
    bool overflow; /* some weight is too large for the type */
    tensor *tensor;
    size_t tensors, data_bytes;
    unsigned char *data;
} writer;

/* Marks in `holds` the types that do not hold x. Most numbers are small dyadics, decided without MPFR. */
static void restrict_types(bool holds[DTYPES], const mpq_t x)
{
    mpz_srcptr numerator = mpq_numref(x), denominator = mpq_denref(x);
    size_t shift = mpz_scan1(denominator, 0);
    bool dyadic = mpz_sizeinbase(denominator, 2) == shift + 1;
    bool is_double = dyadic && shift < 900 && mpz_sizeinbase(numerator, 2) <= 53;
    double value = is_double ? ldexp(mpz_get_d(numerator), -(int)shift) : 0;
    for (size_t t = 0; t < DTYPES; t++) {
        const f2l_format *format = f2l_format_find(dtypes[t].format);
        if (!holds[t] || (is_double && f2l_format_round(format, value) == value)) continue;
        holds[t] = dyadic && !is_double && f2l_format_holds(format, x);
    }
}

/* x / sqrt(norm2): no type holds it unless the root is rational. */
static void restrict_types_over_sqrt(bool holds[DTYPES], const f2l_qvec *x, const mpq_t norm2)
{
    if (x->count == 0) return;
    if (!mpz_perfect_square_p(mpq_numref(norm2)) || !mpz_perfect_square_p(mpq_denref(norm2))) {
        memset(holds, 0, DTYPES * sizeof *holds);
        return;
    }
    mpq_t root, quotient;
    mpq_inits(root, quotient, (mpq_ptr)NULL);
    mpz_sqrt(mpq_numref(root), mpq_numref(norm2));
    mpz_sqrt(mpq_denref(root), mpq_denref(norm2));
    for (size_t i = 0; i < x->count; i++) {
        mpq_div(quotient, x->value[i], root);
        restrict_types(holds, quotient);
    }
    mpq_clears(root, quotient, (mpq_ptr)NULL);
}

static void restrict_types_of_head(bool holds[DTYPES], const f2l_head *head, size_t letters)
{
    mpq_t norm2;
    mpq_init(norm2);
    for (size_t i = 0; i < head->initial.count; i++) restrict_types(holds, head->initial.value[i]);
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        restrict_types(holds, transition->gate);
        for (size_t i = 0; i < transition->factors; i++) {
            const f2l_factor *factor = &transition->factor[i];
            restrict_types(holds, factor->beta);
            f2l_qvec_norm2(norm2, &factor->u);
            restrict_types_over_sqrt(holds, &factor->u, norm2);
            restrict_types_over_sqrt(holds, &factor->c, norm2);
        }
    }
    mpq_clear(norm2);
}

static void choose_type(writer *w)
{
    bool holds[DTYPES];
    for (size_t t = 0; t < DTYPES; t++) holds[t] = true;
    for (size_t l = 0; l < w->net->layers; l++) {
        const f2l_layer *layer = &w->net->layer[l];
        for (size_t h = 0; h < layer->heads; h++)
            restrict_types_of_head(holds, &layer->head[h], layer->letters);
    }
    size_t chosen = 0;
    while (chosen + 1 < DTYPES && !holds[chosen]) chosen++;
    w->exact = holds[chosen];
    w->dtype = &dtypes[chosen];
    w->format = f2l_format_find(w->dtype->format);
}

typedef struct head_size {
    size_t factors, keys, values; /* most factors of a letter; most entries of a key and of a value */
    bool gated;
} head_size;

static head_size measure(const f2l_head *head, size_t letters)
{
    head_size size = {0};
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        if (mpq_cmp_ui(transition->gate, 1, 1) != 0) size.gated = true;
        if (transition->factors > size.factors) size.factors = transition->factors;
        for (size_t i = 0; i < transition->factors; i++) {
            if (transition->factor[i].u.count > size.keys) size.keys = transition->factor[i].u.count;
            if (transition->factor[i].c.count > size.values) size.values = transition->factor[i].c.count;
        }
    }
    return size;
}

/* Adds a tensor of dim[dims]; false when its bytes overflow. */
static bool add_tensor(writer *w, size_t layer, size_t head, part kind, size_t dims, const size_t *dim)
{
    tensor *t = &w->tensor[w->tensors++];
    *t = (tensor){.layer = layer, .head = head, .part = kind, .dims = dims, .element = w->dtype->bytes};
    if (kind == KEY_INDEX || kind == VALUE_INDEX) t->element = sizeof(int32_t);
    t->bytes = t->element;
    for (size_t i = 0; i < dims; i++) {
        t->dim[i] = dim[i];
        if (!f2l_mul_size(&t->bytes, t->bytes, dim[i])) return false;
    }
    snprintf(t->name, sizeof t->name, "layers.%zu.heads.%zu.%s", layer, head, part_names[kind]);
    return f2l_add_size(&w->data_bytes, w->data_bytes, t->bytes);
}

static bool lay_out_head(writer *w, size_t l, size_t h)
{
    const f2l_head *head = &w->net->layer[l].head[h];
    const size_t letters = w->net->layer[l].letters;
    const head_size size = measure(head, letters);
    const size_t beta[] = {letters, size.factors}, initial[] = {head->n, head->d}, gate[] = {letters};
    const size_t key[] = {letters, size.factors, w->sparse ? size.keys : head->n};
    const size_t value[] = {letters, size.factors, w->sparse ? size.values : head->d};
    bool fits = add_tensor(w, l, h, BETA, 2, beta) && add_tensor(w, l, h, INITIAL, 2, initial);
    if (size.gated) fits = fits && add_tensor(w, l, h, GATE, 1, gate);
    if (!w->sparse) return fits && add_tensor(w, l, h, KEY, 3, key) && add_tensor(w, l, h, VALUE, 3, value);
    return fits && add_tensor(w, l, h, KEY_INDEX, 3, key) && add_tensor(w, l, h, KEY_VALUE, 3, key) &&
           add_tensor(w, l, h, VALUE_INDEX, 3, value) && add_tensor(w, l, h, VALUE_VALUE, 3, value);
}

static bool lay_out(writer *w, bool sparse)
{
    bool fits = true;
    w->sparse = sparse;
    w->tensors = w->data_bytes = 0;
    for (size_t l = 0; l < w->net->layers; l++) {
        for (size_t h = 0; h < w->net->layer[l].heads; h++) fits = fits && lay_out_head(w, l, h);
    }
    return fits;
}

static int by_element_and_name(const void *a, const void *b)
{
    const tensor *x = a, *y = b;
    if (x->element != y->element) return x->element > y->element ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tensor *)a)->name, ((const tensor *)b)->name);
}

/* Chooses the layout and gives every tensor its place. */
static f2l_status place_tensors(writer *w, f2l_error *err)
{
    size_t heads = 0;
    for (size_t l = 0; l < w->net->layers; l++) heads += w->net->layer[l].heads;
    w->tensor = f2l_calloc(heads, TENSORS_PER_HEAD * sizeof *w->tensor);
    if (w->tensor == NULL) return f2l_fail_memory(err);
    if ((!lay_out(w, false) || w->data_bytes > MAX_DENSE_BYTES) && !lay_out(w, true))
        return f2l_fail_memory(err);
    qsort(w->tensor, w->tensors, sizeof *w->tensor, by_element_and_name);
    size_t at = 0;
    for (size_t i = 0; i < w->tensors; i++) {
        w->tensor[i].begin = at;
        at += w->tensor[i].bytes;
    }
    qsort(w->tensor, w->tensors, sizeof *w->tensor, by_name);
    w->data = f2l_calloc(w->data_bytes, 1);
    return w->data == NULL ? f2l_fail_memory(err) : F2L_OK;
}

/* The bits of a binary16 value, subnormals included. */
static uint64_t half_bits(double x)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
    uint64_t sign = x < 0 ? 0x8000 : 0;
    if (x == 0) return 0;
    if (exponent < -13) return sign | (uint64_t)ldexp(fabs(x), 24);
    return sign | (uint64_t)(exponent + 14) << 10 | ((uint64_t)ldexp(fraction, 11) & 0x3ff);
}

static void put_bits(unsigned char *to, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)(bits >> (8 * i));
}

/* A number of the chosen type; x is a value of it. */
static void put_number(writer *w, const tensor *t, size_t position, double x)
{
    uint64_t bits;
    if (!isfinite(x)) w->overflow = true;
    if (w->dtype->bytes == 8) {
        memcpy(&bits, &x, sizeof bits);
    } else if (strcmp(w->dtype->name, "F16") == 0) {
        bits = half_bits(x);
    } else {
        float single = (float)x;
        uint32_t single_bits;
        memcpy(&single_bits, &single, sizeof single_bits);
        bits = w->dtype->bytes == 4 ? single_bits : single_bits >> 16;
    }
    put_bits(w->data + t->begin + position * t->element, bits, t->element);
}

/* One row of a key or value tensor of any layout: the entries of v over |u|. */
static void put_vector(writer *w, const tensor *t, size_t row, const f2l_qvec *v, const mpq_t norm2)
{
    const bool index = t->part == KEY_INDEX || t->part == VALUE_INDEX;
    const bool dense = t->part == KEY || t->part == VALUE;
    for (size_t i = 0; i < v->count; i++) {
        size_t position = row * t->dim[2] + (dense ? v->index[i] : i);
        if (index)
            put_bits(w->data + t->begin + position * t->element, v->index[i], t->element);
        else
            put_number(w, t, position, f2l_format_round_over_sqrt(w->format, v->value[i], norm2));
    }
}

static void put_factors(writer *w, const tensor *t, const f2l_head *head)
{
    mpq_t norm2;
    mpq_init(norm2);
    if (t->part == KEY_INDEX || t->part == VALUE_INDEX)
        memset(w->data + t->begin, 0xff, t->bytes); /* -1: padding */
    for (size_t x = 0; x < t->dim[0]; x++) {
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            const f2l_factor *factor = &head->letter[x].factor[i];
            const size_t row = x * t->dim[1] + i;
            if (t->part == BETA) {
                put_number(w, t, row, f2l_format_round_q(w->format, factor->beta));
                continue;
            }
            const bool key = t->part == KEY || t->part == KEY_INDEX || t->part == KEY_VALUE;
            f2l_qvec_norm2(norm2, &factor->u);
            put_vector(w, t, row, key ? &factor->u : &factor->c, norm2);
        }
    }
    mpq_clear(norm2);
}

static void put_tensor(writer *w, const tensor *t)
{
    const f2l_head *head = &w->net->layer[t->layer].head[t->head];
    if (t->part == INITIAL) {
        for (size_t i = 0; i < head->initial.count; i++)
            put_number(w, t, head->initial.index[i], f2l_format_round_q(w->format, head->initial.value[i]));
    } else if (t->part == GATE) {
        for (size_t x = 0; x < t->dim[0]; x++)
            put_number(w, t, x, f2l_format_round_q(w->format, head->letter[x].gate));
    } else {
        put_factors(w, t, head);
    }
}

/* A JSON string of UTF-8 text. */
static void json_string(f2l_buf *out, const char *text)
{
    f2l_buf_text(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') f2l_buf_text(out, "\\");
        if (c < 0x20)
            f2l_buf_printf(out, "\\u%04x", c);
        else
            f2l_buf_bytes(out, text, 1);
    }
    f2l_buf_text(out, "\"");
}

/* "key":"[\"a\",\"b\"]": a JSON array inside a JSON string. */
static void json_names(f2l_buf *out, const char *key, const f2l_names *names)
{
    f2l_buf array;
    f2l_buf_init(&array);
    f2l_buf_text(&array, "[");
    for (size_t i = 0; i < names->count; i++) {
        if (i > 0) f2l_buf_text(&array, ",");
        json_string(&array, f2l_names_get(names, i));
    }
    f2l_buf_text(&array, "]");
    f2l_buf_printf(out, ",\"%s\":", key);
    if (array.failed)
        out->failed = true;
    else
        json_string(out, array.data);
    f2l_buf_clear(&array);
}

static void write_header(f2l_buf *out, const writer *w, const f2l_fsa *fsa)
{
    f2l_buf_printf(out, "{\"__metadata__\":{\"format\":\"%s\",\"fsa_sha256\":\"%s\",\"label\":\"%s\"",
                   w->dtype->format, w->net->fsa_sha256, f2l_label_name(w->net->label));
    json_names(out, "letters", &fsa->letters);
    f2l_buf_printf(out, ",\"rounding\":\"%s\",\"schema\":\"1\"", w->exact ? "exact" : "f64");
    json_names(out, "states", &fsa->states);
    f2l_buf_text(out, ",\"tool\":\"fsa2lrnn\"}");
    for (size_t i = 0; i < w->tensors; i++) {
        const tensor *t = &w->tensor[i];
        const bool index = t->part == KEY_INDEX || t->part == VALUE_INDEX;
        f2l_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, index ? "I32" : w->dtype->name);
        for (size_t d = 0; d < t->dims; d++) f2l_buf_printf(out, d > 0 ? ",%zu" : "%zu", t->dim[d]);
        f2l_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", t->begin, t->begin + t->bytes);
    }
    f2l_buf_text(out, "}");
    while (!out->failed && out->size % 8 != 0) f2l_buf_text(out, " ");
}

static f2l_status write_file(f2l_buf *out, writer *w, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_buf header;
    unsigned char length[8];
    f2l_buf_init(&header);
    write_header(&header, w, fsa);
    put_bits(length, header.size, sizeof length);
    f2l_buf_bytes(out, length, sizeof length);
    f2l_buf_bytes(out, header.data, header.size);
    if (header.failed) out->failed = true;
    for (size_t i = 0; i < w->tensors; i++) put_tensor(w, &w->tensor[i]);
    f2l_buf_bytes(out, w->data, w->data_bytes);
    f2l_buf_clear(&header);
    if (w->overflow) return f2l_fail(err, F2L_EDOMAIN, "a weight is too large for binary64");
    return f2l_buf_status(out, err);
}

static bool same_names(const f2l_names *a, const f2l_names *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(f2l_names_get(a, i), f2l_names_get(b, i)) == 0;
    return same;
}

f2l_status f2l_weights_write(f2l_buf *out, f2l_weights_report *report, const f2l_net *net, const f2l_fsa *fsa,
                             f2l_error *err)
{
    *report = (f2l_weights_report){0};
    f2l_status status = f2l_net_validate(net, err);
    if (status != F2L_OK) return status;
    if (!same_names(&net->letters, &fsa->letters))
        return f2l_fail(err, F2L_EDOMAIN, "the network's letters are not those of the automaton");
    writer w = {.net = net};
    choose_type(&w);
    status = place_tensors(&w, err);
    const size_t before = out->size;
    if (status == F2L_OK) status = write_file(out, &w, fsa, err);
    if (status == F2L_OK) {
        *report = (f2l_weights_report){.exact = w.exact, .sparse = w.sparse, .bytes = out->size - before};
        snprintf(report->dtype, sizeof report->dtype, "%s", w.dtype->name);
    }
    f2l_free(w.tensor);
    f2l_free(w.data);
    return status;
}
