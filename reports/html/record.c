#include "reports/html/record.h"
#include "numeric/base/text.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)64 << 20)

/* Reads the file into *text; *there is false when there is none. */
static f2l_status read_text(f2l_buf *text, bool *there, const char *folder, const char *name,
                            f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    *there = status == F2L_OK && access(path.data, F_OK) == 0;
    if (status == F2L_OK && *there) status = f2l_read_file(text, path.data, MOST_BYTES, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_record_read(json_t **out, const char *folder, const char *name, f2l_error *err)
{
    f2l_buf text;
    json_error_t why;
    bool there;
    *out = NULL;
    f2l_buf_init(&text);
    f2l_status status = read_text(&text, &there, folder, name, err);
    if (status == F2L_OK && there) {
        *out = json_loadb(text.data ? text.data : "", text.size, JSON_DECODE_ANY, &why);
        if (!*out)
            status = f2l_fail(err, F2L_EFORMAT, "%.100s:%d:%d: %.150s", name, why.line, why.column,
                              why.text);
    }
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_record_read_lines(json_t **out, const char *folder, const char *name, f2l_error *err)
{
    f2l_buf text;
    bool there;
    f2l_buf_init(&text);
    *out = NULL;
    f2l_status status = read_text(&text, &there, folder, name, err);
    if (status == F2L_OK && there && !(*out = json_array())) status = f2l_fail_memory(err);
    for (size_t at = 0; status == F2L_OK && there && at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        const size_t size = (end ? (size_t)(end - text.data) : text.size) - at;
        json_t *line = json_loadb(text.data + at, size, 0, NULL);
        if (!line && end)
            status = f2l_fail(err, F2L_EFORMAT, "%.100s: a line is no JSON object", name);
        if (line && json_array_append_new(*out, line) != 0) status = f2l_fail_memory(err);
        at += size + 1;
    }
    f2l_buf_clear(&text);
    return status;
}

const json_t *f2l_record_get(const json_t *in, const char *path)
{
    char name[64];
    while (in && *path) {
        const size_t size = strcspn(path, ".");
        if (size >= sizeof name) return NULL;
        memcpy(name, path, size);
        name[size] = '\0';
        in = json_object_get(in, name);
        path += size + (path[size] == '.');
    }
    return in && !json_is_null(in) ? in : NULL;
}

const char *f2l_record_text(const json_t *in, const char *path)
{
    const char *text = json_string_value(f2l_record_get(in, path));
    return text ? text : "";
}

double f2l_record_number(const json_t *in, const char *path)
{
    const json_t *value = f2l_record_get(in, path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

size_t f2l_record_count(const json_t *in, const char *path)
{
    const json_int_t n = json_integer_value(f2l_record_get(in, path));
    return n > 0 ? (size_t)n : 0;
}

bool f2l_record_truth(const json_t *in, const char *path)
{
    return json_is_true(f2l_record_get(in, path));
}

size_t f2l_record_size(const json_t *in, const char *path)
{
    return json_array_size(f2l_record_get(in, path));
}

const json_t *f2l_record_item(const json_t *in, const char *path, size_t i)
{
    return json_array_get(f2l_record_get(in, path), i);
}
