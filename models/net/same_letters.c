#include "models/net/same_letters.h"
#include "numeric/base/mem.h"
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

static uint64_t transition_hash(uint64_t hash, const f2l_transition *t)
{
    hash = mix(hash, f2l_rational_hash(t->gate));
    hash = mix(hash, t->factors);
    for (size_t i = 0; i < t->factors; i++) {
        hash = mix(hash, f2l_rational_hash(t->factor[i].beta));
        hash = mix(hash, f2l_qvec_hash(&t->factor[i].u));
        hash = mix(hash, f2l_qvec_hash(&t->factor[i].c));
    }
    return mix(hash, f2l_qvec_hash(&t->bias));
}

static bool same_vector(const f2l_qvec *a, const f2l_qvec *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->index[i] == b->index[i] && mpq_equal(a->value[i], b->value[i]);
    return same;
}

static bool same_transition(const f2l_transition *a, const f2l_transition *b)
{
    bool same =
        mpq_equal(a->gate, b->gate) && a->factors == b->factors && same_vector(&a->bias, &b->bias);
    for (size_t i = 0; same && i < a->factors; i++)
        same = mpq_equal(a->factor[i].beta, b->factor[i].beta) &&
               same_vector(&a->factor[i].u, &b->factor[i].u) &&
               same_vector(&a->factor[i].c, &b->factor[i].c);
    return same;
}

static bool same_letter(const f2l_head *head, size_t heads, size_t a, size_t b)
{
    bool same = true;
    for (size_t h = 0; same && h < heads; h++)
        same = same_transition(&head[h].letter[a], &head[h].letter[b]);
    return same;
}

/* Returns the slot of the letter's class, or the empty slot where a new class belongs. Slots hold
 * classes + 1. */
static size_t find_slot(const f2l_same_letters *same, const uint32_t *slot, size_t slots,
                        const f2l_head *head, size_t heads, size_t letter)
{
    uint64_t hash = 0;
    for (size_t h = 0; h < heads; h++) hash = transition_hash(hash, &head[h].letter[letter]);
    size_t at = (size_t)hash & (slots - 1);
    while (slot[at] != 0 && !same_letter(head, heads, same->first[slot[at] - 1], letter))
        at = (at + 1) & (slots - 1);
    return at;
}

f2l_status f2l_same_letters_find(f2l_same_letters *out, const f2l_head *head, size_t heads,
                                 size_t letters, f2l_error *err)
{
    size_t slots = 4;
    while (slots / 2 < letters) slots *= 2;
    uint32_t *slot = f2l_calloc(slots, sizeof *slot);
    out->of = f2l_calloc(letters, sizeof *out->of);
    out->first = f2l_calloc(letters, sizeof *out->first);
    if (!slot || !out->of || !out->first) {
        f2l_free(slot);
        f2l_same_letters_clear(out);
        return f2l_fail_memory(err);
    }
    out->letters = letters;
    for (size_t a = 0; a < letters; a++) {
        const size_t at = find_slot(out, slot, slots, head, heads, a);
        if (slot[at] == 0) {
            out->first[out->count] = (uint32_t)a;
            slot[at] = (uint32_t)++out->count;
        }
        out->of[a] = slot[at] - 1;
    }
    f2l_free(slot);
    return F2L_OK;
}

uint64_t f2l_same_letters_steps(const f2l_layer *layer)
{
    uint64_t steps = 0;
    for (size_t h = 0; h < layer->heads; h++)
        steps += f2l_head_weigh(&layer->head[h], layer->letters, 6, 10, 4);
    return steps;
}

void f2l_same_letters_clear(f2l_same_letters *same)
{
    f2l_free(same->of);
    f2l_free(same->first);
    *same = (f2l_same_letters){0};
}

f2l_status f2l_same_letters_head(f2l_head *out, const f2l_head *head, const f2l_same_letters *same,
                                 f2l_error *err)
{
    *out = *head;
    out->letter = f2l_calloc(same->count, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (size_t k = 0; k < same->count; k++) out->letter[k] = head->letter[same->first[k]];
    return F2L_OK;
}
