#include "tests/support/models/net_support.h"

/* An edit, and the place where reading stops after it. */
typedef struct refusal {
    const char *from, *to; /* edit of a sample */
    size_t line, column;
} refusal;

/* Checks that each edit of the sample is refused at its place and for its reason. */
static void expect_refusals(const char *sample, const refusal *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const refusal *r = &edits[i];
        char *text = sample_edited(sample, r->from, r->to);
        f2l_error err;
        f2l_status status = read_status(text, strlen(text), &err);
        cr_expect(status == F2L_EFORMAT && err.line == r->line && err.column == r->column,
                  "%s -> %s: %s at %zu:%zu, not %zu:%zu: %s", r->from, r->to,
                  f2l_status_name(status), err.line, err.column, r->line, r->column, err.text);
        free(text);
    }
}

static const refusal refusals[] = {
    {"lrnn 2", "lrnn 1", 1, 6},
    {"lrnn 2", "lrnn 3", 1, 6},
    {"lrnn 2", "lrnn 10", 1, 6},
    {"lrnn 2\n", "lrnn 2\r\n", 1, 7},
    {"lrnn 2\n", "lrnn 2\n\n", 2, 1},
    {"lrnn 2\n", "\xef\xbb\xbflrnn 2\n", 1, 1},
    {"fsa 0", "fsa g", 2, 5},
    {"fsa 0", "fsa A", 2, 5},
    {"fsa 01", "fsa 0", 2, 68},
    {"fsa 0", "fsa 00", 2, 69},
    {"field Q", "field R", 3, 7},
    {"label outputs", "label output", 4, 7},
    {"label outputs", "label outputs2", 4, 14},
    {"letters 3", "letters 03", 5, 9},
    {"letters 3", "letters 0", 5, 9},
    {"letters 3", "letters 2", 8, 1},
    {"letters 3", "letters 4", 9, 1},
    {"letters 3", "letters 1000000000", 5, 9},
    {"letters 3", "letters 99999999999999999999999", 5, 9},
    {"letters 3", "letters  3", 5, 9},
    {"letter hold", "letter \"hold\"", 6, 8},
    {"letter hold", "letter eps", 6, 8},
    {"letter hold", "letter hold # comment", 6, 8},
    {"letter hold", "letter hold on", 6, 8},
    {"letter hold", "letter  hold", 6, 8},
    {"letter hold", "letter \thold", 6, 8},
    {"letter hold", "letter ", 6, 8},
    {"letter hold", "letter ()", 6, 8},
    {"letter hold", "letter \xff", 6, 8},
    {"letter hold", "letter \"\\u000a\"", 6, 8},
    {"letter hold", "letter \"\\u000Z\"", 6, 8},
    {"letter hold", "letter \"\\u001A\"", 6, 8},
    {"letter hold", "letter \"\\u0000\"", 6, 8},
    {"letter hold", "letter \"\\u0068old\"", 6, 8},
    {"letter hold", "letter \"a \\/\"", 6, 8},
    {"letter hold", "letter \"a \xc3\"", 6, 8},
    {"letter hold", "letter \xed\xa0\x80", 6, 8},
    {"letter hold", "letter right", 8, 8},
    {"letter \"go left\"", "letter go left", 7, 8},
    {"letter \"go left\"", "letter \"go\\u0020left\"", 7, 8},
    {"letter \"go left\"", "letter \"go left", 7, 8},
    {"symbol L0", "symbol L1", 11, 8},
    {"start 3", "start 0", 14, 7},
    {"start 3", "start 5", 14, 7},
    {"layers 1", "layers 0", 15, 8},
    {"layers 1", "layers 1000000000", 15, 8},
    {"layer 1 ", "layer 2 ", 16, 7},
    {"layer 1 letters 3", "layer 1 letters 2", 16, 17},
    {"heads 2", "heads 1000000000", 16, 25},
    {"heads 2", "heads 0", 16, 25},
    {"codes 4", "codes 1000000000", 16, 33},
    {"codes 4", "codes 0", 16, 33},
    {"codes 4 symbols 4", "codes 4 symbols 5", 16, 43},
    {"decode state", "decode stat", 16, 52},
    {"head 1 key 1", "head 2 key 1", 17, 6},
    {"head 1 key 1", "head 1 key 0", 17, 12},
    {"head 1 key 1", "head 1 key 1000000000", 17, 12},
    {"key 2 value 2", "key 2 value 67108864", 23, 20},
    {"initial\n", "initial \n", 18, 8},
    {"on 1 gate 1", "on 2 gate 1", 19, 4},
    {"gate 0 factors 1", "gate -1 factors 1", 20, 11},
    {"gate 0 factors 1", "gate 3/2 factors 1", 20, 11},
    {"gate 0 factors 1", "gate 0 factors 1000000000", 20, 21},
    {"gate 0 factors 1", "gate 0 factors 0", 21, 1},
    {"factor 1 u", "factor 5/2 u", 21, 8},
    {"factor 1 u", "factor -1 u", 21, 8},
    {"factor 1 u", "factor 2/2 u", 21, 8},
    {"factor 1 u", "factor 01 u", 21, 8},
    {"factor 1 u", "factor +1 u", 21, 8},
    {"factor 1 u", "factor 1/1 u", 21, 8},
    {"factor 1 u", "factor 1/0 u", 21, 8},
    {"factor 1 u", "factor 1.0 u", 21, 8},
    {"u 1:1 c 1:1", "u c 1:1", 21, 11},
    {"u 1:1 c 1:1", "u 1:1 c", 21, 17},
    {"u 1:1 c 1:1", "u 1:0 c 1:1", 21, 14},
    {"u 1:1 c 1:1", "u 1:-0 c 1:1", 21, 14},
    {"u 1:1 c 1:1", "u 2:1 c 1:1", 21, 12},
    {"u 1:1 c 1:1", "u 0:1 c 1:1", 21, 12},
    {"u 1:1 c 1:1", "u 1:1 c 2:1", 21, 18},
    {"u 1:1 c 1:1", "u 1:1  c 1:1", 21, 15},
    {"u 1:1 c 1:1", "u 1:1 c 1:1 ", 21, 21},
    {"u 1:3 2:4", "u 2:4 1:3", 27, 16},
    {"u 1:3 2:4", "u 1:3 1:4", 27, 16},
    {"u 1:3 2:4", "u 1:6/2 2:4", 27, 14},
    {"1.1:3 1.2:1/2", "1.2:1/2 1.1:3", 24, 17},
    {"1.1:3 1.2:1/2", "1.1:3 1.3:1/2", 24, 17},
    {"1.1:3 1.2:1/2", "1.1:3 3.1:1/2", 24, 15},
    {"code 1 1", "code 2 1", 29, 6},
    {"code 1 1", "code 1 5", 29, 8},
    {"code 1 1", "code 1 *", 29, 8},
    {"code 3 3 ;", "code 3 3  ;", 31, 10},
    {"code 3 3 ;", "code 3 3", 31, 18},
    {"code 3 3 ; ", "code 3 3 1.1:1 ; ", 31, 1},
    {"\nend\n", "\n", 33, 1},
    {"\nend\n", "\nend", 33, 4},
    {"\nend\n", "\nend\n\n", 34, 1},
    {"\nend\n", "\nend\nlrnn 2\n", 34, 1},
    {"\nend\n", "\nyield 1 1 1\nend\n", 33, 1},
};

Test(net_refuse, every_other_spelling)
{
    expect_refusals(SAMPLE_FLIPFLOP, refusals, sizeof refusals / sizeof *refusals);
}

static const refusal raw_refusals[] = {
    {"raw\n", "raw \n", 15, 4},
    {"raw\n", "raw\nraw\n", 16, 1},
    {"raw\n", "Raw\n", 15, 1},
    {"raw\n", "raw\nform 1.1:2\n", 16, 1},
    {"raw\n", "form 1.1:2\nraw\n", 16, 1},
    {"raw\n", "raw\nfield -1 1 1 interval 0 1\n", 16, 1},
    {"raw\n", "form 1.1:2\n", 18, 22},
    {"factor 1/2 u 1:2", "factor 1/2 u 1:3", 19, 8},
    {"factor 1/2 u 1:2", "factor 1/2 u 1:-200001/100000", 19, 8},
    {"factor 1/2 u 1:2", "factor 33 u 1:1/4", 19, 8},
    {"factor 1/2 u 1:2", "factor -1 u 1:1/4", 19, 8},
    {"bias 1.1:2", "bias", 18, 27},
    {"bias 1.1:2", "bias ", 18, 27},
    {"bias 1.1:2", "bias 1.1:0", 18, 32},
    {"bias 1.1:2", "bias 1.1:2/4", 18, 32},
    {"bias 1.1:2", "bias 1:2", 18, 29},
    {"bias 1.1:2", "bias 2.1:2", 18, 28},
    {"bias 1.1:2", "bias 1.2:2", 18, 30},
    {"bias 1.1:2", "bias 1.1:2 ", 18, 33},
    {"bias 1.1:2", "bias 1.1:2 1.1:2", 18, 34},
    {"bias 1.1:2", " bias 1.1:2", 18, 23},
    {"bias 2.2:1", "bias 2.2:1 1.1:1", 23, 36},
};

Test(net_refuse, every_other_spelling_of_raw_heads_and_biases)
{
    expect_refusals(SAMPLE_RAW, raw_refusals, sizeof raw_refusals / sizeof *raw_refusals);
    char *text =
        sample_edited(SAMPLE_FIELD, "on 1 gate 1 factors 2", "on 1 gate 1 factors 2 bias 1.1:1");
    f2l_error err;
    cr_expect(read_status(text, strlen(text), &err) == F2L_EFORMAT && err.column == 22);
    free(text);
}

static const refusal edge_refusals[] = {
    {"label edges", "label states", 13, 7},
    {"label edges", "label edge", 4, 7},
    {"start -", "start 1", 13, 7},
    {"start -", "start", 13, 1},
    {"start -", "start - ", 13, 8},
    {"letter-classes 2 1 1 2\n", "", 14, 17},
    {"letter-classes 2", "letter-classes 3", 9, 16},
    {"letter-classes 2", "letter-classes 1", 9, 22},
    {"letter-classes 2", "letter-classes 0", 9, 16},
    {"letter-classes 2", "letter-classes 02", 9, 16},
    {"2 1 1 2", "2 1 1 1", 9, 23},
    {"2 1 1 2", "2 2 1 2", 9, 18},
    {"2 1 1 2", "2 1 3 2", 9, 20},
    {"2 1 1 2", "2 1 2 2 ", 9, 23},
    {"2 1 1 2", "2 1 2", 9, 21},
    {"2 1 1 2", "2 1 1 2 2", 9, 23},
    {"2 1 1 2\n", "2 1 1 2\nletter-classes 2 1 1 2\n", 10, 1},
};

Test(net_refuse, every_other_spelling_of_edges_and_classes)
{
    expect_refusals(SAMPLE_EDGES, edge_refusals, sizeof edge_refusals / sizeof *edge_refusals);
    expect_refusals(SAMPLE_PARITY, &(refusal){"start 1", "start -", 11, 7}, 1);
    expect_refusals(SAMPLE_PARITY,
                    &(refusal){"labels 2",
                               "letter-classes 2 1 2\n"
                               "labels 2",
                               8, 16},
                    1);
}

static const refusal part_refusals[] = {
    {"decode part", "decode parts", 14, 56},
    {"decode part", "decode state", 15, 1},
    {"parts 2 3\n", "", 15, 1},
    {"parts 2 3", "parts", 15, 6},
    {"parts 2 3", "parts 2 3 ", 15, 11},
    {"parts 2 3", "parts 0 3", 15, 7},
    {"parts 2 3", "parts 02 3", 15, 7},
    {"parts 2 3", "parts 2 4", 31, 16},
    {"parts 2 3", "parts 2 2", 31, 14},
    {"parts 2 3", "parts 2", 27, 9},
    {"parts 2 3", "parts 2 3 1", 27, 11},
    {"parts 2 3", "parts 1 3", 29, 8},
    {"parts 2 3", "parts 2 268435456", 31, 16},
    {"parts 2 3", "parts 2 268435457", 15, 9},
    {"parts 2 3", "parts 2 99999999999999999999999", 15, 9},
    {"parts 2 3", "parts 2 -3", 15, 9},
    {"parts 2 3\n", "parts 2 3\nparts 2 3\n", 16, 1},
    {"code 2 1,2", "code 2 1", 28, 9},
    {"code 2 1,2", "code 2 1,4", 28, 10},
    {"code 2 1,2", "code 2 1,0", 28, 10},
    {"code 2 1,2", "code 2 3,2", 28, 8},
    {"code 2 1,2", "code 2 1,-", 28, 10},
    {"code 2 1,2", "code 2 1, 2", 28, 10},
    {"code 2 1,2", "code 2 1 2", 28, 9},
    {"code 2 1,2", "code 2 1,2,1", 28, 11},
    {"code 2 1,2", "code 2 *", 28, 8},
    {"code 2 1,2", "code 2 -", 28, 8},
    {"code 2 1,2 1.1:1 2.1:1 3.1:-1 4.1:-1", "code 2 1,2 1.1:1 2.1:1 3.1:1 4.1:1", 28, 1},
    {"yield 1 2 1 2 -", "yield 2 2 1 2 -", 31, 7},
    {"yield 1 2 1 2 -", "yield 1 0 1 2 -", 31, 9},
    {"yield 1 2 1 2 -", "yield 1 3 1 2 -", 31, 9},
    {"yield 1 2 1 2 -", "yield 1 1 1 2 -", 31, 14},
    {"yield 1 2 1 2 -", "yield 1 2 1 2", 31, 14},
    {"yield 1 2 1 2 -", "yield 1 2 1 2 - ", 31, 16},
    {"yield 1 2 1 2 -", "yield 1 2 1 2 - -", 31, 16},
    {"yield 1 2 1 2 -", "yield 1 2 1 3 -", 31, 13},
    {"yield 1 2 1 2 -", "yield 1 2 1 0 -", 31, 13},
    {"yield 1 2 1 2 -", "yield 1 2 1 * -", 31, 13},
    {"yield 1 2 1 2 -", "yield 1 2 1,2 -", 31, 12},
    {"yield 1 2 1 2 -\n", "", 31, 7},
    {"yield 3 1 1 2\n", "", 33, 1},
    {"yield 3 1 1 2\n", "yield 3 1 1 2\nyield 4 1 1 2\n", 34, 1},
};

Test(net_refuse, every_other_spelling_of_parts)
{
    expect_refusals(SAMPLE_PARTS, part_refusals, sizeof part_refusals / sizeof *part_refusals);
}

static const refusal field_refusals[] = {
    {"field -1 1 1 interval 0 1\n",
     "field -1 1 1 interval 0 1\n"
     "field -1 1 1 interval 0 1\n",
     15, 1},
    {"field -1 1 1 interval 0 1", "field", 14, 1},
    {"field -1 1 1 interval 0 1", "field ", 14, 7},
    {"field -1 1 1 interval 0 1", "field Q", 14, 7},
    {"field -1 1 1 interval 0 1", "field  -1 1 1 interval 0 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 1 1 interval 0 1 ", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 1 1 interval 0 2/2", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 1 1 interval 1 2", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 1 1 interval -2 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 1 2 interval 0 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1 0 4 interval 0 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field -2 1 1 interval 0 2", 14, 7},
    {"field -1 1 1 interval 0 1", "field -1/1 1 1 interval 0 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field 0 1 interval -1 1", 14, 7},
    {"field -1 1 1 interval 0 1", "field 1 1 interval -2 0", 14, 7},
    {"field -1 1 1 interval 0 1\n", "", 14, 16},
    {"key 2 value 1\nfield", "key 2 value 524289\nfield", 14, 7},
    {"key 2 value 1\nfield", "key 257 value 1\nfield", 14, 7},
    {"key 2 value 2\nform", "key 257 value 2\nform", 21, 1},
    {"key 2 value 2\nform", "key 2 value 524289\nform", 21, 1},
    {"key 2 value 2\nform", "key 3 value 2\nform", 21, 1},
    {"form 1.1:2 1.2:0,1 2.2:2\n", "form 1.1:2 1.2:0,1 2.2:2\nform 1.1:2 2.2:2\n", 16, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form ", 15, 5},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0,1", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.2:0,1 2.2:2", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0,1 2.1:0,1 2.2:2", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 2.1:0,1 2.2:2", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 2.2:2 1.2:0,1", 15, 18},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.3:0,1 2.2:2", 15, 14},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0,1 2.2:0,-1", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0,4 2.2:2", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:2 2.2:2", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:1 2.2:1", 15, 1},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0 2.2:2", 15, 16},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2 1.2:0,1,1 2.2:2", 15, 20},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2,0 1.2:0,1 2.2:2", 15, 12},
    {"form 1.1:2 1.2:0,1 2.2:2", "form 1.1:2, 1.2:0,1 2.2:2", 15, 12},
    {"form 1.1:2 1.2:-1 2.2:2", "form 1.1:2 1.2:0,-1 2.2:2", 21, 16},
    {"field -1 1 1 interval 0 1\nform 1.1:2 1.2:0,1 2.2:2\n",
     "form 1.1:2 1.2:1 2.2:2\nfield -1 1 1 interval 0 1\n", 15, 1},
    {"u 2:1/2,-3", "u 2:1/2,-3,1", 19, 23},
    {"u 2:1/2,-3", "u 2:1/2,-3,", 19, 23},
    {"u 2:1/2,-3", "u 2:1/2,0", 19, 20},
    {"u 2:1/2,-3", "u 2:0,0", 19, 18},
    {"u 2:1/2,-3", "u 2:0", 19, 16},
    {"u 2:1/2,-3", "u 2:,-3", 19, 16},
    {"u 2:1/2,-3", "u 2:1/2,,-3", 19, 20},
    {"u 2:1/2,-3", "u 2:1/2, -3", 19, 20},
    {"u 2:1/2,-3", "u 2:1/2,6/-2", 19, 20},
    {"u 2:1/2,-3", "u 3:1/2,-3", 19, 14},
    {"c 1:0,1", "c 1:0,0", 19, 29},
    {"c 1:0,1", "c 2:0,1", 19, 25},
    {"factor 1/2 u", "factor 1/2,1 u", 19, 8},
    {"factor 2 u 1:1\ncode", "factor 2 u 1:1,1\ncode", 24, 14},
    {"gate 1 factors 2", "gate 1,0 factors 2", 17, 11},
    {"code 2 2 2.1:1/3,1 ;", "code 2 2 2.1:1/3,1 ; 1.1:0,1", 26, 26},
    {"code 2 2 2.1:1/3,1 ;", "code 2 2 1.1:1 ; 1.2:1/2 2.1:-1", 26, 1},
};

Test(net_refuse, every_other_spelling_of_fields_and_forms)
{
    expect_refusals(SAMPLE_FIELD, field_refusals, sizeof field_refusals / sizeof *field_refusals);
}

Test(net_refuse, bad_yield_lines)
{
    static const char *const edits[][2] = {
        {"yield 1 1 1\n", "yield 1 2 2\n"}, {"yield 1 1 1\n", "yield 1 1 13\n"},
        {"yield 1 1 1\n", "yield 7 1 1\n"}, {"yield 1 1 1\n", "yield 1 3 1\n"},
        {"yield 1 1 1\n", "yield 1 1 -\n"}, {"yield 1 1 1\n", "yield 1 1\n"},
        {"code 1 *", "code 1 1"},           {"code 1 *", "code 1 -"}};
    f2l_net net;
    f2l_error err;
    sample_s3_layers(&net);
    char *text = text_of(&net);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *bad = sample_edited(text, edits[i][0], edits[i][1]);
        cr_expect(read_status(bad, strlen(bad), &err) == F2L_EFORMAT, "%s", edits[i][1]);
        free(bad);
    }
    char *fewer = sample_edited(text, "yield 1 1 1\n", ""); /* undefined pairs are allowed */
    cr_expect(read_status(fewer, strlen(fewer), &err) == F2L_OK);
    free(fewer);
    free(text);
    f2l_net_clear(&net);
}

Test(net_refuse, a_number_that_is_too_long)
{
    char digits[4200] = "letter";
    f2l_error err;
    memset(digits, '7', sizeof digits - 1);
    digits[4199] = '\0';
    char *text = sample_edited(SAMPLE_PARITY, "u 1:1", "u 1:@"),
         *bad = sample_edited(text, "@", digits);
    cr_assert(read_status(bad, strlen(bad), &err) == F2L_EFORMAT && err.line == 18 &&
              err.column == 14);
    free(text);
    free(bad);
}
