#include "tests/support/theory/unrounded_support.h"
#include "models/network/schedule/float_net.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"

f2l_format named_format(const char *name)
{
    const f2l_format *format = f2l_format_find(name);
    cr_assert_not_null(format, "%s", name);
    return *format;
}

f2l_schedule named_schedule(const char *name)
{
    const f2l_schedule *schedule = f2l_schedule_find(name);
    cr_assert_not_null(schedule, "%s", name);
    return *schedule;
}

void random_dyadic(mpq_t out, f2l_rng *rng, long most, unsigned places)
{
    const long x = (long)f2l_rng_below(rng, (uint64_t)(2 * most + 1)) - most;
    mpq_set_si(out, x, 1);
    mpq_div_2exp(out, out, (mp_bitcnt_t)f2l_rng_below(rng, places + 1));
}

void random_dyadics(f2l_qvec *out, f2l_rng *rng, size_t n, long most, unsigned places)
{
    mpq_t x;
    mpq_init(x);
    for (size_t i = 0; i < n; i++) {
        random_dyadic(x, rng, most, places);
        cr_assert_eq(f2l_qvec_push(out, (uint32_t)i, x, NULL), F2L_OK);
    }
    mpq_clear(x);
}

/* Adds the sums of a ring to the last stored state. */
static void add_ring(const f2l_float_net *net, size_t layer, double *state)
{
    const size_t size = f2l_float_layer_decoded(net, layer);
    for (size_t i = 0; net->schedule->store.ring && i < size; i++) state[i] += state[size + i];
}

size_t other_numbers(const f2l_layer *layer, size_t code, const double *number)
{
    size_t wrong = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_qvec *exact = &layer->code[code * layer->heads + h];
        size_t e = 0;
        for (size_t i = 0; i < layer->head[h].n * layer->head[h].d; i++) {
            const bool is = e < exact->count && exact->index[e] == i;
            wrong += *number++ != (is ? mpq_get_d(exact->value[e]) : 0);
            e += is;
        }
    }
    return wrong;
}

size_t chunked_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length)
{
    f2l_error err = {0};
    f2l_chunk *run;
    uint32_t got[F2L_CHUNK];
    size_t wrong = 0;
    cr_assert_eq(f2l_chunk_new(&run, rounded, &err), F2L_OK, "%s", err.text);
    f2l_chunk_start(run);
    for (size_t at = 0; at < length; at += F2L_CHUNK) {
        const size_t count = length - at < F2L_CHUNK ? length - at : F2L_CHUNK;
        cr_assert_eq(f2l_chunk_feed(run, got, letter + at, count, &err), F2L_OK, "%s", err.text);
        for (size_t t = 0; t < count; t++) {
            wrong += got[t] != label[at + t];
            for (size_t l = 0; l < net->layers; l++)
                wrong += other_numbers(&net->layer[l], joint[(at + t) * net->layers + l],
                                       f2l_chunk_reading(run, l, t));
        }
    }
    f2l_chunk_free(run);
    return wrong;
}

/* Sets whether the prompt ends before the next letter. */
static void end_prompt(f2l_choices *choices, bool ends)
{
    choices->at = 0;
    choices->count = 1;
    choices->bit[0] = ends;
}

size_t stepped_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length)
{
    const size_t size = f2l_float_size(rounded) + 1;
    double *number = calloc(2 * size, sizeof *number);
    size_t wrong = 0;
    f2l_float_start(rounded, number);
    for (size_t t = 0; t < length; t++) {
        uint32_t got;
        double *layer = number + size;
        if (rounded->prompt) end_prompt(rounded->format->choices, t == length / 3);
        cr_assert_eq(f2l_float_step(rounded, number, letter[t], &got, NULL), F2L_OK);
        wrong += got != label[t];
        memcpy(layer, number, size * sizeof *layer);
        for (size_t l = 0; l < net->layers; l++) {
            add_ring(rounded, l, layer);
            wrong += other_numbers(&net->layer[l], joint[t * net->layers + l], layer);
            layer += f2l_float_layer_size(rounded, l);
        }
    }
    free(number);
    return wrong;
}

size_t run_differs(const f2l_net *net, const f2l_format *format, const f2l_schedule *schedule,
                   uint64_t seed, size_t length)
{
    f2l_error err = {0};
    f2l_rng rng;
    f2l_exact *exact;
    f2l_float_net *rounded;
    f2l_choices choices;
    f2l_format chosen = *format;
    f2l_choices_restart(&choices);
    if (schedule->prefill) chosen.choices = &choices;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_exact_new(&exact, net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_float_net_new(&rounded, net, &chosen, schedule, &err), F2L_OK, "%s", err.text);
    uint32_t *letter = calloc(length, sizeof *letter);
    size_t *joint = calloc((length + 1) * net->layers, sizeof *joint),
           *label = calloc(length, sizeof *label);
    size_t *now = calloc(net->layers, sizeof *now), failed;
    cr_assert_eq(f2l_exact_start(exact, now, &err), F2L_OK, "%s", err.text);
    for (size_t t = 0; t < length; t++) {
        letter[t] = (uint32_t)f2l_rng_below(&rng, net->letters.count);
        cr_assert_eq(f2l_exact_step(exact, now, letter[t], &label[t], &failed, &err), F2L_OK, "%s",
                     err.text);
        memcpy(joint + t * net->layers, now, net->layers * sizeof *now);
    }
    const bool chunked = !f2l_schedule_steps(schedule);
    const size_t wrong =
        (chunked ? chunked_differs : stepped_differs)(net, rounded, letter, joint, label, length);
    free(letter);
    free(joint);
    free(label);
    free(now);
    f2l_float_net_free(rounded);
    f2l_exact_free(exact);
    return wrong;
}

void find_unrounded(f2l_unrounded *u, const f2l_net *model, const f2l_format *format,
                    const f2l_schedule *schedule)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_unrounded_find(u, model, format, schedule, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert((u->verdict == F2L_OK) == (u->reason[0] == '\0'));
    f2l_unrounded again;
    f2l_unrounded_shared *shared = f2l_unrounded_share(model);
    f2l_unrounded_init(&again);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(f2l_unrounded_find_shared(&again, model, shared, format, schedule, NULL, &err),
                     F2L_OK);
        cr_assert_eq(again.verdict, u->verdict, "%s: %s, %s", schedule->name, u->reason,
                     again.reason);
        cr_assert_str_eq(again.reason, u->reason);
    }
    f2l_unrounded_shared_clear(shared);
    f2l_unrounded_clear(&again);
}

size_t steps_differ(const f2l_net *net, const f2l_format *format, const f2l_schedule *schedule)
{
    f2l_error err = {0};
    f2l_exact *exact;
    f2l_float_net *rounded;
    const f2l_layer *layer = &net->layer[0];
    const size_t size = layer->head[0].n * layer->head[0].d;
    size_t wrong = 0;
    const f2l_status made = f2l_float_net_new(&rounded, net, format, schedule, &err);
    if (made == F2L_EDOMAIN && schedule->store.ring) return 1; /* it has a gate or a bias */
    cr_assert_eq(made, F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_exact_new(&exact, net, &err), F2L_OK, "%s", err.text);
    const size_t all = f2l_float_layer_size(rounded, 0);
    double *state = calloc(all, sizeof *state), *unstored = calloc(size, sizeof *unstored);
    for (size_t c = 0; c < layer->codes; c++)
        for (size_t a = 0; a < layer->letters; a++) {
            f2l_qvec after;
            f2l_qvec_init(&after);
            for (size_t i = 0; i < all; i++) state[i] = 0;
            for (size_t i = 0; i < layer->code[c].count; i++)
                state[layer->code[c].index[i]] = mpq_get_d(layer->code[c].value[i]);
            const double *read = f2l_float_step_layer(rounded, 0, a, state, unstored);
            add_ring(rounded, 0, state);
            cr_assert_eq(f2l_exact_step_head(exact, &after, 0, 0, a, &layer->code[c], &err),
                         F2L_OK);
            size_t e = 0;
            for (size_t i = 0; i < size; i++) {
                const bool is = e < after.count && after.index[e] == i;
                const double right = is ? mpq_get_d(after.value[e]) : 0;
                wrong += state[i] != right || read[i] != right;
                e += is;
            }
            f2l_qvec_clear(&after);
        }
    free(state);
    free(unstored);
    f2l_float_net_free(rounded);
    f2l_exact_free(exact);
    return wrong;
}

void tally_steps(tally *t, const f2l_net *model, const f2l_format *format,
                 const f2l_schedule *schedule, const char *what, size_t which)
{
    f2l_unrounded u;
    f2l_unrounded_init(&u);
    find_unrounded(&u, model, format, schedule);
    const size_t wrong = steps_differ(model, format, schedule);
    if (u.verdict == F2L_OK)
        cr_assert_eq(wrong, 0, "%s %zu in %s, %s", what, which, format->name, schedule->name);
    t->sure += u.verdict == F2L_OK;
    t->unsure += u.verdict != F2L_OK;
    t->differ += u.verdict != F2L_OK && wrong > 0;
    f2l_unrounded_clear(&u);
}

static void random_letter(f2l_transition *letter, f2l_rng *rng, const f2l_head *head)
{
    static const int gate[] = {4, 4, 4, 2, 0, 3};
    mpq_set_si(letter->gate, gate[f2l_rng_below(rng, 6)], 4);
    mpq_canonicalize(letter->gate);
    const size_t factors = f2l_rng_below(rng, 3);
    cr_assert_eq(f2l_transition_set_factors(letter, factors, NULL), F2L_OK);
    for (size_t m = 0; m < factors; m++) {
        f2l_factor *factor = &letter->factor[m];
        mpq_set_ui(factor->beta, 1 + f2l_rng_below(rng, 2), 2);
        mpq_canonicalize(factor->beta);
        while (factor->u.count == 0) random_dyadics(&factor->u, rng, head->n, 1, 2);
        if (f2l_rng_below(rng, 2)) random_dyadics(&factor->c, rng, head->d, 2, 2);
    }
    if (f2l_rng_below(rng, 3) == 0) random_dyadics(&letter->bias, rng, head->n * head->d, 1, 3);
}

bool random_raw_head(f2l_net *model, f2l_rng *rng)
{
    f2l_net *net = model;
    size_t index;
    f2l_net_init(model);
    memcpy(net->fsa_sha256, SAMPLE_SHA, sizeof net->fsa_sha256);
    net->label = F2L_LABEL_STATES;
    cr_assert_eq(f2l_names_add(&net->letters, "x", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_names_add(&net->letters, "y", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_names_add(&net->labels, "l", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_heads(&net->layer[0], 2, 1, NULL), F2L_OK);
    f2l_head *head = &net->layer[0].head[0];
    head->n = 1 + f2l_rng_below(rng, 3);
    head->d = 1 + f2l_rng_below(rng, 2);
    head->raw = true;
    for (size_t a = 0; a < 2; a++) random_letter(&head->letter[a], rng, head);
    random_dyadics(&head->initial, rng, head->n * head->d, 3, 2);
    cr_assert_eq(f2l_layer_set_codes(&net->layer[0], 3, 1, false, NULL), F2L_OK);
    for (size_t c = 0; c < 3; c++) {
        random_dyadics(&net->layer[0].code[c], rng, head->n * head->d, 3, 2);
        net->layer[0].symbol[c] = 0;
    }
    return f2l_net_validate(net, NULL) == F2L_OK;
}
