/* Rows of outcomes: a row that is read is written as bytes that give the same row, and is shown in
 * the table; a refused file leaves nothing behind. */
#include "reports/training/reproduce_report.h"
#include "tests/support/train/seq_fuzz.h"

static void write_rows(f2l_buf *out, const f2l_outcomes *list)
{
    f2l_error err;
    f2l_buf_text(out, "[");
    for (size_t i = 0; i < list->rows; i++) {
        if (i > 0) f2l_buf_text(out, ",");
        must(f2l_outcome_write(out, &list->row[i], &err) == F2L_OK);
    }
    f2l_buf_text(out, "]");
}

static void look_at(f2l_outcomes *list)
{
    f2l_error err;
    f2l_buf text, again;
    f2l_outcomes copy;
    const f2l_reproduce_report report = {.outcomes = list};
    f2l_buf_init(&text);
    f2l_buf_init(&again);
    f2l_outcomes_init(&copy);
    write_rows(&text, list);
    must(f2l_outcomes_parse(&copy, text.data, text.size, &err) == F2L_OK);
    write_rows(&again, &copy);
    must(text.size == again.size && memcmp(text.data, again.data, text.size) == 0);
    f2l_buf_clear(&again);
    must(f2l_outcomes_merge(list, &err) == F2L_OK);
    must(f2l_report_as_text(&again, &f2l_reproduce_report_kind, &report, &err) == F2L_OK &&
         again.size > 0);
    f2l_buf_clear(&again);
    must(f2l_report_as_json(&again, &f2l_reproduce_report_kind, &report, &err) == F2L_OK &&
         again.size > 0);
    f2l_buf_clear(&again);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_error err = {0};
    f2l_outcomes list;
    if (size > 65536) return 0;
    f2l_outcomes_init(&list);
    if (f2l_outcomes_parse(&list, (const char *)data, size, &err) == F2L_OK)
        look_at(&list);
    else
        must(list.rows == 0 && err.text[0] != '\0');
    f2l_outcomes_clear(&list);
    return 0;
}
