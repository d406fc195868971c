/* A level of two layers (theory/pages/t4.md, T4.11): the lower one holds the coordinate and a side,
 * the upper one two slots; the slot of the present side also holds the coordinate. A reset that
 * loses an old coordinate changes sides, and so leaves it in the other slot. */
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"

#define MEMORY_EVERY 65536
#define SIDES 2

/* Parts of the upper layer: the contents of the two slots, and a part of a single value for letters
 * that need neither. */
enum { SLOT_PARTS = 3, NO_SLOT = 2 };

typedef struct delay {
    const f2l_t4_plan *plan;
    f2l_t4_slot_letter *letter;
    size_t letters, capacity;
    f2l_meter meter;
    /* Local states of the upper layer: number[first * (m + 1) + second] as in the plan; content m:
     * empty. */
    uint32_t *number, *state;
    size_t codes;
} delay;

static const f2l_context *context_of(const delay *d, const f2l_t4_slot_letter *letter)
{
    return &d->plan->level->context[letter->context];
}

static f2l_status add_delay_letter(delay *d, f2l_t4_slot_letter letter, f2l_error *err)
{
    const size_t each = sizeof letter + sizeof(f2l_transition) + sizeof(f2l_factor);
    f2l_status status = f2l_meter_spend(&d->meter, each, (double)d->letters, 0, err);
    if (d->letters >= F2L_MAX_TABLE)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu: the delay has too many letters", d->plan->l);
    if (status == F2L_OK && d->letters % MEMORY_EVERY == MEMORY_EVERY - 1)
        status = f2l_task_memory(d->plan->task, "the letters of a delay", d->letters * each, err);
    if (status == F2L_OK && !f2l_grow((void **)&d->letter, &d->capacity, d->letters, sizeof letter))
        status = f2l_fail_memory(err);
    if (status == F2L_OK) d->letter[d->letters++] = letter;
    return status;
}

/* Adds the letters that may follow context x, and writes the lower decoder's row: a symbol for
 * every pair of coordinate and side after x. Idle contexts write nothing, so one letter serves all
 * these pairs, or one for every coordinate when the next context depends on it. */
static f2l_status add_following_letters(delay *d, uint32_t *row, uint32_t x, f2l_error *err)
{
    const f2l_t4_plan *plan = d->plan;
    const f2l_context *context = &plan->level->context[x];
    const bool reads = f2l_t4_reads(plan, context), idle = context->action == F2L_ACTION_IDLE;
    const bool lost = f2l_t4_loses(plan, context);
    const size_t olds = reads ? plan->cascade->cover_count[context->from] : plan->m;
    uint32_t shared = F2L_NO_SYMBOL;
    f2l_status status = f2l_meter_spend(&d->meter, 2 + olds, x, (double)plan->level->contexts, err);
    for (uint32_t i = 0; status == F2L_OK && i < SIDES * olds; i++) {
        const uint32_t old = i / SIDES, side = lost ? 1 - i % SIDES : i % SIDES;
        const uint32_t cur = f2l_t4_moved(plan, context, old);
        uint32_t *symbol = &row[cur * SIDES + side];
        if (reads && i % SIDES == 0) shared = F2L_NO_SYMBOL;
        if (plan->number[i] == 0 || *symbol != F2L_NO_SYMBOL) continue;
        if (!idle || shared == F2L_NO_SYMBOL) {
            const f2l_t4_slot_letter letter = {
                x, cur, side,
                lost ? F2L_NO_SYMBOL : plan->level->next[context->next + (reads ? old : 0)]};
            shared = (uint32_t)d->letters;
            status = add_delay_letter(d, letter, err);
        }
        *symbol = shared;
    }
    return status;
}

/* Adds the lower table. Part 1: the coordinate. Part 2, which all letters read: coordinate and
 * side. */
static f2l_status add_lower_table(f2l_layer *layer, delay *d, f2l_error *err)
{
    const f2l_t4_plan *plan = d->plan;
    const size_t values[2] = {plan->m, plan->m * SIDES}, letters = layer->letters;
    uint32_t *reads = f2l_calloc(letters, sizeof *reads);
    size_t entries;
    if (reads == NULL || !f2l_mul_size(&entries, letters, values[1] * sizeof *layer->symbol)) {
        f2l_free(reads);
        return f2l_fail_memory(err);
    }
    for (size_t x = 0; x < letters; x++) reads[x] = 1;
    f2l_status status = f2l_task_memory(plan->task, "the decoder of a level", entries, err);
    if (status == F2L_OK) status = f2l_meter_spend(&d->meter, entries, 0, (double)letters, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, 2, values, reads, err);
    f2l_free(reads);
    for (uint32_t x = 0; status == F2L_OK && x < letters; x++)
        status = add_following_letters(d, layer->symbol + layer->symbol_at[x], x, err);
    layer->symbols = d->letters;
    return status;
}

static f2l_status side_state(f2l_qvec *out, size_t side, f2l_error *err)
{
    return f2l_qvec_push_si(out, 0, side == 0 ? 1 : -1, 1, err);
}

/* Adds the head of the side: one reflection where an old coordinate is lost. */
static f2l_status add_side(f2l_head *head, const f2l_t4_plan *plan, f2l_error *err)
{
    head->n = head->d = 1;
    f2l_status status = side_state(&head->initial, 0, err);
    for (size_t x = 0; status == F2L_OK && x < plan->level->contexts; x++) {
        f2l_transition *t = &head->letter[x];
        if (!f2l_t4_loses(plan, &plan->level->context[x])) continue;
        status = f2l_transition_set_factors(t, 1, err);
        if (status != F2L_OK) break;
        mpq_set_ui(t->factor[0].beta, 2, 1);
        status = f2l_qvec_push_si(&t->factor[0].u, 0, 1, 1, err);
    }
    return status;
}

static f2l_status build_lower(f2l_layer *layer, delay *d, uint32_t start, f2l_error *err)
{
    const f2l_t4_plan *plan = d->plan;
    const size_t heads = plan->heads + 1;
    const uint64_t each = heads * F2L_TRANSITION_STEPS + F2L_FACTOR_STEPS + F2L_ENTRY_STEPS;
    uint64_t steps = F2L_ENTRY_STEPS;
    for (size_t h = 0; h < plan->heads; h++) steps += f2l_t4_vector_steps(&plan->head[h]);
    f2l_status status = f2l_meter_spend(&d->meter, plan->level->contexts * each, 0, 0, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, plan->level->contexts, heads, err);
    if (status == F2L_OK) status = f2l_t4_fill_heads(layer, plan, start, err);
    if (status == F2L_OK) status = add_side(&layer->head[plan->heads], plan, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, plan->codes, 1, false, err);
    if (status == F2L_OK) status = add_lower_table(layer, d, err);
    for (size_t i = 0; status == F2L_OK && i < plan->codes; i++) {
        status = f2l_meter_spend(&d->meter, steps, (double)i, (double)plan->codes, err);
        if (status != F2L_OK) break;
        const uint32_t state = plan->state[i], cur = state / SIDES;
        f2l_qvec *code = &layer->code[heads * i];
        layer->part[2 * i] = cur;
        layer->part[2 * i + 1] = state;
        for (size_t h = 0; status == F2L_OK && h < plan->heads; h++)
            status = f2l_t4_code(&code[h], &plan->head[h], cur, 0, err);
        if (status == F2L_OK) status = side_state(&code[plan->heads], state % SIDES, err);
    }
    return status;
}

static void meet_delayed_state(delay *d, size_t first, size_t second)
{
    const size_t state = first * (d->plan->m + 1) + second;
    if (d->number[state] != 0) return;
    d->state[d->codes++] = (uint32_t)state;
    d->number[state] = (uint32_t)d->codes;
}

/* Finds the states that are reached; written[cur * SIDES + side]: some letter writes that; any
 * letter may follow any state. */
static f2l_status spread_delayed_states(delay *d, const uint8_t *written, bool erases,
                                        f2l_error *err)
{
    const size_t m = d->plan->m;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < d->codes; i++) {
        status = f2l_meter_spend(&d->meter, 1 + m / 2, (double)i, (double)d->codes, err);
        const size_t first = d->state[i] / (m + 1), second = d->state[i] % (m + 1);
        if (erases) meet_delayed_state(d, m, m);
        for (size_t cur = 0; cur < m; cur++) {
            if (written[cur * SIDES]) meet_delayed_state(d, cur, second);
            if (written[cur * SIDES + 1]) meet_delayed_state(d, first, cur);
        }
    }
    return status;
}

/* Finds the local states that the upper layer's letters reach. */
static f2l_status close_upper(delay *d, uint32_t start, f2l_error *err)
{
    const size_t m = d->plan->m;
    size_t all;
    bool erases = false;
    if (!f2l_mul_size(&all, m + 1, m + 1) || all >= UINT32_MAX)
        return f2l_fail(err, F2L_UNKNOWN,
                        "level %zu: %zu coordinates with a delay have too many states", d->plan->l,
                        m);
    f2l_status status =
        f2l_task_memory(d->plan->task, "the codes of a delay", all * 2 * sizeof *d->state, err);
    if (status == F2L_OK)
        status = f2l_meter_spend(&d->meter, all * 2 * sizeof *d->state, 0, 0, err);
    if (status != F2L_OK) return status;
    d->number = f2l_calloc(all, sizeof *d->number);
    d->state = f2l_calloc(all, sizeof *d->state);
    uint8_t *written = f2l_calloc(m, SIDES);
    if (d->number != NULL && d->state != NULL && written != NULL) {
        for (size_t i = 0; i < d->letters; i++) {
            const f2l_t4_slot_letter *letter = &d->letter[i];
            if (context_of(d, letter)->action == F2L_ACTION_IDLE)
                erases = d->plan->gated;
            else
                written[letter->cur * SIDES + letter->side] = 1;
        }
        meet_delayed_state(d, start, m);
        status = spread_delayed_states(d, written, erases, err);
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(written);
    return status;
}

/* Adds one write per letter: the coordinate into the slot of its side; an idle letter erases both
 * slots. */
static f2l_status add_writes(f2l_head *head, delay *d, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < d->letters; i++) {
        status = f2l_meter_spend(&d->meter, F2L_FACTOR_STEPS + 2 * F2L_ENTRY_STEPS, (double)i,
                                 (double)d->letters, err);
        if (status != F2L_OK) break;
        const f2l_t4_slot_letter *letter = &d->letter[i];
        f2l_transition *t = &head->letter[i];
        if (context_of(d, letter)->action == F2L_ACTION_IDLE) {
            if (d->plan->gated) mpq_set_ui(t->gate, 0, 1);
            continue;
        }
        status = f2l_transition_set_factors(t, 1, err);
        if (status != F2L_OK) break;
        mpq_set_ui(t->factor[0].beta, 1, 1);
        status = f2l_qvec_push_si(&t->factor[0].u, letter->side, 1, 1, err);
        if (status == F2L_OK) status = f2l_qvec_push_si(&t->factor[0].c, letter->cur, 1, 1, err);
    }
    return status;
}

/* Adds the upper table: the next level's context is known, or is in the row of the other side's
 * slot. */
static f2l_status add_upper_table(f2l_layer *layer, delay *d, f2l_error *err)
{
    const f2l_t4_plan *plan = d->plan;
    const size_t values[SLOT_PARTS] = {plan->m + 1, plan->m + 1, 1};
    size_t entries = 0;
    uint32_t *reads = f2l_calloc(d->letters, sizeof *reads);
    if (reads == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < d->letters; i++) {
        reads[i] = d->letter[i].next == F2L_NO_SYMBOL ? 1 - d->letter[i].side : NO_SLOT;
        entries += values[reads[i]];
    }
    f2l_status status =
        f2l_task_memory(plan->task, "the decoder of a delay", entries * sizeof *layer->symbol, err);
    if (status == F2L_OK)
        status = f2l_meter_spend(&d->meter, entries * sizeof *layer->symbol, 0, 0, err);
    if (status == F2L_OK) status = f2l_layer_set_parts(layer, SLOT_PARTS, values, reads, err);
    f2l_free(reads);
    for (size_t i = 0; status == F2L_OK && i < d->letters; i++) {
        uint32_t *row = layer->symbol + layer->symbol_at[i];
        const f2l_context *x = context_of(d, &d->letter[i]);
        row[0] = d->letter[i].next;
        if (row[0] != F2L_NO_SYMBOL) continue;
        for (size_t old = 0; old < plan->cascade->cover_count[x->from]; old++)
            row[old] = plan->level->next[x->next + old];
    }
    return status;
}

/* Appends the state of the slots, which are rows with one-hot contents. */
static f2l_status slots_state(f2l_qvec *out, size_t m, size_t first, size_t second, f2l_error *err)
{
    f2l_status status = first < m ? f2l_qvec_push_si(out, (uint32_t)first, 1, 1, err) : F2L_OK;
    if (status == F2L_OK && second < m)
        status = f2l_qvec_push_si(out, (uint32_t)(m + second), 1, 1, err);
    return status;
}

static f2l_status build_upper(f2l_layer *layer, delay *d, uint32_t start, size_t symbols,
                              f2l_error *err)
{
    const size_t m = d->plan->m;
    f2l_status status = close_upper(d, start, err);
    if (status == F2L_OK)
        status = f2l_meter_spend(&d->meter, d->letters * F2L_TRANSITION_STEPS, 0, 0, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, d->letters, 1, err);
    if (status != F2L_OK) return status;
    layer->head[0].n = SIDES;
    layer->head[0].d = m;
    status = slots_state(&layer->head[0].initial, m, start, m, err);
    if (status == F2L_OK) status = add_writes(&layer->head[0], d, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, d->codes, symbols, false, err);
    if (status == F2L_OK) status = add_upper_table(layer, d, err);
    for (size_t i = 0; status == F2L_OK && i < d->codes; i++) {
        status = f2l_meter_spend(&d->meter, sizeof(f2l_qvec) + 2 * F2L_ENTRY_STEPS, (double)i,
                                 (double)d->codes, err);
        if (status != F2L_OK) break;
        const uint32_t width = (uint32_t)m + 1, first = d->state[i] / width,
                       second = d->state[i] % width;
        layer->part[SLOT_PARTS * i] = first;
        layer->part[SLOT_PARTS * i + 1] = second;
        status = slots_state(&layer->code[i], m, first, second, err);
    }
    return status;
}

f2l_status f2l_t4_delay_upper(f2l_layer *layer, const f2l_t4_plan *plan, f2l_t4_slot_letter *letter,
                              size_t letters, uint32_t start, size_t symbols, f2l_error *err)
{
    delay d = {.plan = plan,
               .letter = letter,
               .letters = letters,
               .meter = {.task = plan->task, .phase = "building a delay"}};
    f2l_status status = build_upper(layer, &d, start, symbols, err);
    f2l_free(d.number);
    f2l_free(d.state);
    return status;
}

f2l_status f2l_t4_delay_build(f2l_layer layer[2], const f2l_t4_plan *plan, uint32_t start,
                              size_t symbols, f2l_error *err)
{
    delay d = {.plan = plan, .meter = {.task = plan->task, .phase = "building a delay"}};
    f2l_status status = build_lower(&layer[0], &d, start, err);
    if (status == F2L_OK) status = build_upper(&layer[1], &d, start, symbols, err);
    f2l_free(d.letter);
    f2l_free(d.number);
    f2l_free(d.state);
    return status;
}
