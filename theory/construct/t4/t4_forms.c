/* A level of the cascade on the head that holds its coordinate: the factors of its contexts and the
 * vectors that represent its coordinates. All keys are unit vectors with dyadic coordinates once
 * normalised (R3). Statements: theory/pages/t4.md, T4.12. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/t4/t4_level.h"
#include <assert.h>

#define MAX_ROOT_DIMENSION 8
/* Returns the code of coordinate i of a two-state level. */
static long sign_of(size_t i)
{
    return i == 0 ? 1 : -1;
}

/* Returns the class that the head holds of a coordinate. */
static uint32_t class_of(const f2l_t4_head *head, uint32_t coordinate)
{
    return head->class_of ? head->class_of[coordinate] : coordinate;
}

f2l_status f2l_t4_code(f2l_qvec *out, const f2l_t4_head *head, uint32_t coordinate, uint32_t kept,
                       f2l_error *err)
{
    const uint32_t m = (uint32_t)head->m;
    const uint32_t cur = class_of(head, coordinate), saved = class_of(head, kept);
    uint32_t index[MAX_ROOT_DIMENSION];
    long value[MAX_ROOT_DIMENSION] = {1, 1, 1, 1};
    size_t count = 1;
    for (uint32_t i = 0; i < MAX_ROOT_DIMENSION; i++) index[i] = i;
    switch (head->form) {
    case F2L_T4_SCALAR:
        value[0] = sign_of(cur);
        break;
    case F2L_T4_WRITE:
        index[0] = cur;
        break;
    case F2L_T4_ROOTS:
        count = head->n;
        for (size_t i = 0; i < count; i++) value[i] = head->weight[cur * head->n + i];
        break;
    case F2L_T4_DOUBLED:
        count = 2;
        index[0] = cur;
        index[1] = m + cur;
        break;
    case F2L_T4_REGISTER_SCALAR:
        count = 4;
        for (size_t i = 0; i < count; i++) value[i] = sign_of(i < 2 ? cur : saved);
        break;
    case F2L_T4_REGISTER_WRITE: /* m columns */
    case F2L_T4_REGISTER_FULL:  /* four blocks of m rows: the same places */
        count = 4;
        for (uint32_t i = 0; i < count; i++) index[i] = i * m + (i < 2 ? cur : saved);
        break;
    }
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++)
        status = f2l_qvec_push_si(out, index[i], value[i], 1, err);
    return status;
}

/* Writes factors in the order in which they are applied. */
typedef struct emitter {
    f2l_transition *transition;
    size_t used;
    f2l_error *err;
    f2l_status status;
} emitter;

static f2l_factor *next_factor(emitter *e, unsigned long beta)
{
    assert(e->used < e->transition->factors);
    f2l_factor *factor = &e->transition->factor[e->used++];
    mpq_set_ui(factor->beta, beta, 1);
    return factor;
}

static void push_emitted_entry(emitter *e, f2l_qvec *v, size_t index, long value)
{
    if (e->status == F2L_OK && value != 0)
        e->status = f2l_qvec_push_si(v, (uint32_t)index, value, 1, e->err);
}

/* Sets row `row` to the value (0: 0) in the given column. */
static void set_emitted_row(emitter *e, size_t row, size_t column, long value)
{
    f2l_factor *factor = next_factor(e, 1);
    push_emitted_entry(e, &factor->u, row, 1);
    push_emitted_entry(e, &factor->c, column, value);
}

/* Adds a key with entries +1 and -1 on four rows, given in increasing order; |u| = 2. */
static f2l_factor *four(emitter *e, unsigned long beta, const size_t row[4], const long sign[4])
{
    f2l_factor *factor = next_factor(e, beta);
    for (size_t i = 0; i < 4; i++) push_emitted_entry(e, &factor->u, row[i], sign[i]);
    return factor;
}

/* Exchanges the two copies of row i of the coordinate with the two copies of the register; a copy
 * has `block` rows. */
static void exchange_row_copies(emitter *e, size_t i, size_t block)
{
    const size_t row[4] = {i, block + i, 2 * block + i, 3 * block + i};
    const long sign[4] = {1, 1, -1, -1};
    four(e, 2, row, sign);
}

/* Sets rows i and m + i to 1 if i = target, else to 0, for all i < m: T4.12 (rows i and m + i agree
 * before). Two coordinates together take two keys, (e_i + e_m+i) + (e_j + e_m+j) and their
 * difference; the last of an odd number takes two axes. */
static void set_doubled(emitter *e, size_t m, size_t target)
{
    const long plus[4] = {1, 1, 1, 1}, minus[4] = {1, -1, 1, -1};
    for (size_t i = 0; i + 1 < m; i += 2) {
        const size_t row[4] = {i, i + 1, m + i, m + i + 1};
        f2l_factor *sum = four(e, 1, row, plus), *difference = four(e, 1, row, minus);
        push_emitted_entry(e, &sum->c, 0, target == i || target == i + 1 ? 2 : 0);
        push_emitted_entry(e, &difference->c, 0, target == i ? 2 : target == i + 1 ? -2 : 0);
    }
    if (m % 2 == 0) return;
    set_emitted_row(e, m - 1, 0, target == m - 1);
    set_emitted_row(e, 2 * m - 1, 0, target == m - 1);
}

static void reset(emitter *e, const f2l_t4_plan *plan, const f2l_t4_head *head, size_t r, bool save)
{
    const size_t m = head->m;
    switch (head->form) {
    case F2L_T4_SCALAR:
        set_emitted_row(e, 0, 0, sign_of(r));
        break;
    case F2L_T4_WRITE:
        set_emitted_row(e, 0, r, 1);
        break;
    case F2L_T4_ROOTS:
        for (size_t i = 0; i < head->n; i++) {
            long weight = head->weight[r * head->n + i];
            if (!plan->gated || weight != 0) set_emitted_row(e, i, 0, weight);
        }
        break;
    case F2L_T4_DOUBLED:
        if (!plan->gated) {
            set_doubled(e, m, r);
        } else {
            set_emitted_row(e, r, 0, 1);
            set_emitted_row(e, m + r, 0, 1);
        }
        break;
    case F2L_T4_REGISTER_SCALAR:
    case F2L_T4_REGISTER_WRITE:
        if (save) exchange_row_copies(e, 0, 1);
        for (size_t row = 0; row < 2; row++)
            set_emitted_row(e, row, m == 2 ? 0 : r, m == 2 ? sign_of(r) : 1);
        break;
    case F2L_T4_REGISTER_FULL:
        for (size_t i = 0; save && i < m; i++) exchange_row_copies(e, i, m);
        set_doubled(e, m, r);
        break;
    }
}

size_t f2l_t4_reset_factors(const f2l_t4_plan *plan, const f2l_t4_head *head, uint32_t target,
                            bool save)
{
    const size_t m = head->m, r = class_of(head, target);
    size_t entries = 0;
    switch (head->form) {
    case F2L_T4_SCALAR:
    case F2L_T4_WRITE:
        return 1;
    case F2L_T4_ROOTS:
        for (size_t i = 0; i < head->n; i++) entries += head->weight[r * head->n + i] != 0;
        return plan->gated ? entries : head->n;
    case F2L_T4_DOUBLED:
        return plan->gated ? 2 : m + m % 2;
    case F2L_T4_REGISTER_SCALAR:
    case F2L_T4_REGISTER_WRITE:
        return save ? 3 : 2;
    case F2L_T4_REGISTER_FULL:
        return (save ? m : 0) + m + m % 2;
    }
    return 0;
}

/* Exchanges the points i < j by one reflection, or two where the copies are separate rows. */
static void transpose(emitter *e, const f2l_t4_head *head, size_t i, size_t j)
{
    if (head->form == F2L_T4_SCALAR || head->form == F2L_T4_REGISTER_SCALAR) {
        for (size_t row = 0; row < (head->form == F2L_T4_SCALAR ? 1u : 2u); row++)
            push_emitted_entry(e, &next_factor(e, 2)->u, row, 1);
        return;
    }
    f2l_key_kind kind = head->form == F2L_T4_ROOTS ? F2L_KEYS_ROOTS : F2L_KEYS_DOUBLED;
    f2l_factor *factor = next_factor(e, 2);
    if (e->status == F2L_OK)
        e->status = f2l_keys_transposition(&factor->u, kind, head->m, i, j, 0, e->err);
}

/* Permutes. The cycle (p1 p2 .. pr) is, first factor first, (p1 p2), (p1 p3), .., (p1 pr): T3.9. */
static f2l_status permute(emitter *e, const f2l_t4_head *head, const uint32_t *image, size_t points)
{
    uint8_t *seen = f2l_calloc(points, 1);
    if (seen == NULL) return f2l_fail_memory(e->err);
    for (size_t p = 0; p < points; p++) {
        if (seen[p]) continue;
        for (size_t q = image[p]; q != p; q = image[q]) {
            seen[q] = 1;
            transpose(e, head, p, q);
        }
    }
    f2l_free(seen);
    return e->status;
}

/* Sets *points, and returns the images of these points, for a context that permutes. */
static const uint32_t *image_of_context(size_t *points, const f2l_t4_plan *plan,
                                        const f2l_t4_head *head, const f2l_context *x)
{
    *points = head->class_of ? head->m : plan->cascade->cover_count[x->from];
    return head->class_of ? head->image + plan->act_of[x - plan->level->context] * head->m
                          : plan->level->image + x->permutation;
}

size_t f2l_t4_permutation_factors(const f2l_t4_head *head, const uint32_t *image, size_t points)
{
    const size_t swaps = points - f2l_perm_cycles(image, points);
    return head->form == F2L_T4_REGISTER_SCALAR ? 2 * swaps : swaps;
}

size_t f2l_t4_factors(const f2l_t4_plan *plan, const f2l_t4_head *head, const f2l_context *x)
{
    size_t points;
    if (x->action == F2L_ACTION_IDLE) return 0;
    if (x->action == F2L_ACTION_RESET)
        return f2l_t4_reset_factors(plan, head, x->target, plan->saves && f2l_t4_loses(plan, x));
    const uint32_t *image = image_of_context(&points, plan, head, x);
    return f2l_t4_permutation_factors(head, image, points);
}

/* Writes the factors and the gate of a context. */
static f2l_status transition(f2l_transition *out, const f2l_t4_plan *plan, const f2l_t4_head *head,
                             const f2l_context *x, f2l_error *err)
{
    emitter e = {.transition = out, .err = err, .status = F2L_OK};
    const size_t factors = f2l_t4_factors(plan, head, x);
    size_t points;
    f2l_status status = f2l_transition_set_factors(out, factors, err);
    if (status != F2L_OK || factors == 0) return status;
    if (x->action == F2L_ACTION_PERMUTATION) {
        const uint32_t *image = image_of_context(&points, plan, head, x);
        status = permute(&e, head, image, points);
    } else {
        if (plan->gated) mpq_set_ui(out->gate, 0, 1);
        reset(&e, plan, head, class_of(head, x->target), plan->saves && f2l_t4_loses(plan, x));
        status = e.status;
    }
    assert(status != F2L_OK || e.used == factors);
    return status;
}

uint64_t f2l_t4_vector_steps(const f2l_t4_head *head)
{
    return F2L_ENTRY_STEPS * (head->form == F2L_T4_ROOTS ? head->n : 3);
}

/* Writes the initial state of a head, and the factors of all contexts. */
static f2l_status write_t4_head(f2l_head *out, const f2l_t4_plan *plan, const f2l_t4_head *head,
                                uint32_t start, f2l_error *err)
{
    const f2l_level *level = plan->level;
    f2l_meter meter = {.task = plan->task, .phase = "building factors"};
    out->n = head->n;
    out->d = head->d;
    f2l_status status = f2l_t4_code(&out->initial, head, start, 0, err);
    for (size_t x = 0; status == F2L_OK && x < level->contexts; x++) {
        const f2l_context *at = &level->context[x];
        const uint64_t points = plan->cascade->cover_count[at->from];
        const uint64_t steps =
            f2l_t4_factors(plan, head, at) * (F2L_FACTOR_STEPS + f2l_t4_vector_steps(head));
        status = f2l_meter_spend(&meter, 4 + points / 2 + steps, (double)x, (double)level->contexts,
                                 err);
        if (status == F2L_OK) status = transition(&out->letter[x], plan, head, at, err);
    }
    return status;
}

f2l_status f2l_t4_fill_heads(f2l_layer *layer, const f2l_t4_plan *plan, uint32_t start,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK && h < plan->heads; h++)
        status = write_t4_head(&layer->head[h], plan, &plan->head[h], start, err);
    return status;
}
