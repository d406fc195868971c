/* Finding the member in which two configurations differ. */
#include "models/learn/experiment/impl.h"
#include "numeric/json/json.h"
#include <stdlib.h>
#include <string.h>

/* A value for an error message: its text, cut if it is long. */
typedef struct shown {
    char text[48];
} shown;

static shown show_json_member(const json_t *value)
{
    shown s = {"absent"};
    if (value == NULL) return s;
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    const size_t size = text ? strlen(text) : 0, room = sizeof s.text - 1;
    if (size > room) memcpy(text + room - 3, "...", 4);
    memcpy(s.text, text ? text : "?", size > room ? room + 1 : text ? size + 1 : 2);
    free(text);
    return s;
}

typedef struct difference {
    char member[120]; /* "model.width"; empty: none */
    shown here, there;
} difference;

static void note_difference(difference *d, const char *path, const json_t *here,
                            const json_t *there)
{
    const size_t size = strlen(path), room = sizeof d->member - 1;
    memcpy(d->member, path, size < room ? size : room);
    d->member[size < room ? size : room] = '\0';
    d->here = show_json_member(here);
    d->there = show_json_member(there);
}

/* Compares the members of `here` in their order, then the members that only `there` has. */
static void find_difference(difference *d, const char *prefix, json_t *here, json_t *there)
{
    const char *key;
    json_t *value;
    f2l_buf path;
    f2l_buf_init(&path);
    json_object_foreach(here, key, value)
    {
        json_t *other = json_object_get(there, key);
        path.size = 0;
        f2l_buf_printf(&path, "%s%s", prefix, key);
        if (d->member[0] != '\0' || path.failed) break;
        if (json_is_object(value) && json_is_object(other)) {
            f2l_buf_text(&path, ".");
            if (!path.failed) find_difference(d, path.data, value, other);
        } else if (!json_equal(value, other)) {
            note_difference(d, path.data, value, other);
        }
    }
    json_object_foreach(there, key, value)
    {
        path.size = 0;
        f2l_buf_printf(&path, "%s%s", prefix, key);
        if (d->member[0] != '\0' || path.failed) break;
        if (json_object_get(here, key) == NULL) note_difference(d, path.data, NULL, value);
    }
    f2l_buf_clear(&path);
}

f2l_status f2l_experiment_compare(const f2l_buf *here, const f2l_buf *there, const char *path,
                                  f2l_error *err)
{
    difference d = {.member = ""};
    f2l_status status;
    if (here->size == there->size && memcmp(here->data, there->data, here->size) == 0)
        return F2L_OK;
    json_t *mine = f2l_json_load(&status, here->data, here->size, "the experiment", err);
    if (mine == NULL) return status;
    json_t *theirs = f2l_json_load(&status, there->data, there->size, path, err);
    if (theirs) find_difference(&d, "", mine, theirs);
    json_decref(mine);
    json_decref(theirs);
    if (status != F2L_OK) return status;
    if (d.member[0] == '\0')
        return f2l_fail(err, F2L_EFORMAT,
                        "%s has been altered: it is not as this program writes it", path);
    return f2l_fail(err, F2L_EDOMAIN, "%s is another experiment: %s is %s there, %s here", path,
                    d.member, d.there.text, d.here.text);
}
