/* The meaning of the elements of a D1 form, and that the applying head follows them
 * (theory/pages/d1.md, D1.8 (d), (e)). */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"
#include <stdlib.h>
#include <string.h>

/* D1.8 (d). */

typedef struct levels {
    f2l_d1_check *c;
    uint32_t *now; /* [elements] the products of one length */
    bool *is_next; /* [elements] in the products of the next length */
    bool *seen;    /* [elements] the products that follow it have been compared */
    size_t count;
} levels;

/* Sets act of `to` to act of `from` followed by the letter if it is unknown; otherwise returns
 * whether they are equal. */
static bool continues(f2l_d1_check *c, uint32_t from, size_t letter, uint32_t to)
{
    const uint32_t *before = c->act + (size_t)from * c->states;
    uint32_t *after = c->act + (size_t)to * c->states;
    const bool known = after[0] != F2L_D1_UNSET;
    for (size_t q = 0; q < c->states; q++) {
        const uint32_t target = f2l_d1_after(c, before[q], letter);
        if (known && after[q] != target) return false;
        after[q] = target;
    }
    return true;
}

/* Makes the elements marked in is_next the current ones, in increasing order, and level
 * `length`. */
static f2l_status take_level(levels *l, size_t length, f2l_error *err)
{
    f2l_d1_check *c = l->c;
    size_t at = c->level_at[length];
    l->count = 0;
    for (size_t i = 0; i < c->elements; i++) {
        if (!l->is_next[i]) continue;
        if (!f2l_grow((void **)&c->level, &c->levels_capacity, at, sizeof *c->level))
            return f2l_fail_memory(err);
        c->level[at++] = l->now[l->count++] = (uint32_t)i;
    }
    c->level_at[length + 1] = at;
    return F2L_OK;
}

static f2l_status find_next_products(levels *l, f2l_error *err)
{
    f2l_d1_check *c = l->c;
    const size_t values = c->letters + 1;
    memset(l->is_next, 0, c->elements * sizeof *l->is_next);
    f2l_meter meter = {.task = c->task, .phase = "checking products"};
    for (size_t i = 0; i < l->count; i++) {
        const size_t states = l->seen[l->now[i]] ? 0 : c->states;
        f2l_status status = f2l_meter_spend(&meter, c->letters * (1 + states / 4), (double)i,
                                            (double)l->count, err);
        if (status != F2L_OK) return status;
        for (size_t a = 0; a < c->letters; a++) {
            const uint32_t to = c->multiply->value[l->now[i] * values + 1 + a];
            if (!l->seen[l->now[i]] && !continues(c, l->now[i], a, to))
                return f2l_fail(err, F2L_UNKNOWN, "element %u, then letter %zu, is not element %u",
                                (unsigned)l->now[i] + 1, a + 1, (unsigned)to + 1);
            l->is_next[to] = true;
        }
        l->seen[l->now[i]] = true;
    }
    return F2L_OK;
}

/* Walks the empty word and all words up to `block` letters; the products are the empty one and
 * the products of exactly `block` letters. */
static f2l_status walk_words(levels *l, f2l_error *err)
{
    f2l_d1_check *c = l->c;
    const size_t values = c->letters + 1;
    for (size_t i = 0; i < c->elements; i++)
        if (c->multiply->value[i * values] != i)
            return f2l_fail(err, F2L_UNKNOWN, "element %zu changes without a letter", i + 1);
    for (size_t i = 0; i < c->elements * c->states; i++) c->act[i] = F2L_D1_UNSET;
    for (size_t q = 0; q < c->states; q++) c->act[q] = (uint32_t)q;
    l->is_next[0] = true;
    f2l_status status = take_level(l, 0, err);
    for (size_t length = 0; status == F2L_OK && length < c->block; length++) {
        status = find_next_products(l, err);
        if (status == F2L_OK) status = take_level(l, length + 1, err);
    }
    if (status != F2L_OK) return status;
    c->product[0] = 0;
    c->products = 1;
    for (size_t i = 0; i < l->count; i++)
        if (l->now[i] != 0) c->product[c->products++] = l->now[i];
    return F2L_OK;
}

f2l_status f2l_d1_check_words(f2l_d1_check *c, f2l_error *err)
{
    levels l = {.c = c};
    size_t bytes;
    if (!f2l_mul_size(&bytes, c->elements, c->states * sizeof *c->act)) bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(c->task, "the meaning of products", bytes, err);
    if (status != F2L_OK) return status;
    c->act = f2l_calloc(c->elements, c->states * sizeof *c->act);
    c->product = f2l_calloc(c->elements, sizeof *c->product);
    l.now = f2l_calloc(c->elements, sizeof *l.now);
    l.is_next = f2l_calloc(c->elements, sizeof *l.is_next);
    l.seen = f2l_calloc(c->elements, sizeof *l.seen);
    c->level_at = f2l_calloc(c->block + 2, sizeof *c->level_at);
    const bool room = c->act && c->product && c->level_at && l.now && l.is_next && l.seen;
    status = room ? walk_words(&l, err) : f2l_fail_memory(err);
    f2l_free(l.now);
    f2l_free(l.is_next);
    f2l_free(l.seen);
    return status;
}

/* D1.8 (e). */

typedef struct listed {
    const f2l_qvec *vector;
    uint32_t code;
} listed;

typedef struct pairing {
    f2l_d1_check *c;
    listed *sorted;  /* [codes] sorted by vector */
    uint32_t *queue; /* [codes] codes with a meaning, in the order in which they were found */
    f2l_qvec state;
} pairing;

static const f2l_wired_readout *readout_of(const f2l_d1_check *c)
{
    return &c->net->block[c->ring + 1].readout[0];
}

static int compare_listed_vectors(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    return f2l_qvec_compare(x->vector, y->vector);
}

/* Returns the code that is equal to the vector, or F2L_D1_UNSET. */
static uint32_t find_code_of_vector(const pairing *p, const f2l_qvec *vector)
{
    const listed sought = {vector, 0};
    const listed *found =
        bsearch(&sought, p->sorted, p->c->codes, sizeof sought, compare_listed_vectors);
    return found ? found->code : F2L_D1_UNSET;
}

/* Sets *code to the code after a portion. */
static f2l_status apply_portion(pairing *p, uint32_t *code, uint32_t portion, f2l_error *err)
{
    f2l_d1_check *c = p->c;
    uint32_t *edge = &c->edge[*code * c->factors + portion];
    if (*edge == F2L_D1_UNSET) {
        f2l_status status = f2l_task_spend(c->task, "checking blocks", c->edge_steps, err);
        if (status == F2L_OK)
            status = f2l_exact_step_slots(c->run, &p->state, c->ring + 1, 0, &portion,
                                          &readout_of(c)->code[*code], err);
        if (status != F2L_OK) return status;
        *edge = find_code_of_vector(p, &p->state);
        if (*edge == F2L_D1_UNSET)
            return f2l_fail(err, F2L_UNKNOWN,
                            "stage %zu: value %u leads from code %u to a state without a code",
                            c->ring + 2, (unsigned)portion + 1, (unsigned)*code + 1);
    }
    *code = *edge;
    return F2L_OK;
}

/* Follows a block that begins with `code`, which means `state`, and applies `element`. */
static f2l_status run_through_block(pairing *p, uint32_t code, uint32_t state, uint32_t element,
                                    f2l_error *err)
{
    f2l_d1_check *c = p->c;
    const uint32_t target = c->act[(size_t)element * c->states + state];
    for (size_t tau = 0; tau < c->block; tau++) {
        const size_t at = (size_t)element * 2 * c->block + tau, again = at + c->block;
        const uint32_t portion = c->factor->value[at], rest = c->rest->value[at];
        if (c->factor->value[again] != portion || c->rest->value[again] != rest)
            return f2l_fail(err, F2L_UNKNOWN,
                            "the halves of the ring treat element %u in "
                            "different ways",
                            (unsigned)element + 1);
        f2l_status status = apply_portion(p, &code, portion, err);
        if (status != F2L_OK) return status;
        if (c->meaning->value[code * c->rests + rest] != target)
            return f2l_fail(err, F2L_UNKNOWN,
                            "code %u with remainder %u means another state than %u",
                            (unsigned)code + 1, (unsigned)rest + 1, (unsigned)target + 1);
    }
    if (c->meant[code] == F2L_D1_UNSET) {
        c->meant[code] = target;
        p->queue[c->pairs++] = code;
    }
    return c->meant[code] == target
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "code %u means two states at the end of a block",
                          (unsigned)code + 1);
}

/* Sets c->start to what the code means with the empty product; the walks then show whether that is
 * right. */
static f2l_status find_start_state(pairing *p, uint32_t code, f2l_error *err)
{
    f2l_d1_check *c = p->c;
    f2l_status status = apply_portion(p, &code, c->factor->value[0], err);
    if (status == F2L_OK) c->start = c->meaning->value[code * c->rests + c->rest->value[0]];
    return status;
}

static f2l_status close_pairs(pairing *p, f2l_error *err)
{
    f2l_d1_check *c = p->c;
    const f2l_wired_readout *readout = readout_of(c);
    for (size_t i = 0; i < c->codes; i++) {
        p->sorted[i] = (listed){&readout->code[i], (uint32_t)i};
        c->meant[i] = F2L_D1_UNSET;
    }
    for (size_t i = 0; i < c->codes * c->factors; i++) c->edge[i] = F2L_D1_UNSET;
    qsort(p->sorted, c->codes, sizeof *p->sorted, compare_listed_vectors);
    const uint32_t start = find_code_of_vector(p, &c->net->stage[c->ring + 1].initial[0]);
    if (start == F2L_D1_UNSET)
        return f2l_fail(err, F2L_UNKNOWN, "stage %zu: the initial state has no code", c->ring + 2);
    f2l_status status = c->moves ? find_start_state(p, start, err) : F2L_OK;
    if (status != F2L_OK) return status;
    c->meant[start] = c->start;
    p->queue[c->pairs++] = start;
    f2l_meter meter = {.task = c->task, .phase = "checking blocks"};
    for (size_t i = 0; status == F2L_OK && i < c->pairs; i++) {
        status = f2l_meter_spend(&meter, c->products * (2 * c->block + 1), (double)i,
                                 (double)c->pairs, err);
        for (size_t j = 0; status == F2L_OK && j < c->products; j++)
            status = run_through_block(p, p->queue[i], c->meant[p->queue[i]], c->product[j], err);
    }
    return status;
}

f2l_status f2l_d1_check_pairs(f2l_d1_check *c, f2l_error *err)
{
    pairing p = {.c = c};
    size_t edges, bytes;
    if (!f2l_mul_size(&edges, c->codes, c->factors) ||
        !f2l_mul_size(&bytes, edges, sizeof *c->edge))
        bytes = SIZE_MAX;
    f2l_status status = f2l_task_table(c->task, "the steps of the last layer", bytes, err);
    const f2l_wired_head *head = &c->net->block[c->ring + 1].head[0];
    const uint64_t letters = head->slot_at[head->slots];
    c->edge_steps = 40 + f2l_head_weigh(&head->head, letters, 0, 10, 10 * head->head.d) /
                             (letters ? letters : 1);
    if (status != F2L_OK) return status;
    f2l_qvec_init(&p.state);
    c->edge = f2l_calloc(c->codes, c->factors * sizeof *c->edge);
    p.sorted = f2l_calloc(c->codes, sizeof *p.sorted);
    c->meant = f2l_calloc(c->codes, sizeof *c->meant);
    p.queue = f2l_calloc(c->codes, sizeof *p.queue);
    status =
        c->edge && p.sorted && c->meant && p.queue ? close_pairs(&p, err) : f2l_fail_memory(err);
    f2l_qvec_clear(&p.state);
    f2l_free(p.sorted);
    f2l_free(p.queue);
    return status;
}
