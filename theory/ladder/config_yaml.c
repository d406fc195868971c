/* YAML, and the lines that Megatron-LM prints. */
#include "theory/ladder/config_reader.h"
#include <ctype.h>
#include <string.h>

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
    if (f2l_config_equals(word, size, ".inf")) return json_real(1e308);
    return f2l_config_make_scalar(word, size);
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
    char name[F2L_CONFIG_NAME];
    json_t *list; /* borrowed: once the first member was read */
    bool open;
} section;

/* Reads `- value`, a member of the list that the last name has. */
static f2l_status read_item(f2l_config_reader *r, section *s, size_t from, size_t end)
{
    const char *text = r->out->text;
    size_t at = from + 1;
    while (at < end && isspace((unsigned char)text[at])) at++;
    if (!s->open) return f2l_config_refuse_at(r, from, "a member of a list that has no name");
    json_t *value = make_yaml_value(text + at, end - at);
    if (!value) return f2l_config_refuse_at(r, at, unread);
    if (!s->list) {
        s->list = json_array();
        const f2l_status status = f2l_config_put(r, s->name, s->list, from);
        if (status != F2L_OK) {
            json_decref(value);
            return status;
        }
    }
    if (json_array_size(s->list) >= F2L_CONFIG_MOST) {
        json_decref(value);
        return f2l_config_refuse_at(r, from, "a list of more than 20,000 members");
    }
    return json_array_append_new(s->list, value) == 0 ? F2L_OK : f2l_fail_memory(r->err);
}

/* Reads `name ..... value`; returns whether the line is one. */
static bool read_printed(f2l_config_reader *r, size_t from, size_t end, f2l_status *status)
{
    const char *text = r->out->text;
    size_t name = from, dots, value;
    while (name < end && !isspace((unsigned char)text[name])) name++;
    for (dots = name; dots < end && isspace((unsigned char)text[dots]);) dots++;
    for (value = dots; value < end && text[value] == '.';) value++;
    if (value < dots + 3) return false;
    while (value < end && isspace((unsigned char)text[value])) value++;
    char copy[F2L_CONFIG_NAME];
    *status = f2l_config_copy_name(copy, r, text + from, name - from, from);
    if (*status == F2L_OK) {
        json_t *made = make_yaml_value(text + value, end - value);
        *status =
            f2l_config_put(r, copy, made ? made : json_stringn(text + value, end - value), from);
    }
    return true;
}

static f2l_status read_line(f2l_config_reader *r, section *s, size_t from, size_t end)
{
    const char *text = r->out->text;
    f2l_status status = F2L_OK;
    char name[F2L_CONFIG_NAME];
    if (text[from] == '-' && (from + 1 == end || isspace((unsigned char)text[from + 1])))
        return read_item(r, s, from, end);
    if (read_printed(r, from, end, &status)) {
        r->out->form = "arguments";
        return status;
    }
    const char *colon = memchr(text + from, ':', end - from);
    if (!colon || (colon + 1 < text + end && !isspace((unsigned char)colon[1])) ||
        strchr("\"'{[&*?", text[from]))
        return f2l_config_refuse_at(r, from, unread);
    status = f2l_config_copy_name(name, r, text + from, (size_t)(colon - text) - from, from);
    size_t at = (size_t)(colon - text) + 1;
    while (at < end && isspace((unsigned char)text[at])) at++;
    s->list = NULL;
    s->open = at == end;
    memcpy(s->name, name, status == F2L_OK ? sizeof name : 0);
    if (status != F2L_OK || at == end) return status;
    json_t *value = make_yaml_value(text + at, end - at);
    return value ? f2l_config_put(r, name, value, from) : f2l_config_refuse_at(r, at, unread);
}

f2l_status f2l_config_read_yaml(f2l_config_reader *r)
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
        const bool marks = f2l_config_equals(text + from, end - from, "---") ||
                           f2l_config_equals(text + from, end - from, "...") ||
                           (from < end && text[from] == '%');
        if (from < end && !marks) status = read_line(r, &s, from, end);
        i = next + 1;
    }
    return status;
}
