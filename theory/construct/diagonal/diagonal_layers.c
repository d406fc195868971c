/* The layers of one level and the tables between them (theory/pages/diagonal.md, G.6). */
#include "numeric/base/mem.h"
#include "theory/construct/diagonal/impl.h"

/* Outcomes of a context share letters; few of these letters move every head. */
#define FACTOR_STEPS 40

f2l_status f2l_diagonal_outcomes(f2l_diagonal_level *b, const f2l_context *x, f2l_error *err)
{
    const f2l_cascade *c = b->plan.cascade;
    const f2l_refined *r = b->base;
    const f2l_frame *f = b->frame;
    const bool reads = f2l_t4_reads(&b->plan, x);
    b->outcomes = 0;
    b->any = x->action == F2L_ACTION_IDLE && !reads;
    if (b->any) return F2L_OK;
    if (x->action == F2L_ACTION_RESET) {
        const f2l_refine_part *p = f2l_refine_part_of(r, c, x->to);
        for (size_t h = 0; h < f->hidden; h++) {
            const uint32_t tuple = f2l_frame_put(f, p->tuple[p->first[x->target]], h);
            b->outcome[b->outcomes++] = (f2l_outcome){tuple, tuple, 0, x->target};
        }
        return F2L_OK;
    }
    const f2l_refine_part *p = f2l_refine_part_of(r, c, x->from);
    f2l_status status = F2L_OK;
    if (x->action == F2L_ACTION_PERMUTATION)
        status = f2l_refine_map(b->map, p, b->plan.level->image + x->permutation, err);
    for (uint32_t i = 0; status == F2L_OK && i < p->configurations; i++) {
        const uint32_t to = x->action == F2L_ACTION_PERMUTATION ? b->map[i] : i;
        for (size_t h = 0; h < f->hidden; h++) {
            const uint32_t old = f2l_frame_put(f, p->tuple[i], h);
            const size_t moved = f2l_frame_move(f, p->tuple[i], p->tuple[to], h);
            b->outcome[b->outcomes++] = (f2l_outcome){f2l_frame_put(f, p->tuple[to], moved), old,
                                                      p->point[i], p->point[to]};
        }
    }
    return status;
}

/* Numbers the beginnings (coordinates of layers before k) of the outcomes from *next on, in the
 * order of the outcomes; the number of outcome o is then number[which].of[its beginning]. */
static void number_beginnings(f2l_diagonal_level *b, size_t which, size_t k, size_t *next)
{
    b->stamp++;
    if (b->any) ++*next;
    for (size_t o = 0; o < b->outcomes; o++) {
        const uint32_t key = f2l_refine_before(b->cells, b->outcome[o].tuple, k);
        if (b->number[which].seen[key] == b->stamp) continue;
        b->number[which].seen[key] = b->stamp;
        b->number[which].of[key] = (uint32_t)(*next)++;
    }
}

static f2l_status count_level_letters(f2l_diagonal_level *b, f2l_error *err)
{
    f2l_meter meter = {.task = b->plan.task, .phase = "letters of a level"};
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < b->plan.level->contexts; x++) {
        status = f2l_diagonal_outcomes(b, &b->plan.level->context[x], err);
        for (size_t k = 0; status == F2L_OK && k < b->cells->layers; k++)
            number_beginnings(b, 0, k, &b->letters[k]);
        if (status == F2L_OK)
            status = f2l_meter_spend(&meter, 4 + b->outcomes * (4 + b->cells->layers), (double)x,
                                     (double)b->plan.level->contexts, err);
    }
    return status;
}

/* Fills all codes of the row. */
static void fill_symbol_row(f2l_layer *layer, size_t letter, uint32_t symbol)
{
    for (size_t c = 0; c < layer->codes; c++) layer->symbol[layer->symbol_at[letter] + c] = symbol;
}

/* Adds the letters of context x in layer k, which is not the last layer, from *letter on, and the
 * symbols that follow them. */
static f2l_status inner_context(f2l_layer *layer, f2l_diagonal_level *b, size_t k,
                                const f2l_context *x, size_t *letter, size_t *symbol,
                                f2l_error *err)
{
    const f2l_refined *r = b->cells;
    size_t done = *letter;
    f2l_status status = F2L_OK;
    if (b->any) fill_symbol_row(layer, *letter, (uint32_t)*symbol);
    number_beginnings(b, 0, k, letter);
    number_beginnings(b, 1, k + 1, symbol);
    for (size_t o = 0; status == F2L_OK && o < b->outcomes; o++) {
        const f2l_outcome *at = &b->outcome[o];
        const uint32_t mine = b->number[0].of[f2l_refine_before(r, at->tuple, k)];
        const size_t code = f2l_diagonal_code_of(r, k, at->tuple);
        layer->symbol[layer->symbol_at[mine] + code] =
            b->number[1].of[f2l_refine_before(r, at->tuple, k + 1)];
        if (mine != done) continue;
        status = f2l_diagonal_letter(layer, b, k, done++, x, at, err);
    }
    return status;
}

static f2l_status inner_layer(f2l_layer *layer, f2l_diagonal_level *b, size_t k, f2l_error *err)
{
    f2l_meter meter = {.task = b->plan.task, .phase = "building factors"};
    size_t letter = 0, symbol = 0;
    f2l_status status = f2l_diagonal_heads(layer, b, k, b->letters[k + 1], err);
    for (size_t x = 0; status == F2L_OK && x < b->plan.level->contexts; x++) {
        const f2l_context *context = &b->plan.level->context[x];
        status = f2l_diagonal_outcomes(b, context, err);
        if (status == F2L_OK) status = inner_context(layer, b, k, context, &letter, &symbol, err);
        if (status == F2L_OK)
            status = f2l_meter_spend(
                &meter, 10 + layer->codes / 4 + b->outcomes * (8 + layer->heads * FACTOR_STEPS),
                (double)x, (double)b->plan.level->contexts, err);
    }
    return status;
}

/* The letters of a delay. */
typedef struct slots {
    f2l_t4_slot_letter *letter;
    size_t letters, capacity;
    uint32_t *number, *seen; /* [points][2] number of the present context's letter there, if seen */
} slots;

/* Returns what the level outputs without a delay: a label, or the next level's context. */
static uint32_t symbol_after_context(const f2l_diagonal_level *b, const f2l_context *x,
                                     const f2l_outcome *o)
{
    const f2l_cascade *c = b->plan.cascade;
    const bool reads = f2l_t4_reads(&b->plan, x);
    if (b->plan.l < c->levels) return b->plan.level->next[x->next + (reads ? o->from : 0)];
    const uint32_t set =
        c->lambda[x->to] == b->plan.l ? c->cover[c->cover_at[x->to] + o->to] : x->to;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words) return b->label_of[q];
    return F2L_NO_SYMBOL;
}

/* Sets *out to the delay's letter for the point and side after context x; for idle contexts the
 * side does not matter. */
static f2l_status slot_letter(uint32_t *out, slots *s, const f2l_diagonal_level *b, uint32_t x,
                              uint32_t side, const f2l_outcome *o, f2l_error *err)
{
    const f2l_context *context = &b->plan.level->context[x];
    const size_t key = o->to * 2 + (context->action == F2L_ACTION_IDLE ? 0 : side);
    *out = s->number[key];
    if (s->seen[key] == x + 1) return F2L_OK;
    if (s->letters >= F2L_MAX_TABLE)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu: the delay has too many letters", b->plan.l);
    if (!f2l_grow((void **)&s->letter, &s->capacity, s->letters, sizeof *s->letter))
        return f2l_fail_memory(err);
    const bool lost = f2l_t4_loses(&b->plan, context);
    s->letter[s->letters] = (f2l_t4_slot_letter){
        x, o->to, side, lost ? F2L_NO_SYMBOL : symbol_after_context(b, context, o)};
    s->seen[key] = x + 1;
    *out = s->number[key] = (uint32_t)s->letters++;
    return F2L_OK;
}

/* Handles a context after which any coordinates may be there and on which nothing depends. */
static f2l_status any_context(f2l_layer *layer, f2l_diagonal_level *b, slots *s, uint32_t x,
                              size_t letter, f2l_error *err)
{
    const f2l_outcome none = {0, 0, 0, 0};
    uint32_t symbol = symbol_after_context(b, &b->plan.level->context[x], &none);
    f2l_status status = b->delays ? slot_letter(&symbol, s, b, x, 0, &none, err) : F2L_OK;
    if (status == F2L_OK) fill_symbol_row(layer, letter, symbol);
    return status;
}

/* Adds the letters of context x in the last layer of cells. */
static f2l_status last_context(f2l_layer *layer, f2l_diagonal_level *b, slots *s, uint32_t x,
                               size_t *letter, f2l_error *err)
{
    const f2l_refined *r = b->cells;
    const size_t k = r->layers - 1;
    const f2l_context *context = &b->plan.level->context[x];
    size_t done = *letter;
    f2l_status status = b->any ? any_context(layer, b, s, x, *letter, err) : F2L_OK;
    number_beginnings(b, 0, k, letter);
    for (size_t o = 0; status == F2L_OK && o < b->outcomes; o++) {
        const f2l_outcome *at = &b->outcome[o];
        const uint32_t mine = b->number[0].of[f2l_refine_before(r, at->tuple, k)];
        uint32_t *row = layer->symbol + layer->symbol_at[mine];
        const size_t code = f2l_diagonal_code_of(r, k, at->tuple);
        if (!b->delays) row[code] = symbol_after_context(b, context, at);
        for (uint32_t side = 0; b->delays && status == F2L_OK && side < 2; side++)
            status = slot_letter(&row[2 * code + side], s, b, x, side, at, err);
        if (status == F2L_OK && mine == done)
            status = f2l_diagonal_letter(layer, b, k, done++, context, at, err);
    }
    return status;
}

static f2l_status last_layer(f2l_layer *layer, f2l_diagonal_level *b, slots *s, f2l_error *err)
{
    f2l_meter meter = {.task = b->plan.task, .phase = "building factors"};
    size_t letter = 0;
    f2l_status status = f2l_diagonal_heads(layer, b, b->cells->layers - 1, b->symbols, err);
    for (uint32_t x = 0; status == F2L_OK && x < b->plan.level->contexts; x++) {
        status = f2l_diagonal_outcomes(b, &b->plan.level->context[x], err);
        if (status == F2L_OK) status = last_context(layer, b, s, x, &letter, err);
        if (status == F2L_OK)
            status = f2l_meter_spend(
                &meter, 10 + layer->codes / 4 + b->outcomes * (8 + layer->heads * FACTOR_STEPS),
                (double)x, (double)b->plan.level->contexts, err);
    }
    if (b->delays) layer->symbols = s->letters;
    return status;
}

f2l_status f2l_diagonal_layers(f2l_layer *layer, f2l_diagonal_level *b, f2l_error *err)
{
    slots s = {0};
    f2l_status status = count_level_letters(b, err);
    for (size_t k = 0; status == F2L_OK && k + 1 < b->cells->layers; k++)
        status = inner_layer(&layer[k], b, k, err);
    s.number = f2l_calloc(4 * b->plan.m, sizeof *s.number);
    s.seen = s.number + 2 * b->plan.m;
    if (status == F2L_OK && !s.number) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = last_layer(&layer[b->cells->layers - 1], b, &s, err);
    if (status == F2L_OK && b->delays)
        status = f2l_t4_delay_upper(&layer[b->cells->layers], &b->plan, s.letter, s.letters,
                                    b->start, b->symbols, err);
    f2l_free(s.letter);
    f2l_free(s.number);
    return status;
}
