#include "models/learn/data/word_json.h"
#include "numeric/base/visible.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Sets json[i] to the name as a JSON string. */
static f2l_status spell_json_names(f2l_names *json, const f2l_names *names, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; i < names->count && status == F2L_OK; i++) {
        json_t *value = json_string(f2l_names_get(names, i));
        char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
        f2l_buf shown;
        f2l_buf_init(&shown);
        f2l_buf_visible(&shown, text ? text : "", text ? strlen(text) : 0, "");
        shown.failed = shown.failed || !text;
        status = f2l_buf_status(&shown, err);
        if (status == F2L_OK) status = f2l_names_add(json, shown.data, shown.size, &index, err);
        f2l_buf_clear(&shown);
        free(text);
        json_decref(value);
    }
    return status;
}

f2l_status f2l_word_json_init(f2l_word_json *out, const f2l_names *letters, const f2l_names *labels,
                              f2l_error *err)
{
    f2l_names_init(&out->letters);
    f2l_names_init(&out->labels);
    const f2l_status status = spell_json_names(&out->letters, letters, err);
    return status == F2L_OK ? spell_json_names(&out->labels, labels, err) : status;
}

void f2l_word_json_clear(f2l_word_json *json)
{
    f2l_names_clear(&json->letters);
    f2l_names_clear(&json->labels);
}

static void put_json_list(f2l_buf *out, const f2l_names *json, const uint32_t *number, size_t count)
{
    f2l_buf_text(out, "[");
    for (size_t t = 0; t < count; t++) {
        if (t > 0) f2l_buf_text(out, ", ");
        f2l_buf_text(out, f2l_names_get(json, number[t]));
    }
    f2l_buf_text(out, "]");
}

void f2l_word_json_put(f2l_buf *out, const f2l_word_json *json, const uint32_t *letter,
                       size_t count, const uint32_t *label, uint32_t last)
{
    f2l_buf_text(out, "{\"word\": ");
    put_json_list(out, &json->letters, letter, count);
    if (label != NULL) {
        f2l_buf_text(out, ", \"labels\": ");
        put_json_list(out, &json->labels, label, count);
    }
    f2l_buf_printf(out, ", \"label\": %s}\n", f2l_names_get(&json->labels, last));
}
