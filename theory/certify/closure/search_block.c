/* Blocks of edges: stepped by any thread, entered into the table by the first thread, in their
 * order.
 *
 * A block has copies of the rows that its edges start from, so the threads that step touch neither
 * the table nor each other's blocks. Only the first thread polls the task, and it steps too when
 * there is nothing to enter. */
#include "numeric/base/mem.h"
#include "theory/certify/closure/search.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define BLOCK_EDGES 1024
#define LEAST_EDGES 16
#define BLOCK_BYTES \
    ((size_t)256 << 10) /* bytes of rows that a block makes, unless one row takes more \ */
#define BLOCKS_PER_JOB 4
#define EDGES_PER_POLL 64 /* an edge may take a millisecond (thousands of coordinates) */
#define WAIT_SECONDS 0.05

typedef enum block_state { BLOCK_FREE, BLOCK_READY, BLOCK_TAKEN, BLOCK_DONE } block_state;

typedef struct block {
    block_state state;  /* guarded by the crew's mutex; all other members belong to one thread at a
                           time */
    size_t row, letter; /* of the first edge */
    size_t edges;
    unsigned char *from, *to; /* copies of the rows, from `row` on; one row for each edge */
    uint64_t *hash;
    uint32_t *label;
    size_t done;       /* number of edges that were stepped */
    f2l_status status; /* why edges were left unstepped */
    f2l_error why;
} block;

typedef struct crew {
    f2l_search *search;
    size_t blocks, edges; /* blocks in the ring; most edges of a block */
    block *block;
    /* Blocks are numbered as they are made; number b lies in block[b % blocks]. */
    size_t made, taken, consumed;
    size_t row, letter; /* of the first edge of the next block to make */
    size_t edge_count;  /* edges that the first thread stepped, for polls */
    pthread_mutex_t mutex;
    pthread_cond_t ready, done;
    atomic_bool stop;
    struct worker {
        struct crew *crew;
        void *context;
        pthread_t thread;
    } * worker;
    size_t workers;
} crew;

static bool allocate_block(block *b, size_t edges, size_t letters, size_t width)
{
    b->from = f2l_calloc((edges - 1) / letters + 2, width);
    b->to = f2l_calloc(edges, width);
    b->hash = f2l_calloc(edges, sizeof *b->hash);
    b->label = f2l_calloc(edges, sizeof *b->label);
    return b->from && b->to && b->hash && b->label;
}

static void clear_crew(crew *c)
{
    for (size_t b = 0; c->block && b < c->blocks; b++) {
        f2l_free(c->block[b].from);
        f2l_free(c->block[b].to);
        f2l_free(c->block[b].hash);
        f2l_free(c->block[b].label);
    }
    f2l_free(c->block);
    f2l_free(c->worker);
}

static f2l_status init_crew(crew *c, f2l_search *search, f2l_error *err)
{
    const size_t width = search->pairs.width, jobs = search->machine->jobs;
    *c = (crew){.search = search, .row = search->expanding, .letter = search->letter};
    c->edges = BLOCK_BYTES / width;
    if (c->edges > BLOCK_EDGES) c->edges = BLOCK_EDGES;
    if (c->edges == 0) c->edges = 1;
    c->blocks = jobs > 1 ? BLOCKS_PER_JOB * jobs : 1;
    c->block = f2l_calloc(c->blocks, sizeof *c->block);
    c->worker = f2l_calloc(jobs, sizeof *c->worker);
    bool room = c->block && c->worker;
    for (size_t b = 0; room && b < c->blocks; b++)
        room = allocate_block(&c->block[b], c->edges, search->fsa->letters.count, width);
    if (room) return F2L_OK;
    clear_crew(c);
    return f2l_fail_memory(err);
}

/* --- stepping --- */

/* Steps one edge; returns false when the block ends there. */
static bool step_edge(const f2l_search *search, void *context, block *b, size_t edge, size_t state,
                      size_t letter)
{
    const f2l_machine *machine = search->machine;
    const size_t width = search->pairs.width,
                 target = search->fsa->next[state * search->fsa->letters.count + letter];
    unsigned char *to = b->to + edge * width;
    b->status = machine->step(context, letter, to, &b->label[edge], &b->why);
    if (b->status != F2L_OK) return false;
    b->done = edge + 1;
    if (b->label[edge] == F2L_NO_SYMBOL || b->label[edge] != f2l_search_owed(search, state, letter))
        return false;
    f2l_pairs_put(to + machine->width, width - machine->width, target);
    b->hash[edge] = f2l_pairs_hash(to, width);
    return true;
}

/* Steps a block. `poll`: the first thread steps it, and returns why the task stopped it. */
static f2l_status step_block(crew *c, block *b, void *context, bool poll, f2l_error *err)
{
    const f2l_search *search = c->search;
    const f2l_machine *machine = search->machine;
    const size_t width = search->pairs.width, letters = search->fsa->letters.count;
    size_t row = 0, letter = b->letter, state = 0;
    b->done = 0;
    b->status = F2L_OK;
    for (size_t edge = 0; edge < b->edges; edge++) {
        if (poll && ++c->edge_count % EDGES_PER_POLL == 0) {
            f2l_status status = f2l_search_poll(search, b->row + row, err);
            if (status != F2L_OK) return status;
        }
        if (atomic_load_explicit(&c->stop, memory_order_relaxed)) break;
        if (edge == 0 || letter == 0) {
            const unsigned char *from = b->from + row * width;
            machine->load(context, from);
            state = (size_t)f2l_pairs_take(from + machine->width, width - machine->width);
        }
        const bool stepped = step_edge(search, context, b, edge, state, letter);
        if (poll && search->machine->work) {
            f2l_status status = f2l_search_count_work(c->search, err);
            if (status != F2L_OK) return status;
        }
        if (!stepped) break;
        if (++letter < letters) continue;
        letter = 0;
        row++;
    }
    return F2L_OK;
}

/* Returns the next block to be stepped, which the caller then holds; NULL: none. The mutex must be
 * held. */
static block *take_block_to_step(crew *c)
{
    if (c->taken == c->made) return NULL;
    block *b = &c->block[c->taken++ % c->blocks];
    b->state = BLOCK_TAKEN;
    return b;
}

static void *work(void *argument)
{
    const struct worker *self = argument;
    crew *c = self->crew;
    pthread_mutex_lock(&c->mutex);
    while (!atomic_load(&c->stop)) {
        block *b = take_block_to_step(c);
        if (!b) {
            pthread_cond_wait(&c->ready, &c->mutex);
            continue;
        }
        pthread_mutex_unlock(&c->mutex);
        (void)step_block(c, b, self->context, false, NULL);
        pthread_mutex_lock(&c->mutex);
        b->state = BLOCK_DONE;
        pthread_cond_signal(&c->done);
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

/* --- the first thread --- */

/* Makes blocks of the edges that are known; short blocks when few are known, so that all threads
 * have some. */
static void make_blocks(crew *c)
{
    const f2l_pairs *pairs = &c->search->pairs;
    const size_t letters = c->search->fsa->letters.count, width = pairs->width,
                 jobs = c->workers + 1;
    while (c->made - c->consumed < c->blocks && c->row < pairs->count) {
        const size_t rows = pairs->count - c->row;
        size_t known = rows > c->edges / letters + 1 ? c->edges : rows * letters - c->letter;
        if (jobs > 1 && rows <= jobs * c->edges / letters) {
            known = (rows * letters - c->letter) / (2 * jobs);
            if (known < LEAST_EDGES) known = LEAST_EDGES;
            if (known > rows * letters - c->letter) known = rows * letters - c->letter;
        }
        block *b = &c->block[c->made % c->blocks];
        b->row = c->row;
        b->letter = c->letter;
        b->edges = known < c->edges ? known : c->edges;
        const size_t end = c->letter + b->edges, last = c->row + (end - 1) / letters;
        for (size_t r = c->row; r <= last; r++)
            memcpy(b->from + (r - c->row) * width, f2l_pairs_get(pairs, r), width);
        c->row += end / letters;
        c->letter = end % letters;
        pthread_mutex_lock(&c->mutex);
        b->state = BLOCK_READY;
        c->made++;
        pthread_cond_signal(&c->ready);
        pthread_mutex_unlock(&c->mutex);
    }
}

/* Waits until some block is done, but not for long. The mutex must be held. */
static void wait_done(crew *c)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(WAIT_SECONDS * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&c->done, &c->mutex, &until);
}

/* Steps blocks, or waits, until the oldest one is done. */
static f2l_status finish_oldest(crew *c, f2l_error *err)
{
    const f2l_search *search = c->search;
    const block *oldest = &c->block[c->consumed % c->blocks];
    f2l_status status = F2L_OK;
    pthread_mutex_lock(&c->mutex);
    while (status == F2L_OK && oldest->state != BLOCK_DONE) {
        block *b = take_block_to_step(c);
        if (!b) wait_done(c);
        pthread_mutex_unlock(&c->mutex);
        status = b ? step_block(c, b, search->machine->context[0], true, err)
                   : f2l_search_poll(search, search->expanding, err);
        pthread_mutex_lock(&c->mutex);
        if (b) b->state = BLOCK_DONE;
    }
    pthread_mutex_unlock(&c->mutex);
    return status;
}

/* Number of rows ahead whose slots, and whose likely equals, are loaded. */
#define SLOTS_AHEAD 24
#define ROWS_AHEAD 12

static f2l_status consume(f2l_search *search, f2l_closure *out, const block *b, f2l_error *err)
{
    const size_t width = search->pairs.width;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < SLOTS_AHEAD && i < b->done; i++)
        f2l_pairs_prefetch_slot(&search->pairs, b->hash[i]);
    for (size_t i = 0; i < b->done && status == F2L_OK; i++) {
        size_t found;
        if (i + SLOTS_AHEAD < b->done)
            f2l_pairs_prefetch_slot(&search->pairs, b->hash[i + SLOTS_AHEAD]);
        if (i + ROWS_AHEAD < b->done)
            f2l_pairs_prefetch_row(&search->pairs, b->hash[i + ROWS_AHEAD]);
        status =
            f2l_search_arrive(search, out, b->to + i * width, b->hash[i], b->label[i], &found, err);
        if (out->verdict != F2L_OK) break;
        if (status == F2L_OK) status = f2l_search_advance(search, found, err);
    }
    if (status == F2L_OK && out->verdict == F2L_OK && b->status != F2L_OK) {
        status = b->status;
        if (err) *err = b->why;
    }
    return status;
}

static f2l_status run_crew(crew *c, f2l_closure *out, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && out->verdict == F2L_OK) {
        make_blocks(c);
        if (c->consumed == c->made) break;
        status = finish_oldest(c, err);
        if (status == F2L_OK)
            status = consume(c->search, out, &c->block[c->consumed % c->blocks], err);
        c->consumed++;
        if (status == F2L_OK && c->workers > 0)
            status = f2l_search_poll(c->search, c->search->expanding, err);
        if (status == F2L_OK) f2l_search_save(c->search, false);
    }
    return status;
}

/* Starts the threads; works with fewer if the system does not provide them. */
static void start_workers(crew *c)
{
    const f2l_machine *machine = c->search->machine;
    for (size_t j = 1; j < machine->jobs; j++) {
        struct worker *w = &c->worker[c->workers];
        *w = (struct worker){.crew = c, .context = machine->context[j]};
        if (pthread_create(&w->thread, NULL, work, w) == 0) c->workers++;
    }
}

static void stop_workers(crew *c)
{
    pthread_mutex_lock(&c->mutex);
    atomic_store(&c->stop, true);
    pthread_cond_broadcast(&c->ready);
    pthread_mutex_unlock(&c->mutex);
    for (size_t j = 0; j < c->workers; j++) pthread_join(c->worker[j].thread, NULL);
}

f2l_status f2l_search_blocks(f2l_search *search, f2l_closure *out, f2l_error *err)
{
    crew c;
    f2l_status status = init_crew(&c, search, err);
    if (status != F2L_OK) return status;
    pthread_mutex_init(&c.mutex, NULL);
    pthread_cond_init(&c.ready, NULL);
    pthread_cond_init(&c.done, NULL);
    start_workers(&c);
    status = run_crew(&c, out, err);
    stop_workers(&c);
    pthread_cond_destroy(&c.done);
    pthread_cond_destroy(&c.ready);
    pthread_mutex_destroy(&c.mutex);
    clear_crew(&c);
    return status;
}
