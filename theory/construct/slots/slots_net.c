/* The network of slots (theory/pages/definite.md, K.8). */
#include "numeric/base/mem.h"
#include "theory/construct/slots/impl.h"
#include <string.h>

/* The factors of one letter, which are written to `transition` or, where that is NULL, counted. */
typedef struct writer {
    f2l_transition *transition;
    const f2l_slots *slots;
    const uint32_t *source; /* [slots] */
    const uint8_t *flip;    /* [slots] */
    size_t factors;
    f2l_status status;
    f2l_error *err;
} writer;

/* Adds a factor with key entries `first` on the rows of one slot, `second` on the rows of another.
 */
static void add_pair_factor(writer *w, long beta, long c, size_t denominator, size_t slot,
                            size_t other, long second)
{
    const size_t at = w->factors++;
    if (!w->transition || w->status != F2L_OK) return;
    f2l_factor *factor = &w->transition->factor[at];
    mpq_set_si(factor->beta, beta, 1);
    const size_t pair[2] = {slot < other ? slot : other, slot < other ? other : slot};
    for (size_t i = 0; i < 2; i++)
        for (uint32_t r = w->slots->row[pair[i]];
             w->status == F2L_OK && r < w->slots->row[pair[i] + 1]; r++)
            w->status = f2l_qvec_push_si(&factor->u, r, pair[i] == slot ? 1 : second, 1, w->err);
    if (w->status == F2L_OK && c)
        w->status = f2l_qvec_push_si(&factor->c, 0, c, denominator, w->err);
}

/* Adds a factor for each row of a slot: with beta 1 it writes c, with beta 2 it reflects at c. */
static void add_slot_factors(writer *w, long beta, long c, size_t denominator, size_t slot)
{
    for (uint32_t r = w->slots->row[slot]; r < w->slots->row[slot + 1]; r++) {
        const size_t at = w->factors++;
        if (!w->transition || w->status != F2L_OK) continue;
        f2l_factor *factor = &w->transition->factor[at];
        mpq_set_si(factor->beta, beta, 1);
        w->status = f2l_qvec_push_si(&factor->u, r, 1, 1, w->err);
        if (w->status == F2L_OK && c)
            w->status = f2l_qvec_push_si(&factor->c, 0, c, denominator, w->err);
    }
}

/* Exchanges neighbours from `slot` along the slots that are read, until a slot is written or `slot`
 * is met again. A flip exchanges complements, and flips what is handed on. */
static void follow_slots(writer *w, bool *done, size_t slot)
{
    const size_t first = slot;
    unsigned handed = 0; /* the content of `first` is complemented where it is now */
    done[slot] = true;
    while (w->source[slot] != F2L_SLOTS_WRITTEN && w->source[slot] != first) {
        const size_t from = w->source[slot];
        const bool flip = w->flip[slot];
        add_pair_factor(w, 2, flip ? 2 : 0, 1, slot, from, flip ? 1 : -1);
        handed ^= flip;
        slot = from;
        done[slot] = true;
    }
    if (w->source[slot] == first && handed != w->flip[slot]) add_slot_factors(w, 2, 1, 2, slot);
}

/* Writes the constants of slots with two rows two by two, other constants one by one. */
static void write_constants(writer *w)
{
    size_t waiting = w->slots->slots;
    for (size_t slot = 0; slot < w->slots->slots; slot++) {
        if (w->source[slot] != F2L_SLOTS_WRITTEN) continue;
        if (w->slots->row[slot + 1] - w->slots->row[slot] == 1) {
            add_slot_factors(w, 1, w->flip[slot], 1, slot);
        } else if (waiting == w->slots->slots) {
            waiting = slot;
        } else {
            const long x = w->flip[waiting], y = w->flip[slot];
            add_pair_factor(w, 1, 2 * (x + y), 1, waiting, slot, 1);
            add_pair_factor(w, 1, 2 * (x - y), 1, waiting, slot, -1);
            waiting = w->slots->slots;
        }
    }
    if (waiting < w->slots->slots) add_slot_factors(w, 1, w->flip[waiting], 1, waiting);
}

static void write_letter(writer *w)
{
    bool done[F2L_SLOTS_MAX] = {false}, read[F2L_SLOTS_MAX] = {false};
    const size_t slots = w->slots->slots;
    for (size_t i = 0; i < slots; i++)
        if (w->source[i] != F2L_SLOTS_WRITTEN) read[w->source[i]] = true;
    /* Chains begin at slots that no slot reads; what is left are cycles. */
    for (size_t i = 0; i < slots; i++)
        if (!read[i]) follow_slots(w, done, i);
    for (size_t i = 0; i < slots; i++)
        if (!done[i]) follow_slots(w, done, i);
    write_constants(w);
}

size_t f2l_slots_factors(f2l_transition *transition, const f2l_slots *slots, size_t letter,
                         f2l_error *err)
{
    writer w = {.slots = slots,
                .source = slots->source + letter * slots->slots,
                .flip = slots->flip + letter * slots->slots,
                .err = err};
    write_letter(&w);
    if (!transition) return w.factors;
    w.status = f2l_transition_set_factors(transition, w.factors, err);
    w.transition = transition;
    w.factors = 0;
    if (w.status == F2L_OK) write_letter(&w);
    return w.status == F2L_OK ? w.factors : SIZE_MAX;
}

static f2l_status add_slots_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa,
                                   f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, net->label, q);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    net->start = label_of[fsa->start];
    return status;
}

static f2l_status add_slots_code(f2l_qvec *code, const f2l_slots *slots, size_t state,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < slots->slots; i++)
        for (uint32_t r = slots->row[i]; status == F2L_OK && r < slots->row[i + 1]; r++)
            if (slots->value[state * slots->slots + i])
                status = f2l_qvec_push_si(code, r, 1, 1, err);
    return status;
}

static f2l_status add_slots_layer(f2l_net *net, const f2l_slots *slots, const uint32_t *label_of,
                                  const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "network of slots"};
    f2l_status status = f2l_net_set_layers(net, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&net->layer[0], slots->letters, 1, err);
    if (status != F2L_OK) return status;
    f2l_layer *layer = &net->layer[0];
    f2l_head *head = &layer->head[0];
    head->n = slots->row[slots->slots];
    head->d = 1;
    for (size_t a = 0; status == F2L_OK && a < slots->letters; a++) {
        status =
            f2l_meter_spend(&meter, 1000 * slots->slots, (double)a, (double)slots->letters, err);
        if (status == F2L_OK && f2l_slots_factors(&head->letter[a], slots, a, err) == SIZE_MAX)
            status = F2L_ENOMEM;
    }
    if (status == F2L_OK) status = add_slots_code(&head->initial, slots, fsa->start, err);
    if (status == F2L_OK)
        status = f2l_layer_set_codes(layer, slots->states, net->labels.count, false, err);
    for (size_t q = 0; status == F2L_OK && q < slots->states; q++) {
        layer->symbol[q] = label_of[q];
        status = add_slots_code(&layer->code[q], slots, q, err);
    }
    return status;
}

f2l_status f2l_slots_build(f2l_net *out, const f2l_slots *slots, const f2l_fsa *fsa,
                           f2l_label label, const f2l_task *task, f2l_error *err)
{
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    out->label = label;
    uint32_t *label_of = f2l_calloc(fsa->states.count, sizeof *label_of);
    status = label_of ? f2l_names_copy(&out->letters, &fsa->letters, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = add_slots_labels(out, label_of, fsa, err);
    if (status == F2L_OK) status = add_slots_layer(out, slots, label_of, fsa, task, err);
    f2l_free(label_of);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
