#include "numeric/base/option.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const f2l_option *f2l_option_find(const f2l_option *table, const char *name, size_t size,
                                  char letter)
{
    for (; table && table->name; table++) {
        if (name ? strlen(table->name) == size && memcmp(table->name, name, size) == 0
                 : table->letter == letter)
            return table;
    }
    return NULL;
}

static bool read_number(uint64_t *out, const char *text, const char **end)
{
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    char *stop;
    unsigned long long value = strtoull(text, &stop, 10);
    if (errno == ERANGE) return false;
    *out = value;
    *end = stop;
    return true;
}

bool f2l_options_number(uint64_t *out, const char *text)
{
    const char *end;
    return read_number(out, text, &end) && *end == '\0';
}

static f2l_status set_number(const f2l_option *o, uint64_t *field, const char *text, f2l_error *err)
{
    uint64_t value;
    if (!f2l_options_number(&value, text) || value < o->minimum || value > o->maximum)
        return f2l_fail(err, F2L_EDOMAIN, "--%s takes a number from %llu to %llu, not '%s'",
                        o->name, (unsigned long long)o->minimum, (unsigned long long)o->maximum,
                        text);
    *field = value;
    return F2L_OK;
}

static f2l_status set_size(const f2l_option *o, uint64_t *field, const char *text, f2l_error *err)
{
    static const char units[] = "KMGT";
    uint64_t value;
    const char *end;
    bool good = read_number(&value, text, &end);
    if (good && *end) {
        const char *unit = strchr(units, *end);
        unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
        good = unit && end[1] == '\0' && value <= (UINT64_MAX >> shift);
        if (good) value <<= shift;
    }
    if (!good || value < o->minimum || value > o->maximum)
        return f2l_fail(err, F2L_EDOMAIN,
                        "--%s takes a size such as 500M or 2G (at least %lluK), not '%s'", o->name,
                        (unsigned long long)(o->minimum >> 10), text);
    *field = value;
    return F2L_OK;
}

static f2l_status set_seconds(const f2l_option *o, double *field, const char *text, f2l_error *err)
{
    char *end = NULL;
    double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (end && *end && end[1] == '\0') {
        double unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : 0;
        value *= unit;
        end++;
    }
    if (!end || *end || !(value > 0) || value > 1e9)
        return f2l_fail(err, F2L_EDOMAIN, "--%s takes seconds such as 90, 10m or 1.5h, not '%s'",
                        o->name, text);
    *field = value;
    return F2L_OK;
}

static f2l_status set_real(const f2l_option *o, double *field, const char *text, f2l_error *err)
{
    char *end = NULL;
    const double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    const bool decimal = text[strspn(text, "0123456789.eE+-")] == '\0';
    if (!end || *end || !decimal || !(value >= (double)o->minimum && value <= (double)o->maximum))
        return f2l_fail(
            err, F2L_EDOMAIN, "--%s takes a number from %llu to %llu such as 0.5 or 1e-3, not '%s'",
            o->name, (unsigned long long)o->minimum, (unsigned long long)o->maximum, text);
    *field = value;
    return F2L_OK;
}

size_t f2l_choice_find(const char *(*choice)(size_t index), const char *text, size_t size)
{
    for (size_t i = 0; choice(i); i++) {
        if (strlen(choice(i)) == size && memcmp(choice(i), text, size) == 0) return i;
    }
    return F2L_NO_CHOICE;
}

static f2l_status bad_choice(const f2l_option *o, const char *text, size_t size, f2l_error *err)
{
    f2l_buf list;
    f2l_buf_init(&list);
    for (size_t i = 0; o->choice(i); i++)
        f2l_buf_printf(&list, "%s%s", i ? ", " : "", o->choice(i));
    f2l_status status =
        f2l_fail(err, F2L_EDOMAIN, "--%s is %s: %s; not '%.*s'", o->name,
                 o->kind == F2L_OPTION_CHOICES ? "a list, separated by commas, of" : "one of",
                 list.data ? list.data : "", (int)(size > 100 ? 100 : size), text);
    f2l_buf_clear(&list);
    return status;
}

static f2l_status set_choices(const f2l_option *o, f2l_chosen *field, const char *text,
                              f2l_error *err)
{
    field->count = 0;
    for (;;) {
        size_t size = strcspn(text, ","), found = f2l_choice_find(o->choice, text, size);
        if (found == F2L_NO_CHOICE) return bad_choice(o, text, size, err);
        for (size_t i = 0; i < field->count; i++) {
            if (field->index[i] == found)
                return f2l_fail(err, F2L_EDOMAIN, "--%s names '%s' twice", o->name,
                                o->choice(found));
        }
        field->index[field->count++] = found;
        if (!text[size]) return F2L_OK;
        text += size + 1;
    }
}

f2l_status f2l_option_set(const f2l_option *o, void *record, const char *text, f2l_error *err)
{
    void *field = (char *)record + o->offset;
    switch (o->kind) {
    case F2L_OPTION_FLAG:
        *(bool *)field = true;
        return F2L_OK;
    case F2L_OPTION_TEXT:
    case F2L_OPTION_TEXTS:
    case F2L_OPTION_FILE:
        *(const char **)field = text;
        return F2L_OK;
    case F2L_OPTION_NUMBER:
        return set_number(o, field, text, err);
    case F2L_OPTION_SIZE:
        return set_size(o, field, text, err);
    case F2L_OPTION_SECONDS:
        return set_seconds(o, field, text, err);
    case F2L_OPTION_REAL:
        return set_real(o, field, text, err);
    case F2L_OPTION_CHOICE: {
        size_t found = f2l_choice_find(o->choice, text, strlen(text));
        if (found == F2L_NO_CHOICE) return bad_choice(o, text, strlen(text), err);
        *(size_t *)field = found;
        return F2L_OK;
    }
    case F2L_OPTION_CHOICES:
        return set_choices(o, field, text, err);
    }
    return F2L_OK;
}
