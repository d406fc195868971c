#include "f2l_alike.h"
#include "f2l_mem.h"

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

f2l_status f2l_layer_alike(uint32_t *class_of, size_t *classes, const f2l_layer *layer, f2l_error *err)
{
    size_t slots = 64;
    while (slots / 2 < layer->letters) slots *= 2;
    size_t *slot = f2l_calloc(slots, sizeof *slot); /* the first letter of a class, + 1 */
    *classes = 0;
    if (!slot) return f2l_fail_memory(err);
    for (size_t x = 0; x < layer->letters; x++) {
        size_t at = (size_t)hash_letter(layer, x) & (slots - 1);
        while (slot[at] && !same_letter(layer, slot[at] - 1, x)) at = (at + 1) & (slots - 1);
        if (!slot[at]) {
            slot[at] = x + 1;
            class_of[x] = (uint32_t)(*classes)++;
        } else {
            class_of[x] = class_of[slot[at] - 1];
        }
    }
    f2l_free(slot);
    return F2L_OK;
}
