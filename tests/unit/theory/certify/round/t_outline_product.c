/* Outlines of products: what a certificate describes is read back and proves the network, and
 * nothing else does. */
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/product/wired_product_support.h"
#include "theory/certify/round/outline.h"

static const char sides[] = "fsa 1\n"
                            "letters a b c d\n"
                            "states 0x 1x 2x 0y 1y 2y\n"
                            "start 0x\n"
                            "0x a 1x\n0x b 0x\n0x c 0x\n0x d 0y\n"
                            "1x a 2x\n1x b 0x\n1x c 1x\n1x d 1y\n"
                            "2x a 2x\n2x b 1x\n2x c 2x\n2x d 2y\n"
                            "0y a 1y\n0y b 0y\n0y c 0x\n0y d 0y\n"
                            "1y a 2y\n1y b 0y\n1y c 1x\n1y d 1y\n"
                            "2y a 2y\n2y b 1y\n2y c 2x\n2y d 2y\n";

typedef struct fixture {
    side_case s;
    f2l_net model;
    f2l_buf cert;
    char sha256[65];
    f2l_outline outline;
    f2l_error err;
} fixture;

static void open_fixture(fixture *f, bool compile)
{
    f2l_fsa_init(&f->s.fsa);
    fsa_from_text(&f->s.fsa, sides);
    cr_assert(side_take_apart(&f->s, compile));
    cr_assert_eq(side_build(&f->s, F2L_LABEL_STATES, NULL), F2L_OK, "%s", f->s.err.text);
    f2l_net_init(&f->model);
    f->model = f->s.net; /* borrowed */
    f2l_sha256_hex("network", 7, f->sha256);
    f2l_buf_init(&f->cert);
    f2l_outline_init(&f->outline);
    cr_assert_eq(f2l_product_certify(&f->cert, &f->s.net, &f->s.division, &f->s.fsa, f->sha256,
                                     NULL, &f->err),
                 F2L_OK, "%s", f->err.text);
}

static void close_fixture(fixture *f)
{
    f2l_outline_clear(&f->outline);
    f2l_buf_clear(&f->cert);
    side_clear(&f->s);
}

/* Reads the certificate with `now` in the place of the first `was` and its seal made right. */
static f2l_status read_with(fixture *f, const char *was, const char *now)
{
    f2l_buf changed;
    char hex[65];
    const char *at = strstr(f->cert.data, was), *seal = strstr(f->cert.data, "sha256 ");
    cr_assert(at && at + strlen(was) <= seal);
    f2l_buf_init(&changed);
    f2l_buf_bytes(&changed, f->cert.data, (size_t)(at - f->cert.data));
    f2l_buf_text(&changed, now);
    f2l_buf_bytes(&changed, at + strlen(was), (size_t)(seal - at) - strlen(was));
    f2l_sha256_hex(changed.data, changed.size, hex);
    f2l_buf_printf(&changed, "sha256 %s\n", hex);
    const f2l_status status = f2l_outline_read(&f->outline, &f->model, &f->s.fsa, changed.data,
                                               changed.size, f->sha256, NULL, &f->err);
    f2l_buf_clear(&changed);
    return status;
}

Test(outline_product, proves_what_was_written)
{
    for (int compile = 0; compile < 2; compile++) {
        fixture f;
        f2l_outlined bf16;
        f2l_buf again;
        open_fixture(&f, compile);
        cr_assert_eq(read_with(&f, "claim", "claim"), F2L_OK, "%s", f.err.text);
        cr_assert_str_eq(f2l_outline_claim(&f.outline), "product");
        cr_assert_eq(f2l_outline_exact(&f.outline, 0, NULL, &f.err), F2L_OK);
        cr_assert_eq(f.outline.exact.verdict, F2L_OK, "%s", f.outline.exact.reason);
        cr_assert_str_eq(f.outline.exact.rule, "theory/pages/product.md, X.4");
        cr_assert_eq(f2l_outline_float(&bf16, &f.outline, f2l_format_find("bf16"),
                                       f2l_schedule_find("every"), 0, NULL, &f.err),
                     F2L_OK);
        cr_assert_eq(bf16.verdict, F2L_OK, "%s", bf16.reason);
        f2l_buf_init(&again);
        cr_assert_eq(f2l_outline_certificate(&again, &f.outline, f.sha256, &f.err), F2L_OK);
        cr_assert_str_eq(again.data, f.cert.data);
        f2l_buf_clear(&again);
        close_fixture(&f);
    }
}

/* Certificates that are read, and prove nothing. */
Test(outline_product, wrong_content_proves_nothing)
{
    static const char *const change[][2] = {
        {"\nclass 1 2", "\nclass 2 1"},     {"\nclass 1 ", "\nclass 0 "},
        {" stages 2 ", " stages 3 "},       {" stages 2 ", " stages 4000000000 "},
        {"\ndivide 2 1.", "\ndivide 2 2."}, {"\ndivide 2 1.", "\ndivide 2 4000000000."},
        {"\nclaim zeiger", "\nclaim d1"},   {" letters 3", " letters 2"}};
    fixture f;
    open_fixture(&f, false);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        cr_assert_eq(read_with(&f, change[i][0], change[i][1]), F2L_OK, "%s: %s", change[i][1],
                     f.err.text);
        cr_assert_eq(f2l_outline_exact(&f.outline, 0, NULL, &f.err), F2L_OK);
        cr_expect_eq(f.outline.exact.verdict, F2L_UNKNOWN, "%s", change[i][1]);
    }
    close_fixture(&f);
}

/* Certificates that are not read. */
Test(outline_product, refused)
{
    static const char *const change[][2] = {{" parts 2", " parts 1"},
                                            {" parts 2", " parts 3"},
                                            {" parts 2", " parts 4000000000"},
                                            {" blocks ", " blocks 1"},
                                            {" blocks ", " blocks 4000000000"},
                                            {"\nclass 1 ", "\nclass 7 "},
                                            {"\nclass 1 ", "\nclass "},
                                            {"\nclaim zeiger", "\nclaim cascade"},
                                            {"\nclaim zeiger", "\nclaim product"},
                                            {"part 2", "part 3"},
                                            {"divide 2", "divide 3"},
                                            {" classes ", " classes 9"}};
    fixture f;
    open_fixture(&f, false);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        cr_expect_eq(read_with(&f, change[i][0], change[i][1]), F2L_EFORMAT, "%s", change[i][1]);
    }
    close_fixture(&f);
}

#ifdef F2L_MEM_FAILURES
Test(outline_product, memory)
{
    fixture f;
    f2l_status status = F2L_ENOMEM;
    open_fixture(&f, false);
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, n % 2);
        status = f2l_outline_read(&f.outline, &f.model, &f.s.fsa, f.cert.data, f.cert.size,
                                  f.sha256, NULL, NULL);
        f2l_mem_fail_after(0, false);
    }
    cr_assert_eq(status, F2L_OK);
    close_fixture(&f);
}
#endif
