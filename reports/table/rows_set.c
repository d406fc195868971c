/* Objects by key as sets: every element once, listed in the order of the keys. */
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include "reports/table/rows.h"
#include <stdlib.h>

char *f2l_rows_dump(const json_t *value)
{
    return value ? json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}

void f2l_rows_put(f2l_rows *r, json_t *object, const char *key, json_t *value)
{
    if (!key || json_object_set_new_nocheck(object, key, value) != 0) {
        if (!key) json_decref(value);
        r->failed = true;
    }
}

json_t *f2l_rows_object(f2l_rows *r, json_t *object, const char *key)
{
    json_t *found = key ? json_object_get(object, key) : NULL;
    if (!found) f2l_rows_put(r, object, key, json_object());
    return found ? found : key ? json_object_get(object, key) : NULL;
}

const char *f2l_rows_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Returns the keys of an object, sorted: borrowed from it, to be freed by f2l_free. */
static const char **sorted_keys(f2l_rows *r, json_t *object, size_t *count)
{
    const char *name;
    json_t *value;
    const char **key = f2l_calloc(json_object_size(object) + 1, sizeof *key);
    *count = 0;
    if (!key) r->failed = true;
    if (!key) return NULL;
    json_object_foreach(object, name, value) key[(*count)++] = name;
    qsort(key, *count, sizeof *key, f2l_text_compare);
    return key;
}

json_t *f2l_rows_values(f2l_rows *r, json_t *object)
{
    size_t count;
    json_t *list = json_array();
    const char **key = sorted_keys(r, object, &count);
    for (size_t i = 0; key && i < count; i++)
        if (json_array_append(list, json_object_get(object, key[i])) != 0) r->failed = true;
    f2l_free(key);
    if (!list) r->failed = true;
    return list;
}

json_t *f2l_rows_unite(f2l_rows *r, const json_t *a, const json_t *b)
{
    json_t *all = json_object();
    const json_t *lists[] = {a, b};
    for (size_t k = 0; all && k < 2; k++)
        for (size_t i = 0; i < json_array_size(lists[k]); i++) {
            json_t *text = json_array_get(lists[k], i);
            f2l_rows_put(r, all, json_string_value(text), json_incref(text));
        }
    json_t *list = all ? f2l_rows_values(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}
