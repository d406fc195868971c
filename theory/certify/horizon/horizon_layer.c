/* The horizon of one layer: errors over its graph of codes, letter by letter at first, then in
 * leaps (H5 - H8). */
#include "numeric/base/mem.h"
#include "theory/certify/horizon/impl.h"
#include <string.h>

#define WIDEST 0x1p60 /* the margin if there is only one code */
#define RATIO 0.25    /* ratio of a level to the next one */
#define RELAXATIONS 5e7
#define MOST_EXACT ((uint64_t)1 << 14)
#define LEAST_EXACT 64
#define NOT_YET (-1.0)

void f2l_horizon_layer_clear(f2l_horizon_layer *h)
{
    f2l_free(h->margin);
    f2l_free(h->bound);
    f2l_free(h->read);
    f2l_free(h->error);
    f2l_free(h->next);
    f2l_free(h->most);
    f2l_free(h->level);
    f2l_free(h->value);
    f2l_free(h->weight);
    f2l_free(h->limit);
    f2l_free(h->point);
    f2l_step_bounds_clear(&h->bounds);
}

f2l_status f2l_horizon_layer_init(f2l_horizon_layer *h, const f2l_float_net *net, size_t layer,
                                  const f2l_code_graph *graph, const f2l_format *format,
                                  const f2l_schedule *schedule, const f2l_task *task,
                                  f2l_error *err)
{
    *h = (f2l_horizon_layer){
        .graph = graph, .task = task, .meter = {.task = task, .phase = "bounding errors"}};
    size_t cells;
    f2l_status status = f2l_step_bounds_init(&h->bounds, net, layer, format, schedule, task, err);
    if (status == F2L_OK) status = f2l_code_margins(&h->margin, h->bounds.layer, task, err);
    if (status == F2L_OK && !f2l_mul_size(&cells, graph->edges, F2L_HORIZON_LEVELS))
        status = f2l_fail_memory(err);
    if (status == F2L_OK)
        status = f2l_task_table(task, "bounding errors", 2 * cells * sizeof(double), err);
    if (status != F2L_OK) return status;
    h->edge_steps = 20 * f2l_exact_layer_steps(h->bounds.layer) + 10 * h->bounds.size;
    const size_t codes = graph->codes;
    h->bound = f2l_calloc(cells, sizeof *h->bound);
    h->read = f2l_calloc(cells, sizeof *h->read);
    h->limit = f2l_calloc(codes, sizeof *h->limit);
    h->error = f2l_calloc(codes, sizeof *h->error);
    h->next = f2l_calloc(codes, sizeof *h->next);
    h->most = f2l_calloc(codes, sizeof *h->most);
    h->level = f2l_calloc(codes, sizeof *h->level);
    h->value = f2l_calloc(codes, 3 * sizeof *h->value);
    h->weight = f2l_calloc(graph->edges, sizeof *h->weight);
    h->point = f2l_calloc(F2L_HORIZON_POINTS, sizeof *h->point);
    if (!h->bound || !h->read || !h->limit || !h->error || !h->next || !h->most || !h->level ||
        !h->value || !h->weight || !h->point)
        return f2l_fail_memory(err);
    for (size_t i = 0; i < cells; i++) h->bound[i] = NOT_YET;
    for (size_t c = 0; c < codes; c++) {
        if (!(h->margin[c] < WIDEST)) h->margin[c] = WIDEST;
        if (h->margin[c] > h->top) h->top = h->margin[c];
        h->error[c] = h->most[c] = F2L_HORIZON_NEVER;
    }
    for (size_t k = F2L_HORIZON_LEVELS - 1, i = 0; k > 0; k--, i++)
        h->ladder[k] = i == 0 ? h->top : h->ladder[k + 1] * RATIO;
    return F2L_OK;
}

/* Returns the least level >= e; e is at most the top. */
static unsigned level_of(const f2l_horizon_layer *h, double e)
{
    unsigned k = 0;
    while (h->ladder[k] < e) k++;
    return k;
}

double f2l_horizon_edge(f2l_horizon_layer *h, size_t edge, double e)
{
    const unsigned k = level_of(h, e);
    double *known = &h->bound[edge * F2L_HORIZON_LEVELS + k];
    if (*known != NOT_YET) return *known;
    if (h->stopped == F2L_OK)
        h->stopped = f2l_meter_spend(&h->meter, h->edge_steps, (double)h->letters, 0, &h->why);
    if (h->stopped != F2L_OK) return INFINITY;
    double *const read = &h->read[edge * F2L_HORIZON_LEVELS + k];
    return *known = f2l_step_bound(&h->bounds, &h->graph->edge[edge], h->ladder[k], read);
}

double f2l_horizon_reading(f2l_horizon_layer *h, size_t edge, double e)
{
    (void)f2l_horizon_edge(h, edge, e);
    return h->read[edge * F2L_HORIZON_LEVELS + level_of(h, e)];
}

/* Sets next[] to the errors one letter after those in `from`; returns false when a code's margin is
 * reached (next[c] >= its margin). */
static bool relax(f2l_horizon_layer *h, const double *from)
{
    const f2l_code_graph *graph = h->graph;
    bool within = true;
    if (h->stopped == F2L_OK)
        h->stopped = f2l_meter_spend(&h->meter, 1 + graph->edges / 2 + graph->codes,
                                     (double)h->letters, 0, &h->why);
    if (h->stopped != F2L_OK) return false;
    for (size_t c = 0; c < graph->codes; c++) {
        h->next[c] = F2L_HORIZON_NEVER;
        h->level[c] = from[c] > 0 ? level_of(h, from[c]) : 0;
    }
    for (size_t i = 0; i < graph->edges; i++) {
        const f2l_code_edge *edge = &graph->edge[i];
        const double e = from[edge->from];
        if (e < 0) continue;
        const size_t at = i * F2L_HORIZON_LEVELS + h->level[edge->from];
        double b = h->bound[at];
        if (b == NOT_YET) b = f2l_horizon_edge(h, i, e);
        const double carried = f2l_mul_up(h->bounds.growth[edge->letter], e);
        const double after = f2l_add_up(carried, b);
        if (!(after <= h->next[edge->to])) h->next[edge->to] = after;
        if (!(after < h->margin[edge->to])) within = false;
        if (h->bounds.casts && !(f2l_add_up(carried, h->read[at]) < h->margin[edge->to]))
            within = false;
    }
    return within;
}

/* Returns the status of whatever stopped the work, or F2L_OK. */
f2l_status f2l_horizon_stopped(const f2l_horizon_layer *h, f2l_error *err)
{
    if (h->stopped != F2L_OK && err) *err = h->why;
    return h->stopped;
}

static double largest_magnitude(const double *v, size_t n)
{
    double out = 0;
    for (size_t i = 0; i < n; i++)
        if (!(v[i] <= out)) out = v[i];
    return out;
}

static bool is_power_of_2(uint64_t t)
{
    return (t & (t - 1)) == 0;
}

void f2l_horizon_point_add(f2l_horizon_layer *h, uint64_t length, double bound)
{
    if (h->points < F2L_HORIZON_POINTS) h->point[h->points++] = (f2l_horizon_point){length, bound};
}

/* Returns whether errors are at most slightly more than all so far and no letter makes them larger:
 * then they never grow (H7). */
static bool stays(f2l_horizon_layer *h, double widening)
{
    const size_t codes = h->graph->codes;
    double *bound = h->value;
    for (size_t c = 0; c < codes; c++) {
        bound[c] = h->most[c] < 0 ? h->most[c] : h->most[c] * widening;
        if (!(bound[c] < h->margin[c])) return false;
    }
    if (!relax(h, bound)) return false;
    for (size_t c = 0; c < codes; c++)
        if (!(h->next[c] <= bound[c])) return false;
    return true;
}

/* Moves one letter on; returns false when the margin is reached. */
bool f2l_horizon_letter(f2l_horizon_layer *h)
{
    const size_t codes = h->graph->codes;
    const double before = largest_magnitude(h->error, codes);
    if (!relax(h, h->error)) return false;
    memcpy(h->error, h->next, codes * sizeof *h->error);
    for (size_t c = 0; c < codes; c++)
        if (h->error[c] > h->most[c]) h->most[c] = h->error[c];
    h->letters++;
    const double now = largest_magnitude(h->error, codes);
    h->growth = now > before ? f2l_add_up(now - before, 0x1p-52 * now) : 0;
    if (is_power_of_2(h->letters)) f2l_horizon_point_add(h, h->letters, now);
    return true;
}

f2l_status f2l_horizon_layer_run(f2l_horizon_layer *h, const double *start, uint64_t cap,
                                 f2l_error *err)
{
    const f2l_code_graph *graph = h->graph;
    const double most = RELAXATIONS / (double)graph->edges;
    uint64_t exact = most < (double)MOST_EXACT ? (uint64_t)most : MOST_EXACT;
    if (exact < LEAST_EXACT) exact = LEAST_EXACT;
    if (exact > cap) exact = cap;
    const double off = f2l_step_distance(&h->bounds, graph->start, start);
    h->error[graph->start] = h->most[graph->start] = off;
    if (!(off < h->margin[graph->start])) return F2L_OK; /* useless, and the ladder ends there */
    while (h->letters < exact) {
        const bool more = f2l_horizon_letter(h);
        f2l_status status = f2l_horizon_stopped(h, err);
        if (status != F2L_OK || !more) return status;
        if (h->letters % 16 == 0 || h->letters < 16)
            status =
                f2l_task_poll(h->task, "bounding errors", (double)h->letters, (double)exact, err);
        if (status != F2L_OK) return status;
        const bool found = is_power_of_2(h->letters) && (stays(h, 1) || stays(h, 1 + 0x1p-20));
        status = f2l_horizon_stopped(h, err);
        if (status == F2L_OK && found) h->for_ever = true;
        if (status != F2L_OK || found) return status;
    }
    return f2l_horizon_leap(h, cap, err);
}
