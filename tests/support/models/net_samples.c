#include "tests/support/models/net_samples.h"

void sample_read(f2l_net *net, const char *text)
{
    f2l_error err = {0};
    f2l_net_init(net);
    f2l_status status = f2l_net_read(net, text, strlen(text), &err);
    cr_assert(status == F2L_OK, "%zu:%zu: %s", err.line, err.column, err.text);
}

char *sample_edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    cr_assert(at != NULL, "the sample has no %s", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    size_t before = (size_t)(at - text);
    memcpy(out, text, before);
    strcpy(out + before, to);
    strcat(out, at + strlen(from));
    return out;
}

void sample_push(f2l_qvec *v, uint32_t index, long numerator, unsigned long denominator)
{
    cr_assert(f2l_qvec_push_si(v, index, numerator, denominator, NULL) == F2L_OK);
}

void sample_name(f2l_names *names, const char *name)
{
    size_t index;
    cr_assert(f2l_names_add(names, name, strlen(name), &index, NULL) == F2L_OK);
}

size_t sample_s3_times(size_t a, size_t b)
{
    for (size_t c = 0; c < 6; c++) {
        bool equal = true;
        for (size_t i = 0; i < 3; i++)
            equal = equal && sample_s3[c][i] == sample_s3[b][sample_s3[a][i]];
        if (equal) return c;
    }
    return 6;
}

const long *sample_s3_root(size_t transposition)
{
    static const long root[3][4] = {{2, 0, 0, 0}, {-1, 1, 1, 1}, {1, 1, 1, 1}};
    cr_assert(transposition >= 3 && transposition < 6);
    return root[transposition - 3];
}

void sample_s3_image(long twice[4], size_t element)
{
    /* Twice (1, 1, 1, 1), which no reflection of the group fixes, moved by the transpositions of
     * the element. */
    static const size_t factors[6][2] = {{6, 6}, {4, 3}, {3, 4}, {3, 6}, {4, 6}, {5, 6}};
    size_t product = 0;
    for (size_t i = 0; i < 4; i++) twice[i] = 2;
    for (size_t k = 0; k < 2 && factors[element][k] < 6; k++) {
        const long *u = sample_s3_root(factors[element][k]);
        long dot = 0;
        for (size_t i = 0; i < 4; i++) dot += u[i] * twice[i];
        for (size_t i = 0; i < 4; i++) twice[i] -= dot * u[i] / 2;
        product = sample_s3_times(product, factors[element][k]);
    }
    cr_assert(product == element);
}

size_t sample_s3_operator(size_t w, size_t after)
{
    size_t before = w < 3 ? 1 - after : after, g = before == 1 ? sample_s3_times(3, w) : w;
    return after == 1 ? sample_s3_times(g, 3) : g;
}

void sample_s3_layers(f2l_net *net)
{
    char name[8];
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    for (size_t w = 0; w < 6; w++) {
        snprintf(name, sizeof name, "g%zu", w);
        sample_name(&net->letters, name);
        sample_name(&net->labels, name);
    }
    cr_assert(f2l_net_set_layers(net, 2, NULL) == F2L_OK);
    f2l_layer *parity = &net->layer[0], *group = &net->layer[1];
    cr_assert(f2l_layer_set_heads(parity, 6, 1, NULL) == F2L_OK);
    cr_assert(f2l_layer_set_heads(group, 12, 1, NULL) == F2L_OK);
    parity->head[0].n = parity->head[0].d = 1;
    sample_push(&parity->head[0].initial, 0, 1, 1);
    for (size_t w = 0; w < 3; w++) {
        f2l_transition *rotation = &parity->head[0].letter[w];
        cr_assert(f2l_transition_set_factors(rotation, 1, NULL) == F2L_OK);
        mpq_set_ui(rotation->factor[0].beta, 2, 1);
        sample_push(&rotation->factor[0].u, 0, 1, 1);
    }
    cr_assert(f2l_layer_set_codes(parity, 2, 12, true, NULL) == F2L_OK);
    sample_push(&parity->code[0], 0, 1, 1);
    sample_push(&parity->code[1], 0, -1, 1);
    for (size_t i = 0; i < 12; i++) parity->symbol[i] = (uint32_t)i; /* letter * 2 + parity */
    group->head[0].n = 4;
    group->head[0].d = 1;
    for (size_t x = 0; x < 12; x++) {
        f2l_transition *letter = &group->head[0].letter[x];
        const long *u = sample_s3_root(sample_s3_operator(x / 2, x % 2));
        cr_assert(f2l_transition_set_factors(letter, 1, NULL) == F2L_OK);
        mpq_set_ui(letter->factor[0].beta, 2, 1);
        for (uint32_t i = 0; i < 4; i++) sample_push(&letter->factor[0].u, i, u[i], 2);
    }
    cr_assert(f2l_layer_set_codes(group, 6, 6, true, NULL) == F2L_OK);
    for (size_t g = 0; g < 6; g++) {
        long twice[4];
        sample_s3_image(twice, g);
        for (uint32_t i = 0; i < 4; i++) {
            sample_push(&group->code[g], i, twice[i], 2);
            if (g == 0) sample_push(&group->head[0].initial, i, twice[i], 2);
        }
        for (size_t x = 0; x < 12; x++) /* the code is F^p times the group element */
            group->symbol[x * 6 + g] = (uint32_t)(x % 2 == 1 ? sample_s3_times(g, 3) : g);
    }
}

void sample_number(mpq_t out, f2l_rng *rng, const sample_shape *shape)
{
    unsigned long numerator = f2l_rng_below(rng, shape->numerator) + 1;
    unsigned long denominator =
        shape->dyadic ? 1ul << f2l_rng_below(rng, 3) : f2l_rng_below(rng, shape->numerator) + 1;
    mpq_set_ui(out, numerator, denominator);
    mpq_canonicalize(out);
    if (f2l_rng_below(rng, 2)) mpq_neg(out, out);
}

void sample_vector(f2l_qvec *v, f2l_rng *rng, size_t size, size_t least, const sample_shape *shape)
{
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i < size; i++) {
        if (size - i > least - (least < v->count ? least : v->count) && f2l_rng_below(rng, 2))
            continue;
        sample_number(value, rng, shape);
        cr_assert(f2l_qvec_push(v, (uint32_t)i, value, NULL) == F2L_OK);
    }
    mpq_clear(value);
}

void sample_dyadic_key(f2l_qvec *u, f2l_rng *rng, size_t n)
{
    if (n < 4 || f2l_rng_below(rng, 2)) {
        sample_push(u, (uint32_t)f2l_rng_below(rng, n), f2l_rng_below(rng, 2) ? 1 : -2, 1);
        return;
    }
    size_t from = f2l_rng_below(rng, n - 3);
    for (size_t i = 0; i < 4; i++)
        sample_push(u, (uint32_t)(from + i), f2l_rng_below(rng, 2) ? 1 : -1, 2);
}

void sample_head(f2l_head *head, f2l_rng *rng, size_t letters, const sample_shape *shape)
{
    head->n = f2l_rng_below(rng, shape->n) + 1;
    head->d = f2l_rng_below(rng, shape->d) + 1;
    sample_vector(&head->initial, rng, head->n * head->d, 0, shape);
    for (size_t x = 0; x < letters; x++) {
        f2l_transition *letter = &head->letter[x];
        mpq_set_ui(letter->gate, f2l_rng_below(rng, 3), 2); /* 0, 1/2, 1 */
        mpq_canonicalize(letter->gate);
        if (f2l_rng_below(rng, 2)) mpq_set_ui(letter->gate, 1, 1);
        cr_assert(f2l_transition_set_factors(letter, f2l_rng_below(rng, shape->factors + 1),
                                             NULL) == F2L_OK);
        for (size_t i = 0; i < letter->factors; i++) {
            f2l_factor *factor = &letter->factor[i];
            unsigned long parts = shape->dyadic ? 4 : 7;
            mpq_set_ui(factor->beta, f2l_rng_below(rng, 2 * parts + 1), parts);
            mpq_canonicalize(factor->beta);
            if (shape->dyadic)
                sample_dyadic_key(&factor->u, rng, head->n);
            else
                sample_vector(&factor->u, rng, head->n, 1, shape);
            if (f2l_rng_below(rng, 2)) sample_vector(&factor->c, rng, head->d, 0, shape);
        }
    }
}

void sample_make_raw(f2l_net *net, f2l_rng *rng, const sample_shape *shape)
{
    mpq_t norm2;
    mpq_init(norm2);
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            f2l_head *head = &net->layer[l].head[h];
            head->raw = f2l_rng_below(rng, 2) == 1;
            for (size_t x = 0; x < net->layer[l].letters; x++) {
                f2l_transition *letter = &head->letter[x];
                for (size_t i = 0; head->raw && i < letter->factors; i++) {
                    f2l_qvec_norm2(norm2, &letter->factor[i].u);
                    if (mpq_cmp_ui(norm2, 1, 1) > 0)
                        mpq_div(letter->factor[i].beta, letter->factor[i].beta, norm2);
                }
                if (f2l_rng_below(rng, 2))
                    sample_vector(&letter->bias, rng, head->n * head->d, 0, shape);
            }
        }
    }
    mpq_clear(norm2);
}

void sample_decoder(f2l_layer *layer, f2l_rng *rng, size_t codes, size_t symbols,
                    const sample_shape *shape)
{
    bool by_letter = f2l_rng_below(rng, 2) == 1;
    cr_assert(f2l_layer_set_codes(layer, codes, symbols, by_letter, NULL) == F2L_OK);
    for (size_t c = 0; c < codes; c++) {
        for (size_t h = 0; h < layer->heads; h++) {
            const f2l_head *head = &layer->head[h];
            sample_vector(&layer->code[c * layer->heads + h], rng, head->n * head->d, 0, shape);
        }
        /* the first entry of the first head tells the codes apart */
        f2l_qvec *first = &layer->code[c * layer->heads];
        f2l_qvec rest = *first;
        f2l_qvec_init(first);
        sample_push(first, 0, 128 + (long)c, 1); /* in bf16 up to 128 codes */
        for (size_t i = 0; i < rest.count; i++) {
            if (rest.index[i] > 0)
                cr_assert(f2l_qvec_push(first, rest.index[i], rest.value[i], NULL) == F2L_OK);
        }
        f2l_qvec_clear(&rest);
    }
    for (size_t i = 0; i < codes * (by_letter ? layer->letters : 1); i++)
        layer->symbol[i] =
            f2l_rng_below(rng, 5) ? (uint32_t)f2l_rng_below(rng, symbols) : F2L_NO_SYMBOL;
}

void sample_parts(f2l_layer *layer, f2l_rng *rng)
{
    size_t parts = f2l_rng_below(rng, 3) + 1, values[3];
    uint32_t reads[10];
    cr_assert(!layer->by_letter && layer->letters <= 10);
    for (size_t p = 0; p < parts; p++) values[p] = f2l_rng_below(rng, 4) + 1;
    for (size_t x = 0; x < layer->letters; x++) reads[x] = (uint32_t)f2l_rng_below(rng, parts);
    cr_assert(f2l_layer_set_parts(layer, parts, values, reads, NULL) == F2L_OK);
    for (size_t i = 0; i < layer->codes * parts; i++)
        layer->part[i] = (uint32_t)f2l_rng_below(rng, values[i % parts]);
    for (size_t i = 0; i < layer->symbol_at[layer->letters]; i++)
        layer->symbol[i] =
            f2l_rng_below(rng, 5) ? (uint32_t)f2l_rng_below(rng, layer->symbols) : F2L_NO_SYMBOL;
}

void sample_random(f2l_net *net, f2l_rng *rng, const sample_shape *shape)
{
    static const char *const names[] = {"a",  "B b", "\xc3\xa9", "eps",        "#",
                                        "\"", "x1",  "-",        "line\nfeed", "\xef\xbb\xbf-mark"};
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    net->label = (f2l_label)f2l_rng_below(rng, 3);
    size_t letters = f2l_rng_below(rng, shape->letters) + 1,
           labels = f2l_rng_below(rng, shape->letters) + 1;
    cr_assert(letters <= 10 && labels <= 10);
    for (size_t i = 0; i < letters; i++) sample_name(&net->letters, names[i]);
    for (size_t i = 0; i < labels; i++) sample_name(&net->labels, names[9 - i]);
    net->start = f2l_rng_below(rng, labels);
    cr_assert(f2l_net_set_layers(net, f2l_rng_below(rng, shape->layers) + 1, NULL) == F2L_OK);
    for (size_t l = 0; l < net->layers; l++) {
        f2l_layer *layer = &net->layer[l];
        size_t symbols = l + 1 < net->layers ? f2l_rng_below(rng, shape->letters) + 1 : labels;
        size_t heads = f2l_rng_below(rng, shape->heads) + 1;
        cr_assert(f2l_layer_set_heads(layer, letters, heads, NULL) == F2L_OK);
        for (size_t h = 0; h < heads; h++) sample_head(&layer->head[h], rng, letters, shape);
        sample_decoder(layer, rng, f2l_rng_below(rng, shape->codes) + 1, symbols, shape);
        letters = symbols;
    }
}
