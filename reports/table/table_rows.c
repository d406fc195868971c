/* The rows of a table: the elements of the set by automaton, each once, in one order. */
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include "reports/table/impl.h"
#include <stdlib.h>
#include <string.h>

#define LONGEST_CHAIN 4 /* works on the folder of a work on the folder .. of an automaton */

/* What the rows are made of while they are made. Objects by key hold every element once. */
typedef struct rows {
    const f2l_table *table;
    bool untimed, failed;
    json_t *automaton; /* key of a file or folder as it was read: the canonical hash */
    json_t *owner;     /* hash of what a work made: the automaton of the work */
    json_t *source;    /* automaton: {text of a TableSource: the TableSource} */
    json_t *row;       /* key of a row: {"hashes", "works": {key of a work: TableWork}} */
    json_t *done;      /* key of a folder's work that is done */
    json_t *left;      /* key of what is left: TableLeft */
} rows;

static char *dump_json(const json_t *value)
{
    return value ? json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}

/* Puts the value, which the object then owns. */
static void put_new(rows *r, json_t *object, const char *key, json_t *value)
{
    if (!key || json_object_set_new_nocheck(object, key, value) != 0) {
        if (!key) json_decref(value);
        r->failed = true;
    }
}

/* Returns the object at the key, which is made where it is missing; NULL when memory was out. */
static json_t *object_at(rows *r, json_t *object, const char *key)
{
    json_t *found = key ? json_object_get(object, key) : NULL;
    if (!found) put_new(r, object, key, json_object());
    return found ? found : key ? json_object_get(object, key) : NULL;
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* --- files --- */

/* Notes which automaton the file is when it is read so: the least hash that is told. */
static void note_automaton(rows *r, const char *hash, const json_t *reading, const char *canonical)
{
    f2l_buf key;
    char *options = dump_json(reading);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s", hash, options ? options : "");
    const char *old = key.failed ? NULL : text_at(r->automaton, key.data);
    if (!options || key.failed)
        r->failed = true;
    else if (!old || strcmp(canonical, old) < 0)
        put_new(r, r->automaton, key.data, json_string_nocheck(canonical));
    f2l_buf_clear(&key);
    free(options);
}

/* Notes what the source tells of its automaton. */
static void note_source(rows *r, const json_t *source)
{
    const char *hash = text_at(source, "sha256"), *canonical = text_at(source, "canonical");
    if (!hash) hash = text_at(source, "path");
    if (canonical) note_automaton(r, hash, json_object_get(source, "reading"), canonical);
}

/* Returns the automaton of the file when it is read so: its canonical hash, or the automaton of the
 * work that made it, or, where neither is told, the hash. */
static const char *automaton_of(rows *r, const char *hash, const json_t *reading)
{
    f2l_buf key;
    char *options = dump_json(reading);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s", hash, options ? options : "");
    if (!options || key.failed) r->failed = true;
    const char *canonical = key.failed ? NULL : text_at(r->automaton, key.data);
    if (!canonical) canonical = text_at(r->owner, hash);
    f2l_buf_clear(&key);
    free(options);
    return canonical ? canonical : hash;
}

/* Notes the automaton of a work by the hash of what it made, so that work on that, as `check` does
 * it, is about the same automaton. Names of folders do not tell: two machines may give one name to
 * two networks. */
static void note_made(rows *r, json_t *owner, const json_t *element)
{
    const json_t *hashes = json_object_get(element, "hashes");
    const json_t *work = json_object_get(element, "work");
    const char *made = text_at(work, "made_sha256");
    if (!made || json_array_size(hashes) != 1) return;
    json_t *reading = f2l_table_reading(r->table, json_object_get(work, "options"));
    const char *automaton = automaton_of(r, json_string_value(json_array_get(hashes, 0)), reading);
    json_decref(reading);
    const char *old = text_at(owner, made);
    if (!old || strcmp(automaton, old) < 0) put_new(r, owner, made, json_string_nocheck(automaton));
}

/* Puts the file among the files of its automaton, with the canonical hash that any line told.
 * What works made are no files. */
static void put_source(rows *r, const json_t *source)
{
    const char *hash = text_at(source, "sha256");
    if (!hash) hash = text_at(source, "path");
    if (json_object_get(r->owner, hash)) return;
    json_t *whole = json_deep_copy(source);
    const char *canonical = automaton_of(r, hash, json_object_get(source, "reading"));
    if (whole && canonical != hash &&
        json_object_set_new(whole, "canonical", json_string_nocheck(canonical)) != 0)
        r->failed = true;
    char *key = dump_json(whole);
    json_t *files = object_at(r, r->source, canonical);
    if (files)
        put_new(r, files, key, whole);
    else
        json_decref(whole);
    free(key);
}

/* Returns a new list: the automaton of each hash, once each, where files are read with these
 * options. */
static json_t *automata_of(rows *r, const json_t *hashes, const json_t *options)
{
    json_t *list = json_array(), *reading = f2l_table_reading(r->table, options);
    for (size_t i = 0; i < json_array_size(hashes); i++) {
        const char *hash = json_string_value(json_array_get(hashes, i));
        json_t *one = json_string_nocheck(automaton_of(r, hash, reading));
        size_t k = 0;
        while (k < json_array_size(list) && !json_equal(json_array_get(list, k), one)) k++;
        if (k < json_array_size(list))
            json_decref(one);
        else if (json_array_append_new(list, one) != 0)
            r->failed = true;
    }
    if (!list || !reading) r->failed = true;
    json_decref(reading);
    return list;
}

/* --- works --- */

/* Returns the row of the automata, which the function takes over. Work without automata, such as a
 * run of `reproduce`, has a row of its own, named by job and options. */
static json_t *row_of(rows *r, json_t *hashes, const json_t *job, const json_t *options)
{
    char *a = dump_json(hashes);
    char *b = json_array_size(hashes) == 0 ? dump_json(job) : NULL;
    char *c = b && options ? dump_json(options) : NULL;
    f2l_buf key;
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s %s", a ? a : "", b ? b : "", c ? c : "");
    json_t *row = key.failed ? NULL : object_at(r, r->row, key.data);
    if (row && !json_object_get(row, "hashes")) put_new(r, row, "hashes", json_incref(hashes));
    if (row && !json_object_get(row, "works")) put_new(r, row, "works", json_object());
    if (!row || !a) r->failed = true;
    json_decref(hashes);
    f2l_buf_clear(&key);
    free(a);
    free(b);
    free(c);
    return row;
}

/* Returns whether the cost `a` is the smaller one: of fewer seconds, or with the smaller text. A
 * cost that is not known is larger than others. */
static bool is_smaller_cost(rows *r, const json_t *a, const json_t *b)
{
    if (!json_is_object(a) || !json_is_object(b)) return json_is_object(a);
    const double x = json_number_value(json_object_get(a, "seconds"));
    const double y = json_number_value(json_object_get(b, "seconds"));
    if (x != y) return x < y;
    char *s = dump_json(a), *t = dump_json(b);
    const bool smaller = s && t && strcmp(s, t) < 0;
    if (!s || !t) r->failed = true;
    free(s);
    free(t);
    return smaller;
}

/* Returns the keys of an object, sorted: borrowed from it, to be freed by f2l_free. */
static const char **sorted_keys(rows *r, json_t *object, size_t *count)
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

/* Returns a new list of the values of an object, in the order of its keys. */
static json_t *values_in_order(rows *r, json_t *object)
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

/* Returns a new list of the texts of two lists, each once, in order. */
static json_t *unite_texts(rows *r, const json_t *a, const json_t *b)
{
    json_t *all = json_object();
    const json_t *lists[] = {a, b};
    for (size_t k = 0; all && k < 2; k++)
        for (size_t i = 0; i < json_array_size(lists[k]); i++) {
            json_t *text = json_array_get(lists[k], i);
            put_new(r, all, json_string_value(text), json_incref(text));
        }
    json_t *list = all ? values_in_order(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}

/* Returns the text that names the work of a version with its options in a folder for an automaton,
 * to be freed by the caller; `options` NULL: any. */
static char *key_of_done(const json_t *hashes, const json_t *of, const json_t *folder,
                         const json_t *options)
{
    json_t *key =
        json_pack("[O, O, O, O, O, O*]", hashes, json_object_get(of, "job"),
                  json_object_get(of, "version"), json_object_get(of, "commit"), folder, options);
    char *text = dump_json(key);
    json_decref(key);
    return text;
}

/* Notes that the work is done in a folder. */
static void note_done(rows *r, const json_t *hashes, const json_t *of, const json_t *folder)
{
    const json_t *options[] = {json_object_get(of, "options"), NULL};
    for (size_t i = 0; i < 2; i++) {
        char *text = key_of_done(hashes, of, folder, options[i]);
        put_new(r, r->done, text, json_true());
        free(text);
    }
}

/* Returns whether what is left is done; where its options were not told, with any. */
static bool is_done(rows *r, const json_t *left, const json_t *hashes)
{
    const json_t *options = json_object_get(left, "options");
    char *text = key_of_done(hashes, left, json_object_get(left, "folder"),
                             json_is_array(options) ? options : NULL);
    const bool done = text && json_object_get(r->done, text);
    if (!text) r->failed = true;
    free(text);
    return done;
}

/* Returns the text that names a work within its row, and by which works are ordered: what it has
 * besides cost and folders. */
static char *key_of_work(rows *r, const json_t *work)
{
    f2l_buf key;
    json_t *rest = json_copy((json_t *)work);
    json_object_del(rest, "cost");
    json_object_del(rest, "folders");
    char *options = dump_json(json_object_get(work, "options")), *text = dump_json(rest);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s %s", text_at(work, "job"), options ? options : "",
                   text ? text : "");
    if (!options || !text || key.failed) r->failed = true;
    char *copy = key.failed ? NULL : strdup(key.data);
    f2l_buf_clear(&key);
    json_decref(rest);
    free(options);
    free(text);
    return copy;
}

static void put_work(rows *r, const json_t *element)
{
    json_t *work = json_object_get(element, "work"), *folders = json_object_get(work, "folders");
    json_t *hashes =
        automata_of(r, json_object_get(element, "hashes"), json_object_get(work, "options"));
    for (size_t i = 0; i < json_array_size(folders); i++)
        note_done(r, hashes, work, json_array_get(folders, i));
    json_t *row = row_of(r, hashes, json_object_get(work, "job"), json_object_get(work, "options"));
    char *key = row ? key_of_work(r, work) : NULL;
    const json_t *works = json_object_get(row, "works");
    const json_t *old = key ? json_object_get(works, key) : NULL;
    json_t *new = json_copy(work), *cost = json_object_get(work, "cost");
    const json_t *old_cost = json_object_get(old, "cost");
    if (old && !is_smaller_cost(r, cost, old_cost)) cost = (json_t *)old_cost;
    if (!new ||
        json_object_set_new(new, "folders",
                            unite_texts(r, folders, json_object_get(old, "folders"))) != 0 ||
        json_object_set_new(new, "cost", r->untimed ? json_null() : json_incref(cost)) != 0)
        r->failed = true;
    put_new(r, json_object_get(row, "works"), key, new);
    free(key);
}

/* Puts what is left, unless its folder is done in the set; a report that it was begun is worth more
 * than one that it was not. */
static void put_left(rows *r, const json_t *left)
{
    json_t *hashes =
        automata_of(r, json_object_get(left, "hashes"), json_object_get(left, "options"));
    json_t *whole = json_copy((json_t *)left), *name = json_copy((json_t *)left);
    const bool done = is_done(r, left, hashes);
    if (!whole || !name || json_object_set(whole, "hashes", hashes) != 0 ||
        json_object_set(name, "hashes", hashes) != 0)
        r->failed = true;
    json_object_del(name, "begun");
    json_object_del(name, "reason");
    char *key = dump_json(name), *text = dump_json(whole);
    char *old = key ? dump_json(json_object_get(r->left, key)) : NULL;
    const bool begun = json_is_true(json_object_get(left, "begun"));
    const bool was = key && json_is_true(json_object_get(json_object_get(r->left, key), "begun"));
    if (!done && text && (!old || begun > was || (begun == was && strcmp(text, old) < 0)))
        put_new(r, r->left, key, json_incref(whole));
    if (!done && json_array_size(hashes) > 0) (void)row_of(r, json_incref(hashes), NULL, NULL);
    json_decref(hashes);
    json_decref(whole);
    json_decref(name);
    free(key);
    free(text);
    free(old);
}

/* --- the whole --- */

/* Returns a new list with the files of the automata of a row. */
static json_t *sources_of(rows *r, const json_t *hashes)
{
    json_t *all = json_object();
    for (size_t i = 0; all && i < json_array_size(hashes); i++) {
        const char *hash = json_string_value(json_array_get(hashes, i));
        if (json_object_update(all, json_object_get(r->source, hash)) != 0 &&
            json_object_get(r->source, hash))
            r->failed = true;
    }
    json_t *list = all ? values_in_order(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}

/* Returns a new list of the rows, ordered by their first files and then by their keys. */
static json_t *list_rows(rows *r)
{
    const char *key;
    json_t *value, *ordered = json_object();
    json_object_foreach(r->row, key, value)
    {
        f2l_buf place;
        json_t *sources = sources_of(r, json_object_get(value, "hashes"));
        const char *first = text_at(json_array_get(sources, 0), "path");
        f2l_buf_init(&place);
        f2l_buf_printf(&place, "%s\n%s", first ? first : "", key);
        json_t *row =
            json_pack("{s:O, s:o, s:o}", "hashes", json_object_get(value, "hashes"), "sources",
                      sources, "works", values_in_order(r, json_object_get(value, "works")));
        put_new(r, ordered, place.failed ? NULL : place.data, row);
        f2l_buf_clear(&place);
    }
    json_t *list = values_in_order(r, ordered);
    json_decref(ordered);
    return list;
}

static json_t *list_unread(rows *r)
{
    json_t *all = json_object();
    for (size_t i = 0; all && i < json_array_size(r->table->unread); i++) {
        json_t *one = json_array_get(r->table->unread, i);
        char *key = dump_json(one);
        put_new(r, all, key, json_incref(one));
        free(key);
    }
    json_t *list = all ? values_in_order(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}

static void gather_elements(rows *r)
{
    const f2l_table *t = r->table;
    for (size_t i = 0; i < json_array_size(t->source); i++)
        note_source(r, json_array_get(t->source, i));
    for (size_t pass = 0; pass < LONGEST_CHAIN; pass++) {
        json_t *owner = json_object();
        if (!owner) r->failed = true;
        for (size_t i = 0; owner && i < json_array_size(t->work); i++)
            note_made(r, owner, json_array_get(t->work, i));
        json_decref(r->owner);
        r->owner = owner;
    }
    for (size_t i = 0; i < json_array_size(t->source); i++)
        put_source(r, json_array_get(t->source, i));
    for (size_t i = 0; i < json_array_size(t->work); i++) put_work(r, json_array_get(t->work, i));
    for (size_t i = 0; i < json_array_size(t->left); i++) put_left(r, json_array_get(t->left, i));
}

json_t *f2l_table_settle(const f2l_table *table, bool untimed)
{
    rows r = {table,         untimed,       table->failed, json_object(), json_object(),
              json_object(), json_object(), json_object(), json_object()};
    json_t *out = NULL;
    if (!r.automaton || !r.owner || !r.source || !r.row || !r.done || !r.left) r.failed = true;
    if (!r.failed) gather_elements(&r);
    if (!r.failed)
        out = json_pack("{s:o, s:o, s:o}", "rows", list_rows(&r), "left_work",
                        values_in_order(&r, r.left), "unread", list_unread(&r));
    if (r.failed) {
        json_decref(out);
        out = NULL;
    }
    json_decref(r.automaton);
    json_decref(r.owner);
    json_decref(r.source);
    json_decref(r.row);
    json_decref(r.done);
    json_decref(r.left);
    return out;
}
