/* Lines of a file that is read in blocks, so that its size does not matter, and its hash. */
#ifndef F2L_WORD_FILE_LINES_H
#define F2L_WORD_FILE_LINES_H

#include "numeric/base/sha256.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include <stdio.h>

typedef struct f2l_word_lines {
    FILE *file;    /* owned */
    size_t number; /* of the line that was read last, from 1 */
    f2l_sha256 hash;
    /* private */
    char *block;
    size_t size, at;
    double done, total; /* bytes */
    const f2l_task *task;
    f2l_buf line; /* one that is in several blocks */
} f2l_word_lines;

/* Takes over a file; on failure it is closed. */
f2l_status f2l_word_lines_init(f2l_word_lines *lines, FILE *file, const f2l_task *task,
                               f2l_error *err);
void f2l_word_lines_clear(f2l_word_lines *lines);

/* Sets *text to the next line without its end (LF, CR LF or the end of the file), valid until the
 * next call; *more is false past the last. F2L_EFORMAT: a zero byte, or bad UTF-8. */
f2l_status f2l_word_lines_next(f2l_word_lines *lines, const char **text, size_t *size, bool *more,
                               f2l_error *err);

/* Appends all bytes that are left. */
f2l_status f2l_word_lines_rest(f2l_word_lines *lines, f2l_buf *out, f2l_error *err);

#endif
