#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/models/hand_nets.h"
#include "theory/certify/cert/cert.h"
#include <stdio.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure closure;
    f2l_buf text;
    char network[65];
    f2l_error err;
} fixture;

static void open(fixture *f, bool swaps)
{
    fsa_from_text(&f->fsa, swaps ? hand_swaps_text : hand_parity_text);
    if (swaps)
        hand_swaps(&f->net, &f->fsa);
    else
        hand_parity(&f->net, &f->fsa, F2L_LABEL_ACCEPT);
    f2l_closure_init(&f->closure);
    f2l_buf_init(&f->text);
    f2l_sha256_hex("network", 7, f->network);
    cr_assert_eq(f2l_closure_exact(&f->closure, &f->net, &f->fsa, 0, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
    cr_assert_eq(f->closure.verdict, F2L_OK);
}

static void done(fixture *f)
{
    f2l_buf_clear(&f->text);
    f2l_closure_clear(&f->closure);
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static f2l_status write(fixture *f)
{
    return f2l_cert_write(&f->text, &f->net, &f->closure, f->network, &f->err);
}

/* Checks that the text before the last line is `body` with the two hashes filled in, and that the
 * last line is its hash. */
static void check_text(const fixture *f, const char *body)
{
    f2l_buf expected;
    f2l_buf_init(&expected);
    f2l_buf_printf(&expected,
                   "lrnn-certificate 2\n"
                   "fsa %s\n"
                   "network %s\n"
                   "claim exact\n"
                   "%s",
                   f->net.fsa_sha256, f->network, body);
    char hex[65];
    f2l_sha256_hex(expected.data, expected.size, hex);
    f2l_buf_printf(&expected, "sha256 %s\n", hex);
    cr_assert_str_eq(f->text.data, expected.data);
    f2l_buf_clear(&expected);
}

Test(cert, parity)
{
    fixture f;
    open(&f, false);
    cr_assert_eq(write(&f), F2L_OK);
    check_text(&f, "size layers 1 heads 1 householders 1 key 1 value 1\n"
                   "letters 2 states 2 rows 2\n"
                   "row 1 state 1 codes 1 next 1 2\n"
                   "row 2 state 2 codes 2 next 2 1\n"
                   "end 2\n");
    done(&f);
}

Test(cert, three_points)
{
    fixture f;
    open(&f, true);
    cr_assert_eq(write(&f), F2L_OK);
    check_text(&f, "size layers 1 heads 1 householders 1 key 3 value 1\n"
                   "letters 2 states 3 rows 3\n"
                   "row 1 state 1 codes 1 next 2 1\n"
                   "row 2 state 2 codes 2 next 1 3\n"
                   "row 3 state 3 codes 3 next 3 2\n"
                   "end 3\n");
    done(&f);
}

/* The certificate of two layers, read back number by number, has the closure's codes and edges in
 * every row. */
Test(cert, rows_carry_one_code_per_layer)
{
    static const long one[] = {1}, codes[] = {1, -1};
    fixture f;
    fsa_from_text(&f.fsa, "start p\noutput p e\noutput q e\noutput r o\noutput s o\n"
                          "p 0 p\np 1 s\ns 0 q\ns 1 r\nq 0 s\nq 1 p\nr 0 r\nr 1 q\n");
    hand_net(&f.net, &f.fsa, F2L_LABEL_OUTPUTS, 2);
    for (size_t l = 0; l < 2; l++) {
        hand_factor(hand_head(&f.net, l, 2, 1, one), 1, 2, one, 0);
        hand_codes(&f.net, l, 2, codes);
    }
    f2l_closure_init(&f.closure);
    f2l_buf_init(&f.text);
    f2l_sha256_hex("n", 1, f.network);
    cr_assert_eq(f2l_closure_exact(&f.closure, &f.net, &f.fsa, 0, NULL, &f.err), F2L_OK, "%s",
                 f.err.text);
    cr_assert_eq(f.closure.verdict, F2L_OK, "%s, not %s", f.closure.got, f.closure.expected);
    cr_assert_eq(write(&f), F2L_OK);
    cr_assert_not_null(strstr(f.text.data, "size layers 2 heads 1 householders 1 key 1 value 1\n"));
    const char *line = strstr(f.text.data, "row 1 ");
    for (size_t r = 0; r < f.closure.rows; r++) {
        size_t n[6];
        cr_assert_eq(sscanf(line, "row %zu state %zu codes %zu %zu next %zu %zu\n", n, n + 1, n + 2,
                            n + 3, n + 4, n + 5),
                     6);
        cr_assert_eq(n[0], r + 1);
        cr_assert_eq(n[1], f.closure.state[r] + 1);
        for (size_t i = 0; i < 2; i++) {
            cr_assert_eq(n[2 + i], f.closure.joint[2 * r + i] + 1);
            cr_assert_eq(n[4 + i], f.closure.next[2 * r + i] + 1);
        }
        line = strchr(line, '\n') + 1;
    }
    cr_assert_eq(strncmp(line, "end 4\nsha256 ", 13), 0);
    cr_assert_eq(strlen(line), 13 + 64 + 1);
    done(&f);
}

Test(cert, points_that_nobody_reaches_are_states)
{
    static const long one[] = {1}, codes[] = {1, -1};
    fixture f;
    fsa_from_text(&f.fsa, "points 4\ntrack points 2\npermute a (1 2)(3 4)\n");
    hand_net(&f.net, &f.fsa, F2L_LABEL_STATES, 1);
    hand_factor(hand_head(&f.net, 0, 1, 1, one), 0, 2, one, 0);
    hand_codes(&f.net, 0, 2, codes);
    f.net.layer[0].symbols = 4;
    f.net.layer[0].symbol[0] = 1;
    f.net.layer[0].symbol[1] = 0;
    f2l_closure_init(&f.closure);
    f2l_buf_init(&f.text);
    f2l_sha256_hex("n", 1, f.network);
    cr_assert_eq(f2l_closure_exact(&f.closure, &f.net, &f.fsa, 0, NULL, &f.err), F2L_OK, "%s",
                 f.err.text);
    cr_assert_eq(write(&f), F2L_OK);
    cr_assert_not_null(strstr(f.text.data, "\n"
                                           "letters 1 states 4 rows 2\n"
                                           "row 1 state 2 codes 1 next 2\n"));
    done(&f);
}

Test(cert, only_what_is_verified_gets_one)
{
    fixture f;
    open(&f, false);
    cr_assert_eq(f2l_closure_exact(&f.closure, &f.net, &f.fsa, 1, NULL, &f.err), F2L_OK);
    cr_assert_eq(write(&f), F2L_EDOMAIN);
    f.net.start = 1;
    cr_assert_eq(f2l_closure_exact(&f.closure, &f.net, &f.fsa, 0, NULL, &f.err), F2L_OK);
    cr_assert_eq(write(&f), F2L_EDOMAIN);
    f.net.start = 0;
    const f2l_format *bf16 = f2l_format_find("bf16");
    cr_assert_eq(f2l_closure_float(&f.closure, &f.net, &f.fsa, bf16, f2l_schedule_find("every"), 0,
                                   NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.closure.verdict, F2L_OK);
    cr_assert_eq(write(&f), F2L_EDOMAIN);
    cr_assert_eq(f.text.size, 0);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(cert, running_out_of_memory_is_reported)
{
    fixture f;
    open(&f, true);
    f2l_mem_fail_after(1, false);
    f2l_status status = write(&f);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(status, F2L_ENOMEM);
    done(&f);
}
#endif
