#include "models/network/schedule/chunk.h"
#include "numeric/base/mem.h"
#include "tests/support/models/chunk_support.h"
#include "tests/support/models/net_samples.h"
#include <math.h>

/* --- states without a label --- */

/* Letter 2 does S <- v, by beta = 1 and k = 1; letter 1 does nothing. */
#define WRITE \
    "lrnn 2\nfsa " SAMPLE_SHA \
    "\nfield Q\nlabel states\nletters 2\nletter 0\nletter 1\nlabels 2\nsymbol even\n" \
    "symbol odd\nstart 1\nlayers 1\nlayer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n" \
    "head 1 key 1 " \
    "value 1\n" \
    "initial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\nfactor 1 u 1:1 c 1:100000\n" \
    "code 1 1 " \
    "1.1:1\n" \
    "code 2 2 1.1:100000\nend\n"

Test(chunk_refuse, a_number_that_is_not_finite_ends_the_word)
{
    f2l_net net;
    f2l_rng rng;
    uint32_t letter[CHUNK] = {0}, label[CHUNK];
    f2l_rng_init(&rng, 900, 0);
    sample_read(&net, WRITE);
    f2l_float_net *fast = chunk_rounded(&net, f2l_format_find("fp16"));
    f2l_chunk *run = started(fast);
    feed(run, label, letter, CHUNK);
    for (size_t t = 0; t < CHUNK; t++) cr_assert_eq(label[t], 0);
    letter[40] = 1;
    feed(run, label, letter, CHUNK);
    for (size_t t = 0; t < CHUNK; t++) cr_assert_eq(label[t], F2L_NO_SYMBOL);
    letter[40] = 0;
    feed(run, label, letter, CHUNK);
    for (size_t t = 0; t < CHUNK; t++) cr_assert_eq(label[t], F2L_NO_SYMBOL);
    f2l_chunk_start(run);
    feed(run, label, letter, CHUNK);
    for (size_t t = 0; t < CHUNK; t++) cr_assert_eq(label[t], 0);
    f2l_chunk_free(run);
    f2l_float_net_free(fast);
    /* the dense order agrees; and bf16 loses nothing */
    compare(&net, f2l_format_find("fp16"), 150, &rng);
    compare(&net, f2l_format_find("bf16"), 150, &rng);
    f2l_net_clear(&net);
}

/* Two layers: the first gives no symbol after letter 2, the second is the parity of letter 1. */
Test(chunk_refuse, a_letter_without_symbol)
{
    f2l_net net;
    sample_read(&net, SAMPLE_PARITY);
    net.layer[0].symbol[1] = F2L_NO_SYMBOL;
    f2l_float_net *fast = chunk_rounded(&net, f2l_format_find("bf16"));
    f2l_chunk *run = started(fast);
    uint32_t letter[CHUNK] = {0, 1, 0, 1, 0}, label[CHUNK];
    const uint32_t want[] = {0, F2L_NO_SYMBOL, F2L_NO_SYMBOL, 0, 0};
    feed(run, label, letter, 5);
    cr_assert_arr_eq(label, want, sizeof want, "the last layer finds its symbols again");
    f2l_chunk_free(run);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);

    sample_s3_layers(&net);
    for (size_t i = 6; i < 8; i++) net.layer[0].symbol[i] = F2L_NO_SYMBOL; /* after letter 4 */
    fast = chunk_rounded(&net, f2l_format_find("bf16"));
    run = started(fast);
    uint32_t word[CHUNK];
    for (size_t t = 0; t < CHUNK; t++) word[t] = t == 9 ? 3 : 1;
    feed(run, label, word, CHUNK);
    for (size_t t = 0; t < CHUNK; t++)
        cr_assert(t < 9 ? label[t] == (t + 1) % 3 : label[t] == F2L_NO_SYMBOL, "%zu: %u", t,
                  label[t]);
    cr_assert(isnan(f2l_chunk_reading(run, 1, 9)[0]) && !isnan(f2l_chunk_reading(run, 1, 8)[0]));
    for (size_t t = 0; t < CHUNK; t++) word[t] = 1;
    feed(run, label, word, 5);
    for (size_t t = 0; t < 5; t++) cr_assert_eq(label[t], F2L_NO_SYMBOL);
    f2l_chunk_free(run);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

/* --- refusals --- */

static void refuse(const f2l_float_net *net, const char *text)
{
    f2l_chunk *run;
    f2l_error err = {0};
    cr_assert_eq(f2l_chunk_new(&run, net, &err), F2L_EDOMAIN);
    cr_assert(run == NULL && strstr(err.text, text) != NULL, "%s", err.text);
}

Test(chunk_refuse, refuses_what_it_is_not_defined_for)
{
    f2l_net net;
    f2l_float_net *fast;
    f2l_format stochastic = *f2l_format_find("bf16");
    stochastic.rounding = F2L_ROUND_STOCHASTIC;
    sample_read(&net, SAMPLE_PARITY);
    fast = chunk_rounded(&net, &stochastic);
    refuse(fast, "stochastic");
    f2l_float_net_free(fast);
    cr_assert_eq(
        f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), f2l_schedule_find("every"), NULL),
        F2L_OK);
    refuse(fast, "every");
    f2l_float_net_free(fast);
    sample_push(&net.layer[0].head[0].letter[1].bias, 0, 1, 1);
    fast = chunk_rounded(&net, f2l_format_find("bf16"));
    refuse(fast, "biases (layer 1, head 1, letter 2)");
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
    sample_read(&net, SAMPLE_FLIPFLOP);
    fast = chunk_rounded(&net, f2l_format_find("bf16"));
    refuse(fast, "gates other than 1 (layer 1, head 1, letter 2)");
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

Test(chunk_refuse, refuses_wrong_chunks)
{
    f2l_net net;
    f2l_error err = {0};
    uint32_t letter[CHUNK + 1] = {0}, label[CHUNK + 1];
    sample_read(&net, SAMPLE_PARITY);
    f2l_float_net *fast = chunk_rounded(&net, f2l_format_find("bf16"));
    f2l_chunk *run = started(fast);
    cr_assert_eq(f2l_chunk_feed(run, label, letter, CHUNK + 1, &err), F2L_EDOMAIN);
    letter[2] = 2;
    cr_assert_eq(f2l_chunk_feed(run, label, letter, 3, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "there is no letter 3");
    letter[2] = 1;
    feed(run, label, letter, 3);
    cr_assert_eq(label[2], 1);
    cr_assert_eq(f2l_chunk_feed(run, label, letter, 3, &err), F2L_EDOMAIN);
    f2l_chunk_start(run);
    feed(run, label, letter, 3);
    cr_assert_eq(label[2], 1);
    f2l_chunk_free(run);
    f2l_chunk_free(NULL);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(chunk_refuse, survives_failing_allocations)
{
    f2l_net net;
    sample_s3_layers(&net);
    f2l_float_net *fast = chunk_rounded(&net, f2l_format_find("fp16"));
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; n < 100 && status != F2L_OK; n++) {
        f2l_chunk *run;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_chunk_new(&run, fast, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK ? run != NULL : status == F2L_ENOMEM && run == NULL);
        f2l_chunk_free(run);
    }
    cr_assert(status == F2L_OK && n > 15, "%zu", n);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}
#endif
