#include "numeric/facts/facts.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const f2l_facts_style in_a_line = {.digits = 6};

static void expect_json(f2l_facts *facts, f2l_facts_style style, const char *text)
{
    f2l_buf out;
    f2l_buf_init(&out);
    cr_assert_eq(f2l_facts_write(&out, facts, style, NULL), F2L_OK);
    cr_assert_str_eq(out.data, text);
    f2l_buf_clear(&out);
}

/* Puts a fact of each type. */
static void fill(f2l_facts *facts)
{
    f2l_fact root = f2l_facts_root(facts);
    f2l_say_text(root, "name", "a\"b");
    f2l_say_text(root, "none", NULL);
    f2l_say_text(root, "bad", "x\xFFy");
    f2l_say_count(root, "states", 12);
    f2l_say_integer(root, "least", -3);
    f2l_say_number(root, "share", 0.25);
    f2l_say_number(root, "infinite", INFINITY);
    f2l_say_truth(root, "gated", true);
    f2l_say_known(root, "bound", false, 5);
    f2l_say_reason(root, "reason", "");
    f2l_fact size = f2l_say_object(root, "size");
    f2l_say_count(size, "heads", 2);
    f2l_fact list = f2l_say_list(root, "letters");
    f2l_say_text(list, NULL, "a");
    f2l_fact item = f2l_say_object(list, NULL);
    f2l_say_truth(item, "deep", false);
}

Test(facts, values_of_all_types_in_the_order_of_putting)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    fill(&facts);
    expect_json(&facts, in_a_line,
                "{\"name\":\"a\\\"b\",\"none\":null,\"bad\":\"x\uFFFDy\",\"states\":12,"
                "\"least\":-3,\"share\":0.25,\"infinite\":null,\"gated\":true,\"bound\":null,"
                "\"reason\":null,\"size\":{\"heads\":2},\"letters\":[\"a\",{\"deep\":false}]}\n");
    f2l_facts_clear(&facts);
}

Test(facts, style)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_say_number(f2l_facts_root(&facts), "third", 1.0 / 3);
    expect_json(&facts, (f2l_facts_style){.indent = true, .digits = 4},
                "{\n  \"third\": 0.3333\n}\n");
    expect_json(&facts, (f2l_facts_style){.digits = 17}, "{\"third\":0.33333333333333331}\n");
    f2l_say_count(f2l_say_object(f2l_facts_root(&facts), "size"), "heads", 2);
    expect_json(&facts, (f2l_facts_style){.lines = true, .digits = 4},
                "{\"third\":0.3333,\n\"size\":{\"heads\":2}}\n");
    f2l_facts_clear(&facts);
    f2l_facts_init(&facts);
    expect_json(&facts, (f2l_facts_style){.lines = true, .digits = 4}, "{}\n");
    f2l_facts_clear(&facts);
}

Test(facts, reading)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    fill(&facts);
    f2l_fact root = f2l_facts_root(&facts), letters = f2l_get(root, "letters");
    cr_assert_str_eq(f2l_get_text(root, "name"), "a\"b");
    cr_assert_str_eq(f2l_get_text(root, "none"), "");
    cr_assert_eq(f2l_get_count(root, "states"), 12);
    cr_assert_eq(f2l_get_integer(root, "least"), -3);
    cr_assert_eq(f2l_get_number(root, "share"), 0.25);
    cr_assert_eq(f2l_get_number(root, "states"), 12);
    cr_assert(f2l_get_truth(root, "gated"));
    cr_assert(isnan(f2l_get_number(root, "infinite")));
    cr_assert_not(f2l_is_known(root, "bound"));
    cr_assert(f2l_is_known(root, "gated"));
    cr_assert_eq(f2l_get_count(root, "size.heads"), 2);
    cr_assert_eq(f2l_get_size(root, "letters"), 2);
    cr_assert_str_eq(f2l_get_text(f2l_get_item(letters, 0), "."), "a");
    cr_assert_not(f2l_get_truth(f2l_get_item(letters, 1), "deep"));
    cr_assert(f2l_is(root, "name", "a\"b"));
    cr_assert_not(f2l_is(root, "name", "ab"));
    cr_assert(f2l_has(root, "none"));
    cr_assert_not(f2l_has(root, "nothing"));
    cr_assert_eq(f2l_facts_status(&facts, NULL), F2L_OK);
    f2l_facts_clear(&facts);
}

/* The faults, each with the name that the error tells. */
static void put_twice(f2l_fact root)
{
    f2l_say_count(root, "states", 1);
}

static void put_into_a_value(f2l_fact root)
{
    f2l_say_count(f2l_get(root, "name"), "inner", 1);
}

static void put_without_a_name(f2l_fact root)
{
    f2l_say_count(root, NULL, 1);
}

static void put_a_name_into_a_list(f2l_fact root)
{
    f2l_say_count(f2l_get(root, "letters"), "named", 1);
}

static void get_missing(f2l_fact root)
{
    cr_assert_eq(f2l_get_count(root, "size.heals"), 0);
}

static void get_another_type(f2l_fact root)
{
    cr_assert_eq(f2l_get_count(root, "name"), 0);
}

static void get_size_of_an_object(f2l_fact root)
{
    cr_assert_eq(f2l_get_size(root, "size"), 0);
}

static void get_an_item_too_many(f2l_fact root)
{
    cr_assert_null(f2l_get_item(f2l_get(root, "letters"), 2).json);
}

Test(facts, the_first_fault_is_kept)
{
    static const struct {
        void (*make)(f2l_fact);
        const char *text;
    } fault[] = {
        {put_twice, "states is put twice"},         {put_into_a_value, "inner has no place"},
        {put_without_a_name, "list has no place"},  {put_a_name_into_a_list, "named has no place"},
        {get_missing, "size.heals is missing"},     {get_another_type, "name is of another type"},
        {get_size_of_an_object, "size is no list"}, {get_an_item_too_many, "list is missing"},
    };
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        f2l_facts facts;
        f2l_error err;
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_facts_init(&facts);
        fill(&facts);
        fault[i].make(f2l_facts_root(&facts));
        get_missing(f2l_facts_root(&facts));
        cr_assert_eq(f2l_facts_status(&facts, &err), F2L_EDOMAIN);
        cr_assert(strstr(err.text, fault[i].text), "%s", err.text);
        cr_assert_eq(f2l_facts_write(&out, &facts, in_a_line, NULL), F2L_EDOMAIN);
        cr_assert_eq(out.size, 0);
        f2l_facts_clear(&facts);
    }
}

/* --- memory that runs out --- */

static size_t left; /* number of allocations of jansson that succeed */

static void *allocate(size_t size)
{
    if (!left) return NULL;
    left--;
    return malloc(size);
}

Test(facts, memory_that_runs_out_is_told_once)
{
    json_set_alloc_funcs(allocate, free);
    size_t failures = 0;
    for (size_t n = 0;; n++) {
        f2l_facts facts;
        f2l_error err;
        left = n;
        f2l_facts_init(&facts);
        fill(&facts);
        (void)f2l_get_count(f2l_facts_root(&facts), "states");
        const f2l_status status = f2l_facts_status(&facts, &err);
        f2l_facts_clear(&facts);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM, "%zu: %s", n, err.text);
        failures++;
    }
    json_set_alloc_funcs(malloc, free);
    cr_assert_gt(failures, 20);
}
