#include "tests/support/reports/report_support.h"

void open_with(fixture *f, const char *text, f2l_compile_options options)
{
    options.float_rows = 1000;
    for (size_t i = 0; i < F2L_USUAL_FORMATS; i++) options.format[i] = &f2l_formats[i];
    fsa_from_text(&f->fsa, text);
    f2l_compile_result_init(&f->result);
    cr_assert_eq(f2l_compile(&f->result, &f->fsa, &options, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
    f->report = (f2l_report){.version = "1.2.3",
                             .commit = "abc",
                             .grammar = "some/folder/test.fsa",
                             .syntax = "fsa",
                             .fsa = &f->fsa,
                             .label = options.label,
                             .compiled = &f->result,
                             .weights = {.dtype = "BF16", .exact = true, .bytes = 321},
                             .file = {{.name = "automaton.fsa", .bytes = 99},
                                      {.name = "certificate.cert", .bytes = 1000}},
                             .files = 2,
                             .out = "test.lrnn",
                             .read_seconds = 0.25,
                             .total_seconds = 1.5};
    memcpy(f->report.fsa_sha256, f->result.net.fsa_sha256, sizeof f->report.fsa_sha256);
    memset(f->report.file[0].sha256, 'a', 64);
    memset(f->report.file[1].sha256, 'b', 64);
    f2l_buf_init(&f->text);
}

void report_open(fixture *f, const char *text, f2l_label label, bool naive)
{
    open_with(f, text, (f2l_compile_options){.label = label, .naive_keys = naive});
}

void done(fixture *f)
{
    f2l_buf_clear(&f->text);
    f2l_compile_result_clear(&f->result);
    f2l_fsa_clear(&f->fsa);
}

json_t *json(fixture *f)
{
    json_error_t error;
    f2l_buf_clear(&f->text);
    cr_assert_eq(f2l_report_as_json(&f->text, &f2l_compile_report_kind, &f->report, &f->err),
                 F2L_OK);
    json_t *o = json_loadb(f->text.data, f->text.size, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(o, "%s", error.text);
    return o;
}

const char *summary(fixture *f)
{
    f2l_buf_clear(&f->text);
    cr_assert_eq(f2l_report_summary(&f->text, &f->report, &f->err), F2L_OK);
    return f->text.data;
}

void check_keys(const json_t *object, const char *expected)
{
    f2l_buf keys;
    const char *key;
    json_t *value;
    f2l_buf_init(&keys);
    cr_assert(json_is_object(object));
    json_object_foreach((json_t *)object, key, value) f2l_buf_printf(&keys, "%s ", key);
    cr_assert_str_eq(keys.data, expected);
    f2l_buf_clear(&keys);
}

long long integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "%s", key);
    return json_integer_value(value);
}

void check_string(const json_t *object, const char *key, const char *expected)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_string(value), "%s", key);
    cr_assert_str_eq(json_string_value(value), expected);
}

void check_text(const char *text, const char *part)
{
    cr_assert_not_null(strstr(text, part), "'%s' is not in:\n%s", part, text);
}
