/* A batch on its way to the device: checked, laid out in rows, copied. Words that are packed lie
 * one after the other; the rows from their ends to the next number of rows that a pass is planned
 * for belong to the first words that have fewer than the longest, so that every row is a word's,
 * and no word is longer than the longest. Those rows have letter 0 and are not supervised. */
#include "cuda/step/impl.h"
#include <string.h>

/* Numbers of rows that passes over packed words are planned for, at most; they are multiples of a
 * power of two: of 512 for 256 words of up to 40 letters. */
enum { PACKED_WAYS = 32 };

bool f2l_cuda_step_packs(const f2l_cuda_step_shape *shape)
{
    return shape->mixer->packs && f2l_step_laid_out(shape, 0);
}

/* Returns the bytes of the weight, the first rows, letters, labels and mask. */
size_t f2l_step_host_bytes(const f2l_cuda_step *step)
{
    return 4 * (2 + step->sequences) + 9 * step->sequences * step->length;
}

static f2l_status check_lengths(const f2l_cuda_step_batch *b, f2l_error *err)
{
    for (size_t i = 0; i < b->sequences; i++) {
        const size_t length = b->lengths[i];
        if (length == 0 || length > b->length)
            return f2l_fail(err, F2L_EDOMAIN, "a word of %zu letters in a batch of up to %zu",
                            length, b->length);
        for (size_t t = length; b->mask != NULL && t < b->length; t++)
            if (b->mask[i * b->length + t])
                return f2l_fail(err, F2L_EDOMAIN, "a label counts behind the end of its word");
    }
    return F2L_OK;
}

f2l_status f2l_step_check_batch(const f2l_cuda_step_batch *b, const f2l_cuda_step_shape *s,
                                f2l_error *err)
{
    const size_t rows = b->sequences * b->length;
    const uint32_t letters = (uint32_t)s->letters, labels = (uint32_t)s->labels;
    unsigned bad_letter = 0, bad_label = 0; /* without branches: the whole batch is checked in every
                                             * step */
    for (size_t i = 0; i < rows; i++) bad_letter |= b->letter[i] >= letters;
    if (b->mask == NULL)
        for (size_t i = 0; i < rows; i++) bad_label |= b->label[i] >= labels;
    else
        for (size_t i = 0; i < rows; i++)
            bad_label |= (unsigned)(b->mask[i] != 0) & (b->label[i] >= labels);
    if (bad_letter)
        return f2l_fail(err, F2L_EDOMAIN, "a letter of a batch is none of the model's %zu",
                        s->letters);
    if (bad_label)
        return f2l_fail(err, F2L_EDOMAIN, "a label of a batch is none of the model's %zu",
                        s->labels);
    return b->lengths ? check_lengths(b, err) : F2L_OK;
}

/* Sets first[sequences + 1] to the words' first rows, and returns the number of rows. */
static size_t lay_words_out(uint32_t *first, const f2l_cuda_step_batch *b, size_t longest)
{
    const size_t room = b->sequences * longest;
    size_t letters = 0, at = 0, unit = F2L_CUDA_STEP_LETTERS;
    while (unit * PACKED_WAYS < room) unit *= 2;
    for (size_t i = 0; i < b->sequences; i++) letters += b->lengths[i];
    size_t rows = (letters + unit - 1) / unit * unit;
    if (rows > room) rows = room;
    size_t left = rows - letters;
    for (size_t i = 0; i < b->sequences; i++) {
        const size_t spare = longest - b->lengths[i], more = spare < left ? spare : left;
        first[i] = (uint32_t)at;
        at += b->lengths[i] + more;
        left -= more;
    }
    first[b->sequences] = (uint32_t)at;
    return rows;
}

/* Copies the words of `from` [sequences][b->length] to the rows of `to`, with zeros behind their
 * ends; `from` NULL: ones. */
static void fill_words(void *to, const void *from, size_t size, const uint32_t *first,
                       const f2l_cuda_step_batch *b)
{
    for (size_t i = 0; i < b->sequences; i++) {
        char *row = (char *)to + first[i] * size;
        const size_t bytes = (b->lengths ? b->lengths[i] : b->length) * size;
        if (from == NULL)
            memset(row, 1, bytes);
        else
            memcpy(row, (const char *)from + i * b->length * size, bytes);
        memset(row + bytes, 0, (first[i + 1] - first[i]) * size - bytes);
    }
}

f2l_status f2l_step_upload(size_t *rows, f2l_cuda_step *step, const f2l_cuda_step_batch *batch,
                           float weight, f2l_error *err)
{
    const f2l_cuda_kernels *k = step->k;
    const f2l_step_buffers *at = &step->at;
    f2l_cuda_step_batch b = *batch;
    f2l_status status = k->wait(step->stream, err);
    if (status != F2L_OK) return status;
    float *scalar = step->host;
    uint32_t *first = (uint32_t *)step->host + 1, *letter = first + b.sequences + 1;
    if (step->packed) {
        *rows = lay_words_out(first, &b, step->length);
    } else {
        b.lengths = NULL;
        *rows = b.sequences * step->length;
        for (size_t i = 0; i <= b.sequences; i++) first[i] = (uint32_t)(i * step->length);
    }
    uint32_t *label = letter + *rows;
    uint8_t *mask = (uint8_t *)(label + *rows);
    *scalar = weight;
    fill_words(letter, b.letter, sizeof *letter, first, &b);
    fill_words(label, b.label, sizeof *label, first, &b);
    fill_words(mask, b.mask, sizeof *mask, first, &b);
    status = k->to_device(at->letter, letter, *rows * sizeof *letter, step->stream, err);
    if (status == F2L_OK)
        status = k->to_device(at->label, label, *rows * sizeof *label, step->stream, err);
    if (status == F2L_OK) status = k->to_device(at->mask, mask, *rows, step->stream, err);
    if (status == F2L_OK && step->packed)
        status =
            k->to_device(at->first, first, (b.sequences + 1) * sizeof *first, step->stream, err);
    return status == F2L_OK ? k->to_device(step->weight, scalar, sizeof *scalar, step->stream, err)
                            : status;
}
