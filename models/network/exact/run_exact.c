#include "models/network/exact/affine.h"
#include "models/network/exact/impl.h"
#include "models/network/net/box.h"
#include "models/network/net/code_index.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct f2l_exact_layer {
    f2l_same_letters same;
    f2l_head *view;       /* [heads] with a letter for every class of `same` */
    f2l_exact_head *head; /* [heads] of the view */
    f2l_code_index index;
    f2l_box_index boxes; /* for a layer with boxes, whose codes are found by it; else zero */
    f2l_affine *map;     /* [classes of letters][heads] for a layer with boxes; zero until used */
    f2l_qvec *state;     /* [2 * heads] the local state while an edge is computed, or the lowest
                          * and the highest corner of a box */
    uint32_t **edges; /* [codes] NULL until first used, then [classes of letters]: next code + 1, 0:
                       * not computed yet */
} exact_layer;

static void clear_exact_layer(exact_layer *exact, const f2l_layer *layer)
{
    for (size_t h = 0; exact->head != NULL && h < layer->heads; h++)
        f2l_exact_head_clear(&exact->head[h]);
    for (size_t h = 0; exact->state != NULL && h < 2 * layer->heads; h++)
        f2l_qvec_clear(&exact->state[h]);
    for (size_t i = 0; exact->map != NULL && i < exact->same.count * layer->heads; i++)
        f2l_affine_clear(&exact->map[i]);
    f2l_free(exact->map);
    for (size_t c = 0; exact->edges != NULL && c < layer->codes; c++) f2l_free(exact->edges[c]);
    for (size_t h = 0; exact->view != NULL && h < layer->heads; h++)
        f2l_free(exact->view[h].letter);
    f2l_free(exact->head);
    f2l_free(exact->view);
    f2l_free(exact->state);
    f2l_free(exact->edges);
    f2l_same_letters_clear(&exact->same);
    f2l_code_index_clear(&exact->index);
    f2l_box_index_clear(&exact->boxes);
}

void f2l_exact_free(f2l_exact *run)
{
    if (run == NULL) return;
    for (size_t l = 0; run->layer != NULL && l < run->net->layers; l++)
        clear_exact_layer(&run->layer[l], &run->net->layer[l]);
    f2l_exact_blocks_clear(run);
    f2l_free(run->layer);
    f2l_free(run->next);
    f2l_free(run->steps);
    f2l_stepper_clear(&run->stepper);
    f2l_free(run);
}

static f2l_status init_exact_head(exact_layer *exact, const f2l_layer *layer, size_t h,
                                  f2l_meter *meter, f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    f2l_status status = f2l_same_letters_head(&exact->view[h], head, &exact->same, err);
    if (status != F2L_OK) return status;
    mpz_t denominator;
    mpz_init_set_ui(denominator, 1);
    bool small = f2l_common_denominator(denominator, &head->initial);
    for (size_t c = 0; small && c < layer->codes; c++)
        small = f2l_common_denominator(denominator, &layer->code[c * layer->heads + h]);
    status = f2l_meter_spend(meter, f2l_head_weigh(&exact->view[h], exact->same.count, 24, 130, 16),
                             0, 0, err);
    if (status == F2L_OK)
        status = f2l_exact_head_init(&exact->head[h], &exact->view[h], exact->same.count,
                                     denominator, meter->task, err);
    mpz_clear(denominator);
    return status;
}

static f2l_status init_layer(exact_layer *exact, const f2l_layer *layer, f2l_meter *meter,
                             f2l_error *err)
{
    const size_t codes = layer->codes * (sizeof *exact->edges + 3 * sizeof(size_t));
    f2l_status status = f2l_meter_spend(meter, codes + f2l_codes_weigh(layer, 20, 12), 0, 0, err);
    if (status != F2L_OK) return status;
    exact->head = f2l_calloc(layer->heads, sizeof *exact->head);
    exact->view = f2l_calloc(layer->heads, sizeof *exact->view);
    exact->state = f2l_calloc(layer->heads, 2 * sizeof *exact->state);
    exact->edges = f2l_calloc(layer->codes, sizeof *exact->edges);
    for (size_t h = 0; exact->state != NULL && h < 2 * layer->heads; h++)
        f2l_qvec_init(&exact->state[h]);
    if (exact->head == NULL || exact->view == NULL || exact->state == NULL || exact->edges == NULL)
        return f2l_fail_memory(err);
    status = f2l_meter_spend(meter, f2l_same_letters_steps(layer), 0, 0, err);
    if (status == F2L_OK)
        status =
            f2l_same_letters_find(&exact->same, layer->head, layer->heads, layer->letters, err);
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++)
        status = init_exact_head(exact, layer, h, meter, err);
    if (status == F2L_OK && layer->low) {
        status = f2l_box_index_build(&exact->boxes, NULL, layer, err);
        exact->map = f2l_calloc(exact->same.count * layer->heads, sizeof *exact->map);
        if (status == F2L_OK && exact->map == NULL) status = f2l_fail_memory(err);
    }
    return status == F2L_OK ? f2l_code_index_build(&exact->index, layer, err) : status;
}

/* Makes numbers and columns the most of themselves and a head's. */
static void take_head_size(size_t *numbers, size_t *columns, const f2l_head *head)
{
    if (head->n * head->d > *numbers) *numbers = head->n * head->d;
    if (head->d > *columns) *columns = head->d;
}

static f2l_status allocate_run(f2l_exact *run, f2l_meter *meter, f2l_error *err)
{
    const f2l_net *net = run->net;
    size_t numbers = 0, columns = 0;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            take_head_size(&numbers, &columns, &net->layer[l].head[h]);
    f2l_status status =
        f2l_meter_spend(meter, 8 * (numbers + columns), 0, (double)net->layers, err);
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t h = 0; h < net->block[b].heads; h++)
            take_head_size(&numbers, &columns, &net->block[b].head[h].head);
    run->joint = f2l_net_joint(net);
    run->layer = f2l_calloc(net->layers, sizeof *run->layer);
    run->next = f2l_calloc(run->joint, sizeof *run->next);
    run->steps = f2l_calloc(net->layers, sizeof *run->steps);
    if (run->layer == NULL || run->next == NULL || run->steps == NULL) return f2l_fail_memory(err);
    for (size_t l = 0; l < net->layers; l++) run->steps[l] = f2l_exact_layer_steps(&net->layer[l]);
    return status == F2L_OK ? f2l_stepper_init(&run->stepper, numbers, columns, err) : status;
}

static f2l_status init_run(f2l_exact *run, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "preparing exact steps"};
    const f2l_net *net = run->net;
    f2l_status status = allocate_run(run, &meter, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++)
        status = init_layer(&run->layer[l], &net->layer[l], &meter, err);
    return status == F2L_OK ? f2l_exact_blocks_init(run, &meter, err) : status;
}

f2l_status f2l_exact_new(f2l_exact **out, const f2l_net *net, f2l_error *err)
{
    return f2l_exact_new_within(out, net, NULL, err);
}

f2l_status f2l_exact_new_within(f2l_exact **out, const f2l_net *net, const f2l_task *task,
                                f2l_error *err)
{
    *out = NULL;
    f2l_status status = f2l_net_validate_within(net, task, err);
    if (status != F2L_OK) return status;
    f2l_exact *run = f2l_calloc(1, sizeof *run);
    if (run == NULL) return f2l_fail_memory(err);
    run->net = net;
    status = init_run(run, task, err);
    if (status == F2L_OK)
        *out = run;
    else
        f2l_exact_free(run);
    return status;
}

f2l_status f2l_exact_step_head(f2l_exact *run, f2l_qvec *out, size_t layer, size_t head,
                               size_t letter, const f2l_qvec *state, f2l_error *err)
{
    const exact_layer *exact = &run->layer[layer];
    const size_t kind = exact->same.of[letter];
    return f2l_stepper_step(&run->stepper, out, &exact->head[head], &kind, 1, state, err);
}

const f2l_net *f2l_exact_net(const f2l_exact *run)
{
    return run->net;
}

const f2l_same_letters *f2l_exact_same_letters(const f2l_exact *run, size_t layer)
{
    return &run->layer[layer].same;
}

size_t f2l_exact_find_code(f2l_exact *run, size_t layer, const f2l_qvec *state)
{
    exact_layer *exact = &run->layer[layer];
    return exact->boxes.layer ? f2l_box_index_find(&exact->boxes, state)
                              : f2l_code_index_find(&exact->index, state);
}

/* Sets *to to the code of the state after the letter; the state is given by its heads. */
static f2l_status step_state(f2l_exact *run, size_t *to, size_t l, size_t letter,
                             const f2l_qvec *state, f2l_error *err)
{
    f2l_qvec *next = run->layer[l].state;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < run->net->layer[l].heads && status == F2L_OK; h++)
        status = f2l_exact_step_head(run, &next[h], l, h, letter, &state[h], err);
    *to = status == F2L_OK ? f2l_exact_find_code(run, l, next) : F2L_NO_INDEX;
    return status;
}

/* Sets *to to the code whose box holds the least box around the image of a box, which it does where
 * it holds the lowest and the highest corner. */
static f2l_status step_box(f2l_exact *run, size_t *to, size_t l, size_t letter, size_t from,
                           f2l_error *err)
{
    exact_layer *exact = &run->layer[l];
    const f2l_layer *layer = &run->net->layer[l];
    const size_t heads = layer->heads, at = from * heads;
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK && h < heads; h++) {
        f2l_affine *map = &exact->map[exact->same.of[letter] * heads + h];
        if (map->n == 0) status = f2l_affine_find(map, run, l, h, letter, err);
        if (status == F2L_OK)
            status = f2l_affine_enclose(&exact->state[h], &exact->state[heads + h], map,
                                        &layer->low[at + h], &layer->high[at + h], err);
    }
    *to = status == F2L_OK ? f2l_exact_find_code(run, l, exact->state) : F2L_NO_INDEX;
    if (*to != F2L_NO_INDEX && f2l_exact_find_code(run, l, exact->state + heads) != *to)
        *to = F2L_NO_INDEX;
    return status;
}

f2l_status f2l_exact_step_code(f2l_exact *run, size_t *to, size_t l, size_t letter, size_t from,
                               f2l_error *err)
{
    const f2l_layer *layer = &run->net->layer[l];
    return layer->low ? step_box(run, to, l, letter, from, err)
                      : step_state(run, to, l, letter, &layer->code[from * layer->heads], err);
}

/* Finds the code after `letter` from code `from`, computed once. */
static f2l_status find_edge(f2l_exact *run, size_t *to, size_t l, size_t from, size_t letter,
                            f2l_error *err)
{
    exact_layer *exact = &run->layer[l];
    const f2l_layer *layer = &run->net->layer[l];
    if (exact->edges[from] == NULL) {
        run->work += exact->same.count * sizeof **exact->edges;
        exact->edges[from] = f2l_calloc(exact->same.count, sizeof **exact->edges);
        if (exact->edges[from] == NULL) return f2l_fail_memory(err);
    }
    uint32_t *edge = &exact->edges[from][exact->same.of[letter]];
    run->work += 2;
    if (*edge == 0) {
        size_t code;
        run->work += run->steps[l];
        f2l_status status = f2l_exact_step_code(run, &code, l, letter, from, err);
        if (status != F2L_OK) return status;
        if (code == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: letter %zu takes code %zu %s", l + 1,
                            letter + 1, from + 1,
                            layer->low ? "out of the boxes" : "to a state without a code");
        *edge = (uint32_t)code + 1;
    }
    *to = *edge - 1;
    return F2L_OK;
}

f2l_status f2l_exact_step(f2l_exact *run, size_t *joint, size_t letter, size_t *label,
                          size_t *layer, f2l_error *err)
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
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: code %zu has no symbol after letter %zu",
                            l + 1, run->next[l] + 1, x + 1);
        x = symbol;
    }
    f2l_status status =
        f2l_exact_step_stages(run, joint + net->layers, run->next + net->layers, &x, err);
    if (status != F2L_OK) return status;
    if (run->joint > 0) memcpy(joint, run->next, run->joint * sizeof *joint);
    *label = x;
    return F2L_OK;
}

uint64_t f2l_exact_work(const f2l_exact *run)
{
    return run->work;
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
        joint[l] = f2l_exact_find_code(run, l, exact->state);
        if (joint[l] == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: the initial state has no code", l + 1);
    }
    return f2l_exact_start_stages(run, joint + net->layers, err);
}
