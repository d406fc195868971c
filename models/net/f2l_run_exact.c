#include "f2l_run_exact.h"
#include "f2l_code_index_impl.h"
#include "f2l_exact_impl.h"
#include "f2l_mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct exact_layer {
    f2l_exact_head *head; /* [heads] */
    f2l_code_index index;
    f2l_qvec *state;  /* [heads] the local state while an edge is computed */
    uint32_t **edges; /* [codes] NULL until first used, then [letters]: next code + 1, 0: not computed yet */
} exact_layer;

struct f2l_exact {
    const f2l_net *net;
    exact_layer *layer; /* [layers] */
    size_t *next;       /* [layers] codes after the present letter */
    f2l_scratch scratch;
    mpq_t r, t;
};

static void clear_layer(exact_layer *exact, const f2l_layer *layer)
{
    for (size_t h = 0; exact->head != NULL && h < layer->heads; h++) {
        f2l_exact_head *head = &exact->head[h];
        for (size_t f = 0; head->scale != NULL && f < head->first[layer->letters]; f++)
            mpq_clear(head->scale[f]);
        f2l_free(head->scale);
        f2l_free(head->first);
        f2l_small_head_clear(&head->small);
    }
    for (size_t h = 0; exact->state != NULL && h < layer->heads; h++) f2l_qvec_clear(&exact->state[h]);
    for (size_t c = 0; exact->edges != NULL && c < layer->codes; c++) f2l_free(exact->edges[c]);
    f2l_free(exact->head);
    f2l_free(exact->state);
    f2l_free(exact->edges);
    f2l_code_index_clear(&exact->index);
}

void f2l_exact_free(f2l_exact *run)
{
    if (run == NULL) return;
    for (size_t l = 0; run->layer != NULL && l < run->net->layers; l++)
        clear_layer(&run->layer[l], &run->net->layer[l]);
    f2l_free(run->layer);
    f2l_free(run->next);
    f2l_scratch_clear(&run->scratch);
    mpq_clear(run->r);
    mpq_clear(run->t);
    f2l_free(run);
}

static f2l_status init_head(f2l_exact_head *exact, const f2l_layer *layer, size_t h, f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    exact->weights = head;
    exact->letters = layer->letters;
    exact->first = f2l_calloc(layer->letters + 1, sizeof *exact->first);
    if (exact->first == NULL) return f2l_fail_memory(err);
    for (size_t x = 0; x < layer->letters; x++)
        exact->first[x + 1] = exact->first[x] + head->letter[x].factors;
    exact->scale = f2l_calloc(exact->first[layer->letters], sizeof *exact->scale);
    if (exact->scale == NULL) return f2l_fail_memory(err);
    for (size_t x = 0; x < layer->letters; x++) {
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            const f2l_factor *factor = &head->letter[x].factor[i];
            mpq_ptr scale = exact->scale[exact->first[x] + i];
            mpq_init(scale);
            f2l_qvec_norm2(scale, &factor->u);
            mpq_div(scale, factor->beta, scale);
        }
    }
    return f2l_small_head_init(&exact->small, exact, layer->code + h, layer->codes, layer->heads, err);
}

static f2l_status init_layer(exact_layer *exact, const f2l_layer *layer, f2l_error *err)
{
    exact->head = f2l_calloc(layer->heads, sizeof *exact->head);
    exact->state = f2l_calloc(layer->heads, sizeof *exact->state);
    exact->edges = f2l_calloc(layer->codes, sizeof *exact->edges);
    for (size_t h = 0; exact->state != NULL && h < layer->heads; h++) f2l_qvec_init(&exact->state[h]);
    if (exact->head == NULL || exact->state == NULL || exact->edges == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
        status = init_head(&exact->head[h], layer, h, err);
    return status == F2L_OK ? f2l_code_index_build(&exact->index, layer, err) : status;
}

static f2l_status init_run(f2l_exact *run, f2l_error *err)
{
    const f2l_net *net = run->net;
    size_t numbers = 1, columns = 1;
    for (size_t l = 0; l < net->layers; l++) {
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            if (head->n * head->d > numbers) numbers = head->n * head->d;
            if (head->d > columns) columns = head->d;
        }
    }
    run->layer = f2l_calloc(net->layers, sizeof *run->layer);
    run->next = f2l_calloc(net->layers, sizeof *run->next);
    if (run->layer == NULL || run->next == NULL) return f2l_fail_memory(err);
    f2l_status status = f2l_scratch_init(&run->scratch, numbers, columns, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++)
        status = init_layer(&run->layer[l], &net->layer[l], err);
    return status;
}

f2l_status f2l_exact_new(f2l_exact **out, const f2l_net *net, f2l_error *err)
{
    *out = NULL;
    f2l_status status = f2l_net_validate(net, err);
    if (status != F2L_OK) return status;
    f2l_exact *run = f2l_calloc(1, sizeof *run);
    if (run == NULL) return f2l_fail_memory(err);
    run->net = net;
    mpq_init(run->r);
    mpq_init(run->t);
    status = init_run(run, err);
    if (status == F2L_OK)
        *out = run;
    else
        f2l_exact_free(run);
    return status;
}

/* One factor on one column; c_j = NULL is zero. */
static void step_column(f2l_exact *run, const f2l_factor *factor, const mpq_t scale, size_t d,
                        uint32_t column, mpq_srcptr c)
{
    f2l_scratch *s = &run->scratch;
    mpq_set_ui(run->r, 0, 1);
    for (size_t k = 0; k < factor->u.count; k++) {
        uint32_t slot = s->slot[factor->u.index[k] * d + column];
        if (slot == 0 || mpq_sgn(s->big[slot - 1]) == 0) continue;
        mpq_mul(run->t, factor->u.value[k], s->big[slot - 1]);
        mpq_add(run->r, run->r, run->t);
    }
    if (c != NULL) mpq_sub(run->r, run->r, c);
    if (mpq_sgn(run->r) == 0) return;
    mpq_mul(run->r, run->r, scale);
    for (size_t k = 0; k < factor->u.count; k++) {
        size_t at = f2l_scratch_touch(s, (uint32_t)(factor->u.index[k] * d) + column);
        mpq_mul(run->t, factor->u.value[k], run->r);
        mpq_sub(s->big[at], s->big[at], run->t);
    }
}

static bool load(f2l_scratch *s, const f2l_head *head, const mpq_t gate, const f2l_qvec *state)
{
    if (!f2l_scratch_reserve(s, state->count)) return false;
    for (size_t i = 0; i < state->count; i++) {
        mpq_mul(s->big[f2l_scratch_touch(s, state->index[i])], state->value[i], gate);
        f2l_scratch_activate(s, (uint32_t)(state->index[i] % head->d));
    }
    return true;
}

/* The step in rationals, from an empty scratch; false when memory is out. */
static bool big_step(f2l_exact *run, const f2l_exact_head *head, size_t letter, const f2l_qvec *state)
{
    f2l_scratch *s = &run->scratch;
    const f2l_transition *transition = &head->weights->letter[letter];
    if (!load(s, head->weights, transition->gate, state)) return false;
    for (size_t i = 0; i < transition->factors; i++) {
        const f2l_factor *factor = &transition->factor[i];
        for (size_t j = 0; j < factor->c.count; j++) {
            f2l_scratch_activate(s, factor->c.index[j]);
            s->write[factor->c.index[j]] = (uint32_t)j + 1;
        }
        bool room = f2l_scratch_reserve(s, factor->u.count * s->columns);
        for (size_t j = 0; room && j < s->columns; j++) {
            uint32_t write = s->write[s->column[j]];
            step_column(run, factor, head->scale[head->first[letter] + i], head->weights->d, s->column[j],
                        write == 0 ? NULL : factor->c.value[write - 1]);
        }
        for (size_t j = 0; j < factor->c.count; j++) s->write[factor->c.index[j]] = 0;
        if (!room) return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Entry number `at` of a vector that is being rewritten in place: what it holds from `at` on is old. */
static f2l_status rewrite(f2l_qvec *out, size_t at, uint32_t index, const mpq_t value, f2l_error *err)
{
    if (at == out->count) return f2l_qvec_push(out, index, value, err);
    out->index[at] = index;
    mpq_set(out->value[at], value);
    return F2L_OK;
}

/* out <- the scratch state; `denominator` is that of the small arithmetic, 0 for the big one. */
static f2l_status collect(f2l_exact *run, f2l_qvec *out, int64_t denominator, f2l_error *err)
{
    f2l_scratch *s = &run->scratch;
    size_t count = 0;
    bool sorted = true;
    for (size_t i = 0; i < s->count; i++) {
        if (denominator > 0 ? s->small[i] == 0 : mpq_sgn(s->big[i]) == 0) continue;
        if (count > 0 && s->order[count - 1] > s->touched[i]) sorted = false;
        s->order[count++] = s->touched[i];
    }
    if (!sorted) qsort(s->order, count, sizeof *s->order, by_value);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        size_t at = s->slot[s->order[i]] - 1;
        if (denominator > 0) {
            mpq_set_si(run->t, (long)s->small[at], (unsigned long)denominator);
            if (denominator > 1) mpq_canonicalize(run->t);
        }
        status = rewrite(out, i, s->order[i], denominator > 0 ? run->t : s->big[at], err);
    }
    if (status != F2L_OK) f2l_qvec_clear(out);
    while (out->count > count) mpq_clear(out->value[--out->count]);
    return status;
}

f2l_status f2l_exact_step_head(f2l_exact *run, f2l_qvec *out, size_t layer, size_t head, size_t letter,
                               const f2l_qvec *state, f2l_error *err)
{
    const f2l_exact_head *weights = &run->layer[layer].head[head];
    f2l_status status = f2l_small_step(&run->scratch, weights, letter, state);
    int64_t denominator = weights->small.denominator;
    if (status == F2L_UNKNOWN) {
        f2l_scratch_reset(&run->scratch);
        denominator = 0;
        status = big_step(run, weights, letter, state) ? F2L_OK : F2L_ENOMEM;
    }
    if (status == F2L_OK) {
        status = collect(run, out, denominator, err);
    } else {
        f2l_qvec_clear(out);
        status = f2l_fail_memory(err);
    }
    f2l_scratch_reset(&run->scratch);
    return status;
}

size_t f2l_exact_find_code(const f2l_exact *run, size_t layer, const f2l_qvec *state)
{
    return f2l_code_index_find(&run->layer[layer].index, state);
}

/* The code after `letter` from code `from`, computed once. */
static f2l_status find_edge(f2l_exact *run, size_t *to, size_t l, size_t from, size_t letter, f2l_error *err)
{
    exact_layer *exact = &run->layer[l];
    const f2l_layer *layer = &run->net->layer[l];
    if (exact->edges[from] == NULL) {
        exact->edges[from] = f2l_calloc(layer->letters, sizeof **exact->edges);
        if (exact->edges[from] == NULL) return f2l_fail_memory(err);
    }
    uint32_t *edge = &exact->edges[from][letter];
    if (*edge == 0) {
        f2l_status status = F2L_OK;
        for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
            status = f2l_exact_step_head(run, &exact->state[h], l, h, letter,
                                         &layer->code[from * layer->heads + h], err);
        if (status != F2L_OK) return status;
        size_t code = f2l_code_index_find(&exact->index, exact->state);
        if (code == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu: letter %zu takes code %zu to a state without a code", l + 1,
                            letter + 1, from + 1);
        *edge = (uint32_t)code + 1;
    }
    *to = *edge - 1;
    return F2L_OK;
}

f2l_status f2l_exact_step(f2l_exact *run, size_t *joint, size_t letter, size_t *label, size_t *layer,
                          f2l_error *err)
{
    const f2l_net *net = run->net;
    size_t x = letter;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *weights = &net->layer[l];
        if (layer != NULL) *layer = l;
        f2l_status status = find_edge(run, &run->next[l], l, joint[l], x, err);
        if (status != F2L_OK) return status;
        uint32_t symbol = f2l_layer_symbol(weights, x, run->next[l]);
        if (symbol == F2L_NO_SYMBOL)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: code %zu has no symbol after letter %zu", l + 1,
                            run->next[l] + 1, x + 1);
        x = symbol;
    }
    memcpy(joint, run->next, net->layers * sizeof *joint);
    *label = x;
    return F2L_OK;
}

f2l_status f2l_exact_start(f2l_exact *run, size_t *joint, f2l_error *err)
{
    const f2l_net *net = run->net;
    for (size_t l = 0; l < net->layers; l++) {
        exact_layer *exact = &run->layer[l];
        f2l_status status = F2L_OK;
        for (size_t h = 0; h < net->layer[l].heads && status == F2L_OK; h++)
            status = f2l_qvec_copy(&exact->state[h], &net->layer[l].head[h].initial, err);
        if (status != F2L_OK) return status;
        joint[l] = f2l_code_index_find(&exact->index, exact->state);
        if (joint[l] == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: the initial state has no code", l + 1);
    }
    return F2L_OK;
}
