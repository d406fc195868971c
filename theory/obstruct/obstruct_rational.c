#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/impl.h"

/* limit on the bits of all numerators and denominators of a state together */
#define MOST_BITS ((size_t)1 << 17)

struct f2l_rational {
    const f2l_net *net;
    f2l_exact *exact;
    size_t heads;
    mpq_t sum, least, term; /* scratch */
};

void f2l_rational_free(f2l_rational *r)
{
    if (!r) return;
    f2l_exact_free(r->exact);
    mpq_clears(r->sum, r->least, r->term, (mpq_ptr)NULL);
    f2l_free(r);
}

f2l_status f2l_rational_new(f2l_rational **out, const f2l_net *net, f2l_error *err)
{
    f2l_rational *r = f2l_calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return f2l_fail_memory(err);
    r->net = net;
    mpq_inits(r->sum, r->least, r->term, (mpq_ptr)NULL);
    f2l_status status = f2l_net_check_layers(net, err);
    if (status == F2L_OK) status = f2l_exact_new(&r->exact, net, err);
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads && status == F2L_OK; h++)
            if (!f2l_head_is_plain(&net->layer[l].head[h]))
                status =
                    f2l_fail(err, F2L_EDOMAIN, "layer %zu, head %zu: not over Q", l + 1, h + 1);
        r->heads += net->layer[l].heads;
    }
    if (status == F2L_OK)
        *out = r;
    else
        f2l_rational_free(r);
    return status;
}

size_t f2l_rational_heads(const f2l_rational *r)
{
    return r->heads;
}

f2l_status f2l_rational_start(const f2l_rational *r, f2l_qvec *state, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; l < r->net->layers; l++)
        for (size_t h = 0; h < r->net->layer[l].heads && status == F2L_OK; h++)
            status = f2l_qvec_copy(state++, &r->net->layer[l].head[h].initial, err);
    return status;
}

/* Adds |c|^2 - 2 c s to sum: the squared distance of c to s, up to a constant. */
static void add_distance(mpq_t sum, mpq_t term, const f2l_qvec *c, const f2l_qvec *s)
{
    size_t j = 0;
    for (size_t i = 0; i < c->count; i++) {
        while (j < s->count && s->index[j] < c->index[i]) j++;
        mpq_set(term, c->value[i]);
        if (j < s->count && s->index[j] == c->index[i]) {
            mpq_sub(term, term, s->value[j]);
            mpq_sub(term, term, s->value[j]);
        }
        mpq_mul(term, term, c->value[i]);
        mpq_add(sum, sum, term);
    }
}

/* Returns the symbol of all nearest codes, F2L_NO_SYMBOL when these have different symbols. */
static uint32_t decode_rational_state(f2l_rational *r, const f2l_layer *layer, size_t letter,
                                      const f2l_qvec *state)
{
    uint32_t symbol = F2L_NO_SYMBOL;
    for (size_t c = 0; c < layer->codes; c++) {
        mpq_set_ui(r->sum, 0, 1);
        for (size_t h = 0; h < layer->heads; h++)
            add_distance(r->sum, r->term, &layer->code[c * layer->heads + h], &state[h]);
        const int order = c > 0 ? mpq_cmp(r->sum, r->least) : -1;
        if (order > 0) continue;
        const uint32_t mine = f2l_layer_symbol(layer, letter, c);
        symbol = order < 0 || symbol == mine ? mine : F2L_NO_SYMBOL;
        if (order < 0) mpq_set(r->least, r->sum);
    }
    return symbol;
}

static size_t rational_bits(const f2l_qvec *v)
{
    size_t bits = 0;
    for (size_t i = 0; i < v->count; i++)
        bits +=
            mpz_sizeinbase(mpq_numref(v->value[i]), 2) + mpz_sizeinbase(mpq_denref(v->value[i]), 2);
    return bits;
}

f2l_status f2l_rational_step(f2l_rational *r, f2l_qvec *state, size_t letter, uint32_t *label,
                             f2l_error *err)
{
    uint32_t symbol = (uint32_t)letter;
    size_t bits = 0;
    for (size_t l = 0; l < r->net->layers && symbol != F2L_NO_SYMBOL; l++) {
        const f2l_layer *layer = &r->net->layer[l];
        for (size_t h = 0; h < layer->heads; h++) {
            f2l_status status =
                f2l_exact_step_head(r->exact, &state[h], l, h, symbol, &state[h], err);
            if (status != F2L_OK) return status;
            bits += rational_bits(&state[h]);
        }
        symbol = decode_rational_state(r, layer, symbol, state);
        state += layer->heads;
    }
    *label = symbol;
    return bits <= MOST_BITS ? F2L_OK
                             : f2l_fail(err, F2L_UNKNOWN, "the exact numbers become too long");
}
