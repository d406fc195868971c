/* Arrays of NumPy, as numpy.savez writes a batch of the generators of Deletang et al.: `input`
 * [words][letters][names], one-hot, and `output` [words][labels], or [words][answers][labels].
 * Whole numbers may take the place of the last axis: an output [words][numbers] of type float is
 * one-hot; of whole numbers or bool it is one-hot where each of MANY_WORDS words or more has
 * exactly one 1, and answers otherwise, and what may be either is refused. One answer is the label
 * after the last letter. For several answers as many letters are appended, all the same (the next
 * number), after which they are asked for, as the models of that paper read empty cells while they
 * answer. A `mask` [words][answers] of 0 and 1 chooses the answers that count. */
#include "models/learn/words/impl.h"
#include <stdlib.h>
#include <string.h>

#define MOST_DIMS 3
#define MANY_WORDS 8  /* answers of 0 and 1 look like one-hot labels for fewer words */
#define END_SIZE 22   /* bytes of the end of a directory, without its comment */
#define ENTRY_SIZE 46 /* bytes of an entry of it, without name and further fields */
#define LOCAL_SIZE 30 /* bytes of the head of a file, likewise */

typedef struct array {
    const char *name;
    const unsigned char *data; /* NULL: there is no such array */
    char type;                 /* f, i, u or b */
    size_t width;              /* bytes of a number */
    size_t dims, dim[MOST_DIMS];
} array;

typedef struct archive {
    const unsigned char *bytes;
    size_t size;
} archive;

static f2l_status bad(f2l_error *err, const char *what)
{
    return f2l_fail(err, F2L_EFORMAT, "%s", what);
}

static size_t array_number_at(const unsigned char *at, size_t bytes)
{
    size_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

/* --- the archive --- */

/* Finds the end of the directory, which a comment may follow. */
static const unsigned char *find_end(const archive *a)
{
    if (a->size < END_SIZE) return NULL;
    for (size_t at = a->size - END_SIZE;; at--) {
        if (memcmp(a->bytes + at, "PK\5\6", 4) == 0) return a->bytes + at;
        if (at == 0 || a->size - at > END_SIZE + UINT16_MAX) return NULL;
    }
}

/* Sets *out and *size to the bytes of the file that an entry is about. */
static f2l_status open_entry(const unsigned char **out, size_t *size, const archive *a,
                             const unsigned char *entry, f2l_error *err)
{
    const size_t method = array_number_at(entry + 10, 2), offset = array_number_at(entry + 42, 4);
    *size = array_number_at(entry + 20, 4);
    if (method != 0)
        return bad(err, "the archive is compressed: numpy.savez writes one that is not");
    if (offset > a->size || a->size - offset < LOCAL_SIZE ||
        memcmp(a->bytes + offset, "PK\3\4", 4) != 0)
        return bad(err, "the archive is damaged: a file is not where its directory says");
    const size_t head = LOCAL_SIZE + array_number_at(a->bytes + offset + 26, 2) +
                        array_number_at(a->bytes + offset + 28, 2);
    if (a->size - offset < head || a->size - offset - head < *size)
        return bad(err, "the archive is cut off, or larger than 4 GiB");
    *out = a->bytes + offset + head;
    return F2L_OK;
}

/* --- an array --- */

/* Returns what follows 'KEY': in the text of a head; NULL: nothing. */
static const char *value_of_key(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    if (at == NULL) return NULL;
    at += strlen(key);
    return at + strspn(at, " ");
}

static bool read_array_shape(array *a, const char *at)
{
    if (*at++ != '(') return false;
    for (a->dims = 0; *(at += strspn(at, " ")) != ')'; a->dims++) {
        char *end;
        if (*at < '0' || *at > '9' || a->dims == MOST_DIMS) return false;
        a->dim[a->dims] = strtoul(at, &end, 10);
        if (a->dim[a->dims] > UINT32_MAX) return false;
        at = end + strspn(end, " ");
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    return a->dims > 0;
}

static bool read_type(array *a, const char *at)
{
    if (at[0] != '\'' || (at[1] != '<' && at[1] != '|')) return false;
    a->type = at[2];
    a->width = at[3] >= '1' && at[3] <= '8' && at[4] == '\'' ? (size_t)(at[3] - '0') : 0;
    if (a->type == 'f') return a->width == 4 || a->width == 8;
    if (a->type == 'b') return a->width == 1;
    return (a->type == 'i' || a->type == 'u') &&
           (a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8);
}

/* Returns whether the bytes hold all numbers of the array. */
static bool array_holds(const array *a, size_t size)
{
    size_t numbers = size / a->width;
    for (size_t d = 0; d < a->dims; d++) {
        if (a->dim[d] == 0) return true;
        numbers /= a->dim[d];
    }
    return numbers > 0;
}

static f2l_status read_array(array *a, const unsigned char *bytes, size_t size, f2l_error *err)
{
    char head[1024];
    if (bytes == NULL || size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is no array of NumPy", a->name);
    const size_t field = bytes[6] == 1 ? 2 : 4, length = array_number_at(bytes + 8, field);
    if (size - 8 - field < length || length >= sizeof head)
        return f2l_fail(err, F2L_EFORMAT, "the head of %s is damaged", a->name);
    memcpy(head, bytes + 8 + field, length);
    head[length] = '\0';
    const char *type = value_of_key(head, "'descr':"), *shape = value_of_key(head, "'shape':"),
               *order = value_of_key(head, "'fortran_order':");
    if (!type || !read_type(a, type))
        return f2l_fail(err, F2L_EFORMAT,
                        "the numbers of %s are of no type that is read: float of 4 or 8 bytes, "
                        "whole numbers and bool are, with the lowest byte first",
                        a->name);
    if (!shape || !read_array_shape(a, shape) || !order || strncmp(order, "False", 5) != 0)
        return f2l_fail(err, F2L_EFORMAT, "%s is no array of one to three axes in the order of C",
                        a->name);
    if (!array_holds(a, size - 8 - field - length))
        return f2l_fail(err, F2L_EFORMAT, "%s is shorter than its shape says", a->name);
    a->data = bytes + 8 + field + length;
    return F2L_OK;
}

/* Reads the arrays that are wanted from the archive. */
static f2l_status read_arrays(array *wanted, size_t count, const archive *a, f2l_error *err)
{
    const unsigned char *end = find_end(a), *from = NULL;
    if (end == NULL) return bad(err, "this is no archive of arrays, as numpy.savez writes it");
    size_t files = array_number_at(end + 10, 2), at = array_number_at(end + 16, 4), size = 0;
    const size_t limit = (size_t)(end - a->bytes);
    f2l_status status = F2L_OK;
    for (; files > 0 && status == F2L_OK; files--) {
        if (at > limit || limit - at < ENTRY_SIZE || memcmp(a->bytes + at, "PK\1\2", 4) != 0)
            return bad(err, "the archive is damaged: its directory is not where it should be");
        const unsigned char *entry = a->bytes + at;
        const size_t name = array_number_at(entry + 28, 2);
        const size_t whole =
            ENTRY_SIZE + name + array_number_at(entry + 30, 2) + array_number_at(entry + 32, 2);
        if (limit - at < whole) return bad(err, "the archive is damaged: its directory is cut off");
        for (size_t i = 0; i < count && status == F2L_OK; i++) {
            const size_t length = strlen(wanted[i].name);
            if (name != length + 4 || memcmp(entry + ENTRY_SIZE, wanted[i].name, length) != 0 ||
                memcmp(entry + ENTRY_SIZE + length, ".npy", 4) != 0)
                continue;
            status = open_entry(&from, &size, a, entry, err);
            if (status == F2L_OK) status = read_array(&wanted[i], from, size, err);
        }
        at += whole;
    }
    return status;
}

/* --- words --- */

/* Returns number `i` of the array; -1 where it is not whole, negative, or 2^31 or more. */
static int64_t whole_array_number(const array *a, size_t i)
{
    const unsigned char *at = a->data + i * a->width;
    if (a->type == 'f') {
        double value;
        float single;
        if (a->width == 4) {
            memcpy(&single, at, sizeof single);
            value = (double)single;
        } else {
            memcpy(&value, at, sizeof value);
        }
        return value >= 0 && value < 0x1p31 && value == (double)(int64_t)value ? (int64_t)value
                                                                               : -1;
    }
    uint64_t value = 0;
    for (size_t k = a->width; k-- > 0;) value = value << 8 | at[k];
    return value < UINT64_C(1) << 31 ? (int64_t)value : -1;
}

/* An array as a table of names: [rows][columns], each a number or one-hot in `names` numbers. */
typedef struct table {
    const array *a;
    size_t rows, columns, names; /* names 0: the number itself */
} table;

/* Returns the name in a cell, or -1. */
static int64_t name_at(const table *t, size_t row, size_t column)
{
    const size_t cell = row * t->columns + column;
    if (t->names == 0) return whole_array_number(t->a, cell);
    int64_t found = -1;
    for (size_t i = 0; i < t->names; i++) {
        const int64_t value = whole_array_number(t->a, cell * t->names + i);
        if (value == 0) continue;
        if (value != 1 || found >= 0) return -1;
        found = (int64_t)i;
    }
    return found;
}

static f2l_word_file_span span_of(char room[24], size_t value)
{
    const int size = snprintf(room, 24, "%zu", value);
    return (f2l_word_file_span){room, (size_t)size, 1, 1};
}

static f2l_status bad_cell(f2l_error *err, const table *t, size_t row, size_t column)
{
    return f2l_fail(err, F2L_EFORMAT, "%s, word %zu, place %zu: %s", t->a->name, row + 1,
                    column + 1,
                    t->names ? "exactly one number must be 1, and the others 0"
                             : "a whole number from 0 is expected");
}

/* Gives a label with an error that names the word, as an archive has no lines. */
static f2l_status put_label(f2l_word_reader *r, size_t at, size_t label, size_t row, f2l_error *err)
{
    char room[24];
    f2l_error why = {0};
    const f2l_status status = f2l_word_reader_label(r, at, span_of(room, label), &why);
    return status == F2L_OK ? F2L_OK : f2l_fail(err, status, "word %zu: %s", row + 1, why.text);
}

static f2l_status put_letter(f2l_word_reader *r, size_t letter, size_t row, f2l_error *err)
{
    char room[24];
    f2l_error why = {0};
    const f2l_status status = f2l_word_reader_letter(r, span_of(room, letter), &why);
    return status == F2L_OK ? F2L_OK : f2l_fail(err, status, "word %zu: %s", row + 1, why.text);
}

static f2l_status read_answers(f2l_word_reader *r, const table *out, const table *mask, size_t row,
                               size_t first, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t k = 0; k < out->columns && status == F2L_OK; k++) {
        if (mask->a->data && name_at(mask, row, k) == 0) continue;
        const int64_t label = name_at(out, row, k);
        if (label < 0) return bad_cell(err, out, row, k);
        status = put_label(r, first + k, (size_t)label, row, err);
    }
    return status;
}

static f2l_status read_npz_word(f2l_word_reader *r, const table *in, const table *out,
                                const table *mask, size_t row, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t t = 0; t < in->columns && status == F2L_OK; t++) {
        const int64_t letter = name_at(in, row, t);
        if (letter < 0) return bad_cell(err, in, row, t);
        status = put_letter(r, (size_t)letter, row, err);
    }
    for (size_t k = 0; k < out->columns && out->columns > 1 && status == F2L_OK; k++)
        status = put_letter(r, in->names, row, err);
    if (status == F2L_OK)
        status = read_answers(r, out, mask, row, f2l_word_list_open(r->words) - out->columns, err);
    if (status == F2L_OK && row % 1024 == 0)
        status = f2l_task_poll(r->o->task, "reading words", (double)row, (double)in->rows, err);
    return status == F2L_OK ? f2l_word_reader_end(r, err) : status;
}

/* How an output of two axes is read. */
typedef enum output_kind { DECIDE, LABELS, ANSWERS } output_kind;

/* Decides what an output [words][numbers] is that is not of type float. */
static f2l_status decide_output(output_kind *kind, const array *o, const array *mask,
                                f2l_error *err)
{
    const table t = {o, o->dim[0], 1, o->dim[1]};
    size_t hot = 0;
    bool bits = true;
    *kind = ANSWERS;
    if (t.names < 2 || (mask->data && mask->dims == 2 && mask->dim[1] == t.names)) return F2L_OK;
    for (size_t row = 0; row < t.rows; row++) hot += name_at(&t, row, 0) >= 0;
    for (size_t i = 0; i < t.rows * t.names && bits; i++) bits = whole_array_number(o, i) <= 1;
    if (!bits || hot < t.rows - t.rows / 4) return F2L_OK;
    *kind = LABELS;
    if (hot == t.rows && t.rows >= MANY_WORDS) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "output [%zu][%zu] may be one-hot labels (%zu of the words have exactly one 1) "
                    "or %zu answers of 0 and 1 for each word: --data npz-labels:FILE or "
                    "npz-answers:FILE says which",
                    t.rows, t.names, hot, t.names);
}

/* Sets the tables; false: the shapes are others than the head of this file names. */
static bool make_npz_tables(table *in, table *out, table *mask, output_kind kind)
{
    const array *i = in->a, *o = out->a, *m = mask->a;
    const bool plain = kind == ANSWERS; /* numbers in place of one-hot */
    *in = (table){i, i->dim[0], i->dim[1], i->dims == 3 ? i->dim[2] : 0};
    *out = o->dims == 3   ? (table){o, o->dim[0], o->dim[1], o->dim[2]}
           : o->dims == 1 ? (table){o, o->dim[0], 1, 0}
           : plain        ? (table){o, o->dim[0], o->dim[1], 0}
                          : (table){o, o->dim[0], 1, o->dim[1]};
    *mask = (table){m, m->dim[0], m->dims == 2 ? m->dim[1] : 1, 0};
    if (i->dims < 2 || in->columns == 0 || in->rows != out->rows || out->columns == 0) return false;
    if (out->columns > 1 && in->names == 0) return false; /* the next letter is not known */
    return m->data == NULL || (mask->rows == out->rows && mask->columns == out->columns);
}

static f2l_status read_batch(f2l_word_reader *r, const archive *a, output_kind kind, f2l_error *err)
{
    array wanted[3] = {{.name = "input"}, {.name = "output"}, {.name = "mask"}};
    table in = {.a = &wanted[0]}, out = {.a = &wanted[1]}, mask = {.a = &wanted[2]};
    f2l_status status = read_arrays(wanted, 3, a, err);
    if (status == F2L_OK && (wanted[0].data == NULL || wanted[1].data == NULL))
        return bad(err, "the archive must have the arrays input and output");
    if (status == F2L_OK && kind == DECIDE && wanted[1].dims == 2 && wanted[1].type != 'f')
        status = decide_output(&kind, &wanted[1], &wanted[2], err);
    if (status == F2L_OK && !make_npz_tables(&in, &out, &mask, kind))
        return bad(err, "the shapes must be input [words][letters][names], output [words][labels] "
                        "or [words][answers][labels], and mask [words][answers]");
    for (size_t row = 0; row < in.rows && status == F2L_OK; row++)
        status = read_npz_word(r, &in, &out, &mask, row, err);
    return status;
}

static f2l_status read_archive(f2l_word_reader *r, output_kind kind, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_word_lines_rest(r->file[0], &bytes, err);
    if (status == F2L_OK)
        status = read_batch(
            r, &(archive){(const unsigned char *)(bytes.data ? bytes.data : ""), bytes.size}, kind,
            err);
    f2l_buf_clear(&bytes);
    return status;
}

f2l_status f2l_word_read_npz(f2l_word_reader *r, f2l_error *err)
{
    return read_archive(r, DECIDE, err);
}

f2l_status f2l_word_read_npz_labels(f2l_word_reader *r, f2l_error *err)
{
    return read_archive(r, LABELS, err);
}

f2l_status f2l_word_read_npz_answers(f2l_word_reader *r, f2l_error *err)
{
    return read_archive(r, ANSWERS, err);
}
