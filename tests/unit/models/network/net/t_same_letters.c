/* Letters that do the same: they must be equal in every number of every head. */
#include "models/network/net/same_letters.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>

#define LETTERS 8

/* Makes two heads; in both, every letter has gate 1/2, a factor with beta 1, u = (1, 2), c = (3),
 * and bias (4). */
static void open_layer(f2l_layer *layer)
{
    *layer = (f2l_layer){0};
    cr_assert_eq(f2l_layer_set_heads(layer, LETTERS, 2, NULL), F2L_OK);
    for (size_t h = 0; h < 2; h++) {
        layer->head[h].n = 2;
        layer->head[h].d = 1;
        for (size_t x = 0; x < LETTERS; x++) {
            f2l_transition *t = &layer->head[h].letter[x];
            mpq_set_ui(t->gate, 1, 2);
            cr_assert_eq(f2l_transition_set_factors(t, 1, NULL), F2L_OK);
            mpq_set_ui(t->factor[0].beta, 1, 1);
            cr_assert_eq(f2l_qvec_push_si(&t->factor[0].u, 0, 1, 1, NULL), F2L_OK);
            cr_assert_eq(f2l_qvec_push_si(&t->factor[0].u, 1, 2, 1, NULL), F2L_OK);
            cr_assert_eq(f2l_qvec_push_si(&t->factor[0].c, 0, 3, 1, NULL), F2L_OK);
            cr_assert_eq(f2l_qvec_push_si(&t->bias, 1, 4, 1, NULL), F2L_OK);
        }
    }
}

Test(same_letters, every_number_counts)
{
    f2l_net net;
    f2l_same_letters same = {0};
    f2l_net_init(&net);
    cr_assert_eq(f2l_net_set_layers(&net, 1, NULL), F2L_OK);
    f2l_layer *layer = &net.layer[0];
    open_layer(layer);
    f2l_transition *t = layer->head[1].letter; /* the second head differs, the first one nowhere */
    mpq_set_ui(t[1].gate, 1, 3);
    mpq_set_ui(t[2].factor[0].beta, 2, 1);
    mpq_set_ui(t[3].factor[0].u.value[1], 2, 3);
    mpq_set_ui(t[4].factor[0].c.value[0], 5, 1);
    t[5].bias.index[0] = 0;
    mpq_set_si(t[6].bias.value[0], -4, 1);
    cr_assert_eq(f2l_same_letters_find(&same, layer->head, 2, LETTERS, NULL), F2L_OK);
    cr_assert_eq(same.count, 7);
    for (uint32_t x = 0; x < 7; x++) cr_assert(same.of[x] == x && same.first[x] == x);
    cr_assert_eq(same.of[7], 0);
    f2l_same_letters_clear(&same);

    cr_assert_eq(f2l_same_letters_find(&same, layer->head, 1, LETTERS, NULL), F2L_OK);
    cr_assert(same.count == 1 && same.first[0] == 0);
    f2l_same_letters_clear(&same);
    f2l_net_clear(&net);
}

Test(same_letters, a_head_with_the_first_of_each)
{
    f2l_net net;
    f2l_same_letters same = {0};
    f2l_head head;
    f2l_net_init(&net);
    cr_assert_eq(f2l_net_set_layers(&net, 1, NULL), F2L_OK);
    f2l_layer *layer = &net.layer[0];
    open_layer(layer);
    for (size_t x = 0; x < LETTERS; x++) mpq_set_ui(layer->head[0].letter[x].gate, x / 2 % 2, 1);
    cr_assert_eq(f2l_same_letters_find(&same, layer->head, 2, LETTERS, NULL), F2L_OK);
    cr_assert(same.count == 2 && same.first[0] == 0 && same.first[1] == 2);
    for (size_t x = 0; x < LETTERS; x++) cr_assert_eq(same.of[x], x / 2 % 2);
    cr_assert_eq(f2l_same_letters_head(&head, &layer->head[0], &same, NULL), F2L_OK);
    cr_assert(head.n == 2 && head.letter[1].factor == layer->head[0].letter[2].factor);
    cr_assert_eq(mpq_cmp_ui(head.letter[1].gate, 1, 1), 0);
    f2l_free(head.letter);
    f2l_same_letters_clear(&same);
    f2l_net_clear(&net);
}
