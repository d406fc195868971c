/* The works of a table, each once in its row, and what of them is left. */
#include "reports/table/rows.h"
#include <stdlib.h>
#include <string.h>

/* Returns the row of the automata, which the function takes over. Work without automata, such as a
 * run of `reproduce`, has a row of its own, named by job and options. */
static json_t *row_of(f2l_rows *r, json_t *hashes, const json_t *job, const json_t *options)
{
    char *a = f2l_rows_dump(hashes);
    char *b = json_array_size(hashes) == 0 ? f2l_rows_dump(job) : NULL;
    char *c = b && options ? f2l_rows_dump(options) : NULL;
    f2l_buf key;
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s %s", a ? a : "", b ? b : "", c ? c : "");
    json_t *row = key.failed ? NULL : f2l_rows_object(r, r->row, key.data);
    if (row && !json_object_get(row, "hashes")) f2l_rows_put(r, row, "hashes", json_incref(hashes));
    if (row && !json_object_get(row, "works")) f2l_rows_put(r, row, "works", json_object());
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
static bool is_smaller_cost(f2l_rows *r, const json_t *a, const json_t *b)
{
    if (!json_is_object(a) || !json_is_object(b)) return json_is_object(a);
    const double x = json_number_value(json_object_get(a, "seconds"));
    const double y = json_number_value(json_object_get(b, "seconds"));
    if (x != y) return x < y;
    char *s = f2l_rows_dump(a), *t = f2l_rows_dump(b);
    const bool smaller = s && t && strcmp(s, t) < 0;
    if (!s || !t) r->failed = true;
    free(s);
    free(t);
    return smaller;
}

/* Returns the text that names the work of a version with its options in a folder for an automaton,
 * to be freed by the caller; `options` NULL: any. */
static char *key_of_done(const json_t *hashes, const json_t *of, const json_t *folder,
                         const json_t *options)
{
    json_t *key =
        json_pack("[O, O, O, O, O, O*]", hashes, json_object_get(of, "job"),
                  json_object_get(of, "version"), json_object_get(of, "commit"), folder, options);
    char *text = f2l_rows_dump(key);
    json_decref(key);
    return text;
}

/* Notes that the work is done in a folder. */
static void note_done(f2l_rows *r, const json_t *hashes, const json_t *of, const json_t *folder)
{
    const json_t *options[] = {json_object_get(of, "options"), NULL};
    for (size_t i = 0; i < 2; i++) {
        char *text = key_of_done(hashes, of, folder, options[i]);
        f2l_rows_put(r, r->done, text, json_true());
        free(text);
    }
}

/* Returns whether what is left is done; where its options were not told, with any. */
static bool is_done(f2l_rows *r, const json_t *left, const json_t *hashes)
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
static char *key_of_work(f2l_rows *r, const json_t *work)
{
    f2l_buf key;
    json_t *rest = json_copy((json_t *)work);
    json_object_del(rest, "cost");
    json_object_del(rest, "folders");
    char *options = f2l_rows_dump(json_object_get(work, "options")), *text = f2l_rows_dump(rest);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s %s", f2l_rows_text(work, "job"), options ? options : "",
                   text ? text : "");
    if (!options || !text || key.failed) r->failed = true;
    char *copy = key.failed ? NULL : strdup(key.data);
    f2l_buf_clear(&key);
    json_decref(rest);
    free(options);
    free(text);
    return copy;
}

void f2l_rows_put_work(f2l_rows *r, const json_t *element)
{
    json_t *work = json_object_get(element, "work"), *folders = json_object_get(work, "folders");
    json_t *hashes =
        f2l_rows_automata(r, json_object_get(element, "hashes"), json_object_get(work, "options"));
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
                            f2l_rows_unite(r, folders, json_object_get(old, "folders"))) != 0 ||
        json_object_set_new(new, "cost", r->untimed ? json_null() : json_incref(cost)) != 0)
        r->failed = true;
    f2l_rows_put(r, json_object_get(row, "works"), key, new);
    free(key);
}

void f2l_rows_put_left(f2l_rows *r, const json_t *left)
{
    json_t *hashes =
        f2l_rows_automata(r, json_object_get(left, "hashes"), json_object_get(left, "options"));
    json_t *whole = json_copy((json_t *)left), *name = json_copy((json_t *)left);
    const bool done = is_done(r, left, hashes);
    if (!whole || !name || json_object_set(whole, "hashes", hashes) != 0 ||
        json_object_set(name, "hashes", hashes) != 0)
        r->failed = true;
    json_object_del(name, "begun");
    json_object_del(name, "reason");
    char *key = f2l_rows_dump(name), *text = f2l_rows_dump(whole);
    char *old = key ? f2l_rows_dump(json_object_get(r->left, key)) : NULL;
    const bool begun = json_is_true(json_object_get(left, "begun"));
    const bool was = key && json_is_true(json_object_get(json_object_get(r->left, key), "begun"));
    if (!done && text && (!old || begun > was || (begun == was && strcmp(text, old) < 0)))
        f2l_rows_put(r, r->left, key, json_incref(whole));
    if (!done && json_array_size(hashes) > 0) (void)row_of(r, json_incref(hashes), NULL, NULL);
    json_decref(hashes);
    json_decref(whole);
    json_decref(name);
    free(key);
    free(text);
    free(old);
}
