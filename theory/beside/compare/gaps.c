#include "theory/beside/compare/gaps.h"
#include "numeric/base/mem.h"
#include "numeric/base/order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least number of states to a cluster on average. */
enum { EACH = 4 };

double f2l_gap_radius(const f2l_gap *gap)
{
    return sqrt(gap->within * gap->between);
}

/* Sets edge[states - 1] to the squares of the edges of a minimum spanning tree (Prim), sorted;
 * best[states] and reached[states] are scratch. */
static void span_states(double *edge, double *best, unsigned char *reached, const double *square,
                        size_t n)
{
    size_t at = 0;
    memset(reached, 0, n);
    for (size_t i = 0; i < n; i++) best[i] = INFINITY;
    for (size_t e = 0; e + 1 < n; e++) {
        size_t next = n;
        reached[at] = 1;
        for (size_t i = 0; i < n; i++) {
            if (reached[i]) continue;
            best[i] = fmin(best[i], square[at * n + i]);
            if (next == n || best[i] < best[next]) next = i;
        }
        edge[e] = best[next];
        at = next;
    }
    qsort(edge, n - 1, sizeof *edge, f2l_order_doubles);
}

/* Sets *gap to the largest jump of the sorted edges. */
static bool jump(f2l_gap *gap, const double *edge, size_t n, size_t directions)
{
    double most = F2L_GAP_RATIO;
    for (size_t i = 0; i + 2 < n; i++) {
        const double within = sqrt(edge[i]), between = sqrt(edge[i + 1]);
        const size_t clusters = n - 1 - i;
        const double least = fmax(within, 1e-9 * sqrt(edge[n - 2]));
        if (clusters * EACH > n || !(between >= most * least)) continue;
        most = between / least;
        *gap = (f2l_gap){directions, clusters, least, between};
    }
    return gap->clusters > 0;
}

/* Adds a gap to the list, by falling numbers of clusters. */
static void keep_gap(f2l_gap *gap, size_t *gaps, const f2l_gap *found)
{
    size_t at = 0;
    while (at < *gaps && gap[at].clusters > found->clusters) at++;
    if (at < *gaps && gap[at].clusters == found->clusters) {
        if (found->between / found->within > gap[at].between / gap[at].within) gap[at] = *found;
        return;
    }
    if (at == F2L_GAPS) return;
    if (*gaps < F2L_GAPS) (*gaps)++;
    memmove(gap + at + 1, gap + at, (*gaps - 1 - at) * sizeof *gap);
    gap[at] = *found;
}

/* Adds what direction r adds to the squares of distances. */
static void add_direction(double *square, const f2l_principal *p, size_t r)
{
    const size_t n = p->states, R = p->directions;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double d = p->score[i * R + r] - p->score[k * R + r];
            square[i * n + k] += d * d;
        }
}

f2l_status f2l_gaps_find(f2l_gap *gap, size_t *gaps, const f2l_principal *p, const f2l_task *task,
                         f2l_error *err)
{
    const size_t n = p->states;
    *gaps = 0;
    if (p->directions == 0) {
        gap[(*gaps)++] = (f2l_gap){.clusters = 1};
        return F2L_OK;
    }
    f2l_status status = f2l_task_memory(task, "gaps", n * n * sizeof(double), err);
    if (status != F2L_OK) return status;
    double *square = f2l_calloc(n, n * sizeof *square), *edge = f2l_calloc(n, sizeof *edge),
           *best = f2l_calloc(n, sizeof *best);
    unsigned char *reached = f2l_calloc(n, 1);
    if (!square || !edge || !best || !reached) status = f2l_fail_memory(err);
    for (size_t r = 0; status == F2L_OK && r < p->directions; r++) {
        f2l_gap found = {.clusters = 0};
        add_direction(square, p, r);
        span_states(edge, best, reached, square, n);
        if (jump(&found, edge, n, r + 1)) keep_gap(gap, gaps, &found);
        status = f2l_task_poll(task, "gaps", (double)r, (double)p->directions, err);
    }
    f2l_free(square);
    f2l_free(edge);
    f2l_free(best);
    f2l_free(reached);
    return status;
}

f2l_status f2l_gap_clusters(uint32_t *cluster, const f2l_gap *gap, const f2l_principal *p,
                            f2l_error *err)
{
    const size_t n = p->states, R = p->directions;
    const double radius = f2l_gap_radius(gap);
    uint32_t clusters = 0;
    uint32_t *queue = f2l_calloc(n, sizeof *queue);
    if (queue == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < n; i++) cluster[i] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        if (cluster[i] != UINT32_MAX) continue;
        size_t waiting = 1;
        queue[0] = (uint32_t)i;
        cluster[i] = clusters;
        for (size_t at = 0; at < waiting; at++)
            for (size_t k = i + 1; k < n; k++) {
                if (cluster[k] != UINT32_MAX ||
                    f2l_gap_square(p->score + queue[at] * R, p->score + k * R, gap->directions) >
                        radius * radius)
                    continue;
                cluster[k] = clusters;
                queue[waiting++] = (uint32_t)k;
            }
        clusters++;
    }
    f2l_free(queue);
    return F2L_OK;
}
