/* The rows of a table: the elements of the set by automaton, each once, in one order. */
#include "reports/table/rows.h"
#include <stdlib.h>

#define LONGEST_CHAIN 4 /* works on the folder of a work on the folder .. of an automaton */

/* Returns a new list with the files of the automata of a row. */
static json_t *sources_of(f2l_rows *r, const json_t *hashes)
{
    json_t *all = json_object();
    for (size_t i = 0; all && i < json_array_size(hashes); i++) {
        const char *hash = json_string_value(json_array_get(hashes, i));
        if (json_object_update(all, json_object_get(r->source, hash)) != 0 &&
            json_object_get(r->source, hash))
            r->failed = true;
    }
    json_t *list = all ? f2l_rows_values(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}

/* Returns a new list of the rows, ordered by their first files and then by their keys. */
static json_t *list_rows(f2l_rows *r)
{
    const char *key;
    json_t *value, *ordered = json_object();
    json_object_foreach(r->row, key, value)
    {
        f2l_buf place;
        json_t *sources = sources_of(r, json_object_get(value, "hashes"));
        const char *first = f2l_rows_text(json_array_get(sources, 0), "path");
        f2l_buf_init(&place);
        f2l_buf_printf(&place, "%s\n%s", first ? first : "", key);
        json_t *row =
            json_pack("{s:O, s:o, s:o}", "hashes", json_object_get(value, "hashes"), "sources",
                      sources, "works", f2l_rows_values(r, json_object_get(value, "works")));
        f2l_rows_put(r, ordered, place.failed ? NULL : place.data, row);
        f2l_buf_clear(&place);
    }
    json_t *list = f2l_rows_values(r, ordered);
    json_decref(ordered);
    return list;
}

static json_t *list_unread(f2l_rows *r)
{
    json_t *all = json_object();
    for (size_t i = 0; all && i < json_array_size(r->table->unread); i++) {
        json_t *one = json_array_get(r->table->unread, i);
        char *key = f2l_rows_dump(one);
        f2l_rows_put(r, all, key, json_incref(one));
        free(key);
    }
    json_t *list = all ? f2l_rows_values(r, all) : NULL;
    if (!list) r->failed = true;
    json_decref(all);
    return list;
}

static void gather_elements(f2l_rows *r)
{
    const f2l_table *t = r->table;
    for (size_t i = 0; i < json_array_size(t->source); i++)
        f2l_rows_note_source(r, json_array_get(t->source, i));
    for (size_t pass = 0; pass < LONGEST_CHAIN; pass++) {
        json_t *owner = json_object();
        if (!owner) r->failed = true;
        for (size_t i = 0; owner && i < json_array_size(t->work); i++)
            f2l_rows_note_made(r, owner, json_array_get(t->work, i));
        json_decref(r->owner);
        r->owner = owner;
    }
    for (size_t i = 0; i < json_array_size(t->source); i++)
        f2l_rows_put_source(r, json_array_get(t->source, i));
    for (size_t i = 0; i < json_array_size(t->work); i++)
        f2l_rows_put_work(r, json_array_get(t->work, i));
    for (size_t i = 0; i < json_array_size(t->left); i++)
        f2l_rows_put_left(r, json_array_get(t->left, i));
}

json_t *f2l_table_settle(const f2l_table *table, bool untimed)
{
    f2l_rows r = {table,         untimed,       table->failed, json_object(), json_object(),
                  json_object(), json_object(), json_object(), json_object()};
    json_t *out = NULL;
    if (!r.automaton || !r.owner || !r.source || !r.row || !r.done || !r.left) r.failed = true;
    if (!r.failed) gather_elements(&r);
    if (!r.failed)
        out = json_pack("{s:o, s:o, s:o}", "rows", list_rows(&r), "left_work",
                        f2l_rows_values(&r, r.left), "unread", list_unread(&r));
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
