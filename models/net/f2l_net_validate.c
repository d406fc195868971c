/* What a network must satisfy to be one: the class declared in f2l_net.h. */
#include "f2l_code_index_impl.h"
#include "f2l_net.h"

static bool short_enough(const mpq_t value)
{
    return mpz_sizeinbase(mpq_numref(value), 10) <= F2L_MAX_DIGITS &&
           mpz_sizeinbase(mpq_denref(value), 10) <= F2L_MAX_DIGITS;
}

static bool between(const mpq_t value, unsigned long most)
{
    return mpq_sgn(value) >= 0 && mpq_cmp_ui(value, most, 1) <= 0 && short_enough(value);
}

/* Indices strictly increasing and below `limit`, entries non-zero. */
static bool well_formed(const f2l_qvec *v, size_t limit)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->index[i] >= limit || (i > 0 && v->index[i] <= v->index[i - 1])) return false;
        if (mpq_sgn(v->value[i]) == 0 || !short_enough(v->value[i])) return false;
    }
    return true;
}

static f2l_status validate_factor(const f2l_head *head, const f2l_factor *factor, const char **what)
{
    *what = NULL;
    if (!between(factor->beta, 2))
        *what = "beta is not a number from 0 to 2";
    else if (factor->u.count == 0)
        *what = "the key is zero";
    else if (!well_formed(&factor->u, head->n))
        *what = "the key is not a vector of the key dimension";
    else if (!well_formed(&factor->c, head->d))
        *what = "the value is not a vector of the value dimension";
    return *what == NULL ? F2L_OK : F2L_EDOMAIN;
}

static f2l_status validate_head(const f2l_layer *layer, size_t l, size_t h, f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    if (head->n == 0 || head->d == 0 || head->n > F2L_MAX_STATE / head->d)
        return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu: a state of %zu x %zu numbers is out of range",
                        l + 1, h + 1, head->n, head->d);
    if (!well_formed(&head->initial, head->n * head->d))
        return f2l_fail(err, F2L_EDOMAIN,
                        "layer %zu, head %zu: the initial state does not fit its dimensions", l + 1, h + 1);
    for (size_t x = 0; x < layer->letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        if (!between(transition->gate, 1))
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu, head %zu, letter %zu: the gate is not a number from 0 to 1", l + 1,
                            h + 1, x + 1);
        for (size_t i = 0; i < transition->factors; i++) {
            const char *what;
            if (validate_factor(head, &transition->factor[i], &what) != F2L_OK)
                return f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu, letter %zu, factor %zu: %s", l + 1,
                                h + 1, x + 1, i + 1, what);
        }
    }
    return F2L_OK;
}

static f2l_status validate_codes(const f2l_layer *layer, size_t l, f2l_error *err)
{
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        const f2l_head *head = &layer->head[i % layer->heads];
        if (!well_formed(&layer->code[i], head->n * head->d))
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu, code %zu: it does not fit the dimensions of head %zu", l + 1,
                            i / layer->heads + 1, i % layer->heads + 1);
    }
    f2l_code_index index;
    f2l_status status = f2l_code_index_build(&index, layer, err);
    if (status != F2L_OK) return status;
    if (index.second != F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EDOMAIN, "layer %zu: codes %zu and %zu are equal", l + 1, index.first + 1,
                          index.second + 1);
    f2l_code_index_clear(&index);
    return status;
}

/* The parts of every code, and a row of symbols for every letter. */
static f2l_status validate_parts(const f2l_layer *layer, size_t l, f2l_error *err)
{
    if (layer->by_letter) return f2l_fail(err, F2L_EDOMAIN, "layer %zu: a step decoder has no parts", l + 1);
    for (size_t p = 0; p < layer->parts; p++) {
        if (layer->part_values[p] == 0 || layer->part_values[p] > F2L_MAX_TABLE)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: part %zu with %zu values is out of range", l + 1,
                            p + 1, layer->part_values[p]);
    }
    for (size_t x = 0, at = 0; x < layer->letters; x++) {
        if (layer->reads[x] >= layer->parts)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, letter %zu: part %zu is not one of %zu", l + 1,
                            x + 1, (size_t)layer->reads[x] + 1, layer->parts);
        size_t values = layer->part_values[layer->reads[x]];
        if (layer->symbol_at[x] != at || layer->symbol_at[x + 1] != at + values ||
            values > F2L_MAX_TABLE - at)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, letter %zu: its row of symbols is out of place",
                            l + 1, x + 1);
        at += values;
        for (size_t i = layer->symbol_at[x]; i < at; i++) {
            if (layer->symbol[i] != F2L_NO_SYMBOL && layer->symbol[i] >= layer->symbols)
                return f2l_fail(err, F2L_EDOMAIN, "layer %zu, letter %zu: symbol %zu is not one of %zu",
                                l + 1, x + 1, (size_t)layer->symbol[i] + 1, layer->symbols);
        }
    }
    for (size_t i = 0; i < layer->codes * layer->parts; i++) {
        if (layer->part[i] >= layer->part_values[i % layer->parts])
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, code %zu: part %zu has no value %zu", l + 1,
                            i / layer->parts + 1, i % layer->parts + 1, (size_t)layer->part[i] + 1);
    }
    return validate_codes(layer, l, err);
}

static f2l_status validate_decoder(const f2l_layer *layer, size_t l, f2l_error *err)
{
    size_t rows = layer->by_letter ? layer->letters : 1;
    if (layer->codes == 0 || layer->codes > F2L_MAX_TABLE / rows)
        return f2l_fail(err, F2L_EDOMAIN, "layer %zu: a decoder of %zu codes is out of range", l + 1,
                        layer->codes);
    if (layer->parts > 0) return validate_parts(layer, l, err);
    for (size_t i = 0; i < rows * layer->codes; i++) {
        if (layer->symbol[i] != F2L_NO_SYMBOL && layer->symbol[i] >= layer->symbols)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu, code %zu: symbol %zu is not one of %zu", l + 1,
                            i % layer->codes + 1, (size_t)layer->symbol[i] + 1, layer->symbols);
    }
    return validate_codes(layer, l, err);
}

f2l_status f2l_net_validate(const f2l_net *net, f2l_error *err)
{
    if (net->layers == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no layers");
    if (net->letters.count == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no letters");
    if (net->start >= net->labels.count)
        return f2l_fail(err, F2L_EDOMAIN, "the label of the empty word is not one of %zu", net->labels.count);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        size_t letters = l == 0 ? net->letters.count : net->layer[l - 1].symbols;
        if (layer->heads == 0) return f2l_fail(err, F2L_EDOMAIN, "layer %zu has no heads", l + 1);
        if (layer->letters == 0 || layer->letters != letters)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu reads %zu letters but is given %zu", l + 1,
                            layer->letters, letters);
        if (l + 1 == net->layers && layer->symbols != net->labels.count)
            return f2l_fail(err, F2L_EDOMAIN, "the last layer has %zu symbols for %zu labels", layer->symbols,
                            net->labels.count);
        f2l_status status = F2L_OK;
        for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
            status = validate_head(layer, l, h, err);
        if (status == F2L_OK) status = validate_decoder(layer, l, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}
