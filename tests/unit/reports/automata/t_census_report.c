/* The table of a census: written, read again, and refused when it is changed. */
#include "numeric/base/mem.h"
#include "reports/automata/census_report.h"
#include <criterion/criterion.h>
#include <string.h>

static const char table[] =
    "automaton,layers_at_least,by,layers_enough,enough_by,one_code_decoder,construction,"
    "least_householders,layers,heads,householders,key_dim,value_dim,state_numbers,"
    "factors_per_token\n"
    "00 10,1,,,,state,T4,1,1,1,1,1,1,1,1\n"
    "00 11,2,FK.3,2,LL.2,open,,0,,,,,,,\n";

static f2l_status read_table(const char *text, size_t size, f2l_buf *again, f2l_error *err)
{
    f2l_census census;
    f2l_census_row *row;
    size_t rows;
    cr_assert_eq(f2l_census_begin(&census, 2, 2, err), F2L_OK);
    const f2l_status status = f2l_census_read(&row, &rows, &census, text, size, err);
    if (status == F2L_OK && again) {
        f2l_census_heading(again);
        for (size_t i = 0; i < rows; i++) f2l_census_line(again, &row[i]);
    }
    f2l_free(row);
    return status;
}

Test(census_report, writes_what_it_reads)
{
    f2l_error err = {0};
    f2l_buf again;
    f2l_buf_init(&again);
    cr_assert_eq(read_table(table, strlen(table), &again, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(again.data, table);
    f2l_buf_clear(&again);
}

/* A changed byte is refused with a place, or is read and written as it is. */
Test(census_report, refuses_changed_bytes)
{
    static const char bytes[] = "0129, \nx-.\"";
    size_t refused = 0, taken = 0;
    for (size_t i = 0; i < strlen(table); i++)
        for (size_t b = 0; b + 1 < sizeof bytes; b++) {
            char changed[sizeof table];
            f2l_error err = {0};
            f2l_buf again;
            f2l_buf_init(&again);
            memcpy(changed, table, sizeof table);
            if (changed[i] == bytes[b]) continue;
            changed[i] = bytes[b];
            if (read_table(changed, strlen(table), &again, &err) == F2L_OK) {
                cr_assert_str_eq(again.data, changed);
                taken++;
            } else {
                cr_assert_eq(err.status, F2L_EFORMAT);
                cr_assert_gt(err.line, 0);
                cr_assert_gt(err.column, 0);
                refused++;
            }
            f2l_buf_clear(&again);
        }
    cr_assert_gt(refused, 1500, "%zu refused", refused);
    cr_assert_gt(taken, 50, "%zu taken", taken);
}

Test(census_report, refuses_a_table_that_is_cut)
{
    size_t taken = 0;
    for (size_t size = 0; size < strlen(table); size++) {
        f2l_error err = {0};
        taken += read_table(table, size, NULL, &err) == F2L_OK;
    }
    cr_assert_eq(taken, 2, "only whole lines are a table");
}

Test(census_report, counts_what_is_settled)
{
    f2l_error err = {0};
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_census_row row[] = {{.name = "00 10",
                                   .layers_at_least = 1,
                                   .one_code = F2L_ONE_CODE_STATE,
                                   .construction = "T4",
                                   .figures = {.layers = 1}},
                                  {.name = "00 11",
                                   .layers_at_least = 2,
                                   .by = "FK.3",
                                   .construction = "T4",
                                   .figures = {.layers = 2}},
                                  {.name = "01 10",
                                   .layers_at_least = 1,
                                   .one_code = F2L_ONE_CODE_OPEN,
                                   .construction = "T4",
                                   .figures = {.layers = 2}},
                                  {.name = "01 11", .layers_at_least = 2, .by = "FK.3"},
                                  {.name = "10 00",
                                   .layers_at_least = 2,
                                   .by = "FK.3",
                                   .layers_enough = 2,
                                   .enough_by = "LL.2",
                                   .construction = "T4",
                                   .figures = {.layers = 3}}};
    const f2l_census_report report = {2, 2, 7, row, 5};
    cr_assert_eq(f2l_report_as_text(&text, &f2l_census_report_kind, &report, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_str_eq(
        text.data,
        "7 automata of 2 states and 2 letters, up to names: 5 searched, 2 with the least number of "
        "layers, 1 more for which it is known\n"
        "exactly 1 layer: 1 automaton; one layer with one code for each state: decoder state 1, "
        "step 0, before 0, none 0, open 0\n"
        "at least 1, at most 2 layers: 1 automaton; one layer with one code for each state: "
        "decoder state 0, step 0, before 0, none 0, open 1\n"
        "at least 2, no network: 1 automaton; one layer with one code for each state: decoder "
        "state 0, step 0, before 0, none 1, open 0\n"
        "exactly 2 layers: 1 automaton; one layer with one code for each state: decoder state 0, "
        "step 0, before 0, none 1, open 0\n"
        "exactly 2 layers by a theorem, no network built: 1 automaton; one layer with one code for "
        "each state: decoder state 0, step 0, before 0, none 1, open 0\n");
    f2l_buf_clear(&text);
}
