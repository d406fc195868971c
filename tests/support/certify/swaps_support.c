#include "tests/support/certify/swaps_support.h"
#include <stdio.h>

void swaps_open(fixture *f, size_t states, size_t letters, f2l_label label, f2l_t3_keys keys,
                f2l_rng *rng)
{
    f2l_buf text;
    uint32_t *image = malloc(states * sizeof *image);
    f2l_buf_init(&text);
    f2l_buf_text(&text, "start q0\naccept");
    for (size_t q = 0; q < states; q += 3) f2l_buf_printf(&text, " q%zu", q);
    f2l_buf_text(&text, "\n");
    for (size_t a = 0; a < letters; a++) {
        random_permutation(image, states, rng);
        for (size_t q = 0; q < states; q++)
            f2l_buf_printf(&text, "q%zu %c q%u\n", q, (char)('a' + a), image[q]);
    }
    t3_open_text(f, text.data);
    t3_build(f, label, keys);
    f2l_buf_clear(&text);
    free(image);
}

static size_t below(f2l_rng *rng, size_t n)
{
    return (size_t)f2l_rng_below(rng, n);
}

/* Returns a transition with a factor, or NULL. */
static f2l_transition *pick(f2l_net *net, f2l_rng *rng)
{
    f2l_transition *by = &net->layer[0].head[0].letter[below(rng, net->layer[0].letters)];
    return by->factors ? by : NULL;
}

static void exchange_factors(f2l_factor *a, f2l_factor *b)
{
    const f2l_factor kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves entry i of a vector with numbers of `n` rows to another row, where there is room between
 * its neighbours. */
static bool move_entry(f2l_qvec *v, size_t i, size_t n, f2l_rng *rng)
{
    const uint32_t least = i > 0 ? v->index[i - 1] + 1 : 0,
                   most = i + 1 < v->count ? v->index[i + 1] - 1 : (uint32_t)n - 1;
    const uint32_t to = least + (uint32_t)below(rng, most - least + 1);
    const bool moved = to != v->index[i];
    v->index[i] = to;
    return moved;
}

static const char *change_value(f2l_qvec *v, f2l_rng *rng, const char *name)
{
    if (v->count == 0) return NULL;
    mpq_t *value = &v->value[below(rng, v->count)];
    if (below(rng, 2))
        mpq_neg(*value, *value);
    else
        mpq_set_si(*value, 3, 2);
    return name;
}

static const char *change_code(f2l_layer *layer, f2l_rng *rng)
{
    f2l_qvec *v = below(rng, 4) ? &layer->code[below(rng, layer->codes)] : &layer->head[0].initial;
    const size_t numbers = layer->head[0].n * layer->head[0].d;
    if (v->count == 0) return NULL;
    if (below(rng, 2)) return change_value(v, rng, "a number of a code");
    return move_entry(v, below(rng, v->count), numbers, rng) ? "a row of a code" : NULL;
}

static const char *change_factor(f2l_net *net, f2l_rng *rng)
{
    f2l_transition *by = pick(net, rng);
    if (!by) return NULL;
    f2l_factor *factor = &by->factor[below(rng, by->factors)];
    const size_t n = net->layer[0].head[0].n;
    switch (below(rng, 6)) {
    case 0:
        mpq_set_ui(factor->beta, (unsigned long)below(rng, 2), 1);
        return "beta";
    case 1:
        return change_value(&factor->u, rng, "a number of a key");
    case 2:
        return move_entry(&factor->u, below(rng, factor->u.count), n, rng) ? "a row of a key"
                                                                           : NULL;
    case 3:
        exchange_factors(factor, &by->factor[below(rng, by->factors)]);
        return "the order";
    case 4:
        cr_assert_eq(f2l_qvec_push_si(&factor->c, 0, 1, 1, NULL), F2L_OK);
        return "a value";
    default:
        for (size_t i = 0; i < factor->u.count; i++)
            mpq_set_si(factor->u.value[i],
                       mpq_sgn(factor->u.value[i]) == mpq_sgn(factor->u.value[0]) ? -5 : 5, 3);
        return "the scale of a key";
    }
}

static const char *change_letter(f2l_net *net, f2l_rng *rng)
{
    f2l_transition *by = pick(net, rng);
    if (!by) return NULL;
    if (below(rng, 2)) {
        mpq_set_ui(by->gate, 1, 2);
        return "a gate";
    }
    cr_assert_eq(f2l_qvec_push_si(&by->bias, 0, 1, 1, NULL), F2L_OK);
    return "a bias";
}

static const char *change_symbol(f2l_net *net, f2l_rng *rng)
{
    f2l_layer *layer = &net->layer[0];
    uint32_t *symbol = &layer->symbol[below(rng, layer->codes)];
    const uint32_t other = (uint32_t)below(rng, net->labels.count + 1);
    const uint32_t to = other == net->labels.count ? F2L_NO_SYMBOL : other;
    if (to == *symbol) return NULL;
    *symbol = to;
    return "a symbol";
}

const char *swaps_change(f2l_net *net, f2l_rng *rng)
{
    const size_t kind = below(rng, 12);
    const char *what = kind < 6    ? change_factor(net, rng)
                       : kind < 9  ? change_code(&net->layer[0], rng)
                       : kind < 10 ? change_letter(net, rng)
                                   : change_symbol(net, rng);
    return what && f2l_net_validate(net, NULL) == F2L_OK ? what : NULL;
}
