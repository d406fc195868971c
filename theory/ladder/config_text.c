#include "theory/ladder/config_text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME 128 /* bytes of a name */

void f2l_config_text_init(f2l_config_text *s)
{
    memset(s, 0, sizeof *s);
}

void f2l_config_text_clear(f2l_config_text *s)
{
    json_decref(s->object);
    f2l_config_text_init(s);
}

/* The text that is read, and the place in it. */
typedef struct reader {
    f2l_config_text *out;
    size_t at, line, begin; /* `begin`: of the line */
    f2l_error *err;
} reader;

static f2l_status refuse_here(const reader *r, size_t at, const char *what)
{
    return f2l_fail_at(r->err, r->line, at - r->begin + 1, "%s", what);
}

/* --- values --- */

static bool equals(const char *word, size_t size, const char *text)
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

/* Returns the value that a word is, a new reference; NULL if it is no UTF-8, or without memory. */
static json_t *make_scalar(const char *word, size_t size)
{
    static const char *const truths[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    static const char *const nulls[] = {"null", "None", "Null", "~", ""};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (equals(word, size, truths[i])) return json_boolean(i < 3);
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (equals(word, size, nulls[i])) return json_null();
    json_t *number = make_number(word, size);
    return number ? number : json_stringn(word, size);
}

/* Puts the value, whose reference is taken, under the name; a name that is there already is refused
 * unless `list` says that its values are listed. */
static f2l_status put_setting(reader *r, const char *name, json_t *value, size_t at)
{
    if (!value) return refuse_here(r, at, "a value that is no UTF-8, or no memory for it");
    if (json_object_get(r->out->object, name)) {
        json_decref(value);
        return f2l_fail_at(r->err, r->line, at - r->begin + 1, "%.100s is there twice", name);
    }
    if (json_object_size(r->out->object) >= F2L_CONFIG_MOST) {
        json_decref(value);
        return refuse_here(r, at, "there are more than 20,000 settings");
    }
    return json_object_set_new(r->out->object, name, value) == 0
               ? F2L_OK
               : refuse_here(r, at, "a name that is no UTF-8, or no memory for it");
}

/* Copies a name, which begins at `at` in the text, with underscores for dashes. */
static f2l_status copy_name(char name[NAME], const reader *r, const char *word, size_t size,
                            size_t at)
{
    if (size == 0) return refuse_here(r, at, "a name is expected");
    if (size >= NAME) return refuse_here(r, at, "a name of 128 bytes or more");
    for (size_t i = 0; i < size; i++) name[i] = word[i] == '-' ? '_' : word[i];
    name[size] = '\0';
    return strlen(name) == size ? F2L_OK : refuse_here(r, at, "a zero byte in a name");
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

static f2l_status read_json(reader *r, json_t **value)
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

/* --- arguments --- */

/* A list of arguments as it is gathered: values follow their name. */
typedef struct argument {
    char name[NAME];
    json_t *values; /* NULL: no name yet */
    size_t at;
} argument;

static f2l_status end_argument(reader *r, argument *a)
{
    if (!a->values) return F2L_OK;
    const size_t count = json_array_size(a->values);
    json_t *value = count == 0   ? json_true()
                    : count == 1 ? json_incref(json_array_get(a->values, 0))
                                 : json_incref(a->values);
    json_decref(a->values);
    a->values = NULL;
    return put_setting(r, a->name, value, a->at);
}

/* Takes a word: a name with two dashes, with or without `=value`, or a value of the last name. What
 * is before the first name, a program and its file, is passed over. */
static f2l_status take_word(reader *r, argument *a, const char *word, size_t size, size_t at)
{
    if (size > 2 && word[0] == '-' && word[1] == '-' && isalpha((unsigned char)word[2])) {
        const char *equal = memchr(word, '=', size);
        const size_t length = (equal ? (size_t)(equal - word) : size) - 2;
        f2l_status status = end_argument(r, a);
        if (status == F2L_OK) status = copy_name(a->name, r, word + 2, length, at);
        if (status != F2L_OK) return status;
        a->at = at;
        a->values = json_array();
        if (!equal) return a->values ? F2L_OK : f2l_fail_memory(r->err);
        size -= length + 3;
        word = equal + 1;
    }
    if (!a->values) return F2L_OK;
    json_t *value = make_scalar(word, size);
    if (!value || json_array_size(a->values) >= F2L_CONFIG_MOST ||
        json_array_append_new(a->values, value) != 0)
        return refuse_here(r, at, "a value that is no UTF-8, or too many of them");
    return F2L_OK;
}

/* Reads the words of a text, apart by blanks; in quotes a word may have blanks, `#` begins a
 * comment, and a backslash before the end of a line says nothing. */
static f2l_status read_words(reader *r, argument *a)
{
    const char *text = r->out->text;
    const size_t size = r->out->size;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < size && status == F2L_OK;) {
        if (text[i] == '\n') {
            r->line++;
            r->begin = ++i;
        } else if (isspace((unsigned char)text[i]) || text[i] == '\\') {
            i++;
        } else if (text[i] == '#') {
            while (i < size && text[i] != '\n') i++;
        } else if (text[i] == '"' || text[i] == '\'') {
            const char *end = memchr(text + i + 1, text[i], size - i - 1);
            if (!end) return refuse_here(r, i, "a quote that nothing closes");
            const size_t length = (size_t)(end - text) - i - 1;
            if (memchr(text + i, '\n', length + 1)) return refuse_here(r, i, "a line in quotes");
            status = take_word(r, a, text + i + 1, length, i);
            i += length + 2;
        } else {
            size_t end = i;
            while (end < size && !isspace((unsigned char)text[end])) end++;
            status = take_word(r, a, text + i, end - i, i);
            i = end;
        }
    }
    return status == F2L_OK ? end_argument(r, a) : status;
}

static f2l_status read_arguments(reader *r)
{
    argument a = {.values = NULL};
    const f2l_status status = read_words(r, &a);
    json_decref(a.values);
    return status;
}

/* Reads a list of JSON, the arguments as a program got them. */
static f2l_status read_listed(reader *r, const json_t *list)
{
    argument a = {.values = NULL};
    f2l_status status = F2L_OK;
    size_t i;
    json_t *word;
    json_array_foreach(list, i, word)
    {
        if (status != F2L_OK) break;
        status =
            json_is_string(word)
                ? take_word(r, &a, json_string_value(word), json_string_length(word), 0)
                : f2l_fail_at(r->err, 1, 1, "member %zu of the list of arguments is no text", i);
    }
    if (status == F2L_OK) status = end_argument(r, &a);
    json_decref(a.values);
    return status;
}

/* --- YAML, and the lines that Megatron-LM prints --- */

/* Sets *end to where the line's content ends: before its comment and blanks. */
static void trim_line(const char *text, size_t from, size_t *end)
{
    char quote = '\0';
    size_t stop = from;
    for (; stop < *end; stop++) {
        if (quote && text[stop] == quote)
            quote = '\0';
        else if (!quote && (text[stop] == '"' || text[stop] == '\''))
            quote = text[stop];
        else if (!quote && text[stop] == '#' &&
                 (stop == from || isspace((unsigned char)text[stop - 1])))
            break;
    }
    while (stop > from && isspace((unsigned char)text[stop - 1])) stop--;
    *end = stop;
}

/* Returns a scalar of YAML, without its quotes; NULL for what is not read here. */
static json_t *make_yaml_scalar(const char *word, size_t size)
{
    if (size >= 2 && (word[0] == '"' || word[0] == '\'') && word[size - 1] == word[0])
        return memchr(word, '\\', size) ? NULL : json_stringn(word + 1, size - 2);
    if (size > 0 && strchr("&*!|>{}[]%@`\"'", word[0])) return NULL;
    if (equals(word, size, ".inf")) return json_real(1e308);
    return make_scalar(word, size);
}

/* Returns a value: a scalar, or a list in brackets. */
static json_t *make_yaml_value(const char *word, size_t size)
{
    if (size < 2 || word[0] != '[' || word[size - 1] != ']') return make_yaml_scalar(word, size);
    json_t *list = json_array();
    for (size_t i = 1; list && i < size - 1;) {
        size_t end = i;
        while (end < size - 1 && word[end] != ',') end++;
        size_t from = i, to = end;
        while (from < to && isspace((unsigned char)word[from])) from++;
        while (to > from && isspace((unsigned char)word[to - 1])) to--;
        json_t *one = make_yaml_scalar(word + from, to - from);
        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
        i = end + 1;
    }
    return list;
}

static const char unread[] =
    "this kind of YAML is not read here: `name: value`, with scalars, lists of them and sections";

/* A name without a value: of a section, or of a list in the lines that follow. */
typedef struct section {
    char name[NAME];
    json_t *list; /* borrowed: once the first member was read */
    bool open;
} section;

/* Reads `- value`, a member of the list that the last name has. */
static f2l_status read_item(reader *r, section *s, size_t from, size_t end)
{
    const char *text = r->out->text;
    size_t at = from + 1;
    while (at < end && isspace((unsigned char)text[at])) at++;
    if (!s->open) return refuse_here(r, from, "a member of a list that has no name");
    json_t *value = make_yaml_value(text + at, end - at);
    if (!value) return refuse_here(r, at, unread);
    if (!s->list) {
        s->list = json_array();
        const f2l_status status = put_setting(r, s->name, s->list, from);
        if (status != F2L_OK) {
            json_decref(value);
            return status;
        }
    }
    if (json_array_size(s->list) >= F2L_CONFIG_MOST) {
        json_decref(value);
        return refuse_here(r, from, "a list of more than 20,000 members");
    }
    return json_array_append_new(s->list, value) == 0 ? F2L_OK : f2l_fail_memory(r->err);
}

/* Reads `name ..... value`; returns whether the line is one. */
static bool read_printed(reader *r, size_t from, size_t end, f2l_status *status)
{
    const char *text = r->out->text;
    size_t name = from, dots, value;
    while (name < end && !isspace((unsigned char)text[name])) name++;
    for (dots = name; dots < end && isspace((unsigned char)text[dots]);) dots++;
    for (value = dots; value < end && text[value] == '.';) value++;
    if (value < dots + 3) return false;
    while (value < end && isspace((unsigned char)text[value])) value++;
    char copy[NAME];
    *status = copy_name(copy, r, text + from, name - from, from);
    if (*status == F2L_OK) {
        json_t *made = make_yaml_value(text + value, end - value);
        *status = put_setting(r, copy, made ? made : json_stringn(text + value, end - value), from);
    }
    return true;
}

static f2l_status read_line(reader *r, section *s, size_t from, size_t end)
{
    const char *text = r->out->text;
    f2l_status status = F2L_OK;
    char name[NAME];
    if (text[from] == '-' && (from + 1 == end || isspace((unsigned char)text[from + 1])))
        return read_item(r, s, from, end);
    if (read_printed(r, from, end, &status)) {
        r->out->form = "arguments";
        return status;
    }
    const char *colon = memchr(text + from, ':', end - from);
    if (!colon || (colon + 1 < text + end && !isspace((unsigned char)colon[1])) ||
        strchr("\"'{[&*?", text[from]))
        return refuse_here(r, from, unread);
    status = copy_name(name, r, text + from, (size_t)(colon - text) - from, from);
    size_t at = (size_t)(colon - text) + 1;
    while (at < end && isspace((unsigned char)text[at])) at++;
    s->list = NULL;
    s->open = at == end;
    memcpy(s->name, name, status == F2L_OK ? sizeof name : 0);
    if (status != F2L_OK || at == end) return status;
    json_t *value = make_yaml_value(text + at, end - at);
    return value ? put_setting(r, name, value, from) : refuse_here(r, at, unread);
}

static f2l_status read_yaml(reader *r)
{
    const char *text = r->out->text;
    section s = {.open = false};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->out->size && status == F2L_OK; r->line++) {
        const char *newline = memchr(text + i, '\n', r->out->size - i);
        const size_t next = newline ? (size_t)(newline - text) : r->out->size;
        size_t from = i, end = next;
        r->begin = i;
        while (from < end && isspace((unsigned char)text[from])) from++;
        trim_line(text, from, &end);
        const bool marks = equals(text + from, end - from, "---") ||
                           equals(text + from, end - from, "...") ||
                           (from < end && text[from] == '%');
        if (from < end && !marks) status = read_line(r, &s, from, end);
        i = next + 1;
    }
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
    reader r = {.out = out, .line = 1, .err = err};
    size_t at = 0;
    f2l_status status = out->object ? F2L_OK : f2l_fail_memory(err);
    while (at < size && isspace((unsigned char)text[at])) at++;
    if (status == F2L_OK && size > F2L_CONFIG_BYTES)
        status = f2l_fail_at(err, 1, 1, "a configuration of more than 4 MiB");
    else if (status == F2L_OK && at == size)
        status = f2l_fail_at(err, 1, 1, "the configuration is empty");
    else if (status == F2L_OK && (text[at] == '{' || text[at] == '[')) {
        json_t *value = NULL;
        out->form = text[at] == '{' ? "JSON" : "arguments";
        status = read_json(&r, &value);
        if (status == F2L_OK && json_is_object(value)) {
            json_decref(out->object);
            out->object = json_incref(value);
        } else if (status == F2L_OK) {
            status = read_listed(&r, value);
        }
        json_decref(value);
    } else if (status == F2L_OK && begins_with_arguments(text, size)) {
        out->form = "arguments";
        status = read_arguments(&r);
    } else if (status == F2L_OK) {
        status = read_yaml(&r);
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
