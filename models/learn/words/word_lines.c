#include "models/learn/words/word_lines.h"
#include "numeric/base/mem.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK (1 << 18)

f2l_status f2l_word_lines_init(f2l_word_lines *lines, FILE *file, const f2l_task *task,
                               f2l_error *err)
{
    struct stat about;
    *lines = (f2l_word_lines){.file = file, .task = task};
    f2l_buf_init(&lines->line);
    f2l_sha256_init(&lines->hash);
    if (fileno(file) >= 0 && fstat(fileno(file), &about) == 0) lines->total = (double)about.st_size;
    lines->block = f2l_realloc(NULL, BLOCK, 1);
    if (lines->block) return F2L_OK;
    f2l_word_lines_clear(lines);
    return f2l_fail_memory(err);
}

void f2l_word_lines_clear(f2l_word_lines *lines)
{
    if (lines->file) fclose(lines->file);
    f2l_free(lines->block);
    f2l_buf_clear(&lines->line);
    *lines = (f2l_word_lines){.file = NULL};
}

/* Reads the next block when this one is used up; at the end of the file it stays empty. */
static f2l_status fill_word_lines(f2l_word_lines *l, f2l_error *err)
{
    if (l->at < l->size) return F2L_OK;
    const f2l_status status = f2l_task_poll(l->task, "reading words", l->done, l->total, err);
    if (status != F2L_OK) return status;
    const bool first = l->done == 0;
    errno = 0;
    l->at = 0;
    l->size = fread(l->block, 1, BLOCK, l->file);
    if (ferror(l->file) && errno == EINTR)
        return f2l_fail(err, F2L_UNKNOWN, "interrupted: reading words");
    if (ferror(l->file))
        return f2l_fail(err, F2L_EIO, "cannot read: %s", f2l_reason_of(errno).text);
    f2l_sha256_update(&l->hash, l->block, l->size);
    l->done += (double)l->size;
    if (first && l->size >= 3 && memcmp(l->block, "\xef\xbb\xbf", 3) == 0) l->at = 3;
    return F2L_OK;
}

static f2l_status check_word_line(const f2l_word_lines *l, const char *text, size_t size,
                                  f2l_error *err)
{
    size_t at;
    const char *zero = memchr(text, 0, size);
    if (zero) return f2l_fail_at(err, l->number, (size_t)(zero - text) + 1, "a zero byte");
    if (!f2l_utf8_valid(text, size, &at))
        return f2l_fail_at(err, l->number, at + 1, "this is not UTF-8");
    return F2L_OK;
}

f2l_status f2l_word_lines_next(f2l_word_lines *l, const char **text, size_t *size, bool *more,
                               f2l_error *err)
{
    bool whole = false;
    l->line.size = 0;
    *text = "";
    *size = 0;
    f2l_status status = fill_word_lines(l, err);
    *more = status == F2L_OK && l->at < l->size;
    if (!*more) return status;
    l->number++;
    while (status == F2L_OK && !whole && l->at < l->size) {
        const char *from = l->block + l->at, *end = memchr(from, '\n', l->size - l->at);
        const size_t part = end ? (size_t)(end - from) : l->size - l->at;
        whole = end != NULL;
        l->at += part + whole;
        if (whole && l->line.size == 0) {
            *text = from;
            *size = part;
            break;
        }
        f2l_buf_bytes(&l->line, from, part);
        status = f2l_buf_status(&l->line, err);
        *text = l->line.data;
        *size = l->line.size;
        if (status == F2L_OK && !whole) status = fill_word_lines(l, err);
    }
    if (status != F2L_OK) return status;
    if (*size > 0 && (*text)[*size - 1] == '\r') (*size)--;
    return *size > 0 ? check_word_line(l, *text, *size, err) : F2L_OK;
}

f2l_status f2l_word_lines_rest(f2l_word_lines *l, f2l_buf *out, f2l_error *err)
{
    f2l_status status;
    while ((status = fill_word_lines(l, err)) == F2L_OK && l->at < l->size) {
        f2l_buf_bytes(out, l->block + l->at, l->size - l->at);
        l->at = l->size;
    }
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}
