/* Lists of arguments: `--name value ..`. */
#include "theory/ladder/config_reader.h"
#include <ctype.h>
#include <string.h>

/* A list of arguments as it is gathered: values follow their name. */
typedef struct argument {
    char name[F2L_CONFIG_NAME];
    json_t *values; /* NULL: no name yet */
    size_t at;
} argument;

static f2l_status end_argument(f2l_config_reader *r, argument *a)
{
    if (!a->values) return F2L_OK;
    const size_t count = json_array_size(a->values);
    json_t *value = count == 0   ? json_true()
                    : count == 1 ? json_incref(json_array_get(a->values, 0))
                                 : json_incref(a->values);
    json_decref(a->values);
    a->values = NULL;
    return f2l_config_put(r, a->name, value, a->at);
}

/* Takes a word: a name with two dashes, with or without `=value`, or a value of the last name. What
 * is before the first name, a program and its file, is passed over. */
static f2l_status take_word(f2l_config_reader *r, argument *a, const char *word, size_t size,
                            size_t at)
{
    if (size > 2 && word[0] == '-' && word[1] == '-' && isalpha((unsigned char)word[2])) {
        const char *equal = memchr(word, '=', size);
        const size_t length = (equal ? (size_t)(equal - word) : size) - 2;
        f2l_status status = end_argument(r, a);
        if (status == F2L_OK) status = f2l_config_copy_name(a->name, r, word + 2, length, at);
        if (status != F2L_OK) return status;
        a->at = at;
        a->values = json_array();
        if (!equal) return a->values ? F2L_OK : f2l_fail_memory(r->err);
        size -= length + 3;
        word = equal + 1;
    }
    if (!a->values) return F2L_OK;
    json_t *value = f2l_config_make_scalar(word, size);
    if (!value || json_array_size(a->values) >= F2L_CONFIG_MOST ||
        json_array_append_new(a->values, value) != 0)
        return f2l_config_refuse_at(r, at, "a value that is no UTF-8, or too many of them");
    return F2L_OK;
}

/* Reads the words of a text, apart by blanks; in quotes a word may have blanks, `#` begins a
 * comment, and a backslash before the end of a line says nothing. */
static f2l_status read_words(f2l_config_reader *r, argument *a)
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
            if (!end) return f2l_config_refuse_at(r, i, "a quote that nothing closes");
            const size_t length = (size_t)(end - text) - i - 1;
            if (memchr(text + i, '\n', length + 1))
                return f2l_config_refuse_at(r, i, "a line in quotes");
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

f2l_status f2l_config_read_arguments(f2l_config_reader *r)
{
    argument a = {.values = NULL};
    const f2l_status status = read_words(r, &a);
    json_decref(a.values);
    return status;
}

/* Reads a list of JSON, the arguments as a program got them. */
f2l_status f2l_config_read_listed(f2l_config_reader *r, const json_t *list)
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
