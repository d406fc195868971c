#include "models/network/net/same_letters.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include <string.h>

static uint64_t transition_hash(uint64_t hash, const f2l_transition *t)
{
    hash = f2l_hash(hash, f2l_rational_hash(t->gate));
    hash = f2l_hash(hash, t->factors);
    for (size_t i = 0; i < t->factors; i++) {
        hash = f2l_hash(hash, f2l_rational_hash(t->factor[i].beta));
        hash = f2l_hash(hash, f2l_qvec_hash(&t->factor[i].u));
        hash = f2l_hash(hash, f2l_qvec_hash(&t->factor[i].c));
    }
    return f2l_hash(hash, f2l_qvec_hash(&t->bias));
}

typedef struct alphabet {
    const f2l_head *head;
    size_t heads;
    const uint32_t *first; /* of every class */
} alphabet;

static uint64_t hash_equal_letters(const alphabet *l, size_t letter)
{
    uint64_t hash = F2L_HASH;
    for (size_t h = 0; h < l->heads; h++) hash = transition_hash(hash, &l->head[h].letter[letter]);
    return hash;
}

static uint64_t hash_of_equal_letters(const void *of, size_t number)
{
    const alphabet *l = of;
    return hash_equal_letters(l, l->first[number]);
}

static bool is_equal_letter(const void *of, size_t number, const void *letter)
{
    const alphabet *l = of;
    const size_t a = l->first[number], b = *(const size_t *)letter;
    bool same = true;
    for (size_t h = 0; same && h < l->heads; h++)
        same = f2l_transition_equal(&l->head[h].letter[a], &l->head[h].letter[b]);
    return same;
}

f2l_status f2l_same_letters_find(f2l_same_letters *out, const f2l_head *head, size_t heads,
                                 size_t letters, f2l_error *err)
{
    f2l_index index = {0};
    out->of = f2l_calloc(letters, sizeof *out->of);
    out->first = f2l_calloc(letters, sizeof *out->first);
    const alphabet l = {head, heads, out->first};
    if (!out->of || !out->first || !f2l_index_reserve(&index, letters, hash_of_equal_letters, &l)) {
        f2l_same_letters_clear(out);
        return f2l_fail_memory(err);
    }
    out->letters = letters;
    for (size_t a = 0; a < letters; a++) {
        const size_t number =
            f2l_index_find_or_add(&index, hash_equal_letters(&l, a), is_equal_letter, &l, &a);
        if (number == out->count) out->first[out->count++] = (uint32_t)a;
        out->of[a] = (uint32_t)number;
    }
    f2l_index_clear(&index);
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
