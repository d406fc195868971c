#include "models/learn/data/data_evaluate.h"
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <pthread.h>
#include <string.h>

/* Letters of all rows, with their labels and masks. */
typedef struct chunk_data {
    uint32_t *letter, *label; /* [rows][chunk] */
    uint8_t *mask;            /* [rows][chunk] */
} chunk_data;

struct evaluation;

/* The rows that a thread draws. */
typedef struct drawing {
    struct evaluation *evaluation;
    chunk_data *to;
    size_t from, until, count;
    f2l_status status;
    f2l_error why;
    pthread_t thread;
    bool running;
} drawing;

typedef struct evaluation {
    const f2l_data *data;
    const f2l_data_reader *reader;
    f2l_train_score *score;
    size_t scores;
    f2l_data_wrong wrong;
    uint64_t step; /* of the sequences that are being read, and the number of the first of them */
    size_t first;
    uint64_t *labelled;  /* [scores][labels] answers that count and have the label, after the length
                          * of the score before, in sequences that are being read */
    uint64_t *label_sum; /* [scores][labels] of all sequences, up to the length; follows `labelled`
                          */
    size_t rows, chunk;
    f2l_data_range group;    /* of words: those that are read */
    double done, total;      /* letters read, and to read */
    f2l_data_stream *stream; /* [rows] */
    chunk_data data_of[2]; /* the second is used only with several jobs: it is drawn while the first
                            * is read */
    uint32_t *answer;      /* [rows][chunk] */
    drawing *drawing;      /* [jobs] */
    size_t jobs;
} evaluation;

static void clear_evaluation(evaluation *e)
{
    for (size_t r = 0; e->stream && r < e->rows; r++) f2l_data_stream_clear(&e->stream[r]);
    f2l_free(e->stream);
    for (size_t i = 0; i < 2; i++) {
        f2l_free(e->data_of[i].letter);
        f2l_free(e->data_of[i].label);
        f2l_free(e->data_of[i].mask);
    }
    f2l_free(e->answer);
    f2l_free(e->drawing);
    f2l_free(e->labelled);
}

static f2l_status reserve_evaluation(evaluation *e, f2l_error *err)
{
    size_t cells, labels;
    if (!f2l_mul_size(&cells, e->rows, e->chunk) ||
        !f2l_mul_size(&labels, e->scores, e->data->labels.count) ||
        !f2l_mul_size(&labels, labels, 2))
        return f2l_fail_memory(err);
    e->stream = f2l_calloc(e->rows, sizeof *e->stream);
    e->answer = f2l_calloc(cells, sizeof *e->answer);
    e->drawing = f2l_calloc(e->jobs, sizeof *e->drawing);
    e->labelled = f2l_calloc(labels, sizeof *e->labelled);
    if (!e->stream || !e->answer || !e->drawing || !e->labelled) return f2l_fail_memory(err);
    e->label_sum = e->labelled + labels / 2;
    for (size_t i = 0; i < (e->jobs > 1 ? 2 : 1); i++) {
        chunk_data *d = &e->data_of[i];
        d->letter = f2l_calloc(cells, sizeof *d->letter);
        d->label = f2l_calloc(cells, sizeof *d->label);
        d->mask = f2l_calloc(cells, sizeof *d->mask);
        if (!d->letter || !d->label || !d->mask) return f2l_fail_memory(err);
    }
    for (size_t r = 0; r < e->rows; r++) f2l_data_stream_init(&e->stream[r]);
    return F2L_OK;
}

static void *draw_items(void *context)
{
    drawing *d = context;
    const size_t count = d->count;
    d->status = F2L_OK;
    for (size_t i = d->from * count; i < d->until * count && d->status == F2L_OK; i++) {
        f2l_data_item item = {0};
        d->status = f2l_data_stream_next(&d->evaluation->stream[i / count], &item, &d->why);
        d->to->letter[i] = item.letter;
        d->to->label[i] = item.label;
        d->to->mask[i] = item.counts;
    }
    return NULL;
}

/* Begins to draw the next `count` letters of the rows, in threads if there are several jobs; rows
 * without a thread, and all rows with one job, are drawn in the calling thread. */
static void begin_drawing(evaluation *e, chunk_data *to, size_t rows, size_t count)
{
    for (size_t k = 0; k < e->jobs; k++) {
        drawing *d = &e->drawing[k];
        *d = (drawing){.evaluation = e,
                       .to = to,
                       .from = k * rows / e->jobs,
                       .until = (k + 1) * rows / e->jobs,
                       .count = count};
        d->running = e->jobs > 1 && d->from < d->until &&
                     pthread_create(&d->thread, NULL, draw_items, d) == 0;
        if (!d->running) (void)draw_items(d);
    }
}

static f2l_status end_drawing(evaluation *e, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t k = 0; k < e->jobs; k++) {
        drawing *d = &e->drawing[k];
        if (d->running) pthread_join(d->thread, NULL);
        d->running = false;
        if (d->status != F2L_OK && status == F2L_OK)
            status = f2l_fail(err, d->status, "%s", d->why.text);
    }
    return status;
}

static void find_wrong_answers(evaluation *e, const chunk_data *d, size_t rows, size_t from,
                               size_t count)
{
    for (size_t r = 0, i = 0; r < rows; r++)
        for (size_t t = 0; t < count; t++, i++)
            if (d->mask[i] && e->answer[i] != d->label[i] &&
                (e->wrong.length == 0 || from + t + 1 < e->wrong.length))
                e->wrong = (f2l_data_wrong){.length = from + t + 1,
                                            .whole = e->score[e->scores - 1].length,
                                            .step = e->step,
                                            .sequence = (uint32_t)(e->first + r)};
}

/* Counts the labels of the answers that count, each in the first score that it belongs to. */
static void count_labels(evaluation *e, const chunk_data *d, size_t rows, size_t from, size_t count)
{
    const size_t labels = e->data->labels.count;
    size_t s = 0;
    for (size_t t = 0; t < count; t++) {
        while (s < e->scores && e->score[s].length <= from + t) s++;
        if (s == e->scores) return;
        for (size_t i = t; i < rows * count; i += count)
            if (d->mask[i]) e->labelled[s * labels + d->label[i]]++;
    }
}

/* Adds the labels of the sequences that were read to the scores, each of which has the answers of
 * those before it, too. */
static void add_label_counts(evaluation *e)
{
    const size_t labels = e->data->labels.count;
    for (size_t i = 0; i < e->scores * labels; i++) {
        if (i >= labels) e->labelled[i] += e->labelled[i - labels];
        e->label_sum[i] += e->labelled[i];
    }
    memset(e->labelled, 0, e->scores * labels * sizeof *e->labelled);
}

/* Sets the number of answers that the best constant answer has right, and forgets the counts. */
static void close_labels(evaluation *e)
{
    const size_t labels = e->data->labels.count;
    for (size_t i = 0; i < e->scores * labels; i++)
        if (e->label_sum[i] > e->score[i / labels].constant)
            e->score[i / labels].constant = e->label_sum[i];
    memset(e->label_sum, 0, e->scores * labels * sizeof *e->label_sum);
}

static f2l_status read_chunk(evaluation *e, f2l_train_tally *tally, const chunk_data *d,
                             size_t from, size_t count, const f2l_task *task, f2l_error *err)
{
    const size_t rows = tally->sequences;
    f2l_status status = f2l_task_poll(task, "evaluation", e->done, e->total, err);
    if (status == F2L_OK)
        status = e->reader->read(e->reader->context, e->answer, d->letter, rows, count, err);
    if (status != F2L_OK) return status;
    f2l_train_tally_add(tally, e->answer, d->label, d->mask, count);
    find_wrong_answers(e, d, rows, from, count);
    count_labels(e, d, rows, from, count);
    e->done += (double)(rows * count);
    return F2L_OK;
}

/* Returns the number of letters of the chunk that begins at letter `from`. */
static size_t chunk_at(const evaluation *e, size_t from, size_t length)
{
    return length - from < e->chunk ? length - from : e->chunk;
}

/* Reads the rows chunk by chunk. With several jobs the letters of the next chunk are drawn while
 * this chunk is read. */
static f2l_status read_chunks(evaluation *e, f2l_train_tally *tally, size_t length,
                              const f2l_task *task, f2l_error *err)
{
    const bool ahead = e->jobs > 1;
    f2l_status status = F2L_OK;
    if (ahead) begin_drawing(e, &e->data_of[0], tally->sequences, chunk_at(e, 0, length));
    for (size_t from = 0, k = 0; from < length && status == F2L_OK; k++) {
        const size_t count = chunk_at(e, from, length), next = from + count;
        chunk_data *now = &e->data_of[ahead ? k % 2 : 0], *then = &e->data_of[(k + 1) % 2];
        if (!ahead) begin_drawing(e, now, tally->sequences, count);
        status = end_drawing(e, err);
        if (status == F2L_OK && ahead && next < length)
            begin_drawing(e, then, tally->sequences, chunk_at(e, next, length));
        if (status == F2L_OK) status = read_chunk(e, tally, now, from, count, task, err);
        from = next;
    }
    const f2l_status drawn = end_drawing(e, status == F2L_OK ? err : NULL); /* letters of a chunk
                                                                               that is not read */
    return status == F2L_OK ? drawn : status;
}

/* Reads the begin letters of the rows; their answers are not scored. */
static f2l_status read_begin(evaluation *e, size_t rows, f2l_error *err)
{
    chunk_data *d = &e->data_of[0];
    begin_drawing(e, d, rows, 1);
    const f2l_status status = end_drawing(e, err);
    if (status != F2L_OK) return status;
    return e->reader->read(e->reader->context, e->answer, d->letter, rows, 1, err);
}

/* Reads `rows` sequences side by side to the greatest of the lengths. */
static f2l_status read_sequence_rows(evaluation *e, uint64_t step, size_t first, size_t rows,
                                     const f2l_task *task, f2l_error *err)
{
    const size_t length = e->score[e->scores - 1].length;
    f2l_train_tally tally;
    e->step = step;
    e->first = first;
    f2l_status status = f2l_train_tally_init(&tally, e->score, e->scores, rows, err);
    if (status != F2L_OK) return status;
    for (size_t r = 0; r < rows && status == F2L_OK; r++)
        status =
            f2l_data_stream_start(&e->stream[r], e->data, step, (uint32_t)(first + r), length, err);
    for (size_t r = 0; e->data->part && r < rows && status == F2L_OK; r++)
        f2l_data_words_start(&e->stream[r], e->data, e->group, (uint32_t)(first + r), length);
    if (status == F2L_OK) status = e->reader->begin(e->reader->context, rows, err);
    if (status == F2L_OK && e->data->options.begin) status = read_begin(e, rows, err);
    if (status == F2L_OK) status = read_chunks(e, &tally, length, task, err);
    f2l_train_tally_clear(&tally);
    return status;
}

static f2l_status read_all_sequences(evaluation *e, uint64_t step, size_t sequences,
                                     const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t first = 0; first < sequences && status == F2L_OK; first += e->rows) {
        const size_t rows = sequences - first < e->rows ? sequences - first : e->rows;
        status = read_sequence_rows(e, step, first, rows, task, err);
    }
    add_label_counts(e);
    return status;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads words that may be cut: words of at least this length, and less than the next one, count for
 * this length and all shorter ones. */
static f2l_status read_cut(evaluation *e, f2l_train_score *score, size_t scores,
                           const f2l_data_plan *plan, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    e->score = score;
    for (size_t i = scores; i-- > 0 && status == F2L_OK;) {
        const size_t words = f2l_data_words_group(&e->group, e->data, score[i].length,
                                                  i + 1 < scores ? score[i + 1].length : 0);
        e->scores = i + 1;
        status = read_all_sequences(e, plan->step, least_of(words, plan->sequences), task, err);
    }
    e->scores = scores;
    close_labels(e);
    return status;
}

/* Reads whole words, one length after the other; they count for the least length that is not
 * shorter. */
static f2l_status read_whole(evaluation *e, f2l_train_score *score, size_t scores,
                             const f2l_data_plan *plan, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t length = e->data->least;
    bool more = true;
    e->scores = 1;
    for (size_t i = 0; i < scores && status == F2L_OK && more; i++) {
        while (length <= score[i].length && status == F2L_OK && more) {
            const size_t words = f2l_data_words_group(&e->group, e->data, length, length + 1);
            f2l_train_score one = {.length = length};
            e->score = &one;
            status = read_all_sequences(e, plan->step, least_of(words, plan->sequences), task, err);
            score[i].sequences += one.sequences;
            score[i].right_ones += one.right_ones;
            score[i].supervised += one.supervised;
            score[i].right += one.right;
            more = f2l_data_after(e->data, length) != length;
            length = f2l_data_after(e->data, length);
        }
        e->score = &score[i];
        close_labels(e);
    }
    return status;
}

static f2l_status check_evaluation_plan(const f2l_train_score *score, size_t scores,
                                        const f2l_data *data, const f2l_data_plan *plan,
                                        f2l_error *err)
{
    if (scores == 0 || plan->sequences == 0 || plan->sequences > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "an evaluation needs lengths, and 1 to 2^32 - 1 "
                        "sequences");
    for (size_t i = 0; i < scores; i++) {
        const size_t length = score[i].length;
        if (length == 0 || f2l_data_fit(data, length) != length)
            return f2l_fail(err, F2L_EDOMAIN,
                            "no sequence of this task has %zu letters: possible are %zu, %zu, ..",
                            length, data->least, data->least + data->stride);
        if (i > 0 && length <= score[i - 1].length)
            return f2l_fail(err, F2L_EDOMAIN,
                            "the lengths of an evaluation must ascend: %zu after %zu", length,
                            score[i - 1].length);
    }
    return F2L_OK;
}

f2l_status f2l_data_evaluate_own(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                 const f2l_data *data, const f2l_data_reader *reader,
                                 const f2l_data_plan *plan, const f2l_task *task, f2l_error *err)
{
    f2l_status status = check_evaluation_plan(score, scores, data, plan, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < scores; i++) score[i].chance = f2l_data_chance(data);
    const size_t rows = plan->side_by_side ? plan->side_by_side : 64;
    evaluation e = {.data = data,
                    .reader = reader,
                    .score = score,
                    .scores = scores,
                    .rows = rows < plan->sequences ? rows : plan->sequences,
                    .chunk = plan->chunk ? plan->chunk : 256,
                    .jobs = plan->jobs > 1 ? plan->jobs : 1};
    for (size_t i = f2l_data_has_prefixes(data) ? scores - 1 : 0; i < scores; i++)
        e.total += (double)score[i].length * (double)plan->sequences;
    status = reserve_evaluation(&e, err);
    if (data->part && status == F2L_OK) {
        status = f2l_data_words_cut(data) ? read_cut(&e, score, scores, plan, task, err)
                                          : read_whole(&e, score, scores, plan, task, err);
    } else if (f2l_data_has_prefixes(data)) {
        if (status == F2L_OK)
            status = read_all_sequences(&e, plan->step, plan->sequences, task, err);
        if (status == F2L_OK) close_labels(&e);
    } else {
        e.scores = 1;
        for (size_t i = 0; i < scores && status == F2L_OK; i++) {
            e.score = score + i;
            status = read_all_sequences(&e, plan->step + i, plan->sequences, task, err);
            close_labels(&e);
        }
    }
    if (wrong) *wrong = e.wrong;
    clear_evaluation(&e);
    return status;
}
