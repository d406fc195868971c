/* What the network answers for o, and where a period and a suffix lead the automaton. */
#include "theory/beside/horizon/settle_impl.h"
#include <math.h>
#include <string.h>

double f2l_settle_logits(f2l_settle_search *s, size_t letter)
{
    f2l_learned_net *net = &s->net;
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, hv = c->heads * c->value_dim, F = c->mlp;
    const f2l_learned_question q = {.letter = letter, .centre = s->o, .radius = s->radius};
    memset(s->radius, 0, c->heads * sizeof *s->radius);
    f2l_learned_head_norms(net, &q);
    for (size_t i = 0; i < n; i++)
        net->x[i] = net->embedding[letter * n + i] + f2l_learned_dot(net->m + i * hv, net->n, hv);
    const double scale = 1 / sqrt(f2l_learned_dot(net->x, net->x, n) / (double)n + c->epsilon);
    for (size_t i = 0; i < F; i++) {
        const double g = scale * f2l_learned_dot(net->gate + i * n, net->x, n);
        net->hidden[i] = g / (1 + exp(-g)) * scale * f2l_learned_dot(net->up + i * n, net->x, n);
    }
    double most = 0;
    for (size_t j = 0; j < c->labels; j++) {
        s->logit[j] = f2l_learned_dot(net->head + j * n, net->x, n) +
                      f2l_learned_dot(net->head_down + j * F, net->hidden, F);
        most = fmax(most, net->head_size[j]);
    }
    return most *
           (f2l_learned_length(net->x, n) + net->down_size * f2l_learned_length(net->hidden, F));
}

size_t f2l_settle_largest(double *gap, const f2l_settle_search *s)
{
    size_t best = 0;
    for (size_t j = 1; j < s->net.c->labels; j++)
        if (s->logit[j] > s->logit[best]) best = j;
    *gap = INFINITY;
    for (size_t j = 0; j < s->net.c->labels; j++)
        if (j != best) *gap = fmin(*gap, s->logit[best] - s->logit[j]);
    return best;
}

void f2l_settle_cycles(f2l_settle_search *s, const f2l_settle_word *u)
{
    const size_t states = s->fsa->states.count, letters = s->fsa->letters.count;
    for (size_t q = 0; q < states; q++) {
        size_t p = q;
        for (size_t i = 0; i < u->count; i++) p = s->fsa->next[p * letters + u->letter[i]];
        s->image[q] = p;
        s->cycle[q] = F2L_NO_INDEX;
    }
    for (size_t q = 0; q < states; q++) {
        size_t size = 1, p = s->image[q];
        for (; p > q && size < states; size++) p = s->image[p];
        if (p != q) continue;
        for (size_t i = 0; i < size; i++, p = s->image[p]) {
            s->cycle[p] = q;
            s->cycle_size[p] = size;
        }
        s->out->group |= size > 1;
    }
}

size_t f2l_settle_last(const f2l_settle_search *s, const f2l_settle_word *u, size_t w)
{
    const f2l_settle_word *end = w > 0 ? &s->suffix.word[w] : u;
    return end->letter[end->count - 1];
}

size_t f2l_settle_count_wrong(const f2l_settle_search *s, size_t state, size_t w, size_t answer)
{
    const size_t *to = s->suffix.state + w * s->fsa->states.count;
    size_t wrong = 0;
    for (size_t i = 0; i < s->cycle_size[state]; i++, state = s->image[state])
        wrong += to[state] != answer;
    return wrong;
}
