#include "reports/table/table.h"
#include "reports/table/impl.h"
#include <string.h>

void f2l_table_init(f2l_table *table)
{
    *table = (f2l_table){json_array(), json_array(), json_array(), json_array(), false, NULL};
    table->failed = !table->source || !table->work || !table->left || !table->unread;
}

void f2l_table_clear(f2l_table *table)
{
    json_decref(table->source);
    json_decref(table->work);
    json_decref(table->left);
    json_decref(table->unread);
    *table = (f2l_table){.failed = false};
}

f2l_status f2l_table_status(const f2l_table *table, f2l_error *err)
{
    return table->failed ? f2l_fail_memory(err) : F2L_OK;
}

/* Appends the value, which the list then owns; NULL means that memory was out. */
static void append_new(f2l_table *table, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0) table->failed = true;
}

/* Appends the root of the facts, and clears them. */
static void append_facts(f2l_table *table, json_t *list, f2l_facts *facts)
{
    f2l_error err;
    append_new(table, list,
               f2l_facts_status(facts, &err) == F2L_OK ? json_incref(facts->root) : NULL);
    f2l_facts_clear(facts);
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Puts the text of the member, or null. */
static void say_member_text(f2l_fact in, const json_t *object, const char *name)
{
    f2l_say_text(in, name, text_of(object, name));
}

/* Returns the options of a line of a plan or of a work.json, borrowed; NULL: it tells none. */
static json_t *options_of(const json_t *unit)
{
    json_t *options = json_object_get(unit, "options");
    return options ? options : json_object_get(unit, "settings");
}

json_t *f2l_table_reading(const f2l_table *table, const json_t *settings)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < json_array_size(settings); i++) {
        json_t *one = json_array_get(settings, i);
        const char *text = json_string_value(one);
        if (!text || !table->is_reading || !table->is_reading(text)) continue;
        if (json_array_append(list, one) == 0) continue;
        json_decref(list);
        list = NULL;
    }
    return list;
}

static void add_source(f2l_table *table, const json_t *input, const json_t *settings)
{
    f2l_facts facts;
    const char *path = text_of(input, "path");
    if (!path) return;
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_text(root, "path", path);
    say_member_text(root, input, "sha256");
    say_member_text(root, input, "canonical");
    f2l_say_json(root, "reading", f2l_table_reading(table, settings));
    append_facts(table, table->source, &facts);
}

/* Adds the files that a line of a plan or a work.json names as `inputs` and `equal`. */
static void add_sources(f2l_table *table, const json_t *unit)
{
    static const char *const lists[] = {"inputs", "equal"};
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get(unit, lists[k]);
        for (size_t i = 0; i < json_array_size(list); i++)
            add_source(table, json_array_get(list, i), options_of(unit));
    }
}

/* Returns a new list with the hash of each input of the unit, once each; a path in place of a hash
 * that nobody told. */
static json_t *hashes_of(const json_t *unit)
{
    const json_t *inputs = json_object_get(unit, "inputs");
    json_t *list = json_array();
    for (size_t i = 0; list && i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *hash = text_of(input, "sha256");
        if (!hash) hash = text_of(input, "path");
        if (hash && json_array_append_new(list, json_string(hash)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* Returns whether the result, where it names the program that made it, names the one of the
 * record. */
static bool is_of_the_record(const json_t *record, const json_t *result)
{
    static const char *const names[] = {"version", "commit"};
    const json_t *tool = json_object_get(result, "tool");
    for (size_t i = 0; tool && i < 2; i++)
        if (!json_equal(json_object_get(tool, names[i]), json_object_get(record, names[i])))
            return false;
    return true;
}

f2l_status f2l_table_add_work(f2l_table *table, const json_t *unit, const json_t *record,
                              const json_t *result, const char *folder, f2l_error *err)
{
    if (!is_of_the_record(record, result))
        return f2l_fail(err, F2L_EDOMAIN, "the result is of another version than work.json says");
    add_sources(table, unit);
    json_t *element = json_object();
    if (!element || json_object_set_new(element, "hashes", hashes_of(unit)) != 0 ||
        json_object_set_new(element, "work", f2l_table_work_of(record, result, folder)) != 0) {
        json_decref(element);
        element = NULL;
    }
    append_new(table, table->work, element);
    return f2l_table_status(table, err);
}

void f2l_table_add_left(f2l_table *table, const json_t *unit, const char *folder, bool begun,
                        const char *reason)
{
    f2l_facts facts;
    json_t *argv = json_object_get(unit, "argv"), *settings = options_of(unit);
    add_sources(table, unit);
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    say_member_text(root, unit, "job");
    f2l_say_json(root, "hashes", hashes_of(unit));
    f2l_say_text(root, "folder", folder);
    f2l_say_truth(root, "begun", begun);
    f2l_say_text(root, "reason", reason);
    f2l_say_json(root, "options",
                 f2l_table_is_texts(settings) ? json_deep_copy(settings) : json_null());
    say_member_text(root, unit, "version");
    say_member_text(root, unit, "commit");
    f2l_say_json(root, "argv", f2l_table_is_texts(argv) ? json_incref(argv) : json_array());
    say_member_text(root, unit, "command");
    append_facts(table, table->left, &facts);
}

void f2l_table_add_unread(f2l_table *table, const char *file, size_t line, const char *reason)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_text(root, "file", file);
    f2l_say_count(root, "line_number", line);
    f2l_say_text(root, "reason", reason);
    append_facts(table, table->unread, &facts);
}

/* --- the JSON of a table --- */

static bool is_text_or_null(const json_t *value)
{
    return json_is_string(value) || json_is_null(value);
}

static bool is_source(const json_t *s)
{
    return json_object_size(s) == 4 && json_is_string(json_object_get(s, "path")) &&
           f2l_table_is_texts(json_object_get(s, "reading")) &&
           is_text_or_null(json_object_get(s, "sha256")) &&
           is_text_or_null(json_object_get(s, "canonical"));
}

static bool is_left(const json_t *s)
{
    static const char *const texts[] = {"job", "folder", "reason", "version", "commit", "command"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!is_text_or_null(json_object_get(s, texts[i]))) return false;
    const json_t *options = json_object_get(s, "options");
    return json_object_size(s) == 10 && (json_is_null(options) || f2l_table_is_texts(options)) &&
           f2l_table_is_texts(json_object_get(s, "hashes")) &&
           f2l_table_is_texts(json_object_get(s, "argv")) &&
           json_is_boolean(json_object_get(s, "begun"));
}

static bool is_unread(const json_t *s)
{
    return json_object_size(s) == 3 && json_is_string(json_object_get(s, "file")) &&
           json_integer_value(json_object_get(s, "line_number")) >= 0 &&
           json_is_integer(json_object_get(s, "line_number")) &&
           json_is_string(json_object_get(s, "reason"));
}

/* Appends the members of a list that must all have the shape; returns whether they have. */
static bool take_all(f2l_table *table, json_t *to, const json_t *list,
                     bool (*is_right)(const json_t *))
{
    if (!json_is_array(list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *value = json_array_get(list, i);
        if (!is_right(value)) return false;
        append_new(table, to, json_incref(value));
    }
    return true;
}

static bool take_row(f2l_table *table, const json_t *row)
{
    json_t *hashes = json_object_get(row, "hashes"), *works = json_object_get(row, "works");
    if (!f2l_table_is_texts(hashes) || !json_is_array(works) || json_object_size(row) != 3 ||
        !take_all(table, table->source, json_object_get(row, "sources"), is_source))
        return false;
    for (size_t i = 0; i < json_array_size(works); i++) {
        json_t *work = json_array_get(works, i);
        if (!f2l_table_is_work(work)) return false;
        append_new(table, table->work, json_pack("{s:O, s:O}", "hashes", hashes, "work", work));
    }
    return true;
}

f2l_status f2l_table_merge(f2l_table *table, const json_t *report, f2l_error *err)
{
    const json_t *name = json_object_get(report, "report"), *rows = json_object_get(report, "rows");
    if (!json_is_string(name) || strcmp(json_string_value(name), "table") != 0 ||
        json_integer_value(json_object_get(report, "schema")) != F2L_REPORT_SCHEMA ||
        !json_is_array(rows))
        return f2l_fail(err, F2L_EFORMAT, "this is no table of this version of the program");
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (!take_row(table, json_array_get(rows, i)))
            return f2l_fail(err, F2L_EFORMAT, "row %zu is no row of a table", i + 1);
    if (!take_all(table, table->left, json_object_get(report, "left_work"), is_left) ||
        !take_all(table, table->unread, json_object_get(report, "unread"), is_unread))
        return f2l_fail(err, F2L_EFORMAT, "the lists of what is left are no lists of a table");
    return f2l_table_status(table, err);
}
