/* The network of chains of copies (R8.9 of theory/pages/decay.md): slot j of a chain is a row with
 * the number eps^j y. */
#include "numeric/base/mem.h"
#include "theory/construct/copies/copies.h"
#include <string.h>

/* Adds the factors of a letter on the rows of a chain, which begin at `first`: copies from the last
 * slot down, then the write. */
static f2l_status add_chain_factors(f2l_transition *t, size_t *at, const f2l_copies *copies,
                                    const f2l_copy_chain *chain, size_t letter, size_t first,
                                    f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t j = chain->levels; status == F2L_OK && j-- > 1;) {
        if (!(chain->copy[letter] >> j & 1)) continue;
        f2l_qvec *u = &t->factor[*at].u;
        mpq_set_ui(t->factor[(*at)++].beta, 1, 1);
        status = f2l_qvec_push_si(u, (uint32_t)(first + j - 1), 1, 1, err);
        if (status == F2L_OK)
            status = f2l_qvec_push_si(u, (uint32_t)(first + j), -(long)copies->inverse, 1, err);
    }
    const uint8_t write = chain->write[letter];
    if (status != F2L_OK || write == F2L_COPIES_KEPT) return status;
    f2l_factor *factor = &t->factor[(*at)++];
    mpq_set_ui(factor->beta, 1, 1);
    status = f2l_qvec_push_si(&factor->u, (uint32_t)first, 1, 1, err);
    return status == F2L_OK ? f2l_qvec_push_si(&factor->c, 0, write, 1, err) : status;
}

static f2l_status add_letter(f2l_transition *t, const f2l_copies *copies, size_t letter,
                             f2l_error *err)
{
    size_t factors = 0, at = 0;
    for (size_t i = 0; i < copies->chains; i++)
        factors += (size_t)__builtin_popcountll(copies->chain[i].copy[letter]) +
                   (copies->chain[i].write[letter] != F2L_COPIES_KEPT);
    f2l_status status = f2l_transition_set_factors(t, factors, err);
    for (size_t i = 0, first = 0; status == F2L_OK && i < copies->chains; i++) {
        status = add_chain_factors(t, &at, copies, &copies->chain[i], letter, first, err);
        first += copies->chain[i].levels;
    }
    return status;
}

/* Sets out to 1 - (1 + eps^2)^-run, the error of slots whose run of equal contents ends at slot
 * `run`. */
static void error_of_run(mpq_t out, const f2l_copies *copies, size_t run)
{
    const unsigned long square = (unsigned long)copies->inverse * copies->inverse;
    mpz_ui_pow_ui(mpq_numref(out), square, run);
    mpz_ui_pow_ui(mpq_denref(out), square + 1, run);
    mpz_sub(mpq_numref(out), mpq_denref(out), mpq_numref(out));
    mpq_canonicalize(out);
}

/* Appends a slot's number, and the ends of its box, to the code. */
static f2l_status add_slot(f2l_qvec *const out[3], size_t row, const mpq_t scale, bool content,
                           const mpq_t error, f2l_error *err)
{
    mpq_t end[3];
    for (size_t i = 0; i < 3; i++) mpq_init(end[i]);
    if (content) {
        mpq_set_ui(end[0], 1, 1);
        mpq_set_ui(end[2], 1, 1);
        mpq_sub(end[1], end[0], error);
    } else {
        mpq_set(end[2], error);
    }
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < 3; i++) {
        mpq_mul(end[i], end[i], scale);
        if (status == F2L_OK) status = f2l_qvec_push(out[i], (uint32_t)row, end[i], err);
        mpq_clear(end[i]);
    }
    return status;
}

/* Appends the numbers of all slots with these contents; the ends of their boxes may have no place
 * to go. */
static f2l_status add_code(f2l_qvec *const out[3], const f2l_copies *copies, uint64_t content,
                           f2l_error *err)
{
    mpq_t scale, step, error;
    f2l_status status = F2L_OK;
    mpq_inits(scale, step, error, (mpq_ptr)NULL);
    mpq_set_ui(step, 1, copies->inverse);
    for (size_t i = 0, first = 0; i < copies->chains; first += copies->chain[i++].levels) {
        const uint64_t mine = content >> first;
        mpq_set_ui(scale, 1, 1);
        for (size_t j = 0; status == F2L_OK && j < copies->chain[i].levels; j++) {
            size_t run = j;
            while (run + 1 < copies->chain[i].levels && (mine >> (run + 1) & 1) == (mine >> j & 1))
                run++;
            error_of_run(error, copies, run);
            status = add_slot(out, first + j, scale, mine >> j & 1, error, err);
            mpq_mul(scale, scale, step);
        }
    }
    mpq_clears(scale, step, error, (mpq_ptr)NULL);
    return status;
}

static f2l_status add_copies_layer(f2l_net *net, const f2l_copies *copies, const uint32_t *label_of,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "network of copies"};
    f2l_status status = f2l_net_set_layers(net, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&net->layer[0], copies->letters, 1, err);
    if (status != F2L_OK) return status;
    f2l_layer *layer = &net->layer[0];
    f2l_head *head = &layer->head[0];
    head->n = copies->slots;
    head->d = 1;
    for (size_t a = 0; status == F2L_OK && a < copies->letters; a++)
        status = add_letter(&head->letter[a], copies, a, err);
    if (status == F2L_OK)
        status = f2l_layer_set_codes(layer, copies->codes, net->labels.count, false, err);
    if (status == F2L_OK) status = f2l_layer_set_boxes(layer, err);
    for (size_t c = 0; status == F2L_OK && c < copies->codes; c++) {
        f2l_qvec *const out[3] = {&layer->code[c], &layer->low[c], &layer->high[c]};
        status =
            f2l_meter_spend(&meter, 500 * copies->slots, (double)c, (double)copies->codes, err);
        layer->symbol[c] = label_of[copies->state[c]];
        if (status == F2L_OK) status = add_code(out, copies, copies->content[c], err);
    }
    return status == F2L_OK ? f2l_qvec_copy(&head->initial, &layer->code[0], err) : status;
}

f2l_status f2l_copies_build(f2l_net *out, const f2l_copies *copies, const f2l_fsa *fsa,
                            f2l_label label, const f2l_task *task, f2l_error *err)
{
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    out->label = label;
    uint32_t *label_of = f2l_calloc(fsa->states.count, sizeof *label_of);
    status = label_of ? f2l_names_copy(&out->letters, &fsa->letters, err) : f2l_fail_memory(err);
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&out->labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    if (status == F2L_OK) {
        out->start = label_of[fsa->start];
        status = add_copies_layer(out, copies, label_of, task, err);
    }
    f2l_free(label_of);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
