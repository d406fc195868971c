#include "models/learn/seq/seq_match.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

/* Makes two heads of n x d and two letters: one does nothing, the other has `factors` factors with
 * key e_0 and this beta. */
static void net_of(f2l_net *net, size_t n, size_t d, size_t factors, unsigned long numerator,
                   unsigned long denominator)
{
    f2l_net_init(net);
    cr_assert(f2l_net_set_layers(net, 1, NULL) == F2L_OK);
    cr_assert(f2l_layer_set_heads(&net->layer[0], 2, 2, NULL) == F2L_OK);
    for (size_t h = 0; h < 2; h++) {
        f2l_head *head = &net->layer[0].head[h];
        head->n = n;
        head->d = d;
        cr_assert(f2l_transition_set_factors(&head->letter[1], factors, NULL) == F2L_OK);
        for (size_t i = 0; i < factors; i++) {
            f2l_factor *factor = &head->letter[1].factor[i];
            mpq_set_ui(factor->beta, numerator, denominator);
            cr_assert(f2l_qvec_push_si(&factor->u, 0, 1, 1, NULL) == F2L_OK);
        }
    }
}

static f2l_seq_config matched(const f2l_net *net)
{
    f2l_seq_config c;
    f2l_error err = {0};
    cr_assert(f2l_seq_config_match(&c, net, 3, 4, &err) == F2L_OK, "%s", err.text);
    cr_assert(c.letters == 3 && c.labels == 4 && c.layers == 1);
    return c;
}

Test(seq_match, options_are_those_that_the_network_uses)
{
    f2l_net net;
    net_of(&net, 5, 1, 2, 2, 1);
    f2l_seq_config c = matched(&net);
    cr_assert(c.negative && !c.additive && c.learned_start && !c.forget_gate &&
              c.householders == 2);
    cr_assert(c.heads == 4 && c.key_dim == 32 && c.value_dim == 32 && c.width == 128);
    cr_assert(f2l_qvec_push_si(&net.layer[0].head[1].letter[1].factor[1].c, 0, 1, 1, NULL) ==
              F2L_OK);
    mpq_set_ui(net.layer[0].head[1].letter[0].gate, 1, 2);
    c = matched(&net);
    cr_assert(c.additive && !c.learned_start && c.forget_gate);
    cr_assert(f2l_qvec_push_si(&net.layer[0].head[0].initial, 0, 1, 1, NULL) == F2L_OK);
    cr_assert(matched(&net).learned_start && matched(&net).additive);
    f2l_net_clear(&net);
    net_of(&net, 33, 100, 3, 1, 1);
    c = matched(&net);
    cr_assert(!c.negative && c.key_dim == 48 && c.value_dim == 112 && c.householders == 3);
    net.layer[0].head[0].raw = true;
    cr_assert(!matched(&net).negative);
    mpq_set_ui(net.layer[0].head[0].letter[1].factor[0].u.value[0], 5, 4); /* 25/16 > 1 */
    cr_assert(matched(&net).negative);
    f2l_net_clear(&net);
}

Test(seq_match, what_cannot_be_trained_is_refused)
{
    f2l_net net;
    f2l_error err;
    f2l_seq_config c = {.width = 77};
    net_of(&net, 257, 1, 1, 2, 1);
    cr_assert(f2l_seq_config_match(&c, &net, 3, 4, &err) == F2L_EDOMAIN &&
              strstr(err.text, "too large") != NULL);
    f2l_net_clear(&net);
    net_of(&net, 4, 1, 17, 2, 1);
    cr_assert(f2l_seq_config_match(&c, &net, 3, 4, &err) == F2L_EDOMAIN &&
              strstr(err.text, "householders") != NULL);
    f2l_net_clear(&net);
    net_of(&net, 4, 1, 1, 2, 1);
    cr_assert(f2l_qvec_push_si(&net.layer[0].head[0].letter[0].bias, 0, 1, 1, NULL) == F2L_OK);
    cr_assert(f2l_seq_config_match(&c, &net, 3, 4, &err) == F2L_EDOMAIN &&
              strstr(err.text, "biases") != NULL);
    cr_assert(c.width == 77);
    f2l_net_clear(&net);
}
