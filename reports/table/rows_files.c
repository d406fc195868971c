/* The files of a table, and which automaton a file is when it is read with some options. */
#include "reports/table/rows.h"
#include <stdlib.h>
#include <string.h>

/* Notes which automaton the file is when it is read so: the least hash that is told. */
static void note_automaton(f2l_rows *r, const char *hash, const json_t *reading,
                           const char *canonical)
{
    f2l_buf key;
    char *options = f2l_rows_dump(reading);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s", hash, options ? options : "");
    const char *old = key.failed ? NULL : f2l_rows_text(r->automaton, key.data);
    if (!options || key.failed)
        r->failed = true;
    else if (!old || strcmp(canonical, old) < 0)
        f2l_rows_put(r, r->automaton, key.data, json_string_nocheck(canonical));
    f2l_buf_clear(&key);
    free(options);
}

void f2l_rows_note_source(f2l_rows *r, const json_t *source)
{
    const char *hash = f2l_rows_text(source, "sha256"),
               *canonical = f2l_rows_text(source, "canonical");
    if (!hash) hash = f2l_rows_text(source, "path");
    if (canonical) note_automaton(r, hash, json_object_get(source, "reading"), canonical);
}

/* Returns the automaton of the file when it is read so: its canonical hash, or the automaton of the
 * work that made it, or, where neither is told, the hash. */
static const char *automaton_of(f2l_rows *r, const char *hash, const json_t *reading)
{
    f2l_buf key;
    char *options = f2l_rows_dump(reading);
    f2l_buf_init(&key);
    f2l_buf_printf(&key, "%s %s", hash, options ? options : "");
    if (!options || key.failed) r->failed = true;
    const char *canonical = key.failed ? NULL : f2l_rows_text(r->automaton, key.data);
    if (!canonical) canonical = f2l_rows_text(r->owner, hash);
    f2l_buf_clear(&key);
    free(options);
    return canonical ? canonical : hash;
}

void f2l_rows_note_made(f2l_rows *r, json_t *owner, const json_t *element)
{
    const json_t *hashes = json_object_get(element, "hashes");
    const json_t *work = json_object_get(element, "work");
    const char *made = f2l_rows_text(work, "made_sha256");
    if (!made || json_array_size(hashes) != 1) return;
    json_t *reading = f2l_table_reading(r->table, json_object_get(work, "options"));
    const char *automaton = automaton_of(r, json_string_value(json_array_get(hashes, 0)), reading);
    json_decref(reading);
    const char *old = f2l_rows_text(owner, made);
    if (!old || strcmp(automaton, old) < 0)
        f2l_rows_put(r, owner, made, json_string_nocheck(automaton));
}

void f2l_rows_put_source(f2l_rows *r, const json_t *source)
{
    const char *hash = f2l_rows_text(source, "sha256");
    if (!hash) hash = f2l_rows_text(source, "path");
    if (json_object_get(r->owner, hash)) return;
    json_t *whole = json_deep_copy(source);
    const char *canonical = automaton_of(r, hash, json_object_get(source, "reading"));
    if (whole && canonical != hash &&
        json_object_set_new(whole, "canonical", json_string_nocheck(canonical)) != 0)
        r->failed = true;
    char *key = f2l_rows_dump(whole);
    json_t *files = f2l_rows_object(r, r->source, canonical);
    if (files)
        f2l_rows_put(r, files, key, whole);
    else
        json_decref(whole);
    free(key);
}

json_t *f2l_rows_automata(f2l_rows *r, const json_t *hashes, const json_t *options)
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
