/* Lists of letters and tokens; tests/cli/doors/t_inject.py has the messages, and tokenizers. */
#include "models/doors/inject/tokens.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <string.h>

static f2l_names letters;

static void open_letters(void)
{
    size_t index;
    f2l_names_init(&letters);
    cr_assert_eq(f2l_names_add(&letters, "a", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_names_add(&letters, "(1 2)", 5, &index, NULL), F2L_OK);
}

static void close_letters(void)
{
    f2l_names_clear(&letters);
}

TestSuite(letter_tokens, .init = open_letters, .fini = close_letters);

static f2l_status read_text(f2l_letter_tokens *out, const char *text, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_buf_text(&bytes, text);
    f2l_letter_tokens_init(out);
    const f2l_status status = f2l_letter_tokens_read(out, &letters, 10, &bytes, err);
    f2l_buf_clear(&bytes);
    return status;
}

/* Pairs come by letter, and then by token, however the lines are ordered. */
Test(letter_tokens, order)
{
    static const f2l_letter_token expected[] = {{0, 1}, {0, 7}, {1, 0}, {1, 9}};
    static const char *const text[] = {"a 1\na 7\n\"(1 2)\" 0\n\"(1 2)\" 9\n",
                                       "\"(1 2)\" 9\na 7 # last\n\na 1\n\"(1 2)\" 0"};
    f2l_letter_tokens t;
    f2l_error err;
    for (size_t k = 0; k < 2; k++) {
        cr_assert_eq(read_text(&t, text[k], &err), F2L_OK, "%s", err.text);
        cr_assert(t.from == F2L_TOKENS_FILE && t.pairs == 4);
        for (size_t i = 0; i < 4; i++)
            cr_expect(t.pair[i].letter == expected[i].letter &&
                      t.pair[i].token == expected[i].token);
        f2l_letter_tokens_clear(&t);
        f2l_letter_tokens_clear(&t);
    }
}

Test(letter_tokens, refused)
{
    static const struct {
        const char *text;
        size_t line;
        const char *why;
    } sample[] = {{"", 0, "'a' has no token"},
                  {"a 1\n", 0, "'(1 2)' has no token"},
                  {"a 1\n\"(1 2)\" 1\n", 0, "token 1 has two letters"},
                  {"a 1\na 1\n\"(1 2)\" 2\n", 0, "token 1 has two letters"},
                  {"a 1\n\"(1 2)\" 10\n", 2, "below vocab_size"},
                  {"a 1\n\"(1 2)\" x\n", 2, "below vocab_size"},
                  {"a 1\nb 2\n", 2, "'b' is no letter"},
                  {"a\n", 1, "expected `LETTER"},
                  {"a 1 2\n", 1, "expected `LETTER"},
                  {"\"a 1\n", 1, ""}};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        f2l_letter_tokens t;
        f2l_error err = {0};
        cr_expect(read_text(&t, sample[i].text, &err) == F2L_EFORMAT, "%s", sample[i].text);
        cr_expect(err.line == sample[i].line && strstr(err.text, sample[i].why) != NULL, "%s: %s",
                  sample[i].text, err.text);
        f2l_letter_tokens_clear(&t);
    }
}

#ifdef F2L_MEM_FAILURES
Test(letter_tokens, survives_without_memory)
{
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_letter_tokens t;
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_text(&text, "a 1\n\"(1 2)\" 2\n");
        f2l_letter_tokens_init(&t);
        f2l_mem_fail_after(n, false);
        status = f2l_letter_tokens_read(&t, &letters, 10, &text, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %d", n, (int)status);
        f2l_letter_tokens_clear(&t);
        f2l_buf_clear(&text);
    }
}
#endif
