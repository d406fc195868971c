/* The network of T4 from a cascade: a layer per level, and the tables between them. Statements: theory/t4.md.
 */
#include "f2l_t4.h"
#include "f2l_gset.h"
#include "f2l_mem.h"
#include "f2l_t4_impl.h"
#include <string.h>

#define POLL_EVERY 1024

void f2l_t4_report_clear(f2l_t4_report *report)
{
    f2l_free(report->level);
    *report = (f2l_t4_report){0};
}

/* The label's index of every state, F2L_NO_SYMBOL where the start does not lead; by first appearance. */
static f2l_status add_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_reach reach;
    f2l_status status = f2l_reach_init(&reach, fsa, err);
    for (size_t q = 0; q < fsa->states.count; q++) label_of[q] = F2L_NO_SYMBOL;
    for (size_t i = 0; status == F2L_OK && i < reach.states; i++) {
        const char *text = f2l_fsa_label(fsa, net->label, reach.state[i]);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[reach.state[i]] = (uint32_t)index;
    }
    if (status == F2L_OK) net->start = label_of[fsa->start];
    f2l_reach_clear(&reach);
    return status;
}

static f2l_status add_factors(f2l_head *head, const f2l_t4_plan *plan, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < plan->level->contexts; x++) {
        status = f2l_t4_transition(&head->letter[x], plan, &plan->level->context[x], err);
        if (status == F2L_OK && x % POLL_EVERY == POLL_EVERY - 1)
            status =
                f2l_task_poll(plan->task, "building factors", (double)x, (double)plan->level->contexts, err);
    }
    return status;
}

/* The part that the decoder reads after context x: the saved coordinate where a reset lost the old one. */
static uint32_t part_read(const f2l_t4_plan *plan, const f2l_context *x)
{
    return plan->saves && x->action == F2L_ACTION_RESET && f2l_t4_reads(plan, x);
}

/* The symbols of context x, one for every value of the part: on the last level the label of the new state,
 * else the context of the next level, which depends on the old coordinate. Values that cannot follow x get
 * none. */
static void fill_row(uint32_t *row, const f2l_t4_plan *plan, const f2l_context *x, const uint32_t *label_of)
{
    const f2l_cascade *c = plan->cascade;
    const f2l_level *level = plan->level;
    const bool reads = f2l_t4_reads(plan, x), top = plan->l == c->levels;
    const size_t olds = reads ? c->cover_count[x->from] : plan->m;
    for (uint32_t old = 0; old < olds; old++) {
        uint32_t moved = x->action == F2L_ACTION_PERMUTATION ? level->image[x->permutation + old]
                         : x->action == F2L_ACTION_RESET     ? x->target
                                                             : old;
        uint32_t value = part_read(plan, x) == 1 ? old : moved;
        if (!top) {
            row[value] = level->next[x->next + (reads ? old : 0)];
            continue;
        }
        uint32_t set = c->lambda[x->to] == plan->l ? c->cover[c->cover_at[x->to] + moved] : x->to;
        F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words) row[value] = label_of[q];
    }
}

static f2l_status add_table(f2l_layer *layer, const f2l_t4_plan *plan, const uint32_t *label_of,
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
    f2l_status status = f2l_task_memory(plan->task, "the decoder of a level", entries, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, plan->saves ? 2 : 1, values, reads, err);
    f2l_free(reads);
    if (status != F2L_OK) return status;
    for (size_t x = 0; x < letters; x++)
        fill_row(layer->symbol + layer->symbol_at[x], plan, &plan->level->context[x], label_of);
    return F2L_OK;
}

static f2l_status add_codes(f2l_layer *layer, const f2l_t4_plan *plan, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
        uint32_t m = (uint32_t)plan->m, state = plan->state[i];
        uint32_t cur = plan->saves ? state / m : state, saved = plan->saves ? state % m : 0;
        layer->part[i * layer->parts] = cur;
        if (plan->saves) layer->part[i * layer->parts + 1] = saved;
        status = f2l_t4_code(&layer->code[i], plan, cur, saved, err);
    }
    return status;
}

static f2l_status build_layer(f2l_layer *layer, const f2l_t4_plan *plan, uint32_t start, size_t symbols,
                              const uint32_t *label_of, f2l_error *err)
{
    f2l_status status = f2l_layer_set_heads(layer, plan->level->contexts, 1, err);
    if (status != F2L_OK) return status;
    layer->head[0].n = plan->n;
    layer->head[0].d = plan->d;
    status = f2l_t4_code(&layer->head[0].initial, plan, start, 0, err);
    if (status == F2L_OK) status = add_factors(&layer->head[0], plan, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, plan->codes, symbols, false, err);
    if (status == F2L_OK) status = add_table(layer, plan, label_of, err);
    return status == F2L_OK ? add_codes(layer, plan, err) : status;
}

static void report_level(f2l_t4_report *report, const f2l_t4_plan *plan, const f2l_layer *layer)
{
    f2l_t4_level *out = &report->level[plan->l - 1];
    *out = (f2l_t4_level){.form = plan->form,
                          .saves = plan->saves,
                          .width = plan->m,
                          .contexts = plan->level->contexts,
                          .codes = plan->codes,
                          .n = plan->n,
                          .d = plan->d};
    for (size_t x = 0; x < layer->letters; x++) {
        size_t factors = layer->head[0].letter[x].factors;
        if (factors > out->householders) out->householders = factors;
    }
    report->registers += plan->saves;
    report->contexts += out->contexts;
}

static f2l_status build_level(f2l_net *net, f2l_t4_report *report, const f2l_cascade *cascade, size_t l,
                              const uint32_t *coordinate, const uint32_t *label_of, const f2l_task *task,
                              f2l_error *err)
{
    f2l_t4_plan plan;
    size_t symbols = l < cascade->levels ? cascade->level[l].contexts : net->labels.count;
    f2l_status status = f2l_task_poll(task, "layers", (double)(l - 1), (double)cascade->levels, err);
    if (status != F2L_OK) return status;
    status = f2l_t4_plan_init(&plan, cascade, l, report->gated, task, err);
    if (status == F2L_OK) status = f2l_t4_close(&plan, coordinate[l - 1], err);
    if (status == F2L_OK)
        status = build_layer(&net->layer[l - 1], &plan, coordinate[l - 1], symbols, label_of, err);
    if (status == F2L_OK) report_level(report, &plan, &net->layer[l - 1]);
    f2l_t4_plan_clear(&plan);
    return status;
}

/* One state: nothing to remember. */
static f2l_status build_still(f2l_net *net, f2l_error *err)
{
    const size_t one = 1, letters = net->letters.count;
    f2l_layer *layer = &net->layer[0];
    uint32_t *reads = f2l_calloc(letters, sizeof *reads);
    f2l_status status = reads != NULL ? f2l_layer_set_heads(layer, letters, 1, err) : f2l_fail_memory(err);
    if (status == F2L_OK) layer->head[0].n = layer->head[0].d = 1;
    if (status == F2L_OK) status = f2l_qvec_push_si(&layer->head[0].initial, 0, 1, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, 1, 1, false, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, 1, &one, reads, err);
    if (status == F2L_OK) status = f2l_qvec_push_si(&layer->code[0], 0, 1, 1, err);
    for (size_t x = 0; status == F2L_OK && x < letters; x++) layer->symbol[x] = 0;
    f2l_free(reads);
    return status;
}

/* label_of [states] and coordinate [levels] are scratch. */
static f2l_status build_layers(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                               const f2l_fsa *fsa, uint32_t *label_of, uint32_t *coordinate,
                               const f2l_task *task, f2l_error *err)
{
    const size_t levels = cascade->levels;
    f2l_status status = add_labels(out, label_of, fsa, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, levels > 0 ? levels : 1, err);
    if (status == F2L_OK && levels == 0) status = build_still(out, err);
    if (status == F2L_OK) f2l_cascade_encode(cascade, fsa->start, coordinate);
    for (size_t l = 1; status == F2L_OK && l <= levels; l++)
        status = build_level(out, report, cascade, l, coordinate, label_of, task, err);
    return status;
}

static f2l_status build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade, const f2l_fsa *fsa,
                        const f2l_task *task, f2l_error *err)
{
    f2l_status status;
    uint32_t *label_of = f2l_calloc(fsa->states.count, sizeof *label_of);
    uint32_t *coordinate = f2l_calloc(cascade->levels, sizeof *coordinate);
    report->level = f2l_calloc(cascade->levels, sizeof *report->level);
    if (label_of != NULL && coordinate != NULL && report->level != NULL)
        status = build_layers(out, report, cascade, fsa, label_of, coordinate, task, err);
    else
        status = f2l_fail_memory(err);
    f2l_free(label_of);
    f2l_free(coordinate);
    return status;
}

f2l_status f2l_t4_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade, const f2l_fsa *fsa,
                        f2l_label label, bool gated, const f2l_task *task, f2l_error *err)
{
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    out->label = label;
    report->levels = cascade->levels;
    report->gated = gated;
    status = build(out, report, cascade, fsa, task, err);
    if (status == F2L_OK) return F2L_OK;
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    return status;
}
