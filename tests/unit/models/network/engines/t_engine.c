#include "models/network/engines/engine.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD "engine 1\nname mine\nsource local\n"
#define ROW "row recurrent\nstate int8\nscale amax\n"

static f2l_status read_text(f2l_engine *out, const char *text, f2l_error *err)
{
    return f2l_engine_read(out, text, strlen(text), err);
}

Test(engine, every_preset_is_read_and_its_rows_are_for_bf16)
{
    f2l_engine e, again;
    size_t count = 0;
    for (; f2l_engine_preset(&e, count); count++) {
        const char *const name = e.value[F2L_ENGINE_NAME];
        cr_assert_eq(f2l_engine_find(&again, name, strlen(name), NULL), F2L_OK);
        cr_assert(memcmp(&e, &again, sizeof e) == 0 && e.states > 0, "%s", name);
        for (size_t k = 0; k < e.states; k++) {
            f2l_schedule s;
            char row[F2L_SCHEDULE_NAME];
            cr_assert_eq(f2l_engine_schedule(&s, row, &e, e.state[k], NULL), F2L_OK);
            cr_assert_eq(f2l_schedule_check(&s, f2l_format_find("bf16"), NULL), F2L_OK);
        }
    }
    cr_assert(count >= 6, "%zu", count);
    cr_assert_eq(f2l_engine_find(&e, "vllm", 4, NULL), F2L_EFORMAT);
}

Test(engine, a_file_is_a_row)
{
    f2l_engine e;
    f2l_error err = {0};
    f2l_schedule s;
    char row[F2L_SCHEDULE_NAME];
    const char *const text = HEAD "# as hipfire's, one rounding\r\n\n" ROW "raw 4\neps 1e-6\n"
                                  "note two  words\nresidual load:fp16";
    cr_assert_eq(read_text(&e, text, &err), F2L_OK, "%zu: %s", err.line, err.text);
    cr_assert_str_eq(e.value[F2L_ENGINE_NOTE], "two  words");
    cr_assert_eq(f2l_engine_schedule(&s, row, &e, "", &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(row, "recurrent,state=int8,scale=amax,residual=load:fp16,eps=1e-06,raw=4");
    cr_assert_eq(f2l_engine_schedule(&s, row, &e, "bf16", &err), F2L_EFORMAT);
    cr_assert_eq(read_text(&e, HEAD "row recurrent\nstate bf16 fp16\n", &err), F2L_OK);
    cr_assert_eq(f2l_engine_schedule(&s, row, &e, "", &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, "bf16 fp16"), "%s", err.text);
    cr_assert_eq(f2l_engine_schedule(&s, row, &e, "fp16", &err), F2L_OK);
    cr_assert_str_eq(row, "recurrent,state=fp16");
}

Test(engine, wrong_files_are_refused_with_the_line_and_the_field)
{
    static const struct {
        const char *text;
        size_t line;
        const char *says;
    } rows[] = {{"", 1, "engine 1"},
                {"engine 2\n", 1, "engine 1"},
                {"engine 1\nname a\xc3\xa9\n", 2, "ASCII"},
                {HEAD ROW "skale pow2\n", 7, "`skale`"},
                {HEAD ROW "scale pow2\n", 7, "`scale` is given twice, first in line 6"},
                {HEAD ROW "name other\n", 7, "`name` is given twice"},
                {HEAD ROW "ring 16\n", 7, "`ring`"},
                {HEAD ROW "residual\n", 7, "`residual`"},
                {HEAD "row recurrent\nstate bf16\nscale amax\n", 6, "`scale`"},
                {HEAD "row recurrent\nstate bf16\nresidual load\n", 6, "`residual`"},
                {HEAD "row recurrent\nstate int8\n", 5, "`state`"},
                {HEAD "row recurrent\nstate bf16 int8\nscale pow2\n", 6, "`scale`"},
                {HEAD "row recurent\nstate bf16\n", 4, "`row`"},
                {HEAD "row recurrent\nstate bf17\n", 5, "`state`"},
                {HEAD "row recurrent\nstate bf16,scale=amax\n", 5, "`state`"},
                {HEAD "row recurrent,scale=amax\nstate bf16\n", 4, "`row`"},
                {HEAD "row recurrent\nstate bf16\nsum left,fuse=sum\n", 6, "`sum`"},
                {HEAD "row recurrent\nstate bf16\nsum middle\n", 6, "`sum`"},
                {HEAD "row recurrent\nstate bf16\nraw 4\n", 6, "`raw`"},
                {HEAD "row cast\nstate bf16\n", 4, "`row`"},
                {HEAD "row recurrent\n", 4, "`state` is missing"},
                {"engine 1\nname Mine\nsource local\n" ROW, 2, "`name`"},
                {"engine 1\nname mine\nsource rumour\n" ROW, 3, "`source`"},
                {"engine 1\nname mine\nsource release\n" ROW, 6, "`repository` is missing"},
                {HEAD ROW "commit master\n", 7, "`commit`"},
                {HEAD ROW "read-on yesterday\n", 7, "`read-on`"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f2l_engine e;
        f2l_error err = {0};
        cr_assert_eq(read_text(&e, rows[i].text, &err), F2L_EFORMAT, "%zu", i);
        cr_assert_eq(err.line, rows[i].line, "%zu: line %zu: %s", i, err.line, err.text);
        cr_assert(strstr(err.text, rows[i].says), "%zu: %s", i, err.text);
    }
}

Test(engine, raw_keys_are_as_long_as_the_norm_needs_unless_the_file_says)
{
    static const struct {
        const char *fields, *raw;
    } rows[] = {{"draw top:3\neps 1e-6\n", "raw=4"}, /* which ends in raw=.., too */
                {"norm quotient\neps 1e-6\n", "raw=4"}, {"eps 1e-6\n", "raw=4"},
                {"norm rsqrt\neps 1e-6\n", "raw=8"},    {"norm outside\neps 1e-6\n", "raw=32"},
                {"norm rms\neps 1e-6\n", "raw=128"},    {"norm rsqrt\neps 1e-6\nraw 2\n", "raw=2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], row[F2L_SCHEDULE_NAME];
        f2l_engine e;
        f2l_schedule s;
        f2l_error err = {0};
        snprintf(text, sizeof text, "%srow recurrent\nstate bf16:stochastic\n%s", HEAD,
                 rows[i].fields);
        cr_assert_eq(read_text(&e, text, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_engine_schedule(&s, row, &e, "", &err), F2L_OK, "%s", err.text);
        cr_assert(strstr(strrchr(row, ','), rows[i].raw), "%s: %s", rows[i].fields, row);
    }
}

Test(engine, what_was_not_read_says_so)
{
    f2l_engine e;
    f2l_error err = {0};
    f2l_buf text;
    const char *const row = "row recurrent\nstate bf16\n";
    char file[400];
    f2l_buf_init(&text);
    snprintf(file, sizeof file, "engine 1\nname x\nsource paper\nrepository a/b\n%s", row);
    cr_assert_eq(read_text(&e, file, &err), F2L_OK, "%s", err.text);
    f2l_engine_cite(&text, &e);
    cr_assert_str_eq(text.data, "a/b, from the design paper, not read");
    f2l_buf_clear(&text);
    snprintf(file, sizeof file,
             "engine 1\nname x\nsource pull-request\nrepository a/b\npath issues/1\nfunction f\n"
             "read-on 2026-01-02\n%s",
             row);
    cr_assert_eq(read_text(&e, file, &err), F2L_OK, "%s", err.text);
    f2l_engine_cite(&text, &e);
    cr_assert(strstr(text.data, "a/b, issues/1, f, read on 2026-01-02, a pull request: proposed"),
              "%s", text.data);
    f2l_buf_clear(&text);
}
