#include "models/learn/data/data_ahead.h"
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <pthread.h>

/* Cells of the rows that a thread takes at once: some tens of microseconds of work, so that the
 * cost of taking rows is negligible. */
#define CELLS_AT_ONCE 2048

typedef struct maker {
    f2l_data_stream stream;
    pthread_t thread;
} maker;

struct f2l_data_ahead {
    const f2l_data *data;
    size_t first, sequences;
    f2l_data_batch batch[2];
    size_t now; /* the batch that was taken last; the other one is made */
    /* of the other one */
    bool made;
    f2l_data_range range;
    uint64_t step;
    f2l_status status;
    f2l_error why;

    maker *maker; /* [threads]; the first is the caller */
    size_t threads;
    pthread_mutex_t mutex; /* guards everything that several threads read */
    pthread_cond_t work, done;
    uint64_t round; /* number of the batch to make; 0: none yet */
    size_t next;    /* next row to take */
    size_t at_once; /* rows */
    size_t busy;    /* threads that are not waiting for the next round */
    bool stop;
};

/* Takes rows until there are none; called under the mutex, which is released while a thread makes
 * its rows. */
static void make_rows(f2l_data_ahead *a, maker *m)
{
    f2l_data_batch *b = &a->batch[1 - a->now];
    while (a->status == F2L_OK && a->next < a->sequences) {
        f2l_error err = {0};
        size_t counted = 0;
        const size_t from = a->next, left = a->sequences - from;
        const size_t to = from + (left < a->at_once ? left : a->at_once);
        a->next = to;
        pthread_mutex_unlock(&a->mutex);
        const f2l_status status = f2l_data_batch_rows(b, &counted, &m->stream, a->data, a->step,
                                                      a->first, from, to, &err);
        pthread_mutex_lock(&a->mutex);
        b->counted += counted;
        if (status != F2L_OK && a->status == F2L_OK) {
            a->status = status;
            a->why = err;
        }
    }
}

typedef struct start {
    f2l_data_ahead *ahead;
    maker *maker;
} start;

static void *serve(void *context)
{
    const start from = *(start *)context;
    f2l_data_ahead *a = from.ahead;
    uint64_t round = 0;
    f2l_free(context);
    pthread_mutex_lock(&a->mutex);
    while (!a->stop) {
        if (a->round == round) {
            pthread_cond_wait(&a->work, &a->mutex);
            continue;
        }
        round = a->round;
        a->busy++;
        make_rows(a, from.maker);
        a->busy--;
        if (a->busy == 0) pthread_cond_signal(&a->done);
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

static bool launch_maker(f2l_data_ahead *a, maker *m)
{
    start *s = f2l_calloc(1, sizeof *s);
    if (s == NULL) return false;
    *s = (start){a, m};
    if (pthread_create(&m->thread, NULL, serve, s) == 0) return true;
    f2l_free(s);
    return false;
}

/* Returns 0 for success, like the functions that it calls. */
static int make_locks(f2l_data_ahead *a)
{
    if (pthread_mutex_init(&a->mutex, NULL) != 0) return 1;
    if (pthread_cond_init(&a->work, NULL) != 0) {
        pthread_mutex_destroy(&a->mutex);
        return 1;
    }
    if (pthread_cond_init(&a->done, NULL) == 0) return 0;
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->mutex);
    return 1;
}

f2l_status f2l_data_ahead_new(f2l_data_ahead **out, const f2l_data *data, size_t first,
                              size_t sequences, unsigned threads, f2l_error *err)
{
    const size_t wanted = threads > 1 ? threads : 1;
    *out = NULL;
    f2l_data_ahead *a = f2l_calloc(1, sizeof *a);
    if (a == NULL) return f2l_fail_memory(err);
    *a = (f2l_data_ahead){.data = data, .first = first, .sequences = sequences};
    for (size_t i = 0; i < 2; i++) f2l_data_batch_init(&a->batch[i]);
    a->maker = f2l_calloc(wanted, sizeof *a->maker);
    if (a->maker == NULL || make_locks(a) != 0) {
        f2l_free(a->maker);
        f2l_free(a);
        return f2l_fail_memory(err);
    }
    f2l_data_stream_init(&a->maker[0].stream);
    for (a->threads = 1; a->threads < wanted; a->threads++) {
        f2l_data_stream_init(&a->maker[a->threads].stream);
        if (!launch_maker(a, &a->maker[a->threads])) break;
    }
    *out = a;
    return F2L_OK;
}

void f2l_data_ahead_free(f2l_data_ahead *a)
{
    if (a == NULL) return;
    pthread_mutex_lock(&a->mutex);
    a->stop = true;
    pthread_cond_broadcast(&a->work);
    pthread_mutex_unlock(&a->mutex);
    for (size_t i = 1; i < a->threads; i++) pthread_join(a->maker[i].thread, NULL);
    for (size_t i = 0; i < a->threads; i++) f2l_data_stream_clear(&a->maker[i].stream);
    for (size_t i = 0; i < 2; i++) f2l_data_batch_clear(&a->batch[i]);
    pthread_cond_destroy(&a->done);
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->mutex);
    f2l_free(a->maker);
    f2l_free(a);
}

/* All shared data change under the mutex: a thread that wakes up only after the last row was taken,
 * or after a failure, finds no work until the next round begins. */
void f2l_data_ahead_make(f2l_data_ahead *a, f2l_data_range range, uint64_t step)
{
    f2l_data_batch *b = &a->batch[1 - a->now];
    f2l_error why = {0};
    const f2l_status status =
        f2l_data_batch_begin(b, a->data, range, step, a->first, a->sequences, &why);
    pthread_mutex_lock(&a->mutex);
    a->range = range;
    a->step = step;
    a->made = true;
    a->status = status;
    a->why = why;
    if (status == F2L_OK) {
        a->at_once = b->length < CELLS_AT_ONCE ? CELLS_AT_ONCE / b->length : 1;
        a->next = 0;
        a->round++;
        if (a->threads > 1 && a->at_once < a->sequences) pthread_cond_broadcast(&a->work);
        make_rows(a, &a->maker[0]);
        while (a->busy > 0) pthread_cond_wait(&a->done, &a->mutex);
    }
    pthread_mutex_unlock(&a->mutex);
}

f2l_status f2l_data_ahead_take(const f2l_data_batch **batch, f2l_data_ahead *a,
                               f2l_data_range range, uint64_t step, f2l_error *err)
{
    const bool there = a->made && a->status == F2L_OK && a->step == step &&
                       a->range.shortest == range.shortest && a->range.longest == range.longest;
    if (!there) f2l_data_ahead_make(a, range, step);
    a->made = false;
    if (a->status != F2L_OK) return f2l_fail(err, a->status, "%s", a->why.text);
    pthread_mutex_lock(&a->mutex);
    a->now = 1 - a->now;
    pthread_mutex_unlock(&a->mutex);
    *batch = &a->batch[a->now];
    return F2L_OK;
}

f2l_status f2l_data_ahead_bytes(size_t *bytes, size_t sequences, size_t longest, f2l_error *err)
{
    size_t row;
    if (f2l_mul_size(&row, longest, 2 * sizeof(uint32_t) + 1) &&
        f2l_add_size(&row, row, sizeof(uint32_t)) && f2l_mul_size(bytes, sequences, row) &&
        f2l_mul_size(bytes, *bytes, 2))
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "batches of %zu sequences of %zu letters need more memory than can be "
                    "counted",
                    sequences, longest);
}
