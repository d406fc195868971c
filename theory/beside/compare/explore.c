#include "theory/beside/compare/explore.h"
#include "numeric/base/mem.h"
#include <string.h>

/* The most clusters that are met besides the sample's: as many again, and these. */
enum { MORE = 64 };

typedef struct explorer {
    f2l_learned_reader *reader;
    const f2l_learned_sample *sample;
    const f2l_learned_view *view;
    const f2l_principal *principal;
    const f2l_gap *gap;
    double *score;     /* [points][directions] of the states that are known */
    uint32_t *cluster; /* [points] */
    size_t points, clusters, limit;
    uint32_t *state_of; /* [limit] state of a cluster; UINT32_MAX: not met */
    float *state;       /* [limit][numbers] the network's state where the cluster was first met */
    float *row;         /* [numbers of the view] */
    f2l_explored *out;
} explorer;

void f2l_explored_clear(f2l_explored *e)
{
    f2l_free(e->next);
    f2l_free(e->answer);
    f2l_free(e->number);
    *e = (f2l_explored){.states = 0};
}

static f2l_status allocate_explorer(explorer *e, const f2l_task *task, f2l_error *err)
{
    const size_t known = e->sample->states, letters = e->sample->used_letters;
    size_t bytes;
    e->limit = 2 * e->gap->clusters + MORE;
    if (!f2l_mul_size(&bytes, e->limit, e->sample->numbers * sizeof *e->state)) bytes = SIZE_MAX;
    const f2l_status status = f2l_task_memory(task, "clusters", bytes, err);
    if (status != F2L_OK) return status;
    e->score = f2l_calloc(known + e->limit, (e->principal->directions + 1) * sizeof *e->score);
    e->cluster = f2l_calloc(known + e->limit, sizeof *e->cluster);
    e->state_of = f2l_calloc(e->limit, sizeof *e->state_of);
    e->state = f2l_calloc(e->limit, e->sample->numbers * sizeof *e->state);
    e->row = f2l_calloc(e->view->numbers, sizeof *e->row);
    e->out->next = f2l_calloc(e->limit, letters * sizeof *e->out->next);
    e->out->answer = f2l_calloc(e->limit, letters * sizeof *e->out->answer);
    e->out->number = f2l_calloc(known, sizeof *e->out->number);
    return e->score && e->cluster && e->state_of && e->state && e->row && e->out->next &&
                   e->out->answer && e->out->number
               ? F2L_OK
               : f2l_fail_memory(err);
}

static f2l_status take_sample(explorer *e, f2l_error *err)
{
    const size_t known = e->sample->states, R = e->principal->directions;
    const f2l_status status = f2l_gap_clusters(e->cluster, e->gap, e->principal, err);
    if (status != F2L_OK) return status;
    memcpy(e->score, e->principal->score, known * R * sizeof *e->score);
    for (size_t i = 0; i < known; i++)
        if (e->cluster[i] >= e->clusters) e->clusters = e->cluster[i] + 1;
    e->points = known;
    for (size_t c = 0; c < e->limit; c++) e->state_of[c] = UINT32_MAX;
    return F2L_OK;
}

/* Sets *cluster to the cluster of a state, a new one when no known state is near; F2L_NO_INDEX:
 * there is no room for more. */
static f2l_status locate(size_t *cluster, explorer *e, const float *state, f2l_error *err)
{
    const size_t R = e->principal->directions, directions = e->gap->directions;
    const double radius = f2l_gap_radius(e->gap);
    double *score = e->score + e->points * R, least = 0;
    size_t nearest = e->points;
    const f2l_status status = f2l_learned_view_row(e->row, e->view, e->reader, state, err);
    if (status != F2L_OK) return status;
    f2l_principal_score(score, e->principal, e->row, directions);
    for (size_t i = 0; i < e->points; i++) {
        const double square = f2l_gap_square(score, e->score + i * R, directions);
        if (nearest < e->points && square >= least) continue;
        least = square;
        nearest = i;
    }
    *cluster = F2L_NO_INDEX;
    if (nearest < e->points && least <= radius * radius) {
        *cluster = e->cluster[nearest];
    } else if (e->clusters < e->limit) {
        e->cluster[e->points++] = (uint32_t)e->clusters;
        *cluster = e->clusters++;
    }
    return F2L_OK;
}

/* Sets *number to the state of the cluster in which the network's state lies, a new one when the
 * cluster was not met; there may be no room, and then the table is not closed. */
static f2l_status meet_cluster(uint32_t *number, explorer *e, const float *state, f2l_error *err)
{
    const size_t numbers = e->sample->numbers;
    size_t cluster;
    const f2l_status status = locate(&cluster, e, state, err);
    if (status != F2L_OK) return status;
    if (cluster == F2L_NO_INDEX) {
        e->out->closed = false;
        return F2L_OK;
    }
    if (e->state_of[cluster] == UINT32_MAX) {
        memcpy(e->state + e->out->states * numbers, state, numbers * sizeof *state);
        e->state_of[cluster] = (uint32_t)e->out->states++;
    }
    *number = e->state_of[cluster];
    return F2L_OK;
}

/* Leaves state `from` by every letter; scratch has F2L_LEARNED_SIDE states. */
static f2l_status leave_cluster(explorer *e, float *scratch, size_t from, f2l_error *err)
{
    const size_t letters = e->sample->used_letters, numbers = e->sample->numbers;
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < letters; a += F2L_LEARNED_SIDE) {
        const size_t left = letters - a, side = left < F2L_LEARNED_SIDE ? left : F2L_LEARNED_SIDE;
        const size_t at = from * letters + a;
        for (size_t i = 0; i < side; i++)
            memcpy(scratch + i * numbers, e->state + from * numbers, numbers * sizeof *scratch);
        status = f2l_learned_step(e->out->answer + at, NULL, scratch, e->reader,
                                  e->sample->used + a, side, err);
        for (size_t i = 0; status == F2L_OK && e->out->closed && i < side; i++)
            status = meet_cluster(&e->out->next[at + i], e, scratch + i * numbers, err);
    }
    return status;
}

static f2l_status walk_clusters(explorer *e, const f2l_task *task, f2l_error *err)
{
    uint32_t start;
    float *scratch = f2l_calloc(e->sample->numbers * F2L_LEARNED_SIDE, sizeof *scratch);
    if (scratch == NULL) return f2l_fail_memory(err);
    e->out->closed = true;
    f2l_status status = meet_cluster(&start, e, e->sample->start, err);
    for (size_t at = 0; status == F2L_OK && e->out->closed && at < e->out->states; at++) {
        status = leave_cluster(e, scratch, at, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "clusters", (double)at, (double)e->clusters, err);
    }
    f2l_free(scratch);
    for (size_t i = 0; i < e->sample->states; i++) e->out->number[i] = e->state_of[e->cluster[i]];
    return status;
}

f2l_status f2l_explore(f2l_explored *out, f2l_learned_reader *reader,
                       const f2l_learned_sample *sample, const f2l_learned_view *view,
                       const f2l_principal *principal, const f2l_gap *gap, const f2l_task *task,
                       f2l_error *err)
{
    explorer e = {.reader = reader,
                  .sample = sample,
                  .view = view,
                  .principal = principal,
                  .gap = gap,
                  .out = out};
    *out = (f2l_explored){.states = 0};
    f2l_status status = allocate_explorer(&e, task, err);
    if (status == F2L_OK) status = take_sample(&e, err);
    if (status == F2L_OK) status = walk_clusters(&e, task, err);
    f2l_free(e.score);
    f2l_free(e.cluster);
    f2l_free(e.state_of);
    f2l_free(e.state);
    f2l_free(e.row);
    return status;
}
