/* Words that rotate two or three states, where the maps of all states are too many to list. */
#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/cycle_word.h"

#define STEPS UINT64_C(100000000)
#define TUPLES ((size_t)1 << 22)

/* Tuples of `period` different states, numbered in base n. */
typedef struct rotation {
    const f2l_fsa *fsa;
    size_t period, tuples;
    uint64_t steps, most;
    uint32_t *seen;            /* [tuples] number of the start that met it last */
    uint32_t *parent, *letter; /* [tuples] */
    uint32_t *queue, *depth;   /* [tuples], by place in the queue */
    uint32_t *component;       /* [tuples] strongly connected components of the tuples */
    f2l_cycle_word *out;
} rotation;

/* Sets the tuple after a letter; returns false when states merge. */
static bool step_tuple(const rotation *r, size_t tuple, size_t letter, size_t *to)
{
    const size_t n = r->fsa->states.count, k = r->fsa->letters.count;
    size_t state[3] = {0}, code = 0;
    for (size_t i = r->period; i-- > 0; tuple /= n)
        state[i] = r->fsa->next[(tuple % n) * k + letter];
    for (size_t i = 0; i < r->period; i++) {
        for (size_t j = 0; j < i; j++)
            if (state[i] == state[j]) return false;
        code = code * n + state[i];
    }
    *to = code;
    return true;
}

static uint32_t next_tuple(const f2l_graph *graph, uint32_t tuple, size_t letter)
{
    size_t to;
    return step_tuple(graph->context, tuple, letter, &to) ? (uint32_t)to : F2L_NO_NODE;
}

/* Finds the components. Their steps were counted when the tables were. */
static f2l_status find_tuple_components(rotation *r, const f2l_task *task, f2l_error *err)
{
    const size_t letters = r->fsa->letters.count;
    const f2l_graph graph = {.nodes = r->tuples,
                             .letters = letters,
                             .next = next_tuple,
                             .context = r,
                             .steps = 2 + 2 * letters};
    f2l_task uncounted = task ? *task : (f2l_task){0};
    uncounted.effort = NULL;
    f2l_meter meter = {.task = &uncounted, .phase = "tuples"};
    f2l_scc scc;
    const f2l_status status = f2l_scc_build(&scc, &graph, &meter, err);
    r->component = scc.of; /* the rest is freed, so that the tables below take its place */
    scc.of = NULL;
    f2l_scc_clear(&scc);
    return status;
}

static f2l_status keep_tuple_cycle(rotation *r, size_t start, size_t goal, size_t depth,
                                   f2l_error *err)
{
    const size_t n = r->fsa->states.count;
    f2l_cycle_word_clear(r->out);
    r->out->letter = f2l_calloc(depth, sizeof *r->out->letter);
    r->out->state = f2l_calloc(r->period, sizeof *r->out->state);
    if (!r->out->letter || !r->out->state) {
        f2l_cycle_word_clear(r->out);
        return f2l_fail_memory(err);
    }
    r->out->length = depth;
    r->out->period = r->period;
    for (size_t at = goal; depth > 0; at = r->parent[at]) r->out->letter[--depth] = r->letter[at];
    for (size_t i = r->period; i-- > 0; start /= n) r->out->state[i] = (uint32_t)(start % n);
    return F2L_OK;
}

/* Searches breadth-first from a tuple to its rotation, only at depths that give a shorter word than
 * the best. */
static f2l_status from(rotation *r, size_t start, size_t goal, uint32_t number, f2l_error *err)
{
    size_t head = 0, tail = 0, to;
    r->queue[tail] = (uint32_t)start;
    r->depth[tail++] = 0;
    r->seen[start] = number;
    for (; head < tail && r->steps < r->most; head++) {
        const size_t deep = (size_t)r->depth[head] + 1;
        if (r->out->length && deep >= r->out->length) break;
        for (size_t a = 0; a < r->fsa->letters.count; a++, r->steps++) {
            if (!step_tuple(r, r->queue[head], a, &to) || r->seen[to] == number) continue;
            r->seen[to] = number;
            r->parent[to] = r->queue[head];
            r->letter[to] = (uint32_t)a;
            if (to == goal) return keep_tuple_cycle(r, start, goal, deep, err);
            r->queue[tail] = (uint32_t)to;
            r->depth[tail++] = (uint32_t)deep;
        }
    }
    return F2L_OK;
}

/* Searches from every tuple that begins with its least state, which meets every rotation class
 * once, and that some word rotates: the rotated tuple leads on to the next one and so back, so both
 * lie in one component. */
static f2l_status from_all(rotation *r, const f2l_task *task, f2l_error *err)
{
    const size_t n = r->fsa->states.count;
    f2l_status status = F2L_OK;
    uint32_t number = 0;
    uint64_t counted = 0;
    for (size_t start = 0; status == F2L_OK && start < r->tuples && r->steps < r->most; start++) {
        const size_t last = start % n, middle = start / n % n,
                     first = r->period == 2 ? middle : start / n / n;
        if (first >= last || (r->period == 3 && (first >= middle || middle == last))) continue;
        const size_t goal = r->period == 2 ? last * n + first : (middle * n + last) * n + first;
        if (r->component[start] != r->component[goal]) continue;
        if (++number % 64 == 0) {
            if (f2l_task_spend(task, "rotations of states", r->steps - counted, NULL) != F2L_OK)
                return F2L_OK;
            counted = r->steps;
            status =
                f2l_task_poll(task, "rotations of states", (double)start, (double)r->tuples, err);
        }
        if (status == F2L_OK) status = from(r, start, goal, number, err);
    }
    return status;
}

f2l_status f2l_cycle_word_tuples(f2l_cycle_word *out, const f2l_fsa *fsa, size_t period,
                                 const f2l_cycle_limits *limits, const f2l_task *task,
                                 f2l_error *err)
{
    const size_t n = fsa->states.count;
    rotation r = {.fsa = fsa, .period = period, .out = out, .tuples = n};
    r.most = limits && limits->steps ? limits->steps : STEPS;
    f2l_cycle_word_init(out);
    if (period < 2 || period > 3)
        return f2l_fail(err, F2L_EDOMAIN, "rotations of 2 or 3 states only");
    for (size_t i = 1; i < period; i++)
        if (!f2l_mul_size(&r.tuples, r.tuples, n) || r.tuples > TUPLES) return F2L_OK;
    if (task && task->memory && task->memory < r.tuples * 24) return F2L_OK;
    if (f2l_task_spend(task, "tuples", r.tuples * (24 + 2 * fsa->letters.count), NULL) != F2L_OK)
        return F2L_OK;
    f2l_status status = find_tuple_components(&r, task, err);
    if (status == F2L_OK) {
        r.seen = f2l_calloc(r.tuples, sizeof *r.seen);
        r.parent = f2l_calloc(r.tuples, sizeof *r.parent);
        r.letter = f2l_calloc(r.tuples, sizeof *r.letter);
        r.queue = f2l_calloc(r.tuples, sizeof *r.queue);
        r.depth = f2l_calloc(r.tuples, sizeof *r.depth);
        const bool room = r.seen && r.parent && r.letter && r.queue && r.depth;
        status = room ? from_all(&r, task, err) : f2l_fail_memory(err);
    }
    f2l_free(r.component);
    f2l_free(r.seen);
    f2l_free(r.parent);
    f2l_free(r.letter);
    f2l_free(r.queue);
    f2l_free(r.depth);
    if (status != F2L_OK) f2l_cycle_word_clear(out);
    return status;
}
