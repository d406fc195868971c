#include "numeric/facts/facts.h"
#include "numeric/base/visible.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void f2l_facts_init(f2l_facts *facts)
{
    *facts = (f2l_facts){.root = json_object()};
    if (!facts->root) (void)f2l_fail_memory(&facts->error);
}

void f2l_facts_clear(f2l_facts *facts)
{
    json_decref(facts->root);
    *facts = (f2l_facts){0};
}

f2l_fact f2l_facts_root(f2l_facts *facts)
{
    return (f2l_fact){facts, facts->error.status == F2L_OK ? facts->root : NULL};
}

void f2l_facts_fail(f2l_fact at, const f2l_error *err)
{
    if (at.tree && at.tree->error.status == F2L_OK) at.tree->error = *err;
}

f2l_status f2l_facts_status(const f2l_facts *facts, f2l_error *err)
{
    if (err && facts->error.status != F2L_OK) *err = facts->error;
    return facts->error.status;
}

f2l_status f2l_facts_end(f2l_facts *facts, const f2l_buf *text, f2l_error *err)
{
    f2l_status status = f2l_facts_status(facts, err);
    if (status == F2L_OK) status = f2l_buf_status(text, err);
    f2l_facts_clear(facts);
    return status;
}

/* Appends the bytes that jansson gives. */
static int receive(const char *bytes, size_t n, void *out)
{
    f2l_buf_bytes(out, bytes, n);
    return 0;
}

/* Appends the root as JSON, one line for each of its facts, whose names need no escapes. */
static bool write_root_lines(f2l_buf *out, json_t *root, size_t flags)
{
    const char *name;
    json_t *value;
    bool first = true;
    json_object_foreach(root, name, value)
    {
        f2l_buf_printf(out, "%s\"%s\":", first ? "{" : ",\n", name);
        if (json_dump_callback(value, receive, out, flags | JSON_ENCODE_ANY)) return false;
        first = false;
    }
    f2l_buf_text(out, first ? "{}" : "}");
    return true;
}

f2l_status f2l_facts_write(f2l_buf *out, const f2l_facts *facts, f2l_facts_style style,
                           f2l_error *err)
{
    const size_t flags =
        (style.indent ? JSON_INDENT(2) : JSON_COMPACT) | JSON_REAL_PRECISION((size_t)style.digits);
    const f2l_status status = f2l_facts_status(facts, err);
    if (status != F2L_OK) return status;
    f2l_buf json;
    f2l_buf_init(&json);
    if (style.lines ? !write_root_lines(&json, facts->root, flags)
                    : json_dump_callback(facts->root, receive, &json, flags) != 0)
        json.failed = true;
    f2l_buf_visible(out, json.data ? json.data : "", json.size, "\n");
    f2l_buf_text(out, "\n");
    out->failed = out->failed || json.failed;
    f2l_buf_clear(&json);
    return f2l_buf_status(out, err);
}

/* --- writing --- */

static const f2l_fact nothing = {NULL, NULL};

/* Fails the tree with a text that names the fact, unless it has failed before. */
static f2l_fact fail_at_fact(f2l_fact at, const char *name, const char *why)
{
    if (at.tree && at.tree->error.status == F2L_OK)
        (void)f2l_fail(&at.tree->error, F2L_EDOMAIN, "report: the fact %s %s",
                       name ? name : "of a list", why);
    return (f2l_fact){at.tree, NULL};
}

static bool works(f2l_fact in)
{
    return in.tree && in.json && in.tree->error.status == F2L_OK;
}

/* Puts the value, which is released after an error; returns its place. */
static f2l_fact put_fact(f2l_fact in, const char *name, json_t *value)
{
    const bool list = !name;
    int failed = 0;
    if (!works(in)) {
        json_decref(value);
        return (f2l_fact){in.tree, NULL};
    }
    if (list ? !json_is_array(in.json) : !json_is_object(in.json)) {
        json_decref(value);
        return fail_at_fact(in, name, "has no place");
    }
    if (!list && json_object_get(in.json, name)) {
        json_decref(value);
        return fail_at_fact(in, name, "is put twice");
    }
    failed =
        list ? json_array_append_new(in.json, value) : json_object_set_new(in.json, name, value);
    if (failed) (void)f2l_fail_memory(&in.tree->error);
    return (f2l_fact){in.tree, failed ? NULL : value};
}

f2l_fact f2l_say_object(f2l_fact in, const char *name)
{
    return put_fact(in, name, json_object());
}

f2l_fact f2l_say_list(f2l_fact in, const char *name)
{
    return put_fact(in, name, json_array());
}

static json_t *json_text_of(const char *bytes, size_t n)
{
    f2l_buf clean;
    size_t bad;
    if (f2l_utf8_valid(bytes, n, &bad)) return json_stringn_nocheck(bytes, n);
    f2l_buf_init(&clean);
    for (; !f2l_utf8_valid(bytes, n, &bad); bytes += bad + 1, n -= bad + 1) {
        f2l_buf_bytes(&clean, bytes, bad);
        f2l_buf_utf8(&clean, 0xFFFD);
    }
    f2l_buf_bytes(&clean, bytes, n);
    json_t *text = clean.failed ? NULL : json_stringn_nocheck(clean.data, clean.size);
    f2l_buf_clear(&clean);
    return text;
}

void f2l_say_text(f2l_fact in, const char *name, const char *text)
{
    put_fact(in, name, text ? json_text_of(text, strlen(text)) : json_null());
}

void f2l_say_buf(f2l_fact in, const char *name, f2l_buf *text)
{
    put_fact(in, name,
             text->failed ? NULL : json_text_of(text->size ? text->data : "", text->size));
    f2l_buf_clear(text);
}

void f2l_say_count(f2l_fact in, const char *name, uint64_t count)
{
    put_fact(in, name, json_integer((json_int_t)count));
}

void f2l_say_integer(f2l_fact in, const char *name, int64_t value)
{
    put_fact(in, name, json_integer(value));
}

void f2l_say_number(f2l_fact in, const char *name, double value)
{
    put_fact(in, name, isfinite(value) ? json_real(value) : json_null());
}

void f2l_say_truth(f2l_fact in, const char *name, bool value)
{
    put_fact(in, name, json_boolean(value));
}

void f2l_say_null(f2l_fact in, const char *name)
{
    put_fact(in, name, json_null());
}

void f2l_say_json(f2l_fact in, const char *name, json_t *value)
{
    put_fact(in, name, value);
}

/* --- reading --- */

f2l_fact f2l_get(f2l_fact in, const char *path)
{
    for (const char *rest = path; works(in) && *rest; rest += *rest == '.') {
        char name[64];
        const size_t n = strcspn(rest, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, rest);
        rest += n;
        if (n) in.json = json_object_get(in.json, name);
        if (!in.json) return fail_at_fact(in, path, "is missing");
    }
    return works(in) ? in : nothing;
}

size_t f2l_get_size(f2l_fact in, const char *path)
{
    const f2l_fact list = f2l_get(in, path);
    if (list.json && !json_is_array(list.json)) (void)fail_at_fact(list, path, "is no list");
    return json_array_size(list.json);
}

f2l_fact f2l_get_item(f2l_fact list, size_t i)
{
    list.json = works(list) ? json_array_get(list.json, i) : NULL;
    if (works(list)) return list;
    (void)fail_at_fact(list, NULL, "is missing");
    return nothing;
}

/* Returns the value, or NULL for null and after an error, of which another type is one. */
static json_t *value_of(f2l_fact in, const char *path, bool typed(const json_t *))
{
    const f2l_fact at = f2l_get(in, path);
    if (!at.json || json_is_null(at.json)) return NULL;
    if (typed(at.json)) return at.json;
    (void)fail_at_fact(at, path, "is of another type");
    return NULL;
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_integer(const json_t *value)
{
    return json_is_integer(value);
}

static bool is_json_number(const json_t *value)
{
    return json_is_number(value);
}

static bool is_truth(const json_t *value)
{
    return json_is_boolean(value);
}

const char *f2l_get_text(f2l_fact in, const char *path)
{
    const char *text = json_string_value(value_of(in, path, is_text));
    return text ? text : "";
}

uint64_t f2l_get_count(f2l_fact in, const char *path)
{
    return (uint64_t)f2l_get_integer(in, path);
}

int64_t f2l_get_integer(f2l_fact in, const char *path)
{
    return json_integer_value(value_of(in, path, is_integer));
}

double f2l_get_number(f2l_fact in, const char *path)
{
    const json_t *value = value_of(in, path, is_json_number);
    return value ? json_number_value(value) : NAN;
}

bool f2l_get_truth(f2l_fact in, const char *path)
{
    return json_is_true(value_of(in, path, is_truth));
}

bool f2l_is_known(f2l_fact in, const char *path)
{
    const f2l_fact at = f2l_get(in, path);
    return at.json && !json_is_null(at.json);
}

bool f2l_has(f2l_fact in, const char *name)
{
    return works(in) && json_object_get(in.json, name);
}

bool f2l_is(f2l_fact in, const char *path, const char *text)
{
    return strcmp(f2l_get_text(in, path), text) == 0;
}
