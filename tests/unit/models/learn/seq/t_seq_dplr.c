/* The mixers gla and rwkv7: every parameter against finite differences, words in pieces, and the
 * word that ends a layer's state, by hand. */
#include "models/learn/seq/dplr/seq_dplr.h"
#include "models/learn/seq/mixer.h"
#include "tests/support/train/seq_support.h"

static f2l_seq_config config_of(const f2l_mixer *mixer, size_t number)
{
    f2l_seq_config c = small_config();
    c.mixer = mixer;
    c.layers = 1 + number % 2;
    c.negative = number / 2 % 2;
    c.convolution = number / 4 % 2 ? 3 : 0;
    c.output_gate = number % 3 == 0;
    c.key_epsilon = number % 3 == 0 ? 1e-2 : 0;
    c.mlp = number == 5 ? 0 : 5;
    return c;
}

Test(seq_dplr, agrees_with_differences, .timeout = 600)
{
    const f2l_mixer *const mixer[] = {&f2l_mixer_gla, &f2l_mixer_rwkv7};
    for (size_t m = 0; m < 2; m++)
        for (size_t number = 0; number < 8; number++) {
            const f2l_seq_config c = config_of(mixer[m], number);
            seq_check_gradient(&c, 10 * m + number, number + 1);
        }
}

Test(seq_dplr, goes_on_from_a_state)
{
    const f2l_mixer *const mixer[] = {&f2l_mixer_gla, &f2l_mixer_rwkv7};
    for (size_t m = 0; m < 2; m++)
        for (size_t number = 0; number < 8; number++) {
            const f2l_seq_config c = config_of(mixer[m], number);
            seq_case s = seq_case_of(&c, 3);
            seq_check_pieces(&s, 4);
            seq_case_free(&s);
        }
}

Test(seq_dplr, has_the_tensors_of_its_mixer)
{
    f2l_seq_config c = config_of(&f2l_mixer_gla, 4);
    f2l_seq gla, rwkv7;
    cr_assert(f2l_seq_init(&gla, &c, NULL) == F2L_OK);
    c.mixer = &f2l_mixer_rwkv7;
    cr_assert(f2l_seq_init(&rwkv7, &c, NULL) == F2L_OK);
    /* keys 6, rank 2, width 6: two matrices and three vectors more */
    cr_assert(rwkv7.parameters - gla.parameters == c.layers * (2 * 6 + 6 * 2 + 3 * 6));
    cr_assert(f2l_seq_find(&gla, "layers.0.mixer.rate_low.weight") == NULL);
    cr_assert(f2l_seq_find(&rwkv7, "layers.0.mixer.rate_low.weight") != NULL);
    cr_assert(f2l_seq_state_count(&gla) == c.layers * (2 * 3 * 4 + 2 * (2 * 6 + 8)));
    c.convolution_bias = true;
    f2l_seq_clear(&gla);
    cr_assert(f2l_seq_init(&gla, &c, NULL) == F2L_EDOMAIN);
    f2l_seq_clear(&rwkv7);
}

static void expect_text(const f2l_seq_config *c, const char *expected)
{
    f2l_buf text;
    f2l_buf_init(&text);
    c->mixer->describe(&text, c);
    cr_assert_str_eq(text.data, expected);
    f2l_buf_clear(&text);
}

Test(seq_dplr, is_described)
{
    f2l_seq_config c = small_config();
    c.mixer = &f2l_mixer_gla;
    c.heads = 1, c.key_dim = 4, c.value_dim = 8, c.step_rank = 2;
    c.negative = c.output_gate = false;
    expect_text(&c, ", 1 head of 4 x 8, a gate for each key: eigenvalues in [0, 1], rank 2");
    c.negative = c.output_gate = true;
    expect_text(&c, ", 1 head of 4 x 8, a gate for each key: eigenvalues in [-1, 1], output gate, "
                    "rank 2");
    c.mixer = &f2l_mixer_rwkv7;
    c.heads = 3;
    expect_text(&c, ", 3 heads of 4 x 8, a gate for each key in (0.54, 1), rates up to 1 + gate: "
                    "eigenvalues in [-1, 1], output gate, rank 2");
    c.negative = c.output_gate = false;
    expect_text(&c, ", 3 heads of 4 x 8, a gate for each key in (0.54, 1), rates up to 1: "
                    "eigenvalues in (-0.46, 1), rank 2");
    c.mixer = &f2l_mixer_mlstm;
    expect_text(&c, ", 3 heads of 4 x 8");
}
