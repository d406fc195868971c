/* Parts of check_train: sums by letter, the loss. */
#ifndef CHECK_TRAIN_LETTERS_H
#define CHECK_TRAIN_LETTERS_H

#include "cuda/check/check_train_run.h"
#include "cuda/op/cuda_letters.h"
#include "cuda/op/cuda_loss.h"
#include "models/learn/op/op_embed.h"
#include "models/learn/op/op_loss.h"

/* --- letters --- */

static void check_letters(f2l_cuda_type type, size_t rows, size_t letters, size_t width,
                          size_t stride, bool add, bool skewed, tally t[3])
{
    array x = drawn(rows * stride, type, 1, 0),
          sum = drawn(letters * (width + 1), F2L_CUDA_F32, 1, 0);
    array table = drawn(letters * width, type, 1, 0), y = poisoned(rows * width, type, 0);
    uint32_t *letter = calloc(rows + 1, sizeof *letter);
    double *want = doubles(letters * (width + 1)), *gathered = doubles(rows * width), *terms;
    device_array ids, index, work;
    for (size_t i = 0; i < rows; i++)
        letter[i] =
            skewed && draw_below(4) ? (uint32_t)(letters - 1) : (uint32_t)draw_below(letters);
    ids = device_of(letter, rows * sizeof *letter, 0, run_stream);
    const uint32_t *on = (const uint32_t *)(void *)ids.data;
    memcpy(want, sum.host, letters * (width + 1) * sizeof *want);
    for (size_t l = 0; l < letters && !add; l++)
        memset(want + l * (width + 1), 0, width * sizeof *want);
    terms = sizes_of(want, letters * (width + 1));
    for (size_t i = 0; i < rows * width; i++) {
        const size_t to = letter[i / width] * (width + 1) + i % width;
        want[to] += x.host[i / width * stride + i % width];
        terms[to] += fabs(x.host[i / width * stride + i % width]);
        gathered[i] = table.host[letter[i / width] * width + i % width];
    }
    scratch(&index, f2l_cuda_letters_bytes(rows, letters));
    RUN(f2l_cuda_letters_index(index.data, on, rows, letters, run_stream, &why));
    RUN(f2l_cuda_letters_sum((float *)(void *)sum.on.data, width + 1, add, x.on.data, stride, width,
                             type, index.data,
                             scratch(&work, f2l_cuda_letters_work(rows, letters, width)), rows,
                             letters, run_stream, &why));
    /* Pieces of 64 rows by 8 lanes, which are added; the pieces, by 8 lanes again; then the old
     * value. */
    count_sums(
        &t[0], &sum, want, terms,
        (double)(F2L_CUDA_LETTER_ROWS / 8 + 8 + (rows / F2L_CUDA_LETTER_ROWS / 8 + 1) + 8 + 1),
        2e-6);
    /* A new index must give the same bits. */
    array again = drawn(0, F2L_CUDA_F32, 1, 0);
    double *first = download(&sum), *second;
    if (!add) {
        RUN(f2l_cuda_letters_index(index.data, on, rows, letters, run_stream, &why));
        RUN(f2l_cuda_letters_sum((float *)(void *)sum.on.data, width + 1, false, x.on.data, stride,
                                 width, type, index.data, work.data, rows, letters, run_stream,
                                 &why));
        second = download(&sum);
        count_error(&t[1], type, memcmp(first, second, sum.count * sizeof *first) ? 1 : 0, 0);
        free(second);
    }
    RUN(f2l_cuda_embed_forward(y.on.data, table.on.data, on, rows, width, type, run_stream, &why));
    count_error(&t[2], type, error_at(&y, gathered), 0);
    scratch_clear(&index), scratch_clear(&work);
    array_clear(&x), array_clear(&sum), array_clear(&table), array_clear(&y), array_clear(&again),
        device_clear(&ids);
    free(letter), free(want), free(gathered), free(first), free(terms);
}

static void letter_operators(void)
{
    static const size_t rows[] = {1, 31, 1024, 1025, 20011}, letters[] = {1, 2, 120, 8192},
                        widths[] = {1, 12, 48, 384};
    tally t[3] = {{.name = "sums by letter"}, {.name = "the same twice"}, {.name = "embedding"}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t j = 0; j < LENGTH(letters); j++)
            for (size_t k = 0; k < LENGTH(widths); k++) {
                const size_t c = i + j + k;
                check_letters(types[c % 2], rows[i], letters[j], widths[k],
                              widths[k] + (c % 3 ? 8 : 1), c % 4 == 0, c % 5 == 0, t);
            }
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

/* --- loss --- */

static void check_loss(f2l_cuda_type type, size_t sequences, size_t length, size_t classes,
                       bool masked, tally t[2])
{
    const size_t rows = sequences * length, stride = (classes + 7) / 8 * 8;
    const f2l_cuda_loss_shape s = {sequences, length, classes, stride, stride, type, NULL, 0};
    array logits = array_new(rows * stride, F2L_CUDA_F32),
          dlogits = poisoned(rows * stride, type, 0);
    uint32_t *label = calloc(rows + 1, sizeof *label);
    uint8_t *mask = calloc(rows + 1, 1), *right = calloc(rows + 1, 1),
            *got_right = calloc(rows + 1, 1);
    double *dense = doubles(rows * classes), *want = doubles(rows * classes),
           *wide = doubles(rows * stride);
    /* Few values, so that there are ties. */
    for (size_t i = 0; i < rows * stride; i++)
        logits.host[i] = i % 3 ? 5 * draw() : (double)draw_below(7);
    for (size_t i = 0; i < rows; i++) {
        label[i] = (uint32_t)draw_below(classes);
        mask[i] = !masked || draw_below(3) > 0;
        if (draw_below(2)) logits.host[i * stride + label[i]] = 7;
    }
    upload(&logits, 0);
    for (size_t i = 0; i < rows * classes; i++)
        dense[i] = logits.host[i / classes * stride + i % classes];
    const float weight = 0.37F;
    device_array labels = device_of(label, rows * sizeof *label, 0, run_stream),
                 masks = device_of(mask, rows, 0, run_stream),
                 rights = device_filled(rows, 0xff, 0, run_stream),
                 scores = device_filled(sizeof(f2l_cuda_score), 0xff, 0, run_stream),
                 weights = device_of(&weight, sizeof weight, 0, run_stream), work;
    RUN(f2l_cuda_loss(
        (f2l_cuda_score *)(void *)scores.data, (uint8_t *)rights.data, dlogits.on.data,
        (const float *)(void *)logits.on.data, (const uint32_t *)(void *)labels.data,
        masked ? (const uint8_t *)masks.data : NULL, (const float *)(void *)weights.data,
        scratch(&work, f2l_cuda_loss_work(&s)), &s, run_stream, &why));
    f2l_loss_sum sum;
    f2l_cuda_score score;
    RUN(f2l_loss_forward_f64(&sum, right, dense, label, mask, rows, classes, &why));
    RUN(f2l_loss_backward_f64(want, dense, label, mask, (double)weight, rows, classes, &why));
    for (size_t i = 0; i < rows * classes; i++) wide[i / classes * stride + i % classes] = want[i];
    size_t any = 0, all = 0, last = 0;
    for (size_t q = 0; q < sequences; q++) {
        bool some = false, every = true, late = false;
        for (size_t i = q * length; i < (q + 1) * length; i++)
            if (mask[i]) some = true, every = every && right[i], late = right[i];
        any += some, all += some && every, last += late;
    }
    bool whole =
        device_read(&score, &scores, run_stream) && device_read(got_right, &rights, run_stream);
    whole = whole && score.supervised == sum.count && score.right == sum.right &&
            score.sequences == any && score.right_ones == all && score.right_last == last &&
            memcmp(right, got_right, rows) == 0;
    count_error(&t[0], F2L_CUDA_F32,
                whole ? fabs(score.loss - sum.loss) / (sum.loss + 1e-300) : INFINITY, 1e-6);
    count_error(&t[1], type, error_at(&dlogits, wide), tolerance(type));
    scratch_clear(&work);
    array_clear(&logits), array_clear(&dlogits);
    device_clear(&labels), device_clear(&masks), device_clear(&rights), device_clear(&scores),
        device_clear(&weights);
    free(label), free(mask), free(right), free(got_right), free(dense), free(want), free(wide);
}

/* Checks rows with NaN and infinities: the score shows them, and no such answer is right;
 * f2l_cuda_answers agrees. */
static void check_odd_logits(tally *t)
{
    const float row[5][3] = {
        {1, NAN, 2}, {INFINITY, 0, 1}, {-INFINITY, -INFINITY, -INFINITY}, {0, 2, 2}, {0, 1, 3}};
    const uint32_t label[5] = {2, 0, 0, 1, 0}, want[5] = {UINT32_MAX, 0, 0, 1, 2};
    uint32_t answer[5];
    uint8_t right[5];
    const f2l_cuda_loss_shape s = {5, 1, 3, 3, 3, F2L_CUDA_F32, NULL, 0};
    f2l_cuda_score score;
    device_array logits = device_of(row, sizeof row, 0, run_stream),
                 labels = device_of(label, sizeof label, 0, run_stream),
                 answers = device_filled(sizeof answer, 0, 0, run_stream),
                 rights = device_filled(5, 0xff, 0, run_stream),
                 scores = device_filled(sizeof score, 0, 0, run_stream), work;
    RUN(f2l_cuda_answers((uint32_t *)(void *)answers.data, (const float *)(void *)logits.data, 3, 5,
                         3, run_stream, &why));
    RUN(f2l_cuda_loss((f2l_cuda_score *)(void *)scores.data, (uint8_t *)rights.data, NULL,
                      (const float *)(void *)logits.data, (const uint32_t *)(void *)labels.data,
                      NULL, NULL, scratch(&work, f2l_cuda_loss_work(&s)), &s, run_stream, &why));
    (void)device_read(answer, &answers, run_stream), (void)device_read(right, &rights, run_stream);
    (void)device_read(&score, &scores, run_stream);
    const bool good = memcmp(answer, want, sizeof want) == 0 && !right[0] && !right[1] &&
                      !right[2] && right[3] && !right[4] && isnan(score.loss) &&
                      score.supervised == 5 && score.right == 1 && score.right_ones == 1;
    count_error(t, F2L_CUDA_F32, good ? 0 : 1, 0);
    scratch_clear(&work);
    device_clear(&logits), device_clear(&labels), device_clear(&answers), device_clear(&rights),
        device_clear(&scores);
}

static void loss_operator(void)
{
    static const size_t classes[] = {1, 2, 5, 32, 33, 120, 256, 300, 1000},
                        lengths[] = {1, 7, 33, 128};
    tally t[3] = {{.name = "loss"}, {.name = "loss backward"}, {.name = "odd logits"}};
    for (size_t i = 0; i < LENGTH(classes); i++)
        for (size_t j = 0; j < LENGTH(lengths); j++)
            for (size_t k = 0; k < 2; k++)
                check_loss(types[k], 13, lengths[j], classes[i], (i + j) % 2, t);
    check_odd_logits(&t[2]);
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

#endif
