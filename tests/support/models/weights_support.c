#include "tests/support/models/weights_support.h"

weights written(const f2l_net *net)
{
    return written_as(net, F2L_WEIGHTS_AUTO);
}

weights written_as(const f2l_net *net, f2l_weights_dtype dtype)
{
    weights w = {0};
    f2l_error err = {0};
    f2l_fsa fsa;
    automaton_with(&fsa, &net->letters);
    f2l_buf_init(&w.bytes);
    const f2l_status status = f2l_weights_write(&w.bytes, &w.report, net, &fsa, dtype, &err);
    cr_assert(status == F2L_OK, "%s", err.text);
    weights_parse(&w);
    f2l_fsa_clear(&fsa);
    return w;
}

const char *metadata(const weights *w, const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(w->header, "__metadata__"), key));
    cr_assert(text != NULL, "%s", key);
    return text;
}

double number(const weights *w, json_t *tensor, size_t at)
{
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    size_t size = element_size(dtype),
           begin = json_integer_value(json_array_get(json_object_get(tensor, "data_offsets"), 0));
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits |= (uint64_t)w->data[begin + at * size + i] << 8 * i;
    if (strcmp(dtype, "I32") == 0) return (double)(int32_t)(uint32_t)bits;
    int fraction = strcmp(dtype, "F64") == 0    ? 52
                   : strcmp(dtype, "F32") == 0  ? 23
                   : strcmp(dtype, "BF16") == 0 ? 7
                                                : 10;
    int exponents = (int)size * 8 - 1 - fraction, bias = (1 << (exponents - 1)) - 1;
    int exponent = (int)(bits >> fraction & ((1u << exponents) - 1));
    double significand = (double)(bits & ((UINT64_C(1) << fraction) - 1));
    if (exponent > 0) significand += ldexp(1, fraction);
    double value = ldexp(significand, (exponent > 0 ? exponent : 1) - bias - fraction);
    return bits >> (size * 8 - 1) ? -value : value;
}

static json_t *table_of(const weights *w, size_t layer, const char *part)
{
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.%s", layer, part);
    return json_object_get(w->header, name);
}

json_t *tensor_of(const weights *w, size_t layer, size_t head, const char *part)
{
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.heads.%zu.%s", layer, head, part);
    return json_object_get(w->header, name);
}

size_t dim(json_t *tensor, size_t i)
{
    return (size_t)json_integer_value(json_array_get(json_object_get(tensor, "shape"), i));
}

double nearest_double(const mpq_t x)
{
    mpfr_t a;
    mpfr_init2(a, 53);
    mpfr_set_q(a, x, MPFR_RNDN);
    double out = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clear(a);
    return out;
}

double over_root(const mpq_t x, const mpq_t norm2)
{
    mpfr_t a, b;
    mpfr_inits2(400, a, b, (mpfr_ptr)NULL);
    mpfr_set_q(a, x, MPFR_RNDN);
    mpfr_set_q(b, norm2, MPFR_RNDN);
    mpfr_sqrt(b, b, MPFR_RNDN);
    mpfr_div(a, a, b, MPFR_RNDN);
    double out = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)NULL);
    return out;
}

void expect_row(const weights *w, json_t *tensor, size_t row, const f2l_qvec *v, const mpq_t norm2)
{
    size_t k = 0, n = dim(tensor, 2);
    for (size_t i = 0; i < n; i++) {
        bool stored = v != NULL && k < v->count && v->index[k] == i;
        double expected = stored ? over_root(v->value[k], norm2) : 0;
        cr_assert(number(w, tensor, row * n + i) == expected, "row %zu, number %zu", row, i);
        k += stored;
    }
    cr_assert(v == NULL || k == v->count);
}

void expect_head(const weights *w, const f2l_net *net, size_t l, size_t h)
{
    const f2l_head *head = &net->layer[l].head[h];
    size_t letters = net->layer[l].letters, most = 0;
    json_t *beta = tensor_of(w, l, h, "beta"), *key = tensor_of(w, l, h, "key"),
           *value = tensor_of(w, l, h, "value");
    json_t *initial = tensor_of(w, l, h, "initial"), *gate = tensor_of(w, l, h, "gate");
    json_t *bias = tensor_of(w, l, h, "bias");
    bool gated = false, biased = false;
    for (size_t x = 0; x < letters; x++) {
        if (head->letter[x].factors > most) most = head->letter[x].factors;
        gated = gated || mpq_cmp_ui(head->letter[x].gate, 1, 1) != 0;
        biased = biased || head->letter[x].bias.count > 0;
    }
    cr_assert(dim(beta, 0) == letters && dim(beta, 1) == most && dim(key, 2) == head->n &&
              dim(value, 2) == head->d);
    cr_assert(dim(key, 0) == letters && dim(key, 1) == most && dim(value, 1) == most &&
              dim(initial, 0) == head->n);
    cr_assert((gate != NULL) == gated && dim(initial, 1) == head->d);
    cr_assert((bias != NULL) == biased &&
              (!biased ||
               (dim(bias, 0) == letters && dim(bias, 1) == head->n && dim(bias, 2) == head->d)));
    mpq_t norm2;
    mpq_init(norm2);
    for (size_t x = 0; x < letters; x++) {
        for (size_t i = 0, k = 0; biased && i < head->n * head->d; i++) {
            const f2l_qvec *b = &head->letter[x].bias;
            bool stored = k < b->count && b->index[k] == i;
            cr_assert(number(w, bias, x * head->n * head->d + i) ==
                      (stored ? nearest_double(b->value[k]) : 0));
            k += stored;
        }
        if (gated) cr_assert(number(w, gate, x) == nearest_double(head->letter[x].gate));
        for (size_t i = 0; i < most; i++) {
            const f2l_factor *factor =
                i < head->letter[x].factors ? &head->letter[x].factor[i] : NULL;
            mpq_set_ui(norm2, 1, 1);
            if (factor != NULL && !head->unit && !head->raw) f2l_qvec_norm2(norm2, &factor->u);
            cr_assert(number(w, beta, x * most + i) ==
                      (factor == NULL ? 0 : nearest_double(factor->beta)));
            expect_row(w, key, x * most + i, factor == NULL ? NULL : &factor->u, norm2);
            expect_row(w, value, x * most + i, factor == NULL ? NULL : &factor->c, norm2);
        }
    }
    size_t k = 0;
    for (size_t i = 0; i < head->n * head->d; i++) {
        bool stored = k < head->initial.count && head->initial.index[k] == i;
        cr_assert(number(w, initial, i) == (stored ? nearest_double(head->initial.value[k]) : 0));
        k += stored;
    }
    mpq_clear(norm2);
}

/* Checks the dense tensor of codes, or of one end of their boxes. */
static void expect_codes(const weights *w, json_t *tensor, const f2l_layer *layer, size_t h,
                         const f2l_qvec *code)
{
    const size_t size = layer->head[h].n * layer->head[h].d;
    cr_assert((tensor != NULL) == (code != NULL));
    if (code == NULL) return;
    cr_assert(dim(tensor, 0) == layer->codes && dim(tensor, 1) == layer->head[h].n &&
              dim(tensor, 2) == layer->head[h].d);
    for (size_t c = 0; c < layer->codes; c++) {
        const f2l_qvec *v = &code[c * layer->heads + h];
        for (size_t i = 0, k = 0; i < size; i++) {
            const bool stored = k < v->count && v->index[k] == i;
            cr_assert_eq(number(w, tensor, c * size + i), stored ? nearest_double(v->value[k]) : 0);
            k += stored;
        }
    }
}

void expect_decoder(const weights *w, const f2l_net *net, size_t l)
{
    const f2l_layer *layer = &net->layer[l];
    json_t *part = table_of(w, l, "part"), *reads = table_of(w, l, "reads"),
           *at = table_of(w, l, "yield_at"), *yield = table_of(w, l, "yield");
    for (size_t h = 0; h < layer->heads; h++) {
        expect_codes(w, tensor_of(w, l, h, "codes"), layer, h, layer->code);
        expect_codes(w, tensor_of(w, l, h, "low"), layer, h, layer->low);
        expect_codes(w, tensor_of(w, l, h, "high"), layer, h, layer->high);
    }
    cr_assert(dim(reads, 0) == layer->letters && dim(at, 0) == layer->letters);
    for (size_t x = 0; x < layer->letters; x++)
        for (size_t c = 0; c < layer->codes; c++) {
            const size_t which = (size_t)number(w, reads, x),
                         value = (size_t)number(w, part, c * dim(part, 1) + which),
                         entry = (size_t)number(w, at, x) + value;
            const uint32_t symbol = f2l_layer_symbol(layer, x, c);
            cr_assert(which < dim(part, 1) && entry < dim(yield, 0));
            cr_assert_eq(number(w, yield, entry), symbol == F2L_NO_SYMBOL ? -1 : (double)symbol);
        }
}

void expect_layout(const weights *w)
{
    size_t total = 0;
    const char *key, *last = "";
    json_t *tensor;
    json_object_foreach(w->header, key, tensor)
    {
        cr_assert(strcmp(last, key) < 0, "%s after %s", key, last);
        last = key;
        if (strcmp(key, "__metadata__") == 0) continue;
        size_t begin =
            json_integer_value(json_array_get(json_object_get(tensor, "data_offsets"), 0));
        size_t end = json_integer_value(json_array_get(json_object_get(tensor, "data_offsets"), 1));
        size_t bytes = element_size(json_string_value(json_object_get(tensor, "dtype"))),
               size = bytes;
        for (size_t i = 0; i < json_array_size(json_object_get(tensor, "shape")); i++)
            bytes *= dim(tensor, i);
        cr_assert(end <= w->data_bytes && end - begin == bytes && begin % size == 0, "%s", key);
        total += bytes;
        const char *other;
        json_t *b;
        json_object_foreach(w->header, other, b)
        {
            if (b == tensor || strcmp(other, "__metadata__") == 0) continue;
            size_t from = json_integer_value(json_array_get(json_object_get(b, "data_offsets"), 0));
            cr_assert(
                from >= end || from < begin || (from == begin && bytes == 0) || end == begin ||
                    json_integer_value(json_array_get(json_object_get(b, "data_offsets"), 1)) ==
                        (json_int_t)from,
                "%s overlaps %s", key, other);
        }
    }
    cr_assert(total == w->data_bytes);
}
