#include "numeric/base/mem.h"
#include "numeric/json/members.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool say_fault(f2l_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the fault; returns false. */
static bool say_fault(f2l_fault *fault, const char *format, ...)
{
    va_list list;
    fault->memory = false;
    va_start(list, format);
    vsnprintf(fault->text, sizeof fault->text, format, list);
    va_end(list);
    return false;
}

/* --- bounds --- */

static bool check_whole(f2l_fault *fault, const f2l_member *m, uint64_t value)
{
    const bool any = m->most == 0 || (value == 0 && (m->how & F2L_SKIP_ZERO));
    if (any || ((double)value >= m->least && (m->most >= 0x1p63 || value <= (uint64_t)m->most)))
        return true;
    return say_fault(fault, "is %llu, which is not in %.17g .. %.17g", (unsigned long long)value,
                     m->least, m->most);
}

static bool check_real(f2l_fault *fault, const f2l_member *m, double value)
{
    const bool any = m->least == 0 && m->most == 0;
    if (isnan(value) && (m->how & (F2L_NULL | F2L_SKIP_NAN))) return true;
    if (value == 0 && (m->how & F2L_SKIP_ZERO)) return true;
    if (isfinite(value) && (any || (value >= m->least && value <= m->most))) return true;
    if (any) return say_fault(fault, "is %g, which is not a finite number", value);
    if (m->least == DBL_TRUE_MIN && m->most == DBL_MAX)
        return say_fault(fault, "is %g, which is not a positive number", value);
    return say_fault(fault, "is %g, which is not in %g .. %g", value, m->least, m->most);
}

f2l_status f2l_members_check(const void *record, const f2l_members *members, f2l_error *err)
{
    f2l_fault fault;
    for (const f2l_member *m = members->member; m < members->member + members->count; m++) {
        const void *at = (const char *)record + m->at;
        const bool good = m->kind == F2L_WHOLE  ? check_whole(&fault, m, f2l_member_whole(m, at))
                          : m->kind == F2L_REAL ? check_real(&fault, m, *(const double *)at)
                                                : true;
        if (!good) return f2l_fail(err, F2L_EDOMAIN, "%s %s", m->name, fault.text);
    }
    return F2L_OK;
}

/* --- values --- */

static bool read_whole(f2l_fault *fault, void *at, const f2l_member *m, const json_t *value)
{
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0) return say_fault(fault, "is not a whole number");
    if (m->size == sizeof(uint64_t))
        *(uint64_t *)at = (uint64_t)number;
    else if (number <= UINT32_MAX)
        *(uint32_t *)at = (uint32_t)number;
    else
        return say_fault(fault, "is %lld, which is more than 2^32 - 1", (long long)number);
    return check_whole(fault, m, (uint64_t)number);
}

static bool read_real(f2l_fault *fault, void *at, const f2l_member *m, const json_t *value)
{
    const bool null = json_is_null(value) && (m->how & F2L_NULL);
    if (!null && !json_is_number(value)) return say_fault(fault, "is not a number");
    *(double *)at = null ? (double)NAN : json_number_value(value);
    return check_real(fault, m, *(const double *)at);
}

static bool read_text(f2l_fault *fault, char *at, const f2l_member *m, const json_t *value)
{
    const bool null = json_is_null(value) && (m->how & F2L_NULL);
    const char *text = null ? "" : json_string_value(value);
    if (text == NULL) return say_fault(fault, "is no text");
    const size_t size = strlen(text);
    if (size >= m->size) return say_fault(fault, "is longer than %zu bytes", m->size - 1);
    if (!null && (double)size < m->least)
        return say_fault(fault, "is shorter than %g bytes", m->least);
    memcpy(at, text, size + 1);
    return true;
}

static bool read_name(f2l_fault *fault, unsigned *at, const f2l_member *m, const json_t *value)
{
    const char *text = json_string_value(value), *name;
    say_fault(fault, m->name_of(1) == NULL ? "is not" : "is none of");
    for (unsigned i = 0; (name = m->name_of(i)) != NULL; i++) {
        const size_t size = strlen(fault->text);
        if (text != NULL && strcmp(text, name) == 0) return *at = i, true;
        snprintf(fault->text + size, sizeof fault->text - size, "%s %s", i > 0 ? "," : "", name);
    }
    return false;
}

static bool read_value(f2l_fault *fault, json_t **at, const f2l_member *m, json_t *value)
{
    *at = value;
    if ((m->how & F2L_IS_OBJECT) && !json_is_object(value)) return say_fault(fault, "is no object");
    if (!(m->how & F2L_IS_LIST)) return true;
    if (!json_is_array(value)) return say_fault(fault, "is no list");
    return (double)json_array_size(value) >= m->least ||
           say_fault(fault, "is a list of fewer than %g values", m->least);
}

/* Reads a list of numbers that are 8 bytes each. */
static bool read_list(f2l_fault *fault, void *record, const f2l_member *m, const json_t *value)
{
    const size_t count = json_array_size(value);
    f2l_member one = *m;
    f2l_fault why;
    bool good = true;
    char *list = NULL, *at = (char *)record + m->at;
    memcpy(at, &list, sizeof list);
    *(size_t *)((char *)record + m->count_at) = count;
    if (json_is_null(value) && (m->how & F2L_NULL)) return true;
    if (!json_is_array(value)) return say_fault(fault, "is no list");
    list = f2l_calloc(count + 1, sizeof(uint64_t));
    memcpy(at, &list, sizeof list);
    fault->memory = list == NULL;
    one.how = 0;
    for (size_t i = 0; list != NULL && good && i < count; i++) {
        void *to = list + i * sizeof(uint64_t);
        const json_t *number = json_array_get(value, i);
        good = m->kind == F2L_REALS ? read_real(&why, to, &one, number)
                                    : read_whole(&why, to, &one, number);
        if (!good) (void)say_fault(fault, "has entry %zu, which %s", i + 1, why.text);
    }
    return list != NULL && good;
}

bool f2l_member_read(f2l_fault *fault, void *record, const f2l_member *member, json_t *value)
{
    void *at = (char *)record + member->at;
    if (value == NULL) return (member->how & F2L_MAY_MISS) || say_fault(fault, "is missing");
    switch (member->kind) {
    case F2L_WHOLE:
        return read_whole(fault, at, member, value);
    case F2L_REAL:
        return read_real(fault, at, member, value);
    case F2L_TRUTH:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) || say_fault(fault, "is neither true nor false");
    case F2L_TEXT:
        return read_text(fault, at, member, value);
    case F2L_ONE_OF:
        return read_name(fault, at, member, value);
    case F2L_WHOLES:
    case F2L_REALS:
        return read_list(fault, record, member, value);
    case F2L_VALUE:
        return read_value(fault, at, member, value);
    default: /* F2L_PART has members of its own */
        return json_is_object(value) || say_fault(fault, "is no object");
    }
}

/* --- objects --- */

/* Where a member is: in the text `what`, inside the part `path`, which is "" or ends with a dot. */
typedef struct place {
    const char *what, *path;
    f2l_error *err;
} place;

static f2l_status read_members(void *record, const f2l_members *members, const json_t *object,
                               const place *in);

static f2l_status read_part(void *record, const f2l_member *m, const json_t *value, const place *in)
{
    char path[64];
    snprintf(path, sizeof path, "%s%s.", in->path, m->name);
    return read_members((char *)record + m->at, m->part, value, &(place){in->what, path, in->err});
}

static f2l_status refuse_unknown(const f2l_members *members, const json_t *object, const place *in)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;
        while (i < members->count && strcmp(members->member[i].name, key) != 0) i++;
        if (i == members->count)
            return f2l_fail(in->err, F2L_EFORMAT, "%s: there is no member \"%s%.100s\"", in->what,
                            in->path, key);
    }
    return F2L_OK;
}

static f2l_status read_members(void *record, const f2l_members *members, const json_t *object,
                               const place *in)
{
    f2l_fault fault;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < members->count && status == F2L_OK; i++) {
        const f2l_member *m = &members->member[i];
        json_t *value = json_object_get(object, m->name);
        const bool good = f2l_member_read(&fault, record, m, value);
        if (!good && fault.memory) return f2l_fail_memory(in->err);
        if (!good)
            return f2l_fail(in->err, F2L_EFORMAT, "%s: the member \"%s%s\" %s", in->what, in->path,
                            m->name, fault.text);
        if (m->kind == F2L_PART && value != NULL) status = read_part(record, m, value, in);
    }
    return status == F2L_OK && !members->others ? refuse_unknown(members, object, in) : status;
}

f2l_status f2l_members_read(void *record, const f2l_members *members, const json_t *object,
                            const char *what, f2l_error *err)
{
    if (!json_is_object(object))
        return f2l_fail(err, F2L_EFORMAT, "%s: it is not a JSON object", what);
    return read_members(record, members, object, &(place){what, "", err});
}
