#include "theory/certify/boxes/boxes.h"
#include "numeric/base/mem.h"
#include "theory/certify/boxes/impl.h"
#include "theory/certify/closure/closure_machine.h"
#include <stdio.h>
#include <string.h>

void f2l_boxes_clear(f2l_boxes *boxes)
{
    f2l_net *net = &boxes->net;
    for (size_t l = 0; net->layer && l < net->layers; l++) {
        f2l_layer *layer = &net->layer[l];
        for (size_t i = 0; layer->low && i < layer->codes * layer->heads; i++) {
            f2l_qvec_clear(&layer->low[i]);
            f2l_qvec_clear(&layer->high[i]);
        }
        f2l_free(layer->low);
        f2l_free(layer->high);
    }
    f2l_free(net->layer);
    *boxes = (f2l_boxes){0};
}

bool f2l_boxes_apply(const f2l_net *net)
{
    bool applies = net->layers > 0 && net->stages == 0;
    for (size_t l = 0; applies && l < net->layers; l++) {
        applies = !net->layer[l].low;
        for (size_t h = 0; applies && h < net->layer[l].heads; h++)
            applies = !net->layer[l].head[h].field && net->layer[l].head[h].form.count == 0;
    }
    return applies;
}

f2l_status f2l_boxes_give(f2l_net *net, const f2l_boxes *boxes, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < net->layers; l++) {
        const f2l_layer *from = &boxes->net.layer[l];
        f2l_layer *layer = &net->layer[l];
        status = f2l_layer_set_boxes(layer, err);
        for (size_t i = 0; status == F2L_OK && i < layer->codes * layer->heads; i++) {
            status = f2l_qvec_copy(&layer->low[i], &from->low[i], err);
            if (status == F2L_OK) status = f2l_qvec_copy(&layer->high[i], &from->high[i], err);
        }
    }
    return status;
}

/* --- the machine of the nearest codes --- */

/* One layer: a state that represents each code that was met, and the steps of these. */
typedef struct walked_layer {
    f2l_code_edges edges;
    f2l_qvec *state; /* [codes][heads] */
    bool *met;       /* [codes] */
    mpq_t *square;   /* [codes] |c|^2 */
    f2l_qvec *image; /* [heads] scratch */
    size_t start;
} walked_layer;

typedef struct walk {
    const f2l_net *net;
    f2l_exact *run;
    walked_layer *layer; /* [layers] */
    f2l_meter meter;
    mpq_t least, distance, product;
    bool agree;
} walk;

static void clear_walked_layer(walked_layer *w, const f2l_layer *layer)
{
    for (size_t i = 0; w->state && i < layer->codes * layer->heads; i++)
        f2l_qvec_clear(&w->state[i]);
    for (size_t i = 0; w->square && i < layer->codes; i++) mpq_clear(w->square[i]);
    for (size_t h = 0; w->image && h < layer->heads; h++) f2l_qvec_clear(&w->image[h]);
    f2l_free(w->state);
    f2l_free(w->met);
    f2l_free(w->square);
    f2l_free(w->image);
    f2l_free(w->edges.next);
}

static void clear_walk(walk *w)
{
    for (size_t l = 0; w->layer && l < w->net->layers; l++)
        clear_walked_layer(&w->layer[l], &w->net->layer[l]);
    f2l_free(w->layer);
    f2l_exact_free(w->run);
    mpq_clears(w->least, w->distance, w->product, (mpq_ptr)NULL);
}

static f2l_status init_walked_layer(walked_layer *w, const f2l_layer *layer, size_t classes,
                                    f2l_error *err)
{
    size_t edges;
    if (!f2l_mul_size(&edges, layer->codes, classes)) return f2l_fail_memory(err);
    w->edges = (f2l_code_edges){layer->codes, classes, f2l_calloc(edges, sizeof(uint32_t))};
    w->state = f2l_calloc(layer->codes * layer->heads, sizeof *w->state);
    w->met = f2l_calloc(layer->codes, sizeof *w->met);
    w->square = f2l_calloc(layer->codes, sizeof *w->square);
    w->image = f2l_calloc(layer->heads, sizeof *w->image);
    for (size_t c = 0; w->square && c < layer->codes; c++) mpq_init(w->square[c]);
    if (!w->edges.next || !w->state || !w->met || !w->square || !w->image)
        return f2l_fail_memory(err);
    memset(w->edges.next, 0xff, edges * sizeof *w->edges.next);
    mpq_t square;
    mpq_init(square);
    for (size_t i = 0; i < layer->codes * layer->heads; i++) {
        f2l_qvec_norm2(square, &layer->code[i]);
        mpq_add(w->square[i / layer->heads], w->square[i / layer->heads], square);
    }
    mpq_clear(square);
    return F2L_OK;
}

static f2l_status begin_walk(walk *w, const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    *w = (walk){.net = net, .meter = {.task = task, .phase = "looking for boxes"}};
    mpq_inits(w->least, w->distance, w->product, (mpq_ptr)NULL);
    f2l_status status = f2l_exact_new_within(&w->run, net, task, err);
    if (status != F2L_OK) return status;
    w->layer = f2l_calloc(net->layers, sizeof *w->layer);
    if (!w->layer) return f2l_fail_memory(err);
    for (size_t l = 0; status == F2L_OK && l < net->layers; l++)
        status = init_walked_layer(&w->layer[l], &net->layer[l],
                                   f2l_exact_same_letters(w->run, l)->count, err);
    return status;
}

/* Returns whether every code can be compared with the states after all letters from all codes. */
static bool is_small(const walk *w)
{
    uint64_t steps = 0;
    for (size_t l = 0; l < w->net->layers && steps < F2L_BOXES_STEPS; l++) {
        const f2l_layer *layer = &w->net->layer[l];
        uint64_t numbers = 0;
        for (size_t h = 0; h < layer->heads; h++)
            numbers += 4 + layer->head[h].n * layer->head[h].d;
        steps = f2l_steps_of(f2l_steps_of(layer->codes, layer->codes),
                             f2l_steps_of(w->layer[l].edges.classes, numbers));
    }
    return steps < F2L_BOXES_STEPS;
}

/* Subtracts twice the product of a state and a code, of one head, from the distance. */
static void subtract_product(walk *w, const f2l_qvec *state, const f2l_qvec *code)
{
    for (size_t i = 0, j = 0; i < state->count && j < code->count;) {
        if (state->index[i] == code->index[j]) {
            mpq_mul(w->product, state->value[i], code->value[j++]);
            mpq_sub(w->distance, w->distance, w->product);
            mpq_sub(w->distance, w->distance, w->product);
            i++;
        } else if (state->index[i] < code->index[j]) {
            i++;
        } else {
            j++;
        }
    }
}

/* Sets *code to the code nearest to state[heads], F2L_NO_INDEX where several are; w->agree then
 * tells whether these have one symbol after the letter. */
static f2l_status find_nearest(walk *w, size_t *code, size_t l, size_t letter,
                               const f2l_qvec *state, f2l_error *err)
{
    const f2l_layer *layer = &w->net->layer[l];
    bool twice = false;
    f2l_status status = F2L_OK;
    w->agree = true;
    *code = F2L_NO_INDEX;
    for (size_t c = 0; status == F2L_OK && c < layer->codes; c++) {
        mpq_set(w->distance, w->layer[l].square[c]);
        for (size_t h = 0; h < layer->heads; h++) {
            status = f2l_meter_spend(&w->meter, 4 + 4 * state[h].count, 0, 0, err);
            subtract_product(w, &state[h], &layer->code[c * layer->heads + h]);
        }
        const int order = *code == F2L_NO_INDEX ? -1 : mpq_cmp(w->distance, w->least);
        if (order == 0) {
            twice = true;
            w->agree = w->agree &&
                       f2l_layer_symbol(layer, letter, c) == f2l_layer_symbol(layer, letter, *code);
        }
        if (order >= 0) continue;
        twice = false;
        w->agree = true;
        *code = c;
        mpq_swap(w->least, w->distance);
    }
    if (twice) *code = F2L_NO_INDEX;
    return status;
}

/* Lets the image represent the code, if no state does yet. */
static f2l_status represent(walked_layer *w, size_t heads, size_t code, const f2l_qvec *image,
                            f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t h = 0; !w->met[code] && status == F2L_OK && h < heads; h++)
        status = f2l_qvec_copy(&w->state[code * heads + h], &image[h], err);
    if (status == F2L_OK) w->met[code] = true;
    return status;
}

static f2l_status start_walk(void *run, uint32_t *joint, f2l_error *err)
{
    walk *w = run;
    for (size_t l = 0; l < w->net->layers; l++) {
        const f2l_layer *layer = &w->net->layer[l];
        walked_layer *of = &w->layer[l];
        f2l_status status = F2L_OK;
        for (size_t h = 0; status == F2L_OK && h < layer->heads; h++)
            status = f2l_qvec_copy(&of->image[h], &layer->head[h].initial, err);
        if (status == F2L_OK) status = find_nearest(w, &of->start, l, 0, of->image, err);
        if (status != F2L_OK) return status;
        if (of->start == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN,
                            "layer %zu: two codes are nearest to the initial state", l + 1);
        status = represent(of, layer->heads, of->start, of->image, err);
        if (status != F2L_OK) return status;
        joint[l] = (uint32_t)of->start;
    }
    return F2L_OK;
}

/* Steps a layer's state, given by its heads, into the scratch image, and finds its nearest code. */
static f2l_status step_nearest(walk *w, size_t *to, size_t l, size_t letter, const f2l_qvec *state,
                               f2l_error *err)
{
    f2l_qvec *image = w->layer[l].image;
    f2l_status status = F2L_OK;
    for (size_t h = 0; status == F2L_OK && h < w->net->layer[l].heads; h++)
        status = f2l_exact_step_head(w->run, &image[h], l, h, letter, &state[h], err);
    return status == F2L_OK ? find_nearest(w, to, l, letter, image, err) : status;
}

/* Steps a layer from code to code, by the states that represent them. */
static f2l_status step_code(walk *w, size_t l, size_t letter, uint32_t *code, f2l_error *err)
{
    walked_layer *of = &w->layer[l];
    const size_t heads = w->net->layer[l].heads;
    uint32_t *next =
        of->edges.next + *code * of->edges.classes + f2l_exact_same_letters(w->run, l)->of[letter];
    if (*next == F2L_NO_SYMBOL) {
        size_t to;
        f2l_status status = step_nearest(w, &to, l, letter, &of->state[*code * heads], err);
        if (status != F2L_OK) return status;
        if (to == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: two codes are nearest to a state", l + 1);
        status = represent(of, heads, to, of->image, err);
        if (status != F2L_OK) return status;
        *next = (uint32_t)to;
    }
    *code = *next;
    return F2L_OK;
}

static f2l_status step_walk(void *run, uint32_t *joint, size_t letter, size_t *label,
                            f2l_error *err)
{
    walk *w = run;
    *label = letter;
    for (size_t l = 0; l < w->net->layers; l++) {
        f2l_status status = step_code(w, l, *label, &joint[l], err);
        if (status != F2L_OK) return status;
        const uint32_t symbol = f2l_layer_symbol(&w->net->layer[l], *label, joint[l]);
        if (symbol == F2L_NO_SYMBOL)
            return f2l_fail(err, F2L_EDOMAIN, "layer %zu: a code without a symbol", l + 1);
        *label = symbol;
    }
    return F2L_OK;
}

/* --- a word that the representing states get wrong --- */

/* In the place of a label: the nearest code has no symbol, two codes with several symbols are
 * nearest, or with one. */
enum { NO_LABEL = -3, TWO_LABELS, TWO_CODES };

static int64_t label_of_code(const walk *w, size_t l, size_t letter, size_t code)
{
    if (code == F2L_NO_INDEX) return w->agree ? TWO_CODES : TWO_LABELS;
    const uint32_t symbol = f2l_layer_symbol(&w->net->layer[l], letter, code);
    return symbol == F2L_NO_SYMBOL ? NO_LABEL : (int64_t)symbol;
}

/* Sets *label to the label after the word by the nearest codes of the states themselves; TWO_CODES
 * also where an earlier letter has no label. */
static f2l_status run_word(walk *w, int64_t *label, const f2l_closure *wrong, f2l_error *err)
{
    const f2l_net *net = w->net;
    size_t code;
    f2l_status status = F2L_OK;
    for (size_t l = 0; status == F2L_OK && l < net->layers; l++)
        for (size_t h = 0; status == F2L_OK && h < net->layer[l].heads; h++)
            status = f2l_qvec_copy(&w->layer[l].state[h], &net->layer[l].head[h].initial, err);
    for (size_t i = 0; status == F2L_OK && i < wrong->word_length; i++) {
        *label = wrong->word[i];
        for (size_t l = 0; status == F2L_OK && l < net->layers; l++) {
            f2l_qvec *state = w->layer[l].state;
            const size_t letter = (size_t)*label;
            status = step_nearest(w, &code, l, letter, state, err);
            for (size_t h = 0; status == F2L_OK && h < net->layer[l].heads; h++)
                status = f2l_qvec_copy(&state[h], &w->layer[l].image[h], err);
            if (status != F2L_OK) break;
            *label = label_of_code(w, l, letter, code);
            if (*label < 0 && i + 1 < wrong->word_length) *label = TWO_CODES;
            if (*label < 0) return F2L_OK;
        }
    }
    return status;
}

static void leave_boxes_open(f2l_closure *out, const char *reason)
{
    const size_t layers = out->layers, letters = out->letters, states = out->states;
    f2l_closure_clear(out);
    out->layers = layers;
    out->letters = letters;
    out->states = states;
    snprintf(out->reason, sizeof out->reason,
             "states equal no codes, and no boxes were found: %.180s", reason);
}

/* Sets *label to the automaton's label after the word. */
static f2l_status find_expected(size_t *label, const walk *w, const f2l_fsa *fsa,
                                const f2l_closure *wrong, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(w->net);
    const size_t letters = fsa->letters.count;
    uint32_t *expected;
    f2l_status status = f2l_face_expect_any(&expected, &face, fsa, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0, state = fsa->start; i < wrong->word_length; i++) {
        const size_t edge = state * letters + wrong->word[i];
        state = fsa->next[edge];
        *label = expected[face.label == F2L_LABEL_EDGES ? edge : state];
    }
    f2l_free(expected);
    return F2L_OK;
}

/* Leaves the verdict REFUTED only where the states themselves have a wrong nearest code. */
static f2l_status confirm_word(walk *w, f2l_closure *out, const f2l_fsa *fsa, f2l_error *err)
{
    int64_t label = TWO_CODES;
    size_t expected = 0;
    if (out->word_length == 0) return F2L_OK;
    f2l_status status = find_expected(&expected, w, fsa, out, err);
    if (status == F2L_OK) status = run_word(w, &label, out, err);
    if (status != F2L_OK) return status;
    const char *got = label == NO_LABEL ? "no symbol" : "two nearest codes";
    if (label >= 0) got = f2l_names_get(&w->net->labels, (size_t)label);
    out->uncoded = false;
    if (label == TWO_CODES)
        leave_boxes_open(out, "two codes are nearest to a state");
    else if (label == (int64_t)expected)
        leave_boxes_open(out, "a letter leads states of one code to several codes");
    else
        snprintf(out->got, sizeof out->got, "%s", got);
    return F2L_OK;
}

/* --- boxes --- */

/* Gives the view of the network an array of layers of its own. */
static f2l_status begin_boxes(f2l_boxes *boxes, const f2l_net *net, f2l_error *err)
{
    boxes->net = *net;
    boxes->net.layer = f2l_calloc(net->layers, sizeof *net->layer);
    if (!boxes->net.layer) return f2l_fail_memory(err);
    memcpy(boxes->net.layer, net->layer, net->layers * sizeof *net->layer);
    return F2L_OK;
}

static f2l_status find_boxes(walk *w, f2l_closure *out, f2l_boxes *boxes, const f2l_fsa *fsa,
                             size_t max_rows, f2l_error *err)
{
    f2l_status status = begin_boxes(boxes, w->net, err);
    for (size_t l = 0; status == F2L_OK && l < w->net->layers; l++)
        status = f2l_hull_find(&boxes->net.layer[l], w->run, l, &w->layer[l].edges,
                               w->layer[l].start, w->meter.task, err);
    if (status == F2L_OK)
        status = f2l_closure_exact(out, &boxes->net, fsa, max_rows, w->meter.task, err);
    return status;
}

static f2l_status close_by_boxes(walk *w, f2l_closure *out, f2l_boxes *boxes, const f2l_fsa *fsa,
                                 size_t max_rows, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(w->net);
    const f2l_codes_machine machine = {.run = w,
                                       .codes = w->net->layers,
                                       .width = sizeof(uint32_t),
                                       .start = start_walk,
                                       .step = step_walk,
                                       .steps = 2 * w->net->layers};
    f2l_error why = {0};
    if (!is_small(w)) {
        leave_boxes_open(out, "too many codes to compare");
        return F2L_OK;
    }
    f2l_status status = f2l_codes_close(out, &machine, &face, fsa, max_rows, w->meter.task, err);
    if (status != F2L_OK) return status;
    if (out->verdict == F2L_REFUTED) return confirm_word(w, out, fsa, err);
    if (out->verdict == F2L_OK) status = find_boxes(w, out, boxes, fsa, max_rows, &why);
    const bool missed = status == F2L_UNKNOWN || status == F2L_EDOMAIN;
    if (status != F2L_OK && !missed) {
        if (err) *err = why;
        return status;
    }
    if (missed || out->verdict != F2L_OK) {
        char reason[sizeof out->reason];
        snprintf(reason, sizeof reason, "%.200s", missed ? why.text : out->reason);
        leave_boxes_open(out, reason);
    }
    return F2L_OK;
}

f2l_status f2l_boxes_close(f2l_closure *out, f2l_boxes *boxes, const f2l_net *net,
                           const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                           f2l_error *err)
{
    walk w;
    f2l_closure_clear(out);
    f2l_status status = begin_walk(&w, net, task, err);
    if (status == F2L_OK) status = close_by_boxes(&w, out, boxes, fsa, max_rows, err);
    clear_walk(&w);
    if (status != F2L_OK || out->verdict != F2L_OK) f2l_boxes_clear(boxes);
    if (status != F2L_OK) f2l_closure_clear(out);
    return status;
}
