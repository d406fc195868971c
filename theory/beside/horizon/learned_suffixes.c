/* Words behind a limit, read in doubles (theory/pages/all-lengths.md, AL.5). */
#include "numeric/base/mem.h"
#include "theory/beside/horizon/suffixes.h"
#include <math.h>
#include <string.h>

enum { MOST = F2L_LEARNED_MAX_DIM };

/* Sets what the answer after a word reads in one head. */
static void read_through(double *read, const f2l_learned_net *net, const f2l_settle_word *word,
                         size_t head)
{
    const size_t K = net->c->key_dim, V = net->c->value_dim;
    const double root = sqrt((double)K);
    double map[MOST * MOST] = {0}, shift[MOST * MOST] = {0};
    const double *q = net->query + (word->letter[word->count - 1] * net->c->heads + head) * K;
    for (size_t i = 0; i < K; i++) map[i * K + i] = 1;
    for (size_t i = 0; i < word->count; i++) {
        f2l_learned_apply(map, map, net, word->letter[i], head, K, false);
        f2l_learned_apply(shift, shift, net, word->letter[i], head, V, true);
    }
    for (size_t i = 0; i < K; i++) {
        for (size_t j = 0; j < K; j++) read[j] += q[i] * map[i * K + j] / root;
        for (size_t j = 0; j < V; j++) read[K + j] += q[i] * shift[i * V + j] / root;
    }
}

f2l_status f2l_suffixes_init(f2l_suffixes *out, const f2l_learned_net *net, const f2l_fsa *fsa,
                             size_t count, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count, H = net->c->heads;
    const size_t each = net->c->key_dim + net->c->value_dim;
    *out = (f2l_suffixes){.net = net, .count = count};
    out->word = f2l_calloc(count, sizeof *out->word);
    out->state = f2l_calloc(count * states, sizeof *out->state);
    out->read = f2l_calloc(count * H * each, sizeof *out->read);
    if (!out->word || !out->state || !out->read) return f2l_fail_memory(err);
    for (size_t q = 0; q < states; q++) out->state[q] = q;
    for (size_t i = 1; i < count; i++) {
        const size_t from = (i - 1) / letters, w = (i - 1) % letters;
        out->word[i] = out->word[from];
        out->word[i].letter[out->word[i].count++] = (uint32_t)w;
        for (size_t q = 0; q < states; q++)
            out->state[i * states + q] = fsa->next[out->state[from * states + q] * letters + w];
        for (size_t h = 0; h < H; h++)
            read_through(out->read + (i * H + h) * each, net, &out->word[i], h);
    }
    return F2L_OK;
}

void f2l_suffixes_clear(f2l_suffixes *x)
{
    f2l_free(x->word);
    f2l_free(x->state);
    f2l_free(x->read);
    *x = (f2l_suffixes){0};
}

void f2l_suffixes_read(double *o, const f2l_suffixes *x, size_t i, const double *state)
{
    const f2l_seq_config *c = x->net->c;
    const size_t K = c->key_dim, V = c->value_dim;
    const double *read = x->read + i * c->heads * (K + V);
    for (size_t h = 0; h < c->heads; h++, o += V, state += K * V, read += K + V) {
        memcpy(o, read + K, V * sizeof *o);
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < V; j++) o[j] += read[l] * state[l * V + j];
    }
}
