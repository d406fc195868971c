/* CSV with a line of names, of which `input` and `target` are read: letters and labels, separated
 * by blanks. A field in double quotes may contain commas, and a quote as two; it ends on its line.
 */
#include "models/learn/words/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define LFS "version https://git-lfs"

typedef struct columns {
    size_t count, input, target; /* fields of a line; the numbers of the two */
} columns;

/* Sets *field to the next field, and *more to whether another one follows; quotes are left to
 * unquote. */
static f2l_status next_field(f2l_word_file_span *field, bool *more, f2l_word_file_span *rest,
                             f2l_error *err)
{
    const bool quoted = rest->size > 0 && rest->text[0] == '"';
    size_t size = 0;
    if (quoted) {
        size = 1;
        while (size < rest->size &&
               (rest->text[size] != '"' || (size + 1 < rest->size && rest->text[size + 1] == '"')))
            size += rest->text[size] == '"' ? 2 : 1;
        if (size >= rest->size)
            return f2l_fail_at(err, rest->line, rest->column,
                               "the quote is not closed on its line");
        size++;
        if (size < rest->size && rest->text[size] != ',')
            return f2l_fail_at(err, rest->line, rest->column + size,
                               "a comma is expected after the closing quote");
    } else {
        const char *comma = rest->size > 0 ? memchr(rest->text, ',', rest->size) : NULL;
        size = comma ? (size_t)(comma - rest->text) : rest->size;
    }
    *field = (f2l_word_file_span){rest->text, size, rest->line, rest->column};
    *more = size < rest->size;
    rest->text += size + *more;
    rest->size -= size + *more;
    rest->column += size + *more;
    return F2L_OK;
}

/* Takes the quotes off. Of a field with quotes inside `room` gets a copy. */
static f2l_status unquote(f2l_word_file_span *field, f2l_buf *room, f2l_error *err)
{
    if (field->size == 0 || field->text[0] != '"') return F2L_OK;
    field->text++;
    field->size -= 2;
    field->column++;
    if (field->size == 0 || memchr(field->text, '"', field->size) == NULL) return F2L_OK;
    f2l_buf_clear(room);
    for (size_t i = 0; i < field->size; i++) {
        f2l_buf_bytes(room, field->text + i, 1);
        if (field->text[i] == '"') i++;
    }
    field->text = room->data;
    field->size = room->size;
    return f2l_buf_status(room, err);
}

static bool field_names(f2l_word_file_span field, const char *name)
{
    return field.size == strlen(name) && memcmp(field.text, name, field.size) == 0;
}

static f2l_status read_csv_head(columns *c, f2l_word_file_span line, f2l_error *err)
{
    const f2l_word_file_span whole = line;
    f2l_buf room;
    bool more = true;
    f2l_status status = F2L_OK;
    *c = (columns){.input = SIZE_MAX, .target = SIZE_MAX};
    if (line.size >= strlen(LFS) && memcmp(line.text, LFS, strlen(LFS)) == 0)
        return f2l_fail_at(err, line.line, 1,
                           "this is a pointer of Git LFS, not the data: git lfs pull gets them");
    f2l_buf_init(&room);
    for (; more && status == F2L_OK; c->count++) {
        f2l_word_file_span field = {0};
        status = next_field(&field, &more, &line, err);
        if (status == F2L_OK) status = unquote(&field, &room, err);
        if (status != F2L_OK) break;
        size_t *column = field_names(field, "input")    ? &c->input
                         : field_names(field, "target") ? &c->target
                                                        : NULL;
        if (column && *column != SIZE_MAX)
            status = f2l_fail_at(err, field.line, field.column, "this column comes twice");
        if (column) *column = c->count;
    }
    f2l_buf_clear(&room);
    if (status == F2L_OK && (c->input == SIZE_MAX || c->target == SIZE_MAX))
        status = f2l_fail_at(err, whole.line, 1,
                             "the first line must name the columns, two of them input and target");
    return status;
}

static f2l_status read_csv_row(f2l_word_reader *r, const columns *c, f2l_word_file_span line,
                               f2l_buf room[2], f2l_error *err)
{
    f2l_word_file_span field = {0}, input = {0}, target = {0};
    bool more = true;
    size_t i = 0;
    f2l_status status = F2L_OK;
    for (; more && status == F2L_OK; i++) {
        status = next_field(&field, &more, &line, err);
        if (i == c->input) input = field;
        if (i == c->target) target = field;
    }
    if (status == F2L_OK && i != c->count)
        status =
            f2l_fail_at(err, line.line, 1, "%zu fields, where the first line has %zu", i, c->count);
    if (status == F2L_OK) status = unquote(&input, &room[0], err);
    if (status == F2L_OK) status = unquote(&target, &room[1], err);
    if (status == F2L_OK) status = f2l_word_reader_letters(r, input, err);
    if (status == F2L_OK) status = f2l_word_reader_labels(r, target, err);
    return status == F2L_OK ? f2l_word_reader_end(r, err) : status;
}

f2l_status f2l_word_read_csv(f2l_word_reader *r, f2l_error *err)
{
    f2l_word_lines *file = r->file[0];
    f2l_word_file_span line = {.column = 1};
    columns c = {0};
    bool more = true;
    f2l_buf room[2];
    f2l_buf_init(&room[0]);
    f2l_buf_init(&room[1]);
    f2l_status status = f2l_word_lines_next(file, &line.text, &line.size, &more, err);
    line.line = file->number;
    if (status == F2L_OK && !more) status = f2l_fail_at(err, 1, 1, "the file is empty");
    if (status == F2L_OK) status = read_csv_head(&c, line, err);
    while (status == F2L_OK) {
        status = f2l_word_lines_next(file, &line.text, &line.size, &more, err);
        if (status != F2L_OK || !more) break;
        line.line = file->number;
        if (line.size > 0) status = read_csv_row(r, &c, line, room, err);
    }
    f2l_buf_clear(&room[0]);
    f2l_buf_clear(&room[1]);
    return status;
}
