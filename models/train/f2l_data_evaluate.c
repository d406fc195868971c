#include "f2l_data_evaluate.h"
#include "f2l_mem.h"

typedef struct evaluation {
    const f2l_data *data;
    const f2l_data_reader *reader;
    f2l_train_score *score;
    size_t scores;
    size_t first_wrong; /* SIZE_MAX: none */
    size_t rows, chunk;
    double done, total;                /* letters read, and to read */
    f2l_data_stream *stream;           /* [rows] */
    uint32_t *letter, *label, *answer; /* [rows][chunk] */
    uint8_t *mask;                     /* [rows][chunk] */
} evaluation;

static void clear(evaluation *e)
{
    for (size_t r = 0; e->stream && r < e->rows; r++) f2l_data_stream_clear(&e->stream[r]);
    f2l_free(e->stream);
    f2l_free(e->letter);
    f2l_free(e->label);
    f2l_free(e->answer);
    f2l_free(e->mask);
}

static f2l_status reserve(evaluation *e, f2l_error *err)
{
    size_t cells;
    if (!f2l_mul_size(&cells, e->rows, e->chunk)) return f2l_fail_memory(err);
    e->stream = f2l_calloc(e->rows, sizeof *e->stream);
    e->letter = f2l_calloc(cells, sizeof *e->letter);
    e->label = f2l_calloc(cells, sizeof *e->label);
    e->answer = f2l_calloc(cells, sizeof *e->answer);
    e->mask = f2l_calloc(cells, sizeof *e->mask);
    if (!e->stream || !e->letter || !e->label || !e->answer || !e->mask) return f2l_fail_memory(err);
    for (size_t r = 0; r < e->rows; r++) f2l_data_stream_init(&e->stream[r]);
    return F2L_OK;
}

static f2l_status draw_chunk(evaluation *e, size_t rows, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < rows * count && status == F2L_OK; i++) {
        f2l_data_item item = {0};
        status = f2l_data_stream_next(&e->stream[i / count], &item, err);
        e->letter[i] = item.letter;
        e->label[i] = item.label;
        e->mask[i] = item.counts;
    }
    return status;
}

static void find_wrong(evaluation *e, size_t rows, size_t from, size_t count)
{
    for (size_t i = 0; i < rows * count; i++) {
        const size_t length = from + i % count + 1;
        if (e->mask[i] && e->answer[i] != e->label[i] && length < e->first_wrong) e->first_wrong = length;
    }
}

static f2l_status read_chunk(evaluation *e, f2l_train_tally *tally, size_t from, size_t count,
                             const f2l_task *task, f2l_error *err)
{
    const size_t rows = tally->sequences;
    f2l_status status = f2l_task_poll(task, "evaluation", e->done, e->total, err);
    if (status == F2L_OK) status = draw_chunk(e, rows, count, err);
    if (status == F2L_OK)
        status = e->reader->read(e->reader->context, e->answer, e->letter, rows, count, err);
    if (status != F2L_OK) return status;
    f2l_train_tally_add(tally, e->answer, e->label, e->mask, count);
    find_wrong(e, rows, from, count);
    e->done += (double)(rows * count);
    return F2L_OK;
}

/* Reads `rows` sequences side by side to the greatest of the lengths. */
static f2l_status read_rows(evaluation *e, uint64_t step, size_t first, size_t rows, const f2l_task *task,
                            f2l_error *err)
{
    const size_t length = e->score[e->scores - 1].length;
    f2l_train_tally tally;
    f2l_status status = f2l_train_tally_init(&tally, e->score, e->scores, rows, err);
    if (status != F2L_OK) return status;
    for (size_t r = 0; r < rows && status == F2L_OK; r++)
        status = f2l_data_stream_start(&e->stream[r], e->data, step, (uint32_t)(first + r), length, err);
    if (status == F2L_OK) status = e->reader->begin(e->reader->context, rows, err);
    for (size_t from = 0; from < length && status == F2L_OK; from += e->chunk)
        status = read_chunk(e, &tally, from, length - from < e->chunk ? length - from : e->chunk, task, err);
    f2l_train_tally_clear(&tally);
    return status;
}

static f2l_status read_all(evaluation *e, uint64_t step, size_t sequences, const f2l_task *task,
                           f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t first = 0; first < sequences && status == F2L_OK; first += e->rows) {
        const size_t rows = sequences - first < e->rows ? sequences - first : e->rows;
        status = read_rows(e, step, first, rows, task, err);
    }
    return status;
}

static f2l_status check_plan(const f2l_train_score *score, size_t scores, const f2l_data *data,
                             const f2l_data_plan *plan, f2l_error *err)
{
    if (scores == 0 || plan->sequences == 0 || plan->sequences > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "an evaluation needs lengths, and 1 to 2^32 - 1 sequences");
    for (size_t i = 0; i < scores; i++) {
        const size_t length = score[i].length;
        if (length == 0 || f2l_data_fit(data, length) != length)
            return f2l_fail(err, F2L_EDOMAIN,
                            "no sequence of this task has %zu letters: possible are %zu, %zu, ..", length,
                            data->least, data->least + data->stride);
        if (i > 0 && length <= score[i - 1].length)
            return f2l_fail(err, F2L_EDOMAIN, "the lengths of an evaluation must ascend: %zu after %zu",
                            length, score[i - 1].length);
    }
    return F2L_OK;
}

f2l_status f2l_data_evaluate(f2l_train_score *score, size_t scores, size_t *first_wrong, const f2l_data *data,
                             const f2l_data_reader *reader, const f2l_data_plan *plan, const f2l_task *task,
                             f2l_error *err)
{
    f2l_status status = check_plan(score, scores, data, plan, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < scores; i++) score[i].chance = f2l_data_chance(data);
    const size_t rows = plan->side_by_side ? plan->side_by_side : 64;
    evaluation e = {.data = data,
                    .reader = reader,
                    .score = score,
                    .scores = scores,
                    .first_wrong = SIZE_MAX,
                    .rows = rows < plan->sequences ? rows : plan->sequences,
                    .chunk = plan->chunk ? plan->chunk : 256};
    for (size_t i = data->options.when == F2L_DATA_EVERY ? scores - 1 : 0; i < scores; i++)
        e.total += (double)score[i].length * (double)plan->sequences;
    status = reserve(&e, err);
    if (data->options.when == F2L_DATA_EVERY) {
        if (status == F2L_OK) status = read_all(&e, plan->step, plan->sequences, task, err);
    } else {
        e.scores = 1;
        for (size_t i = 0; i < scores && status == F2L_OK; i++) {
            e.score = score + i;
            status = read_all(&e, plan->step + i, plan->sequences, task, err);
        }
    }
    if (first_wrong) *first_wrong = e.first_wrong == SIZE_MAX ? 0 : e.first_wrong;
    clear(&e);
    return status;
}
