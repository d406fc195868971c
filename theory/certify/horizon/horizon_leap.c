/* Many letters at a time: as long as all errors are at most e, every edge adds at most a fixed
 * weight, and with potentials h and the least rate r such that
 *  weight <= r + h(to) - h(from)
 * on all edges, s letters add at most r s (H8). */
#include "theory/certify/horizon/impl.h"
#include <string.h>

#define STEP_OF_LEVEL 1.5 /* upper end of a leap, relative to the errors before it */
#define WARM_UP 200
#define AVERAGED 64
#define WALK 16 /* letters to walk where no leap is possible */

typedef struct leap {
    double *potential; /* [codes] */
    double rate;
    double base; /* error <= base + potential */
    double end;  /* upper limit of the errors during the leap */
} leap;

/* Sets value[] to the largest weight of a walk that is one edge longer. */
static void extend_walks(const f2l_horizon_layer *h, double *value, double *scratch)
{
    const f2l_code_graph *graph = h->graph;
    for (size_t c = 0; c < graph->codes; c++) scratch[c] = -INFINITY;
    for (size_t i = 0; i < graph->edges; i++) {
        const f2l_code_edge *edge = &graph->edge[i];
        const double v = value[edge->from] + h->weight[i];
        if (v > scratch[edge->to]) scratch[edge->to] = v;
    }
    for (size_t c = 0; c < graph->codes; c++)
        value[c] = scratch[c] > -INFINITY ? scratch[c] : value[c];
}

/* Sets the potentials. Any potentials are valid; these are averages of the results of value
 * iteration, relative to its growth. */
static void find_potential(const f2l_horizon_layer *h, double *potential, double *value,
                           double *scratch)
{
    const size_t codes = h->graph->codes;
    memset(value, 0, codes * sizeof *value);
    memset(potential, 0, codes * sizeof *potential);
    for (int k = 0; k < WARM_UP + AVERAGED; k++) {
        double least = INFINITY;
        extend_walks(h, value, scratch);
        for (size_t c = 0; c < codes; c++) least = value[c] < least ? value[c] : least;
        for (size_t c = 0; c < codes; c++) {
            value[c] -= least;
            if (k >= WARM_UP) potential[c] += value[c] / AVERAGED;
        }
    }
}

/* Sets limit[c]: while errors at c are below it and at most the leap's end, the numbers that are
 * decoded one letter later are nearer than the margin (H9). */
static void find_limits(f2l_horizon_layer *h, const leap *l)
{
    const f2l_code_graph *graph = h->graph;
    memcpy(h->limit, h->margin, graph->codes * sizeof *h->limit);
    for (size_t i = 0; h->bounds.casts && i < graph->edges; i++) {
        const f2l_code_edge *edge = &graph->edge[i];
        const double growth = h->bounds.growth[edge->letter];
        const double more = growth > 1 ? nextafter(growth - 1, INFINITY) : 0;
        const double added =
            f2l_add_up(f2l_mul_up(more, l->end), f2l_horizon_reading(h, i, l->end));
        const double limit = (h->margin[edge->to] - added) * (1 - 0x1p-50);
        if (!(limit >= h->limit[edge->from])) h->limit[edge->from] = limit;
    }
}

/* Sets the least rate; returns false when some weight is infinite. */
static bool find_rate(f2l_horizon_layer *h, leap *l)
{
    const f2l_code_graph *graph = h->graph;
    for (size_t i = 0; i < graph->edges; i++) {
        const double growth = h->bounds.growth[graph->edge[i].letter];
        const double more = growth > 1 ? nextafter(growth - 1, INFINITY) : 0;
        h->weight[i] = f2l_add_up(f2l_mul_up(more, l->end), f2l_horizon_edge(h, i, l->end));
        if (!isfinite(h->weight[i])) return false;
    }
    find_limits(h, l);
    l->potential = h->value;
    find_potential(h, l->potential, h->value + graph->codes, h->value + 2 * graph->codes);
    l->rate = 0;
    for (size_t i = 0; i < graph->edges; i++) {
        const double from = l->potential[graph->edge[i].from], to = l->potential[graph->edge[i].to];
        const double sum = h->weight[i] + from - to;
        const double rate = sum + (h->weight[i] + from + to) * 0x1p-50;
        if (rate > l->rate) l->rate = rate;
    }
    l->base = -INFINITY;
    for (size_t c = 0; c < graph->codes; c++) {
        if (h->error[c] < 0) continue;
        const double base =
            h->error[c] - l->potential[c] + (h->error[c] + l->potential[c]) * 0x1p-50;
        if (base > l->base) l->base = base;
    }
    return true;
}

/* Returns an upper bound of a code's error after s letters of the leap. */
static double error_after(const leap *l, double potential, double s)
{
    const double sum = l->base + potential + l->rate * s;
    return sum + (fabs(l->base) + potential + l->rate * s) * 0x1p-50;
}

/* Returns the largest s <= most (at most 2^53) such that after s letters every error is less than
 * its limit (`margins`), or at most the leap's end; -1 when there is none. */
static double letters_below(const f2l_horizon_layer *h, const leap *l, bool margins, double most)
{
    for (size_t c = 0; c < h->graph->codes; c++) {
        const double end = margins ? h->limit[c] : nextafter(l->end, INFINITY), p = l->potential[c];
        if (!(error_after(l, p, 0) < end)) return -1;
        if (error_after(l, p, most) < end) continue;
        double low = 0, high = most;
        while (high - low > 1) {
            const double middle = floor((low + high) / 2);
            if (error_after(l, p, middle) < end)
                low = middle;
            else
                high = middle;
        }
        most = low;
    }
    return most;
}

/* Sets errors, points and letters after s letters. */
static void land(f2l_horizon_layer *h, const leap *l, uint64_t s)
{
    const size_t codes = h->graph->codes;
    double highest = 0;
    for (size_t c = 0; c < codes; c++)
        if (l->potential[c] > highest) highest = l->potential[c];
    for (uint64_t p = 1; p <= h->letters + s && p != 0; p *= 2)
        if (p > h->letters)
            f2l_horizon_point_add(h, p, error_after(l, highest, (double)(p - h->letters)));
    for (size_t c = 0; c < codes; c++) h->error[c] = error_after(l, l->potential[c], (double)s);
    h->letters += s;
    h->growth = l->rate;
}

static double largest_error(const f2l_horizon_layer *h)
{
    double out = 0;
    for (size_t c = 0; c < h->graph->codes; c++)
        if (h->error[c] > out) out = h->error[c];
    return out;
}

/* Leaps once. *done: the horizon is found; otherwise some letters were added. */
static void leap_once(f2l_horizon_layer *h, uint64_t cap, bool *done)
{
    leap l = {.end = largest_error(h) * STEP_OF_LEVEL};
    *done = false;
    if (!(l.end < h->top)) l.end = h->top;
    if (find_rate(h, &l)) {
        const uint64_t left = cap - h->letters;
        const double most = left < (UINT64_C(1) << 52) ? (double)left : 0x1p52;
        const double within = letters_below(h, &l, false, most);
        if (within >= WALK || within == most) {
            const double right = letters_below(h, &l, true, within);
            if (right >= 0) land(h, &l, (uint64_t)right);
            *done = right < within || h->letters == cap;
            return;
        }
    }
    for (int k = 0; k < WALK && !*done && h->letters < cap; k++) *done = !f2l_horizon_letter(h);
    *done = *done || h->letters == cap;
}

f2l_status f2l_horizon_leap(f2l_horizon_layer *h, uint64_t cap, f2l_error *err)
{
    bool done = h->letters >= cap;
    f2l_status status = F2L_OK;
    while (!done && status == F2L_OK) {
        status = f2l_task_spend(
            h->task, "bounding errors",
            f2l_steps_of(WARM_UP + AVERAGED, h->graph->edges / 2 + h->graph->codes), err);
        if (status != F2L_OK) break;
        leap_once(h, cap, &done);
        status = f2l_horizon_stopped(h, err);
        if (status == F2L_OK)
            status = f2l_task_poll(h->task, "bounding errors", largest_error(h), h->top, err);
    }
    h->capped = status == F2L_OK && h->letters >= cap;
    return status;
}
