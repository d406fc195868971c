#include "models/doors/checkpoint/fit.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

/* An automaton whose letter `1` leads from state i to i + 1 modulo `states`; `0` stays. */
static void counter(f2l_fsa *fsa, size_t states)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_error err = {0};
    size_t index;
    f2l_fsa_init(fsa);
    cr_assert(f2l_names_add(&fsa->letters, "0", 1, &index, &err) == F2L_OK);
    cr_assert(f2l_names_add(&fsa->letters, "1", 1, &index, &err) == F2L_OK);
    fsa->next = f2l_calloc(2 * states, sizeof *fsa->next);
    fsa->accept = f2l_calloc(states, sizeof *fsa->accept);
    for (size_t q = 0; q < states; q++) {
        text.size = 0;
        f2l_buf_printf(&text, "q%zu", q);
        cr_assert(f2l_names_add(&fsa->states, text.data, text.size, &index, &err) == F2L_OK);
        fsa->next[2 * q] = (uint32_t)q;
        fsa->next[2 * q + 1] = (uint32_t)((q + 1) % states);
    }
    f2l_buf_clear(&text);
}

/* A network whose letter `1` multiplies the state, 1 at first, by -1 + 2^-20, or leaves it. */
static void almost_parity(f2l_net *net, bool moves)
{
    f2l_error err = {0};
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    f2l_net_init(net);
    cr_assert(f2l_net_set_layers(net, 1, &err) == F2L_OK);
    cr_assert(f2l_layer_set_heads(&net->layer[0], 2, 1, &err) == F2L_OK);
    f2l_head *head = &net->layer[0].head[0];
    head->raw = true;
    head->n = head->d = 1;
    cr_assert(f2l_qvec_push(&head->initial, 0, one, &err) == F2L_OK);
    f2l_transition *t = &head->letter[1];
    cr_assert(f2l_transition_set_factors(t, 1, &err) == F2L_OK);
    mpq_set_d(t->factor[0].beta, moves ? 2 - 0x1p-20 : 0);
    cr_assert(f2l_qvec_push(&t->factor[0].u, 0, one, &err) == F2L_OK);
    mpq_clear(one);
}

static f2l_status fit(f2l_net *net, f2l_fit *out, const f2l_fsa *fsa, f2l_error *err)
{
    const uint32_t label[] = {0, 1, 2, 3};
    return f2l_fit_codes(net, out, fsa, F2L_LABEL_STATES, &fsa->states, label, 1, NULL, err);
}

Test(fit, codes_are_means_near_the_states)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_fit f;
    f2l_error err = {0};
    counter(&fsa, 2);
    almost_parity(&net, true);
    cr_assert(fit(&net, &f, &fsa, &err) == F2L_OK, "%s", err.text);
    cr_assert(f.wrong == 0 && f.answers >= 1000 && f.codes == 3 && f.clusters == 1);
    cr_assert(net.fitted && net.start == 0 && net.letters.count == 2 && net.labels.count == 2);
    const f2l_layer *layer = &net.layer[0];
    cr_assert(mpq_cmp_ui(layer->code[0].value[0], 1, 1) == 0 && layer->symbol[0] == 0);
    for (size_t c = 1; c < 3; c++) {
        const double mean = mpq_get_d(layer->code[c].value[0]), sign = layer->symbol[c] ? -1 : 1;
        cr_assert(sign * mean < 1 && sign * mean > 0.9999, "%g", mean);
    }
    cr_assert(f2l_net_validate(&net, &err) == F2L_OK, "%s", err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* States of the network that do not depend on the word leave one code, which is wrong for one of
 * two labels. */
Test(fit, says_how_often_it_is_wrong)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_fit f;
    f2l_error err = {0};
    counter(&fsa, 2);
    almost_parity(&net, false);
    cr_assert(fit(&net, &f, &fsa, &err) == F2L_OK, "%s", err.text);
    cr_assert(f.codes == 1 && f.wrong > f.answers / 3 && f.wrong < f.answers * 2 / 3);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* A state that no word of the sample reaches has no mean. */
Test(fit, refuses_states_that_are_not_reached)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_fit f;
    f2l_error err = {0};
    counter(&fsa, 3);
    fsa.next[3] = 0; /* q1 1 q0: nothing leads to q2 */
    almost_parity(&net, true);
    cr_assert(fit(&net, &f, &fsa, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "q2") != NULL, "%s", err.text);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}
