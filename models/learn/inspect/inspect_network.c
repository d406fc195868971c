#include "models/learn/inspect/inspect_network.h"
#include "models/learn/inspect/impl.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include <math.h>

/* Sets the sizes that the heads have in common. */
static f2l_status measure_inspected_layer(f2l_inspect *x, const f2l_layer *layer, f2l_error *err)
{
    x->heads = layer->heads;
    x->householders = x->key_dim = x->value_dim = 1;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        if (head->n > x->key_dim) x->key_dim = head->n;
        if (head->d > x->value_dim) x->value_dim = head->d;
        for (size_t a = 0; a < layer->letters; a++)
            if (head->letter[a].factors > x->householders)
                x->householders = head->letter[a].factors;
    }
    x->reduced = x->householders < x->key_dim ? x->householders : x->key_dim;
    if (x->householders > F2L_SEQ_MAX_HOUSEHOLDERS)
        return f2l_fail(err, F2L_EDOMAIN, "its first layer takes %zu factors for a letter",
                        x->householders);
    if (x->key_dim > F2L_SEQ_MAX_HEAD_DIM)
        return f2l_fail(err, F2L_EDOMAIN, "its first layer has keys of %zu numbers", x->key_dim);
    return F2L_OK;
}

/* Sets unit[key_dim] to the direction of the key, and returns its beta. */
static double take_factor(double *unit, const f2l_head *head, const f2l_factor *factor)
{
    double square = 0;
    for (size_t i = 0; i < factor->u.count; i++) {
        unit[factor->u.index[i]] = mpq_get_d(factor->u.value[i]);
        square += unit[factor->u.index[i]] * unit[factor->u.index[i]];
    }
    for (size_t i = 0; i < factor->u.count && square > 0; i++)
        unit[factor->u.index[i]] /= sqrt(square);
    return mpq_get_d(factor->beta) * (head->raw ? square : 1);
}

static void take_inspect_head(f2l_inspect_head *h, const f2l_inspect *x, const f2l_head *head,
                              const uint32_t *letter)
{
    const size_t N = x->householders, K = x->key_dim;
    for (size_t a = 0; a < x->letters; a++) {
        const f2l_transition *transition = &head->letter[letter[a]];
        h->gate[a] = mpq_get_d(transition->gate);
        for (size_t n = 0; n < transition->factors; n++)
            h->beta[a * N + n] =
                take_factor(h->key + (a * N + n) * K, head, &transition->factor[n]);
    }
}

static f2l_status take_inspect_heads(f2l_inspect *x, const f2l_net *net, const uint32_t *letter,
                                     const f2l_task *task, f2l_error *err)
{
    f2l_net plain;
    f2l_net_init(&plain);
    f2l_status status = f2l_net_orthonormal(&plain, net, 0, err);
    if (status == F2L_OK) status = measure_inspected_layer(x, &plain.layer[0], err);
    if (status == F2L_OK) {
        x->head = f2l_calloc(x->heads, sizeof *x->head);
        if (x->head == NULL) status = f2l_fail_memory(err);
    }
    for (size_t h = 0; status == F2L_OK && h < x->heads; h++) {
        if (!f2l_inspect_allocate_head(&x->head[h], x)) {
            status = f2l_fail_memory(err);
            break;
        }
        take_inspect_head(&x->head[h], x, &plain.layer[0].head[h], letter);
        status = f2l_inspect_finish_head(x, h, 2, task, err);
    }
    f2l_net_clear(&plain);
    return status;
}

f2l_status f2l_inspect_build_network(f2l_inspect *out, const f2l_net *net, const uint32_t *letter,
                                     size_t letters, const unsigned char *used,
                                     const f2l_task *task, f2l_error *err)
{
    out->letters = letters;
    out->repeats = 1;
    f2l_status status = f2l_inspect_take_used(out, used, err);
    if (status == F2L_OK) status = take_inspect_heads(out, net, letter, task, err);
    if (status != F2L_OK) f2l_inspect_clear(out);
    return status;
}
