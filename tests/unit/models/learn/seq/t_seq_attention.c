#include "models/learn/seq/mixer.h"
#include "tests/support/train/seq_support.h"

static f2l_seq_config config_of(size_t window)
{
    f2l_seq_config c = small_config();
    c.mixer = &f2l_mixer_attention;
    c.key_dim = 4;
    c.value_dim = 3;
    c.window = window;
    return c;
}

Test(seq_attention, agrees_with_differences)
{
    f2l_seq_config c = config_of(0);
    seq_check_gradient(&c, 0, 1);
    c = config_of(3);
    seq_check_gradient(&c, 1, 2);
    c = config_of(2);
    c.mlp = 0;
    c.heads = 3;
    seq_check_gradient(&c, 2, 3);
}

/* Words of 12 letters, shorter and longer than the window. */
Test(seq_attention, goes_on_from_a_state)
{
    static const size_t window[] = {0, 1, 2, 5, 12, 40};
    for (size_t i = 0; i < sizeof window / sizeof *window; i++) {
        const f2l_seq_config c = config_of(window[i]);
        seq_case s = seq_case_of(&c, 3 + i);
        cr_assert_eq(f2l_seq_state_count(&s.model),
                     2 * (1 + ((window[i] > 0 ? window[i] : 512) - 1) * 2 * 7));
        seq_check_pieces(&s, 4);
        seq_case_free(&s);
    }
}

static void refused(const f2l_seq_config *c, const char *why)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_seq_config_check(c, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, why) != NULL, "%s", err.text);
}

Test(seq_attention, refuses_what_it_has_not)
{
    f2l_seq_config c = config_of(4);
    c.key_dim = 3;
    refused(&c, "must be even");
    c = config_of(4);
    c.convolution = 2;
    refused(&c, "no convolution");
    c = config_of(4);
    c.output_gate = true;
    refused(&c, "no output gate");
}

/* The window is written where one is given, and read again. */
Test(seq_attention, configurations_are_read_again)
{
    for (size_t window = 0; window < 3; window++) {
        const f2l_seq_config c = config_of(window);
        f2l_seq_config again = f2l_seq_config_default(1, 1);
        f2l_buf text;
        f2l_error err = {0};
        f2l_buf_init(&text);
        cr_assert_eq(f2l_seq_config_write(&text, &c, &err), F2L_OK);
        cr_assert_eq(strstr(text.data, "\"window\":") != NULL, window > 0);
        cr_assert_eq(f2l_seq_config_read(&again, text.data, text.size, &err), F2L_OK);
        cr_assert_eq(again.window, window);
        cr_assert_eq(again.mixer, &f2l_mixer_attention);
        f2l_buf_clear(&text);
    }
}
