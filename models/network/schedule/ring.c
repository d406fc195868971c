/* A state that is made again from the last stored one and the updates since then, as replay kernels
 * do it (`ring` of models/network/schedule/schedule.h). A layer's numbers are the heads' stored
 * states S', then the sums R of the ring's products in the same order, and the number of letters
 * since the store. The ring's products are added in their order, so that the sum of the longer ring
 * begins with the sum of the shorter one: R is the whole ring. */
#include "models/network/schedule/float_net.h"

f2l_status f2l_ring_check(const f2l_head *head, size_t letters, f2l_error *err)
{
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *t = &head->letter[x];
        if (mpq_cmp_ui(t->gate, 1, 1) != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "letter %zu has the gate %.6g: a ring is for gates of 1", x + 1,
                            mpq_get_d(t->gate));
        if (t->bias.count > 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "letter %zu has a bias: a ring is for letters without one", x + 1);
    }
    return F2L_OK;
}

const double *f2l_ring_step(const f2l_float_net *net, size_t layer, size_t letter, double *state,
                            double *made)
{
    const f2l_float_layer *weights = &net->layer[layer];
    const size_t size = weights->decoder.size;
    double *const ring = state + size, *const letters = &state[weights->size - 1];
    *letters = *letters + 1 == net->schedule->store.letters ? 0 : *letters + 1;
    for (size_t i = 0; i < size; i++) made[i] = (double)((float)state[i] + (float)ring[i]) + 0.0;
    for (size_t h = 0; h < weights->heads; h++) {
        const f2l_float_head *head = &weights->head[h];
        f2l_float_step_ring(net, head, f2l_float_letter(weights, letter), made + head->offset,
                            ring + head->offset);
    }
    if (*letters == 0) {
        for (size_t i = 0; i < size; i++) {
            state[i] = made[i];
            ring[i] = 0;
        }
        f2l_float_store_layer(net, layer, state);
    }
    for (size_t i = 0; i < size; i++) made[i] = f2l_format_round(&net->output, made[i]);
    return made;
}
