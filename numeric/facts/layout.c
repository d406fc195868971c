#include "numeric/facts/layout.h"
#include "numeric/base/visible.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CONVERSION 16 /* bytes of a conversion of printf with its zero byte */

/* A part of a template. */
typedef struct span {
    const char *at;
    size_t size;
} span;

static void lay_span(f2l_buf *out, f2l_fact from, span text);

/* Returns the bytes before the first of the characters `ends` that is in no inner braces. */
static size_t find_unbraced(span text, const char *ends)
{
    size_t depth = 0, i = 0;
    for (; i < text.size; i++) {
        const char c = text.at[i];
        if (depth == 0 && strchr(ends, c)) break;
        depth += c == '{';
        depth -= c == '}' && depth > 0;
    }
    return i;
}

static span span_after(span text, size_t n)
{
    n = n < text.size ? n : text.size;
    return (span){text.at + n, text.size - n};
}

void f2l_layout_count(f2l_buf *out, uint64_t n, const char *noun)
{
    const char *many = strchr(noun, '/');
    if (!many)
        f2l_buf_printf(out, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
    else
        f2l_buf_printf(out, "%" PRIu64 " %.*s", n, n == 1 ? (int)(many - noun) : (int)strlen(noun),
                       n == 1 ? noun : many + 1);
}

/* Appends a text, in which a name from outside cannot begin a line. */
static void put_text(f2l_buf *out, f2l_fact value)
{
    const char *text = f2l_get_text(value, "");
    f2l_buf_visible(out, text, strlen(text), "");
}

/* Appends a value with a conversion "%..s" or "%..g". */
static void show_converted(f2l_buf *out, f2l_fact value, const char *conversion)
{
    char digits[32];
    if (!strchr(conversion, 's')) {
        f2l_buf_printf(out, conversion, f2l_get_number(value, ""));
    } else if (json_is_integer(value.json)) {
        snprintf(digits, sizeof digits, "%" PRId64, f2l_get_integer(value, ""));
        f2l_buf_printf(out, conversion, digits);
    } else {
        f2l_buf shown;
        f2l_buf_init(&shown);
        put_text(&shown, value);
        f2l_buf_printf(out, conversion, shown.data ? shown.data : "");
        out->failed = out->failed || shown.failed;
        f2l_buf_clear(&shown);
    }
}

static void show_plain(f2l_buf *out, f2l_fact value)
{
    if (json_is_string(value.json))
        put_text(out, value);
    else
        show_converted(out, value, json_is_integer(value.json) ? "%s" : "%g");
}

static bool is_true(f2l_fact fact)
{
    const json_t *value = fact.json;
    if (!value || json_is_null(value)) return false;
    if (json_is_string(value)) return json_string_length(value) > 0;
    if (json_is_number(value)) return json_number_value(value) != 0;
    return json_is_array(value) ? json_array_size(value) > 0 : !json_is_false(value);
}

static bool equals(f2l_fact fact, span text)
{
    char digits[32];
    const char *value = digits;
    snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(fact.json));
    if (!json_is_integer(fact.json)) value = f2l_get_text(fact, "");
    return strlen(value) == text.size && memcmp(value, text.at, text.size) == 0;
}

/* Appends the part of "yes|no" that the condition chooses. */
static void lay_choice(f2l_buf *out, f2l_fact from, bool condition, span parts)
{
    const size_t yes = find_unbraced(parts, "|");
    lay_span(out, from, condition ? (span){parts.at, yes} : span_after(parts, yes + 1));
}

static void lay_items(f2l_buf *out, f2l_fact list, size_t first, size_t end, span item,
                      span between)
{
    for (size_t i = first; i < end && i < json_array_size(list.json); i++) {
        if (i > first) f2l_buf_bytes(out, between.at, between.size);
        lay_span(out, f2l_get_item(list, i), item);
    }
}

void f2l_layout_items(f2l_buf *out, f2l_fact list, size_t first, size_t end, const char *item,
                      const char *between)
{
    lay_items(out, list, first, end, (span){item, strlen(item)}, (span){between, strlen(between)});
}

/* Appends the fact as the rest of the place, from its operator on, demands. */
static void show_as(f2l_buf *out, f2l_fact from, f2l_fact fact, span rest)
{
    char text[64];
    const span parts = span_after(rest, 1);
    const size_t end = find_unbraced(parts, rest.size && *rest.at == '=' ? "?" : "|");
    snprintf(text, sizeof text, "%.*s", (int)parts.size, parts.at);
    switch (rest.size ? *rest.at : '\0') {
    case '\0':
        show_plain(out, fact);
        break;
    case ' ':
        f2l_layout_count(out, f2l_get_count(fact, ""), text);
        break;
    case '~':
        f2l_buf_visible_name(out, f2l_get_text(fact, ""));
        break;
    case '%':
        snprintf(text, CONVERSION, "%%%.*s", (int)parts.size, parts.at);
        show_converted(out, fact, text);
        break;
    case '?':
        lay_choice(out, from, is_true(fact), parts);
        break;
    case '=':
        lay_choice(out, from, equals(fact, (span){parts.at, end}), span_after(parts, end + 1));
        break;
    default:
        lay_items(out, fact, 0, f2l_get_size(fact, ""), (span){parts.at, end},
                  span_after(parts, end + 1));
    }
}

/* Appends one place, without its braces. */
static void lay_place(f2l_buf *out, f2l_fact from, span text)
{
    char path[128];
    const size_t n = find_unbraced(text, " %~?=*");
    snprintf(path, sizeof path, "%.*s", (int)n, text.at);
    const f2l_fact fact = f2l_get(from, path);
    if (fact.json) show_as(out, from, fact, span_after(text, n));
}

static void lay_span(f2l_buf *out, f2l_fact from, span text)
{
    while (text.size) {
        const size_t plain = find_unbraced(text, "{");
        f2l_buf_bytes(out, text.at, plain);
        text = span_after(text, plain);
        if (!text.size) return;
        text = span_after(text, 1);
        const size_t n = find_unbraced(text, "}");
        lay_place(out, from, (span){text.at, n});
        text = span_after(text, n + 1);
    }
}

void f2l_layout(f2l_buf *out, f2l_fact from, const char *text)
{
    lay_span(out, from, (span){text, strlen(text)});
}
