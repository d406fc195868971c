#include "numeric/json/members.h"
#include <math.h>
#include <string.h>

/* Returns whether the member is not written. */
static bool skips_member(const f2l_member *m, const void *record)
{
    const void *at = (const char *)record + m->at;
    if (m->kind == F2L_VALUE) return *(json_t *const *)at == NULL;
    if (m->kind == F2L_REAL && (m->how & F2L_SKIP_NAN)) return isnan(*(const double *)at);
    if (!(m->how & F2L_SKIP_ZERO)) return false;
    if (m->kind == F2L_WHOLE) return f2l_member_whole(m, at) == 0;
    if (m->kind == F2L_REAL) return *(const double *)at == 0;
    return m->kind == F2L_TEXT ? *(const char *)at == '\0' : !*(const bool *)at;
}

static void write_real(f2l_buf *out, const f2l_member *m, double value)
{
    if (m->digits > 0 && isfinite(value))
        f2l_buf_printf(out, "%.*g", m->digits, value);
    else
        f2l_json_number(out, value);
}

static void write_text(f2l_buf *out, const f2l_member *m, const char *text)
{
    if (*text == '\0' && (m->how & F2L_NULL))
        f2l_buf_text(out, "null");
    else
        f2l_json_text(out, text);
}

static void write_list(f2l_buf *out, const f2l_member *m, const void *record)
{
    const char *list;
    const size_t count = *(const size_t *)((const char *)record + m->count_at);
    memcpy(&list, (const char *)record + m->at, sizeof list);
    if (list == NULL && (m->how & F2L_NULL)) {
        f2l_buf_text(out, "null");
        return;
    }
    f2l_buf_text(out, "[");
    for (size_t i = 0; list != NULL && i < count; i++) {
        const void *at = list + i * sizeof(uint64_t);
        if (i > 0) f2l_buf_text(out, ",");
        if (m->kind == F2L_REALS)
            write_real(out, m, *(const double *)at);
        else
            f2l_buf_size(out, *(const size_t *)at);
    }
    f2l_buf_text(out, "]");
}

static void write_value(f2l_buf *out, const f2l_member *m, const void *record)
{
    const void *at = (const char *)record + m->at;
    if (m->kind == F2L_WHOLE)
        f2l_buf_printf(out, "%llu", (unsigned long long)f2l_member_whole(m, at));
    else if (m->kind == F2L_REAL)
        write_real(out, m, *(const double *)at);
    else if (m->kind == F2L_TRUTH)
        f2l_buf_text(out, *(const bool *)at ? "true" : "false");
    else if (m->kind == F2L_TEXT)
        write_text(out, m, at);
    else if (m->kind == F2L_ONE_OF)
        f2l_json_text(out, m->name_of(*(const unsigned *)at));
    else if (m->kind == F2L_WHOLES || m->kind == F2L_REALS)
        write_list(out, m, record);
    else
        f2l_members_write(out, m->part, at);
}

void f2l_members_write(f2l_buf *out, const f2l_members *members, const void *record)
{
    const char *before = "{";
    for (size_t i = 0; i < members->count; i++) {
        const f2l_member *m = &members->member[i];
        if (m->kind == F2L_VALUE || skips_member(m, record)) continue;
        f2l_buf_printf(out, "%s\"%s\":", before, m->name);
        write_value(out, m, record);
        before = ",";
    }
    f2l_buf_text(out, "}");
}

void f2l_member_say(f2l_fact in, const char *name, const f2l_member *member, const void *record)
{
    const void *at = (const char *)record + member->at;
    if (member->kind == F2L_WHOLE)
        f2l_say_count(in, name, f2l_member_whole(member, at));
    else if (member->kind == F2L_REAL)
        f2l_say_number(in, name, *(const double *)at);
    else if (member->kind == F2L_TRUTH)
        f2l_say_truth(in, name, *(const bool *)at);
    else if (member->kind == F2L_TEXT)
        f2l_say_text(in, name, *(const char *)at == '\0' && (member->how & F2L_NULL) ? NULL : at);
    else if (member->kind == F2L_ONE_OF)
        f2l_say_text(in, name, member->name_of(*(const unsigned *)at));
    else if (member->kind == F2L_VALUE)
        f2l_say_json(in, name, json_incref(*(json_t *const *)at));
    else
        f2l_members_say(f2l_say_object(in, name), member->part, at);
}

void f2l_members_say(f2l_fact in, const f2l_members *members, const void *record)
{
    for (size_t i = 0; i < members->count; i++) {
        const f2l_member *m = &members->member[i];
        const bool list = m->kind == F2L_WHOLES || m->kind == F2L_REALS;
        if (!list && !skips_member(m, record)) f2l_member_say(in, m->name, m, record);
    }
}
