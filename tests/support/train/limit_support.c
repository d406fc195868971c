#include "tests/support/train/limit_support.h"
#include <math.h>
#include <string.h>

void limit_walk(const f2l_learned_net *net, double *state, const f2l_settle_word *word)
{
    const size_t V = net->c->value_dim, size = net->c->key_dim * V;
    for (size_t i = 0; i < word->count; i++)
        for (size_t h = 0; h < net->c->heads; h++)
            f2l_learned_apply(state + h * size, state + h * size, net, word->letter[i], h, V, true);
}

void limit_state_after(double *state, const f2l_learned_net *net, const f2l_settle_word *word)
{
    const size_t size = net->c->heads * net->c->key_dim * net->c->value_dim;
    memset(state, 0, size * sizeof *state);
    if (net->start) memcpy(state, net->start, size * sizeof *state);
    limit_walk(net, state, word);
}

void limit_read_states(double *o, const f2l_learned_net *net, const double *state, size_t letter)
{
    const size_t H = net->c->heads, K = net->c->key_dim, V = net->c->value_dim;
    memset(o, 0, H * V * sizeof *o);
    for (size_t i = 0; i < H * K; i++)
        for (size_t j = 0; j < V; j++)
            o[i / K * V + j] += net->query[letter * H * K + i] * state[i * V + j] / sqrt((double)K);
}
