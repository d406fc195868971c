#include "models/network/weights/used_weights.h"
#include "models/network/schedule/float_net.h"

const f2l_net *f2l_used_view(const f2l_float_net *net)
{
    return net->net;
}

double f2l_used_gate(const f2l_float_net *net, size_t layer, size_t head, size_t letter)
{
    const f2l_float_layer *of = &net->layer[layer];
    return of->head[head].gate[f2l_float_letter(of, letter)];
}

size_t f2l_used_factors(const f2l_float_net *net, size_t layer, size_t head, size_t letter)
{
    const f2l_float_layer *of = &net->layer[layer];
    const size_t *first = of->head[head].first, kind = f2l_float_letter(of, letter);
    return first[kind + 1] - first[kind];
}

f2l_used_factor f2l_used_factor_at(const f2l_float_net *net, size_t layer, size_t head,
                                   size_t letter, size_t i)
{
    const f2l_float_head *weights = &net->layer[layer].head[head];
    const size_t f = weights->first[f2l_float_letter(&net->layer[layer], letter)] + i;
    const size_t key = weights->key_first[f], value = weights->value_first[f];
    return (f2l_used_factor){.beta = weights->beta[f],
                             .keys = weights->key_first[f + 1] - key,
                             .row = weights->row + key,
                             .key = weights->key + key,
                             .sums = weights->sums ? weights->sums + key : NULL,
                             .values = weights->value_first[f + 1] - value,
                             .column = weights->column + value,
                             .value = weights->value + value};
}
