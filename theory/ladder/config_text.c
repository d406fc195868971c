#include "theory/ladder/config_reader.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void f2l_config_text_init(f2l_config_text *s)
{
    memset(s, 0, sizeof *s);
}

void f2l_config_text_clear(f2l_config_text *s)
{
    json_decref(s->object);
    f2l_config_text_init(s);
}

/* --- what readers of all forms use --- */

f2l_status f2l_config_refuse_at(const f2l_config_reader *r, size_t at, const char *what)
{
    return f2l_fail_at(r->err, r->line, at - r->begin + 1, "%s", what);
}

bool f2l_config_equals(const char *word, size_t size, const char *text)
{
    return strlen(text) == size && memcmp(word, text, size) == 0;
}

/* Returns the number that the word is, or NULL. */
static json_t *make_number(const char *word, size_t size)
{
    char copy[64], *end;
    if (size == 0 || size >= sizeof copy || !strchr("+-.0123456789", word[0])) return NULL;
    memcpy(copy, word, size);
    copy[size] = '\0';
    if (strspn(copy, "+-.0123456789eE_") != size) return NULL;
    const long long whole = strtoll(copy, &end, 10);
    if (*end == '\0') return json_integer(whole);
    const double real = strtod(copy, &end);
    return *end == '\0' && isfinite(real) ? json_real(real) : NULL;
}

json_t *f2l_config_make_scalar(const char *word, size_t size)
{
    static const char *const truths[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    static const char *const nulls[] = {"null", "None", "Null", "~", ""};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (f2l_config_equals(word, size, truths[i])) return json_boolean(i < 3);
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (f2l_config_equals(word, size, nulls[i])) return json_null();
    json_t *number = make_number(word, size);
    return number ? number : json_stringn(word, size);
}

f2l_status f2l_config_put(f2l_config_reader *r, const char *name, json_t *value, size_t at)
{
    if (!value) return f2l_config_refuse_at(r, at, "a value that is no UTF-8, or no memory for it");
    if (json_object_get(r->out->object, name)) {
        json_decref(value);
        return f2l_fail_at(r->err, r->line, at - r->begin + 1, "%.100s is there twice", name);
    }
    if (json_object_size(r->out->object) >= F2L_CONFIG_MOST) {
        json_decref(value);
        return f2l_config_refuse_at(r, at, "there are more than 20,000 settings");
    }
    return json_object_set_new(r->out->object, name, value) == 0
               ? F2L_OK
               : f2l_config_refuse_at(r, at, "a name that is no UTF-8, or no memory for it");
}

f2l_status f2l_config_copy_name(char name[F2L_CONFIG_NAME], const f2l_config_reader *r,
                                const char *word, size_t size, size_t at)
{
    if (size == 0) return f2l_config_refuse_at(r, at, "a name is expected");
    if (size >= F2L_CONFIG_NAME) return f2l_config_refuse_at(r, at, "a name of 128 bytes or more");
    for (size_t i = 0; i < size; i++) name[i] = word[i] == '-' ? '_' : word[i];
    name[size] = '\0';
    return strlen(name) == size ? F2L_OK : f2l_config_refuse_at(r, at, "a zero byte in a name");
}

/* --- JSON --- */

/* Copies the text with a number for each Infinity outside strings, as Python's json writes it. */
static void copy_with_numbers(f2l_buf *out, const char *text, size_t size)
{
    static const char word[] = "Infinity";
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (!quoted && size - i >= 8 && memcmp(text + i, word, 8) == 0) {
            f2l_buf_text(out, "1e308   ");
            i += 7;
        } else {
            f2l_buf_bytes(out, text + i, 1);
        }
    }
}

static f2l_status read_json(f2l_config_reader *r, json_t **value)
{
    f2l_buf copy;
    f2l_buf_init(&copy);
    copy_with_numbers(&copy, r->out->text, r->out->size);
    f2l_status status = f2l_buf_status(&copy, r->err);
    if (status == F2L_OK)
        *value = f2l_json_load(&status, copy.data, copy.size, "the configuration", r->err);
    f2l_buf_clear(&copy);
    return status;
}

/* --- all forms --- */

/* Returns whether the text has a name of an argument at the beginning of a word, and no line before
 * it that YAML or a printed list would have. */
static bool begins_with_arguments(const char *text, size_t size)
{
    for (size_t i = 0; i + 2 < size && text[i] != ':'; i++)
        if (text[i] == '-' && text[i + 1] == '-' && isalpha((unsigned char)text[i + 2]) &&
            (i == 0 || isspace((unsigned char)text[i - 1])))
            return true;
    return false;
}

f2l_status f2l_config_text_read(f2l_config_text *out, const char *text, size_t size, f2l_error *err)
{
    f2l_config_text_init(out);
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    *out = (f2l_config_text){json_object(), "YAML", text, size};
    f2l_config_reader r = {.out = out, .line = 1, .err = err};
    size_t at = 0;
    f2l_status status = out->object ? F2L_OK : f2l_fail_memory(err);
    while (at < size && isspace((unsigned char)text[at])) at++;
    if (status == F2L_OK && size > F2L_CONFIG_BYTES)
        status = f2l_fail_at(err, 1, 1, "a configuration of more than 4 MiB");
    else if (status == F2L_OK && at == size)
        status = f2l_fail_at(err, 1, 1, "the configuration is empty");
    else if (status == F2L_OK && f2l_config_is_python(text + at, size - at)) {
        out->form = "arguments";
        status = f2l_config_read_python(&r);
    } else if (status == F2L_OK && (text[at] == '{' || text[at] == '[')) {
        json_t *value = NULL;
        out->form = text[at] == '{' ? "JSON" : "arguments";
        status = read_json(&r, &value);
        if (status == F2L_OK && json_is_object(value)) {
            json_decref(out->object);
            out->object = json_incref(value);
        } else if (status == F2L_OK) {
            status = f2l_config_read_listed(&r, value);
        }
        json_decref(value);
    } else if (status == F2L_OK && begins_with_arguments(text, size)) {
        out->form = "arguments";
        status = f2l_config_read_arguments(&r);
    } else if (status == F2L_OK) {
        status = f2l_config_read_yaml(&r);
    }
    if (status != F2L_OK) f2l_config_text_clear(out);
    return status;
}

void f2l_config_text_find(const f2l_config_text *s, const char *name, size_t *line, size_t *column)
{
    const size_t length = strlen(name);
    size_t at = 1, begin = 0;
    *line = *column = 1;
    for (size_t i = 0; length > 0 && i + length <= s->size; i++) {
        bool same = true;
        if (s->text[i] == '\n') {
            at++;
            begin = i + 1;
        }
        for (size_t k = 0; same && k < length; k++)
            same = s->text[i + k] == name[k] || (s->text[i + k] == '-' && name[k] == '_');
        const bool inside =
            (i > 0 && (isalnum((unsigned char)s->text[i - 1]) || s->text[i - 1] == '_')) ||
            (i + length < s->size &&
             (isalnum((unsigned char)s->text[i + length]) || s->text[i + length] == '_'));
        if (!same || inside) continue;
        *line = at;
        *column = i - begin + 1;
        return;
    }
}
