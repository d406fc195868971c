/* The recursion of FK.8. Each stage that is met gets a node with its bound and the proof of it. */
#include "theory/obstruct/tied/tied.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/tied/impl.h"
#include <stdio.h>
#include <string.h>

#define ELEMENTS 4000
#define SETS 4000

void f2l_tied_init(f2l_tied *tied)
{
    *tied = (f2l_tied){0};
}

static void clear_stage(f2l_tied_stage *stage)
{
    for (size_t i = 0; i < stage->sets; i++) {
        f2l_word_clear(&stage->set[i].word);
        f2l_free(stage->set[i].image);
    }
    f2l_free(stage->set);
    f2l_free(stage->state);
    *stage = (f2l_tied_stage){0};
}

void f2l_tied_clear(f2l_tied *tied)
{
    for (size_t i = 0; i < tied->stages; i++) clear_stage(&tied->stage[i]);
    f2l_free(tied->stage);
    f2l_word_clear(&tied->end.apart);
    f2l_free(tied->class_of);
    f2l_tied_init(tied);
}

/* --- the search --- */

#define NO_NODE SIZE_MAX

/* A stage with its bound. Its proof goes on with node `next`, or ends here. */
typedef struct node {
    size_t bound, next;
    f2l_tied_stage stage;
    f2l_tied_end end; /* without its word */
} node;

typedef struct search {
    const f2l_fsa *fsa; /* minimal */
    f2l_label label;
    uint32_t *parent, *letter; /* [elements of the first stage] as f2l_maps_generate gives them */
    size_t most_sets;
    bool bands;
    node *node;
    size_t nodes, capacity;
    f2l_rowset known; /* stages: their states, then the images of each element; node i is row i */
    bool complete;
    const f2l_task *task;
} search;

/* One stage while it is searched. */
typedef struct stage {
    f2l_maps maps;
    uint32_t *state; /* [maps.n] of the automaton, increasing */
    bool first;      /* made by words */
    f2l_ties ties;
} stage;

static f2l_status solve_stage(size_t *number, search *s, stage *at, f2l_error *err);

/* Returns whether labels after some non-empty word differ: in the minimal automaton, whether some
 * letter leads two states to different ones, or for labels of edges whether they differ. */
static bool is_apart(const search *s, uint32_t p, uint32_t q)
{
    const size_t k = s->fsa->letters.count;
    if (s->label == F2L_LABEL_EDGES) return p != q;
    return memcmp(s->fsa->next + p * k, s->fsa->next + q * k, k * sizeof p) != 0;
}

static void clear_at(stage *at)
{
    f2l_maps_clear(&at->maps);
    f2l_ties_clear(&at->ties);
    f2l_free(at->state);
}

/* --- the proof of a set --- */

static f2l_status copy_element_word(f2l_word *out, const search *s, uint32_t element,
                                    f2l_error *err)
{
    for (uint32_t i = element; i != F2L_NO_PARENT; i = s->parent[i]) out->length++;
    out->letter = f2l_calloc(out->length, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    size_t at = out->length;
    for (uint32_t i = element; i != F2L_NO_PARENT; i = s->parent[i])
        out->letter[--at] = s->letter[i];
    return F2L_OK;
}

/* Returns a place for the next set of the proof. */
static f2l_tied_set *next_tied_set(f2l_tied_stage *out, size_t *capacity)
{
    if (!f2l_grow((void **)&out->set, capacity, out->sets, sizeof *out->set)) return NULL;
    out->set[out->sets] = (f2l_tied_set){0};
    return &out->set[out->sets++];
}

static f2l_status prove_single(f2l_tied_stage *out, size_t *capacity, const search *s,
                               const stage *at, uint32_t element, f2l_error *err)
{
    f2l_tied_set *set = next_tied_set(out, capacity);
    if (!set) return f2l_fail_memory(err);
    if (at->first) return copy_element_word(&set->word, s, element, err);
    set->image = f2l_calloc(at->maps.n, sizeof *set->image);
    if (!set->image) return f2l_fail_memory(err);
    const uint32_t *row = f2l_rowset_get(&at->maps.row, element, NULL);
    for (size_t q = 0; q < at->maps.n; q++) set->image[q] = at->state[row[q]];
    return F2L_OK;
}

/* The sets of a proof by the numbers of their origin: [ties] and [elements]; SIZE_MAX: not there.
 */
typedef struct placed {
    size_t *tie, *element;
} placed;

static size_t *place_of_parent(const placed *p, uint32_t parent)
{
    return parent < F2L_SINGLE ? &p->tie[parent] : &p->element[parent - F2L_SINGLE];
}

/* Appends the proof of a tied set: parents before it, each once. A set's parents have smaller
 * numbers, so those needed are marked first, from the set down. */
static f2l_status prove_tied_set(f2l_tied_stage *out, const search *s, const stage *at,
                                 uint32_t last, placed *p, f2l_error *err)
{
    size_t capacity = 0;
    f2l_status status = F2L_OK;
    memset(p->tie, 0, (last + 1) * sizeof *p->tie);
    memset(p->element, 0, at->maps.count * sizeof *p->element);
    p->tie[last] = 1;
    for (uint32_t i = last + 1; i-- > 0;)
        for (int side = 0; side < 2 && p->tie[i] > 0; side++)
            *place_of_parent(p, at->ties.made[i].parent[side]) = 1;
    for (uint32_t e = 0; e < at->maps.count && status == F2L_OK; e++) {
        if (p->element[e] == 0) continue;
        status = prove_single(out, &capacity, s, at, e, err);
        p->element[e] = out->sets - 1;
    }
    for (uint32_t i = 0; i <= last && status == F2L_OK; i++) {
        if (p->tie[i] == 0) continue;
        const f2l_made *made = &at->ties.made[i];
        f2l_tied_set *set = next_tied_set(out, &capacity);
        if (!set) return f2l_fail_memory(err);
        set->rule = made->rule;
        for (int side = 0; side < 2; side++)
            set->parent[side] = *place_of_parent(p, made->parent[side]);
        p->tie[i] = out->sets - 1;
    }
    return status;
}

/* Sets the proof of the stage to the proof of tied set `last`, or with F2L_SINGLE of an element. */
static f2l_status set_proof(f2l_tied_stage *out, const search *s, const stage *at, uint32_t last,
                            f2l_error *err)
{
    size_t capacity = 0;
    clear_stage(out);
    out->states = at->maps.n;
    out->state = f2l_calloc(at->maps.n, sizeof *out->state);
    if (!out->state) return f2l_fail_memory(err);
    memcpy(out->state, at->state, at->maps.n * sizeof *out->state);
    if (last >= F2L_SINGLE) return prove_single(out, &capacity, s, at, last - F2L_SINGLE, err);
    placed p = {.tie = f2l_calloc(last + 1, sizeof *p.tie),
                .element = f2l_calloc(at->maps.count, sizeof *p.element)};
    const f2l_status status =
        p.tie && p.element ? prove_tied_set(out, s, at, last, &p, err) : f2l_fail_memory(err);
    f2l_free(p.tie);
    f2l_free(p.element);
    return status;
}

/* --- one stage --- */

/* Sets the bound to 1 if an element leads a state to one that is not equivalent to it. */
static f2l_status try_one(node *out, const search *s, const stage *at, f2l_error *err)
{
    for (uint32_t e = 0; e < at->maps.count; e++) {
        const uint32_t *row = f2l_rowset_get(&at->maps.row, e, NULL);
        for (size_t q = 0; q < at->maps.n; q++) {
            const uint32_t to = at->state[row[q]];
            if (!is_apart(s, at->state[q], to)) continue;
            out->bound = 1;
            out->end = (f2l_tied_end){.layers = 1, .from = at->state[q], .to = {to, to}};
            return set_proof(&out->stage, s, at, F2L_SINGLE + e, err);
        }
    }
    return F2L_OK;
}

/* Sets the bound to 2 if elements of tied set `i` lead a state to two that are not equivalent. */
static f2l_status try_two(node *out, const search *s, const stage *at, uint32_t i, f2l_error *err)
{
    const uint64_t *set = f2l_ties_set(&at->ties, i);
    for (size_t q = 0; q < at->maps.n; q++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t e = 0; e < at->maps.count; e++) {
            if (!f2l_bits_have(set, e)) continue;
            const uint32_t to = at->state[f2l_rowset_get(&at->maps.row, e, NULL)[q]];
            if (first == UINT32_MAX) first = to;
            if (!is_apart(s, first, to)) continue;
            out->bound = 2;
            out->end = (f2l_tied_end){.layers = 2, .from = at->state[q], .to = {first, to}};
            return set_proof(&out->stage, s, at, i, err);
        }
    }
    return F2L_OK;
}

/* Makes the stage of the elements of `power` from state `from` of the stage at: *out is to be
 * cleared by the caller. `index` is scratch, [at->maps.n]. */
static f2l_status descend_to_state(stage *out, const stage *at, const uint64_t *power,
                                   uint32_t from, uint32_t *index, f2l_error *err)
{
    *out = (stage){0};
    f2l_rowset_init(&out->maps.row);
    memset(index, 0xff, at->maps.n * sizeof *index);
    index[from] = 0;
    for (size_t e = 0; e < at->maps.count; e++)
        if (f2l_bits_have(power, e)) index[f2l_rowset_get(&at->maps.row, e, NULL)[from]] = 0;
    for (size_t q = 0; q < at->maps.n; q++)
        if (index[q] == 0) index[q] = (uint32_t)out->maps.n++;
    out->state = f2l_calloc(out->maps.n, sizeof *out->state);
    uint32_t *row = f2l_calloc(out->maps.n, sizeof *row);
    f2l_status status = out->state && row ? F2L_OK : f2l_fail_memory(err);
    for (size_t q = 0; q < at->maps.n && status == F2L_OK; q++)
        if (index[q] != UINT32_MAX) out->state[index[q]] = at->state[q];
    for (size_t e = 0; e < at->maps.count && status == F2L_OK; e++) {
        size_t number;
        if (!f2l_bits_have(power, e)) continue;
        const uint32_t *image = f2l_rowset_get(&at->maps.row, e, NULL);
        for (size_t q = 0; q < at->maps.n; q++)
            if (index[q] != UINT32_MAX) row[index[q]] = index[image[q]];
        status = f2l_rowset_add(&out->maps.row, row, out->maps.n, &number, err);
    }
    out->maps.count = out->maps.row.count;
    f2l_free(row);
    return status;
}

/* What the descents from one stage need. */
typedef struct descents {
    uint64_t *power, *scratch; /* scratch: 2 sets */
    uint32_t *index;           /* [at->maps.n] */
    bool *tried;               /* [at->maps.n] */
} descents;

/* Tries the descent by tied set `i` from one state. */
static f2l_status try_from(node *out, search *s, const stage *at, uint32_t i, uint32_t from,
                           descents *d, f2l_error *err)
{
    stage below;
    size_t number = NO_NODE;
    f2l_status status = descend_to_state(&below, at, d->power, from, d->index, err);
    /* A stage of n states needs at most n - 1 layers (T4.9). */
    if (status == F2L_OK && below.maps.n > 1 && below.maps.n > out->bound)
        status = solve_stage(&number, s, &below, err);
    if (status == F2L_OK && number != NO_NODE && 1 + s->node[number].bound > out->bound) {
        out->bound = 1 + s->node[number].bound;
        out->next = number;
        status = set_proof(&out->stage, s, at, i, err);
        out->stage.from = at->state[from];
    }
    clear_at(&below);
    return status;
}

/* Tries all descents by tied set `i`. */
static f2l_status try_set(node *out, search *s, const stage *at, uint32_t i, descents *d,
                          f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_bits_power(d->power, &at->maps, f2l_ties_set(&at->ties, i), d->scratch);
    memset(d->tried, 0, at->maps.n * sizeof *d->tried);
    for (size_t e = 0; e < at->maps.count; e++)
        for (size_t q = 0; q < at->maps.n && f2l_bits_have(d->power, e); q++)
            d->tried[f2l_rowset_get(&at->maps.row, e, NULL)[q]] = true;
    for (uint32_t q = 0; q < at->maps.n && status == F2L_OK; q++)
        if (d->tried[q]) status = try_from(out, s, at, i, q, d, err);
    return status;
}

static f2l_status try_sets(node *out, search *s, stage *at, f2l_error *err)
{
    f2l_status status = f2l_ties_find(&at->ties, &at->maps, s->bands, s->most_sets, s->task, err);
    if (status != F2L_OK) return status;
    s->complete &= at->ties.complete;
    descents d = {.power = f2l_calloc(3 * at->maps.words, sizeof *d.power),
                  .index = f2l_calloc(at->maps.n, sizeof *d.index),
                  .tried = f2l_calloc(at->maps.n, sizeof *d.tried)};
    if (!d.power || !d.index || !d.tried)
        status = f2l_fail_memory(err);
    else
        d.scratch = d.power + at->maps.words;
    for (uint32_t i = 0; i < at->ties.count && status == F2L_OK && out->bound < 2; i++)
        status = try_two(out, s, at, i, err);
    for (uint32_t i = 0; i < at->ties.count && status == F2L_OK; i++)
        if (at->ties.made[i].maximal) status = try_set(out, s, at, i, &d, err);
    f2l_free(d.power);
    f2l_free(d.index);
    f2l_free(d.tried);
    return status;
}

/* Finds the number of the stage in s->known, and adds it. */
static f2l_status know_stage(size_t *number, search *s, const stage *at, f2l_error *err)
{
    const size_t n = at->maps.n, size = n * (at->maps.count + 1);
    uint32_t *key = f2l_calloc(size, sizeof *key);
    if (!key) return f2l_fail_memory(err);
    memcpy(key, at->state, n * sizeof *key);
    for (size_t e = 0; e < at->maps.count; e++)
        memcpy(key + n * (e + 1), f2l_rowset_get(&at->maps.row, e, NULL), n * sizeof *key);
    const f2l_status status = f2l_rowset_add(&s->known, key, size, number, err);
    f2l_free(key);
    return status;
}

/* Finds the bound of a stage, whose products are found if need be; the node is *number. A limit of
 * the task leaves a smaller bound. */
static f2l_status solve_stage(size_t *number, search *s, stage *at, f2l_error *err)
{
    f2l_status status = know_stage(number, s, at, err);
    if (status != F2L_OK || *number < s->nodes) return status;
    if (!f2l_grow((void **)&s->node, &s->capacity, s->nodes, sizeof *s->node))
        return f2l_fail_memory(err);
    s->node[s->nodes++] = (node){.next = NO_NODE};
    node new = {.next = NO_NODE};
    if (!at->maps.product) status = f2l_maps_multiply(&at->maps, s->task, err);
    if (status == F2L_OK) status = try_one(&new, s, at, err);
    if (status == F2L_OK && new.bound > 0) status = try_sets(&new, s, at, err);
    if (status == F2L_UNKNOWN) {
        s->complete = false;
        status = F2L_OK;
    }
    s->node[*number] = new;
    return status;
}

/* --- the whole --- */

/* Moves the stages from the first node on to the result, and adds the word of the end. */
static f2l_status assemble(f2l_tied *out, search *s, f2l_error *err)
{
    size_t last = 0, capacity = 0;
    out->layers = s->node[0].bound;
    if (out->layers == 0) return F2L_OK;
    for (size_t i = 0; i != NO_NODE; i = s->node[i].next) {
        if (!f2l_grow((void **)&out->stage, &capacity, out->stages, sizeof *out->stage))
            return f2l_fail_memory(err);
        out->stage[out->stages++] = s->node[i].stage;
        s->node[i].stage = (f2l_tied_stage){0};
        last = i;
        const f2l_tied_stage *new = &out->stage[out->stages - 1];
        for (size_t j = 0; j < new->sets; j++) out->finite |= new->set[j].rule == F2L_TIED_BAND;
    }
    out->end = s->node[last].end;
    const f2l_tuples apart = {
        .fsa = s->fsa, .size = 2, .label = s->label, .ends = f2l_tuples_are_apart};
    const size_t *to = out->end.to;
    const uint32_t pair[] = {(uint32_t)(out->end.layers == 1 ? out->end.from : to[0]),
                             (uint32_t)to[1]};
    bool found;
    return f2l_tuples_find(&out->end.apart, &found, &apart, pair, NULL, err);
}

static f2l_status find_tied_bound(f2l_tied *out, search *s, size_t elements, f2l_error *err)
{
    size_t number;
    stage at = {.first = true};
    f2l_status status =
        f2l_maps_generate(&at.maps, &s->parent, &s->letter, s->fsa, elements, s->task, err);
    out->elements = at.maps.row.count;
    if (status == F2L_OK) {
        at.state = f2l_calloc(at.maps.n, sizeof *at.state);
        if (!at.state) status = f2l_fail_memory(err);
        for (uint32_t q = 0; q < at.maps.n && status == F2L_OK; q++) at.state[q] = q;
        if (status == F2L_OK) status = solve_stage(&number, s, &at, err);
        if (status == F2L_OK) status = assemble(out, s, err);
        out->complete = s->complete;
        if (!s->complete)
            snprintf(out->reason, sizeof out->reason,
                     "not all tied sets were found within the limits");
    }
    clear_at(&at);
    return status;
}

static f2l_status find_for(f2l_tied *out, const f2l_fsa *minimal, f2l_label label,
                           const f2l_tied_limits *limits, const f2l_task *task, f2l_error *err)
{
    search s = {.fsa = minimal,
                .label = label,
                .most_sets = limits && limits->sets ? limits->sets : SETS,
                .bands = limits && limits->bands,
                .complete = true,
                .task = task};
    size_t elements = limits && limits->elements ? limits->elements : ELEMENTS;
    if (elements > F2L_MOST_MAPS) elements = F2L_MOST_MAPS;
    f2l_rowset_init(&s.known);
    out->states = minimal->states.count;
    const f2l_status status = find_tied_bound(out, &s, elements, err);
    for (size_t i = 0; i < s.nodes; i++) clear_stage(&s.node[i].stage);
    f2l_free(s.node);
    f2l_free(s.parent);
    f2l_free(s.letter);
    f2l_rowset_clear(&s.known);
    return status;
}

f2l_status f2l_tied_find(f2l_tied *out, const f2l_fsa *fsa, f2l_label label,
                         const f2l_tied_limits *limits, const f2l_task *task, f2l_error *err)
{
    f2l_fsa minimal;
    f2l_fsa_init(&minimal);
    f2l_tied_clear(out);
    f2l_status status = f2l_fsa_minimal(&minimal, &out->class_of, fsa, label, task, err);
    if (status == F2L_OK) status = find_for(out, &minimal, label, limits, task, err);
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
        status = F2L_OK;
    }
    f2l_fsa_clear(&minimal);
    if (status != F2L_OK) f2l_tied_clear(out);
    return status;
}
