/* Breadth-first over the pairs of one level after the other. A level needs no other level's table:
 * the contexts of the cascade are already all letters that the level below can give. */
#include "theory/certify/local/local.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/local/impl.h"
#include <stdio.h>
#include <string.h>

#define EDGES_PER_POLL 64
#define EDGE_STEPS 10 /* steps of an edge whose step is remembered */
#define STATE_BYTES 4
#define SET_BYTES 4

typedef struct walk {
    f2l_local *out;
    const f2l_local_machine *machine;
    const f2l_net *net;
    const f2l_cascade *cascade;
    const size_t *layers; /* [levels] number of layers of each level */
    f2l_local_reading reading;
    const f2l_fsa *fsa;
    bool keep;
    size_t max_pairs, edges;
    const f2l_task *task;
    const char *phase;
    uint32_t *expected; /* as f2l_face_expect_any gives it */
    uint32_t stage;     /* stage of the start chain that enters the present level */
    size_t held;        /* bytes of the tables of the earlier levels */
    /* [layers of the network] as many as the present level has: */
    size_t *code;   /* [layers] codes of the new state */
    uint32_t *from; /* [layers] numbers of the old local states */
    f2l_local_states *states;
    /* Of the present level, 0-based; its first layer. */
    size_t l, layer, width;
    f2l_pairs pairs;    /* rows: the numbers of the layers' local states, then the set id */
    size_t beside;      /* bytes of the tables of local states */
    unsigned char *row; /* the row that is looked up */
    size_t *first;      /* [sets + 1] contexts whose old stage is set Z: order[first[Z]] .. */
    uint32_t *order;    /* [contexts] */
    uint8_t *inside;    /* [contexts of the next level] X'a was found inside Y' */
    f2l_index known;    /* the contexts of the next level, where contexts share letters */
    uint32_t *next;     /* when kept */
    size_t nexts, next_capacity;
} walk;

static f2l_status failing(const walk *w, size_t context, const char *what, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN, "level %zu, context %zu: %s", w->l + 1, context + 1, what);
}

/* Sets the child child(Z, cur(s)); returns false when the set has no such child, or the codes
 * determine no coordinate. */
static bool find_child_set(const walk *w, uint32_t set, const size_t *code, uint32_t *out)
{
    const f2l_cascade *c = w->cascade;
    const f2l_layer *layer = &w->net->layer[w->layer];
    *out = set;
    if (c->lambda[set] != w->l + 1) return true;
    uint32_t coordinate = layer->part[code[0] * layer->parts];
    if (w->reading.coordinate &&
        !w->reading.coordinate(w->reading.context, w->l, set, code, &coordinate))
        return false;
    if (coordinate >= c->cover_count[set]) return false;
    *out = c->cover[c->cover_at[set] + coordinate];
    return true;
}

static bool image_inside(const walk *w, uint32_t from, size_t letter, uint32_t to)
{
    const f2l_subsets *sets = &w->cascade->sets;
    const uint64_t *target = f2l_subsets_get(sets, to);
    const size_t letters = w->fsa->letters.count;
    F2L_SET_EACH(q, f2l_subsets_get(sets, from), sets->words)
    {
        if (!f2l_set_has(target, w->fsa->next[q * letters + letter])) return false;
    }
    return true;
}

static uint64_t context_hash(const f2l_context *x)
{
    return f2l_hash(f2l_hash(f2l_hash(F2L_HASH, x->letter), x->from), x->to);
}

static uint64_t hash_of_listed_context(const void *contexts, size_t number)
{
    return context_hash((const f2l_context *)contexts + number);
}

static bool is_context(const void *contexts, size_t number, const void *key)
{
    const f2l_context *x = (const f2l_context *)contexts + number, *y = key;
    return x->letter == y->letter && x->from == y->from && x->to == y->to;
}

/* Lists the contexts of the next level, unless each has a letter of its own. */
static f2l_status know_contexts(walk *w, f2l_error *err)
{
    if (w->l + 1 == w->cascade->levels || !w->reading.letter || !w->reading.letter[w->l + 1])
        return F2L_OK;
    const f2l_level *level = &w->cascade->level[w->l + 1];
    const size_t bytes = f2l_index_slots(level->contexts) * sizeof(uint32_t);
    f2l_status status = f2l_task_spend(w->task, w->phase, bytes + 20 * level->contexts, err);
    if (status != F2L_OK) return status;
    if (!f2l_index_reserve(&w->known, level->contexts, hash_of_listed_context, level->context))
        return f2l_fail_memory(err);
    /* Of equal contexts the first one is found; all have a number, as in the cascade. */
    for (size_t i = 0; i < level->contexts; i++)
        f2l_index_add(&w->known, context_hash(&level->context[i]));
    return F2L_OK;
}

/* Returns the number of the context of the next level that the symbol is if it is right. */
static size_t context_of_symbol(const walk *w, size_t letter, uint32_t from, uint32_t to,
                                uint32_t symbol)
{
    const f2l_context key = {.letter = (uint32_t)letter, .from = from, .to = to};
    const f2l_context *context = w->cascade->level[w->l + 1].context;
    if (w->known.count > 0)
        return f2l_index_find(&w->known, context_hash(&key), is_context, context, &key);
    return is_context(context, symbol, &key) ? symbol : F2L_NO_INDEX;
}

/* Checks (2, 4): `symbol` must be what the next level reads for the context (letter, from, to). */
static f2l_status check_handed_symbol(walk *w, size_t context, size_t letter, uint32_t from,
                                      uint32_t to, uint32_t symbol, f2l_error *err)
{
    const size_t y = context_of_symbol(w, letter, from, to, symbol);
    if (y == F2L_NO_INDEX || f2l_local_letter(&w->reading, w->l + 1, y) != symbol)
        return failing(w, context, "the decoder hands on another letter or other stages", err);
    if (w->inside[y]) return F2L_OK;
    if (!image_inside(w, from, letter, to))
        return failing(w, context, "the old stage's image leaves the new stage", err);
    w->inside[y] = 1;
    return F2L_OK;
}

/* Checks (5): the label of every state of the last stage, or the output of every transition by the
 * letter from the old one. */
static f2l_status check_last_label(const walk *w, size_t context, size_t letter, uint32_t from,
                                   uint32_t to, uint32_t symbol, f2l_error *err)
{
    const f2l_cascade *c = w->cascade;
    if (c->lambda[to] != c->levels + 1)
        return failing(w, context, "the last stage is not final", err);
    if (!image_inside(w, from, letter, to))
        return failing(w, context, "the old stage's image leaves the new stage", err);
    const bool edges = w->net->label == F2L_LABEL_EDGES;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, edges ? from : to), c->sets.words)
    {
        if (w->expected[edges ? q * w->fsa->letters.count + letter : q] != symbol)
            return failing(w, context, "the decoder gives another label", err);
    }
    return F2L_OK;
}

/* Checks (2) to (5) for one edge, from a pair with child `from` to the set `set` and the codes in
 * w->code; `symbol` is the output of the level. */
static f2l_status check_local_edge(walk *w, size_t context, uint32_t from, uint32_t set,
                                   uint32_t symbol, f2l_error *err)
{
    const size_t letter = w->cascade->level[w->l].context[context].letter;
    uint32_t to;
    if (!find_child_set(w, set, w->code, &to))
        return failing(w, context, "the new coordinate names no member of its cover", err);
    if (w->l + 1 < w->cascade->levels)
        return check_handed_symbol(w, context, letter, from, to, symbol, err);
    return check_last_label(w, context, letter, from, to, symbol, err);
}

static size_t other_bytes(const walk *w)
{
    return w->held + w->beside + w->next_capacity * sizeof *w->next;
}

static f2l_status add_local_pair(walk *w, uint32_t set, size_t *index, f2l_error *err)
{
    w->pairs.other_bytes = other_bytes(w);
    f2l_pairs_put(w->row + w->width, SET_BYTES, set);
    f2l_status status = f2l_pairs_add(&w->pairs, w->row, index, w->task, w->phase, err);
    if (status == F2L_UNKNOWN && w->pairs.count >= w->pairs.limit)
        f2l_fail(err, F2L_UNKNOWN, "limit of %zu pairs reached", w->out->pairs + w->pairs.count);
    return status;
}

static f2l_status keep_next(walk *w, size_t pair, f2l_error *err)
{
    if (!w->keep) return F2L_OK;
    if (!f2l_grow((void **)&w->next, &w->next_capacity, w->nexts, sizeof *w->next))
        return f2l_fail_memory(err);
    w->next[w->nexts++] = (uint32_t)pair;
    return F2L_OK;
}

/* Writes state number `id` of layer i of the level to w->row and w->code. */
static void put_state(walk *w, size_t i, size_t id)
{
    f2l_pairs_put(w->row + i * STATE_BYTES, STATE_BYTES, id);
    w->code[i] = w->states[i].code[id];
}

/* Sets *id to the initial state of layer i, or to the state after `letter` from its old state, by
 * the machine. */
static f2l_status new_step(walk *w, size_t i, size_t letter, size_t *id, f2l_error *err)
{
    f2l_local_states *states = &w->states[i];
    const size_t bytes = f2l_local_states_bytes(states);
    states->found.other_bytes =
        other_bytes(w) + f2l_pairs_bytes(&w->pairs) - f2l_pairs_bytes(&states->found);
    f2l_status status =
        letter == F2L_NO_INDEX
            ? f2l_local_states_start(states, id, w->task, w->phase, err)
            : f2l_local_states_step(states, letter, w->from[i], id, w->task, w->phase, err);
    w->beside += f2l_local_states_bytes(states) - bytes;
    return status;
}

/* Steps the layers of the level one after the other, each on the symbol of the one below; writes
 * the new state to w->row and w->code, and sets *symbol to the symbol of the last layer. */
static f2l_status step_level_layers(walk *w, size_t context, uint32_t *symbol, f2l_error *err)
{
    size_t letter = f2l_local_letter(&w->reading, w->l, context);
    for (size_t i = 0; i < w->layers[w->l]; i++) {
        f2l_local_states *states = &w->states[i];
        size_t id;
        f2l_status status = F2L_OK;
        if (!f2l_local_states_know(states, letter, w->from[i], &id))
            status = new_step(w, i, letter, &id, err);
        if (status != F2L_OK) return status;
        if (id == F2L_NO_INDEX) return failing(w, context, "the new state has no code", err);
        put_state(w, i, id);
        *symbol = f2l_layer_symbol(&w->net->layer[w->layer + i], letter, w->code[i]);
        if (*symbol == F2L_NO_SYMBOL)
            return failing(w, context, "the decoder has no symbol there", err);
        letter = *symbol;
    }
    return F2L_OK;
}

static f2l_status one_edge(walk *w, size_t context, uint32_t from, f2l_error *err)
{
    size_t pair;
    uint32_t symbol = F2L_NO_SYMBOL;
    const uint32_t set = w->cascade->level[w->l].context[context].to;
    f2l_status status = step_level_layers(w, context, &symbol, err);
    if (status != F2L_OK) return status;
    status = check_local_edge(w, context, from, set, symbol, err);
    if (status == F2L_OK) status = add_local_pair(w, set, &pair, err);
    return status == F2L_OK ? keep_next(w, pair, err) : status;
}

/* Loads the states and codes of a row. */
static void load_local_row(walk *w, const unsigned char *row)
{
    for (size_t i = 0; i < w->layers[w->l]; i++) {
        w->from[i] = (uint32_t)f2l_pairs_take(row + i * STATE_BYTES, STATE_BYTES);
        w->code[i] = w->states[i].code[w->from[i]];
    }
}

static f2l_status expand_local_pair(walk *w, size_t pair, f2l_error *err)
{
    const unsigned char *row = f2l_pairs_get(&w->pairs, pair);
    const uint32_t set = (uint32_t)f2l_pairs_take(row + w->width, SET_BYTES);
    load_local_row(w, row);
    uint32_t from;
    if (!find_child_set(w, set, w->code, &from))
        return f2l_fail(err, F2L_UNKNOWN, "level %zu: a coordinate names no member of its cover",
                        w->l + 1);
    f2l_status status = F2L_OK;
    for (size_t i = w->first[set]; status == F2L_OK && i < w->first[set + 1]; i++) {
        status = f2l_task_spend(w->task, w->phase, EDGE_STEPS, err);
        if (status == F2L_OK && ++w->edges % EDGES_PER_POLL == 0)
            status = f2l_task_poll(w->task, w->phase, (double)(w->out->pairs + pair), 0, err);
        if (status == F2L_OK) status = one_edge(w, w->order[i], from, err);
    }
    return status;
}

/* Checks (0): the initial pair, and the stage that enters the next level. */
static f2l_status start_pair(walk *w, f2l_error *err)
{
    size_t pair;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < w->layers[w->l]; i++) {
        size_t id;
        status = new_step(w, i, F2L_NO_INDEX, &id, err);
        if (status != F2L_OK) return status;
        if (id == F2L_NO_INDEX)
            return f2l_fail(err, F2L_UNKNOWN, "layer %zu: the initial state has no code",
                            w->layer + i + 1);
        put_state(w, i, id);
    }
    status = add_local_pair(w, w->stage, &pair, err);
    if (status != F2L_OK) return status;
    if (!find_child_set(w, w->stage, w->code, &w->stage))
        return f2l_fail(err, F2L_UNKNOWN,
                        "level %zu: the initial coordinate names no member of "
                        "its cover",
                        w->l + 1);
    return F2L_OK;
}

/* Sorts the contexts by their old stage, in context order. */
static f2l_status sort_contexts(walk *w, f2l_error *err)
{
    const f2l_level *level = &w->cascade->level[w->l];
    const size_t sets = w->cascade->sets.count;
    const bool last = w->l + 1 == w->cascade->levels;
    w->first = f2l_calloc(sets + 2, sizeof *w->first);
    w->order = f2l_calloc(level->contexts, sizeof *w->order);
    w->inside = f2l_calloc(last ? 1 : w->cascade->level[w->l + 1].contexts, 1);
    if (!w->first || !w->order || !w->inside) return f2l_fail_memory(err);
    /* first[Z + 2] is a count; then first[Z + 1] is the begin of Z and moves to its end. */
    for (size_t i = 0; i < level->contexts; i++) w->first[level->context[i].from + 2]++;
    for (size_t z = 2; z < sets + 2; z++) w->first[z] += w->first[z - 1];
    for (size_t i = 0; i < level->contexts; i++)
        w->order[w->first[level->context[i].from + 1]++] = (uint32_t)i;
    return know_contexts(w, err);
}

/* Moves the level's table to `out` as plain arrays. */
static f2l_status keep_level_table(walk *w, f2l_error *err)
{
    f2l_local_level *level = &w->out->level[w->l];
    const size_t pairs = w->pairs.count, layers = w->layers[w->l];
    const size_t each = (2 + layers) * sizeof *level->set + sizeof *level->next_at;
    const size_t bytes = pairs * each + w->nexts * sizeof *level->next;
    f2l_status status = f2l_task_memory(w->task, w->phase,
                                        f2l_pairs_bytes(&w->pairs) + other_bytes(w) + bytes, err);
    if (status == F2L_OK) status = f2l_task_spend(w->task, w->phase, bytes, err);
    if (status != F2L_OK) return status;
    level->layers = layers;
    level->set = f2l_calloc(pairs, sizeof *level->set);
    level->code = f2l_calloc(pairs, layers * sizeof *level->code);
    level->next_at = f2l_calloc(pairs + 1, sizeof *level->next_at);
    if (w->reading.coordinate) level->child = f2l_calloc(pairs, sizeof *level->child);
    if (!level->set || !level->code || !level->next_at || (w->reading.coordinate && !level->child))
        return f2l_fail_memory(err);
    for (size_t p = 0; p < pairs; p++) {
        const unsigned char *row = f2l_pairs_get(&w->pairs, p);
        const uint32_t set = level->set[p] = (uint32_t)f2l_pairs_take(row + w->width, SET_BYTES);
        load_local_row(w, row);
        for (size_t i = 0; i < layers; i++) level->code[p * layers + i] = (uint32_t)w->code[i];
        /* The child exists: the edge to the pair was checked, or the start. */
        if (level->child) find_child_set(w, set, w->code, &level->child[p]);
        level->next_at[p + 1] = level->next_at[p] + w->first[set + 1] - w->first[set];
    }
    level->pairs = pairs;
    level->next = w->next;
    w->next = NULL;
    w->held += bytes;
    return F2L_OK;
}

static void leave_level(walk *w)
{
    w->out->pairs += w->pairs.count;
    f2l_pairs_clear(&w->pairs);
    for (size_t i = 0; i < w->layers[w->l]; i++) f2l_local_states_clear(&w->states[i]);
    f2l_free(w->row);
    f2l_free(w->first);
    f2l_free(w->order);
    f2l_free(w->inside);
    f2l_index_clear(&w->known);
    f2l_free(w->next);
    w->row = NULL;
    w->first = NULL;
    w->order = w->next = NULL;
    w->inside = NULL;
    w->nexts = w->next_capacity = w->beside = 0;
}

static f2l_status enter_layers(walk *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < w->layers[w->l]; i++) {
        status = f2l_local_states_init(&w->states[i], w->machine, w->net, w->layer + i, i > 0, err);
        w->beside += f2l_local_states_bytes(&w->states[i]);
    }
    return status;
}

static f2l_status close_level(walk *w, f2l_error *err)
{
    f2l_status status = enter_layers(w, err);
    w->width = w->layers[w->l] * STATE_BYTES;
    /* Parents are not needed here, so the number of children does not matter. */
    f2l_pairs_init(&w->pairs, w->width + SET_BYTES, w->max_pairs - w->out->pairs);
    w->row = f2l_calloc(w->width + SET_BYTES, 1);
    const size_t sorted = w->cascade->sets.count * sizeof *w->first;
    if (status == F2L_OK)
        status =
            f2l_task_spend(w->task, w->phase,
                           sorted + w->cascade->level[w->l].contexts * (2 * sizeof *w->order), err);
    if (status == F2L_OK) status = w->row ? sort_contexts(w, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = start_pair(w, err);
    for (size_t pair = 0; status == F2L_OK && pair < w->pairs.count; pair++)
        status = expand_local_pair(w, pair, err);
    if (status == F2L_OK && w->keep) status = keep_level_table(w, err);
    leave_level(w);
    w->layer += w->layers[w->l];
    return status;
}

/* Checks the end of (0). */
static f2l_status check_last_stage(const walk *w, f2l_error *err)
{
    const f2l_cascade *c = w->cascade;
    if (c->lambda[w->stage] != c->levels + 1 ||
        !f2l_set_has(f2l_subsets_get(&c->sets, w->stage), w->fsa->start))
        return f2l_fail(err, F2L_UNKNOWN, "the initial coordinates do not name the start state");
    if (w->net->label != F2L_LABEL_EDGES && w->net->start != w->expected[w->fsa->start])
        return f2l_fail(err, F2L_UNKNOWN,
                        "the label of the empty word is not the label of the start state");
    return F2L_OK;
}

static f2l_status close_levels(walk *w, f2l_error *err)
{
    const size_t levels = w->cascade->levels;
    f2l_status status =
        f2l_local_check_shape(w->net, w->cascade, w->layers, &w->reading, w->fsa, err);
    /* Polled at least once: a cancelled task must not yield a verdict, however small the
     * cascade. */
    if (status == F2L_OK) status = f2l_task_poll(w->task, w->phase, 0, 0, err);
    if (status == F2L_OK && w->keep) {
        w->out->levels = levels;
        w->out->level = f2l_calloc(levels, sizeof *w->out->level);
        w->out->start = f2l_calloc(levels, sizeof *w->out->start); /* first pair of every level */
        if (!w->out->level || !w->out->start) status = f2l_fail_memory(err);
    }
    for (w->l = 0; status == F2L_OK && w->l < levels; w->l++) status = close_level(w, err);
    return status == F2L_OK ? check_last_stage(w, err) : status;
}

f2l_status f2l_local_conclude(f2l_local *out, f2l_status status, const f2l_error *why,
                              f2l_error *err)
{
    if (status != F2L_UNKNOWN) {
        if (err) *err = *why;
        return status;
    }
    snprintf(out->reason, sizeof out->reason, "%.255s", why->text);
    return F2L_OK;
}

f2l_status f2l_local_run(f2l_local *out, const f2l_local_machine *machine, const f2l_net *net,
                         const f2l_cascade *cascade, const size_t *layers,
                         f2l_local_reading reading, const f2l_fsa *fsa, bool keep, size_t max_pairs,
                         const f2l_task *task, const char *phase, f2l_error *err)
{
    walk w = {.out = out, .machine = machine, .net = net, .cascade = cascade, .layers = layers};
    f2l_error why = {0};
    w.reading = reading;
    w.fsa = fsa;
    w.keep = keep;
    w.max_pairs = max_pairs;
    w.task = task;
    w.phase = phase;
    f2l_local_clear(out);
    const f2l_face face = f2l_face_of_net(net);
    f2l_status status = f2l_face_expect_any(&w.expected, &face, fsa, &why);
    w.code = f2l_calloc(net->layers, sizeof *w.code);
    w.from = f2l_calloc(net->layers, sizeof *w.from);
    w.states = f2l_calloc(net->layers, sizeof *w.states);
    if (status == F2L_OK && (!w.code || !w.from || !w.states)) status = f2l_fail_memory(&why);
    if (status == F2L_OK) status = close_levels(&w, &why);
    f2l_free(w.expected);
    f2l_free(w.code);
    f2l_free(w.from);
    f2l_free(w.states);
    if (status == F2L_OK) {
        out->verdict = F2L_OK;
        out->levels = cascade->levels;
        return F2L_OK;
    }
    const size_t pairs = out->pairs;
    f2l_local_clear(out);
    if (status == F2L_UNKNOWN) {
        out->levels = cascade->levels;
        out->pairs = pairs;
    }
    return f2l_local_conclude(out, status, &why, err);
}
