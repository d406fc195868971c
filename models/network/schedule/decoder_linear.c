/* Layers that can be decoded by directions: the code with the largest (S . c) / |c|. A state that
 * equals a code has that code as its only best one exactly if no other code has its direction. */
#include "models/network/net/net_orthonormal.h"
#include "models/network/schedule/float_net.h"

bool f2l_layer_has_one_length(const f2l_layer *layer)
{
    mpq_t first, other;
    bool same = layer->heads == 1;
    mpq_inits(first, other, (mpq_ptr)NULL);
    if (same && layer->codes > 0) f2l_qvec_norm2(first, &layer->code[0]);
    for (size_t c = 1; c < layer->codes && same; c++) {
        f2l_qvec_norm2(other, &layer->code[c]);
        same = mpq_equal(first, other);
    }
    mpq_clears(first, other, (mpq_ptr)NULL);
    return same;
}

/* Returns a hash of the coordinates that are not zero, and of their signs. */
static uint64_t hash_of_direction(const void *layer_at, size_t code)
{
    const f2l_layer *layer = layer_at;
    const f2l_qvec *v = &layer->code[code];
    uint64_t hash = F2L_HASH;
    mpq_t ratio;
    mpq_init(ratio);
    for (size_t k = 0; k < v->count; k++) {
        mpq_div(ratio, v->value[k], v->value[0]);
        hash = f2l_hash(hash, 2 * (uint64_t)v->index[k] + (mpq_sgn(v->value[k]) < 0));
        hash = f2l_hash(hash, mpz_fdiv_ui(mpq_numref(ratio), 4294967291));
        hash = f2l_hash(hash, mpz_fdiv_ui(mpq_denref(ratio), 4294967291));
    }
    mpq_clear(ratio);
    return hash;
}

/* Returns whether one vector, not zero, is a positive multiple of the other. */
static bool have_one_direction(const f2l_qvec *v, const f2l_qvec *w)
{
    if (v->count != w->count || mpq_sgn(v->value[0]) != mpq_sgn(w->value[0])) return false;
    bool same = true;
    mpq_t left, right;
    mpq_inits(left, right, (mpq_ptr)NULL);
    for (size_t k = 0; k < v->count && same; k++) {
        mpq_mul(left, v->value[k], w->value[0]);
        mpq_mul(right, w->value[k], v->value[0]);
        same = v->index[k] == w->index[k] && mpq_equal(left, right);
    }
    mpq_clears(left, right, (mpq_ptr)NULL);
    return same;
}

static bool has_direction_of(const void *layer_at, size_t code, const void *vector)
{
    const f2l_layer *layer = layer_at;
    return have_one_direction(&layer->code[code], vector);
}

/* Fails when two codes of the layer, which has one head, have one direction, or one has none. */
static f2l_status check_directions(const f2l_layer *layer, size_t number, f2l_error *err)
{
    f2l_index found = {0};
    if (!f2l_index_reserve(&found, layer->codes, hash_of_direction, layer))
        return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t c = 0; c < layer->codes && status == F2L_OK; c++) {
        if (layer->code[c].count == 0) {
            status =
                f2l_fail(err, F2L_EDOMAIN,
                         "decode=linear: code %zu of layer %zu is zero, which has no direction",
                         c + 1, number);
            break;
        }
        const uint64_t hash = hash_of_direction(layer, c);
        const size_t other = f2l_index_find(&found, hash, has_direction_of, layer, &layer->code[c]);
        if (other != F2L_NO_INDEX)
            status = f2l_fail(err, F2L_EDOMAIN,
                              "decode=linear: codes %zu and %zu of layer %zu have one direction",
                              other + 1, c + 1, number);
        else
            f2l_index_add(&found, hash);
    }
    f2l_index_clear(&found);
    return status;
}

f2l_status f2l_schedule_check_decoder(const f2l_schedule *schedule, const f2l_net *net,
                                      f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (schedule->decode == F2L_DECODE_NEAREST) return F2L_OK;
    if (!f2l_net_is_plain(net) || net->blocks > 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "decode=linear is for layers over the rationals without a form");
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        const f2l_layer *layer = &net->layer[l];
        if (layer->heads > 1)
            status = f2l_fail(err, F2L_EDOMAIN,
                              "decode=linear: layer %zu has %zu heads, and each head has a norm of "
                              "its own in engines",
                              l + 1, layer->heads);
        else if (!f2l_layer_has_one_length(layer))
            status = check_directions(layer, l + 1, err);
    }
    return status;
}
