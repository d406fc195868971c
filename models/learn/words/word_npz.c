/* Arrays of NumPy, as numpy.savez writes a batch of the generators of Deletang et al.: `input`
 * [words][letters][names], one-hot, and `output` [words][labels], or [words][answers][labels].
 * Whole numbers may take the place of the last axis: an output [words][numbers] of type float is
 * one-hot; of whole numbers or bool it is one-hot where each of MANY_WORDS words or more has
 * exactly one 1, and answers otherwise, and what may be either is refused. One answer is the label
 * after the last letter. For several answers as many letters are appended, all the same (the next
 * number), after which they are asked for, as the models of that paper read empty cells while they
 * answer. A `mask` [words][answers] of 0 and 1 chooses the answers that count.
 *
 * In the place of an output there may be `labels` [words][letters], whole numbers: the label after
 * each letter, -1 or -100 (what PyTorch's losses leave out) where none counts. */
#include "models/learn/data/npz_read.h"
#include "models/learn/words/impl.h"
#include <stdlib.h>
#include <string.h>

#define MANY_WORDS 8 /* answers of 0 and 1 look like one-hot labels for fewer words */

/* A wanted array with its numbers. */
typedef struct array {
    f2l_npz_array head;
    const unsigned char *data; /* NULL: there is no such array */
} array;

/* Returns number `i` of the array; -1 where it is not whole, negative, or 2^31 or more. */
static int64_t whole_array_number(const array *a, size_t i)
{
    const int64_t value = f2l_npz_whole(&a->head, a->data + i * a->head.width);
    return value < 0 ? -1 : value;
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
    return f2l_fail(err, F2L_EFORMAT, "%s, word %zu, place %zu: %s", t->a->head.name, row + 1,
                    column + 1,
                    t->names ? "exactly one number must be 1, and the others 0"
                             : "a whole number from 0 is expected");
}

static f2l_status bad(f2l_error *err, const char *what)
{
    return f2l_fail(err, F2L_EFORMAT, "%s", what);
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

/* Appends the letters of a word as they are. */
static f2l_status read_letters(f2l_word_reader *r, const table *in, size_t row, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t t = 0; t < in->columns && status == F2L_OK; t++) {
        const int64_t letter = name_at(in, row, t);
        if (letter < 0) return bad_cell(err, in, row, t);
        status = put_letter(r, (size_t)letter, row, err);
    }
    return status;
}

static f2l_status end_npz_word(f2l_word_reader *r, size_t row, size_t rows, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (row % 1024 == 0)
        status = f2l_task_poll(r->o->task, "reading words", (double)row, (double)rows, err);
    return status == F2L_OK ? f2l_word_reader_end(r, err) : status;
}

static f2l_status read_npz_word(f2l_word_reader *r, const table *in, const table *out,
                                const table *mask, size_t row, f2l_error *err)
{
    f2l_status status = read_letters(r, in, row, err);
    for (size_t k = 0; k < out->columns && out->columns > 1 && status == F2L_OK; k++)
        status = put_letter(r, in->names, row, err);
    if (status == F2L_OK)
        status = read_answers(r, out, mask, row, f2l_word_list_open(r->words) - out->columns, err);
    return status == F2L_OK ? end_npz_word(r, row, in->rows, err) : status;
}

/* How an output of two axes is read. */
typedef enum output_kind { DECIDE, LABELS, ANSWERS } output_kind;

/* Decides what an output [words][numbers] is that is not of type float. */
static f2l_status decide_output(output_kind *kind, const array *o, const array *mask,
                                f2l_error *err)
{
    const table t = {o, o->head.dim[0], 1, o->head.dim[1]};
    size_t hot = 0;
    bool bits = true;
    *kind = ANSWERS;
    if (t.names < 2 || (mask->data && mask->head.dims == 2 && mask->head.dim[1] == t.names))
        return F2L_OK;
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
    *in = (table){i, i->head.dim[0], i->head.dim[1], i->head.dims == 3 ? i->head.dim[2] : 0};
    *out = o->head.dims == 3   ? (table){o, o->head.dim[0], o->head.dim[1], o->head.dim[2]}
           : o->head.dims == 1 ? (table){o, o->head.dim[0], 1, 0}
           : plain             ? (table){o, o->head.dim[0], o->head.dim[1], 0}
                               : (table){o, o->head.dim[0], 1, o->head.dim[1]};
    *mask = (table){m, m->head.dim[0], m->head.dims == 2 ? m->head.dim[1] : 1, 0};
    if (i->head.dims < 2 || in->columns == 0 || in->rows != out->rows || out->columns == 0)
        return false;
    if (out->columns > 1 && in->names == 0) return false; /* the next letter is not known */
    return m->data == NULL || (mask->rows == out->rows && mask->columns == out->columns);
}

enum { INPUT, OUTPUT, MASK, LABELLED, ARRAYS };

/* Words with a label for every letter, of which some do not count. */
static f2l_status read_labelled(f2l_word_reader *r, const array *a, f2l_error *err)
{
    const f2l_npz_array *i = &a[INPUT].head, *l = &a[LABELLED].head;
    const table in = {&a[INPUT], i->dim[0], i->dim[1], i->dims == 3 ? i->dim[2] : 0};
    f2l_status status = F2L_OK;
    if (a[OUTPUT].data || a[MASK].data)
        return bad(err, "the archive has labels beside an output or a mask: labels stand for both");
    if (i->dims < 2 || l->dims != 2 || l->dim[0] != in.rows || l->dim[1] != in.columns)
        return bad(err, "the shapes must be input [words][letters] or [words][letters][names], and "
                        "labels [words][letters]");
    for (size_t row = 0; row < in.rows && status == F2L_OK; row++) {
        size_t given = 0;
        status = read_letters(r, &in, row, err);
        for (size_t t = 0; t < in.columns && status == F2L_OK; t++) {
            const size_t cell = row * in.columns + t;
            const int64_t label = f2l_npz_whole(l, a[LABELLED].data + cell * l->width);
            if (label == -1 || label == -100) continue;
            given++;
            status = label >= 0 ? put_label(r, t, (size_t)label, row, err)
                                : f2l_fail(err, F2L_EFORMAT,
                                           "labels, word %zu, place %zu: a whole number from 0 is "
                                           "expected, or -1 or -100 where none counts",
                                           row + 1, t + 1);
        }
        if (status == F2L_OK && given == 0 && in.columns > 0)
            status = f2l_fail(err, F2L_EFORMAT, "labels, word %zu: no label of this word counts",
                              row + 1);
        if (status == F2L_OK) status = end_npz_word(r, row, in.rows, err);
    }
    return status;
}

static f2l_status find_arrays(array *a, const f2l_npz_archive *archive, f2l_error *err)
{
    static const char *const name[ARRAYS] = {"input", "output", "mask", "labels"};
    f2l_npz_array head[ARRAYS] = {0};
    for (size_t i = 0; i < ARRAYS; i++) head[i].name = name[i];
    const f2l_status status = f2l_npz_find(head, ARRAYS, archive, err);
    for (size_t i = 0; i < ARRAYS; i++)
        a[i] = (array){head[i], head[i].found ? archive->bytes + head[i].at : NULL};
    return status;
}

static f2l_status read_batch(f2l_word_reader *r, const f2l_npz_archive *archive, output_kind kind,
                             f2l_error *err)
{
    array a[ARRAYS] = {0};
    table in = {.a = &a[INPUT]}, out = {.a = &a[OUTPUT]}, mask = {.a = &a[MASK]};
    f2l_status status = find_arrays(a, archive, err);
    if (status == F2L_OK && a[INPUT].data && a[LABELLED].data) return read_labelled(r, a, err);
    if (status == F2L_OK && (a[INPUT].data == NULL || a[OUTPUT].data == NULL))
        return bad(err, "the archive must have the arrays input and output, or input and labels");
    if (status == F2L_OK && kind == DECIDE && a[OUTPUT].head.dims == 2 &&
        a[OUTPUT].head.type != 'f')
        status = decide_output(&kind, &a[OUTPUT], &a[MASK], err);
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
            r,
            &(f2l_npz_archive){.bytes = (const unsigned char *)(bytes.data ? bytes.data : ""),
                               .size = bytes.size},
            kind, err);
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
