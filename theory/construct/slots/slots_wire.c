/* Slots, their rows and their factors from a closed family (theory/pages/definite.md, K.8). */
#include "numeric/base/mem.h"
#include "theory/construct/slots/impl.h"
#include <string.h>

void f2l_slots_clear(f2l_slots *slots)
{
    f2l_free(slots->value);
    f2l_free(slots->source);
    f2l_free(slots->flip);
    f2l_free(slots->row);
    *slots = (f2l_slots){0};
}

static void set_values(f2l_slots *out, const f2l_slots_family *family, const f2l_slots_pool *pool)
{
    for (size_t q = 0; q < out->states; q++)
        for (size_t i = 0, slot = 0; i < family->count; i++)
            for (size_t copy = 0; copy < family->copies[i]; copy++)
                out->value[q * out->slots + slot++] =
                    f2l_slots_at(&pool->function[family->function[i]], q);
}

/* Lets every slot read the first slot of its function that no slot reads yet. */
static void set_sources(f2l_slots *out, size_t a, const f2l_slots_family *family,
                        f2l_slots_pool *pool)
{
    uint32_t unread[F2L_SLOTS_MAX];
    for (uint32_t i = 0, slot = 0; i < family->count; slot += family->copies[i++]) unread[i] = slot;
    for (size_t i = 0, slot = 0; i < family->count; i++) {
        const uint32_t g = f2l_slots_pull(pool, family->function[i], a);
        const bool written = g >= F2L_SLOTS_ONE;
        for (size_t copy = 0; copy < family->copies[i]; copy++, slot++) {
            const size_t at = a * out->slots + slot;
            out->source[at] = written ? F2L_SLOTS_WRITTEN : unread[pool->mark[g / 2] - 1]++;
            out->flip[at] = (uint8_t)(written ? g == F2L_SLOTS_ONE : g & 1);
        }
    }
}

void f2l_slots_count_rows(f2l_slots *out)
{
    memset(out->row, 0, (out->slots + 1) * sizeof *out->row);
    for (size_t at = 0; at < out->letters * out->slots; at++) {
        const uint32_t from = out->source[at], slot = (uint32_t)(at % out->slots);
        if (from != F2L_SLOTS_WRITTEN && from != slot) out->row[from] = out->row[slot] = 1;
    }
    for (uint32_t slot = 0, row = 0; slot <= out->slots; slot++) {
        const uint32_t rows = slot < out->slots ? 1 + out->row[slot] : 0;
        out->row[slot] = row;
        row += rows;
    }
    out->factors = 0;
    for (size_t a = 0; a < out->letters; a++) {
        const size_t factors = f2l_slots_factors(NULL, out, a, NULL);
        if (factors > out->factors) out->factors = factors;
    }
}

f2l_status f2l_slots_wire(f2l_slots *out, const f2l_slots_family *family, f2l_slots_pool *pool,
                          f2l_error *err)
{
    out->states = pool->fsa->states.count;
    out->letters = pool->fsa->letters.count;
    out->slots = family->slots;
    out->functions = family->count;
    out->value = f2l_calloc(out->states * out->slots, sizeof *out->value);
    out->source = f2l_calloc(out->letters * out->slots, sizeof *out->source);
    out->flip = f2l_calloc(out->letters * out->slots, sizeof *out->flip);
    out->row = f2l_calloc(out->slots + 1, sizeof *out->row);
    if (!out->value || !out->source || !out->flip || !out->row) return f2l_fail_memory(err);
    for (size_t i = 0; i < family->count; i++) pool->mark[family->function[i]] = (uint32_t)(i + 1);
    set_values(out, family, pool);
    for (size_t a = 0; a < out->letters; a++) set_sources(out, a, family, pool);
    for (size_t i = 0; i < family->count; i++) pool->mark[family->function[i]] = 0;
    f2l_slots_count_rows(out);
    return F2L_OK;
}
