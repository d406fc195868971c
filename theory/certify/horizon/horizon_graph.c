/* The graphs of codes that words walk through, layer by layer, and the distances of codes. */
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/certify/horizon/impl.h"
#include <string.h>

#define JOINTS ((size_t)1 << 20)
#define EDGES ((size_t)1 << 24)
#define DISTANCES ((size_t)1 << 32)

/* The joint codes found so far. */
typedef struct joints {
    size_t layers, capacity;
    uint32_t *row; /* [index.count][layers] */
    f2l_index index;
} joints;

static uint64_t hash_joint_row(const joints *j, const uint32_t *row)
{
    return f2l_hash_bytes(F2L_HASH, row, j->layers * sizeof *row);
}

static uint64_t hash_of_joint_row(const void *joints_at, size_t i)
{
    const joints *j = joints_at;
    return hash_joint_row(j, j->row + i * j->layers);
}

static bool is_joint_row(const void *joints_at, size_t i, const void *row)
{
    const joints *j = joints_at;
    return memcmp(j->row + i * j->layers, row, j->layers * sizeof *j->row) == 0;
}

static f2l_status add_joint(joints *j, const size_t *codes, uint32_t *scratch, f2l_error *err)
{
    for (size_t l = 0; l < j->layers; l++) scratch[l] = (uint32_t)codes[l];
    const uint64_t key = hash_joint_row(j, scratch);
    const size_t count = j->index.count;
    if (f2l_index_find(&j->index, key, is_joint_row, j, scratch) != F2L_NO_INDEX) return F2L_OK;
    if (count == JOINTS) return f2l_fail(err, F2L_UNKNOWN, "more than %zu joint codes", JOINTS);
    if (!f2l_grow((void **)&j->row, &j->capacity, count, j->layers * sizeof *j->row) ||
        !f2l_index_grow(&j->index, hash_of_joint_row, j))
        return f2l_fail_memory(err);
    memcpy(j->row + count * j->layers, scratch, j->layers * sizeof *scratch);
    f2l_index_add(&j->index, key);
    return F2L_OK;
}

typedef struct walk {
    const f2l_net *net;
    f2l_exact *run;
    joints joints;
    size_t *joint;     /* [layers] */
    uint32_t *scratch; /* [layers] */
    uint32_t **next;   /* [layers][codes * letters] code + 1 */
} walk;

/* Records the edges of one joint step. */
static void note_joint_step(walk *w, const uint32_t *from, size_t letter)
{
    size_t x = letter;
    for (size_t l = 0; l < w->net->layers; l++) {
        const f2l_layer *layer = &w->net->layer[l];
        w->next[l][from[l] * layer->letters + x] = (uint32_t)w->joint[l] + 1;
        x = f2l_layer_symbol(layer, x, w->joint[l]);
    }
}

static f2l_status walk_all(walk *w, const f2l_task *task, f2l_error *err)
{
    const size_t layers = w->net->layers;
    f2l_meter meter = {.task = task, .phase = "walking through the codes"};
    f2l_status status = f2l_exact_start(w->run, w->joint, err);
    if (status == F2L_OK) status = add_joint(&w->joints, w->joint, w->scratch, err);
    for (size_t i = 0; i < w->joints.index.count && status == F2L_OK; i++) {
        for (size_t a = 0; a < w->net->letters.count && status == F2L_OK; a++) {
            size_t label;
            for (size_t l = 0; l < layers; l++) w->joint[l] = w->joints.row[i * layers + l];
            const uint64_t before = f2l_exact_work(w->run);
            status = f2l_exact_step(w->run, w->joint, a, &label, NULL, err);
            if (status == F2L_OK)
                status = f2l_meter_spend(&meter, f2l_exact_work(w->run) - before + 12 + 5 * layers,
                                         (double)i, 0, err);
            if (status != F2L_OK) break;
            note_joint_step(w, w->joints.row + i * layers, a);
            status = add_joint(&w->joints, w->joint, w->scratch, err);
        }
    }
    return status;
}

static f2l_status allocate_joint_walk(walk *w, const f2l_task *task, f2l_error *err)
{
    const f2l_net *net = w->net;
    w->joint = f2l_calloc(net->layers, sizeof *w->joint);
    w->scratch = f2l_calloc(net->layers, sizeof *w->scratch);
    w->next = f2l_calloc(net->layers, sizeof *w->next);
    if (!w->joint || !w->scratch || !w->next) return f2l_fail_memory(err);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        if (layer->codes > EDGES / layer->letters)
            return f2l_fail(err, F2L_UNKNOWN,
                            "layer %zu: %zu codes and %zu letters are too many "
                            "for a bound",
                            l + 1, layer->codes, layer->letters);
        /* Counted once more for the list of the edges. */
        f2l_status status =
            f2l_task_spend(task, "walking through the codes",
                           2 * layer->codes * layer->letters * sizeof **w->next, err);
        if (status != F2L_OK) return status;
        w->next[l] = f2l_calloc(layer->codes * layer->letters, sizeof **w->next);
        if (!w->next[l]) return f2l_fail_memory(err);
    }
    return F2L_OK;
}

static f2l_status list_code_edges(f2l_code_graph *graph, const f2l_layer *layer,
                                  const uint32_t *next, f2l_error *err)
{
    const size_t all = layer->codes * layer->letters;
    graph->codes = layer->codes;
    for (size_t i = 0; i < all; i++) graph->edges += next[i] != 0;
    graph->edge = f2l_calloc(graph->edges, sizeof *graph->edge);
    if (!graph->edge) return f2l_fail_memory(err);
    for (size_t i = 0, e = 0; i < all; i++)
        if (next[i] != 0)
            graph->edge[e++] = (f2l_code_edge){(uint32_t)(i / layer->letters), next[i] - 1,
                                               (uint32_t)(i % layer->letters)};
    return F2L_OK;
}

void f2l_code_graphs_free(f2l_code_graph *graph, size_t layers)
{
    for (size_t l = 0; graph && l < layers; l++) f2l_free(graph[l].edge);
    f2l_free(graph);
}

f2l_status f2l_code_graphs_find(f2l_code_graph **graph, const f2l_net *net, const f2l_task *task,
                                f2l_error *err)
{
    walk w = {.net = net, .joints = {.layers = net->layers}};
    *graph = f2l_calloc(net->layers, sizeof **graph);
    f2l_status status = *graph ? f2l_net_check_layers(net, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_exact_new_within(&w.run, net, task, err);
    if (status == F2L_OK) status = allocate_joint_walk(&w, task, err);
    if (status == F2L_OK) status = walk_all(&w, task, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        status = list_code_edges(&(*graph)[l], &net->layer[l], w.next[l], err);
        (*graph)[l].start = w.joints.row[l];
    }
    for (size_t l = 0; w.next && l < net->layers; l++) f2l_free(w.next[l]);
    f2l_free(w.next);
    f2l_free(w.joint);
    f2l_free(w.scratch);
    f2l_free(w.joints.row);
    f2l_index_clear(&w.joints.index);
    f2l_exact_free(w.run);
    if (status != F2L_OK) {
        f2l_code_graphs_free(*graph, net->layers);
        *graph = NULL;
    }
    return status;
}

/* Fills number[codes][size] and reach[codes]: the codes as doubles, and an upper bound of their
 * lengths. A double is within 2^-52 of a rational, relatively (mpq_get_d rounds towards zero). */
static void fill_code_numbers(double *number, double *reach, const f2l_layer *layer, size_t size)
{
    for (size_t c = 0; c < layer->codes; c++) {
        double squares = 0;
        for (size_t h = 0, offset = 0; h < layer->heads; h++) {
            const f2l_qvec *v = &layer->code[c * layer->heads + h];
            for (size_t i = 0; i < v->count; i++) {
                const double x = mpq_get_d(v->value[i]);
                number[c * size + offset + v->index[i]] = x;
                squares += x * x;
            }
            offset += layer->head[h].n * layer->head[h].d;
        }
        reach[c] = 1.001 * sqrt(squares);
    }
}

/* Returns a lower bound of half the distance from a to b: rounding in doubles takes away less than
 * (size + 8) 2^-53 of the distance and 2^-52 of the lengths (H5). */
static double half_distance(const double *a, const double *b, size_t size, double lengths)
{
    double squares = 0;
    for (size_t i = 0; i < size; i++) squares += (a[i] - b[i]) * (a[i] - b[i]);
    const double distance = sqrt(squares);
    const double safe = distance * (1 - (double)(size + 16) * 0x1p-52) - lengths * 0x1p-51;
    return safe > 0x1p-400 ? safe / 2 : 0;
}

f2l_status f2l_code_margins(double **margin, const f2l_layer *layer, const f2l_task *task,
                            f2l_error *err)
{
    const size_t codes = layer->codes, size = f2l_layer_numbers(layer);
    size_t entries;
    *margin = NULL;
    if (!f2l_mul_size(&entries, codes, size) || entries > DISTANCES / codes)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu codes of %zu numbers are too many to "
                        "compare",
                        codes, size);
    f2l_meter meter = {.task = task, .phase = "comparing the codes"};
    f2l_status status =
        f2l_meter_spend(&meter, (entries + 2 * codes) * sizeof(double), 0, (double)codes, err);
    if (status != F2L_OK) return status;
    double *number = f2l_calloc(entries, sizeof *number), *reach = f2l_calloc(codes, sizeof *reach);
    *margin = f2l_calloc(codes, sizeof **margin);
    status = number && reach && *margin ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) fill_code_numbers(number, reach, layer, size);
    for (size_t c = 0; c < codes && status == F2L_OK; c++) (*margin)[c] = INFINITY;
    for (size_t c = 0; c < codes && status == F2L_OK; c++) {
        status = f2l_meter_spend(&meter, 1 + c * (2 + size / 4), (double)c, (double)codes, err);
        for (size_t o = 0; status == F2L_OK && o < c; o++) {
            const double half =
                half_distance(number + c * size, number + o * size, size, reach[c] + reach[o]);
            if (half < (*margin)[c]) (*margin)[c] = half;
            if (half < (*margin)[o]) (*margin)[o] = half;
        }
    }
    f2l_free(number);
    f2l_free(reach);
    if (status != F2L_OK) {
        f2l_free(*margin);
        *margin = NULL;
    }
    return status;
}
