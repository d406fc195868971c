#include "reports/table/table.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Two tables as JSON: works that differ in options, in cost, and in the hashes of the inputs; what
 * is left of a folder that the other one has; and a line that was not read. */
#define WORK(options, seconds, folder) \
    "{\"job\":\"main\",\"options\":[" options "],\"version\":\"1\",\"commit\":\"c\"," \
    "\"exit_status\":0,\"made_sha256\":\"m\",\"verdict\":\"VERIFIED\",\"reason\":null," \
    "\"cost\":{\"host\":\"h\"," \
    "\"seconds\":" seconds ",\"cpu_seconds\":1.5,\"memory_mib\":null},\"folders\":[\"" folder \
    "\"]}"
#define SOURCE(file, sha, canonical) \
    "{\"path\":\"" file "\",\"sha256\":\"" sha "\",\"reading\":[],\"canonical\":" canonical "}"
#define LEFT(folder, begun) \
    "{\"job\":\"main\",\"hashes\":[\"s1\"],\"options\":[],\"folder\":\"" folder \
    "\",\"begun\":" begun \
    ",\"reason\":\"r\",\"version\":\"1\",\"commit\":\"c\",\"argv\":[\"x\"],\"command\":\"x\"}"
#define TABLE(rows, left, unread) \
    "{\"schema\":2,\"report\":\"table\",\"rows\":[" rows "],\"left_work\":[" left \
    "],\"unread\":[" unread "]}"
static const char *const tables[] = {
    TABLE("{\"hashes\":[\"k\"],\"sources\":[" SOURCE("a", "s1", "\"k\"") "," SOURCE(
              "b", "s2", "\"k\"") "],\"works\":[" WORK("", "2.5", "f") "]}",
          LEFT("f", "false") "," LEFT("g", "false"),
          "{\"file\":\"p\",\"line_number\":3,\"reason\":\"cut off\"}"),
    TABLE("{\"hashes\":[\"s2\"],\"sources\":[" SOURCE("b", "s2", "null") "],\"works\":[" WORK(
              "", "1.5", "f2") "," WORK("\"--effort=1\"", "1.5", "f3") "]}",
          LEFT("g", "true"), "")};

static f2l_status merge_text(f2l_table *table, const char *text, f2l_error *err)
{
    json_t *json = json_loads(text, 0, NULL);
    if (!json) return f2l_fail_memory(err);
    const f2l_status status = f2l_table_merge(table, json, err);
    json_decref(json);
    return status;
}

/* Appends the table of the texts in this order. */
static f2l_status merge_all(f2l_buf *out, const f2l_report_kind *kind, const char *const *text,
                            size_t count, bool json)
{
    f2l_error err;
    f2l_table table;
    const f2l_table_report report = {.table = &table};
    f2l_table_init(&table);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++)
        status = merge_text(&table, text[i], &err);
    if (status == F2L_OK) status = f2l_table_status(&table, &err);
    if (status == F2L_OK) status = f2l_report_write(out, kind, &report, json, &err);
    f2l_table_clear(&table);
    return status;
}

Test(table, one_automaton_is_one_row_when_any_table_tells_its_hash)
{
    f2l_buf text, other;
    const char *turned[] = {tables[1], tables[0], tables[1]};
    f2l_buf_init(&text);
    f2l_buf_init(&other);
    cr_assert_eq(merge_all(&text, &f2l_table_report_kind, tables, 2, true), F2L_OK);
    cr_assert_eq(merge_all(&other, &f2l_table_report_kind, turned, 3, true), F2L_OK);
    cr_assert_str_eq(text.data, other.data);
    json_t *json = json_loads(text.data, 0, NULL), *rows = json_object_get(json, "rows");
    cr_assert_eq(json_array_size(rows), 1);
    json_t *row = json_array_get(rows, 0), *works = json_object_get(row, "works");
    cr_assert_eq(json_array_size(json_object_get(row, "sources")), 2);
    cr_assert_eq(json_array_size(works), 2);
    json_t *work = json_array_get(works, 0);
    if (json_array_size(json_object_get(work, "folders")) != 2) work = json_array_get(works, 1);
    cr_assert_eq(json_real_value(json_object_get(json_object_get(work, "cost"), "seconds")), 1.5);
    cr_assert_eq(json_array_size(json_object_get(work, "folders")), 2);
    json_t *left = json_object_get(json, "left_work");
    cr_assert_eq(json_array_size(left), 1);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(left, 0), "folder")), "g");
    cr_assert(json_is_true(json_object_get(json_array_get(left, 0), "begun")));
    json_decref(json);
    f2l_buf_clear(&text);
    f2l_buf_clear(&other);
}

/* --- memory that runs out --- */

static size_t left_over; /* number of allocations of jansson that succeed */

static void *allocate(size_t size)
{
    if (!left_over) return NULL;
    left_over--;
    return malloc(size);
}

/* Checks that every allocation may fail, and returns how many did. */
static size_t fail_each(const f2l_report_kind *kind, bool json)
{
    size_t failures = 0;
    for (size_t n = 0;; n++) {
        f2l_buf out;
        f2l_buf_init(&out);
        left_over = n;
        const f2l_status status = merge_all(&out, kind, tables, 2, json);
        f2l_buf_clear(&out);
        if (status == F2L_OK) return failures;
        cr_assert_eq(status, F2L_ENOMEM, "%zu", n);
        failures++;
    }
}

Test(table, memory_that_runs_out_is_told)
{
    json_set_alloc_funcs(allocate, free);
    const size_t json = fail_each(&f2l_table_report_kind, true);
    const size_t csv = fail_each(&f2l_table_csv_kind, false);
    const size_t html = fail_each(&f2l_table_html_kind, false);
    json_set_alloc_funcs(malloc, free);
    cr_assert_gt(json, 100);
    cr_assert_gt(csv, 100);
    cr_assert_gt(html, 100);
}

static void expect_skimmed(const char *text, const char *expected)
{
    f2l_buf taken;
    f2l_buf_init(&taken);
    f2l_table_skim(&taken, text, strlen(text));
    cr_assert(taken.data && taken.size == strlen(expected) &&
                  memcmp(taken.data, expected, taken.size) == 0,
              "%s: %.*s", text, (int)taken.size, taken.data);
    f2l_buf_clear(&taken);
}

Test(table, members_that_no_table_takes_are_left_out)
{
    char deep[200];
    expect_skimmed("{\"report\":\"line\",\"x\":{\"line\":[\"]}\"]},\"line\" : \"a\\\"\"}\n",
                   "{\"report\":\"line\",\"line\":\"a\\\"\"}\n");
    expect_skimmed("{ \"x\" : 1 , \"classes\" : [ { \"why\" : [] , \"answer\" : \"can\" } , 2 ] }",
                   "{\"classes\":[{\"answer\":\"can\"},2]}");
    expect_skimmed("{\"x\":null}", "{}");
    expect_skimmed("{\"l\\u0069ne\":1}", "{\"l\\u0069ne\":1}"); /* may be one that is taken */
    expect_skimmed("[-1.5e3,true,\"]\"] {", "[-1.5e3,true,\"]\"] {");
    /* what is not made as JSON is goes to the parser as it is, for its message */
    static const char *const bad[] = {
        "",    "{",      "{\"x\":1", "{\"x\" 1}", "{\"x\":1,}",     "[1,]", "{x:1}", "{\"x\":[}",
        "\"a", "{\"a\\", "[1 2]",    "{\"x\":}",  "{\"line\":\"a}", ",",    "[1}"};
    for (size_t i = 1; i < sizeof bad / sizeof *bad; i++) expect_skimmed(bad[i], bad[i]);
    for (size_t i = 0; i < 100; i++) deep[i] = '[', deep[100 + i] = ']';
    deep[199] = '\0';
    expect_skimmed(deep, deep);
}

/* Returns whether the skimmed text is JSON; it must be exactly where the text is. */
static bool is_json_both_ways(const char *text, size_t size)
{
    f2l_buf taken;
    f2l_buf_init(&taken);
    f2l_table_skim(&taken, text, size);
    json_t *whole = json_loadb(text, size, 0, NULL);
    json_t *part = json_loadb(taken.data ? taken.data : "", taken.size, 0, NULL);
    const bool is_json = whole != NULL;
    cr_assert_eq(is_json, part != NULL, "%.*s", (int)size, text);
    json_decref(whole);
    json_decref(part);
    f2l_buf_clear(&taken);
    return is_json;
}

/* A text with every kind of value in members that are skipped, changed at every byte into every
 * kind of byte, and cut there. */
Test(table, what_is_left_out_must_be_json)
{
    static const char text[] =
        "{\"report\":\"line\",\"x\":{\"a\":[1,-0.5e+07,true,null,[],{}],\"\303\251\":"
        "\"\\u00e9\\n\"},\"y\":[[{\"z\":[false]}],\"]}\"],\"w\":{\"v\" : { } } , \"u\":0}";
    static const char other[] = "{}[]\",:\\x0179-+.eEtu \n\001\303\200\377";
    char changed[sizeof text];
    size_t wrong = 0;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        for (size_t k = 0; k < sizeof other; k++) { /* the last one is the byte 0 */
            memcpy(changed, text, sizeof text);
            changed[i] = other[k];
            wrong += !is_json_both_ways(changed, sizeof text - 1);
            wrong += !is_json_both_ways(changed, i + 1);
        }
    cr_assert(is_json_both_ways(text, sizeof text - 1));
    cr_assert(wrong > 4000 && wrong < 2 * sizeof text * sizeof other, "%zu", wrong);
    static const char *const odd[] = {"1e400",
                                      "-1e-400",
                                      "99999999999999999999",
                                      "9223372036854775807",
                                      "01",
                                      "-",
                                      "1.",
                                      "1.e5",
                                      "1e",
                                      "\"\\ud800\"",
                                      "\"\\u0000\"",
                                      "\"\\u12g4\"",
                                      "nul",
                                      "truex",
                                      "NaN",
                                      "Infinity",
                                      "\"\\q\"",
                                      "\"\t\"",
                                      "{\"a\"}",
                                      "{\"a\":1,\"a\":2}",
                                      "[1,,2]",
                                      "\"\355\240\200\"",
                                      "/**/1",
                                      "'a'",
                                      "{1:2}",
                                      "\"\\ud834\\udd1e\""};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char member[80];
        const int size = snprintf(member, sizeof member, "{\"x\":[%s],\"line\":\"a\"}", odd[i]);
        (void)is_json_both_ways(member, (size_t)size);
    }
}
