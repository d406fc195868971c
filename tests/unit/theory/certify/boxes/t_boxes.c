/* Boxes that are found: the copy automaton of OL.5, alone and below a second layer, and networks
 * for which there are none. */
#include "models/network/net/net.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/boxes/boxes.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char copy_fsa[] = "fsa 1\n"
                               "letters a b c\n"
                               "states 00 01 10 11\n"
                               "start 00\n"
                               "00 a 00\n00 b 00\n00 c 10\n"
                               "01 a 00\n01 b 01\n01 c 11\n"
                               "10 a 11\n10 b 00\n10 c 10\n"
                               "11 a 11\n11 b 01\n11 c 11\n";
static const char head_text[] =
    "lrnn 2\n"
    "fsa 0000000000000000000000000000000000000000000000000000000000000000\n"
    "field Q\nlabel states\nletters 3\nletter a\nletter b\nletter c\n"
    "labels 4\nsymbol 00\nsymbol 01\nsymbol 10\nsymbol 11\nstart 1\n";
static const char layer_text[] = "letters 3 heads 1 codes 4 symbols 4 decode state\n"
                                 "head 1 key 2 value 1\n"
                                 "initial\n"
                                 "on 1 gate 1 factors 1\n"
                                 "factor 1 u %s\n"
                                 "on 2 gate 1 factors 1\n"
                                 "factor 1 u 2:1\n"
                                 "on 3 gate 1 factors 1\n"
                                 "factor 1 u 2:1 c 1:1\n"
                                 "code 1 1\n"
                                 "code 2 2 1.1:1/2\n"
                                 "code 3 3 2.1:1\n"
                                 "code 4 4 %s\n";
/* Layer 2 holds what it has read. */
static const char second_text[] = "layer 2 letters 4 heads 1 codes 4 symbols 4 decode state\n"
                                  "head 1 key 1 value 1\n"
                                  "initial\n"
                                  "on 1 gate 0 factors 0\n"
                                  "on 2 gate 1 factors 1\n"
                                  "factor 7/8 u 1:1 c 1:1\n"
                                  "on 3 gate 1 factors 1\n"
                                  "factor 1 u 1:1 c 1:2\n"
                                  "on 4 gate 1 factors 1\n"
                                  "factor 1 u 1:1 c 1:3\n"
                                  "code 1 1\n"
                                  "code 2 2 1.1:1\n"
                                  "code 3 3 1.1:2\n"
                                  "code 4 4 1.1:3\n";

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_boxes boxes;
    f2l_closure closure;
} fixture;

static void setup(fixture *f, const char *key, const char *last, const char *second)
{
    f2l_error err = {0};
    f2l_buf text;
    *f = (fixture){0};
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%slayers %d\nlayer 1 ", head_text, second ? 2 : 1);
    f2l_buf_printf(&text, layer_text, key, last);
    f2l_buf_printf(&text, "%send\n", second ? second : "");
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_net_read(&f->net, text.data, text.size, &err), F2L_OK, "%zu: %s", err.line,
                 err.text);
    fsa_from_text(&f->fsa, copy_fsa);
    f2l_buf_clear(&text);
    f2l_closure_init(&f->closure);
    cr_assert(f2l_boxes_apply(&f->net));
    cr_assert_eq(f2l_boxes_close(&f->closure, &f->boxes, &f->net, &f->fsa, 0, NULL, &err), F2L_OK,
                 "%s", err.text);
}

static void teardown(fixture *f)
{
    f2l_closure_clear(&f->closure);
    f2l_boxes_clear(&f->boxes);
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

/* The boxes are those of OL.5; given to the network, they close it. */
static void check_found(fixture *f)
{
    f2l_buf text;
    f2l_error err = {0};
    f2l_closure again;
    cr_assert_eq(f->closure.verdict, F2L_OK, "%s", f->closure.reason);
    cr_assert_eq(f->closure.rows, 4);
    cr_assert_eq(f2l_boxes_give(&f->net, &f->boxes, &err), F2L_OK);
    cr_assert_not(f2l_boxes_apply(&f->net));
    f2l_buf_init(&text);
    cr_assert_eq(f2l_net_write(&text, &f->net, &err), F2L_OK, "%s", err.text);
    cr_assert(strstr(text.data, "box 1 1.1:0,1/10 2.1:0,1/5\n"
                                "box 2 1.1:2/5,1/2 2.1:0,0\n"
                                "box 3 1.1:0,1/10 2.1:1,1\n"
                                "box 4 1.1:2/5,1/2 2.1:4/5,1\n"),
              "%s", text.data);
    f2l_buf_clear(&text);
    f2l_closure_init(&again);
    cr_assert_eq(f2l_closure_exact(&again, &f->net, &f->fsa, 0, NULL, &err), F2L_OK);
    cr_assert_eq(again.verdict, F2L_OK);
    f2l_closure_clear(&again);
}

Test(boxes, of_the_copy_automaton)
{
    fixture f;
    setup(&f, "1:2 2:-1", "1.1:1/2 2.1:1", NULL);
    check_found(&f);
    teardown(&f);
}

Test(boxes, of_two_layers)
{
    fixture f;
    setup(&f, "1:2 2:-1", "1.1:1/2 2.1:1", second_text);
    check_found(&f);
    cr_assert_eq(mpq_cmp_ui(f.net.layer[1].high[1].value[0], 5, 4), 0); /* from 3: 7/8 + 3/8 */
    teardown(&f);
}

Test(boxes, that_are_not_found)
{
    static const struct {
        const char *key, *last;
        f2l_status verdict;
        const char *text; /* the reason, or the label */
    } all[] = {           /* the projection on (1, 1) hands on a half */
               {"1:1 2:-1", "1.1:1/2 2.1:1", F2L_REFUTED, "two nearest codes"},
               {"1:4 2:-3", "1.1:1/2 2.1:1", F2L_UNKNOWN, "reaches the middle"},
               /* after c a the state (2/5, 4/5) is nearest to 01 */
               {"1:2 2:-1", "1.1:3 2.1:1", F2L_REFUTED, "10"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fixture f;
        setup(&f, all[i].key, all[i].last, NULL);
        cr_assert_eq(f.closure.verdict, all[i].verdict, "%zu: %s %s", i, f.closure.reason,
                     f.closure.got);
        const char *said = all[i].verdict == F2L_UNKNOWN ? f.closure.reason : f.closure.got;
        cr_assert(strstr(said, all[i].text), "%zu: %s", i, said);
        cr_assert_null(f.boxes.net.layer);
        teardown(&f);
    }
}
