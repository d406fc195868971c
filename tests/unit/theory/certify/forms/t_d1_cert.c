#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_cases.h"
#include "tests/support/theory/d1_support.h"
#include "theory/certify/forms/form.h"

/* The lines of a clock of one sign, which is 1 at first, and of two elements, which one more
 * letter or code exchanges. */
#define TWO_ELEMENTS \
    "count 0 codes 1\ncount 1 codes 2\ncount 2 codes 1\nwords 0 elements 1\n" \
    "words 1 elements 1 2\n" \
    "element 1 acts 1 2\nelement 2 acts 2 1\ncode 1 means 1\ncode 2 means 2\n" \
    "step 1 1 to 1\nstep 1 2 to 2\nstep 2 1 to 2\nstep 2 2 to 1\nend 2\n"

static void expect_certificate(const fixture *f, const f2l_fsa *original, const uint32_t *classes,
                               const char *body)
{
    f2l_form_verdict v;
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert_eq(f2l_form_d1.verify(&v, &f->net, &f->fsa, NULL, NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_form_d1.certify(&out, &f->net, &v, &f->fsa, original, classes, SHA, &err),
                 F2L_OK, "%s", err.text);
    const char *from = strstr(out.data, "claim");
    cr_assert(from != NULL);
    cr_expect(strncmp(from, body, strlen(body)) == 0, "%s", from);
    cr_expect(strncmp(from + strlen(body), "sha256 ", 7) == 0, "%s", from);
    f2l_buf_clear(&out);
}

Test(d1_cert, certificate)
{
    fixture f;
    f2l_form_verdict v = {.verdict = F2L_UNKNOWN};
    f2l_buf out;
    f2l_buf_init(&out);
    d1_open_family(&f, "symmetric", 3, true, 1);
    strcpy(f.net.fsa_sha256, SHA);
    expect_certificate(&f, &f.fsa, NULL,
                       "claim d1\n"
                       "size layers 4 heads 1 householders 1 key 4 value 2\n"
                       "letters 2 states 6 classes 6 clock 2 block 2 elements 6\n"
                       "class 1 2 3 4 5 6\n"
                       "like 1 2 3 4 5 6\n"
                       "count 0 codes 1 1\n"
                       "count 1 codes 2 2\n"
                       "count 2 codes 1 2\n"
                       "count 3 codes 2 1\n"
                       "count 4 codes 1 1\n"
                       "words 0 elements 1\n"
                       "words 1 elements 2 3\n"
                       "words 2 elements 1 4 5 6\n"
                       "element 1 acts 1 2 3 4 5 6\n"
                       "element 2 acts 2 1 5 6 3 4\n"
                       "element 3 acts 3 4 6 5 2 1\n"
                       "element 4 acts 4 3 2 1 6 5\n"
                       "element 5 acts 5 6 4 3 1 2\n"
                       "element 6 acts 6 5 1 2 4 3\n"
                       "code 1 means 1\n"
                       "code 2 means 4\n"
                       "code 3 means 5\n"
                       "code 4 means 6\n"
                       "code 5 means 3\n"
                       "code 6 means 2\n"
                       "step 1 1 to 1\n"
                       "step 1 2 to 2\n"
                       "step 1 3 to 3\n"
                       "step 1 4 to 6\n"
                       "step 2 1 to 2\n"
                       "step 2 2 to 1\n"
                       "step 2 3 to 5\n"
                       "step 2 4 to 4\n"
                       "step 3 1 to 3\n"
                       "step 3 2 to 4\n"
                       "step 3 3 to 1\n"
                       "step 3 4 to 5\n"
                       "step 4 1 to 4\n"
                       "step 4 2 to 3\n"
                       "step 4 3 to 6\n"
                       "step 4 4 to 2\n"
                       "step 5 1 to 5\n"
                       "step 5 2 to 6\n"
                       "step 5 3 to 2\n"
                       "step 5 4 to 3\n"
                       "step 6 1 to 6\n"
                       "step 6 2 to 5\n"
                       "step 6 3 to 4\n"
                       "step 6 4 to 1\n"
                       "end 6\n");
    cr_expect_eq(f2l_form_d1.certify(&out, &f.net, &v, &f.fsa, &f.fsa, NULL, SHA, NULL),
                 F2L_EDOMAIN);
    f2l_buf_clear(&out);
    d1_done(&f);
}

/* The letters permute four states, but the quotient by the label has two. */
Test(d1_cert, quotient)
{
    fixture f;
    f2l_fsa original;
    uint32_t *classes;
    f2l_rng rng;
    fsa_from_text(&original, "fsa 1\n"
                             "letters a b\n"
                             "states p q r s\n"
                             "start q\n"
                             "accept p q\n"
                             "p a r\n"
                             "q a s\n"
                             "r a p\n"
                             "s a q\n"
                             "p b q\n"
                             "q b p\n"
                             "r b s\n"
                             "s b r\n");
    f2l_fsa_init(&f.fsa);
    cr_assert_eq(f2l_fsa_minimise(&f.fsa, &classes, &original, F2L_LABEL_ACCEPT, NULL, NULL),
                 F2L_OK);
    cr_assert_eq(f.fsa.states.count, 2);
    d1_build(&f, F2L_LABEL_ACCEPT, 1);
    strcpy(f.net.fsa_sha256, SHA);
    check_verified(&f, "quotient");
    f2l_rng_init(&rng, SEED, 3);
    cr_expect_eq(d1_run(&f.net, &original, f2l_format_find("fp16"), 1000, &rng), 0);
    expect_certificate(&f, &original, classes,
                       "claim d1\n"
                       "size layers 3 heads 1 householders 1 key 2 value 2\n"
                       "letters 2 states 4 classes 2 clock 1 block 1 elements 2\n"
                       "class 1 1 2 2\n"
                       "like 1 3\n" TWO_ELEMENTS);
    f2l_free(classes);
    f2l_fsa_clear(&original);
    d1_done(&f);
}

/* Points that are not reachable have no class. */
Test(d1_cert, certificate_of_unreached_states)
{
    fixture f;
    d1_open_text(&f, "fsa 1\npoints 5\ntrack points 4\npermute a (1 2 3)(4 5)\npermute b (1 2)\n",
                 F2L_LABEL_STATES, 1);
    strcpy(f.net.fsa_sha256, SHA);
    check_verified(&f, "two of five");
    expect_certificate(&f, &f.fsa, NULL,
                       "claim d1\n"
                       "size layers 3 heads 1 householders 1 key 2 value 2\n"
                       "letters 2 states 5 classes 2 clock 1 block 1 elements 2\n"
                       "class 0 0 0 1 2\n"
                       "like 4 5\n" TWO_ELEMENTS);
    d1_done(&f);
}
