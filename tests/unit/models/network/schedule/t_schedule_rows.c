/* Rows of the cross product of a schedule's fields, most of which have no name: the step in doubles
 * beside the reference. */
#include "models/network/schedule/float_net.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_reference.h"
#include "tests/support/models/schedule_rows.h"
#include <math.h>
#include <stdio.h>

#define SEED 2311

static f2l_choices choices;

/* A layer's state in the reference. */
typedef struct side {
    double *state, *residual, *read;
    size_t letters; /* since the last store */
    size_t ring[8]; /* these letters */
} side;

static side side_of(size_t numbers)
{
    return (side){calloc(numbers, sizeof(double)),
                  calloc(numbers, sizeof(double)),
                  calloc(numbers, sizeof(double)),
                  0,
                  {0}};
}

static void side_clear(side *s)
{
    free(s->state);
    free(s->residual);
    free(s->read);
}

/* Stores a layer of `numbers` numbers. */
static void reference_stores(reference *r, const f2l_layer *layer, size_t numbers, side *s)
{
    const bool tensor = r->schedule.store.scale && r->schedule.store.block == F2L_BLOCK_TENSOR;
    if (tensor) reference_store(r, numbers, 1, s->state, s->residual);
    for (size_t h = 0, at = 0; h < layer->heads && !tensor; h++) {
        reference_store(r, layer->head[h].n, layer->head[h].d, s->state + at, s->residual + at);
        at += layer->head[h].n * layer->head[h].d;
    }
}

/* Adds the letters' products of keys and updates to the ring of a head, from the first letter on;
 * the updates are those of the numbers that the state then was. */
static void replay_head(reference *r, const f2l_head *head, const side *s, const double *stored,
                        double *S)
{
    const size_t n = head->n, d = head->d, size = n * d;
    f2l_format kept = *f2l_schedule_ring_format(&r->schedule, &r->weights);
    double *sum = calloc(size, sizeof *sum), *k = calloc(n, sizeof *k);
    kept.rounding = F2L_ROUND_NEAREST_EVEN;
    for (size_t i = 0; i < size; i++) S[i] = reference_fma(r, &r->fp32, 1, stored[i], 0);
    for (size_t t = 0; t < s->letters; t++) {
        const f2l_transition *letter = &head->letter[s->ring[t]];
        for (size_t f = 0; f < letter->factors; f++) {
            const f2l_factor *factor = &letter->factor[f];
            memset(k, 0, n * sizeof *k);
            reference_key(r, k, head, factor);
            for (size_t j = 0, at = 0; j < d; j++) {
                double v = 0;
                if (at < factor->c.count && factor->c.index[at] == j)
                    v = reference_weight(r, head, factor->c.value[at++], &factor->u);
                const double update = reference_column(
                    r, &r->fp32, n, k, v, reference_beta(r, factor->beta), 1, S + j, d);
                for (size_t i = 0; i < n; i++)
                    sum[i * d + j] =
                        reference_fma(r, &r->fp32, -reference_fma(r, &kept, k[i], 1, 0),
                                      reference_fma(r, &kept, update, 1, 0), sum[i * d + j]);
            }
        }
        for (size_t i = 0; i < size; i++) S[i] = reference_fma(r, &r->fp32, 1, stored[i], sum[i]);
    }
    free(sum);
    free(k);
}

/* Steps a layer with a ring: s->state is what was stored last. */
static void reference_ring(reference *r, const f2l_layer *layer, size_t x, side *s)
{
    size_t numbers = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        replay_head(r, &layer->head[h], s, s->state + numbers, s->read + numbers);
        reference_letter(r, &layer->head[h], x, s->read + numbers);
        numbers += layer->head[h].n * layer->head[h].d;
    }
    s->ring[s->letters] = x;
    s->letters = (s->letters + 1) % r->schedule.store.letters;
    if (s->letters == 0) {
        memcpy(s->state, s->read, numbers * sizeof *s->state);
        reference_stores(r, layer, numbers, s);
    }
    for (size_t i = 0; i < numbers; i++)
        s->read[i] = reference_fma(r, &r->output, s->read[i], 1, 0);
}

static void reference_layer(reference *r, const f2l_layer *layer, size_t x, side *s)
{
    if (r->schedule.store.ring) {
        reference_ring(r, layer, x, s);
        return;
    }
    const unsigned every = r->schedule.store.letters;
    size_t numbers = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        reference_letter(r, &layer->head[h], x, s->state + numbers);
        numbers += layer->head[h].n * layer->head[h].d;
    }
    for (size_t i = 0; i < numbers && r->schedule.read_unstored; i++)
        s->read[i] = reference_fma(r, &r->output, s->state[i], 1, 0);
    s->letters = (s->letters + 1) % every;
    if (s->letters == 0) reference_stores(r, layer, numbers, s);
    for (size_t i = 0; i < numbers && !r->schedule.read_unstored; i++)
        s->read[i] =
            r->schedule.output ? reference_fma(r, &r->output, s->state[i], 1, 0) : s->state[i];
}

static void draw_choices(f2l_rng *rng, reference *r)
{
    r->bits = 0;
    for (size_t i = 0; i < F2L_MAX_CHOICES_TAKEN; i++)
        choices.bit[i] = (unsigned char)f2l_rng_below(rng, 2);
    choices.at = 0;
    choices.count = F2L_MAX_CHOICES_TAKEN;
}

/* Steps layer l from its start; returns the letters compared before a number is not finite. */
static size_t compare_layer(const f2l_float_net *fast, const f2l_net *net, size_t l, reference *r,
                            f2l_rng *rng, const char *what)
{
    const f2l_layer *layer = &net->layer[l];
    const size_t numbers = f2l_float_layer_decoded(fast, l), size = f2l_float_layer_size(fast, l);
    double *state = calloc(size, sizeof *state), *unstored = calloc(numbers, sizeof *unstored);
    double *start = calloc(f2l_float_size(fast), sizeof *start);
    side s = side_of(numbers);
    size_t offset = 0, compared = 0;
    bool finite = true;
    f2l_float_start(fast, start);
    for (size_t i = 0; i < l; i++) offset += f2l_float_layer_size(fast, i);
    memcpy(state, start + offset, size * sizeof *state);
    memcpy(s.state, state, numbers * sizeof *state);
    for (size_t t = 0; t < 7 && finite; t++, compared++) {
        const size_t x = f2l_rng_below(rng, layer->letters);
        draw_choices(rng, r);
        const double *read = f2l_float_step_layer(fast, l, x, state, unstored);
        reference_layer(r, layer, x, &s);
        for (size_t i = 0; i < numbers; i++)
            finite = finite && isfinite(s.state[i]) && isfinite(s.read[i]);
        for (size_t i = 0; i < numbers && finite; i++) {
            cr_assert(reference_same(state[i], s.state[i]),
                      "%s, letter %zu, number %zu: %a, not %a", what, t, i, state[i], s.state[i]);
            cr_assert(reference_same(read[i], s.read[i]), "%s, letter %zu, reading %zu: %a, not %a",
                      what, t, i, read[i], s.read[i]);
        }
        cr_assert(choices.at == r->bits || !finite, "%s: %zu choices, not %zu", what, choices.at,
                  r->bits);
    }
    free(state);
    free(unstored);
    free(start);
    side_clear(&s);
    return compared;
}

/* Makes all gates 1, and drops biases. */
static void ungate(f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            for (size_t x = 0; x < net->layer[l].letters; x++) {
                f2l_transition *letter = &net->layer[l].head[h].letter[x];
                mpq_set_ui(letter->gate, 1, 1);
                f2l_qvec_clear(&letter->bias);
            }
}

static size_t compare_row(const drawn_row *row, uint64_t seed)
{
    const sample_shape shape = {2, 2, 3, 6, 3, 3, 2, false, 12};
    char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME], what[1200];
    f2l_schedule schedule;
    f2l_format format;
    f2l_error err = {0};
    f2l_rng rng;
    size_t compared = 0;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row->schedule, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_format_parse(&format, format_name, row->format, &err), F2L_OK);
    format.choices = &choices;
    reference r = reference_of(&format, &schedule);
    r.bit = choices.bit;
    for (size_t n = 0; n < 4; n++) {
        f2l_net net;
        f2l_float_net *fast;
        sample_random(&net, &rng, &shape);
        if (n % 3) sample_make_raw(&net, &rng, &shape);
        snprintf(what, sizeof what, "seed %llu, network %zu, %s in %s", (unsigned long long)seed, n,
                 row->schedule, row->format);
        if (schedule.store.ring) ungate(&net);
        const f2l_status status = f2l_float_net_new(&fast, &net, &format, &schedule, &err);
        /* a square leaves the format, or a beta is above 2 */
        if (status == F2L_EDOMAIN && (schedule.norm_in_format || schedule.beta >= F2L_BETA_LOGIT)) {
            f2l_net_clear(&net);
            continue;
        }
        cr_assert_eq(status, F2L_OK, "%s: %s", what, err.text);
        for (size_t l = 0; l < net.layers; l++)
            compared += compare_layer(fast, &net, l, &r, &rng, what);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
    return compared;
}

Test(schedule_rows, doubles_walk_every_pair_of_fields_as_the_reference_does)
{
    drawn_rows rows;
    size_t compared = 0;
    draw_rows(&rows, SEED);
    cr_log_info("%zu rows, %zu pairs, %zu pairs that exclude each other", rows.count, rows.pairs,
                rows.impossible);
    for (size_t i = 0; i < rows.count; i++) compared += compare_row(&rows.row[i], SEED + i);
    cr_assert_gt(compared, 20 * rows.count);
    drawn_rows_clear(&rows);
}
