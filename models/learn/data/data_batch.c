#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

size_t f2l_data_length(const f2l_data *data, f2l_data_range range, uint64_t step, uint32_t sequence)
{
    f2l_data_picked picked;
    if (data->part) return f2l_data_pick(&picked, data, range, step, sequence) ? picked.length : 0;
    const size_t longest = f2l_data_fit(data, range.longest);
    size_t shortest = data->least;
    if (range.shortest > shortest) {
        if (range.shortest > longest) return 0;
        const size_t over = (range.shortest - data->least) % data->stride;
        shortest = range.shortest + (over ? data->stride - over : 0);
    }
    if (longest < shortest) return 0;
    const uint32_t choices = (uint32_t)((longest - shortest) / data->stride + 1);
    const uint64_t x = f2l_data_block(data, step, sequence, F2L_DATA_HEADER).x;
    return shortest + f2l_data_below(x, choices) * data->stride;
}

void f2l_data_batch_init(f2l_data_batch *batch)
{
    *batch = (f2l_data_batch){0};
    f2l_data_stream_init(&batch->stream);
}

void f2l_data_batch_clear(f2l_data_batch *batch)
{
    f2l_free(batch->letter);
    f2l_free(batch->label);
    f2l_free(batch->mask);
    f2l_free(batch->lengths);
    f2l_data_stream_clear(&batch->stream);
    f2l_data_batch_init(batch);
}

/* Grows *array to `count` elements. Memory never shrinks, so a run allocates when its curriculum
 * grows and not at every step. */
static bool grow_batch_array(void **array, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = f2l_realloc(old, count, size);
    if (grown == NULL) return false;
    memcpy(array, &grown, sizeof grown);
    return true;
}

static bool reserve_cells(f2l_data_batch *b, size_t cells)
{
    if (cells <= b->cells) return true;
    if (!grow_batch_array((void **)&b->letter, cells, sizeof *b->letter)) return false;
    if (!grow_batch_array((void **)&b->label, cells, sizeof *b->label)) return false;
    if (!grow_batch_array((void **)&b->mask, cells, sizeof *b->mask)) return false;
    b->cells = cells;
    return true;
}

static bool reserve_rows(f2l_data_batch *b, size_t rows)
{
    if (rows <= b->rows) return true;
    if (!grow_batch_array((void **)&b->lengths, rows, sizeof *b->lengths)) return false;
    b->rows = rows;
    return true;
}

static f2l_status draw_lengths(f2l_data_batch *b, const f2l_data *data, f2l_data_range range,
                               uint64_t step, size_t first, f2l_error *err)
{
    b->length = 0;
    for (size_t i = 0; i < b->sequences; i++) {
        const size_t length = f2l_data_length(data, range, step, (uint32_t)(first + i));
        if (length == 0)
            return f2l_fail(
                err, F2L_EDOMAIN,
                "no sequence of this task has between %zu and %zu letters: possible are %zu, %zu, "
                "..",
                range.shortest, range.longest, data->least, data->least + data->stride);
        b->lengths[i] = (uint32_t)f2l_data_read_length(data, length);
        if (b->lengths[i] > b->length) b->length = b->lengths[i];
    }
    return F2L_OK;
}

/* Fills one row and adds its answers that count to *counted, which belongs to the calling
 * thread. */
static f2l_status fill_row(f2l_data_batch *b, size_t *counted, f2l_data_stream *stream, size_t row,
                           const f2l_data *data, uint64_t step, uint32_t sequence, f2l_error *err)
{
    const size_t length = b->lengths[row];
    uint32_t *letter = b->letter + row * b->length, *label = b->label + row * b->length;
    uint8_t *mask = b->mask + row * b->length;
    f2l_status status = f2l_data_stream_begin(stream, data, step, sequence, b->range, err);
    for (size_t t = 0; t < length && status == F2L_OK; t++) {
        f2l_data_item item;
        status = f2l_data_stream_next(stream, &item, err);
        if (status != F2L_OK) break;
        letter[t] = item.letter;
        label[t] = item.label;
        mask[t] = item.counts;
        *counted += item.counts;
    }
    const size_t rest = b->length - length;
    memset(letter + length, 0, rest * sizeof *letter);
    memset(label + length, 0, rest * sizeof *label);
    memset(mask + length, 0, rest);
    return status;
}

f2l_status f2l_data_batch_begin(f2l_data_batch *b, const f2l_data *data, f2l_data_range range,
                                uint64_t step, size_t first, size_t sequences, f2l_error *err)
{
    size_t end, cells;
    if (sequences == 0 || !f2l_add_size(&end, first, sequences) || end > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "sequences %zu and %zu more are not a batch: at least one, below 2^32",
                        first, sequences);
    if (!reserve_rows(b, sequences)) return f2l_fail_memory(err);
    b->sequences = sequences;
    b->range = range;
    b->counted = 0;
    const f2l_status status = draw_lengths(b, data, range, step, first, err);
    if (status != F2L_OK) return status;
    if (!f2l_mul_size(&cells, sequences, b->length) || !reserve_cells(b, cells))
        return f2l_fail_memory(err);
    return F2L_OK;
}

f2l_status f2l_data_batch_rows(f2l_data_batch *b, size_t *counted, f2l_data_stream *stream,
                               const f2l_data *data, uint64_t step, size_t first, size_t from,
                               size_t to, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = from; i < to && status == F2L_OK; i++)
        status = fill_row(b, counted, stream, i, data, step, (uint32_t)(first + i), err);
    return status;
}

f2l_status f2l_data_batch_fill(f2l_data_batch *b, const f2l_data *data, f2l_data_range range,
                               uint64_t step, size_t first, size_t sequences, f2l_error *err)
{
    f2l_status status = f2l_data_batch_begin(b, data, range, step, first, sequences, err);
    if (status == F2L_OK)
        status =
            f2l_data_batch_rows(b, &b->counted, &b->stream, data, step, first, 0, sequences, err);
    return status;
}
