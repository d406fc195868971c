/* The JSON of a table: what is printed of a table that was read is read again, and gives the same
 * bytes. The JSON of a result: without the members that no table takes it is what a parser finds of
 * the whole without them. */
#include "reports/table/impl.h"
#include "tests/support/train/seq_fuzz.h"

static void merge_text(f2l_table *table, f2l_status expected, const char *text, size_t size)
{
    f2l_error err = {0};
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const f2l_status status = f2l_table_merge(table, json, &err);
    must(status == F2L_OK || (expected == F2L_UNKNOWN && err.text[0] != '\0'));
    json_decref(json);
}

/* Removes the members that no table takes. */
static void prune(json_t *value)
{
    const char *name;
    json_t *member;
    void *next;
    json_object_foreach_safe(value, next, name, member)
    {
        if (f2l_table_takes(name, strlen(name)))
            prune(member);
        else
            json_object_del(value, name);
    }
    for (size_t i = 0; i < json_array_size(value); i++) prune(json_array_get(value, i));
}

static bool is_json(const char *text, size_t size)
{
    json_t *json = json_loadb(text, size, 0, NULL);
    json_decref(json);
    return json != NULL;
}

/* Compares the two ways. Of faults in a member that is left out only names that come twice are not
 * found; names with escapes are found by the second way alone. */
static void skim_text(const char *text, size_t size)
{
    f2l_buf taken;
    f2l_buf_init(&taken);
    f2l_table_skim(&taken, text, size);
    json_t *whole = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const char *skimmed = taken.data ? taken.data : "";
    json_t *part = json_loadb(skimmed, taken.size, JSON_REJECT_DUPLICATES, NULL);
    must(is_json(text, size) == is_json(skimmed, taken.size));
    prune(whole);
    prune(part); /* of a text that is nested too deep, which is copied whole */
    must(!whole || (part && (memchr(text, '\\', size) || json_equal(whole, part))));
    json_decref(whole);
    json_decref(part);
    f2l_buf_clear(&taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_error err = {0};
    f2l_table table, copy;
    f2l_buf text, again;
    const f2l_table_report report = {.table = &table}, repeated = {.table = &copy};
    if (size > 65536) return 0;
    skim_text((const char *)data, size);
    f2l_table_init(&table);
    f2l_table_init(&copy);
    f2l_buf_init(&text);
    f2l_buf_init(&again);
    merge_text(&table, F2L_UNKNOWN, (const char *)data, size);
    must(f2l_report_as_json(&text, &f2l_table_report_kind, &report, &err) == F2L_OK);
    merge_text(&copy, F2L_OK, text.data, text.size);
    must(f2l_report_as_json(&again, &f2l_table_report_kind, &repeated, &err) == F2L_OK);
    must(text.size == again.size && memcmp(text.data, again.data, text.size) == 0);
    f2l_buf_clear(&again);
    must(f2l_report_as_text(&again, &f2l_table_csv_kind, &report, &err) == F2L_OK);
    f2l_buf_clear(&again);
    must(f2l_report_as_text(&again, &f2l_table_html_kind, &report, &err) == F2L_OK);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
    f2l_table_clear(&table);
    f2l_table_clear(&copy);
    return 0;
}
