/* One layer for each level of a cascade without permutations, with or without the memory of a
 * second digit. Statements: theory/pages/decay.md. */
#include "theory/construct/decay/decay.h"
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"
#include <assert.h>

typedef struct level {
    f2l_t4_plan plan; /* cascade, level, l, m, task, second, number, state and codes only */
    bool keeps;       /* the old coordinate is kept past resets */
    size_t digits;    /* of a coordinate */
    const uint32_t *label_of;
} level;

static size_t bits_of_count(size_t m)
{
    size_t bits = 1;
    while (bits < 32 && (size_t)1 << bits < m) bits++;
    return bits;
}

static f2l_status decay_level_init(level *b, const f2l_cascade *cascade, size_t l,
                                   const uint32_t *label_of, const f2l_task *task, f2l_error *err)
{
    const f2l_level *of = &cascade->level[l - 1];
    f2l_t4_plan *plan = &b->plan;
    *b = (level){.label_of = label_of};
    *plan = (f2l_t4_plan){.cascade = cascade, .level = of, .l = l, .task = task, .m = of->width};
    if (of->permutations > 0)
        return f2l_fail(err, F2L_EDOMAIN, "level %zu permutes its coordinates%s", l,
                        cascade->kind == F2L_CASCADE_HOLONOMY ? ": the automaton is not aperiodic"
                                                              : "");
    for (size_t i = 0; i < of->contexts && l < cascade->levels; i++)
        b->keeps = b->keeps || f2l_t4_loses(plan, &of->context[i]);
    b->digits = bits_of_count(plan->m);
    plan->second = b->keeps ? plan->m : 1;
    return F2L_OK;
}

static void meet_decay_state(f2l_t4_plan *plan, size_t cur, size_t old)
{
    const size_t state = cur * plan->second + (plan->second > 1 ? old : 0);
    if (plan->number[state] != 0) return;
    plan->state[plan->codes++] = (uint32_t)state;
    plan->number[state] = (uint32_t)plan->codes;
}

/* Finds the codes: the start, with 0 before it, and everything that resets in any order make of
 * it. */
static f2l_status find_codes(level *b, uint32_t start, f2l_error *err)
{
    f2l_t4_plan *plan = &b->plan;
    const size_t m = plan->m;
    size_t all;
    assert(plan->second > 0);
    if (!f2l_mul_size(&all, m, plan->second) || all >= UINT32_MAX)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu: %zu coordinates have too many codes", plan->l,
                        m);
    f2l_status status =
        f2l_task_table(plan->task, "the codes of a level", all * 2 * sizeof *plan->state, err);
    if (status != F2L_OK) return status;
    plan->number = f2l_calloc(all, sizeof *plan->number);
    plan->state = f2l_calloc(all, sizeof *plan->state);
    uint8_t *reset = f2l_calloc(m, 1);
    if (plan->number && plan->state && reset) {
        for (size_t i = 0; i < plan->level->contexts; i++)
            if (plan->level->context[i].action == F2L_ACTION_RESET)
                reset[plan->level->context[i].target] = 1;
        meet_decay_state(plan, start, 0);
        f2l_meter meter = {.task = plan->task, .phase = "codes of a level"};
        for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
            status = f2l_meter_spend(&meter, 1 + m / 4, (double)i, (double)plan->codes, err);
            for (size_t r = 0; r < m; r++)
                if (reset[r]) meet_decay_state(plan, r, plan->state[i] / plan->second);
        }
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(reset);
    return status;
}

/* Appends the binary digits of a coordinate, as a value vector or as the numbers that hold them
 * without memory. */
static f2l_status push_digits(f2l_qvec *out, size_t digits, uint32_t coordinate, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t j = 0; status == F2L_OK && j < digits; j++)
        if (coordinate >> j & 1) status = f2l_qvec_push_si(out, j, 1, 1, err);
    return status;
}

/* Appends 3/4 c + 3/16 o + more/32, for the digits c and o of both coordinates; more = 0, 1, 2
 * gives the lower end of a box, its middle and its upper end. */
static f2l_status push_numbers(f2l_qvec *out, size_t digits, uint32_t cur, uint32_t old, long more,
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t j = 0; status == F2L_OK && j < digits; j++)
        status = f2l_qvec_push_si(
            out, j, 24 * (long)(cur >> j & 1) + 6 * (long)(old >> j & 1) + more, 32, err);
    return status;
}

/* Adds the factors of resets. A reset is one factor, S <- S - beta (S - r), with eigenvalue 1 -
 * beta. */
static f2l_status add_resets(f2l_head *head, const level *b, f2l_error *err)
{
    const f2l_level *of = b->plan.level;
    f2l_meter meter = {.task = b->plan.task, .phase = "building factors"};
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < of->contexts; x++) {
        const f2l_context *context = &of->context[x];
        f2l_transition *t = &head->letter[x];
        status = f2l_meter_spend(&meter, F2L_FACTOR_STEPS + (1 + head->d / 2) * F2L_ENTRY_STEPS,
                                 (double)x, (double)of->contexts, err);
        if (status != F2L_OK || context->action != F2L_ACTION_RESET) continue;
        status = f2l_transition_set_factors(t, 1, err);
        if (status != F2L_OK) break;
        mpq_set_ui(t->factor[0].beta, b->keeps ? 3 : 1, b->keeps ? 4 : 1);
        status = f2l_qvec_push_si(&t->factor[0].u, 0, 1, 1, err);
        if (status == F2L_OK) status = push_digits(&t->factor[0].c, head->d, context->target, err);
    }
    return status;
}

/* Writes the symbols of context x, one for every value of the part that it reads: the old
 * coordinate where the reset lost it, else the new one. */
static void fill_decay_row(uint32_t *row, const level *b, const f2l_context *x)
{
    const f2l_t4_plan *plan = &b->plan;
    const f2l_cascade *c = plan->cascade;
    const bool reads = f2l_t4_reads(plan, x), top = plan->l == c->levels;
    const size_t olds = reads ? c->cover_count[x->from] : plan->m;
    for (uint32_t old = 0; old < olds; old++) {
        const uint32_t moved = f2l_t4_moved(plan, x, old);
        const uint32_t value = b->keeps && f2l_t4_loses(plan, x) ? old : moved;
        if (!top) {
            row[value] = plan->level->next[x->next + (reads ? old : 0)];
            continue;
        }
        const uint32_t set =
            c->lambda[x->to] == plan->l ? c->cover[c->cover_at[x->to] + moved] : x->to;
        F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words) row[value] = b->label_of[q];
    }
}

static f2l_status add_decay_table(f2l_layer *layer, const level *b, f2l_error *err)
{
    const f2l_t4_plan *plan = &b->plan;
    const size_t values[2] = {plan->m, plan->m};
    uint32_t *reads = f2l_calloc(layer->letters, sizeof *reads);
    size_t entries;
    if (!reads || !f2l_mul_size(&entries, layer->letters, plan->m * sizeof *layer->symbol)) {
        f2l_free(reads);
        return f2l_fail_memory(err);
    }
    for (size_t x = 0; x < layer->letters; x++)
        reads[x] = b->keeps && f2l_t4_loses(plan, &plan->level->context[x]);
    f2l_status status = f2l_task_table(plan->task, "the decoder of a level", entries, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, b->keeps ? 2 : 1, values, reads, err);
    f2l_free(reads);
    f2l_meter meter = {.task = plan->task, .phase = "the decoder of a level"};
    for (size_t x = 0; status == F2L_OK && x < layer->letters; x++) {
        status = f2l_meter_spend(&meter, 2 + plan->m / 4, (double)x, (double)layer->letters, err);
        fill_decay_row(layer->symbol + layer->symbol_at[x], b, &plan->level->context[x]);
    }
    return status;
}

static f2l_status add_decay_codes(f2l_layer *layer, const level *b, f2l_error *err)
{
    const f2l_t4_plan *plan = &b->plan;
    const uint64_t each = b->digits * F2L_ENTRY_STEPS * (b->keeps ? 3 : 1);
    f2l_meter meter = {.task = plan->task, .phase = "writing the codes of a level"};
    f2l_status status = b->keeps ? f2l_layer_set_boxes(layer, err) : F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
        status = f2l_meter_spend(&meter, each, (double)i, (double)plan->codes, err);
        if (status != F2L_OK) break;
        const uint32_t second = (uint32_t)plan->second;
        const uint32_t cur = plan->state[i] / second, old = plan->state[i] % second;
        layer->part[i * layer->parts] = cur;
        if (!b->keeps) {
            status = push_digits(&layer->code[i], b->digits, cur, err);
            continue;
        }
        layer->part[i * layer->parts + 1] = old;
        status = push_numbers(&layer->code[i], b->digits, cur, old, 1, err);
        if (status == F2L_OK) status = push_numbers(&layer->low[i], b->digits, cur, old, 0, err);
        if (status == F2L_OK) status = push_numbers(&layer->high[i], b->digits, cur, old, 2, err);
    }
    return status;
}

static f2l_status build_layer(f2l_layer *layer, level *b, uint32_t start, size_t symbols,
                              f2l_error *err)
{
    f2l_status status = f2l_task_poll(b->plan.task, "layers", (double)(b->plan.l - 1),
                                      (double)b->plan.cascade->levels, err);
    if (status == F2L_OK) status = find_codes(b, start, err);
    if (status == F2L_OK)
        status = f2l_task_spend(b->plan.task, "building factors",
                                b->plan.level->contexts * F2L_TRANSITION_STEPS +
                                    b->plan.codes * 3 * sizeof(f2l_qvec),
                                err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, b->plan.level->contexts, 1, err);
    if (status != F2L_OK) return status;
    f2l_head *head = &layer->head[0];
    head->n = 1;
    head->d = b->digits;
    status = b->keeps ? push_numbers(&head->initial, head->d, start, 0, 0, err)
                      : push_digits(&head->initial, head->d, start, err);
    if (status == F2L_OK) status = add_resets(head, b, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, b->plan.codes, symbols, false, err);
    if (status == F2L_OK) status = add_decay_table(layer, b, err);
    return status == F2L_OK ? add_decay_codes(layer, b, err) : status;
}

static void report_level(f2l_t4_report *report, const level *b)
{
    const f2l_t4_plan *plan = &b->plan;
    f2l_t4_level *out = &report->level[plan->l - 1];
    *out = (f2l_t4_level){.heads = 1,
                          .form = {{F2L_T4_WRITE, plan->m, 1, b->digits}},
                          .decays = b->keeps,
                          .width = plan->m,
                          .contexts = plan->level->contexts,
                          .codes = plan->codes};
    out->householders = out->factors = plan->level->resets > 0;
    report->layers[plan->l - 1] = 1;
    report->contexts += out->contexts;
}

static f2l_status build_levels(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                               uint32_t *label_of, uint32_t *coordinate, const f2l_fsa *fsa,
                               const f2l_task *task, f2l_error *err)
{
    const size_t levels = cascade->levels;
    f2l_status status = f2l_t4_add_labels(out, label_of, fsa, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, levels > 0 ? levels : 1, err);
    if (status == F2L_OK && levels == 0) return f2l_t4_build_still(out, err);
    if (status == F2L_OK) f2l_cascade_encode(cascade, fsa->start, coordinate);
    for (size_t l = 0; status == F2L_OK && l < levels; l++) {
        level b;
        const size_t symbols = l + 1 < levels ? cascade->level[l + 1].contexts : out->labels.count;
        status = decay_level_init(&b, cascade, l + 1, label_of, task, err);
        if (status == F2L_OK) status = build_layer(&out->layer[l], &b, coordinate[l], symbols, err);
        if (status == F2L_OK) report_level(report, &b);
        f2l_t4_plan_clear(&b.plan);
    }
    return status;
}

f2l_status f2l_decay_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                           const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                           f2l_error *err)
{
    const size_t levels = cascade->levels;
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    out->label = label;
    report->levels = levels;
    report->level = f2l_calloc(levels, sizeof *report->level);
    report->layers = f2l_calloc(levels, sizeof *report->layers);
    uint32_t *label_of = f2l_calloc(fsa->states.count, sizeof *label_of);
    uint32_t *coordinate = f2l_calloc(levels, sizeof *coordinate);
    if (report->level && report->layers && label_of && coordinate)
        status = build_levels(out, report, cascade, label_of, coordinate, fsa, task, err);
    else
        status = f2l_fail_memory(err);
    f2l_free(label_of);
    f2l_free(coordinate);
    if (status == F2L_OK) return F2L_OK;
    f2l_net_clear(out);
    f2l_t4_report_clear(report);
    return status;
}
