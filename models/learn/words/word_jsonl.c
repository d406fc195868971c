/* JSON lines as `fsa2lrnn run --write` writes them: {"word": [..], "labels": [..], "label": ".."}.
 * `labels` or `label` may be missing; other members are left alone. A label that is null does not
 * count; one of a word must. */
#include "models/learn/words/impl.h"
#include <jansson.h>
#include <string.h>

/* Sets *out to a string or a whole number as it is spelled; `room` keeps the number. */
static bool name_of(f2l_word_file_span *out, char room[32], const json_t *value, size_t line)
{
    out->line = line;
    out->column = 1;
    if (json_is_integer(value)) {
        out->size = (size_t)snprintf(room, 32, "%lld", (long long)json_integer_value(value));
        out->text = room;
        return true;
    }
    out->text = json_string_value(value);
    out->size = out->text ? strlen(out->text) : 0;
    return out->text != NULL;
}

static f2l_status take_json_names(f2l_word_reader *r, const json_t *list, bool labels, size_t line,
                                  f2l_error *err)
{
    char room[32];
    f2l_word_file_span name;
    f2l_status status = F2L_OK;
    size_t given = 0;
    for (size_t at = 0; at < json_array_size(list) && status == F2L_OK; at++) {
        if (labels && json_is_null(json_array_get(list, at))) continue;
        given++;
        if (!name_of(&name, room, json_array_get(list, at), line))
            return f2l_fail_at(err, line, 1, "%s %zu is neither a text nor a whole number%s",
                               labels ? "label" : "letter", at + 1, labels ? ", nor null" : "");
        status =
            labels ? f2l_word_reader_label(r, at, name, err) : f2l_word_reader_letter(r, name, err);
    }
    if (status == F2L_OK && labels && given == 0 && json_array_size(list) > 0)
        return f2l_fail_at(err, line, 1, "all labels of this word are null: no answer would count");
    return status;
}

static f2l_status read_object(f2l_word_reader *r, const json_t *object, size_t line, f2l_error *err)
{
    char room[32];
    f2l_word_file_span last;
    const json_t *word = json_object_get(object, "word"),
                 *labels = json_object_get(object, "labels");
    const json_t *label = json_object_get(object, "label");
    if (!json_is_array(word) || (labels ? !json_is_array(labels) : label == NULL))
        return f2l_fail_at(err, line, 1,
                           "an object with a list \"word\", and a list \"labels\" or a \"label\", "
                           "is expected");
    const size_t letters = json_array_size(word);
    f2l_status status = take_json_names(r, word, false, line, err);
    if (status == F2L_OK && labels && json_array_size(labels) != letters)
        return f2l_fail_at(err, line, 1, "%zu labels for %zu letters", json_array_size(labels),
                           letters);
    if (status == F2L_OK && labels) status = take_json_names(r, labels, true, line, err);
    if (status == F2L_OK && !labels && letters > 0)
        status = name_of(&last, room, label, line)
                     ? f2l_word_reader_label(r, letters - 1, last, err)
                     : f2l_fail_at(err, line, 1, "the label is neither a text nor a whole number");
    return status == F2L_OK ? f2l_word_reader_end(r, err) : status;
}

f2l_status f2l_word_read_jsonl(f2l_word_reader *r, f2l_error *err)
{
    f2l_word_lines *file = r->file[0];
    const char *text;
    size_t size;
    bool more = true;
    f2l_status status = F2L_OK;
    while (status == F2L_OK) {
        json_error_t why;
        status = f2l_word_lines_next(file, &text, &size, &more, err);
        if (status != F2L_OK || !more) break;
        if (size == 0) continue;
        json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
        if (object == NULL)
            return f2l_fail_at(err, file->number, why.column > 0 ? (size_t)why.column : 1,
                               "this is no JSON: %s", why.text);
        status = read_object(r, object, file->number, err);
        json_decref(object);
    }
    return status;
}
