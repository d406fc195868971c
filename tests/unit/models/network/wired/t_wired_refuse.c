#include "tests/support/models/wired_samples.h"
#include "tests/support/models/wired_text_support.h"

typedef struct refusal {
    const char *from, *to; /* edit of SAMPLE_WIRED */
    size_t line, column;
    const char *says; /* part of the text, or NULL */
} refusal;

static const refusal refusals[] = {
    /* the preamble; the test of ordinary networks has more cases */
    {"lrnn-wired 2", "lrnn 2", 1, 1, "expected `lrnn-wired`"},
    {"lrnn-wired 2", "lrnn-wired 1", 1, 12,
     "format version 1 is no longer read: this program reads lrnn-wired 2 (compile again)"},
    {"lrnn-wired 2", "lrnn-wired 3", 1, 12, NULL},
    {"lrnn-wired 2\n", "lrnn-wired 2\r\n", 1, 13, NULL},
    {"fsa 0", "fsa g", 2, 5, NULL},
    {"label states", "label state", 3, 7, NULL},
    {"label states\n", "field Q\nlabel states\n", 3, 1, NULL},
    {"letters 3", "letters 2", 7, 1, NULL},
    {"letter inc", "letter hold", 6, 8, "twice"},
    {"symbol 3", "symbol 2", 12, 8, "twice"},
    {"start 1", "start 5", 13, 7, "from 1 to 4"},
    {"start 1", "start 0", 13, 7, NULL},
    {"start 1", "start -", 13, 7, NULL},
    {"label states", "label edges", 13, 7, "expected `-`"},
    {"labels 4", "letter-classes 2 1 2 2\nlabels 4", 72, 15, "input 1 has 3 values but is given 2"},
    {"labels 4", "letter-classes 2 1 3 2\nlabels 4", 8, 20, NULL},
    /* tables */
    {"tables 5", "tables 1000000", 14, 8, "can hold"},
    {"tables 5", "tables 4", 19, 1, "expected `blocks`"},
    {"tables 5", "tables 6", 20, 1, "expected `table`"},
    {"table 2 ", "table 3 ", 16, 7, "must be 2 here"},
    {"table 2 inputs 3", "table 2 inputs 0", 16, 16, NULL},
    {"table 2 inputs 3", "table 2 inputs 4294967295", 16, 16, "from 1 to 4294967294"},
    {"table 2 inputs 3", "table 2 inputs 4294967294", 16, 43, "can hold"},
    {"table 2 inputs 3", "table 2 inputs 65536 65536 65536 65536 65536", 16, 62, "can hold"},
    {"table 2 inputs 3", "table 2 inputs  3", 16, 16, "values"},
    {"table 2 inputs 3", "table 2 inputs", 16, 34, "end of the line"},
    {"table 2 inputs 3", "table 2 inputs 2", 16, 38, "end of the line"},
    {"table 2 inputs 3", "table 2 inputs 4", 16, 40, NULL},
    {"values 2 entries 1 1 2", "values 1 entries 1 1 2", 16, 39, "must be 1 here"},
    {"values 2 entries 1 1 2", "values 0 entries 1 1 2", 16, 25, NULL},
    {"values 2 entries 1 1 2", "values 2 entries 1 0 2", 16, 37, NULL},
    {"values 2 entries 1 1 2", "values 2 entries 1 01 2", 16, 37, NULL},
    {"values 2 entries 1 1 2", "values 2 entry 1 1 2", 16, 27, NULL},
    {"inputs values 4 entries 1", "inputs values 4 entries", 15, 32, NULL},
    {"inputs values 4 entries 1", "inputs values 4 entries 1 ", 15, 34, NULL},
    /* blocks */
    {"blocks 3", "blocks 0", 20, 8, NULL},
    {"blocks 3", "blocks 100", 20, 8, "can hold"},
    {"blocks 3", "blocks 4", 70, 1, "expected `block`"},
    {"block 2 inputs", "block 3 inputs", 28, 7, NULL},
    {"block 1 inputs 3", "block 1 inputs", 21, 15, "at least one input"},
    {"block 1 inputs 3", "block 1 inputs 0", 21, 16, NULL},
    {"block 1 inputs 3", "block 1 inputs 3 ", 21, 17, NULL},
    {"pre 1\ngate 2 1", "pre 1000000\ngate 2 1", 29, 5, "can hold"},
    {"pre 1\ngate 2 1", "pre 0\ngate 2 1", 30, 1, "expected `heads`"},
    {"gate 2 1", "gate 6 1", 30, 6, "from 1 to 5"},
    {"gate 2 1", "gate 0 1", 30, 6, NULL},
    {"gate 2 1", "gate 2 3", 30, 8, "from 1 to 2"},
    {"gate 2 1", "gate 2 2", 30, 8, "wire 2 has 4 values, and the table wants 3"},
    {"gate 2 1", "gate 2", 30, 7, NULL},
    {"gate 2 1", "gate 2 1 1", 30, 9, "end of the line"},
    /* heads */
    {"heads 2", "heads 1000000", 31, 7, "can hold"},
    {"heads 2", "heads 1", 43, 1, NULL},
    {"heads 2", "heads 3", 49, 1, NULL},
    {"head 1 key 2", "head 2 key 2", 32, 6, NULL},
    {"head 1 key 2", "head 1 key 0", 32, 12, NULL},
    {"head 1 key 2", "head 1 key 67108865", 32, 12, NULL},
    {"key 1 value 2", "key 1 value 0", 43, 20, NULL},
    {"key 1 value 2", "key 2 value 33554433", 43, 20, "from 1 to 33554432"},
    {"value 1 slots 2", "value 1 slots 0", 32, 28, NULL},
    {"value 1 slots 2", "value 1 slots 1000000", 32, 28, "can hold"},
    {"value 1 slots 2", "value 1", 32, 21, "slots"},
    {"slot 2 wire 3", "slot 1 wire 3", 39, 6, NULL},
    {"slot 2 wire 3", "slot 2 wire 4", 39, 13, "from 1 to 3"},
    {"slot 2 wire 3", "slot 2 wire 0", 39, 13, NULL},
    {"slot 2 wire 3", "slot 2 wire 1", 43, 1, "expected `on`"},
    {"slot 2 wire 3\non 1", "slot 2 wire 3\non 2", 40, 4, "the value must be 1 here"},
    {"factor 1 u 1:1 c 1:1\n"
     "slot 2 wire 3",
     "factor 1 u 1:1 c 1:1\n"
     "on 4 gate 1 factors 0\n"
     "slot 2 wire 3",
     39, 1, "expected `slot`"},
    {"on 2 gate 0 factors 1", "on 2 gate 3/2 factors 1", 46, 11, NULL},
    {"on 2 gate 0 factors 1", "on 2 gate 0 factors 100000", 46, 21, "can hold"},
    {"factor 1 u 1:3 c 2:-3", "factor 3 u 1:3 c 2:-3", 47, 8, NULL},
    {"factor 1 u 1:3 c 2:-3", "factor 1 u 2:3 c 2:-3", 47, 12, NULL},
    {"factor 1 u 1:3 c 2:-3", "factor 1 u 1:3 c 3:-3", 47, 18, NULL},
    {"factor 1 u 1:3 c 2:-3", "factor 1 u c 2:-3", 47, 11, NULL},
    /* readouts */
    {"readouts 3", "readouts 1", 49, 10, NULL},
    {"readouts 3", "readouts 100000", 49, 10, "can hold"},
    {"readouts 3", "readouts 2", 56, 1, "row 1 of head 2 has no readout"},
    {"readouts 3", "readouts 4", 59, 1, "expected `readout`"},
    {"readouts 0", "readouts 1", 26, 1, "expected `readout`"},
    {"heads 0\n"
     "readouts 0",
     "heads 0\n"
     "readouts 1\n"
     "readout 1 head 1 rows 1 1 codes 1\n"
     "code 1",
     26, 10, "every row"},
    {"readout 2 head 1", "readout 3 head 1", 53, 9, NULL},
    {"readout 2 head 1", "readout 2 head 2", 53, 16, "must be 1 here"},
    {"rows 2 2", "rows 1 2", 53, 23, "the first row must be 2 here"},
    {"rows 2 2", "rows 2 1", 53, 25, NULL},
    {"rows 2 2", "rows 2 3", 53, 25, NULL},
    {"rows 2 2", "rows 2", 53, 25, "the last row"},
    {"head 1 rows 1 1 codes 2\n", "head 1 rows 1 2 codes 2\n", 53, 16, "the head must be 2 here"},
    {"rows 2 2 codes 2", "rows 2 2 codes 0", 53, 33, NULL},
    {"rows 2 2 codes 2", "rows 2 2 codes 100000", 53, 33, "can hold"},
    {"rows 2 2 codes 2", "rows 2 2 codes 1", 55, 1, NULL},
    {"code 1\ncode 2 1.1:5/2", "code 2\ncode 2 1.1:5/2", 54, 6, NULL},
    {"code 1\ncode 2 1.1:5/2", "code 1\ncode 2 2.1:5/2", 55, 8, NULL},
    {"code 1\ncode 2 1.1:5/2", "code 1\ncode 2 1.2:5/2", 55, 10, NULL},
    {"code 1\ncode 2 1.1:5/2", "code 1 1.1:5/2\ncode 2 1.1:5/2", 55, 1, "code 2 equals code 1"},
    {"code 1\ncode 2 1.1:5/2", "code 1\ncode 2", 55, 1, "equals"},
    /* post gates and outputs */
    {"post 2", "post 1", 61, 1, "expected `outputs`"},
    {"post 2", "post 3", 62, 1, "expected `gate`"},
    {"gate 3 1 4", "gate 3 1 7", 60, 10, "from 1 to 6"},
    {"gate 4 2 4", "gate 4 2 7", 61, 10, "wire 7 has 3 values, and the table wants 2"},
    {"outputs 7 8", "outputs 7 9", 62, 11, "from 1 to 8"},
    {"outputs 7 8", "outputs 7 0", 62, 11, NULL},
    {"outputs 7 8", "outputs", 62, 8, NULL},
    {"outputs 7 8", "outputs 7 8 ", 62, 13, NULL},
    /* stages */
    {"stages 4", "stages 0", 70, 8, NULL},
    {"stages 4", "stages 1000", 70, 8, "can hold"},
    {"stages 4", "stages 3", 75, 15, "the last stage"},
    {"stages 4", "stages 5", 79, 1, "expected `stage`"},
    {"stage 2 block", "stage 3 block", 72, 7, NULL},
    {"stage 2 block 2", "stage 2 block 4", 72, 15, "from 1 to 3"},
    {"stage 1 block 1", "stage 1 block 2", 71, 15, "stage 1 takes 2 wires but is given 1"},
    {"stage 2 block 2", "stage 2 block 1", 72, 15, "stage 2 takes 1 wires but is given 2"},
    {"outputs 7 8", "outputs 3 8", 75, 15, "stage 3: input 1 has 3 values but is given 2"},
    {"block 1 inputs 3", "block 1 inputs 4", 71, 15,
     "stage 1: input 1 has 4 values but is given 3"},
    {"post 0\noutputs 3\n", "post 0\noutputs 1\n", 78, 15, "the last stage"},
    {"post 0\noutputs 3\n", "post 0\noutputs 3 3\n", 78, 15, "the last stage"},
    {"initial 1.1:1\ninitial\n", "initial 1.1:1\n", 74, 1, "expected `initial`"},
    {"initial 1.1:1\ninitial\n", "initial 1.1:1\ninitial\ninitial\n", 75, 1, "expected `stage`"},
    {"initial 1.1:1\ninitial\n", "initial 3.1:1\ninitial\n", 73, 9, NULL},
    {"initial 1.1:1\ninitial\n", "initial 1.2:1\ninitial\n", 73, 11, NULL},
    {"initial 1.1:1\ninitial\n", "initial 1.1:1\ninitial 1.3:1\n", 74, 11, NULL},
    {"initial 1.1:1\ninitial\n", "initial 1.1:0\ninitial\n", 73, 13, NULL},
    {"\nend\n", "\n", 79, 1, NULL},
    {"\nend\n", "\nend", 79, 4, NULL},
    {"\nend\n", "\nend\n\n", 80, 1, "nothing may follow"},
    {"\nend\n", "\ninitial\nend\n", 79, 1, NULL},
};

Test(wired_refuse, refuses_every_other_spelling)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        char *text = sample_edited(SAMPLE_WIRED, r->from, r->to);
        f2l_error err;
        f2l_status status = wired_read_status(text, strlen(text), &err);
        cr_expect(status == F2L_EFORMAT && err.line == r->line && err.column == r->column,
                  "%s -> %s: %s at %zu:%zu, not %zu:%zu: %s", r->from, r->to,
                  f2l_status_name(status), err.line, err.column, r->line, r->column, err.text);
        cr_expect(r->says == NULL || strstr(err.text, r->says) != NULL, "%s -> %s: %s", r->from,
                  r->to, err.text);
        free(text);
    }
}

Test(wired_refuse, refuses_every_beginning)
{
    f2l_error err;
    for (size_t n = 0; n < strlen(SAMPLE_WIRED); n++)
        cr_assert(wired_read_status(SAMPLE_WIRED, n, &err) == F2L_EFORMAT && err.line > 0,
                  "%zu bytes", n);
    cr_assert(wired_read_status(SAMPLE_WIRED, strlen(SAMPLE_WIRED), &err) == F2L_OK);
}

/* A wire whose state needs more transitions than the file holds, and a gate whose table has more
 * inputs than it holds, are refused before memory is allocated. */
Test(wired_refuse, claims_of_size_are_checked_against_the_file)
{
    f2l_error err;
    char *text =
        sample_edited(SAMPLE_WIRED, "block 2 inputs 3 4\n", "block 2 inputs 4294967294 4\n");
    char *bare = sample_edited(text, "pre 1\ngate 2 1\n", "pre 0\n");
    cr_assert(wired_read_status(bare, strlen(bare), &err) == F2L_EFORMAT && err.line == 32 &&
              err.column == 13);
    cr_assert(strstr(err.text, "transitions for the 4294967294 values of wire 1") != NULL, "%s",
              err.text);
    free(text);
    free(bare);
    f2l_buf wide;
    f2l_buf_init(&wide);
    f2l_buf_text(&wide, "table 1 inputs");
    for (size_t i = 0; i < 2000; i++) f2l_buf_text(&wide, " 1");
    text = sample_edited(SAMPLE_WIRED, "table 1 inputs", wide.data);
    cr_assert(wired_read_status(text, strlen(text), &err) == F2L_EFORMAT && err.line == 23 &&
              err.column == 1);
    cr_assert(strstr(err.text, "more wires than the rest") != NULL, "%s", err.text);
    free(text);
    f2l_buf_clear(&wide);
}
