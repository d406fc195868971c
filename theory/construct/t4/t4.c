/* The network of T4 from a cascade: the layers of its levels, and the tables between these layers.
 * Statements: theory/pages/t4.md. */
#include "theory/construct/t4/t4.h"
#include "automata/gset/gset.h"
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"
#include <string.h>

void f2l_t4_report_clear(f2l_t4_report *report)
{
    f2l_free(report->level);
    f2l_free(report->layers);
    *report = (f2l_t4_report){0};
}

f2l_status f2l_t4_add_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_reach reach;
    f2l_status status = f2l_reach_init(&reach, fsa, err);
    for (size_t q = 0; q < fsa->states.count; q++) label_of[q] = F2L_NO_SYMBOL;
    if (status == F2L_OK)
        status =
            f2l_reach_labels(&net->labels, &net->start, label_of, &reach, fsa, net->label, err);
    f2l_reach_clear(&reach);
    return status;
}

/* Returns the part that the decoder reads after context x: the saved coordinate where a reset lost
 * the old one. */
static uint32_t part_read(const f2l_t4_plan *plan, const f2l_context *x)
{
    return plan->saves && f2l_t4_loses(plan, x);
}

/* Returns the final set that child(set, coordinate) is, on the last level. */
static uint32_t last_set(const f2l_t4_plan *plan, uint32_t set, uint32_t coordinate)
{
    const f2l_cascade *c = plan->cascade;
    return c->lambda[set] == plan->l ? c->cover[c->cover_at[set] + coordinate] : set;
}

/* Returns the label after context x on the last level: of the new state, or of the transition from
 * the old one. */
static uint32_t label_after_context(const f2l_t4_plan *plan, const f2l_context *x, uint32_t old,
                                    uint32_t moved, const uint32_t *label_of)
{
    const f2l_cascade *c = plan->cascade;
    const uint32_t set = plan->edges ? last_set(plan, x->from, old) : last_set(plan, x->to, moved);
    uint32_t label = F2L_NO_SYMBOL;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words)
    {
        label = label_of[plan->edges ? q * c->fsa->letters.count + x->letter : q];
    }
    return label;
}

/* Writes the symbols of context x, one for every value of the part: on the last level the label,
 * else the context of the next level, which depends on the old coordinate. Values that cannot
 * follow x get none. */
static void fill_t4_row(uint32_t *row, const f2l_t4_plan *plan, const f2l_context *x,
                        const uint32_t *label_of)
{
    const f2l_cascade *c = plan->cascade;
    const f2l_level *level = plan->level;
    const bool reads = f2l_t4_reads(plan, x), top = plan->l == c->levels;
    const size_t olds = reads ? c->cover_count[x->from] : plan->m;
    for (uint32_t old = 0; old < olds; old++) {
        uint32_t moved = f2l_t4_moved(plan, x, old);
        uint32_t value = part_read(plan, x) == 1 ? old : moved;
        row[value] = top ? label_after_context(plan, x, old, moved, label_of)
                         : level->next[x->next + (reads ? old : 0)];
    }
}

static f2l_status add_t4_table(f2l_layer *layer, const f2l_t4_plan *plan, const uint32_t *label_of,
                               f2l_error *err)
{
    const size_t values[2] = {plan->m, plan->m}, letters = layer->letters;
    uint32_t *reads = f2l_calloc(letters, sizeof *reads);
    size_t entries;
    if (reads == NULL || !f2l_mul_size(&entries, letters, plan->m * sizeof *layer->symbol)) {
        f2l_free(reads);
        return f2l_fail_memory(err);
    }
    for (size_t x = 0; x < letters; x++) reads[x] = part_read(plan, &plan->level->context[x]);
    f2l_status status = f2l_task_table(plan->task, "the decoder of a level", entries, err);
    if (status == F2L_OK)
        status = f2l_layer_set_parts(layer, plan->saves ? 2 : 1, values, reads, err);
    f2l_free(reads);
    f2l_meter meter = {.task = plan->task, .phase = "the decoder of a level"};
    for (size_t x = 0; status == F2L_OK && x < letters; x++) {
        status = f2l_meter_spend(&meter, 2 + plan->m / 4, (double)x, (double)letters, err);
        fill_t4_row(layer->symbol + layer->symbol_at[x], plan, &plan->level->context[x], label_of);
    }
    return status;
}

static f2l_status add_t4_codes(f2l_layer *layer, const f2l_t4_plan *plan, f2l_error *err)
{
    f2l_meter meter = {.task = plan->task, .phase = "writing the codes of a level"};
    f2l_status status = F2L_OK;
    uint64_t steps = 0;
    for (size_t h = 0; h < plan->heads; h++) steps += f2l_t4_vector_steps(&plan->head[h]);
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
        status = f2l_meter_spend(&meter, steps, (double)i, (double)plan->codes, err);
        if (status != F2L_OK) break;
        const uint32_t second = (uint32_t)plan->second;
        const uint32_t cur = plan->state[i] / second, saved = plan->state[i] % second;
        layer->part[i * layer->parts] = cur;
        if (plan->saves) layer->part[i * layer->parts + 1] = saved;
        for (size_t h = 0; status == F2L_OK && h < plan->heads; h++)
            status =
                f2l_t4_code(&layer->code[i * plan->heads + h], &plan->head[h], cur, saved, err);
    }
    return status;
}

static f2l_status build_t4_layer(f2l_layer *layer, const f2l_t4_plan *plan, uint32_t start,
                                 size_t symbols, const uint32_t *label_of, f2l_error *err)
{
    const size_t heads = plan->heads;
    f2l_status status = f2l_task_spend(plan->task, "building factors",
                                       plan->level->contexts * heads * F2L_TRANSITION_STEPS, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, plan->level->contexts, heads, err);
    if (status == F2L_OK) status = f2l_t4_fill_heads(layer, plan, start, err);
    if (status == F2L_OK)
        status = f2l_task_spend(plan->task, "writing the codes of a level",
                                plan->codes * heads * sizeof(f2l_qvec), err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, plan->codes, symbols, false, err);
    if (status == F2L_OK) status = add_t4_table(layer, plan, label_of, err);
    return status == F2L_OK ? add_t4_codes(layer, plan, err) : status;
}

void f2l_t4_measure(size_t *householders, size_t *together, const f2l_layer *layer)
{
    *together = 0;
    for (size_t x = 0; x < layer->letters; x++) {
        size_t sum = 0;
        for (size_t h = 0; h < layer->heads; h++) {
            const size_t factors = layer->head[h].letter[x].factors;
            if (factors > *householders) *householders = factors;
            sum += factors;
        }
        if (sum > *together) *together = sum;
    }
}

static void report_t4_level(f2l_t4_report *report, const f2l_t4_plan *plan, const f2l_layer *layer)
{
    f2l_t4_level *out = &report->level[plan->l - 1];
    *out = (f2l_t4_level){.heads = plan->heads,
                          .saves = plan->saves,
                          .delays = plan->delays,
                          .joined = plan->heads == 0,
                          .width = plan->m,
                          .contexts = plan->level->contexts,
                          .codes = plan->codes,
                          .register_factors = plan->register_factors,
                          .delay_factors = plan->delay_factors};
    for (size_t h = 0; h < plan->heads; h++) {
        const f2l_t4_head *head = &plan->head[h];
        out->form[h] = (f2l_t4_held){head->form, head->m, head->n, head->d};
    }
    for (size_t i = 0; i < report->layers[plan->l - 1]; i++) {
        size_t factors;
        f2l_t4_measure(&out->householders, &factors, &layer[i]);
        out->factors += factors;
    }
    report->registers += plan->saves;
    report->delays += plan->delays;
    report->splits += plan->heads > 1;
    report->contexts += out->contexts;
}

/* Builds the layer of a joined level, whose codes are the places. */
static f2l_status build_last(f2l_layer *layer, const f2l_t4_plan *plan, const f2l_t4_last *last,
                             size_t symbols, const uint32_t *label_of, f2l_error *err)
{
    f2l_status status = f2l_layer_set_heads(layer, plan->level->contexts, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, plan->codes, symbols, false, err);
    if (status == F2L_OK) status = add_t4_table(layer, plan, label_of, err);
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) layer->part[i] = (uint32_t)i;
    return status == F2L_OK ? last->build(layer, last->context, err) : status;
}

/* Builds the layers of a level, from `layer` on. */
static f2l_status build_t4_level(f2l_layer *layer, size_t labels, f2l_t4_plan *plan,
                                 const f2l_t4_last *last, uint32_t start, const uint32_t *label_of,
                                 f2l_error *err)
{
    const f2l_cascade *c = plan->cascade;
    const size_t symbols = plan->l < c->levels ? c->level[plan->l].contexts : labels;
    f2l_status status =
        f2l_task_poll(plan->task, "layers", (double)(plan->l - 1), (double)c->levels, err);
    if (status == F2L_OK && last && plan->l == c->levels)
        return build_last(layer, plan, last, symbols, label_of, err);
    if (status == F2L_OK) status = f2l_t4_close(plan, start, err);
    if (status != F2L_OK) return status;
    return plan->delays ? f2l_t4_delay_build(layer, plan, start, symbols, err)
                        : build_t4_layer(layer, plan, start, symbols, label_of, err);
}

f2l_status f2l_t4_build_still(f2l_net *net, f2l_error *err)
{
    const size_t one = 1, letters = net->letters.count;
    f2l_layer *layer = &net->layer[0];
    uint32_t *reads = f2l_calloc(letters, sizeof *reads);
    f2l_status status =
        reads != NULL ? f2l_layer_set_heads(layer, letters, 1, err) : f2l_fail_memory(err);
    if (status == F2L_OK) layer->head[0].n = layer->head[0].d = 1;
    if (status == F2L_OK) status = f2l_qvec_push_si(&layer->head[0].initial, 0, 1, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, 1, 1, false, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, 1, &one, reads, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(&layer->code[0], 0, 1, 1, err);
    for (size_t x = 0; status == F2L_OK && x < letters; x++) layer->symbol[x] = 0;
    f2l_free(reads);
    return status;
}

/* What the parts of a build share. */
typedef struct builder {
    const f2l_cascade *cascade;
    const f2l_fsa *fsa;
    bool edges, gated, whole;
    const f2l_t4_last *last; /* of a joined cascade; else NULL */
    const f2l_task *task;
    uint32_t *label_of;   /* [states], or for outputs of transitions [states][letters] */
    uint32_t *coordinate; /* [levels] of the start */
    f2l_t4_plan *plan;    /* [levels] */
} builder;

static void t4_builder_clear(builder *b)
{
    for (size_t l = 0; b->plan != NULL && l < b->cascade->levels; l++)
        f2l_t4_plan_clear(&b->plan[l]);
    f2l_free(b->plan);
    f2l_free(b->label_of);
    f2l_free(b->coordinate);
}

static f2l_status builder_init(builder *b, f2l_t4_report *report, f2l_error *err)
{
    const size_t levels = b->cascade->levels;
    const size_t entries = b->edges ? b->fsa->letters.count : 1;
    b->label_of = f2l_calloc(b->fsa->states.count, entries * sizeof *b->label_of);
    b->coordinate = f2l_calloc(levels, sizeof *b->coordinate);
    b->plan = f2l_calloc(levels, sizeof *b->plan);
    report->level = f2l_calloc(levels, sizeof *report->level);
    report->layers = f2l_calloc(levels, sizeof *report->layers);
    return b->label_of != NULL && b->coordinate != NULL && b->plan != NULL &&
                   report->level != NULL && report->layers != NULL
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Plans a joined level. */
static void plan_last(f2l_t4_plan *plan, const builder *b)
{
    const size_t l = b->cascade->levels;
    const f2l_level *level = &b->cascade->level[l - 1];
    *plan = (f2l_t4_plan){.cascade = b->cascade,
                          .level = level,
                          .l = l,
                          .task = b->task,
                          .gated = b->gated,
                          .m = level->width,
                          .second = 1,
                          .codes = level->width};
    f2l_rowset_init(&plan->acts);
}

/* Chooses how every level is held, and counts the layers. */
static f2l_status plan_levels(size_t *layers, builder *b, f2l_t4_report *report, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *layers = 0;
    for (size_t l = 0; status == F2L_OK && l < b->cascade->levels; l++) {
        if (b->last && l + 1 == b->cascade->levels)
            plan_last(&b->plan[l], b);
        else
            status = f2l_t4_plan_init(&b->plan[l], b->cascade, l + 1, b->edges, b->gated, b->whole,
                                      b->task, err);
        report->layers[l] = b->plan[l].delays ? 2 : 1;
        *layers += report->layers[l];
    }
    return status;
}

static f2l_status build_t4_layers(f2l_net *out, builder *b, f2l_t4_report *report, f2l_error *err)
{
    const size_t levels = b->cascade->levels;
    size_t layers, at = 0;
    out->start = F2L_NO_INDEX;
    f2l_status status = b->edges ? f2l_fsa_edge_labels(&out->labels, b->label_of, b->fsa, err)
                                 : f2l_t4_add_labels(out, b->label_of, b->fsa, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &b->fsa->letters, err);
    if (status == F2L_OK) status = plan_levels(&layers, b, report, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, levels > 0 ? layers : 1, err);
    if (status == F2L_OK && levels == 0) status = f2l_t4_build_still(out, err);
    if (status == F2L_OK) f2l_cascade_encode(b->cascade, b->fsa->start, b->coordinate);
    for (size_t l = 0; status == F2L_OK && l < levels; l++) {
        status = build_t4_level(&out->layer[at], out->labels.count, &b->plan[l], b->last,
                                b->coordinate[l], b->label_of, err);
        if (status == F2L_OK) report_t4_level(report, &b->plan[l], &out->layer[at]);
        f2l_t4_plan_clear(&b->plan[l]);
        at += report->layers[l];
    }
    return status;
}

static f2l_status build_t4_net(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                               const f2l_t4_last *last, const f2l_fsa *fsa, f2l_label label,
                               bool gated, bool whole, const f2l_task *task, f2l_error *err)
{
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    f2l_status status = f2l_fsa_has_label(fsa, label, err);
    if (status == F2L_OK && label == F2L_LABEL_EDGES && cascade->levels == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "a cascade of one state has no level");
    if (status != F2L_OK) return status;
    out->label = label;
    report->levels = cascade->levels;
    report->gated = gated;
    builder b = {.cascade = cascade,
                 .fsa = fsa,
                 .edges = label == F2L_LABEL_EDGES,
                 .gated = gated,
                 .whole = whole,
                 .last = last,
                 .task = task};
    status = builder_init(&b, report, err);
    if (status == F2L_OK) status = build_t4_layers(out, &b, report, err);
    t4_builder_clear(&b);
    if (status == F2L_OK) return F2L_OK;
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    return status;
}

f2l_status f2l_t4_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                        const f2l_fsa *fsa, f2l_label label, bool gated, const f2l_task *task,
                        f2l_error *err)
{
    return build_t4_net(out, report, cascade, NULL, fsa, label, gated, false, task, err);
}

f2l_status f2l_t4_build_whole(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                              const f2l_fsa *fsa, f2l_label label, bool gated, const f2l_task *task,
                              f2l_error *err)
{
    return build_t4_net(out, report, cascade, NULL, fsa, label, gated, true, task, err);
}

f2l_status f2l_t4_build_joined(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                               const f2l_t4_last *last, const f2l_fsa *fsa, f2l_label label,
                               bool gated, const f2l_task *task, f2l_error *err)
{
    const f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    return build_t4_net(out, report, cascade, last, fsa, label, gated, false, task, err);
}
