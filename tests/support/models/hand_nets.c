#include "tests/support/models/hand_nets.h"

void hand_net(f2l_net *net, const f2l_fsa *fsa, f2l_label label, size_t layers)
{
    f2l_net_init(net);
    net->label = label;
    cr_assert_eq(f2l_fsa_sha256(fsa, net->fsa_sha256, NULL), F2L_OK);
    cr_assert_eq(f2l_names_copy(&net->letters, &fsa->letters, NULL), F2L_OK);
    for (size_t q = 0; q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index;
        cr_assert_eq(f2l_names_add(&net->labels, text, strlen(text), &index, NULL), F2L_OK);
        if (q == fsa->start) net->start = index;
    }
    cr_assert_eq(f2l_net_set_layers(net, layers, NULL), F2L_OK);
}

void hand_vector(f2l_qvec *out, const long *dense, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(f2l_qvec_push_si(out, (uint32_t)i, dense[i], 1, NULL), F2L_OK);
}

f2l_head *hand_head(f2l_net *net, size_t l, size_t letters, size_t n, const long *initial)
{
    cr_assert_eq(f2l_layer_set_heads(&net->layer[l], letters, 1, NULL), F2L_OK);
    f2l_head *head = &net->layer[l].head[0];
    head->n = n;
    head->d = 1;
    hand_vector(&head->initial, initial, n);
    return head;
}

void hand_factor(f2l_head *head, size_t letter, long beta, const long *u, long c)
{
    f2l_transition *transition = &head->letter[letter];
    cr_assert_eq(f2l_transition_set_factors(transition, 1, NULL), F2L_OK);
    mpq_set_si(transition->factor[0].beta, beta, 1);
    hand_vector(&transition->factor[0].u, u, head->n);
    hand_vector(&transition->factor[0].c, &c, 1);
}

void hand_codes(f2l_net *net, size_t l, size_t codes, const long *dense)
{
    f2l_layer *layer = &net->layer[l];
    cr_assert_eq(f2l_layer_set_codes(layer, codes, codes, false, NULL), F2L_OK);
    const size_t n = layer->head[0].n;
    for (size_t i = 0; i < codes; i++) {
        hand_vector(&layer->code[i], dense + i * n, n);
        layer->symbol[i] = (uint32_t)i;
    }
}

void hand_parity(f2l_net *net, const f2l_fsa *fsa, f2l_label label)
{
    static const long one[] = {1}, codes[] = {1, -1};
    hand_net(net, fsa, label, 1);
    hand_factor(hand_head(net, 0, 2, 1, one), 1, 2, one, 0);
    hand_codes(net, 0, 2, codes);
}

void hand_two_swaps(f2l_head *head)
{
    static const long key[2][3] = {{1, -1, 0}, {0, 1, -1}};
    for (size_t a = 0; a < 2; a++) hand_factor(head, a, 2, key[a], 0);
}

void hand_swaps(f2l_net *net, const f2l_fsa *fsa)
{
    static const long codes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hand_net(net, fsa, F2L_LABEL_STATES, 1);
    hand_two_swaps(hand_head(net, 0, 2, 3, codes));
    hand_codes(net, 0, 3, codes);
}

void hand_elements(f2l_net *net, const f2l_fsa *fsa)
{
    static const long codes[] = {1, 2, 3, 2, 1, 3, 1, 3, 2, 2, 3, 1, 3, 1, 2, 3, 2, 1};
    hand_net(net, fsa, F2L_LABEL_STATES, 1);
    hand_two_swaps(hand_head(net, 0, 2, 3, codes));
    hand_codes(net, 0, 6, codes);
}
