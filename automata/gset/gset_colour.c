/* The colouring of states x points, and the small types of the representation search. */
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <assert.h>
#include <string.h>

#define PHASE "searching permutation representations"
#define POLL_STEPS 1000000

bool f2l_gset_work_spend(f2l_gset_work *work, uint64_t steps)
{
    if (work->status != F2L_OK || work->left < steps) {
        work->stopped = true;
        return false;
    }
    work->left -= steps;
    work->status = f2l_task_spend(work->task, PHASE, 1 + steps / 2, work->err);
    if (work->status != F2L_OK) {
        work->stopped = true;
        return false;
    }
    work->since_poll += steps;
    if (work->since_poll >= POLL_STEPS) {
        work->since_poll = 0;
        work->status = f2l_task_poll(work->task, PHASE, 0, 0, work->err);
        if (work->status != F2L_OK) work->stopped = true;
    }
    return work->status == F2L_OK;
}

f2l_status f2l_gset_action_init(f2l_gset_action *action, size_t letters, size_t points,
                                f2l_error *err)
{
    *action = (f2l_gset_action){.letters = letters, .points = points};
    size_t entries;
    if (!f2l_mul_size(&entries, letters, points)) return f2l_fail_memory(err);
    action->image = f2l_calloc(entries, sizeof *action->image);
    return action->image != NULL ? F2L_OK : f2l_fail_memory(err);
}

void f2l_gset_action_clear(f2l_gset_action *action)
{
    f2l_free(action->image);
    *action = (f2l_gset_action){0};
}

size_t f2l_gset_action_cycles(const f2l_gset_action *action, size_t letter, uint8_t *seen)
{
    const uint32_t *image = action->image + letter * action->points;
    size_t cycles = 0;
    memset(seen, 0, action->points);
    for (size_t p = 0; p < action->points; p++) {
        cycles += !seen[p];
        for (size_t x = p; !seen[x]; x = image[x]) seen[x] = 1;
    }
    return cycles;
}

f2l_status f2l_reach_init(f2l_reach *reach, const f2l_fsa *fsa, f2l_error *err)
{
    size_t states = fsa->states.count, letters = fsa->letters.count;
    *reach = (f2l_reach){0};
    reach->state = f2l_calloc(states, sizeof *reach->state);
    reach->position = f2l_calloc(states, sizeof *reach->position);
    if (reach->state == NULL || reach->position == NULL) {
        f2l_reach_clear(reach);
        return f2l_fail_memory(err);
    }
    memset(reach->position, 0xff, states * sizeof *reach->position);
    uint32_t *queue = reach->state;
    size_t count = 0;
    queue[count++] = (uint32_t)fsa->start;
    reach->position[fsa->start] = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t a = 0; a < letters; a++) {
            uint32_t to = fsa->next[queue[i] * letters + a];
            if (reach->position[to] != UINT32_MAX) continue;
            reach->position[to] = 0;
            queue[count++] = to;
        }
    }
    reach->states = 0;
    for (size_t q = 0; q < states; q++) {
        if (reach->position[q] == UINT32_MAX) continue;
        reach->position[q] = (uint32_t)reach->states;
        reach->state[reach->states++] = (uint32_t)q;
    }
    reach->start = reach->position[fsa->start];
    return F2L_OK;
}

void f2l_reach_clear(f2l_reach *reach)
{
    f2l_free(reach->state);
    f2l_free(reach->position);
    *reach = (f2l_reach){0};
}

f2l_status f2l_reach_labels(f2l_names *labels, size_t *start, uint32_t *label_of,
                            const f2l_reach *reach, const f2l_fsa *fsa, f2l_label label,
                            f2l_error *err)
{
    for (size_t i = 0; i < reach->states; i++) {
        const char *text = f2l_fsa_label(fsa, label, reach->state[i]);
        size_t index;
        f2l_status status = f2l_names_add(labels, text, strlen(text), &index, err);
        if (status != F2L_OK) return status;
        if (i == reach->start) *start = index;
        if (label_of) label_of[reach->state[i]] = (uint32_t)index;
    }
    return F2L_OK;
}

f2l_status f2l_gset_letters_init(f2l_gset_letters *some, size_t letters, f2l_error *err)
{
    some->count = 0;
    some->letter = f2l_calloc(letters, sizeof *some->letter);
    some->has = f2l_calloc(letters, 1);
    if (some->letter != NULL && some->has != NULL) return F2L_OK;
    f2l_gset_letters_clear(some);
    return f2l_fail_memory(err);
}

void f2l_gset_letters_clear(f2l_gset_letters *some)
{
    f2l_free(some->letter);
    f2l_free(some->has);
    *some = (f2l_gset_letters){0};
}

void f2l_gset_letters_add(f2l_gset_letters *some, size_t letter)
{
    if (some->has[letter]) return;
    some->has[letter] = 1;
    some->letter[some->count++] = (uint32_t)letter;
}

size_t f2l_gset_bits_count(const uint64_t *bits, size_t states)
{
    size_t count = 0;
    for (size_t w = 0; w < F2L_GSET_WORDS(states); w++)
        count += (size_t)__builtin_popcountll(bits[w]);
    return count;
}

static uint32_t find_colour_root(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/* Relates the rows along an edge q -> r of a letter with image[]: row r at image[p] is row q at
 * p, copied along the breadth-first tree (first) and otherwise a relation between the start's
 * colours. */
static void relate(uint32_t *row_r, const uint32_t *row_q, const uint32_t *image, size_t points,
                   bool first, uint32_t *parent)
{
    if (first) {
        for (size_t p = 0; p < points; p++) row_r[image[p]] = row_q[p];
        return;
    }
    for (size_t p = 0; p < points; p++) {
        if (row_r[image[p]] == row_q[p]) continue;
        uint32_t a = find_colour_root(parent, row_r[image[p]]),
                 b = find_colour_root(parent, row_q[p]);
        if (a < b) parent[b] = a;
        if (b < a) parent[a] = b;
    }
}

/* Does the breadth-first search of f2l_gset_colours; queue[] and parent[] are its scratch, seen[]
 * is zero. */
static bool propagate(uint32_t *colour, const f2l_gset_action *states, size_t start,
                      const f2l_gset_action *points, const f2l_gset_letters *some, bool regular,
                      f2l_gset_work *work, uint32_t *queue, uint8_t *seen, uint32_t *parent)
{
    size_t n = points->points, count = 0;
    for (size_t p = 0; p < n; p++) colour[start * n + p] = parent[p] = (uint32_t)p;
    queue[count++] = (uint32_t)start;
    seen[start] = 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *row = colour + queue[i] * n;
        if (!f2l_gset_work_spend(work, regular ? n + some->count : n * some->count)) return false;
        for (size_t k = 0; k < some->count; k++) {
            size_t a = some->letter[k];
            uint32_t to = states->image[a * states->points + queue[i]];
            bool first = !seen[to];
            if (first) queue[count++] = to;
            seen[to] = 1;
            if (first || !regular)
                relate(colour + to * n, row, points->image + a * n, n, first, parent);
        }
    }
    assert(count == states->points);
    if (regular) return true;
    for (size_t e = 0; e < states->points * n; e++) colour[e] = find_colour_root(parent, colour[e]);
    return true;
}

bool f2l_gset_colours(uint32_t *colour, const f2l_gset_action *states, size_t start,
                      const f2l_gset_action *points, const f2l_gset_letters *some, bool regular,
                      f2l_gset_work *work)
{
    uint32_t *queue = f2l_calloc(states->points, sizeof *queue);
    uint32_t *parent = f2l_calloc(points->points, sizeof *parent);
    uint8_t *seen = f2l_calloc(states->points, 1);
    bool done = false;
    if (queue == NULL || parent == NULL || seen == NULL) {
        work->status = f2l_fail_memory(work->err);
    } else {
        done = propagate(colour, states, start, points, some, regular, work, queue, seen, parent);
    }
    f2l_free(queue);
    f2l_free(parent);
    f2l_free(seen);
    return done;
}

void f2l_gset_colours_same(uint64_t *same, const uint32_t *colour, const uint32_t *value,
                           size_t states, size_t points, size_t start)
{
    const uint32_t *mine = colour + start * points;
    memset(same, 0, F2L_GSET_WORDS(states) * sizeof *same);
    for (size_t q = 0; q < states; q++) {
        const uint32_t *row = colour + q * points;
        size_t p = 0;
        if (value == NULL) {
            while (p < points && row[p] == mine[p]) p++;
        } else {
            while (p < points && value[row[p]] == value[mine[p]]) p++;
        }
        if (p == points) same[q / 64] |= UINT64_C(1) << (q % 64);
    }
}
