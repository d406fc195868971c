#include "cli/work/record.h"
#include "cli/work/request.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "numeric/json/json.h"
#include <stdlib.h>
#include <string.h>

#define LARGEST_RECORD ((size_t)16 << 20)

static f2l_status put_record_path(f2l_buf *path, const char *folder, f2l_error *err)
{
    f2l_buf_printf(path, "%s/" F2L_WORK_FILE, folder);
    return f2l_buf_status(path, err);
}

/* Returns whether the value is a record: of this schema, with the members that others rely on. */
static bool is_record(const json_t *value)
{
    static const char *const texts[] = {"job", "version", "commit", "command", "host", "state"};
    const char *schema = json_string_value(json_object_get(value, "schema"));
    if (!schema || strcmp(schema, F2L_WORK_SCHEMA) != 0) return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_string(json_object_get(value, texts[i]))) return false;
    const json_t *exit = json_object_get(value, "exit_status");
    return json_is_array(json_object_get(value, "inputs")) &&
           json_is_array(json_object_get(value, "settings")) &&
           json_is_array(json_object_get(value, "argv")) &&
           (json_is_integer(exit) || json_is_null(exit));
}

/* Appends the end of a record whose other members are these bytes, which begin with {: its hash. */
static void put_own_hash(f2l_buf *end, const char *members, size_t size)
{
    f2l_sha256 hash;
    char hex[65];
    f2l_sha256_init(&hash);
    f2l_sha256_update(&hash, members, size);
    f2l_sha256_update(&hash, "}", 1);
    f2l_sha256_final(&hash, hex);
    f2l_buf_printf(end, ",\"sha256\":\"%s\"}\n", hex);
}

/* Returns whether the text ends with the hash of the rest. */
static bool has_own_hash(const f2l_buf *text)
{
    static const size_t size = sizeof ",\"sha256\":\"\"}\n" - 1 + 64;
    f2l_buf end;
    if (text->size < size) return false;
    f2l_buf_init(&end);
    put_own_hash(&end, text->data, text->size - size);
    const bool same = !end.failed && memcmp(text->data + text->size - size, end.data, size) == 0;
    f2l_buf_clear(&end);
    return same;
}

/* Sets *record to the record that the text is, or NULL. */
static f2l_status parse_record(json_t **record, const f2l_buf *text, f2l_error *err)
{
    f2l_status status;
    f2l_error why;
    if (!has_own_hash(text)) return F2L_OK;
    json_t *value = f2l_json_load(&status, text->data, text->size, "the record", &why);
    if (!value && status == F2L_ENOMEM) return f2l_fail_memory(err);
    if (is_record(value))
        *record = value;
    else
        json_decref(value);
    return F2L_OK;
}

f2l_status f2l_work_record_read(json_t **record, const char *folder, f2l_error *err)
{
    f2l_buf path, text;
    *record = NULL;
    if (!f2l_path_has(folder, F2L_WORK_FILE)) return F2L_OK;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = put_record_path(&path, folder, err);
    if (status == F2L_OK) status = f2l_read_file(&text, path.data, LARGEST_RECORD, err);
    if (status == F2L_OK) status = parse_record(record, &text, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}

bool f2l_work_record_holds(const json_t *record, const char *folder)
{
    f2l_error err;
    char sha256[65];
    const char *made = f2l_work_record_text(record, "made_sha256");
    return !made ||
           (f2l_work_hash_made(sha256, folder, &err) == F2L_OK && strcmp(sha256, made) == 0);
}

const char *f2l_work_record_text(const json_t *record, const char *name)
{
    return json_string_value(json_object_get(record, name));
}

int f2l_work_record_exit(const json_t *record)
{
    const json_t *exit = json_object_get(record, "exit_status");
    return json_is_integer(exit) ? (int)json_integer_value(exit) : -1;
}

f2l_status f2l_work_record_write(const json_t *record, const char *folder, f2l_error *err)
{
    f2l_buf path, text;
    json_t *members = json_copy((json_t *)record); /* one that was read has its former hash */
    (void)json_object_del(members, "sha256");
    char *line = json_dumps(members, JSON_COMPACT);
    json_decref(members);
    if (!line) return f2l_fail_memory(err);
    const size_t size = strlen(line) - 1; /* without } */
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_buf_bytes(&text, line, size);
    put_own_hash(&text, line, size);
    f2l_status status = put_record_path(&path, folder, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    free(line);
    return status;
}
