/* The certificate of claim blocks as text. */
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/theory/d1_support.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/blocks/blocks.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Two bits, of which `a` turns both, `b` the first, and `c` sets the second. */
static const char bits[] = "fsa 1\nstates 00 01 10 11\nstart 00\nletters a b c\n"
                           "00 a 11\n01 a 10\n10 a 01\n11 a 00\n"
                           "00 b 10\n01 b 11\n10 b 00\n11 b 01\n"
                           "00 c 01\n01 c 01\n10 c 11\n11 c 11\n";

/* The second level has a letter for each letter and state of the first. */
static const char body[] = "claim blocks\n"
                           "size layers 5 heads 1 householders 1 key 2 value 3\n"
                           "letters 3 states 4 classes 4 clock 1 block 1 levels 2\n"
                           "class 1 2 3 4\n"
                           "like 1 2 3 4\n"
                           "count 0 codes 1\n"
                           "count 1 codes 2\n"
                           "count 2 codes 1\n"
                           "level 1 nodes 1 elements 3\n"
                           "letter 1 reads 1 from 1 to 1\n"
                           "letter 2 reads 2 from 1 to 1\n"
                           "letter 3 reads 3 from 1 to 1\n"
                           "words 0 elements 1\n"
                           "words 1 elements 1 2 3\n"
                           "element 1 acts 1 2\n"
                           "element 2 acts 2 1\n"
                           "element 3 acts 1 1\n"
                           "code 1 means 1\n"
                           "code 2 means 2\n"
                           "step 1 1 to 1\n"
                           "step 1 2 to 2\n"
                           "step 1 3 to 1\n"
                           "step 2 1 to 2\n"
                           "step 2 2 to 1\n"
                           "step 2 3 to 1\n"
                           "pair 1 1 child 2\n"
                           "pair 1 2 child 1\n"
                           "level 2 nodes 2 elements 2\n"
                           "letter 1 reads 1 from 2 to 1\n"
                           "letter 2 reads 1 from 1 to 2\n"
                           "letter 3 reads 2 from 2 to 2\n"
                           "letter 4 reads 2 from 1 to 1\n"
                           "letter 5 reads 3 from 2 to 2\n"
                           "letter 6 reads 3 from 1 to 2\n"
                           "words 0 elements 1\n"
                           "words 1 elements 1 2\n"
                           "element 1 acts 1 2\n"
                           "element 2 acts 2 1\n"
                           "code 1 means 1\n"
                           "code 2 means 2\n"
                           "step 1 1 to 1\n"
                           "step 1 2 to 2\n"
                           "step 2 1 to 2\n"
                           "step 2 2 to 1\n"
                           "pair 1 1 child 3\n"
                           "pair 1 2 child 1\n"
                           "pair 2 1 child 2\n"
                           "pair 2 2 child 4\n"
                           "end 4\n"
                           "sha256 ";

Test(blocks_cert, certificate)
{
    f2l_fsa fsa;
    f2l_cascade cascade, other;
    f2l_net net;
    f2l_blocks_report report;
    f2l_form_verdict v;
    f2l_buf out;
    f2l_error err = {0};
    fsa_from_text(&fsa, bits);
    f2l_cascade_init(&cascade);
    f2l_cascade_init(&other);
    f2l_net_init(&net);
    f2l_buf_init(&out);
    cr_assert_eq(f2l_cascade_build_smaller(&cascade, &other, NULL, &fsa, 0, NULL, &err), F2L_OK);
    cr_assert_eq(f2l_blocks_build(&net, &report, &cascade, F2L_LABEL_STATES, 1, NULL, &err), F2L_OK,
                 "%s", err.text);
    strcpy(net.fsa_sha256, SHA);
    cr_assert_eq(f2l_form_blocks.verify(&v, &net, &fsa, NULL, NULL, NULL, &err), F2L_OK);
    cr_assert_eq(v.verdict, F2L_OK, "%s", v.reason);
    cr_assert_eq(f2l_form_blocks.certify(&out, &net, &v, &fsa, &fsa, NULL, SHA, &err), F2L_OK, "%s",
                 err.text);
    const char *from = strstr(out.data, "claim");
    cr_assert_not_null(from);
    cr_assert(strncmp(from, body, strlen(body)) == 0, "%s", from);
    f2l_buf_clear(&out);
    f2l_net_clear(&net);
    f2l_cascade_clear(&other);
    f2l_cascade_clear(&cascade);
    f2l_fsa_clear(&fsa);
}
