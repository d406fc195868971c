/* The numbers of a layer with the mixer diagonal: models/learn/inspect/token_heads.h. */
#include "models/learn/inspect/token_impl.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"

f2l_status f2l_token_look_at_diagonal(token_reader *r, f2l_error *err)
{
    f2l_token_head *h = &r->out->head[r->layer];
    const size_t count = r->out->key_dim * r->out->value_dim, tokens = r->watch.piece.count;
    const double *decay = f2l_seq_at_f64(r->pass, r->layer, F2L_DIAGONAL_SLOT_DECAY),
                 *state = f2l_seq_at_f64(r->pass, r->layer, F2L_DIAGONAL_SLOT_STATE);
    f2l_status status = F2L_OK;
    for (size_t t = 0; t < tokens && status == F2L_OK; t++) {
        const double *now = decay + t * count;
        for (size_t i = 0; i < count; i++) {
            f2l_token_spread_add(&h->gates, now[i]);
            f2l_token_eigen_add(&h->one, now[i], 0);
        }
        h->one.matrices++;
        if (t % F2L_TOKEN_PRODUCT == F2L_TOKEN_PRODUCT - 1) {
            for (size_t i = 0; i < count; i++) {
                double product = 1;
                for (size_t back = 0; back < F2L_TOKEN_PRODUCT; back++)
                    product *= decay[(t - back) * count + i];
                f2l_token_eigen_add(&h->five, product, 0);
            }
            h->five.matrices++;
        }
        status = f2l_token_look_at_state(r, h, state + t * count, t, err);
    }
    return status;
}
