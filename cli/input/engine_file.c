#include "cli/input/engine_file.h"
#include <string.h>

void f2l_engine_file_init(f2l_engine_file *file)
{
    memset(file, 0, sizeof *file);
    f2l_buf_init(&file->name);
    f2l_buf_init(&file->source);
    f2l_buf_init(&file->equals);
}

void f2l_engine_file_clear(f2l_engine_file *file)
{
    f2l_buf_clear(&file->name);
    f2l_buf_clear(&file->source);
    f2l_buf_clear(&file->equals);
}

static bool ends_in_engine(const char *text, size_t size)
{
    return size >= 7 && strncmp(text + size - 7, ".engine", 7) == 0;
}

f2l_engine_parts f2l_engine_split(const char *text)
{
    const bool path = text[0] == '.' || text[0] == '/';
    const char *const slash = strrchr(text, '/'), *const end = text + strlen(text);
    const bool stated = slash && (ends_in_engine(text, (size_t)(slash - text)) ||
                                  (!path && strchr(text, '/') == slash));
    const size_t size = (size_t)((stated ? slash : end) - text);
    return (f2l_engine_parts){size, path || ends_in_engine(text, size), stated ? slash + 1 : end};
}

/* Reads a user's file. */
static int read_engine_file(f2l_engine *out, f2l_cli *cli, const char *path)
{
    f2l_error err;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, path, F2L_ENGINE_BYTES, &err);
    if (status == F2L_OK)
        status = f2l_engine_read(out, bytes.data ? bytes.data : "", bytes.size, &err);
    f2l_buf_clear(&bytes);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, path, &err);
}

int f2l_engine_file_open(f2l_engine *out, f2l_cli *cli, const char *text)
{
    f2l_error err;
    char path[4096];
    const f2l_engine_parts parts = f2l_engine_split(text);
    if (parts.size >= sizeof path) return f2l_cli_usage(cli, "--engine: the name is too long");
    memcpy(path, text, parts.size);
    path[parts.size] = '\0';
    if (parts.file) return read_engine_file(out, cli, path);
    return f2l_engine_find(out, path, parts.size, &err) == F2L_OK
               ? 0
               : f2l_cli_usage(cli, "--engine: %s", err.text);
}

int f2l_engine_file_load(f2l_engine_file *out, f2l_cli *cli, const char *text)
{
    f2l_error err;
    const char *const state = f2l_engine_split(text).state;
    const int code = f2l_engine_file_open(&out->engine, cli, text);
    if (code) return code;
    if (f2l_engine_schedule(&out->schedule, out->schedule_name, &out->engine, state, &err) !=
        F2L_OK)
        return f2l_cli_usage(cli, "--engine: %s", err.text);
    const char *const name = out->engine.value[F2L_ENGINE_NAME];
    f2l_buf_printf(&out->name, "%s/%s", name, state[0] ? state : out->engine.state[0]);
    f2l_engine_cite(&out->source, &out->engine);
    f2l_engine_equals(&out->equals, &out->schedule, &out->engine);
    return 0;
}
