/* The layer of slots, and slots that keep what is overwritten. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

/* --- registers --- */

/* Marks the slots that no slot reads after the edge; returns their number. */
static size_t find_unread(bool *unread, const f2l_slots *slots, size_t edge)
{
    const uint32_t *source = slots->source + edge * slots->slots;
    size_t count = slots->slots;
    for (size_t i = 0; i < slots->slots; i++) unread[i] = true;
    for (size_t i = 0; i < slots->slots; i++)
        if (source[i] != F2L_SLOTS_WRITTEN && unread[source[i]]) {
            unread[source[i]] = false;
            count--;
        }
    return count;
}

/* Lets registers, the slots from `slots->slots` on, read what edge `edge` drops. */
static void wire_registers(uint32_t *source, uint8_t *flip, size_t registers,
                           const f2l_slots *slots, size_t edge)
{
    bool unread[F2L_SLOTS_MAX];
    const size_t n = slots->slots;
    size_t r = 0;
    memcpy(source, slots->source + edge * n, n * sizeof *source);
    memcpy(flip, slots->flip + edge * n, n);
    find_unread(unread, slots, edge);
    for (uint32_t i = 0; i < n; i++)
        if (unread[i]) source[n + r++] = i;
    for (; r < registers; r++) source[n + r] = (uint32_t)(n + r);
}

f2l_status f2l_orbits_add_registers(f2l_orbits *orbits, uint8_t **initial, f2l_error *err)
{
    bool unread[F2L_SLOTS_MAX];
    f2l_slots *slots = &orbits->slots;
    size_t registers = 0;
    for (size_t e = 0; e < slots->letters; e++) {
        const size_t count = find_unread(unread, slots, e);
        if (count > registers) registers = count;
    }
    const size_t all = slots->slots + registers;
    if (all > F2L_SLOTS_MAX) return f2l_fail(err, F2L_UNKNOWN, "more than %d slots", F2L_SLOTS_MAX);
    uint32_t *source = f2l_calloc(slots->letters * all, sizeof *source);
    uint8_t *flip = f2l_calloc(slots->letters * all, 1), *value = f2l_calloc(all, 1);
    if (!source || !flip || !value) {
        f2l_free(source);
        f2l_free(flip);
        f2l_free(value);
        return f2l_fail_memory(err);
    }
    for (size_t e = 0; e < slots->letters; e++)
        wire_registers(source + e * all, flip + e * all, registers, slots, e);
    memcpy(value, *initial, slots->slots);
    f2l_free(*initial);
    f2l_free(slots->source);
    f2l_free(slots->flip);
    *initial = value;
    slots->source = source;
    slots->flip = flip;
    slots->slots = all;
    return F2L_OK;
}

/* --- the layer --- */

/* Sets the vector of contents: each row of a slot holds its content. */
static f2l_status set_contents(f2l_qvec *out, const f2l_slots *slots, size_t content,
                               f2l_error *err)
{
    const uint8_t *value = slots->value + content * slots->slots;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < slots->slots; i++)
        for (uint32_t r = slots->row[i]; status == F2L_OK && r < slots->row[i + 1]; r++)
            if (value[i])
                status = f2l_qvec_push_si(out, r, 1, value[i] == F2L_ORBITS_HALF ? 2 : 1, err);
    return status;
}

static f2l_status set_letters(f2l_layer *layer, const f2l_slots *slots, const uint32_t *letter,
                              const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "network of slots"};
    f2l_status status = F2L_OK;
    for (size_t e = 0; status == F2L_OK && e < slots->letters; e++) {
        if (letter[e] == F2L_ORBITS_NONE) continue;
        status = f2l_meter_spend(&meter, 1000 * (slots->slots + 1), (double)e,
                                 (double)slots->letters, err);
        if (status == F2L_OK &&
            f2l_slots_factors(&layer->head[0].letter[letter[e]], slots, e, err) == SIZE_MAX)
            status = F2L_ENOMEM;
    }
    return status;
}

/* Returns whether the symbols depend on the contents alone. */
static bool contents_suffice(const f2l_orbits *orbits, const uint32_t *letter,
                             const uint32_t *symbol)
{
    const size_t contents = orbits->slots.states;
    for (size_t c = 0; c < contents; c++) {
        uint32_t told = F2L_ORBITS_NONE;
        for (size_t e = 0; e < orbits->slots.letters; e++) {
            const uint32_t target = orbits->tells[e * contents + c];
            if (letter[e] == F2L_ORBITS_NONE || target == F2L_ORBITS_NONE) continue;
            if (told != F2L_ORBITS_NONE && symbol[target] != told) return false;
            told = symbol[target];
        }
    }
    return true;
}

static f2l_status set_decoder(f2l_layer *layer, const f2l_orbits *orbits, const uint32_t *letter,
                              const uint32_t *symbol, size_t symbols, f2l_error *err)
{
    const size_t contents = orbits->slots.states;
    const bool by_letter = !contents_suffice(orbits, letter, symbol);
    f2l_status status = f2l_layer_set_codes(layer, contents, symbols, by_letter, err);
    for (size_t c = 0; status == F2L_OK && c < contents; c++) {
        status = set_contents(&layer->code[c], &orbits->slots, c, err);
        for (size_t e = 0; e < orbits->slots.letters; e++) {
            const uint32_t target = orbits->tells[e * contents + c];
            if (letter[e] != F2L_ORBITS_NONE && target != F2L_ORBITS_NONE)
                layer->symbol[by_letter ? letter[e] * contents + c : c] = symbol[target];
        }
    }
    return status;
}

/* Gives every slot one row: exchanges and writes take one factor. */
static f2l_status use_single_rows(f2l_slots *view, f2l_error *err)
{
    view->row = f2l_calloc(view->slots + 1, sizeof *view->row);
    if (!view->row) return f2l_fail_memory(err);
    for (uint32_t i = 0; i <= view->slots; i++) view->row[i] = i;
    return F2L_OK;
}

f2l_status f2l_orbits_layer(f2l_layer *layer, const f2l_orbits *orbits, const uint32_t *letter,
                            size_t letters, const uint32_t *symbol, size_t symbols, bool naive,
                            const f2l_task *task, f2l_error *err)
{
    f2l_orbits view = *orbits; /* borrowed, but for rows of its own */
    f2l_status status = naive ? use_single_rows(&view.slots, err) : F2L_OK;
    if (status == F2L_OK) status = f2l_layer_set_heads(layer, letters, 1, err);
    if (status == F2L_OK) {
        layer->head[0].n = view.slots.row[view.slots.slots];
        layer->head[0].d = 1;
        status = set_letters(layer, &view.slots, letter, task, err);
    }
    if (status == F2L_OK) status = set_contents(&layer->head[0].initial, &view.slots, 0, err);
    if (status == F2L_OK) status = set_decoder(layer, &view, letter, symbol, symbols, err);
    if (naive) f2l_free(view.slots.row);
    return status;
}
