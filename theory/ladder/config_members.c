#include "theory/ladder/impl.h"
#include <string.h>

void f2l_config_refuse(f2l_config_members *m, f2l_status status, const char *name, const char *what)
{
    size_t line, column;
    if (m->status != F2L_OK) return;
    f2l_config_text_find(m->settings, name, &line, &column);
    (void)f2l_fail_at(m->err, line, column, "%.60s %.300s", name, what);
    if (m->err) m->err->status = status;
    m->status = status;
}

const json_t *f2l_config_get(const f2l_config_members *m, const char *name)
{
    const json_t *value = json_object_get(m->object, name);
    return value && !json_is_null(value) ? value : NULL;
}

bool f2l_config_has(const f2l_config_members *m, const char *name)
{
    return f2l_config_get(m, name) != NULL;
}

bool f2l_config_flag(f2l_config_members *m, const char *name, bool usual)
{
    const json_t *value = f2l_config_get(m, name);
    if (!value) return usual;
    if (!json_is_boolean(value)) f2l_config_refuse(m, F2L_EFORMAT, name, "is to be true or false");
    return json_is_true(value);
}

size_t f2l_config_count(f2l_config_members *m, const char *name, size_t usual)
{
    const json_t *value = f2l_config_get(m, name);
    if (!value) return usual;
    const json_int_t count = json_integer_value(value);
    if (!json_is_integer(value) || count < 0 || count > F2L_CONFIG_LAYERS) {
        f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a whole number from 0 to 100,000");
        return usual;
    }
    return (size_t)count;
}

double f2l_config_number(f2l_config_members *m, const char *name, double usual)
{
    const json_t *value = f2l_config_get(m, name);
    if (!value) return usual;
    if (!json_is_number(value)) f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a number");
    return json_number_value(value);
}

const char *f2l_config_word(f2l_config_members *m, const char *name)
{
    const json_t *value = f2l_config_get(m, name);
    if (value && !json_is_string(value)) f2l_config_refuse(m, F2L_EFORMAT, name, "is to be a text");
    return json_string_value(value);
}
