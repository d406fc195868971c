#include "models/network/layered/layered.h"
#include "models/network/layered/impl.h"
#include "models/network/net/same_letters.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MOST_ENTRIES ((size_t)1 << 26) /* letters times local states of a layer, before merging */

typedef struct maker {
    f2l_walk walk;
    f2l_net *out;
    f2l_letter_merge above; /* of the letters of the layer above; of the labels: none */
} maker;

static const f2l_wired_block *block_of(const maker *m, const f2l_stage_walk *at)
{
    return &m->walk.net->block[m->walk.net->stage[at->stage].block];
}

/* --- letters --- */

/* Returns the number of letters before any are merged; of layer 1 these are the network's. */
static size_t count_letters(const maker *m, size_t l)
{
    return l == 0 ? m->walk.letters : m->walk.layer[l].input.count;
}

static size_t input_of_letter(const maker *m, size_t l, size_t letter)
{
    return l == 0 ? m->walk.first[letter] : letter;
}

/* Appends, for one head, the classes of the transitions that the letter's slots choose. */
static void append_classes(uint32_t *key, size_t *at, maker *m, const f2l_stage_walk *layer,
                           size_t h, const f2l_same_letters *same, size_t input)
{
    const size_t *chosen =
        f2l_exact_letters(m->walk.run, layer->stage, f2l_wire_tuples_at(&layer->input, input), h);
    for (size_t j = 0; j < block_of(m, layer)->head[h].slots; j++)
        key[(*at)++] = same->of[chosen[j]];
}

/* Numbers what the letters do to the heads: action[letters]. */
static f2l_status number_actions(uint32_t *action, maker *m, size_t l, f2l_error *err)
{
    const f2l_stage_walk *layer = &m->walk.layer[l];
    const f2l_wired_block *block = block_of(m, layer);
    f2l_wire_tuples actions = {0};
    f2l_same_letters *same = f2l_calloc(block->heads, sizeof *same);
    f2l_status status = same ? F2L_OK : f2l_fail_memory(err);
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++) {
        const f2l_wired_head *head = &block->head[h];
        actions.length += head->slots;
        status = f2l_same_letters_find(&same[h], &head->head, 1, head->slot_at[head->slots], err);
    }
    uint32_t *key = f2l_calloc(actions.length, sizeof *key);
    if (status == F2L_OK && !key) status = f2l_fail_memory(err);
    for (size_t a = 0; a < count_letters(m, l) && status == F2L_OK; a++) {
        size_t at = 0;
        for (size_t h = 0; h < block->heads; h++)
            append_classes(key, &at, m, layer, h, &same[h], input_of_letter(m, l, a));
        status = f2l_wire_tuples_add(&action[a], &actions, key, err);
    }
    for (size_t h = 0; same && h < block->heads; h++) f2l_same_letters_clear(&same[h]);
    f2l_free(same);
    f2l_free(key);
    f2l_wire_tuples_clear(&actions);
    return status;
}

/* --- symbols --- */

/* Returns what an output tuple of the layer is: a letter of the layer above, or a label. */
static uint32_t symbol_of_output(const maker *m, size_t l, uint32_t output)
{
    return l + 1 < m->walk.layers ? m->above.of[output]
                                  : *f2l_wire_tuples_at(&m->walk.layer[l].output, output);
}

static f2l_status init_rows(f2l_symbol_rows *rows, const maker *m, size_t l, f2l_error *err)
{
    const f2l_stage_walk *layer = &m->walk.layer[l];
    size_t entries;
    *rows = (f2l_symbol_rows){.letters = count_letters(m, l), .states = layer->local.count};
    if (!f2l_mul_size(&entries, rows->letters, rows->states) || entries > MOST_ENTRIES)
        return f2l_fail(err, F2L_EDOMAIN,
                        "as a layer, stage %zu has %zu letters and %zu local states, which are too "
                        "many for a table",
                        layer->stage + 1, rows->letters, rows->states);
    rows->symbol = f2l_calloc(entries, sizeof *rows->symbol);
    if (!rows->symbol) return f2l_fail_memory(err);
    for (size_t i = 0; i < entries; i++) rows->symbol[i] = F2L_NO_SYMBOL;
    return F2L_OK;
}

/* Sets the symbol of every pair of a letter and a local state after it. */
static void fill_rows(f2l_symbol_rows *rows, const maker *m, size_t l)
{
    const f2l_stage_walk *layer = &m->walk.layer[l];
    for (size_t p = 0; p < layer->place.count; p++) {
        const uint32_t input = f2l_wire_tuples_at(&layer->place, p)[0];
        const uint32_t symbol = symbol_of_output(m, l, layer->step[p].output);
        const size_t first = l == 0 ? 0 : input, end = l == 0 ? rows->letters : first + 1;
        for (size_t a = first; a < end; a++)
            if (rows->symbol && input_of_letter(m, l, a) == input)
                rows->symbol[a * rows->states + layer->step[p].to] = symbol;
    }
}

/* --- heads --- */

/* A head of a layer: a part of a head of the stage. */
typedef struct piece {
    size_t stage;
    const f2l_wired_head *from;
    const f2l_parts *parts;
    size_t part;
} piece;

static bool has_part(const piece *p, const f2l_factor *factor)
{
    return p->parts->of[factor->u.index[0]] == p->part;
}

static f2l_status copy_factor(f2l_factor *out, const piece *p, const f2l_factor *from,
                              f2l_error *err)
{
    mpq_set(out->beta, from->beta);
    f2l_status status = f2l_parts_copy(&out->u, &from->u, p->parts, p->part, 0, 1, err);
    return status == F2L_OK ? f2l_qvec_copy(&out->c, &from->c, err) : status;
}

/* Returns the first slot that matters: a gate of 0 forgets what the slots before it did. */
static size_t find_first_slot(const piece *p, const size_t *chosen)
{
    size_t j = p->from->slots - 1;
    while (j > 0 && mpq_sgn(p->from->head.letter[chosen[j]].gate) != 0) j--;
    return j;
}

/* Sets what a letter does to the piece: the transitions that the slots choose, one after another.
 */
static f2l_status join_slots(f2l_transition *out, const piece *p, const size_t *chosen,
                             f2l_error *err)
{
    const f2l_transition *letter = p->from->head.letter;
    const size_t first = find_first_slot(p, chosen);
    size_t factors = 0;
    for (size_t j = first; j < p->from->slots; j++) {
        const f2l_transition *t = &letter[chosen[j]];
        if (j > first && mpq_cmp_ui(t->gate, 1, 1) != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "slot %zu of a head of stage %zu has a gate, which a layer has before "
                            "all factors only",
                            j + 1, p->stage + 1);
        for (size_t f = 0; f < t->factors; f++) factors += has_part(p, &t->factor[f]);
    }
    f2l_status status = f2l_transition_set_factors(out, factors, err);
    mpq_set(out->gate, letter[chosen[first]].gate);
    factors = 0;
    for (size_t j = first; j < p->from->slots; j++)
        for (size_t f = 0; f < letter[chosen[j]].factors && status == F2L_OK; f++)
            if (has_part(p, &letter[chosen[j]].factor[f]))
                status = copy_factor(&out->factor[factors++], p, &letter[chosen[j]].factor[f], err);
    return status;
}

static f2l_status make_head(f2l_head *out, maker *m, size_t l, size_t h, const piece *p,
                            const f2l_letter_merge *merge, f2l_error *err)
{
    const f2l_stage_walk *layer = &m->walk.layer[l];
    out->n = p->parts->size[p->part];
    out->d = p->from->head.d;
    out->raw = p->from->head.raw;
    f2l_status status = f2l_parts_copy(&out->initial, &m->walk.net->stage[p->stage].initial[h],
                                       p->parts, p->part, 0, out->d, err);
    for (size_t c = 0; c < merge->count && status == F2L_OK; c++) {
        const size_t input = input_of_letter(m, l, merge->first[c]);
        status = join_slots(
            &out->letter[c], p,
            f2l_exact_letters(m->walk.run, p->stage, f2l_wire_tuples_at(&layer->input, input), h),
            err);
    }
    return status;
}

/* Sets the piece's codes in all local states, head number `at` of the layer. The codes of readouts
 * are by head, then by row. */
static f2l_status make_codes(f2l_layer *out, const maker *m, size_t l, size_t h, const piece *p,
                             size_t at, f2l_error *err)
{
    const f2l_stage_walk *layer = &m->walk.layer[l];
    const f2l_wired_block *block = block_of(m, layer);
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < layer->local.count; s++)
        for (size_t r = 0; r < block->readouts && status == F2L_OK; r++) {
            const f2l_wired_readout *readout = &block->readout[r];
            if (readout->head != h) continue;
            status = f2l_parts_copy(&out->code[s * out->heads + at],
                                    &readout->code[f2l_wire_tuples_at(&layer->local, s)[r]],
                                    p->parts, p->part, readout->row, p->from->head.d, err);
        }
    return status;
}

/* --- a layer --- */

/* Finds the parts of all heads of the stage: parts[heads]; *count is their number. */
static f2l_status find_parts(f2l_parts *parts, size_t *count, const f2l_wired_block *block,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    *count = 0;
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++) {
        const f2l_wired_head *head = &block->head[h];
        status = f2l_parts_find(&parts[h], &head->head, head->slot_at[head->slots], err);
        *count += parts[h].count;
    }
    return status;
}

static f2l_status fill_symbols(f2l_layer *out, const maker *m, size_t l,
                               const f2l_symbol_rows *rows, f2l_error *err)
{
    const bool last = l + 1 == m->walk.layers;
    bool by_letter = false;
    for (size_t i = rows->states; i < rows->letters * rows->states && !by_letter; i++)
        by_letter = rows->symbol[i] != rows->symbol[i - rows->states];
    f2l_status status = f2l_layer_set_codes(
        out, rows->states, last ? m->out->labels.count : m->above.count, by_letter, err);
    if (status == F2L_OK)
        memcpy(out->symbol, rows->symbol,
               (by_letter ? rows->letters : 1) * rows->states * sizeof *out->symbol);
    return status;
}

static f2l_status fill_layer(maker *m, size_t l, const f2l_parts *parts, size_t heads,
                             const f2l_symbol_rows *rows, const f2l_letter_merge *merge,
                             f2l_error *err)
{
    f2l_layer *out = &m->out->layer[l];
    const size_t stage = m->walk.layer[l].stage;
    const f2l_wired_block *block = block_of(m, &m->walk.layer[l]);
    f2l_status status = f2l_layer_set_heads(out, merge->count, heads, err);
    if (status == F2L_OK) status = fill_symbols(out, m, l, rows, err);
    for (size_t h = 0, at = 0; h < block->heads; h++)
        for (size_t part = 0; part < parts[h].count && status == F2L_OK; part++, at++) {
            const piece p = {stage, &block->head[h], &parts[h], part};
            status = make_head(&out->head[at], m, l, h, &p, merge, err);
            if (status == F2L_OK) status = make_codes(out, m, l, h, &p, at, err);
        }
    return status;
}

/* Makes layer l, after the layers above it; m->above is then about its letters. */
static f2l_status make_layer(maker *m, size_t l, f2l_error *err)
{
    const f2l_wired_block *block = block_of(m, &m->walk.layer[l]);
    f2l_symbol_rows rows = {0};
    f2l_letter_merge merge = {0};
    size_t heads;
    uint32_t *action = f2l_calloc(count_letters(m, l), sizeof *action);
    f2l_parts *parts = f2l_calloc(block->heads, sizeof *parts);
    f2l_status status = action && parts ? init_rows(&rows, m, l, err) : f2l_fail_memory(err);
    if (status == F2L_OK) {
        fill_rows(&rows, m, l);
        status = number_actions(action, m, l, err);
    }
    if (status == F2L_OK) status = f2l_merge_rows(&merge, &rows, action, l > 0, m->walk.task, err);
    if (status == F2L_OK) status = find_parts(parts, &heads, block, err);
    if (status == F2L_OK) status = fill_layer(m, l, parts, heads, &rows, &merge, err);
    for (size_t h = 0; parts && h < block->heads; h++) f2l_parts_clear(&parts[h]);
    f2l_letter_merge_clear(&m->above);
    m->above = merge;
    f2l_free(parts);
    f2l_free(rows.symbol);
    f2l_free(action);
    return status;
}

/* --- the network --- */

static f2l_status copy_names(f2l_net *out, const f2l_net *net, f2l_error *err)
{
    memcpy(out->fsa_sha256, net->fsa_sha256, sizeof out->fsa_sha256);
    out->label = net->label;
    out->start = net->start;
    f2l_status status = f2l_names_copy(&out->letters, &net->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->labels, &net->labels, err);
    return status == F2L_OK
               ? f2l_letter_classes_copy(&out->classes, &net->classes, net->letters.count, err)
               : status;
}

f2l_status f2l_layered_make(f2l_net *out, const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    maker m = {.out = out};
    if (net->stages == 0) return F2L_OK;
    f2l_status status = f2l_walk_stages(&m.walk, net, task, err);
    if (status == F2L_OK) status = copy_names(out, net, err);
    if (status == F2L_OK && m.walk.layers == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "the network has no heads");
    if (status == F2L_OK) status = f2l_net_set_layers(out, m.walk.layers, err);
    for (size_t l = m.walk.layers; l-- > 0 && status == F2L_OK;) status = make_layer(&m, l, err);
    if (status == F2L_OK) status = f2l_net_validate_within(out, task, err);
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_letter_merge_clear(&m.above);
    f2l_walk_clear(&m.walk);
    return status;
}
