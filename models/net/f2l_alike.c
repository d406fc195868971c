#include "f2l_alike.h"
#include "f2l_mem.h"
#include "f2l_net_orthonormal.h"

static uint64_t hash_letter(const f2l_layer *layer, size_t letter)
{
    uint64_t hash = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_transition *t = &layer->head[h].letter[letter];
        hash = f2l_hash_rational(hash, t->gate);
        hash = f2l_hash_word(hash, t->factors);
        hash = f2l_hash_word(hash, f2l_qvec_hash(&t->bias));
        for (size_t j = 0; j < t->factors; j++) {
            hash = f2l_hash_rational(hash, t->factor[j].beta);
            hash = f2l_hash_word(hash, f2l_qvec_hash(&t->factor[j].u));
            hash = f2l_hash_word(hash, f2l_qvec_hash(&t->factor[j].c));
        }
    }
    return hash;
}

static bool same_factor(const f2l_factor *a, const f2l_factor *b)
{
    return mpq_equal(a->beta, b->beta) && f2l_qvec_compare(&a->u, &b->u) == 0 &&
           f2l_qvec_compare(&a->c, &b->c) == 0;
}

static bool same_transition(const f2l_transition *a, const f2l_transition *b)
{
    if (a->factors != b->factors || !mpq_equal(a->gate, b->gate)) return false;
    for (size_t j = 0; j < a->factors; j++)
        if (!same_factor(&a->factor[j], &b->factor[j])) return false;
    return f2l_qvec_compare(&a->bias, &b->bias) == 0;
}

static bool same_letter(const f2l_layer *layer, size_t x, size_t y)
{
    for (size_t h = 0; h < layer->heads; h++)
        if (!same_transition(&layer->head[h].letter[x], &layer->head[h].letter[y])) return false;
    return true;
}

/* class_of [letters], and first [letters]: the first letter of every class. */
static f2l_status find_classes(uint32_t *class_of, uint32_t *first, size_t *classes, const f2l_layer *layer,
                               f2l_error *err)
{
    size_t slots = 64;
    while (slots / 2 < layer->letters) slots *= 2;
    uint32_t *slot = f2l_calloc(slots, sizeof *slot); /* a class, + 1 */
    *classes = 0;
    if (!slot) return f2l_fail_memory(err);
    for (size_t x = 0; x < layer->letters; x++) {
        size_t at = (size_t)hash_letter(layer, x) & (slots - 1);
        while (slot[at] && !same_letter(layer, first[slot[at] - 1], x)) at = (at + 1) & (slots - 1);
        if (!slot[at]) {
            first[*classes] = (uint32_t)x;
            slot[at] = (uint32_t)++ * classes;
        }
        class_of[x] = slot[at] - 1;
    }
    f2l_free(slot);
    return F2L_OK;
}

/* The heads with the letters first [classes] only. */
static f2l_status take_heads(f2l_layer *out, const f2l_layer *layer, const uint32_t *first, size_t classes,
                             f2l_error *err)
{
    out->letters = classes;
    out->head = f2l_calloc(layer->heads, sizeof *out->head);
    if (!out->head) return f2l_fail_memory(err);
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_transition *letter = f2l_calloc(classes, sizeof *letter);
        out->head[h] = layer->head[h];
        out->head[h].letter = letter;
        if (!letter) return f2l_fail_memory(err);
        for (size_t c = 0; c < classes; c++) letter[c] = layer->head[h].letter[first[c]];
    }
    return F2L_OK;
}

static f2l_status take_layer(f2l_alike *out, size_t l, const f2l_layer *layer, f2l_error *err)
{
    f2l_layer *view = &out->net.layer[l];
    size_t classes;
    *view = (f2l_layer){.heads = layer->heads,
                        .codes = layer->codes,
                        .code = layer->code,
                        .low = layer->low,
                        .high = layer->high};
    out->class_of[l] = f2l_calloc(layer->letters, sizeof **out->class_of);
    uint32_t *first = f2l_calloc(layer->letters, sizeof *first);
    f2l_status status = out->class_of[l] && first
                            ? find_classes(out->class_of[l], first, &classes, layer, err)
                            : f2l_fail_memory(err);
    if (status == F2L_OK) status = take_heads(view, layer, first, classes, err);
    f2l_free(first);
    return status;
}

/* Every letter is its own class. */
static f2l_status take_all(f2l_alike *out, const f2l_net *net, f2l_error *err)
{
    for (size_t l = 0; l < net->layers; l++) {
        out->class_of[l] = f2l_calloc(net->layer[l].letters, sizeof **out->class_of);
        if (!out->class_of[l]) return f2l_fail_memory(err);
        for (size_t x = 0; x < net->layer[l].letters; x++) out->class_of[l][x] = (uint32_t)x;
    }
    f2l_free(out->net.layer);
    out->net = *net;
    out->whole = true;
    return F2L_OK;
}

#define LETTER_STEPS 6
#define FACTOR_STEPS 10
#define NUMBER_STEPS 4

static f2l_status charge(const f2l_layer *layer, const f2l_task *task, f2l_error *err)
{
    static const char phase[] = "comparing letters";
    uint64_t steps = 0;
    for (size_t h = 0; h < layer->heads; h++)
        steps += f2l_head_weigh(&layer->head[h], layer->letters, LETTER_STEPS, FACTOR_STEPS, NUMBER_STEPS);
    f2l_status status = f2l_task_spend(task, phase, steps, err);
    return status == F2L_OK ? f2l_task_poll(task, phase, 0, 0, err) : status;
}

f2l_status f2l_alike_init(f2l_alike *out, const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    *out = (f2l_alike){.net.layers = net->layers};
    out->class_of = f2l_calloc(net->layers, sizeof *out->class_of);
    out->net.layer = f2l_calloc(net->layers, sizeof *out->net.layer);
    if (!out->class_of || !out->net.layer) return f2l_fail_memory(err);
    if (!f2l_net_is_plain(net)) return take_all(out, net, err);
    f2l_status status = F2L_OK;
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        status = charge(&net->layer[l], task, err);
        if (status == F2L_OK) status = take_layer(out, l, &net->layer[l], err);
    }
    return status;
}

/* A view that takes all is the caller's network. */
void f2l_alike_clear(f2l_alike *alike)
{
    const bool own = !alike->whole;
    for (size_t l = 0; l < alike->net.layers; l++) {
        if (alike->class_of) f2l_free(alike->class_of[l]);
        f2l_layer *layer = own && alike->net.layer ? &alike->net.layer[l] : NULL;
        for (size_t h = 0; layer && layer->head && h < layer->heads; h++) f2l_free(layer->head[h].letter);
        if (layer) f2l_free(layer->head);
    }
    if (own) f2l_free(alike->net.layer);
    f2l_free(alike->class_of);
    *alike = (f2l_alike){0};
}
