#include "numeric/base/mem.h"
#include "numeric/json/members.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

typedef enum colour { RED, GREEN } colour;

typedef struct thing {
    size_t width;
    uint64_t steps;
    uint32_t seed;
    double rate, loss, constant;
    bool bias, late;
    char name[6], hash[4];
    colour colour;
    struct {
        double seconds;
    } timing;
    const size_t *length;
    const double *weight;
    size_t lengths, weights;
    json_t *list, *more;
} thing;

static const char *colour_name(size_t i)
{
    static const char *const name[] = {"red", "green"};
    return i < 2 ? name[i] : NULL;
}

#define ROW(...) F2L_MEMBER(thing, __VA_ARGS__)
static const f2l_member timing_rows[] = {
    {"seconds", F2L_REAL, 0, 0, sizeof(double), 0, F2L_IN(0, DBL_MAX), 0, NULL, NULL}};
static const f2l_members timing = F2L_MEMBERS(timing_rows);
static const f2l_member rows[] = {
    ROW(width, F2L_IN(1, 64)),
    ROW(steps, F2L_IN(0, 0x1p53)),
    ROW(seed, F2L_ANY),
    ROW(rate, F2L_POSITIVE),
    ROW(loss, .how = F2L_NULL),
    ROW(constant, F2L_IN(0, 1), .how = F2L_MAY_MISS | F2L_SKIP_NAN),
    ROW(bias, F2L_ANY),
    ROW(late, .how = F2L_MAY_MISS | F2L_SKIP_ZERO),
    ROW(name, F2L_ANY),
    ROW(hash, .how = F2L_NULL, .least = 3),
    F2L_MEMBER_ONE_OF("colour", thing, colour, colour_name, F2L_ANY),
    F2L_MEMBER_PART("timing", offsetof(thing, timing), &timing, F2L_ANY),
    F2L_MEMBER_LIST("lengths", thing, length, lengths, F2L_IN(1, 9)),
    F2L_MEMBER_LIST("weights", thing, weight, weights, F2L_IN(0, DBL_MAX), .how = F2L_NULL),
    ROW(list, .how = F2L_IS_LIST, .least = 1),
    ROW(more, .how = F2L_IS_OBJECT | F2L_MAY_MISS)};
static const f2l_members things = F2L_MEMBERS(rows);

#define BEGIN "{\"width\":64,\"steps\":9007199254740992,\"seed\":4294967295,\"rate\":0.1,"
#define WRITTEN \
    BEGIN "\"loss\":null,\"bias\":true,\"name\":\"a\\\"b\",\"hash\":null,\"colour\":\"green\"," \
          "\"timing\":{\"seconds\":2},\"lengths\":[2,9],\"weights\":[0.1,1]"
static const char whole[] = WRITTEN ",\"list\":[1]}";

static f2l_status read_text(thing *t, const char *text, f2l_error *err)
{
    f2l_status status;
    json_t *object = f2l_json_load(&status, text, strlen(text), "the text", err);
    *t = (thing){.constant = (double)NAN};
    if (object != NULL) status = f2l_members_read(t, &things, object, "a thing", err);
    json_decref(object);
    return status;
}

Test(members, are_read_and_written)
{
    thing t;
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert_eq(read_text(&t, whole, &err), F2L_OK, "%s", err.text);
    cr_assert(t.width == 64 && t.steps == (uint64_t)1 << 53 && t.seed == UINT32_MAX);
    cr_assert(t.rate == 0.1 && isnan(t.loss) && isnan(t.constant) && t.bias && !t.late);
    cr_assert_str_eq(t.name, "a\"b");
    cr_assert(t.hash[0] == '\0' && t.colour == GREEN && t.timing.seconds == 2);
    f2l_members_write(&out, &things, &t);
    cr_assert_str_eq(out.data, WRITTEN "}");
    out.size = 0;
    t.late = true;
    t.weight = (f2l_free((void *)t.weight), NULL);
    t.constant = 0;
    f2l_members_write(&out, &things, &t);
    cr_assert(strstr(out.data, "\"lengths\":[2,9],\"weights\":null}"));
    cr_assert(strstr(out.data, "\"constant\":0,\"bias\":true,\"late\":true,\"name\""));
    f2l_free((void *)t.length);
    f2l_buf_clear(&out);
}

Test(members, are_facts)
{
    thing t = {
        .width = 1, .loss = (double)NAN, .constant = (double)NAN, .list = json_pack("[b]", 1)};
    f2l_facts facts;
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_facts_init(&facts);
    f2l_members_say(f2l_facts_root(&facts), &things, &t);
    json_decref(t.list);
    cr_assert_eq(f2l_facts_write(&out, &facts, (f2l_facts_style){.digits = 17}, NULL), F2L_OK);
    cr_assert_str_eq(out.data, "{\"width\":1,\"steps\":0,\"seed\":0,\"rate\":0.0,\"loss\":null,"
                               "\"bias\":false,\"name\":\"\",\"hash\":null,\"colour\":\"red\","
                               "\"timing\":{\"seconds\":0.0},\"list\":[true]}\n");
    f2l_facts_clear(&facts);
    f2l_buf_clear(&out);
}

/* Replaces `from` in the text that is right. */
static void refuse(const char *from, const char *to, const char *why)
{
    thing t;
    f2l_error err = {0};
    f2l_buf text;
    const char *at = strstr(whole, from);
    cr_assert(at != NULL, "%s", from);
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    cr_assert_eq(read_text(&t, text.data, &err), F2L_EFORMAT, "%s", text.data);
    cr_assert_str_eq(err.text, why);
    f2l_free((void *)t.length);
    f2l_free((void *)t.weight);
    f2l_buf_clear(&text);
}

#define THE "a thing: the member \""
Test(members, are_refused_outside_their_bounds)
{
    refuse("\"width\":64", "\"width\":0", THE "width\" is 0, which is not in 1 .. 64");
    refuse("\"width\":64", "\"width\":65", THE "width\" is 65, which is not in 1 .. 64");
    refuse("\"steps\":9007199254740992", "\"steps\":9007199254740993",
           THE "steps\" is 9007199254740993, which is not in 0 .. 9007199254740992");
    refuse("4294967295", "4294967296", THE "seed\" is 4294967296, which is more than 2^32 - 1");
    refuse("0.1", "0", THE "rate\" is 0, which is not a positive number");
    refuse("\"bias\"", "\"constant\":1.5,\"bias\"",
           THE "constant\" is 1.5, which is not in 0 .. 1");
    refuse("{\"seconds\":2}", "{\"seconds\":-2}",
           THE "timing.seconds\" is -2, which is not in 0 .. 1.79769e+308");
    refuse("a\\\"b", "abcdef", THE "name\" is longer than 5 bytes");
    refuse("\"hash\":null", "\"hash\":\"ab\"", THE "hash\" is shorter than 3 bytes");
    refuse("[2,9]", "[2,10]", THE "lengths\" has entry 2, which is 10, which is not in 1 .. 9");
    refuse("[1]", "[]", THE "list\" is a list of fewer than 1 values");
}

Test(members, are_refused_of_another_kind)
{
    refuse("\"width\":64", "\"width\":-1", THE "width\" is not a whole number");
    refuse("\"width\":64", "\"width\":1.0", THE "width\" is not a whole number");
    refuse("\"width\":64", "\"width\":null", THE "width\" is not a whole number");
    refuse("0.1", "\"0.1\"", THE "rate\" is not a number");
    refuse("0.1", "null", THE "rate\" is not a number");
    refuse("\"bias\":true", "\"bias\":1", THE "bias\" is neither true nor false");
    refuse("\"bias\":true", "\"bias\":null", THE "bias\" is neither true nor false");
    refuse("\"a\\\"b\"", "null", THE "name\" is no text");
    refuse("green", "gre", THE "colour\" is none of red, green");
    refuse("\"green\"", "1", THE "colour\" is none of red, green");
    refuse("{\"seconds\":2}", "[]", THE "timing\" is no object");
    refuse("[2,9]", "null", THE "lengths\" is no list");
    refuse("[0.1,1]", "[0.1,\"1\"]", THE "weights\" has entry 2, which is not a number");
    refuse("[1]", "{}", THE "list\" is no list");
    refuse("[1]", "[1],\"more\":[]", THE "more\" is no object");
}

Test(members, are_refused_when_missing_unknown_or_doubled)
{
    refuse("\"width\":64,", "", THE "width\" is missing");
    refuse("\"seconds\":2", "", THE "timing.seconds\" is missing");
    refuse("\"timing\":{\"seconds\":2},", "", THE "timing\" is missing");
    refuse("\"seed\"", "\"sprocket\":1,\"seed\"", "a thing: there is no member \"sprocket\"");
    refuse("\"seconds\"", "\"sprocket\":1,\"seconds\"",
           "a thing: there is no member \"timing.sprocket\"");
    refuse(whole, "[1]", "a thing: it is not a JSON object");
    thing t;
    f2l_error err = {0};
    cr_assert_eq(read_text(&t, "{\"width\":1,\n\"width\":1}", &err), F2L_EFORMAT);
    cr_assert(err.line == 2 && strstr(err.text, "the text is no JSON: duplicate object key"), "%s",
              err.text);
    cr_assert_eq(read_text(&t, "", &err), F2L_EFORMAT);
    cr_assert(err.line == 1 && err.column == 1);
}

Test(members, of_a_struct_are_checked)
{
    f2l_error err = {0};
    thing t = {.width = 1, .rate = 1, .constant = (double)NAN};
    cr_assert_eq(f2l_members_check(&t, &things, &err), F2L_OK, "%s", err.text);
    t.width = 65;
    cr_assert_eq(f2l_members_check(&t, &things, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "width is 65, which is not in 1 .. 64");
    t.width = 64;
    t.loss = INFINITY;
    cr_assert_eq(f2l_members_check(&t, &things, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "loss is inf, which is not a finite number");
}

/* --- memory that runs out --- */

static size_t left; /* number of allocations of jansson that succeed */

static void *allocate(size_t size)
{
    return left > 0 ? left--, malloc(size) : NULL;
}

Test(members, say_when_memory_of_values_is_out)
{
    thing t = {.width = 1};
    f2l_error err = {0};
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    json_set_alloc_funcs(allocate, free);
    left = 0;
    cr_assert_eq(read_text(&t, whole, &err), F2L_ENOMEM, "%s", err.text);
    for (; status != F2L_OK; n++) {
        f2l_facts facts;
        left = n;
        f2l_facts_init(&facts);
        f2l_members_say(f2l_facts_root(&facts), &things, &t);
        status = f2l_facts_status(&facts, NULL);
        f2l_facts_clear(&facts);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
    }
    json_set_alloc_funcs(malloc, free);
    cr_assert_gt(n, 20);
}

#ifdef F2L_MEM_FAILURES
Test(members, say_when_memory_of_texts_is_out)
{
    thing t = {.width = 1};
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status != F2L_OK) {
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_mem_fail_after(++n, false);
        f2l_members_write(&out, &things, &t);
        status = f2l_buf_status(&out, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        f2l_buf_clear(&out);
    }
    cr_assert_gt(n, 1);
}
#endif
