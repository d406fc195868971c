#include "models/network/schedule/impl.h"

/* CH5: lists the rows of all letters. */
static void list_chunk_rows(f2l_chunk_rows *rows, const f2l_float_head *head,
                            const uint32_t *letter, size_t count)
{
    size_t entries = 0;
    rows->rows = count * rows->factors;
    for (size_t r = 0; r < rows->rows; r++) {
        const uint32_t x = letter[r / rows->factors];
        const size_t factor = head->first[x] + r % rows->factors;
        rows->factor[r] = factor < head->first[x + 1] ? factor : F2L_NO_FACTOR;
        rows->entry_first[r] = entries;
        if (rows->factor[r] == F2L_NO_FACTOR) continue;
        for (size_t e = head->key_first[factor]; e < head->key_first[factor + 1]; e++) {
            if (head->key[e] == 0) continue;
            rows->x[entries] = (uint32_t)(head->row[e] / head->d);
            rows->k[entries++] = (float)head->key[e];
        }
    }
    rows->entry_first[rows->rows] = entries;
}

static float beta_of(const f2l_chunk_rows *rows, const f2l_float_head *head, size_t r)
{
    return rows->factor[r] == F2L_NO_FACTOR ? 0 : (float)head->beta[rows->factor[r]];
}

/* CH7, first line: computes A of the rows from `at`. */
static void products_of_keys(f2l_chunk_rows *rows, const f2l_float_head *head, size_t at,
                             size_t count)
{
    float *sum = rows->row;
    memset(rows->transposed, 0, rows->n * F2L_CHUNK * sizeof *rows->transposed);
    for (size_t i = 0; i < count; i++) {
        const float beta = beta_of(rows, head, at + i);
        memset(sum, 0, F2L_CHUNK * sizeof *sum);
        for (size_t e = rows->entry_first[at + i]; e < rows->entry_first[at + i + 1]; e++) {
            float *column = &rows->transposed[rows->x[e] * F2L_CHUNK];
            rows->sums->add(sum, rows->k[e], column, i);
            column[i] = rows->k[e];
        }
        for (size_t l = 0; l < F2L_CHUNK; l++)
            rows->A[i * F2L_CHUNK + l] = l < i ? beta * sum[l] : 0;
    }
    memset(&rows->A[count * F2L_CHUNK], 0, (F2L_CHUNK - count) * F2L_CHUNK * sizeof *rows->A);
}

/* CH9: computes beta k and beta v. */
static void scale_chunk_rows(f2l_chunk_rows *rows, const f2l_float_head *head,
                             const f2l_format *format, size_t at, size_t count)
{
    memset(rows->kb, 0, count * rows->n * sizeof *rows->kb);
    memset(rows->vb, 0, count * rows->d * sizeof *rows->vb);
    for (size_t i = 0; i < count; i++) {
        const size_t factor = rows->factor[at + i];
        const float beta = beta_of(rows, head, at + i);
        for (size_t e = rows->entry_first[at + i]; e < rows->entry_first[at + i + 1]; e++)
            rows->kb[i * rows->n + rows->x[e]] =
                f2l_chunk_store(rows, format, (double)beta * (double)rows->k[e]);
        for (size_t e = factor == F2L_NO_FACTOR ? 0 : head->value_first[factor];
             factor != F2L_NO_FACTOR && e < head->value_first[factor + 1]; e++)
            rows->vb[i * rows->d + head->column[e]] =
                f2l_chunk_store(rows, format, (double)beta * head->value[e]);
    }
}

/* CH9: computes out = f(T in), in and out [count][width]. */
static void apply_inverse(f2l_chunk_rows *rows, const f2l_format *format, size_t count, float *out,
                          const float *in, size_t width)
{
    float *sum = rows->row;
    for (size_t i = 0; i < count; i++) {
        memset(sum, 0, width * sizeof *sum);
        for (size_t l = 0; l <= i; l++) {
            const float a = rows->T[i * F2L_CHUNK + l];
            if (a == 0) continue;
            rows->sums->add(sum, a, &in[l * width], width);
        }
        for (size_t c = 0; c < width; c++)
            out[i * width + c] = f2l_chunk_store(rows, format, (double)sum[c]);
    }
}

static void round_state(f2l_chunk_rows *rows, const f2l_format *format, const float *h)
{
    for (size_t i = 0; i < rows->n * rows->d; i++)
        rows->state[i] = f2l_chunk_store(rows, format, (double)h[i]);
}

/* CH10: computes v_new of the rows from `at`, and h after them. */
static void pass_state(f2l_chunk_rows *rows, const f2l_format *format, size_t at, size_t count,
                       float *h)
{
    const size_t n = rows->n, d = rows->d;
    float *sum = rows->row;
    round_state(rows, format, h);
    for (size_t i = 0; i < count; i++) {
        memset(sum, 0, d * sizeof *sum);
        for (size_t x = 0; x < n; x++) {
            const float w = rows->w[i * n + x];
            if (w == 0) continue;
            rows->sums->add(sum, w, &rows->state[x * d], d);
        }
        for (size_t j = 0; j < d; j++) {
            const float difference = rows->u[i * d + j] - sum[j];
            rows->v_new[(at + i) * d + j] = f2l_chunk_store(rows, format, (double)difference);
        }
    }
    for (size_t r = at; r < at + count; r++)
        for (size_t e = rows->entry_first[r]; e < rows->entry_first[r + 1]; e++)
            rows->sums->add(&h[rows->x[e] * d], rows->k[e], &rows->v_new[r * d], d);
}

/* CH11: adds row r, of letter `letter`, to the readings of this letter and all later letters. */
static void add_row_to_readings(f2l_chunk_rows *rows, size_t r, size_t letter, size_t count)
{
    const size_t d = rows->d;
    for (size_t e = rows->entry_first[r]; e < rows->entry_first[r + 1]; e++)
        for (size_t j = 0; j < d; j++) {
            float *sum = &rows->read[(rows->x[e] * d + j) * F2L_CHUNK];
            if (rows->v_new[r * d + j] != 0)
                rows->sums->spread(sum + letter, rows->k[e], rows->v_new[r * d + j],
                                   count - letter);
        }
}

/* CH11: computes the readings after every letter; rows->read has the state before the chunk, for
 * each letter. */
static void read_chunk_states(f2l_chunk_rows *rows, const f2l_format *format, size_t count,
                              double *reading, size_t stride)
{
    for (size_t factor = 0; factor < rows->factors; factor++)
        for (size_t t = 0; t < count; t++)
            add_row_to_readings(rows, t * rows->factors + factor, t, count);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < rows->n * rows->d; i++) {
            const float sum = rows->read[i * F2L_CHUNK + t];
            reading[t * stride + i] = rows->lost ? NAN : f2l_format_round(format, (double)sum);
        }
}

void f2l_chunk_head(f2l_chunk_rows *rows, const f2l_float_head *head, const f2l_format *format,
                    size_t factors, const uint32_t *letter, size_t count, float *h, double *reading,
                    size_t stride)
{
    rows->n = head->n;
    rows->d = head->d;
    rows->factors = factors;
    rows->lost = false;
    list_chunk_rows(rows, head, letter, count);
    round_state(rows, format, h);
    for (size_t i = 0; i < head->n * head->d; i++)
        for (size_t t = 0; t < count; t++) rows->read[i * F2L_CHUNK + t] = rows->state[i];
    for (size_t at = 0; at < rows->rows; at += F2L_CHUNK) {
        const size_t here = rows->rows - at < F2L_CHUNK ? rows->rows - at : F2L_CHUNK;
        products_of_keys(rows, head, at, here);
        scale_chunk_rows(rows, head, format, at, here);
        f2l_chunk_invert(rows, here, format);
        apply_inverse(rows, format, here, rows->w, rows->kb, rows->n);
        apply_inverse(rows, format, here, rows->u, rows->vb, rows->d);
        pass_state(rows, format, at, here, h);
    }
    read_chunk_states(rows, format, count, reading, stride);
}
