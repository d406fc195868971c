/* The JSON of a table: what is printed of a table that was read is read again, and gives the same
 * bytes. */
#include "reports/table/table.h"
#include "tests/support/train/seq_fuzz.h"

static void merge_text(f2l_table *table, f2l_status expected, const char *text, size_t size)
{
    f2l_error err = {0};
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const f2l_status status = f2l_table_merge(table, json, &err);
    must(status == F2L_OK || (expected == F2L_UNKNOWN && err.text[0] != '\0'));
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_error err = {0};
    f2l_table table, copy;
    f2l_buf text, again;
    const f2l_table_report report = {.table = &table}, repeated = {.table = &copy};
    if (size > 65536) return 0;
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
