#include "theory/certify/horizon/horizon.h"
#include "models/network/schedule/float_net.h"
#include "numeric/base/mem.h"
#include "theory/certify/horizon/impl.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_CAP UINT64_C(1000000000000)

typedef struct search {
    f2l_horizon *out;
    f2l_horizon_point *point;
    size_t points;
    uint64_t cap;
} search;

/* Takes over the layer's horizon when it is nearer than the horizons of earlier layers. */
static void take_layer(search *s, const f2l_horizon_layer *h, size_t l)
{
    const uint64_t letters = h->for_ever ? s->cap : h->letters;
    double margin = h->top;
    for (size_t c = 0; c < h->graph->codes; c++)
        if (h->margin[c] < margin) margin = h->margin[c];
    const bool nearer = l == 0 || letters < s->out->letters || (s->out->for_ever && !h->for_ever);
    s->out->for_ever = (l == 0 || s->out->for_ever) && h->for_ever;
    if (!nearer) return;
    s->out->letters = letters;
    s->out->capped = h->capped && !h->for_ever;
    s->out->growth = h->growth;
    s->out->margin = margin;
    s->out->layer = l;
    s->points = h->points;
    if (h->points > 0) memcpy(s->point, h->point, h->points * sizeof *h->point);
}

static f2l_status run_layers(search *s, const f2l_float_net *rounded, const f2l_code_graph *graph,
                             size_t layers, const f2l_format *format, const f2l_schedule *schedule,
                             const f2l_task *task, f2l_error *err)
{
    double *start = f2l_calloc(f2l_float_size(rounded), sizeof *start);
    if (!start) return f2l_fail_memory(err);
    f2l_float_start(rounded, start);
    f2l_status status = F2L_OK;
    size_t offset = 0;
    for (size_t l = 0; l < layers && status == F2L_OK; l++) {
        f2l_horizon_layer h;
        status = f2l_horizon_layer_init(&h, rounded, l, &graph[l], format, schedule, task, err);
        if (status == F2L_OK) status = f2l_horizon_layer_run(&h, start + offset, s->cap, err);
        if (status == F2L_OK) take_layer(s, &h, l);
        offset += f2l_float_layer_size(rounded, l);
        f2l_horizon_layer_clear(&h);
    }
    f2l_free(start);
    return status;
}

static f2l_status find_format_horizon(search *s, const f2l_net *net, const f2l_format *format,
                                      const f2l_schedule *schedule, const f2l_task *task,
                                      f2l_error *err)
{
    f2l_float_net *rounded = NULL;
    f2l_code_graph *graph = NULL;
    f2l_error why = {0};
    f2l_status status = f2l_float_net_new_within(&rounded, net, format, schedule, task, &why);
    if (status == F2L_UNKNOWN) {
        snprintf(s->out->reason, sizeof s->out->reason, "%.255s", why.text);
        return F2L_OK;
    }
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    status = f2l_code_graphs_find(&graph, net, task, &why);
    if (status == F2L_OK)
        status = run_layers(s, rounded, graph, net->layers, format, schedule, task, &why);
    f2l_code_graphs_free(graph, net->layers);
    f2l_float_net_free(rounded);
    s->out->known = status == F2L_OK;
    if (status == F2L_EDOMAIN || status == F2L_UNKNOWN) {
        *s->out = (f2l_horizon){0};
        snprintf(s->out->reason, sizeof s->out->reason, "%.255s", why.text);
        return F2L_OK;
    }
    if (status != F2L_OK && err) *err = why;
    return status;
}

size_t f2l_horizon_edges(const f2l_net *net)
{
    size_t count = 0;
    for (size_t l = 0; l < net->layers; l++) count += net->layer[l].codes * net->layer[l].letters;
    return count;
}

/* Returns whether in every layer the nearest code is the nearest direction, too. */
static bool has_one_length(const f2l_net *net)
{
    size_t l = 0;
    while (l < net->layers && f2l_layer_has_one_length(&net->layer[l])) l++;
    return l == net->layers;
}

f2l_status f2l_horizon_find(f2l_horizon *out, f2l_horizon_point **points, size_t *count,
                            const f2l_net *net, const f2l_format *format,
                            const f2l_schedule *schedule, uint64_t cap, const f2l_task *task,
                            f2l_error *err)
{
    search s = {.out = out, .cap = cap ? cap : DEFAULT_CAP};
    *out = (f2l_horizon){0};
    if (points) *points = NULL;
    if (points) *count = 0;
    if (!f2l_schedule_steps(schedule)) {
        snprintf(out->reason, sizeof out->reason,
                 "chunk64 takes 64 letters at once: it has no bound by steps");
        return F2L_OK;
    }
    const char *const lacks = f2l_horizon_lacks_store(schedule);
    if (lacks) {
        snprintf(out->reason, sizeof out->reason, "%s", lacks);
        return F2L_OK;
    }
    f2l_schedule early = *schedule;
    if (!f2l_net_has_gates(net)) early.order.gate = F2L_GATE_EARLY; /* its place changes nothing */
    if (has_one_length(net)) early.decode = F2L_DECODE_NEAREST;     /* the margin is of distances */
    const char *const unknown = f2l_schedule_unknown(&early, F2L_KNOWS_HORIZON);
    if (unknown) {
        snprintf(out->reason, sizeof out->reason, "no statement bounds errors of `%s`", unknown);
        return F2L_OK;
    }
    if (f2l_net_has_boxes(net)) {
        snprintf(out->reason, sizeof out->reason,
                 "a layer has boxes: its states are not its codes");
        return F2L_OK;
    }
    s.point = f2l_calloc(F2L_HORIZON_POINTS, sizeof *s.point);
    if (!s.point) return f2l_fail_memory(err);
    f2l_status status = find_format_horizon(&s, net, format, &early, task, err);
    if (status == F2L_OK && points && out->known) {
        *points = s.point;
        *count = s.points;
    } else {
        f2l_free(s.point);
    }
    return status;
}
