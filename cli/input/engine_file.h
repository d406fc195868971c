/* --engine NAME[/STATE]: a serving engine's row, from the presets or from the user's file. */
#ifndef F2L_ENGINE_FILE_H
#define F2L_ENGINE_FILE_H

#include "cli/cli.h"
#include "models/network/engines/engine.h"

/* What a cell of `engines`, and a row of `round --engine`, may take where no limit is given. */
enum {
    F2L_ENGINE_EFFORT = 100,   /* millions of counted steps */
    F2L_ENGINE_LIMIT = 100000, /* joint states of a closure */
    F2L_ENGINE_LETTERS = 40000 /* of long words */
};

typedef struct f2l_engine_file {
    f2l_engine engine;
    f2l_schedule schedule;
    char schedule_name[F2L_SCHEDULE_NAME];
    f2l_buf name, source, equals; /* "vllm-packed/bf16", where it is, presets with the same row */
} f2l_engine_file;

void f2l_engine_file_init(f2l_engine_file *file);
void f2l_engine_file_clear(f2l_engine_file *file);

/* The parts of NAME/STATE or FILE/STATE. */
typedef struct f2l_engine_parts {
    size_t size;       /* of the name or the path, which begins the text */
    bool file;         /* it is a path: it begins with . or /, or ends in .engine */
    const char *state; /* "": none is named */
} f2l_engine_parts;

/* A state follows the last slash, unless that belongs to a path. */
f2l_engine_parts f2l_engine_split(const char *text);

/* Reads the engine that the text names, without choosing a state. Returns 0, or the exit status
 * after the message. */
int f2l_engine_file_open(f2l_engine *out, f2l_cli *cli, const char *text);

/* Reads the engine and takes its state. Returns 0, or the exit status after the message. */
int f2l_engine_file_load(f2l_engine_file *out, f2l_cli *cli, const char *text);

#endif
