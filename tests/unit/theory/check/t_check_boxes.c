/* Layers with boxes in lrnn-check: accepted texts, and texts that must be refused. */
#include "tests/support/check/check_support.h"

/* Two numbers, the first of which changes sign and is halved; a second head that is kept. */
static const char good[] = "lrnn 2\n"
                           "fsa 0\n"
                           "field Q\n"
                           "label states\n"
                           "letters 1\n"
                           "letter x\n"
                           "labels 2\n"
                           "symbol a\n"
                           "symbol b\n"
                           "start 1\n"
                           "layers 1\n"
                           "layer 1 letters 1 heads 2 codes 2 symbols 2 decode step\n"
                           "head 1 key 2 value 1\n"
                           "initial 1.1:1\n"
                           "on 1 gate 1 factors 1\n"
                           "factor 3/2 u 1:1 2:1\n"
                           "head 2 key 1 value 1\n"
                           "initial 1.1:3\n"
                           "on 1 gate 1 factors 0\n"
                           "code 1 * 1.1:1 ; 1.1:3\n"
                           "code 2 * 1.1:-1 ; 1.1:3\n"
                           "box 1 1.1:1/2,1 2.1:-1,0 ; 1.1:3,7/2\n"
                           "box 2 1.1:-1,-1/4 2.1:-2,0 ; 1.1:3,4\n"
                           "yield 1 1 1\n"
                           "yield 1 2 2\n"
                           "end\n";

Test(check_boxes, networks)
{
    static const char *const change[][2] = {
        {"box 1 1.1:1/2,1", "box 2 1.1:1/2,1"},
        {"box 1 1.1:1/2,1", "box 1 1.1:1/2"},
        {"box 1 1.1:1/2,1", "box 1 1.1:2/4,1"},
        {"box 1 1.1:1/2,1", "box 1 1.1:1/2,1 1.2:0,0"},
        {"box 1 1.1:1/2,1 ", "box 1 "},
        {" 2.1:-1,0 ;", " ;"},
        {" 2.1:-1,0 ;", " 2.1:-1,0"},
        {"7/2\nbox 2", "7/2 \nbox 2"},
        {"box 2 1.1:-1,-1/4 2.1:-2,0 ; 1.1:3,4\n", ""},
        {"3,4\nyield", "3,4\nbox 3 1.1:5,5 2.1:0,0 ; 1.1:3,7/2\nyield"},
        {"1.1:1/2,1 ", "1.1:0,1 "},     /* the middle of 1 and -1 */
        {"1.1:1/2,1 ", "1.1:1/2,3/4 "}, /* does not contain the code */
        {"1.1:1/2,1 ", "1.1:5/4,2 "},
        {"1.1:1/2,1 ", "1.1:1,1/2 "},
        {"1.1:-1,-1/4", "1.1:-1,1/4"},
        {"1.1:-1,-1/4", "1.1:-1/2,-1/4"},
        {"2.1:-1,0 ; 1.1:3,7/2\nbox", "2.1:1,2 ; 1.1:3,7/2\nbox"},
        {"key 2 value 1\ninitial", "key 2 value 1\nform 1.1:2 2.2:1\ninitial"},
    };
    refuses_each(good, change, sizeof change / sizeof *change);
}

/* Codes whose boxes no number keeps apart: the second number of code 2 is between those of codes 1
 * and 3, and only the sum of squares tells which is nearest. */
static const char slanted[] = "lrnn 2\n"
                              "fsa 0\n"
                              "field Q\n"
                              "label states\n"
                              "letters 1\n"
                              "letter x\n"
                              "labels 2\n"
                              "symbol a\n"
                              "symbol b\n"
                              "start 1\n"
                              "layers 1\n"
                              "layer 1 letters 1 heads 1 codes 3 symbols 2 decode state\n"
                              "head 1 key 2 value 1\n"
                              "initial 1.1:3\n"
                              "on 1 gate 1 factors 1\n"
                              "factor 1 u 1:1 2:-1\n"
                              "code 1 1 1.1:3\n"
                              "code 2 2 1.1:2 2.1:5\n"
                              "code 3 2 1.1:-4 2.1:1\n"
                              "box 1 1.1:1,4 2.1:0,1\n"
                              "box 2 1.1:0,2 2.1:4,5\n"
                              "box 3 1.1:-4,-3 2.1:0,3\n"
                              "end\n";

Test(check_boxes, slanted)
{
    static const char *const change[][2] = {
        {"2.1:4,5\nbox 3", "2.1:2,5\nbox 3"},      /* 0, 2 is nearer to 3, 0 */
        {"1.1:1,4 2.1:0,1", "1.1:1,4 2.1:0,5/2"},  /* 1, 5/2 is nearer to 2, 5 */
        {"1.1:1,4 2.1:0,1", "1.1:0,4 2.1:0,11/5"}, /* 0, 11/5 is as near to both */
        {"1.1:1,4 2.1:0,1", "1.1:4,1 2.1:0,1"},     {"1.1:1,4 2.1:0,1", "1.1:1,4 2.1:1,0"},
        {"1.1:-4,-3 2.1:0,3", "1.1:-3,-3 2.1:0,3"}, /* without its code */
        {"box 2 1.1:0,2", "box 2 1.1:0,1"},
    };
    cr_assert_eq(status_of(read_one_network, slanted), 0);
    refuses_each(slanted, change, sizeof change / sizeof *change);
}

/* Without boxes the same network is read, and keys may have any number of entries. */
Test(check_boxes, points)
{
    char plain[sizeof good];
    const char *from = strstr(good, "box 1"), *to = strstr(good, "yield");
    snprintf(plain, sizeof plain, "%.*s%s", (int)(from - good), good, to);
    cr_assert_eq(status_of(read_one_network, plain), 0);
    static const char *const change[][2] = {{"end\n", ""}};
    refuses_each(plain, change, 1);
}
