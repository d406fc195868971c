#include "models/learn/seq/mixer.h"
#include "tests/support/train/seq_support.h"

static f2l_seq_config config_of(size_t convolution)
{
    f2l_seq_config c = small_config();
    c.mixer = &f2l_mixer_mlstm;
    c.convolution = convolution;
    return c;
}

Test(seq_mlstm, agrees_with_differences)
{
    f2l_seq_config c = config_of(0);
    seq_check_gradient(&c, 0, 1);
    c = config_of(3);
    c.heads = 3;
    seq_check_gradient(&c, 1, 2);
    c = config_of(1);
    c.mlp = 0;
    seq_check_gradient(&c, 2, 3);
}

Test(seq_mlstm, goes_on_from_a_state)
{
    for (size_t taps = 0; taps < 5; taps++) {
        const f2l_seq_config c = config_of(taps);
        seq_case s = seq_case_of(&c, 3 + taps);
        const size_t past = taps > 0 ? (taps - 1) * 2 * 2 * 3 : 0;
        cr_assert_eq(f2l_seq_state_count(&s.model), 2 * (2 * (3 * 5 + 1) + past));
        seq_check_pieces(&s, 4);
        seq_case_free(&s);
    }
}

/* The gates begin as in the released code: weights 0, biases of f from 3 to 6 over the heads. */
Test(seq_mlstm, gates_begin_open)
{
    f2l_seq_config c = config_of(0);
    f2l_seq model;
    c.heads = 4;
    cr_assert_eq(f2l_seq_init(&model, &c, NULL), F2L_OK);
    double *p = f2l_calloc(model.parameters, sizeof *p);
    f2l_seq_start_f64(p, &model, 1);
    const double *bias = p + f2l_seq_find(&model, "layers.1.mixer.f_proj.bias")->offset,
                 *weight = p + f2l_seq_find(&model, "layers.1.mixer.i_proj.weight")->offset;
    for (size_t h = 0; h < 4; h++) cr_assert_eq(bias[h], 3 + (double)h);
    for (size_t i = 0; i < 4 * c.width; i++) cr_assert_eq(weight[i], 0);
    f2l_free(p);
    f2l_seq_clear(&model);
}

Test(seq_mlstm, refuses_what_it_has_not)
{
    f2l_seq_config c = config_of(0);
    f2l_error err = {0};
    c.output_gate = true;
    cr_assert_eq(f2l_seq_config_check(&c, &err), F2L_EDOMAIN);
    c = config_of(2);
    c.convolution_bias = true;
    cr_assert_eq(f2l_seq_config_check(&c, &err), F2L_EDOMAIN);
}
